//! How often each kind of records was changed, by any window.

use rusqlite::{Connection, OptionalExtension};

use super::trouble::Outcome;

/// The kind of the suppression lists.
pub(super) const LISTS: &str = "lists";

/// How often a kind of records was changed.
pub(super) fn revision(books: &Connection, kind: &str) -> Outcome<u64> {
    let mut query = books.prepare_cached("SELECT number FROM revision WHERE kind = ?1")?;
    let number: Option<i64> = query.query_row([kind], |row| row.get(0)).optional()?;
    Ok(number.unwrap_or(0).unsigned_abs())
}

/// Writes down that records of this kind were changed.
pub(super) fn raise(books: &Connection, kind: &str) -> Outcome<()> {
    books
        .prepare_cached(
            "INSERT INTO revision (kind, number) VALUES (?1, 1) ON CONFLICT DO UPDATE SET number = number + 1",
        )?
        .execute([kind])?;
    Ok(())
}
