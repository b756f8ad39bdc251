//! First and last names, the most common first, as a census has them. The people who bear them here are invented.

use super::lists::{Dealt, SLOTS, Word, deal, entries};

pub(in crate::sandbox) struct Names {
    pub(in crate::sandbox) first: Vec<Word>,
    pub(in crate::sandbox) last: Vec<Word>,
    /// The first name of each slot, and the last name.
    pub(in crate::sandbox) first_of: Dealt,
    pub(in crate::sandbox) last_of: Dealt,
}

impl Names {
    pub(super) fn read() -> Names {
        let names = |text| entries(text).map(Word::new).collect::<Vec<_>>();
        let first = names(include_str!("../../../assets/sandbox/first_names.txt"));
        let last = names(include_str!("../../../assets/sandbox/last_names.txt"));
        let first_of = Dealt::new(deal(&falling(first.len(), 12.0), SLOTS, 0.5));
        let last_of = Dealt::new(deal(&falling(last.len(), 25.0), SLOTS, 0.5));
        Names { first, last, first_of, last_of }
    }
}

/// Names thin out with their rank, slowly at the top and then as one over the rank.
fn falling(count: usize, flat: f64) -> Vec<f64> {
    (0..count).map(|rank| 1.0 / (rank as f64 + flat)).collect()
}
