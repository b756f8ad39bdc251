//! The steps of a batch, in their order: what the machine waits for, and where it goes from there. How a batch gets out is
//! `sending`, what its answer leads to is `settling`.

use std::collections::BTreeSet;

use bytes::Bytes;

use crate::effect::failure::StoreFailure;
use crate::effect::store::{IntentRefused, Settled, StoreCall, StoreReply};
use crate::effect::{CallId, Ticket};
use crate::flow::desk::{Cx, Owner};
use crate::flow::ledger::reading::Reading;
use crate::flow::look::Look;
use lode_core::put_back::put_back;
use lode_core::time::Mono;

use super::batch::{Question, Sight};
use super::checked::{Check, Then};
use super::end::End;
use super::{News, Unlock};

/// What an order waits for at its end.
#[derive(Clone, Debug)]
pub(super) struct Others {
    pub(super) since: Mono,
    pub(super) at: Mono,
    pub(super) ticket: Option<Ticket>,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    Idle,
    /// What the order rests on is read again.
    Checking(Box<Check>),
    /// The batch was written down, and is withdrawn unsent: something changed.
    TakingBack(Ticket),
    /// The batch is being written down.
    Intending(Ticket),
    /// Queued for a slot, or on the wire.
    Waiting(CallId),
    /// Before the same ids are sent again; `again` when an earlier sending went unanswered and a new intent is due.
    Resting {
        until: Mono,
        again: bool,
    },
    /// Other unlocks have the rest under way.
    Awaiting(Others),
    /// The answer is being kept as bytes.
    Keeping {
        ticket: Ticket,
        status: u16,
        body: Bytes,
        tries: u32,
    },
    /// It could not be kept: once more at this moment. The answer is nowhere but here.
    RetryingKeep {
        until: Mono,
        status: u16,
        body: Bytes,
        tries: u32,
    },
    /// It was refused: does the balance bear that out?
    CheckingBalance {
        call: CallId,
        end: End,
    },
    Losing {
        ticket: Ticket,
        end: Option<End>,
    },
    /// A sending that was answered with 429 is over; the identical batch is written down next.
    Refused(Ticket),
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
            Step::Resting { until, .. } | Step::RetryingKeep { until, .. } => Some(*until),
            Step::Awaiting(others) => others.ticket.is_none().then_some(others.at),
            _ => None,
        }
    }
}

/// Tries to keep an answer before the order ends; it is tried further afterwards.
pub(super) const KEEP_TRIES: u32 = 5;

impl Unlock {
    /// The batch of an order that sends one again is there from the start, and is looked for first: what is owned by now is not
    /// sent again.
    pub(super) fn begin(&mut self, cx: &mut Cx<'_>) {
        match self.job.as_mut().and_then(|job| job.batch.as_mut()) {
            Some(batch) => {
                batch.question = Some(Question::Finish);
                self.inquire(cx);
            }
            None => self.next_batch(cx),
        }
    }

    pub(super) fn next_batch(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        if let Some(alarm) = job.alarm.take() {
            self.finish(End::Alarm(alarm), cx.now);
        } else if job.stop {
            self.finish(End::Stopped, cx.now);
        } else if job.take_next_batch() {
            self.check(Then::Intend, cx);
        } else if !job.elsewhere.is_empty() && !job.gave_up {
            self.await_others(cx);
        } else if job.dropped {
            self.finish(End::Withheld(IntentRefused::BasketChanged), cx.now);
        } else {
            self.finish(End::Done, cx.now);
        }
    }

    pub(super) fn rested(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        if matches!(job.step, Step::Awaiting(_)) {
            return self.ask_others(cx);
        }
        let Some(batch) = &mut job.batch else { return };
        match std::mem::replace(&mut job.step, Step::Idle) {
            Step::Resting { again: true, .. } => self.check(Then::Intend, cx),
            Step::Resting { again: false, .. } => self.check(Then::Send, cx),
            // It waits for a slot: what it rests on may have changed meanwhile.
            Step::Waiting(call) => {
                if cx.cancel(call) {
                    self.check(Then::Send, cx);
                } else {
                    (job.step, batch.left) = (Step::Waiting(call), true);
                }
            }
            Step::RetryingKeep { status, body, tries, .. } => {
                if let Some(batch) = batch.id {
                    let ticket = cx.store(Owner::Unlock, StoreCall::Heard { batch, status, body: body.clone() });
                    job.step = Step::Keeping { ticket, status, body, tries };
                }
            }
            other => job.step = other,
        }
    }

