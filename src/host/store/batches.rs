//! Batches after their intent: how each sending ended, what was answered, and one outcome for each contact. The first known
//! outcome stays. Of those with an unknown result: what free looks saw of their contacts, whose window died, and the list that
//! recovery works from.

use super::answers::{Answered, Answers};
use super::purses::to_read;
use super::*;

record! {
    Attempt { number, window, sent_at, end }
    BatchOrigin { batch, order, purse, corpus, verify }
    End { at, boot, mono, words }
    CheckedAt { sight, at, quiet }
}

/// One sending of a batch.
pub(super) struct Attempt {
    pub number: i64,
    pub window: WindowId,
    pub sent_at: Wall,
    pub end: Option<End>,
}

/// How and when a sending ended, by both clocks.
pub(super) struct End {
    pub at: Wall,
    boot: String,
    mono: i64,
    pub words: String,
}

impl End {
    /// How long ago that was: by the machine's clock where it has not started again since, else by the wall's.
    pub(super) fn quiet(&self, boot: &str, now: Now) -> Duration {
        let same_boot = self.boot == boot;
        let (now, then) = if same_boot { (count(now.mono.0), self.mono) } else { (now.wall.0, self.at.0) };
        Duration::from_millis(now.saturating_sub(then).max(0).unsigned_abs())
    }
}

pub(super) fn last_attempt(db: &Connection, batch: BatchId) -> Outcome<Option<Attempt>> {
    let select = "SELECT a.number, a.window, a.sent_at, e.at, e.boot, e.mono, e.words FROM attempt a
         LEFT JOIN attempt_end e ON e.batch = a.batch AND e.number = a.number
         WHERE a.batch = ?1 ORDER BY a.number DESC LIMIT 1";
    db.find(select, [batch.0])
}

/// Whether the batch has been sent more often than its reader knew.
pub(super) fn is_outdated(db: &Connection, batch: BatchId, sent: u32) -> Outcome<bool> {
    Ok(!put_back("outdated-conclusion") && last_attempt(db, batch)?.is_some_and(|last| last.number > i64::from(sent)))
}

/// All ids, in the order of sending.
pub(super) fn ids(db: &Connection, batch: BatchId) -> Outcome<Vec<RowId>> {
    db.list("SELECT id FROM asked WHERE batch = ?1 ORDER BY place", [batch.0])
}

/// Those without an outcome.
pub(super) fn open_ids(db: &Connection, batch: BatchId) -> Outcome<Vec<RowId>> {
    db.list("SELECT id FROM open_contact WHERE batch = ?1 ORDER BY id", [batch.0])
}

/// What a batch belongs to.
pub(super) struct BatchOrigin {
    pub batch: BatchId,
    pub order: OrderId,
    pub purse: i64,
    pub corpus: Corpus,
    pub verify: bool,
}

pub(super) fn origin(db: &Connection, batch: BatchId) -> Outcome<BatchOrigin> {
    let found = db.find("SELECT id, order_id, purse, corpus, verify FROM batch WHERE id = ?1", [batch.0])?;
    found.ok_or_else(|| StoreFailure::Other(format!("batch {} does not exist", batch.0)).into())
}

/// Writes down how the last sending ended. The first end of a sending stays.
pub(super) fn end(on: &Work<'_>, batch: BatchId, how: &str, words: &str) -> Outcome<()> {
    let Some(last) = last_attempt(on, batch)? else { return Ok(()) };
    let (wall, mono) = (on.now.wall.0, count(on.now.mono.0));
    let insert = "INSERT OR IGNORE INTO attempt_end (batch, number, how, at, boot, mono, words)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    on.run(insert, params![batch.0, last.number, how, wall, on.boot, mono, words])
}

