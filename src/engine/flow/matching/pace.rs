//! Never more than 120 requests in any minute, also at a service that states no limit: what was sent is remembered, what an earlier
//! run sent as well.

use std::collections::VecDeque;
use std::time::Duration;

use lode_core::time::Mono;

/// Two less than 120: that many may have been under way when an earlier run was cut off.
const MOST: usize = 118;
/// A minute, and what a request may be on its way.
const MINUTE: Duration = Duration::from_secs(62);

#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    /// When the requests of the last minute leave it, soonest first.
    frees: VecDeque<Mono>,
}

impl Pace {
    /// A request that was answered so long ago.
    pub(super) fn remember(&mut self, ago: Duration, now: Mono) {
        if ago < MINUTE {
            self.frees.push_back(now.after(MINUTE - ago));
            self.frees.make_contiguous().sort_unstable();
        }
    }

    /// Takes a place for one request; the moment at which there is one, where there is none now.
    pub(super) fn take(&mut self, now: Mono) -> Option<Mono> {
        while self.frees.front().is_some_and(|frees| *frees <= now) {
            self.frees.pop_front();
        }
        if self.frees.len() >= MOST {
            return self.frees.get(self.frees.len() - MOST).copied();
        }
        self.frees.push_back(now.after(MINUTE));
        None
    }

    /// How long so many requests take at least, once the first minute's are used up.
    pub(super) fn time_for(&self, requests: u64) -> Duration {
        let full = requests.saturating_sub(1) / MOST as u64;
        MINUTE * u32::try_from(full).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_minute_has_more_than_a_hundred_and_twenty_requests() {
        let (mut pace, mut now, mut sent) = (Pace::default(), Mono(1_000_000), Vec::new());
        for ago in 0..50 {
            pace.remember(Duration::from_secs(ago), now);
            sent.push(Mono(now.0 - ago * 1_000));
        }
        while sent.len() < 1_000 {
            match pace.take(now) {
                None => sent.push(now),
                Some(until) => now = until,
            }
        }
        sent.sort_unstable();
        for (at, moment) in sent.iter().enumerate() {
            let minute = sent[at..].iter().take_while(|other| other.0 < moment.0 + 60_000).count();
            assert!(minute <= 120, "{minute}");
        }
        assert!(now.since(Mono(1_000_000)) < Duration::from_secs(9 * 62), "and it is not much slower than it may be");
    }
}
