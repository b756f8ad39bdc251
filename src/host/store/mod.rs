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
pub mod check;
mod history;
mod intend;
mod mark;
mod open;
mod owned;
pub mod place;
mod proposals;
mod purses;
mod slots;
mod spent;
mod sql;
pub mod stop;
mod windows;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::{Debug, Display};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Params, Row, Statement, ToSql, Transaction,
    TransactionBehavior, config::DbConfig, params, params_from_iter,
};
use serde::Serialize;

use crate::files::{atomic::folder_of, atomic::write_whole, if_there, locked};
use crate::system::files::{make_private_dir, open_private, room, sync_folder, take_room, write_at};
use crate::{clock, failpoint, system::folders};
use lode_core::{
    Account, BatchId, Clue, Contact, Corpus, Credits, Mono, Now, OrderId, Origin, Outcome as Became, Owned, Purse,
    PurseOwner, PurseRef, Query, RowId, Rows, SeenOwned, Side, Source, Staged, StagedFields, SuppressEntry,
    Suppression, Tally, Verification, Wall, agree, capital, contacts, counted, grouped, ids, put_back, scrub,
};
use lode_engine::effect::*;
use lode_engine::wire::rows;

use self::sql::{
    Coded, Column, Columns, Outcome, Sql, Trouble, amount, clue_text, count, ids_text, json, record, side_codes,
};
use self::windows::{MONEY, Notifier, OWNED, Windows};
use self::{answers::Answers, open::Shape};

pub use answers::AnswerFile;
pub use mark::LEDGER_FILE;
pub use open::SLOTS;
pub use windows::{OF_LEDGER, OF_PROPOSALS, OF_SLOTS, fresh_window};

/// What a store holds while it is open.
struct Files {
    ledger: Ledger,
    slots: Option<Connection>,
    answers: Answers,
    notifier: Notifier,
}

impl Files {
    /// Numbers that grow with everything that this process changes in the ledger and in the slots.
    fn changes(&self) -> [u64; 2] {
        let ledger = if let Ledger::Open(db) = &self.ledger { Some(db) } else { None };
        [ledger, self.slots.as_ref()].map(|db| db.map_or(0, Connection::total_changes))
    }
}

enum Ledger {
    Closed,
    Open(Connection),
    /// Nothing can be written: reads are served from the file as it is, or from an empty one where it cannot be read.
    ReadOnly(Connection, StoreFailure),
    /// The file is there and cannot be trusted: nothing is read from it and nothing is put in its place.
    Unusable(StoreFailure),
}

/// One window's hold on the state folder. Dropping it is what ending the window is.
pub struct Store {
    dir: PathBuf,
    window: WindowId,
    /// The records are in memory, shared by the windows that are opened beside this one.
    in_memory: bool,
    files: Arc<Mutex<Files>>,
    windows: Option<Windows>,
    /// Why nothing may be written, whatever the file says.
    refused: Option<StoreFailure>,
    /// It writes no intent without a grant.
    for_assistant: bool,
    /// Where requests are counted, if not beside the ledger.
    counters: Option<PathBuf>,
    /// The windows that count there.
    counting: Option<Windows>,
    /// Which start of the machine its clock counts from.
    boot: String,
    /// How long it waits for another window's transaction.
    patience: Duration,
}

impl Store {
    /// The store of a folder. Nothing is touched before the first call.
    pub fn open(dir: &Path, window: WindowId) -> Store {
        let answers = Answers::beside_ledger(dir);
        let files = Files { ledger: Ledger::Closed, slots: None, answers, notifier: Notifier::default() };
        Store {
            dir: dir.to_owned(),
            window,
            in_memory: false,
            files: Arc::new(Mutex::new(files)),
            windows: None,
            refused: None,
            for_assistant: false,
            counters: None,
            counting: None,
            boot: clock::boot(),
            patience: open::PATIENCE,
        }
    }

