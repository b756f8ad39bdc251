//! The one way out to the services. Every request of lode is asked for here, waits here for its slot, is sent again from here
//! where that is free, and reports back from here under the one id it was given.
//!
//! A request is sent only with a slot in hand, and a slot is always given back: with the answer, with the broken line, with the
//! cancelling. Who waits, for what and until when is data ([`Desk::waits`], [`Desk::gauge`]). What a request or an answer
//! *means* is the business of the flows; an unlock is never repeated here.

mod lane;
mod view;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::domain::contact::Source;
use crate::domain::time::{Mono, Now};
use crate::effect::call::{Call, Reply};
use crate::effect::failure::{Failure, StoreFailure, Unclear};
use crate::effect::files::{FileCall, FileFailure, FileReply, Progress};
use crate::effect::profile::{Profile, WindowId};
use crate::effect::store::{SlotId, StoreCall, StoreReply};
use crate::effect::{Answer, CallId, Effect, Ticket};

use super::limiter::{self, Priority};
use super::retry::{self, Budget, Jitter, Patience};
use lane::{Lane, Slot};

pub use view::{GaugeView, LastRequest, Paused, Waits};

/// What the flows hear from the world, once the desk has taken what is its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    Reply(CallId, Call, Result<Reply, Failure>),
    Progress(CallId, Progress),
    Stored(Ticket, Result<StoreReply, StoreFailure>),
    Filed(Ticket, Result<FileReply, FileFailure>),
}

#[derive(Clone, Debug)]
struct Pending {
    call: Call,
    priority: Priority,
    asked_at: Mono,
    stage: Stage,
    /// How often it was put on the wire.
    attempts: u32,
    /// How often it came back with less than an answer, a 429 not counted, and what the last attempt said.
    failures: u32,
    trouble: Option<Failure>,
}

#[derive(Clone, Debug)]
enum Stage {
    /// Waits for a slot, not before the given moment.
    Queued { not_before: Mono },
    /// On the wire under an id of its own: an answer to an attempt that was given up names nobody any more.
    Sent { attempt: CallId, slot: Slot, at: Mono },
}

/// How an attempt left the wire.
#[derive(Clone, Copy, Debug)]
enum Left {
    Answered,
    /// Given up or broken: the service may receive it yet.
    Unanswered,
}

impl Left {
    fn of(result: &Result<Reply, Failure>) -> Left {
        match result {
            Err(Failure::Unclear { why: Unclear::Line | Unclear::Deadline, .. }) => Left::Unanswered,
            _ => Left::Answered,
        }
    }
}

/// What a ticket of the desk itself was for.
#[derive(Clone, Copy, Debug)]
enum Errand {
    Reserve(Source),
    Release(Source, SlotId),
    Quiet,
}

#[derive(Clone, Debug)]
pub struct Desk {
    window: WindowId,
    budget: Budget,
    jitter: Jitter,
    next_call: u64,
    next_ticket: u64,
    lanes: [Lane; 2],
    calls: BTreeMap<CallId, Pending>,
    /// The call behind each attempt on the wire.
    attempts: BTreeMap<CallId, CallId>,
    errands: BTreeMap<Ticket, Errand>,
    /// Slots that are free here and still taken in the store, because it failed to write that down.
    owed: Vec<(Source, SlotId)>,
    /// Calls that failed without an answer of the world: heard at the next wake.
    failed: VecDeque<Heard>,
    last: Option<LastRequest>,
    /// The latest moment anybody told us.
    seen: Mono,
}

impl Desk {
    #[must_use]
    pub fn new(profile: &Profile, patience: Patience, jitter_seed: u64) -> Desk {
        Desk {
            window: profile.window.clone(),
            budget: Budget::new(patience),
            jitter: Jitter::new(jitter_seed),
            next_call: 0,
            next_ticket: 0,
            lanes: [Lane::new(profile.workspace.as_ref()), Lane::new(profile.data.as_ref())],
            calls: BTreeMap::new(),
            attempts: BTreeMap::new(),
            errands: BTreeMap::new(),
            owed: Vec::new(),
            failed: VecDeque::new(),
            last: None,
            seen: Mono(0),
        }
    }

    /// Asks for a request. The answer comes as [`Heard::Reply`] under the id that is returned, however often it was sent.
    pub fn ask(&mut self, call: Call, priority: Priority, now: Now, fx: &mut Vec<Effect>) -> CallId {
        let id = self.fresh_call();
        let source = call.source();
        if !self.lane(source).is_open() {
            let words = match source {
                Source::Workspace => "no key for the Workspace API is set",
                Source::Data => "no key for the Data API is set",
            };
            let failure = Failure::Unsent { words: words.to_owned() };
            self.failed.push_back(Heard::Reply(id, call, Err(failure)));
            return id;
        }
        let stage = Stage::Queued { not_before: now.mono };
        let pending = Pending { call, priority, asked_at: now.mono, stage, attempts: 0, failures: 0, trouble: None };
        self.calls.insert(id, pending);
        self.pump(source, now, fx);
        id
    }

