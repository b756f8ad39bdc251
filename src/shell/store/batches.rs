//! Batches after they were written: how their sendings ended, what was answered, seen and settled, and which are open.

use std::time::Duration;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::domain::contact::{RowId, Side, Source};
use crate::domain::credits::Credits;
use crate::domain::money::{BatchId, OrderId, Outcome as Became, Purse};
use crate::domain::time::{Now, Wall};
use crate::effect::failure::StoreFailure;
use crate::effect::profile::WindowId;
use crate::effect::store::{How, OpenBatch, OpenContact, Settlement, Sight, Sighting, StoreReply};

use super::answers::{Answered, Answers};
use super::codes::{ReadClue, ReadCorpus, amount, corpus_code, purse_number};
use super::trouble::Outcome;
use super::windows::Windows;
use super::{basket, owned, spent};

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
        "SELECT a.number, a.window, a.sent_at, e.at, e.boot, e.mono FROM attempt a
         LEFT JOIN attempt_end e ON e.batch = a.batch AND e.number = a.number
         WHERE a.batch = ?1 ORDER BY a.number DESC LIMIT 1",
    )?;
    let attempt = query.query_row([batch.0], |row| {
        let end = match row.get::<_, Option<i64>>(3)? {
            Some(at) => Some(End { at: Wall(at), boot: row.get(4)?, mono: row.get(5)? }),
            None => None,
        };
        Ok(Attempt { number: row.get(0)?, window: WindowId(row.get(1)?), sent_at: Wall(row.get(2)?), end })
    });
    Ok(attempt.optional()?)
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

/// *Answers are kept*: the raw body is on the disk before anybody interprets it. Needs no room that was not taken before.
pub(super) fn heard(
    books: &Connection,
    answers: &mut Answers,
    batch: BatchId,
    answered: Heard<'_>,
) -> Outcome<StoreReply> {
    let attempt = last_attempt(books, batch)?.map_or(1, |last| last.number);
    let Heard { status, body, at } = answered;
    let answered = Answered { attempt, status, at, body: body.clone() };
    // A second answer to one sending would take the place of the first: that one goes into the state file for good.
    if let Some(first) = answers.of(batch)?.into_iter().find(|kept| kept.attempt == attempt && kept.body != *body) {
        write_answer(books, batch, &first)?;
    }
    answers.keep(batch, answered)?;
    Ok(StoreReply::Done)
}

pub(super) struct Heard<'a> {
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

/// Nothing of *this* sending was applied. If an earlier one was lost, the batch stays in doubt: that one may have been.
pub(super) fn withdraw(
    tx: &Transaction<'_>,
    answers: &Answers,
    boot: &str,
    batch: BatchId,
    words: &str,
    now: Now,
) -> Outcome<StoreReply> {
    end(tx, boot, batch, "withdrawn", words, now)?;
    let mut query = tx.prepare_cached(
        "SELECT count(*) FROM attempt a WHERE batch = ?1 AND NOT EXISTS
         (SELECT 1 FROM attempt_end e WHERE e.batch = a.batch AND e.number = a.number AND e.how = 'withdrawn')",
    )?;
    let in_doubt: i64 = query.query_row([batch.0], |row| row.get(0))?;
    if in_doubt == 0 {
        let of = of(tx, batch)?;
        let at = (now, spent::booking_time(tx, of.purse, now)?);
        for id in open_ids(tx, batch)? {
            let became = Became::Locked;
            let written = Written { id, became, how: "withdrawn", verification: None, evidence: None };
            write_outcome(tx, &of, batch, &written, at)?;
        }
        close_if_done(tx, answers, batch)?;
    }
    Ok(StoreReply::Done)
}

struct Written<'a> {
    id: RowId,
    became: Became,
    how: &'a str,
    verification: Option<&'a str>,
    evidence: Option<&'a str>,
}

/// One outcome for each contact of a batch, the first that became known: by the wall's clock and the booking one. Answers
/// whether this was it.
fn write_outcome(
    tx: &Transaction<'_>,
    of: &Of,
    batch: BatchId,
    written: &Written<'_>,
    at: (Now, i64),
) -> Outcome<bool> {
    let opened = tx
        .prepare_cached("DELETE FROM open_contact WHERE purse = ?1 AND corpus = ?2 AND id = ?3 AND batch = ?4")?
        .execute(params![of.purse, corpus_code(of.side.corpus), written.id.0, batch.0])?;
    if opened == 0 {
        return Ok(false);
    }
    let (now, booked) = at;
    tx.prepare_cached(
        "INSERT INTO outcome
         (batch, order_id, purse, corpus, id, window, outcome, how, verification, evidence, at, booked)
         VALUES (?1, ?2, ?3, ?4, ?5, (SELECT window FROM attempt WHERE batch = ?1 ORDER BY number DESC LIMIT 1),
         ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        batch.0,
        of.order.0,
        of.purse,
        corpus_code(of.side.corpus),
        written.id.0,
        written.became.name(),
        written.how,
        written.verification,
        written.evidence,
        now.wall.0,
        booked
    ])?;
    Ok(true)
}

