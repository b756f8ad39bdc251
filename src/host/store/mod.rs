//! The store: everything lode remembers, in one folder, shared by all its windows.
//!
//! [`Store::perform`] does one [`StoreCall`] as one transaction: durable when it answers, or not done at all. It blocks, so
//! it lives on a thread of its own, and it opens its files with the first call, never before. It decides nothing about
//! money except what only it can see, because only here all windows meet: `intend` holds those rules, `batches` what became
//! of each call, `slots` the allowance of the keys. What the answers of the service mean is not known here.

mod answers;
pub mod backup;
mod basket;
mod batches;
mod calls;
pub mod changes;
pub mod check;
mod history;
mod intend;
mod jobs;
mod mark;
mod open;
mod owned;
pub mod place;
mod proposals;
mod purses;
mod schema;
mod slots;
mod spent;
mod sql;
pub mod stop;
mod trouble;
mod unknown;
mod windows;
mod work;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::system::runtime;
use crate::{clock, failpoint};
use lode_core::{BatchId, Now};
use lode_engine::effect::{IntentRefused, NotGranted, StoreCall, StoreFailure, StoreReply, WindowId};

use answers::Answers;
use calls::{Kind, Plan};
use changes::{Notifier, OF_LEDGER, OF_PROPOSALS, OF_SLOTS};
use schema::Shape;
use trouble::{Outcome, Trouble};
use windows::Windows;
use work::Work;

/// What stands for the boot of a machine that is only memory.
const MEMORY: &str = "memory";

pub use answers::AnswerFile;
pub use mark::BOOKS;
pub use open::SLOTS;
pub use windows::fresh_window;

#[derive(Clone, Debug)]
enum Place {
    Folder(PathBuf),
    /// With the windows that live.
    Memory(Arc<Mutex<BTreeSet<WindowId>>>),
}

/// Where the requests of a key are counted: for the whole machine where a folder for that is found, else beside the ledger, and
/// in memory where no file can be written.
#[derive(Clone, Debug)]
enum Counters {
    /// Beside the money: for the windows of this folder only.
    Beside,
    /// In the folder of this machine and user, or where a variable moves it.
    Shared(Option<PathBuf>),
    /// The folder that was found.
    Folder(PathBuf),
}

/// What a store holds while it is open.
#[derive(Debug)]
struct Files {
    ledger: Ledger,
    slots: Option<Connection>,
    answers: Answers,
    notifier: Notifier,
}

#[derive(Debug)]
enum Ledger {
    Closed,
    Open(Connection),
    /// Nothing can be written: reads are served from the file as it is, or from an empty one where it cannot be read.
    ReadOnly(Connection, StoreFailure),
    /// The file is there and cannot be trusted: nothing is read from it and nothing is put in its place.
    Unusable(StoreFailure),
}

/// One window's hold on the state folder. Dropping it is what ending the window is.
#[derive(Debug)]
pub struct Store {
    place: Place,
    window: WindowId,
    /// Shared only between windows of one memory.
    files: Arc<Mutex<Files>>,
    windows: Option<Windows>,
    /// Why nothing may be written, whatever the file says.
    refused: Option<StoreFailure>,
    /// It writes no intent without a grant.
    for_assistant: bool,
    /// Where requests are counted.
    counters: Counters,
    /// The windows that count there too, where that is another folder.
    counting: Option<Windows>,
    /// Which start of the machine its clock counts from.
    boot: String,
    /// How long it waits for another window's transaction.
    patience: Duration,
}

impl Store {
    /// The store of a folder. Nothing is touched before the first call.
    pub fn open(dir: &Path, window: WindowId) -> Store {
        Store::of(Place::Folder(dir.to_owned()), Answers::Folder(dir.join("answers")), clock::boot(), window)
    }

    /// A store that lives as long as its last window.
    pub fn open_in_memory(window: WindowId) -> Store {
        Store::of(Place::Memory(Default::default()), Answers::Memory(Default::default()), MEMORY.to_owned(), window)
    }

    fn of(place: Place, answers: Answers, boot: String, window: WindowId) -> Store {
        let files = Files { ledger: Ledger::Closed, slots: None, answers, notifier: Notifier::default() };
        // In memory a window lives from its making; in a folder from its first call.
        let windows = match &place {
            Place::Folder(_) => None,
            Place::Memory(living) => Some(Windows::in_memory(Arc::clone(living), &window)),
        };
        Store {
            place,
            window,
            files: Arc::new(Mutex::new(files)),
            windows,
            refused: None,
            for_assistant: false,
            counters: Counters::Beside,
            counting: None,
            boot,
            patience: open::PATIENCE,
        }
    }

    /// Another window on the same state, as another process would open it.
    pub fn beside(&self, window: WindowId) -> Store {
        match &self.place {
            Place::Folder(dir) => Store { counters: self.counters.clone(), ..Store::open(dir, window) },
            Place::Memory(_) => Store {
                files: Arc::clone(&self.files),
                patience: self.patience,
                ..Store::of(self.place.clone(), Answers::Memory(Default::default()), self.boot.clone(), window)
            },
        }
    }

