//! Stores whose records are in memory.

use std::cell::Cell;
use std::path::Path;

use lode_engine::effect::WindowId;
use lode_host::store::Store;
use tempfile::TempDir;

/// A folder in memory, where the system has a place for one: no test of a simulation should wait for a disk.
pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    tempfile::tempdir_in(place).expect("a folder can be made")
}

/// A store for the tests of one thread, which removes its files at its end.
pub fn store(window: WindowId) -> Store {
    thread_local! {
        static FOLDER: TempDir = folder();
        static MADE: Cell<u64> = const { Cell::new(0) };
    }
    let number = MADE.replace(MADE.get() + 1);
    FOLDER.with(|folder| Store::open_in_memory(&folder.path().join(number.to_string()), window))
}
