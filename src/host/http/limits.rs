//! How long an answer may take and how large it may be, by the kind of call.
//!
//! Time is counted while the process was awake: a program that was suspended for an hour has not waited for an hour, and an answer
//! that arrived meanwhile is read before anything is given up.

use std::pin::pin;

use super::*;
use lode_core::Speed;

const MB: usize = 1 << 20;

/// How long the answer may take, and how many bytes its body may have after decompression.
pub(super) fn of(call: &Outgoing) -> (Timeouts, usize) {
    // Seconds from the first byte sent to the last byte read, none: as long as it keeps coming. Seconds between two pieces.
    let (total, idle, body) = match call {
        Call::Search(search) => match search.query.speed() {
            Speed::Fast => (Some(60), 30, 8 * MB),
            // A scan of the whole corpus may take minutes; the person sees the clock and can stop it.
            Speed::Slow | Speed::Unknown => (Some(600), 30, 8 * MB),
        },
        Call::Unlock(_) => (Some(90), 30, 16 * MB),
        Call::Export { .. } => (None, 60, usize::MAX),
        // Small answers that take no scan.
        _ => (Some(30), 30, MB),
    };
    (Timeouts::new(total.map(Duration::from_secs), Duration::from_secs(idle)), body)
}

/// The grain of the count. A suspension costs one of these at most, and so does a deadline's precision.
const SLICE: Duration = Duration::from_millis(500);

pub(super) struct Timeouts {
    total: Option<Duration>,
    left: Duration,
    idle: Duration,
    /// How much of `idle` is used up. Bytes give it back, so that a trickle is no better than silence.
    silence: Duration,
}

/// What one byte makes up for: a stream that brings less than a kilobyte a second is as good as dead.
const PER_BYTE: Duration = Duration::from_millis(1);

impl Timeouts {
    pub(super) fn new(total: Option<Duration>, idle: Duration) -> Timeouts {
        Timeouts { total, left: total.unwrap_or(Duration::MAX), idle, silence: Duration::ZERO }
    }

    /// Waits for the head of an answer: only the total counts, for a slow query is silent until it is done.
    pub(super) async fn head<F: Future>(&mut self, future: F) -> Result<F::Output, Failure> {
        Ok(self.wait(future, Duration::MAX).await?.0)
    }

    /// Waits for the next piece of a body. Of a stream without a total, [`Timeouts::came`] is to be told how much it brought.
    pub(super) async fn chunk<F: Future>(&mut self, future: F) -> Result<F::Output, Failure> {
        let (output, waited) = self.wait(future, self.idle.saturating_sub(self.silence)).await?;
        // Where the whole is bounded, a trickle ends there.
        if self.total.is_none() {
            self.silence = self.silence.saturating_add(waited);
        }
        Ok(output)
    }

    /// Counts bytes of a body that arrived.
    pub(super) fn came(&mut self, bytes: usize) {
        let back = PER_BYTE.saturating_mul(u32::try_from(bytes).unwrap_or(u32::MAX));
        self.silence = self.silence.saturating_sub(back);
    }

    async fn wait<F: Future>(&mut self, future: F, idle: Duration) -> Result<(F::Output, Duration), Failure> {
        let mut future = pin!(future);
        let mut quiet = idle;
        loop {
            let slice = self.slice(quiet)?;
            let before = tokio::time::Instant::now();
            // `timeout` asks the future first, so what has arrived wins over the clock.
            let output = tokio::time::timeout(slice, &mut future).await;
            let waited = before.elapsed().min(slice);
            self.left = self.left.saturating_sub(waited);
            quiet = quiet.saturating_sub(waited);
            if let Ok(output) = output {
                return Ok((output, idle.saturating_sub(quiet)));
            }
        }
    }

    /// How long may be waited in one go, with `quiet` left of the silence that is allowed.
    fn slice(&self, quiet: Duration) -> Result<Duration, Failure> {
        let slice = SLICE.min(self.left).min(quiet);
        if !slice.is_zero() {
            return Ok(slice);
        }
        let words = match self.total {
            Some(total) if self.left.is_zero() => format!("no complete response within {} s", total.as_secs()),
            _ => format!("the response stalled for {} s", self.idle.as_secs()),
        };
        Err(Failure::Unclear { why: Unclear::Deadline, words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait<T>(test: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(test)
    }

    fn late(words: &str) -> Failure {
        Failure::Unclear { why: Unclear::Deadline, words: words.to_owned() }
    }

    #[test]
    fn silence_and_length_end_apart() {
        let (total, idle) = (Duration::from_millis(40), Duration::from_millis(15));
        let mut timeouts = Timeouts::new(Some(total), idle);
        wait(async {
            let never = std::future::pending::<()>;
            assert_eq!(timeouts.chunk(never()).await, Err(late("the response stalled for 0 s")));
            assert_eq!(
                timeouts.head(never()).await,
                Err(late("no complete response within 0 s")),
                "what was left of it"
            );
            assert_eq!(timeouts.chunk(std::future::ready(7)).await, Err(late("no complete response within 0 s")));
            let mut endless = Timeouts::new(None, idle);
            assert_eq!(endless.chunk(never()).await, Err(late("the response stalled for 0 s")));
            assert_eq!(endless.chunk(std::future::ready(7)).await, Ok(7));
        });
    }

    #[test]
    fn a_trickle_is_silence_and_a_stream_is_not() {
        let idle = Duration::from_millis(100);
        wait(async {
            let mut trickle = Timeouts::new(None, idle);
            let mut pieces = 0;
            let ended = loop {
                match trickle.chunk(tokio::time::sleep(Duration::from_millis(20))).await {
                    Ok(()) => trickle.came(1),
                    Err(ended) => break ended,
                }
                pieces += 1;
            };
            assert_eq!(ended, late("the response stalled for 0 s"));
            assert!(pieces < 10, "{pieces}");
            let mut stream = Timeouts::new(None, idle);
            for _ in 0..10 {
                stream.chunk(tokio::time::sleep(Duration::from_millis(20))).await.unwrap();
                stream.came(1_000);
            }
        });
    }

    #[test]
    fn no_more_than_a_slice_is_counted_at_once() {
        let timeouts = Timeouts::new(Some(Duration::from_secs(60)), Duration::from_secs(30));
        assert_eq!(timeouts.slice(Duration::MAX), Ok(SLICE));
        assert_eq!(timeouts.slice(Duration::from_millis(3)), Ok(Duration::from_millis(3)));
    }
}
