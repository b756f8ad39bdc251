//! The steps of a batch, from its intent to its settlement.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::domain::contact::{RowId, Side, Source};
use crate::domain::money::BatchId;
use crate::domain::time::{Mono, Now};
use crate::effect::call::{Call, Reply, UnlockCall};
use crate::effect::failure::{Failure, StoreFailure};
use crate::effect::store::{BasketGuard, How, Intent, Said, Settled, Settlement, Sight, StoreCall, StoreReply};
use crate::effect::{CallId, Effect, Ticket};
use crate::flow::desk::{Desk, Heard};
use crate::flow::ledger::reading::{Asked, Reading, bought_unanswered, read_answers};
use crate::flow::limiter::Priority;
use crate::flow::look::{Look, Seen, Wanted};
use crate::flow::retry::Patience;

use super::job::End;
use super::quote::Origin;
use super::{AGAIN, News, SHELL_WAIT, UNSAVED_AGAIN, Unlock, Unsaved};

#[derive(Clone, Debug)]
pub(super) enum Step {
    Idle,
    /// The batch is being written down.
    Intending(Ticket),
    /// Queued for a slot, or on the wire.
    Waiting(CallId),
    /// Before the same ids are sent again; `again` when an earlier sending went unanswered and a new intent is due.
    Resting {
        until: Mono,
        again: bool,
    },
    /// The answer is being kept as bytes.
    Keeping {
        ticket: Ticket,
        status: u16,
        body: Bytes,
        tries: u32,
    },
    /// It could not be kept: once more at this moment. The answer is nowhere but here.
    Clutching {
        until: Mono,
        status: u16,
        body: Bytes,
        tries: u32,
    },
    Losing {
        ticket: Ticket,
        end: Option<End>,
    },
    Withdrawing {
        ticket: Ticket,
        end: End,
    },
    Settling {
        ticket: Ticket,
        reading: Box<Reading>,
    },
    /// Where the contacts to look for were shown.
    Recalling(Ticket),
    Looking(Box<Look>),
    /// What the look found is being written down.
    Noting {
        tickets: BTreeSet<Ticket>,
        settled: Vec<Settled>,
    },
}

impl Step {
    pub(super) fn deadline(&self) -> Option<Mono> {
        match self {
            Step::Resting { until, .. } | Step::Clutching { until, .. } => Some(*until),
            _ => None,
        }
    }
}

/// Tries to keep an answer before the order ends; it is tried further afterwards.
const KEEP_TRIES: u32 = 5;

impl Unlock {
    /// The batch of an order that sends one again is there from the start.
    pub(super) fn begin(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if self.job.as_ref().is_some_and(|job| job.batch.is_some()) {
            self.intend(desk, fx);
        } else {
            self.next_batch(desk, now, fx);
        }
    }

    fn next_batch(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        if job.stop {
            self.finish(End::Stopped, now);
        } else if job.turn() {
            self.intend(desk, fx);
        } else {
            self.finish(End::Done, now);
        }
    }

    /// *Intent before send*: nothing leaves before the store has written the batch down, synced, under its conditions.
    fn intend(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let quote = job.order.quote();
        let basis = &quote.basis;
        let basket = match (&basis.origin, batch.id, job.id) {
            (Origin::Basket(version), None, None) => Some(BasketGuard { version: Some(*version) }),
            (Origin::Basket(_), None, Some(_)) => Some(BasketGuard { version: None }),
            _ => None,
        };
        let intent = Intent {
            order: job.id,
            purse: basis.who.purse.clone(),
            key: basis.who.key.clone(),
            profile: basis.who.profile.clone(),
            window: basis.who.window.clone(),
            corpus: basis.corpus,
            ids: batch.ids(),
            verify: quote.choice.verify,
            ceiling: job.order.ceiling(),
            caps: basis.caps,
            basket,
            asked: quote.to_unlock.len() as u64,
            balance_before: job.balance,
            clues: batch.clues(),
            again: batch.id,
        };
        job.step = Step::Intending(desk.store(StoreCall::Intend(Box::new(intent)), fx));
    }

    /// The one place in lode that asks for an unlock. It is reached only from an intent that the store has accepted.
    fn send(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        assert!(batch.id.is_some(), "a batch is sent only after it was written down");
        let quote = job.order.quote();
        let call = UnlockCall { corpus: quote.basis.corpus, ids: batch.ids(), verify: quote.choice.verify };
        job.step = Step::Waiting(desk.ask(Call::Unlock(call), Priority::Unlock, now, fx));
    }

