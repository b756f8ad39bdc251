//! The disk: the real store, one call after the other for each window, and a disk that is full or slow.

use lode_core::contact::RowId;
use lode_core::money::BatchId;
use lode_engine::effect::failure::StoreFailure;
use lode_engine::effect::store::{IntentRefused, StoreCall, StoreReply};

use common::rng::Key;

use crate::referee::Referee;

use super::{Happening, Simulation};

impl Simulation {
    pub(super) fn kick_store(&mut self, slot: usize) {
        let Some(window) = self.windows[slot].as_mut() else { return };
        let Some((_, call)) = window.queue.front().filter(|_| !window.store_busy) else { return };
        let key = self.draws.attempt(window.key().and(key_of(call, &self.referee)));
        let mut rng = self.draws.at(key.text("waits"));
        let wait = if self.calm || self.finely {
            0
        } else if !self.settling && rng.per_mille(self.stalls) {
            rng.between(30, 6_000)
        } else {
            rng.below(12)
        };
        window.store_busy = true;
        let generation = window.generation;
        self.later(wait, key, Happening::StoreStep { generation, key });
    }

    pub(super) fn store_step(&mut self, generation: u64, key: Key) {
        let now = self.at();
        let mut rng = self.draws.at(key.text("is done"));
        let full = !self.settling && self.now < self.full_until;
        let mut fails = rng.per_mille(self.trouble) && !self.settling;
        let wait = rng.below(6);
        let wait = if self.calm || self.finely { 1 } else { wait };
        let Some((ticket, call)) = self.living(generation).and_then(|window| window.queue.pop_front()) else { return };
        // A full disk stays full for a while, for whatever writes into the books.
        fails |= full && writes_money(&call);
        // In a small world: the disk is full, or the process dies right after the write.
        let way = self.plan.as_mut().filter(|_| writes_money(&call)).map_or(0, |plan| plan.choose(3));
        fails |= way == 1;
        let Some(window) = self.living(generation) else { return };
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
                if let StoreCall::KeepAnswer { batch, .. } = &call
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
                    StoreCall::KeepAnswer { .. } => marks.hit("store failed at keeping an answer"),
                    StoreCall::Settle(_) => marks.hit("store failed at a settlement"),
                    _ => {}
                }
                if !fails {
                    self.judge(Err(format!("the store refused {call:?}: {failure}")));
                }
            }
        }
        let intended = matches!(result, Ok(StoreReply::Intended(_)));
        self.later(wait, key, Happening::Stored { generation, ticket, result: Box::new(result) });
        if way == 2
            && let Some(slot) = self.slot_of(generation)
        {
            self.crash(slot);
        }
        // A bad moment: it is written down, and nothing has left.
        if intended
            && self.crashes > 0
            && !self.settling
            && rng.per_mille(40)
            && let Some(slot) = self.slot_of(generation).filter(|slot| *slot < self.slots)
        {
            self.crash(slot);
        }
    }

    /// Does what a window had given its store to do, up to where `stops` says.
    pub(super) fn drain(&mut self, window: &mut crate::window::Window, mut stops: impl FnMut() -> bool) {
        let now = self.at();
        while let Some((_, call)) = window.queue.pop_front() {
            if stops() {
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

pub(super) fn writes_money(call: &StoreCall) -> bool {
    matches!(
        call,
        StoreCall::Intend(_)
            | StoreCall::KeepAnswer { .. }
            | StoreCall::Lost { .. }
            | StoreCall::Withdraw { .. }
            | StoreCall::Settle(_)
            | StoreCall::KeepCheckResults { .. }
            | StoreCall::Own { .. }
    )
}

/// Names a call of the store in the draws, by words and ids that stay when the code is renamed.
fn key_of(call: &StoreCall, referee: &Referee) -> Key {
    let ids =
        |kind: &str, ids: &mut dyn Iterator<Item = RowId>| ids.fold(Key::new(kind), |key, id| key.number(id.0 as u64));
    let batch = |kind: &str, batch: &BatchId| {
        let sent = referee.batches.get(batch).map(|batch| batch.ids.as_slice()).unwrap_or_default();
        ids(kind, &mut sent.iter().copied())
    };
    match call {
        StoreCall::Intend(intent) => ids("intend", &mut intent.ids.iter().copied()),
        StoreCall::KeepAnswer { batch: id, .. } => batch("response", id),
        StoreCall::Lost { batch: id, .. } => batch("lost", id),
        StoreCall::Withdraw { batch: id, .. } => batch("withdraw", id),
        StoreCall::Settle(settlement) => batch("settle", &settlement.batch),
        StoreCall::KeepCheckResults { batch: id, .. } => batch("sighted", id),
        StoreCall::Own { contacts, .. } => ids("own", &mut contacts.iter().map(|seen| seen.id)),
        StoreCall::Stage { rows, .. } => ids("stage", &mut rows.iter().map(|row| row.id)),
        StoreCall::Unstage { .. } => Key::new("unstage"),
        StoreCall::Searched { canonical, offset, .. } => Key::new("searched").text(canonical).number(*offset),
        StoreCall::Reserve { .. } => Key::new("reserve"),
        StoreCall::Release { .. } => Key::new("release"),
        StoreCall::Pause { .. } => Key::new("pause"),
        StoreCall::Gauge { .. } => Key::new("gauge"),
        StoreCall::Changes { .. } => Key::new("changes"),
        StoreCall::NoteJob(_) => Key::new("note job"),
        StoreCall::Jobs(_) => Key::new("jobs"),
        StoreCall::ContactStatuses { .. } => Key::new("fates"),
        StoreCall::LearnPage { .. } => Key::new("learn page"),
        StoreCall::PageSizes { .. } => Key::new("page sizes"),
        StoreCall::KeepAccount { .. } => Key::new("know"),
        StoreCall::AccountOf { .. } => Key::new("known"),
        StoreCall::Basket { .. } => Key::new("basket"),
        StoreCall::BasketPart { .. } => Key::new("basket part"),
        StoreCall::BasketVersion { .. } => Key::new("basket version"),
        StoreCall::Suppressions { .. } => Key::new("suppressions"),
        StoreCall::ListsSince { .. } => Key::new("lists since"),
        StoreCall::OpenBatches { .. } => Key::new("open batches"),
        StoreCall::OpenElsewhere { .. } => Key::new("open elsewhere"),
        StoreCall::Spent { .. } => Key::new("spent"),
        StoreCall::Receipts { .. } => Key::new("receipts"),
        StoreCall::Owned { .. } => Key::new("owned"),
        StoreCall::Recent { .. } => Key::new("recent"),
        StoreCall::Shown { .. } => Key::new("shown"),
        _ => Key::new("other"),
    }
}
