//! From the door to the resource: which call a request is and whose, whether the key's allowance has room, which fault befalls it, and
//! who answers it. A fault changes the data, replaces the answer, or damages it on its way.

use std::time::{Duration, UNIX_EPOCH};

use super::request::{clipped, quoted};
use super::*;
use crate::faults::{DrawnFaults, RetryAfter};
use crate::json::{Row, not_ok};

/// Where a redirect within the origin leads.
const MOVED: &str = "/moved";
const LARGEST_BODY: usize = 1 << 20;
/// How much of each text of a request is logged.
const LOGGED: usize = 4 * 1024;
/// What a service says that does not say why.
const UNEXPLAINED: &str = "The request cannot be processed";

/// Who sent a request.
enum Caller {
    Unknown,
    /// A workspace, by one of its keys.
    Key(Key),
    /// A user of the Data API, by name.
    User(String),
}

/// A request with all that is settled before its resource is looked at.
pub(super) struct Ticket<'a> {
    pub(super) request: &'a ServiceRequest,
    pub(super) call: Endpoint,
    /// Without `MOVED`.
    pub(super) path: &'a str,
    /// Its number in the log.
    pub(super) n: u64,
    pub(super) now_ms: u64,
    pub(super) drawn: DrawnFaults,
    pub(super) habits: &'static Habits,
    pub(super) watch: &'a RequestWatch<'a>,
}

/// The path of a call, which call it is, and its methods.
type Route = (&'static str, Endpoint, &'static [&'static str]);

const ROUTES: [Route; 8] = [
    ("/api/v1/search", Endpoint::Search, &["GET"]),
    ("/api/v1/unlock", Endpoint::Unlock, &["POST"]),
    ("/api/v1/me", Endpoint::Me, &["GET"]),
    ("/api/search", Endpoint::DataSearch, &["GET"]),
    ("/api/search-linkedin", Endpoint::DataSearch, &["GET"]),
    ("/api/counts", Endpoint::Counts, &["GET"]),
    ("/api/export", Endpoint::Export, &["GET"]),
    ("/api/saved", Endpoint::Saved, &["GET", "POST", "DELETE"]),
];

/// The path without `MOVED`, the call that it names, and the methods of that.
pub(super) fn route(request: &ServiceRequest) -> (&str, Endpoint, &'static [&'static str]) {
    let path = request.path.strip_prefix(MOVED).unwrap_or(&request.path);
    let known = ROUTES.iter().find(|(known, ..)| *known == path);
    known.map_or((path, Endpoint::Elsewhere, &[]), |(_, call, methods)| (path, *call, methods))
}

impl Ticket<'_> {
    /// Whether the request is for the workspace API, else for the Data API.
    fn workspace(&self) -> bool {
        self.path.starts_with("/api/v1")
    }

    /// An error in the words of the service that is asked.
    fn refuse(&self, status: u16, words: &str) -> ServiceAnswer {
        let body = if self.workspace() { not_ok(words) } else { (self.habits.complaint)(status, words) };
        ServiceAnswer::json(status, &body)
    }

    /// A refusal of a key or for want of a scope.
    fn no_access(&self, status: u16, words: &str) -> Refusal {
        Refusal::new(status, if self.habits.has(Habit::Unexplained) { UNEXPLAINED } else { words })
    }

    fn caller(&self, state: &ServiceState) -> Caller {
        if self.workspace() {
            let key = self.request.bearer_key().and_then(|key| state.records.key(key));
            return key.map_or(Caller::Unknown, |key| Caller::Key(key.clone()));
        }
        let key = self.request.data_key();
        let user = key.and_then(|key| state.records.user(&key).map(|user| user.name.clone()));
        user.map_or(Caller::Unknown, Caller::User)
    }

    fn log_entry(&self, caller: &Caller) -> Received {
        let request = self.request;
        Received {
            at_ms: self.now_ms,
            service: match self.call {
                _ if self.workspace() => "workspace",
                Endpoint::Elsewhere => "elsewhere",
                _ => "data",
            },
            key: match caller {
                Caller::Unknown => None,
                Caller::Key(Key { name, .. }) | Caller::User(name) => Some(name.clone()),
            },
            key_in: request.key_in(),
            method: request.method.clone(),
            path: clipped(&request.path, LOGGED),
            query: clipped(&request.query_without_key(), LOGGED),
            body: clipped(&String::from_utf8_lossy(&request.body), LOGGED),
            ..Received::default()
        }
    }

    /// The rows of a page, with what the faults do to them.
    pub(super) fn page(&self, corpus: &SandboxCorpus, ids: &[u64], row: impl Fn(&Person) -> Row) -> Vec<Value> {
        let shown = ids.iter().filter_map(|id| {
            let mut row = row(&corpus.person(*id)?);
            hostile::befall(&mut row, *id, &self.drawn);
            Some(Value::Object(row))
        });
        let mut list: Vec<Value> = shown.collect();
        if self.drawn.has(Fault::Reorder) {
            list.reverse();
        }
        list
    }

    pub(super) fn total(&self, total: Value) -> Value {
        self.drawn.odd_total.map_or(total, hostile::odd_total)
    }
}

