//! Whether the lists and the sums of one unlock answer add up. What M6, M7, M8 and M10 of the reading notes leave open is no
//! contradiction.

use std::collections::BTreeSet;

use crate::wire::workspace::unlock::{Sum, UnlockAnswer};
use lode_core::contact::RowId;
use lode_core::credits::{Credits, agree, contacts, counted};
use lode_core::put_back::put_back;

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
    if let Sum::Odd { .. } = charged
        && !is_too_much
    {
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

    const TEN: [i64; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

    /// Of ten ids: so many unlocked, of which so many refunded; the rest missing; and these sums.
    fn found(unlocked: i64, refunded: i64, charged: Option<i64>, returned: Option<i64>) -> (usize, usize, bool) {
        let ids = TEN.map(RowId);
        let listed: Vec<String> =
            (1..=unlocked).map(|id| format!(r#"{{"id":{id},"refunded":{}}}"#, id <= refunded)).collect();
        let missing: Vec<String> = (unlocked + 1..=10).map(|id| id.to_string()).collect();
        let sum = |name: &str, sum: Option<i64>| sum.map_or(String::new(), |sum| format!(r#","{name}":{sum}"#));
        let body = format!(
            r#"{{"ok":true,"data":{{"unlocked":[{}],"missing":[{}]{}{}}}}}"#,
            listed.join(","),
            missing.join(","),
            sum("credits_charged", charged),
            sum("credits_refunded", returned)
        );
        let found = contradictions(&ids, &read_unlock(Corpus::Us, &ids, body.as_bytes()).unwrap());
        assert_eq!(found.words.is_empty(), found.ids.is_empty() && found.alarm.is_none(), "{found:?}");
        (found.words.len(), found.ids.len(), found.alarm.is_some())
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
            // Refunds that the list does not know are of anybody who was sent; those it does not count are of the list.
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
