//! Purses in the ledger: their numbers, which one a reference means, how rows move from one to another, and whose key each
//! one is.

use super::windows::{LISTS, raise};
use super::*;

const ORG: i64 = 0;
const DATA_KEY: i64 = 1;
const PROVISIONAL: i64 = 2;
const EARLIER: i64 = 3;

/// Origin, kind and owner.
pub(super) type PurseKey<'a> = (&'a str, i64, &'a str);

fn columns(purse: &Purse) -> PurseKey<'_> {
    match &purse.owner {
        PurseOwner::Org(org) => (purse.origin.as_str(), ORG, org),
        PurseOwner::DataKey(key) => (purse.origin.as_str(), DATA_KEY, &key.0),
    }
}

fn find(db: &Connection, columns: PurseKey<'_>) -> Outcome<Option<i64>> {
    db.find("SELECT id FROM purse WHERE origin = ?1 AND kind = ?2 AND owner = ?3", columns)
}

fn find_or_make(db: &Connection, columns: PurseKey<'_>) -> Outcome<i64> {
    if let Some(known) = find(db, columns)? {
        return Ok(known);
    }
    db.run("INSERT INTO purse (origin, kind, owner) VALUES (?1, ?2, ?3)", columns)?;
    Ok(db.last_insert_rowid())
}

/// No purse has this number: where nothing was written, nothing is found.
const NONE: i64 = -1;

/// The number of the purse behind a key, or else the columns of a purse.
fn meant<'p>(db: &Connection, purse: &'p PurseRef) -> Outcome<Result<i64, PurseKey<'p>>> {
    Ok(match purse {
        PurseRef::Known(purse) => Err(columns(purse)),
        PurseRef::Behind { origin, key } => behind(db, origin, key)?.ok_or((origin.as_str(), PROVISIONAL, &key.0)),
        PurseRef::Earlier { profile } => Err(("", EARLIER, profile)),
    })
}

/// The number of a purse, given to it now if it has none. It is named, or meant by a reference.
pub(super) fn to_write(db: &Connection, purse: &(impl Clone + Into<PurseRef>)) -> Outcome<i64> {
    meant(db, &purse.clone().into())?.or_else(|columns| find_or_make(db, columns))
}

/// The number of a purse to read under.
pub(super) fn to_read(db: &Connection, purse: &(impl Clone + Into<PurseRef>)) -> Outcome<i64> {
    meant(db, &purse.clone().into())?.or_else(|columns| Ok(find(db, columns)?.unwrap_or(NONE)))
}

/// The numbers of several purses to read under.
pub(super) fn all_meant(db: &Connection, purses: &[PurseRef]) -> Outcome<Vec<i64>> {
    purses.iter().map(|purse| to_read(db, purse)).collect()
}

/// The purse that `/me` last named for a key.
pub(super) fn behind(db: &Connection, origin: &Origin, key: &KeyHash) -> Outcome<Option<i64>> {
    db.find("SELECT purse FROM known_key WHERE origin = ?1 AND key = ?2", [origin.as_str(), &key.0])
}

