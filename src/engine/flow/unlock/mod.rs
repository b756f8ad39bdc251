//! Unlocking: the money rules as one machine. An accepted [`Order`] goes out batch by batch, one request in flight at a time.
//!
//! Each batch: everything it rests on is read again, it is written down and synced, sent, its response kept as bytes, only then read, settled, and
//! completed by a free check where the response left something out, contradicts itself, refuses, or did not come. Nothing is sent again before
//! such a check. Every wait is a field; every step ends in the store before the next begins. The review before is `quote`, the way to an order
//! `order`, what a batch with an unknown result needs afterwards `flow::recovery`. Others learn of balance and rows from [`OrderNews`].
//!
//! # The money rules
//! The name of a rule also stands at the code that keeps it, at the test that fails without it, and in `SECURITY.md`. `tests/sim` plays
//! rules 1 to 10 against what the sandbox recorded, and `tests/sim/put_back.rs` shows that it notices when one of them is broken.
//!
//! | # | name | rule | code | test |
//! |---|---|---|---|---|
//! | 1 | shown is paid | credits are spent only from a quote that the person saw; what it depends on is read again at Enter and before each batch | [`order::accept`], `check` | `tests/program/pty/changed.rs`, `tests/program/cli/changed.rs` |
//! | 2 | intent before send | a batch is on disk, synced, before its request leaves; one conditional transaction writes it | `RunningOrder::intend`, `host::store::intend` | `tests/store/money.rs`, `tests/program/cli/kills.rs` |
//! | 3 | same batch, same ids | a batch is resent only as the identical request, at most three times, and only after a free check found all its contacts locked; a key that may not search follows the document, by which the same ids cost at most what did not go through | `RunningOrder::conclude`, `host::store::intend`, `flow::recovery` | `tests/program/cli/resending.rs`, `tests/program/cli/changed.rs` |
//! | 4 | never twice | an id is in at most one open batch; an owned contact is never sent | `host::store::intend` | `tests/store/windows.rs`, `tests/store/money.rs` |
//! | 5 | holds | credits that an open batch may still cost count as spent until it settles or the person closes it | `host::store::spent` | `tests/store/windows.rs`, `order` |
//! | 6 | unknown is a state | a batch without a trustworthy response is resolved by free checks or by the person, never by guessing | `RunningOrder::lose`, `flow::recovery` | `tests/program/cli/money.rs`, `tests/program/pty/money.rs` |
//! | 7 | partial is normal | every response is settled contact by contact; sums that do not add up leave contacts unknown, and a charge above the batch raises an alarm | `flow::ledger::reading`, `RunningOrder::settled` | `tests/program/cli/contradictions.rs` |
//! | 8 | bounded | limits per request, session and day, `--max-credits` and allowances hold over every window, script and assistant, before refunds | `host::store::{intend, proposals}` | `tests/store/caps.rs`, `tests/store/grants.rs` |
//! | 9 | responses are stored first | the raw response is on disk before it is read, and its space was reserved before sending; what cannot be stored is printed whole | `RunningOrder::answered`, `host::store::{answers, batches}` | `tests/program/cli/unstored.rs`, `tests/program/cli/fullness.rs` |
//! | 10 | one purse | basket, ledger, limits and lists belong to a service and an organization; a mismatch refuses to spend, and a restored ledger honors no earlier approval | `host::store::{intend, mark, backup}` | `tests/program/cli/purses.rs`, `tests/program/cli/ledger.rs`, `tests/program/assistant/money.rs` |
//! | 11 | typed | every way to spend passes the money dialog, `--max-credits` or the allowance of `[assistant]` | [`order`], `flow::session`, `ui::unlock::review` | `tests/screens/money.rs`, `tests/program/assistant/robot.rs` |
//! | 12 | impossible stops | a state of our own that cannot be is an `assert!`; what comes from outside never asserts; the next start opens the ledger read-only; sums of credits never wrap | `RunningOrder::send`, `host::store::{intend, stop}`, `core::credits`, `app::crash` | `tests/store/money.rs`, `tests/program/pty/exits.rs`, `tests/program/cli/ledger.rs` |
//! | 13 | one way out | an unlock request comes only out of the proof that the store returns for a written intent, and uses it up; neither can be copied, and the compiler keeps this | `effect::unlock`, `effect::call::Outgoing`, `RunningOrder::send` | `tests/program/repository/tidy`: the store alone makes that proof, and neither type is `Clone` |

mod check;
pub mod order;
pub mod quote;

use std::ops::Add;

use bytes::Bytes;

use super::*;
use crate::flow::free_check::{FreeCheck, Observation, WantedContact};
use crate::flow::ledger::reading::{BatchReading, SentBatch, read_answers};
use crate::flow::recovery::QUIET;
use crate::wire::workspace::read_unlock;
use check::{Check, Checked, Known};

pub use order::{Declined, Order};
pub use quote::{Basis, Bound, CapRoom, IdSource, Limit, Quote, ReviewChoice, Spender};

/// What others want to know of a running order.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderNews {
    /// The outcome of these is certain and durable, with all that will be known of them in this order.
    Settled { corpus: Corpus, contacts: Vec<Settled> },
    /// A batch was written down: its credits are on hold.
    Written,
    /// A batch without an outcome: there is something to look for.
    Unknown,
    /// What settings and keys say of the profile, read before a batch.
    Settings(Box<Profile>),
    /// At Enter something was another than in this review: nothing was written down, and a person sees it again.
    ReviewAgain { quote: Box<Quote>, words: String },
    /// The order is over.
    Finished(Box<OrderSummary>),
}

/// An answer that is not stored yet: it is nowhere but here.
#[derive(Clone, Debug)]
struct UnstoredAnswer {
    batch: BatchId,
    corpus: Corpus,
    ids: Vec<RowId>,
    status: u16,
    body: Bytes,
}

impl UnstoredAnswer {
    fn to_store(&self) -> StoreCall {
        StoreCall::KeepAnswer { batch: self.batch, status: self.status, body: self.body.clone() }
    }
}

/// An answer that could not be written down before its order ended.
#[derive(Clone, Debug)]
struct Unsaved {
    answer: UnstoredAnswer,
    at: Mono,
    ticket: Option<Ticket>,
}

/// A contact of an answer that is in memory only.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldContact {
    pub corpus: Corpus,
    pub id: RowId,
    pub contact: Contact,
}

#[derive(Debug, Default)]
pub struct Unlock {
    jitter: Jitter,
    job: Option<RunningOrder>,
    last: Option<OrderSummary>,
    unsaved: VecDeque<Unsaved>,
    /// Contacts with an unknown result that a search showed as owned, also where the disk could not keep that. A running order
    /// holds them and the jitter for its time.
    shown: BTreeSet<(Corpus, RowId)>,
    pub(super) news: VecDeque<OrderNews>,
}

/// How often the identical batch is sent again by itself after its line broke.
pub const AGAIN: u32 = 3;
const UNSAVED_AGAIN: Duration = Duration::from_secs(30);

impl Unlock {
    pub fn new(seed: u64) -> Unlock {
        Unlock { jitter: Jitter(seed), ..Unlock::default() }
    }

    /// The running order.
    pub fn job(&self) -> Option<&RunningOrder> {
        self.job.as_ref()
    }

    /// The result of the last finished order.
    pub fn last(&self) -> Option<&OrderSummary> {
        self.last.as_ref()
    }

    pub fn is_running(&self) -> bool {
        self.job.is_some()
    }

    /// Whether something that was paid for is not written down yet, because the store failed at it.
    pub fn has_unsaved(&self) -> bool {
        !self.unsaved.is_empty()
    }

    /// What every answer holds that is not stored yet: all that is left of it, should the program end now. Its contacts, and its
    /// text where these are not all of it. What an answer calls owned before belongs to them: an earlier sending may have bought it.
    pub fn held(&self) -> (Vec<HeldContact>, Vec<String>) {
        let (mut held, mut unread) = (Vec::new(), Vec::new());
        for &UnstoredAnswer { corpus, ref ids, ref body, .. } in self.unstored() {
            let answer = read_unlock(corpus, ids, body);
            if !answer.as_ref().is_ok_and(|answer| answer.unreadable == 0 && answer.strays.is_empty()) {
                unread.push(String::from_utf8_lossy(body).into_owned());
            }
            let Ok(answer) = answer else { continue };
            let already = answer.already.into_iter().filter_map(|(id, contact)| Some((id, contact?)));
            let contacts = already.filter(|(_, contact)| contact.has_address()).chain(answer.unlocked);
            let contacts: BTreeMap<RowId, Contact> = contacts.collect();
            held.extend(contacts.into_iter().map(|(id, contact)| HeldContact { corpus, id, contact }));
        }
        (held, unread)
    }

