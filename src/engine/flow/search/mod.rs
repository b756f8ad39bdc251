//! Searching: a window onto a result of any size, the legs of a search as one list, and a walk that reads one from its beginning.
//!
//! All live with the same facts: the service decides the page size (S1), its order is the only one, and the
//! set may move while it is read (S2). So both stride by the limit that came back and know rows by their id. How large a page
//! may be is the desk's to find out. Which filters exist is said in `core::filter`.

pub mod legs;
pub mod pages;
pub mod walk;
pub mod window;

use std::ops::Range;

use super::*;

/// The page size that the service applied, and so the stride. A larger one than was asked for is believed only if that many rows came.
pub fn applied(asked: u64, page: &Page) -> u64 {
    page.limit.min(asked).max(page.rows.len() as u64).max(1)
}

/// A row as a person counts it.
fn row(offset: u64) -> String {
    grouped(offset.saturating_add(1))
}

/// The service answered with rows from another place than was asked for.
fn elsewhere(asked: u64, sent: u64) -> String {
    format!("row {} was requested, but the service sent row {}", row(asked), row(sent))
}

/// The total that the response to a search names, if it brought one that can be.
pub fn total_of(result: &Result<Reply, Failure>) -> Option<u64> {
    page_of(result).ok().filter(|page| !page.uncounted).map(|page| page.total)
}

/// The page that the response to a search brought, or why there is none.
pub(super) fn page_of(result: &Result<Reply, Failure>) -> Result<&Page, Failure> {
    match result {
        Ok(Reply::Page(page)) => Ok(page),
        Ok(_) => Err(Failure::OurBug { words: "unexpected response to a search".to_owned() }),
        Err(failure) => Err(failure.clone()),
    }
}
