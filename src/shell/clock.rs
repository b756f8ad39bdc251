//! The clocks, read here and nowhere else.
//!
//! The machine's clock is the one that all processes share, so that two windows agree on when a slot of the allowance
//! frees. It starts again at each boot: the boot's own name tells whether a stored reading still means anything.

use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

use crate::domain::time::{Mono, Now, Wall};

/// This moment, by both clocks.
pub fn now() -> Now {
    let machine = clock_gettime(ClockId::Monotonic);
    let mono = Mono(machine.tv_sec.unsigned_abs() * 1000 + machine.tv_nsec.unsigned_abs() / 1_000_000);
    let wall = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    };
    Now { wall: Wall(wall), mono }
}

/// The name of this boot, where the system gives one. Where it does not, the moment of booting by both clocks does: within
/// a quarter of an hour it is the same boot.
pub fn boot() -> String {
    if let Ok(id) = std::fs::read_to_string("/proc/sys/kernel/random/boot_id") {
        return id.trim().to_owned();
    }
    let now = now();
    let booted = now.wall.0 - i64::try_from(now.mono.0).unwrap_or(0);
    format!("booted {}", booted.div_euclid(900_000))
}
