//! Saved searches. The local files are the truth and always work; the service's list is a convenience that may take what
//! it is sent, ignore it, reshape it or refuse it (D3), so that every write is read back and said plainly.
//!
//! `merge` makes one list of both, `Sync` changes the service's list with care, `watch` tells which rows are new since a saved search
//! last ran. Nothing is ever deleted at the service without its id, and whatever else vanishes is put back.

pub mod watch;

use super::*;
use lode_core::scrub::name as plain;

/// What there is to tell.
#[derive(Clone, Debug, PartialEq)]
pub enum SavedEvent {
    /// The files or the service's list were read, or could not be.
    Listed,
    /// A change is done, or as much of it as could be. `home` is where the search is now, as the service's list showed it after the change.
    /// Each sentence is something a person should know about it.
    Done { change: SavedChange, home: Home, sentences: Vec<String> },
    /// The local file could not be changed, and nothing else was.
    Failed(FileFailure),
    /// The name was taken or the search was gone when its turn came. Nothing was changed.
    Refused(Refused),
    /// Something about a saved search could not be remembered: where it lives, when it ran.
    Forgotten(FileFailure),
    /// What is wrong in the file of the named views, or in the one with totals and dates.
    Unread(String),
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

#[derive(Clone, Debug, Default)]
pub struct SavedSearches {
    profile: String,
    local: Vec<SavedSearch>,
    unreadable: Vec<Unreadable>,
    hidden: BTreeSet<String>,
    /// The named views of the grid.
    pub views: BTreeMap<String, GridView>,
    /// What is wrong in the file of the views, as it was told.
    views_wrong: Option<String>,
    /// The listing of the files that was asked for.
    listing: Option<Ticket>,
    /// The files are listed once more, as soon as no change is on its way.
    again: bool,
    /// Whether the files could be listed, once they were.
    loaded: Option<Result<(), FileFailure>>,
    pub remote: Remote,
    waiting: VecDeque<SavedChange>,
    work: Option<(Work, Stage)>,
    /// Files being written without a request by name.
    writing: BTreeSet<Ticket>,
    told: Vec<SavedEvent>,
}

/// A change on its way: the file first, then the service.
#[derive(Clone, Debug)]
struct Work {
    change: SavedChange,
    /// The entry that it changes, as it was when the change began.
    before: Option<SavedEntry>,
    /// The service's copy of it, if it was known then.
    copy: Option<RemoteCopy>,
    home: Home,
    sentences: Vec<String>,
}

/// What a change waits for.
#[derive(Clone, Debug)]
enum Stage {
    File(Ticket),
    Sync(Box<Sync>),
}

impl SavedSearches {
    pub fn new(profile: &Profile) -> SavedSearches {
        SavedSearches {
            profile: profile.name.clone(),
            remote: if profile.data.is_some() { Remote::NotAsked } else { Remote::None },
            ..SavedSearches::default()
        }
    }

    /// Reads the local files. While a change is on its way they are not what they will be: they are read after it.
    pub fn load(&mut self, cx: &mut FlowContext<'_>) {
        self.again = true;
        self.list_again(cx);
    }

    fn list_again(&mut self, cx: &mut FlowContext<'_>) {
        if self.again && self.listing.is_none() && !self.is_busy() {
            self.again = false;
            self.listing = Some(cx.file(Owner::SavedSearches, FileCall::Saved(SavedCall::List)));
        }
    }

    /// Reads the service's list, where there is a key for it.
    pub fn ask_service(&mut self, cx: &mut FlowContext<'_>) {
        if !matches!(self.remote, Remote::None | Remote::Asked(_)) {
            self.remote = Remote::Asked(cx.ask(Owner::SavedSearches, Call::SavedList, Priority::Person));
        }
    }

    /// Begins changes that belong together, or puts them behind the one that is running. The first must be possible now. To replace
    /// a search is to remove it, with what is remembered of it, and to add one of the same name.
    pub fn change(&mut self, changes: Vec<SavedChange>, cx: &mut FlowContext<'_>) -> Result<(), Refused> {
        let changes: Vec<SavedChange> = changes.into_iter().map(SavedChange::plain).collect();
        self.may(&changes[0])?;
        self.waiting.extend(changes);
        self.next(cx);
        Ok(())
    }

    /// The saved search ran: what is kept of that for the next time.
    pub fn ran(&mut self, name: &str, total: u64, cx: &mut FlowContext<'_>) {
        if let Some(saved) = self.local.iter_mut().find(|saved| saved.name == name) {
            saved.total = Some(total);
            saved.last_run = Some(cx.now.wall);
            let call = SavedCall::Note(saved.clone());
            self.write(call, cx);
        }
    }

    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        match arrival {
            Arrival::Filed(ticket, result) if self.listing == Some(*ticket) => {
                self.listing = None;
                self.loaded(result);
            }
            Arrival::Reply(id, _, result) if self.remote == Remote::Asked(*id) => {
                self.remote = listed(result).map_or_else(Remote::Failed, Remote::Read);
                self.told.push(SavedEvent::Listed);
            }
            Arrival::Filed(ticket, result) if self.writing.remove(ticket) => {
                if let Err(failure) = result {
                    // Where that is the file of the views, listing them would say the same once more.
                    self.views_wrong = Some(failure.words.clone());
                    self.told.push(SavedEvent::Forgotten(failure.clone()));
                }
            }
            arrival => self.handle_work(arrival, cx),
        }
        self.list_again(cx);
    }

