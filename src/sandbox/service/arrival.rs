//! From the door to the resource: which call it is, whose key, whether the key's allowance has room, and which fault befalls it.

use std::time::{Duration, UNIX_EPOCH};

use super::answer::{Answer, Body, Line};
use super::log::Received;
use super::request::Request;
use super::{Caller, Service, State, Ticket, Watch};
use crate::sandbox::faults::flood::Flood;
use crate::sandbox::faults::{Call, Fault, RetryAfter};
use crate::sandbox::json::{not_ok, shapes};
use crate::sandbox::variants::Habits;

/// Where a redirect within the origin leads.
const MOVED: &str = "/moved";
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
    moved: bool,
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
        let caller = match arrival.side {
            Side::Workspace => {
                request.bearer_key().and_then(|key| state.books.key(key)).map(|key| Caller { key: key.clone() })
            }
            Side::Data => None,
        };
        let user = match arrival.side {
            Side::Workspace => None,
            Side::Data => request.data_key().and_then(|key| state.books.user(&key).map(|user| user.name.clone())),
        };
        let name = caller.as_ref().map(|caller| caller.key.name.clone()).or_else(|| user.clone());
        let n = state.log.receive(entry(arrival, request, name, now_ms));

        if let Some(caller) = &caller {
            let allowance = state.allowance;
            let gate = state.gates.entry(caller.key.hash.clone()).or_default();
            if let Err(wait_ms) = gate.admit(allowance, now_ms) {
                let seconds = wait_ms.div_ceil(1_000).max(1);
                let words =
                    format!("Rate limit of {} requests per minute exceeded, retry in {seconds} s", allowance.requests);
                return (arrival.refuse(habits, 429, &words).with_header("retry-after", seconds.to_string()), n);
            }
        }

        let drawn = state.faults.draw(arrival.call);
        self.weather(&mut state, &drawn, caller.as_ref(), request, now_ms);
        let (delay_ms, act) = (drawn.delay_ms, drawn.act);
        if let Some(act) = act {
            state.log.befallen(n, format!("{act:?}"));
            if let Some(mut answer) = instead(act, arrival, request, habits, &state, now_ms) {
                answer.delay_ms = delay_ms;
                return (answer, n);
            }
            if let (Fault::Late { ms }, Some(caller)) = (act, &caller) {
                self.put_off(&mut state, caller, request, n, now_ms + ms);
                return (Answer { line: Line::Lost, delay_ms, ..Answer::text(202, "text/plain", "") }, n);
            }
        }
        drop(state);

        let ticket = Ticket { request, n, now_ms, drawn, habits };
        let mut answer = self.dispatch(arrival, &ticket, caller.as_ref(), user.as_deref(), watch);
        answer.delay_ms = delay_ms;
        if let Some(act) = act {
            spoil(&mut answer, act);
        }
        (answer, n)
    }

    fn dispatch(
        &self,
        arrival: &Arrival<'_>,
        ticket: &Ticket<'_>,
        caller: Option<&Caller>,
        user: Option<&str>,
        watch: &Watch<'_>,
    ) -> Answer {
        let habits = ticket.habits;
        let refuse = |status, words: &str| arrival.refuse(habits, status, words);
        if arrival.call == Call::Elsewhere {
            return refuse(404, &format!("No such endpoint: {}", super::params::quoted(arrival.path)));
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
        match arrival.side {
            Side::Workspace => {
                let Some(caller) = caller else {
                    let words = match ticket.request.header_value("authorization") {
                        None => "Missing API key: send Authorization: Bearer <API_KEY>",
                        Some(_) => "Invalid or revoked API key",
                    };
                    return refuse(habits.bad_key, words);
                };
                let scope = match arrival.call {
                    Call::Search => Some("search"),
                    Call::Unlock => Some("unlock"),
                    _ => None,
                };
                if let Some(scope) = scope.filter(|scope| !caller.may(scope)) {
                    return refuse(habits.no_scope, &format!("This API key lacks the scope {scope}"));
                }
                let answered = match arrival.call {
                    Call::Search => self.search(ticket, caller, watch),
                    Call::Unlock => self.unlock(ticket, caller),
                    _ => Ok(self.me(caller)),
                };
                answered.unwrap_or_else(|refusal| refuse(refusal.status, &refusal.words))
            }
            Side::Data => {
                let Some(user) = user else {
                    return Answer::json(404, &serde_json::json!({"message": "Wrong API key"}));
                };
                let answered = match arrival.call {
                    Call::DataSearch => self.data_search(ticket, arrival.path, user, watch),
                    Call::Counts => self.counts(ticket),
                    Call::Export => self.export(ticket, user),
                    _ => self.saved(ticket, user),
                };
                answered.unwrap_or_else(|refusal| refuse(refusal.status, &refusal.words))
            }
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

fn entry(arrival: &Arrival<'_>, request: &Request, key: Option<String>, at_ms: u64) -> Received {
    let key_in = match (request.header_value("authorization"), request.header_value("x-api-key")) {
        (Some(_), _) => "bearer",
        (None, Some(_)) => "header",
        (None, None) if request.query.split('&').any(|pair| pair.starts_with("api_key=")) => "query",
        (None, None) => "none",
    };
    Received {
        n: 0,
        at_ms,
        service: match (arrival.side, arrival.call) {
            (Side::Workspace, _) => "workspace",
            (Side::Data, Call::Elsewhere) => "elsewhere",
            (Side::Data, _) => "data",
        },
        key,
        key_in,
        method: request.method.clone(),
        path: super::params::clipped(&request.path, KEPT_BODY),
        query: super::params::clipped(&request.query_without_key(), KEPT_BODY),
        body: super::params::clipped(&String::from_utf8_lossy(&request.body), KEPT_BODY),
        status: 0,
        fault: None,
    }
}

/// What is answered in place of the service, if this fault stands in front of it.
fn instead(
    act: Fault,
    arrival: &Arrival<'_>,
    request: &Request,
    habits: &Habits,
    state: &State,
    now_ms: u64,
) -> Option<Answer> {
    let target =
        |path: &str| if request.query.is_empty() { path.to_owned() } else { format!("{path}?{}", request.query) };
    Some(match act {
        Fault::TooMany(after) => {
            let answer = arrival.refuse(habits, 429, "Too many requests");
            match after {
                RetryAfter::Absent => answer,
                RetryAfter::Seconds(seconds) => answer.with_header("retry-after", seconds.to_string()),
                RetryAfter::Date(seconds) => {
                    let at = UNIX_EPOCH + Duration::from_millis(now_ms) + Duration::from_secs(seconds);
                    answer.with_header("retry-after", httpdate::fmt_http_date(at))
                }
            }
        }
        Fault::Html(status) => Answer::text(status, "text/html; charset=utf-8", page(status)),
        Fault::Reset => Answer { line: Line::Lost, ..Answer::text(0, "text/plain", "") },
        Fault::Flood { bytes } => {
            Answer { body: Body::Flood(Flood::plain(bytes)), ..Answer::text(200, "application/json", "") }
        }
        Fault::Bomb { bytes } => {
            Answer { body: Body::Flood(Flood::gzip(bytes)), ..Answer::text(200, "application/json", "") }
                .with_header("content-encoding", "gzip")
        }
        Fault::Redirect => {
            let path = target(&request.path);
            Answer::text(307, "text/plain", "")
                .with_header("location", format!("{}{path}", state.stranger.trim_end_matches('/')))
        }
        Fault::RedirectHere if !arrival.moved => {
            Answer::text(307, "text/plain", "").with_header("location", target(&format!("{MOVED}{}", request.path)))
        }
        Fault::Echo => {
            let headers: Vec<String> = request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            let words =
                format!("Cannot handle {} {} with {}", request.method, target(&request.path), headers.join("; "));
            arrival.refuse(habits, 400, &words)
        }
        Fault::Empty => Answer::text(200, "application/json", ""),
        Fault::Binary => Answer::text(200, "application/json", (0..=255).cycle().take(2_000).collect::<Vec<u8>>()),
        _ => return None,
    })
}

/// What the line does to an answer that the service has made.
fn spoil(answer: &mut Answer, act: Fault) {
    match act {
        Fault::Lost | Fault::Part => answer.line = Line::Lost,
        Fault::ResetMid => {
            answer.line = Line::CutAfter(match &answer.body {
                Body::Bytes(bytes) => bytes.len() / 2,
                _ => 100_000,
            })
        }
        Fault::Truncated => match &mut answer.body {
            Body::Bytes(bytes) => bytes.truncate(bytes.len() / 2),
            // A stream cannot end early and be properly framed at once without saying so: it breaks.
            _ => answer.line = Line::CutAfter(100_000),
        },
        Fault::Drip { bytes } => answer.line = Line::Drip(bytes),
        _ => {}
    }
}

fn page(status: u16) -> String {
    let words = match status {
        502 => "502 Bad Gateway",
        503 => "503 Service Temporarily Unavailable",
        500 => "500 Internal Server Error",
        _ => "Welcome",
    };
    format!(
        "<html>\r\n<head><title>{words}</title></head>\r\n<body>\r\n<center><h1>{words}</h1></center>\r\n\
         <hr><center>gateway</center>\r\n</body>\r\n</html>\r\n"
    )
}
