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
pub mod bell;
mod beside;
mod calls;
mod changes;
pub mod check;
mod codes;
mod counting;
mod history;
pub mod inspect;
mod intend;
mod jobs;
mod kept;
mod mark;
mod matching;
mod migrate;
mod open;
mod owned;
pub mod place;
mod proposals;
mod purses;
mod receipts;
mod revisions;
mod schema;
mod shelf;
mod slots;
mod spent;
pub mod stop;
mod told;
mod trouble;
mod windows;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use crate::{clock, failpoint};
use lode_core::{BatchId, Now};
use lode_engine::effect::{IntentRefused, NotGranted, StoreCall, StoreFailure, StoreReply, WindowId};

use answers::Answers;
use calls::{Mine, is_durable, is_read, read, write};
use schema::Shape;
use shelf::{Books, Counters, Place, Shelf};
use trouble::{Outcome, Trouble};
use windows::{Windows, seen_in};

/// What stands for the boot of a machine that is only memory.
const MEMORY: &str = "memory";

pub use answers::AnswerFile;
pub use mark::BOOKS;
pub use open::SLOTS;
pub use windows::fresh_window;

/// One window's hold on the state folder. Dropping it is what ending the window is.
#[derive(Debug)]
pub struct Store {
    place: Place,
    window: WindowId,
    /// Shared only between windows of one memory.
    shelf: Arc<Mutex<Shelf>>,
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

    fn of(place: Place, answers: Answers, boot: String, window: WindowId) -> Store {
        let shelf = Shelf { books: Books::Closed, slots: None, answers, bells: Default::default() };
        Store {
            place,
            window,
            shelf: Arc::new(Mutex::new(shelf)),
            windows: None,
            refused: None,
            for_assistant: false,
            counters: Counters::Beside,
            counting: None,
            boot,
            patience: open::PATIENCE,
        }
    }

    /// One from which nothing may be spent, if there is a reason.
    pub fn refusing(self, refused: Option<StoreFailure>) -> Store {
        Store { refused, ..self }
    }

    /// Counts requests for all state folders of this machine and user, in the folder `named` where there is one.
    pub fn counting_for_the_machine(self, named: Option<PathBuf>) -> Store {
        Store { counters: Counters::Shared(named), ..self }
    }

    pub fn window(&self) -> &WindowId {
        &self.window
    }

    /// Where the answer to one sending of a batch is kept.
    pub fn room(&self, batch: BatchId, sent: u32) -> Option<AnswerFile> {
        let shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        AnswerFile::of(&shelf.answers, batch, i64::from(sent))
    }

    /// Does one call. `now` is the moment it is done at, read after whatever caused it.
    pub fn perform(&mut self, call: StoreCall, now: Now) -> Result<StoreReply, StoreFailure> {
        let shelf = Arc::clone(&self.shelf);
        let mut shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
        self.perform_on(&mut shelf, call, now).map_err(|trouble| self.failure(trouble))
    }

    fn perform_on(&mut self, shelf: &mut Shelf, call: StoreCall, now: Now) -> Outcome<StoreReply> {
        match call {
            StoreCall::Reserve { .. }
            | StoreCall::Release { .. }
            | StoreCall::Pause { .. }
            | StoreCall::Gauge { .. } => {
                let before = bell::changes(shelf.slots.as_ref());
                let done = self.on_slots(shelf, &call, now);
                if bell::changes(shelf.slots.as_ref()) > before
                    && let Some((_, counters)) = self.folders()
                {
                    shelf.bells.ring(&counters, bell::OF_SLOTS);
                }
                done
            }
            call => {
                let before = bell::changes(shelf.books.written());
                let done = self.on_books(shelf, &call, now);
                if bell::changes(shelf.books.written()) > before
                    && let Place::Folder(dir) = &self.place
                {
                    shelf.bells.ring(dir, bell::OF_BOOKS);
                    if matches!(call, StoreCall::Propose(_) | StoreCall::Answer { .. }) {
                        shelf.bells.ring(dir, bell::OF_PROPOSALS);
                    }
                }
                done
            }
        }
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
        if self.windows.is_some() {
            return;
        }
        self.windows = Some(match &self.place {
            Place::Memory(living) => Windows::in_memory(Arc::clone(living), &self.window),
            Place::Folder(dir) => seen_in(dir, &self.window),
        });
    }

