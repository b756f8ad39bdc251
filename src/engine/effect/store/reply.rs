//! What the store answers.

use lode_core::account::Account;
use lode_core::contact::{RowId, Source};
use lode_core::money::{BatchId, OrderId};
use lode_core::owned::Owned;
use lode_core::purse::Purse;
use lode_core::time::{Mono, Wall};

use super::{
    BasketState, Changes, Fates, IntentRefused, JobElsewhere, MatchStep, NotGranted, OpenBatch, PastSearch, Proposal,
    Receipt, ShownIn, Snapshot, Spent, Suppression,
};

#[derive(Clone, Debug, PartialEq)]
pub enum StoreReply {
    Done,
    Reserved {
        slot: SlotId,
        gauge: Gauge,
    },
    /// No slot before this moment.
    Wait {
        until: Mono,
        gauge: Gauge,
    },
    /// `None` if no other window changed it.
    Gauge(Option<Gauge>),
    Changes(Changes),
    Jobs(Vec<JobElsewhere>),
    Fates(Fates),
    PageSizes(Vec<(Source, u64)>),
    /// The purse, the account, and when `/me` last named them.
    Known(Option<(Purse, Account, Wall)>),
    Basket(BasketState),
    /// Behind which place it goes on, if it does.
    BasketPart(BasketState, Option<u64>),
    /// The basket's version now. After a change of this window, more than one step further means that others changed it too.
    BasketVersion(u64),
    /// How many rows of the basket were moved.
    Assigned(u64),
    Suppressions(Vec<Suppression>),
    /// The revision of all lists; `None` where it is the one that was known.
    Lists {
        revision: u64,
        lists: Option<Vec<Suppression>>,
    },
    Intended {
        order: OrderId,
        batch: BatchId,
        /// Which sending of the batch this is, counting those of every window.
        sent: u32,
    },
    IntentRefused(IntentRefused),
    Proposals(Vec<Proposal>),
    NotGranted(NotGranted),
    /// The batch has been sent again since: nothing was taken.
    Outdated,
    OpenBatches(Vec<OpenBatch>),
    OpenElsewhere(u64),
    Spent(Spent),
    Receipts(Vec<Receipt>),
    Owned(Vec<Owned>),
    Recent(Vec<PastSearch>),
    Shown(Vec<(RowId, Vec<ShownIn>)>),
    Snapshot(Option<Snapshot>),
    Place(Option<String>),
    MatchSteps(Vec<MatchStep>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotId(pub i64);

/// What the key's window holds, over all windows and scripts of this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Requests in flight.
    pub in_flight: u32,
    /// When each answered request of the window frees its slot, soonest first.
    pub frees: Vec<Mono>,
    /// After a 429 all requests wait until then.
    pub paused_until: Option<Mono>,
}
