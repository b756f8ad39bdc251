//! One key and its allowance: what the store last said about it, what of it is owned, and until when it is silent.

use std::time::Duration;

use crate::effect::failure::StoreFailure;
use crate::effect::profile::{Allowance, KeyHash, Service};
use crate::effect::store::{Gauge, SlotId, StoreReply};
use crate::flow::limiter::{self, Meter, Priority};
use lode_core::purse::Origin;
use lode_core::time::Mono;

use super::view::Paused;

/// The right to send one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// Written down where every window and script of the machine sees it.
    Shared(SlotId),
    /// Counted in this process only, because the store could not be used.
    Own,
}

/// Two moments that lie no farther apart are the end of one pause.
const SAME_PAUSE: Duration = Duration::from_millis(500);

#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// The key at its origin: elsewhere the same key has another allowance.
    key: Option<KeyHash>,
    allowance: Allowance,
    /// The window as the store last told it, corrected by what happened here since.
    gauge: Gauge,
    meter: Meter,
    /// Reservations asked for and not answered.
    outstanding: usize,
    /// The store said: no slot before then.
    wait_until: Option<Mono>,
    paused: Option<Paused>,
    /// 429s since the last good answer.
    refusals: u32,
    /// The store answers, so that others on this machine are counted too.
    shared: bool,
    in_flight: u32,
}

