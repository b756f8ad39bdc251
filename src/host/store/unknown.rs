//! Batches with an unknown result: what free looks saw of their contacts, whose window died, and the list that recovery works from.

use rusqlite::params;

use lode_core::{BatchId, Corpus, Purse, RowId, Source};
use lode_engine::effect::{CheckResult, CheckedAt, ContactStatus, OpenBatch, OpenContact, StoreReply};
use lode_engine::wire::rows;

use super::batches::{all_answers, end, ids, is_outdated, last_attempt};
use super::owned;
use super::purses::to_read;
use super::sql::{Coded, Sql, record};
use super::trouble::Outcome;
use super::work::Work;

record! {
    CheckedAt { sight, at, quiet }
}

/// What a free look saw, with how long the line had been broken then.
pub(super) fn sighted(
    on: &Work<'_>,
    batch: BatchId,
    sent: u32,
    sightings: &[(RowId, CheckResult)],
) -> Outcome<StoreReply> {
    if is_outdated(on, batch, sent)? {
        return Ok(StoreReply::Outdated);
    }
    let Some(last) = last_attempt(on, batch)? else { return Ok(StoreReply::Done) };
    // While it is in flight nothing that is seen proves anything.
    let Some(end) = last.end else { return Ok(StoreReply::Done) };
    let quiet = end.quiet(on.boot, on.now).as_millis() as i64;
    for (id, sight) in sightings {
        on.run(
            "INSERT INTO sighting (batch, attempt, id, sight, at, quiet_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            [batch.0, last.number, id.0, sight.code(), on.now.wall.0, quiet],
        )?;
    }
    Ok(StoreReply::Done)
}

/// Writes down for each batch whose window died that its line is broken from now on: the first who looks says so.
pub(super) fn find_orphans(on: &Work<'_>, purse: &Purse) -> Outcome<()> {
    let open = "SELECT DISTINCT batch FROM open_contact WHERE purse = ?1";
    for batch in on.list::<BatchId>(open, [to_read(on, purse)?])? {
        let in_flight = last_attempt(on, batch)?.filter(|last| last.end.is_none());
        if in_flight.is_some_and(|last| last.window != *on.window && !on.windows.lives(&last.window)) {
            end(on, batch, "orphaned", "its window ended")?;
        }
    }
    Ok(())
}

/// Batches with an unknown result, except those that a living other window has in flight.
pub(super) fn open(on: &Work<'_>, purse: &Purse) -> Outcome<Vec<OpenBatch>> {
    let found = on.read(
        "SELECT id, order_id, number, profile, corpus, verify, balance_before FROM batch
         WHERE purse = ?1 AND id IN (SELECT DISTINCT batch FROM open_contact WHERE purse = ?1) ORDER BY id",
        [to_read(on, purse)?],
        |row| {
            let batch = row.next()?;
            let Some(last) = last_attempt(on, batch)? else { return Ok(None) };
            let in_flight = last.end.is_none();
            if in_flight && on.lives_elsewhere(&last.window) {
                return Ok(None);
            }
            Ok(Some(OpenBatch {
                batch,
                order: row.next()?,
                number: row.next()?,
                profile: row.next()?,
                corpus: row.next()?,
                ids: ids(on, batch)?,
                open: open_contacts(on, batch, last.number)?,
                verify: row.next()?,
                sent_at: last.sent_at,
                sent: last.number as u32,
                broke_at: last.end.as_ref().map(|end| end.at),
                quiet: last.end.as_ref().map(|end| end.quiet(on.boot, on.now)).unwrap_or_default(),
                words: last.end.map(|end| end.words).unwrap_or_default(),
                heard: all_answers(on, batch)?,
                balance_before: row.next()?,
                in_flight: in_flight && last.window == *on.window,
            }))
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// How many contacts a profile left unknown in purses other than this one.
pub(super) fn open_elsewhere(on: &Work<'_>, profile: &str, purse: &Purse) -> Outcome<u64> {
    on.value(
        "SELECT count(*) FROM open_contact o JOIN batch b ON b.id = o.batch WHERE b.profile = ?1 AND o.purse IS NOT ?2",
        params![profile, to_read(on, purse)?],
    )
}

fn open_contacts(on: &Work<'_>, batch: BatchId, attempt: i64) -> Outcome<Vec<OpenContact>> {
    on.read(
        "SELECT a.id, a.clue, t.row FROM asked a JOIN open_contact o ON o.batch = a.batch AND o.id = a.id
         LEFT JOIN told t ON t.purse = o.purse AND t.corpus = o.corpus AND t.id = o.id
         WHERE a.batch = ?1 ORDER BY a.place",
        [batch.0],
        |row| {
            let (id, clue, shown): (RowId, _, Option<String>) = row.next()?;
            let sightings = on.list(
                "SELECT sight, at, quiet_ms FROM sighting WHERE batch = ?1 AND id = ?2 AND attempt = ?3 ORDER BY seq",
                [batch.0, id.0, attempt],
            )?;
            let shown = shown.and_then(|text| rows::read_one(Source::Workspace, &text).ok());
            Ok(OpenContact { id, clue, row: shown, sightings })
        },
    )
}

/// What became of contacts that another unlock had under way.
pub(super) fn statuses(
    on: &Work<'_>,
    purse: &Purse,
    corpus: Corpus,
    ids: &[RowId],
) -> Outcome<Vec<(RowId, ContactStatus)>> {
    let purse = to_read(on, purse)?;
    let mut statuses = Vec::with_capacity(ids.len());
    for id in ids {
        let open = "SELECT batch FROM open_contact WHERE purse = ?1 AND corpus = ?2 AND id = ?3";
        let status = match on.find(open, [purse, corpus.code(), id.0])? {
            // An earlier order of this very window does not work on it any more.
            Some(batch) if last_attempt(on, batch)?.is_some_and(|last| on.lives_elsewhere(&last.window)) => {
                ContactStatus::Pending
            }
            Some(_) => ContactStatus::Unknown,
            None => owned::one(on, (purse, corpus, *id))?.map_or(ContactStatus::Free, ContactStatus::Owned),
        };
        statuses.push((*id, status));
    }
    Ok(statuses)
}
