//! The clock that all processes of the machine share.

use rustix::time::{ClockId, clock_gettime};

/// Milliseconds since some moment before this boot.
pub fn machine_ms() -> u64 {
    let machine = clock_gettime(ClockId::Monotonic);
    machine.tv_sec.unsigned_abs() * 1000 + machine.tv_nsec.unsigned_abs() / 1_000_000
}

/// The name of this boot, where the system gives one.
pub fn boot() -> Option<String> {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}
