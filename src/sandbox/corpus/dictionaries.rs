//! The dictionaries that a row draws from, read once per process from the lists of `assets/sandbox`.

use std::sync::LazyLock;

use super::firms::Firms;
use super::mail::Mail;
use super::names::Names;
use super::places::Places;
use super::work::Work;

/// All dictionaries, read once per process. Nothing in here depends on a seed.
pub(in crate::sandbox) struct Lists {
    pub(in crate::sandbox) places: Places,
    pub(in crate::sandbox) work: Work,
    pub(in crate::sandbox) names: Names,
    pub(in crate::sandbox) mail: Mail,
    pub(in crate::sandbox) firms: Firms,
}

pub(in crate::sandbox) static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let work = Work::read();
    Lists { places: Places::read(), names: Names::read(), mail: Mail::new(), firms: Firms::read(&work), work }
});
