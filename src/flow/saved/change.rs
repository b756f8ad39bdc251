//! A change of the saved searches on its way: the file first, then the service as far as it is concerned, then the next
//! change that waits.

use crate::domain::query::Query;
use crate::domain::saved::{RemoteSaved, Saved};
use crate::domain::scrub::name as plain;
use crate::effect::files::{FileCall, FileFailure, SavedCall};
use crate::effect::store::StoreCall;
use crate::flow::desk::{Cx, Heard, Owner};

use super::merge::Entry;
use super::sync::{Sync, Want};
use super::{Remote, Shelf, Stage, Told, Work};

/// A requested change.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Add { name: String, query: Query },
    Rename { old: String, new: String },
    Remove { name: String },
}

impl Change {
    /// With names as the files and the lists have them: the same one however it was typed.
    pub(super) fn plain(self) -> Change {
        match self {
            Change::Add { name, query } => Change::Add { name: plain(&name), query },
            Change::Rename { old, new } => Change::Rename { old: plain(&old), new: plain(&new) },
            Change::Remove { name } => Change::Remove { name: plain(&name) },
        }
    }

    /// The name that must be there before.
    pub(super) fn old(&self) -> Option<&str> {
        match self {
            Change::Add { .. } => None,
            Change::Rename { old: name, .. } | Change::Remove { name } => Some(name),
        }
    }

    /// The name that must be free before.
    pub(super) fn new_name(&self) -> Option<&str> {
        match self {
            Change::Add { name, .. } | Change::Rename { new: name, .. } => Some(name),
            Change::Remove { .. } => None,
        }
    }

    /// What is saved here after it; `before` is the entry that it changes.
    fn saved(&self, before: Option<Entry>) -> Option<Saved> {
        match (self, before) {
            (Change::Add { name, query }, _) => Some(Saved::new(name.clone(), query.clone())),
            (Change::Rename { new, .. }, Some(Entry { query: Ok(query), id, total, last_run, .. })) => {
                Some(Saved { name: new.clone(), query, id, total, last_run })
            }
            _ => None,
        }
    }
}

/// Why a change is not begun.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("a saved search needs a name")]
    Nameless,
    #[error("a search named `{0}` is saved already")]
    Taken(String),
    #[error("no saved search is named `{0}`")]
    Unknown(String),
    #[error("`{0}` was created elsewhere and its filters cannot be read")]
    Unreadable(String),
}

impl Shelf {
    /// The file first: it is the truth, and it works without any service.
    pub(super) fn begin(&mut self, change: Change, cx: &mut Cx<'_>) {
        let from = change.old().filter(|old| {
            self.local.iter().any(|saved| saved.name == **old) || self.unreadable.iter().any(|(file, _)| file == *old)
        });
        let call = match (from.map(str::to_owned), change.saved(self.before(&change))) {
            (Some(from), Some(to)) => Some(SavedCall::Rename { from, to }),
            (None, Some(saved)) => Some(SavedCall::Write(saved)),
            (Some(name), None) => Some(SavedCall::Remove { name }),
            // Only the service has it.
            (None, None) => None,
        };
        match call {
            Some(call) => {
                let stage = Stage::File(cx.file(Owner::Shelf, FileCall::Saved(call)));
                self.work = Some(Work { change, stage, sentences: Vec::new() });
            }
            None => self.filed(change, cx),
        }
    }

    /// The entry that it changes.
    fn before(&self, change: &Change) -> Option<Entry> {
        self.named(change.old()?)
    }

    /// The file is changed. Now the service, as far as it is there and concerned.
    pub(super) fn filed(&mut self, change: Change, cx: &mut Cx<'_>) {
        let before = self.before(&change);
        self.apply_locally(&change, before.clone(), cx);
        let mut sentences = Vec::new();
        let want = match (&change, before) {
            (Change::Rename { old, .. }, Some(Entry { remote: None, id: Some(_), .. })) => {
                sentences.push(format!("renamed here; the service's copy keeps the name `{old}`"));
                None
            }
            _ if self.remote == Remote::None => None,
            (Change::Add { query, .. }, _) if query.has_legs() => {
                sentences.push("saved here only: the service keeps one value of each filter".to_owned());
                None
            }
            (Change::Add { name, query }, _) => Some(Want::Add { name: name.clone(), query: query.clone() }),
            (Change::Rename { new, .. }, Some(Entry { remote: Some(_), query: Ok(query), .. })) => {
                (!query.has_legs()).then(|| Want::Add { name: new.clone(), query })
            }
            // Where the service's list was not read, its copy is removed on the word of the file.
            (Change::Remove { name }, Some(Entry { id: Some(id), remote, .. })) => {
                Some(Want::Remove { id, name: remote.is_none().then(|| name.clone()) })
            }
            (Change::Remove { name }, Some(Entry { remote: Some(remote), .. })) => {
                self.hide(remote.key(), cx);
                sentences.push(format!(
                    "the service's copy of `{name}` has no id, so it cannot be removed there; it is no longer listed here"
                ));
                None
            }
            _ => None,
        };
        self.go_on(change, want, sentences, cx);
    }