    pub(super) fn stored(
        &mut self,
        ticket: Ticket,
        result: &Result<StoreReply, StoreFailure>,
        cx: &mut Cx<'_>,
    ) -> bool {
        let Some(job) = &mut self.job else { return false };
        let Some(batch) = &mut job.batch else { return false };
        let mine = match &job.step {
            Step::Intending(mine) | Step::Recalling(mine) | Step::TakingBack(mine) | Step::Refused(mine) => {
                *mine == ticket
            }
            Step::Keeping { ticket: mine, .. }
            | Step::Losing { ticket: mine, .. }
            | Step::Withdrawing { ticket: mine, .. }
            | Step::Settling { ticket: mine, .. } => *mine == ticket,
            Step::Noting { tickets, .. } => tickets.contains(&ticket),
            Step::Idle
            | Step::Checking(_)
            | Step::Waiting(_)
            | Step::CheckingBalance { .. }
            | Step::Resting { .. }
            | Step::RetryingKeep { .. }
            | Step::Awaiting(_)
            | Step::Looking(_) => false,
        };
        if !mine {
            return false;
        }
        match (std::mem::replace(&mut job.step, Step::Idle), result) {
            (Step::Intending(_), Ok(StoreReply::Intended { order, batch: id, sent })) => {
                job.id = Some(*order);
                batch.id = Some(*id);
                batch.sent = *sent;
                self.news.push_back(News::Written);
                if job.stop {
                    // It was written down in vain: nothing of it has left.
                    self.give_back(End::Stopped, cx);
                } else {
                    self.send(cx);
                }
            }
            (Step::Intending(_), Ok(StoreReply::IntentRefused(IntentRefused::Settled(contacts)))) => {
                if batch.id.is_none() {
                    self.leave_owned(contacts, cx);
                } else {
                    self.settled_elsewhere(contacts, cx);
                }
            }
            (Step::Intending(_), Ok(StoreReply::IntentRefused(IntentRefused::Open(ids)))) if batch.id.is_none() => {
                self.leave_elsewhere(ids, cx);
            }
            (Step::Intending(_), Ok(StoreReply::IntentRefused(IntentRefused::BasketChanged)))
                if batch.id.is_none() && (job.id.is_some() || !job.elsewhere.is_empty()) =>
            {
                self.leave_changed(cx);
            }
            (Step::Intending(_), Ok(StoreReply::IntentRefused(IntentRefused::ListsChanged))) => {
                self.check(Then::Intend, cx);
            }
            (Step::TakingBack(_), Ok(_)) => self.taken_back(cx),
            (Step::Intending(_), Ok(StoreReply::IntentRefused(why))) => self.finish(End::Withheld(why.clone()), cx.now),
            // What was looked for here was the sending before: nothing leaves on that.
            (Step::Intending(_) | Step::Settling { .. }, Ok(StoreReply::Outdated)) => {
                self.finish(End::Unknown("another window has sent it again".to_owned()), cx.now);
            }
            (Step::Intending(_), Ok(_)) => self.finish(End::Store("it could not be recorded".to_owned()), cx.now),
            (Step::Keeping { body, .. }, Ok(_)) => {
                batch.bodies.push(body);
                self.interpret(cx);
            }
            (Step::Keeping { status, body, tries, .. }, Err(failure)) => {
                self.clutch(status, body, tries, failure, cx.now);
            }
            (Step::Losing { end: None, .. }, Ok(_)) if put_back("resend-unchecked") => {
                batch.sight = Sight::Locked;
                self.advance(cx);
            }
            (Step::Losing { end: None, .. }, Ok(_)) => self.inquire(cx),
            (Step::Losing { end: Some(end), .. }, Ok(_)) => self.finish(end, cx.now),
            (Step::Refused(_), Ok(_)) => self.check(Then::Intend, cx),
            (Step::Withdrawing { end, .. }, Ok(_)) => {
                // Nothing of it is unknown any more.
                batch.open.clear();
                self.finish(end, cx.now);
            }
            (Step::Settling { reading, .. }, Ok(_)) => self.settled(&reading, cx),
            (Step::Recalling(_), found) => self.look(found, cx),
            (Step::Noting { mut tickets, mut settled }, Ok(reply)) => {
                tickets.remove(&ticket);
                if *reply == StoreReply::Outdated {
                    // What the look saw is of before that sending: nothing may follow from it here.
                    settled.clear();
                    batch.sight = Sight::Failed("another window has sent it again since".to_owned());
                }
                if tickets.is_empty() {
                    self.noted(settled, cx);
                } else {
                    job.step = Step::Noting { tickets, settled };
                }
            }
            (_, Err(failure)) => self.finish(End::Store(failure.to_string()), cx.now),
            (step, Ok(_)) => job.step = step,
        }
        true
    }

    /// The batch has all the outcomes it will get here.
    pub(super) fn advance(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        job.batch_done(cx.now);
        let Some(batch) = &mut job.batch else { return };
        if let Some(question) = batch.question.take() {
            return self.conclude(question, cx);
        }
        if !batch.open.is_empty() {
            let words = job.alarm.clone().or_else(|| job.notices.last().cloned());
            let words = words.unwrap_or_else(|| "the response does not cover every contact".to_owned());
            self.finish(End::Unknown(words), cx.now);
        } else if batch.stopped && job.alarm.is_none() {
            self.finish(End::OutOfCredits, cx.now);
        } else {
            self.next_batch(cx);
        }
    }
}