    /// Answers that are in memory only.
    fn unstored(&self) -> impl Iterator<Item = &UnstoredAnswer> {
        let keeping = self.job.as_ref().and_then(|job| match &job.step {
            Step::Keeping { answer, .. } => Some(answer),
            _ => None,
        });
        self.unsaved.iter().map(|unsaved| &unsaved.answer).chain(keeping)
    }

    /// The batch that is being unlocked: it is not an orphan, whatever the store says.
    pub fn at_work(&self) -> Option<BatchId> {
        self.job.as_ref().and_then(|job| job.batch.id)
    }

    /// Begins an order.
    pub fn start(&mut self, order: Order, cx: &mut FlowContext<'_>) -> Result<(), Declined> {
        if self.job.is_some() {
            return Err(Declined::Running);
        }
        let shown = std::mem::take(&mut self.shown);
        self.job = Some(RunningOrder::new(order, self.jitter.clone(), shown, cx.now));
        self.drive(cx, RunningOrder::begin);
        Ok(())
    }

    /// Lets the running order take a step, and takes over what came of it.
    fn drive(&mut self, cx: &mut FlowContext<'_>, step: impl FnOnce(&mut RunningOrder, &mut FlowContext<'_>)) {
        // Without one there is nothing to do, and an answer is late.
        let Some(job) = &mut self.job else { return };
        step(job, cx);
        self.news.extend(job.news.drain(..));
        // It goes on.
        let Some(mut job) = self.job.take_if(|job| matches!(job.step, Step::Over(_))) else { return };
        self.jitter = job.jitter.clone();
        self.shown = std::mem::take(&mut job.shown);
        self.unsaved.extend(job.unsaved.take());
        // Without an end its review is shown again.
        let Step::Over(Some(end)) = std::mem::take(&mut job.step) else { return };
        if job.unknown() {
            self.news.push_back(OrderNews::Unknown);
        }
        let summary = job.summary(end);
        self.last = Some(summary.clone());
        self.news.push_back(OrderNews::Finished(Box::new(summary)));
    }

    /// Stops after the call that is in flight. What has not left yet does not leave any more.
    pub fn stop(&mut self, cx: &mut FlowContext<'_>) {
        self.drive(cx, RunningOrder::stop);
    }

    /// When [`Unlock::wake`] has something to do, if nothing is heard before.
    pub fn deadline(&self) -> Option<Mono> {
        let step = self.job.as_ref().and_then(RunningOrder::deadline);
        let unsaved = self.unsaved.iter().filter(|unsaved| unsaved.ticket.is_none()).map(|unsaved| unsaved.at).min();
        step.into_iter().chain(unsaved).min()
    }

    pub fn wake(&mut self, cx: &mut FlowContext<'_>) {
        self.drive(cx, RunningOrder::wake);
        for unsaved in &mut self.unsaved {
            if unsaved.ticket.is_none() && unsaved.at <= cx.now.mono {
                unsaved.ticket = Some(cx.store(Owner::Unlock, unsaved.answer.to_store()));
            }
        }
    }

    /// Takes an answer to the running order, or to an answer that is stored late.
    pub fn handle(&mut self, arrival: Arrival, cx: &mut FlowContext<'_>) {
        if let Arrival::Stored(ticket, result) = &arrival
            && let Some(at) = self.unsaved.iter().position(|unsaved| unsaved.ticket == Some(*ticket))
        {
            if result.is_ok() {
                self.unsaved.remove(at);
                self.news.push_back(OrderNews::Unknown);
            } else {
                self.unsaved[at].ticket = None;
                self.unsaved[at].at = cx.now.mono.after(UNSAVED_AGAIN);
            }
            return;
        }
        self.drive(cx, |job, cx| job.handle(arrival, cx));
    }

    /// A search of any window showed these as owned. A batch that left before does not leave again with them, now or later.
    pub fn shown_owned(&mut self, corpus: Corpus, ids: &[RowId], unknown: &BTreeSet<RowId>, cx: &mut FlowContext<'_>) {
        let at_work = self.job.as_ref().filter(|job| job.corpus() == corpus);
        let matters = |id: &&RowId| unknown.contains(id) || at_work.is_some_and(|job| job.batch.open.contains(id));
        let shown: Vec<_> = ids.iter().filter(matters).map(|id| (corpus, *id)).collect();
        self.remember_owned(shown.into_iter());
        self.drive(cx, |job, cx| {
            if let Step::Waiting(call) = job.step
                && job.is_overtaken()
                && cx.cancel(call)
            {
                job.lose(OWNED_NOW, false, cx);
            }
        });
    }

    /// A search showed these as owned, and the disk could not keep that.
    pub fn remember_owned(&mut self, contacts: impl Iterator<Item = (Corpus, RowId)>) {
        self.job.as_mut().map_or(&mut self.shown, |job| &mut job.shown).extend(contacts);
    }
}

/// A running order: its queue of batches, what is at work, and the outcomes so far.
#[derive(Debug)]
pub struct RunningOrder {
    order: Order,
    /// The number on the receipt, once the first batch is written down.
    pub id: Option<OrderId>,
    /// Batches that have not been begun.
    queue: VecDeque<Vec<Staged>>,
    /// The batch at work; an empty one before the first and after the last.
    batch: Batch,
    step: Step,
    pub stopping: bool,
    /// Another unlock was sending these when this order reached them.
    elsewhere: Vec<Staged>,
    /// How often such contacts were taken up again, and whether they are not waited for any more.
    rounds: u32,
    gave_up: bool,
    /// Contacts were left out because they are not in the basket any more.
    dropped: bool,
    /// What the last batch was checked against.
    known: Known,
    /// Contacts that a list or a limit took out of the running order.
    taken_out: usize,
    outcomes: BTreeMap<RowId, Settled>,
    /// Counted so far.
    pub tally: Tally,
    said: StatedSums,
    /// The service's balance as it last said it.
    pub balance: Option<Credits>,
    /// A request that costs may have reached the service.
    sent: bool,
    notices: Vec<String>,
    /// More was charged than was asked for.
    alarm: Option<String>,
    begun: u32,
    started: Mono,
    /// When the batches that are done were done.
    done: Vec<Mono>,
    /// What the store was asked for in this step.
    tickets: BTreeSet<Ticket>,
    /// To be told.
    news: Vec<OrderNews>,
    jitter: Jitter,
    /// See [`Unlock::shown`].
    shown: BTreeSet<(Corpus, RowId)>,
    unsaved: Option<Unsaved>,
}

impl RunningOrder {
    fn new(order: Order, jitter: Jitter, shown: BTreeSet<(Corpus, RowId)>, now: Now) -> RunningOrder {
        let quote = order.quote();
        let Basis { ref suppressions, limit, caps, .. } = quote.basis;
        let again = quote.again().map(|batch| Batch::again(batch, quote.to_unlock.clone()));
        let queue: VecDeque<Vec<Staged>> = match &again {
            Some(_) => VecDeque::new(),
            None => quote.to_unlock.chunks(quote.call_size()).map(<[Staged]>::to_vec).collect(),
        };
        RunningOrder {
            id: quote.again().map(|batch| batch.order),
            balance: quote.basis.balance.map(|(balance, _)| balance),
            queue,
            sent: false,
            notices: Vec::new(),
            alarm: None,
            begun: u32::from(again.is_some()),
            batch: again.unwrap_or_default(),
            step: Step::Idle,
            stopping: false,
            elsewhere: Vec::new(),
            rounds: 0,
            gave_up: false,
            dropped: false,
            known: Known { revision: None, lists: suppressions.clone(), limit: limit.window, caps, at: now.mono },
            taken_out: 0,
            outcomes: BTreeMap::new(),
            tally: Tally::default(),
            said: StatedSums::default(),
            started: now.mono,
            done: Vec::new(),
            tickets: BTreeSet::new(),
            news: Vec::new(),
            jitter,
            shown,
            unsaved: None,
            order,
        }
    }

