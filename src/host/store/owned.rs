//! What the workspace owns and lode saw, with the person's own tags and notes.

use rusqlite::{Connection, OptionalExtension, Row, params};

use lode_core::{BatchId, Contact, Corpus, Now, OrderId, Owned, Purse, RowId, SeenOwned, Verification, Wall};
use lode_engine::effect::{Settled, StoreReply};

use super::codes::{ReadCorpus, corpus_code, read_words, words_text};
use super::purses::{number_of_purse, purse_number};
use super::told;
use super::trouble::Outcome;

/// Writes an owned contact into the ledger. What is known already stays; what was empty is filled.
#[expect(clippy::too_many_arguments, reason = "one row of the books")]
pub(super) fn take(
    books: &Connection,
    purse: i64,
    corpus: Corpus,
    id: RowId,
    contact: &Contact,
    bought: Option<(OrderId, BatchId)>,
    search: Option<&str>,
    now: Now,
) -> Outcome<()> {
    let mut found_by = search.map(str::to_owned);
    if let Some((_, batch)) = bought {
        let mut clue = books.prepare_cached("SELECT clue FROM asked WHERE batch = ?1 AND id = ?2")?;
        let mut rows = clue.query(params![batch.0, id.0])?;
        if let Some(row) = rows.next()? {
            found_by = row.get::<_, super::codes::ReadClue>(0)?.0.search.or(found_by);
        }
    }
    books
        .prepare_cached(
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
        )?
        .execute(params![
            purse,
            corpus_code(corpus),
            id.0,
            whole(&contact.email),
            whole(&contact.phone),
            contact.contact_name,
            contact.company_name,
            contact.title,
            contact.verification.as_ref().map(Verification::word),
            contact.refunded,
            now.wall.0,
            bought.map(|(order, _)| order.0),
            found_by
        ])?;
    Ok(())
}

/// A masked value never replaces the one that was paid for.
fn whole(text: &str) -> &str {
    if text.contains('•') { "" } else { text }
}

pub(super) fn own(
    books: &Connection,
    purse: i64,
    corpus: Corpus,
    contacts: &[SeenOwned],
    now: Now,
) -> Outcome<StoreReply> {
    for SeenOwned { id, contact, search, row } in contacts {
        take(books, purse, corpus, *id, contact, None, search.as_deref(), now)?;
        if !row.is_empty() {
            told::replace(books, purse, corpus, *id, row)?;
        }
    }
    Ok(StoreReply::Done)
}

/// The columns of a contact, from this one on.
pub(super) fn contact(row: &Row<'_>, at: usize) -> rusqlite::Result<Contact> {
    Ok(Contact {
        email: row.get(at)?,
        phone: row.get(at + 1)?,
        contact_name: row.get(at + 2)?,
        company_name: row.get(at + 3)?,
        title: row.get(at + 4)?,
        verification: row.get::<_, Option<String>>(at + 5)?.map(|word| Verification::read(&word)),
        refunded: row.get(at + 6)?,
    })
}

/// What is known of one contact, if it is owned.
pub(super) fn one(books: &Connection, purse: i64, corpus: Corpus, id: RowId) -> Outcome<Option<Contact>> {
    let mut query = books.prepare_cached(
        "SELECT email, phone, contact_name, company_name, title, verification, refunded FROM owned
         WHERE purse = ?1 AND corpus = ?2 AND id = ?3",
    )?;
    Ok(query.query_row(params![purse, corpus_code(corpus), id.0], |row| contact(row, 0)).optional()?)
}

/// Those of the ids that are owned, bought or seen as owned, as outcomes that cost nothing.
pub(super) fn of_ids(books: &Connection, purse: i64, corpus: Corpus, ids: &[RowId]) -> Outcome<Vec<Settled>> {
    let mut settled = Vec::new();
    for id in ids {
        if let Some(contact) = one(books, purse, corpus, *id)? {
            let contact = Some(contact);
            settled.push(Settled {
                id: *id,
                outcome: lode_core::money::Outcome::Already,
                contact: contact.map(Box::new),
                evidence: None,
            });
        }
    }
    Ok(settled)
}

