//! A saved search on the screen: what it had last time, against the pages of its window as they arrive.
//!
//! Which pages are read is the window's business. Here is only what of them is new, how much was read, and when there is
//! enough of it to be remembered for the next time. Each leg of a search is remembered by itself, so that a value that was added
//! since makes nothing new that was there before.

use crate::effect::Ticket;
use crate::effect::failure::StoreFailure;
use crate::effect::store::{Snapshot, StoreCall, StoreReply};
use crate::flow::desk::{Cx, Heard, Owner};
use lode_core::contact::RowId;
use lode_core::purse::PurseRef;
use lode_core::query::Query;
use lode_core::time::Wall;

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
    /// What the last run had, while the store is asked for it.
    asked: Option<Ticket>,
    before: Option<Snapshot>,
    news: News,
    total: Option<u64>,
}

impl Leg {
    fn new(query: Query, before: Option<Snapshot>) -> Leg {
        Leg { query, asked: None, news: News::since(before.as_ref()), before, total: None }
    }
}

impl Watch {
    /// Asks the store what each leg had last time.
    pub fn start(
        name: String,
        query: Query,
        owner: Owner,
        (purse, profile): (&PurseRef, &str),
        cx: &mut Cx<'_>,
    ) -> Watch {
        let legs = if query.ready().is_ok() { query.legs() } else { vec![query.clone()] };
        let mut asked = |leg: Query| {
            let (purse, profile, name, query) = (purse.clone(), profile.to_owned(), name.clone(), leg.canonical());
            let asked = Some(cx.store(owner, StoreCall::SnapshotOf { purse, profile, name, query }));
            Leg { asked, ..Leg::new(leg, None) }
        };
        let legs = legs.into_iter().map(&mut asked).collect();
        Watch { name, query, legs, fresh: 0, kept: false }
    }

    /// True when it was an answer to what was asked at the start; a last run that cannot be read counts as none.
    pub fn hear(&mut self, heard: &Heard) -> Result<bool, StoreFailure> {
        let Heard::Stored(ticket, result) = heard else { return Ok(false) };
        let Some(leg) = self.legs.iter_mut().find(|leg| leg.asked == Some(*ticket)) else { return Ok(false) };
        leg.asked = None;
        if let StoreReply::Snapshot(before) = result.as_ref().map_err(Clone::clone)? {
            *leg = Leg::new(leg.query.clone(), before.clone());
        }
        Ok(true)
    }

    /// Whether the last run is known.
    pub fn is_ready(&self) -> bool {
        self.legs.iter().all(|leg| leg.asked.is_none())
    }

    /// Whether this is about that search.
    pub fn is_of(&self, query: &Query) -> bool {
        self.query.canonical() == query.canonical()
    }

    /// The same search is read from its beginning once more, against what it was compared with before.
    pub fn again(self) -> Watch {
        let legs = self.legs.into_iter().map(|leg| Leg::new(leg.query, leg.before)).collect();
        Watch { legs, fresh: 0, kept: false, ..self }
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

    /// The last run, over all legs that it had.
    pub fn then(&self) -> Option<Then> {
        self.legs.iter().filter_map(|leg| leg.news.then()).reduce(|one, two| Then {
            total: one.total.saturating_add(two.total),
            read: one.read.saturating_add(two.read),
        })
    }

    /// One honest sentence about this run.
    pub fn sentence(&self) -> String {
        let then = self.then();
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

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::Side;
    use lode_core::filter::Filter;

    fn query(titles: &[&str]) -> Query {
        let mut query = Query::new(Side::default());
        titles.iter().for_each(|title| query.add(Filter::Title, title).unwrap());
        query
    }

    fn after(query: &Query, last: Option<&mut Watch>) -> Watch {
        let purse = PurseRef::Earlier { profile: "p".to_owned() };
        let kept = last.and_then(|last| last.remember(Wall(1), &purse, "p")).unwrap_or_default();
        let of = |leg: &Query| {
            kept.iter().find_map(|call| match call {
                StoreCall::Snapshot { query, snapshot, .. } if *query == leg.canonical() => Some(snapshot.clone()),
                _ => None,
            })
        };
        let legs = query.legs().into_iter().map(|leg| Leg::new(leg.clone(), of(&leg))).collect();
        Watch { name: "x".to_owned(), query: query.clone(), legs, fresh: 0, kept: false }
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
}
