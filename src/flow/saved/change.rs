//! A change of the saved searches on its way: the file first, then the service as far as it is concerned, then the next
//! change that waits.

use crate::domain::query::Query;
use crate::domain::saved::{Home, RemoteSaved, Saved};
use crate::domain::scrub::name as plain;
use crate::effect::Ticket;
use crate::effect::files::{FileCall, FileFailure};
use crate::effect::store::StoreCall;
use crate::flow::desk::{Cx, Owner};

use super::merge::Entry;
use super::sync::{Sync, Synced, Want};
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
        let call = match &change {
            Change::Add { name, query } => {
                let saved =
                    Saved { name: name.clone(), query: query.clone(), home: Home::Local, total: None, last_run: None };
                Some(FileCall::WriteSaved(saved))
            }
            Change::Rename { old, new } => self.named(old).and_then(|entry| {
                let saved = Saved {
                    name: new.clone(),
                    query: entry.query?,
                    home: entry.home,
                    total: entry.total,
                    last_run: entry.last_run,
                };
                let is_here = self.local.iter().any(|saved| saved.name == *old);
                Some(if is_here {
                    FileCall::RenameSaved { from: old.clone(), to: saved }
                } else {
                    FileCall::WriteSaved(saved)
                })
            }),
            Change::Remove { name } => {
                let is_here = self.local.iter().any(|saved| saved.name == *name)
                    || self.unreadable.iter().any(|(file, _)| file == name);
                is_here.then(|| FileCall::RemoveSaved { name: name.clone() })
            }
        };
        let work = |stage| Work { change, stage, sentences: Vec::new() };
        match call {
            Some(call) => self.work = Some(work(Stage::File(cx.file(Owner::Shelf, call)))),
            // Only the service has it.
            None => {
                let work = work(Stage::File(Ticket(u64::MAX)));
                self.filed(work, cx);
            }
        }
    }

    /// The file is changed. Now the service, as far as it is there and concerned.
    pub(super) fn filed(&mut self, mut work: Work, cx: &mut Cx<'_>) {
        let entry = match &work.change {
            Change::Add { .. } => None,
            Change::Rename { old, .. } => self.named(old),
            Change::Remove { name } => self.named(name),
        };
        let remote = entry.as_ref().and_then(|entry| entry.remote.clone());
        self.apply_locally(&work.change, entry.as_ref(), cx);
        let want = match &work.change {
            _ if self.remote == Remote::None => None,
            Change::Add { query, .. } if query.has_legs() => {
                work.sentences.push("saved here only: the service keeps one value of each filter".to_owned());
                None
            }
            Change::Add { name, query } => Some(Want::Add { name: name.clone(), query: query.clone() }),
            Change::Rename { new, .. } => entry
                .as_ref()
                .and_then(|entry| entry.query.clone())
                .filter(|query| remote.is_some() && !query.has_legs())
                .map(|query| Want::Add { name: new.clone(), query }),
            Change::Remove { name } => match (&remote, entry.as_ref().map(|entry| &entry.home)) {
                (Some(remote), _) if remote.id.is_some() => remote.id.clone().map(|id| Want::Remove { id, name: None }),
                (Some(remote), _) => {
                    self.hide(remote.key(), cx);
                    work.sentences.push(format!(
                        "the service's copy of `{name}` has no id, so it cannot be removed there; it is no longer listed here"
                    ));
                    None
                }
                // The service's list was not read, so its copy is removed on the word of the file.
                (None, Some(Home::Both { id } | Home::Service { id })) => {
                    Some(Want::Remove { id: id.clone(), name: Some(name.clone()) })
                }
                (None, _) => None,
            },
        };
        let kept = entry.as_ref().is_some_and(|entry| matches!(entry.home, Home::Both { .. }));
        if let (Change::Rename { old, .. }, None, true) = (&work.change, &remote, kept) {
            work.sentences.push(format!("renamed here; the service's copy keeps the name `{old}`"));
        }
        match want {
            Some(want) => {
                work.stage = Stage::Sync(Box::new(Sync::start(want, cx)));
                self.work = Some(work);
            }
            None => self.end(work, cx),
        }
    }

    fn apply_locally(&mut self, change: &Change, entry: Option<&Entry>, cx: &mut Cx<'_>) {
        match change {
            Change::Add { name, query } => self.local.push(Saved {
                name: name.clone(),
                query: query.clone(),
                home: Home::Local,
                total: None,
                last_run: None,
            }),
            Change::Rename { old, new } => {
                self.local.retain(|saved| saved.name != *old);
                if let Some(query) = entry.and_then(|entry| entry.query.clone()) {
                    let home = entry.map_or(Home::Local, |entry| entry.home.clone());
                    let (total, last_run) = entry.map_or((None, None), |entry| (entry.total, entry.last_run));
                    self.local.push(Saved { name: new.clone(), query, home, total, last_run });
                }
                let (profile, from, to) = (self.profile.clone(), old.clone(), new.clone());
                cx.store(Owner::Shelf, StoreCall::MoveSnapshot { profile, from, to });
            }
            Change::Remove { name } => {
                self.local.retain(|saved| saved.name != *name);
                self.unreadable.retain(|(file, _)| file != name);
                // One that only changes its filters is still compared with what its legs had.
                let comes_back = matches!(self.waiting.front(), Some(Change::Add { name: next, .. }) if next == name);
                if !comes_back {
                    let call = StoreCall::ForgetSnapshot { profile: self.profile.clone(), name: name.clone() };
                    cx.store(Owner::Shelf, call);
                }
            }
        }
    }

    pub(super) fn synced(&mut self, mut work: Work, synced: Synced, cx: &mut Cx<'_>) {
        work.sentences.extend(synced.sentences());
        if let Some(list) = synced.list {
            self.remote = Remote::Read(list);
        }
        match (&work.change, synced.want) {
            (Change::Add { name, .. } | Change::Rename { new: name, .. }, Want::Add { .. }) => {
                if let (Some(id), true) = (synced.id, synced.took) {
                    let old = self.link(name, id, cx);
                    // A renamed search is taken over under its new name before the old one goes.
                    if let (Change::Rename { .. }, Some(id)) = (&work.change, old) {
                        work.stage = Stage::Sync(Box::new(Sync::start(Want::Remove { id, name: None }, cx)));
                        self.work = Some(work);
                        return;
                    }
                }
            }
            (_, Want::Remove { id, .. }) if !synced.took => {
                self.hide(RemoteSaved { id: Some(id), name: String::new(), query: None, raw: String::new() }.key(), cx);
            }
            _ => {}
        }
        self.end(work, cx);
    }

    /// The service keeps the search under this id. Answers the id it had before.
    fn link(&mut self, name: &str, id: String, cx: &mut Cx<'_>) -> Option<String> {
        let saved = self.local.iter_mut().find(|saved| saved.name == name)?;
        let before = std::mem::replace(&mut saved.home, Home::Both { id: id.clone() });
        self.writing.insert(cx.file(Owner::Shelf, FileCall::WriteSaved(saved.clone())));
        match before {
            Home::Both { id: before } | Home::Service { id: before } if before != id => Some(before),
            _ => None,
        }
    }

    fn hide(&mut self, key: String, cx: &mut Cx<'_>) {
        self.hidden.insert(key.clone());
        self.writing.insert(cx.file(Owner::Shelf, FileCall::HideSaved { keys: vec![key] }));
    }

    fn end(&mut self, work: Work, cx: &mut Cx<'_>) {
        self.told.push(Told::Done { change: work.change, sentences: work.sentences });
        self.next(cx);
    }

    /// The next change that waits, if it still makes sense after the one before it.
    pub(super) fn next(&mut self, cx: &mut Cx<'_>) {
        while let Some(change) = self.waiting.pop_front() {
            match self.may(&change) {
                Ok(()) => return self.begin(change, cx),
                Err(refused) => {
                    let failure = FileFailure { words: refused.to_string() };
                    self.told.push(Told::Failed { change, failure });
                }
            }
        }
    }
}
