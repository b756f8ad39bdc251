//! The dictionaries that a row draws from, read once per process from the lists of `assets/sandbox`.

use std::sync::LazyLock;

use super::firms::Firms;
use super::mail::Mail;
use super::names::Names;
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
