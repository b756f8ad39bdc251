//! First and last names, the most common first, as a census has them. The people who bear them here are invented.

use super::lists::{Dealt, SLOTS, Word, deal, entries};

pub(crate) struct Names {
    pub(crate) first: Vec<Word>,
    pub(crate) last: Vec<Word>,
    /// The first name of each slot, and the last name.
    pub(crate) first_of: Dealt,
    pub(crate) last_of: Dealt,
}

impl Names {
    pub(super) fn read() -> Names {
        let names = |text| entries(text).map(Word::new).collect::<Vec<_>>();
        let first = names(lode_assets::sandbox::FIRST_NAMES);
        let last = names(lode_assets::sandbox::LAST_NAMES);
        let first_of = Dealt::new(deal(&falling(first.len(), 12.0), SLOTS, 0.5));
        let last_of = Dealt::new(deal(&falling(last.len(), 25.0), SLOTS, 0.5));
        Names { first, last, first_of, last_of }
    }
}

/// Names thin out with their rank, slowly at the top and then as one over the rank.
fn falling(count: usize, flat: f64) -> Vec<f64> {
    (0..count).map(|rank| 1.0 / (rank as f64 + flat)).collect()
}
