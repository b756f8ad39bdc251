//! One call and its attempts: what an answer or its absence means for the call, whether it goes out again, and when patience
//! ends. What of it the flows get to hear is decided here; where the next attempt gets its slot is not.

use crate::effect::call::{Call, Reply};
use crate::effect::failure::{Failure, Unclear};
use crate::effect::files::FileCall;
use crate::effect::{CallId, Effect, Ticket};
use crate::flow::limiter::Priority;
use crate::flow::retry;
use lode_core::contact::Source;
use lode_core::time::{Mono, Now};

use super::{Desk, Heard, LastRequest, Left, Owner, Pending, Stage};

impl Desk {
    /// The moment at which time alone moves this call on; none while it depends on an answer. `ready_at` is when its priority
    /// may ask for a slot.
    pub(super) fn next_step(&self, pending: &Pending, ready_at: Option<Mono>) -> Option<Mono> {
        match pending.stage {
            Stage::Sent { at, .. } => self.overdue_at(pending, at),
            Stage::Coming { .. } => None,
            Stage::Queued { not_before } => Some(ready_at?.max(not_before)).filter(|step| *step > self.seen),
        }
    }

    pub(super) fn ready_at(&self, pending: &Pending) -> Option<Mono> {
        self.lane(pending.call.source()).ready_at(pending.priority, self.seen)
    }

    /// When a running attempt uses up what is left of the patience. A slow query that is on the wire may take its time, and
    /// so may whatever is not a plain read.
    pub(super) fn overdue_at(&self, pending: &Pending, sent_at: Mono) -> Option<Mono> {
        if !pending.call.is_free_read() || retry::is_slow(&pending.call) {
            return None;
        }
        let patience = self.budget.left().map(|left| sent_at.after(left));
        patience.into_iter().chain(self.ends_at(pending)).min()
    }

    /// When a search that gets no answer ends, however often it was sent. What the service asked to wait does not count.
    fn ends_at(&self, pending: &Pending) -> Option<Mono> {
        let is_search = matches!(pending.call, Call::Search(_)) && !retry::is_slow(&pending.call);
        pending.since.filter(|_| is_search).map(|since| since.after(retry::LONGEST_SEARCH))
    }

    pub(super) fn give_up_overdue(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let overdue = |pending: &Pending| match pending.stage {
            Stage::Sent { at, .. } => self.overdue_at(pending, at).is_some_and(|limit| limit <= now.mono),
            Stage::Queued { .. } | Stage::Coming { .. } => false,
        };
        let late: Vec<CallId> = self.calls.iter().filter(|(_, pending)| overdue(pending)).map(|(id, _)| *id).collect();
        for id in late {
            let Some(pending) = self.calls.get(&id) else { continue };
            let is_over = self.ends_at(pending).is_some_and(|end| end <= now.mono);
            let (owner, call) = (pending.owner, pending.call.clone());
            let most = if is_over { retry::LONGEST_SEARCH } else { retry::SHELL_PATIENCE };
            self.cancel(id, now, fx);
            let words = format!("no answer within {} s", most.as_secs());
            let failure = Failure::Unclear { why: Unclear::Deadline, words };
            self.failed.push_back((owner, Heard::Reply(id, call, Err(failure))));
        }
    }

    /// Ends an export that is on the wire in order: what it leaves is told under the ticket, and then it may be canceled. None
    /// where it is not on the wire.
    pub fn end_export(&mut self, owner: Owner, id: CallId, keep: bool, fx: &mut Vec<Effect>) -> Option<Ticket> {
        let Pending { call: Call::Export { .. }, stage, .. } = self.calls.get(&id)? else { return None };
        let (Stage::Sent { attempt, .. } | Stage::Coming { attempt, .. }) = *stage else { return None };
        Some(self.file(owner, FileCall::StopExport { call: attempt, keep }, fx))
    }

    /// The user waits for it now: it leaves the priority it was asked with.
    pub fn hurry(&mut self, id: CallId, priority: Priority, now: Now, fx: &mut Vec<Effect>) {
        let Some(pending) = self.calls.get_mut(&id) else { return };
        if priority < pending.priority {
            pending.priority = priority;
            self.pump(now, fx);
        }
    }

