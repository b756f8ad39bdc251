//! Calls to the store. Each call is one transaction: done whole and durable when answered, or not at all.
//!
//! The money calls are conditional on purpose. Several windows share one state folder, so whether a batch may be sent can
//! only be decided where all of them meet: inside [`StoreCall::Intend`], not in the memory of one window.

use super::*;

#[derive(Clone, Debug, PartialEq)]
pub enum StoreCall {
    // The allowance of a key, shared by every lode of this machine and surviving restarts.
    /// Take a slot of the key's window. Answer: [`StoreReply::Reserved`] or [`StoreReply::Wait`].
    Reserve { key: KeyHash, allowance: Allowance, window: WindowId },
    /// The request was answered, or its line broke: the slot frees one window from now.
    Release { slot: SlotId, allowance: Allowance },
    /// 429: no window sends with this key until the wait is over.
    Pause { key: KeyHash, wait: Duration },

    /// What the key's window holds.
    Gauge { key: KeyHash },

    /// What was changed by any window, as a few numbers.
    Changes { purse: Option<Purse> },
    /// How a job of this window stands.
    NoteJob(Box<JobNote>),
    /// Jobs of other windows and of commands that run, or were heard of since.
    Jobs(Wall),
    /// What became of contacts that another unlock had under way.
    ContactStatuses { purse: Purse, corpus: Corpus, ids: Vec<RowId> },

    /// A service refuses larger pages than this.
    LearnPage { source: Source, origin: Origin, rows: u64 },
    /// The largest pages of services, where they were learned.
    PageSizes { services: Vec<(Source, Origin)> },

    // Whose key it is.
    /// `/me` named the purse of a Workspace key. What was put under the key before is merged into it.
    KeepAccount { key: KeyHash, purse: Purse, account: Account },
    /// The account that `/me` last named for this key.
    AccountOf { origin: Origin, key: KeyHash },

    // The basket, per purse and side.
    /// All rows of a basket.
    Basket { purse: PurseRef, side: Side },
    /// A part of a basket that is easily held in memory, from behind a place on: 0 begins. A basket of 50,000 is read in parts.
    BasketPart { purse: PurseRef, side: Side, behind: u64 },
    /// Only its version: whether any window changed it.
    BasketVersion { purse: PurseRef, side: Side },
    /// Puts rows into a basket.
    Stage { purse: PurseRef, side: Side, rows: Vec<Staged> },
    /// Takes rows out of a basket.
    Unstage { purse: PurseRef, side: Side, ids: Vec<RowId> },
    /// Puts what the first version kept under a profile's name into a purse: the rows and searches of its source. The
    /// suppression lists stay, and apply to every purse of the profile. Answer: how many rows were moved.
    Assign { profile: String, purse: Purse },

    // Suppression lists, per purse.
    /// Adds entries to a list.
    Suppress { purse: PurseRef, list: String, entries: Vec<SuppressEntry> },
    /// `entries`: only these entries; `None` for the whole list.
    RemoveSuppression { purses: Vec<PurseRef>, list: String, entries: Option<Vec<SuppressEntry>> },
    /// All lists of these purses.
    Suppressions { purses: Vec<PurseRef> },
    /// The lists of these purses, unless their revision is still the one that is known.
    ListsSince { purses: Vec<PurseRef>, known: Option<u64> },

    // Money.
    /// Writes down a batch before it is sent. Answer: [`StoreReply::IntentRefused`] where it must not be sent.
    Intend(Box<BatchIntent>),
    /// An answer of any status arrived: its raw body, before it is interpreted.
    KeepAnswer { batch: BatchId, status: u16, body: Bytes },
    /// The line broke or the deadline passed: the outcome is unknown from now on.
    Lost { batch: BatchId, words: String },
    /// It was refused or never sent: nothing was applied, all its ids are locked and free again. Only for a batch of which no
    /// earlier sending went unanswered: a refusal of the second says nothing about the first.
    Withdraw { batch: BatchId, words: String },
    /// Writes down what is now known about contacts of a batch.
    Settle(Box<Settlement>),
    /// What a free look saw of contacts with an unknown result.
    /// `sent`: as in [`Settlement::sent`].
    KeepCheckResults { batch: BatchId, sent: u32, sightings: Vec<(RowId, CheckResult)> },
    /// Batches of this purse that are not settled whole, except those that a living other window has in flight.
    OpenBatches { purse: Purse },
    /// How many contacts this profile left unknown in other purses: shown to the user after a change of the key.
    OpenElsewhere { profile: String, purse: Purse },
    /// Gross spending of the window and of the last 24 hours, and what is held by open batches of all windows.
    Spent { purse: Purse, window: WindowId },
    /// Orders of a month, or all of them.
    Receipts { purse: Purse, month: Option<Month> },

