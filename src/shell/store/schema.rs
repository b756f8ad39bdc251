//! The shape of the state file and how an older one is brought up to it.

use rusqlite::{Connection, TransactionBehavior};

use crate::effect::failure::StoreFailure;

use super::trouble::Outcome;

const ALL: &str = include_str!("../../../assets/schema.sql");

/// The numbered sections of the schema, oldest first.
fn migrations() -> impl Iterator<Item = &'static str> {
    ALL.split("-- migration ").skip(1).map(|section| section.split_once('\n').map_or("", |(_, sql)| sql))
}

/// The version this lode writes.
pub(super) fn current() -> i64 {
    migrations().count() as i64
}

pub(super) fn version(books: &Connection) -> Outcome<i64> {
    Ok(books.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Brings the file up to this lode's version, whole or not at all. The caller has made a copy of an older one.
pub(super) fn bring_up(books: &mut Connection) -> Outcome<()> {
    let tx = books.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = version(&tx)?;
    if from > current() {
        return Err(StoreFailure::Newer.into());
    }
    for section in migrations().skip(from.max(0) as usize) {
        tx.execute_batch(section)?;
    }
    tx.execute_batch(&format!("PRAGMA user_version = {}", current()))?;
    tx.commit()?;
    Ok(())
}
