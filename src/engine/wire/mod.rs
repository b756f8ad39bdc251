//! Both services, without any I/O: a [`Call`] becomes a [`Request`] value, the bytes of an answer become a
//! [`Reply`] or a classed [`Failure`].
//!
//! Tolerant where the documents are silent, strict where they speak. Every text is scrubbed here, once, on its way in
//! ([`scrub`](lode_core::scrub)). Sockets, keys and time limits live in `host::http`; what an answer means for money in `flow::unlock`.

pub mod data;
pub mod json;
pub mod refusal;
pub mod rows;
pub mod workspace;

use crate::effect::{Call, Failure, Reply, Unclear};
use lode_core::{Source, Wall};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Delete,
}

/// A request without address and key: both are added where they are known, in the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub source: Source,
    pub method: Method,
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

pub fn request(call: &Call) -> Request {
    match call {
        Call::Me => workspace::me_request(),
        Call::Unlock(unlock) => workspace::unlock_request(unlock),
        Call::Search(search) => match search.query.side.source {
            Source::Workspace => workspace::search_request(search),
            Source::Data => data::search_request(search),
        },
        Call::Counts(corpus) => data::counts_request(*corpus),
        Call::SavedList => data::saved::list_request(),
        Call::SavedAdd { name, query } => data::saved::add_request(name, query),
        Call::SavedRestore { raw } => data::saved::restore_request(raw),
        Call::SavedRemove { id } => data::saved::remove_request(id),
        Call::Export { query, .. } => data::export_request(query),
    }
}

/// Reads a whole answer. The body of an export is not read here but streamed; only its refusals come this way.
pub fn read(call: &Call, head: &Head, body: &[u8]) -> Result<Reply, Failure> {
    if !head.is_success() {
        let failure = refusal::classify(call.source(), head, body);
        return Err(match call {
            Call::Me => workspace::of_me(failure, body),
            Call::Unlock(_) => refusal::of_unlock(failure, body),
            _ => failure,
        });
    }
    match call {
        Call::Me => workspace::read_me(head, body).map(Reply::Me).map_err(|failure| workspace::of_me(failure, body)),
        Call::Unlock(_) => Ok(Reply::Unlock { status: head.status, body: bytes::Bytes::copy_from_slice(body) }),
        Call::Search(search) => match search.query.side.source {
            Source::Workspace => workspace::read_search(search, head, body).map(Reply::Page),
            Source::Data => data::read_search(search, head, body).map(Reply::Page),
        },
        Call::Counts(corpus) => data::counts::read(*corpus, head, body).map(Reply::Counts),
        Call::SavedList => data::saved::read_list(head, body).map(Reply::Saved),
        Call::SavedAdd { .. } | Call::SavedRestore { .. } | Call::SavedRemove { .. } => {
            data::saved::read_written(head, body).map(|()| Reply::SavedWritten)
        }
        Call::Export { .. } => Err(Failure::OurBug { words: "an export is streamed, not read as one body".to_owned() }),
    }
}

/// A 2xx answer that is not what the documents show.
fn unreadable(head: &Head, body: &[u8], what: &str) -> Failure {
    let words = match refusal::foreign_body(head, body) {
        Some(foreign) => foreign,
        None => format!("the service's answer cannot be read: {what}"),
    };
    Failure::Unclear { why: Unclear::Unreadable, words }
}