    pub fn corpus(&self) -> Corpus {
        self.order.quote().basis.corpus
    }

    /// Which batch of how many is at work, from 1.
    pub fn batches(&self) -> (u32, u32) {
        (self.begun, self.begun + u32::try_from(self.queue.len()).unwrap_or(u32::MAX))
    }

    /// Contacts with an outcome, of how many.
    pub fn contacts(&self) -> (usize, usize) {
        let quote = self.order.quote();
        (self.outcomes.len(), quote.again().map_or(quote.to_unlock.len(), |batch| batch.open.len()))
    }

    /// In flight, and counted as spent until it settles.
    pub fn held(&self) -> Credits {
        Credits::for_contacts(if self.batch.id.is_some() { self.batch.open.len() } else { 0 })
    }

    /// Its call is queued or on the wire.
    pub fn awaits_answer(&self) -> bool {
        matches!(self.step, Step::Waiting(_))
    }

    /// The batch at work whose answer did not come and that is being looked for, and how often it was lost.
    pub fn checking(&self) -> Option<(u32, u32)> {
        let unknown = matches!(self.batch.question, Some(Question::Unknown { .. }));
        (unknown && matches!(self.step, Step::Looking(_))).then_some((self.begun, self.batch.lost))
    }

    /// What came of the last sending that settled nothing.
    pub fn trouble(&self) -> &'static str {
        if self.batch.answered { "unclear response" } else { "no response" }
    }

    /// The identical batch will be sent again at this moment; how often it went unanswered.
    pub fn rests(&self) -> Option<(Mono, u32)> {
        let until = self.deadline().filter(|_| matches!(self.step, Step::Resting { .. } | Step::Keeping { .. }))?;
        Some((until, self.batch.lost + self.batch.unsent))
    }

    /// How long the rest takes, going by the batches that are done.
    pub fn eta(&self, now: Now) -> Option<Duration> {
        let last = self.done.last()?;
        let each = last.since(self.started) / u32::try_from(self.done.len()).ok()?;
        let left = self.batches().1.saturating_sub(u32::try_from(self.done.len()).ok()?);
        Some((each * left).saturating_sub(now.mono.since(*last)))
    }

    /// How many contacts of it another unlock has under way, while it is waited for.
    pub fn awaits_others(&self) -> Option<usize> {
        matches!(self.step, Step::AskingOthers { .. }).then_some(self.elsewhere.len())
    }

    /// Contacts that are at work or still to be sent.
    pub fn wanted(&self) -> impl Iterator<Item = RowId> {
        self.batch.lines.iter().chain(self.queue.iter().flatten()).map(|line| line.id)
    }

    /// A batch within the cap per call: the rest of it goes with the next one.
    fn fit_batch(&mut self) {
        let most = self.known.caps.call.map_or(usize::MAX, |cap| usize::try_from(cap.0).unwrap_or(0));
        let batch = &mut self.batch;
        if batch.id.is_none() && most > 0 && batch.lines.len() > most {
            let rest = batch.lines.split_off(most);
            batch.open = batch.lines.iter().map(|line| line.id).collect();
            self.queue.push_front(rest);
        }
    }

    /// When the order has something to do by itself.
    fn deadline(&self) -> Option<Mono> {
        match self.step {
            Step::Waiting(_) => (!self.batch.left).then(|| self.known.at.after(check::CHECKED_AGAIN)),
            Step::Resting { until } => Some(until),
            Step::Keeping { retry_at, .. } => retry_at,
            Step::AskingOthers { ask_at, .. } => ask_at,
            _ => None,
        }
    }

    fn record(&mut self, settled: Settled) {
        if self.outcomes.contains_key(&settled.id) {
            return;
        }
        let verification = settled.contact.as_ref().and_then(|contact| contact.verification.as_ref());
        self.tally.count_verified(settled.outcome, verification);
        self.outcomes.insert(settled.id, settled);
    }

    /// These are certain and durable, with all that will be known of them.
    fn settle(&mut self, contacts: Vec<Settled>) {
        contacts.iter().for_each(|settled| self.record(settled.clone()));
        self.report_settled(contacts);
    }

    fn report_settled(&mut self, contacts: Vec<Settled>) {
        if !contacts.is_empty() {
            self.news.push(OrderNews::Settled { corpus: self.corpus(), contacts });
        }
    }

    fn add_said(&mut self, said: StatedSums) {
        let sum = |one: Option<Credits>, two: Option<Credits>| [one, two].into_iter().flatten().reduce(Add::add);
        self.said.charged = sum(self.said.charged, said.charged);
        self.said.refunded = sum(self.said.refunded, said.refunded);
        self.said.balance = said.balance.or(self.said.balance);
        self.balance = said.balance.or(self.balance);
    }

    /// Whether the batch at work was sent and is not settled whole.
    fn unknown(&self) -> bool {
        self.batch.id.is_some() && !self.batch.open.is_empty()
    }

    fn summary(mut self, end: OrderEnd) -> OrderSummary {
        // An order may name a million contacts: what is not needed any more goes first.
        self.queue = VecDeque::new();
        let unknown = if self.unknown() { std::mem::take(&mut self.batch.open) } else { BTreeSet::new() };
        let elsewhere: Vec<RowId> = self.elsewhere.iter().map(|line| line.id).collect();
        let sent_again = |id| matches!(&end, OrderEnd::Withheld(IntentRefused::Open(ids)) if ids.contains(&id));
        let is_unknown = |id| unknown.contains(&id) || elsewhere.contains(&id) || sent_again(id);
        let (ceiling, mut quote) = (self.order.ceiling(), self.order.quote);
        // Of a batch that is sent again, what was settled before does not belong to this order.
        let open = |id| quote.again().is_none_or(|batch| batch.open.iter().any(|open| open.id == id));
        let ids: Vec<RowId> = quote.to_unlock.iter().map(|line| line.id).filter(|id| open(*id)).collect();
        if let Some(quote) = Arc::get_mut(&mut quote) {
            quote.drop_rows();
        }
        let mut contacts = Vec::with_capacity(ids.len());
        for id in ids {
            contacts.push(self.outcomes.remove(&id).unwrap_or_else(|| {
                let outcome = if is_unknown(id) { Outcome::Unknown } else { Outcome::Locked };
                self.tally.count(outcome);
                Settled { id, outcome, contact: None, evidence: None }
            }));
        }
        let (order, left_out) = (self.id, self.taken_out);
        let (tally, said, notices, sent) = (self.tally, self.said, self.notices, self.sent);
        OrderSummary { order, end, ceiling, contacts, tally, said, elsewhere, notices, left_out, sent, quote }
    }

    /// The order is over. `Unlock` returns its summary.
    fn finish(&mut self, end: OrderEnd) {
        self.step = Step::Over(Some(end));
    }

    /// The batch of an order that sends one again is there from the start, and is looked for first: what is owned by now is not
    /// sent again.
    fn begin(&mut self, cx: &mut FlowContext<'_>) {
        if self.batch.id.is_some() {
            self.batch.question = Some(Question::Finish);
            self.find_outcome(cx);
        } else {
            self.next_batch(cx);
        }
    }

    /// See [`Unlock::stop`].
    fn stop(&mut self, cx: &mut FlowContext<'_>) {
        self.stopping = true;
        // A shell command that leaves does not wait for a pause, or for a minute that is used up, for something free.
        let gauge = cx.desk.gauge(Source::Workspace, cx.now);
        let waits = gauge.paused.is_some() || gauge.next_send.is_some_and(|at| at > cx.now.mono);
        let in_a_hurry = waits && cx.desk.unlock_budget.left().is_some();
        match self.step {
            Step::Waiting(call) if cx.cancel(call) => self.give_back(OrderEnd::Stopped, cx),
            Step::Resting { .. } | Step::Checking(_) => self.stop_unsent(OrderEnd::Stopped, cx),
            Step::AskingOthers { .. } => self.finish(OrderEnd::Stopped),
            Step::CheckingBalance { call, ref end } if in_a_hurry => {
                let end = end.clone();
                cx.cancel(call);
                let contradicted = Some("it was stopped before that could be checked".to_owned());
                self.conclude(Question::Refused { end, contradicted }, cx);
            }
            Step::Looking(ref mut look) if in_a_hurry && !look.is_recalling() => {
                look.stop(cx);
                self.looked(cx);
            }
            // It comes to its end first, and nothing is sent after it.
            _ => {}
        }
    }

    fn next_batch(&mut self, cx: &mut FlowContext<'_>) {
        if let Some(alarm) = self.alarm.take() {
            return self.finish(OrderEnd::Alarm(alarm));
        }
        if self.stopping {
            return self.finish(OrderEnd::Stopped);
        }
        if let Some(lines) = self.queue.pop_front() {
            self.batch = Batch::new(lines);
            self.begun += 1;
            return self.check(cx);
        }
        self.batch = Batch::default();
        if !self.elsewhere.is_empty() && !self.gave_up {
            self.ask_others(cx.now.mono, cx);
        } else if self.dropped {
            self.finish(OrderEnd::Withheld(IntentRefused::BasketChanged));
        } else {
            self.finish(OrderEnd::Done);
        }
    }

    fn wake(&mut self, cx: &mut FlowContext<'_>) {
        if self.deadline().is_none_or(|at| at > cx.now.mono) {
            return;
        }
        match std::mem::take(&mut self.step) {
            Step::AskingOthers { since, .. } => self.ask_others(since, cx),
            Step::Resting { .. } => self.check(cx),
            // It waits for a slot: what it rests on may have changed meanwhile.
            Step::Waiting(call) => match cx.take_back(call) {
                Some(request) => {
                    self.batch.request = Some(request);
                    self.check(cx);
                }
                None => (self.step, self.batch.left) = (Step::Waiting(call), true),
            },
            Step::Keeping { answer, tries, .. } => self.keep(answer, tries, cx),
            other => self.step = other,
        }
    }

    /// Asks the store, and waits in this step for its answer.
    fn store(&mut self, call: StoreCall, step: Step, cx: &mut FlowContext<'_>) {
        self.tickets.insert(cx.store(Owner::Unlock, call));
        self.step = step;
    }

    fn handle(&mut self, arrival: Arrival, cx: &mut FlowContext<'_>) {
        if self.handle_check(&arrival, cx) {
            return;
        }
        if let Step::Looking(look) = &mut self.step
            && look.handle(&arrival, cx)
        {
            if matches!(arrival, Arrival::Stored(..)) {
                look.go(cx);
            }
            if look.is_over() {
                self.looked(cx);
            }
            return;
        }
        match arrival {
            Arrival::Stored(ticket, result) if self.tickets.remove(&ticket) => self.stored(result, cx),
            Arrival::Reply(call, _, result) if self.waits_for(call) => self.answered(&result, cx),
            Arrival::Reply(call, _, result) => {
                if let Step::CheckingBalance { call: asked, end } = &self.step
                    && *asked == call
                {
                    let end = end.clone();
                    self.refusal_checked(end, &result, cx);
                }
            }
            Arrival::Unsent(call, request, words) if self.waits_for(call) => {
                self.batch.request = Some(request);
                self.answered(&Err(Failure::Unsent { words }), cx);
            }
            // What a check or a look had asked when it was stopped.
            _ => {}
        }
    }

    fn stored(&mut self, result: Result<StoreReply, StoreFailure>, cx: &mut FlowContext<'_>) {
        let batch = &mut self.batch;
        match (std::mem::take(&mut self.step), result) {
            (Step::Intending, Ok(StoreReply::Intended(written))) => {
                self.id = Some(written.order);
                (batch.id, batch.sent) = (Some(written.batch), written.sent);
                batch.request = Some(written.request());
                self.news.push(OrderNews::Written);
                if self.stopping {
                    // It was written down in vain: nothing of it has left.
                    self.give_back(OrderEnd::Stopped, cx);
                } else {
                    self.send(cx);
                }
            }
            (Step::Intending, Ok(StoreReply::IntentRefused(IntentRefused::Settled(contacts)))) => {
                if batch.id.is_none() { self.leave_owned(&contacts, cx) } else { self.settled_elsewhere(&contacts, cx) }
            }
            (Step::Intending, Ok(StoreReply::IntentRefused(IntentRefused::Open(ids)))) if batch.id.is_none() => {
                self.leave_elsewhere(&ids, cx);
            }
            // Another window took contacts of the batch: what is owned by now is found out, the rest is not bought.
            (Step::Intending, Ok(StoreReply::IntentRefused(IntentRefused::BasketChanged)))
                if batch.id.is_none() && (self.id.is_some() || !self.elsewhere.is_empty()) =>
            {
                self.rounds = ROUNDS;
                let ids = batch.ids();
                self.leave_elsewhere(&ids, cx);
            }
            (Step::Intending, Ok(StoreReply::IntentRefused(IntentRefused::ListsChanged))) => self.check(cx),
            (Step::TakingBack, Ok(StoreReply::Done(()))) => self.taken_back(cx),
            (Step::Intending, Ok(StoreReply::IntentRefused(why))) => self.finish(OrderEnd::Withheld(why)),
            // What was looked for here was the sending before: nothing leaves on that.
            (Step::Intending | Step::Settling(_), Ok(StoreReply::Outdated)) => {
                self.finish(OrderEnd::Unknown("another window has sent it again".to_owned()));
            }
            (Step::Keeping { answer, .. }, Ok(StoreReply::Done(()))) => {
                batch.bodies.push(answer.body);
                self.interpret(cx);
            }
            (Step::Keeping { answer, tries, .. }, Err(failure)) => self.retry_keeping(answer, tries, &failure, cx.now),
            (Step::Losing(None), Ok(StoreReply::Done(()))) if put_back("resend-unchecked") => {
                batch.sight = FreeCheckResult::Locked;
                self.advance(cx);
            }
            (Step::Losing(None), Ok(StoreReply::Done(()))) => self.find_outcome(cx),
            (Step::Losing(Some(end)), Ok(StoreReply::Done(()))) => self.finish(end),
            (Step::Refused, Ok(StoreReply::Done(()))) => self.check(cx),
            (Step::Withdrawing(end), Ok(StoreReply::Done(()))) => {
                // Nothing of it is unknown any more.
                batch.open.clear();
                self.finish(end);
            }
            (Step::Settling(reading), Ok(StoreReply::Done(()))) => self.settled(&reading, cx),
            (Step::Noting(mut settled), Ok(reply @ (StoreReply::Done(()) | StoreReply::Outdated))) => {
                if reply == StoreReply::Outdated {
                    // What the look saw is of before that sending: nothing may follow from it here.
                    settled.clear();
                    batch.sight = FreeCheckResult::Failed("another window has sent it again since".to_owned());
                }
                self.noted(settled, cx);
            }
            (Step::AskingOthers { since, .. }, Ok(reply)) => self.handle_others(since, &ContactStatuses::of(reply), cx),
            (_, Err(failure)) => self.finish(OrderEnd::Store(failure.to_string())),
            // Money rule 12, *impossible stops*.
            (step, Ok(reply)) => unreachable!("{reply:?} to {step:?}"),
        }
    }

    /// The batch has all the outcomes it will get here.
    fn advance(&mut self, cx: &mut FlowContext<'_>) {
        self.done.push(cx.now.mono);
        let batch = &mut self.batch;
        if let Some(question) = batch.question.take() {
            return self.conclude(question, cx);
        }
        if !batch.open.is_empty() {
            let words = self.alarm.clone().or_else(|| self.notices.last().cloned());
            let words = words.unwrap_or_else(|| "the response does not cover every contact".to_owned());
            self.finish(OrderEnd::Unknown(words));
        } else if batch.stopped && self.alarm.is_none() {
            self.finish(OrderEnd::OutOfCredits);
        } else {
            self.next_batch(cx);
        }
    }

    /// Money rule 2, *intent before send*: nothing leaves before the store has written the batch down, synced, under its conditions.
    fn intend(&mut self, checked: Checked, cx: &mut FlowContext<'_>) {
        let batch = &mut self.batch;
        let quote = self.order.quote();
        let basis = &quote.basis;
        let basket = match &basis.origin {
            IdSource::Basket(version) if batch.id.is_none() => {
                Some(BasketGuard { version: self.id.is_none().then_some(*version) })
            }
            _ => None,
        };
        let unstaged = batch.lines.iter().filter(|line| !line.row.is_empty());
        let intent = BatchIntent {
            order: self.id,
            purse: basis.who.purse.clone(),
            key: basis.who.key.clone(),
            profile: basis.who.profile.clone(),
            window: basis.who.window.clone(),
            corpus: basis.corpus,
            ids: batch.ids(),
            verify: quote.choice.verify,
            ceiling: self.order.ceiling(),
            caps: if put_back("old-caps") { basis.caps } else { checked.caps },
            basket,
            asked: quote.to_unlock.len() as u64,
            balance_before: self.balance,
            clues: batch.lines.iter().map(|line| (line.id, line.clue.clone())).collect(),
            rows: unstaged.map(|line| (line.id, line.row.clone())).collect(),
            again: batch.id,
            sent: batch.sent,
            grant: self.order.grant.as_ref().map(|grant| Grant { standing: checked.standing, ..grant.clone() }),
            lists: checked.lists,
        };
        if put_back("send-before-intent") {
            // The type asks for a proof of the store, so the defect has to forge one.
            let id = *batch.id.get_or_insert(BatchId(i64::MAX));
            let body = UnlockBody { corpus: intent.corpus, ids: intent.ids, verify: intent.verify };
            batch.request = Some(WrittenIntent::new(OrderId(i64::MAX), id, batch.sent + 1, body).request());
            return self.send(cx);
        }
        self.store(StoreCall::Intend(Box::new(intent)), Step::Intending, cx);
    }

    /// Money rule 13, *one way out*: the one place in lode that asks for an unlock, with the request that the store returned for the
    /// intent it wrote down.
    fn send(&mut self, cx: &mut FlowContext<'_>) {
        // Money rule 12, *impossible stops*.
        let request = self.batch.request.take().expect("a batch is sent only after it was written down");
        if self.is_overtaken() {
            return self.lose(OWNED_NOW, false, cx);
        }
        self.batch.left = false;
        // All waits of an order count together.
        if let Some(paused) = cx.desk.gauge(Source::Workspace, cx.now).paused
            && !cx.desk.unlock_budget.take(cx.now.mono, paused.until)
        {
            return self.give_back(OrderEnd::Limit(paused.words), cx);
        }
        self.step = Step::Waiting(cx.ask(Owner::Unlock, Call::Unlock(request), Priority::Unlock));
    }

    /// Ends the order with the batch unsent or refused. Its ids are free again only if it was not sent before: otherwise its
    /// result is unknown (money rule 6, *unknown is a state*), also where that sending was answered with 429.
    fn give_back(&mut self, end: OrderEnd, cx: &mut FlowContext<'_>) {
        let words = end.words().unwrap_or("stopped before it was sent").to_owned();
        let batch = self.batch.id();
        if self.was_sent() {
            self.store(StoreCall::Lost { batch, words }, Step::Losing(Some(end)), cx);
        } else {
            self.store(StoreCall::Withdraw { batch, words }, Step::Withdrawing(end), cx);
        }
    }

    fn waits_for(&self, call: CallId) -> bool {
        matches!(self.step, Step::Waiting(waiting) if waiting == call)
    }

    /// What the service said to the unlock, or that it said nothing.
    fn answered(&mut self, result: &Result<Reply, Failure>, cx: &mut FlowContext<'_>) {
        let batch = &mut self.batch;
        batch.answered = !matches!(
            result,
            Err(Failure::Unsent { .. } | Failure::Unclear { why: Unclear::Line | Unclear::Deadline, .. })
        );
        // It may have left, unlike what was cancelled in the queue: before it leaves again, that is written down.
        if !matches!(result, Err(Failure::Unsent { .. })) {
            batch.sends += 1;
            self.sent = true;
        }
        match result {
            // Money rule 9, *responses are stored first*: the bytes go to the disk before they are read.
            Ok(Reply::Unlock { body, .. }) if put_back("read-before-stored") => {
                batch.bodies.push(body.clone());
                self.interpret(cx);
            }
            Ok(Reply::Unlock { status, body }) => {
                let (batch, ids, corpus) = (batch.id(), batch.ids(), self.corpus());
                self.keep(UnstoredAnswer { batch, corpus, ids, status: *status, body: body.clone() }, 0, cx);
            }
            // Many a service answers a request that it has carried out by pointing elsewhere: that proves nothing.
            Err(Failure::Refused { why: Refusal::Redirect, words, .. }) if put_back("believe-redirect") => {
                self.give_back(OrderEnd::Unreached(words.clone()), cx);
            }
            Err(
                Failure::Refused { why: Refusal::Redirect, words, .. }
                | Failure::OurBug { words }
                | Failure::Disk { words },
            ) => self.lose(words, false, cx),
            // After an answer that got lost no refusal settles anything.
            Err(Failure::Later { words, .. }) if batch.unanswered => self.lose(words, true, cx),
            Err(Failure::Refused { words, .. }) if batch.unanswered => self.lose(words, false, cx),
            Err(Failure::Later { words, .. }) if put_back("believe-429") => {
                self.give_back(OrderEnd::Limit(words.clone()), cx);
            }
            Err(Failure::Later { words, .. }) => self.check_refusal(OrderEnd::Limit(words.clone()), cx),
            Err(Failure::Refused { status, why, words }) => {
                let end = OrderEnd::Refused { status: *status, why: *why, words: words.clone() };
                if put_back("believe-refusal") { self.give_back(end, cx) } else { self.check_refusal(end, cx) }
            }
            Err(Failure::Unsent { words }) => {
                batch.unsent += 1;
                if batch.unsent <= AGAIN && !self.stopping {
                    let until = cx.now.mono.after(self.jitter.backoff(batch.unsent));
                    self.step = Step::Resting { until };
                } else {
                    self.give_back(OrderEnd::Unreached(words.clone()), cx);
                }
            }
            Ok(_) => self.lose("unexpected response to an unlock", false, cx),
            Err(Failure::Unclear { why, words }) => {
                let refuses = matches!(why, Unclear::Undocumented { status, .. } if *status != 429);
                self.lose(words, !refuses, cx);
            }
        }
    }

    fn keep(&mut self, answer: UnstoredAnswer, tries: u32, cx: &mut FlowContext<'_>) {
        self.store(answer.to_store(), Step::Keeping { answer, tries, retry_at: None }, cx);
    }

    /// A refusal should mean that nothing was bought. Whether it does is asked of the balance and then of a free look.
    fn check_refusal(&mut self, end: OrderEnd, cx: &mut FlowContext<'_>) {
        self.step = Step::CheckingBalance { call: cx.ask(Owner::Unlock, Call::Me, Priority::Unlock), end };
    }

    /// The balance bears a refusal out if it has not fallen. Of itself that proves nothing: credits may have been added.
    fn refusal_checked(&mut self, mut end: OrderEnd, answer: &Result<Reply, Failure>, cx: &mut FlowContext<'_>) {
        if let (OrderEnd::Refused { status, why, .. }, Ok(Reply::Me(account))) = (&mut end, answer) {
            *why = why.settled(*status, account.may_unlock());
        }
        let purse = &self.order.quote().basis.who.purse;
        let contradicted = match answer {
            Ok(Reply::Me(account)) if purse.owner != purse::PurseOwner::Org(account.org_id.clone()) => {
                Some("the key belongs to another workspace now".to_owned())
            }
            Ok(Reply::Me(account)) => match (self.balance, account.credits) {
                (Some(before), Some(after)) if after >= before => None,
                (Some(before), Some(after)) => Some(format!("the balance fell from {before} to {after}")),
                _ => Some("the balance cannot be compared".to_owned()),
            },
            Ok(_) => Some("the balance could not be read".to_owned()),
            Err(failure) => Some(format!("the balance could not be read: {}", failure.reason())),
        };
        self.batch.question = Some(Question::Refused { end, contradicted });
        self.find_outcome(cx);
    }

    /// Looks for free, if the key may.
    fn find_outcome(&mut self, cx: &mut FlowContext<'_>) {
        if self.order.quote().basis.who.may_search {
            return self.look(cx);
        }
        self.batch.sight = FreeCheckResult::Failed("this key cannot search".to_owned());
        self.advance(cx);
    }

    /// The check is over: does the batch go out again, is it free again, or does it stay unknown? Money rule 3, *same batch, same ids*.
    fn conclude(&mut self, question: Question, cx: &mut FlowContext<'_>) {
        let stop = self.stopping;
        let may_search = self.order.quote().basis.who.may_search;
        let batch = &mut self.batch;
        let settled = batch.open.is_empty();
        let locked = batch.is_whole() && batch.sight == FreeCheckResult::Locked;
        match question {
            // The refusal was none, and what it said of the rest of the order may be true all the same.
            Question::Refused { end: end @ OrderEnd::Refused { .. }, .. } if settled && !self.queue.is_empty() => {
                self.finish(end);
            }
            _ if settled => self.next_batch(cx),
            // The minute is over and nothing was bought: it is written down and checked again like any other sending.
            Question::Refused { end: OrderEnd::Limit(words), contradicted: None }
                if locked && !stop && batch.sends <= AGAIN =>
            {
                batch.refused += 1;
                let batch = batch.id();
                self.store(StoreCall::Lost { batch, words }, Step::Refused, cx);
            }
            Question::Refused { end, contradicted: None } if locked => {
                self.give_back(if stop { OrderEnd::Stopped } else { end }, cx);
            }
            Question::Refused { end, contradicted } => {
                let why = contradicted.unwrap_or_else(|| match &batch.sight {
                    FreeCheckResult::Locked => "some of its contacts are owned".to_owned(),
                    FreeCheckResult::Unseen => "a free check did not find every contact".to_owned(),
                    FreeCheckResult::Failed(words) => format!("the free check failed: {}", words.trim_end_matches('.')),
                });
                let said = end.words().unwrap_or_default().trim_end_matches('.');
                let words = format!("the service refused it ({said}), but {why}");
                let end = Some(OrderEnd::Unknown(words.clone()));
                let batch = batch.id();
                self.store(StoreCall::Lost { batch, words }, Step::Losing(end), cx);
            }
            // Who cannot look goes the way of the document: the same ids again cost at most what did not go through.
            Question::Unknown { resend: true, .. } if (locked || !may_search) && batch.sends <= AGAIN && !stop => {
                let until = cx.now.mono.after(self.jitter.backoff(batch.lost));
                self.step = Step::Resting { until };
            }
            Question::Finish
                if batch.is_whole() && !stop && (!may_search || !matches!(batch.sight, FreeCheckResult::Failed(_))) =>
            {
                self.check(cx);
            }
            Question::Finish if stop => self.finish(OrderEnd::Stopped),
            Question::Finish => {
                let words = match &batch.sight {
                    FreeCheckResult::Failed(words) => format!("the free check failed: {words}"),
                    _ => OWNED_NOW.to_owned(),
                };
                self.finish(OrderEnd::Unknown(words));
            }
            Question::Unknown { words, .. } => self.finish(OrderEnd::Unknown(words)),
        }
    }

    /// Money rule 6, *unknown is a state*: the connection broke, or the response settles nothing. That is written down before anything else, then checked.
    fn lose(&mut self, words: &str, resend: bool, cx: &mut FlowContext<'_>) {
        let words = words.to_owned();
        if put_back("lost-is-free") {
            return self.give_back(OrderEnd::Unreached(words), cx);
        }
        let batch = &mut self.batch;
        batch.unanswered = true;
        batch.past = false;
        batch.lost += 1;
        batch.question = Some(Question::Unknown { words: words.clone(), resend });
        let batch = batch.id();
        self.store(StoreCall::Lost { batch, words }, Step::Losing(None), cx);
    }

    /// The answer cannot be written down although room was reserved for it: held on to, tried again, sent nothing further.
    fn retry_keeping(&mut self, answer: UnstoredAnswer, tries: u32, failure: &StoreFailure, now: Now) {
        if tries < KEEP_TRIES {
            let retry_at = Some(now.mono.after(self.jitter.backoff(tries + 1)));
            self.step = Step::Keeping { answer, tries: tries + 1, retry_at };
            return;
        }
        self.unsaved = Some(Unsaved { answer, at: now.mono.after(UNSAVED_AGAIN), ticket: None });
        self.finish(OrderEnd::Store(failure.to_string()));
    }

    /// The answer is on the disk: what does it say?
    fn interpret(&mut self, cx: &mut FlowContext<'_>) {
        let Batch { ref open, sent, past, refused, ref bodies, .. } = self.batch;
        let (batch, ids) = (self.batch.id(), &self.batch.ids());
        let (corpus, verify) = (self.corpus(), self.order.quote().choice.verify);
        let asked = SentBatch { batch, corpus, ids, open, sent, verify, past, refused };
        let reading = read_answers(asked, bodies.iter().map(|body| &body[..]));
        if let Some(words) = reading.unreadable.as_ref().filter(|_| reading.settlement.contacts.is_empty()) {
            return self.lose(words, false, cx);
        }
        let call = StoreCall::Settle(Box::new(reading.settlement.clone()));
        self.store(call, Step::Settling(Box::new(reading)), cx);
    }

    fn settled(&mut self, reading: &BatchReading, cx: &mut FlowContext<'_>) {
        self.add_said(reading.settlement.said);
        let odd = &reading.contradictions;
        if !odd.words.is_empty() {
            let words = format!("the answer to batch {} does not add up: {}", self.begun, odd.words.join("; "));
            self.notices.push(words);
        }
        // Money rule 7, *partial is normal*: nothing more is sent to a service that charges more than was sent.
        if let Some(alarm) = &odd.alarm
            && !put_back("no-alarm")
        {
            self.alarm.get_or_insert_with(|| alarm.clone());
        }
        let contacts = &reading.settlement.contacts;
        contacts.iter().for_each(|settled| self.record(settled.clone()));
        let whole = contacts.iter().filter(|settled| !reading.incomplete.contains(&settled.id));
        self.report_settled(whole.cloned().collect());
        let batch = &mut self.batch;
        batch.open.clone_from(&reading.open);
        batch.stopped = reading.settlement.stopped_for_credits;
        batch.incomplete = reading.incomplete.iter().map(|id| (*id, Default::default())).collect();
        if batch.open.is_empty() && batch.incomplete.is_empty() { self.advance(cx) } else { self.look(cx) }
    }

    /// A free look for what the answer left out: contacts it did not mention, and those it named without what was paid for.
    fn look(&mut self, cx: &mut FlowContext<'_>) {
        let batch = &self.batch;
        let ids = batch.open.iter().chain(batch.incomplete.keys());
        let wanted = ids.map(|id| (*id, WantedContact { clue: batch.clue(*id), ..WantedContact::default() }));
        let mut look = FreeCheck::new(Owner::Unlock, self.corpus(), wanted.collect());
        let who = &self.order.quote().basis.who;
        look.recall(vec![who.purse.clone().into(), PurseRef::Earlier { profile: who.profile.clone() }], cx);
        self.step = Step::Looking(Box::new(look));
    }

    /// Before it went out again another window cleared the batch up, or a part of it: nothing was sent.
    fn settled_elsewhere(&mut self, contacts: &[Settled], cx: &mut FlowContext<'_>) {
        let batch = &mut self.batch;
        // What is open still is not sent again, because a part of the batch is owned: a look says what became of it.
        let contacts: Vec<_> = contacts.iter().filter(|settled| batch.open.remove(&settled.id)).cloned().collect();
        let clear = batch.open.is_empty();
        if !clear {
            batch.question = Some(Question::Unknown { words: OWNED_NOW.to_owned(), resend: false });
        }
        self.settle(contacts);
        if clear { self.advance(cx) } else { self.find_outcome(cx) }
    }

    fn looked(&mut self, cx: &mut FlowContext<'_>) {
        let Step::Looking(look) = std::mem::take(&mut self.step) else { unreachable!("only a look ends here") };
        let (corpus, verify) = (self.corpus(), self.order.quote().choice.verify);
        let batch = &mut self.batch;
        let id = batch.id();
        // A contact that no search returns proves nothing: it may have been bought and removed since.
        let unseen = batch.open.iter().any(|id| matches!(look.seen(*id), Observation::Unseen | Observation::Absent(_)));
        batch.sight = match (unseen, &look.trouble) {
            (false, _) => FreeCheckResult::Locked,
            (true, Some(failure)) => FreeCheckResult::Failed(failure.words().to_owned()),
            (true, None) => FreeCheckResult::Unseen,
        };
        let (settled, sightings) = look.seen_of(batch.open.iter().copied(), verify);
        let mut own = Vec::new();
        for (id, contact) in &mut batch.incomplete {
            if let Observation::Owned(found) = look.seen(*id) {
                contact.clone_from(found);
                let search = batch.lines.iter().find(|line| line.id == *id).and_then(|line| line.clue.search.clone());
                own.push(SeenOwned { id: *id, contact: found.clone(), search, row: String::new() });
            }
        }
        let settlement =
            Settlement { stopped_for_credits: batch.stopped, ..Settlement::by_look(id, batch.sent, settled.clone()) };
        let purse = self.order.quote().basis.who.purse.clone().into();
        let calls = [
            (!settled.is_empty()).then(|| StoreCall::Settle(Box::new(settlement))),
            (!sightings.is_empty()).then(|| StoreCall::KeepCheckResults { batch: id, sent: batch.sent, sightings }),
            (!own.is_empty()).then(|| StoreCall::Own { purse, corpus, contacts: own }),
        ];
        self.tickets.extend(calls.into_iter().flatten().map(|call| cx.store(Owner::Unlock, call)));
        self.noted(settled, cx);
    }

    /// Takes over what the look found, once all of it is written down.
    fn noted(&mut self, settled: Vec<Settled>, cx: &mut FlowContext<'_>) {
        if !self.tickets.is_empty() {
            self.step = Step::Noting(settled);
            return;
        }
        let mut contacts = settled.clone();
        for settled in settled {
            self.batch.open.remove(&settled.id);
            self.record(settled);
        }
        for (id, contact) in std::mem::take(&mut self.batch.incomplete) {
            // Fills in what the look found of a contact that is owned.
            if let Some(settled) = self.outcomes.get_mut(&id) {
                settled.contact.get_or_insert_default().complete_with(&contact);
                contacts.push(settled.clone());
            }
        }
        self.report_settled(contacts);
        self.advance(cx);
    }

    /// Another unlock has these under way: they are its business, and what is left of the batch is written down without them.
    fn leave_elsewhere(&mut self, ids: &[RowId], cx: &mut FlowContext<'_>) {
        self.elsewhere.extend(self.batch.lines.iter().filter(|line| ids.contains(&line.id)).cloned());
        self.intend_without(ids, cx);
    }

    /// These became owned after the quote was made: nothing is paid for them, and the rest is written down without them.
    fn leave_owned(&mut self, owned: &[Settled], cx: &mut FlowContext<'_>) {
        self.settle(owned.to_vec());
        let ids: Vec<RowId> = owned.iter().map(|settled| settled.id).collect();
        self.intend_without(&ids, cx);
    }

    fn intend_without(&mut self, ids: &[RowId], cx: &mut FlowContext<'_>) {
        self.batch.leave_out(ids);
        if self.batch.lines.is_empty() { self.next_batch(cx) } else { self.check(cx) }
    }

    /// The batch left before, and a search has shown some of its contacts as owned since.
    fn is_overtaken(&self) -> bool {
        let is_shown = |line: &Staged| self.shown.contains(&(self.corpus(), line.id));
        self.was_sent() && self.batch.lines.iter().any(is_shown) && !put_back("resend-owned")
    }

    /// Whether the batch at work may have been applied: it left, or an earlier sending of it went unanswered.
    fn was_sent(&self) -> bool {
        self.batch.unanswered || self.batch.refused > 0
    }

    /// Nothing is left to send: asks for the outcome of what others have under way.
    fn ask_others(&mut self, since: Mono, cx: &mut FlowContext<'_>) {
        let purse = self.order.quote().basis.who.purse.clone();
        let ids = self.elsewhere.iter().map(|line| line.id).collect();
        let call = StoreCall::ContactStatuses { purse, corpus: self.corpus(), ids };
        self.store(call, Step::AskingOthers { since, ask_at: None }, cx);
    }

    fn handle_others(&mut self, since: Mono, fates: &[(RowId, ContactStatus)], cx: &mut FlowContext<'_>) {
        let (mut settled, mut free, mut pending) = (Vec::new(), Vec::new(), false);
        for (id, fate) in fates {
            let at = self.elsewhere.iter().position(|line| line.id == *id).expect("only these were asked for");
            match fate {
                ContactStatus::Owned(contact) => {
                    self.elsewhere.remove(at);
                    let contact = Some(Box::new(contact.clone()));
                    settled.push(Settled { id: *id, outcome: Outcome::Already, contact, evidence: None });
                }
                ContactStatus::Free => free.push(self.elsewhere.remove(at)),
                ContactStatus::Pending => pending = true,
                ContactStatus::Unknown => {}
            }
        }
        self.settle(settled);
        if !free.is_empty() && self.rounds < ROUNDS {
            self.rounds += 1;
            self.queue.extend(free.chunks(self.order.quote().call_size()).map(<[Staged]>::to_vec));
            let left = self.left_out();
            self.drop_lines(&left);
        } else {
            self.dropped |= !free.is_empty();
        }
        if pending && self.queue.is_empty() && cx.now.mono.since(since) < PATIENCE {
            self.step = Step::AskingOthers { since, ask_at: Some(cx.now.mono.after(LOOK)) };
            return;
        }
        self.gave_up = self.queue.is_empty();
        self.next_batch(cx);
    }
}

