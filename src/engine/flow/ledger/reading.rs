//! Reads the answers of one unlock batch (M6, M7, M10), as a pure function of the bytes.
//!
//! Counted is what the lists say, never what the service's sums say; where both do not add up (`contradictions`), the contacts concerned
//! stay open. An answer decides about its own sending only: while an
//! earlier sending of the same batch went unanswered, it cannot prove that a contact was *not* bought, nor that a contact
//! owned by now was owned before. Such contacts stay open, and a free look settles them.
//!
//! A batch with open contacts may be sent again, whole. Until that is past, none of its contacts is called locked or missing: the
//! next sending could still buy it.

use super::*;
use crate::wire::workspace::{Sum, UnlockAnswer, read_unlock};

/// What reading an answer needs of a batch.
#[derive(Clone, Copy, Debug)]
pub struct SentBatch<'a> {
    pub batch: BatchId,
    pub corpus: Corpus,
    /// All ids, as sent.
    pub ids: &'a [RowId],
    /// Those without an outcome so far.
    pub open: &'a BTreeSet<RowId>,
    /// How often it was sent.
    pub sent: u32,
    pub verify: bool,
    /// The line of every earlier sending had been quiet for so long when this one left that none of them can be applied any more.
    /// Then what the last answer calls missing can be had no more. Locked is left to a look, which can prove it.
    pub past: bool,
    /// How many sendings of this batch were refused and found locked afterwards. No answer to them is missing, but who is owned
    /// by now may have been bought by one of them.
    pub refused: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BatchReading {
    pub settlement: Settlement,
    /// Without an outcome still.
    pub open: BTreeSet<RowId>,
    /// Owned by this answer, but it did not carry what was paid for: to be completed by a free look.
    pub incomplete: BTreeSet<RowId>,
    /// Why the newest answer could not be read. It is kept as it came.
    pub unreadable: Option<String>,
    /// What of the newest answer does not add up, and whether that is an alarm.
    pub contradictions: Contradictions,
}

/// Reads all responses to a batch, oldest first, contact by contact. With none of them readable nothing is decided. Money rule 7, *partial is
/// normal*.
pub fn read_answers<'a>(asked: SentBatch<'_>, bodies: impl IntoIterator<Item = &'a [u8]>) -> BatchReading {
    let mut unreadable = None;
    let mut answers: Vec<UnlockAnswer> = Vec::new();
    let mut newest = Contradictions::default();
    let mut concerned: BTreeSet<RowId> = BTreeSet::new();
    for body in bodies {
        match read_unlock(asked.corpus, asked.ids, body) {
            Ok(answer) => {
                newest = contradictions(asked.ids, &answer);
                concerned.extend(&newest.ids);
                answers.push(answer);
                unreadable = None;
            }
            Err(words) => {
                unreadable = Some(words);
                newest = Contradictions::default();
            }
        }
    }
    // Only the answer to the last sending speaks of a time when all others were past.
    let past = asked.past && unreadable.is_none();
    let all_answered = answers.len() + asked.refused as usize >= asked.sent as usize || put_back("second-for-first");
    let stopped = answers.iter().any(|answer| answer.stopped);
    let stopped_last = answers.last().is_some_and(|answer| answer.stopped);
    let missing_last = |id| answers.last().is_some_and(|answer| answer.missing.contains(&id));
    let mut bought: BTreeMap<RowId, &Contact> = BTreeMap::new();
    let mut already: BTreeMap<RowId, Option<&Contact>> = BTreeMap::new();
    let mut missing: BTreeSet<RowId> = BTreeSet::new();
    for answer in &answers {
        bought.extend(answer.unlocked.iter().map(|(id, contact)| (*id, contact)));
        for (id, contact) in &answer.already {
            let known = already.entry(*id).or_default();
            *known = contact.as_ref().or(*known);
        }
        missing.extend(&answer.missing);
    }
    let is_whole = |contact: &&Contact| contact.has_address() && (contact.verification.is_some() || !asked.verify);
    let mut open = BTreeSet::new();
    let mut incomplete = BTreeSet::new();
    let mut contacts = Vec::new();
    for &id in asked.ids.iter().filter(|id| asked.open.contains(id)) {
        if concerned.contains(&id) {
            open.insert(id);
            continue;
        }
        let sent_before = asked.refused > 0 && already.contains_key(&id);
        let (outcome, contact) = if let Some(contact) = bought.get(&id) {
            let refunded = contact.refunded == Some(true);
            (if refunded { Outcome::Refunded } else { Outcome::Unlocked }, Some((*contact).clone()))
        } else if answers.is_empty() || !all_answered || sent_before || unplaced_before(&answers, id) {
            match already.get(&id).copied().flatten().filter(is_whole) {
                Some(contact) => contacts.push(bought_unanswered(id, contact.clone(), asked.verify)),
                None if past && missing_last(id) && !stopped_last => {
                    let words = "sent again, and the service did not find it; it is not known whether the first request bought it";
                    let evidence = Some(words.to_owned());
                    contacts.push(Settled { id, outcome: Outcome::Unreachable, contact: None, evidence });
                }
                None => drop(open.insert(id)),
            }
            continue;
        } else if let Some(contact) = already.get(&id) {
            (Outcome::Already, contact.cloned())
        } else if stopped {
            // Some services list what the credits did not reach under `missing` as well (M6).
            (Outcome::Locked, None)
        } else if missing.contains(&id) {
            (Outcome::Missing, None)
        } else {
            open.insert(id);
            continue;
        };
        if outcome.is_owned() && !contact.as_ref().is_some_and(Contact::has_address) {
            incomplete.insert(id);
        }
        contacts.push(Settled { id, outcome, contact: contact.map(Box::new), evidence: None });
    }
    if !open.is_empty() {
        open.extend(contacts.iter().filter(|settled| !settled.outcome.is_owned()).map(|settled| settled.id));
        contacts.retain(|settled| settled.outcome.is_owned());
    }
    let (SentBatch { batch, sent, .. }, how) = (asked, SettledBy::Answer);
    let said = answers.last().map_or(StatedSums::default(), UnlockAnswer::said);
    let settlement = Settlement { batch, sent, how, contacts, said, stopped_for_credits: stopped };
    BatchReading { settlement, open, incomplete, unreadable, contradictions: newest }
}

