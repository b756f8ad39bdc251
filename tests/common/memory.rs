//! Stores whose records are in memory.

use std::cell::Cell;

use lode_engine::effect::WindowId;
use lode_host::store::Store;
use tempfile::TempDir;

/// A store for the tests of one thread, which removes its files at its end.
pub fn store(window: WindowId) -> Store {
    thread_local! {
        static FOLDER: TempDir = crate::folder();
        static MADE: Cell<u64> = const { Cell::new(0) };
    }
    let number = MADE.replace(MADE.get() + 1);
    FOLDER.with(|folder| Store::open_in_memory(&folder.path().join(number.to_string()), window))
}