/// The batch that is at work.
#[derive(Debug, Default)]
struct Batch {
    /// In the order of sending. Never changed once the batch has been written down (money rule 3, *same batch, same ids*).
    lines: Vec<Staged>,
    /// Set once it is written down.
    id: Option<BatchId>,
    /// The request of the next sending: from its intent until it is sent, and again where it comes back unsent.
    request: Option<UnlockCall>,
    open: BTreeSet<RowId>,
    /// How often it was sent, as the store counts.
    sent: u32,
    /// An earlier sending went unanswered: a refusal proves nothing any more.
    unanswered: bool,
    /// Unanswered, but so long ago that it cannot be applied any more.
    past: bool,
    /// The last sending was answered, although the answer settles nothing.
    answered: bool,
    /// Tries of this run that ended in nothing.
    lost: u32,
    unsent: u32,
    /// How often it left in this run, and how many of these sendings were answered with 429.
    sends: u32,
    refused: u32,
    /// All answers so far, oldest first.
    bodies: Vec<Bytes>,
    /// Owned, but without what was paid for yet.
    incomplete: BTreeMap<RowId, Contact>,
    /// The service said that the credits ran out.
    stopped: bool,
    /// What is to be found out by the look that runs or comes next.
    question: Option<Question>,
    /// The result of the last free check.
    sight: FreeCheckResult,
    /// Its request is known to be on the wire.
    left: bool,
}

