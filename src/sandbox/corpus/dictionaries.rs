//! The dictionaries that a row draws from, read once per process from the lists of `assets/sandbox`.

use std::sync::LazyLock;

use super::firms::Firms;
use super::lists::{Dictionary, Word, entries};
use super::mail::{self, Address};
use super::places::Places;
use super::work::Work;

/// All dictionaries, read once per process. Nothing in here depends on a seed.
pub(crate) struct Lists {
    pub(crate) places: Places,
    pub(crate) work: Work,
    /// First and last names, the most common first, as a census has them. The people who bear them here are invented.
    pub(crate) first: Dictionary<Word>,
    pub(crate) last: Dictionary<Word>,
    /// For each kind of employer.
    pub(crate) mail: [Dictionary<Address>; 3],
    pub(crate) firms: Firms,
}

pub(crate) static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let work = Work::read();
    Lists {
        places: Places::read(),
        first: names(lode_assets::sandbox::FIRST_NAMES, 12.0),
        last: names(lode_assets::sandbox::LAST_NAMES, 25.0),
        mail: mail::read(),
        firms: Firms::read(&work),
        work,
    }
});

/// Names thin out with their rank, slowly at the top and then as one over the rank.
fn names(text: &'static str, flat: f64) -> Dictionary<Word> {
    let names: Vec<Word> = entries(text).map(Word::new).collect();
    let weights: Vec<f64> = (0..names.len()).map(|rank| 1.0 / (rank as f64 + flat)).collect();
    Dictionary::weighted(names, &weights)
}