    /// A store for tests: its records live as long as its last window, its other files are in the folder.
    pub fn open_in_memory(dir: &Path, window: WindowId) -> Store {
        // What stands for the boot of a machine that is only memory.
        Store { in_memory: true, boot: "memory".to_owned(), ..Store::open(dir, window) }
    }

    /// Another window on the same state, as another process would open it.
    pub fn beside(&self, window: WindowId) -> Store {
        let (counters, boot) = (self.counters.clone(), self.boot.clone());
        let mut beside = Store { in_memory: self.in_memory, counters, boot, ..Store::open(&self.dir, window) };
        if self.in_memory {
            beside.files = Arc::clone(&self.files);
        }
        beside
    }

    /// One from which nothing may be spent, if there is a reason.
    pub fn refusing(self, refused: Option<StoreFailure>) -> Store {
        Store { refused, ..self }
    }

    /// One for an assistant: it writes no intent that rests on no proposal.
    pub fn for_assistant(self) -> Store {
        Store { for_assistant: true, ..self }
    }

    /// Counts requests for all state folders of this machine and user, in the folder `named` where there is one. If no folder
    /// serves for that, they are counted beside the ledger.
    pub fn counting_for_the_machine(self, named: Option<&Path>) -> Store {
        // In the ledger's own folder the lock of this window is held already.
        let real = |folder: &Path| folder.canonicalize().ok();
        let is_ledgers = |folder: &PathBuf| real(&self.dir).is_some_and(|dir| real(folder) == Some(dir));
        let counters = folders::runtime(named).ok().filter(|folder| !is_ledgers(folder));
        Store { counters, ..self }
    }

    pub fn window(&self) -> &WindowId {
        &self.window
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the answer to one sending of a batch is kept.
    pub fn answer_file(&self, batch: BatchId, sent: u32) -> AnswerFile {
        self.files().answers.file(batch, i64::from(sent))
    }

    /// The ledger as one SQLite file, where it is open.
    pub fn image(&self) -> Option<Vec<u8>> {
        let Ledger::Open(db) = &mut self.files().ledger else { return None };
        Some(db.serialize("main").ok()?.to_vec())
    }

    /// The folder of the records, and the one where requests are counted: what others write there concerns this window.
    pub fn folders(&self) -> (&Path, &Path) {
        (&self.dir, self.counters.as_ref().unwrap_or(&self.dir))
    }

    /// Does one call. `now` is the moment it is done at, read after whatever caused it.
    pub fn perform(&mut self, call: StoreCall, now: Now) -> Result<StoreReply, StoreFailure> {
        let files = Arc::clone(&self.files);
        let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
        let before = files.changes();
        let done = calls::perform(&mut Performing { store: self, files: &mut files, now }, &call);
        let after = if self.in_memory { before } else { files.changes() };
        let (dir, counters) = self.folders();
        if after[0] > before[0] {
            files.notifier.notify(dir, OF_LEDGER);
            if matches!(call, StoreCall::Propose(_) | StoreCall::Answer { .. }) {
                files.notifier.notify(dir, OF_PROPOSALS);
            }
        }
        if after[1] > before[1] {
            files.notifier.notify(counters, OF_SLOTS);
        }
        done.map_err(|trouble| self.failure(trouble))
    }

    fn failure(&self, trouble: Trouble) -> StoreFailure {
        sql::in_folder(trouble, &self.dir)
    }

    /// The lock that says this window lives. Where it cannot be taken the window sees the others without being seen, and can
    /// spend nothing.
    fn ensure_windows(&mut self) {
        self.windows.get_or_insert_with(|| Windows::of_folder(&self.dir, &self.window));
    }

    fn open_ledger(&mut self, files: &mut Files, writes: bool) -> Outcome<()> {
        let retry = matches!(files.ledger, Ledger::ReadOnly(..)) && writes;
        if !retry && !matches!(files.ledger, Ledger::Closed) {
            return Ok(());
        }
        if self.in_memory {
            files.ledger = Ledger::Open(open::memory()?);
            return Ok(());
        }
        let dir = &self.dir;
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

    fn open_slots(&mut self, now: Now) -> Outcome<Connection> {
        if self.in_memory {
            return open::slots_in_memory(&self.boot, now);
        }
        // A lock that an earlier try took is kept: this window would wait for itself.
        if !self.counting.as_ref().is_some_and(Windows::are_seen) {
            self.counting = self.counters.as_ref().map(|folder| Windows::of_folder(folder, &self.window));
        }
        let dir = self.counters.as_ref().unwrap_or(&self.dir);
        match open::slots(dir, &self.boot, now).map_err(|trouble| self.failure(trouble)) {
            // Where no file can be shared, the window keeps to the allowance for itself. Any other trouble is told: two windows
            // that each believe to be alone would send twice what the key may.
            Err(StoreFailure::ReadOnly | StoreFailure::Full) => open::slots_in_memory(&self.boot, now),
            opened => Ok(opened?),
        }
    }
}

/// The file, inside the call's transaction, and who performs the call when.
#[derive(Clone, Copy)]
struct Work<'a> {
    db: &'a Connection,
    pub answers: &'a Answers,
    pub window: &'a WindowId,
    pub windows: &'a Windows,
    /// Which start of the machine its clock counts from.
    pub boot: &'a str,
    pub now: Now,
}

impl Work<'_> {
    /// Whether another window than this one lives under that name.
    fn lives_elsewhere(&self, window: &WindowId) -> bool {
        window != self.window && self.windows.lives(window)
    }