    /// Drops a request that waits or runs; nothing will be heard of it. False where there was none to drop: an unlock on the
    /// wire is never dropped, because its answer says what was bought.
    pub fn cancel(&mut self, id: CallId, now: Now, fx: &mut Vec<Effect>) -> bool {
        self.failed.retain(|heard| !matches!(heard, Heard::Reply(failed, ..) if *failed == id));
        let Some(pending) = self.calls.get(&id) else { return false };
        if matches!((&pending.call, &pending.stage), (Call::Unlock(_), Stage::Sent { .. })) {
            return false;
        }
        let source = pending.call.source();
        if let Some(Pending { stage: Stage::Sent { attempt, slot, .. }, .. }) = self.calls.remove(&id) {
            self.attempts.remove(&attempt);
            fx.push(Effect::Cancel(attempt));
            self.release(source, slot, Left::Unanswered, now, fx);
        }
        self.pump(source, now, fx);
        true
    }

    /// Somebody waits for it now: it leaves the priority it was asked with.
    pub fn hurry(&mut self, id: CallId, priority: Priority, now: Now, fx: &mut Vec<Effect>) {
        let Some(pending) = self.calls.get_mut(&id) else { return };
        if priority < pending.priority {
            pending.priority = priority;
            let source = pending.call.source();
            self.pump(source, now, fx);
        }
    }

    pub fn store(&mut self, call: StoreCall, fx: &mut Vec<Effect>) -> Ticket {
        let ticket = self.fresh_ticket();
        fx.push(Effect::Store(ticket, call));
        ticket
    }

    pub fn file(&mut self, call: FileCall, fx: &mut Vec<Effect>) -> Ticket {
        let ticket = self.fresh_ticket();
        fx.push(Effect::File(ticket, call));
        ticket
    }

    /// Takes what is the desk's own (slots, attempts that are worth repeating); gives back what the flows must see.
    pub fn hear(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) -> Option<Heard> {
        self.seen = self.seen.max(now.mono);
        match answer {
            Answer::Replied(attempt, result) => self.replied(attempt, result, now, fx),
            Answer::Progress(attempt, progress) => self.attempts.get(&attempt).map(|id| Heard::Progress(*id, progress)),
            Answer::Stored(ticket, result) => match self.errands.remove(&ticket) {
                None => Some(Heard::Stored(ticket, result)),
                Some(Errand::Quiet) => None,
                Some(Errand::Release(source, slot)) => {
                    self.owed.extend(result.is_err().then_some((source, slot)));
                    None
                }
                Some(Errand::Reserve(source)) => {
                    if result.is_ok() {
                        self.give_back_owed(fx);
                    }
                    self.reserved(source, result, now, fx);
                    None
                }
            },
            Answer::Filed(ticket, result) => Some(Heard::Filed(ticket, result)),
        }
    }

    /// When [`Desk::wake`] has something to do, if nothing is heard before.
    #[must_use]
    pub fn deadline(&self) -> Option<Mono> {
        if !self.failed.is_empty() {
            return Some(self.seen);
        }
        let each = Source::ALL.map(|source| self.lane(source).ready_at_each(self.seen));
        let step = |pending: &Pending| {
            self.next_step(pending, each[pending.call.source() as usize][pending.priority as usize])
        };
        self.calls.values().filter_map(step).min()
    }

