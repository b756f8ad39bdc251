//! The allowance of each key: an exact sliding window over every lode of this machine.
//!
//! Lives in a file of its own that is never synced: a slot is worth a minute, and taking one must cost microseconds. A slot
//! is held from before the request leaves until one window after its answer arrived, because the service counts when it
//! receives, which is no later than the answer. Slots of a window that died are freed one window after that is noticed.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params, params_from_iter};

use lode_core::{Mono, Now};
use lode_engine::effect::{Allowance, Gauge, KeyHash, SlotId, StoreReply, WindowId};

use super::trouble::Outcome;
use super::windows::Windows;

pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS slot (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    window TEXT NOT NULL,
    window_ms INTEGER NOT NULL,
    frees INTEGER,
    frees_wall INTEGER
);
CREATE INDEX IF NOT EXISTS slot_of_key ON slot (key, frees);
CREATE TABLE IF NOT EXISTS pause (key TEXT PRIMARY KEY, until INTEGER NOT NULL, until_wall INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS boot (one INTEGER PRIMARY KEY, id TEXT NOT NULL);
";

/// Moments are read in whole milliseconds, so two readings may stand closer together than the moments themselves did.
const GRAIN: u64 = 1;

/// Brings what an earlier boot left to this machine's clock, which started again: what should free later than now on the
/// wall frees that much later here, but never later than one window.
pub(super) fn open(slots: &mut Connection, boot: &str, now: Now) -> Outcome<()> {
    slots.execute_batch(SCHEMA)?;
    let tx = slots.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let same = tx.prepare_cached("SELECT 1 FROM boot WHERE id = ?1")?.exists([boot])?;
    if !same {
        let (mono, wall) = (number(now.mono.0), now.wall.0);
        tx.execute(
            "UPDATE slot SET frees = ?1 + CASE WHEN frees IS NULL THEN window_ms
             ELSE max(0, min(window_ms, frees_wall - ?2)) END, frees_wall = coalesce(frees_wall, ?2 + window_ms)",
            params![mono, wall],
        )?;
        tx.execute("UPDATE pause SET until = ?1 + max(0, min(300000, until_wall - ?2))", params![mono, wall])?;
        tx.execute("INSERT OR REPLACE INTO boot (one, id) VALUES (1, ?1)", [boot])?;
    }
    tx.commit()?;
    Ok(())
}

/// Slots in flight of windows that no longer live: each frees one of its windows from now. Answers whether there were any.
pub(super) fn orphans(slots: &mut Connection, windows: &Windows, mine: &WindowId, now: Now) -> Outcome<bool> {
    let tx = slots.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut found = false;
    for window in in_flight_elsewhere(&tx, mine)? {
        if !windows.lives(&window) {
            found = true;
            tx.execute(
                "UPDATE slot SET frees = ?1 + window_ms, frees_wall = ?2 + window_ms WHERE window = ?3 AND frees IS NULL",
                params![number(now.mono.0 + GRAIN), now.wall.0, window.0],
            )?;
        }
    }
    tx.commit()?;
    Ok(found)
}

fn in_flight_elsewhere(tx: &Transaction<'_>, mine: &WindowId) -> Outcome<Vec<WindowId>> {
    let mut query = tx.prepare_cached("SELECT DISTINCT window FROM slot WHERE frees IS NULL AND window <> ?1")?;
    let windows = query.query_map([&mine.0], |row| row.get(0).map(WindowId))?;
    Ok(windows.collect::<Result<_, _>>()?)
}

pub(super) fn reserve(
    slots: &mut Connection,
    windows: &Windows,
    key: &KeyHash,
    allowance: Allowance,
    window: &WindowId,
    now: Now,
) -> Outcome<StoreReply> {
    let reply = attempt(slots, key, allowance, window, now)?;
    // Only if a request has to wait is it worth asking whether the others still live.
    if matches!(&reply, StoreReply::Wait { gauge, .. } if gauge.in_flight > 0) && orphans(slots, windows, window, now)?
    {
        return attempt(slots, key, allowance, window, now);
    }
    Ok(reply)
}

fn attempt(
    slots: &mut Connection,
    key: &KeyHash,
    allowance: Allowance,
    window: &WindowId,
    now: Now,
) -> Outcome<StoreReply> {
    let tx = slots.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut gauge = gauge(&tx, key, now)?;
    let reply =
        match wait(&gauge, allowance, now) {
            Some(until) => StoreReply::Wait { until, gauge },
            None => {
                tx.prepare_cached("INSERT INTO slot (key, window, window_ms) VALUES (?1, ?2, ?3)")?
                    .execute(params![key.0, window.0, number(allowance.window_ms)])?;
                let slot = SlotId(tx.last_insert_rowid());
                gauge.in_flight += 1;
                StoreReply::Reserved { slot, gauge }
            }
        };
    tx.commit()?;
    Ok(reply)
}

/// The first moment at which a slot can be free; none when one is free now.
fn wait(gauge: &Gauge, allowance: Allowance, now: Now) -> Option<Mono> {
    if let Some(until) = gauge.paused_until {
        return Some(until);
    }
    let window = Mono(now.mono.0.saturating_add(allowance.window_ms).saturating_add(GRAIN));
    if let Some(requests) = allowance.requests {
        let held = gauge.frees.len() + gauge.in_flight as usize;
        if let Some(over) = held.checked_sub(requests as usize) {
            return Some(gauge.frees.get(over).copied().unwrap_or(window));
        }
    }
    // How long another request takes is unknown: the window with the response asks again, others look now and then.
    (gauge.in_flight >= allowance.in_flight.max(1)).then(|| Mono(now.mono.0 + 100))
}

fn gauge(tx: &Transaction<'_>, key: &KeyHash, now: Now) -> Outcome<Gauge> {
    let mono = number(now.mono.0);
    tx.prepare_cached("DELETE FROM slot WHERE key = ?1 AND frees <= ?2")?.execute(params![key.0, mono])?;
    let mut gauge = Gauge::default();
    let mut query = tx.prepare_cached("SELECT frees FROM slot WHERE key = ?1 ORDER BY frees")?;
    let mut rows = query.query([&key.0])?;
    while let Some(row) = rows.next()? {
        match row.get::<_, Option<i64>>(0)? {
            None => gauge.in_flight += 1,
            Some(frees) => gauge.frees.push(Mono(frees.unsigned_abs())),
        }
    }
    let mut query = tx.prepare_cached("SELECT until FROM pause WHERE key = ?1 AND until > ?2")?;
    let mut rows = query.query(params![key.0, mono])?;
    if let Some(row) = rows.next()? {
        gauge.paused_until = Some(Mono(row.get::<_, i64>(0)?.unsigned_abs()));
    }
    Ok(gauge)
}

/// What a key's window holds, without taking or clearing anything.
pub(super) fn look(slots: &Connection, key: &KeyHash, now: Now) -> Outcome<StoreReply> {
    let mono = number(now.mono.0);
    let mut query = slots
        .prepare_cached("SELECT frees FROM slot WHERE key = ?1 AND (frees IS NULL OR frees > ?2) ORDER BY frees")?;
    let mut gauge = Gauge::default();
    let mut rows = query.query(params![key.0, mono])?;
    while let Some(row) = rows.next()? {
        match row.get::<_, Option<i64>>(0)? {
            None => gauge.in_flight += 1,
            Some(frees) => gauge.frees.push(Mono(frees.unsigned_abs())),
        }
    }
    let mut query = slots.prepare_cached("SELECT until FROM pause WHERE key = ?1 AND until > ?2")?;
    gauge.paused_until = query
        .query_row(params![key.0, mono], |row| row.get(0))
        .optional()?
        .map(|until: i64| Mono(until.unsigned_abs()));
    Ok(StoreReply::Gauge(Some(gauge)))
}

pub(super) fn release(slots: &Connection, slot: SlotId, allowance: Allowance, now: Now) -> Outcome<StoreReply> {
    let window = number(allowance.window_ms);
    slots.prepare_cached("UPDATE slot SET frees = ?1, frees_wall = ?2 WHERE id = ?3 AND frees IS NULL")?.execute(
        params![number(now.mono.0 + GRAIN).saturating_add(window), now.wall.0.saturating_add(window), slot.0],
    )?;
    Ok(StoreReply::Done)
}

pub(super) fn pause(slots: &Connection, key: &KeyHash, wait: std::time::Duration, now: Now) -> Outcome<StoreReply> {
    slots
        .prepare_cached(
            "INSERT INTO pause (key, until, until_wall) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE
             SET until_wall = CASE WHEN excluded.until > until THEN excluded.until_wall ELSE until_wall END,
                 until = max(until, excluded.until)",
        )?
        .execute(params![key.0, number(now.mono.after(wait).0), now.wall.after(wait).0])?;
    Ok(StoreReply::Done)
}

/// Everything that is known of every key, to where it can still be written.
pub(super) fn copy(from: &Connection, to: &mut Connection) -> Outcome<()> {
    let tx = to.transaction()?;
    for (table, columns) in
        [("slot", "id, key, window, window_ms, frees, frees_wall"), ("pause", "key, until, until_wall")]
    {
        let width = columns.split(", ").count();
        let places = vec!["?"; width].join(", ");
        let mut insert = tx.prepare(&format!("INSERT INTO {table} ({columns}) VALUES ({places})"))?;
        let mut query = from.prepare(&format!("SELECT {columns} FROM {table}"))?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let values: Result<Vec<Value>, _> = (0..width).map(|column| row.get(column)).collect();
            insert.execute(params_from_iter(values?))?;
        }
    }
    tx.commit()?;
    Ok(())
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
