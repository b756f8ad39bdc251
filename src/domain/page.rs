//! One answered page of a search.

use super::row::Row;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Size of the whole result set, as the service says.
    pub total: u64,
    /// The page size the service applied, which need not be the one asked for.
    pub limit: u64,
    pub offset: u64,
    pub took_ms: Option<u64>,
    pub rows: Vec<Row>,
}
