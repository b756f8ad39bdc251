//! What is new since a saved search last ran: the ids of then against the rows of now.
//!
//! A row is new when its id was not among those that were read then. That says something only as far as was read, so the
//! counts of both readings belong to every sentence about it.

use crate::effect::store::Snapshot;
use lode_core::contact::RowId;
use lode_core::ids::{Growing, Packed};
use lode_core::time::Wall;

/// What the last run had, and what this one has shown so far.
#[derive(Clone, Debug, Default)]
pub struct News {
    before: Option<Before>,
    seen: Growing,
    read: u64,
}

#[derive(Clone, Debug)]
struct Before {
    ids: Packed,
    then: Then,
}

impl News {
    /// A snapshot that cannot be read counts as none.
    pub fn since(snapshot: Option<&Snapshot>) -> News {
        let before = snapshot.and_then(|snapshot| {
            let ids = Packed::read(snapshot.ids.clone())?;
            Some(Before { ids, then: Then { total: snapshot.total, read: snapshot.read } })
        });
        News { before, ..News::default() }
    }

    /// Whether the last run did not have this id. Without a last run everything is new.
    pub fn is_new(&self, id: RowId) -> bool {
        self.before.as_ref().is_none_or(|before| !before.ids.contains(id))
    }

    /// Counts a row that was read now; says whether it is new. A row without an id cannot be recognised and never is.
    pub fn read(&mut self, id: Option<RowId>) -> bool {
        self.read += 1;
        let Some(id) = id else { return false };
        self.seen.insert(id) && self.is_new(id)
    }

    /// The same for a row that may be shown more than once: only the first time counts.
    pub fn read_once(&mut self, id: RowId) -> bool {
        !self.seen.contains(id) && self.read(Some(id))
    }

    /// Rows that were read now.
    pub fn rows_read(&self) -> u64 {
        self.read
    }

    /// What to compare with next time. Where not everything was read now, the ids known from before stay known: a row that
    /// was only not reached this time is not new the next.
    pub fn snapshot(&self, total: u64, at: Wall) -> Snapshot {
        let partial = self.read < total;
        let known = self.before.as_ref().filter(|_| partial).map(|before| before.ids.clone()).unwrap_or_default();
        Snapshot { total, at, read: self.read, ids: self.seen.and(&known).bytes() }
    }

    /// Whether this run showed an id already.
    pub fn has_read(&self, id: RowId) -> bool {
        self.seen.contains(id)
    }

    /// What the last run had, and how much of it was read.
    pub fn then(&self) -> Option<Then> {
        self.before.as_ref().map(|before| before.then)
    }
}

/// The last run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Then {
    pub total: u64,
    pub read: u64,
}

/// One honest sentence about a run that read so much, found so many rows that are new, and has another one before it.
pub fn sentence((read, total): (u64, u64), fresh: u64, then: Option<Then>) -> String {
    use lode_core::credits::{counted, grouped};
    let read = format!("{} of {} read", grouped(read), counted(total, "row"));
    match then {
        None => format!("{read}; first run: all are new"),
        Some(then) => {
            let limit = if then.read < then.total {
                format!(
                    "; the last run read only {} of {}, so some may not be new",
                    grouped(then.read),
                    grouped(then.total)
                )
            } else {
                String::new()
            };
            format!("{read}, {} new; {} matched last time{limit}", grouped(fresh), grouped(then.total))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;

    fn run(news: &mut News, ids: &[i64]) -> Vec<i64> {
        ids.iter().copied().filter(|id| news.read(Some(RowId(*id)))).collect()
    }

    #[test]
    fn added_removed_and_reordered_rows_are_told_apart() {
        let mut first = News::since(None);
        assert_eq!(run(&mut first, &[5, 3, 9, 1]), [5, 3, 9, 1]);
        let snapshot = first.snapshot(4, Wall(7));
        let mut second = News::since(Some(&snapshot));
        assert_eq!(run(&mut second, &[1, 8, 9, 5, 8]), [8], "a row shown twice is new once");
        assert_eq!(second.then(), Some(Then { total: 4, read: 4 }));
        let said = sentence((second.rows_read(), 5), 1, second.then());
        assert_eq!(said, "5 of 5 rows read, 1 new; 4 matched last time");
    }

    #[test]
    fn what_was_not_reached_is_not_forgotten() {
        let mut first = News::since(None);
        run(&mut first, &[1, 2, 3, 4]);
        let mut second = News::since(Some(&first.snapshot(4, Wall(0))));
        run(&mut second, &[1, 5]);
        let mut third = News::since(Some(&second.snapshot(5, Wall(0))));
        assert!(run(&mut third, &[1, 2, 3, 4, 5]).is_empty());
        let said = sentence((third.rows_read(), 5), 0, third.then());
        assert!(said.contains("the last run read only 2 of 5"), "{said}");
    }

    #[test]
    fn rows_without_an_id_and_broken_snapshots_claim_nothing() {
        let broken = Snapshot { total: 4, at: Wall(0), read: 4, ids: Bytes::from_static(&[0x80]) };
        let mut news = News::since(Some(&broken));
        assert!(!news.read(None));
        assert_eq!(news.then(), None);
    }
    proptest! {
        /// Rows are added, removed, shown in any order and more than once: exactly those that the run before did not have are
        /// marked, each once.
        #[test]
        fn marks_are_exact_whatever_comes_in_whatever_order(
            before in proptest::collection::vec(0i64..400, 0..300),
            added in proptest::collection::vec(300i64..900, 0..60),
            keeps in proptest::collection::vec(any::<bool>(), 300),
            order in proptest::collection::vec(any::<u64>(), 1..400),
        ) {
            let mut first = News::since(None);
            for id in &before {
                first.read_once(RowId(*id));
            }
            let then: BTreeSet<i64> = before.iter().copied().collect();
            let snapshot = first.snapshot(then.len() as u64, Wall(1));
            prop_assert_eq!(snapshot.read, then.len() as u64);

            let kept = then.iter().zip(&keeps).filter(|(_, keep)| **keep).map(|(id, _)| *id);
            let now: BTreeSet<i64> = kept.chain(added).collect();
            // Shuffled, and some of them twice.
            let mut shown: Vec<i64> = now.iter().copied().collect();
            for (at, dice) in order.iter().enumerate().filter(|_| !now.is_empty()) {
                let other = usize::try_from(dice % shown.len() as u64).unwrap();
                let at = at % shown.len();
                shown.swap(at, other);
                if dice % 7 == 0 {
                    shown.push(shown[other]);
                }
            }
            let mut second = News::since(Some(&snapshot));
            let marked: Vec<i64> = shown.iter().copied().filter(|id| second.read_once(RowId(*id))).collect();
            let unique: BTreeSet<i64> = marked.iter().copied().collect();
            prop_assert_eq!(unique.len(), marked.len(), "each once");
            prop_assert!(unique.iter().eq(now.difference(&then)));
            prop_assert_eq!(second.rows_read(), now.len() as u64);
            for id in &now {
                prop_assert_eq!(second.is_new(RowId(*id)), !then.contains(id));
            }
            // The next run starts from this one.
            let third = News::since(Some(&second.snapshot(now.len() as u64, Wall(2))));
            prop_assert!(now.iter().all(|id| !third.is_new(RowId(*id))));
            prop_assert!(then.difference(&now).all(|id| third.is_new(RowId(*id))), "who was gone comes back as new");
        }
    }
}
