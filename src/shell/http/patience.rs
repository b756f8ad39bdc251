//! How long is waited, counted in time that the process was awake: a program that was suspended for an hour has not waited for
//! an hour, and an answer that arrived meanwhile is read before anything is given up.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

/// The grain of the count. A suspension costs one of these at most, and so does a deadline's precision.
const SLICE: Duration = Duration::from_millis(500);

pub(super) struct Patience {
    total: Option<Duration>,
    left: Duration,
    idle: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimedOut {
    Total(Duration),
    Idle(Duration),
}

impl Patience {
    pub fn new(total: Option<Duration>, idle: Duration) -> Patience {
        Patience { total, left: total.unwrap_or(Duration::MAX), idle }
    }

    /// Waits for the head of an answer: only the total counts, for a slow query is silent until it is done.
    pub async fn head<F: Future>(&mut self, future: F) -> Result<F::Output, TimedOut> {
        self.wait(future, Duration::MAX).await
    }

    /// Waits for the next piece of a body.
    pub async fn chunk<F: Future>(&mut self, future: F) -> Result<F::Output, TimedOut> {
        self.wait(future, self.idle).await
    }

    async fn wait<F: Future>(&mut self, future: F, idle: Duration) -> Result<F::Output, TimedOut> {
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
                return Ok(output);
            }
        }
    }

    /// How long may be waited in one go, with `quiet` left of the silence that is allowed.
    fn slice(&self, quiet: Duration) -> Result<Duration, TimedOut> {
        let slice = SLICE.min(self.left).min(quiet);
        if !slice.is_zero() {
            return Ok(slice);
        }
        Err(match self.total {
            Some(total) if self.left.is_zero() => TimedOut::Total(total),
            _ => TimedOut::Idle(self.idle),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait<T>(test: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(test)
    }

    #[test]
    fn silence_and_length_end_apart() {
        let (total, idle) = (Duration::from_millis(40), Duration::from_millis(15));
        let mut patience = Patience::new(Some(total), idle);
        wait(async {
            let never = std::future::pending::<()>;
            assert_eq!(patience.chunk(never()).await, Err(TimedOut::Idle(idle)));
            assert_eq!(patience.head(never()).await, Err(TimedOut::Total(total)), "what was left of it");
            assert_eq!(patience.chunk(std::future::ready(7)).await, Err(TimedOut::Total(total)));
            let mut endless = Patience::new(None, idle);
            assert_eq!(endless.chunk(never()).await, Err(TimedOut::Idle(idle)));
            assert_eq!(endless.chunk(std::future::ready(7)).await, Ok(7));
        });
    }

    #[test]
    fn no_more_than_a_slice_is_counted_at_once() {
        let patience = Patience::new(Some(Duration::from_secs(60)), Duration::from_secs(30));
        assert_eq!(patience.slice(Duration::MAX), Ok(SLICE));
        assert_eq!(patience.slice(Duration::from_millis(3)), Ok(Duration::from_millis(3)));
    }
}
