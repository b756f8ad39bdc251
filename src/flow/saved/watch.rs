//! A saved search on the screen: what it had last time, against the pages of its window as they arrive.
//!
//! Which pages are read is the window's business. Here is only what of them is new, how much was read, and when there is
//! enough of it to be remembered for the next time.

use crate::domain::contact::RowId;
use crate::domain::query::Query;
use crate::domain::time::Wall;
use crate::effect::store::Snapshot;

use super::news::News;

/// Rows that are read of a saved search without anybody looking at them: enough for what is new in most, few enough for the
/// allowance.
pub const READ: u64 = 2_000;

#[derive(Clone, Debug)]
pub struct Watch {
    name: String,
    query: Query,
    before: Option<Snapshot>,
    news: News,
    total: u64,
    /// What was read is remembered already.
    kept: bool,
}

impl Watch {
    pub fn new(name: String, query: Query, before: Option<Snapshot>) -> Watch {
        let news = News::since(before.as_ref());
        Watch { name, query, before, news, total: 0, kept: false }
    }

    /// What the last run had is known now.
    pub fn since(&mut self, before: Option<Snapshot>) {
        self.news = News::since(before.as_ref());
        self.before = before;
    }

    /// Whether this is about that search.
    pub fn is_of(&self, query: &Query) -> bool {
        self.query.canonical() == query.canonical()
    }

    /// The same search is read from its beginning once more, against what it was compared with before.
    pub fn again(self) -> Watch {
        Watch::new(self.name, self.query, self.before)
    }

    pub fn query(&self) -> &Query {
        &self.query
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// A page of the window: each id counts once, however often it is shown.
    pub fn page(&mut self, ids: &[RowId], total: u64) {
        self.total = total;
        for id in ids {
            self.news.read_once(*id);
        }
    }

    /// A row that is given once; says whether the last run did not have it.
    pub fn row(&mut self, id: Option<RowId>, total: u64) -> bool {
        self.total = total;
        self.news.read(id)
    }

    /// Whether the last run did not have this row. Without a last run nothing is said to be new.
    pub fn is_new(&self, id: RowId) -> bool {
        self.news.then().is_some() && self.news.is_new(id)
    }

    pub fn news(&self) -> &News {
        &self.news
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn sentence(&self) -> String {
        self.news.sentence(self.total)
    }

    /// What to remember, once: the first time this is called.
    pub fn remember(&mut self, now: Wall) -> Option<Snapshot> {
        if std::mem::replace(&mut self.kept, true) {
            return None;
        }
        Some(self.news.snapshot(self.total, now))
    }
}