/// Nothing of *this* sending was applied. If an earlier one was lost, the batch stays unknown: that one may have been.
pub(super) fn withdraw(on: &Work<'_>, batch: BatchId, words: &str) -> Outcome<StoreReply> {
    end(on, batch, "withdrawn", words)?;
    let select = "SELECT 1 FROM attempt a WHERE batch = ?1 AND NOT EXISTS
         (SELECT 1 FROM attempt_end e WHERE e.batch = a.batch AND e.number = a.number AND e.how = 'withdrawn')";
    if on.exists(select, [batch.0])? {
        return Ok(StoreReply::Done(()));
    }
    let of = origin(on, batch)?;
    let booked = spent::booking_time(on, of.purse, on.now)?;
    for id in open_ids(on, batch)? {
        let locked = Settled { id, outcome: Became::Locked, contact: None, evidence: None };
        write_outcome(on, &of, "withdrawn", booked, &locked)?;
    }
    file_if_done(on, batch).map(Into::into)
}

/// Writes one outcome for each contact of a batch, by the wall's clock and the booking one. Returns whether it was the first
/// that became known.
fn write_outcome(on: &Work<'_>, of: &BatchOrigin, how: &str, booked: i64, settled: &Settled) -> Outcome<bool> {
    let &BatchOrigin { batch, order, purse, corpus, .. } = of;
    let (batch, id, at, evidence) = (batch.0, settled.id.0, on.now.wall.0, &settled.evidence);
    let delete = "DELETE FROM open_contact WHERE purse = ?1 AND corpus = ?2 AND id = ?3 AND batch = ?4";
    let opened = on.change(delete, [purse, corpus.code(), id, batch])?;
    if opened == 0 {
        return Ok(false);
    }
    if !settled.outcome.is_owned() {
        owned::drop_unowned_row(on, (purse, corpus, settled.id))?;
    }
    let verification = settled.contact.as_ref().and_then(|contact| contact.verification.as_ref());
    let (verification, became) = (verification.map(|verification| verification.word()), settled.outcome.name());
    let insert = "INSERT INTO outcome
         (batch, order_id, purse, corpus, id, window, outcome, how, verification, evidence, at, booked)
         VALUES (?1, ?2, ?3, ?4, ?5, (SELECT window FROM attempt WHERE batch = ?1 ORDER BY number DESC LIMIT 1),
         ?6, ?7, ?8, ?9, ?10, ?11)";
    on.run(insert, params![batch, order.0, purse, corpus.code(), id, became, how, verification, evidence, at, booked])?;
    Ok(true)
}

/// Writes down what became of contacts: outcomes, what we own now, the baskets, and the service's own figures.
pub(super) fn settle(on: &Work<'_>, settlement: &Settlement) -> Outcome<StoreReply> {
    let Settlement { batch, said, .. } = settlement;
    let how: &str = settlement.how.into();
    let of = origin(on, *batch)?;
    if is_outdated(on, *batch, settlement.sent)? {
        return Ok(StoreReply::Outdated);
    }
    let BatchOrigin { order, purse, corpus, .. } = of;
    let booked = spent::booking_time(on, purse, on.now)?;
    let mut gone = Vec::new();
    for settled in settlement.contacts.iter().filter(|settled| settled.outcome != Became::Unknown) {
        let first = write_outcome(on, &of, how, booked, settled)?;
        if settled.outcome.is_owned() {
            let contact = settled.contact.clone().unwrap_or_default();
            // Bought by this order only if the charge is on it; what it owned before keeps the order that bought it.
            let bought = (first && settled.outcome.gross().0 > 0).then_some((order, *batch));
            owned::take(on, (purse, corpus, settled.id), &contact, bought, None, on.now)?;
        }
        // Locked ones stay staged; what cannot be bought any more leaves with the rest.
        if settled.outcome != Became::Locked {
            gone.push(settled.id);
        }
    }
    basket::unstage(on, purse, Side { source: Source::Workspace, corpus }, &gone)?;
    let (charged, refunded, balance) = (amount(said.charged), amount(said.refunded), amount(said.balance));
    let stopped = settlement.stopped_for_credits;
    let insert = "INSERT INTO settlement (batch, order_id, how, at, charged, refunded, balance, stopped)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    on.run(insert, params![batch.0, order.0, how, on.now.wall.0, charged, refunded, balance, stopped])?;
    if settlement.how == SettledBy::Answer {
        end(on, *batch, "answered", "")?;
        file_answers(on, on.answers, *batch)?;
    } else {
        file_if_done(on, *batch)?;
    }
    Ok(StoreReply::Done(()))
}

