//! Moments as plain values. The host reads the clocks once per event and hands the result down; other code has no clock.
//!
//! Two clocks, because each lies in its own way: the wall clock can jump (a laptop wakes, the date is set), the
//! machine's clock cannot but means nothing tomorrow. Waiting is measured on the machine's clock, records carry the wall's.

use std::time::Duration;

/// Milliseconds since 1970 by the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wall(pub i64);

/// Milliseconds by the machine's own clock: the same for every process of this machine, starting again at each boot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mono(pub u64);

/// The moment at which something happens, by both clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    pub wall: Wall,
    pub mono: Mono,
}

impl Mono {
    pub fn after(self, wait: Duration) -> Mono {
        Mono(self.0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }

    /// How long from `earlier` until this moment; nothing when `earlier` is later.
    pub fn since(self, earlier: Mono) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl Wall {
    pub fn after(self, wait: Duration) -> Wall {
        Wall(self.0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)))
    }
}
