//! The dictionaries that a row draws from, read once per process from the lists of `assets/sandbox`.

use std::sync::LazyLock;

use super::firms::Firms;
use super::lists::{Dealt, SLOTS, Word, deal, entries};
use super::mail::Mail;
use super::places::Places;
use super::work::Work;

/// All dictionaries, read once per process. Nothing in here depends on a seed.
pub(crate) struct Lists {
    pub(crate) places: Places,
    pub(crate) work: Work,
    pub(crate) names: Names,
    pub(crate) mail: Mail,
    pub(crate) firms: Firms,
}

pub(crate) static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let work = Work::read();
    Lists { places: Places::read(), names: Names::read(), mail: Mail::new(), firms: Firms::read(&work), work }
});

/// First and last names, the most common first, as a census has them. The people who bear them here are invented.
pub(crate) struct Names {
    pub(crate) first: Vec<Word>,
    pub(crate) last: Vec<Word>,
    /// The first name of each slot, and the last name.
    pub(crate) first_of: Dealt,
    pub(crate) last_of: Dealt,
}

impl Names {
    fn read() -> Names {
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
