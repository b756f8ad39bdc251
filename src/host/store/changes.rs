//! Tells windows about changes of others: revisions in the shared records, and one byte in a file that is written once a
//! change can be read.
//!
//! The files of SQLite are written before their change can be read, and not when it can: watching them tells too early.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::path::Path;

use rusqlite::Connection;

use crate::system::files::{open_private, write_at};
use lode_engine::effect::Changes;

use super::sql::Sql;
use super::trouble::Outcome;

/// Written when something in the ledger changed.
pub const OF_LEDGER: &str = "lode.changed";
/// Written when requests were counted.
pub const OF_SLOTS: &str = "rate.changed";
/// Written when something begins or stops waiting for a person.
pub const OF_PROPOSALS: &str = "proposals.changed";

/// The files that were written so far, open.
#[derive(Debug, Default)]
pub(super) struct Notifier(BTreeMap<&'static str, File>);

impl Notifier {
    /// Wakes all windows that watch the folder. Others look before spending anyway.
    pub(super) fn notify(&mut self, folder: &Path, name: &'static str) {
        if !self.0.contains_key(name) {
            let file = open_private(OpenOptions::new().create(true).write(true), &folder.join(name));
            self.0.extend(file.ok().map(|file| (name, file)));
        }
        if let Some(file) = self.0.get(name) {
            let _ = write_at(file, b".", 0);
        }
    }
}

/// Kinds of records of which it is counted how often any window changed them.
pub(super) const OWNED: &str = "owned";
pub(super) const MONEY: &str = "money";
pub(super) const LISTS: &str = "lists";
pub(super) const JOBS: &str = "jobs";

/// How often a kind of records was changed.
pub(super) fn revision(db: &Connection, kind: &str) -> Outcome<u64> {
    Ok(db.find("SELECT number FROM revision WHERE kind = ?1", [kind])?.unwrap_or(0))
}

/// Writes down that records of this kind were changed.
pub(super) fn raise(db: &Connection, kind: &str) -> Outcome<()> {
    db.run("INSERT INTO revision (kind, number) VALUES (?1, 1) ON CONFLICT DO UPDATE SET number = number + 1", [kind])
}

/// The revisions, and the last balance of a purse.
pub(super) fn read(db: &Connection, purse: Option<i64>) -> Outcome<Changes> {
    // In memory all windows share one connection: then every change counts as that of another window.
    let in_file = db.path().is_some_and(|path| !path.is_empty());
    let stamp = if in_file { "PRAGMA data_version" } else { "SELECT total_changes()" };
    let balance = db.find(
        "SELECT s.balance, s.at FROM settlement s JOIN orders o ON o.id = s.order_id
         WHERE o.purse = ?1 AND s.balance IS NOT NULL ORDER BY s.seq DESC LIMIT 1",
        [purse],
    )?;
    let mut changes = Changes { stamp: db.query_row(stamp, [], |row| row.get(0))?, balance, ..Changes::default() };
    for (kind, number) in db.list::<(String, u64)>("SELECT kind, number FROM revision", [])? {
        match kind.as_str() {
            OWNED => changes.owned = number,
            MONEY => changes.money = number,
            LISTS => changes.lists = number,
            JOBS => changes.jobs = number,
            _ => {}
        }
    }
    Ok(changes)
}
