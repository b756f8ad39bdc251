//! What other windows are woken by: one byte that is written in a folder once a change there can be read.
//!
//! The files of SQLite tell too early: they are written before their change can be read, and nothing is written when it can.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::path::Path;

use rusqlite::Connection;

use crate::system::files::{open_private, write_at};

/// Written when something in the ledger changed.
pub const OF_BOOKS: &str = "lode.changed";
/// Written when requests were counted.
pub const OF_SLOTS: &str = "rate.changed";

/// Written when something came to wait for a person, or waits no longer.
pub const OF_PROPOSALS: &str = "proposals.changed";

/// The files that were written so far, open.
#[derive(Debug, Default)]
pub(super) struct Bells(BTreeMap<&'static str, File>);

impl Bells {
    /// Tells all windows that watch the folder. Others look before spending anyway.
    pub(super) fn ring(&mut self, folder: &Path, name: &'static str) {
        if !self.0.contains_key(name) {
            let file = open_private(OpenOptions::new().create(true).write(true), &folder.join(name));
            self.0.extend(file.ok().map(|file| (name, file)));
        }
        if let Some(file) = self.0.get(name) {
            let _ = write_at(file, b".", 0);
        }
    }
}

/// A number that grows with everything that this connection changes.
pub(super) fn changes(connection: Option<&Connection>) -> u64 {
    connection.map_or(0, Connection::total_changes)
}
