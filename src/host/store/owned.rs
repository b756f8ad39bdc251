//! Owned contacts, with tags and notes, and the rows that searches showed of them.
//!
//! A row is written down before its contact is bought, because the basket lets go of it then, and when a search shows the
//! contact as owned.

use super::*;

/// Where one contact is kept: purse, corpus and id.
pub(super) type Key = (i64, Corpus, RowId);

fn key_codes((purse, corpus, id): Key) -> [i64; 3] {
    [purse, corpus.code(), id.0]
}

/// Writes an owned contact into the ledger. What is known already stays; what was empty is filled.
pub(super) fn take(
    db: &Connection,
    key: Key,
    contact: &Contact,
    bought: Option<(OrderId, BatchId)>,
    search: Option<&str>,
    now: Now,
) -> Outcome<()> {
    let asked = "SELECT clue FROM asked WHERE batch = ?1 AND id = ?2";
    let clue = bought.map(|(_, batch)| db.find::<Clue>(asked, [batch.0, key.2.0])).transpose()?.flatten();
    let search = clue.and_then(|clue| clue.search).or(search.map(str::to_owned));
    let Contact { contact_name: name, company_name: company, title, refunded, .. } = contact;
    let (email, phone) = (whole(&contact.email), whole(&contact.phone));
    let verification = contact.verification.as_ref().map(Verification::word);
    let ([purse, corpus, id], at, order) = (key_codes(key), now.wall.0, bought.map(|(order, _)| order.0));
    db.run(
        "INSERT INTO owned (purse, corpus, id, email, phone, contact_name, company_name, title, verification,
         refunded, unlocked_at, order_id, search) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
         ON CONFLICT (purse, corpus, id) DO UPDATE SET
         email = CASE WHEN email = '' THEN excluded.email ELSE email END,
         phone = CASE WHEN phone = '' THEN excluded.phone ELSE phone END,
         contact_name = CASE WHEN contact_name = '' THEN excluded.contact_name ELSE contact_name END,
         company_name = CASE WHEN company_name = '' THEN excluded.company_name ELSE company_name END,
         title = CASE WHEN title = '' THEN excluded.title ELSE title END,
         verification = coalesce(verification, excluded.verification),
         refunded = coalesce(refunded, excluded.refunded),
         unlocked_at = CASE WHEN order_id IS NULL AND excluded.order_id IS NOT NULL
                       THEN excluded.unlocked_at ELSE unlocked_at END,
         order_id = coalesce(order_id, excluded.order_id),
         search = coalesce(search, excluded.search)",
        params![purse, corpus, id, email, phone, name, company, title, verification, refunded, at, order, search],
    )
}

/// A masked value never replaces the one that was paid for.
fn whole(text: &str) -> &str {
    if text.contains('•') { "" } else { text }
}

pub(super) fn own(db: &Connection, purse: i64, corpus: Corpus, contacts: &[SeenOwned], now: Now) -> Outcome<()> {
    for SeenOwned { id, contact, search, row } in contacts {
        take(db, (purse, corpus, *id), contact, None, search.as_deref(), now)?;
        // Nothing is newer and more complete than what this search showed.
        if !row.is_empty() {
            let replace = "INSERT OR REPLACE INTO told (purse, corpus, id, row) VALUES (?1, ?2, ?3, ?4)";
            db.run(replace, params![purse, corpus.code(), id.0, row])?;
        }
    }
    Ok(())
}

record! {
    Contact { email, phone, contact_name, company_name, title, verification, refunded }
}

/// What is known of one contact, if it is owned.
pub(super) fn one(db: &Connection, key: Key) -> Outcome<Option<Contact>> {
    let select = "SELECT email, phone, contact_name, company_name, title, verification, refunded FROM owned
         WHERE purse = ?1 AND corpus = ?2 AND id = ?3";
    db.find(select, key_codes(key))
}

/// Those of the ids that are owned, bought or seen as owned, as outcomes that cost nothing.
pub(super) fn of_ids(db: &Connection, purse: i64, corpus: Corpus, ids: &[RowId]) -> Outcome<Vec<Settled>> {
    let owned = db.list::<(RowId, Contact)>(
        "SELECT o.id, email, phone, contact_name, company_name, title, verification, refunded
         FROM json_each(?3) j CROSS JOIN owned o ON purse = ?1 AND corpus = ?2 AND o.id = j.value ORDER BY j.key",
        params![purse, corpus.code(), ids_text(ids)],
    )?;
    let settled =
        |(id, contact)| Settled { id, outcome: Became::Already, contact: Some(Box::new(contact)), evidence: None };
    Ok(owned.into_iter().map(settled).collect())
}