impl Lane {
    pub(super) fn new(service: Option<&Service>) -> Lane {
        let none = Allowance { requests: None, window_ms: 60_000, in_flight: 1 };
        let allowance = limiter::guarded(service.map_or(none, |service| service.allowance));
        Lane {
            key: service.map(|service| KeyHash(format!("{}@{}", service.key.0, Origin::of(&service.origin)))),
            allowance,
            gauge: Gauge::default(),
            meter: Meter::new(allowance),
            outstanding: 0,
            wait_until: None,
            paused: None,
            refusals: 0,
            shared: true,
            in_flight: 0,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.key.is_some()
    }

    pub(super) fn key(&self) -> Option<KeyHash> {
        self.key.clone()
    }

    pub(super) fn allowance(&self) -> Allowance {
        self.allowance
    }

    pub(super) fn gauge(&self) -> &Gauge {
        &self.gauge
    }

    pub(super) fn shared(&self) -> bool {
        self.shared
    }

    pub(super) fn outstanding(&self) -> usize {
        self.outstanding
    }

    pub(super) fn asked(&mut self) {
        self.outstanding += 1;
    }

    pub(super) fn paused(&self, now: Mono) -> Option<&Paused> {
        self.paused.as_ref().filter(|paused| paused.until > now)
    }

    /// A later pause wins, an earlier one adds nothing.
    pub(super) fn pause(&mut self, paused: Paused) {
        if self.paused.as_ref().is_none_or(|known| known.until < paused.until) {
            self.paused = Some(paused);
        }
    }

    pub(super) fn refused(&mut self) -> u32 {
        self.refusals = self.refusals.saturating_add(1);
        self.refusals
    }

    pub(super) fn accepted(&mut self) {
        self.refusals = 0;
    }

    /// When a call of this priority may ask for a slot; none while that depends on answers still to come.
    pub(super) fn ready_at(&self, priority: Priority, now: Mono) -> Option<Mono> {
        let mut at = now;
        if let Some(paused) = self.paused(now) {
            at = at.max(paused.until);
        }
        if let Some(until) = self.wait_until {
            at = at.max(until);
        }
        if let Some(requests) = self.allowance.requests {
            let bound = priority.bound(requests);
            at = at.max(limiter::falls_below(&self.gauge, bound, at)?);
        }
        Some(at)
    }

    /// [`Lane::ready_at`] for every priority, for a look at many calls.
    pub(super) fn ready_at_each(&self, now: Mono) -> [Option<Mono>; 4] {
        Priority::ALL.map(|priority| self.ready_at(priority, now))
    }

    /// How many reservations may be open for `ready` calls: as many as there seems to be room for, and always one, because
    /// only the store knows.
    pub(super) fn may_ask(&self, ready: usize, now: Mono) -> usize {
        let room = self
            .allowance
            .requests
            .map_or(u32::MAX, |requests| requests.saturating_sub(limiter::used(&self.gauge, now)).max(1));
        let lines = self.allowance.in_flight.max(1).saturating_sub(self.in_flight);
        ready.min(room as usize).min(lines as usize)
    }

    /// How many streams may be asked for and not answered yet: one connection stays free for searches.
    pub(super) fn streams(&self) -> u32 {
        self.allowance.in_flight.max(2) - 1
    }

    /// What became of a reservation. Without a usable store this process counts for itself.
    pub(super) fn answered(&mut self, result: Result<StoreReply, StoreFailure>, now: Mono) -> Option<Slot> {
        self.outstanding = self.outstanding.saturating_sub(1);
        match result {
            Ok(StoreReply::Reserved { slot, gauge }) => {
                self.shared = true;
                self.wait_until = None;
                // The gauge counts this slot too, `began` will.
                self.told(gauge, 1, now);
                Some(Slot::Shared(slot))
            }
            Ok(StoreReply::Wait { until, gauge }) => {
                self.shared = true;
                self.told(gauge, 0, now);
                // Never the same moment again: two clocks that disagree by a hair must not become a busy loop.
                self.wait_until = Some(until.max(Mono(now.0 + 1)));
                None
            }
            _ => {
                self.shared = false;
                let gauge = self.meter.gauge(now);
                self.gauge = Gauge { paused_until: self.gauge.paused_until, ..gauge };
                match self.meter.free_at(now) {
                    Some(at) if at <= now => {
                        self.wait_until = None;
                        Some(Slot::Own)
                    }
                    Some(at) => {
                        self.wait_until = Some(at);
                        None
                    }
                    None => {
                        self.wait_until = Some(Mono(now.0 + 1_000));
                        None
                    }
                }
            }
        }
    }

    /// The window as it is now, without a reservation. Where this process counts for itself, it says nothing.
    pub(super) fn observed(&mut self, gauge: Gauge, now: Mono) {
        if self.shared && self.outstanding == 0 {
            self.told(gauge, 0, now);
        }
    }

    /// What others have in flight is shown as if it were answered right now: when it really is cannot be known, and the
    /// store is asked again before anything is sent.
    fn told(&mut self, mut gauge: Gauge, granted: u32, now: Mono) {
        // The store tells the pause of this window again, to the millisecond as its clock sees it.
        let is_known = |until: Mono| self.paused.as_ref().is_some_and(|known| until.since(known.until) < SAME_PAUSE);
        if let Some(until) = gauge.paused_until.filter(|until| !is_known(*until)) {
            self.pause(Paused { until, words: "the service asked to wait".to_owned(), asked: None, capped: false });
        }
        let others = gauge.in_flight.saturating_sub(self.in_flight + granted);
        gauge.in_flight = self.in_flight;
        if self.allowance.requests.is_some() {
            let frees = now.after(Duration::from_millis(self.allowance.window_ms));
            gauge.frees.extend(std::iter::repeat_n(frees, others as usize));
        }
        self.gauge = gauge;
    }

    pub(super) fn began(&mut self) {
        self.in_flight += 1;
        self.gauge.in_flight += 1;
        self.meter.begin();
    }

    /// `allowance` says how long the slot stays taken from now on.
    pub(super) fn ended(&mut self, allowance: Allowance, now: Mono) {
        self.in_flight = self.in_flight.saturating_sub(1);
        self.meter.end(allowance.window_ms, now);
        self.gauge.in_flight = self.gauge.in_flight.saturating_sub(1);
        self.gauge.frees.retain(|frees| *frees > now);
        if self.allowance.requests.is_some() {
            self.gauge.frees.push(now.after(Duration::from_millis(allowance.window_ms)));
        } else {
            // Without a window only lines are scarce, and one of them is free now.
            self.wait_until = None;
        }
    }
}
