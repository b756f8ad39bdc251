//! A saved search on the screen: compares the ids of its last run with the pages as they arrive.
//!
//! Which pages are read is the window's business. Here is only what of them is new, how much was read, and when there is
//! enough of it to be remembered for the next time. Each leg of a search is remembered by itself, so that a value that was added
//! since makes nothing new that was there before.

use super::*;
use lode_core::ids::{Growing, Packed};

/// Rows of a saved search that are read in the background: enough for what is new in most, few enough for the
/// allowance.
pub const READ: u64 = 2_000;

#[derive(Clone, Debug)]
pub struct SavedRun {
    pub name: String,
    pub query: Query,
    legs: Vec<Leg>,
    fresh: u64,
    /// What was read is remembered already.
    kept: bool,
}

#[derive(Clone, Debug)]
struct Leg {
    query: Query,
    /// What the last run had, while the store is asked for it.
    asked: Option<Ticket>,
    news: NewRows,
    total: Option<u64>,
}

impl SavedRun {
    /// Asks the store what each leg had last time.
    pub fn start(name: &str, query: Query, owner: Owner, of: (&PurseRef, &str), cx: &mut FlowContext<'_>) -> SavedRun {
        let (purse, profile) = of;
        let legs = if query.ready().is_ok() { query.legs() } else { vec![query.clone()] };
        let asked = |leg: Query| {
            let (purse, profile, name, query) = (purse.clone(), profile.to_owned(), name.to_owned(), leg.canonical());
            let asked = Some(cx.store(owner, StoreCall::SnapshotOf { purse, profile, name, query }));
            Leg { query: leg, asked, news: NewRows::default(), total: None }
        };
        let legs = legs.into_iter().map(asked).collect();
        SavedRun { name: name.to_owned(), query, legs, fresh: 0, kept: false }
    }

    /// True when it was an answer to what was asked at the start; a last run that cannot be read counts as none.
    pub fn handle(&mut self, arrival: &Arrival) -> Result<bool, StoreFailure> {
        let Arrival::Stored(ticket, result) = arrival else { return Ok(false) };
        let Some(leg) = self.legs.iter_mut().find(|leg| leg.asked == Some(*ticket)) else { return Ok(false) };
        leg.asked = None;
        let before = Option::<Snapshot>::read(result.as_ref().map_err(Clone::clone)?);
        leg.news = NewRows::since(before.as_ref());
        Ok(true)
    }

    /// Whether the last run is known.
    pub fn is_ready(&self) -> bool {
        self.legs.iter().all(|leg| leg.asked.is_none())
    }

    /// The same search is read from its beginning once more, against what it was compared with before.
    pub fn again(mut self) -> SavedRun {
        for leg in &mut self.legs {
            leg.total = None;
            leg.news = NewRows { before: leg.news.before.take(), ..NewRows::default() };
        }
        SavedRun { fresh: 0, kept: false, ..self }
    }

    /// A page of a leg: each id counts once, however often and in however many legs it is shown.
    pub fn page(&mut self, leg: usize, ids: &[RowId], total: u64) {
        let Some(shown) = self.legs.get_mut(leg) else { return };
        shown.total = Some(total);
        ids.iter().for_each(|id| _ = self.row(leg, Some(*id)));
    }

    /// A row that is given once; says whether the last run did not have it.
    pub fn row(&mut self, leg: usize, id: Option<RowId>) -> bool {
        let first = id.is_some_and(|id| !self.legs.iter().any(|leg| leg.news.seen.contains(id)));
        let fresh = first && id.is_some_and(|id| self.unknown(id));
        if let Some(leg) = self.legs.get_mut(leg) {
            leg.news.read(id);
        }
        self.fresh += u64::from(fresh);
        fresh
    }

    fn unknown(&self, id: RowId) -> bool {
        self.legs.iter().all(|leg| leg.news.is_new(id))
    }

    /// Whether the last run did not have this row. Without a last run nothing is said to be new.
    pub fn is_new(&self, id: RowId) -> bool {
        self.has_before() && self.unknown(id)
    }

    /// Whether there is a last run to compare with.
    pub fn has_before(&self) -> bool {
        self.legs.iter().any(|leg| leg.news.before.is_some())
    }

    /// Rows that are new, and rows that were read.
    pub fn news(&self) -> (u64, u64) {
        (self.fresh, self.legs.iter().map(|leg| leg.news.rows_read).sum())
    }

    pub fn total(&self) -> u64 {
        self.legs.iter().filter_map(|leg| leg.total).fold(0, u64::saturating_add)
    }

    /// Rows that the last run read, and how many there were then, over all legs that it had.
    pub fn then(&self) -> Option<(u64, u64)> {
        let sum = |one: (u64, u64), two: (u64, u64)| (one.0.saturating_add(two.0), one.1.saturating_add(two.1));
        self.legs.iter().filter_map(|leg| leg.news.then()).reduce(sum)
    }

