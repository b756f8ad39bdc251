//! The clock that all processes of the machine share.

use super::*;

/// Milliseconds since some moment before this boot.
pub fn machine_ms() -> u64 {
    let (mut count, mut frequency) = (0, 0);
    // SAFETY: Each writes one number to where it is told, and neither fails since Windows XP.
    unsafe {
        QueryPerformanceCounter(&raw mut count);
        QueryPerformanceFrequency(&raw mut frequency);
    }
    let ms = i128::from(count) * 1000 / i128::from(frequency.max(1));
    u64::try_from(ms).unwrap_or(0)
}

/// Windows names no boot.
pub fn boot() -> Option<String> {
    None
}
