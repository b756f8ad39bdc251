//! The allowance of each key: an exact sliding window over every lode of this machine.
//!
//! Lives in a file of its own that is never synced: a slot is worth a minute, and taking one must cost microseconds. A slot
//! is held from before the request leaves until one window after its answer arrived, because the service counts when it
//! receives, which is no later than the answer. Slots of a window that died are freed one window after that is noticed.

use super::*;

pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS slot (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, window TEXT NOT NULL,
    window_ms INTEGER NOT NULL, frees INTEGER, frees_wall INTEGER);
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
    if !tx.exists("SELECT 1 FROM boot WHERE id = ?1", [boot])? {
        let (mono, wall) = (count(now.mono.0), now.wall.0);
        let update = "UPDATE slot SET frees = ?1 + CASE WHEN frees IS NULL THEN window_ms
             ELSE max(0, min(window_ms, frees_wall - ?2)) END, frees_wall = coalesce(frees_wall, ?2 + window_ms)";
        tx.execute(update, params![mono, wall])?;
        tx.execute("UPDATE pause SET until = ?1 + max(0, min(300000, until_wall - ?2))", params![mono, wall])?;
        tx.execute("INSERT OR REPLACE INTO boot (one, id) VALUES (1, ?1)", [boot])?;
    }
    Ok(tx.commit()?)
}

/// Frees the slots in flight of windows that no longer live, each one of its windows from now. Returns whether there were any.
fn free_orphans(on: &Work<'_>, mine: &WindowId) -> Outcome<bool> {
    let tx = Transaction::new_unchecked(on, TransactionBehavior::Immediate)?;
    let mut windows: Vec<WindowId> = tx.list("SELECT DISTINCT window FROM slot WHERE frees IS NULL", [])?;
    windows.retain(|window| window != mine && !on.windows.lives(window));
    for window in &windows {
        let update = "UPDATE slot SET frees = ?1 + window_ms, frees_wall = ?2 + window_ms
            WHERE window = ?3 AND frees IS NULL";
        tx.run(update, params![count(on.now.mono.0 + GRAIN), on.now.wall.0, window.0])?;
    }
    tx.commit()?;
    Ok(!windows.is_empty())
}

pub(super) fn reserve(on: &Work<'_>, key: &KeyHash, allowance: Allowance, window: &WindowId) -> Outcome<StoreReply> {
    let reply = attempt(on, key, allowance, window)?;
    // Only if a request has to wait is it worth asking whether the others still live.
    if matches!(&reply, StoreReply::Wait { gauge, .. } if gauge.in_flight > 0) && free_orphans(on, window)? {
        return attempt(on, key, allowance, window);
    }
    Ok(reply)
}

fn attempt(on: &Work<'_>, key: &KeyHash, allowance: Allowance, window: &WindowId) -> Outcome<StoreReply> {
    let tx = Transaction::new_unchecked(on, TransactionBehavior::Immediate)?;
    tx.run("DELETE FROM slot WHERE key = ?1 AND frees <= ?2", params![key.0, count(on.now.mono.0)])?;
    let mut gauge = gauge(&tx, key, on.now)?;
    let reply = match wait(&gauge, allowance, on.now) {
        Some(until) => StoreReply::Wait { until, gauge },
        None => {
            let insert = "INSERT INTO slot (key, window, window_ms) VALUES (?1, ?2, ?3)";
            tx.run(insert, params![key.0, window.0, count(allowance.window_ms)])?;
            gauge.in_flight += 1;
            StoreReply::Reserved { slot: SlotId(tx.last_insert_rowid()), gauge }
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

/// What a key's window holds, without taking or clearing anything.
pub(super) fn gauge(db: &Connection, key: &KeyHash, now: Now) -> Outcome<Gauge> {
    let mono = count(now.mono.0);
    let held = "SELECT frees FROM slot WHERE key = ?1 AND (frees IS NULL OR frees > ?2) ORDER BY frees";
    let held: Vec<Option<Mono>> = db.list(held, params![key.0, mono])?;
    let in_flight = held.iter().filter(|frees| frees.is_none()).count() as u32;
    let paused_until = db.find("SELECT until FROM pause WHERE key = ?1 AND until > ?2", params![key.0, mono])?;
    Ok(Gauge { in_flight, frees: held.into_iter().flatten().collect(), paused_until })
}

pub(super) fn release(db: &Connection, slot: SlotId, allowance: Allowance, now: Now) -> Outcome<()> {
    let window = count(allowance.window_ms);
    let frees = count(now.mono.0 + GRAIN).saturating_add(window);
    let update = "UPDATE slot SET frees = ?1, frees_wall = ?2 WHERE id = ?3 AND frees IS NULL";
    db.run(update, [frees, now.wall.0.saturating_add(window), slot.0])
}

pub(super) fn pause(db: &Connection, key: &KeyHash, wait: Duration, now: Now) -> Outcome<()> {
    let insert = "INSERT INTO pause (key, until, until_wall) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE
         SET until_wall = CASE WHEN excluded.until > until THEN excluded.until_wall ELSE until_wall END,
             until = max(until, excluded.until)";
    db.run(insert, params![key.0, count(now.mono.after(wait).0), now.wall.after(wait).0])
}

/// Everything that is known of every key, to where it can still be written.
pub(super) fn copy(from: &Connection, to: &Connection) -> Outcome<()> {
    to.execute("ATTACH ?1 AS shared", [from.path()])?;
    Ok(to.execute_batch(
        "INSERT INTO slot SELECT id, key, window, window_ms, frees, frees_wall FROM shared.slot;
         INSERT INTO pause SELECT key, until, until_wall FROM shared.pause;
         DETACH shared;",
    )?)
}
