//! The basket of each purse and side, and the suppression lists.

use super::*;

pub(super) fn version(db: &Connection, purse: i64, side: Side) -> Outcome<u64> {
    let (source, corpus) = side_codes(side);
    let version = "SELECT version FROM basket_version WHERE purse = ?1 AND source = ?2 AND corpus = ?3";
    Ok(db.find(version, [purse, source, corpus])?.unwrap_or(0))
}

fn grow_version(db: &Connection, purse: i64, side: Side) -> Outcome<()> {
    let (source, corpus) = side_codes(side);
    let insert = "INSERT INTO basket_version (purse, source, corpus, version) VALUES (?1, ?2, ?3, 1)
         ON CONFLICT DO UPDATE SET version = version + 1";
    db.run(insert, [purse, source, corpus])
}

pub(super) fn read(db: &Connection, purse: i64, side: Side) -> Outcome<BasketState> {
    let (source, corpus) = side_codes(side);
    let select = "SELECT id, ours, email, phone, name, company, email_status, clue, row FROM basket
         WHERE purse = ?1 AND source = ?2 AND corpus = ?3 ORDER BY place";
    let rows = db.list(select, [purse, source, corpus])?;
    Ok(BasketState { version: version(db, purse, side)?, rows })
}

/// Rows of one part: two megabytes.
const PART: usize = 2_000;

/// One part, and behind which place the next one begins.
pub(super) fn read_part(db: &Connection, purse: i64, side: Side, behind: u64) -> Outcome<(BasketState, Option<u64>)> {
    let (source, corpus) = side_codes(side);
    // The sign keeps it from finding the rows by purse: it would put the whole basket into order for each part.
    let select = "SELECT id, ours, email, phone, name, company, email_status, clue, row, place FROM basket
         WHERE +purse = ?1 AND source = ?2 AND corpus = ?3 AND place > ?4 ORDER BY place LIMIT ?5";
    let found = db.list::<(Staged, u64)>(select, [purse, source, corpus, count(behind), PART as i64])?;
    let (rows, places): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    let next = places.last().copied().filter(|_| rows.len() == PART);
    Ok((BasketState { version: version(db, purse, side)?, rows }, next))
}

/// A staged row from its columns: id, whether it is owned, and what a search showed of it.
impl Column for Staged {
    fn take(row: &mut Columns<'_>) -> Outcome<Staged> {
        Ok(Staged::new(row.next()?, row.next()?, row.next()?))
    }
}

record! {
    StagedFields { email, phone, name, company, email_status, clue, row }
}

/// Inserts a staged row: the columns before what a search showed of it, then these in the order in which they are read.
pub(super) fn insert_staged(insert: &mut Statement<'_>, before: &[&dyn ToSql], staged: &Staged) -> Outcome<()> {
    let StagedFields { email, phone, name, company, email_status, clue, row } = &**staged;
    let own: [&dyn ToSql; 7] = [email, phone, name, company, email_status, &clue_text(clue), row];
    insert.execute(params_from_iter(before.iter().copied().chain(own)))?;
    Ok(())
}

/// An id that is staged already keeps its place and takes the newer facts. Returns the new version.
pub(super) fn stage(db: &Connection, purse: i64, side: Side, rows: &[Staged]) -> Outcome<u64> {
    let (source, corpus) = side_codes(side);
    let mut insert = db.prepare_cached(
        "INSERT INTO basket (purse, source, corpus, id, ours, email, phone, name, company, email_status, clue, row)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (purse, source, corpus, id) DO UPDATE SET ours = excluded.ours, email = excluded.email,
         phone = excluded.phone, name = excluded.name, company = excluded.company,
         email_status = excluded.email_status, clue = excluded.clue, row = excluded.row",
    )?;
    for staged in rows {
        insert_staged(&mut insert, &[&purse, &source, &corpus, &staged.id.0, &staged.owned], staged)?;
    }
    if !rows.is_empty() {
        grow_version(db, purse, side)?;
    }
    version(db, purse, side)
}

/// Takes rows out, and returns the version then.
pub(super) fn unstage(db: &Connection, purse: i64, side: Side, ids: &[RowId]) -> Outcome<u64> {
    let (source, corpus) = side_codes(side);
    let delete = "DELETE FROM basket
        WHERE purse = ?1 AND source = ?2 AND corpus = ?3 AND id IN (SELECT value FROM json_each(?4))";
    let taken = db.change(delete, params![purse, source, corpus, ids_text(ids)])?;
    if taken > 0 {
        grow_version(db, purse, side)?;
    }
    version(db, purse, side)
}

