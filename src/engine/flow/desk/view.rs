//! What a screen may say about the desk: how much of the allowance is used, who waits and until when, the last request.

use std::time::Duration;

use crate::effect::CallId;
use crate::effect::call::Call;
use crate::effect::failure::Failure;
use crate::flow::limiter;
use lode_core::contact::Source;
use lode_core::time::{Mono, Now};

use super::{Desk, Stage};

/// A key is silent: the service answered 429.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paused {
    pub until: Mono,
    /// The service's own words.
    pub words: String,
    /// What `retry-after` said, where it said something.
    pub asked: Option<Duration>,
    /// It asked for longer than anybody waits.
    pub capped: bool,
}

impl Paused {
    /// How long the service asks to wait from now on, also where lode waits shorter than that.
    pub fn left(&self, now: Mono) -> Duration {
        self.asked.filter(|_| self.capped).unwrap_or_else(|| self.until.since(now))
    }
}

/// The request gauge of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GaugeView {
    /// Requests of the last window, over all windows and scripts of this machine.
    pub used: u32,
    /// The allowance; none where the service states no limit.
    pub of: Option<u32>,
    pub in_flight: u32,
    /// Calls of this window that wait for a slot.
    pub queued: usize,
    pub paused: Option<Paused>,
    /// When the first of them can go, as far as time alone decides it.
    pub next_send: Option<Mono>,
    /// When `used` changes by itself; none once nothing ages any more.
    pub next_change: Option<Mono>,
    /// False while the store cannot be used: other windows and scripts are not counted then.
    pub shared: bool,
}

/// Why a call has not been answered yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Waits<'a> {
    /// For its slot. None: for an answer still to come.
    Slot { until: Option<Mono> },
    /// For the end of a 429.
    Pause(&'a Paused),
    /// To be sent again.
    Again { until: Mono, failures: u32, trouble: &'a Failure },
    /// It is on the wire.
    Answer { since: Mono, failures: u32 },
}

/// The request that was answered last, for the overlay that shows it. Calls carry no key.
#[derive(Clone, Debug, PartialEq)]
pub struct LastRequest {
    pub call: Call,
    pub took: Duration,
    pub at: Now,
    pub failure: Option<Failure>,
}

impl LastRequest {
    pub(super) fn new(call: &Call, sent: Mono, now: Now, failure: Option<&Failure>) -> LastRequest {
        LastRequest { call: call.clone(), took: now.mono.since(sent), at: now, failure: failure.cloned() }
    }
}

impl Desk {
    /// The largest page that this service is asked for.
    pub fn page(&self, source: Source) -> u64 {
        self.pages[source as usize]
    }

    pub fn gauge(&self, source: Source, now: Now) -> GaugeView {
        let lane = self.lane(source);
        let gauge = lane.gauge();
        let queued = self
            .calls
            .values()
            .filter(|pending| pending.call.source() == source && matches!(pending.stage, Stage::Queued { .. }));
        let next_send = queued.clone().filter_map(|pending| self.next_step(pending, self.ready_at(pending))).min();
        let of = lane.allowance().requests.filter(|_| lane.is_open());
        GaugeView {
            used: limiter::used(gauge, now.mono),
            of,
            // The slot of a stream is given back when its answer begins, but it is still on the wire.
            in_flight: gauge.in_flight + self.coming(source),
            queued: queued.count(),
            paused: lane.paused(now.mono).cloned(),
            next_send,
            next_change: gauge.frees.iter().copied().filter(|frees| *frees > now.mono).min(),
            shared: lane.shared(),
        }
    }

    /// What an unanswered call waits for; none when it is not pending.
    pub fn waits(&self, id: CallId, now: Now) -> Option<Waits<'_>> {
        let pending = self.calls.get(&id)?;
        let lane = self.lane(pending.call.source());
        Some(match (&pending.stage, lane.paused(now.mono), &pending.trouble) {
            (Stage::Sent { at, .. } | Stage::Coming { at, .. }, ..) => {
                Waits::Answer { since: *at, failures: pending.failures }
            }
            (Stage::Queued { .. }, Some(paused), _) => Waits::Pause(paused),
            (Stage::Queued { not_before }, None, Some(trouble)) if *not_before > now.mono => {
                Waits::Again { until: *not_before, failures: pending.failures, trouble }
            }
            (Stage::Queued { .. }, None, _) => Waits::Slot { until: self.next_step(pending, self.ready_at(pending)) },
        })
    }

    pub fn last_request(&self) -> Option<&LastRequest> {
        self.last.as_ref()
    }

    /// The last request that failed.
    pub fn last_failed(&self) -> Option<&LastRequest> {
        self.last_failed.as_ref()
    }

    pub(super) fn note_last(&mut self, last: LastRequest) {
        if last.failure.is_some() {
            self.last_failed = Some(last.clone());
        }
        self.last = Some(last);
    }
}