    /// With what is wanted of the service; without it the change is done.
    fn go_on(&mut self, change: Change, want: Option<Want>, sentences: Vec<String>, cx: &mut Cx<'_>) {
        if let Some(want) = want {
            let stage = Stage::Sync(Box::new(Sync::start(want, cx)));
            self.work = Some(Work { change, stage, sentences });
        } else {
            self.told.push(Told::Done { change, sentences });
            self.next(cx);
        }
    }

    fn apply_locally(&mut self, change: &Change, before: Option<Entry>, cx: &mut Cx<'_>) {
        self.local.retain(|saved| change.old() != Some(saved.name.as_str()));
        self.local.extend(change.saved(before));
        let profile = self.profile.clone();
        match change {
            Change::Add { .. } => {}
            Change::Rename { old, new } => {
                cx.store(Owner::Shelf, StoreCall::MoveSnapshot { profile, from: old.clone(), to: new.clone() });
            }
            Change::Remove { name } => {
                self.unreadable.retain(|(file, _)| file != name);
                // One that only changes its filters is still compared with what its legs had.
                let comes_back = matches!(self.waiting.front(), Some(Change::Add { name: next, .. }) if next == name);
                if !comes_back {
                    cx.store(Owner::Shelf, StoreCall::ForgetSnapshot { profile, name: name.clone() });
                }
            }
        }
    }

    /// Hears an answer for the change that is on its way.
    pub(super) fn hear_work(&mut self, heard: &Heard, cx: &mut Cx<'_>) {
        let Some(mut work) = self.work.take() else { return };
        let is_over = match &mut work.stage {
            Stage::File(ticket) => matches!(heard, Heard::Filed(answered, _) if answered == ticket),
            Stage::Sync(sync) => sync.hear(heard, cx),
        };
        match (work.stage, heard) {
            (stage, _) if !is_over => self.work = Some(Work { stage, ..work }),
            (Stage::Sync(sync), _) => self.synced(work.change, *sync, work.sentences, cx),
            (Stage::File(_), Heard::Filed(_, Err(failure))) => {
                self.told.push(Told::Failed(failure.clone()));
                self.next(cx);
            }
            (Stage::File(_), _) => self.filed(work.change, cx),
        }
    }

    fn synced(&mut self, change: Change, sync: Sync, mut sentences: Vec<String>, cx: &mut Cx<'_>) {
        sentences.extend(sync.sentences());
        let mut want = None;
        match &sync.want {
            Want::Add { name, .. } => {
                let old = sync.added().and_then(|added| self.link(name, added.id.clone()?, cx));
                // A renamed search is taken over under its new name before the old one goes.
                want = old.filter(|_| change.old().is_some()).map(|id| Want::Remove { id, name: None });
            }
            Want::Remove { id, .. } if !sync.took() => self.hide(RemoteSaved::key_of(id), cx),
            Want::Remove { .. } => {}
        }
        if let Some(list) = sync.list {
            self.remote = Remote::Read(list);
        }
        self.go_on(change, want, sentences, cx);
    }

    /// The service keeps the search under this id. Answers the id it had before.
    fn link(&mut self, name: &str, id: String, cx: &mut Cx<'_>) -> Option<String> {
        let saved = self.local.iter_mut().find(|saved| saved.name == name)?;
        let before = saved.id.replace(id.clone()).filter(|before| *before != id);
        let call = SavedCall::Write(saved.clone());
        self.write(call, cx);
        before
    }

    fn hide(&mut self, key: String, cx: &mut Cx<'_>) {
        self.hidden.insert(key.clone());
        self.write(SavedCall::Hide { key }, cx);
    }

    /// Writes what nothing waits for: a failure is told.
    pub(super) fn write(&mut self, call: SavedCall, cx: &mut Cx<'_>) {
        self.writing.insert(cx.file(Owner::Shelf, FileCall::Saved(call)));
    }

    /// The next change that waits, if it still makes sense after the one before it.
    pub(super) fn next(&mut self, cx: &mut Cx<'_>) {
        while self.work.is_none()
            && let Some(change) = self.waiting.pop_front()
        {
            match self.may(&change) {
                Ok(()) => self.begin(change, cx),
                Err(refused) => self.told.push(Told::Failed(FileFailure { words: refused.to_string() })),
            }
        }
    }
}