/// Newest first.
pub(super) fn read(books: &Connection, purse: &Purse, corpus: Option<Corpus>) -> Outcome<StoreReply> {
    let Some(purse) = purse_number(books, purse)? else { return Ok(StoreReply::Owned(Vec::new())) };
    let mut query = books.prepare_cached(
        "SELECT o.corpus, o.id, email, phone, contact_name, company_name, title, verification, refunded, unlocked_at,
         order_id, search, tags, note, t.row FROM owned o
         LEFT JOIN label l ON l.purse = o.purse AND l.corpus = o.corpus AND l.id = o.id
         LEFT JOIN told t ON t.purse = o.purse AND t.corpus = o.corpus AND t.id = o.id
         WHERE o.purse = ?1 AND (?2 IS NULL OR o.corpus = ?2) ORDER BY unlocked_at DESC, o.corpus, o.id",
    )?;
    let found = query.query_map(params![purse, corpus.map(corpus_code)], |row| {
        let owned = Owned {
            corpus: row.get::<_, ReadCorpus>(0)?.0,
            id: RowId(row.get(1)?),
            contact: contact(row, 2)?,
            unlocked_at: Wall(row.get(9)?),
            order: row.get::<_, Option<i64>>(10)?.map(OrderId),
            search: row.get(11)?,
            tags: row.get::<_, Option<String>>(12)?.map(|text| read_words(&text)).unwrap_or_default(),
            note: row.get::<_, Option<String>>(13)?.unwrap_or_default(),
            row: None,
        };
        Ok((owned, row.get::<_, Option<String>>(14)?))
    })?;
    let mut found: Vec<(Owned, Option<String>)> = found.collect::<Result<_, _>>()?;
    // Rows of one corpus have the same columns, and lie side by side.
    for corpus in Corpus::ALL {
        let of_corpus = |owned: &Owned| owned.corpus == corpus;
        let kept = found.iter().filter(|(owned, _)| of_corpus(owned));
        let rows = told::read(kept.map(|(owned, text)| (owned.id, text.as_deref().unwrap_or(""))));
        for ((owned, _), row) in found.iter_mut().filter(|(owned, _)| of_corpus(owned)).zip(rows) {
            owned.learn(row);
        }
    }
    Ok(StoreReply::Owned(found.into_iter().map(|(owned, _)| owned).collect()))
}

pub(super) fn tag(
    books: &Connection,
    purse: &Purse,
    corpus: Corpus,
    ids: &[RowId],
    tags: &[String],
) -> Outcome<StoreReply> {
    let purse = number_of_purse(books, purse)?;
    let mut upsert = books.prepare_cached(
        "INSERT INTO label (purse, corpus, id, tags, note) VALUES (?1, ?2, ?3, ?4, '')
         ON CONFLICT DO UPDATE SET tags = excluded.tags",
    )?;
    for id in ids {
        upsert.execute(params![purse, corpus_code(corpus), id.0, words_text(tags)])?;
    }
    Ok(StoreReply::Done)
}

pub(super) fn note(books: &Connection, purse: &Purse, corpus: Corpus, id: RowId, note: &str) -> Outcome<StoreReply> {
    let purse = number_of_purse(books, purse)?;
    books
        .prepare_cached(
            "INSERT INTO label (purse, corpus, id, tags, note) VALUES (?1, ?2, ?3, '[]', ?4)
             ON CONFLICT DO UPDATE SET note = excluded.note",
        )?
        .execute(params![purse, corpus_code(corpus), id.0, note])?;
    Ok(StoreReply::Done)
}

/// Removes contacts from the owned ones, with their tags and notes. The receipts keep what was paid.
pub(super) fn forget(books: &Connection, purse: &Purse, corpus: Corpus, ids: &[RowId]) -> Outcome<StoreReply> {
    let purse = number_of_purse(books, purse)?;
    for id in ids {
        for table in ["owned", "label", "told"] {
            books
                .prepare_cached(&format!("DELETE FROM {table} WHERE purse = ?1 AND corpus = ?2 AND id = ?3"))?
                .execute(params![purse, corpus_code(corpus), id.0])?;
        }
    }
    Ok(StoreReply::Done)
}
