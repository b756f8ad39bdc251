//! Saved searches. The local files are the truth and always work; the service's list is a convenience that may take what
//! it is sent, ignore it, reshape it or refuse it (D3), so that every write is read back and said plainly.
//!
//! `merge` makes one list of both, `sync` changes the service's list with care, `news` tells which rows are new since a saved
//! search last ran, `watch` does so for one on the screen, `glance` asks what they all come to now. Nothing is ever deleted at the service without its id, and whatever else vanishes is put back.

mod change;
pub mod glance;
pub mod merge;
pub mod news;
mod sync;
pub mod watch;

use std::collections::{BTreeSet, VecDeque};

use crate::domain::query::Query;
use crate::domain::saved::{RemoteSaved, Saved};
use crate::effect::call::{Call, Reply};
use crate::effect::failure::Failure;
use crate::effect::files::{FileCall, FileFailure, FileReply};
use crate::effect::profile::Profile;
use crate::effect::{CallId, Ticket};

use super::desk::{Cx, Heard, Owner};
use super::limiter::Priority;
use crate::domain::scrub::name as plain;
use merge::Entry;
use sync::Sync;

pub use change::{Change, Refused};

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
    /// Files being written without a request by name.
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
    pub fn load(&mut self, cx: &mut Cx<'_>) {
        if self.listing.is_none() {
            self.listing = Some(cx.file(Owner::Shelf, FileCall::ListSaved));
        }
    }

    /// Reads the service's list, where there is a key for it.
    pub fn ask_service(&mut self, cx: &mut Cx<'_>) {
        if !matches!(self.remote, Remote::None | Remote::Asked(_)) {
            self.remote = Remote::Asked(cx.ask(Owner::Shelf, Call::SavedList, Priority::Person));
        }
    }

    /// Begins a change, or puts it behind the one that is running.
    pub fn change(&mut self, change: Change, cx: &mut Cx<'_>) -> Result<(), Refused> {
        let change = change.plain();
        self.may(&change)?;
        if self.work.is_some() {
            self.waiting.push_back(change);
        } else {
            self.begin(change, cx);
        }
        Ok(())
    }

    /// Another search under a name that is taken: the old one goes, with what is remembered of it, then the new one is added.
    pub fn replace(&mut self, name: &str, query: Query, cx: &mut Cx<'_>) -> Result<(), Refused> {
        let name = plain(name);
        let remove = Change::Remove { name: name.clone() };
        self.may(&remove)?;
        let add = Change::Add { name, query };
        if self.work.is_some() {
            self.waiting.extend([remove, add]);
        } else {
            self.waiting.push_back(add);
            self.begin(remove, cx);
        }
        Ok(())
    }

    /// The saved search ran: what is kept of that for the next time.
    pub fn ran(&mut self, name: &str, total: u64, cx: &mut Cx<'_>) {
        if let Some(saved) = self.local.iter_mut().find(|saved| saved.name == name) {
            saved.total = Some(total);
            saved.last_run = Some(cx.now.wall);
            self.writing.insert(cx.file(Owner::Shelf, FileCall::WriteSaved(saved.clone())));
        }
    }

    /// True when it was an answer for this machine.
    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> bool {
        match heard {
            Heard::Filed(ticket, result) if self.listing == Some(*ticket) => {
                self.listing = None;
                self.loaded(result);
                true
            }
            Heard::Reply(id, _, result) if self.remote == Remote::Asked(*id) => {
                self.remote = match result {
                    Ok(Reply::Saved(list)) => Remote::Read(list.clone()),
                    Ok(_) => Remote::Failed(Failure::OurBug { words: "the response is not a list".to_owned() }),
                    Err(failure) => Remote::Failed(failure.clone()),
                };
                self.told.push(Told::Listed);
                true
            }
            Heard::Filed(ticket, result) if self.writing.remove(ticket) => {
                self.told.extend(result.as_ref().err().cloned().map(Told::Forgotten));
                true
            }
            heard => self.hear_work(heard, cx),
        }
    }

    fn hear_work(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> bool {
        let Some(mut work) = self.work.take() else { return false };
        match (&mut work.stage, heard) {
            (Stage::File(ticket), Heard::Filed(answered, result)) if ticket == answered => match result {
                Ok(_) => self.filed(work, cx),
                Err(failure) => {
                    self.told.push(Told::Failed { change: work.change, failure: failure.clone() });
                    self.next(cx);
                }
            },
            (Stage::Sync(sync), heard) => match sync.hear(heard, cx) {
                sync::Step::NotMine => {
                    self.work = Some(work);
                    return false;
                }
                sync::Step::Going => self.work = Some(work),
                sync::Step::Ended(synced) => self.synced(work, *synced, cx),
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

    pub fn is_loaded(&self) -> bool {
        self.listed
    }

    /// Why the local files could not be listed.
    pub fn failure(&self) -> Option<&FileFailure> {
        self.listing_failure.as_ref()
    }

    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// A change is running or waiting, or not on the disk yet.
    pub fn is_busy(&self) -> bool {
        self.work.is_some() || !self.writing.is_empty()
    }

    /// All saved searches by name: those here, those made elsewhere, and those that cannot be read.
    pub fn entries(&self) -> Vec<Entry> {
        let remote = match &self.remote {
            Remote::Read(list) => Some(list.as_slice()),
            _ => None,
        };
        merge::merge(&self.local, &self.unreadable, remote, &self.hidden)
    }

    /// The one of that name, as a person typed it.
    pub fn named(&self, name: &str) -> Option<Entry> {
        let name = plain(name);
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
}
