//! Retry rules: which requests are repeated, when, and for how long.
//!
//! Only free reads are: a broken line, a 5xx or an unreadable body costs nothing but a request. An unlock is repeated by
//! `flow::unlock` alone, which knows its batch; exports, saved searches and `mark_pulled` are never repeated at all. The
//! jitter comes from a seed, so that a run can be played again.

use super::*;

/// How often a free read is sent again after its first failure.
pub const RETRIES: u32 = 4;

/// What a shell command waits in total on failed attempts, pauses between them and 429.
pub const SHELL_PATIENCE: Duration = Duration::from_secs(45);

/// How long an unlock waits in total for the end of a 429, if the command does not say otherwise.
pub const UNLOCK_PATIENCE: Duration = Duration::from_secs(120);

/// How long a search is waited for that gets no answer, all its attempts together. A slow one has a limit of its own.
pub const LONGEST_SEARCH: Duration = Duration::from_secs(120);

/// The longest pause that a 429 can impose: an absurd `retry-after` must not end the day.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(300);

const FIRST_PAUSE_MS: u64 = 400;
const LONGEST_BACKOFF_MS: u64 = 20_000;

/// Whether the same request may be sent once more after this failure.
pub fn worth_repeating(call: &Call, failure: &Failure) -> bool {
    match failure {
        // A 429 says that nothing was done: an export waits and tries again like any other request.
        Failure::Later { .. } if matches!(call, Call::Export { .. }) => true,
        _ if !call.is_free_read() => false,
        // A scan of the whole corpus that ran into its deadline of minutes would do so again.
        Failure::Unclear { why: Unclear::Deadline, .. } => !is_slow(call),
        Failure::Unclear { why: Unclear::TooLarge, .. } => false,
        Failure::Unclear { .. } | Failure::Unsent { .. } | Failure::Later { .. } => true,
        Failure::Refused { .. } | Failure::OurBug { .. } | Failure::Disk { .. } => false,
    }
}

/// Whether the service will scan its whole corpus for this call: it alone may outlast the patience of the shell.
pub fn is_slow(call: &Call) -> bool {
    matches!(call, Call::Search(search) if search.query.speed() == Speed::Slow)
}

/// Chance with a seed (splitmix64).
#[derive(Clone, Debug, Default)]
pub struct Jitter(pub u64);

impl Jitter {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The pause before the attempt that follows `failures` failures in a row: doubling, from half to one and a half of it.
    pub fn backoff(&mut self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(10);
        let middle = (FIRST_PAUSE_MS << doublings).min(LONGEST_BACKOFF_MS);
        Duration::from_millis(middle / 2 + self.next() % (middle + 1))
    }

    /// How long a 429 silences a key: what the service asked for, or a growing guess where it did not say or said nothing.
    /// The flag tells that an absurd pause was cut to [`LONGEST_PAUSE`].
    pub fn pause(&mut self, asked: Option<Duration>, refusals: u32) -> (Duration, bool) {
        match asked {
            Some(wait) if wait > LONGEST_PAUSE => (LONGEST_PAUSE, true),
            // Zero, or next to nothing, again and again would be a storm of refusals.
            Some(wait) if refusals <= 1 => (wait.max(Duration::from_millis(100)), false),
            Some(wait) => (wait.max(self.backoff(refusals)), false),
            None => (self.backoff(refusals + 1).max(Duration::from_secs(1)), false),
        }
    }
}

/// How long the caller is willing to wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetryPolicy {
    /// A window waits as long as it takes, and shows that it waits.
    #[default]
    Window,
    /// A shell command gives up after [`SHELL_PATIENCE`] of waiting in total, an unlock after [`UNLOCK_PATIENCE`].
    Shell,
}

/// The waiting done so far. Waits that overlap count once.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// A window has no limit.
    pub(super) most: Option<Duration>,
    spent: Duration,
    counted_until: Mono,
}

impl Budget {
    /// `shell`: what a shell command waits at most.
    pub fn new(patience: RetryPolicy, shell: Duration) -> Budget {
        Budget { most: (patience == RetryPolicy::Shell).then_some(shell), ..Budget::default() }
    }

    pub fn left(&self) -> Option<Duration> {
        self.most.map(|most| most.saturating_sub(self.spent))
    }

    /// Counts the wait between two moments, or says that it is more than what is left.
    pub fn take(&mut self, from: Mono, until: Mono) -> bool {
        let wait = until.since(from.max(self.counted_until));
        if self.most.is_some_and(|most| self.spent + wait > most) {
            return false;
        }
        self.spent += wait;
        self.counted_until = self.counted_until.max(until);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_within_its_jitter_and_repeats_with_the_seed() {
        let pauses = |seed| {
            let mut jitter = Jitter(seed);
            (1..8).map(|failures| jitter.backoff(failures).as_millis()).collect::<Vec<_>>()
        };
        assert_eq!(pauses(7), pauses(7));
        assert_ne!(pauses(7), pauses(8));
        for (at, pause) in pauses(7).into_iter().enumerate() {
            let middle = 400u128 << at;
            let middle = middle.min(20_000);
            assert!((middle / 2..=middle * 3 / 2).contains(&pause), "{pause} around {middle}");
        }
    }

    #[test]
    fn chance_follows_the_published_sequence() {
        let mut jitter = Jitter(1_234_567);
        let known = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([(); 3].map(|()| jitter.next()), known);
    }

    #[test]
    fn a_pause_is_what_was_asked_within_reason() {
        let mut jitter = Jitter(1);
        assert_eq!(jitter.pause(Some(Duration::from_secs(7)), 1), (Duration::from_secs(7), false));
        assert_eq!(jitter.pause(Some(Duration::from_secs(1_000_000_000)), 1), (LONGEST_PAUSE, true));
        assert_eq!(jitter.pause(Some(Duration::ZERO), 1), (Duration::from_millis(100), false));
        assert!(jitter.pause(Some(Duration::ZERO), 5).0 >= Duration::from_secs(3), "zero again and again grows");
        assert!(jitter.pause(None, 1).0 >= Duration::from_secs(1));
        assert!(jitter.pause(None, 6).0 > Duration::from_secs(5));
    }

    #[test]
    fn waits_that_overlap_count_once() {
        let mut budget = Budget::new(RetryPolicy::Shell, SHELL_PATIENCE);
        assert!(budget.take(Mono(0), Mono(30_000)));
        assert!(budget.take(Mono(10_000), Mono(40_000)));
        assert_eq!(budget.left(), Some(Duration::from_secs(5)));
        assert!(!budget.take(Mono(50_000), Mono(55_001)));
        assert!(budget.take(Mono(50_000), Mono(55_000)));
        assert!(Budget::new(RetryPolicy::Window, SHELL_PATIENCE).take(Mono(0), Mono(u64::MAX)));
    }
}