    /// Keeps a view under a name; without one, the view of that name is removed.
    pub fn keep_view(&mut self, name: &str, view: Option<GridView>, cx: &mut FlowContext<'_>) {
        let name = plain(name);
        self.views.remove(&name);
        self.views.extend(view.clone().map(|view| (name.clone(), view)));
        self.write(SavedCall::KeepView { name, view }, cx);
        // Where the file could not be written, it is to be seen.
        self.again = true;
    }

    /// What there is to tell since the last time.
    pub fn take_events(&mut self) -> Vec<SavedEvent> {
        std::mem::take(&mut self.told)
    }

    pub fn is_loaded(&self) -> bool {
        self.loaded.is_some()
    }

    /// Why the local files could not be listed.
    pub fn failure(&self) -> Option<&FileFailure> {
        self.loaded.as_ref()?.as_ref().err()
    }

    /// A change is running or waiting, or not on the disk yet.
    pub fn is_busy(&self) -> bool {
        self.work.is_some() || !self.writing.is_empty()
    }

    /// All saved searches by name: those here, those made elsewhere, and those that cannot be read. One list of both sides; where each
    /// search lives is decided each time, because either side may have changed meanwhile.
    pub fn entries(&self) -> Vec<SavedEntry> {
        let remote = if let Remote::Read(list) = &self.remote { Some(list) } else { None };
        let listed = remote.into_iter().flatten();
        let mut left: Vec<&RemoteSaved> = listed.filter(|entry| !self.hidden.contains(&entry.key())).collect();
        let mut entries: Vec<SavedEntry> = Vec::new();
        for saved in &self.local {
            let theirs = find(saved, &left).map(|at| left.remove(at));
            let id = match theirs {
                Some(theirs) => theirs.id.clone(),
                // Where the list was not read, the file's word stands.
                None => saved.id.clone().filter(|_| remote.is_none()),
            };
            let home = if theirs.is_some() || id.is_some() { Home::Both } else { Home::Local };
            let SavedSearch { name, query, total, last_run, view, .. } = saved.clone();
            let entry = SavedEntry::new(name, Ok(query), home);
            entries.push(SavedEntry { id, total, last_run, view, remote: theirs.cloned(), ..entry });
        }
        let broken = |one: &Unreadable| SavedEntry::new(one.file.clone(), Err(one.why.clone()), Home::Local);
        entries.extend(self.unreadable.iter().map(broken));
        // A file that cannot be read keeps its name: the service's copy may ask something else.
        let is_free = |name: &str, entries: &[SavedEntry]| {
            entries.iter().all(|entry| entry.name != name) && !self.unreadable.iter().any(|one| one.is_of(name))
        };
        for theirs in left {
            let query = theirs.query.clone().ok_or_else(|| "its filters cannot be read here".to_owned());
            let entry = SavedEntry::new(unused(&theirs.name, |name| is_free(name, &entries)), query, Home::Service);
            entries.push(SavedEntry { id: theirs.id.clone(), remote: Some(theirs.clone()), ..entry });
        }
        entries.sort_by(|one, two| one.name.cmp(&two.name));
        entries
    }

    /// The one of that name, as a person typed it.
    pub fn named(&self, name: &str) -> Option<SavedEntry> {
        let name = plain(name);
        let entries = self.entries();
        let own = |entry: &&SavedEntry| entry.name == name;
        let broken = |entry: &&SavedEntry| self.unreadable.iter().any(|one| one.file == entry.name && one.is_of(&name));
        entries.iter().find(own).or_else(|| entries.iter().find(broken)).cloned()
    }

    fn loaded(&mut self, result: &Result<FileReply, FileFailure>) {
        self.loaded = Some(match result {
            Ok(FileReply::Saved { saved, unreadable, hidden, views: (views, wrong) }) => {
                self.local.clone_from(saved);
                self.unreadable.clone_from(unreadable);
                self.views.clone_from(views);
                if self.views_wrong != *wrong {
                    self.views_wrong.clone_from(wrong);
                    self.told.extend(wrong.clone().map(SavedEvent::Unread));
                }
                self.hidden.extend(hidden.iter().cloned());
                Ok(())
            }
            Ok(_) => Err(FileFailure { words: "the files were not listed".to_owned() }),
            Err(failure) => Err(failure.clone()),
        });
        self.told.push(SavedEvent::Listed);
    }

