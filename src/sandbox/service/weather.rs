//! What happens around a request without the client's doing: other members of the workspace, and the Do-Not-Sell list.

use super::request::Request;
use super::unlock::Order;
use super::{Caller, Service, State};
use crate::books::event::Event;
use crate::corpus::Kind;
use crate::faults::{Drawn, Fault};

impl Service {
    pub(super) fn weather(&self, state: &mut State, drawn: &Drawn, caller: &Caller, request: &Request, now_ms: u64) {
        let Caller::Key(key) = caller else { return };
        if !drawn.has(Fault::Members) && !drawn.has(Fault::Suppress) {
            return;
        }
        let org = key.org.clone();
        let Some((kind, near)) = nearby(state, &org, request) else { return };
        let pick = |state: &mut State| near[state.faults.dice.below(near.len() as u64) as usize];
        if drawn.has(Fault::Members) {
            let balance = state.books.org(&org).map_or(0, |org| org.balance());
            let credits = (1 + state.faults.dice.below(3) as i64).min(balance);
            if credits > 0 {
                let by = "another member".into();
                state.record(Event::Spent { at_ms: now_ms, org: org.clone(), by, credits });
            }
            let contact = pick(state);
            self.unlock_as_member(state, now_ms, &org, kind, &[contact]);
        }
        if drawn.has(Fault::Suppress) {
            let contact = pick(state);
            state.record(Event::Suppressed { corpus: kind, ids: vec![contact] });
        }
    }
}

/// Contacts that matter to this caller now: those it is about to unlock, else those it was shown last.
fn nearby(state: &State, org: &str, request: &Request) -> Option<(Kind, Vec<u64>)> {
    if request.method == "POST"
        && let Ok(order) = Order::read(request, state.habits())
    {
        let ids: Vec<u64> = order.ids.iter().filter_map(|id| u64::try_from(*id).ok()).collect();
        return (!ids.is_empty()).then_some((order.kind, ids));
    }
    state.shown.get(org).filter(|(_, ids)| !ids.is_empty()).cloned()
}
