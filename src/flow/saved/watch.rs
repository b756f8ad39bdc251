//! A saved search on the screen: what it had last time, against the pages of its window as they arrive.
//!
//! Which pages are read is the window's business. Here is only what of them is new, how much was read, and when there is
//! enough of it to be remembered for the next time. Each leg of a search is remembered by itself, so that a value that was added
//! since makes nothing new that was there before.

use crate::domain::contact::RowId;
use crate::domain::query::Query;
use crate::domain::time::Wall;
use crate::effect::store::Snapshot;

use super::news::{News, Then, sentence};

/// Rows that are read of a saved search without anybody looking at them: enough for what is new in most, few enough for the
/// allowance.
pub const READ: u64 = 2_000;

#[derive(Clone, Debug)]
pub struct Watch {
    name: String,
    query: Query,
    legs: Vec<Leg>,
    fresh: u64,
    /// What was read is remembered already.
    kept: bool,
}

#[derive(Clone, Debug)]
struct Leg {
    query: Query,
    before: Option<Snapshot>,
    news: News,
    total: Option<u64>,
}

impl Watch {
    /// `before` is what each leg had last time, in their order.
    pub fn new(name: String, query: Query, before: Vec<Option<Snapshot>>) -> Watch {
        let mut before = before.into_iter();
        let leg = |query| {
            let before = before.next().flatten();
            Leg { query, news: News::since(before.as_ref()), before, total: None }
        };
        let legs = query.legs().into_iter().map(leg).collect();
        Watch { name, query, legs, fresh: 0, kept: false }
    }

    /// Whether this is about that search.
    pub fn is_of(&self, query: &Query) -> bool {
        self.query.canonical() == query.canonical()
    }

    /// The same search is read from its beginning once more, against what it was compared with before.
    pub fn again(self) -> Watch {
        let before = self.legs.into_iter().map(|leg| leg.before).collect();
        Watch::new(self.name, self.query, before)
    }

    pub fn query(&self) -> &Query {
        &self.query
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// A page of a leg: each id counts once, however often it is shown.
    pub fn page(&mut self, leg: usize, ids: &[RowId], total: u64) {
        for id in ids {
            if !self.legs.get(leg).is_some_and(|leg| leg.news.has_read(*id)) {
                self.row(leg, Some(*id), total);
            }
        }
        self.sized(leg, total);
    }

    fn sized(&mut self, leg: usize, total: u64) {
        if let Some(leg) = self.legs.get_mut(leg) {
            leg.total = Some(total);
        }
    }

    /// A row that is given once; says whether the last run did not have it.
    pub fn row(&mut self, leg: usize, id: Option<RowId>, total: u64) -> bool {
        self.sized(leg, total);
        let first = id.is_some_and(|id| !self.legs.iter().any(|leg| leg.news.has_read(id)));
        let known = id.is_none_or(|id| !self.unknown(id));
        if let Some(leg) = self.legs.get_mut(leg) {
            leg.news.read(id);
        }
        let fresh = first && !known;
        self.fresh += u64::from(fresh);
        fresh
    }

    /// Rows of a leg that another one gave already: they belong to what it has.
    pub fn met(&mut self, leg: usize, ids: &[RowId]) {
        if let Some(leg) = self.legs.get_mut(leg) {
            for id in ids {
                leg.news.read_once(*id);
            }
        }
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
        self.legs.iter().any(|leg| leg.news.then().is_some())
    }

    /// Rows that are new, and rows that were read.
    pub fn news(&self) -> (u64, u64) {
        (self.fresh, self.legs.iter().map(|leg| leg.news.rows_read()).sum())
    }

    pub fn total(&self) -> u64 {
        self.legs.iter().filter_map(|leg| leg.total).fold(0, u64::saturating_add)
    }

    /// One honest sentence about this run.
    pub fn sentence(&self) -> String {
        let then = self.legs.iter().filter_map(|leg| leg.news.then_read()).reduce(|one, two| Then {
            total: one.total.saturating_add(two.total),
            read: one.read.saturating_add(two.read),
        });
        let (fresh, read) = self.news();
        let said = sentence((read, self.total()), fresh, then);
        let added: Vec<String> = self
            .legs
            .iter()
            .filter(|leg| then.is_some() && leg.news.then().is_none())
            .map(|leg| self.query.leg_name(&leg.query))
            .collect();
        if added.is_empty() { said } else { format!("{said}; not in the last run: {}", added.join(", ")) }
    }

    /// What to remember of each leg that was read, once: the first time this is called.
    pub fn remember(&mut self, now: Wall) -> Option<Vec<(String, Snapshot)>> {
        if std::mem::replace(&mut self.kept, true) {
            return None;
        }
        let kept = |leg: &Leg| Some((leg.query.canonical(), leg.news.snapshot(leg.total?, now)));
        Some(self.legs.iter().filter_map(kept).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contact::Side;
    use crate::domain::filter::Filter;

    fn query(titles: &[&str]) -> Query {
        let mut query = Query::new(Side::default());
        titles.iter().for_each(|title| query.add(Filter::Title, title).unwrap());
        query
    }

    fn kept(watch: &mut Watch, query: &Query) -> Vec<Option<Snapshot>> {
        let kept = watch.remember(Wall(1)).unwrap();
        let of =
            |leg: &Query| kept.iter().find(|(line, _)| *line == leg.canonical()).map(|(_, snapshot)| snapshot.clone());
        query.legs().iter().map(of).collect()
    }

    #[test]
    fn an_added_leg_makes_only_its_own_rows_new() {
        let (one, two) = (query(&["nurse"]), query(&["aide", "nurse"]));
        let mut first = Watch::new("x".to_owned(), one.clone(), vec![None]);
        first.page(0, &[1, 2, 3].map(RowId), 3);
        assert!(!first.is_new(RowId(1)), "nothing is new without a last run");
        let mut second = Watch::new("x".to_owned(), two.clone(), kept(&mut first, &two));
        second.page(0, &[3, 8].map(RowId), 2);
        second.page(1, &[1, 2, 3, 9].map(RowId), 4);
        let new: Vec<i64> = [1, 2, 3, 8, 9].into_iter().filter(|id| second.is_new(RowId(*id))).collect();
        assert_eq!((new, second.news()), (vec![8, 9], (2, 6)));
        assert_eq!(second.sentence(), "6 of 6 rows read, 2 new; 3 matched last time; not in the last run: aide");
        // And the leg that goes again takes nothing along that the other one had.
        let mut third = Watch::new("x".to_owned(), one.clone(), kept(&mut second, &one));
        third.page(0, &[1, 3, 9, 10].map(RowId), 4);
        assert_eq!(third.news(), (1, 4), "9 was met in this leg before");
    }
}