/// Why a free look is made for a batch, where its answer did not settle it.
#[derive(Clone, Debug)]
enum Question {
    /// Nothing says what became of it. `resend`: if all of it is locked it may go out again as it is.
    Unknown { words: String, resend: bool },
    /// The service refused it. `contradicted`: why `/me` does not bear that out.
    Refused { end: OrderEnd, contradicted: Option<String> },
    /// It was left unknown earlier, and a person wants it sent again.
    Finish,
}

/// What a look saw of the open contacts of a batch.
#[derive(Clone, Debug, Default, PartialEq)]
enum FreeCheckResult {
    /// Every one is locked.
    Locked,
    /// Some were not found, and that proves nothing.
    #[default]
    Unseen,
    /// It could not be brought to its end.
    Failed(String),
}

impl Batch {
    fn new(lines: Vec<Staged>) -> Batch {
        Batch { open: lines.iter().map(|line| line.id).collect(), lines, ..Batch::default() }
    }

    /// A batch of an earlier order, to be sent again. All of its contacts are open: `order` declines any other.
    fn again(batch: &OpenBatch, lines: Vec<Staged>) -> Batch {
        Batch {
            id: Some(batch.batch),
            sent: batch.sent,
            unanswered: true,
            past: batch.quiet >= QUIET,
            bodies: batch.heard.iter().map(|(_, body)| body.clone()).collect(),
            ..Batch::new(lines)
        }
    }