    /// Sends what may be sent by now and tells what was given up.
    pub fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) -> Vec<Heard> {
        self.seen = self.seen.max(now.mono);
        self.give_up_overdue(now, fx);
        for source in Source::ALL {
            self.pump(source, now, fx);
        }
        self.failed.drain(..).collect()
    }

    fn fresh_call(&mut self) -> CallId {
        self.next_call += 1;
        CallId(self.next_call)
    }

    fn fresh_ticket(&mut self) -> Ticket {
        self.next_ticket += 1;
        Ticket(self.next_ticket)
    }

    fn errand(&mut self, errand: Errand, call: StoreCall, fx: &mut Vec<Effect>) {
        let ticket = self.store(call, fx);
        self.errands.insert(ticket, errand);
    }

    fn lane(&self, source: Source) -> &Lane {
        &self.lanes[source as usize]
    }

    fn lane_mut(&mut self, source: Source) -> &mut Lane {
        &mut self.lanes[source as usize]
    }

    /// The moment at which time alone moves this call on; none while it depends on an answer. `ready_at` is when its priority
    /// may ask for a slot.
    fn next_step(&self, pending: &Pending, ready_at: Option<Mono>) -> Option<Mono> {
        match pending.stage {
            Stage::Sent { at, .. } => self.overdue_at(pending, at),
            Stage::Queued { not_before } => Some(ready_at?.max(not_before)).filter(|step| *step > self.seen),
        }
    }

    fn ready_at(&self, pending: &Pending) -> Option<Mono> {
        self.lane(pending.call.source()).ready_at(pending.priority, self.seen)
    }

    /// When a running attempt uses up what is left of the patience. A slow query that is on the wire may take its time, and
    /// so may whatever is not a plain read.
    fn overdue_at(&self, pending: &Pending, sent_at: Mono) -> Option<Mono> {
        if !pending.call.is_free_read() || retry::is_slow(&pending.call) {
            return None;
        }
        self.budget.left().map(|left| sent_at.after(left))
    }

    fn give_up_overdue(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let overdue = |pending: &Pending| match pending.stage {
            Stage::Sent { at, .. } => self.overdue_at(pending, at).is_some_and(|limit| limit <= now.mono),
            Stage::Queued { .. } => false,
        };
        let late: Vec<CallId> = self.calls.iter().filter(|(_, pending)| overdue(pending)).map(|(id, _)| *id).collect();
        for id in late {
            let Some(call) = self.calls.get(&id).map(|pending| pending.call.clone()) else { continue };
            self.cancel(id, now, fx);
            let words = format!("no answer within {} s", retry::SHELL_PATIENCE.as_secs());
            let failure = Failure::Unclear { why: Unclear::Deadline, words };
            self.failed.push_back(Heard::Reply(id, call, Err(failure)));
        }
    }

    fn replied(
        &mut self,
        attempt: CallId,
        result: Result<Reply, Failure>,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Option<Heard> {
        let id = self.attempts.remove(&attempt)?;
        let mut pending = self.calls.remove(&id)?;
        let Stage::Sent { slot, at, .. } = pending.stage else {
            unreachable!("an attempt on the wire belongs to a call that was sent")
        };
        let source = pending.call.source();
        self.last = Some(LastRequest::new(&pending.call, at, now, result.as_ref().err()));
        self.release(source, slot, Left::of(&result), now, fx);
        let failure = match result {
            Ok(reply) => {
                self.lane_mut(source).accepted();
                self.pump(source, now, fx);
                return Some(Heard::Reply(id, pending.call, Ok(reply)));
            }
            Err(failure) => failure,
        };
        if let Failure::Later { wait, words } = &failure {
            self.pause(source, *wait, words.clone(), now, fx);
        } else {
            pending.failures += 1;
        }
        let again = self.again_at(&pending, &failure, at, source, now);
        if let Some(not_before) = again {
            pending.stage = Stage::Queued { not_before };
            pending.trouble = Some(failure);
            self.calls.insert(id, pending);
            self.pump(source, now, fx);
            return None;
        }
        self.pump(source, now, fx);
        Some(Heard::Reply(id, pending.call, Err(failure)))
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
        self.budget.take(sent_at, again).then_some(again)
    }

    /// Nobody sends on this key until the wait is over, in no window of this machine.
    fn pause(&mut self, source: Source, asked: Option<Duration>, words: String, now: Now, fx: &mut Vec<Effect>) {
        let refusals = self.lane_mut(source).refused();
        let (wait, capped) = self.jitter.pause(asked, refusals);
        let lane = self.lane_mut(source);
        lane.pause(Paused { until: now.mono.after(wait), words, asked, capped });
        if let Some(key) = lane.key() {
            self.errand(Errand::Quiet, StoreCall::Pause { key, wait }, fx);
        }
    }

    fn release(&mut self, source: Source, slot: Slot, left: Left, now: Now, fx: &mut Vec<Effect>) {
        let lane = self.lane_mut(source);
        let allowance = match left {
            Left::Answered => lane.allowance(),
            Left::Unanswered => limiter::lingering(lane.allowance()),
        };
        lane.ended(allowance, now.mono);
        if let (Slot::Shared(slot), Some(key)) = (slot, lane.key()) {
            self.errand(Errand::Release(source, slot), StoreCall::Release { slot, key, allowance }, fx);
        }
    }

    /// Slots that the store could not take back, once it can write again: else they would stay taken as long as we live.
    fn give_back_owed(&mut self, fx: &mut Vec<Effect>) {
        for (source, slot) in std::mem::take(&mut self.owed) {
            let lane = self.lane(source);
            if let Some(key) = lane.key() {
                let call = StoreCall::Release { slot, key, allowance: limiter::lingering(lane.allowance()) };
                self.errand(Errand::Release(source, slot), call, fx);
            }
        }
    }

    /// Asks the store for as many slots as calls can use by now: one for each, none on the off chance.
    fn pump(&mut self, source: Source, now: Now, fx: &mut Vec<Effect>) {
        self.seen = self.seen.max(now.mono);
        self.give_up_paused(source, now);
        let urgent = self.ready(source, now.mono).filter(|(_, pending)| pending.priority <= Priority::Unlock).count();
        let any = self.ready(source, now.mono).next().is_some();
        let lane = self.lane(source);
        let Some(key) = lane.key() else { return };
        let allowance = lane.allowance();
        // What nobody waits for goes one by one: how near the limit is, each answer of the store says anew.
        let ready = urgent.max(usize::from(any));
        for _ in lane.outstanding()..lane.may_ask(ready, now.mono) {
            self.lane_mut(source).asked();
            let call = StoreCall::Reserve { key: key.clone(), allowance, window: self.window.clone() };
            self.errand(Errand::Reserve(source), call, fx);
        }
    }

    /// Calls that could use a slot now.
    fn waiting(&self, source: Source, now: Mono) -> impl Iterator<Item = (CallId, &Pending)> {
        self.calls.iter().map(|(id, pending)| (*id, pending)).filter(move |(_, pending)| {
            matches!(pending.stage, Stage::Queued { not_before } if not_before <= now)
                && pending.call.source() == source
                && !(matches!(pending.call, Call::Export { .. }) && self.streams(source) >= self.lane(source).streams())
        })
    }

    /// Those of them for which a slot may be asked.
    fn ready(&self, source: Source, now: Mono) -> impl Iterator<Item = (CallId, &Pending)> {
        let ready = self.lane(source).ready_at_each(now).map(|at| at.is_some_and(|at| at <= now));
        self.waiting(source, now).filter(move |(_, pending)| ready[pending.priority as usize])
    }

    fn streams(&self, source: Source) -> u32 {
        let streams = self.calls.values().filter(|pending| {
            pending.call.source() == source
                && matches!((&pending.call, &pending.stage), (Call::Export { .. }, Stage::Sent { .. }))
        });
        u32::try_from(streams.count()).unwrap_or(u32::MAX)
    }

    fn reserved(&mut self, source: Source, result: Result<StoreReply, StoreFailure>, now: Now, fx: &mut Vec<Effect>) {
        let granted = self.lane_mut(source).answered(result, now.mono);
        if let Some(slot) = granted {
            self.send(source, slot, now, fx);
        }
        self.pump(source, now, fx);
    }

    /// Gives a slot to the call that comes first, or back where none can use it any more. With the slot in hand even a call that
    /// would have held back goes: given back, the slot would stay taken for a whole window and serve nobody.
    fn send(&mut self, source: Source, slot: Slot, now: Now, fx: &mut Vec<Effect>) {
        let silent = self.lane(source).paused(now.mono).is_some();
        let waiting = self.waiting(source, now.mono).filter(|_| !silent);
        let first = waiting.min_by_key(|(id, pending)| (pending.priority, *id)).map(|(id, _)| id);
        self.lane_mut(source).began();
        let Some(id) = first else {
            self.release(source, slot, Left::Answered, now, fx);
            return;
        };
        let attempt = if self.calls[&id].attempts == 0 { id } else { self.fresh_call() };
        self.attempts.insert(attempt, id);
        if let Some(pending) = self.calls.get_mut(&id) {
            pending.attempts += 1;
            pending.stage = Stage::Sent { attempt, slot, at: now.mono };
            fx.push(Effect::Send(attempt, pending.call.clone()));
        }
    }

    /// A shell command does not sit out a pause that is longer than its patience. An unlock is not given up here: the order
    /// it belongs to decides.
    fn give_up_paused(&mut self, source: Source, now: Now) {
        let Some(paused) = self.lane(source).paused(now.mono).cloned() else { return };
        let waits = |pending: &Pending| {
            let queued = matches!(pending.stage, Stage::Queued { .. });
            queued && pending.call.source() == source && !matches!(pending.call, Call::Unlock(_))
        };
        if !self.calls.values().any(waits) || self.budget.take(now.mono, paused.until) {
            return;
        }
        let given_up: Vec<CallId> =
            self.calls.iter().filter(|(_, pending)| waits(pending)).map(|(id, _)| *id).collect();
        for id in given_up {
            if let Some(pending) = self.calls.remove(&id) {
                let failure = Failure::Later { wait: Some(paused.until.since(now.mono)), words: paused.words.clone() };
                self.failed.push_back(Heard::Reply(id, pending.call, Err(failure)));
            }
        }
    }
}
