//! How the words of the business are written into the state file, and read back.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use lode_core::{Clue, Corpus, Credits, Outcome, RowId, Side, Source};

/// A corpus as a number, in the file for good.
pub(super) fn corpus_code(corpus: Corpus) -> i64 {
    match corpus {
        Corpus::Us => 0,
        Corpus::Linkedin => 1,
    }
}

pub(super) fn source_code(source: Source) -> i64 {
    match source {
        Source::Workspace => 0,
        Source::Data => 1,
    }
}

/// A corpus read back.
pub(super) struct ReadCorpus(pub Corpus);
/// A source read back.
pub(super) struct ReadSource(pub Source);
/// An outcome by its name.
pub(super) struct ReadOutcome(pub Outcome);
/// What a free look starts from, as a JSON list of its fields.
pub(super) struct ReadClue(pub Clue);

impl FromSql for ReadCorpus {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<ReadCorpus> {
        match value.as_i64()? {
            0 => Ok(ReadCorpus(Corpus::Us)),
            1 => Ok(ReadCorpus(Corpus::Linkedin)),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

impl FromSql for ReadSource {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<ReadSource> {
        match value.as_i64()? {
            0 => Ok(ReadSource(Source::Workspace)),
            1 => Ok(ReadSource(Source::Data)),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

impl FromSql for ReadOutcome {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<ReadOutcome> {
        Outcome::named(value.as_str()?).map(ReadOutcome).ok_or(FromSqlError::InvalidType)
    }
}

type ClueFields = (String, String, String, String, String, Option<String>);

pub(super) fn clue_text(clue: &Clue) -> String {
    let Clue { title, title_level, state, industry, email_domain_type, search } = clue;
    serde_json::to_string(&(title, title_level, state, industry, email_domain_type, search)).unwrap_or_default()
}

impl FromSql for ReadClue {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<ReadClue> {
        let fields: ClueFields = serde_json::from_str(value.as_str()?).map_err(|e| FromSqlError::Other(e.into()))?;
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

/// Identity of a row in a side, as parameters.
pub(super) fn side_codes(side: Side) -> (i64, i64) {
    (source_code(side.source), corpus_code(side.corpus))
}

pub(super) struct Amount(pub Credits);

impl ToSql for Amount {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.0.into())
    }
}

pub(super) fn amount(credits: Option<Credits>) -> Option<i64> {
    credits.map(|credits| credits.0)
}

pub(super) fn ids_of(rows: &[RowId]) -> impl Iterator<Item = i64> {
    rows.iter().map(|id| id.0)
}
