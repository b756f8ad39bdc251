//! A look at the state folder from outside, for `lode doctor`: nothing is made, converted or repaired.

use std::fs;
use std::path::Path;

use lode_engine::effect::StoreFailure;

use super::mark::BOOKS;
use super::open::{SLOTS, look_at};
use super::trouble::Trouble;
use super::{schema, windows};

/// What is in a state folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// None where there is no state file yet.
    pub books: Option<BooksState>,
    /// Windows that run now.
    pub windows: usize,
    /// Copies of older state files that were made before a migration.
    pub backups: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BooksState {
    pub version: i64,
    pub bytes: u64,
    /// Contacts in unlock calls whose outcome is open.
    pub open: u64,
    /// How far the last booking lies ahead of the wall clock, in milliseconds: a clock that was set back.
    pub ahead_ms: i64,
}

/// Looks. A file that is damaged is told, not touched.
pub fn inspect(dir: &Path, now_wall: i64) -> Result<Inspection, StoreFailure> {
    let mut found = Inspection { windows: windows::living(&dir.join("windows")), ..Inspection::default() };
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".sqlite3") && name != BOOKS && name != SLOTS {
            found.backups.push(name);
        }
    }
    found.backups.sort();
    let path = dir.join(BOOKS);
    if let Ok(about) = fs::metadata(&path) {
        found.books = Some(books(&path, about.len(), now_wall).map_err(StoreFailure::from)?);
    }
    Ok(found)
}

fn books(path: &Path, bytes: u64, now_wall: i64) -> Result<BooksState, Trouble> {
    let books = look_at(path)?;
    let version = schema::version(&books)?;
    if version > schema::Shape::current().version() {
        return Err(StoreFailure::Newer.into());
    }
    let sound: String = books.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if sound != "ok" {
        return Err(StoreFailure::Corrupt(sound).into());
    }
    if version == 0 {
        return Ok(BooksState { version, bytes, open: 0, ahead_ms: 0 });
    }
    let open: i64 = books.query_row("SELECT count(*) FROM open_contact", [], |row| row.get(0))?;
    let booked: Option<i64> = books.query_row("SELECT max(booked) FROM outcome", [], |row| row.get(0))?;
    let ahead_ms = booked.map_or(0, |booked| booked.saturating_sub(now_wall).max(0));
    Ok(BooksState { version, bytes, open: open.unsigned_abs(), ahead_ms })
}
