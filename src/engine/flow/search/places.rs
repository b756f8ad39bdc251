//! Where each contact of a window stands: a table of indices, which takes half of what a map of ids would.
//!
//! The id of an entry is that of the row at its index, so that the rows must be looked up for it: `id_at` does. Only what is
//! loaded is noted here.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use lode_core::contact::RowId;

/// Rows held at most; beyond it the pages farthest from the cursor are forgotten.
pub const MOST_ROWS: usize = 100_000;
/// A table of this size grows to hold a whole window at once: growing in between would take longer than a frame.
const LARGE: usize = 20_000;

#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    indices: HashTable<u64>,
    hashes: RandomState,
}

impl Places {
    pub(super) fn get(&self, id: RowId, id_at: impl Fn(u64) -> Option<RowId>) -> Option<u64> {
        self.indices.find(self.hashes.hash_one(Some(id)), |index| id_at(*index) == Some(id)).copied()
    }

    /// Notes where a contact stands, unless it stands somewhere already. Answers where.
    pub(super) fn stand(&mut self, id: RowId, index: u64, id_at: impl Fn(u64) -> Option<RowId>) -> u64 {
        if let Some(place) = self.get(id, &id_at) {
            return place;
        }
        let hash = |index: &u64| self.hashes.hash_one(id_at(*index));
        if self.indices.len() == self.indices.capacity() {
            // A new table: an old one keeps the room of what was taken out of it, and doubles in the end.
            let now = self.indices.len();
            let mut next = HashTable::with_capacity(if now < LARGE { now + 1 } else { MOST_ROWS.max(now + 1) });
            for place in std::mem::take(&mut self.indices) {
                next.insert_unique(hash(&place), place, hash);
            }
            self.indices = next;
        }
        self.indices.insert_unique(self.hashes.hash_one(Some(id)), index, hash);
        index
    }

    /// The contact no longer stands there.
    pub(super) fn leave(&mut self, id: Option<RowId>, index: u64) {
        if let Ok(entry) = self.indices.find_entry(self.hashes.hash_one(id), |place| *place == index) {
            entry.remove();
        }
    }

    pub(super) fn clear(&mut self) {
        self.indices.clear();
    }
}