    /// Money rule 12, *impossible stops*: only what was written down is sent, looked for, withdrawn or settled.
    fn id(&self) -> BatchId {
        self.id.expect("the batch was written down")
    }

    /// None of its contacts is known to be owned: only then it may go out again.
    fn is_whole(&self) -> bool {
        self.open.len() == self.lines.len() || put_back("resend-owned")
    }

    /// Before it is written down.
    fn leave_out(&mut self, ids: &[RowId]) {
        self.lines.retain(|line| !ids.contains(&line.id));
        self.open.retain(|id| !ids.contains(id));
    }

    fn ids(&self) -> Vec<RowId> {
        self.lines.iter().map(|line| line.id).collect()
    }

    fn clue(&self, id: RowId) -> Clue {
        self.lines.iter().find(|line| line.id == id).map(|line| line.clue.clone()).unwrap_or_default()
    }
}

/// What an order waits for, and where it goes from there. The tickets of the store are in [`RunningOrder::tickets`].
#[derive(Clone, Debug, Default)]
enum Step {
    /// Between two steps.
    #[default]
    Idle,
    /// What the order rests on is read again.
    Checking(Box<Check>),
    /// The batch was written down, and is withdrawn unsent: something changed.
    TakingBack,
    /// The batch is being written down.
    Intending,
    /// Queued for a slot, or on the wire.
    Waiting(CallId),
    /// Before the same ids are sent again. A new intent is due where the last one was used up.
    Resting { until: Mono },
    /// Other unlocks have the rest under way. `ask_at`: some of it is still under way there, and is asked for again then.
    AskingOthers { since: Mono, ask_at: Option<Mono> },
    /// The answer is being kept as bytes. `retry_at`: it could not be kept, and is tried once more then.
    Keeping { answer: UnstoredAnswer, tries: u32, retry_at: Option<Mono> },
    /// It was refused: does the balance bear that out?
    CheckingBalance { call: CallId, end: OrderEnd },
    /// It has no outcome: a look comes next, or the end.
    Losing(Option<OrderEnd>),
    /// A sending that was answered with 429 is over; the identical batch is written down next.
    Refused,
    /// It was refused or never sent: its contacts are free again, and the order ends.
    Withdrawing(OrderEnd),
    /// What the answer says is being written down.
    Settling(Box<BatchReading>),
    /// A free look.
    Looking(Box<FreeCheck>),
    /// What the look found is being written down.
    Noting(Vec<Settled>),
    /// The end; `None` where the review is shown again.
    Over(Option<OrderEnd>),
}