/// Writes down what became of contacts: outcomes, what we own now, the baskets, and the service's own figures.
pub(super) fn settle(
    tx: &Transaction<'_>,
    answers: &Answers,
    boot: &str,
    settlement: &Settlement,
    now: Now,
) -> Outcome<StoreReply> {
    let batch = settlement.batch;
    let of = of(tx, batch)?;
    let how = match settlement.how {
        How::Answer => "answer",
        How::Look => "look",
    };
    let booked = spent::booking_time(tx, of.purse, now)?;
    let mut gone = Vec::new();
    for settled in settlement.contacts.iter().filter(|settled| settled.outcome != Became::Unknown) {
        let verification = settled.contact.as_ref().and_then(|contact| contact.verification.as_ref());
        let written = Written {
            id: settled.id,
            became: settled.outcome,
            how,
            verification: verification.map(|verification| verification.word()),
            evidence: settled.evidence.as_deref(),
        };
        let first = write_outcome(tx, &of, batch, &written, (now, booked))?;
        if settled.outcome.is_ours() {
            let contact = settled.contact.clone().unwrap_or_default();
            // Bought by this order only if the charge is on it; what it owned before keeps the order that bought it.
            let bought = (first && settled.outcome.gross().0 > 0).then_some((of.order, batch));
            owned::take(tx, of.purse, of.side.corpus, settled.id, &contact, bought, None, now)?;
        }
        // Locked ones stay staged; what nobody can sell any more leaves with the rest.
        if settled.outcome != Became::Locked {
            gone.push(settled.id);
        }
    }
    basket::settle(tx, of.purse, of.side, &gone)?;
    tx.prepare_cached(
        "INSERT INTO settlement (batch, order_id, how, at, charged, refunded, balance, stopped)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        batch.0,
        of.order.0,
        how,
        now.wall.0,
        amount(settlement.said.charged),
        amount(settlement.said.refunded),
        amount(settlement.said.balance),
        settlement.stopped_for_credits
    ])?;
    if settlement.how == How::Answer {
        end(tx, boot, batch, "answered", "", now)?;
        file_answers(tx, answers, batch)?;
    } else {
        close_if_done(tx, answers, batch)?;
    }
    Ok(StoreReply::Done)
}

fn close_if_done(tx: &Transaction<'_>, answers: &Answers, batch: BatchId) -> Outcome<()> {
    if open_ids(tx, batch)?.is_empty() {
        file_answers(tx, answers, batch)?;
    }
    Ok(())
}

/// Copies what waits in files into the state file. The files go once this is committed: see [`is_filed`].
fn file_answers(tx: &Transaction<'_>, answers: &Answers, batch: BatchId) -> Outcome<()> {
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
pub(super) fn is_filed(books: &Connection, answers: &Answers, batch: BatchId) -> Outcome<bool> {
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

/// What a free look saw, with how long the line had been broken then.
pub(super) fn sighted(
    tx: &Transaction<'_>,
    boot: &str,
    batch: BatchId,
    sightings: &[(RowId, Sight)],
    now: Now,
) -> Outcome<StoreReply> {
    let Some(last) = last_attempt(tx, batch)? else { return Ok(StoreReply::Done) };
    // While it is in flight nothing that is seen proves anything.
    let Some(end) = last.end else { return Ok(StoreReply::Done) };
    let quiet = end.quiet(boot, now).as_millis() as i64;
    let mut insert = tx.prepare_cached(
        "INSERT INTO sighting (batch, attempt, id, sight, at, quiet_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (id, sight) in sightings {
        let absent = *sight == Sight::Absent;
        insert.execute(params![batch.0, last.number, id.0, absent, now.wall.0, quiet])?;
    }
    Ok(StoreReply::Done)
}

/// Writes down for each batch whose window died that its line is broken from now on: the first who looks says so.
pub(super) fn find_orphans(tx: &Transaction<'_>, mine: &Whose<'_>, now: Now) -> Outcome<()> {
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

/// Room that a crash left behind: taken for a batch that was then not written, or not given back after it was settled.
/// Under the write lock, so that no other window is between taking its room and writing its batch.
pub(super) fn sweep_rooms(tx: &Transaction<'_>, answers: &mut Answers) -> Outcome<()> {
    for batch in answers.batches()? {
        if open_ids(tx, batch)?.is_empty() && is_filed(tx, answers, batch)? {
            answers.release(batch);
        }
    }
    Ok(())
}

/// Who asks for the batches in doubt, and of which purse.
pub(super) struct Whose<'a> {
    pub purse: &'a Purse,
    pub window: &'a WindowId,
    pub windows: &'a Windows,
    pub boot: &'a str,
}

/// Batches in doubt, except those that a living other window has in flight.
pub(super) fn open(books: &Connection, answers: &Answers, mine: &Whose<'_>, now: Now) -> Outcome<StoreReply> {
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
            heard: all_answers(books, answers, batch)?,
            balance_before: row.get::<_, Option<i64>>(6)?.map(Credits),
            in_flight: in_flight && last.window == *mine.window,
        });
    }
    Ok(StoreReply::OpenBatches(found))
}

/// Those that were settled already and those that still wait in files, oldest first.
fn all_answers(books: &Connection, answers: &Answers, batch: BatchId) -> Outcome<Vec<(u16, Bytes)>> {
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

fn open_contacts(books: &Connection, batch: BatchId, attempt: i64) -> Outcome<Vec<OpenContact>> {
    let mut query = books.prepare_cached(
        "SELECT a.id, a.clue FROM asked a JOIN open_contact o ON o.batch = a.batch AND o.id = a.id
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
            let sight = if row.get::<_, bool>(0)? { Sight::Absent } else { Sight::Locked };
            let quiet = Duration::from_millis(row.get::<_, i64>(2)?.unsigned_abs());
            Ok(Sighting { sight, at: Wall(row.get(1)?), quiet })
        })?;
        let sightings = sightings.collect::<Result<_, _>>()?;
        open.push(OpenContact { id, clue: row.get::<_, ReadClue>(1)?.0, sightings });
    }
    Ok(open)
}
