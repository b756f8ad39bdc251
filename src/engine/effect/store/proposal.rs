//! What an assistant asks to unlock, and what a person says to that.

use lode_core::contact::{Corpus, RowId};
use lode_core::credits::Credits;
use lode_core::money::{OrderId, Staged};
use lode_core::purse::Purse;
use lode_core::time::Wall;

/// Names one proposal. It cannot be guessed and it works once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub String);

/// The request of an assistant to spend: a quote that waits for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    pub handle: Handle,
    pub purse: Purse,
    pub corpus: Corpus,
    /// Who asks, as its client names it.
    pub assistant: String,
    /// In the order in which they are to be unlocked.
    pub rows: Vec<Staged>,
    pub verify: bool,
    /// The most that it may cost.
    pub ceiling: Credits,
    pub made_at: Wall,
    pub expires_at: Wall,
    pub state: ProposalState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposalState {
    Waiting,
    /// A person accepted these, in this order, for at most this much.
    Accepted {
        amount: Credits,
        ids: Vec<RowId>,
        verify: bool,
    },
    Declined,
    Expired,
    /// An order was made of it. It makes no other one.
    Used(OrderId),
}

/// What a person says to a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Accept { amount: Credits, ids: Vec<RowId>, verify: bool },
    Decline,
}

/// What a person allows an assistant to spend without being asked, counted over all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub per_day: Credits,
    pub per_call: Credits,
}

/// Why the order of an assistant may be made: a proposal that was accepted, or one within a standing allowance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    pub handle: Handle,
    pub standing: Option<Standing>,
}

/// Why a grant does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotGranted {
    /// No proposal has this handle in this purse, or it is about other contacts.
    NoSuch,
    /// Not accepted yet.
    Waiting,
    Declined,
    Expired,
    Used,
    /// More than was accepted.
    TooMuch,
    /// The standing allowance does not reach: so much is left of it.
    Standing {
        left: Credits,
    },
}
