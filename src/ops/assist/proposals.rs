//! Tools that prepare an unlock: `quote` writes a proposal for a person to approve, `status` reports on it. Also reads the
//! answer of a person in their client. Nothing is sent and nothing is spent.

use serde_json::{Value, json};

use crate::ops::console::{Console, Ending, script};
use crate::ops::input::Given;
use crate::ops::me;
use crate::ops::output::moment;
use crate::ops::problem::{CommandProblem, Exit};
use crate::ops::program::Run;
use crate::ops::unlock::{known_rows, not_granted, proposal_of, quote_shape, review};
use lode_core::{Corpus, Credits, Side, Source};
use lode_engine::effect::{Handle, NotGranted, Proposal, ProposalState, StandingGrant, StoreReply};
use lode_engine::flow::unlock::ReviewChoice;

use super::{ToolAnswer, ToolCall};

/// What is asked for.
pub(super) struct Wanted {
    pub(super) corpus: Corpus,
    /// None takes the whole basket.
    pub(super) ids: Option<Vec<Given>>,
    pub(super) most: Option<Credits>,
    pub(super) verify: bool,
    /// The name of the proposal.
    pub(super) handle: Handle,
}

pub(super) async fn quote(console: Console, wanted: Wanted, standing: Option<StandingGrant>) -> Ending {
    let side = Side { source: Source::Workspace, corpus: wanted.corpus };
    let purse = console.purse_of(side.source).ok_or_else(|| CommandProblem::no_key(side.source))?;
    let basket = console.basket(purse, side).await?;
    let rows = match wanted.ids {
        Some(given) => known_rows(given, &basket),
        None => basket.into_iter().take(500).collect(),
    };
    let choice = ReviewChoice { verify: wanted.verify, ..ReviewChoice::default() };
    let quote = review(&console, side.corpus, rows, choice).await?;
    // What is asked for is what the limit reaches: the person reads a number that is meant.
    let first = wanted.most.and_then(|most| usize::try_from(most.0).ok());
    let quote = quote.choosing(ReviewChoice { first, ..quote.choice.clone() });
    let shape = quote_shape(&quote, quote.most);
    if quote.to_unlock.is_empty() {
        console.print(&json!({"quote": shape, "handle": null}));
        return Ok(Exit::Done);
    }
    let propose = move |run: &mut Run<'_>| run.session.propose(&quote, quote.most, wanted.handle, run.now, run.fx);
    let Some((ticket, proposal)) = console.with(propose) else { return Ok(Exit::Failed) };
    match console.stored(ticket).await? {
        StoreReply::NotGranted(NotGranted::TooMuch) => {
            let words = "too many requests wait for the user already";
            return Err(CommandProblem::new(Exit::Capped, words, "wait until the user has answered them"));
        }
        StoreReply::NotGranted(why) => return Err(not_granted(why)),
        _ => {}
    }
    let next = if standing.is_some_and(|standing| proposal.ceiling <= standing.per_call) {
        "the user allows this much without asking: call unlock"
    } else {
        "ask the user to open lode, Basket screen, key Q; then call unlock"
    };
    console.print(&json!({
        "handle": proposal.handle.0,
        "max_credits": proposal.ceiling.0,
        "expires_at": moment(proposal.expires_at),
        "quote": shape,
        "next": next,
    }));
    Ok(Exit::Done)
}

pub(super) async fn status(console: Console, handle: Option<Handle>, standing: Option<StandingGrant>) -> Ending {
    let account = console.account().await?;
    let mut line = json!(me::line(&account));
    let allows = |standing: StandingGrant| json!({"per_day": standing.per_day.0, "per_call": standing.per_call.0});
    line["standing_allowance"] = json!(standing.map(allows));
    if let Some(handle) = handle {
        line["proposal"] = state(&proposal_of(&console, handle).await?);
    }
    console.print(&line);
    Ok(Exit::Done)
}

/// A proposal in words.
fn state(proposal: &Proposal) -> Value {
    let (state, accepted) = match &proposal.state {
        ProposalState::Waiting => ("waiting", None),
        ProposalState::Accepted { amount, .. } => ("accepted", Some(amount.0)),
        ProposalState::Declined => ("declined", None),
        ProposalState::Expired => ("expired", None),
        ProposalState::Used(_) => ("used", None),
    };
    json!({
        "state": state,
        "accepted_credits": accepted,
        "max_credits": proposal.ceiling.0,
        "contacts": proposal.rows.len(),
        "expires_at": moment(proposal.expires_at),
    })
}

/// Accepts a proposal for an amount: what a person answered in their client, where the settings allow that.
pub fn accept(handle: Handle, amount: Credits) -> ToolCall {
    let script = script(async move |console| {
        let proposal = proposal_of(&console, handle).await?;
        let answered = console.with(move |run| run.session.accept_elicited(&proposal, amount, run.fx));
        if let StoreReply::NotGranted(why) = console.stored(answered).await? {
            return Err(not_granted(why));
        }
        console.print(&json!({"accepted": amount.0}));
        Ok(Exit::Done)
    });
    ToolCall { script, answer: ToolAnswer::default() }
}
