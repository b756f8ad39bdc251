//! From the door to the resource: whether the key's allowance has room, which fault befalls the request, and who answers it.

use serde_json::json;

use super::answer::{Answer, Line};
use super::arrival::{Arrival, Refusal, Side};
use super::breakage::{instead, spoil};
use super::params::quoted;
use super::request::Request;
use super::{Caller, Service, Ticket, Watch};
use crate::books::Key;
use crate::faults::{Call, Fault};

const LARGEST_BODY: usize = 1 << 20;
/// What a service says that does not say why.
const UNEXPLAINED: &str = "The request cannot be processed";

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
            Caller::Unknown if arrival.side == Side::Data => {
                Ok(Answer::json(404, &json!({"message": "Wrong API key"})))
            }
            Caller::Unknown if habits.unexplained => Err(Refusal::new(habits.bad_key, UNEXPLAINED)),
            Caller::Unknown => Err(Refusal::new(
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
            let words = format!("This API key lacks the scope {scope}");
            let words = if ticket.habits.unexplained { UNEXPLAINED.to_owned() } else { words };
            return Err(Refusal::new(ticket.habits.no_scope, words));
        }
        match call {
            Call::Search => self.search(ticket, key, watch),
            Call::Unlock => self.unlock(ticket, key),
            _ => Ok(self.me(ticket, key)),
        }
    }
}
