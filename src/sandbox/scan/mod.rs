//! Searching a corpus: which ids a search finds, how many there are, and what the whole corpus holds per state and SIC code.

mod wanted;

use std::collections::BTreeMap;

use crate::sandbox::corpus::Corpus;

pub use wanted::{Field, Wanted};

/// A window of a result: the size of the whole and the ids of the window in the service's order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub total: u64,
    pub ids: Vec<u64>,
}

/// Totals over the whole corpus, suppressed rows left out, duplicates counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    pub total: u64,
    /// Code, name, rows.
    pub states: Vec<(String, String, u64)>,
    /// Code, name, rows.
    pub sic: Vec<(String, String, u64)>,
}

/// Searches one corpus.
#[derive(Clone)]
pub struct Engine {
    corpus: Corpus,
}

impl Engine {
    pub fn new(corpus: Corpus, _threads: usize) -> Engine {
        Engine { corpus }
    }

    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The window `offset..offset + limit` of what is wanted. `hidden` are ids to leave out, ascending; rows suppressed from the
    /// start are always left out. `cancelled` is asked once per block of rows; once it says so, the answer is `None`.
    pub fn find(
        &self,
        wanted: &Wanted,
        hidden: &[u64],
        offset: u64,
        limit: u64,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Found> {
        let mut found = Found { total: 0, ids: Vec::new() };
        for id in 1..=self.corpus.rows() {
            if id % 65_536 == 0 && cancelled() {
                return None;
            }
            if self.shows(wanted, hidden, id) {
                if found.total >= offset && found.total - offset < limit {
                    found.ids.push(id);
                }
                found.total += 1;
            }
        }
        Some(found)
    }

    /// Every wanted id in order, a block at a time, until `each` returns false.
    pub fn walk(&self, wanted: &Wanted, hidden: &[u64], each: &mut dyn FnMut(&[u64]) -> bool) {
        let mut start = 1;
        while start <= self.corpus.rows() {
            let end = (start + 65_535).min(self.corpus.rows());
            let ids: Vec<u64> = (start..=end).filter(|id| self.shows(wanted, hidden, *id)).collect();
            if !ids.is_empty() && !each(&ids) {
                return;
            }
            start = end + 1;
        }
    }

    pub fn counts(&self) -> Counts {
        let mut states: BTreeMap<String, u64> = BTreeMap::new();
        let mut sic: BTreeMap<String, (String, u64)> = BTreeMap::new();
        let mut total = 0;
        for id in (1..=self.corpus.rows()).filter(|id| !self.corpus.suppressed(*id)) {
            let Some(person) = self.corpus.person(id) else { continue };
            total += 1;
            *states.entry(person.state.into_owned()).or_default() += 1;
            sic.entry(person.sic_code.into_owned()).or_insert((person.industry.into_owned(), 0)).1 += 1;
        }
        Counts {
            total,
            states: states.into_iter().map(|(code, rows)| (code.clone(), code, rows)).collect(),
            sic: sic.into_iter().map(|(code, (name, rows))| (code, name, rows)).collect(),
        }
    }

    fn shows(&self, wanted: &Wanted, hidden: &[u64], id: u64) -> bool {
        !self.corpus.suppressed(id)
            && hidden.binary_search(&id).is_err()
            && self.corpus.person(id).is_some_and(|person| wanted.meets(&person))
    }
}
