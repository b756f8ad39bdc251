//! What the service told of a contact besides its address: the row that a search showed. It is written down before the contact
//! is bought, because the basket lets go of it then, and when a search shows the contact as owned.

use rusqlite::{Connection, params};

use lode_core::{Corpus, Row, RowId, Rows, Source};
use lode_engine::wire::rows;

use super::codes::{corpus_code, source_code};
use super::trouble::Outcome;

/// Keeps the rows of contacts that are about to be bought: those that are given, and those of the basket.
pub(super) fn keep(
    books: &Connection,
    purse: i64,
    corpus: Corpus,
    ids: &[RowId],
    given: &[(RowId, String)],
) -> Outcome<()> {
    let mut insert =
        books.prepare_cached("INSERT OR IGNORE INTO told (purse, corpus, id, row) VALUES (?1, ?2, ?3, ?4)")?;
    for (id, row) in given {
        insert.execute(params![purse, corpus_code(corpus), id.0, row])?;
    }
    let mut staged = books.prepare_cached(
        "INSERT OR IGNORE INTO told (purse, corpus, id, row) SELECT purse, corpus, id, row FROM basket
         WHERE purse = ?1 AND source = ?2 AND corpus = ?3 AND id = ?4 AND row <> ''",
    )?;
    for id in ids {
        staged.execute(params![purse, source_code(Source::Workspace), corpus_code(corpus), id.0])?;
    }
    Ok(())
}

/// A search showed the contact as owned: nothing is newer and more complete.
pub(super) fn replace(books: &Connection, purse: i64, corpus: Corpus, id: RowId, row: &str) -> Outcome<()> {
    books
        .prepare_cached("INSERT OR REPLACE INTO told (purse, corpus, id, row) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![purse, corpus_code(corpus), id.0, row])?;
    Ok(())
}

/// It was not bought after all.
pub(super) fn drop_unowned(books: &Connection, purse: i64, corpus: Corpus, id: RowId) -> Outcome<()> {
    books
        .prepare_cached(
            "DELETE FROM told WHERE purse = ?1 AND corpus = ?2 AND id = ?3 AND NOT EXISTS
             (SELECT 1 FROM owned o WHERE o.purse = ?1 AND o.corpus = ?2 AND o.id = ?3)",
        )?
        .execute(params![purse, corpus_code(corpus), id.0])?;
    Ok(())
}

/// Rows as they were kept, side by side in memory; none where a text cannot be read.
pub(super) fn read<'a>(kept: impl Iterator<Item = (RowId, &'a str)>) -> Vec<Option<Row>> {
    let mut all: Option<Rows> = None;
    let mut readable = Vec::new();
    for (id, text) in kept {
        let row = rows::read_one(Source::Workspace, text).ok();
        readable.push(row.is_some());
        let Some(row) = row else { continue };
        let into = all.get_or_insert_with(|| Rows::new(std::sync::Arc::clone(row.columns())));
        into.push(Some(id), row.unlocked(), row.columns(), row.fields().map(|(_, kind, text)| (kind, text)));
    }
    let mut rows = all.map(Rows::finish).unwrap_or_default().into_iter();
    readable.into_iter().map(|is| if is { rows.next() } else { None }).collect()
}
