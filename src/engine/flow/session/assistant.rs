//! What an assistant may do with money: ask. A session of an assistant makes an order only of a proposal that holds; the session
//! of a person reads the proposals that wait and answers them.

use crate::effect::store::{
    Grant, Handle, NotGranted, Proposal, ProposalState, Standing, StoreCall, StoreReply, Verdict,
};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::{Heard, Owner};
use crate::flow::unlock::order::{self, Accepted, Declined};
use crate::flow::unlock::quote::Quote;
use lode_core::credits::Credits;
use lode_core::time::{Now, Wall};

use super::{Event, Session};

/// How long a proposal can be accepted and used.
pub(super) const LIFETIME_MS: i64 = 30 * 60 * 1000;

/// Who drives a session in place of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assistant {
    /// As its client names it.
    pub name: String,
    pub standing: Option<Standing>,
}

/// The proposals that wait for the person of this window.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// Who drives this session in place of a person.
    pub(super) assistant: Option<Assistant>,
    waiting: Vec<Proposal>,
    reading: Option<Ticket>,
    answering: Option<(Ticket, bool)>,
}

impl Requests {
    /// Those that can still be answered, oldest first.
    pub fn waiting(&self, now: Now) -> impl Iterator<Item = &Proposal> {
        self.waiting.iter().filter(move |proposal| now.wall < proposal.expires_at)
    }

    pub fn get(&self, handle: &Handle) -> Option<&Proposal> {
        self.waiting.iter().find(|proposal| proposal.handle == *handle)
    }
}

/// What there is to tell of proposals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// One more waits: who asks, and for how much at most.
    New {
        assistant: String,
        ceiling: Credits,
    },
    Accepted,
    Declined,
    /// It could not be answered any more.
    Refused(NotGranted),
}

/// What a typed amount led to.
#[derive(Clone, Debug, PartialEq)]
pub enum Granted {
    /// The answer is on its way into the ledger.
    Answered,
    /// A smaller amount: the review of the first so many, to be confirmed by its own number.
    Fewer(Box<Quote>),
}

impl Session {
    /// The session of an assistant: it spends only what a person accepted.
    pub fn for_assistant(mut self, assistant: Assistant) -> Session {
        self.requests.assistant = Some(assistant);
        self
    }

    /// Writes a proposal of what the quote would unlock. Only once the store has it, its handle means something.
    pub fn propose(
        &mut self,
        quote: &Quote,
        ceiling: Credits,
        handle: Handle,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Option<(Ticket, Proposal)> {
        let assistant = self.requests.assistant.as_ref()?.name.clone();
        let wanted: Vec<_> = quote.to_unlock.iter().map(|line| line.id).collect();
        let rows = quote.basis.staged.iter().filter(|row| wanted.contains(&row.id)).cloned();
        let proposal = Proposal {
            handle,
            purse: quote.basis.who.purse.clone(),
            corpus: quote.basis.corpus,
            assistant,
            rows: rows.collect(),
            verify: quote.choice.verify,
            ceiling: quote.most.min(ceiling),
            made_at: now.wall,
            expires_at: Wall(now.wall.0 + LIFETIME_MS),
            state: ProposalState::Waiting,
        };
        let call = StoreCall::Propose(Box::new(proposal.clone()));
        Some((self.desk.store(Owner::Caller, call, fx), proposal))
    }

    /// Begins the order of an assistant. Whether its handle holds is decided by the store, in the transaction that writes the
    /// first batch.
    pub fn accept_granted(
        &mut self,
        shown: &Quote,
        ceiling: Credits,
        handle: Handle,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Result<(), Declined> {
        let Some(assistant) = &self.requests.assistant else { return Err(Declined::Assistant) };
        let grant = Grant { handle, standing: assistant.standing };
        let current = self.current(shown).map_err(|_| Declined::Stale)?;
        let order = order::accept_within(shown, ceiling, &current)?.granted(grant);
        self.begin(order, now, fx)
    }

    /// A person's answer in the client of the assistant: the first so many contacts of the proposal.
    pub fn accept_elicited(&mut self, proposal: &Proposal, amount: Credits, fx: &mut Vec<Effect>) -> Ticket {
        let first = usize::try_from(amount.0).unwrap_or(0);
        let ids = proposal.rows.iter().take(first).map(|row| row.id).collect();
        let verdict = Verdict::Accept { amount, ids, verify: proposal.verify };
        let call = StoreCall::Answer { purse: proposal.purse.clone(), handle: proposal.handle.clone(), verdict };
        self.desk.store(Owner::Caller, call, fx)
    }

    /// Reads which proposals wait in this purse.
    pub fn read_requests(&mut self, fx: &mut Vec<Effect>) {
        let Some(purse) = self.balance.purse() else { return };
        if self.requests.reading.is_none() {
            self.requests.reading = Some(self.desk.store(Owner::Requests, StoreCall::Proposals { purse }, fx));
        }
    }

    /// Holds the typed amount against the quote that was shown, as [`Session::accept`] does, and accepts the proposal for exactly
    /// these contacts. Nothing is sent by this window.
    pub fn grant(
        &mut self,
        handle: &Handle,
        shown: &Quote,
        typed: Credits,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Result<Granted, Declined> {
        if self.requests.assistant.is_some() {
            return Err(Declined::Assistant);
        }
        let Ok(current) = self.current(shown) else { return Err(Declined::Stale) };
        match order::accept(shown, typed, &current, now)? {
            Accepted::Fewer(quote) => Ok(Granted::Fewer(quote)),
            Accepted::Order(order) => {
                let ids = order.quote().to_unlock.iter().map(|line| line.id).collect();
                let verify = order.quote().choice.verify;
                self.answer(handle, Verdict::Accept { amount: order.ceiling(), ids, verify }, fx);
                Ok(Granted::Answered)
            }
        }
    }

    /// Says no to a proposal.
    pub fn decline(&mut self, handle: &Handle, fx: &mut Vec<Effect>) {
        self.answer(handle, Verdict::Decline, fx);
    }

    fn answer(&mut self, handle: &Handle, verdict: Verdict, fx: &mut Vec<Effect>) {
        let Some(purse) = self.balance.purse() else { return };
        let accepts = matches!(verdict, Verdict::Accept { .. });
        let call = StoreCall::Answer { purse, handle: handle.clone(), verdict };
        self.requests.answering = Some((self.desk.store(Owner::Requests, call, fx), accepts));
        self.requests.waiting.retain(|proposal| proposal.handle != *handle);
    }

    pub(super) fn hear_requests(&mut self, heard: &Heard) {
        let Heard::Stored(ticket, result) = heard else { return };
        if self.requests.reading == Some(*ticket) {
            self.requests.reading = None;
            let Ok(StoreReply::Proposals(waiting)) = result else { return };
            for proposal in waiting.iter().filter(|proposal| self.requests.get(&proposal.handle).is_none()) {
                let (assistant, ceiling) = (proposal.assistant.clone(), proposal.ceiling);
                self.events.push(Event::Requests(Asked::New { assistant, ceiling }));
            }
            self.requests.waiting.clone_from(waiting);
        } else if let Some((_, accepts)) = self.requests.answering.take_if(|(asked, _)| asked == ticket) {
            self.events.push(match result {
                Ok(StoreReply::NotGranted(why)) => Event::Requests(Asked::Refused(*why)),
                Ok(_) if accepts => Event::Requests(Asked::Accepted),
                Ok(_) => Event::Requests(Asked::Declined),
                Err(failure) => Event::StoreFailed(failure.clone()),
            });
        }
    }
}
