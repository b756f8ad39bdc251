//! What a person answered in their client, where the settings allow that: the proposal is accepted for that amount.

use serde_json::json;

use crate::cli::exit::Exit;
use crate::cli::program::{Run, Script};
use crate::cli::say::Problem;
use crate::cli::scripts::purse_lookup::PurseLookup;
use crate::cli::scripts::unlock::not_granted;
use crate::domain::credits::Credits;
use crate::effect::profile::Profile;
use crate::effect::store::{Handle, NotGranted, StoreCall, StoreReply};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::Heard;
use crate::flow::session::Event;

use super::{Answer, Asked};

/// Accepts a proposal for an amount.
pub fn accept(profile: &Profile, handle: Handle, amount: Credits) -> Asked {
    let script = Accept { handle, amount, lookup: PurseLookup::new(profile), asked: None, answered: None };
    Asked { script: Box::new(script), answer: Answer::default() }
}

struct Accept {
    handle: Handle,
    amount: Credits,
    lookup: PurseLookup,
    asked: Option<Ticket>,
    answered: Option<Ticket>,
}

impl Script for Accept {
    fn start(&mut self, run: &mut Run<'_>) {
        if let Err(problem) = self.lookup.start(run) {
            problem.end(run.fx);
        }
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Answered(heard) = event else { return };
        match self.lookup.hear(&heard, run) {
            Some(Ok(purse)) => {
                let handle = self.handle.clone();
                self.asked = Some(run.store(StoreCall::ProposalOf { purse, handle }));
                return;
            }
            Some(Err(problem)) => return problem.end(run.fx),
            None => {}
        }
        let Heard::Stored(ticket, result) = heard else { return };
        if self.asked != Some(ticket) && self.answered != Some(ticket) {
            return;
        }
        match result {
            Ok(StoreReply::Proposals(found)) => match found.first() {
                Some(proposal) => self.answered = Some(run.session.accept_elicited(proposal, self.amount, run.fx)),
                None => not_granted(NotGranted::NoSuch).end(run.fx),
            },
            Ok(StoreReply::NotGranted(why)) => not_granted(why).end(run.fx),
            Ok(_) => {
                run.fx.push(Effect::Print(json!({"accepted": self.amount.0}).to_string()));
                run.fx.push(Effect::Quit(Exit::Done.code()));
            }
            Err(failure) => Problem::of_store(&failure).end(run.fx),
        }
    }
}
