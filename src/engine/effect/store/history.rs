//! What the store remembers of searches: past queries, the ids they showed, and what a saved search had last time.

use bytes::Bytes;

use lode_core::time::Wall;

/// A search that showed a contact, and the page of it where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownIn {
    pub canonical: String,
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PastSearch {
    pub canonical: String,
    pub total: u64,
    pub at: Wall,
}

/// Which ids a saved search had when it last ran. Compact: a million ids stay under 4 MB.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub total: u64,
    pub at: Wall,
    /// How many rows were read, which may be fewer than the total.
    pub read: u64,
    pub ids: Bytes,
}

/// One answered request of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchStep {
    pub step: String,
    pub at: Wall,
    pub answer: String,
}