impl Service {
    /// Answers a request that is received now.
    pub fn handle(&self, request: &ServiceRequest, now_ms: u64, watch: &RequestWatch<'_>) -> ServiceAnswer {
        let mut state = self.state();
        self.settle_late(&mut state, now_ms);
        let (path, call, _) = route(request);
        let habits = state.variant.habits();
        let mut ticket = Ticket { request, call, path, n: 0, now_ms, drawn: DrawnFaults::default(), habits, watch };
        let caller = ticket.caller(&state);
        ticket.n = state.log.receive(ticket.log_entry(&caller));
        let answer = self.receive(state, &mut ticket, &caller);
        self.state().log.entry(ticket.n, |entry| entry.status = answer.status);
        answer
    }

    fn receive(
        &self,
        mut state: MutexGuard<'_, ServiceState>,
        ticket: &mut Ticket<'_>,
        caller: &Caller,
    ) -> ServiceAnswer {
        // The Data API names no limit, so it has none.
        if let Caller::Key(key) = caller {
            let allowance = state.allowance;
            if let Err(wait_ms) = state.gates.entry(key.hash.clone()).or_default().admit(allowance, ticket.now_ms) {
                let seconds = wait_ms.div_ceil(1_000).max(1);
                let words =
                    format!("Rate limit of {} requests per minute exceeded, retry in {seconds} s", allowance.requests);
                return ticket.refuse(429, &words).with_header("retry-after", seconds.to_string());
            }
        }
        ticket.drawn = state.faults.draw(ticket.call);
        self.disturb(&mut state, ticket, caller);
        let delay_ms = ticket.drawn.delay_ms;
        if let Some(fault) = ticket.drawn.act {
            state.log.entry(ticket.n, |entry| entry.fault = Some(format!("{fault:?}")));
            if let Some(answer) = ticket.instead(fault, &state.other_origin) {
                return ServiceAnswer { delay_ms, ..answer };
            }
            if let (Fault::Late(ms), Caller::Key(key)) = (fault, caller) {
                self.put_off(&mut state, ticket, key, ms);
                return ServiceAnswer { line: Delivery::Lost, delay_ms, ..ServiceAnswer::text(202, "text/plain", "") };
            }
        }
        drop(state);
        let answered = self.dispatch(ticket, caller);
        let mut answer = answered.unwrap_or_else(|refusal| ticket.refuse(refusal.status, &refusal.words));
        answer.delay_ms = delay_ms;
        if let Some(fault) = ticket.drawn.act {
            answer.spoil(fault);
        }
        answer
    }

    fn dispatch(&self, ticket: &Ticket<'_>, caller: &Caller) -> Answered {
        if ticket.call == Endpoint::Elsewhere {
            return Err(Refusal::new(404, format!("No such endpoint: {}", quoted(ticket.path))));
        }
        let (_, _, methods) = route(ticket.request);
        let method = ticket.request.method.as_str();
        if !methods.contains(&method) {
            let words = format!("{method} is not allowed here, use {}", methods.join(", "));
            return Ok(ticket.refuse(405, &words).with_header("allow", methods.join(", ")));
        }
        Refusal::check(ticket.request.body.len() > LARGEST_BODY, 413, "The request body is larger than 1 MB")?;
        match caller {
            Caller::Key(key) => {
                let check = |scope: &str| {
                    let words = format!("This API key does not have the scope {scope}");
                    if key.may(scope) { Ok(()) } else { Err(ticket.no_access(ticket.habits.no_scope, &words)) }
                };
                match ticket.call {
                    Endpoint::Search => check("search").and_then(|()| self.search(ticket, key)),
                    Endpoint::Unlock => check("unlock").and_then(|()| self.unlock(ticket, key)),
                    _ => Ok(self.me(ticket, key)),
                }
            }
            Caller::User(user) => match ticket.call {
                Endpoint::DataSearch => self.data_search(ticket, user),
                Endpoint::Counts => self.counts(ticket),
                Endpoint::Export => self.export(ticket, user),
                _ => self.saved(ticket, user),
            },
            Caller::Unknown if !ticket.workspace() => {
                Ok(ServiceAnswer::json(404, &json!({"message": "Wrong API key"})))
            }
            Caller::Unknown => Err(ticket.no_access(
                ticket.habits.bad_key,
                match ticket.request.header_value("authorization") {
                    None => "Missing API key: send Authorization: Bearer <API_KEY>",
                    Some(_) => "Invalid or revoked API key",
                },
            )),
        }
    }