    /// Ends the order with the batch unsent or refused. Free again are its ids only if no earlier sending is unanswered.
    pub(super) fn give_back(&mut self, end: End, desk: &mut Desk, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let Some(id) = batch.id else { return };
        let words = words_of(&end);
        job.step = if batch.unanswered {
            Step::Losing { ticket: desk.store(StoreCall::Lost { batch: id, words }, fx), end: Some(end) }
        } else {
            Step::Withdrawing { ticket: desk.store(StoreCall::Withdraw { batch: id, words }, fx), end }
        };
    }

    pub(super) fn rested(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        match std::mem::replace(&mut job.step, Step::Idle) {
            Step::Resting { again: true, .. } => self.intend(desk, fx),
            Step::Resting { again: false, .. } => self.send(desk, now, fx),
            Step::Clutching { status, body, tries, .. } => {
                if let Some(batch) = batch.id {
                    let ticket = desk.store(StoreCall::Heard { batch, status, body: body.clone() }, fx);
                    job.step = Step::Keeping { ticket, status, body, tries };
                }
            }
            other => job.step = other,
        }
    }

    pub(super) fn replied(
        &mut self,
        call: CallId,
        result: &Result<Reply, Failure>,
        heard: &Heard,
        desk: &mut Desk,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> bool {
        let Some(job) = &mut self.job else { return false };
        let Some(batch) = &mut job.batch else { return false };
        if let Step::Looking(look) = &mut job.step {
            let taken = look.hear(heard, desk, now, fx);
            if taken && look.is_over() {
                self.looked(desk, now, fx);
            }
            return taken;
        }
        if !matches!(job.step, Step::Waiting(waiting) if waiting == call) {
            return false;
        }
        let Some(id) = batch.id else { return false };
        match result {
            // *Answers are kept*: the bytes go to the disk before anybody reads them.
            Ok(Reply::Unlock { status, body }) => {
                let ticket = desk.store(StoreCall::Heard { batch: id, status: *status, body: body.clone() }, fx);
                job.step = Step::Keeping { ticket, status: *status, body: body.clone(), tries: 0 };
            }
            Err(Failure::Later { words, .. }) => {
                let until = desk.gauge(Source::Workspace, now).paused.map_or(now.mono, |paused| paused.until);
                batch.waited += until.since(now.mono);
                if job.stop {
                    self.give_back(End::Stopped, desk, fx);
                } else if self.patience == Patience::Shell && batch.waited > SHELL_WAIT {
                    self.give_back(End::Limit(words.clone()), desk, fx);
                } else {
                    // A 429 applied nothing: the very same call, as soon as the key may speak again.
                    self.send(desk, now, fx);
                }
            }
            Err(Failure::Refused { status, why, words }) => {
                let end = End::Refused { status: *status, why: *why, words: words.clone() };
                self.give_back(end, desk, fx);
            }
            Err(Failure::Unsent { words }) => {
                batch.unsent += 1;
                if batch.unsent <= AGAIN && !job.stop {
                    let until = now.mono.after(self.jitter.backoff(batch.unsent));
                    job.step = Step::Resting { until, again: false };
                } else {
                    self.give_back(End::Unreached(words.clone()), desk, fx);
                }
            }
            Ok(_) => self.lose(id, "the answer was not one of an unlock", desk, fx),
            Err(Failure::Unclear { words, .. } | Failure::OurBug { words } | Failure::Disk { words }) => {
                self.lose(id, words, desk, fx);
            }
        }
        true
    }

    /// The line broke: the outcome is unknown from here on, and that is written down before anything else.
    fn lose(&mut self, id: BatchId, words: &str, desk: &mut Desk, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        batch.unanswered = true;
        batch.past = false;
        batch.lost += 1;
        let words = words.to_owned();
        let end = (batch.lost > AGAIN || job.stop).then(|| End::Unknown(words.clone()));
        job.step = Step::Losing { ticket: desk.store(StoreCall::Lost { batch: id, words }, fx), end };
    }

    pub(super) fn stored(
        &mut self,
        ticket: Ticket,
        result: &Result<StoreReply, StoreFailure>,
        desk: &mut Desk,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> bool {
        let Some(job) = &mut self.job else { return false };
        let Some(batch) = &mut job.batch else { return false };
        let mine = match &job.step {
            Step::Intending(mine) | Step::Recalling(mine) => *mine == ticket,
            Step::Keeping { ticket: mine, .. }
            | Step::Losing { ticket: mine, .. }
            | Step::Withdrawing { ticket: mine, .. }
            | Step::Settling { ticket: mine, .. } => *mine == ticket,
            Step::Noting { tickets, .. } => tickets.contains(&ticket),
            Step::Idle | Step::Waiting(_) | Step::Resting { .. } | Step::Clutching { .. } | Step::Looking(_) => false,
        };
        if !mine {
            return false;
        }
        match (std::mem::replace(&mut job.step, Step::Idle), result) {
            (Step::Intending(_), Ok(StoreReply::Intended { order, batch: id })) => {
                job.id = Some(*order);
                batch.id = Some(*id);
                if job.stop {
                    // It was written down in vain: nothing of it has left.
                    self.give_back(End::Stopped, desk, fx);
                } else {
                    batch.sent += 1;
                    self.send(desk, now, fx);
                }
            }
            (Step::Intending(_), Ok(StoreReply::IntentRefused(why))) => self.finish(End::Withheld(why.clone()), now),
            (Step::Intending(_), Ok(_)) => self.finish(End::Store("the store did not write it down".to_owned()), now),
            (Step::Keeping { body, .. }, Ok(_)) => {
                batch.bodies.push(body);
                self.interpret(desk, fx);
            }
            (Step::Keeping { status, body, tries, .. }, Err(failure)) => {
                self.clutch(status, body, tries, failure, now);
            }
            (Step::Losing { end: None, .. }, Ok(_)) => {
                let until = now.mono.after(self.jitter.backoff(batch.lost));
                job.step = Step::Resting { until, again: true };
            }
            (Step::Losing { end: Some(end), .. }, Ok(_)) => self.finish(end, now),
            (Step::Withdrawing { end, .. }, Ok(_)) => {
                // Nothing of it is in doubt any more.
                batch.open.clear();
                self.finish(end, now);
            }
            (Step::Settling { reading, .. }, Ok(_)) => self.settled(&reading, desk, now, fx),
            (Step::Recalling(_), found) => self.look(found, desk, now, fx),
            (Step::Noting { mut tickets, settled }, Ok(_)) => {
                tickets.remove(&ticket);
                if tickets.is_empty() {
                    self.noted(settled, desk, now, fx);
                } else {
                    job.step = Step::Noting { tickets, settled };
                }
            }
            (_, Err(failure)) => self.finish(End::Store(failure.to_string()), now),
            (step, Ok(_)) => job.step = step,
        }
        true
    }

    /// The answer cannot be written down although room was reserved for it: held on to, tried again, sent nothing further.
    fn clutch(&mut self, status: u16, body: Bytes, tries: u32, failure: &StoreFailure, now: Now) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        if tries < KEEP_TRIES {
            let until = now.mono.after(self.jitter.backoff(tries + 1));
            job.step = Step::Clutching { until, status, body, tries: tries + 1 };
            return;
        }
        if let Some(batch) = batch.id {
            let at = now.mono.after(UNSAVED_AGAIN);
            self.unsaved.push_back(Unsaved { batch, status, body, at, ticket: None });
        }
        self.finish(End::Store(failure.to_string()), now);
    }

    /// The answer is on the disk: what does it say?
    fn interpret(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let Some(id) = batch.id else { return };
        let quote = job.order.quote();
        let ids = batch.ids();
        let asked = Asked {
            batch: id,
            corpus: quote.basis.corpus,
            ids: &ids,
            open: &batch.open,
            sent: batch.sent,
            verify: quote.choice.verify,
            past: batch.past,
        };
        let reading = read_answers(asked, batch.bodies.iter().map(|body| &body[..]));
        if reading.settlement.contacts.is_empty()
            && let Some(words) = &reading.unreadable
        {
            let words = words.clone();
            job.step = Step::Losing {
                ticket: desk.store(StoreCall::Lost { batch: id, words: words.clone() }, fx),
                end: Some(End::Unknown(words)),
            };
            return;
        }
        let ticket = desk.store(StoreCall::Settle(Box::new(reading.settlement.clone())), fx);
        job.step = Step::Settling { ticket, reading: Box::new(reading) };
    }

    fn settled(&mut self, reading: &Reading, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let corpus = job.corpus();
        job.hear_said(reading.settlement.said);
        let mut whole = Vec::new();
        for settled in &reading.settlement.contacts {
            job.record(settled.clone());
            if !reading.incomplete.contains(&settled.id) {
                whole.push(settled.clone());
            }
        }
        if !whole.is_empty() {
            self.news.push_back(News::Settled { corpus, contacts: whole });
        }
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        batch.open.clone_from(&reading.open);
        batch.stopped = reading.settlement.stopped_for_credits;
        batch.incomplete = reading.incomplete.iter().map(|id| (*id, Default::default())).collect();
        let ids: Vec<RowId> = batch.open.iter().chain(batch.incomplete.keys()).copied().collect();
        if ids.is_empty() {
            self.advance(desk, now, fx);
            return;
        }
        let profile = job.order.quote().basis.who.profile.clone();
        let side = Side { source: Source::Workspace, corpus };
        job.step = Step::Recalling(desk.store(StoreCall::Shown { profile, side, ids }, fx));
    }

    /// A free look for what the answer left out: contacts it did not mention, and those it named without what was paid for.
    fn look(&mut self, shown: &Result<StoreReply, StoreFailure>, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let mut wanted: BTreeMap<RowId, Wanted> = batch
            .open
            .iter()
            .chain(batch.incomplete.keys())
            .map(|id| (*id, Wanted { clue: batch.clue(*id), shown: Vec::new() }))
            .collect();
        if let Ok(StoreReply::Shown(shown)) = shown {
            for (id, shown) in shown {
                if let Some(wanted) = wanted.get_mut(id) {
                    wanted.shown.clone_from(shown);
                }
            }
        }
        let mut look = Look::new(job.order.quote().basis.corpus, wanted);
        look.go(desk, now, fx);
        let over = look.is_over();
        job.step = Step::Looking(Box::new(look));
        if over {
            self.looked(desk, now, fx);
        }
    }

    fn looked(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let Step::Looking(look) = std::mem::replace(&mut job.step, Step::Idle) else { return };
        let Some(id) = batch.id else { return };
        let quote = job.order.quote();
        let mut tickets = BTreeSet::new();
        let mut settled = Vec::new();
        let mut sightings = Vec::new();
        for open in &batch.open {
            match look.seen(*open) {
                Seen::Ours(contact) => settled.push(bought_unanswered(*open, contact.clone(), quote.choice.verify)),
                Seen::Locked => sightings.push((*open, Sight::Locked)),
                Seen::Absent(_) => sightings.push((*open, Sight::Absent)),
                Seen::Unseen => {}
            }
        }
        let mut own = Vec::new();
        for (id, contact) in &mut batch.incomplete {
            if let Seen::Ours(found) = look.seen(*id) {
                contact.clone_from(found);
                own.push((
                    *id,
                    found.clone(),
                    batch.lines.iter().find(|line| line.id == *id).and_then(|line| line.clue.search.clone()),
                ));
            }
        }
        if !settled.is_empty() {
            let settlement = Settlement {
                batch: id,
                how: How::Look,
                contacts: settled.clone(),
                said: Said::default(),
                stopped_for_credits: batch.stopped,
            };
            tickets.insert(desk.store(StoreCall::Settle(Box::new(settlement)), fx));
        }
        if !sightings.is_empty() {
            tickets.insert(desk.store(StoreCall::Sighted { batch: id, sightings }, fx));
        }
        if !own.is_empty() {
            let purse = quote.basis.who.purse.clone();
            tickets.insert(desk.store(StoreCall::Own { purse, corpus: quote.basis.corpus, contacts: own }, fx));
        }
        if tickets.is_empty() {
            self.noted(settled, desk, now, fx);
        } else {
            job.step = Step::Noting { tickets, settled };
        }
    }

    fn noted(&mut self, settled: Vec<Settled>, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let corpus = job.corpus();
        let mut contacts = settled.clone();
        let incomplete = job.batch.as_mut().map(|batch| std::mem::take(&mut batch.incomplete)).unwrap_or_default();
        for settled in settled {
            if let Some(batch) = &mut job.batch {
                batch.open.remove(&settled.id);
            }
            job.record(settled);
        }
        for (id, contact) in incomplete {
            job.complete(id, &contact);
            contacts.extend(job.recorded(id).cloned());
        }
        if !contacts.is_empty() {
            self.news.push_back(News::Settled { corpus, contacts });
        }
        self.advance(desk, now, fx);
    }

    /// The batch has all the outcomes it will get here.
    fn advance(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        job.batch_done(now);
        let Some(batch) = &job.batch else { return };
        if !batch.open.is_empty() {
            self.finish(End::Unknown("no answer says what became of some contacts".to_owned()), now);
        } else if batch.stopped {
            self.finish(End::OutOfCredits, now);
        } else {
            self.next_batch(desk, now, fx);
        }
    }
}

fn words_of(end: &End) -> String {
    match end {
        End::Refused { words, .. } | End::Unknown(words) | End::Limit(words) | End::Unreached(words) => words.clone(),
        _ => "stopped before it was sent".to_owned(),
    }
}
