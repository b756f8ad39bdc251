//! The `quote` tool: the review of a person, written down as a proposal. Nothing is sent and nothing is spent.

use serde_json::json;

use crate::ops::input::Given;
use crate::ops::output::moment;
use crate::ops::problem::{CommandProblem, Exit};
use crate::ops::program::{Run, Script};
use crate::ops::unlock::{known_rows, no_review, not_granted, quote_shape};
use lode_core::{Corpus, Credits, Side, Source};
use lode_engine::effect::{Effect, Handle, NotGranted, Proposal, StandingGrant, StoreCall, StoreReply, Ticket};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::session::{Event, UnlockSubject};
use lode_engine::flow::unlock::{Quote, ReviewChoice};

pub(super) struct Offer {
    corpus: Corpus,
    /// None takes the whole basket.
    ids: Option<Vec<Given>>,
    most: Option<Credits>,
    verify: bool,
    handle: Handle,
    standing: Option<StandingGrant>,
    basket: Option<Ticket>,
    proposed: Option<(Ticket, Proposal, Box<Quote>)>,
}

impl Offer {
    pub(super) fn new(
        corpus: Corpus,
        ids: Option<Vec<Given>>,
        most: Option<Credits>,
        verify: bool,
        handle: Handle,
        standing: Option<StandingGrant>,
    ) -> Offer {
        Offer { corpus, ids, most, verify, handle, standing, basket: None, proposed: None }
    }

    fn offer(&mut self, quote: Box<Quote>, run: &mut Run<'_>) {
        // What is asked for is what the limit reaches: the person reads a number that is meant.
        let first = self.most.and_then(|most| usize::try_from(most.0).ok());
        let quote = Box::new(quote.choosing(ReviewChoice { first, ..quote.choice.clone() }));
        if quote.to_unlock.is_empty() {
            let line = json!({"quote": quote_shape(&quote, quote.most), "handle": null});
            run.fx.push(Effect::Print(line.to_string()));
            run.fx.push(Effect::Quit(Exit::Done.code()));
            return;
        }
        let made = run.session.propose(&quote, quote.most, self.handle.clone(), run.now, run.fx);
        self.proposed = made.map(|(ticket, proposal)| (ticket, proposal, quote));
        if self.proposed.is_none() {
            run.fx.push(Effect::Quit(Exit::Failed.code()));
        }
    }

    fn report(&self, proposal: &Proposal, quote: &Quote, run: &mut Run<'_>) {
        let within = self.standing.is_some_and(|standing| proposal.ceiling <= standing.per_call);
        let next = if within {
            "the user allows this much without asking: call unlock"
        } else {
            "ask the user to open lode, Basket screen, key Q; then call unlock"
        };
        let line = json!({
            "handle": proposal.handle.0,
            "max_credits": proposal.ceiling.0,
            "expires_at": moment(proposal.expires_at),
            "quote": quote_shape(quote, quote.most),
            "next": next,
        });
        run.fx.push(Effect::Print(line.to_string()));
        run.fx.push(Effect::Quit(Exit::Done.code()));
    }
}

impl Script for Offer {
    fn start(&mut self, run: &mut Run<'_>) {
        let side = Side { source: Source::Workspace, corpus: self.corpus };
        let Some(purse) = run.session.purse_of(side.source) else {
            return CommandProblem::no_key(Source::Workspace).end(run.fx);
        };
        self.basket = Some(run.store(StoreCall::Basket { purse, side }));
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        match event {
            Event::Answered(Arrival::Stored(ticket, result)) if self.basket == Some(ticket) => match result {
                Ok(StoreReply::Basket(basket)) => {
                    let rows = match self.ids.take() {
                        Some(given) => known_rows(given, &basket.rows),
                        None => basket.rows.into_iter().take(500).collect(),
                    };
                    let choice = ReviewChoice { verify: self.verify, ..ReviewChoice::default() };
                    run.session.review(UnlockSubject::Rows(self.corpus, rows.into()), choice, run.now, run.fx);
                }
                Ok(_) => {}
                Err(failure) => CommandProblem::of_store(&failure).end(run.fx),
            },
            Event::Answered(Arrival::Stored(ticket, result)) => {
                let Some((_, proposal, quote)) = self.proposed.take_if(|(asked, ..)| *asked == ticket) else { return };
                match result {
                    Ok(StoreReply::NotGranted(NotGranted::TooMuch)) => {
                        let words = "too many requests wait for the user already";
                        CommandProblem::new(Exit::Capped, words, "wait until the user has answered them").end(run.fx);
                    }
                    Ok(StoreReply::NotGranted(why)) => not_granted(why).end(run.fx),
                    Ok(_) => self.report(&proposal, &quote, run),
                    Err(failure) => CommandProblem::of_store(&failure).end(run.fx),
                }
            }
            Event::Review(Ok(quote)) => self.offer(quote, run),
            Event::Review(Err(none)) => no_review(&none).end(run.fx),
            Event::StoreFailed(failure) => CommandProblem::of_store(&failure).end(run.fx),
            _ => {}
        }
    }
}