    // What assistants ask to unlock.
    /// Writes a proposal, unless too many wait already.
    Propose(Box<Proposal>),
    /// Those of this purse that wait for a person.
    Proposals { purse: Purse },
    /// One proposal by its handle.
    ProposalOf { purse: Purse, handle: Handle },
    /// A person's answer. It counts only while the proposal waits.
    Answer { purse: Purse, handle: Handle, verdict: Decision },

    // What we own.
    /// Contacts that this purse owns.
    Owned { purse: Purse, corpus: Option<Corpus> },
    /// Contacts seen to be owned without buying them now; completes what is known, never overwrites what was bought.
    Own { purse: PurseRef, corpus: Corpus, contacts: Vec<SeenOwned> },
    /// Sets the tags of owned contacts.
    Tag { purse: Purse, corpus: Corpus, ids: Vec<RowId>, tags: Vec<String> },
    /// Sets the note of an owned contact.
    Note { purse: Purse, corpus: Corpus, id: RowId, note: String },
    /// Deletes what is kept of owned contacts.
    Forget { purse: Purse, corpus: Corpus, ids: Vec<RowId> },

    // What was searched, and where each id was shown. A leg of a search is kept for its ids and is not listed.
    /// A page of a search was shown.
    Searched { purse: PurseRef, canonical: String, total: u64, offset: u64, ids: Vec<RowId>, leg: bool },
    /// The latest searches, newest first.
    Recent { purses: Vec<PurseRef>, most: u32 },
    /// For each id the searches that showed it, newest first.
    Shown { purses: Vec<PurseRef>, side: Side, ids: Vec<RowId> },

    // What a saved search had last time, each leg by itself. It is that of the query in its canonical form, at the service of this purse: what
    // another one of the same name had is nothing to compare with.
    /// Keeps what a run showed.
    Snapshot { purse: PurseRef, profile: String, name: String, query: String, snapshot: Snapshot },
    /// What the last run showed.
    SnapshotOf { purse: PurseRef, profile: String, name: String, query: String },
    /// The saved search has another name.
    MoveSnapshot { profile: String, from: String, to: String },
    /// The saved search is gone.
    ForgetSnapshot { profile: String, name: String },

    // Where the person was: one text per profile.
    /// Keeps the place.
    Place { profile: String, text: String },
    /// The place that was kept.
    PlaceOf { profile: String },

    // The answered requests of a match.
    /// Keeps one answered request.
    MatchStep { purse: PurseRef, job: String, step: String, answer: String },
    /// All answered requests of a job, in order.
    MatchSteps { purse: PurseRef, job: String },
    /// The job is done: its steps go.
    MatchDone { purse: PurseRef, job: String },

    /// Snapshots, place and what the first version kept under the name go along; receipts keep the name they were made under.
    RenameProfile { from: String, to: String },
}

// What the store answers.

/// The type of an answer. A call has one type, so an answer of another type stops lode (money rule 12, *impossible stops*).
pub trait StoreAnswer: Into<StoreReply> {
    fn of(reply: StoreReply) -> Self;
    fn read(reply: &StoreReply) -> &Self;
}

impl StoreReply {
    /// It does not belong to the call that was made.
    pub fn stop(&self) -> ! {
        panic!("the store answered another call: {self:?}")
    }
}

