//! The `status` and `contact` tools, and what is said of a handle that does not hold.

use serde_json::{Value, json};

use crate::ops::me;
use crate::ops::output::{json, moment};
use crate::ops::problem::{Code, CommandProblem, Exit};
use crate::ops::program::{Run, Script};
use crate::ops::purse_lookup::{Books, PurseLookup};
use crate::ops::unlock::not_granted;
use lode_core::{Corpus, Purse, Row, RowId, Source};
use lode_engine::effect::{
    Call, Effect, Handle, NotGranted, Profile, Proposal, ProposalState, Reply, StandingGrant, StoreCall, StoreReply,
    Ticket,
};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::session::Event;

/// A proposal in words.
fn state(proposal: &Proposal) -> Value {
    let state = match &proposal.state {
        ProposalState::Waiting => "waiting",
        ProposalState::Accepted { .. } => "accepted",
        ProposalState::Declined => "declined",
        ProposalState::Expired => "expired",
        ProposalState::Used(_) => "used",
    };
    let accepted = match &proposal.state {
        ProposalState::Accepted { amount, .. } => Some(amount.0),
        _ => None,
    };
    json!({
        "state": state,
        "accepted_credits": accepted,
        "max_credits": proposal.ceiling.0,
        "contacts": proposal.rows.len(),
        "expires_at": moment(proposal.expires_at),
    })
}

pub(super) struct Status {
    handle: Option<Handle>,
    standing: Option<StandingGrant>,
    lookup: PurseLookup,
    asked: Option<Ticket>,
    line: Value,
}

impl Status {
    pub(super) fn new(profile: &Profile, handle: Option<Handle>, standing: Option<StandingGrant>) -> Status {
        Status { handle, standing, lookup: PurseLookup::new(profile), asked: None, line: json!({}) }
    }

    fn end(&self, run: &mut Run<'_>) {
        run.fx.push(Effect::Print(self.line.to_string()));
        run.fx.push(Effect::Quit(Exit::Done.code()));
    }

    fn state_of(&mut self, purse: Purse, run: &mut Run<'_>) {
        let Some(handle) = self.handle.clone() else { return self.end(run) };
        self.asked = Some(run.store(StoreCall::ProposalOf { purse, handle }));
    }
}

impl Script for Status {
    fn start(&mut self, run: &mut Run<'_>) {
        if !run.session.has(Source::Workspace) {
            return CommandProblem::no_key(Source::Workspace).end(run.fx);
        }
        run.ask(Call::Me);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Answered(arrival) = event else { return };
        match self.lookup.handle(&arrival, run) {
            Some(Ok(purse)) => return self.state_of(purse, run),
            Some(Err(problem)) => return problem.end(run.fx),
            None => {}
        }
        match arrival {
            Arrival::Reply(_, Call::Me, Ok(Reply::Me(account))) if self.asked.is_none() => {
                self.line = serde_json::to_value(me::line(&account)).unwrap_or_default();
                let standing = self
                    .standing
                    .map(|standing| json!({"per_day": standing.per_day.0, "per_call": standing.per_call.0}));
                self.line["standing_allowance"] = json!(standing);
                if let Err(problem) = self.lookup.start(run) {
                    problem.end(run.fx);
                }
            }
            Arrival::Reply(_, _, Err(failure)) => CommandProblem::of_call(Source::Workspace, &failure).end(run.fx),
            Arrival::Stored(ticket, result) if self.asked == Some(ticket) => match result {
                Ok(StoreReply::Proposals(found)) => match found.first() {
                    Some(proposal) => {
                        self.line["proposal"] = state(proposal);
                        self.end(run);
                    }
                    None => not_granted(NotGranted::NoSuch).end(run.fx),
                },
                Ok(_) => {}
                Err(failure) => CommandProblem::of_store(&failure).end(run.fx),
            },
            _ => {}
        }
    }
}

/// One contact: whole where it is owned, else the row that a search of this server showed.
pub(super) struct Contact {
    books: Books,
    id: RowId,
    row: Option<Row>,
}

impl Contact {
    pub(super) fn new(profile: &Profile, corpus: Corpus, id: RowId, row: Option<Row>) -> Contact {
        let books = Books::new(profile, move |purse| StoreCall::Owned { purse, corpus: Some(corpus) });
        Contact { books, id, row }
    }
}

impl Script for Contact {
    fn start(&mut self, run: &mut Run<'_>) {
        self.books.start(run);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let Some(StoreReply::Owned(owned)) = self.books.handle(event, run) else { return };
        let line = match owned.iter().find(|owned| owned.id == self.id) {
            Some(owned) => Some(json::owned(owned)),
            None => self.row.as_ref().map(json::row),
        };
        match line {
            Some(line) => {
                run.fx.push(Effect::Print(line));
                run.fx.push(Effect::Quit(Exit::Done.code()));
            }
            None => {
                let words = format!("contact {} is not owned, and no search has shown it", self.id);
                CommandProblem::new(Exit::Failed, words, "search shows it first").code(Code::NotFound).end(run.fx);
            }
        }
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        self.books.advance(run);
    }
}
