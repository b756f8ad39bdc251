//! Statements in one expression each, and how the words of the business are written into the state file and read back.

use std::fmt::Debug;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, OptionalExtension, Params, Row};

use lode_core::{Clue, Corpus, Credits, Outcome as Became, Side, Source};
use lode_engine::effect::{CheckResult, StoreFailure};

use super::trouble::Outcome;

/// Statements that stay prepared, so that the next one of the same text costs no planning.
pub(super) trait Sql {
    fn connection(&self) -> &Connection;

    fn run(&self, sql: &str, with: impl Params) -> Outcome<()> {
        self.change(sql, with).map(|_| ())
    }

    /// Changes rows, and returns how many.
    fn change(&self, sql: &str, with: impl Params) -> Outcome<usize> {
        Ok(self.connection().prepare_cached(sql)?.execute(with)?)
    }

    /// All rows, one after the other.
    fn each(&self, sql: &str, with: impl Params, mut take: impl FnMut(&Row<'_>) -> Outcome<()>) -> Outcome<()> {
        let mut query = self.connection().prepare_cached(sql)?;
        let mut rows = query.query(with)?;
        while let Some(row) = rows.next()? {
            take(row)?;
        }
        Ok(())
    }

    /// All rows as a list.
    fn list<T>(&self, sql: &str, with: impl Params, mut read: impl FnMut(&Row<'_>) -> Outcome<T>) -> Outcome<Vec<T>> {
        let mut found = Vec::new();
        self.each(sql, with, |row| {
            found.push(read(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// The first row, if there is one.
    fn find<T>(&self, sql: &str, with: impl Params, read: impl FnOnce(&Row<'_>) -> Outcome<T>) -> Outcome<Option<T>> {
        let mut query = self.connection().prepare_cached(sql)?;
        query.query(with)?.next()?.map(read).transpose()
    }

    /// The first column of the first row, if there is one.
    fn maybe<T: FromSql>(&self, sql: &str, with: impl Params) -> Outcome<Option<T>> {
        Ok(self.connection().prepare_cached(sql)?.query_row(with, |row| row.get(0)).optional()?)
    }

    /// The first column of the one row.
    fn value<T: FromSql>(&self, sql: &str, with: impl Params) -> Outcome<T> {
        Ok(self.connection().prepare_cached(sql)?.query_row(with, |row| row.get(0))?)
    }

    fn exists(&self, sql: &str, with: impl Params) -> Outcome<bool> {
        Ok(self.connection().prepare_cached(sql)?.exists(with)?)
    }
}

impl Sql for Connection {
    fn connection(&self) -> &Connection {
        self
    }
}

/// What the file holds as a number: its place in the list, for good.
pub(super) trait Coded: Copy + Debug + PartialEq + Sized + 'static {
    const CODES: &'static [Self];

    fn code(self) -> i64 {
        let place = Self::CODES.iter().position(|one| *one == self);
        place.unwrap_or_else(|| unreachable!("{self:?} has no code")) as i64
    }

    fn read(row: &Row<'_>, at: usize) -> Outcome<Self> {
        let code: i64 = row.get(at)?;
        let found = usize::try_from(code).ok().and_then(|code| Self::CODES.get(code));
        found.copied().ok_or_else(|| StoreFailure::Corrupt(format!("the code {code} is unknown")).into())
    }
}

impl Coded for Corpus {
    const CODES: &'static [Corpus] = &[Corpus::Us, Corpus::Linkedin];
}

impl Coded for Source {
    const CODES: &'static [Source] = &[Source::Workspace, Source::Data];
}

impl Coded for CheckResult {
    const CODES: &'static [CheckResult] = &[CheckResult::Locked, CheckResult::Absent];
}

/// The two columns of a side.
pub(super) fn side_codes(side: Side) -> (i64, i64) {
    (side.source.code(), side.corpus.code())
}

pub(super) fn read_side(row: &Row<'_>, at: usize) -> Outcome<Side> {
    Ok(Side { source: Source::read(row, at)?, corpus: Corpus::read(row, at + 1)? })
}

/// An outcome by its name.
pub(super) struct ReadOutcome(pub Became);

impl FromSql for ReadOutcome {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<ReadOutcome> {
        Became::named(value.as_str()?).map(ReadOutcome).ok_or(FromSqlError::InvalidType)
    }
}

/// What a free look starts from, as a JSON list of its fields.
pub(super) struct ReadClue(pub Clue);

pub(super) fn clue_text(clue: &Clue) -> String {
    let Clue { title, title_level, state, industry, email_domain_type, search } = clue;
    serde_json::to_string(&(title, title_level, state, industry, email_domain_type, search)).unwrap_or_default()
}

impl FromSql for ReadClue {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<ReadClue> {
        let fields = serde_json::from_str(value.as_str()?).map_err(|error| FromSqlError::Other(error.into()))?;
        let (title, title_level, state, industry, email_domain_type, search) = fields;
        Ok(ReadClue(Clue { title, title_level, state, industry, email_domain_type, search }))
    }
}

/// Words in one text: scopes, tags.
pub(super) fn words_text(words: &[String]) -> String {
    serde_json::to_string(words).unwrap_or_default()
}

pub(super) fn read_words(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Counts of the service reach up to `u64`; the file holds `i64`. Nothing real is lost at the edge.
pub(super) fn count(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn read_count(row: &Row<'_>, at: usize) -> Outcome<u64> {
    Ok(row.get::<_, i64>(at)?.unsigned_abs())
}

pub(super) fn amount(credits: Option<Credits>) -> Option<i64> {
    credits.map(|credits| credits.0)
}

pub(super) fn read_amount(row: &Row<'_>, at: usize) -> Outcome<Option<Credits>> {
    Ok(row.get::<_, Option<i64>>(at)?.map(Credits))
}
