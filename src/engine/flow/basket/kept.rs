//! The basket and the store: every change goes there at once, and what other windows changed comes back from there.

use std::collections::HashMap;
use std::sync::Arc;

use crate::effect::Ticket;
use crate::effect::store::{BasketState, StoreCall, StoreReply};
use crate::flow::desk::{Cx, Heard, Owner};
use lode_core::contact::RowId;
use lode_core::money::Staged;
use lode_core::row::Row;

use super::{Basket, Change, Entry, entry};

/// The basket on its way from the store, part by part: all of it at once, as the store has it, would be several times what it
/// is here, and would be read while the user waits for a frame.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    ticket: Ticket,
    version: Option<u64>,
    kept: Vec<Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    id: RowId,
    owned: bool,
    search: Option<Arc<String>>,
    /// None where it is here already.
    row: Option<Row>,
}

impl Basket {
    /// Reads it from the store.
    pub fn reload(&mut self, cx: &mut Cx<'_>) {
        if self.is_asking() || !self.changing.is_empty() {
            self.outdated = true;
            return;
        }
        self.outdated = false;
        let Some(part) = self.part(0) else { return };
        let ticket = cx.store(Owner::Basket(self.side), part);
        self.loading = Some(Reading { ticket, version: None, kept: Vec::new() });
    }

    /// Reads it again if anybody changed it: on focus, before a review, after an order.
    pub fn check(&mut self, cx: &mut Cx<'_>) {
        // A basket is read when it is first shown.
        if self.version.is_none() && self.failure.is_none() && !self.is_asking() {
            return;
        }
        if self.version.is_none() || self.failure.is_some() {
            return self.reload(cx);
        }
        // A change that is on its way answers the version by itself, a reading does anyway.
        if !self.is_asking() && self.changing.is_empty() {
            let Some(purse) = self.purse.clone() else { return };
            let call = StoreCall::BasketVersion { purse, side: self.side };
            self.checking = Some(cx.store(Owner::Basket(self.side), call));
        }
    }

    pub(super) fn is_asking(&self) -> bool {
        self.loading.is_some() || self.checking.is_some()
    }

    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> bool {
        let Heard::Stored(ticket, result) = heard else { return false };
        if let Some(reading) = self.loading.take_if(|loading| loading.ticket == *ticket) {
            match result {
                Ok(StoreReply::BasketPart(part, next)) if self.changing.is_empty() => {
                    self.go_on(reading, part, *next, cx);
                }
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
            self.reload(cx);
        }
        true
    }

    /// A change of this window was written. One that grew the version by more than one step was not the only one.
    fn changed(&mut self, version: u64) {
        self.failure = None;
        self.outdated |= self.diverged || self.version.is_none_or(|known| version > known + 1);
        self.version = Some(version);
    }

    fn part(&self, behind: u64) -> Option<StoreCall> {
        Some(StoreCall::BasketPart { purse: self.purse.clone()?, side: self.side, behind })
    }

    fn go_on(&mut self, mut reading: Reading, part: &BasketState, next: Option<u64>, cx: &mut Cx<'_>) {
        // It was changed between two parts.
        if *reading.version.get_or_insert(part.version) != part.version {
            self.outdated = true;
            return;
        }
        // Rows that are here already are kept as they are, which spares reading them once more.
        let is_new = |staged: &&Staged| !self.places.contains_key(&staged.id);
        let like = reading.kept.iter().rev().find_map(|kept| kept.row.as_ref());
        let mut rows = entry::read(part.rows.iter().filter(is_new), self.side.source, like).into_iter();
        let mut search: Option<Arc<String>> = reading.kept.last().and_then(|kept| kept.search.clone());
        for staged in &part.rows {
            if search.as_deref().map(String::as_str) != staged.clue.search.as_deref() {
                search = staged.clue.search.clone().map(Arc::new);
            }
            let row = if is_new(&staged) { rows.next() } else { None };
            reading.kept.push(Kept { id: staged.id, owned: staged.owned, search: search.clone(), row });
        }
        match next.and_then(|behind| self.part(behind)) {
            Some(call) => {
                reading.ticket = cx.store(Owner::Basket(self.side), call);
                self.loading = Some(reading);
            }
            None => self.adopt(reading, cx),
        }
    }

    fn adopt(&mut self, reading: Reading, cx: &mut Cx<'_>) {
        self.failure = None;
        self.version = reading.version;
        self.places.clear();
        let mut old: HashMap<RowId, Entry> = self.rows.drain(..).map(|entry| (entry.id(), entry)).collect();
        let mut owned = 0;
        let mut last = None;
        for kept in reading.kept {
            // Places are never used twice: the steps of undo know rows by them.
            let known = old.remove(&kept.id);
            let place = match &known {
                Some(entry) if last.is_none_or(|last| entry.place > last) => entry.place,
                _ => self.next_place.max(last.map_or(0, |last| last + 1)),
            };
            let entry = match (known, kept.row) {
                (Some(entry), _) => entry.moved_to(place, kept.owned),
                (None, Some(row)) => Entry::new(place, row, kept.search).moved_to(place, kept.owned),
                // It was here, and left while the rest was read.
                (None, None) => {
                    self.outdated = true;
                    continue;
                }
            };
            self.next_place = self.next_place.max(place + 1);
            last = Some(place);
            owned += usize::from(entry.owned);
            self.places.insert(kept.id, place);
            self.rows.push(entry);
        }
        self.owned = owned;
        // What could not be written before is written now.
        if std::mem::take(&mut self.diverged) && !old.is_empty() {
            let mut unsaved: Vec<Entry> = old.into_values().collect();
            unsaved.sort_by_key(|entry| entry.place);
            self.apply(Change::PutIn(unsaved), cx);
        }
    }

    pub(super) fn say_in(&mut self, rows: Vec<Staged>, cx: &mut Cx<'_>) {
        let Some(purse) = self.purse.clone().filter(|_| !rows.is_empty()) else { return };
        let call = StoreCall::Stage { purse, side: self.side, rows };
        self.changing.push_back(cx.store(Owner::Basket(self.side), call));
    }

    pub(super) fn say_out(&mut self, entries: &[Entry], cx: &mut Cx<'_>) {
        let Some(purse) = self.purse.clone().filter(|_| !entries.is_empty()) else { return };
        let ids = entries.iter().map(Entry::id).collect();
        let call = StoreCall::Unstage { purse, side: self.side, ids };
        self.changing.push_back(cx.store(Owner::Basket(self.side), call));
    }
}
