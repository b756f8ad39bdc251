//! Steps back and forth over what was put into a basket and taken out. Rows that were bought leave the steps for good.
//!
//! A step is kept as what it takes to go it. What is in the basket is known there by its id, so only rows that are out are
//! kept here: a basket of 50,000 is in memory once.

use std::collections::HashSet;

use lode_core::contact::RowId;

use super::Entry;

/// Steps that are kept.
const MOST: usize = 200;

/// What is to be done to the basket.
#[derive(Clone, Debug)]
pub(super) enum Change {
    PutIn(Vec<Entry>),
    TakeOut(Vec<RowId>),
}

impl Change {
    pub(super) fn rows(&self) -> usize {
        match self {
            Change::PutIn(entries) => entries.len(),
            Change::TakeOut(ids) => ids.len(),
        }
    }

    fn forget(&mut self, gone: &HashSet<RowId>) {
        match self {
            Change::PutIn(entries) => entries.retain(|entry| !gone.contains(&entry.id())),
            Change::TakeOut(ids) => ids.retain(|id| !gone.contains(id)),
        }
    }
}

/// What a step back or forth did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undone {
    pub added: usize,
    pub removed: usize,
}

impl Undone {
    /// By what would take it back.
    pub(super) fn by(back: &Change) -> Undone {
        match back {
            Change::TakeOut(ids) => Undone { added: ids.len(), removed: 0 },
            Change::PutIn(entries) => Undone { added: 0, removed: entries.len() },
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// What an undo has to do, the latest last.
    back: Vec<Change>,
    /// What a redo has to do, the next one last.
    forth: Vec<Change>,
}

impl Steps {
    /// A new step, by what takes it back; what was undone before cannot be redone any more. One that did nothing is none.
    pub(super) fn did(&mut self, back: Change) {
        if back.rows() == 0 {
            return;
        }
        self.forth.clear();
        self.back.push(back);
        if self.back.len() > MOST {
            self.back.remove(0);
        }
    }

    /// The last step goes on.
    pub(super) fn did_more(&mut self, back: Change) {
        match (self.back.last_mut(), back) {
            (Some(Change::TakeOut(ids)), Change::TakeOut(more)) if self.forth.is_empty() => ids.extend(more),
            (_, back) => self.did(back),
        }
    }

    pub(super) fn undo(&mut self) -> Option<Change> {
        self.back.pop()
    }

    pub(super) fn redo(&mut self) -> Option<Change> {
        self.forth.pop()
    }

    pub(super) fn undid(&mut self, forth: Change) {
        self.forth.push(forth);
    }

    pub(super) fn redid(&mut self, back: Change) {
        self.back.push(back);
    }

    pub(super) fn forget(&mut self, ids: &HashSet<RowId>) {
        for steps in [&mut self.back, &mut self.forth] {
            for change in &mut *steps {
                change.forget(ids);
            }
            steps.retain(|change| change.rows() > 0);
        }
    }
}
