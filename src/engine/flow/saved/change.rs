//! A change of the saved searches on its way: the file first, then the service as far as it is concerned, then the next
//! change that waits.

use crate::effect::files::{FileCall, FileReply, SavedCall};
use crate::effect::store::StoreCall;
use crate::flow::desk::{Cx, Heard, Owner};
use lode_core::query::Query;
use lode_core::saved::{Home, RemoteSaved, Saved};
use lode_core::scrub::name as plain;

use super::merge::Entry;
use super::sync::{Copy, Sync, Want, Why, same_place};
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
    fn saved(&self, before: Option<&Entry>) -> Option<Saved> {
        match self {
            Change::Add { name, query } => Some(Saved::new(name.clone(), query.clone())),
            Change::Rename { new, .. } => Some(Saved { name: new.clone(), ..before?.saved()? }),
            Change::Remove { .. } => None,
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
    #[error("{name} cannot be read: {why}")]
    Unreadable { name: String, why: String },
}

impl Shelf {
    /// The file first: it is the truth, and it works without any service.
    pub(super) fn begin(&mut self, change: Change, cx: &mut Cx<'_>) {
        let before = change.old().and_then(|old| self.named(old));
        let from = change.old().filter(|old| {
            self.local.iter().any(|saved| saved.name == **old) || self.unreadable.iter().any(|one| one.file == **old)
        });
        let call = match (from.map(str::to_owned), change.saved(before.as_ref())) {
            (Some(from), Some(to)) => Some(SavedCall::Rename { from, to }),
            (None, Some(saved)) => Some(SavedCall::Add(saved)),
            (Some(name), None) => Some(SavedCall::Remove { name }),
            // Only the service has it.
            (None, None) => None,
        };
        let copy = before.as_ref().and_then(|before| self.copy_of(before));
        let work = Work { change, before, copy, home: Home::Local, stage: Stage::Over, sentences: Vec::new() };
        match call {
            Some(call) => {
                self.outdated = true;
                let stage = Stage::File(cx.file(Owner::Shelf, FileCall::Saved(call)));
                self.work = Some(Work { stage, ..work });
            }
            None => self.filed(work, cx),
        }
    }

    /// The file is changed. Now the service, as far as it is there and concerned.
    fn filed(&mut self, mut work: Work, cx: &mut Cx<'_>) {
        let Work { change, before, copy, sentences, .. } = &mut work;
        self.apply_locally(change, before.as_ref(), cx);
        let want = match (&*change, copy.take()) {
            (Change::Rename { old, .. }, _) if self.remote == Remote::None => {
                let has_copy = before.as_ref().is_some_and(|before| before.id.is_some());
                sentences.extend(has_copy.then(|| format!("renamed here; the service's copy keeps the name `{old}`")));
                None
            }
            _ if self.remote == Remote::None => None,
            (Change::Add { query, .. }, _) if query.has_legs() => {
                sentences.push("saved here only: the service keeps one value of each filter".to_owned());
                None
            }
            (Change::Add { name, query }, _) => Some(Want::Add { name: name.clone(), query: query.clone() }),
            (Change::Rename { old, new }, Some(copy)) => match before.as_ref().map(|before| &before.query) {
                Some(Ok(query)) if !query.has_legs() => {
                    Some(Want::Rename { old: old.clone(), name: new.clone(), query: query.clone(), copy })
                }
                _ => None,
            },
            (Change::Remove { name }, Some(Copy::Listed(remote))) if remote.id.is_none() => {
                self.hide(remote.key(), cx);
                sentences.push(format!(
                    "the service's copy of `{name}` has no id, so it cannot be removed there; it is no longer listed here"
                ));
                None
            }
            (Change::Remove { .. }, Some(copy)) => Some(Want::Remove { copy, why: Why::Removed }),
            _ => None,
        };
        self.go_on(work, want, cx);
    }

    /// How the service's copy of a search is found in its list. Where that was not read, it is looked for when it is.
    fn copy_of(&self, before: &Entry) -> Option<Copy> {
        match (&before.remote, &self.remote) {
            (Some(remote), _) => Some(Copy::Listed(remote.clone())),
            (None, Remote::Read(_) | Remote::None) => None,
            // A service that cannot be read is asked again only for what it is known to have.
            (None, Remote::Failed(_)) if before.id.is_none() => None,
            (None, _) => before.saved().map(Copy::Of),
        }
    }

    /// With what is wanted of the service; without it the change is done.
    fn go_on(&mut self, work: Work, want: Option<Want>, cx: &mut Cx<'_>) {
        if let Some(want) = want {
            let stage = Stage::Sync(Box::new(Sync::start(want, cx)));
            self.work = Some(Work { stage, ..work });
        } else {
            let Work { change, home, sentences, .. } = work;
            self.told.push(Told::Done { change, home, sentences });
            self.next(cx);
        }
    }

    fn apply_locally(&mut self, change: &Change, before: Option<&Entry>, cx: &mut Cx<'_>) {
        self.local.retain(|saved| change.old() != Some(saved.name.as_str()));
        self.local.extend(change.saved(before));
        let profile = self.profile.clone();
        match change {
            Change::Add { .. } => {}
            Change::Rename { old, new } => {
                cx.store(Owner::Shelf, StoreCall::MoveSnapshot { profile, from: old.clone(), to: new.clone() });
            }
            Change::Remove { name } => {
                self.unreadable.retain(|one| one.file != *name);
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
            Stage::Over => false,
        };
        if !is_over {
            self.work = Some(work);
            return;
        }
        match (std::mem::replace(&mut work.stage, Stage::Over), heard) {
            (Stage::Sync(sync), _) => self.synced(work, *sync, cx),
            (_, Heard::Filed(_, Err(failure))) => {
                self.told.push(Told::Failed(failure.clone()));
                self.next(cx);
            }
            (_, Heard::Filed(_, Ok(FileReply::Taken))) => {
                let name = work.change.new_name().unwrap_or_default().to_owned();
                self.told.push(Told::Refused(Refused::Taken(name)));
                // Another window has it: it is to be seen here as well.
                self.again = true;
                self.next(cx);
            }
            _ => self.filed(work, cx),
        }
    }

    fn synced(&mut self, mut work: Work, sync: Sync, cx: &mut Cx<'_>) {
        work.sentences.extend(sync.sentences());
        let mut want = None;
        match &sync.want {
            Want::Add { name, .. } | Want::Rename { name, .. } => {
                let old = sync.old().cloned();
                let kept = sync.added().cloned();
                if let Some(misread) = sync.misread().cloned() {
                    want = Some((misread, Why::Misread));
                } else if let Some(kept) = kept {
                    work.home = Home::Both;
                    self.link(name, kept.id.clone(), cx);
                    // A renamed search is taken over under its new name before the old one goes.
                    want = old.filter(|old| !same_place(old, &kept)).map(|old| (old, Why::Renamed));
                }
            }
            Want::Remove { copy, .. } if !sync.took() => {
                let key = match copy {
                    Copy::Listed(remote) => Some(remote.key()),
                    Copy::Of(saved) => saved.id.as_deref().map(RemoteSaved::key_of),
                };
                key.into_iter().for_each(|key| self.hide(key, cx));
            }
            Want::Remove { .. } => {}
        }
        if let Some(list) = sync.list {
            self.remote = Remote::Read(list);
        }
        let want = want.map(|(copy, why)| Want::Remove { copy: Copy::Listed(copy), why });
        self.go_on(work, want, cx);
    }

    /// The service keeps the search under this id.
    fn link(&mut self, name: &str, id: Option<String>, cx: &mut Cx<'_>) {
        let Some(saved) = self.local.iter_mut().find(|saved| saved.name == name) else { return };
        if saved.id != id {
            saved.id = id;
            let call = SavedCall::Note(saved.clone());
            self.write(call, cx);
        }
    }

    fn hide(&mut self, key: String, cx: &mut Cx<'_>) {
        self.hidden.insert(key.clone());
        self.write(SavedCall::Hide { key }, cx);
    }

    /// Writes what nothing waits for: a failure is told.
    pub(super) fn write(&mut self, call: SavedCall, cx: &mut Cx<'_>) {
        self.outdated = true;
        self.writing.insert(cx.file(Owner::Shelf, FileCall::Saved(call)));
    }

    /// The next change that waits, if it still makes sense after the one before it.
    pub(super) fn next(&mut self, cx: &mut Cx<'_>) {
        while self.work.is_none()
            && let Some(change) = self.waiting.pop_front()
        {
            match self.may(&change) {
                Ok(()) => self.begin(change, cx),
                Err(refused) => self.told.push(Told::Refused(refused)),
            }
        }
    }
}
