//! Saved searches. The local files are the truth and always work; the service's list is a convenience that may take what
//! it is sent, ignore it, reshape it or refuse it (D3), so that every write is read back and said plainly.
//!
//! `merge` makes one list of both, `sync` changes the service's list with care, `news` tells which rows are new since a saved
//! search last ran, `watch` does so for one on the screen, `glance` asks what they all come to now. Nothing is ever deleted at the service without its id, and whatever else vanishes is put back.

pub mod glance;
pub mod merge;
pub mod news;
mod sync;
pub mod watch;

use std::collections::{BTreeSet, VecDeque};

use crate::domain::query::Query;
use crate::domain::saved::{Home, RemoteSaved, Saved};
use crate::domain::time::Now;
use crate::effect::call::{Call, Reply};
use crate::effect::failure::Failure;
use crate::effect::files::{FileCall, FileFailure, FileReply};
use crate::effect::profile::Profile;
use crate::effect::store::StoreCall;
use crate::effect::{CallId, Effect, Ticket};

use super::desk::{Desk, Heard};
use super::limiter::Priority;
use merge::Entry;
use sync::{Sync, Synced, Want};

/// What somebody wants changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Add { name: String, query: Query },
    Rename { old: String, new: String },
    Remove { name: String },
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
    #[error("`{0}` was made elsewhere and its filters cannot be read here")]
    Unreadable(String),
}

/// What there is to tell.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// The local list is here.
    Loaded,
    /// The service's list was read, or could not be.
    Listed,
    /// A change is done as far as it goes. Each sentence is something a person should know about it.
    Done { change: Change, sentences: Vec<String> },
    /// The local file could not be changed, and nothing else was.
    Failed { change: Change, failure: FileFailure },
    /// Something about a saved search could not be remembered: where it lives, when it ran.
    Forgotten(FileFailure),
}

/// What is known of the service's list.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Remote {
    /// No key for the Data API: searches live here only.
    #[default]
    None,
    NotAsked,
    Asked(CallId),
    Read(Vec<RemoteSaved>),
    Failed(Failure),
}

#[derive(Clone, Debug)]
pub struct Shelf {
    profile: String,
    local: Vec<Saved>,
    unreadable: Vec<(String, String)>,
    hidden: BTreeSet<String>,
    /// The listing of the files that was asked for.
    listing: Option<Ticket>,
    listed: bool,
    listing_failure: Option<FileFailure>,
    remote: Remote,
    waiting: VecDeque<Change>,
    work: Option<Work>,
    /// Files on their way to the disk that nobody asked for by name.
    writing: BTreeSet<Ticket>,
    told: Vec<Told>,
}

/// A change on its way: the file first, then the service.
#[derive(Clone, Debug)]
struct Work {
    change: Change,
    stage: Stage,
    sentences: Vec<String>,
}

#[derive(Clone, Debug)]
enum Stage {
    File(Ticket),
    Sync(Box<Sync>),
}

impl Shelf {
    #[must_use]
    pub fn new(profile: &Profile) -> Shelf {
        Shelf {
            profile: profile.name.clone(),
            local: Vec::new(),
            unreadable: Vec::new(),
            hidden: BTreeSet::new(),
            listing: None,
            listed: false,
            listing_failure: None,
            remote: if profile.data.is_some() { Remote::NotAsked } else { Remote::None },
            waiting: VecDeque::new(),
            work: None,
            writing: BTreeSet::new(),
            told: Vec::new(),
        }
    }

    /// Reads the local files.
    pub fn load(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        if self.listing.is_none() {
            self.listing = Some(desk.file(FileCall::ListSaved, fx));
        }
    }

    /// Reads the service's list, where there is a key for it.
    pub fn ask_service(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if !matches!(self.remote, Remote::None | Remote::Asked(_)) {
            self.remote = Remote::Asked(desk.ask(Call::SavedList, Priority::Person, now, fx));
        }
    }

    /// Begins a change, or puts it behind the one that is running.
    pub fn change(&mut self, change: Change, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) -> Result<(), Refused> {
        self.may(&change)?;
        if self.work.is_some() {
            self.waiting.push_back(change);
        } else {
            self.begin(change, desk, now, fx);
        }
        Ok(())
    }

