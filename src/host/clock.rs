//! The clocks, read here and nowhere else.
//!
//! The machine's clock is the one that all processes share, so that two windows agree on when a slot of the allowance
//! frees. It starts again at each boot: the boot's own name tells whether a stored reading still means anything.

use std::time::{SystemTime, UNIX_EPOCH};

use lode_core::{Mono, Now, Wall};

use super::system::clock as machine;

/// This moment, by both clocks.
pub fn now() -> Now {
    let mono = Mono(machine::machine_ms());
    let wall = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    };
    Now { wall: Wall(wall), mono }
}

/// The name of this boot, where the system gives one. Where it does not, the moment of booting by both clocks does: within
/// a quarter of an hour it is the same boot.
pub fn boot() -> String {
    machine::boot().unwrap_or_else(|| {
        let now = now();
        let booted = now.wall.0 - i64::try_from(now.mono.0).unwrap_or(0);
        format!("booted {}", booted.div_euclid(900_000))
    })
}

/// Waits until the deadline; for ever if there is none.
pub async fn sleep_until(deadline: Option<Mono>) {
    or_never(deadline, async |at: Mono| tokio::time::sleep(at.since(now().mono)).await).await;
}

/// What comes next of something that may be lacking; never where it is.
pub async fn or_never<T, R>(from: Option<T>, next: impl AsyncFnOnce(T) -> R) -> R {
    match from {
        Some(from) => next(from).await,
        None => std::future::pending().await,
    }
}
