//! Both services, without any I/O: a [`Call`] becomes a [`Request`] value, the bytes of an answer become a
//! [`Reply`] or a classed [`Failure`].
//!
//! Tolerant where the documents are silent, strict where they speak. Every text is scrubbed here, once, on its way in
//! ([`scrub`](lode_core::scrub)). Sockets, keys and time limits live in `host::http`; what an answer means for money in `flow::unlock`.

pub mod counts;
pub mod json;
pub mod refusal;
pub mod rows;
pub mod saved;
pub mod workspace;

// What every reader works with; each takes it from here.
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value, json, value::RawValue};

use crate::effect::*;
use lode_core::*;

/// A request without address and key: the host adds both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub source: Source,
    pub method: &'static str,
    /// Relative to the service's base address, beginning with a slash.
    pub path: &'static str,
    pub query: Vec<(String, String)>,
    /// JSON where there is one.
    pub body: Option<Vec<u8>>,
}

/// What of an answer's head matters to its reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    pub retry_after: Option<String>,
    pub content_type: Option<String>,
    /// The service's own clock, by which a date in `retry-after` is understood.
    pub date: Option<String>,
    /// When the head arrived, for a `retry-after` date from a service that does not say what time it is.
    pub at: Wall,
}

impl Head {
    pub fn of(status: u16) -> Head {
        Head { status, ..Head::default() }
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// The request of a call, endpoint by endpoint.
pub fn request(call: &Call) -> Request {
    let of_corpus = |corpus: Corpus| ("corpus", corpus.name().to_owned());
    let bytes = |body: Value| Some(body.to_string().into_bytes());
    let (method, path, query, body) = match call {
        Call::Me => ("GET", "/me", vec![], None),
        Call::Search(search) => {
            let Side { source, corpus } = search.query.side;
            let (path, mut query) = match (source, corpus) {
                (Source::Workspace, _) => ("/search", vec![of_corpus(corpus)]),
                (Source::Data, Corpus::Us) => ("/api/search", vec![]),
                (Source::Data, Corpus::Linkedin) => ("/api/search-linkedin", vec![]),
            };
            query.extend(search.query.params());
            query.extend([("limit", search.limit.to_string()), ("offset", search.offset.to_string())]);
            query.extend((search.mark_pulled && source == Source::Data).then(|| ("mark_pulled", "1".to_owned())));
            ("GET", path, query, None)
        }
        Call::Unlock(unlock) => {
            let ids: Vec<i64> = unlock.ids.iter().map(|id| id.0).collect();
            let mut body = json!({ "corpus": unlock.corpus.name(), "ids": ids });
            // Verification runs by default: only its absence is said.
            if !unlock.verify {
                body["verify"] = Value::Bool(false);
            }
            ("POST", "/unlock", vec![], bytes(body))
        }
        Call::Counts(corpus) => ("GET", "/api/counts", vec![of_corpus(*corpus)], None),
        Call::SavedList => ("GET", "/api/saved", vec![], None),
        Call::SavedAdd { name, query } => ("POST", "/api/saved", vec![], bytes(saved::entry_of(name, query))),
        Call::SavedRestore { raw } => ("POST", "/api/saved", vec![], Some(raw.as_bytes().to_vec())),
        // Names its id in the query *and* in the body: a service that looks in one place only must not take it for "all".
        Call::SavedRemove { id } => {
            let number = json::row_id(id).map_or_else(|| Value::from(id.as_str()), Value::from);
            ("DELETE", "/api/saved", vec![("id", id.clone())], bytes(json!({ "id": number })))
        }
        // The whole filtered set: corpus and filters, no window.
        Call::Export { query, .. } => {
            let all = [of_corpus(query.side.corpus)].into_iter().chain(query.params());
            ("GET", "/api/export", all.collect(), None)
        }
    };
    let query = query.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Request { source: call.source(), method, path, query, body }
}

/// Reads a whole answer. The body of an export is not read here but streamed; only its refusals come this way.
pub fn read(call: &Call, head: &Head, body: &[u8]) -> Result<Reply, Failure> {
    if !head.is_success() {
        return Err(refused(call, head, body));
    }
    match call {
        Call::Me => workspace::read_me(head, body).map(Reply::Me).map_err(|failure| workspace::of_me(failure, body)),
        Call::Unlock(_) => Ok(Reply::Unlock { status: head.status, body: bytes::Bytes::copy_from_slice(body) }),
        Call::Search(search) => rows::read_search(search, head, body).map(Reply::Page),
        Call::Counts(corpus) => counts::read(*corpus, head, body).map(Reply::Counts),
        Call::SavedList => saved::read_list(head, body).map(Reply::Saved),
        Call::SavedAdd { .. } | Call::SavedRestore { .. } | Call::SavedRemove { .. } => {
            saved::read_written(head, body).map(|()| Reply::SavedWritten)
        }
        Call::Export { .. } => Err(Failure::OurBug { words: "an export is streamed, not read as one body".to_owned() }),
    }
}

/// An answer other than a success, classed by what the caller must do.
pub fn refused(call: &Call, head: &Head, body: &[u8]) -> Failure {
    let failure = refusal::classify(call.source(), head, body);
    match call {
        Call::Me => workspace::of_me(failure, body),
        Call::Unlock(_) => refusal::of_unlock(failure, body),
        _ => failure,
    }
}

/// A 2xx answer other than what was asked for: a no in words where it says one, else unreadable.
fn failed(source: Source, head: &Head, body: &[u8], what: &str) -> Failure {
    refusal::anyway(source, head, body).unwrap_or_else(|| unreadable(head, body, what))
}

/// A 2xx answer that is not what the documents show.
fn unreadable(head: &Head, body: &[u8], what: &str) -> Failure {
    let words = refusal::foreign_body(head, body);
    let words = words.unwrap_or_else(|| format!("the service's answer cannot be read: {what}"));
    Failure::Unclear { why: Unclear::Unreadable, words }
}