    /// Another search under a name that is taken: the old one goes, with what is remembered of it, then the new one is added.
    pub fn replace(
        &mut self,
        name: &str,
        query: Query,
        desk: &mut Desk,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Result<(), Refused> {
        let remove = Change::Remove { name: name.to_owned() };
        self.may(&remove)?;
        let add = Change::Add { name: name.to_owned(), query };
        if self.work.is_some() {
            self.waiting.extend([remove, add]);
        } else {
            self.waiting.push_back(add);
            self.begin(remove, desk, now, fx);
        }
        Ok(())
    }

    /// The saved search ran: what is kept of that for the next time.
    pub fn ran(&mut self, name: &str, total: u64, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if let Some(saved) = self.local.iter_mut().find(|saved| saved.name == name) {
            saved.total = Some(total);
            saved.last_run = Some(now.wall);
            self.writing.insert(desk.file(FileCall::WriteSaved(saved.clone()), fx));
        }
    }

    /// True when it was an answer for this machine.
    pub fn hear(&mut self, heard: &Heard, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) -> bool {
        match heard {
            Heard::Filed(ticket, result) if self.listing == Some(*ticket) => {
                self.listing = None;
                self.loaded(result);
                true
            }
            Heard::Reply(id, _, result) if self.remote == Remote::Asked(*id) => {
                self.remote = match result {
                    Ok(Reply::Saved(list)) => Remote::Read(list.clone()),
                    Ok(_) => Remote::Failed(Failure::OurBug { words: "the answer is no list".to_owned() }),
                    Err(failure) => Remote::Failed(failure.clone()),
                };
                self.told.push(Told::Listed);
                true
            }
            Heard::Filed(ticket, result) if self.writing.remove(ticket) => {
                self.told.extend(result.as_ref().err().cloned().map(Told::Forgotten));
                true
            }
            heard => self.hear_work(heard, desk, now, fx),
        }
    }

    fn hear_work(&mut self, heard: &Heard, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) -> bool {
        let Some(mut work) = self.work.take() else { return false };
        match (&mut work.stage, heard) {
            (Stage::File(ticket), Heard::Filed(answered, result)) if ticket == answered => match result {
                Ok(_) => self.filed(work, desk, now, fx),
                Err(failure) => {
                    self.told.push(Told::Failed { change: work.change, failure: failure.clone() });
                    self.next(desk, now, fx);
                }
            },
            (Stage::Sync(sync), heard) => match sync.hear(heard, desk, now, fx) {
                sync::Step::NotMine => {
                    self.work = Some(work);
                    return false;
                }
                sync::Step::Going => self.work = Some(work),
                sync::Step::Ended(synced) => self.synced(work, *synced, desk, now, fx),
            },
            _ => {
                self.work = Some(work);
                return false;
            }
        }
        true
    }

    /// What there is to tell since the last time.
    pub fn told(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.told)
    }

    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.listed
    }

    /// Why the local files could not be listed.
    #[must_use]
    pub fn failure(&self) -> Option<&FileFailure> {
        self.listing_failure.as_ref()
    }

    #[must_use]
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// A change is running or waiting, or not on the disk yet.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.work.is_some() || !self.writing.is_empty()
    }

    /// All saved searches by name: those here, those made elsewhere, and those that cannot be read.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let remote = match &self.remote {
            Remote::Read(list) => Some(list.as_slice()),
            _ => None,
        };
        merge::merge(&self.local, &self.unreadable, remote, &self.hidden)
    }

    #[must_use]
    pub fn named(&self, name: &str) -> Option<Entry> {
        self.entries().into_iter().find(|entry| entry.name == name)
    }

    fn loaded(&mut self, result: &Result<FileReply, FileFailure>) {
        self.listed = true;
        match result {
            Ok(FileReply::Saved { saved, unreadable, hidden }) => {
                self.local.clone_from(saved);
                self.unreadable.clone_from(unreadable);
                self.hidden.extend(hidden.iter().cloned());
                self.listing_failure = None;
            }
            Ok(_) => self.listing_failure = Some(FileFailure { words: "the files were not listed".to_owned() }),
            Err(failure) => self.listing_failure = Some(failure.clone()),
        }
        self.told.push(Told::Loaded);
    }

    fn may(&self, change: &Change) -> Result<(), Refused> {
        let free = |name: &str| match () {
            () if name.trim().is_empty() => Err(Refused::Nameless),
            () if self.named(name).is_some() => Err(Refused::Taken(name.to_owned())),
            () => Ok(()),
        };
        let known = |name: &str| self.named(name).ok_or_else(|| Refused::Unknown(name.to_owned()));
        match change {
            Change::Add { name, .. } => free(name),
            Change::Remove { name } => known(name).map(drop),
            Change::Rename { old, new } => {
                let entry = known(old)?;
                free(new)?;
                entry.query.map(drop).ok_or_else(|| Refused::Unreadable(old.clone()))
            }
        }
    }

    /// The file first: it is the truth, and it works without any service.
    fn begin(&mut self, change: Change, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
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
            Some(call) => self.work = Some(work(Stage::File(desk.file(call, fx)))),
            // Only the service has it.
            None => {
                let work = work(Stage::File(Ticket(u64::MAX)));
                self.filed(work, desk, now, fx);
            }
        }
    }

    /// The file is changed. Now the service, as far as it is there and concerned.
    fn filed(&mut self, mut work: Work, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let entry = match &work.change {
            Change::Add { .. } => None,
            Change::Rename { old, .. } => self.named(old),
            Change::Remove { name } => self.named(name),
        };
        let remote = entry.as_ref().and_then(|entry| entry.remote.clone());
        self.apply_locally(&work.change, entry.as_ref(), desk, fx);
        let want = match &work.change {
            _ if self.remote == Remote::None => None,
            Change::Add { name, query } => Some(Want::Add { name: name.clone(), query: query.clone() }),
            Change::Rename { new, .. } => entry
                .as_ref()
                .and_then(|entry| entry.query.clone())
                .filter(|_| remote.is_some())
                .map(|query| Want::Add { name: new.clone(), query }),
            Change::Remove { name } => match (&remote, entry.as_ref().map(|entry| &entry.home)) {
                (Some(remote), _) if remote.id.is_some() => remote.id.clone().map(|id| Want::Remove { id }),
                (Some(remote), _) => {
                    self.hide(remote.key(), desk, fx);
                    work.sentences.push(format!(
                        "the service's copy of `{name}` has no id by which it could be removed: it stays there and is no longer listed here"
                    ));
                    None
                }
                // The service's list was not read, so its copy is removed on the word of the file.
                (None, Some(Home::Both { id } | Home::Service { id })) => Some(Want::Remove { id: id.clone() }),
                (None, _) => None,
            },
        };
        let kept = entry.as_ref().is_some_and(|entry| matches!(entry.home, Home::Both { .. }));
        if let (Change::Rename { old, .. }, None, true) = (&work.change, &remote, kept) {
            work.sentences.push(format!("renamed here; the service's copy keeps the name `{old}`"));
        }
        match want {
            Some(want) => {
                work.stage = Stage::Sync(Box::new(Sync::start(want, desk, now, fx)));
                self.work = Some(work);
            }
            None => self.end(work, desk, now, fx),
        }
    }

    fn apply_locally(&mut self, change: &Change, entry: Option<&Entry>, desk: &mut Desk, fx: &mut Vec<Effect>) {
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
            }
            Change::Remove { name } => {
                self.local.retain(|saved| saved.name != *name);
                self.unreadable.retain(|(file, _)| file != name);
                let call = StoreCall::ForgetSnapshot { profile: self.profile.clone(), name: name.clone() };
                desk.store(call, fx);
            }
        }
    }

    fn synced(&mut self, mut work: Work, synced: Synced, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        work.sentences.extend(synced.sentences());
        if let Some(list) = synced.list {
            self.remote = Remote::Read(list);
        }
        match (&work.change, synced.want) {
            (Change::Add { name, .. } | Change::Rename { new: name, .. }, Want::Add { .. }) => {
                if let (Some(id), true) = (synced.id, synced.took) {
                    let old = self.link(name, id, desk, fx);
                    // A renamed search is taken over under its new name before the old one goes.
                    if let (Change::Rename { .. }, Some(id)) = (&work.change, old) {
                        work.stage = Stage::Sync(Box::new(Sync::start(Want::Remove { id }, desk, now, fx)));
                        self.work = Some(work);
                        return;
                    }
                }
            }
            (_, Want::Remove { id }) if !synced.took => {
                self.hide(
                    RemoteSaved { id: Some(id), name: String::new(), query: None, raw: String::new() }.key(),
                    desk,
                    fx,
                );
            }
            _ => {}
        }
        self.end(work, desk, now, fx);
    }

    /// The service keeps the search under this id. Answers the id it had before.
    fn link(&mut self, name: &str, id: String, desk: &mut Desk, fx: &mut Vec<Effect>) -> Option<String> {
        let saved = self.local.iter_mut().find(|saved| saved.name == name)?;
        let before = std::mem::replace(&mut saved.home, Home::Both { id: id.clone() });
        self.writing.insert(desk.file(FileCall::WriteSaved(saved.clone()), fx));
        match before {
            Home::Both { id: before } | Home::Service { id: before } if before != id => Some(before),
            _ => None,
        }
    }

    fn hide(&mut self, key: String, desk: &mut Desk, fx: &mut Vec<Effect>) {
        self.hidden.insert(key.clone());
        self.writing.insert(desk.file(FileCall::HideSaved { keys: vec![key] }, fx));
    }

    fn end(&mut self, work: Work, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        self.told.push(Told::Done { change: work.change, sentences: work.sentences });
        self.next(desk, now, fx);
    }

    /// The next change that waits, if it still makes sense after the one before it.
    fn next(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        while let Some(change) = self.waiting.pop_front() {
            match self.may(&change) {
                Ok(()) => return self.begin(change, desk, now, fx),
                Err(refused) => {
                    let failure = FileFailure { words: refused.to_string() };
                    self.told.push(Told::Failed { change, failure });
                }
            }
        }
    }
}
