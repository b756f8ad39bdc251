//! The Data API: search of both corpora, counts, export and saved searches.
//!
//! Rows and pagination are documented and read strictly; counts ([`counts`]) and saved searches ([`saved`]) are not shown
//! anywhere and are read in every plausible shape.

pub mod counts;
pub mod saved;

use serde::Deserialize;
use serde_json::Value;

use crate::effect::{Failure, SearchCall};
use lode_core::{Corpus, Page, Query, Source};

use super::json::{self as loose, JsonField};
use super::{Head, Method, Request, unreadable};
use super::{refusal, rows};

pub fn search_request(call: &SearchCall) -> Request {
    let path = match call.query.side.corpus {
        Corpus::Us => "/api/search",
        Corpus::Linkedin => "/api/search-linkedin",
    };
    let mut query = params(&call.query);
    query.push(("limit".to_owned(), call.limit.to_string()));
    query.push(("offset".to_owned(), call.offset.to_string()));
    if call.mark_pulled {
        query.push(("mark_pulled".to_owned(), "1".to_owned()));
    }
    get(path, query)
}

pub fn counts_request(corpus: Corpus) -> Request {
    get("/api/counts", vec![("corpus".to_owned(), corpus.name().to_owned())])
}

/// The whole filtered set: corpus and filters, no window.
pub fn export_request(query: &Query) -> Request {
    let mut all = vec![("corpus".to_owned(), query.side.corpus.name().to_owned())];
    all.extend(params(query));
    get("/api/export", all)
}

fn params(query: &Query) -> Vec<(String, String)> {
    query.params().into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn get(path: &'static str, query: Vec<(String, String)>) -> Request {
    Request { source: Source::Data, method: Method::Get, path, query, body: None }
}

#[derive(Deserialize)]
struct SearchAnswer<'a> {
    #[serde(borrow, default)]
    data: JsonField<'a>,
    #[serde(borrow, default)]
    pagination: JsonField<'a>,
    #[serde(borrow, default)]
    took_ms: JsonField<'a>,
}

pub fn read_search(call: &SearchCall, head: &Head, body: &[u8]) -> Result<Page, Failure> {
    loose::lenient(body, |text| read_page(call, text)).map_err(|error| failed(head, body, &loose::sentence(&error)))
}

/// Not what was asked for: a no in words where it says one, else unreadable.
fn failed(head: &Head, body: &[u8], what: &str) -> Failure {
    refusal::anyway(Source::Data, head, body).unwrap_or_else(|| unreadable(head, body, what))
}

fn read_page(call: &SearchCall, text: &str) -> Result<Page, serde_json::Error> {
    use serde::de::Error;
    if !loose::is_object(text) {
        return Err(serde_json::Error::custom("it is not an object"));
    }
    let answer: SearchAnswer<'_> = serde_json::from_str(text)?;
    let array = answer.data.ok_or_else(|| serde_json::Error::custom("it has no rows"))?;
    let rows = rows::read(Source::Data, array.get())?;
    let pagination = loose::field(answer.pagination);
    let of = |name: &str| pagination.get(name).unwrap_or(&Value::Null);
    rows::page(call, of("total"), of("limit"), of("offset"), &loose::field(answer.took_ms), rows)
}
