//! The basket of one side: rows put aside before anything is spent. It survives paging, searches and restarts, because every
//! change goes to the store at once; undo and redo go through the store as well, so that other windows see them.
//!
//! An id is in it once. Several windows may change it: a window that finds the version grown by more than its own change reads
//! it again. What its rows would cost and which are suppressed is said by the quote, not here.

mod entry;
mod kept;
mod undo;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::effect::Ticket;
use crate::effect::failure::StoreFailure;
use lode_core::contact::{RowId, Side};
use lode_core::money::Staged;
use lode_core::purse::PurseRef;
use lode_core::put_back::put_back;
use lode_core::query::Query;
use lode_core::row::{Row, Rows};

use super::desk::Cx;

pub use entry::Entry;
use kept::Reading;
pub use undo::Undone;
use undo::{Change, Steps};

#[derive(Clone, Debug)]
pub struct Basket {
    /// None without a key for this side: nothing can be searched there, so nothing is kept.
    purse: Option<PurseRef>,
    side: Side,
    /// In the order in which they were put in: by `place`, ascending.
    rows: Vec<Entry>,
    places: HashMap<RowId, u32>,
    next_place: u32,
    owned: usize,
    steps: Steps,
    version: Option<u64>,
    loading: Option<Reading>,
    checking: Option<Ticket>,
    /// Changes of this window that the store has not answered.
    changing: VecDeque<Ticket>,
    /// Another window changed it: read it once our own changes are through.
    outdated: bool,
    /// The store failed to write a change: rows may be here that it does not have.
    diverged: bool,
    failure: Option<StoreFailure>,
}

/// How many of the staged rows would cost something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub new: usize,
    pub owned: usize,
}

impl Basket {
    pub fn new(purse: Option<PurseRef>, side: Side) -> Basket {
        Basket {
            purse,
            side,
            rows: Vec::new(),
            places: HashMap::new(),
            next_place: 0,
            owned: 0,
            steps: Steps::default(),
            version: None,
            loading: None,
            checking: None,
            changing: VecDeque::new(),
            outdated: false,
            diverged: false,
            failure: None,
        }
    }

    /// `/me` named the purse. `moved` where it is another one than before: nothing of that is taken along, not even to undo.
    pub fn belongs_to(&mut self, purse: PurseRef, moved: bool, cx: &mut Cx<'_>) {
        if self.purse.as_ref() == Some(&purse) && !moved {
            return;
        }
        // A basket that has not been read yet is not read for this.
        let begun = self.is_asking() || self.version.is_some() || self.failure.is_some() || !self.changing.is_empty();
        if moved {
            *self = Basket::new(Some(purse), self.side);
        } else {
            self.purse = Some(purse);
        }
        // Where the key had not been seen before, the store has merged two baskets.
        if begun {
            self.reload(cx);
        }
    }

