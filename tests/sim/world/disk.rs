//! The disk: the real store, one call after the other for each window, and a disk that is full or slow.

use lode::effect::failure::StoreFailure;
use lode::effect::store::{IntentRefused, StoreCall, StoreReply};

use super::{Happening, World};

impl World {
    pub(super) fn kick_store(&mut self, slot: usize) {
        let Some(window) = self.windows[slot].as_mut() else { return };
        if !window.store_busy && !window.queue.is_empty() {
            let wait = if self.calm {
                0
            } else if !self.settling && self.dice.per_mille(self.stalls) {
                self.dice.between(30, 6_000)
            } else {
                self.dice.below(12)
            };
            window.store_busy = true;
            let generation = window.generation;
            self.later(wait, Happening::StoreStep { generation });
        }
    }

    pub(super) fn store_step(&mut self, generation: u64) {
        let now = self.at();
        let full = !self.settling && self.now < self.full_until;
        let mut fails = !self.settling && self.dice.per_mille(self.trouble);
        let wait = if self.calm { 1 } else { self.dice.below(6) };
        let Some(window) = self.living(generation) else { return };
        let Some((ticket, call)) = window.queue.pop_front() else { return };
        // A full disk stays full for a while, for whatever writes into the books.
        fails |= full && writes_money(&call);
        let result = if fails { Err(StoreFailure::Full) } else { window.store.perform(call.clone(), now) };
        let (who, at_work) = (window.who(), window.session().unlock().at_work());
        if writes_money(&call) {
            self.trace(|| format!("g{generation} disk {} -> {}", short(&call), short(&result)));
        }
        match &result {
            Ok(StoreReply::IntentRefused(why)) => {
                if let StoreCall::Intend(intent) = &call {
                    self.referee.withheld(intent, why, &who);
                }
                let marks = &mut self.referee.marks;
                match why {
                    IntentRefused::Cap { .. } => marks.hit("a cap held an order back"),
                    IntentRefused::BasketChanged => marks.hit("the basket changed under a quote"),
                    IntentRefused::Open(_) => match &call {
                        StoreCall::Intend(intent) if intent.again.is_some() => {
                            marks.hit("a batch in flight elsewhere was not sent again");
                        }
                        _ => marks.hit("two windows wanted the same contact"),
                    },
                    _ => {}
                }
            }
            Ok(reply) => {
                if let StoreCall::Heard { batch, .. } = &call
                    && at_work != Some(*batch)
                {
                    self.referee.marks.hit("an answer was kept after its order had ended");
                }
                let verdict = self.referee.stored(&call, reply, &who, self.now);
                self.judge(verdict);
            }
            Err(failure) => {
                let marks = &mut self.referee.marks;
                match &call {
                    // Then the window counts for itself alone, and the others do not know of its request.
                    StoreCall::Reserve { .. } => self.strayed = Some(self.now),
                    StoreCall::Intend(_) => marks.hit("store failed at an intent"),
                    StoreCall::Heard { .. } => marks.hit("store failed at keeping an answer"),
                    StoreCall::Settle(_) => marks.hit("store failed at a settlement"),
                    _ => {}
                }
                if !fails {
                    self.judge(Err(format!("the store refused {call:?}: {failure}")));
                }
            }
        }
        let intended = matches!(result, Ok(StoreReply::Intended { .. }));
        self.later(wait, Happening::Stored { generation, ticket, result: Box::new(result) });
        // A bad moment: it is written down, and nothing has left.
        if intended
            && self.crashes > 0
            && !self.settling
            && self.dice.per_mille(40)
            && let Some(slot) = self.slot_of(generation).filter(|slot| *slot < self.slots)
        {
            self.crash(slot);
        }
    }

    /// Does what a window had given its store to do, up to where `stops` says.
    pub(super) fn drain(&mut self, window: &mut crate::window::Window, mut stops: impl FnMut(&mut World) -> bool) {
        let now = self.at();
        while let Some((_, call)) = window.queue.pop_front() {
            if stops(self) {
                break;
            }
            if let Ok(reply) = window.store.perform(call.clone(), now) {
                if writes_money(&call) {
                    self.trace(|| format!("g{} at its end {}", window.generation, short(&call)));
                }
                let verdict = self.referee.stored(&call, &reply, &window.who(), self.now);
                self.judge(verdict);
            }
        }
    }
}

fn short(what: &impl std::fmt::Debug) -> String {
    let mut words = format!("{what:?}");
    words.truncate(words.char_indices().nth(420).map_or(words.len(), |(at, _)| at));
    words
}

fn writes_money(call: &StoreCall) -> bool {
    matches!(
        call,
        StoreCall::Intend(_)
            | StoreCall::Heard { .. }
            | StoreCall::Lost { .. }
            | StoreCall::Withdraw { .. }
            | StoreCall::Settle(_)
            | StoreCall::Sighted { .. }
            | StoreCall::Own { .. }
    )
}