    /// One honest sentence about this run.
    pub fn sentence(&self) -> String {
        let then = self.then();
        let (fresh, read) = self.news();
        let said = sentence((read, self.total()), fresh, then);
        let added = self.legs.iter().filter(|leg| then.is_some() && leg.news.then().is_none());
        let added: Vec<String> = added.map(|leg| self.query.leg_name(&leg.query)).collect();
        if added.is_empty() { said } else { format!("{said}; not in the last run: {}", added.join(", ")) }
    }

    /// What to write down of each leg that was read, once: the first time this is called.
    pub fn remember(&mut self, now: Wall, purse: &PurseRef, profile: &str) -> Option<Vec<StoreCall>> {
        if std::mem::replace(&mut self.kept, true) {
            return None;
        }
        let kept = |leg: &Leg| {
            let (purse, profile, name) = (purse.clone(), profile.to_owned(), self.name.clone());
            let snapshot = leg.news.snapshot(leg.total?, now);
            Some(StoreCall::Snapshot { purse, profile, name, query: leg.query.canonical(), snapshot })
        };
        Some(self.legs.iter().filter_map(kept).collect())
    }
}

// What is new since a saved search last ran: the ids of then against the rows of now.
//
// A row is new when its id was not among those that were read then. That is known only for the rows that were read, so the
// counts of both readings belong to every sentence about it.

/// What the last run had, and what this one has shown so far.
#[derive(Clone, Debug, Default)]
pub struct NewRows {
    /// Its ids, rows that it read, and how many there were.
    before: Option<(Packed, (u64, u64))>,
    seen: Growing,
    /// Rows that were read now.
    pub rows_read: u64,
}

impl NewRows {
    /// A snapshot that cannot be read counts as none.
    pub fn since(snapshot: Option<&Snapshot>) -> NewRows {
        let before = snapshot.and_then(|snapshot| {
            let ids = Packed::read(snapshot.ids.clone())?;
            Some((ids, (snapshot.read, snapshot.total)))
        });
        NewRows { before, ..NewRows::default() }
    }

    /// Whether the last run did not have this id. Without a last run everything is new.
    pub fn is_new(&self, id: RowId) -> bool {
        self.before.as_ref().is_none_or(|(ids, _)| !ids.contains(id))
    }

    /// Counts a row that was read now, once; says whether it is new. A row without an id cannot be recognised and never is.
    pub fn read(&mut self, id: Option<RowId>) -> bool {
        let is_first = id.is_none_or(|id| self.seen.insert(id));
        self.rows_read += u64::from(is_first);
        is_first && id.is_some_and(|id| self.is_new(id))
    }

    /// What to compare with next time. Where not everything was read now, the ids known from before stay known: a row that
    /// was only not reached this time is not new the next.
    pub fn snapshot(&self, total: u64, at: Wall) -> Snapshot {
        let partial = self.rows_read < total;
        let known = self.before.as_ref().filter(|_| partial).map(|(ids, _)| ids.clone()).unwrap_or_default();
        Snapshot { total, at, read: self.rows_read, ids: self.seen.and(&known).bytes }
    }

    /// Rows that the last run read, and how many there were.
    pub fn then(&self) -> Option<(u64, u64)> {
        self.before.as_ref().map(|(_, then)| *then)
    }
}

