//! Batches with an unknown result: what free looks saw of their contacts, whose window died, and the list that recovery works from.

use std::time::Duration;

use rusqlite::{Connection, Transaction, params};

use crate::store::answers::Answers;
use crate::store::codes::{ReadClue, ReadCorpus};
use crate::store::purses::purse_number;
use crate::store::trouble::Outcome;
use crate::store::windows::Windows;
use lode_core::{BatchId, Credits, Now, OrderId, Purse, RowId, Source, Wall};
use lode_engine::effect::{CheckResult, CheckedAt, OpenBatch, OpenContact, StoreReply, WindowId};
use lode_engine::wire::rows;

use super::raw::all_answers;
use super::{end, ids, is_outdated, last_attempt};

/// What a free look saw, with how long the line had been broken then.
pub(in crate::store) fn sighted(
    tx: &Transaction<'_>,
    boot: &str,
    batch: BatchId,
    sent: u32,
    sightings: &[(RowId, CheckResult)],
    now: Now,
) -> Outcome<StoreReply> {
    if is_outdated(tx, batch, sent)? {
        return Ok(StoreReply::Outdated);
    }
    let Some(last) = last_attempt(tx, batch)? else { return Ok(StoreReply::Done) };
    // While it is in flight nothing that is seen proves anything.
    let Some(end) = last.end else { return Ok(StoreReply::Done) };
    let quiet = end.quiet(boot, now).as_millis() as i64;
    let mut insert = tx.prepare_cached(
        "INSERT INTO sighting (batch, attempt, id, sight, at, quiet_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (id, sight) in sightings {
        let absent = *sight == CheckResult::Absent;
        insert.execute(params![batch.0, last.number, id.0, absent, now.wall.0, quiet])?;
    }
    Ok(StoreReply::Done)
}

/// Writes down for each batch whose window died that its line is broken from now on: the first who looks says so.
pub(in crate::store) fn find_orphans(tx: &Transaction<'_>, mine: &Whose<'_>, now: Now) -> Outcome<()> {
    let Some(purse) = purse_number(tx, mine.purse)? else { return Ok(()) };
    let mut query = tx.prepare_cached("SELECT DISTINCT batch FROM open_contact WHERE purse = ?1")?;
    let batches: Vec<BatchId> = query.query_map([purse], |row| row.get(0).map(BatchId))?.collect::<Result<_, _>>()?;
    for batch in batches {
        let in_flight = last_attempt(tx, batch)?.filter(|last| last.end.is_none());
        if in_flight.is_some_and(|last| last.window != *mine.window && !mine.windows.lives(&last.window)) {
            end(tx, mine.boot, batch, "orphaned", "its window ended", now)?;
        }
    }
    Ok(())
}

/// Who asks for the batches with an unknown result, and of which purse.
pub(in crate::store) struct Whose<'a> {
    pub purse: &'a Purse,
    pub window: &'a WindowId,
    pub windows: &'a Windows,
    pub boot: &'a str,
}

/// Batches with an unknown result, except those that a living other window has in flight.
pub(in crate::store) fn open(books: &Connection, answers: &Answers, mine: &Whose<'_>, now: Now) -> Outcome<StoreReply> {
    let Some(purse) = purse_number(books, mine.purse)? else { return Ok(StoreReply::OpenBatches(Vec::new())) };
    let mut query = books.prepare_cached(
        "SELECT id, order_id, number, profile, corpus, verify, balance_before FROM batch
         WHERE purse = ?1 AND id IN (SELECT DISTINCT batch FROM open_contact WHERE purse = ?1) ORDER BY id",
    )?;
    let mut rows = query.query([purse])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let batch = BatchId(row.get(0)?);
        let Some(last) = last_attempt(books, batch)? else { continue };
        let in_flight = last.end.is_none();
        if in_flight && last.window != *mine.window && mine.windows.lives(&last.window) {
            continue;
        }
        found.push(OpenBatch {
            batch,
            order: OrderId(row.get(1)?),
            number: row.get(2)?,
            profile: row.get(3)?,
            corpus: row.get::<_, ReadCorpus>(4)?.0,
            ids: ids(books, batch)?,
            open: open_contacts(books, batch, last.number)?,
            verify: row.get(5)?,
            sent_at: last.sent_at,
            sent: last.number as u32,
            broke_at: last.end.as_ref().map(|end| end.at),
            quiet: last.end.as_ref().map(|end| end.quiet(mine.boot, now)).unwrap_or_default(),
            words: last.end.map(|end| end.words).unwrap_or_default(),
            heard: all_answers(books, answers, batch)?,
            balance_before: row.get::<_, Option<i64>>(6)?.map(Credits),
            in_flight: in_flight && last.window == *mine.window,
        });
    }
    Ok(StoreReply::OpenBatches(found))
}

/// What a profile left unknown in purses other than this one.
pub(in crate::store) fn open_elsewhere(books: &Connection, profile: &str, purse: &Purse) -> Outcome<StoreReply> {
    let here = purse_number(books, purse)?;
    let mut query = books.prepare_cached(
        "SELECT count(*) FROM open_contact o JOIN batch b ON b.id = o.batch WHERE b.profile = ?1 AND o.purse IS NOT ?2",
    )?;
    let count = query.query_row(params![profile, here], |row| row.get::<_, i64>(0))?;
    Ok(StoreReply::OpenElsewhere(count.unsigned_abs()))
}

fn open_contacts(books: &Connection, batch: BatchId, attempt: i64) -> Outcome<Vec<OpenContact>> {
    let mut query = books.prepare_cached(
        "SELECT a.id, a.clue, t.row FROM asked a JOIN open_contact o ON o.batch = a.batch AND o.id = a.id
         LEFT JOIN told t ON t.purse = o.purse AND t.corpus = o.corpus AND t.id = o.id
         WHERE a.batch = ?1 ORDER BY a.place",
    )?;
    let mut seen = books.prepare_cached(
        "SELECT sight, at, quiet_ms FROM sighting WHERE batch = ?1 AND id = ?2 AND attempt = ?3 ORDER BY seq",
    )?;
    let mut rows = query.query([batch.0])?;
    let mut open = Vec::new();
    while let Some(row) = rows.next()? {
        let id = RowId(row.get(0)?);
        let sightings = seen.query_map(params![batch.0, id.0, attempt], |row| {
            let sight = if row.get::<_, bool>(0)? { CheckResult::Absent } else { CheckResult::Locked };
            let quiet = Duration::from_millis(row.get::<_, i64>(2)?.unsigned_abs());
            Ok(CheckedAt { sight, at: Wall(row.get(1)?), quiet })
        })?;
        let sightings = sightings.collect::<Result<_, _>>()?;
        let told: Option<String> = row.get(2)?;
        let told = told.and_then(|text| rows::read_one(Source::Workspace, &text).ok());
        open.push(OpenContact { id, clue: row.get::<_, ReadClue>(1)?.0, row: told, sightings });
    }
    Ok(open)
}