    /// Puts rows in. Those that are in already stay where they are; one without an id cannot be bought and stays out.
    pub fn stage<'a>(&mut self, rows: impl IntoIterator<Item = &'a Row>, query: &Query, cx: &mut Cx<'_>) -> usize {
        let back = self.put_in(rows, query, cx);
        let added = back.rows();
        self.steps.did(back);
        added
    }

    /// As [`Basket::stage`], as part of the same step: one undo takes all of it back.
    pub fn stage_more<'a>(&mut self, rows: impl IntoIterator<Item = &'a Row>, query: &Query, cx: &mut Cx<'_>) -> usize {
        let back = self.put_in(rows, query, cx);
        let added = back.rows();
        self.steps.did_more(back);
        added
    }

    pub fn unstage(&mut self, ids: &[RowId], cx: &mut Cx<'_>) -> usize {
        let wanted: HashSet<RowId> = ids.iter().copied().filter(|id| self.places.contains_key(id)).collect();
        let taken = self.take_out(&wanted);
        let removed = taken.len();
        self.say_out(&taken, cx);
        self.steps.did(Change::PutIn(taken));
        removed
    }

    /// In if it was out, out if it was in. Answers whether it is in now; none for a row without an id.
    pub fn toggle(&mut self, row: &Row, query: &Query, cx: &mut Cx<'_>) -> Option<bool> {
        let id = row.id()?;
        if self.contains(id) {
            self.unstage(&[id], cx);
            Some(false)
        } else {
            self.stage([row], query, cx);
            Some(true)
        }
    }

    pub fn empty(&mut self, cx: &mut Cx<'_>) -> usize {
        let all: Vec<RowId> = self.rows.iter().map(Entry::id).collect();
        self.unstage(&all, cx)
    }

    pub fn undo(&mut self, cx: &mut Cx<'_>) -> Option<Undone> {
        let change = self.steps.undo()?;
        let forth = self.apply(change, cx);
        let undone = Undone::by(&forth);
        self.steps.undid(forth);
        Some(undone)
    }

    pub fn redo(&mut self, cx: &mut Cx<'_>) -> Option<Undone> {
        let change = self.steps.redo()?;
        let back = self.apply(change, cx);
        let undone = Undone::by(&back);
        self.steps.redid(back);
        Some(undone)
    }

    /// These contacts are owned now, or not to be had: the store took them out, and no undo brings them back.
    pub fn settled(&mut self, ids: &[RowId]) -> usize {
        let gone: HashSet<RowId> = ids.iter().copied().collect();
        self.steps.forget(&gone);
        self.take_out(&gone).len()
    }

    /// The search showed it as owned, without our buying it here.
    pub fn own(&mut self, id: RowId) {
        let Some(at) = self.position(id) else { return };
        if !std::mem::replace(&mut self.rows[at].owned, true) {
            self.owned += 1;
        }
    }

    /// Answers what takes it back.
    fn put_in<'a>(&mut self, rows: impl IntoIterator<Item = &'a Row>, query: &Query, cx: &mut Cx<'_>) -> Change {
        let search = Arc::new(query.canonical());
        let before = self.rows.len();
        let mut fresh = Vec::new();
        for row in rows {
            let Some(id) = row.id() else { continue };
            if self.places.contains_key(&id) && !put_back("staged-twice") {
                continue;
            }
            self.places.insert(id, self.next_place + fresh.len() as u32);
            fresh.push(row);
        }
        // The window forgets its pages as one goes on: a basket that shared its rows would be the one to keep them.
        for row in Rows::copies(fresh, self.rows.last().map(Entry::row)) {
            let entry = Entry::new(self.next_place, row, Some(search.clone()));
            self.next_place += 1;
            self.owned += usize::from(entry.owned);
            self.rows.push(entry);
        }
        let added = &self.rows[before..];
        let ids = added.iter().map(Entry::id).collect();
        self.say_in(added.iter().map(Entry::to_store).collect(), cx);
        Change::TakeOut(ids)
    }

    /// Does a change as far as it still makes sense and answers what takes it back.
    fn apply(&mut self, change: Change, cx: &mut Cx<'_>) -> Change {
        match change {
            Change::PutIn(mut entries) => {
                entries.retain(|entry| !self.places.contains_key(&entry.id()));
                for entry in &entries {
                    self.places.insert(entry.id(), entry.place);
                    self.owned += usize::from(entry.owned);
                }
                let ids = entries.iter().map(Entry::id).collect();
                let kept = entries.iter().map(Entry::to_store).collect();
                self.rows.extend(entries);
                self.rows.sort_by_key(|entry| entry.place);
                self.say_in(kept, cx);
                Change::TakeOut(ids)
            }
            Change::TakeOut(ids) => {
                let taken = self.take_out(&ids.into_iter().collect());
                self.say_out(&taken, cx);
                Change::PutIn(taken)
            }
        }
    }

    fn take_out(&mut self, ids: &HashSet<RowId>) -> Vec<Entry> {
        let taken: Vec<Entry> = self.rows.extract_if(.., |entry| ids.contains(&entry.id())).collect();
        for entry in &taken {
            self.places.remove(&entry.id());
            self.owned -= usize::from(entry.owned);
        }
        taken
    }

    fn position(&self, id: RowId) -> Option<usize> {
        let place = self.places.get(&id)?;
        self.rows.binary_search_by_key(place, |entry| entry.place).ok()
    }

    pub fn contains(&self, id: RowId) -> bool {
        self.places.contains_key(&id)
    }

    pub fn get(&self, id: RowId) -> Option<&Entry> {
        self.rows.get(self.position(id)?)
    }

    /// In the order in which they were put in.
    pub fn rows(&self) -> &[Entry] {
        &self.rows
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn counts(&self) -> Counts {
        Counts { new: self.rows.len() - self.owned, owned: self.owned }
    }

    /// What a quote is made from: the rows, and the version under which the store has exactly them. None while a change is on
    /// its way, and without a usable store.
    pub fn settled_state(&self) -> Option<(u64, Vec<Staged>)> {
        let at_rest =
            self.changing.is_empty() && !self.is_asking() && !self.outdated && !self.diverged && self.failure.is_none();
        let version = self.version.filter(|_| at_rest)?;
        Some((version, self.rows.iter().map(Entry::staged).collect()))
    }

    /// Why the store could not keep the last change: it is in this window only.
    pub fn failure(&self) -> Option<&StoreFailure> {
        self.failure.as_ref()
    }
}
