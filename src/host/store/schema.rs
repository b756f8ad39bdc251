//! The shape of the state file and how an older one is brought up to it, with what needs code for that: the spelling of
//! addresses, and which purse the rows of a profile belong to.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use lode_core::{Origin, Source};
use lode_engine::effect::StoreFailure;

use super::purses::{move_lists, move_rows};
use super::sql::{Outcome, Sql};

const ALL: &str = lode_assets::SCHEMA;

/// The numbered sections of the schema, oldest first.
#[derive(Clone, Debug)]
pub(super) struct Shape(Vec<&'static str>);

impl Shape {
    /// What this lode writes.
    pub(super) fn current() -> Shape {
        let sections = ALL.split("-- migration ").skip(1);
        Shape(sections.map(|section| section.split_once('\n').map_or("", |(_, sql)| sql)).collect())
    }

    pub(super) fn version(&self) -> i64 {
        self.0.len() as i64
    }

    /// Brings the file up to this shape, whole or not at all. The caller has made a copy of an older one.
    pub(super) fn bring_up(&self, db: &mut Connection) -> Outcome<()> {
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let from = version(&tx)?;
        if from > self.version() {
            return Err(StoreFailure::Newer.into());
        }
        for (before, section) in self.0.iter().enumerate().skip(from.max(0).unsigned_abs() as usize) {
            tx.execute_batch(section)?;
            if before == 2 {
                to_purses(&tx)?;
            }
        }
        tx.execute_batch(&format!("PRAGMA user_version = {}", self.version()))?;
        tx.commit()?;
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn and(mut self, section: &'static str) -> Shape {
        self.0.push(section);
        self
    }
}

/// Which shape a file has; 0 is one that has none yet.
pub(super) fn version(db: &Connection) -> Outcome<i64> {
    Ok(db.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// The shape of a file, if this lode knows it.
pub(super) fn known_version(db: &Connection) -> Outcome<i64> {
    match version(db)? {
        version if version > Shape::current().version() => Err(StoreFailure::Newer.into()),
        version => Ok(version),
    }
}

/// To version 3: origins get their one spelling, so that purses that differed only by it become one; the rows of a profile
/// with exactly one known purse move there.
fn to_purses(tx: &Transaction<'_>) -> Outcome<()> {
    spell_origins(tx)?;
    let certain: Vec<(i64, i64)> = tx.list(
        "SELECT e.id, max(k.purse) FROM purse e JOIN profile_purse k ON k.profile = e.owner
         WHERE e.kind = 3 GROUP BY e.id HAVING count(DISTINCT k.purse) = 1",
        [],
    )?;
    for (earlier, purse) in certain {
        move_rows(tx, earlier, purse, Source::Workspace)?;
        move_lists(tx, earlier, purse)?;
    }
    tx.execute_batch("DROP TABLE profile_purse")?;
    Ok(())
}

fn spell_origins(tx: &Transaction<'_>) -> Outcome<()> {
    let select = "SELECT id, origin, owner FROM purse WHERE kind = 0 ORDER BY id";
    let purses: Vec<(i64, String, String)> = tx.list(select, [])?;
    // A batch and its outcomes are never changed; here they only learn the one name of their purse.
    tx.execute_batch("DROP TRIGGER batch_stays; DROP TRIGGER outcome_stays;")?;
    for (id, written, org) in purses {
        let origin = if is_demo(tx, id)? { Origin::demo() } else { Origin::of(&written) };
        tx.execute("UPDATE OR REPLACE known_key SET origin = ?1 WHERE purse = ?2", (origin.as_str(), id))?;
        let same = "SELECT id FROM purse WHERE kind = 0 AND origin = ?1 AND owner = ?2 AND id <> ?3";
        match tx.find(same, (origin.as_str(), &org, id))? {
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
    tx.value(
        "SELECT EXISTS (SELECT 1 FROM profile_purse WHERE purse = ?1 AND profile = 'demo')
         AND NOT EXISTS (SELECT 1 FROM profile_purse WHERE purse = ?1 AND profile <> 'demo')
         AND EXISTS (SELECT 1 FROM purse WHERE id = ?1 AND origin LIKE 'http://127.0.0.1:%')",
        [purse],
    )
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
