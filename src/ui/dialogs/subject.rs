//! Which rows an export takes: what the picker offers, the prompt remembers and the router writes.

use lode_core::query::Query;

#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The whole filtered set, streamed from the Data API.
    Whole(Box<Query>),
    /// All pages of a search of the Data API.
    Pages(Box<Query>),
    /// The rows of the result that are here.
    Loaded,
    Range,
    Basket,
    Owned,
}