pub(super) fn all_staged(db: &Connection, purse: i64, side: Side, ids: &[RowId]) -> Outcome<bool> {
    let (source, corpus) = side_codes(side);
    let missing = "SELECT 1 FROM json_each(?4) j WHERE NOT EXISTS
         (SELECT 1 FROM basket WHERE purse = ?1 AND source = ?2 AND corpus = ?3 AND id = j.value)";
    Ok(!db.exists(missing, params![purse, source, corpus, ids_text(ids)])?)
}

/// Two texts in one column. None of them holds a tab: they are scrubbed where they are read.
fn pair(one: &str, other: &str) -> String {
    if other.is_empty() { one.to_owned() } else { format!("{one}\t{other}") }
}

fn unpair(text: String) -> (String, String) {
    text.split_once('\t').map(|(one, other)| (one.to_owned(), other.to_owned())).unwrap_or((text, String::new()))
}

pub(super) fn suppress(db: &Connection, purse: i64, list: &str, entries: &[SuppressEntry]) -> Outcome<()> {
    let mut insert = db.prepare_cached(
        "INSERT OR IGNORE INTO suppressed (purse, list, kind, value, source, corpus, id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for entry in entries {
        let (kind, value, (source, corpus), id) = coded(entry);
        insert.execute(params![purse, list, kind, value, source, corpus, id])?;
    }
    Ok(())
}

/// An entry as its row: kind, value, side and id.
fn coded(entry: &SuppressEntry) -> (i64, String, (i64, i64), i64) {
    let (kind, value, side, id) = match entry {
        SuppressEntry::Email { email, name } => (0, pair(email, name), Side::default(), 0),
        SuppressEntry::Domain(domain) => (1, domain.clone(), Side::default(), 0),
        SuppressEntry::Contact(side, id) => (2, String::new(), *side, id.0),
        SuppressEntry::ExactDomain(domain) => (3, domain.clone(), Side::default(), 0),
        SuppressEntry::Phone { digits, name } => (4, pair(digits, name), Side::default(), 0),
        SuppressEntry::Person { name, company } => (5, pair(name, company), Side::default(), 0),
    };
    (kind, value, side_codes(side), id)
}

/// Out of every one of these purses: where a list of this name stays, it would go on suppressing.
pub(super) fn unsuppress(db: &Connection, purses: &[i64], list: &str, only: Option<&[SuppressEntry]>) -> Outcome<()> {
    let purses = json(purses);
    let of_list = "DELETE FROM suppressed WHERE purse IN (SELECT value FROM json_each(?1)) AND list = ?2";
    let Some(entries) = only else { return db.run(of_list, params![purses, list]) };
    let delete = format!(
        "{of_list} AND kind = ?3 AND suppressed.value = ?4 AND source = ?5 AND corpus = ?6 AND suppressed.id = ?7"
    );
    for entry in entries {
        let (kind, value, (source, corpus), id) = coded(entry);
        db.run(&delete, params![purses, list, kind, value, source, corpus, id])?;
    }
    Ok(())
}

/// The lists of several purses; those of one name are one list.
pub(super) fn suppressions(db: &Connection, purses: &[i64]) -> Outcome<Vec<Suppression>> {
    let mut lists: Vec<Suppression> = Vec::new();
    let select = "SELECT DISTINCT list, kind, value, source, corpus, id FROM suppressed
         WHERE purse IN (SELECT value FROM json_each(?1)) ORDER BY list, kind, suppressed.value, source, corpus, id";
    let entries = db.list(select, [json(purses)])?;
    for (list, entry) in entries {
        match lists.last_mut().filter(|last| last.list == list) {
            Some(last) => last.entries.push(entry),
            None => lists.push(Suppression { list, entries: vec![entry] }),
        }
    }
    Ok(lists)
}

impl Column for SuppressEntry {
    fn take(row: &mut Columns<'_>) -> Outcome<SuppressEntry> {
        let (kind, pair): (i64, String) = row.next()?;
        let (value, name) = unpair(pair);
        Ok(match kind {
            0 => SuppressEntry::Email { email: value, name },
            1 => SuppressEntry::Domain(value),
            3 => SuppressEntry::ExactDomain(value),
            4 => SuppressEntry::Phone { digits: value, name },
            5 => SuppressEntry::Person { name: value, company: name },
            _ => SuppressEntry::Contact(row.next()?, row.next()?),
        })
    }
}
