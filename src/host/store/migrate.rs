//! What a migration needs code for: the spelling of addresses, and which purse the rows of a profile belong to.

use rusqlite::Transaction;

use lode_core::{Origin, Source};

use super::purses::{move_lists, move_rows};
use super::trouble::Outcome;

/// To version 3: origins get their one spelling, so that purses that differed only by it become one; the rows of a profile
/// with exactly one known purse move there.
pub(super) fn to_purses(tx: &Transaction<'_>) -> Outcome<()> {
    spell_origins(tx)?;
    let mut query = tx.prepare(
        "SELECT e.id, max(k.purse) FROM purse e JOIN profile_purse k ON k.profile = e.owner
         WHERE e.kind = 3 GROUP BY e.id HAVING count(DISTINCT k.purse) = 1",
    )?;
    let certain: Vec<(i64, i64)> =
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    for (earlier, purse) in certain {
        move_rows(tx, earlier, purse, Source::Workspace)?;
        move_lists(tx, earlier, purse)?;
    }
    tx.execute_batch("DROP TABLE profile_purse")?;
    Ok(())
}

fn spell_origins(tx: &Transaction<'_>) -> Outcome<()> {
    let mut query = tx.prepare("SELECT id, origin, owner FROM purse WHERE kind = 0 ORDER BY id")?;
    let purses: Vec<(i64, String, String)> =
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect::<Result<_, _>>()?;
    // A batch and its outcomes are never changed; here they only learn the one name of their purse.
    tx.execute_batch("DROP TRIGGER batch_stays; DROP TRIGGER outcome_stays;")?;
    for (id, written, org) in purses {
        let origin = if is_demo(tx, id)? { Origin::demo() } else { Origin::of(&written) };
        tx.execute("UPDATE OR REPLACE known_key SET origin = ?1 WHERE purse = ?2", (origin.as_str(), id))?;
        let same = "SELECT id FROM purse WHERE kind = 0 AND origin = ?1 AND owner = ?2 AND id <> ?3";
        let same: Option<i64> =
            tx.prepare(same)?.query_map((origin.as_str(), &org, id), |row| row.get(0))?.next().transpose()?;
        match same {
            Some(same) => fuse(tx, id, same)?,
            None => drop(tx.execute("UPDATE purse SET origin = ?1 WHERE id = ?2", (origin.as_str(), id))?),
        }
    }
    tx.execute_batch(
        "CREATE TRIGGER batch_stays BEFORE UPDATE ON batch BEGIN SELECT RAISE(ABORT, 'a batch is never changed'); END;
         CREATE TRIGGER outcome_stays BEFORE UPDATE ON outcome BEGIN SELECT RAISE(ABORT, 'an outcome is never changed'); END;",
    )?;
    Ok(())
}

/// The demo's own sandbox was a purse of its own for every port it listened on.
fn is_demo(tx: &Transaction<'_>, purse: i64) -> Outcome<bool> {
    let mut query = tx.prepare(
        "SELECT EXISTS (SELECT 1 FROM profile_purse WHERE purse = ?1 AND profile = 'demo')
         AND NOT EXISTS (SELECT 1 FROM profile_purse WHERE purse = ?1 AND profile <> 'demo')
         AND EXISTS (SELECT 1 FROM purse WHERE id = ?1 AND origin LIKE 'http://127.0.0.1:%')",
    )?;
    Ok(query.query_row([purse], |row| row.get(0))?)
}

/// Two purses that turned out to be one. A contact that is open in both stays open in both: each batch needs its own result.
fn fuse(tx: &Transaction<'_>, from: i64, to: i64) -> Outcome<()> {
    for table in ["orders", "batch", "open_contact", "outcome", "owned", "label", "known_key", "profile_purse"] {
        tx.execute(&format!("UPDATE OR IGNORE {table} SET purse = ?2 WHERE purse = ?1"), [from, to])?;
    }
    for table in ["owned", "label", "profile_purse"] {
        tx.execute(&format!("DELETE FROM {table} WHERE purse = ?1"), [from])?;
    }
    tx.execute("DELETE FROM purse WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM open_contact WHERE purse = ?1)", [from])?;
    Ok(())
}