    /// One from which nothing may be spent, if there is a reason.
    pub fn refusing(self, refused: Option<StoreFailure>) -> Store {
        Store { refused, ..self }
    }

    /// One for an assistant: it writes no intent that rests on no proposal.
    pub fn for_assistant(self) -> Store {
        Store { for_assistant: true, ..self }
    }

    /// Counts requests for all state folders of this machine and user, in the folder `named` where there is one.
    pub fn counting_for_the_machine(self, named: Option<PathBuf>) -> Store {
        Store { counters: Counters::Shared(named), ..self }
    }

    pub fn window(&self) -> &WindowId {
        &self.window
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the answer to one sending of a batch is kept.
    pub fn answer_file(&self, batch: BatchId, sent: u32) -> Option<AnswerFile> {
        AnswerFile::of(&self.files().answers, batch, i64::from(sent))
    }

    /// The ledger as one SQLite file, where it is kept in memory and open.
    pub fn image(&self) -> Option<Vec<u8>> {
        match (&self.place, &mut self.files().ledger) {
            (Place::Memory(_), Ledger::Open(db)) => Some(db.serialize("main").ok()?.to_vec()),
            _ => None,
        }
    }

    /// The folder of the records, and the one where requests are counted: what others write there concerns this window.
    pub fn folders(&self) -> Option<(PathBuf, PathBuf)> {
        let Place::Folder(dir) = &self.place else { return None };
        let counters = match &self.counters {
            Counters::Beside => dir.clone(),
            Counters::Shared(named) => runtime::folder(named.as_deref()).unwrap_or_else(|_| dir.clone()),
            Counters::Folder(folder) => folder.clone(),
        };
        Some((dir.clone(), counters))
    }

    /// Does one call. `now` is the moment it is done at, read after whatever caused it.
    pub fn perform(&mut self, call: StoreCall, now: Now) -> Result<StoreReply, StoreFailure> {
        let files = Arc::clone(&self.files);
        let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
        let plan = calls::plan(&call);
        let done = if plan.kind == Kind::Counts {
            let before = changes_of(files.slots.as_ref());
            let done = self.on_slots(&mut files, &plan, now);
            if changes_of(files.slots.as_ref()) > before
                && let Some((_, counters)) = self.folders()
            {
                files.notifier.notify(&counters, OF_SLOTS);
            }
            done
        } else {
            let before = changes_of(files.ledger.writable());
            let done = self.on_ledger(&mut files, &call, &plan, now);
            if changes_of(files.ledger.writable()) > before
                && let Place::Folder(dir) = &self.place
            {
                files.notifier.notify(dir, OF_LEDGER);
                if matches!(call, StoreCall::Propose(_) | StoreCall::Answer { .. }) {
                    files.notifier.notify(dir, OF_PROPOSALS);
                }
            }
            done
        };
        done.map_err(|trouble| self.failure(trouble))
    }

    fn failure(&self, trouble: Trouble) -> StoreFailure {
        match &self.place {
            Place::Folder(dir) => trouble::in_folder(trouble, dir),
            Place::Memory(_) => trouble.into(),
        }
    }

    /// The lock that says this window lives. Where it cannot be taken the window sees the others without being seen, and can
    /// spend nothing.
    fn ensure_windows(&mut self) {
        if let (None, Place::Folder(dir)) = (&self.windows, &self.place) {
            self.windows = Some(Windows::of_folder(dir, &self.window));
        }
    }

    fn open_ledger(&mut self, files: &mut Files, writes: bool) -> Outcome<()> {
        let retry = matches!(files.ledger, Ledger::ReadOnly(..)) && writes;
        if !retry && !matches!(files.ledger, Ledger::Closed) {
            return Ok(());
        }
        let Place::Folder(dir) = &self.place else {
            files.ledger = Ledger::Open(open::memory()?);
            return Ok(());
        };
        let opened = match &self.refused {
            Some(failure) => Err(failure.clone()),
            None => open::ledger(dir, &Shape::current(), self.patience).map_err(|trouble| self.failure(trouble)),
        };
        files.ledger = match opened {
            Ok(db) => Ledger::Open(db),
            Err(failure @ (StoreFailure::ReadOnly | StoreFailure::Full)) => {
                Ledger::ReadOnly(open::ledger_read_only(dir).or_else(|_| open::memory())?, failure)
            }
            // An older one can be read. One that is gone is not an empty one.
            Err(failure @ StoreFailure::Lost(_)) => match open::ledger_read_only(dir) {
                Ok(db) => Ledger::ReadOnly(db, failure),
                Err(_) => Ledger::Unusable(failure),
            },
            // Another process may let go of it: the next call asks again.
            Err(failure @ StoreFailure::Locked) => return Err(failure.into()),
            Err(failure) => Ledger::Unusable(failure),
        };
        // What could not be taken before may be taken now.
        self.windows = self.windows.take().filter(Windows::are_seen);
        Ok(())
    }

    fn on_ledger(&mut self, files: &mut Files, call: &StoreCall, plan: &Plan<'_>, now: Now) -> Outcome<StoreReply> {
        let reads = plan.kind == Kind::Reads;
        self.open_ledger(files, !reads)?;
        self.ensure_windows();
        let windows = self.windows.as_ref().unwrap_or_else(|| unreachable!("just opened"));
        let (db, is_open) = match &files.ledger {
            Ledger::Open(db) => (db, true),
            Ledger::ReadOnly(db, _) if reads => (db, false),
            Ledger::ReadOnly(_, failure) | Ledger::Unusable(failure) => return Err(failure.clone().into()),
            Ledger::Closed => unreachable!("just opened"),
        };
        let on = Work { db, answers: &files.answers, window: &self.window, windows, boot: &self.boot, now };
        match call {
            StoreCall::OpenBatches { purse } if is_open => {
                let tx = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
                unknown::find_orphans(&on, purse)?;
                // Room that cannot be given back now is given back another time.
                let _ = batches::release_unused(&on);
                tx.commit()?;
            }
            StoreCall::Intend(intent) => {
                failpoint::asserting("intend");
                if !windows.are_seen() {
                    return Err(StoreFailure::ReadOnly.into());
                }
                if self.for_assistant && intent.grant.is_none() {
                    return Ok(StoreReply::IntentRefused(IntentRefused::NotGranted(NotGranted::NoSuch)));
                }
            }
            _ => {}
        }
        if reads {
            let _tx = db.unchecked_transaction()?;
            return (plan.run)(&on);
        }
        let durable = plan.kind != Kind::WritesPassing;
        if durable {
            open::write_back_on_close(db)?;
        } else {
            db.execute_batch("PRAGMA synchronous = NORMAL")?;
        }
        let done = plan.write(&on);
        if let (Ok(StoreReply::Intended(_)), Place::Folder(dir)) = (&done, &self.place) {
            // Before it is sent: a ledger that loses this batch is missed from here on.
            mark::raise(dir, mark::Mark::of(db)?)?;
        }
        if !durable {
            db.execute_batch("PRAGMA synchronous = FULL")?;
        }
        done
    }

    fn on_slots(&mut self, files: &mut Files, plan: &Plan<'_>, now: Now) -> Outcome<StoreReply> {
        if files.slots.is_none() {
            files.slots = Some(self.open_slots(now)?);
        }
        self.ensure_windows();
        let windows = self.counting.as_ref().or(self.windows.as_ref());
        let (Some(slots), Some(windows)) = (&files.slots, windows) else { unreachable!("both just opened") };
        let on = Work { db: slots, answers: &files.answers, window: &self.window, windows, boot: &self.boot, now };
        match (plan.run)(&on).map_err(|trouble| self.failure(trouble)) {
            // The disk filled up meanwhile. Searching goes on: this window keeps to what is written, and for itself from here.
            Err(StoreFailure::Full | StoreFailure::ReadOnly) => {
                let mut alone = open::slots_in_memory(&self.boot, now)?;
                slots::copy(slots, &mut alone)?;
                let done = (plan.run)(&Work { db: &alone, ..on });
                files.slots = Some(alone);
                done
            }
            done => Ok(done?),
        }
    }

    fn open_slots(&mut self, now: Now) -> Outcome<Connection> {
        self.find_counters();
        let dir = match (&self.place, &self.counters) {
            (Place::Memory(_), _) => return open::slots_in_memory(&self.boot, now),
            (Place::Folder(_), Counters::Folder(shared)) => shared,
            (Place::Folder(dir), _) => dir,
        };
        match open::slots(dir, &self.boot, now).map_err(|trouble| self.failure(trouble)) {
            // Where no file can be shared, the window keeps to the allowance for itself. Any other trouble is told: two windows
            // that each believe to be alone would send twice what the key may.
            Err(StoreFailure::ReadOnly | StoreFailure::Full) => open::slots_in_memory(&self.boot, now),
            opened => Ok(opened?),
        }
    }

    /// Settles where requests are counted. Without a folder for the machine they are counted beside the money.
    fn find_counters(&mut self) {
        let Counters::Shared(named) = &self.counters else { return };
        self.counters = match runtime::folder(named.as_deref()) {
            // This window's lock in it is held already.
            Ok(folder) if !self.is_ledgers(&folder) => {
                self.counting = Some(Windows::of_folder(&folder, &self.window));
                Counters::Folder(folder)
            }
            _ => Counters::Beside,
        };
    }

    fn is_ledgers(&self, folder: &Path) -> bool {
        let Place::Folder(dir) = &self.place else { return false };
        matches!((dir.canonicalize(), folder.canonicalize()), (Ok(dir), Ok(folder)) if dir == folder)
    }
}

impl Ledger {
    /// The file, where it can be written.
    fn writable(&self) -> Option<&Connection> {
        if let Ledger::Open(db) = self { Some(db) } else { None }
    }
}

/// A number that grows with everything that this connection changes.
fn changes_of(db: Option<&Connection>) -> u64 {
    db.map_or(0, Connection::total_changes)
}

#[cfg(test)]
mod tests;