    fn may(&self, change: &SavedChange) -> Result<(), Refused> {
        let find = |old: &str| self.named(old).ok_or_else(|| Refused::Unknown(old.to_owned()));
        let before = change.old().map(find).transpose()?;
        if let Some(name) = change.new_name() {
            match self.named(name) {
                _ if name.trim().is_empty() => return Err(Refused::Nameless),
                Some(entry) if entry.name == name => return Err(Refused::Taken(name.to_owned())),
                Some(entry) => return Err(entry.unreadable()),
                None => {}
            }
        }
        // A file that cannot be read is removed by its own name only.
        let is_unreadable = |entry: &SavedEntry| {
            change.old() != Some(&*entry.name) || entry.query.is_err() && matches!(change, SavedChange::Rename { .. })
        };
        before.filter(is_unreadable).map_or(Ok(()), |entry| Err(entry.unreadable()))
    }

    /// The file first: it is the truth, and it works without any service.
    fn begin(&mut self, change: SavedChange, cx: &mut FlowContext<'_>) {
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
        let work = Work { change, before, copy, home: Home::Local, sentences: Vec::new() };
        match call {
            Some(call) => self.work = Some((work, Stage::File(self.change_file(call, cx)))),
            None => self.filed(work, cx),
        }
    }

    /// What is listed meanwhile is not what there is then: it is listed once more.
    fn change_file(&mut self, call: SavedCall, cx: &mut FlowContext<'_>) -> Ticket {
        self.again |= self.listing.take().is_some();
        cx.file(Owner::SavedSearches, FileCall::Saved(call))
    }

    /// The file is changed. Now the service, if there is one and it keeps the search.
    fn filed(&mut self, mut work: Work, cx: &mut FlowContext<'_>) {
        let Work { change, before, copy, sentences, .. } = &mut work;
        self.apply_locally(change, before.as_ref(), cx);
        let want = match (&*change, copy.take()) {
            (SavedChange::Rename { old, .. }, _) if self.remote == Remote::None => {
                let has_copy = before.as_ref().is_some_and(|before| before.id.is_some());
                sentences.extend(has_copy.then(|| format!("renamed here; the service's copy keeps the name `{old}`")));
                None
            }
            _ if self.remote == Remote::None => None,
            (SavedChange::Add { query, .. }, _) if query.has_legs() => {
                let only_here = "saved on this computer only: the service can't store searches with several values";
                sentences.push(only_here.to_owned());
                None
            }
            (SavedChange::Add { name, query, .. }, _) => {
                Some(Want::Keep { name: name.clone(), query: query.clone(), instead: None })
            }
            (SavedChange::Rename { old, new }, Some(copy)) => {
                let query = before.as_ref().and_then(|before| before.query.clone().ok());
                let query = query.filter(|query| !query.has_legs());
                query.map(|query| Want::Keep { name: new.clone(), query, instead: Some((old.clone(), copy)) })
            }
            (SavedChange::Remove { name }, Some(RemoteCopy::Listed(remote))) if remote.id.is_none() => {
                self.hide(remote.key(), cx);
                sentences.push(format!(
                    "the service's copy of `{name}` has no id, so it cannot be removed there; lode hides it"
                ));
                None
            }
            (SavedChange::Remove { .. }, Some(copy)) => Some(Want::Remove { copy, kept: REMOVED }),
            _ => None,
        };
        self.go_on(work, want, cx);
    }

    /// How the service's copy of a search is found in its list. Where that was not read, it is looked for when it is.
    fn copy_of(&self, before: &SavedEntry) -> Option<RemoteCopy> {
        match (&before.remote, &self.remote) {
            (Some(remote), _) => Some(RemoteCopy::Listed(remote.clone())),
            (None, Remote::Read(_) | Remote::None) => None,
            // A service that cannot be read is asked again only for what it is known to have.
            (None, Remote::Failed(_)) if before.id.is_none() => None,
            (None, _) => before.saved().map(RemoteCopy::Of),
        }
    }

    /// With what is wanted of the service; without it the change is done.
    fn go_on(&mut self, work: Work, want: Option<Want>, cx: &mut FlowContext<'_>) {
        if let Some(want) = want {
            self.work = Some((work, Stage::Sync(Box::new(Sync::start(want, cx)))));
        } else {
            let Work { change, home, sentences, .. } = work;
            // The old one of a name that is taken: what is reported is that the new one is saved.
            let is_replaced = matches!(&change, SavedChange::Remove { name } if self.comes_back(name));
            if !(is_replaced && sentences.is_empty()) {
                self.told.push(SavedEvent::Done { change, home, sentences });
            }
            self.next(cx);
        }
    }

    /// Whether the next change adds a search of this name.
    fn comes_back(&self, name: &str) -> bool {
        matches!(self.waiting.front(), Some(SavedChange::Add { name: next, .. }) if next == name)
    }

