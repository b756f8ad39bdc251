//! What the flows ask of the store. Each call is one transaction: done whole and durable when answered, or not at all.
//!
//! The money calls are conditional on purpose. Several windows share one state folder, so whether a batch may be sent can
//! only be decided where all of them meet: inside [`StoreCall::Intend`], not in the memory of one window.

use std::time::Duration;

use bytes::Bytes;

use crate::domain::account::Account;
use crate::domain::contact::{Contact, Corpus, RowId, Side};
use crate::domain::credits::Credits;
use crate::domain::money::{BatchId, Caps, Clue, OrderId, Outcome, Purse, Staged, Tally};
use crate::domain::owned::Owned;
use crate::domain::time::{Mono, Wall};

use super::profile::{Allowance, KeyHash, WindowId};

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
    Know {
        key: KeyHash,
        purse: Purse,
        account: Account,
    },
    Known {
        key: KeyHash,
    },

    // The basket, per profile and side.
    Basket {
        profile: String,
        side: Side,
    },
    /// Only its version: whether anybody changed it.
    BasketVersion {
        profile: String,
        side: Side,
    },
    Stage {
        profile: String,
        side: Side,
        rows: Vec<Staged>,
    },
    Unstage {
        profile: String,
        side: Side,
        ids: Vec<RowId>,
    },

    // Suppression lists, per profile.
    Suppress {
        profile: String,
        list: String,
        entries: Vec<SuppressEntry>,
    },
    RemoveSuppression {
        profile: String,
        list: String,
    },
    Suppressions {
        profile: String,
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
        sightings: Vec<(RowId, Sight)>,
    },
    /// Batches of this purse that are not settled whole, except those that a living other window has in flight.
    OpenBatches {
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
        purse: Purse,
        corpus: Corpus,
        contacts: Vec<(RowId, Contact, Option<String>)>,
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
        profile: String,
        canonical: String,
        total: u64,
        offset: u64,
        ids: Vec<RowId>,
    },
    Recent {
        profile: String,
        most: u32,
    },
    /// For each id the searches that showed it, newest first.
    Shown {
        profile: String,
        side: Side,
        ids: Vec<RowId>,
    },

    // What a saved search had last time.
    Snapshot {
        profile: String,
        name: String,
        snapshot: Snapshot,
    },
    SnapshotOf {
        profile: String,
        name: String,
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

    /// Basket, suppression lists, history, snapshots and place go along; receipts keep the name they were made under.
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
    Known(Option<(Purse, Account)>),
    Basket(BasketState),
    /// The basket's version now. After a change of ours, more than one step further means that others changed it too.
    BasketVersion(u64),
    Suppressions(Vec<Suppression>),
    Intended {
        order: OrderId,
        batch: BatchId,
    },
    IntentRefused(IntentRefused),
    OpenBatches(Vec<OpenBatch>),
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

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BasketState {
    /// Grows with every change by any window.
    pub version: u64,
    pub rows: Vec<Staged>,
}

/// An e-mail address, a whole domain, or one contact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuppressEntry {
    Email(String),
    Domain(String),
    Contact(Side, RowId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    pub list: String,
    pub entries: Vec<SuppressEntry>,
}

/// A batch that wants to be sent (*intent before send*). The store writes it down and syncs, or refuses.
#[derive(Clone, Debug, PartialEq)]
pub struct Intent {
    /// None with the first batch: the store opens the order.
    pub order: Option<OrderId>,
    pub purse: Purse,
    pub key: KeyHash,
    pub profile: String,
    pub window: WindowId,
    pub corpus: Corpus,
    pub ids: Vec<RowId>,
    pub verify: bool,
    /// The amount that was typed, or `--max-credits`: gross charges and holds of the whole order stay within it.
    pub ceiling: Credits,
    pub caps: Caps,
    /// The basket as the quote saw it; none where the ids did not come from a basket.
    pub basket: Option<BasketGuard>,
    /// How many contacts the whole order asks for.
    pub asked: u64,
    pub balance_before: Option<Credits>,
    pub clues: Vec<(RowId, Clue)>,
    /// Set when the identical batch of an unanswered call is sent again: it is that batch, not a new one.
    pub again: Option<BatchId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasketGuard {
    /// The version the quote was made from, checked with the first batch. Later batches check that their ids are still staged.
    pub version: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntentRefused {
    /// These ids are in an unsettled batch already, perhaps of another window.
    Open(Vec<RowId>),
    /// A cap would be passed, counting every window.
    Cap { which: CapKind, cap: Credits, used: Credits, held: Credits },
    /// The typed amount would be passed.
    Ceiling { ceiling: Credits, used: Credits, held: Credits },
    /// The basket is not the one the quote was made from.
    BasketChanged,
    /// The key or its batches belong to another workspace.
    OtherPurse,
    /// The batch to send again has no contact in doubt any more: another window cleared it up, and this is what became of it.
    Settled(Vec<Settled>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapKind {
    Call,
    Session,
    Day,
}

/// What is now known about contacts of a batch. Contacts that are not named stay unknown; the batch closes with its last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    pub batch: BatchId,
    pub how: How,
    pub contacts: Vec<Settled>,
    /// The service's own figures, for the receipt only (M7).
    pub said: Said,
    pub stopped_for_credits: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    pub id: RowId,
    pub outcome: Outcome,
    pub contact: Option<Contact>,
    /// For `Unreachable`: what was looked at, in words.
    pub evidence: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// By the answer of the unlock itself.
    Answer,
    /// By reading for free.
    Look,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub charged: Option<Credits>,
    pub refunded: Option<Credits>,
    pub balance: Option<Credits>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// A search returned it, still masked.
    Locked,
    /// No search returned it.
    Absent,
}

/// A batch with contacts whose outcome is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenBatch {
    pub batch: BatchId,
    pub order: OrderId,
    /// Its place within the order, from 1.
    pub number: u32,
    pub profile: String,
    pub corpus: Corpus,
    /// All ids, as sent.
    pub ids: Vec<RowId>,
    /// Those without an outcome.
    pub open: Vec<OpenContact>,
    pub verify: bool,
    pub sent_at: Wall,
    /// How often it was sent. More than once: an earlier sending went unanswered.
    pub sent: u32,
    /// When the line last broke. For a batch whose window died, when a living one first found it so (which is written down
    /// then); none while it is in flight.
    pub broke_at: Option<Wall>,
    /// How long ago that was, by the machine's own clock where it has not started again since, else by the wall's.
    pub quiet: Duration,
    /// Answers that were stored, oldest first, while contacts of the batch are still open.
    pub heard: Vec<(u16, Bytes)>,
    pub balance_before: Option<Credits>,
    /// It is in flight in this very window.
    pub in_flight: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OpenContact {
    pub id: RowId,
    pub clue: Clue,
    /// Sightings since the line last broke, oldest first.
    pub sightings: Vec<Sighting>,
}

/// What one free look saw of a contact in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub sight: Sight,
    pub at: Wall,
    /// How long the line had been broken then, measured like [`OpenBatch::quiet`]: a clock that jumps proves nothing.
    pub quiet: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Gross and net of this window.
    pub session: Credits,
    pub session_net: Credits,
    /// Gross over the last 24 hours, all windows.
    pub day: Credits,
    /// In open batches of all windows: counted as spent until they settle (*holds*).
    pub held: Credits,
    /// Over all orders of the purse: how many were charged and how many of them came back, for the forecast.
    pub charged_ever: u64,
    pub refunded_ever: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    pub order: OrderId,
    pub corpus: Corpus,
    pub profile: String,
    pub window: WindowId,
    pub opened_at: Wall,
    pub ceiling: Credits,
    pub verify: bool,
    pub calls: u32,
    pub tally: Tally,
    /// Sums and last balance as the service said them.
    pub said: Said,
    pub stopped_for_credits: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Month {
    pub year: i16,
    pub month: i8,
}

/// A search that showed a contact, and the page of it where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownIn {
    pub canonical: String,
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PastSearch {
    pub canonical: String,
    pub total: u64,
    pub at: Wall,
}

/// Which ids a saved search had when it last ran. Compact: a million ids stay under 4 MB.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub total: u64,
    pub at: Wall,
    /// How many rows were read, which may be fewer than the total.
    pub read: u64,
    pub ids: Bytes,
}
