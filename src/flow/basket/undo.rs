//! Steps back and forth over what was put into a basket and taken out. Rows that were bought leave the steps for good.

use std::collections::HashSet;

use crate::domain::contact::RowId;

use super::Entry;

/// Steps that are kept.
const MOST: usize = 200;

#[derive(Clone, Debug)]
pub(super) enum Change {
    Added(Vec<Entry>),
    Removed(Vec<Entry>),
}

impl Change {
    pub(super) fn turned(self) -> Change {
        match self {
            Change::Added(entries) => Change::Removed(entries),
            Change::Removed(entries) => Change::Added(entries),
        }
    }

    fn entries(&mut self) -> &mut Vec<Entry> {
        match self {
            Change::Added(entries) | Change::Removed(entries) => entries,
        }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            Change::Added(entries) | Change::Removed(entries) => entries.len(),
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
    pub(super) fn of(change: &Change) -> Undone {
        match change {
            Change::Added(entries) => Undone { added: entries.len(), removed: 0 },
            Change::Removed(entries) => Undone { added: 0, removed: entries.len() },
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    done: Vec<Change>,
    undone: Vec<Change>,
}

impl Steps {
    /// A new step; what was undone before cannot be redone any more. One that did nothing is none.
    pub(super) fn did(&mut self, change: Change) {
        if change.rows() == 0 {
            return;
        }
        self.undone.clear();
        self.done.push(change);
        if self.done.len() > MOST {
            self.done.remove(0);
        }
    }

    /// The last step goes on.
    pub(super) fn did_more(&mut self, change: Change) {
        match (self.done.last_mut(), change) {
            (Some(Change::Added(entries)), Change::Added(more)) if self.undone.is_empty() => entries.extend(more),
            (_, change) => self.did(change),
        }
    }

    pub(super) fn undo(&mut self) -> Option<Change> {
        self.done.pop()
    }

    pub(super) fn redo(&mut self) -> Option<Change> {
        self.undone.pop()
    }

    pub(super) fn undid(&mut self, change: Change) {
        self.undone.push(change);
    }

    pub(super) fn redid(&mut self, change: Change) {
        self.done.push(change);
    }

    pub(super) fn forget(&mut self, ids: &HashSet<RowId>) {
        for steps in [&mut self.done, &mut self.undone] {
            for change in &mut *steps {
                change.entries().retain(|entry| !ids.contains(&entry.id()));
            }
            steps.retain(|change| change.rows() > 0);
        }
    }

    pub(super) fn can_undo(&self) -> bool {
        !self.done.is_empty()
    }

    pub(super) fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }
}