/// Whether an answer calls the contact owned after the answer before it left it out: then that sending may have bought it. What
/// the answer to the first sending calls owned was owned before; what an answer calls missing, or stopped before, it did not buy.
fn unplaced_before(answers: &[UnlockAnswer], id: RowId) -> bool {
    let owned = answers.iter().position(|answer| answer.already.iter().any(|(already, _)| *already == id));
    let before = owned.and_then(|at| at.checked_sub(1)).and_then(|at| answers.get(at));
    before.is_some_and(|answer| !answer.stopped && !answer.missing.contains(&id))
}

/// A row that a search showed as owned, as a contact.
pub fn contact_of(row: &Row) -> Contact {
    let verification = Some(row.known(Known::Verification)).filter(|word| !word.is_empty()).map(Verification::read);
    Contact {
        email: row.email().to_owned(),
        phone: row.known(Known::Phone).to_owned(),
        contact_name: row.name(),
        company_name: row.known(Known::Company).to_owned(),
        title: row.known(Known::Title).to_owned(),
        verification,
        refunded: None,
    }
}

/// A row that a search showed as owned, for the ledger; none where it is masked or carries no id.
pub fn seen_owned(row: &Row, query: &Query) -> Option<SeenOwned> {
    let id = row.id().filter(|_| row.unlocked())?;
    let contact = contact_of(row);
    contact.has_address().then(|| SeenOwned { id, contact, search: Some(query.canonical()), row: row_text(row) })
}

/// A contact of an unanswered batch that turned out to be owned. Who paid for it cannot be known; that our own call
/// did is the careful answer, because caps and receipts then count too much rather than too little. Whether the credit came
/// back follows from the verification, as the document says it does.
pub fn bought_unanswered(id: RowId, mut contact: Contact, verify: bool) -> Settled {
    let bad = matches!(contact.verification, Some(Verification::Invalid | Verification::Disposable));
    let refunded = verify && bad;
    contact.refunded = contact.refunded.or(Some(refunded));
    let outcome = if refunded { Outcome::Refunded } else { Outcome::Unlocked };
    let outcome = if put_back("refused-is-already") { Outcome::Already } else { outcome };
    Settled { id, outcome, contact: Some(Box::new(contact)), evidence: None }
}

