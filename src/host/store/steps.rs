//! Interruptions for tests: SQLite asks after each of its steps whether to stop.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use rusqlite::Connection;

pub(super) const NEVER: i64 = i64::MAX;

thread_local! {
    /// How many steps are left until the next interruption, in a thread that has one in mind.
    static LEFT: RefCell<Option<Arc<AtomicI64>>> = const { RefCell::new(None) };
}

/// A connection that can be interrupted.
pub(super) fn watched(mut db: Connection) -> Connection {
    if let Some(left) = LEFT.with_borrow(Clone::clone) {
        db.progress_handler(1, Some(move || left.fetch_sub(1, SeqCst) == 1)).unwrap();
    }
    db
}

/// Does some work and interrupts it once, after a number of steps. Returns how many it took.
pub(super) fn within<T>(steps: i64, work: impl FnOnce() -> T) -> (i64, T) {
    let left = LEFT.with_borrow_mut(|left| Arc::clone(left.get_or_insert_with(|| Arc::new(AtomicI64::new(NEVER)))));
    left.store(steps, SeqCst);
    let done = work();
    (steps - left.swap(NEVER, SeqCst), done)
}
