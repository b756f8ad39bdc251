//! The basket and the store: every change goes there at once, and what other windows changed comes back from there.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::contact::RowId;
use crate::domain::money::Staged;
use crate::domain::row::{Row, Rows};
use crate::effect::Effect;
use crate::effect::store::{BasketState, StoreCall, StoreReply};
use crate::flow::desk::{Desk, Heard};

use super::{Basket, Change, Entry, entry};

impl Basket {
    /// Reads it from the store.
    pub fn reload(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        if self.is_asking() || !self.changing.is_empty() {
            self.outdated = true;
            return;
        }
        self.outdated = false;
        self.loading = Some(desk.store(StoreCall::Basket { profile: self.profile.clone(), side: self.side }, fx));
    }

    /// Reads it again if anybody changed it: on focus, before a review, after an order.
    pub fn check(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        if self.version.is_none() || self.failure.is_some() {
            return self.reload(desk, fx);
        }
        // A change that is on its way answers the version by itself, a reading does anyway.
        if !self.is_asking() && self.changing.is_empty() {
            let call = StoreCall::BasketVersion { profile: self.profile.clone(), side: self.side };
            self.checking = Some(desk.store(call, fx));
        }
    }

    pub(super) fn is_asking(&self) -> bool {
        self.loading.is_some() || self.checking.is_some()
    }

    pub fn hear(&mut self, heard: &Heard, desk: &mut Desk, fx: &mut Vec<Effect>) -> bool {
        let Heard::Stored(ticket, result) = heard else { return false };
        if self.loading.take_if(|loading| loading == ticket).is_some() {
            match result {
                Ok(StoreReply::Basket(state)) if self.changing.is_empty() => self.adopt(state, desk, fx),
                Ok(_) => self.outdated = true,
                Err(failure) => self.failure = Some(failure.clone()),
            }
        } else if self.checking.take_if(|checking| checking == ticket).is_some() {
            match result {
                Ok(StoreReply::BasketVersion(version)) => self.outdated |= self.version != Some(*version),
                Ok(_) => {}
                Err(failure) => self.failure = Some(failure.clone()),
            }
        } else if let Some(at) = self.changing.iter().position(|changing| changing == ticket) {
            self.changing.remove(at);
            match result {
                Ok(StoreReply::BasketVersion(version)) => self.changed(*version),
                Ok(_) => {}
                Err(failure) => {
                    self.failure = Some(failure.clone());
                    self.diverged = true;
                }
            }
        } else {
            return false;
        }
        if self.outdated && self.changing.is_empty() && !self.is_asking() {
            self.reload(desk, fx);
        }
        true
    }

    /// A change of ours was written. One that grew the version by more than one step was not the only one.
    fn changed(&mut self, version: u64) {
        self.failure = None;
        self.outdated |= self.diverged || self.version.is_none_or(|known| version > known + 1);
        self.version = Some(version);
    }

    fn adopt(&mut self, state: &BasketState, desk: &mut Desk, fx: &mut Vec<Effect>) {
        self.failure = None;
        self.version = Some(state.version);
        self.places.clear();
        let mut old: HashMap<RowId, Entry> = self.rows.drain(..).map(|entry| (entry.id(), entry)).collect();
        // Rows that are here already are kept as they are, which spares reading them once more.
        let known: Vec<Option<Entry>> = state.rows.iter().map(|staged| old.remove(&staged.id)).collect();
        let new = state.rows.iter().zip(&known).filter(|(_, known)| known.is_none());
        let mut read = self.read(new.map(|(staged, _)| staged)).into_iter();
        let mut search: Option<Arc<str>> = None;
        let mut ours = 0;
        let mut last = None;
        for (staged, known) in state.rows.iter().zip(known) {
            // Places are never used twice: the steps of undo know rows by them.
            let place = match &known {
                Some(entry) if last.is_none_or(|last| entry.place > last) => entry.place,
                _ => self.next_place.max(last.map_or(0, |last| last + 1)),
            };
            self.next_place = self.next_place.max(place + 1);
            last = Some(place);
            if search.as_deref() != staged.clue.search.as_deref() {
                search = staged.clue.search.as_deref().map(Arc::from);
            }
            let entry = known.unwrap_or_else(|| {
                let row = read.next().expect("each that is new was read");
                Entry::new(place, row, search.clone())
            });
            let entry = entry.moved_to(place, staged.ours);
            ours += usize::from(entry.ours);
            self.places.insert(staged.id, place);
            self.rows.push(entry);
        }
        self.ours = ours;
        // What could not be written before is written now.
        if std::mem::take(&mut self.diverged) && !old.is_empty() {
            let mut unsaved: Vec<Entry> = old.into_values().collect();
            unsaved.sort_by_key(|entry| entry.place);
            self.apply(Change::PutIn(unsaved), desk, fx);
        }
    }

    fn read<'a>(&self, kept: impl Iterator<Item = &'a Staged>) -> Vec<Row> {
        let mut rows: Option<Rows> = None;
        for staged in kept {
            let row = entry::read(staged, self.side.source);
            let values = row.fields().map(|(_, kind, text)| (kind, text));
            let rows = rows.get_or_insert_with(|| Rows::new(Arc::clone(row.columns())));
            rows.push(Some(staged.id), row.unlocked, row.columns(), values);
        }
        rows.map(Rows::finish).unwrap_or_default()
    }

    pub(super) fn say_in(&mut self, rows: Vec<Staged>, desk: &mut Desk, fx: &mut Vec<Effect>) {
        if rows.is_empty() {
            return;
        }
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
