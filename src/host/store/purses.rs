//! Purses in the ledger: the number that each has there, which one a reference means, and what it takes to put the rows of one
//! into another.

use rusqlite::{Connection, OptionalExtension, Row, params};

use lode_core::{KeyHash, Origin, Purse, PurseOwner, PurseRef, Source};
use lode_engine::effect::StoreReply;

use super::codes::source_code;
use super::revisions::{self, LISTS};
use super::trouble::Outcome;

const ORG: i64 = 0;
const DATA_KEY: i64 = 1;
const PROVISIONAL: i64 = 2;
const EARLIER: i64 = 3;

fn columns(purse: &Purse) -> (&str, i64, &str) {
    match &purse.owner {
        PurseOwner::Org(org) => (purse.origin.as_str(), ORG, org),
        PurseOwner::DataKey(key) => (purse.origin.as_str(), DATA_KEY, &key.0),
    }
}

/// A purse from its columns origin, kind and owner. None for one that is not certain.
pub(super) fn purse(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Purse>> {
    let origin = Origin::recorded(row.get(at)?);
    let owner: String = row.get(at + 2)?;
    Ok(match row.get::<_, i64>(at + 1)? {
        ORG => Some(Purse { origin, owner: PurseOwner::Org(owner) }),
        DATA_KEY => Some(Purse { origin, owner: PurseOwner::DataKey(KeyHash(owner)) }),
        _ => None,
    })
}

fn find(books: &Connection, columns: (&str, i64, &str)) -> Outcome<Option<i64>> {
    let mut query = books.prepare_cached("SELECT id FROM purse WHERE origin = ?1 AND kind = ?2 AND owner = ?3")?;
    Ok(query.query_row(columns, |row| row.get(0)).optional()?)
}

fn find_or_make(books: &Connection, columns: (&str, i64, &str)) -> Outcome<i64> {
    if let Some(known) = find(books, columns)? {
        return Ok(known);
    }
    books.execute("INSERT INTO purse (origin, kind, owner) VALUES (?1, ?2, ?3)", columns)?;
    Ok(books.last_insert_rowid())
}

/// The number of a purse, if anything was ever written for it.
pub(super) fn purse_number(books: &Connection, purse: &Purse) -> Outcome<Option<i64>> {
    find(books, columns(purse))
}

/// The number of a purse, given to it now if it has none.
pub(super) fn number_of_purse(books: &Connection, purse: &Purse) -> Outcome<i64> {
    find_or_make(books, columns(purse))
}

/// The number of what a reference means, if anything was ever written for it.
fn meant(books: &Connection, purse: &PurseRef) -> Outcome<Option<i64>> {
    match purse {
        PurseRef::Known(purse) => purse_number(books, purse),
        PurseRef::Behind { origin, key } => match behind(books, origin, key)? {
            Some(known) => Ok(Some(known)),
            None => find(books, (origin.as_str(), PROVISIONAL, &key.0)),
        },
        PurseRef::Earlier { profile } => find(books, ("", EARLIER, profile)),
    }
}

/// The number of what a reference means, given to it now if it has none.
pub(super) fn meant_or_new(books: &Connection, purse: &PurseRef) -> Outcome<i64> {
    match purse {
        PurseRef::Known(purse) => number_of_purse(books, purse),
        PurseRef::Behind { origin, key } => match behind(books, origin, key)? {
            Some(known) => Ok(known),
            None => find_or_make(books, (origin.as_str(), PROVISIONAL, &key.0)),
        },
        PurseRef::Earlier { profile } => find_or_make(books, ("", EARLIER, profile)),
    }
}

/// No purse has this number: where nothing was written, nothing is found.
const NONE: i64 = -1;

/// The number to read under.
pub(super) fn read_under(books: &Connection, purse: &PurseRef) -> Outcome<i64> {
    Ok(meant(books, purse)?.unwrap_or(NONE))
}

/// Several numbers as the parameter of `IN (SELECT value FROM json_each(…))`.
pub(super) fn numbers(purses: &[i64]) -> String {
    serde_json::to_string(purses).unwrap_or_default()
}

/// Those of several that anything was written for, none twice.
pub(super) fn all_meant(books: &Connection, purses: &[PurseRef]) -> Outcome<Vec<i64>> {
    let mut numbers = Vec::new();
    for purse in purses {
        if let Some(number) = meant(books, purse)?
            && !numbers.contains(&number)
        {
            numbers.push(number);
        }
    }
    Ok(numbers)
}

/// The purse that `/me` last named for a key.
pub(super) fn behind(books: &Connection, origin: &Origin, key: &KeyHash) -> Outcome<Option<i64>> {
    let mut query = books.prepare_cached("SELECT purse FROM known_key WHERE origin = ?1 AND key = ?2")?;
    Ok(query.query_row([origin.as_str(), &key.0], |row| row.get(0)).optional()?)
}

/// Moves what was put under a key before `/me` answered into the purse that it named.
pub(super) fn adopt_provisional(books: &Connection, key: &KeyHash, purse: &Purse) -> Outcome<()> {
    let to = number_of_purse(books, purse)?;
    let Some(from) = find(books, (purse.origin.as_str(), PROVISIONAL, &key.0))? else { return Ok(()) };
    for source in [Source::Workspace, Source::Data] {
        move_rows(books, from, to, source)?;
    }
    if move_lists(books, from, to)? > 0 {
        revisions::raise(books, LISTS)?;
    }
    for table in ["owned", "told", "label"] {
        books.execute(&format!("UPDATE OR IGNORE {table} SET purse = ?2 WHERE purse = ?1"), [from, to])?;
        books.execute(&format!("DELETE FROM {table} WHERE purse = ?1"), [from])?;
    }
    books.execute("DELETE FROM basket_version WHERE purse = ?1", [from])?;
    books.execute("DELETE FROM purse WHERE id = ?1", [from])?;
    Ok(())
}

/// Assigns the rows of an earlier version to a purse, as the user asked.
pub(super) fn assign(books: &Connection, profile: &str, purse: &Purse) -> Outcome<StoreReply> {
    let Some(from) = find(books, ("", EARLIER, profile))? else { return Ok(StoreReply::Assigned(0)) };
    let to = number_of_purse(books, purse)?;
    Ok(StoreReply::Assigned(move_rows(books, from, to, purse.source())?))
}

/// A profile got another name: what an earlier version kept under the old one goes along.
pub(super) fn rename_earlier(books: &Connection, from: &str, to: &str) -> Outcome<()> {
    let Some(number) = find(books, ("", EARLIER, from))? else { return Ok(()) };
    let Some(there) = find(books, ("", EARLIER, to))? else {
        books.execute("UPDATE purse SET owner = ?2 WHERE id = ?1", params![number, to])?;
        return Ok(());
    };
    for source in [Source::Workspace, Source::Data] {
        move_rows(books, number, there, source)?;
    }
    if move_lists(books, number, there)? > 0 { revisions::raise(books, LISTS) } else { Ok(()) }
}

/// Moves basket, history and snapshots of one source into another purse, which keeps what it has. Returns how many rows of the
/// basket were moved.
pub(super) fn move_rows(books: &Connection, from: i64, to: i64, source: Source) -> Outcome<u64> {
    let moved = params![from, to, source_code(source)];
    let of = params![from, source_code(source)];
    // A quote from either basket rests on another one now.
    books.execute(
        "INSERT INTO basket_version (purse, source, corpus, version)
         SELECT ?2, source, corpus, version FROM basket_version WHERE purse = ?1 AND source = ?3
         ON CONFLICT DO UPDATE SET version = version + 1",
        moved,
    )?;
    books.execute("UPDATE basket_version SET version = version + 1 WHERE purse = ?1 AND source = ?2", of)?;
    let rows = books.execute("UPDATE OR IGNORE basket SET purse = ?2 WHERE purse = ?1 AND source = ?3", moved)?;
    books.execute("DELETE FROM basket WHERE purse = ?1 AND source = ?2", of)?;
    // A search that both know keeps its pages under the one that stays.
    books.execute(
        "UPDATE OR IGNORE shown SET search = (SELECT t.id FROM search f JOIN search t
         ON t.canonical = f.canonical AND t.purse = ?2 WHERE f.id = shown.search)
         WHERE search IN (SELECT f.id FROM search f JOIN search t ON t.canonical = f.canonical AND t.purse = ?2
         WHERE f.purse = ?1 AND f.source = ?3)",
        moved,
    )?;
    books.execute("UPDATE OR IGNORE search SET purse = ?2 WHERE purse = ?1 AND source = ?3", moved)?;
    books.execute("DELETE FROM shown WHERE search IN (SELECT id FROM search WHERE purse = ?1 AND source = ?2)", of)?;
    books.execute("DELETE FROM search WHERE purse = ?1 AND source = ?2", of)?;
    books.execute("UPDATE OR REPLACE snapshot SET purse = ?2 WHERE purse = ?1", [from, to])?;
    Ok(rows as u64)
}

/// Returns how many entries were moved.
pub(super) fn move_lists(books: &Connection, from: i64, to: i64) -> Outcome<usize> {
    let moved = books.execute("UPDATE OR IGNORE suppressed SET purse = ?2 WHERE purse = ?1", [from, to])?;
    books.execute("DELETE FROM suppressed WHERE purse = ?1", [from])?;
    Ok(moved)
}
