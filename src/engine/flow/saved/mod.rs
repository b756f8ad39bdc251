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

use crate::effect::call::Call;
use crate::effect::failure::Failure;
use crate::effect::files::{FileCall, FileFailure, FileReply, SavedCall};
use crate::effect::profile::Profile;
use crate::effect::{CallId, Ticket};
use lode_core::query::Query;
use lode_core::saved::{Home, RemoteSaved, Saved, Unreadable};

use super::desk::{Cx, Heard, Owner};
use super::limiter::Priority;
use lode_core::scrub::name as plain;
use merge::Entry;
use sync::{Copy, Sync};

pub use change::{Change, Refused};

/// What there is to tell.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// The files or the service's list were read, or could not be.
    Listed,
    /// A change is done, or as much of it as could be. `home` is where the search is now, as the service's list showed it after the change.
    /// Each sentence is something a person should know about it.
    Done { change: Change, home: Home, sentences: Vec<String> },
    /// The local file could not be changed, and nothing else was.
    Failed(FileFailure),
    /// The name was taken or the search was gone when its turn came. Nothing was changed.
    Refused(Refused),
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
    unreadable: Vec<Unreadable>,
    hidden: BTreeSet<String>,
    /// The listing of the files that was asked for.
    listing: Option<Ticket>,
    /// A file was changed since: what is listed is not what there is now.
    outdated: bool,
    /// The files are listed once more, as soon as no change is on its way.
    again: bool,
    /// Whether the files could be listed, once they were.
    loaded: Option<Result<(), FileFailure>>,
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
    /// The entry that it changes, as it was when the change began.
    before: Option<Entry>,
    /// The service's copy of it, if it was known then.
    copy: Option<Copy>,
    home: Home,
    stage: Stage,
    sentences: Vec<String>,
}

#[derive(Clone, Debug)]
enum Stage {
    File(Ticket),
    Sync(Box<Sync>),
    /// Nothing is asked of the file or of the service.
    Over,
}

impl Shelf {
    pub fn new(profile: &Profile) -> Shelf {
        Shelf {
            profile: profile.name.clone(),
            local: Vec::new(),
            unreadable: Vec::new(),
            hidden: BTreeSet::new(),
            listing: None,
            outdated: false,
            again: false,
            loaded: None,
            remote: if profile.data.is_some() { Remote::NotAsked } else { Remote::None },
            waiting: VecDeque::new(),
            work: None,
            writing: BTreeSet::new(),
            told: Vec::new(),
        }
    }

    /// Reads the local files. While a change is on its way they are not what they will be: they are read after it.
    pub fn load(&mut self, cx: &mut Cx<'_>) {
        self.again = true;
        self.list_again(cx);
    }

    fn list_again(&mut self, cx: &mut Cx<'_>) {
        if self.again && self.listing.is_none() && !self.is_busy() {
            (self.again, self.outdated) = (false, false);
            self.listing = Some(cx.file(Owner::Shelf, FileCall::Saved(SavedCall::List)));
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
        self.waiting.push_back(change);
        self.next(cx);
        Ok(())
    }

    /// Another search under a name that is taken: the old one goes, with what is remembered of it, then the new one is added.
    pub fn replace(&mut self, name: &str, query: Query, cx: &mut Cx<'_>) -> Result<(), Refused> {
        let name = plain(name);
        let remove = Change::Remove { name: name.clone() };
        self.may(&remove)?;
        self.waiting.extend([remove, Change::Add { name, query }]);
        self.next(cx);
        Ok(())
    }

    /// The saved search ran: what is kept of that for the next time.
    pub fn ran(&mut self, name: &str, total: u64, cx: &mut Cx<'_>) {
        if let Some(saved) = self.local.iter_mut().find(|saved| saved.name == name) {
            saved.total = Some(total);
            saved.last_run = Some(cx.now.wall);
            let call = SavedCall::Note(saved.clone());
            self.write(call, cx);
        }
    }

    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) {
        match heard {
            Heard::Filed(ticket, result) if self.listing == Some(*ticket) => {
                self.listing = None;
                if self.outdated { self.again = true } else { self.loaded(result) }
            }
            Heard::Reply(id, _, result) if self.remote == Remote::Asked(*id) => {
                self.remote = sync::listed(result).map_or_else(Remote::Failed, Remote::Read);
                self.told.push(Told::Listed);
            }
            Heard::Filed(ticket, result) if self.writing.remove(ticket) => {
                self.told.extend(result.as_ref().err().cloned().map(Told::Forgotten));
            }
            heard => self.hear_work(heard, cx),
        }
        self.list_again(cx);
    }

    /// What there is to tell since the last time.
    pub fn told(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.told)
    }

    pub fn is_loaded(&self) -> bool {
        self.loaded.is_some()
    }

    /// Why the local files could not be listed.
    pub fn failure(&self) -> Option<&FileFailure> {
        self.loaded.as_ref()?.as_ref().err()
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
        let entries = self.entries();
        let own = |entry: &&Entry| entry.name == name;
        let broken = |entry: &&Entry| self.unreadable.iter().any(|one| one.file == entry.name && one.is_of(&name));
        entries.iter().find(own).or_else(|| entries.iter().find(broken)).cloned()
    }

    fn loaded(&mut self, result: &Result<FileReply, FileFailure>) {
        self.loaded = Some(match result {
            Ok(FileReply::Saved { saved, unreadable, hidden }) => {
                self.local.clone_from(saved);
                self.unreadable.clone_from(unreadable);
                self.hidden.extend(hidden.iter().cloned());
                Ok(())
            }
            Ok(_) => Err(FileFailure { words: "the files were not listed".to_owned() }),
            Err(failure) => Err(failure.clone()),
        });
        self.told.push(Told::Listed);
    }

    fn may(&self, change: &Change) -> Result<(), Refused> {
        let before = match change.old() {
            Some(old) => Some(self.named(old).ok_or_else(|| Refused::Unknown(old.to_owned()))?),
            None => None,
        };
        if let Some(name) = change.new_name() {
            match self.named(name) {
                _ if name.trim().is_empty() => return Err(Refused::Nameless),
                Some(entry) if entry.name == name => return Err(Refused::Taken(name.to_owned())),
                Some(entry) => return Err(entry.unreadable()),
                None => {}
            }
        }
        match before {
            // A file that cannot be read is removed by its own name only.
            Some(entry) if change.old() != Some(&*entry.name) => Err(entry.unreadable()),
            Some(entry) if entry.query.is_err() && matches!(change, Change::Rename { .. }) => Err(entry.unreadable()),
            _ => Ok(()),
        }
    }
}
