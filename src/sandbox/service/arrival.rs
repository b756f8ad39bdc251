//! What came in: which call it is, on which side, by whose key, and how that side says no.
//!
//! What becomes of it is decided in `reception`.

use super::answer::Answer;
use super::log::Received;
use super::params::clipped;
use super::request::Request;
use super::{Caller, State};
use crate::faults::Call;
use crate::json::{not_ok, shapes};
use crate::variants::Habits;

/// Where a redirect within the origin leads.
pub(super) const MOVED: &str = "/moved";
const KEPT_BODY: usize = 4 * 1024;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Workspace,
    Data,
}

pub(super) struct Arrival<'a> {
    pub side: Side,
    pub call: Call,
    pub path: &'a str,
    pub moved: bool,
}

impl<'a> Arrival<'a> {
    pub(super) fn of(request: &'a Request) -> Arrival<'a> {
        let whole = request.path.as_str();
        let path = whole.strip_prefix(MOVED).unwrap_or(whole);
        let (side, call) = match path {
            "/api/v1/search" => (Side::Workspace, Call::Search),
            "/api/v1/unlock" => (Side::Workspace, Call::Unlock),
            "/api/v1/me" => (Side::Workspace, Call::Me),
            "/api/search" | "/api/search-linkedin" => (Side::Data, Call::DataSearch),
            "/api/counts" => (Side::Data, Call::Counts),
            "/api/export" => (Side::Data, Call::Export),
            "/api/saved" => (Side::Data, Call::Saved),
            _ if path.starts_with("/api/v1") => (Side::Workspace, Call::Elsewhere),
            _ => (Side::Data, Call::Elsewhere),
        };
        Arrival { side, call, path, moved: path.len() != whole.len() }
    }

    /// An error in the words of this side.
    pub(super) fn refuse(&self, habits: &Habits, status: u16, words: &str) -> Answer {
        match self.side {
            Side::Workspace => Answer::json(status, &not_ok(words)),
            Side::Data => Answer::json(status, &shapes::complaint(habits.complaint, status, words)),
        }
    }

    pub(super) fn caller(&self, state: &State, request: &Request) -> Caller {
        match self.side {
            Side::Workspace => {
                let key = request.bearer_key().and_then(|key| state.books.key(key));
                key.map_or(Caller::Unknown, |key| Caller::Key(key.clone()))
            }
            Side::Data => {
                let key = request.data_key();
                let user = key.and_then(|key| state.books.user(&key).map(|user| user.name.clone()));
                user.map_or(Caller::Unknown, Caller::User)
            }
        }
    }

    pub(super) fn entry(&self, request: &Request, caller: &Caller, at_ms: u64) -> Received {
        let key_in = match (request.header_value("authorization"), request.header_value("x-api-key")) {
            (Some(_), _) => "bearer",
            (None, Some(_)) => "header",
            (None, None) if request.query.split('&').any(|pair| pair.starts_with("api_key=")) => "query",
            (None, None) => "none",
        };
        Received {
            n: 0,
            at_ms,
            service: match (self.side, self.call) {
                (Side::Workspace, _) => "workspace",
                (Side::Data, Call::Elsewhere) => "elsewhere",
                (Side::Data, _) => "data",
            },
            key: match caller {
                Caller::Unknown => None,
                Caller::Key(key) => Some(key.name.clone()),
                Caller::User(name) => Some(name.clone()),
            },
            key_in,
            method: request.method.clone(),
            path: clipped(&request.path, KEPT_BODY),
            query: clipped(&request.query_without_key(), KEPT_BODY),
            body: clipped(&String::from_utf8_lossy(&request.body), KEPT_BODY),
            status: 0,
            fault: None,
        }
    }
}

/// Why a resource does not do what it is asked.
pub(super) struct Refusal {
    pub status: u16,
    pub words: String,
}

impl Refusal {
    pub(super) fn new(status: u16, words: impl Into<String>) -> Refusal {
        Refusal { status, words: words.into() }
    }
}
