//! The Workspace API: `me` and `unlock` in the envelope `ok` / `data` / `error`.
//!
//! The answer of an unlock is stored as it came, then read entry by entry. Entries are independent: one
//! that cannot be read leaves its contact without a result.
//!
//! Shapes that the documents do not show (M8, M10): entries may be integers, strings of integers, objects with an id, whole
//! contacts, or an object keyed by id. What an unmentioned id means is decided by `flow::unlock`.

use super::json::{self as loose, JsonField};
use super::*;

/// The text of `data`; the body itself where there is no envelope around it.
pub(super) fn open<T>(text: &str, read: impl FnOnce(&str) -> serde_json::Result<T>) -> serde_json::Result<T> {
    let [ok, data] = loose::fields(text, ["ok", "data"])?;
    if loose::truth(&loose::field(ok)) == Some(false) {
        return Err(serde_json::Error::custom("ok is false"));
    }
    let data = data.map_or(text, |data| data.get());
    if !loose::is_object(data) {
        return Err(serde_json::Error::custom("data is not an object"));
    }
    read(data)
}

/// `/me` takes no parameters and needs no scope: a refusal in the documented envelope can only be about the key, whatever its
/// number, unless it says that the address is wrong. A 429 is about the rate.
pub fn of_me(failure: Failure, body: &[u8]) -> Failure {
    let in_envelope = || {
        let body = loose::value(body).ok()?;
        Some(loose::truth(body.get("ok")?) == Some(false) && body.get("error")?.is_string())
    };
    match failure {
        Failure::Refused { status, words, why }
            if !matches!(why, Refusal::Redirect | Refusal::Credits) && in_envelope() == Some(true) =>
        {
            let why = if refusal::is_about_address(status, &words) { Refusal::Address } else { Refusal::Key };
            Failure::Refused { status, why, words }
        }
        other => other,
    }
}

pub fn read_me(head: &Head, body: &[u8]) -> Result<Account, Failure> {
    let read = loose::lenient(body, |text| open(text, loose::loosely));
    let data = read.map_err(|error| failed(Source::Workspace, head, body, &loose::sentence(&error)))?;
    let text = |pointer: &str| data.pointer(pointer).and_then(loose::words).unwrap_or_default();
    let org_id = text("/org/id");
    if org_id.is_empty() {
        // Without it the owner of the credits is unknown, and no record of money could be kept.
        return Err(unreadable(head, body, "it does not name the workspace"));
    }
    Ok(Account {
        org_id,
        org_name: text("/org/name"),
        plan: text("/org/plan"),
        key_name: text("/key/name"),
        key_prefix: text("/key/prefix"),
        scopes: scopes(data.pointer("/key/scopes").unwrap_or(&Value::Null)),
        credits: data.get("credits").and_then(loose::credits).map(Credits),
    })
}

