//! One answered page of a search.

use super::row::Row;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Size of the whole result set, as the service says.
    pub total: u64,
    /// The service named no total that can be: `total` is what is known so far, and one more while rows keep coming.
    pub uncounted: bool,
    /// The page size the service applied, which need not be the one asked for.
    pub limit: u64,
    pub offset: u64,
    pub took_ms: Option<u64>,
    pub rows: Vec<Row>,
}