/// One honest sentence about a run: how much it read, how many rows are new, and since which run.
pub fn sentence((read, total): (u64, u64), fresh: u64, then: Option<(u64, u64)>) -> String {
    let read = format!("{} of {} read", grouped(read), counted(total, "row"));
    let Some((before, all)) = then else { return format!("{read}; first run: all are new") };
    let is_partial = before < all;
    let (before, all) = (grouped(before), grouped(all));
    let limit = format!("; the last run read only {before} of {all}, so some may not be new");
    let limit = if is_partial { limit } else { String::new() };
    format!("{read}, {} new; {all} matched last time{limit}", grouped(fresh))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use bytes::Bytes;
    use proptest::prelude::*;

    use lode_core::contact::Side;
    use lode_core::filter::Filter;

    fn query(titles: &[&str]) -> Query {
        let mut query = Query::new(Side::default());
        titles.iter().for_each(|title| query.add(Filter::Title, title).unwrap());
        query
    }

    fn after(query: &Query, last: Option<&mut SavedRun>) -> SavedRun {
        let purse = PurseRef::Earlier { profile: "p".to_owned() };
        let kept = last.and_then(|last| last.remember(Wall(1), &purse, "p")).unwrap_or_default();
        let of = |leg: &Query| {
            kept.iter().find_map(|call| match call {
                StoreCall::Snapshot { query, snapshot, .. } if *query == leg.canonical() => Some(snapshot.clone()),
                _ => None,
            })
        };
        let leg = |leg: Query| Leg { news: NewRows::since(of(&leg).as_ref()), query: leg, asked: None, total: None };
        let legs = query.legs().into_iter().map(leg).collect();
        SavedRun { name: "x".to_owned(), query: query.clone(), legs, fresh: 0, kept: false }
    }

    #[test]
    fn an_added_leg_makes_only_its_own_rows_new() {
        let (one, two) = (query(&["nurse"]), query(&["aide", "nurse"]));
        let mut first = after(&one, None);
        first.page(0, &[1, 2, 3].map(RowId), 3);
        assert!(!first.is_new(RowId(1)), "nothing is new without a last run");
        let mut second = after(&two, Some(&mut first));
        second.page(0, &[3, 8].map(RowId), 2);
        second.page(1, &[1, 2, 3, 9].map(RowId), 4);
        let new: Vec<i64> = [1, 2, 3, 8, 9].into_iter().filter(|id| second.is_new(RowId(*id))).collect();
        assert_eq!((new, second.news()), (vec![8, 9], (2, 6)));
        assert_eq!(second.sentence(), "6 of 6 rows read, 2 new; 3 matched last time; not in the last run: aide");
        // And the leg that goes again takes nothing along that the other one had.
        let mut third = after(&one, Some(&mut second));
        third.page(0, &[1, 3, 9, 10].map(RowId), 4);
        assert_eq!(third.news(), (1, 4), "9 was met in this leg before");
    }

    fn run(news: &mut NewRows, ids: &[i64]) -> Vec<i64> {
        ids.iter().copied().filter(|id| news.read(Some(RowId(*id)))).collect()
    }

    #[test]
    fn added_removed_and_reordered_rows_are_told_apart() {
        let mut first = NewRows::since(None);
        assert_eq!(run(&mut first, &[5, 3, 9, 1]), [5, 3, 9, 1]);
        let snapshot = first.snapshot(4, Wall(7));
        let mut second = NewRows::since(Some(&snapshot));
        assert_eq!(run(&mut second, &[1, 8, 9, 5, 8]), [8], "a row shown twice is new once");
        assert_eq!(second.then(), Some((4, 4)));
        let said = sentence((second.rows_read, 4), 1, second.then());
        assert_eq!(said, "4 of 4 rows read, 1 new; 4 matched last time");
    }

    #[test]
    fn what_was_not_reached_is_not_forgotten() {
        let mut first = NewRows::since(None);
        run(&mut first, &[1, 2, 3, 4]);
        let mut second = NewRows::since(Some(&first.snapshot(4, Wall(0))));
        run(&mut second, &[1, 5]);
        let mut third = NewRows::since(Some(&second.snapshot(5, Wall(0))));
        assert!(run(&mut third, &[1, 2, 3, 4, 5]).is_empty());
        let said = sentence((third.rows_read, 5), 0, third.then());
        assert!(said.contains("the last run read only 2 of 5"), "{said}");
    }

    #[test]
    fn rows_without_an_id_and_broken_snapshots_claim_nothing() {
        let broken = Snapshot { total: 4, at: Wall(0), read: 4, ids: Bytes::from_static(&[0x80]) };
        let mut news = NewRows::since(Some(&broken));
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
            let mut first = NewRows::since(None);
            for id in &before {
                first.read(Some(RowId(*id)));
            }
            let then: BTreeSet<i64> = before.iter().copied().collect();
            let snapshot = first.snapshot(then.len() as u64, Wall(1));
            prop_assert_eq!(snapshot.read, then.len() as u64);

            let kept = then.iter().zip(&keeps).filter(|(_, keep)| **keep).map(|(id, _)| *id);
            let now: BTreeSet<i64> = kept.chain(added).collect();
            // Shuffled, and some of them twice.
            let mut shown: Vec<i64> = now.iter().copied().collect();
            for (at, rng) in order.iter().enumerate().filter(|_| !now.is_empty()) {
                let other = usize::try_from(rng % shown.len() as u64).unwrap();
                let at = at % shown.len();
                shown.swap(at, other);
                if rng % 7 == 0 {
                    shown.push(shown[other]);
                }
            }
            let mut second = NewRows::since(Some(&snapshot));
            let marked: Vec<i64> = shown.iter().copied().filter(|id| second.read(Some(RowId(*id)))).collect();
            let unique: BTreeSet<i64> = marked.iter().copied().collect();
            prop_assert_eq!(unique.len(), marked.len(), "each once");
            prop_assert!(unique.iter().eq(now.difference(&then)));
            prop_assert_eq!(second.rows_read, now.len() as u64);
            for id in &now {
                prop_assert_eq!(second.is_new(RowId(*id)), !then.contains(id));
            }
            // The next run starts from this one.
            let third = NewRows::since(Some(&second.snapshot(now.len() as u64, Wall(2))));
            prop_assert!(now.iter().all(|id| !third.is_new(RowId(*id))));
            prop_assert!(then.difference(&now).all(|id| third.is_new(RowId(*id))), "who was gone comes back as new");
        }
    }
}