fn scopes(value: &Value) -> Vec<String> {
    match value {
        Value::Array(all) => all.iter().filter_map(loose::words).filter(|scope| !scope.is_empty()).collect(),
        Value::String(all) => {
            let words = scrub(all);
            words.split([',', ' ']).filter(|scope| !scope.is_empty()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

// The answer of an unlock.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnlockAnswer {
    /// Called newly unlocked, refunded ones among them.
    pub unlocked: Vec<(RowId, Contact)>,
    /// Owned before; with the contact where the answer carried one.
    pub already: Vec<(RowId, Option<Contact>)>,
    pub missing: Vec<RowId>,
    pub charged: Sum,
    pub refunded: Sum,
    pub balance: Option<Credits>,
    /// The balance ran out before the whole batch was unlocked.
    pub stopped: bool,
    /// Ids of the answer that were not asked for: nothing is concluded from them.
    pub strays: Vec<RowId>,
    /// Ids that stand in more than one list, and in each of them here.
    pub torn: BTreeSet<RowId>,
    /// Entries without a readable id.
    pub unreadable: usize,
}

/// Credits that an answer reports, however the number is spelled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sum {
    /// Not reported: missing, null or an empty text.
    #[default]
    Absent,
    /// A number of credits.
    Whole(Credits),
    /// Not a whole number. `most` is the largest number in it, rounded up; `None` where it holds no number.
    Odd { spelled: String, most: Option<Credits> },
}

impl Sum {
    /// The largest amount that this can mean.
    pub fn most(&self) -> Option<Credits> {
        match self {
            Sum::Absent => None,
            Sum::Whole(credits) => Some(*credits),
            Sum::Odd { most, .. } => *most,
        }
    }

    fn read(field: JsonField<'_>) -> Sum {
        let value = loose::field(field);
        let raw = field.map_or("null", |raw| raw.get().trim());
        let is_blank = value.as_str().is_some_and(|text| text.trim().is_empty());
        match loose::signed(&value) {
            Some(whole) => Sum::Whole(Credits(whole)),
            None if raw == "null" || is_blank => Sum::Absent,
            None => Sum::Odd { spelled: scrub_to(raw, 40), most: largest(raw) },
        }
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sum::Absent => f.write_str("nothing"),
            Sum::Whole(credits) => f.write_str(&credits.words()),
            Sum::Odd { spelled, .. } => f.write_str(spelled),
        }
    }
}

/// The largest number in a text, rounded up. Commas and the like group digits.
fn largest(text: &str) -> Option<Credits> {
    let words = text.split(|letter: char| !(letter.is_ascii_digit() || "+-.,_'eE".contains(letter)));
    let numbers = words.filter_map(|word| {
        let digits: String = word.chars().filter(|letter| !",_'".contains(*letter)).collect();
        digits.trim_matches(['e', 'E', '.']).parse::<f64>().ok()
    });
    // The ends of `i64` hold what is past them.
    numbers.map(|number| Credits(number.ceil() as i64)).max()
}

impl UnlockAnswer {
    /// The service's own figures.
    pub fn said(&self) -> StatedSums {
        StatedSums { charged: self.charged.most(), refunded: self.refunded.most(), balance: self.balance }
    }
}

/// Reads the raw body of a 2xx answer. An id counts once in each list. An error says why the answer decides nothing: it is kept as it
/// came, and its contacts are unknown.
pub fn read_unlock(corpus: Corpus, sent: &[RowId], body: &[u8]) -> Result<UnlockAnswer, String> {
    let read = loose::lenient(body, |text| open(text, |data| read_data(corpus, sent, data)));
    read.map_err(|error| match refusal::anyway(Source::Workspace, &Head::of(200), body) {
        Some(refused) => format!("the service answered the unlock with: {}", refused.words()),
        None => format!("the answer of the unlock cannot be read: {}", loose::sentence(&error)),
    })
}

fn read_data(corpus: Corpus, sent: &[RowId], data: &str) -> serde_json::Result<UnlockAnswer> {
    let lists = ["unlocked", "already_unlocked", "missing"];
    let [unlocked, already, missing] = loose::fields(data, lists)?;
    let sums = ["corpus", "credits_charged", "credits_refunded", "balance", "stopped_for_credits"];
    let [said_corpus, charged, refunded, balance, stopped] = loose::fields(data, sums)?;
    if unlocked.is_none() && already.is_none() && missing.is_none() {
        return Err(serde_json::Error::custom("it names no contacts"));
    }
    // An id means something only with its corpus: an answer about the other one says nothing about this one.
    let said_corpus = loose::words(&loose::field(said_corpus));
    if said_corpus.is_some_and(|said| said.parse::<Corpus>().is_ok_and(|said| said != corpus)) {
        return Err(serde_json::Error::custom("it is about the other corpus"));
    }
    let mut answer = UnlockAnswer {
        charged: Sum::read(charged),
        refunded: Sum::read(refunded),
        balance: loose::credits(&loose::field(balance)).map(Credits),
        stopped: loose::truth(&loose::field(stopped)).unwrap_or(false),
        ..UnlockAnswer::default()
    };
    let asked: BTreeSet<RowId> = sent.iter().copied().collect();
    let mut named: BTreeSet<RowId> = BTreeSet::new();
    let [unlocked, already, missing] = [unlocked, already, missing].map(|list| {
        let (mut found, mut of_list) = (Vec::new(), BTreeSet::new());
        for entry in entries(&loose::field(list)) {
            match entry {
                None => answer.unreadable += 1,
                Some((id, _)) if !asked.contains(&id) => answer.strays.push(id),
                Some((id, contact)) if of_list.insert(id) => {
                    if !named.insert(id) {
                        answer.torn.insert(id);
                    }
                    found.push((id, contact));
                }
                Some(_) => {}
            }
        }
        found
    });
    answer.unlocked = unlocked.into_iter().map(|(id, contact)| (id, contact.unwrap_or_default())).collect();
    answer.already = already;
    answer.missing = missing.into_iter().map(|(id, _)| id).collect();
    Ok(answer)
}

fn entries(list: &Value) -> Vec<Option<(RowId, Option<Contact>)>> {
    match list {
        Value::Array(entries) => entries.iter().map(|entry| read_entry(entry, None)).collect(),
        // One contact alone, or contacts keyed by their id.
        Value::Object(fields) if fields.contains_key("id") => vec![read_entry(list, None)],
        Value::Object(fields) => fields.iter().map(|(key, entry)| read_entry(entry, loose::row_id(key))).collect(),
        // A bare number may be an id or a count: it decides nothing.
        _ => Vec::new(),
    }
}

fn read_entry(entry: &Value, key: Option<i64>) -> Option<(RowId, Option<Contact>)> {
    match entry {
        Value::Object(fields) => {
            let named = ["id", "row_id", "contact_id"].into_iter().find_map(|name| fields.get(name));
            let id = named.and_then(|id| loose::row_id(&id.to_string())).or(key)?;
            Some((RowId(id), read_contact(entry)))
        }
        _ => Some((RowId(key.or_else(|| loose::row_id(&entry.to_string()))?), None)),
    }
}

/// None where the object carried nothing of a contact but its id.
fn read_contact(entry: &Value) -> Option<Contact> {
    let text = |names: &[&str]| {
        let found = names.iter().filter_map(|name| entry.get(name)).find_map(loose::words);
        found.unwrap_or_default()
    };
    let mut contact = Contact {
        email: text(&["email", "email_address"]),
        phone: text(&["phone"]),
        contact_name: text(&["contact_name", "name"]),
        company_name: text(&["company_name", "company"]),
        title: text(&["title"]),
        verification: entry.get("verification").and_then(Value::as_str).map(|word| Verification::read(&scrub(word))),
        refunded: entry.get("refunded").and_then(loose::truth),
    };
    if contact.contact_name.is_empty() {
        let (first, last) = (text(&["first_name"]), text(&["last_name"]));
        contact.contact_name = format!("{first} {last}").trim().to_owned();
    }
    (contact != Contact::default()).then_some(contact)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(numbers: &[i64]) -> Vec<RowId> {
        numbers.iter().copied().map(RowId).collect()
    }

    fn read(sent: &[i64], body: &str) -> UnlockAnswer {
        read_unlock(Corpus::Us, &ids(sent), body.as_bytes()).unwrap()
    }

    #[test]
    fn every_shape_of_the_lists_is_read() {
        for list in [
            "[2,3]",
            r#"["2","3"]"#,
            r#"[{"id":2},{"id":"3"}]"#,
            r#"[{"row_id":2,"reason":"x"},{"contact_id":3}]"#,
            r#"{"2":true,"3":{"email":null}}"#,
        ] {
            let body = format!(r#"{{"ok":true,"data":{{"unlocked":[],"already_unlocked":{list},"missing":null}}}}"#);
            let answer = read(&[2, 3], &body);
            assert_eq!(answer.already, [(RowId(2), None), (RowId(3), None)], "{list}");
            let body = format!(r#"{{"ok":true,"data":{{"missing":{list}}}}}"#);
            assert_eq!(read(&[2, 3], &body).missing, ids(&[2, 3]), "{list}");
        }
    }

    #[test]
    fn an_id_is_counted_once_a_list_and_only_if_it_was_asked_for() {
        let body = r#"{"ok":true,"data":{"unlocked":[{"id":1,"email":"a@x.example"},{"id":1},{"id":9},{"id":null},7.5],
            "already_unlocked":[1,2],"missing":[2,3,"x"]}}"#;
        let answer = read(&[1, 2, 3, 4], body);
        assert_eq!(answer.unlocked.len(), 1);
        assert_eq!(answer.unlocked[0].1.email, "a@x.example");
        assert_eq!(answer.already, [(RowId(1), None), (RowId(2), None)]);
        assert_eq!(answer.missing, ids(&[2, 3]));
        assert_eq!(answer.torn, ids(&[1, 2]).into_iter().collect());
        assert_eq!(answer.strays, ids(&[9]));
        assert_eq!(answer.unreadable, 3);
    }

    /// Found by fuzzing: the whole list was dropped, and contacts that were paid for were unknown.
    #[test]
    fn an_entry_with_an_absurd_value_spoils_no_other() {
        for odd in [r#""contact_name":"half \ud800 pair""#, r#""score":1e999"#, r#""more":{"deep":["\udc00",-1e999]}"#]
        {
            let body = format!(
                r#"{{"ok":true,"data":{{"unlocked":[{{"id":1,"email":"a@x.example",{odd}}},{{"id":2}}],"balance":1e999}}}}"#
            );
            let answer = read(&[1, 2], &body);
            assert_eq!(answer.unlocked.iter().map(|(id, _)| id.0).collect::<Vec<_>>(), [1, 2], "{odd}");
            assert_eq!(answer.unlocked[0].1.email, "a@x.example");
            assert_eq!(answer.balance, None);
        }
    }

    #[test]
    fn a_sum_is_read_however_it_is_spelled() {
        let sum = |spelled: &str| {
            let body = format!(r#"{{"ok":true,"data":{{"unlocked":[],"credits_charged":{spelled}}}}}"#);
            read(&[1], &body).charged
        };
        for spelled in ["50", "50.0", "5e1", "\"50\"", "\"+50\"", "\" 50.0 \""] {
            assert_eq!(sum(spelled), Sum::Whole(Credits(50)), "{spelled}");
        }
        for spelled in ["null", "\"\"", "\" \""] {
            assert_eq!(sum(spelled), Sum::Absent, "{spelled}");
        }
        for (spelled, most) in [
            ("50.5", Some(51)),
            ("-50.5", Some(-50)),
            ("\"1,000\"", Some(1_000)),
            ("\"50 credits\"", Some(50)),
            (r#"{"gross":50,"net":4.5}"#, Some(50)),
            ("1e999", Some(i64::MAX)),
            ("\"ten\"", None),
            ("true", None),
        ] {
            let read = sum(spelled);
            assert!(matches!(read, Sum::Odd { .. }), "{spelled}: {read:?}");
            assert_eq!(read.most(), most.map(Credits), "{spelled}");
        }
    }

    #[test]
    fn an_answer_that_names_no_contacts_decides_nothing() {
        for body in ["", "<html>", "{}", r#"{"ok":true}"#, r#"{"ok":true,"data":{"unlocked":[{"id":1"#, "[1]", "null"] {
            assert!(read_unlock(Corpus::Us, &ids(&[1]), body.as_bytes()).is_err(), "{body}");
        }
        let other = br#"{"ok":true,"data":{"corpus":"linkedin","unlocked":[{"id":1}]}}"#;
        assert!(read_unlock(Corpus::Us, &ids(&[1]), other).is_err());
        let refused = read_unlock(Corpus::Us, &ids(&[1]), br#"{"ok":false,"error":"Not now"}"#).unwrap_err();
        assert_eq!(refused, "the service answered the unlock with: Not now");
    }
}