/// Declares the replies: first those of calls that can be answered in several ways, then those that are an answer by themselves.
macro_rules! store_replies {
    ({ $($several:tt)* } $($(#[$doc:meta])* $name:ident($answer:ty),)*) => {
        #[derive(Debug, PartialEq)]
        pub enum StoreReply {
            $($several)*
            $($(#[$doc])* $name($answer),)*
        }
        $(
            impl From<$answer> for StoreReply {
                fn from(answer: $answer) -> StoreReply {
                    StoreReply::$name(answer)
                }
            }

            impl StoreAnswer for $answer {
                fn of(reply: StoreReply) -> $answer {
                    if let StoreReply::$name(answer) = reply { answer } else { reply.stop() }
                }

                fn read(reply: &StoreReply) -> &$answer {
                    if let StoreReply::$name(answer) = reply { answer } else { reply.stop() }
                }
            }
        )*
    };
}

store_replies! {
    {
        /// A slot of the key's window is taken.
        Reserved { slot: SlotId, gauge: Gauge },
        /// No slot before this moment.
        Wait { until: Mono, gauge: Gauge },
        /// To [`StoreCall::Intend`]: the batch may be sent, once.
        Intended(WrittenIntent),
        /// The batch must not be sent.
        IntentRefused(IntentRefused),
        /// The batch has been sent again since: nothing was taken.
        Outdated,
    }
    /// Written; there is nothing more to say.
    Done(()),
    /// To [`StoreCall::Gauge`].
    Gauge(Gauge),
    /// To [`StoreCall::Changes`].
    Changes(Changes),
    /// To [`StoreCall::Jobs`].
    Jobs(Vec<JobElsewhere>),
    /// To [`StoreCall::ContactStatuses`].
    ContactStatuses(ContactStatuses),
    /// The largest page of each service, where one was learned.
    PageSizes(Vec<(Source, u64)>),
    /// To [`StoreCall::AccountOf`].
    AccountOf(KnownAccount),
    /// The whole basket.
    Basket(BasketState),
    /// To [`StoreCall::BasketPart`].
    BasketPart(BasketPart),
    /// The version of a basket, after a change of it too: more than one step further means that others changed it as well. To
    /// [`StoreCall::Assign`] and [`StoreCall::OpenElsewhere`] a count.
    Number(u64),
    /// To [`StoreCall::Suppressions`].
    Suppressions(Vec<Suppression>),
    /// To [`StoreCall::ListsSince`].
    ListsSince(ListsSince),
    /// To [`StoreCall::Propose`] and [`StoreCall::Answer`].
    Granted(Granted),
    /// To [`StoreCall::Proposals`].
    Proposals(Vec<Proposal>),
    /// To [`StoreCall::ProposalOf`].
    Proposal(Option<Proposal>),
    /// To [`StoreCall::OpenBatches`].
    OpenBatches(Vec<OpenBatch>),
    /// To [`StoreCall::Spent`].
    Spent(Spent),
    /// To [`StoreCall::Receipts`].
    Receipts(Vec<Receipt>),
    /// To [`StoreCall::Owned`].
    Owned(Vec<Owned>),
    /// To [`StoreCall::Recent`].
    Recent(Vec<PastSearch>),
    /// To [`StoreCall::Shown`].
    Shown(Vec<(RowId, Vec<ShownIn>)>),
    /// The last run, if one is kept.
    Snapshot(Option<Snapshot>),
    /// The place, if one is kept.
    Place(Option<String>),
    /// To [`StoreCall::MatchSteps`].
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

/// The purse, the account, and when `/me` last named them.
pub type KnownAccount = Option<(Purse, Account, Wall)>;

// What the store knows of a basket and of what must not be bought. Nothing here is spent.

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BasketState {
    /// Grows with every change by any window.
    pub version: u64,
    pub rows: Vec<Staged>,
}

/// A part of a basket, and the place after which to continue if there is more.
pub type BasketPart = (BasketState, Option<u64>);

/// The revision of all lists, and the lists if that is not the known one.
pub type ListsSince = (u64, Option<Vec<Suppression>>);

// How a window learns what other windows and commands did to the records they share.

/// A few numbers that differ from the earlier ones after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// A new one after every change by another window.
    pub stamp: i64,
    pub owned: u64,
    pub money: u64,
    pub lists: u64,
    pub jobs: u64,
    /// The balance as an unlock of any window last heard it, and when.
    pub balance: Option<(Credits, Wall)>,
}

/// What became of a contact that another unlock had under way.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactStatus {
    /// A living window works on it.
    Pending,
    /// No window works on it, and its result is unknown.
    Unknown,
    Owned(Contact),
    /// It is locked, and can be bought.
    Free,
}

/// What became of several.
pub type ContactStatuses = Vec<(RowId, ContactStatus)>;

// What the store remembers of searches: past queries, the ids they showed, and what a saved search had last time.

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

/// One answered request of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchStep {
    pub step: String,
    pub at: Wall,
    pub answer: String,
}

// What windows and commands tell each other of their jobs.

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum JobStage {
    Running,
    Done,
    Stopped,
    Failed,
}

/// A job as its own window sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobNote {
    pub profile: String,
    pub kind: String,
    /// Tells it from other jobs of its kind in its window.
    pub number: u64,
    pub what: String,
    /// Rows, contacts or requests, and of how many where that is known.
    pub done: u64,
    pub of: Option<u64>,
    pub stage: JobStage,
    /// Its result.
    pub words: String,
}

/// A job of another window or of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobElsewhere {
    pub window: WindowId,
    pub note: JobNote,
    /// When it was last heard of.
    pub at: Wall,
    /// Its window is open. A job that runs in none was interrupted.
    pub lives: bool,
}

