//! The basket of each purse and side, and the suppression lists.

use rusqlite::{Connection, params};

use lode_core::{RowId, Side, Staged, StagedFields};
use lode_engine::effect::{BasketState, StoreReply, SuppressEntry, Suppression};

use super::codes::{ReadClue, ReadCorpus, ReadSource, clue_text, ids_of, side_codes};
use super::purses::numbers;
use super::trouble::Outcome;

pub(super) fn version(books: &Connection, purse: i64, side: Side) -> Outcome<u64> {
    let (source, corpus) = side_codes(side);
    let mut query =
        books.prepare_cached("SELECT version FROM basket_version WHERE purse = ?1 AND source = ?2 AND corpus = ?3")?;
    let mut rows = query.query(params![purse, source, corpus])?;
    Ok(match rows.next()? {
        Some(row) => row.get::<_, i64>(0)?.unsigned_abs(),
        None => 0,
    })
}

fn grow_version(books: &Connection, purse: i64, side: Side) -> Outcome<()> {
    let (source, corpus) = side_codes(side);
    books
        .prepare_cached(
            "INSERT INTO basket_version (purse, source, corpus, version) VALUES (?1, ?2, ?3, 1)
             ON CONFLICT DO UPDATE SET version = version + 1",
        )?
        .execute(params![purse, source, corpus])?;
    Ok(())
}

pub(super) fn read(books: &Connection, purse: i64, side: Side) -> Outcome<StoreReply> {
    let (source, corpus) = side_codes(side);
    let version = version(books, purse, side)?;
    let mut query = books.prepare_cached(
        "SELECT id, ours, email, phone, name, company, email_status, clue, row FROM basket
         WHERE purse = ?1 AND source = ?2 AND corpus = ?3 ORDER BY place",
    )?;
    let rows = query.query_map(params![purse, source, corpus], staged)?;
    let rows = rows.collect::<Result<_, _>>()?;
    Ok(StoreReply::Basket(BasketState { version, rows }))
}

/// Rows of one part: two megabytes.
const PART: usize = 2_000;

pub(super) fn read_part(books: &Connection, purse: i64, side: Side, behind: u64) -> Outcome<StoreReply> {
    let (source, corpus) = side_codes(side);
    let version = version(books, purse, side)?;
    // The sign keeps it from finding the rows by purse: it would put the whole basket into order for each part.
    let mut query = books.prepare_cached(
        "SELECT id, ours, email, phone, name, company, email_status, clue, row, place FROM basket
         WHERE +purse = ?1 AND source = ?2 AND corpus = ?3 AND place > ?4 ORDER BY place LIMIT ?5",
    )?;
    let behind = i64::try_from(behind).unwrap_or(i64::MAX);
    let mut found = query.query(params![purse, source, corpus, behind, PART as i64])?;
    let mut rows = Vec::new();
    let mut last = 0;
    while let Some(row) = found.next()? {
        rows.push(staged(row)?);
        last = row.get::<_, i64>(9)?.unsigned_abs();
    }
    let next = (rows.len() == PART).then_some(last);
    Ok(StoreReply::BasketPart(BasketState { version, rows }, next))
}

fn staged(row: &rusqlite::Row<'_>) -> rusqlite::Result<Staged> {
    let about = StagedFields {
        email: row.get(2)?,
        phone: row.get(3)?,
        name: row.get(4)?,
        company: row.get(5)?,
        email_status: row.get(6)?,
        clue: row.get::<_, ReadClue>(7)?.0,
        row: row.get(8)?,
    };
    Ok(Staged::new(RowId(row.get(0)?), row.get(1)?, about))
}

/// An id that is staged already keeps its place and takes the newer facts.
pub(super) fn stage(books: &Connection, purse: i64, side: Side, rows: &[Staged]) -> Outcome<StoreReply> {
    let (source, corpus) = side_codes(side);
    let mut insert = books.prepare_cached(
        "INSERT INTO basket (purse, source, corpus, id, ours, email, phone, name, company, email_status, clue, row)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (purse, source, corpus, id) DO UPDATE SET ours = excluded.ours, email = excluded.email,
         phone = excluded.phone, name = excluded.name, company = excluded.company,
         email_status = excluded.email_status, clue = excluded.clue, row = excluded.row",
    )?;
    for staged in rows {
        insert.execute(params![
            purse,
            source,
            corpus,
            staged.id.0,
            staged.owned,
            staged.email,
            staged.phone,
            staged.name,
            staged.company,
            staged.email_status,
            clue_text(&staged.clue),
            staged.row
        ])?;
    }
    if !rows.is_empty() {
        grow_version(books, purse, side)?;
    }
    Ok(StoreReply::BasketVersion(version(books, purse, side)?))
}

pub(super) fn unstage(books: &Connection, purse: i64, side: Side, ids: &[RowId]) -> Outcome<StoreReply> {
    if take_out(books, purse, side, ids)? > 0 {
        grow_version(books, purse, side)?;
    }
    Ok(StoreReply::BasketVersion(version(books, purse, side)?))
}

