//! What was bought: a contact of ours with what we know of how it came, and what its owner wrote beside it.

use super::contact::{Contact, Corpus, RowId};
use super::money::OrderId;
use super::time::Wall;

/// A contact of ours as the books keep it: one line of `lode owned`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    pub corpus: Corpus,
    pub id: RowId,
    pub contact: Contact,
    /// When the unlock answered, or when we first saw that it is ours.
    pub unlocked_at: Wall,
    pub tags: Vec<String>,
    pub note: String,
    /// The order that bought it through lode; none when the workspace owned it already.
    pub order: Option<OrderId>,
    /// The search it was found by, in the form that can be run again.
    pub search: Option<String>,
}
