//! Where the requests of a key are counted: for the whole machine where a folder for that is found, else beside the ledger,
//! and in memory where no file can be written.

use std::path::{Path, PathBuf};

use crate::system::runtime;
use lode_core::Now;
use lode_engine::effect::{StoreCall, StoreFailure, StoreReply};

use super::calls::allowance;
use super::trouble::Outcome;
use super::windows::seen_in;
use super::{Counters, Place, Shelf, Store, open, slots};

impl Store {
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

    /// Performs a call on the counters.
    pub(super) fn on_slots(&mut self, shelf: &mut Shelf, call: &StoreCall, now: Now) -> Outcome<StoreReply> {
        if shelf.slots.is_none() {
            self.find_counters();
            shelf.slots = Some(match &self.place {
                Place::Memory(_) => open::slots_in_memory(&self.boot, now)?,
                Place::Folder(dir) => {
                    let dir = if let Counters::Folder(shared) = &self.counters { shared } else { dir };
                    match open::slots(dir, &self.boot, now).map_err(|trouble| self.failure(trouble)) {
                        Ok(slots) => slots,
                        // Where no file can be shared, the window keeps to the allowance for itself. Any other trouble is told:
                        // two windows that each believe to be alone would send twice what the key may.
                        Err(StoreFailure::ReadOnly | StoreFailure::Full) => open::slots_in_memory(&self.boot, now)?,
                        Err(failure) => return Err(failure.into()),
                    }
                }
            });
        }
        self.ensure_windows();
        let windows = self.counting.as_ref().or(self.windows.as_ref());
        let (Some(slots), Some(windows)) = (&mut shelf.slots, windows) else { unreachable!("both just opened") };
        let done = allowance(slots, windows, call, now);
        match done.map_err(|trouble| self.failure(trouble)) {
            // The disk filled up meanwhile. Searching goes on: this window keeps to what is written, and for itself from here.
            Err(StoreFailure::Full | StoreFailure::ReadOnly) => {
                let mut alone = open::slots_in_memory(&self.boot, now)?;
                slots::copy(slots, &mut alone)?;
                allowance(shelf.slots.insert(alone), windows, call, now)
            }
            done => Ok(done?),
        }
    }

    fn is_ledgers(&self, folder: &Path) -> bool {
        let Place::Folder(dir) = &self.place else { return false };
        matches!((dir.canonicalize(), folder.canonicalize()), (Ok(dir), Ok(folder)) if dir == folder)
    }

    /// Settles where requests are counted. Without a folder for the machine they are counted beside the money.
    fn find_counters(&mut self) {
        let Counters::Shared(named) = &self.counters else { return };
        self.counters = match runtime::folder(named.as_deref()) {
            // This window's lock in it is held already.
            Ok(folder) if self.is_ledgers(&folder) => Counters::Beside,
            Ok(folder) => {
                self.counting = Some(seen_in(&folder, &self.window));
                Counters::Folder(folder)
            }
            Err(_) => Counters::Beside,
        };
    }
}
