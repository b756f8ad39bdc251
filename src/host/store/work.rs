//! The context of a store call.

use std::ops::Deref;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use lode_core::Now;
use lode_engine::effect::WindowId;

use super::answers::Answers;
use super::changes::raise;
use super::trouble::Outcome;
use super::windows::Windows;

/// The file, inside the call's transaction, and who performs the call when.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub db: &'a Connection,
    pub answers: &'a Answers,
    pub window: &'a WindowId,
    pub windows: &'a Windows,
    /// Which start of the machine its clock counts from.
    pub boot: &'a str,
    pub now: Now,
}

impl Work<'_> {
    /// Whether another window than this one lives under that name.
    pub(super) fn lives_elsewhere(&self, window: &WindowId) -> bool {
        window != self.window && self.windows.lives(window)
    }

    /// Runs what writes, whole or not at all. `changes` are the kinds of records that it changes.
    pub(super) fn write<T>(&self, changes: &[&str], run: impl FnOnce(&Work<'_>) -> Outcome<T>) -> Outcome<T> {
        let tx = Transaction::new_unchecked(self, TransactionBehavior::Immediate)?;
        let done = run(self)?;
        changes.iter().try_for_each(|kind| raise(self, kind))?;
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
