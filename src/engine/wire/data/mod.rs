//! The Data API: search of both corpora, counts, export and saved searches.
//!
//! Rows and pagination are documented and read strictly; counts ([`counts`]) and saved searches ([`saved`]) are not shown
//! anywhere and are read in every plausible shape.

pub mod counts;
pub mod saved;

use serde::de::Error;

use crate::effect::{Failure, SearchCall};
use lode_core::{Page, Source};

use super::{Head, failed, json as loose, rows};

pub fn read_search(call: &SearchCall, head: &Head, body: &[u8]) -> Result<Page, Failure> {
    let read = loose::lenient(body, |text| read_page(call, text));
    read.map_err(|error| failed(Source::Data, head, body, &loose::sentence(&error)))
}

fn read_page(call: &SearchCall, text: &str) -> Result<Page, serde_json::Error> {
    let [array, pagination, took_ms] = loose::fields(text, ["data", "pagination", "took_ms"])?;
    let array = array.ok_or_else(|| serde_json::Error::custom("it has no rows"))?;
    let rows = rows::read(Source::Data, array.get())?;
    let pagination = loose::field(pagination);
    let [total, limit, offset] =
        ["total", "limit", "offset"].map(|name| pagination.get(name).cloned().unwrap_or_default());
    rows::page(call, [total, limit, offset, loose::field(took_ms)], rows)
}
