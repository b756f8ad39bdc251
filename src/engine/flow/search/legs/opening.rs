//! Opening: one request for each leg, a few at a time, the first leg first.

use crate::flow::desk::Cx;
use crate::flow::limiter::time_for;
use crate::flow::search::window::Status;
use lode_core::credits::{counted, grouped};
use lode_core::query::{Query, Speed};

use super::{Legs, OPENED_AT_ONCE};

impl Legs {
    /// Opens the next legs.
    pub(super) fn open(&mut self, cx: &mut Cx<'_>) {
        let opening = |status: &Status| matches!(status, Status::Running { .. });
        let running = self.legs.iter().filter(|leg| opening(leg.window.status())).count();
        let more = if self.halted { 0 } else { OPENED_AT_ONCE.saturating_sub(running) };
        for leg in self.legs.iter_mut().filter(|leg| !leg.begun).take(more) {
            leg.begun = true;
            leg.window.begin(cx);
        }
    }

    /// How many totals are known, and of how many legs.
    pub fn read(&self) -> (usize, usize) {
        (self.legs.iter().filter(|leg| leg.window.frozen_total().is_some()).count(), self.legs.len())
    }

    /// How many legs could not be opened.
    pub fn failed_legs(&self) -> usize {
        self.legs.iter().filter(|leg| matches!(leg.window.status(), Status::Failed(_))).count()
    }
}

/// What running a search with many legs takes: `12 searches: 12 requests to open them, about 1 min. All scan …`
pub fn legs_take(query: &Query) -> String {
    let legs = query.leg_count() as u64;
    let slow = match query.speed() {
        Speed::Slow => format!(" All {} scan the whole corpus, which is slow.", grouped(legs)),
        Speed::Fast | Speed::Unknown => String::new(),
    };
    format!("{}: {} to open them, {}.{slow}", counted(legs, "search"), counted(legs, "request"), minutes(legs))
}

/// `less than 1 min`: how long so many requests take at the pace of a key.
pub fn minutes(requests: u64) -> String {
    match time_for(requests).as_secs().div_ceil(60) {
        0 => "less than 1 min".to_owned(),
        minutes => format!("about {} min", grouped(minutes)),
    }
}
