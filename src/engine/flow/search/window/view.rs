//! What a screen reads of the window. Nothing here changes anything.

use std::ops::Range;

use crate::flow::desk::{Desk, Waits};
use crate::flow::search::pages::Standing;
use lode_core::contact::RowId;
use lode_core::query::Query;
use lode_core::row::Row;
use lode_core::time::Now;

use super::{Moved, Slot, Status, Window};

impl Window {
    pub fn query(&self) -> &Query {
        &self.query
    }

    pub fn status(&self) -> &Status {
        &self.status
    }

    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// The total of the first answer.
    pub fn frozen_total(&self) -> Option<u64> {
        self.first_total
    }

    /// Whether a marking is on its way.
    pub fn is_marking(&self) -> bool {
        self.marking.is_some()
    }

    /// The size of the service's set as it must be by now: without what left it by our own doing.
    pub fn service_total(&self) -> Option<u64> {
        self.total.map(|total| total.saturating_sub(self.pages.gone()))
    }

    pub fn took_ms(&self) -> Option<u64> {
        self.took_ms
    }

    pub fn moved(&self) -> Option<Moved> {
        self.moved
    }

    pub fn slot(&self, index: u64) -> Slot<'_> {
        if self.total.is_some_and(|total| index >= total) {
            return Slot::Vanished;
        }
        match self.pages.at(index) {
            Some(Standing::Row(row)) => Slot::Row(row),
            Some(Standing::Elsewhere(place)) => Slot::Elsewhere(place),
            Some(Standing::Nothing) => Slot::Vanished,
            None => {
                let page = self.pages.page_of(index);
                match self.failed.iter().find(|(failed, ..)| *failed == page) {
                    Some((_, failure, _)) => Slot::Failed(failure),
                    None => Slot::Waiting,
                }
            }
        }
    }

    /// Loaded rows with their indices, ascending, each contact once.
    pub fn loaded(&self) -> impl Iterator<Item = (u64, &Row)> {
        self.loaded_in(0..u64::MAX)
    }

    /// Those that stand within a stretch of the result.
    pub fn loaded_in(&self, indices: Range<u64>) -> impl DoubleEndedIterator<Item = (u64, &Row)> {
        self.pages.rows(indices)
    }

    /// Where a contact stands among the loaded rows.
    pub fn place(&self, id: RowId) -> Option<u64> {
        self.pages.place(id)
    }

    pub fn held(&self) -> usize {
        self.pages.held()
    }

    /// Rows of one page of the service; zero before the first answer.
    pub fn stride(&self) -> u64 {
        self.pages.stride()
    }

    /// The page of the service around an index, as indices.
    pub fn page_around(&self, index: u64) -> Range<u64> {
        let start = self.pages.start_of(self.pages.page_of(index));
        start..start.saturating_add(self.pages.stride()).min(self.total.unwrap_or(u64::MAX))
    }

    /// How many pages the result has.
    pub fn pages(&self) -> Option<u64> {
        Some(self.total?.div_ceil(self.pages.stride().max(1)))
    }

    /// Whether anything a person looks at is still on its way.
    pub fn is_busy(&self) -> bool {
        self.asked.iter().any(|asked| !asked.foreseen)
    }

    /// Why the page that is looked at is not here yet.
    pub fn waits<'a>(&self, desk: &'a Desk, now: Now) -> Option<Waits<'a>> {
        let looked_at = self.asked.iter().filter(|asked| !asked.foreseen);
        looked_at.filter_map(|asked| desk.waits(asked.id, now)).next()
    }
}
