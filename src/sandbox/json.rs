//! How the sandbox writes its answers: the envelope, and the rows of both services with their masking. Shared with no client; what
//! goes into an answer is decided in `service`.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::corpus::{COLUMNS, Column, ColumnText, CorpusKind, Person};
use crate::records::Purchase;

/// The envelope of the workspace API when all went well.
pub(crate) fn ok(data: Value) -> Value {
    with(json!({"ok": true}), "data", data)
}

/// An object with one more member, which is moved into it: `json!` would copy it, whole pages of rows and all.
pub(crate) fn with(object: Value, name: &str, value: Value) -> Value {
    let Value::Object(mut object) = object else { unreachable!("only objects have members") };
    object.insert(name.to_owned(), value);
    Value::Object(object)
}

/// The envelope of the workspace API when it did not.
pub(crate) fn not_ok(words: &str) -> Value {
    json!({"ok": false, "error": words})
}

pub(crate) type Row = Map<String, Value>;

/// A row of `/search` on the workspace API: masked unless owned.
pub(crate) fn search_row(kind: CorpusKind, person: &Person, owned: Option<&Purchase>, more_columns: bool) -> Row {
    let shown =
        |full: &ColumnText, masked: fn(&str) -> String| if owned.is_some() { full.to_string() } else { masked(full) };
    let mut row = Row::with_capacity(24);
    row.insert("id".into(), json!(person.id));
    put_columns(&mut row, person, &["company_name", "first_name", "last_name", "title", "city", "state", "industry"]);
    put(&mut row, if kind == CorpusKind::Us { "email_address" } else { "email" }, &shown(&person.email, masked_email));
    put(&mut row, "phone", &shown(&person.phone, masked_phone));
    put_columns(&mut row, person, &["email_domain_type", "email_status"]);
    row.insert("unlocked".into(), json!(owned.is_some()));
    row.insert("verification".into(), json!(owned.and_then(|owned| owned.verification)));
    let own: &[&str] = if kind == CorpusKind::Us { &["naics_code"] } else { &["title_level", "linkedin_url"] };
    put_columns(&mut row, person, own);
    if more_columns {
        put_columns(&mut row, person, &["county", "zip", "company_website"]);
        row.insert("freshness".into(), json!({"checked": "2025-11", "sources": [1, 2]}));
    }
    row
}

/// A contact as unlock hands it over.
pub(crate) fn unlocked_contact(person: &Person, owned: &Purchase, null_when_unverified: bool) -> Row {
    let mut row = Row::new();
    row.insert("id".into(), json!(person.id));
    put(&mut row, "email", &person.email);
    put(&mut row, "phone", &person.phone);
    row.insert("contact_name".into(), person.contact_name().into());
    put_columns(&mut row, person, &["company_name", "title"]);
    let found = match owned.verification {
        Some(found) => json!(found),
        None if null_when_unverified => Value::Null,
        None => json!("unknown"),
    };
    row.insert("verification".into(), found);
    row.insert("refunded".into(), json!(owned.refunded));
    row
}

/// The columns that the Data API shows of a corpus, after the id.
pub(crate) fn data_columns(kind: CorpusKind) -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(move |(.., corpora)| corpora.contains(&kind))
}

/// The filters of a corpus, as the document lists them. The industry takes several values and is read on its own.
pub(crate) fn filters(kind: CorpusKind) -> impl Iterator<Item = &'static str> {
    let is_us = kind == CorpusKind::Us;
    let columns = data_columns(kind).map(|(name, ..)| *name);
    let filters =
        columns.filter(move |name| !["industry", "linkedin_url"].contains(name) && (is_us || *name != "email_address"));
    filters.chain(is_us.then_some("contact_name"))
}

/// A column's name, and its text.
type Cell<'a> = (&'static str, Cow<'a, str>);

/// What the Data API says of a person, column by column after the id. Whether it is masked is not said, so a variant decides.
pub(crate) fn data_cells(kind: CorpusKind, person: &Person, masked: bool) -> impl Iterator<Item = Cell<'_>> {
    data_columns(kind).map(move |(name, _, of, _)| match *name {
        "email_address" if masked => (*name, masked_email(&person.email).into()),
        "phone" if masked => (*name, masked_phone(&person.phone).into()),
        _ => (*name, of(person).into()),
    })
}

/// Columns that are called the same in both services.
fn put_columns(row: &mut Row, person: &Person, names: &[&str]) {
    for name in names {
        let (_, _, of, _) = COLUMNS.iter().find(|(known, ..)| known == name).expect("each is a column");
        put(row, name, of(person));
    }
}

fn put(row: &mut Row, name: &str, value: &str) {
    row.insert(name.to_owned(), Value::from(value));
}

// How a row hides what is for sale. Exactly as written: an email keeps its first character and its whole domain, a phone its area
// code and its last two digits; bullets (U+2022) stand for the rest, three whatever the length.

const BULLETS: &str = "•••";

/// `dana@lakeside.example` → `d•••@lakeside.example`
pub(crate) fn masked_email(full: &str) -> String {
    let Some((local, domain)) = full.rsplit_once('@') else {
        return if full.is_empty() { String::new() } else { BULLETS.into() };
    };
    let first = local.chars().next().map_or(0, char::len_utf8);
    [&local[..first], BULLETS, "@", domain].concat()
}

/// `5125550171` → `512•••71`
pub(crate) fn masked_phone(full: &str) -> String {
    let digits: String = full.chars().filter(char::is_ascii_digit).collect();
    // A leading country code 1 is not part of the area code.
    let digits = digits.strip_prefix('1').filter(|rest| rest.len() == 10).unwrap_or(&digits);
    if digits.len() < 5 {
        return if digits.is_empty() { String::new() } else { BULLETS.into() };
    }
    [&digits[..3], BULLETS, &digits[digits.len() - 2..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_email_keeps_its_first_character_and_its_whole_domain() {
        assert_eq!(masked_email("dana.whitfield@lakeside.example"), "d•••@lakeside.example");
        assert_eq!(masked_email("x@mail.lakeside.example"), "x•••@mail.lakeside.example");
        assert_eq!(masked_email(""), "");
    }

    #[test]
    fn a_phone_keeps_its_area_code_and_its_last_two_digits() {
        assert_eq!(masked_phone("5125550171"), "512•••71");
        assert_eq!(masked_phone("+1 (713) 555-0104"), "713•••04");
        assert_eq!(masked_phone(""), "");
    }
}
