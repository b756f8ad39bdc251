//! Slots: asked of the store, given to the call that comes first, and always given back.

use std::time::Duration;

use crate::effect::call::Call;
use crate::effect::failure::StoreFailure;
use crate::effect::store::{StoreCall, StoreReply};
use crate::effect::{CallId, Effect};
use crate::flow::limiter::{self, Priority};
use lode_core::contact::Source;
use lode_core::time::{Mono, Now};

use super::lane::Slot;
use super::{Asked, Desk, Left, Paused, Pending, Stage};

/// Streams of one service that run beside each other.
const MOST_STREAMS: u32 = 3;

impl Desk {
    pub(super) fn release(&mut self, source: Source, slot: Slot, left: Left, now: Now, fx: &mut Vec<Effect>) {
        let lane = self.lane_mut(source);
        let allowance = match left {
            Left::Answered => lane.allowance(),
            Left::Unanswered => limiter::lingering(lane.allowance()),
        };
        lane.ended(allowance, now.mono);
        if let (Slot::Shared(slot), Some(key)) = (slot, lane.key()) {
            self.store_as(Asked::Release(source, slot), StoreCall::Release { slot, key, allowance }, fx);
        }
    }

    /// Slots that the store could not take back, once it can write again: else they would stay taken as long as we live.
    pub(super) fn give_back_owed(&mut self, fx: &mut Vec<Effect>) {
        for (source, slot) in std::mem::take(&mut self.owed) {
            let lane = self.lane(source);
            if let Some(key) = lane.key() {
                let call = StoreCall::Release { slot, key, allowance: limiter::lingering(lane.allowance()) };
                self.store_as(Asked::Release(source, slot), call, fx);
            }
        }
    }

    /// Others sent requests too: what is left of the allowance is read again.
    pub fn read_gauges(&mut self, fx: &mut Vec<Effect>) {
        for source in Source::ALL {
            if let Some(key) = self.lane(source).key() {
                self.store_as(Asked::Gauge(source), StoreCall::Gauge { key }, fx);
            }
        }
    }

    /// Asks the store for as many slots as calls can use by now. Time has moved for both services: a call whose wait ended has no
    /// deadline any more, so its slot must be asked for here.
    pub(super) fn pump(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.seen = self.seen.max(now.mono);
        for source in Source::ALL {
            self.ask_for_slots(source, now, fx);
        }
    }

    /// One slot for each call, none on the off chance.
    fn ask_for_slots(&mut self, source: Source, now: Now, fx: &mut Vec<Effect>) {
        self.give_up_paused(source, now);
        let urgent = self.ready(source, now.mono).filter(|(_, pending)| pending.priority <= Priority::Unlock).count();
        let any = self.ready(source, now.mono).next().is_some();
        let lane = self.lane(source);
        let Some(key) = lane.key() else { return };
        let allowance = lane.allowance();
        // Background requests go one by one: each response of the store says how near the limit is.
        let ready = urgent.max(usize::from(any));
        for _ in lane.outstanding()..lane.may_ask(ready, now.mono) {
            self.lane_mut(source).asked();
            let call = StoreCall::Reserve { key: key.clone(), allowance, window: self.window.clone() };
            self.store_as(Asked::Reserve(source), call, fx);
        }
    }

    /// Calls that could use a slot now.
    fn waiting(&self, source: Source, now: Mono) -> impl Iterator<Item = (CallId, &Pending)> {
        let mut streams = self.room_for_streams(source);
        self.calls.iter().map(|(id, pending)| (*id, pending)).filter(move |(_, pending)| {
            let waits = matches!(pending.stage, Stage::Queued { not_before } if not_before <= now);
            if !waits || pending.call.source() != source {
                return false;
            }
            if !matches!(pending.call, Call::Export { .. }) {
                return true;
            }
            let fits = streams > 0;
            streams = streams.saturating_sub(1);
            fits
        })
    }

    /// Those of them for which a slot may be asked.
    fn ready(&self, source: Source, now: Mono) -> impl Iterator<Item = (CallId, &Pending)> {
        let ready = self.lane(source).ready_at_each(now).map(|at| at.is_some_and(|at| at <= now));
        self.waiting(source, now).filter(move |(_, pending)| ready[pending.priority as usize])
    }

    /// How many more streams may be asked for: one connection stays free for searches, and only so many run at once.
    fn room_for_streams(&self, source: Source) -> u32 {
        let asked = self.calls.values().filter(|pending| {
            pending.call.source() == source
                && matches!((&pending.call, &pending.stage), (Call::Export { .. }, Stage::Sent { .. }))
        });
        let asked = u32::try_from(asked.count()).unwrap_or(u32::MAX);
        let running = asked.saturating_add(self.coming(source));
        self.lane(source).streams().saturating_sub(asked).min(MOST_STREAMS.saturating_sub(running))
    }

    /// Streams whose answer is coming in.
    pub(super) fn coming(&self, source: Source) -> u32 {
        let coming = self
            .calls
            .values()
            .filter(|pending| pending.call.source() == source && matches!(pending.stage, Stage::Coming { .. }));
        u32::try_from(coming.count()).unwrap_or(u32::MAX)
    }

    pub(super) fn reserved(
        &mut self,
        source: Source,
        result: Result<StoreReply, StoreFailure>,
        now: Now,
        fx: &mut Vec<Effect>,
    ) {
        let granted = self.lane_mut(source).answered(result, now.mono);
        if let Some(slot) = granted {
            self.send(source, slot, now, fx);
        }
    }

    /// Gives a slot to the call that comes first, or back where none can use it any more. With the slot in hand even a call that
    /// would have held back goes: given back, the slot would stay taken for a whole window without any use.
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
            pending.since.get_or_insert(now.mono);
            pending.stage = Stage::Sent { attempt, slot, at: now.mono };
            self.sent += 1;
            fx.push(Effect::Send(attempt, pending.call.clone()));
        }
    }

    /// No window of this machine sends with this key until the wait is over.
    pub(super) fn pause(
        &mut self,
        source: Source,
        asked: Option<Duration>,
        words: String,
        now: Now,
        fx: &mut Vec<Effect>,
    ) {
        let refusals = self.lane_mut(source).refused();
        let (wait, capped) = self.jitter.pause(asked, refusals);
        let lane = self.lane_mut(source);
        lane.pause(Paused { until: now.mono.after(wait), words, asked, capped });
        if let Some(key) = lane.key() {
            self.store_as(Asked::Pause, StoreCall::Pause { key, wait }, fx);
        }
    }
}
