//! The rate of one key: an exact sliding window.
//!
//! The service counts a request when it *receives* it, which cannot be seen here. It lies somewhere between the sending and the
//! answer, so a slot stays taken from before the sending until one window after the answer arrived (or the line broke). Then no
//! network, however it jitters, can bring more than the allowance into any window of the service.
//!
//! The truth about a key is in the store, where all windows and scripts of the machine meet. [`Meter`] is the same rule within
//! this process: it stands in when the store cannot be used, so that browsing goes on with an honest count of our own.

use super::*;

/// Who goes first when slots are scarce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    #[default]
    Person,
    Unlock,
    Prefetch,
    Coverage,
}

impl Priority {
    pub const ALL: [Priority; 4] = [Priority::Person, Priority::Unlock, Priority::Prefetch, Priority::Coverage];

    /// From how many used slots on this priority holds back: near the limit background requests stop first.
    pub fn bound(self, requests: u32) -> u32 {
        // The share of the allowance, in percent, that must still be free.
        let reserve = [0, 0, 25, 50][self as usize];
        if reserve == 0 { u32::MAX } else { requests - requests * reserve / 100 }
    }
}

/// How long this number of requests takes at least, with `many` of them in each window, once those of the first are used up.
pub fn time_for(requests: u64, many: u32, window_ms: u64) -> Duration {
    let full = requests.saturating_sub(1) / u64::from(many);
    Duration::from_millis(window_ms).saturating_mul(u32::try_from(full).unwrap_or(u32::MAX))
}

/// The window with a margin for two clocks that do not run quite alike and for milliseconds that are cut off.
pub fn guarded(allowance: Allowance) -> Allowance {
    let margin = if allowance.requests.is_some() { allowance.window_ms / 2_000 + 2 } else { 0 };
    Allowance { window_ms: allowance.window_ms.saturating_add(margin), ..allowance }
}

/// How long a request that was given up may still be on its way to the service.
const LINGER_MS: u64 = 2_000;

/// The window of a request whose response is given up: its slot stays taken from when it can have been received at last.
pub fn lingering(allowance: Allowance) -> Allowance {
    let linger = if allowance.requests.is_some() { LINGER_MS } else { 0 };
    Allowance { window_ms: allowance.window_ms.saturating_add(linger), ..allowance }
}

/// Slots that are taken at a moment.
pub fn used(gauge: &Gauge, now: Mono) -> u32 {
    let answered = gauge.frees.iter().filter(|frees| **frees > now).count();
    gauge.in_flight.saturating_add(u32::try_from(answered).unwrap_or(u32::MAX))
}

/// The moment at which fewer than `bound` slots will be taken; none when that depends on answers still to come.
pub fn falls_below(gauge: &Gauge, bound: u32, now: Mono) -> Option<Mono> {
    let used = used(gauge, now);
    if used < bound || bound == u32::MAX {
        return Some(now);
    }
    let over = used + 1 - bound;
    let mut frees: Vec<Mono> = gauge.frees.iter().copied().filter(|frees| *frees > now).collect();
    frees.sort_unstable();
    frees.get(over as usize - 1).copied()
}

/// The window of one key: what is taken of its allowance, and when that frees again.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    pub allowance: Allowance,
    pub gauge: Gauge,
}

impl Meter {
    pub fn new(allowance: Allowance) -> Meter {
        Meter { allowance, gauge: Gauge::default() }
    }

    /// When the next request may be sent; none when that depends on an answer still to come.
    pub fn free_at(&self, now: Mono) -> Option<Mono> {
        if self.gauge.in_flight >= self.allowance.in_flight.max(1) {
            return None;
        }
        self.allowance.requests.map_or(Some(now), |requests| falls_below(&self.gauge, requests, now))
    }

    pub fn begin(&mut self) {
        self.gauge.in_flight += 1;
    }

    /// The answer arrived, or the line broke: the slot frees one window from now.
    pub fn end(&mut self, window_ms: u64, now: Mono) {
        self.gauge.in_flight = self.gauge.in_flight.saturating_sub(1);
        self.gauge.frees.retain(|frees| *frees > now);
        if self.allowance.requests.is_some() {
            self.gauge.frees.push(now.after(Duration::from_millis(window_ms)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIVE_A_SECOND: Allowance = Allowance { requests: Some(5), window_ms: 1_000, in_flight: 8 };

    #[test]
    fn a_slot_frees_one_window_after_its_answer_arrived() {
        let mut meter = Meter::new(FIVE_A_SECOND);
        for _ in 0..5 {
            assert_eq!(meter.free_at(Mono(0)), Some(Mono(0)));
            meter.begin();
        }
        assert_eq!(meter.free_at(Mono(700)), None, "unknown before a response");
        meter.end(1_000, Mono(700));
        meter.end(1_000, Mono(900));
        assert_eq!(meter.free_at(Mono(1_000)), Some(Mono(1_700)));
        assert_eq!(meter.free_at(Mono(1_700)), Some(Mono(1_700)));
        meter.begin();
        assert_eq!(meter.free_at(Mono(1_700)), Some(Mono(1_900)));
    }

    #[test]
    fn without_a_stated_limit_only_the_requests_in_flight_count() {
        let mut meter = Meter::new(Allowance { requests: None, window_ms: 60_000, in_flight: 2 });
        for round in 0..500 {
            assert_eq!(meter.free_at(Mono(round)), Some(Mono(round)));
            meter.begin();
            meter.end(60_000, Mono(round));
        }
        meter.begin();
        meter.begin();
        assert_eq!(meter.free_at(Mono(600)), None);
    }

    #[test]
    fn what_is_not_waited_for_stops_near_the_limit() {
        assert_eq!(Priority::Prefetch.bound(120), 90);
        assert_eq!(Priority::Coverage.bound(120), 60);
        let frees = (1..=95).map(|at| Mono(at * 10)).collect();
        let gauge = Gauge { in_flight: 3, frees, paused_until: None };
        assert_eq!(used(&gauge, Mono(0)), 98);
        assert_eq!(falls_below(&gauge, 90, Mono(0)), Some(Mono(90)), "after nine of them freed, 89 are taken");
        assert_eq!(used(&gauge, Mono(90)), 89);
        assert_eq!(falls_below(&gauge, 2, Mono(0)), None, "three are in flight");
    }

    #[test]
    fn the_guard_outlasts_the_cut_off_millisecond_and_slow_clocks() {
        let guarded = guarded(Allowance { requests: Some(120), window_ms: 60_000, in_flight: 8 });
        assert!(guarded.window_ms > 60_031 && guarded.window_ms < 60_060, "two clocks may differ by 30 ms a minute");
    }

    #[test]
    fn a_request_given_up_keeps_its_slot_for_two_seconds_more_and_without_a_limit_there_is_nothing_to_guard() {
        assert_eq!(lingering(FIVE_A_SECOND), Allowance { window_ms: 3_000, ..FIVE_A_SECOND });
        let unlimited = Allowance { requests: None, ..FIVE_A_SECOND };
        assert_eq!((lingering(unlimited), guarded(unlimited)), (unlimited, unlimited));
    }

    #[test]
    fn the_first_window_of_requests_takes_no_time_and_each_further_one_a_window() {
        for (requests, windows) in [(0, 0), (1, 0), (120, 0), (121, 1), (240, 1), (241, 2), (1_201, 10)] {
            assert_eq!(time_for(requests, 120, 60_000), Duration::from_secs(60 * windows), "{requests}");
        }
    }
}
