//! The shape of the state file and how an older one is brought up to it.

use rusqlite::{Connection, TransactionBehavior};

use lode_engine::effect::StoreFailure;

use super::migrate;
use super::trouble::Outcome;

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
    pub(super) fn bring_up(&self, books: &mut Connection) -> Outcome<()> {
        let tx = books.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let from = version(&tx)?;
        if from > self.version() {
            return Err(StoreFailure::Newer.into());
        }
        for (before, section) in self.0.iter().enumerate().skip(from.max(0).unsigned_abs() as usize) {
            tx.execute_batch(section)?;
            if before == 2 {
                migrate::to_purses(&tx)?;
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
pub(super) fn version(books: &Connection) -> Outcome<i64> {
    Ok(books.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}