/// Newest first.
pub(super) fn read(db: &Connection, purse: i64, corpus: Option<Corpus>) -> Outcome<Vec<Owned>> {
    let select =
        "SELECT o.corpus, o.id, email, phone, contact_name, company_name, title, verification, refunded, unlocked_at,
         order_id, search, coalesce(tags, '[]'), coalesce(note, ''), t.row FROM owned o
         LEFT JOIN label l ON l.purse = o.purse AND l.corpus = o.corpus AND l.id = o.id
         LEFT JOIN told t ON t.purse = o.purse AND t.corpus = o.corpus AND t.id = o.id
         WHERE o.purse = ?1 AND (?2 IS NULL OR o.corpus = ?2) ORDER BY unlocked_at DESC, o.corpus, o.id";
    let mut found = db.read(select, params![purse, corpus.map(Corpus::code)], |row| {
        let (corpus, id, contact) = row.next()?;
        let (unlocked_at, order, search) = row.next()?;
        let (tags, note, text): (_, _, Option<String>) = row.next()?;
        Ok((Owned { corpus, id, contact, unlocked_at, order, search, tags, note, row: None }, text))
    })?;
    // Rows of one corpus have the same columns, and lie side by side.
    for corpus in Corpus::ALL {
        let of_corpus = |owned: &Owned| owned.corpus == corpus;
        let kept = found.iter().filter(|(owned, _)| of_corpus(owned));
        let rows = read_rows(kept.map(|(owned, text)| (owned.id, text.as_deref().unwrap_or(""))));
        for ((owned, _), row) in found.iter_mut().filter(|(owned, _)| of_corpus(owned)).zip(rows) {
            owned.learn(row);
        }
    }
    Ok(found.into_iter().map(|(owned, _)| owned).collect())
}

/// Rows as they were kept, side by side in memory; none where a text cannot be read.
fn read_rows<'a>(kept: impl Iterator<Item = (RowId, &'a str)>) -> Vec<Option<lode_core::Row>> {
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

pub(super) fn tag(db: &Connection, purse: i64, corpus: Corpus, ids: &[RowId], tags: &[String]) -> Outcome<()> {
    db.run(
        "INSERT INTO label (purse, corpus, id, tags, note) SELECT ?1, ?2, value, ?4, '' FROM json_each(?3) WHERE true
         ON CONFLICT DO UPDATE SET tags = excluded.tags",
        params![purse, corpus.code(), ids_text(ids), json(tags)],
    )
}

pub(super) fn note(db: &Connection, purse: i64, corpus: Corpus, id: RowId, note: &str) -> Outcome<()> {
    let insert = "INSERT INTO label (purse, corpus, id, tags, note) VALUES (?1, ?2, ?3, '[]', ?4)
         ON CONFLICT DO UPDATE SET note = excluded.note";
    db.run(insert, params![purse, corpus.code(), id.0, note])
}

/// Removes contacts from the owned ones, with their tags and notes. The receipts keep what was paid.
pub(super) fn forget(db: &Connection, purse: i64, corpus: Corpus, ids: &[RowId]) -> Outcome<()> {
    for table in ["owned", "label", "told"] {
        let delete =
            format!("DELETE FROM {table} WHERE purse = ?1 AND corpus = ?2 AND id IN (SELECT value FROM json_each(?3))");
        db.run(&delete, params![purse, corpus.code(), ids_text(ids)])?;
    }
    Ok(())
}

/// Keeps the rows of contacts that are about to be bought: those that are given, and those of the basket.
pub(super) fn keep_rows(db: &Connection, purse: i64, intent: &BatchIntent) -> Outcome<()> {
    let corpus = intent.corpus.code();
    for (id, row) in &intent.rows {
        let insert = "INSERT OR IGNORE INTO told (purse, corpus, id, row) VALUES (?1, ?2, ?3, ?4)";
        db.run(insert, params![purse, corpus, id.0, row])?;
    }
    let insert = "INSERT OR IGNORE INTO told (purse, corpus, id, row) SELECT purse, corpus, id, row FROM basket
         WHERE purse = ?1 AND source = ?2 AND corpus = ?3 AND id IN (SELECT value FROM json_each(?4)) AND row <> ''";
    db.run(insert, params![purse, Source::Workspace.code(), corpus, ids_text(&intent.ids)])
}

/// It was not bought after all.
pub(super) fn drop_unowned_row(db: &Connection, key: Key) -> Outcome<()> {
    let delete = "DELETE FROM told WHERE purse = ?1 AND corpus = ?2 AND id = ?3 AND NOT EXISTS
         (SELECT 1 FROM owned o WHERE o.purse = ?1 AND o.corpus = ?2 AND o.id = ?3)";
    db.run(delete, key_codes(key))
}