    fn apply_locally(&mut self, change: &SavedChange, before: Option<&SavedEntry>, cx: &mut FlowContext<'_>) {
        self.local.retain(|saved| change.old() != Some(saved.name.as_str()));
        self.local.extend(change.saved(before));
        let profile = self.profile.clone();
        match change {
            SavedChange::Add { .. } => {}
            SavedChange::Rename { old, new } => {
                cx.store(Owner::SavedSearches, StoreCall::MoveSnapshot { profile, from: old.clone(), to: new.clone() });
            }
            SavedChange::Remove { name } => {
                self.unreadable.retain(|one| one.file != *name);
                // One that only changes its filters is still compared with what its legs had.
                if !self.comes_back(name) {
                    cx.store(Owner::SavedSearches, StoreCall::ForgetSnapshot { profile, name: name.clone() });
                }
            }
        }
    }

    /// Hears an answer for the change that is on its way.
    fn handle_work(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        match (self.work.take(), arrival) {
            (Some((work, Stage::File(ticket))), Arrival::Filed(answered, result)) if *answered == ticket => {
                match result {
                    Err(failure) => {
                        self.told.push(SavedEvent::Failed(failure.clone()));
                        self.next(cx);
                    }
                    Ok(FileReply::Taken) => {
                        let name = work.change.new_name().unwrap_or_default().to_owned();
                        self.told.push(SavedEvent::Refused(Refused::Taken(name)));
                        // Another window has it: it is to be seen here as well.
                        self.again = true;
                        self.next(cx);
                    }
                    Ok(_) => self.filed(work, cx),
                }
            }
            (Some((work, Stage::Sync(mut sync))), arrival) => match sync.handle(arrival, cx) {
                true => self.synced(work, *sync, cx),
                false => self.work = Some((work, Stage::Sync(sync))),
            },
            (work, _) => self.work = work,
        }
    }

    fn synced(&mut self, mut work: Work, sync: Sync, cx: &mut FlowContext<'_>) {
        work.sentences.extend(sync.sentences());
        let mut want = None;
        match &sync.want {
            Want::Keep { name, .. } => {
                if let Some(misread) = sync.misread() {
                    want = Some((misread.clone(), MISREAD));
                } else if let Some(kept) = sync.added() {
                    work.home = Home::Both;
                    // The service keeps the search under this id.
                    if let Some(saved) = self.local.iter_mut().find(|saved| saved.name == *name && saved.id != kept.id)
                    {
                        saved.id.clone_from(&kept.id);
                        let call = SavedCall::Note(saved.clone());
                        self.write(call, cx);
                    }
                    // A renamed search is taken over under its new name before the old one goes.
                    want = sync.old.clone().filter(|old| !same_place(old, kept)).map(|old| (old, RENAMED));
                }
            }
            Want::Remove { copy, .. } if !sync.took() => {
                let key = match copy {
                    RemoteCopy::Listed(remote) => Some(remote.key()),
                    RemoteCopy::Of(saved) => saved.id.as_deref().map(RemoteSaved::key_of),
                };
                key.into_iter().for_each(|key| self.hide(key, cx));
            }
            Want::Remove { .. } => {}
        }
        if let Some(list) = sync.list {
            self.remote = Remote::Read(list);
        }
        let want = want.map(|(copy, kept)| Want::Remove { copy: RemoteCopy::Listed(copy), kept });
        self.go_on(work, want, cx);
    }

    fn hide(&mut self, key: String, cx: &mut FlowContext<'_>) {
        self.hidden.insert(key.clone());
        self.write(SavedCall::Hide { key }, cx);
    }

    /// Writes what nothing waits for: a failure is told.
    fn write(&mut self, call: SavedCall, cx: &mut FlowContext<'_>) {
        let ticket = self.change_file(call, cx);
        self.writing.insert(ticket);
    }

    /// The next change that waits, if it still makes sense after the one before it.
    fn next(&mut self, cx: &mut FlowContext<'_>) {
        while self.work.is_none()
            && let Some(change) = self.waiting.pop_front()
        {
            match self.may(&change) {
                Ok(()) => self.begin(change, cx),
                Err(refused) => self.told.push(SavedEvent::Refused(refused)),
            }
        }
    }
}

// A change of the saved searches on its way: the file first, then the service if it keeps the search, then the next
// change that waits.

/// A requested change.
#[derive(Clone, Debug, PartialEq)]
pub enum SavedChange {
    /// `view`: The named view that is applied when it runs.
    Add { name: String, query: Query, view: Option<String> },
    /// The same search under another name.
    Rename { old: String, new: String },
    /// The search goes.
    Remove { name: String },
}

impl SavedChange {
    /// With names as the files and the lists have them: the same one however it was typed.
    fn plain(mut self) -> SavedChange {
        match &mut self {
            SavedChange::Add { name, .. } | SavedChange::Remove { name } => *name = plain(name),
            SavedChange::Rename { old, new } => (*old, *new) = (plain(old), plain(new)),
        }
        self
    }

