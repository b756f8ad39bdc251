//! What a match was answered so far, so that a run that was cut off goes on where it was.

use rusqlite::{Connection, params};

use lode_core::{Now, Wall};
use lode_engine::effect::{MatchStep, StoreReply};

use super::trouble::Outcome;

/// An unfinished run is dropped after this long: a month.
const KEPT_MS: i64 = 30 * 24 * 3_600 * 1_000;

pub(super) fn keep(
    books: &Connection,
    purse: i64,
    (job, step): (&str, &str),
    answer: &str,
    now: Now,
) -> Outcome<StoreReply> {
    books
        .prepare_cached("INSERT OR REPLACE INTO match_step (purse, job, step, at, answer) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![purse, job, step, now.wall.0, answer])?;
    Ok(StoreReply::Done)
}

/// In the order in which they were answered.
pub(super) fn steps(books: &Connection, purse: i64, job: &str) -> Outcome<StoreReply> {
    let mut query = books
        .prepare_cached("SELECT step, at, answer FROM match_step WHERE purse = ?1 AND job = ?2 ORDER BY at, step")?;
    let rows = query.query_map(params![purse, job], |row| {
        Ok(MatchStep { step: row.get(0)?, at: Wall(row.get(1)?), answer: row.get(2)? })
    })?;
    Ok(StoreReply::MatchSteps(rows.collect::<Result<_, _>>()?))
}

/// The job is done; what is old goes with it.
pub(super) fn done(books: &Connection, purse: i64, job: &str, now: Now) -> Outcome<StoreReply> {
    books.prepare_cached("DELETE FROM match_step WHERE purse = ?1 AND job = ?2 OR at < ?3")?.execute(params![
        purse,
        job,
        now.wall.0.saturating_sub(KEPT_MS)
    ])?;
    Ok(StoreReply::Done)
}
