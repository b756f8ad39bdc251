//! How a window ends: its process dies at any step, or its script leaves in order.

use lode::effect::store::StoreCall;

use crate::network::LATEST;
use crate::window::Window;

use super::{Happening, World};

impl World {
    pub(super) fn crash(&mut self, slot: usize) {
        let Some(mut window) = self.windows[slot].take() else { return };
        // What the store had not answered yet may have been done all the same: any part of it from the front.
        if !window.queue.is_empty() {
            self.referee.marks.hit("crash with work of the store under way");
        }
        let intended = window.session().unlock.at_work().is_some_and(|batch| {
            !window.in_flight.values().any(|flying| *flying == batch)
                && self.referee.batches.get(&batch).is_some_and(|batch| batch.sendings == 0)
        });
        if intended {
            self.referee.marks.hit("crash between intent and sending");
        }
        if !window.in_flight.is_empty() {
            self.referee.marks.hit("crash while in flight");
        }
        let pending = |window: &Window, what: fn(&StoreCall) -> bool| window.queue.iter().any(|(_, call)| what(call));
        if pending(&window, |call| matches!(call, StoreCall::Settle(_) | StoreCall::Heard { .. })) {
            self.referee.marks.hit("crash between answer and settlement");
        }
        while let Some((_, call)) = window.queue.pop_front() {
            if self.dice.per_mille(400) {
                break;
            }
            let now = self.at();
            if let Ok(reply) = window.store.perform(call.clone(), now) {
                let verdict = self.referee.stored(&call, &reply);
                self.judge(verdict);
            }
        }
        self.referee.crashed(window.generation);
        // With the process its lines break: nothing of it arrives later than a call may be under way.
        let (generation, now) = (window.generation, self.now);
        drop(window);
        let mine = |happening: &Happening| matches!(happening, Happening::Arrive { from, .. } if from.generation == generation);
        let late: Vec<(u64, u64)> =
            self.heap.iter().filter(|((at, _), h)| mine(h) && *at > now + LATEST).map(|(key, _)| *key).collect();
        for key in late {
            let mut happening = self.heap.remove(&key).expect("just seen");
            if let Happening::Arrive { stray, .. } = &mut happening {
                *stray = true;
            }
            let wait = self.dice.below(LATEST);
            self.later(wait, happening);
        }
        let wait = if self.settling { 100 } else { self.dice.between(100, 90_000) };
        self.later(wait, Happening::Restart { slot });
    }

    /// A script has come to its end: what it gave the store to do is done, and nothing it paid for is on the wire.
    pub(super) fn leave(&mut self, slot: usize) {
        let Some(mut window) = self.windows[slot].take() else { return };
        self.referee.marks.hit("a script came to its end");
        let now = self.at();
        while let Some((_, call)) = window.queue.pop_front() {
            if let Ok(reply) = window.store.perform(call.clone(), now) {
                let verdict = self.referee.stored(&call, &reply);
                self.judge(verdict);
            }
        }
        if !window.in_flight.is_empty() {
            self.judge(Err("a script left while its unlock was on the wire".to_owned()));
        }
        if window.session().unlock.has_unsaved() {
            // What could not be stored was printed.
            self.referee.crashed(window.generation);
        }
        let wait = if self.settling { 100 } else { self.dice.between(100, 20_000) };
        self.later(wait, Happening::Restart { slot });
    }
}