// Whether the lists and the sums of one unlock answer add up. What M6, M7, M8 and M10 of the reading notes leave open is no
// contradiction.

/// What of an answer contradicts itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contradictions {
    /// The contacts concerned: of these the answer decides nothing.
    pub ids: BTreeSet<RowId>,
    /// What does not add up, in words; empty where everything does.
    pub words: Vec<String>,
    /// Set where more was charged than the ids that were sent can cost: nothing more is sent to such a service.
    pub alarm: Option<String>,
}

/// Returns what does not add up in a response. Money rule 7, *partial is normal*.
pub fn contradictions(sent: &[RowId], answer: &UnlockAnswer) -> Contradictions {
    if put_back("contradictions-pass") {
        return Contradictions::default();
    }
    let mut found = Contradictions { ids: answer.torn.clone(), ..Contradictions::default() };
    let unlocked: BTreeSet<RowId> = answer.unlocked.iter().map(|(id, _)| *id).collect();
    let gross = Credits::for_contacts(unlocked.len());
    let refunded = answer.unlocked.iter().filter(|(_, contact)| contact.refunded == Some(true)).count();
    let refunded = Credits::for_contacts(refunded);
    let net = gross - refunded;
    let mut say = |words: String| found.words.push(words);

    if !answer.torn.is_empty() {
        say(format!("{} {} in more than one list", contacts(answer.torn.len()), agree(answer.torn.len(), "is", "are")));
    }
    if answer.unreadable > 0 {
        say(format!("{} without a readable id", counted(answer.unreadable as u64, "entry")));
    }
    if !answer.strays.is_empty() {
        say(format!("{} of contacts that were not sent", counted(answer.strays.len() as u64, "entry")));
    }
    if answer.unreadable > 0 || !answer.strays.is_empty() {
        let already = answer.already.iter().map(|(id, _)| id);
        let named: BTreeSet<RowId> = unlocked.iter().chain(already).chain(&answer.missing).copied().collect();
        found.ids.extend(sent.iter().filter(|id| !named.contains(id)));
    }
    // Charges are counted before or after refunds; who counts after them may call them nothing.
    let charged = &answer.charged;
    let adds_up = match charged {
        Sum::Absent => true,
        Sum::Whole(charged) => [gross, net].contains(charged),
        Sum::Odd { .. } => false,
    };
    let is_too_much = charged.most().is_some_and(|charged| charged > Credits::for_contacts(sent.len()));
    if !adds_up {
        say(format!("{charged} charged and {} unlocked", contacts(unlocked.len())));
        if charged.most().is_some_and(|charged| charged > gross) {
            found.ids.extend(sent.iter().filter(|id| !unlocked.contains(id)));
        } else {
            found.ids.extend(&unlocked);
        }
    }
    if matches!(charged, Sum::Odd { .. }) && !is_too_much {
        // What it means is a guess, so it decides nothing.
        found.ids.extend(sent);
    }
    let counted_after = answer.charged == Sum::Whole(net) && answer.refunded == Sum::Whole(Credits::ZERO);
    let said = &answer.refunded;
    if !matches!(said, Sum::Absent) && *said != Sum::Whole(refunded) && !counted_after {
        say(format!("{said} refunded and {refunded} marked as refunded"));
        found.ids.extend(&unlocked);
        if said.most().is_none_or(|said| said > refunded) {
            // The one whose credit came back may be named in another list, or in none.
            found.ids.extend(sent);
        }
    }
    if is_too_much {
        found.alarm = Some(format!("the service reports a charge of {charged} for {}", contacts(sent.len())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::workspace::read_unlock;
    use lode_core::contact::Corpus;
    use serde_json::json;

    fn ids(numbers: &[i64]) -> Vec<RowId> {
        numbers.iter().copied().map(RowId).collect()
    }

    fn read(sent: u32, bodies: &[&str]) -> (Vec<(i64, Outcome)>, Vec<i64>) {
        read_after(false, sent, bodies)
    }

    fn read_after(past: bool, sent: u32, bodies: &[&str]) -> (Vec<(i64, Outcome)>, Vec<i64>) {
        let reading = reading_of(past, sent, bodies);
        let settled = reading.settlement.contacts.iter().map(|settled| (settled.id.0, settled.outcome)).collect();
        (settled, reading.open.iter().map(|id| id.0).collect())
    }

    fn reading_of(past: bool, sent: u32, bodies: &[&str]) -> BatchReading {
        let ids = ids(&[1, 2, 3, 4]);
        let open: BTreeSet<RowId> = ids.iter().copied().collect();
        let asked = SentBatch {
            batch: BatchId(1),
            corpus: Corpus::Us,
            ids: &ids,
            open: &open,
            sent,
            verify: true,
            past,
            refused: 0,
        };
        read_answers(asked, bodies.iter().map(|body| body.as_bytes()))
    }

    const PARTLY: &str = r#"{"ok":true,"data":{"unlocked":[{"id":1,"email":"a@b.example","refunded":true}],
        "already_unlocked":[2],"missing":[3],"stopped_for_credits":false}}"#;
    const STOPPED: &str = r#"{"ok":true,"data":{"unlocked":[{"id":1,"email":"a@b.example","refunded":false}],
        "already_unlocked":["2"],"missing":[{"id":3}],"stopped_for_credits":true}}"#;

    #[test]
    fn each_id_stands_on_its_own_and_an_unmentioned_one_stays_open() {
        let settled = vec![(1, Outcome::Refunded), (2, Outcome::Already)];
        assert_eq!(
            read(1, &[PARTLY]),
            (settled.clone(), vec![3, 4]),
            "nor is another called missing before it is settled"
        );
        let whole = PARTLY.replace("[3]", r#"[3,{"id":4}]"#);
        let missing = [(3, Outcome::Missing), (4, Outcome::Missing)];
        assert_eq!(read(1, &[&whole]), ([settled, missing.to_vec()].concat(), vec![]));
    }

    #[test]
    fn only_what_is_owned_can_lack_its_address() {
        for answer in [PARTLY, STOPPED] {
            let reading = reading_of(false, 1, &[answer]);
            assert_eq!(reading.incomplete.iter().map(|id| id.0).collect::<Vec<_>>(), [2], "{answer}");
        }
    }

    #[test]
    fn with_stopped_for_credits_the_rest_is_locked_even_where_it_is_listed_as_missing() {
        let settled = vec![(1, Outcome::Unlocked), (2, Outcome::Already), (3, Outcome::Locked), (4, Outcome::Locked)];
        assert_eq!(read(1, &[STOPPED]), (settled, vec![]));
    }

    #[test]
    fn the_answer_to_a_second_sending_says_nothing_about_the_first() {
        assert_eq!(read(2, &[STOPPED]), (vec![(1, Outcome::Unlocked)], vec![2, 3, 4]));
        let first = r#"{"ok":true,"data":{"unlocked":[{"id":2,"email":"c@d.example"}],"already_unlocked":[],
            "missing":[],"stopped_for_credits":true}}"#;
        let both = read(2, &[first, STOPPED]);
        let settled = vec![(1, Outcome::Unlocked), (2, Outcome::Unlocked), (3, Outcome::Locked), (4, Outcome::Locked)];
        assert_eq!(both, (settled, vec![]), "once both are answered, everything is said");
    }

    #[test]
    fn an_answer_to_a_sending_long_after_the_first_says_what_was_not_bought() {
        let answer = r#"{"ok":true,"data":{"unlocked":[{"id":1,"email":"a@b.example"}],
            "already_unlocked":[{"id":2,"email":"c@d.example","verification":"invalid"}],"missing":[3,4]}}"#;
        let settled =
            [(1, Outcome::Unlocked), (2, Outcome::Refunded), (3, Outcome::Unreachable), (4, Outcome::Unreachable)];
        assert_eq!(read_after(true, 2, &[answer]), (settled.to_vec(), vec![]));
        assert_eq!(read_after(false, 2, &[answer]), (settled[..2].to_vec(), vec![3, 4]));
        let cut = &answer[..answer.len() / 2];
        let left = read_after(true, 3, &[STOPPED, cut]);
        assert_eq!(left, (vec![(1, Outcome::Unlocked)], vec![2, 3, 4]), "an old answer does not speak for the new one");
    }

    #[test]
    fn what_an_answer_left_out_and_the_next_calls_owned_may_have_been_bought_here() {
        let silent = r#"{"ok":true,"data":{"unlocked":[{"id":1,"email":"a@b.example"}],
            "already_unlocked":[2],"missing":[3]}}"#;
        let owned = r#"{"ok":true,"data":{"unlocked":[],"already_unlocked":[1,2,3,
            {"id":4,"email":"e@f.example","verification":"valid"}],"missing":[]}}"#;
        let outcomes = [(1, Outcome::Unlocked), (2, Outcome::Already), (3, Outcome::Already), (4, Outcome::Unlocked)];
        assert_eq!(read(2, &[silent, owned]), (outcomes.to_vec(), vec![]), "it counts towards caps and receipt");
        let bare = owned.replace(r#"{"id":4,"email":"e@f.example","verification":"valid"}"#, "4");
        assert_eq!(read(2, &[silent, &bare]), (outcomes[..3].to_vec(), vec![4]), "a free look brings its check");
    }

    #[test]
    fn an_old_answer_that_could_not_be_read_does_not_spoil_a_new_one() {
        let ids = ids(&[1, 2]);
        let open: BTreeSet<RowId> = ids.iter().copied().collect();
        let read = |bodies: &[&str]| {
            let asked = SentBatch {
                batch: BatchId(1),
                corpus: Corpus::Us,
                ids: &ids,
                open: &open,
                sent: 2,
                verify: true,
                past: false,
                refused: 0,
            };
            read_answers(asked, bodies.iter().map(|body| body.as_bytes())).unreadable
        };
        let owned = r#"{"ok":true,"data":{"unlocked":[],"already_unlocked":[1,2],"missing":[]}}"#;
        assert!(read(&[owned, "<html>"]).is_some());
        assert_eq!(read(&["<html>", owned]), None);
    }

    #[test]
    fn an_answer_that_cannot_be_read_decides_nothing() {
        assert_eq!(read(1, &["<html>"]), (vec![], vec![1, 2, 3, 4]));
    }

    #[test]
    fn whether_the_credit_came_back_follows_from_the_check() {
        let contact = |word: &str| Contact { verification: Some(Verification::read(word)), ..Contact::default() };
        let outcome = |word, verify| bought_unanswered(RowId(1), contact(word), verify).outcome;
        assert_eq!(outcome("valid", true), Outcome::Unlocked);
        assert_eq!(outcome("invalid", true), Outcome::Refunded);
        assert_eq!(outcome("disposable", true), Outcome::Refunded);
        assert_eq!(outcome("invalid", false), Outcome::Unlocked, "unchecked is never refunded");
        assert_eq!(bought_unanswered(RowId(1), Contact::default(), true).outcome, Outcome::Unlocked);
    }

    const TEN: [i64; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

    /// What contradicts itself in an answer to ten ids.
    fn judged(data: &serde_json::Value) -> Contradictions {
        let ids = TEN.map(RowId);
        let body = json!({"ok": true, "data": data}).to_string();
        contradictions(&ids, &read_unlock(Corpus::Us, &ids, body.as_bytes()).unwrap())
    }

    /// Ten ids: `unlocked` of them unlocked, `refunded` of those refunded, the rest missing; and these sums.
    fn found(unlocked: i64, refunded: i64, charged: Option<i64>, returned: Option<i64>) -> (usize, usize, bool) {
        let listed: Vec<_> = (1..=unlocked).map(|id| json!({"id": id, "refunded": id <= refunded})).collect();
        let missing: Vec<i64> = (unlocked + 1..=10).collect();
        let mut data = json!({"unlocked": listed, "missing": missing});
        for (name, sum) in [("credits_charged", charged), ("credits_refunded", returned)] {
            data.as_object_mut().unwrap().extend(sum.map(|sum| (name.to_owned(), json!(sum))));
        }
        let found = judged(&data);
        assert_eq!(found.words.is_empty(), found.ids.is_empty() && found.alarm.is_none(), "{found:?}");
        (found.words.len(), found.ids.len(), found.alarm.is_some())
    }

    #[test]
    fn a_charge_that_is_not_a_whole_number_leaves_all_open_unless_it_is_too_high() {
        let ids = TEN.map(RowId);
        let found = |charged: serde_json::Value| {
            let missing: Vec<i64> = (3..=10).collect();
            judged(&json!({"unlocked": [1, 2], "missing": missing, "credits_charged": charged}))
        };
        for charged in [json!(1.5), json!(9.5), json!("two")] {
            let found = found(charged.clone());
            assert_eq!((found.ids.len(), found.words.len(), found.alarm), (10, 1, None), "{charged}");
        }
        let found = found(json!(10.5));
        assert_eq!(found.ids, ids[2..].iter().copied().collect(), "what was bought is not in doubt");
        assert!(found.alarm.is_some_and(|words| words.contains("10.5")));
    }

    #[test]
    fn a_refund_that_is_not_a_whole_number_concerns_more_than_the_list_only_if_it_is_higher() {
        let concerned = |returned: serde_json::Value| {
            let data = json!({"unlocked": [{"id": 1, "refunded": true}, 2], "missing": [3, 4, 5, 6, 7, 8, 9, 10],
                "credits_charged": 2, "credits_refunded": returned});
            judged(&data).ids.len()
        };
        // Half a credit is at most the one that is marked as refunded.
        assert_eq!((concerned(json!(1)), concerned(json!(0.5)), concerned(json!(1.5))), (0, 2, 10));
    }

    #[test]
    fn sums_that_the_documents_allow_add_up() {
        for (unlocked, refunded, charged, returned) in [
            (10, 0, None, None),
            (10, 0, Some(10), Some(0)),
            (10, 3, Some(10), Some(3)),
            (10, 3, Some(7), Some(3)),
            (10, 3, Some(7), Some(0)),
            (4, 0, Some(4), None),
            (0, 0, Some(0), Some(0)),
        ] {
            assert_eq!(
                found(unlocked, refunded, charged, returned),
                (0, 0, false),
                "{unlocked} {charged:?} {returned:?}"
            );
        }
    }

    #[test]
    fn others_do_not_and_concern_those_whom_they_may_concern() {
        for (unlocked, refunded, charged, returned, expected) in [
            // More charged than listed: what is not listed as unlocked.
            (4, 0, Some(10), None, (1, 6, false)),
            (0, 0, Some(10), None, (1, 10, false)),
            // Less: what is listed.
            (4, 0, Some(3), None, (1, 4, false)),
            (4, 2, Some(3), Some(2), (1, 4, false)),
            (4, 0, Some(-4), None, (1, 4, false)),
            // Refunds that the list does not know may belong to any contact that was sent; those it does not count are of the list.
            (4, 0, Some(4), Some(2), (1, 10, false)),
            (4, 2, Some(4), Some(0), (1, 4, false)),
            // More than ten ids can cost.
            (10, 0, Some(11), None, (1, 0, true)),
            (9, 0, Some(50), None, (1, 1, true)),
        ] {
            assert_eq!(found(unlocked, refunded, charged, returned), expected, "{unlocked} {charged:?} {returned:?}");
        }
    }

    #[test]
    fn lists_that_contradict_each_other_decide_nothing_of_whom_they_concern() {
        let ids = TEN.map(RowId);
        let found = |body: &str| contradictions(&ids, &read_unlock(Corpus::Us, &ids, body.as_bytes()).unwrap());
        let torn = found(
            r#"{"ok":true,"data":{"unlocked":[{"id":1},{"id":1},{"id":2}],"already_unlocked":[2,3],"missing":[3]}}"#,
        );
        assert_eq!(torn.ids, [2, 3].map(RowId).into());
        assert_eq!(torn.words, ["2 contacts are in more than one list"]);
        let odd =
            found(r#"{"ok":true,"data":{"unlocked":[{"id":1},{"id":null}],"already_unlocked":[2,77],"missing":[3]}}"#);
        assert_eq!(odd.ids, (4..=10).map(RowId).collect(), "those that no list names");
        assert_eq!(odd.words, ["1 entry without a readable id", "1 entry of contacts that were not sent"]);
    }
}