/// Tries to keep an answer before the order ends; it is tried further afterwards.
const KEEP_TRIES: u32 = 5;

// Contacts that another unlock has under way: this order continues without them, and at its end waits for what became of them.
// What the other bought is owned and costs nothing here; what it left locked goes out with this order after all.

/// Between two looks at what the other unlock wrote down.
const LOOK: Duration = Duration::from_millis(200);
/// How long another unlock is waited for. It may have to send a batch again.
const PATIENCE: Duration = Duration::from_secs(120);
/// Why a batch does not leave again.
const OWNED_NOW: &str = "some of its contacts are owned now, so it is not sent again";
/// How often contacts that the other left locked are taken up again.
const ROUNDS: u32 = 3;

/// How an order ended.
#[derive(Clone, Debug, PartialEq)]
pub enum OrderEnd {
    /// Every batch was answered.
    Done,
    /// A person stopped it after a call.
    Stopped,
    /// The balance ran out.
    OutOfCredits,
    /// The service said no.
    Refused { status: u16, why: Refusal, words: String },
    /// The store would not let the next batch go: a cap, a change of the basket, another window.
    Withheld(IntentRefused),
    /// A batch stayed without an answer, or without an answer that settles it.
    Unknown(String),
    /// The service says that it charged more than was asked for: nothing more is sent.
    Alarm(String),
    /// The limit would have had to be waited for too long.
    Limit(String),
    /// It never left: the service cannot be reached.
    Unreached(String),
    /// The store could not write: nothing more is sent.
    Store(String),
    /// Key, profile or settings are others than the order was accepted for, or a batch to send again holds a contact that is
    /// not allowed any more: nothing more is sent.
    Changed(String),
}

