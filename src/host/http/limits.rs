//! How long an answer may take and how large it may be, by the kind of call.

use std::time::Duration;

use lode_core::Speed;
use lode_engine::effect::Call;

pub(super) struct Limits {
    /// From the first byte sent to the last byte read. None: as long as it keeps coming.
    pub total: Option<Duration>,
    /// Between two pieces of a body.
    pub idle: Duration,
    /// Bytes of the body after decompression.
    pub body: usize,
}

const MB: usize = 1 << 20;

impl Limits {
    pub(super) fn of(call: &Call) -> Limits {
        let (total, idle, body) = match call {
            Call::Search(search) => match search.query.speed() {
                Speed::Fast => (Some(60), 30, 8 * MB),
                // A scan of the whole corpus may take minutes; the person sees the clock and can stop it.
                Speed::Slow | Speed::Unknown => (Some(600), 30, 8 * MB),
            },
            Call::Unlock(_) => (Some(90), 30, 16 * MB),
            Call::Export { .. } => (None, 60, usize::MAX),
            Call::Me | Call::Counts(_) => (Some(30), 30, MB),
            Call::SavedList | Call::SavedAdd { .. } | Call::SavedRestore { .. } | Call::SavedRemove { .. } => {
                (Some(30), 30, MB)
            }
        };
        Limits { total: total.map(Duration::from_secs), idle: Duration::from_secs(idle), body }
    }
}
