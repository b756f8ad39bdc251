//! How long an answer may take and how large it may be, by the kind of call.

use std::time::Duration;

use lode_core::Speed;
use lode_engine::effect::Call;

use super::patience::Patience;

const MB: usize = 1 << 20;

/// How long the answer may take, and how many bytes its body may have after decompression.
pub(super) fn of(call: &Call) -> (Patience, usize) {
    // Seconds from the first byte sent to the last byte read, none: as long as it keeps coming. Seconds between two pieces.
    let (total, idle, body) = match call {
        Call::Search(search) => match search.query.speed() {
            Speed::Fast => (Some(60), 30, 8 * MB),
            // A scan of the whole corpus may take minutes; the person sees the clock and can stop it.
            Speed::Slow | Speed::Unknown => (Some(600), 30, 8 * MB),
        },
        Call::Unlock(_) => (Some(90), 30, 16 * MB),
        Call::Export { .. } => (None, 60, usize::MAX),
        Call::Me
        | Call::Counts(_)
        | Call::SavedList
        | Call::SavedAdd { .. }
        | Call::SavedRestore { .. }
        | Call::SavedRemove { .. } => (Some(30), 30, MB),
    };
    (Patience::new(total.map(Duration::from_secs), Duration::from_secs(idle)), body)
}
