//! The raw answers of a batch: kept before anybody interprets them, moved into the state file once they are settled.

use bytes::Bytes;
use rusqlite::{Connection, Transaction, params};

use crate::store::answers::{Answered, Answers};
use crate::store::trouble::Outcome;
use lode_core::{BatchId, Wall};
use lode_engine::effect::StoreReply;

use super::{last_attempt, open_ids};

/// Money rule 9, *responses are stored first*: the raw body is on disk before it is read. Needs no room that was not taken before.
pub(in crate::store) fn heard(
    books: &Connection,
    answers: &mut Answers,
    batch: BatchId,
    answered: Heard<'_>,
) -> Outcome<StoreReply> {
    let attempt = last_attempt(books, batch)?.map_or(1, |last| last.number);
    let Heard { status, body, at } = answered;
    let answered = Answered { attempt, status, at, body: body.clone() };
    match answers.of(batch)?.into_iter().find(|kept| kept.attempt == attempt) {
        // It was kept when it came in.
        Some(kept) if kept.status == status && kept.body == *body => return Ok(StoreReply::Done),
        // A second answer to one sending would take the place of the first: that one goes into the state file for good.
        Some(first) => write_answer(books, batch, &first)?,
        None => {}
    }
    answers.keep(batch, answered)?;
    Ok(StoreReply::Done)
}

pub(in crate::store) struct Heard<'a> {
    pub status: u16,
    pub body: &'a Bytes,
    pub at: Wall,
}

fn write_answer(books: &Connection, batch: BatchId, answered: &Answered) -> Outcome<()> {
    books
        .prepare_cached("INSERT INTO answer (batch, attempt, status, at, body) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![batch.0, answered.attempt, answered.status, answered.at.0, &answered.body[..]])?;
    Ok(())
}

/// Copies what waits in files into the state file. The files go once this is committed: see [`is_filed`].
pub(in crate::store) fn file_answers(tx: &Transaction<'_>, answers: &Answers, batch: BatchId) -> Outcome<()> {
    for answered in answers.of(batch)? {
        if !is_written(tx, batch, &answered)? {
            write_answer(tx, batch, &answered)?;
        }
    }
    Ok(())
}

fn is_written(books: &Connection, batch: BatchId, answered: &Answered) -> Outcome<bool> {
    let mut query =
        books.prepare_cached("SELECT 1 FROM answer WHERE batch = ?1 AND attempt = ?2 AND status = ?3 AND body = ?4")?;
    Ok(query.exists(params![batch.0, answered.attempt, answered.status, &answered.body[..]])?)
}

/// Whether nothing of a batch waits in files any more: each answer is in the state file and none is on its way.
pub(in crate::store) fn is_filed(books: &Connection, answers: &Answers, batch: BatchId) -> Outcome<bool> {
    let in_flight = last_attempt(books, batch)?.is_some_and(|last| last.end.is_none());
    if in_flight && !open_ids(books, batch)?.is_empty() {
        return Ok(false);
    }
    for answered in answers.of(batch)? {
        if !is_written(books, batch, &answered)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Room that a crash left behind: taken for a batch that was then not written, or not given back after it was settled.
/// Under the write lock, so that no other window is between taking its room and writing its batch.
pub(in crate::store) fn sweep_rooms(tx: &Transaction<'_>, answers: &mut Answers) -> Outcome<()> {
    for batch in answers.batches()? {
        if open_ids(tx, batch)?.is_empty() && is_filed(tx, answers, batch)? {
            answers.release(batch);
        }
    }
    Ok(())
}

/// Those that were settled already and those that still wait in files, oldest first.
pub(super) fn all_answers(books: &Connection, answers: &Answers, batch: BatchId) -> Outcome<Vec<(u16, Bytes)>> {
    let mut query = books.prepare_cached("SELECT status, body FROM answer WHERE batch = ?1 ORDER BY attempt, seq")?;
    let filed = query.query_map([batch.0], |row| Ok((row.get(0)?, Bytes::from(row.get::<_, Vec<u8>>(1)?))))?;
    let mut all: Vec<(u16, Bytes)> = filed.collect::<Result<_, _>>()?;
    for answered in answers.of(batch)? {
        let answer = (answered.status, answered.body);
        if !all.contains(&answer) {
            all.push(answer);
        }
    }
    Ok(all)
}
