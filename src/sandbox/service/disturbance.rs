//! Faults around a request: they change the data, replace the answer, or damage it on its way.

use std::time::{Duration, UNIX_EPOCH};

use super::{Body, Caller, Delivery, JSON, MOVED, Order, Service, ServiceAnswer, ServiceState, Ticket};
use crate::corpus::CorpusKind;
use crate::faults::{Fault, Flood, RetryAfter};
use crate::records::{JournalEvent, Key};

impl Service {
    /// What happens without the client's doing: other members of the workspace, and the Do-Not-Sell list.
    pub(super) fn disturb(&self, state: &mut ServiceState, ticket: &Ticket<'_>, caller: &Caller) {
        let Caller::Key(key) = caller else { return };
        let drawn = &ticket.drawn;
        if !drawn.has(Fault::Members) && !drawn.has(Fault::Suppress) {
            return;
        }
        let Some((corpus, near)) = nearby(state, key, ticket) else { return };
        let pick = |state: &mut ServiceState| near[state.faults.dice.below(near.len() as u64) as usize];
        if drawn.has(Fault::Members) {
            let credits = 1 + state.faults.dice.below(3) as i64;
            state.spend_elsewhere(&key.org, credits, ticket.now_ms);
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
        && let Ok(order) = Order::read(ticket, key)
    {
        let ids: Vec<u64> = order.ids.iter().filter_map(|id| u64::try_from(*id).ok()).collect();
        return (!ids.is_empty()).then_some((order.kind, ids));
    }
    state.shown.get(&key.org).filter(|(_, ids)| !ids.is_empty()).cloned()
}

impl Ticket<'_> {
    /// What is answered in place of the service, if this fault stands in front of it.
    pub(super) fn instead(&self, fault: Fault, other_origin: &str) -> Option<ServiceAnswer> {
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
            Fault::Flood { bytes } => ServiceAnswer { body: Body::Flood(Flood { bytes, gzip: false }), ..empty() },
            Fault::Bomb { bytes } => ServiceAnswer { body: Body::Flood(Flood { bytes, gzip: true }), ..empty() }
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
                let words = format!(
                    "Cannot handle {} {} with {}",
                    self.request.method,
                    target(&self.request.path),
                    headers.join("; ")
                );
                self.refuse(400, &words)
            }
            Fault::Empty => empty(),
            Fault::Binary => ServiceAnswer::text(200, JSON, (0..=255).cycle().take(2_000).collect::<Vec<u8>>()),
            _ => return None,
        })
    }
}

impl ServiceAnswer {
    /// What the line does to an answer that the service has made.
    pub(super) fn spoil(&mut self, fault: Fault) {
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
            Fault::Drip { bytes } => self.line = Delivery::Drip(bytes),
            Fault::Stall { bytes } => self.line = Delivery::StallAfter(usize::try_from(bytes).unwrap_or(usize::MAX)),
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