    pub(super) fn replied(
        &mut self,
        attempt: CallId,
        mut result: Result<Reply, Failure>,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Option<(Owner, Heard)> {
        let id = self.attempts.remove(&attempt)?;
        let mut pending = self.calls.remove(&id)?;
        let (slot, at) = match pending.stage {
            Stage::Sent { slot, at, .. } => (Some(slot), at),
            Stage::Coming { at, .. } => (None, at),
            Stage::Queued { .. } => unreachable!("an attempt on the wire belongs to a call that was sent"),
        };
        let source = pending.call.source();
        // The desk's own question is not what failed.
        if self.doubting != Some(id) {
            self.note_last(LastRequest::new(&pending.call, at, now, result.as_ref().err()));
        }
        if let Some(slot) = slot {
            self.release(source, slot, Left::of(&result), now, fx);
        }
        let resized = match self.resize(&mut pending, result.as_ref(), fx) {
            Ok(resized) => resized,
            Err(failure) => {
                result = Err(failure);
                false
            }
        };
        if resized {
            pending.stage = Stage::Queued { not_before: now.mono };
            self.calls.insert(id, pending);
            return None;
        }
        let failure = match result {
            Ok(reply) => {
                self.lane_mut(source).accepted();
                return self.heard(pending.owner, id, pending.call, Ok(reply), now, fx);
            }
            Err(failure) => failure,
        };
        if let Failure::Later { wait, words }
        | Failure::Unclear { why: Unclear::Undocumented { status: 429, wait }, words } = &failure
        {
            pending.since = None;
            self.pause(source, *wait, words.clone(), now, fx);
        } else {
            pending.failures += 1;
        }
        let again = self.again_at(&pending, &failure, at, source, now);
        if let Some(not_before) = again {
            pending.stage = Stage::Queued { not_before };
            pending.trouble = Some(failure);
            self.calls.insert(id, pending);
            return None;
        }
        self.heard(pending.owner, id, pending.call, Err(failure), now, fx)
    }

    /// The answer of a stream begins: what it still brings takes as long as it takes and blocks no slot.
    pub(super) fn begun(&mut self, id: CallId, now: Now, fx: &mut Vec<Effect>) {
        let Some(pending) = self.calls.get_mut(&id) else { return };
        let Stage::Sent { attempt, slot, at } = pending.stage else { return };
        pending.stage = Stage::Coming { attempt, at };
        let source = pending.call.source();
        self.release(source, slot, Left::Answered, now, fx);
    }

    /// When to send once more after a failure; none when this is the end of it.
    fn again_at(
        &mut self,
        pending: &Pending,
        failure: &Failure,
        sent_at: Mono,
        source: Source,
        now: Now,
    ) -> Option<Mono> {
        if !retry::worth_repeating(&pending.call, failure) {
            return None;
        }
        let again = match failure {
            // The key's pause says when; how often is not counted, a window shows that it waits.
            Failure::Later { .. } => self.lane(source).paused(now.mono).map_or(now.mono, |paused| paused.until),
            _ if pending.failures > retry::RETRIES => return None,
            _ => now.mono.after(self.jitter.backoff(pending.failures)),
        };
        if self.ends_at(pending).is_some_and(|end| again >= end) {
            return None;
        }
        let budget = match failure {
            Failure::Later { .. } if pending.owner == Owner::Unlock => &mut self.unlock_budget,
            _ => &mut self.budget,
        };
        budget.take(sent_at, again).then_some(again)
    }

    /// A shell command does not sit out a pause that is longer than its patience. An unlock is not given up here: the order
    /// it belongs to decides.
    pub(super) fn give_up_paused(&mut self, source: Source, now: Now) {
        let Some(paused) = self.lane(source).paused(now.mono).cloned() else { return };
        for of_order in [false, true] {
            let waits = |(_, pending): &(&CallId, &Pending)| {
                let queued = matches!(pending.stage, Stage::Queued { .. });
                let mine = (pending.owner == Owner::Unlock) == of_order;
                queued && mine && pending.call.source() == source && !matches!(pending.call, Call::Unlock(_))
            };
            let waiting: Vec<CallId> = self.calls.iter().filter(waits).map(|(id, _)| *id).collect();
            let budget = if of_order { &mut self.unlock_budget } else { &mut self.budget };
            if waiting.is_empty() || budget.take(now.mono, paused.until) {
                continue;
            }
            for id in waiting {
                if let Some(pending) = self.calls.remove(&id) {
                    let failure = Failure::Later { wait: Some(paused.left(now.mono)), words: paused.words.clone() };
                    self.note_last(LastRequest::new(&pending.call, now.mono, now, Some(&failure)));
                    self.failed.push_back((pending.owner, Heard::Reply(id, pending.call, Err(failure))));
                }
            }
        }
    }
}
