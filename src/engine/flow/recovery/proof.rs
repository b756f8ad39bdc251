//! When what a look saw proves something (M4). Pure functions of the sightings, which the store stamps by the machine's clock.

use std::time::Duration;

use crate::effect::store::{OpenBatch, OpenContact, Settled, Sight, Sighting};
use crate::flow::look::Evidence;
use lode_core::money::Outcome;
use lode_core::put_back::put_back;

/// How long a call may still be on its way after its line broke.
pub const QUIET: Duration = Duration::from_secs(60);
/// How far two checks lie apart to count as two: a contact that is not found may be withheld for a moment.
fn apart(sight: Sight) -> Duration {
    match sight {
        Sight::Locked => Duration::from_secs(5),
        Sight::Absent => Duration::from_secs(60),
    }
}

/// The outcome of a contact that was seen locked, or nowhere, often enough after the quiet. `None` while that proves nothing. Money rules 3,
/// *same batch, same ids*, and 6, *unknown is a state*.
pub(super) fn verdict(open: &OpenContact, evidence: Option<&Evidence>) -> Option<Settled> {
    let proofs: Vec<&Sighting> =
        open.sightings.iter().filter(|sighting| sighting.quiet >= QUIET || put_back("locked-at-once")).collect();
    let last = proofs.last()?;
    // Where the order wavers, or nothing tells that it does not, a row can be missed twice.
    let needed = match (last.sight, evidence) {
        (Sight::Locked, _) | (Sight::Absent, Some(Evidence { wavers: false, .. })) => 2,
        (Sight::Absent, _) => 3,
    };
    let (mut counted, mut at) = (1, last.quiet);
    for sighting in proofs.iter().rev().skip(1).take_while(|sighting| sighting.sight == last.sight) {
        if at.saturating_sub(sighting.quiet) >= apart(last.sight) {
            (counted, at) = (counted + 1, sighting.quiet);
        }
    }
    if counted < needed {
        return None;
    }
    let (outcome, evidence) = match last.sight {
        Sight::Locked => (Outcome::Locked, None),
        Sight::Absent => {
            let words = evidence.map_or("the searches that showed it no longer return it", |evidence| &evidence.words);
            let looks = format!(
                "{words}; checked {} times, last {} s after the connection was lost",
                proofs.len(),
                last.quiet.as_secs()
            );
            (Outcome::Unreachable, Some(looks))
        }
    };
    Some(Settled { id: open.id, outcome, contact: None, evidence })
}

/// How long from the reading of the batch until another look can prove something.
pub(super) fn due(batch: &OpenBatch, open: &OpenContact) -> Duration {
    let last = open.sightings.last().filter(|sighting| sighting.quiet >= QUIET);
    let from = last.map_or(QUIET, |last| last.quiet + apart(last.sight));
    from.saturating_sub(batch.quiet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::RowId;
    use lode_core::time::Wall;

    fn open(sightings: &[(Sight, u64)]) -> OpenContact {
        let sighting =
            |(sight, quiet): &(Sight, u64)| Sighting { sight: *sight, at: Wall(0), quiet: Duration::from_secs(*quiet) };
        OpenContact {
            id: RowId(1),
            clue: Default::default(),
            row: None,
            sightings: sightings.iter().map(sighting).collect(),
        }
    }

    fn outcome(sightings: &[(Sight, u64)]) -> Option<Outcome> {
        verdict(&open(sightings), None).map(|settled| settled.outcome)
    }

    #[test]
    fn locked_proves_nothing_before_the_quiet_and_nothing_once() {
        use Sight::Locked;
        assert_eq!(outcome(&[]), None);
        assert_eq!(outcome(&[(Locked, 5), (Locked, 20), (Locked, 59)]), None);
        assert_eq!(outcome(&[(Locked, 59), (Locked, 61)]), None);
        assert_eq!(outcome(&[(Locked, 61), (Locked, 62)]), None, "one look after the other is one look");
        assert_eq!(outcome(&[(Locked, 61), (Locked, 66)]), Some(Outcome::Locked));
    }

    #[test]
    fn nowhere_twice_a_minute_apart_is_unreachable_and_says_why() {
        use Sight::{Absent, Locked};
        let verdict = |sightings: &[(Sight, u64)], wavers| {
            let evidence = Evidence { words: "nowhere".to_owned(), wavers };
            verdict(&open(sightings), Some(&evidence))
        };
        assert_eq!(verdict(&[(Absent, 61), (Locked, 130)], false), None);
        assert_eq!(verdict(&[(Locked, 61), (Absent, 130)], false), None);
        assert_eq!(verdict(&[(Absent, 61), (Absent, 70), (Absent, 120)], false), None, "not a minute apart");
        assert_eq!(verdict(&[(Absent, 61), (Absent, 121)], true), None, "three times where the order wavers");
        assert!(verdict(&[(Absent, 61), (Absent, 121), (Absent, 181)], true).is_some());
        let settled = verdict(&[(Locked, 61), (Absent, 70), (Absent, 80), (Absent, 130)], false).unwrap();
        assert_eq!(settled.outcome, Outcome::Unreachable);
        assert!(settled.evidence.is_some_and(|words| words.starts_with("nowhere; checked 4 times")));
    }
}
