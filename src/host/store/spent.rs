//! What was spent and what is held, counted from the outcomes and the open contacts, never from a running total.
//!
//! A bound must hold whatever happened: a contact that cannot be looked up any more may have been charged, so every bound counts
//! it as spent. Receipts do not: they say what is known.

use rusqlite::{Connection, Params, params};

use lode_core::{BatchId, Credits, Now, OrderId, Purse};
use lode_engine::effect::{Spent, StoreReply, WindowId};

use super::purses::purse_number;
use super::trouble::Outcome;

pub(super) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) fn read(books: &Connection, purse: &Purse, window: &WindowId, now: Now) -> Outcome<StoreReply> {
    let Some(purse) = purse_number(books, purse)? else { return Ok(StoreReply::Spent(Spent::default())) };
    let (session, session_net) = of_run(books, purse, window)?;
    let kept = number(books, "SELECT count(*) FROM outcome WHERE purse = ?1 AND outcome = 'unlocked'", [purse])?;
    let came_back = number(books, "SELECT count(*) FROM outcome WHERE purse = ?1 AND outcome = 'refunded'", [purse])?;
    Ok(StoreReply::Spent(Spent {
        session,
        session_net,
        day: of_day(books, purse, now)?,
        held: held(books, purse)?,
        charged_ever: (kept + came_back).unsigned_abs(),
        refunded_ever: came_back.unsigned_abs(),
    }))
}

fn number(books: &Connection, sql: &str, with: impl Params) -> Outcome<i64> {
    Ok(books.prepare_cached(sql)?.query_row(with, |row| row.get(0))?)
}

/// Gross and net of one run of the program, whichever window of it spent.
pub(super) fn of_run(books: &Connection, purse: i64, window: &WindowId) -> Outcome<(Credits, Credits)> {
    // The windows of a run begin with its name and a dot; `/` is what comes after the dot.
    const BY: &str = "SELECT count(*) FROM outcome WHERE (window = ?1 OR window > ?1 || '.' AND window < ?1 || '/')
        AND purse = ?2 AND outcome = ?3";
    let net = number(books, BY, params![window.run(), purse, "unlocked"])?;
    let refunded = number(books, BY, params![window.run(), purse, "refunded"])?;
    let unreachable = number(books, BY, params![window.run(), purse, "unreachable"])?;
    Ok((Credits(net + refunded + unreachable), Credits(net)))
}

/// The clock of the daily cap: the wall's, but never earlier than what was booked last. A wall clock that was set back
/// cannot make room, and what was booked in the future counts as now.
pub(super) fn booking_time(books: &Connection, purse: i64, now: Now) -> Outcome<i64> {
    let mut latest = now.wall.0;
    for outcome in ["unlocked", "refunded", "unreachable"] {
        let mut query = books.prepare_cached("SELECT max(booked) FROM outcome WHERE purse = ?1 AND outcome = ?2")?;
        let booked: Option<i64> = query.query_row(params![purse, outcome], |row| row.get(0))?;
        latest = latest.max(booked.unwrap_or(i64::MIN));
    }
    Ok(latest)
}

/// Gross over the last 24 hours, all windows.
pub(super) fn of_day(books: &Connection, purse: i64, now: Now) -> Outcome<Credits> {
    let since = booking_time(books, purse, now)?.saturating_sub(DAY_MS);
    let gross = number(
        books,
        "SELECT count(*) FROM outcome
         WHERE purse = ?1 AND outcome IN ('unlocked', 'refunded', 'unreachable') AND booked > ?2",
        [purse, since],
    )?;
    Ok(Credits(gross))
}

/// In open batches of all windows. Money rule 5, *holds*.
pub(super) fn held(books: &Connection, purse: i64) -> Outcome<Credits> {
    Ok(Credits(number(books, "SELECT count(*) FROM open_contact WHERE purse = ?1", [purse])?))
}

/// In open batches that this run sent last.
pub(super) fn held_by_run(books: &Connection, purse: i64, window: &WindowId) -> Outcome<Credits> {
    Ok(Credits(number(
        books,
        "SELECT count(*) FROM open_contact o WHERE purse = ?1 AND
         (SELECT window = ?2 OR window > ?2 || '.' AND window < ?2 || '/' FROM attempt a
          WHERE a.batch = o.batch ORDER BY number DESC LIMIT 1)",
        params![purse, window.run()],
    )?))
}

/// Of one batch, if this run sent it last.
pub(super) fn held_of_batch_by(books: &Connection, batch: BatchId, window: &WindowId) -> Outcome<Credits> {
    Ok(Credits(number(
        books,
        "SELECT count(*) FROM open_contact o WHERE batch = ?1 AND
         (SELECT window = ?2 OR window > ?2 || '.' AND window < ?2 || '/' FROM attempt a
          WHERE a.batch = o.batch ORDER BY number DESC LIMIT 1)",
        params![batch.0, window.run()],
    )?))
}

pub(super) fn of_order(books: &Connection, order: OrderId) -> Outcome<Credits> {
    const GROSS: &str = "SELECT count(*) FROM outcome
        WHERE order_id = ?1 AND outcome IN ('unlocked', 'refunded', 'unreachable')";
    Ok(Credits(number(books, GROSS, [order.0])?))
}

pub(super) fn held_of_order(books: &Connection, order: OrderId) -> Outcome<Credits> {
    const HELD: &str = "SELECT count(*) FROM open_contact WHERE batch IN (SELECT id FROM batch WHERE order_id = ?1)";
    Ok(Credits(number(books, HELD, [order.0])?))
}