/// What became of the contacts of a batch, in the order they were sent in, with what is owned of them.
pub(super) fn settled(db: &Connection, batch: BatchId) -> Outcome<Vec<Settled>> {
    let select =
        "SELECT a.id, u.outcome, u.evidence, email, phone, contact_name, company_name, title, o.verification, refunded
         FROM asked a JOIN outcome u ON u.batch = a.batch AND u.id = a.id
         LEFT JOIN owned o ON o.purse = u.purse AND o.corpus = u.corpus AND o.id = u.id
         WHERE a.batch = ?1 ORDER BY a.place";
    db.read(select, [batch.0], |row| {
        let (id, outcome, evidence): (_, Became, _) = row.next()?;
        let contact: Option<Contact> = row.next()?;
        Ok(Settled { id, outcome, contact: contact.filter(|_| outcome.is_owned()).map(Box::new), evidence })
    })
}

/// Money rule 9, *responses are stored first*: the raw body is on disk before it is read. Needs no room that was not taken before.
pub(super) fn heard(on: &Work<'_>, batch: BatchId, status: u16, body: &Bytes) -> Outcome<()> {
    let attempt = last_attempt(on, batch)?.map_or(1, |last| last.number);
    match on.answers.of(batch)?.into_iter().find(|kept| kept.attempt == attempt) {
        // It was kept when it came in.
        Some(kept) if kept.status == status && kept.body == *body => return Ok(()),
        // A second answer to one sending would take the place of the first: that one goes into the state file for good.
        Some(first) if !is_written(on, batch, &first)? => write_answer(on, batch, &first)?,
        Some(_) | None => {}
    }
    Ok(on.answers.file(batch, attempt).keep(status, body, on.now.wall)?)
}

fn write_answer(db: &Connection, batch: BatchId, answered: &Answered) -> Outcome<()> {
    let Answered { attempt, status, at, body } = answered;
    let insert = "INSERT INTO answer (batch, attempt, status, at, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    db.run(insert, params![batch.0, attempt, status, at.0, &body[..]])
}

/// Copies what waits in files into the state file. The files go once this is committed: see [`is_filed`].
pub(super) fn file_answers(db: &Connection, answers: &Answers, batch: BatchId) -> Outcome<()> {
    for answered in answers.of(batch)? {
        if !is_written(db, batch, &answered)? {
            write_answer(db, batch, &answered)?;
        }
    }
    Ok(())
}

fn file_if_done(on: &Work<'_>, batch: BatchId) -> Outcome<()> {
    if open_ids(on, batch)?.is_empty() { file_answers(on, on.answers, batch) } else { Ok(()) }
}

fn is_written(db: &Connection, batch: BatchId, answered: &Answered) -> Outcome<bool> {
    let select = "SELECT 1 FROM answer WHERE batch = ?1 AND attempt = ?2 AND status = ?3 AND body = ?4";
    db.exists(select, params![batch.0, answered.attempt, answered.status, &answered.body[..]])
}

