//! What windows tell each other through the records they share: revisions, the last balance, the outcome of an unlock that
//! runs elsewhere, and the largest page of a service.

use rusqlite::{Connection, OptionalExtension, params};

use lode_core::{Corpus, Credits, Origin, Purse, RowId, Source, Wall};
use lode_engine::effect::{Changes, ContactStatus, StoreCall, StoreReply};

use super::batches::{self, Whose};
use super::codes::{corpus_code, count, source_code};
use super::owned;
use super::purses::purse_number;
use super::revisions::{LISTS, raise};
use super::trouble::Outcome;

/// Which kinds of records a call changes.
fn kinds(call: &StoreCall) -> &'static [&'static str] {
    match call {
        StoreCall::Settle(_) => &["owned", "money"],
        StoreCall::Own { .. }
        | StoreCall::Tag { .. }
        | StoreCall::Note { .. }
        | StoreCall::Forget { .. }
        | StoreCall::Know { .. } => &["owned"],
        StoreCall::Intend(_) | StoreCall::Lost { .. } | StoreCall::Withdraw { .. } | StoreCall::Sighted { .. } => {
            &["money"]
        }
        StoreCall::Suppress { .. } | StoreCall::RemoveSuppression { .. } => &[LISTS],
        StoreCall::NoteJob(_) => &["jobs"],
        _ => &[],
    }
}

/// Writes down that a call changed something.
pub(super) fn note(books: &Connection, call: &StoreCall) -> Outcome<()> {
    kinds(call).iter().try_for_each(|kind| raise(books, kind))
}

pub(super) fn read(books: &Connection, purse: Option<&Purse>) -> Outcome<StoreReply> {
    // In memory all windows share one connection: then every change counts as that of another window.
    let in_file = books.path().is_some_and(|path| !path.is_empty());
    let stamp = if in_file { "PRAGMA data_version" } else { "SELECT total_changes()" };
    let mut changes = Changes { stamp: books.query_row(stamp, [], |row| row.get(0))?, ..Changes::default() };
    let mut query = books.prepare_cached("SELECT kind, number FROM revision")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let number = row.get::<_, i64>(1)?.unsigned_abs();
        match row.get_ref(0)?.as_str().unwrap_or_default() {
            "owned" => changes.owned = number,
            "money" => changes.money = number,
            LISTS => changes.lists = number,
            "jobs" => changes.jobs = number,
            _ => {}
        }
    }
    let Some(purse) = purse else { return Ok(StoreReply::Changes(changes)) };
    let Some(purse) = purse_number(books, purse)? else { return Ok(StoreReply::Changes(changes)) };
    let mut query = books.prepare_cached(
        "SELECT s.balance, s.at FROM settlement s JOIN orders o ON o.id = s.order_id
         WHERE o.purse = ?1 AND s.balance IS NOT NULL ORDER BY s.seq DESC LIMIT 1",
    )?;
    changes.balance = query.query_row([purse], |row| Ok((Credits(row.get(0)?), Wall(row.get(1)?)))).optional()?;
    Ok(StoreReply::Changes(changes))
}

pub(super) fn fates(books: &Connection, whose: &Whose<'_>, corpus: Corpus, ids: &[RowId]) -> Outcome<StoreReply> {
    let Some(purse) = purse_number(books, whose.purse)? else {
        return Ok(StoreReply::Fates(ids.iter().map(|id| (*id, ContactStatus::Free)).collect()));
    };
    let mut open =
        books.prepare_cached("SELECT batch FROM open_contact WHERE purse = ?1 AND corpus = ?2 AND id = ?3")?;
    let mut fates = Vec::with_capacity(ids.len());
    for id in ids {
        let batch = open.query_row(params![purse, corpus_code(corpus), id.0], |row| row.get(0)).optional()?;
        let fate = match batch {
            Some(batch) => {
                let last = batches::last_attempt(books, lode_core::money::BatchId(batch))?;
                // An earlier order of this very window does not work on it any more.
                let works = last.is_some_and(|last| last.window != *whose.window && whose.windows.lives(&last.window));
                if works { ContactStatus::Pending } else { ContactStatus::Unknown }
            }
            None => owned::one(books, purse, corpus, *id)?.map_or(ContactStatus::Free, ContactStatus::Owned),
        };
        fates.push((*id, fate));
    }
    Ok(StoreReply::Fates(fates))
}

pub(super) fn learn_page(books: &Connection, source: Source, origin: &Origin, rows: u64) -> Outcome<StoreReply> {
    books
        .prepare_cached("INSERT OR REPLACE INTO page_size (origin, source, rows) VALUES (?1, ?2, ?3)")?
        .execute(params![origin.as_str(), source_code(source), count(rows)])?;
    Ok(StoreReply::Done)
}

pub(super) fn page_sizes(books: &Connection, services: &[(Source, Origin)]) -> Outcome<StoreReply> {
    let mut query = books.prepare_cached("SELECT rows FROM page_size WHERE origin = ?1 AND source = ?2")?;
    let mut sizes = Vec::new();
    for (source, origin) in services {
        let rows: Option<i64> =
            query.query_row(params![origin.as_str(), source_code(*source)], |row| row.get(0)).optional()?;
        sizes.extend(rows.map(|rows| (*source, rows.unsigned_abs())));
    }
    Ok(StoreReply::PageSizes(sizes))
}
