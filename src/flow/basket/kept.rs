//! The basket and the store: every change goes there at once, and what other windows changed comes back from there.

use std::collections::HashMap;

use crate::domain::contact::RowId;
use crate::effect::Effect;
use crate::effect::store::{BasketState, StoreCall, StoreReply};
use crate::flow::desk::{Desk, Heard};

use super::{Basket, Entry};

impl Basket {
    /// Reads it from the store: at the start, on focus, after an order.
    pub fn reload(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        if self.loading.is_some() || !self.changing.is_empty() {
            self.outdated = true;
            return;
        }
        self.outdated = false;
        self.loading = Some(desk.store(StoreCall::Basket { profile: self.profile.clone(), side: self.side }, fx));
    }

    pub fn hear(&mut self, heard: &Heard, desk: &mut Desk, fx: &mut Vec<Effect>) -> bool {
        let Heard::Stored(ticket, result) = heard else { return false };
        if self.loading.take_if(|loading| loading == ticket).is_some() {
            match result {
                Ok(StoreReply::Basket(state)) if self.changing.is_empty() => self.adopt(state),
                Ok(_) => self.outdated = true,
                Err(failure) => self.failure = Some(failure.clone()),
            }
        } else if let Some(at) = self.changing.iter().position(|changing| changing == ticket) {
            self.changing.remove(at);
            match result {
                Ok(StoreReply::BasketVersion(version)) => self.changed(*version),
                Ok(_) => {}
                Err(failure) => self.failure = Some(failure.clone()),
            }
        } else {
            return false;
        }
        if self.outdated && self.changing.is_empty() {
            self.reload(desk, fx);
        }
        true
    }

    /// A change of ours was written. One that grew the version by more than one step was not the only one.
    fn changed(&mut self, version: u64) {
        self.failure = None;
        self.outdated |= self.version.is_none_or(|known| version > known + 1);
        self.version = Some(version);
    }

    fn adopt(&mut self, state: &BasketState) {
        self.failure = None;
        self.version = Some(state.version);
        let mut columns = None;
        self.places.clear();
        let mut old: HashMap<RowId, Entry> = self.rows.drain(..).map(|entry| (entry.id(), entry)).collect();
        let mut ours = 0;
        let mut last = None;
        for staged in &state.rows {
            // Rows that are here already are kept as they are, which spares reading them once more. Places are never used
            // twice: the steps of undo know rows by them.
            let known = old.remove(&staged.id);
            let place = match &known {
                Some(entry) if last.is_none_or(|last| entry.place > last) => entry.place,
                _ => self.next_place.max(last.map_or(0, |last| last + 1)),
            };
            self.next_place = self.next_place.max(place + 1);
            last = Some(place);
            let entry = match known {
                Some(entry) => entry.moved_to(place, staged.ours),
                None => Entry::read(place, staged, self.side.source, &mut columns),
            };
            ours += usize::from(entry.ours);
            self.places.insert(staged.id, place);
            self.rows.push(entry);
        }
        self.ours = ours;
    }

    pub(super) fn say_in(&mut self, entries: &[Entry], desk: &mut Desk, fx: &mut Vec<Effect>) {
        if entries.is_empty() {
            return;
        }
        let rows = entries.iter().map(Entry::to_store).collect();
        let call = StoreCall::Stage { profile: self.profile.clone(), side: self.side, rows };
        self.changing.push_back(desk.store(call, fx));
    }

    pub(super) fn say_out(&mut self, entries: &[Entry], desk: &mut Desk, fx: &mut Vec<Effect>) {
        if entries.is_empty() {
            return;
        }
        let ids = entries.iter().map(Entry::id).collect();
        let call = StoreCall::Unstage { profile: self.profile.clone(), side: self.side, ids };
        self.changing.push_back(desk.store(call, fx));
    }
}
