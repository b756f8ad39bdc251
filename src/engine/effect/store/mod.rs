//! What the flows ask of the store. Each call is one transaction: done whole and durable when answered, or not at all.
//!
//! The money calls are conditional on purpose. Several windows share one state folder, so whether a batch may be sent can
//! only be decided where all of them meet: inside [`StoreCall::Intend`], not in the memory of one window.

mod basket;
mod changes;
mod history;
mod jobs;
mod money;
mod proposal;
mod reply;

use std::time::Duration;

use lode_core::account::Account;
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::money::{BatchId, Staged};
use lode_core::owned::SeenOwned;
use lode_core::purse::{Origin, Purse, PurseRef};
use lode_core::time::Wall;

use super::profile::{Allowance, KeyHash, WindowId};

pub use basket::{BasketState, SuppressEntry, Suppression};
pub use changes::{Changes, Fate, Fates};
pub use history::{MatchStep, PastSearch, ShownIn, Snapshot};
pub use jobs::{JobElsewhere, JobNote, JobStage};
pub use money::{
    BasketGuard, CapKind, How, Intent, IntentRefused, Month, OpenBatch, OpenContact, Receipt, Said, Settled,
    Settlement, Sight, Sighting, Spent,
};
pub use proposal::{Grant, Handle, NotGranted, Proposal, ProposalState, Standing, Verdict};
pub use reply::{Gauge, SlotId, StoreReply};

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
    /// 429: no window sends with this key until the wait is over.
    Pause {
        key: KeyHash,
        wait: Duration,
    },

    /// What the key's window holds, if another window changed it since the last call.
    Gauge {
        key: KeyHash,
    },

    /// What anybody changed, as a few numbers.
    Changes {
        purse: Option<Purse>,
    },
    /// How a job of this window stands.
    NoteJob(Box<JobNote>),
    /// Jobs of other windows and of commands that run, or were heard of since.
    Jobs(Wall),
    /// What became of contacts that another unlock had under way.
    Fates {
        purse: Purse,
        corpus: Corpus,
        ids: Vec<RowId>,
    },

    /// A service refuses larger pages than this.
    LearnPage {
        source: Source,
        origin: Origin,
        rows: u64,
    },
    /// The largest pages of services, where they were learned.
    PageSizes {
        services: Vec<(Source, Origin)>,
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
        /// Only these entries; `None` for the whole list.
        entries: Option<Vec<SuppressEntry>>,
    },
    Suppressions {
        purses: Vec<PurseRef>,
    },
    /// The lists of these purses, unless their revision is still the one that is known. Answer: [`StoreReply::Lists`].
    ListsSince {
        purses: Vec<PurseRef>,
        known: Option<u64>,
    },

    // Money.
    Intend(Box<Intent>),
    /// An answer of any status arrived: its raw body, before anybody interprets it.
    Heard {
        batch: BatchId,
        status: u16,
        body: bytes::Bytes,
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
    /// What a free look saw of contacts with an unknown result.
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
    /// How many contacts this profile left unknown in other purses: shown to the user after a change of the key.
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

    // What assistants ask to unlock.
    /// Writes a proposal. Answer: [`StoreReply::NotGranted`] where too many wait already.
    Propose(Box<Proposal>),
    /// Those of this purse that wait for a person. Answer: [`StoreReply::Proposals`].
    Proposals {
        purse: Purse,
    },
    ProposalOf {
        purse: Purse,
        handle: Handle,
    },
    /// A person's answer. It counts only while the proposal waits, else [`StoreReply::NotGranted`].
    Answer {
        purse: Purse,
        handle: Handle,
        verdict: Verdict,
    },

    // What we own.
    Owned {
        purse: Purse,
        corpus: Option<Corpus>,
    },
    /// Contacts seen to be owned without buying them now; completes what is known, never overwrites what was bought.
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

    // What was searched, and where each id was shown. A leg of a search is kept for its ids and is not listed.
    Searched {
        purse: PurseRef,
        canonical: String,
        total: u64,
        offset: u64,
        ids: Vec<RowId>,
        leg: bool,
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

    // What a saved search had last time, each leg by itself. It is that of the query in its canonical form, at the service of this purse: what
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

    // A match of accounts, as far as it was answered.
    MatchStep {
        purse: PurseRef,
        job: String,
        step: String,
        answer: String,
    },
    MatchSteps {
        purse: PurseRef,
        job: String,
    },
    /// The job is done: its steps go.
    MatchDone {
        purse: PurseRef,
        job: String,
    },

    /// Snapshots, place and what the first version kept under the name go along; receipts keep the name they were made under.
    RenameProfile {
        from: String,
        to: String,
    },
}
