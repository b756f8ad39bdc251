//! What a person answered in their client, where the settings allow that: the proposal is accepted for that amount.

use serde_json::json;

use crate::ops::problem::{CommandProblem, Exit};
use crate::ops::program::{Run, Script};
use crate::ops::purse_lookup::Books;
use crate::ops::unlock::not_granted;
use lode_core::Credits;
use lode_engine::effect::{Effect, Handle, NotGranted, Profile, StoreCall, StoreReply, Ticket};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::session::Event;

use super::{ToolAnswer, ToolCall};

/// Accepts a proposal for an amount.
pub fn accept(profile: &Profile, handle: Handle, amount: Credits) -> ToolCall {
    let script = Accept { amount, proposal: proposal_of(profile, handle), answered: None };
    ToolCall { script: Box::new(script), answer: ToolAnswer::default() }
}

/// What the ledger knows of a handle.
pub(super) fn proposal_of(profile: &Profile, handle: Handle) -> Books {
    Books::new(profile, move |purse| StoreCall::ProposalOf { purse, handle: handle.clone() }).at_once()
}

struct Accept {
    amount: Credits,
    proposal: Books,
    answered: Option<Ticket>,
}

impl Script for Accept {
    fn start(&mut self, run: &mut Run<'_>) {
        self.proposal.start(run);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        match event {
            Event::Answered(Arrival::Stored(ticket, result)) if self.answered == Some(ticket) => match result {
                Ok(StoreReply::NotGranted(why)) => not_granted(why).end(run.fx),
                Ok(_) => {
                    run.fx.push(Effect::Print(json!({"accepted": self.amount.0}).to_string()));
                    run.fx.push(Effect::Quit(Exit::Done.code()));
                }
                Err(failure) => CommandProblem::of_store(&failure).end(run.fx),
            },
            event => {
                let Some(StoreReply::Proposals(found)) = self.proposal.handle(event, run) else { return };
                match found.first() {
                    Some(proposal) => self.answered = Some(run.session.accept_elicited(proposal, self.amount, run.fx)),
                    None => not_granted(NotGranted::NoSuch).end(run.fx),
                }
            }
        }
    }
}