    /// What happens without the client's doing: other members of the workspace, and the Do-Not-Sell list.
    fn disturb(&self, state: &mut ServiceState, ticket: &Ticket<'_>, caller: &Caller) {
        let Caller::Key(key) = caller else { return };
        let drawn = &ticket.drawn;
        if !drawn.has(Fault::Members) && !drawn.has(Fault::Suppress) {
            return;
        }
        let Some((corpus, near)) = nearby(state, key, ticket) else { return };
        let pick = |state: &mut ServiceState| near[state.faults.rng.below(near.len() as u64) as usize];
        if drawn.has(Fault::Members) {
            let credits = 1 + state.faults.rng.below(3) as i64;
            state.member_spends(&key.org, credits, ticket.now_ms);
            let contact = pick(state);
            self.unlock_elsewhere(state, &key.org, corpus, &[contact], ticket.now_ms);
        }
        if drawn.has(Fault::Suppress) {
            let contact = pick(state);
            state.record(JournalEvent::Suppressed { corpus, ids: vec![contact] });
        }
    }
}

/// Contacts that matter to this caller now: those it is about to unlock, else those it was shown last.
fn nearby(state: &ServiceState, key: &Key, ticket: &Ticket<'_>) -> Option<(CorpusKind, Vec<u64>)> {
    if ticket.request.method == "POST"
        && let Ok(order) = UnlockOrder::read(ticket, key)
    {
        let ids: Vec<u64> = order.ids.iter().filter_map(|id| u64::try_from(*id).ok()).collect();
        return (!ids.is_empty()).then_some((order.kind, ids));
    }
    state.shown.get(&key.org).filter(|(_, ids)| !ids.is_empty()).cloned()
}

impl Ticket<'_> {
    /// What is answered in place of the service, if this fault stands in front of it.
    fn instead(&self, fault: Fault, other_origin: &str) -> Option<ServiceAnswer> {
        let target = |path: &str| {
            if self.request.query.is_empty() { path.to_owned() } else { format!("{path}?{}", self.request.query) }
        };
        let empty = || ServiceAnswer::text(200, JSON, "");
        let redirect = |to: String| ServiceAnswer::text(307, "text/plain", "").with_header("location", to);
        Some(match fault {
            Fault::TooMany(after) => {
                let answer = self.refuse(429, "Too many requests");
                match after {
                    RetryAfter::Absent => answer,
                    RetryAfter::Seconds(seconds) => answer.with_header("retry-after", seconds.to_string()),
                    RetryAfter::Date(seconds) => {
                        let at = UNIX_EPOCH + Duration::from_millis(self.now_ms) + Duration::from_secs(seconds);
                        answer.with_header("retry-after", httpdate::fmt_http_date(at))
                    }
                }
            }
            Fault::Html(status) => ServiceAnswer::text(status, "text/html; charset=utf-8", page(status)),
            Fault::Reset => ServiceAnswer { line: Delivery::Lost, ..ServiceAnswer::text(0, "text/plain", "") },
            Fault::Flood(bytes) => ServiceAnswer { body: Body::Flood(Flood { bytes, gzip: false }), ..empty() },
            Fault::Bomb(bytes) => ServiceAnswer { body: Body::Flood(Flood { bytes, gzip: true }), ..empty() }
                .with_header("content-encoding", "gzip"),
            Fault::Redirect => {
                redirect(format!("{}{}", other_origin.trim_end_matches('/'), target(&self.request.path)))
            }
            Fault::RedirectHere if self.path.len() == self.request.path.len() => {
                redirect(target(&format!("{MOVED}{}", self.request.path)))
            }
            Fault::Echo => {
                let headers: Vec<String> =
                    self.request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
                let (method, path, headers) = (&self.request.method, target(&self.request.path), headers.join("; "));
                self.refuse(400, &format!("Cannot handle {method} {path} with {headers}"))
            }
            Fault::Empty => empty(),
            Fault::Binary => ServiceAnswer::text(200, JSON, (0..=255).cycle().take(2_000).collect::<Vec<u8>>()),
            _ => return None,
        })
    }
}

impl ServiceAnswer {
    /// What the line does to an answer that the service has made.
    fn spoil(&mut self, fault: Fault) {
        match fault {
            Fault::Lost | Fault::Part => self.line = Delivery::Lost,
            Fault::ResetMid => {
                self.line = Delivery::CutAfter(match &self.body {
                    Body::Bytes(bytes) => bytes.len() / 2,
                    _ => 100_000,
                })
            }
            Fault::Truncated => match &mut self.body {
                Body::Bytes(bytes) => bytes.truncate(bytes.len() / 2),
                // A stream cannot end early and be properly framed at once without saying so: it breaks.
                _ => self.line = Delivery::CutAfter(100_000),
            },
            Fault::Drip(bytes) => self.line = Delivery::Drip(bytes),
            Fault::Stall(bytes) => self.line = Delivery::StallAfter(usize::try_from(bytes).unwrap_or(usize::MAX)),
            _ => {}
        }
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
