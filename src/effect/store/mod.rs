//! What the flows ask of the store. Each call is one transaction: done whole and durable when answered, or not at all.
//!
//! The money calls are conditional on purpose. Several windows share one state folder, so whether a batch may be sent can
//! only be decided where all of them meet: inside [`StoreCall::Intend`], not in the memory of one window.

mod basket;
mod history;
mod money;

use std::time::Duration;

use bytes::Bytes;

use crate::domain::account::Account;
use crate::domain::contact::{Corpus, RowId, Side};
use crate::domain::money::{BatchId, OrderId, Staged};
use crate::domain::owned::{Owned, SeenOwned};
use crate::domain::purse::{Origin, Purse, PurseRef};
use crate::domain::time::{Mono, Wall};

use super::profile::{Allowance, KeyHash, WindowId};

pub use basket::{BasketState, SuppressEntry, Suppression};
pub use history::{PastSearch, ShownIn, Snapshot};
pub use money::{
    BasketGuard, CapKind, How, Intent, IntentRefused, Month, OpenBatch, OpenContact, Receipt, Said, Settled,
    Settlement, Sight, Sighting, Spent,
};

#[derive(Clone, Debug, PartialEq)]
pub enum StoreCall {
    // The allowance of a key, shared by every lode of this machine and surviving restarts.
    /// Take a slot of the key's window. Answer: [`StoreReply::Reserved`] or [`StoreReply::Wait`].
    Reserve {
        key: KeyHash,
        allowance: Allowance,
        window: WindowId,
    },
    /// The request was answered, or its line broke: the slot frees one window from now.
    Release {
        slot: SlotId,
        key: KeyHash,
        allowance: Allowance,
    },
    /// 429: nobody sends on this key until the wait is over.
    Pause {
        key: KeyHash,
        wait: Duration,
    },

    // Whose key it is.
    /// `/me` named the purse of a Workspace key. What was put under the key before is merged into it.
    Know {
        key: KeyHash,
        purse: Purse,
        account: Account,
    },
    Known {
        origin: Origin,
        key: KeyHash,
    },

    // The basket, per purse and side.
    Basket {
        purse: PurseRef,
        side: Side,
    },
    /// So much of it as is easily held in memory as the store has it, from behind a place on: 0 begins. A basket of 50,000 is read
    /// like this.
    BasketPart {
        purse: PurseRef,
        side: Side,
        behind: u64,
    },
    /// Only its version: whether anybody changed it.
    BasketVersion {
        purse: PurseRef,
        side: Side,
    },
    Stage {
        purse: PurseRef,
        side: Side,
        rows: Vec<Staged>,
    },
    Unstage {
        purse: PurseRef,
        side: Side,
        ids: Vec<RowId>,
    },
    /// Puts what the first version kept under a profile's name into a purse: the rows and searches of its source. The
    /// suppression lists stay, and apply to every purse of the profile. Answer: [`StoreReply::Assigned`].
    Assign {
        profile: String,
        purse: Purse,
    },

    // Suppression lists, per purse.
    Suppress {
        purse: PurseRef,
        list: String,
        entries: Vec<SuppressEntry>,
    },
    RemoveSuppression {
        purses: Vec<PurseRef>,
        list: String,
    },
    Suppressions {
        purses: Vec<PurseRef>,
    },

    // Money.
    Intend(Box<Intent>),
    /// An answer of any status arrived: its raw body, before anybody interprets it.
    Heard {
        batch: BatchId,
        status: u16,
        body: Bytes,
    },
    /// The line broke or the deadline passed: the outcome is unknown from now on.
    Lost {
        batch: BatchId,
        words: String,
    },
    /// It was refused or never sent: nothing was applied, all its ids are locked and free again. Only for a batch of which no
    /// earlier sending went unanswered: a refusal of the second says nothing about the first.
    Withdraw {
        batch: BatchId,
        words: String,
    },
    Settle(Box<Settlement>),
    /// What a free look saw of contacts in doubt.
    Sighted {
        batch: BatchId,
        /// As in [`Settlement::sent`].
        sent: u32,
        sightings: Vec<(RowId, Sight)>,
    },
    /// Batches of this purse that are not settled whole, except those that a living other window has in flight.
    OpenBatches {
        purse: Purse,
    },
    /// How many contacts this profile left in doubt in other purses: whoever changed the key should hear of them.
    OpenElsewhere {
        profile: String,
        purse: Purse,
    },
    /// Gross spending of the window and of the last 24 hours, and what is held by open batches of all windows.
    Spent {
        purse: Purse,
        window: WindowId,
    },
    Receipts {
        purse: Purse,
        month: Option<Month>,
    },

    // What we own.
    Owned {
        purse: Purse,
        corpus: Option<Corpus>,
    },
    /// Contacts seen to be ours without buying them now; completes what is known, never overwrites what was bought.
    Own {
        purse: PurseRef,
        corpus: Corpus,
        contacts: Vec<SeenOwned>,
    },
    Tag {
        purse: Purse,
        corpus: Corpus,
        ids: Vec<RowId>,
        tags: Vec<String>,
    },
    Note {
        purse: Purse,
        corpus: Corpus,
        id: RowId,
        note: String,
    },
    Forget {
        purse: Purse,
        corpus: Corpus,
        ids: Vec<RowId>,
    },

    // What was searched, and where each id was shown.
    Searched {
        purse: PurseRef,
        canonical: String,
        total: u64,
        offset: u64,
        ids: Vec<RowId>,
    },
    Recent {
        purses: Vec<PurseRef>,
        most: u32,
    },
    /// For each id the searches that showed it, newest first.
    Shown {
        purses: Vec<PurseRef>,
        side: Side,
        ids: Vec<RowId>,
    },

    // What a saved search had last time. It is that of the query in its canonical form, at the service of this purse: what
    // another one of the same name had is nothing to compare with.
    Snapshot {
        purse: PurseRef,
        profile: String,
        name: String,
        query: String,
        snapshot: Snapshot,
    },
    SnapshotOf {
        purse: PurseRef,
        profile: String,
        name: String,
        query: String,
    },
    MoveSnapshot {
        profile: String,
        from: String,
        to: String,
    },
    ForgetSnapshot {
        profile: String,
        name: String,
    },

    // Where the person was: one text per profile.
    Place {
        profile: String,
        text: String,
    },
    PlaceOf {
        profile: String,
    },

    /// Snapshots, place and what the first version kept under the name go along; receipts keep the name they were made under.
    RenameProfile {
        from: String,
        to: String,
    },
}

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
    /// The purse, the account, and when `/me` last named them.
    Known(Option<(Purse, Account, Wall)>),
    Basket(BasketState),
    /// Behind which place it goes on, if it does.
    BasketPart(BasketState, Option<u64>),
    /// The basket's version now. After a change of ours, more than one step further means that others changed it too.
    BasketVersion(u64),
    /// How many rows of the basket were moved.
    Assigned(u64),
    Suppressions(Vec<Suppression>),
    Intended {
        order: OrderId,
        batch: BatchId,
        /// Which sending of the batch this is, counting those of every window.
        sent: u32,
    },
    IntentRefused(IntentRefused),
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
    /// A 429 keeps everybody waiting until then.
    pub paused_until: Option<Mono>,
}
