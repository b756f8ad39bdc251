//! Spent and held credits, and receipts: always counted from outcomes and open contacts, never from a running total.
//!
//! A bound must hold whatever happened: a contact that cannot be looked up any more may have been charged, so every bound counts
//! it as spent. Receipts do not: they say what is known, with the service's own figures beside it.

use super::*;

pub(super) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) fn read(db: &Connection, purse: i64, window: &WindowId, now: Now) -> Outcome<Spent> {
    let (session, session_net) = of_run(db, purse, window)?;
    let count = "SELECT count(*) FROM outcome WHERE purse = ?1 AND outcome = ?2";
    let kept: u64 = db.value(count, params![purse, "unlocked"])?;
    let refunded_ever: u64 = db.value(count, params![purse, "refunded"])?;
    let (day, held) = (of_day(db, purse, now)?, held(db, purse)?);
    Ok(Spent { session, session_net, day, held, charged_ever: kept + refunded_ever, refunded_ever })
}

/// Gross and net of one run of the program, whichever window of it spent.
pub(super) fn of_run(db: &Connection, purse: i64, window: &WindowId) -> Outcome<(Credits, Credits)> {
    // The windows of a run begin with its name and a dot; `/` is what comes after the dot.
    const BY: &str = "SELECT count(*), coalesce(sum(outcome = 'unlocked'), 0) FROM outcome
        WHERE (window = ?1 OR window > ?1 || '.' AND window < ?1 || '/')
        AND purse = ?2 AND outcome IN ('unlocked', 'refunded', 'unreachable')";
    db.value(BY, params![window.run(), purse])
}

/// The clock of the daily cap: the wall's, but never earlier than what was booked last. A wall clock that was set back
/// cannot make room, and what was booked in the future counts as now.
pub(super) fn booking_time(db: &Connection, purse: i64, now: Now) -> Outcome<i64> {
    let mut latest = now.wall.0;
    for outcome in ["unlocked", "refunded", "unreachable"] {
        let last = "SELECT max(booked) FROM outcome WHERE purse = ?1 AND outcome = ?2";
        let booked: Option<i64> = db.value(last, params![purse, outcome])?;
        latest = latest.max(booked.unwrap_or(i64::MIN));
    }
    Ok(latest)
}

/// Gross over the last 24 hours, all windows.
pub(super) fn of_day(db: &Connection, purse: i64, now: Now) -> Outcome<Credits> {
    let since = booking_time(db, purse, now)?.saturating_sub(DAY_MS);
    let gross = "SELECT count(*) FROM outcome
         WHERE purse = ?1 AND outcome IN ('unlocked', 'refunded', 'unreachable') AND booked > ?2";
    db.value(gross, [purse, since])
}

/// In open batches of all windows. Money rule 5, *holds*.
pub(super) fn held(db: &Connection, purse: i64) -> Outcome<Credits> {
    db.value("SELECT count(*) FROM open_contact WHERE purse = ?1", [purse])
}

/// In open batches that this run sent last, or in one of them.
pub(super) fn held_by_run(db: &Connection, purse: i64, batch: Option<BatchId>, window: &WindowId) -> Outcome<Credits> {
    const HELD: &str = "SELECT count(*) FROM open_contact o WHERE purse = ?1 AND (?3 IS NULL OR batch = ?3) AND
         (SELECT window = ?2 OR window > ?2 || '.' AND window < ?2 || '/' FROM attempt a
          WHERE a.batch = o.batch ORDER BY number DESC LIMIT 1)";
    db.value(HELD, params![purse, window.run(), batch.map(|batch| batch.0)])
}

pub(super) fn of_order(db: &Connection, order: OrderId) -> Outcome<Credits> {
    const GROSS: &str = "SELECT count(*) FROM outcome
        WHERE order_id = ?1 AND outcome IN ('unlocked', 'refunded', 'unreachable')";
    db.value(GROSS, [order.0])
}

pub(super) fn held_of_order(db: &Connection, order: OrderId) -> Outcome<Credits> {
    const HELD: &str = "SELECT count(*) FROM open_contact WHERE batch IN (SELECT id FROM batch WHERE order_id = ?1)";
    db.value(HELD, [order.0])
}

/// The result of each order, newest first.
pub(super) fn receipts(db: &Connection, purse: i64, month: Option<Month>) -> Outcome<Vec<Receipt>> {
    let (from, to) = month.map_or(Ok((i64::MIN, i64::MAX)), bounds)?;
    let select = "SELECT id, asked, corpus, profile, window, opened_at, ceiling, verify,
         (SELECT count(*) FROM attempt WHERE batch IN (SELECT id FROM batch WHERE order_id = o.id)),
         (SELECT assistant FROM proposal WHERE order_id = o.id)
         FROM orders o WHERE purse = ?1 AND opened_at >= ?2 AND opened_at < ?3 ORDER BY id DESC";
    db.read(select, [purse, from, to], |row| {
        let (order, asked) = row.next()?;
        let (stopped_for_credits, said) = said(db, order)?;
        Ok(Receipt {
            order,
            corpus: row.next()?,
            profile: row.next()?,
            window: row.next()?,
            opened_at: row.next()?,
            ceiling: row.next()?,
            verify: row.next()?,
            calls: row.next()?,
            assistant: row.next()?,
            tally: tally(db, order, asked)?,
            said,
            stopped_for_credits,
        })
    })
}

record! {
    StatedSums { charged, refunded, balance }
}

/// The month as the person's own calendar has it.
fn bounds(month: Month) -> Result<(i64, i64), StoreFailure> {
    let start = jiff::civil::Date::new(month.year, month.month, 1);
    let start = start.map_err(|_| StoreFailure::Other(format!("{}-{} is not a month", month.year, month.month)))?;
    let at = |date: jiff::civil::Date| {
        date.to_zoned(jiff::tz::TimeZone::system()).map_or(i64::MAX, |at| at.timestamp().as_millisecond())
    };
    let next = start.last_of_month().tomorrow().unwrap_or(jiff::civil::Date::MAX);
    Ok((at(start), at(next)))
}

fn tally(db: &Connection, order: OrderId, asked: u64) -> Outcome<Tally> {
    // A contact may be in several batches of an order, if a request was refused and repeated: the last one counts.
    let outcomes = "SELECT id, outcome, verification FROM outcome WHERE order_id = ?1 ORDER BY seq";
    let outcomes = db.list::<(RowId, (Became, Option<Verification>))>(outcomes, [order.0])?;
    let open = "SELECT id FROM open_contact WHERE batch IN (SELECT id FROM batch WHERE order_id = ?1)";
    let open = db.list::<RowId>(open, [order.0])?.into_iter().map(|id| (id, (Became::Unknown, None)));
    let last: BTreeMap<_, _> = outcomes.into_iter().chain(open).collect();
    let mut tally = Tally::default();
    last.values().for_each(|(became, verification)| tally.count_verified(*became, verification.as_ref()));
    // What was never sent is locked like what was refused.
    for _ in tally.asked..asked {
        tally.count(Became::Locked);
    }
    Ok(tally)
}

/// Whether an order stopped for want of credits, and the service's own figures for it.
fn said(db: &Connection, order: OrderId) -> Outcome<(bool, StatedSums)> {
    let select = "SELECT coalesce(max(stopped), 0), sum(charged), sum(refunded),
         (SELECT balance FROM settlement WHERE order_id = ?1 AND balance IS NOT NULL ORDER BY seq DESC LIMIT 1)
         FROM settlement WHERE order_id = ?1";
    db.value(select, [order.0])
}