impl OrderEnd {
    /// Why it ended, where that was said.
    fn words(&self) -> Option<&str> {
        match self {
            OrderEnd::Unknown(words)
            | OrderEnd::Alarm(words)
            | OrderEnd::Store(words)
            | OrderEnd::Limit(words)
            | OrderEnd::Unreached(words)
            | OrderEnd::Changed(words)
            | OrderEnd::Refused { words, .. } => Some(words),
            OrderEnd::Done | OrderEnd::Stopped | OrderEnd::OutOfCredits | OrderEnd::Withheld(_) => None,
        }
    }
}

/// The result of an order. Counted by us (M7); the service's own figures stand beside.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderSummary {
    pub order: Option<OrderId>,
    /// The review that was accepted, with all that it left aside.
    pub quote: Arc<Quote>,
    pub end: OrderEnd,
    pub ceiling: Credits,
    /// Each contact that was to be unlocked, in the order of the review.
    pub contacts: Vec<Settled>,
    pub tally: Tally,
    pub said: StatedSums,
    /// Of these, what another unlock had already sending when this order reached them.
    pub elsewhere: Vec<RowId>,
    /// What the person has to be told of the service's answers.
    pub notices: Vec<String>,
    /// How many of the contacts a list or a limit took out while the order ran.
    pub left_out: usize,
    /// Whether a request that costs may have reached the service.
    pub sent: bool,
}

impl OrderSummary {
    pub fn corpus(&self) -> Corpus {
        self.quote.basis.corpus
    }

    /// Contacts whose result is not certain. What another unlock has under way is not among them: that one will say.
    pub fn uncertain(&self) -> u64 {
        self.tally.unknown.saturating_sub(self.elsewhere.len() as u64)
    }

    /// The service said that the balance does not suffice, in whichever form.
    pub fn is_out_of_credits(&self) -> bool {
        matches!(self.end, OrderEnd::OutOfCredits | OrderEnd::Refused { why: Refusal::Credits, .. })
    }

    /// By how much the balance fell beyond what this order and, by the ledger, other orders on this computer can explain, in a
    /// sentence. Others share the balance: it is a hint (M5).
    pub fn unexplained(&self, after: Option<Credits>, now: Option<&Spent>) -> Option<String> {
        let basis = &self.quote.basis;
        let (before, _) = basis.balance?;
        let fell = before - after?;
        let explained = self.tally.charged + self.tally.unknown + self.tally.unreachable;
        let explained = Credits(i64::try_from(explained).unwrap_or(i64::MAX));
        // Including charges of other windows since the review, and their open batches.
        let charged = now.map(|now| now.charged_ever.saturating_sub(basis.spent.charged_ever));
        let of_all =
            charged.zip(now).map(|(charged, now)| Credits(i64::try_from(charged).unwrap_or(i64::MAX)) + now.held);
        let explained_by_all = of_all.unwrap_or_default().max(explained);
        (fell > explained_by_all).then(|| {
            format!(
                "the balance fell by {fell}, but this order explains only {explained}: other keys share it, or more was charged"
            )
        })
    }

    /// Why contacts of it are unknown, where that is known.
    pub fn why_unknown(&self) -> Option<&str> {
        let words =
            if self.end == OrderEnd::Stopped { "stopped before the result was known" } else { self.end.words()? };
        Some(words.trim().trim_end_matches('.')).filter(|words| !words.is_empty())
    }

    /// The exit code of the shell command: unknown before credits before ceilings before the rest.
    pub fn exit(&self) -> u8 {
        if self.tally.unknown > 0 || !self.quote.unknown.is_empty() {
            return 9;
        }
        match &self.end {
            OrderEnd::Unknown(_) => 9,
            OrderEnd::OutOfCredits | OrderEnd::Refused { why: Refusal::Credits, .. } => 6,
            OrderEnd::Withheld(
                IntentRefused::Cap { .. } | IntentRefused::Ceiling { .. } | IntentRefused::NotGranted(_),
            ) => 3,
            OrderEnd::Withheld(IntentRefused::Open(_)) => 9,
            OrderEnd::Refused { why: Refusal::Key, .. } => 4,
            OrderEnd::Refused { why: Refusal::Scope, .. } => 5,
            OrderEnd::Limit(_) => 7,
            OrderEnd::Unreached(_) | OrderEnd::Alarm(_) => 8,
            OrderEnd::Done | OrderEnd::Stopped if self.quote.held_back() + self.left_out > 0 => 3,
            OrderEnd::Done => 0,
            OrderEnd::Stopped => 130,
            OrderEnd::Refused { .. } | OrderEnd::Withheld(_) | OrderEnd::Store(_) | OrderEnd::Changed(_) => 1,
        }
    }
}
