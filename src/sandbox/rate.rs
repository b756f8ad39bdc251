//! The allowance of one key: a number of requests in any window of a number of milliseconds, counted when they are received.
//!
//! An exact sliding window, not a bucket that refills at the full minute: a client that sends 120 at the end of one minute
//! and 120 at the start of the next is over the limit. A refused request takes no place in the window.

use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests per window; 0 means no limit.
    pub requests: u32,
    pub window_ms: u64,
}

impl Default for RateLimit {
    fn default() -> Self {
        RateLimit { requests: 120, window_ms: 60_000 }
    }
}

#[derive(Default, Debug)]
pub struct Gate {
    admitted: VecDeque<u64>,
}

impl Gate {
    /// Takes a place in the window, or says how many milliseconds until one is free.
    pub fn admit(&mut self, allowance: RateLimit, now_ms: u64) -> Result<(), u64> {
        if allowance.requests == 0 {
            self.admitted.clear();
            return Ok(());
        }
        while self.admitted.front().is_some_and(|first| first + allowance.window_ms <= now_ms) {
            self.admitted.pop_front();
        }
        let places = allowance.requests as usize;
        if self.admitted.len() < places {
            self.admitted.push_back(now_ms);
            return Ok(());
        }
        // The allowance may have been lowered meanwhile: the place that frees is counted from the end.
        let frees = self.admitted[self.admitted.len() - places];
        Err((frees + allowance.window_ms).saturating_sub(now_ms))
    }
}

/// The largest number of receipts in any window of this length: what a limiter is judged by.
pub fn busiest(receipts: &[u64], window_ms: u64) -> usize {
    let mut sorted = receipts.to_vec();
    sorted.sort_unstable();
    let in_window = |(first, at): (usize, &u64)| sorted[first..].partition_point(|later| later - at < window_ms);
    sorted.iter().enumerate().map(in_window).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_slides_and_says_when_a_place_is_free() {
        let allowance = RateLimit { requests: 2, window_ms: 1_000 };
        let mut gate = Gate::default();
        assert_eq!(gate.admit(allowance, 0), Ok(()));
        assert_eq!(gate.admit(allowance, 600), Ok(()));
        assert_eq!(gate.admit(allowance, 700), Err(300));
        assert_eq!(gate.admit(allowance, 999), Err(1));
        assert_eq!(gate.admit(allowance, 1_000), Ok(()));
        assert_eq!(gate.admit(allowance, 1_001), Err(599));
    }

    #[test]
    fn no_limit_admits_everything() {
        let mut gate = Gate::default();
        assert!((0..1_000).all(|_| gate.admit(RateLimit { requests: 0, window_ms: 60_000 }, 5).is_ok()));
    }

    #[test]
    fn the_busiest_window_is_half_open() {
        assert_eq!(busiest(&[0, 999, 1_000, 1_500], 1_000), 3);
        assert_eq!(busiest(&[0, 1_000, 2_000], 1_000), 1);
        assert_eq!(busiest(&[], 1_000), 0);
    }
}