    /// Runs what writes, whole or not at all. `kinds` are those of the records that it changes.
    fn write<T>(&self, kinds: &[&str], run: impl FnOnce(&Work<'_>) -> Outcome<T>) -> Outcome<T> {
        let tx = Transaction::new_unchecked(self, TransactionBehavior::Immediate)?;
        let done = run(self)?;
        kinds.iter().try_for_each(|kind| windows::raise(self, kind))?;
        tx.commit()?;
        Ok(done)
    }
}

impl Deref for Work<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db
    }
}

/// What came of a call.
type Performed = Outcome<StoreReply>;

/// A call that is being done: what it is done with, and the ways in which it can be done.
struct Performing<'s> {
    store: &'s mut Store,
    files: &'s mut Files,
    now: Now,
}

impl Performing<'_> {
    /// The ledger, opened. Fails where the call `writes` and nothing can be written.
    fn ledger(&mut self, writes: bool) -> Outcome<Work<'_>> {
        self.store.open_ledger(self.files, writes)?;
        self.store.ensure_windows();
        let db = match &self.files.ledger {
            Ledger::Open(db) => db,
            Ledger::ReadOnly(db, _) if !writes => db,
            Ledger::ReadOnly(_, failure) | Ledger::Unusable(failure) => return Err(failure.clone().into()),
            Ledger::Closed => unreachable!("just opened"),
        };
        self.work(db, self.store.windows.as_ref())
    }

    fn work<'w>(&'w self, db: &'w Connection, windows: Option<&'w Windows>) -> Outcome<Work<'w>> {
        // A call that failed may have left its transaction open: what it wrote would become part of this one.
        if !db.is_autocommit() {
            db.execute_batch("ROLLBACK")?;
        }
        let windows = windows.unwrap_or_else(|| unreachable!("just opened"));
        let Store { window, boot, .. } = &*self.store;
        Ok(Work { db, answers: &self.files.answers, window, windows, boot, now: self.now })
    }

    /// Reads in one transaction.
    fn reads<T: StoreAnswer>(&mut self, run: impl FnOnce(&Work<'_>) -> Outcome<T>) -> Performed {
        let on = self.ledger(false)?;
        let _tx = on.unchecked_transaction()?;
        run(&on).map(Into::into)
    }

    /// Writes, whole or not at all, and is on the disk when it is answered. `kinds` are those of the records that it changes.
    fn writes<T: Into<StoreReply>>(&mut self, kinds: &[&str], run: impl FnOnce(&Work<'_>) -> Outcome<T>) -> Performed {
        let on = self.ledger(true)?;
        open::write_durably(&on)?;
        on.write(kinds, run).map(Into::into)
    }

    /// The same for owned contacts: other windows read them again.
    fn owns(&mut self, run: impl FnOnce(&Work<'_>) -> Outcome<()>) -> Performed {
        self.writes(&[OWNED], run)
    }

    /// Writes what can be found out again: that is not worth waiting for the disk. A crash of lode loses none of it, a power cut
    /// may. The next durable call takes it along.
    fn writes_passing(&mut self, kinds: &[&str], run: impl FnOnce(&Work<'_>) -> Outcome<()>) -> Performed {
        let on = self.ledger(true)?;
        open::write_in_passing(&on)?;
        on.write(kinds, run).map(Into::into)
    }

    /// Writes what becomes of a batch. If no answer to it waits any more, their files go.
    fn settles(&mut self, batch: BatchId, kinds: &[&str], run: impl FnOnce(&Work<'_>) -> Performed) -> Performed {
        let done = self.writes(kinds, run)?;
        let on = self.ledger(true)?;
        // Only now, with the answers in the state file for good, may their own files go. The call has succeeded even if that fails.
        if batches::is_filed(&on, on.answers, batch).unwrap_or(false) {
            on.answers.release(batch);
        }
        Ok(done)
    }

    /// Money rule 2, *intent before send*.
    fn intend(&mut self, intent: &BatchIntent) -> Performed {
        let for_assistant = self.store.for_assistant;
        let on = self.ledger(true)?;
        failpoint::asserting("intend");
        if !on.windows.are_seen() {
            return Err(StoreFailure::ReadOnly.into());
        }
        if for_assistant && intent.grant.is_none() {
            return Ok(StoreReply::IntentRefused(IntentRefused::NotGranted(NotGranted::NoSuch)));
        }
        let done = self.writes(&[MONEY], |on| intend::intend(on, intent))?;
        if let (StoreReply::Intended(_), Ledger::Open(db), false) = (&done, &self.files.ledger, self.store.in_memory) {
            // Before it is sent: a ledger that loses this batch is missed from here on.
            mark::raise(&self.store.dir, mark::Mark::of(db)?)?;
        }
        Ok(done)
    }

    /// What can be found out about open batches without a request is written down, where anything can be written.
    fn tidy_open_batches(&mut self, purse: &Purse) -> Outcome<()> {
        self.ledger(false)?;
        if !matches!(self.files.ledger, Ledger::Open(_)) {
            return Ok(());
        }
        let on = self.ledger(true)?;
        open::write_durably(&on)?;
        on.write(&[], |on| {
            batches::find_orphans(on, purse)?;
            // Room that cannot be given back now is given back another time.
            let _ = batches::release_unused(on);
            Ok(())
        })
    }

    /// Counts requests, in the file of the slots.
    fn counts<T: Into<StoreReply>>(&mut self, run: impl Fn(&Work<'_>) -> Outcome<T>) -> Performed {
        if self.files.slots.is_none() {
            self.files.slots = Some(self.store.open_slots(self.now)?);
        }
        self.store.ensure_windows();
        let windows = self.store.counting.as_ref().or(self.store.windows.as_ref());
        let slots = self.files.slots.as_ref().unwrap_or_else(|| unreachable!("just opened"));
        let on = self.work(slots, windows)?;
        match run(&on).map_err(|trouble| self.store.failure(trouble)) {
            // The disk filled up meanwhile. Searching goes on: this window keeps to what is written, and for itself from here.
            Err(StoreFailure::Full | StoreFailure::ReadOnly) => {
                let alone = open::slots_in_memory(&self.store.boot, self.now)?;
                slots::copy(slots, &alone)?;
                let done = run(&Work { db: &alone, ..on });
                self.files.slots = Some(alone);
                done.map(Into::into)
            }
            done => Ok(done?.into()),
        }
    }
}

#[cfg(test)]
mod damaged;
#[cfg(test)]
mod interrupted;
#[cfg(test)]
mod steps;
#[cfg(test)]
mod tests;