fn take_out(books: &Connection, purse: i64, side: Side, ids: &[RowId]) -> Outcome<usize> {
    let (source, corpus) = side_codes(side);
    let mut delete =
        books.prepare_cached("DELETE FROM basket WHERE purse = ?1 AND source = ?2 AND corpus = ?3 AND id = ?4")?;
    let mut taken = 0;
    for id in ids_of(ids) {
        taken += delete.execute(params![purse, source, corpus, id])?;
    }
    Ok(taken)
}

/// Takes settled ids out of the basket of their purse.
pub(super) fn settle(books: &Connection, purse: i64, side: Side, ids: &[RowId]) -> Outcome<()> {
    if take_out(books, purse, side, ids)? > 0 {
        grow_version(books, purse, side)?;
    }
    Ok(())
}

pub(super) fn all_staged(books: &Connection, purse: i64, side: Side, ids: &[RowId]) -> Outcome<bool> {
    let (source, corpus) = side_codes(side);
    let mut query =
        books.prepare_cached("SELECT 1 FROM basket WHERE purse = ?1 AND source = ?2 AND corpus = ?3 AND id = ?4")?;
    for id in ids_of(ids) {
        if !query.exists(params![purse, source, corpus, id])? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Two texts in one column. None of them holds a tab: they are scrubbed where they are read.
fn pair(one: &str, other: &str) -> String {
    if other.is_empty() { one.to_owned() } else { format!("{one}\t{other}") }
}

fn unpair(text: String) -> (String, String) {
    match text.split_once('\t') {
        Some((one, other)) => (one.to_owned(), other.to_owned()),
        None => (text, String::new()),
    }
}

pub(super) fn suppress(books: &Connection, purse: i64, list: &str, entries: &[SuppressEntry]) -> Outcome<StoreReply> {
    let mut insert = books.prepare_cached(
        "INSERT OR IGNORE INTO suppressed (purse, list, kind, value, source, corpus, id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for entry in entries {
        let (kind, value, (source, corpus), id) = coded(entry);
        insert.execute(params![purse, list, kind, value, source, corpus, id])?;
    }
    Ok(StoreReply::Done)
}

/// An entry as its row: kind, value, side and id.
fn coded(entry: &SuppressEntry) -> (i64, String, (i64, i64), i64) {
    let (kind, value, side, id) = match entry {
        SuppressEntry::Email { email, name } => (0, pair(email, name), Side::default(), 0),
        SuppressEntry::Domain(domain) => (1, domain.clone(), Side::default(), 0),
        SuppressEntry::Contact(side, id) => (2, String::new(), *side, id.0),
        SuppressEntry::ExactDomain(domain) => (3, domain.clone(), Side::default(), 0),
        SuppressEntry::Phone { digits, name } => (4, pair(digits, name), Side::default(), 0),
        SuppressEntry::Person { name, company } => (5, pair(name, company), Side::default(), 0),
    };
    (kind, value, side_codes(side), id)
}

/// Out of every one of these purses: where a list of this name stays, it would go on suppressing.
pub(super) fn remove_suppression(
    books: &Connection,
    purses: &[i64],
    list: &str,
    entries: Option<&[SuppressEntry]>,
) -> Outcome<StoreReply> {
    for purse in purses {
        let Some(entries) = entries else {
            books.execute("DELETE FROM suppressed WHERE purse = ?1 AND list = ?2", params![purse, list])?;
            continue;
        };
        let mut delete = books.prepare_cached(
            "DELETE FROM suppressed WHERE purse = ?1 AND list = ?2 AND kind = ?3 AND value = ?4 AND source = ?5
             AND corpus = ?6 AND id = ?7",
        )?;
        for entry in entries {
            let (kind, value, (source, corpus), id) = coded(entry);
            delete.execute(params![purse, list, kind, value, source, corpus, id])?;
        }
    }
    Ok(StoreReply::Done)
}

/// The lists of several purses; those of one name are one list.
pub(super) fn suppressions(books: &Connection, purses: &[i64]) -> Outcome<Vec<Suppression>> {
    let mut query = books.prepare_cached(
        "SELECT DISTINCT list, kind, value, source, corpus, id FROM suppressed
         WHERE purse IN (SELECT value FROM json_each(?1)) ORDER BY list, kind, suppressed.value, source, corpus, id",
    )?;
    let mut rows = query.query([numbers(purses)])?;
    let mut lists: Vec<Suppression> = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let entry = match row.get::<_, i64>(1)? {
            0 => {
                let (email, name) = unpair(row.get(2)?);
                SuppressEntry::Email { email, name }
            }
            1 => SuppressEntry::Domain(row.get(2)?),
            3 => SuppressEntry::ExactDomain(row.get(2)?),
            4 => {
                let (digits, name) = unpair(row.get(2)?);
                SuppressEntry::Phone { digits, name }
            }
            5 => {
                let (name, company) = unpair(row.get(2)?);
                SuppressEntry::Person { name, company }
            }
            _ => {
                let side = Side { source: row.get::<_, ReadSource>(3)?.0, corpus: row.get::<_, ReadCorpus>(4)?.0 };
                SuppressEntry::Contact(side, RowId(row.get(5)?))
            }
        };
        match lists.last_mut().filter(|last| last.list == name) {
            Some(last) => last.entries.push(entry),
            None => lists.push(Suppression { list: name, entries: vec![entry] }),
        }
    }
    Ok(lists)
}
