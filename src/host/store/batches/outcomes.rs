//! What became of the contacts of a batch: one outcome each, the first that became known, never taken back.

use rusqlite::{Connection, Transaction, params};

use crate::store::answers::Answers;
use crate::store::codes::{ReadOutcome, amount, corpus_code};
use crate::store::trouble::Outcome;
use crate::store::{basket, owned, spent, told};
use lode_core::{BatchId, Now, Outcome as Became, RowId};
use lode_engine::effect::{Settled, SettledBy, Settlement, StoreReply};

use super::raw::file_answers;
use super::{Of, end, is_outdated, of, open_ids};

/// Nothing of *this* sending was applied. If an earlier one was lost, the batch stays unknown: that one may have been.
pub(in crate::store) fn withdraw(
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
    let unknown: i64 = query.query_row([batch.0], |row| row.get(0))?;
    if unknown == 0 {
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
    if !written.became.is_owned() {
        told::drop_unowned(tx, of.purse, of.side.corpus, written.id)?;
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
pub(in crate::store) fn settle(
    tx: &Transaction<'_>,
    answers: &Answers,
    boot: &str,
    settlement: &Settlement,
    now: Now,
) -> Outcome<StoreReply> {
    let batch = settlement.batch;
    let of = of(tx, batch)?;
    if is_outdated(tx, batch, settlement.sent)? {
        return Ok(StoreReply::Outdated);
    }
    let how = match settlement.how {
        SettledBy::Answer => "answer",
        SettledBy::Look => "look",
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
        if settled.outcome.is_owned() {
            let contact = settled.contact.clone().unwrap_or_default();
            // Bought by this order only if the charge is on it; what it owned before keeps the order that bought it.
            let bought = (first && settled.outcome.gross().0 > 0).then_some((of.order, batch));
            owned::take(tx, of.purse, of.side.corpus, settled.id, &contact, bought, None, now)?;
        }
        // Locked ones stay staged; what cannot be bought any more leaves with the rest.
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
    if settlement.how == SettledBy::Answer {
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

/// What became of the contacts of a batch, in the order they were sent in, with what is owned of them.
pub(in crate::store) fn settled(books: &Connection, batch: BatchId) -> Outcome<Vec<Settled>> {
    let mut query = books.prepare_cached(
        "SELECT u.outcome, u.evidence, a.id, email, phone, contact_name, company_name, title, o.verification, refunded
         FROM asked a JOIN outcome u ON u.batch = a.batch AND u.id = a.id
         LEFT JOIN owned o ON o.purse = u.purse AND o.corpus = u.corpus AND o.id = u.id
         WHERE a.batch = ?1 ORDER BY a.place",
    )?;
    let rows = query.query_map([batch.0], |row| {
        let outcome = row.get::<_, ReadOutcome>(0)?.0;
        let known = outcome.is_owned() && row.get::<_, Option<String>>(3)?.is_some();
        let contact = if known { Some(owned::contact(row, 3)?) } else { None };
        Ok(Settled { id: RowId(row.get(2)?), outcome, contact: contact.map(Box::new), evidence: row.get(1)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
