//! From the door to the resource: which call it is, whose key, whether the key's allowance has room, and which fault befalls it.

use serde_json::json;

use super::answer::{Answer, Line};
use super::breakage::{instead, spoil};
use super::log::Received;
use super::params::{clipped, quoted};
use super::request::Request;
use super::{Caller, Service, State, Ticket, Watch};
use crate::sandbox::books::Key;
use crate::sandbox::faults::{Call, Fault};
use crate::sandbox::json::{not_ok, shapes};
use crate::sandbox::variants::Habits;

/// Where a redirect within the origin leads.
pub(super) const MOVED: &str = "/moved";
const KEPT_BODY: usize = 4 * 1024;
const LARGEST_BODY: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Workspace,
    Data,
}

pub(super) struct Arrival<'a> {
    pub side: Side,
    pub call: Call,
    path: &'a str,
    pub moved: bool,
}

impl<'a> Arrival<'a> {
    pub fn of(request: &'a Request) -> Arrival<'a> {
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
    pub fn refuse(&self, habits: &Habits, status: u16, words: &str) -> Answer {
        match self.side {
            Side::Workspace => Answer::json(status, &not_ok(words)),
            Side::Data => Answer::json(status, &shapes::complaint(habits.complaint, status, words)),
        }
    }

    fn caller(&self, state: &State, request: &Request) -> Caller {
        match self.side {
            Side::Workspace => {
                let key = request.bearer_key().and_then(|key| state.books.key(key));
                key.map_or(Caller::Nobody, |key| Caller::Key(key.clone()))
            }
            Side::Data => {
                let key = request.data_key();
                let user = key.and_then(|key| state.books.user(&key).map(|user| user.name.clone()));
                user.map_or(Caller::Nobody, Caller::User)
            }
        }
    }

    fn entry(&self, request: &Request, caller: &Caller, at_ms: u64) -> Received {
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
                Caller::Nobody => None,
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

impl Service {
    /// The answer, and the number under which the request was written down.
    pub(super) fn receive(
        &self,
        arrival: &Arrival<'_>,
        request: &Request,
        now_ms: u64,
        watch: &Watch<'_>,
    ) -> (Answer, u64) {
        let mut state = self.state();
        self.settle_late(&mut state, now_ms);
        let habits = state.habits();
        let caller = arrival.caller(&state, request);
        let n = state.log.receive(arrival.entry(request, &caller, now_ms));

        // The Data API names no limit, so it has none.
        if let Caller::Key(key) = &caller {
            let allowance = state.allowance;
            let gate = state.gates.entry(key.hash.clone()).or_default();
            if let Err(wait_ms) = gate.admit(allowance, now_ms) {
                let seconds = wait_ms.div_ceil(1_000).max(1);
                let words =
                    format!("Rate limit of {} requests per minute exceeded, retry in {seconds} s", allowance.requests);
                return (arrival.refuse(habits, 429, &words).with_header("retry-after", seconds.to_string()), n);
            }
        }

        let drawn = state.faults.draw(arrival.call);
        self.weather(&mut state, &drawn, &caller, request, now_ms);
        let (delay_ms, act) = (drawn.delay_ms, drawn.act);
        if let Some(act) = act {
            state.log.befallen(n, format!("{act:?}"));
            if let Some(mut answer) = instead(act, arrival, request, habits, &state, now_ms) {
                answer.delay_ms = delay_ms;
                return (answer, n);
            }
            if let (Fault::Late { ms }, Caller::Key(key)) = (act, &caller) {
                self.put_off(&mut state, key, request, n, now_ms + ms);
                return (Answer { line: Line::Lost, delay_ms, ..Answer::text(202, "text/plain", "") }, n);
            }
        }
        drop(state);

        let ticket = Ticket { request, n, now_ms, drawn, habits };
        let mut answer = self.dispatch(arrival, &ticket, &caller, watch);
        answer.delay_ms = delay_ms;
        if let Some(act) = act {
            spoil(&mut answer, act);
        }
        (answer, n)
    }

    fn dispatch(&self, arrival: &Arrival<'_>, ticket: &Ticket<'_>, caller: &Caller, watch: &Watch<'_>) -> Answer {
        let habits = ticket.habits;
        let refuse = |status, words: &str| arrival.refuse(habits, status, words);
        if arrival.call == Call::Elsewhere {
            return refuse(404, &format!("No such endpoint: {}", quoted(arrival.path)));
        }
        let methods: &[&str] = match arrival.call {
            Call::Unlock => &["POST"],
            Call::Saved => &["GET", "POST", "DELETE"],
            _ => &["GET"],
        };
        let method = ticket.request.method.as_str();
        if !methods.contains(&method) {
            let words = format!("{method} is not allowed here, use {}", methods.join(", "));
            return refuse(405, &words).with_header("allow", methods.join(", "));
        }
        if ticket.request.body.len() > LARGEST_BODY {
            return refuse(413, "The request body is larger than 1 MB");
        }
        let answered = match caller {
            Caller::Key(key) => self.workspace_call(arrival.call, ticket, key, watch),
            Caller::User(user) => match arrival.call {
                Call::DataSearch => self.data_search(ticket, arrival.path, user, watch),
                Call::Counts => self.counts(ticket),
                Call::Export => self.export(ticket, user),
                _ => self.saved(ticket, user),
            },
            Caller::Nobody if arrival.side == Side::Data => Ok(Answer::json(404, &json!({"message": "Wrong API key"}))),
            Caller::Nobody => Err(Refusal::new(
                habits.bad_key,
                match ticket.request.header_value("authorization") {
                    None => "Missing API key: send Authorization: Bearer <API_KEY>",
                    Some(_) => "Invalid or revoked API key",
                },
            )),
        };
        answered.unwrap_or_else(|refusal| refuse(refusal.status, &refusal.words))
    }

    fn workspace_call(&self, call: Call, ticket: &Ticket<'_>, key: &Key, watch: &Watch<'_>) -> Result<Answer, Refusal> {
        let scope = match call {
            Call::Search => Some("search"),
            Call::Unlock => Some("unlock"),
            _ => None,
        };
        if let Some(scope) = scope.filter(|scope| !key.may(scope)) {
            return Err(Refusal::new(ticket.habits.no_scope, format!("This API key lacks the scope {scope}")));
        }
        match call {
            Call::Search => self.search(ticket, key, watch),
            Call::Unlock => self.unlock(ticket, key),
            _ => Ok(self.me(key)),
        }
    }
}

/// Why a resource does not do what it is asked.
pub(super) struct Refusal {
    pub status: u16,
    pub words: String,
}

impl Refusal {
    pub fn new(status: u16, words: impl Into<String>) -> Refusal {
        Refusal { status, words: words.into() }
    }
}
