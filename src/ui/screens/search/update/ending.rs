//! What Esc and Ctrl-c end: a range, a running query, an order of its own.

use crate::domain::credits::grouped;
use crate::ui::scene::Scene;
use crate::ui::screens::search::state::{Pane, State};

impl State {
    /// True where there was something to end.
    pub(in crate::ui::screens::search) fn end_one(&mut self, scene: &mut Scene<'_>) -> bool {
        if self.seat_mut().anchor.take().is_some() {
            scene.say("Range ended.");
            return true;
        }
        if self.stop_query(scene) {
            return true;
        }
        if self.pane != Pane::Results {
            self.pane = Pane::Results;
            return true;
        }
        let seat = self.seat_mut();
        if seat.order.is_none() && seat.sorting.is_none() {
            return false;
        }
        seat.cursor = seat.index(seat.cursor);
        seat.unsort();
        scene.say("Sorted by the service.");
        true
    }

    /// True where something was running.
    pub fn stop_query(&self, scene: &mut Scene<'_>) -> bool {
        let (state, desk) = scene.session.side_mut(self.side);
        if state.stop_gathering(&mut desk.at(scene.now, scene.fx)) {
            let staged = state.basket.len() as u64;
            scene.say(format!("Stopped reading; the basket holds {}.", grouped(staged)));
            return true;
        }
        let waited_for = state.window.is_busy();
        if waited_for {
            state.window.stop(&mut desk.at(scene.now, scene.fx));
            scene.say("Stopped. Nothing was spent.  <results.fetch-again> search again");
        }
        waited_for
    }
}