    fn open_books(&mut self, shelf: &mut Shelf, writes: bool) -> Outcome<()> {
        let retry = matches!(shelf.books, Books::Degraded(..)) && writes;
        if !retry && !matches!(shelf.books, Books::Closed) {
            return Ok(());
        }
        shelf.books = match &self.place {
            Place::Memory(_) => Books::Open(open::memory()?),
            Place::Folder(dir) => match self.open_folder(dir) {
                Ok(books) => Books::Open(books),
                Err(trouble) => match self.failure(trouble) {
                    failure @ (StoreFailure::ReadOnly | StoreFailure::Full) => {
                        let books = open::books_read_only(dir).or_else(|_| open::memory())?;
                        Books::Degraded(books, failure)
                    }
                    // An older one can be read. One that is gone is not an empty one.
                    failure @ StoreFailure::Lost(_) => match open::books_read_only(dir) {
                        Ok(books) => Books::Degraded(books, failure),
                        Err(_) => Books::Unusable(failure),
                    },
                    // Another process may let go of it: the next call asks again.
                    failure @ StoreFailure::Locked => return Err(failure.into()),
                    failure => Books::Unusable(failure),
                },
            },
        };
        // What could not be taken before may be taken now.
        self.windows = self.windows.take().filter(Windows::are_seen);
        Ok(())
    }

    fn open_folder(&self, dir: &Path) -> Outcome<Connection> {
        match &self.refused {
            Some(failure) => Err(failure.clone().into()),
            None => open::books(dir, &Shape::current(), self.patience),
        }
    }

    fn on_books(&mut self, shelf: &mut Shelf, call: &StoreCall, now: Now) -> Outcome<StoreReply> {
        let reads = is_read(call);
        self.open_books(shelf, !reads)?;
        self.ensure_windows();
        let windows = self.windows.as_ref().unwrap_or_else(|| unreachable!("just opened"));
        let mine = Mine { window: &self.window, windows, boot: &self.boot };
        let books = match &mut shelf.books {
            Books::Open(books) => {
                if let StoreCall::OpenBatches { purse } = call {
                    let tx = books.transaction_with_behavior(TransactionBehavior::Immediate)?;
                    batches::find_orphans(&tx, &mine.of(purse), now)?;
                    // Room that cannot be given back now is given back another time.
                    let _ = batches::sweep_rooms(&tx, &mut shelf.answers);
                    tx.commit()?;
                }
                books
            }
            Books::Degraded(books, _) if reads => books,
            Books::Degraded(_, failure) | Books::Unusable(failure) => return Err(failure.clone().into()),
            Books::Closed => unreachable!("just opened"),
        };
        if let StoreCall::Intend(intent) = call {
            failpoint::asserting("intend");
            if !windows.are_seen() {
                return Err(StoreFailure::ReadOnly.into());
            }
            if self.for_assistant && intent.grant.is_none() {
                return Ok(StoreReply::IntentRefused(IntentRefused::NotGranted(NotGranted::NoSuch)));
            }
        }
        if reads {
            let tx = books.transaction()?;
            return read(&tx, &shelf.answers, &mine, call, now);
        }
        // What can be found out again is not worth waiting for the disk: a crash of lode loses none of it, a power cut may.
        // The next durable call takes it along.
        let durable = is_durable(call);
        if durable {
            open::write_back_on_close(books)?;
        } else {
            books.execute_batch("PRAGMA synchronous = NORMAL")?;
        }
        let done = write(books, &mut shelf.answers, &mine, call, now);
        if let (Ok(StoreReply::Intended(_)), Place::Folder(dir)) = (&done, &self.place) {
            // Before it is sent: a ledger that loses this batch is missed from here on.
            mark::raise(dir, mark::Mark::of(books)?)?;
        }
        if !durable {
            books.execute_batch("PRAGMA synchronous = FULL")?;
        }
        done
    }
}

#[cfg(test)]
mod tests;
