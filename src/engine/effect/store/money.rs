//! What the store is told of money and tells of it: intents, settlements, open batches, receipts.

use std::time::Duration;

use bytes::Bytes;

use crate::effect::profile::{KeyHash, WindowId};
use lode_core::contact::{Contact, Corpus, RowId};
use lode_core::credits::Credits;
use lode_core::money::{BatchId, Caps, Clue, OrderId, Outcome, Tally};
use lode_core::purse::Purse;
use lode_core::row::Row;
use lode_core::time::Wall;

use super::proposal::{Grant, NotGranted};

/// A batch that wants to be sent (money rule 2, *intent before send*). The store writes it down and syncs, or refuses.
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
    /// Whole rows as JSON, of contacts that are not in the basket: the basket keeps its own.
    pub rows: Vec<(RowId, String)>,
    /// Set when the identical batch of an unanswered call is sent again: it is that batch, not a new one.
    pub again: Option<BatchId>,
    /// How many sendings of that batch were looked for. Where it was sent since, also by another window, it does not leave.
    pub sent: u32,
    /// What the order of an assistant rests on; none for an order of a person.
    pub grant: Option<Grant>,
    /// The revision of the suppression lists that the batch was checked against.
    pub lists: u64,
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
    /// A suppression list was changed after the batch was checked against the lists.
    ListsChanged,
    /// The key or its batches belong to another workspace.
    OtherPurse,
    /// The order of an assistant, without a proposal that holds.
    NotGranted(NotGranted),
    /// These need not be sent: of a new batch the contacts that are owned by now; of a batch to send again what is
    /// cleared up by now, which may be nothing where contacts of it were only shown as owned.
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
    /// How many sendings of the batch this takes into account. When it has been sent again since, nothing of it is taken: what
    /// was proved of the sendings before says nothing about the last.
    pub sent: u32,
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
    pub contact: Option<Box<Contact>>,
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
    /// Why its last sending has no result, as it was written down.
    pub words: String,
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
    /// What a search showed of it; `None` where only its id was known.
    pub row: Option<Row>,
    /// Sightings since the line last broke, oldest first.
    pub sightings: Vec<Sighting>,
}

/// What one free look saw of a contact with an unknown result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub sight: Sight,
    pub at: Wall,
    /// How long the line had been broken then, measured like [`OpenBatch::quiet`]: a clock that jumps proves nothing.
    pub quiet: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Gross and net of this run of the program.
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
    /// The assistant that ordered it, if it was one.
    pub assistant: Option<String>,
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
