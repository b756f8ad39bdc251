//! What a call is done with.

use std::ops::Deref;

use rusqlite::Connection;

use lode_core::Now;
use lode_engine::effect::WindowId;

use super::answers::Answers;
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
}

impl Deref for Work<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db
    }
}