/// Whether nothing of a batch waits in files any more: each answer is in the state file and none is on its way.
pub(super) fn is_filed(db: &Connection, answers: &Answers, batch: BatchId) -> Outcome<bool> {
    let in_flight = last_attempt(db, batch)?.is_some_and(|last| last.end.is_none());
    if in_flight && !open_ids(db, batch)?.is_empty() {
        return Ok(false);
    }
    for answered in answers.of(batch)? {
        if !is_written(db, batch, &answered)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Gives room back that a crash left behind: taken for a batch that was then not written, or not given back after it was
/// settled. Under the write lock, so that no other window is between taking its room and writing its batch.
pub(super) fn release_unused(on: &Work<'_>) -> Outcome<()> {
    for batch in on.answers.batches()? {
        if open_ids(on, batch)?.is_empty() && is_filed(on, on.answers, batch)? {
            on.answers.release(batch);
        }
    }
    Ok(())
}

/// Those that were settled already and those that still wait in files, oldest first.
pub(super) fn all_answers(on: &Work<'_>, batch: BatchId) -> Outcome<Vec<(u16, Bytes)>> {
    let filed = "SELECT status, body FROM answer WHERE batch = ?1 ORDER BY attempt, seq";
    let mut all = on.list(filed, [batch.0])?;
    for answered in on.answers.of(batch)? {
        let answer = (answered.status, answered.body);
        if !all.contains(&answer) {
            all.push(answer);
        }
    }
    Ok(all)
}

/// What a free look saw, with how long the line had been broken then.
pub(super) fn looked(on: &Work<'_>, batch: BatchId, sent: u32, seen: &[(RowId, CheckResult)]) -> Outcome<StoreReply> {
    if is_outdated(on, batch, sent)? {
        return Ok(StoreReply::Outdated);
    }
    // While it is in flight nothing that is seen proves anything.
    let Some(Attempt { number, end: Some(end), .. }) = last_attempt(on, batch)? else {
        return Ok(StoreReply::Done(()));
    };
    let quiet = end.quiet(on.boot, on.now).as_millis() as i64;
    for (id, sight) in seen {
        let insert = "INSERT INTO sighting (batch, attempt, id, sight, at, quiet_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        on.run(insert, [batch.0, number, id.0, sight.code(), on.now.wall.0, quiet])?;
    }
    Ok(StoreReply::Done(()))
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
    let select = "SELECT id, order_id, number, profile, corpus, verify, balance_before FROM batch
         WHERE purse = ?1 AND id IN (SELECT DISTINCT batch FROM open_contact WHERE purse = ?1) ORDER BY id";
    let found = on.read(select, [to_read(on, purse)?], |row| {
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
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// How many contacts a profile left unknown in purses other than this one.
pub(super) fn open_elsewhere(on: &Work<'_>, profile: &str, purse: &Purse) -> Outcome<u64> {
    let select = "SELECT count(*) FROM open_contact o JOIN batch b ON b.id = o.batch
        WHERE b.profile = ?1 AND o.purse IS NOT ?2";
    on.value(select, params![profile, to_read(on, purse)?])
}

fn open_contacts(on: &Work<'_>, batch: BatchId, attempt: i64) -> Outcome<Vec<OpenContact>> {
    let select = "SELECT a.id, a.clue, t.row FROM asked a JOIN open_contact o ON o.batch = a.batch AND o.id = a.id
         LEFT JOIN told t ON t.purse = o.purse AND t.corpus = o.corpus AND t.id = o.id
         WHERE a.batch = ?1 ORDER BY a.place";
    on.read(select, [batch.0], |row| {
        let (id, clue, shown): (RowId, _, Option<String>) = row.next()?;
        let select = "SELECT sight, at, quiet_ms FROM sighting
            WHERE batch = ?1 AND id = ?2 AND attempt = ?3 ORDER BY seq";
        let sightings = on.list(select, [batch.0, id.0, attempt])?;
        let shown = shown.and_then(|text| rows::read_one(Source::Workspace, &text).ok());
        Ok(OpenContact { id, clue, row: shown, sightings })
    })
}

/// What became of contacts that another unlock had under way.
pub(super) fn status(on: &Work<'_>, purse: i64, corpus: Corpus, ids: &[RowId]) -> Outcome<Vec<(RowId, ContactStatus)>> {
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
