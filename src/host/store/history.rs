//! What was searched, with the ids each page showed, so that a free look knows which search to repeat for an id.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use lode_core::{Now, Query, RowId, Side, Wall, ids};
use lode_engine::effect::{PastSearch, ShownIn, StoreReply};

use super::codes::{count, side_codes};
use super::purses::numbers;
use super::trouble::Outcome;

/// Pages kept, over all purses: about fifteen megabytes. The oldest go first.
const PAGES: i64 = 50_000;

pub(super) fn searched(
    books: &Connection,
    purse: i64,
    canonical: &str,
    (total, offset): (u64, u64),
    shown: &[RowId],
    listed: bool,
    now: Now,
) -> Outcome<StoreReply> {
    let (source, corpus) = side_codes(Query::from_canonical(canonical).map(|query| query.side).unwrap_or_default());
    let search: i64 = books
        .prepare_cached(
            "INSERT INTO search (purse, canonical, source, corpus, total, at, turn)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, CASE WHEN ?7 THEN (SELECT coalesce(max(turn), 0) + 1 FROM search) ELSE 0 END)
             ON CONFLICT (purse, canonical) DO UPDATE SET total = excluded.total,
                at = CASE WHEN ?7 THEN excluded.at ELSE at END, turn = max(turn, excluded.turn)
             RETURNING id",
        )?
        .query_row(params![purse, canonical, source, corpus, count(total), now.wall.0, listed], |row| row.get(0))?;
    if !shown.is_empty() {
        let packed = ids::pack(shown.iter().copied());
        books
            .prepare_cached("INSERT OR REPLACE INTO shown (search, start, ids) VALUES (?1, ?2, ?3)")?
            .execute(params![search, count(offset), &packed[..]])?;
        books.prepare_cached("DELETE FROM shown WHERE seq <= ?1")?.execute([books.last_insert_rowid() - PAGES])?;
    }
    Ok(StoreReply::Done)
}

/// Newest first, without the legs of others (turn 0); a search that several of the purses know is there once.
pub(super) fn recent(books: &Connection, purses: &[i64], most: u32) -> Outcome<StoreReply> {
    let mut query = books.prepare_cached(
        "SELECT canonical, total, at, max(turn) AS last FROM search
         WHERE purse IN (SELECT value FROM json_each(?1)) AND turn > 0
         GROUP BY canonical ORDER BY last DESC LIMIT ?2",
    )?;
    let rows = query.query_map(params![numbers(purses), most], |row| {
        Ok(PastSearch { canonical: row.get(0)?, total: row.get::<_, i64>(1)?.unsigned_abs(), at: Wall(row.get(2)?) })
    })?;
    Ok(StoreReply::Recent(rows.collect::<Result<_, _>>()?))
}

/// Reads every page of the side, newest search first: a few milliseconds for thousands of pages, and seldom asked.
pub(super) fn shown(books: &Connection, purses: &[i64], side: Side, wanted: &[RowId]) -> Outcome<StoreReply> {
    let (source, corpus) = side_codes(side);
    let mut found: BTreeMap<RowId, Vec<ShownIn>> = wanted.iter().map(|id| (*id, Vec::new())).collect();
    let mut query = books.prepare_cached(
        "SELECT s.canonical, p.start, p.ids FROM search s JOIN shown p ON p.search = s.id
         WHERE s.purse IN (SELECT value FROM json_each(?1)) AND s.source = ?2 AND s.corpus = ?3 ORDER BY s.turn DESC, s.id DESC, p.seq DESC",
    )?;
    let mut rows = query.query(params![numbers(purses), source, corpus])?;
    while let Some(row) = rows.next()? {
        let page = ShownIn { canonical: row.get(0)?, offset: row.get::<_, i64>(1)?.unsigned_abs() };
        let packed = row.get_ref(2)?.as_blob().unwrap_or_default();
        for id in ids::unpack(packed).unwrap_or_default() {
            // The newest page of each search: pages come newest first within their search.
            if let Some(searches) = found.get_mut(&id)
                && searches.last().is_none_or(|last| last.canonical != page.canonical)
            {
                searches.push(page.clone());
            }
        }
    }
    Ok(StoreReply::Shown(wanted.iter().map(|id| (*id, found.get(id).cloned().unwrap_or_default())).collect()))
}
