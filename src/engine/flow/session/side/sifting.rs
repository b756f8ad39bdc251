//! What is left out of the rows of a side, and what is taken of them.

use std::collections::BTreeMap;

use crate::flow::basket::Entry;
use crate::flow::choose::{Sieve, Sift, Taste};
use crate::flow::search::window::Slot;
use lode_core::contact::RowId;
use lode_core::exclude::Why;
use lode_core::put_back::put_back;
use lode_core::row::Row;

use super::super::left::Left;
use super::SideState;

impl SideState {
    /// Why a row is left out; `None` where it is not.
    pub fn excluded(&self, row: &Row) -> Option<Why<'_>> {
        self.sieve.as_ref()?.why(self.side, row)
    }

    /// How many rows were read, and how many of them are left out.
    pub fn sift(&self) -> &Sift {
        &self.sift
    }

    /// The rows of a page that `a` takes: none that is left out, and no more of a company than wanted.
    pub fn wanted<'a>(&'a self, rows: Vec<&'a Row>, taste: &Taste) -> (Vec<&'a Row>, Left) {
        let mut left = Left { read: rows.len() as u64, ..Left::default() };
        let mut rows: Vec<&Row> =
            rows.into_iter().filter(|row| put_back("page-excluded") || self.excluded(row).is_none()).collect();
        left.excluded = left.read - rows.len() as u64;
        if taste.per_company.is_some() {
            let before = rows.len();
            rows.retain(|row| self.is_new(row));
            left.there = (before - rows.len()) as u64;
            let chosen = taste.choose(rows, usize::MAX, self.basket.rows().iter().map(Entry::row));
            (left.duplicates, left.beyond) = (chosen.duplicates as u64, chosen.beyond as u64);
            rows = chosen.items;
        }
        (rows, left)
    }

    /// Neither owned nor in the basket, and with an id to buy it by.
    pub(super) fn is_new(&self, row: &Row) -> bool {
        !row.unlocked() && row.id().is_some_and(|id| !self.basket.contains(id))
    }

    /// The sieve is that of the search that is shown; what was read is counted again where it is another one than before.
    pub(in crate::flow::session) fn keep_sieve(&mut self, taste: &Taste) {
        let not = &self.window.query().not;
        if self.sieve.as_ref().map_or(not.is_empty(), |sieve| sieve.of() == not) {
            return;
        }
        self.sieve = (!not.is_empty()).then(|| Sieve::new(not, taste.lists()));
        self.sift = Sift::default();
        let stride = self.window.stride().max(1);
        let mut counts: BTreeMap<(usize, u64), (u64, u64)> = BTreeMap::new();
        for (index, row) in self.window.loaded() {
            let leg = self.window.leg_at(index).unwrap_or(0);
            let offset = index - self.window.start_of(leg);
            let count = counts.entry((leg, offset - offset % stride)).or_default();
            count.0 += 1;
            count.1 += u64::from(self.excluded(row).is_some());
        }
        for (page, (rows, excluded)) in counts {
            self.sift.page(page, rows, excluded);
        }
    }

    /// Counts a page that came.
    pub(super) fn count_excluded(&mut self, leg: usize, offset: u64, ids: &[RowId]) {
        let Some(sieve) = &self.sieve else { return };
        let window = self.window.window(leg);
        let is_out = |id: &&RowId| match window.place(**id).map(|index| window.slot(index)) {
            Some(Slot::Row(row)) => sieve.why(self.side, row).is_some(),
            _ => false,
        };
        let excluded = ids.iter().filter(is_out).count() as u64;
        self.sift.page((leg, offset), ids.len() as u64, excluded);
    }
}
