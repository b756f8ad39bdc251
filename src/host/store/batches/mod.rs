//! Batches after they were written: how each sending ended, what was answered (`raw`), what became of the contacts
//! (`outcomes`), and which are unknown (`unknown`).

mod outcomes;
mod raw;
mod unknown;

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use lode_core::{BatchId, Now, OrderId, RowId, Side, Source, Wall, put_back};
use lode_engine::effect::{StoreFailure, StoreReply, WindowId};

use super::codes::ReadCorpus;
use super::trouble::Outcome;

pub(super) use outcomes::{settle, settled, withdraw};
pub(super) use raw::{Heard, file_answers, heard, is_filed, sweep_rooms};
pub(super) use unknown::{Whose, find_orphans, open, open_elsewhere, sighted};

/// One sending of a batch.
pub(super) struct Attempt {
    pub number: i64,
    pub window: WindowId,
    pub sent_at: Wall,
    pub end: Option<End>,
}

/// How and when a sending ended, by both clocks.
pub(super) struct End {
    at: Wall,
    boot: String,
    mono: i64,
    words: String,
}

impl End {
    /// How long ago that was: by the machine's clock where it has not started again since, else by the wall's.
    fn quiet(&self, boot: &str, now: Now) -> Duration {
        let ms =
            if self.boot == boot { mono(now).saturating_sub(self.mono) } else { now.wall.0.saturating_sub(self.at.0) };
        Duration::from_millis(ms.max(0).unsigned_abs())
    }
}

fn mono(now: Now) -> i64 {
    i64::try_from(now.mono.0).unwrap_or(i64::MAX)
}

pub(super) fn last_attempt(books: &Connection, batch: BatchId) -> Outcome<Option<Attempt>> {
    let mut query = books.prepare_cached(
        "SELECT a.number, a.window, a.sent_at, e.at, e.boot, e.mono, e.words FROM attempt a
         LEFT JOIN attempt_end e ON e.batch = a.batch AND e.number = a.number
         WHERE a.batch = ?1 ORDER BY a.number DESC LIMIT 1",
    )?;
    let attempt = query.query_row([batch.0], |row| {
        let end = match row.get::<_, Option<i64>>(3)? {
            Some(at) => Some(End { at: Wall(at), boot: row.get(4)?, mono: row.get(5)?, words: row.get(6)? }),
            None => None,
        };
        Ok(Attempt { number: row.get(0)?, window: WindowId(row.get(1)?), sent_at: Wall(row.get(2)?), end })
    });
    Ok(attempt.optional()?)
}

/// Whether the batch has been sent more often than its reader knew.
pub(super) fn is_outdated(books: &Connection, batch: BatchId, sent: u32) -> Outcome<bool> {
    Ok(!put_back("outdated-conclusion")
        && last_attempt(books, batch)?.is_some_and(|last| last.number > i64::from(sent)))
}

pub(super) fn ids(books: &Connection, batch: BatchId) -> Outcome<Vec<RowId>> {
    let mut query = books.prepare_cached("SELECT id FROM asked WHERE batch = ?1 ORDER BY place")?;
    let ids = query.query_map([batch.0], |row| row.get(0).map(RowId))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

pub(super) fn open_ids(books: &Connection, batch: BatchId) -> Outcome<Vec<RowId>> {
    let mut query = books.prepare_cached("SELECT id FROM open_contact WHERE batch = ?1 ORDER BY id")?;
    let ids = query.query_map([batch.0], |row| row.get(0).map(RowId))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// What a batch belongs to.
struct Of {
    order: OrderId,
    purse: i64,
    side: Side,
}

fn of(books: &Connection, batch: BatchId) -> Outcome<Of> {
    let mut query = books.prepare_cached("SELECT order_id, purse, corpus FROM batch WHERE id = ?1")?;
    let found = query.query_row([batch.0], |row| {
        let side = Side { source: Source::Workspace, corpus: row.get::<_, ReadCorpus>(2)?.0 };
        Ok(Of { order: OrderId(row.get(0)?), purse: row.get(1)?, side })
    });
    found.optional()?.ok_or_else(|| StoreFailure::Other(format!("there is no batch {}", batch.0)).into())
}

pub(super) fn order_of(books: &Connection, batch: BatchId) -> Outcome<OrderId> {
    Ok(of(books, batch)?.order)
}

/// The first end of a sending stands.
fn end(books: &Connection, boot: &str, batch: BatchId, how: &str, words: &str, now: Now) -> Outcome<()> {
    let Some(last) = last_attempt(books, batch)? else { return Ok(()) };
    books
        .prepare_cached(
            "INSERT OR IGNORE INTO attempt_end (batch, number, how, at, boot, mono, words)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![batch.0, last.number, how, now.wall.0, boot, mono(now), words])?;
    Ok(())
}

pub(super) fn lost(tx: &Transaction<'_>, boot: &str, batch: BatchId, words: &str, now: Now) -> Outcome<StoreReply> {
    end(tx, boot, batch, "lost", words, now)?;
    Ok(StoreReply::Done)
}