    /// The name that must be there before.
    fn old(&self) -> Option<&str> {
        match self {
            SavedChange::Add { .. } => None,
            SavedChange::Rename { old: name, .. } | SavedChange::Remove { name } => Some(name),
        }
    }

    /// The name that must be free before.
    fn new_name(&self) -> Option<&str> {
        match self {
            SavedChange::Add { name, .. } | SavedChange::Rename { new: name, .. } => Some(name),
            SavedChange::Remove { .. } => None,
        }
    }

    /// What is saved here after it; `before` is the entry that it changes.
    fn saved(&self, before: Option<&SavedEntry>) -> Option<SavedSearch> {
        match self {
            SavedChange::Add { name, query, view } => {
                Some(SavedSearch { view: view.clone(), ..SavedSearch::new(name.clone(), query.clone()) })
            }
            SavedChange::Rename { new, .. } => Some(SavedSearch { name: new.clone(), ..before?.saved()? }),
            SavedChange::Remove { .. } => None,
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

// One change of the service's list: read it, write, read it again, and put back what vanished besides.
//
// Nothing says how the service takes a write, so only the list read afterwards counts: an answer of success proves nothing,
// and neither does a broken line. Putting back is tried once; what is still missing then is named.

#[derive(Clone, Debug, PartialEq)]
enum Want {
    /// A new entry; `instead` of a copy of another name, where the service has that. The old one is still there afterwards.
    Keep { name: String, query: Query, instead: Option<(String, RemoteCopy)> },
    /// The copy is removed.
    Remove { copy: RemoteCopy, kept: &'static str },
}

/// How the service's copy of a search is found in its list.
#[derive(Clone, Debug, PartialEq)]
enum RemoteCopy {
    /// The entry as it was listed.
    Listed(RemoteSaved),
    /// The list was not read: the copy of what is saved here, if it has one.
    Of(SavedSearch),
}

// Why a copy is removed, as the sentence for a service that keeps it: the search was removed here, it is kept under another name
// by now, it asks something else than was sent.
const REMOVED: &str = "removed here; the service kept its copy, and lode hides it";
const RENAMED: &str = "the service also kept the copy with the old name, and lode hides it";
const MISREAD: &str = "the service could not remove its copy, and lode hides it";

#[derive(Clone, Debug)]
struct Sync {
    want: Want,
    call: CallId,
    /// The list before the change, once it was read.
    before: Option<Vec<RemoteSaved>>,
    /// The copy that is renamed or removed.
    old: Option<RemoteSaved>,
    /// What vanished besides, still to be put back.
    missing: VecDeque<RemoteSaved>,
    put_back: usize,
    refused: Option<Failure>,
    /// As it was read last; `None` where that could not be.
    list: Option<Vec<RemoteSaved>>,
}

/// The service's list, if the answer is one.
fn listed(result: &Result<Reply, Failure>) -> Result<Vec<RemoteSaved>, Failure> {
    match result {
        Ok(Reply::Saved(list)) => Ok(list.clone()),
        Ok(_) => Err(Failure::OurBug { words: "the response is not a list".to_owned() }),
        Err(failure) => Err(failure.clone()),
    }
}

/// Whether both are one entry of the list: by its id, where it has one.
fn same_place(one: &RemoteSaved, other: &RemoteSaved) -> bool {
    if one.id.is_some() { one.id == other.id } else { other.id.is_none() && same_entry(one, other) }
}

impl Sync {
    fn start(want: Want, cx: &mut FlowContext<'_>) -> Sync {
        let call = cx.ask(Owner::SavedSearches, Call::SavedList, Priority::Person);
        Sync { want, call, before: None, old: None, missing: VecDeque::new(), put_back: 0, refused: None, list: None }
    }

    /// Whether it is over with this answer.
    fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> bool {
        match arrival {
            Arrival::Reply(id, Call::SavedList, result) if *id == self.call => match listed(result) {
                Err(failure) => self.refused = Some(failure),
                Ok(list) if self.before.is_none() => {
                    self.before = Some(list);
                    self.old = self.copy().cloned();
                    return self.write(cx);
                }
                Ok(list) => {
                    self.missing = self.vanished(&list);
                    if self.put_back == 0 && !self.missing.is_empty() {
                        return self.restore(cx);
                    }
                    self.list = Some(list);
                }
            },
            Arrival::Reply(id, Call::SavedRestore { .. }, _) if *id == self.call => return self.restore(cx),
            Arrival::Reply(id, _, result) if *id == self.call => {
                self.refused = result.as_ref().err().cloned();
                return self.ask(Call::SavedList, cx);
            }
            _ => return false,
        }
        true
    }

    fn write(&mut self, cx: &mut FlowContext<'_>) -> bool {
        let call = match &self.want {
            Want::Keep { instead: Some(_), .. } if self.old.is_none() => None,
            Want::Keep { name, query, .. } => Some(Call::SavedAdd { name: name.clone(), query: query.clone() }),
            // Without an id of the list a DELETE might mean all of them.
            Want::Remove { .. } => self.old.as_ref().and_then(|old| old.id.clone()).map(|id| Call::SavedRemove { id }),
        };
        let Some(call) = call else {
            self.list.clone_from(&self.before);
            return true;
        };
        self.ask(call, cx)
    }

    fn ask(&mut self, call: Outgoing, cx: &mut FlowContext<'_>) -> bool {
        self.call = cx.ask(Owner::SavedSearches, call, Priority::Person);
        false
    }

    fn restore(&mut self, cx: &mut FlowContext<'_>) -> bool {
        let Some(entry) = self.missing.pop_front() else { return self.ask(Call::SavedList, cx) };
        self.put_back += 1;
        self.ask(Call::SavedRestore { raw: entry.raw }, cx)
    }

    /// The copy that is meant, as the list has it.
    fn copy(&self) -> Option<&RemoteSaved> {
        let copy = match &self.want {
            Want::Keep { instead, .. } => &instead.as_ref()?.1,
            Want::Remove { copy, .. } => copy,
        };
        match copy {
            RemoteCopy::Listed(one) => self.before.iter().flatten().find(|entry| same_place(entry, one)),
            RemoteCopy::Of(saved) => {
                let all: Vec<&RemoteSaved> = self.before.iter().flatten().collect();
                find(saved, &all).map(|at| all[at])
            }
        }
    }

    /// Whether it is the one that is to go.
    fn is_meant(&self, entry: &RemoteSaved) -> bool {
        matches!(self.want, Want::Remove { .. }) && self.old.as_ref().is_some_and(|old| same_place(old, entry))
    }

    /// Entries of before that are not in the list any more, besides the one that was to go.
    fn vanished(&self, list: &[RemoteSaved]) -> VecDeque<RemoteSaved> {
        let is_there = |entry: &RemoteSaved| {
            let same_id = |other: &RemoteSaved| entry.id.is_some() && other.id == entry.id;
            list.iter().any(|other| same_id(other) || same_entry(other, entry))
        };
        let before = self.before.iter().flatten();
        before.filter(|entry| !self.is_meant(entry) && !is_there(entry)).cloned().collect()
    }

    /// Whether the list that was read last shows what was wanted.
    fn took(&self) -> bool {
        self.list.as_ref().is_some_and(|list| match &self.want {
            Want::Keep { .. } => self.added().is_some(),
            Want::Remove { .. } => !list.iter().any(|entry| self.is_meant(entry)),
        })
    }

    /// What was added, as the list has it: a new entry of that name or one that asks the same; else an old one that does both.
    /// None where it asks something else than was sent.
    fn added(&self) -> Option<&RemoteSaved> {
        self.found().filter(|entry| self.asks(entry) != Some(false))
    }

    /// The only new entry, if it asks something else than was sent: the service dropped or changed a part of the search.
    fn misread(&self) -> Option<&RemoteSaved> {
        let mut fresh = self.fresh();
        let only = fresh.next().filter(|_| fresh.next().is_none())?;
        (self.asks(only) == Some(false)).then_some(only)
    }

    fn found(&self) -> Option<&RemoteSaved> {
        let Want::Keep { name, .. } = &self.want else { return None };
        let same_name = |entry: &&RemoteSaved| entry.name == *name;
        let same_query = |entry: &&RemoteSaved| self.asks(entry) == Some(true);
        let found = self.fresh().filter(same_name).find(same_query).or_else(|| self.fresh().find(same_name));
        let found = found.or_else(|| self.fresh().find(same_query));
        found.or_else(|| self.list.iter().flatten().filter(same_name).find(same_query))
    }

    /// The entries that were not there before.
    fn fresh(&self) -> impl Iterator<Item = &RemoteSaved> {
        let is_known =
            |entry: &RemoteSaved| self.before.iter().flatten().any(|old| old.id == entry.id && same_entry(old, entry));
        self.list.iter().flatten().filter(move |entry| !is_known(entry))
    }

    /// Whether the entry asks what was sent; `None` where its filters cannot be read.
    fn asks(&self, entry: &RemoteSaved) -> Option<bool> {
        let Want::Keep { query, .. } = &self.want else { return None };
        let theirs = entry.query.as_ref()?;
        Some(same_there(theirs, query) && theirs.side.source == query.side.source)
    }

    /// How the search that the service keeps differs from the one that was sent.
    fn difference(&self) -> Option<String> {
        let Want::Keep { query, .. } = &self.want else { return None };
        let theirs = self.found().filter(|entry| self.asks(entry) == Some(false))?.query.as_ref()?;
        Some(if theirs.side.source == query.side.source {
            "the service would keep it with other filters".to_owned()
        } else {
            format!("the service would keep it as a search of the {} API", theirs.side.source.title())
        })
    }

    /// What a person should know; nothing where all went as it should.
    fn sentences(&self) -> impl Iterator<Item = String> {
        let words = self.refused.as_ref().map(|failure| failure.words().trim_end_matches('.'));
        let why = words.map(|words| format!(" ({words})")).unwrap_or_default();
        let unread = self.list.is_none();
        let cannot_be_read = format!("its list cannot be read{why}");
        let said = match &self.want {
            _ if self.took() => None,
            Want::Keep { instead: None, .. } => {
                let why = match self.difference() {
                    _ if unread => format!("the service's list cannot be read{why}"),
                    Some(difference) => difference,
                    None if words.is_some() => format!("the service refused it{why}"),
                    None => "the service accepted it but did not keep it".to_owned(),
                };
                Some(format!("saved on this computer only: {why}"))
            }
            Want::Keep { instead: Some((old, _)), .. } if unread => {
                Some(format!("renamed here; the service may keep the name `{old}`: {cannot_be_read}"))
            }
            Want::Keep { instead: Some((old, _)), .. } => self.old.as_ref().map(|_| {
                let why = self.difference().map(|difference| format!(" ({difference})")).unwrap_or(why);
                format!("renamed here; the service's copy keeps the name `{old}`{why}")
            }),
            Want::Remove { kept: REMOVED, .. } if unread => {
                Some(format!("removed here; the service may still have its copy: {cannot_be_read}"))
            }
            Want::Remove { kept, .. } => Some(format!("{kept}{why}")),
        };
        said.into_iter().chain((self.put_back > 0).then(|| self.dropped()))
    }

    /// What the service dropped besides, and what of it is back.
    fn dropped(&self) -> String {
        // What was put back may have a new id: its name tells.
        let is_back = |name: &&str| self.list.iter().flatten().any(|entry| entry.name == **name);
        let names = self.missing.iter().map(|entry| entry.name.as_str());
        let lost: Vec<&str> = names.filter(|name| !is_back(name)).collect();
        let back = self.put_back.saturating_sub(lost.len());
        if lost.is_empty() {
            let back = counted(back as u64, "other saved search");
            return format!("the service also dropped {back}; all were put back");
        }
        let lost = lost.join(", ");
        format!("the service also dropped other saved searches; {back} put back, not restored: {lost}")
    }
}

// Entries of the list of the searches kept here and those the service keeps.

/// A saved search as it is listed.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedEntry {
    pub name: String,
    /// Or why it cannot be read: then it is shown, and cannot run.
    pub query: Result<Query, String>,
    pub home: Home,
    /// Under which the service keeps it.
    pub id: Option<String>,
    pub total: Option<u64>,
    pub last_run: Option<Wall>,
    /// The named view that it was saved with here.
    pub view: Option<String>,
    /// The service's own entry, where its list was read and has one.
    pub remote: Option<RemoteSaved>,
}

impl SavedEntry {
    fn new(name: String, query: Result<Query, String>, home: Home) -> SavedEntry {
        SavedEntry { name, query, home, id: None, total: None, last_run: None, view: None, remote: None }
    }

    /// Why it cannot run.
    pub fn unreadable(&self) -> Refused {
        let why = self.query.as_ref().err().cloned().unwrap_or_default();
        Refused::Unreadable { name: self.name.clone(), why }
    }

    /// The part of it that is kept here.
    fn saved(&self) -> Option<SavedSearch> {
        let (query, id, view) = (self.query.clone().ok()?, self.id.clone(), self.view.clone());
        Some(SavedSearch { name: self.name.clone(), query, id, total: self.total, last_run: self.last_run, view })
    }
}

/// The service's copy of a local search: the one with the id it was kept under, if it has the name or asks the same (an id may
/// have been given to another search since), else one of the same name that asks the same.
fn find(saved: &SavedSearch, left: &[&RemoteSaved]) -> Option<usize> {
    let named = |entry: &RemoteSaved| entry.name == saved.name;
    let asks = |entry: &RemoteSaved| entry.query.as_ref().is_some_and(|query| same_there(query, &saved.query));
    let known = |entry: &RemoteSaved| saved.id.is_some() && entry.id == saved.id;
    let by_id = left.iter().position(|entry| known(entry) && (named(entry) || asks(entry)));
    by_id.or_else(|| left.iter().position(|entry| named(entry) && asks(entry)))
}

/// Whether the service keeps both as the same: it has no word for whose search it is.
fn same_there(one: &Query, other: &Query) -> bool {
    one.side.corpus == other.side.corpus && one.params() == other.params()
}

/// Whether both are the same entry, read at two times: fields like the moment of its last use may have changed meanwhile.
fn same_entry(one: &RemoteSaved, other: &RemoteSaved) -> bool {
    let asks = match (&one.query, &other.query) {
        (Some(one), Some(other)) => same_there(one, other),
        // What neither a name nor a readable search tells apart, only its text does.
        (None, None) => !one.name.is_empty() || one.raw == other.raw,
        _ => false,
    };
    one.name == other.name && asks
}

/// Names are how a person says which one, so two entries never share one.
fn unused(name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let name = if name.trim().is_empty() { "unnamed" } else { name };
    let numbered = (1..).map(|number| match number {
        1 => format!("{name} (service)"),
        number => format!("{name} (service {number})"),
    });
    std::iter::once(name.to_owned()).chain(numbered).find(|name| is_free(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::{Side, Source};
    use lode_core::filter::Filter;

    fn merge(
        local: &[SavedSearch],
        unreadable: &[Unreadable],
        remote: Option<&[RemoteSaved]>,
        hidden: &BTreeSet<String>,
    ) -> Vec<SavedEntry> {
        let remote = remote.map_or(Remote::NotAsked, |list| Remote::Read(list.to_vec()));
        let (local, unreadable, hidden) = (local.to_vec(), unreadable.to_vec(), hidden.clone());
        SavedSearches { local, unreadable, remote, hidden, ..SavedSearches::default() }.entries()
    }

    fn query(title: &str) -> Query {
        let mut query = Query::new(Side::default());
        query.set(Filter::Title, title).unwrap();
        query
    }

    fn local(name: &str, title: &str, id: Option<&str>) -> SavedSearch {
        SavedSearch { id: id.map(str::to_owned), total: Some(7), ..SavedSearch::new(name.into(), query(title)) }
    }

    fn theirs(id: Option<&str>, name: &str, title: Option<&str>) -> RemoteSaved {
        RemoteSaved { id: id.map(str::to_owned), name: name.into(), query: title.map(query), raw: String::new() }
    }

    fn broken(file: &str, name: Option<&str>) -> Unreadable {
        Unreadable { file: file.into(), why: "line 3".into(), name: name.map(str::to_owned) }
    }

    fn listed(entries: &[SavedEntry]) -> Vec<(&str, &str)> {
        entries.iter().map(|entry| (entry.name.as_str(), entry.home.name())).collect()
    }

    #[test]
    fn a_search_on_both_sides_is_listed_once() {
        let here = [local("a", "x", Some("9")), local("b", "y", None), local("c", "z", Some("9"))];
        let mut theirs_of_b = theirs(Some("4"), "b", Some("y"));
        theirs_of_b.query.as_mut().unwrap().side.source = Source::Data;
        let there = [theirs(Some("9"), "renamed there", Some("x")), theirs_of_b];
        let entries = merge(&here, &[], Some(&there), &BTreeSet::new());
        assert_eq!(listed(&entries), [("a", "both"), ("b", "both"), ("c", "local")]);
        let unread = merge(&here, &[], None, &BTreeSet::new());
        assert_eq!(listed(&unread), [("a", "both"), ("b", "local"), ("c", "both")]);
    }

    #[test]
    fn an_id_that_another_search_has_by_now_is_not_taken() {
        let here = [local("a", "x", Some("1"))];
        let there = [theirs(Some("1"), "b", Some("y")), theirs(Some("2"), "a", Some("x"))];
        let entries = merge(&here, &[], Some(&there), &BTreeSet::new());
        assert_eq!(listed(&entries), [("a", "both"), ("b", "service")]);
        assert_eq!(entries[0].id.as_deref(), Some("2"));
        let entries = merge(&here, &[], Some(&there[..1]), &BTreeSet::new());
        assert_eq!(listed(&entries), [("a", "local"), ("b", "service")]);
    }

    #[test]
    fn the_copy_of_a_file_that_cannot_be_read_is_not_taken_for_it() {
        let there = [theirs(Some("1"), "A b", Some("x")), theirs(Some("2"), "c", Some("x"))];
        let names = [("A b (service)", "service"), ("a-b.toml", "local"), ("c", "service")];
        for file in [broken("a-b.toml", None), broken("a-b.toml", Some("A b"))] {
            assert_eq!(listed(&merge(&[], &[file], Some(&there), &BTreeSet::new())), names);
        }
        let other = merge(&[], &[broken("a-b.toml", Some("other"))], Some(&there), &BTreeSet::new());
        assert_eq!(other[0].name, "A b");
    }

    #[test]
    fn searches_made_elsewhere_are_listed_under_names_of_their_own() {
        let here = [local("a", "x", None)];
        let there = [
            theirs(Some("1"), "a", Some("other")),
            theirs(Some("2"), "a", None),
            theirs(None, "", Some("q")),
            theirs(Some("3"), "gone", Some("q")),
        ];
        let hidden = BTreeSet::from(["id 3".to_owned()]);
        let entries = merge(&here, &[broken("broken", None)], Some(&there), &hidden);
        let names = [
            ("a", "local"),
            ("a (service 2)", "service"),
            ("a (service)", "service"),
            ("broken", "local"),
            ("unnamed", "service"),
        ];
        assert_eq!(listed(&entries), names);
        assert_eq!(entries.iter().filter(|entry| entry.query.is_err()).count(), 2);
    }
}
