//! Receipts: what each order came to, counted from its outcomes; the service's own figures stand beside that.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use lode_core::{Credits, OrderId, Outcome as Became, Purse, Tally, Verification, Wall};
use lode_engine::effect::{Month, Receipt, StatedSums, StoreFailure, StoreReply, WindowId};

use super::codes::{ReadCorpus, ReadOutcome};
use super::purses::purse_number;
use super::trouble::Outcome;

/// Newest first.
pub(super) fn read(books: &Connection, purse: &Purse, month: Option<Month>) -> Outcome<StoreReply> {
    let Some(purse) = purse_number(books, purse)? else { return Ok(StoreReply::Receipts(Vec::new())) };
    let (from, to) = month.map_or(Ok((i64::MIN, i64::MAX)), bounds)?;
    let mut query = books.prepare_cached(
        "SELECT id, corpus, profile, window, opened_at, ceiling, verify, asked,
         (SELECT count(*) FROM attempt WHERE batch IN (SELECT id FROM batch WHERE order_id = o.id)),
         (SELECT assistant FROM proposal WHERE order_id = o.id)
         FROM orders o WHERE purse = ?1 AND opened_at >= ?2 AND opened_at < ?3 ORDER BY id DESC",
    )?;
    let mut rows = query.query(params![purse, from, to])?;
    let mut receipts = Vec::new();
    while let Some(row) = rows.next()? {
        let order = OrderId(row.get(0)?);
        let (said, stopped_for_credits) = said(books, order)?;
        receipts.push(Receipt {
            order,
            corpus: row.get::<_, ReadCorpus>(1)?.0,
            profile: row.get(2)?,
            window: WindowId(row.get(3)?),
            assistant: row.get(9)?,
            opened_at: Wall(row.get(4)?),
            ceiling: Credits(row.get(5)?),
            verify: row.get(6)?,
            calls: row.get(8)?,
            tally: tally(books, order, row.get::<_, i64>(7)?.unsigned_abs())?,
            said,
            stopped_for_credits,
        });
    }
    Ok(StoreReply::Receipts(receipts))
}

/// The month as the person's own calendar has it.
fn bounds(month: Month) -> Result<(i64, i64), StoreFailure> {
    let start = jiff::civil::Date::new(month.year, month.month, 1);
    let start = start.map_err(|_| StoreFailure::Other(format!("there is no month {}-{}", month.year, month.month)))?;
    let zone = jiff::tz::TimeZone::system();
    let at = |date: jiff::civil::Date| {
        zone.to_zoned(date.to_datetime(jiff::civil::Time::midnight()))
            .map_or(i64::MAX, |at| at.timestamp().as_millisecond())
    };
    let next = start.checked_add(jiff::Span::new().months(1)).unwrap_or(jiff::civil::Date::MAX);
    Ok((at(start), at(next)))
}

fn tally(books: &Connection, order: OrderId, asked: u64) -> Outcome<Tally> {
    // A contact may be in several batches of an order, if a request was refused and repeated: the last one counts.
    let mut last: BTreeMap<i64, (Became, Option<String>)> = BTreeMap::new();
    let mut query =
        books.prepare_cached("SELECT id, outcome, verification FROM outcome WHERE order_id = ?1 ORDER BY seq")?;
    let mut rows = query.query([order.0])?;
    while let Some(row) = rows.next()? {
        last.insert(row.get(0)?, (row.get::<_, ReadOutcome>(1)?.0, row.get(2)?));
    }
    let mut query = books
        .prepare_cached("SELECT id FROM open_contact WHERE batch IN (SELECT id FROM batch WHERE order_id = ?1)")?;
    let mut rows = query.query([order.0])?;
    while let Some(row) = rows.next()? {
        last.insert(row.get(0)?, (Became::Unknown, None));
    }
    let mut tally = Tally::default();
    for (became, verification) in last.values() {
        tally.count(*became);
        if became.gross().0 > 0 {
            match verification.as_deref().map(Verification::read) {
                Some(Verification::Valid) => tally.valid += 1,
                Some(Verification::Unknown) => tally.unverified += 1,
                _ => {}
            }
        }
    }
    // What was never sent is locked like what was refused.
    for _ in tally.asked..asked {
        tally.count(Became::Locked);
    }
    Ok(tally)
}

fn said(books: &Connection, order: OrderId) -> Outcome<(StatedSums, bool)> {
    let mut query = books.prepare_cached(
        "SELECT sum(charged), sum(refunded), coalesce(max(stopped), 0),
         (SELECT balance FROM settlement WHERE order_id = ?1 AND balance IS NOT NULL ORDER BY seq DESC LIMIT 1)
         FROM settlement WHERE order_id = ?1",
    )?;
    Ok(query.query_row([order.0], |row| {
        let said = StatedSums {
            charged: row.get::<_, Option<i64>>(0)?.map(Credits),
            refunded: row.get::<_, Option<i64>>(1)?.map(Credits),
            balance: row.get::<_, Option<i64>>(3)?.map(Credits),
        };
        Ok((said, row.get(2)?))
    })?)
}
