//! Small things that are kept: whose key it is, what a saved search had last time, where the person was.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, params};

use lode_core::{Account, Credits, KeyHash, Now, Origin, Purse, Wall};
use lode_engine::effect::{Snapshot, StoreReply};

use super::codes::{amount, count, read_words, words_text};
use super::purses::{adopt_provisional, number_of_purse, purse, rename_earlier};
use super::trouble::Outcome;

pub(super) fn know(
    books: &Connection,
    key: &KeyHash,
    purse: &Purse,
    account: &Account,
    now: Now,
) -> Outcome<StoreReply> {
    adopt_provisional(books, key, purse)?;
    let number = number_of_purse(books, purse)?;
    books
        .prepare_cached(
            "INSERT OR REPLACE INTO known_key
             (origin, key, purse, org_name, plan, key_name, key_prefix, scopes, credits, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            purse.origin.as_str(),
            key.0,
            number,
            account.org_name,
            account.plan,
            account.key_name,
            account.key_prefix,
            words_text(&account.scopes),
            amount(account.credits),
            now.wall.0
        ])?;
    Ok(StoreReply::Done)
}

pub(super) fn known(books: &Connection, origin: &Origin, key: &KeyHash) -> Outcome<StoreReply> {
    let mut query = books.prepare_cached(
        "SELECT p.origin, p.kind, p.owner, org_name, plan, key_name, key_prefix, scopes, credits, at
         FROM known_key k JOIN purse p ON p.id = k.purse WHERE k.origin = ?1 AND key = ?2",
    )?;
    let found = query.query_row([origin.as_str(), &key.0], |row| {
        let account = Account {
            org_id: row.get(2)?,
            org_name: row.get(3)?,
            plan: row.get(4)?,
            key_name: row.get(5)?,
            key_prefix: row.get(6)?,
            scopes: read_words(&row.get::<_, String>(7)?),
            credits: row.get::<_, Option<i64>>(8)?.map(Credits),
        };
        Ok(purse(row, 0)?.map(|purse| (purse, account, Wall(row.get_unwrap(9)))))
    });
    Ok(StoreReply::Known(found.optional()?.flatten()))
}

pub(super) fn snapshot(
    books: &Connection,
    purse: i64,
    profile: &str,
    name: &str,
    query: &str,
    snapshot: &Snapshot,
) -> Outcome<StoreReply> {
    let Snapshot { total, at, read, ids } = snapshot;
    books
        .prepare_cached(
            "INSERT OR REPLACE INTO snapshot (profile, name, purse, query, total, at, read, ids)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![profile, name, purse, query, count(*total), at.0, count(*read), &ids[..]])?;
    Ok(StoreReply::Done)
}

/// One from before queries or purses were kept with them is believed.
pub(super) fn snapshot_of(
    books: &Connection,
    purse: i64,
    profile: &str,
    name: &str,
    query: &str,
) -> Outcome<StoreReply> {
    let mut select = books.prepare_cached(
        "SELECT total, at, read, ids FROM snapshot
         WHERE profile = ?1 AND name = ?2 AND query IN (?3, '') AND purse IN (?4, 0) ORDER BY purse = 0, query = '' LIMIT 1",
    )?;
    let found = select.query_row(params![profile, name, query, purse], |row| {
        Ok(Snapshot {
            total: row.get::<_, i64>(0)?.unsigned_abs(),
            at: Wall(row.get(1)?),
            read: row.get::<_, i64>(2)?.unsigned_abs(),
            ids: Bytes::from(row.get::<_, Vec<u8>>(3)?),
        })
    });
    Ok(StoreReply::Snapshot(found.optional()?))
}

/// What stood under the new name belonged to a search that is not there any more.
pub(super) fn move_snapshot(books: &Connection, profile: &str, from: &str, to: &str) -> Outcome<StoreReply> {
    if from != to {
        forget_snapshot(books, profile, to)?;
        let mut update = books.prepare_cached("UPDATE snapshot SET name = ?3 WHERE profile = ?1 AND name = ?2")?;
        update.execute([profile, from, to])?;
    }
    Ok(StoreReply::Done)
}

pub(super) fn forget_snapshot(books: &Connection, profile: &str, name: &str) -> Outcome<StoreReply> {
    books.prepare_cached("DELETE FROM snapshot WHERE profile = ?1 AND name = ?2")?.execute([profile, name])?;
    Ok(StoreReply::Done)
}

pub(super) fn place(books: &Connection, profile: &str, text: &str) -> Outcome<StoreReply> {
    books.prepare_cached("INSERT OR REPLACE INTO place (profile, text) VALUES (?1, ?2)")?.execute([profile, text])?;
    Ok(StoreReply::Done)
}

pub(super) fn place_of(books: &Connection, profile: &str) -> Outcome<StoreReply> {
    let mut query = books.prepare_cached("SELECT text FROM place WHERE profile = ?1")?;
    Ok(StoreReply::Place(query.query_row([profile], |row| row.get(0)).optional()?))
}

/// Gives everything that is kept by a profile's name to its new one. Where that has something already, both are kept.
pub(super) fn rename_profile(books: &Connection, from: &str, to: &str) -> Outcome<StoreReply> {
    for table in ["snapshot", "place"] {
        books.execute(&format!("UPDATE OR IGNORE {table} SET profile = ?2 WHERE profile = ?1"), [from, to])?;
        books.execute(&format!("DELETE FROM {table} WHERE profile = ?1"), [from])?;
    }
    rename_earlier(books, from, to)?;
    Ok(StoreReply::Done)
}
