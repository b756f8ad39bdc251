//! The streams of an export with legs, each a file of its own until they are joined.

use std::path::PathBuf;

use lode_core::exclude::Exclusions;
use lode_core::query::Query;

#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) legs: Vec<Query>,
    /// Streams that are whole.
    pub(super) whole: Vec<PathBuf>,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    /// What is left out of all of them.
    pub(super) not: Exclusions,
}

impl Parts {
    pub(super) fn has_whole(&self) -> bool {
        !self.whole.is_empty()
    }
}