/// `/me` named the purse of a key.
pub(super) fn keep_account(db: &Connection, key: &KeyHash, purse: &Purse, account: &Account, now: Now) -> Outcome<()> {
    adopt_provisional(db, key, purse)?;
    let Account { org_name, plan, key_name, key_prefix, .. } = account;
    let (number, origin, scopes) = (to_write(db, purse)?, purse.origin.as_str(), json(&account.scopes));
    let credits = amount(account.credits);
    let insert = "INSERT OR REPLACE INTO known_key
         (origin, key, purse, org_name, plan, key_name, key_prefix, scopes, credits, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    db.run(insert, params![origin, key.0, number, org_name, plan, key_name, key_prefix, scopes, credits, now.wall.0])
}

record! {
    Account { org_id, org_name, plan, key_name, key_prefix, scopes, credits }
}

/// The purse and the account of a key, and when `/me` last named them.
pub(super) fn account_of(db: &Connection, origin: &Origin, key: &KeyHash) -> Outcome<Option<(Purse, Account, Wall)>> {
    // Only a Workspace has `/me`.
    let select = "SELECT p.origin, at, p.owner, org_name, plan, key_name, key_prefix, scopes, credits
         FROM known_key k JOIN purse p ON p.id = k.purse WHERE k.origin = ?1 AND key = ?2 AND p.kind = 0";
    let found: Option<((String, Wall), Account)> = db.find(select, [origin.as_str(), &key.0])?;
    Ok(found.map(|((origin, at), account)| (Purse::of_org(Origin::recorded(origin), &account.org_id), account, at)))
}

/// Moves what was put under a key before `/me` answered into the purse that it named.
fn adopt_provisional(db: &Connection, key: &KeyHash, purse: &Purse) -> Outcome<()> {
    let to = to_write(db, purse)?;
    let Some(from) = find(db, (purse.origin.as_str(), PROVISIONAL, &key.0))? else { return Ok(()) };
    move_all(db, from, to)?;
    for table in ["owned", "told", "label"] {
        hand_over(db, table, "purse", &from, &to)?;
    }
    db.execute("DELETE FROM basket_version WHERE purse = ?1", [from])?;
    db.run("DELETE FROM purse WHERE id = ?1", [from])
}

/// Assigns the rows of an earlier version to a purse, as the user asked. Returns how many rows of the basket were moved.
pub(super) fn assign(db: &Connection, profile: &str, purse: &Purse) -> Outcome<u64> {
    let Some(from) = find(db, ("", EARLIER, profile))? else { return Ok(0) };
    move_rows(db, from, to_write(db, purse)?, purse.source())
}

/// A profile got another name: what an earlier version kept under the old one goes along.
pub(super) fn rename_earlier(db: &Connection, from: &str, to: &str) -> Outcome<()> {
    let Some(number) = find(db, ("", EARLIER, from))? else { return Ok(()) };
    let Some(there) = find(db, ("", EARLIER, to))? else {
        return db.run("UPDATE purse SET owner = ?2 WHERE id = ?1", params![number, to]);
    };
    move_all(db, number, there)
}

/// Moves the rows of every source, and the lists.
fn move_all(db: &Connection, from: i64, to: i64) -> Outcome<()> {
    for source in Source::ALL {
        move_rows(db, from, to, source)?;
    }
    if move_lists(db, from, to)? > 0 { raise(db, LISTS) } else { Ok(()) }
}

/// Moves basket, history and snapshots of one source into another purse, which keeps what it has. Returns how many rows of the
/// basket were moved.
pub(super) fn move_rows(db: &Connection, from: i64, to: i64, source: Source) -> Outcome<u64> {
    let moved = params![from, to, source.code()];
    let of = params![from, source.code()];
    // A quote from either basket rests on another one now.
    let insert = "INSERT INTO basket_version (purse, source, corpus, version)
         SELECT ?2, source, corpus, version FROM basket_version WHERE purse = ?1 AND source = ?3
         ON CONFLICT DO UPDATE SET version = version + 1";
    db.execute(insert, moved)?;
    db.execute("UPDATE basket_version SET version = version + 1 WHERE purse = ?1 AND source = ?2", of)?;
    let rows = db.execute("UPDATE OR IGNORE basket SET purse = ?2 WHERE purse = ?1 AND source = ?3", moved)?;
    db.execute("DELETE FROM basket WHERE purse = ?1 AND source = ?2", of)?;
    // A search that both know keeps its pages under the one that stays.
    let update = "UPDATE OR IGNORE shown SET search = (SELECT t.id FROM search f JOIN search t
         ON t.canonical = f.canonical AND t.purse = ?2 WHERE f.id = shown.search)
         WHERE search IN (SELECT f.id FROM search f JOIN search t ON t.canonical = f.canonical AND t.purse = ?2
         WHERE f.purse = ?1 AND f.source = ?3)";
    db.execute(update, moved)?;
    db.execute("UPDATE OR IGNORE search SET purse = ?2 WHERE purse = ?1 AND source = ?3", moved)?;
    db.execute("DELETE FROM shown WHERE search IN (SELECT id FROM search WHERE purse = ?1 AND source = ?2)", of)?;
    db.execute("DELETE FROM search WHERE purse = ?1 AND source = ?2", of)?;
    db.execute("UPDATE OR REPLACE snapshot SET purse = ?2 WHERE purse = ?1", [from, to])?;
    Ok(rows as u64)
}

/// Returns how many entries were moved.
pub(super) fn move_lists(db: &Connection, from: i64, to: i64) -> Outcome<usize> {
    hand_over(db, "suppressed", "purse", &from, &to)
}

/// Gives the rows of one owner to another one, who keeps existing rows. Returns how many were moved.
pub(super) fn hand_over(db: &Connection, table: &str, owner: &str, from: &dyn ToSql, to: &dyn ToSql) -> Outcome<usize> {
    let moved = db.execute(&format!("UPDATE OR IGNORE {table} SET {owner} = ?2 WHERE {owner} = ?1"), [from, to])?;
    db.execute(&format!("DELETE FROM {table} WHERE {owner} = ?1"), [from])?;
    Ok(moved)
}