impl JobElsewhere {
    pub fn is_running(&self) -> bool {
        self.note.stage == JobStage::Running && self.lives
    }
}

// What the store is told of money and tells of it: intents, settlements, open batches, receipts.

/// A batch that wants to be sent (money rule 2, *intent before send*). The store writes it down and syncs, or refuses.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchIntent {
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

impl CapKind {
    /// `limit per request`
    pub fn words(self) -> &'static str {
        ["limit per request", "session limit", "day limit"][self as usize]
    }
}

/// What is now known about contacts of a batch. Contacts that are not named stay unknown; the batch closes with its last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    pub batch: BatchId,
    /// How many sendings of the batch this takes into account. When it has been sent again since, nothing of it is taken: what
    /// was proved of the sendings before says nothing about the last.
    pub sent: u32,
    pub how: SettledBy,
    pub contacts: Vec<Settled>,
    /// The service's own figures, for the receipt only (M7).
    pub said: StatedSums,
    pub stopped_for_credits: bool,
}

impl Settlement {
    /// What a free look found.
    pub fn by_look(batch: BatchId, sent: u32, contacts: Vec<Settled>) -> Settlement {
        let said = StatedSums::default();
        Settlement { batch, sent, how: SettledBy::Look, contacts, said, stopped_for_credits: false }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    pub id: RowId,
    pub outcome: Outcome,
    pub contact: Option<Box<Contact>>,
    /// For `Unreachable`: what was looked at, in words.
    pub evidence: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum SettledBy {
    /// By the answer of the unlock itself.
    Answer,
    /// By reading for free.
    Look,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatedSums {
    pub charged: Option<Credits>,
    pub refunded: Option<Credits>,
    pub balance: Option<Credits>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckResult {
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
    pub sightings: Vec<CheckedAt>,
}

/// What one free look saw of a contact with an unknown result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedAt {
    pub sight: CheckResult,
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
    pub said: StatedSums,
    pub stopped_for_credits: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Month {
    pub year: i16,
    pub month: i8,
}

// What an assistant asks to unlock, and what a person says to that.

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

#[derive(Clone, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum ProposalState {
    /// No person has answered it.
    Waiting,
    /// A person accepted these, in this order, for at most this much.
    Accepted { amount: Credits, ids: Vec<RowId>, verify: bool },
    /// A person declined it.
    Declined,
    /// It was not answered in time.
    Expired,
    /// An order was made of it. It makes no other one.
    Used(OrderId),
}

/// What a person says to a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Accept { amount: Credits, ids: Vec<RowId>, verify: bool },
    Decline,
}

/// What a person allows an assistant to spend without being asked, counted over all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingGrant {
    pub per_day: Credits,
    pub per_call: Credits,
}

/// Why the order of an assistant may be made: a proposal that was accepted, or one within a standing allowance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    pub handle: Handle,
    pub standing: Option<StandingGrant>,
}

/// Whether the proposal allows it.
pub type Granted = Result<(), NotGranted>;

/// Why a grant does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotGranted {
    /// No proposal has this handle in this purse, or it is about other contacts.
    NoSuch,
    /// Not accepted yet.
    Waiting,
    /// A person declined it.
    Declined,
    /// It was not accepted in time.
    Expired,
    /// An order was made of it already.
    Used,
    /// More than was accepted.
    TooMuch,
    /// The standing allowance does not reach: so much is left of it.
    Standing { left: Credits },
}
