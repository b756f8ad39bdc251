//! Searching: a window onto a result of any size, and a walk that reads one from its beginning.
//!
//! Both live with the same facts: the service decides the page size (S1), there is no order to rely on but its own, and the
//! set may move while it is read (S2). So both stride by the limit that came back and know rows by their id. Which filters
//! exist is the domain's business, what a search costs in requests is the desk's.

pub mod pages;
pub mod unlocked;
pub mod walk;
pub mod window;

use crate::domain::page::Page;
use crate::effect::failure::{Failure, Refusal};

/// The page size that is asked for: the most the Data API allows, and what the Workspace API is asked for as well.
pub const PAGE: u64 = 100;

/// What is asked for once where a service refuses [`PAGE`]: its bounds are not shown, and a refusal of the first page may mean
/// them.
pub const SMALL_PAGE: u64 = 25;

/// Whether a refused first page is worth a second try with [`SMALL_PAGE`].
pub fn may_be_too_large(limit: u64, failure: &Failure) -> bool {
    limit > SMALL_PAGE && matches!(failure, Failure::Refused { why: Refusal::Request, .. })
}

/// The page size that the service applied, and so the stride. More than was asked for is believed only as far as rows came.
pub fn applied(asked: u64, page: &Page) -> u64 {
    let rows = page.rows.len() as u64;
    let limit = if page.limit > asked { asked } else { page.limit };
    limit.max(rows).max(1)
}
