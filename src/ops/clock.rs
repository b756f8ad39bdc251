//! The seconds of a search that a person waits for.

use std::time::Duration;

use lode_core::{Mono, Now};

/// Seconds that pass while a person waits, told once each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    began: Mono,
    next: Option<Mono>,
}

impl Clock {
    pub(super) fn start(&mut self, now: Now) {
        self.began = now.mono;
        self.next = Some(now.mono.after(Duration::from_secs(1)));
    }

    pub(super) fn next(&self) -> Option<Mono> {
        self.next
    }

    /// How long it has been, and the next second.
    pub(super) fn tick(&mut self, now: Now) -> Duration {
        self.next = Some(now.mono.after(Duration::from_secs(1)));
        now.mono.since(self.began)
    }
}
