//! Proposals of assistants: written by `lode mcp`, answered by a person, used up by the first intent of an order.
//!
//! Whether one may be answered or used is decided under the write lock of the state file, where all processes meet.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use lode_core::{Credits, Now, OrderId, Purse, RowId, Staged, StagedFields, Wall};
use lode_engine::effect::{
    BatchIntent, Decision, Grant, Handle, NotGranted, Proposal, ProposalState, StandingGrant, StoreFailure, StoreReply,
};

use super::codes::{Amount, ReadClue, ReadCorpus, clue_text, corpus_code};
use super::purses::{number_of_purse, purse_number};
use super::spent;
use super::trouble::Outcome;

/// Why an order could be made without a person: its number of the file.
const STANDING: &str = "standing";

/// So many may wait in one purse.
const MOST_WAITING: i64 = 20;

pub(super) fn propose(tx: &Transaction<'_>, proposal: &Proposal, now: Now) -> Outcome<StoreReply> {
    let purse = number_of_purse(tx, &proposal.purse)?;
    let waiting: i64 = tx
        .prepare_cached("SELECT count(*) FROM proposal WHERE purse = ?1 AND state = 'waiting' AND expires_at > ?2")?
        .query_row(params![purse, now.wall.0], |row| row.get(0))?;
    if waiting >= MOST_WAITING {
        return Ok(StoreReply::NotGranted(NotGranted::TooMuch));
    }
    tx.prepare_cached(
        "INSERT INTO proposal (handle, purse, corpus, assistant, verify, ceiling, made_at, expires_at, state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'waiting')",
    )?
    .execute(params![
        proposal.handle.0,
        purse,
        corpus_code(proposal.corpus),
        proposal.assistant,
        proposal.verify,
        Amount(proposal.ceiling),
        proposal.made_at.0,
        proposal.expires_at.0
    ])?;
    let mut insert = tx.prepare_cached(
        "INSERT INTO proposed (handle, place, id, email, phone, name, company, email_status, clue, row)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for (place, row) in proposal.rows.iter().enumerate() {
        insert.execute(params![
            proposal.handle.0,
            place as i64,
            row.id.0,
            row.email,
            row.phone,
            row.name,
            row.company,
            row.email_status,
            clue_text(&row.clue),
            row.row
        ])?;
    }
    Ok(StoreReply::Done)
}

/// Those of a purse that wait for a person, oldest first.
pub(super) fn waiting(books: &Connection, purse: &Purse, now: Now) -> Outcome<StoreReply> {
    let Some(number) = purse_number(books, purse)? else { return Ok(StoreReply::Proposals(Vec::new())) };
    let mut query = books.prepare_cached(
        "SELECT handle FROM proposal WHERE purse = ?1 AND state = 'waiting' AND expires_at > ?2 AND made_at <= ?2
         ORDER BY made_at, handle LIMIT 20",
    )?;
    let handles: Vec<String> =
        query.query_map(params![number, now.wall.0], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut proposals = Vec::new();
    for handle in handles {
        proposals.extend(find(books, purse, &Handle(handle), now)?);
    }
    Ok(StoreReply::Proposals(proposals))
}

pub(super) fn one(books: &Connection, purse: &Purse, handle: &Handle, now: Now) -> Outcome<StoreReply> {
    Ok(StoreReply::Proposals(find(books, purse, handle, now)?.into_iter().collect()))
}

/// A row of the table, without its contacts.
struct Found {
    corpus: ReadCorpus,
    assistant: String,
    verify: bool,
    ceiling: Credits,
    made_at: Wall,
    expires_at: Wall,
    state: String,
    amount: Option<i64>,
    accepted_verify: Option<bool>,
    order: Option<i64>,
}

impl Found {
    fn of(row: &Row<'_>) -> rusqlite::Result<Found> {
        Ok(Found {
            corpus: row.get(0)?,
            assistant: row.get(1)?,
            verify: row.get(2)?,
            ceiling: Credits(row.get(3)?),
            made_at: Wall(row.get(4)?),
            expires_at: Wall(row.get(5)?),
            state: row.get(6)?,
            amount: row.get(7)?,
            accepted_verify: row.get(8)?,
            order: row.get(9)?,
        })
    }

    /// A clock that was set back makes no old proposal good again.
    fn is_expired(&self, now: Now) -> bool {
        now.wall >= self.expires_at || now.wall < self.made_at
    }
}

fn look_up(books: &Connection, purse: i64, handle: &Handle) -> Outcome<Option<Found>> {
    let mut query = books.prepare_cached(
        "SELECT corpus, assistant, verify, ceiling, made_at, expires_at, state, amount, accepted_verify, order_id
         FROM proposal WHERE handle = ?1 AND purse = ?2",
    )?;
    Ok(query.query_row(params![handle.0, purse], Found::of).optional()?)
}

fn find(books: &Connection, purse: &Purse, handle: &Handle, now: Now) -> Outcome<Option<Proposal>> {
    let Some(number) = purse_number(books, purse)? else { return Ok(None) };
    let Some(found) = look_up(books, number, handle)? else { return Ok(None) };
    let mut query = books.prepare_cached(
        "SELECT id, email, phone, name, company, email_status, clue, row FROM proposed WHERE handle = ?1 ORDER BY place",
    )?;
    let rows = query.query_map([&handle.0], |row| {
        let about = StagedFields {
            email: row.get(1)?,
            phone: row.get(2)?,
            name: row.get(3)?,
            company: row.get(4)?,
            email_status: row.get(5)?,
            clue: row.get::<_, ReadClue>(6)?.0,
            row: row.get(7)?,
        };
        Ok(Staged::new(RowId(row.get(0)?), false, about))
    })?;
    let rows: Vec<Staged> = rows.collect::<Result<_, _>>()?;
    let state = match (found.state.as_str(), found.order) {
        ("used", order) => ProposalState::Used(OrderId(order.unwrap_or_default())),
        ("declined", _) => ProposalState::Declined,
        _ if found.is_expired(now) => ProposalState::Expired,
        ("accepted", _) => ProposalState::Accepted {
            amount: Credits(found.amount.unwrap_or_default()),
            ids: accepted_ids(books, handle)?,
            verify: found.accepted_verify.unwrap_or(found.verify),
        },
        _ => ProposalState::Waiting,
    };
    Ok(Some(Proposal {
        handle: handle.clone(),
        purse: purse.clone(),
        corpus: found.corpus.0,
        assistant: found.assistant,
        rows,
        verify: found.verify,
        ceiling: found.ceiling,
        made_at: found.made_at,
        expires_at: found.expires_at,
        state,
    }))
}

fn accepted_ids(books: &Connection, handle: &Handle) -> Outcome<Vec<RowId>> {
    let mut query = books.prepare_cached("SELECT id FROM proposed WHERE handle = ?1 AND accepted ORDER BY place")?;
    Ok(query.query_map([&handle.0], |row| row.get(0).map(RowId))?.collect::<Result<_, _>>()?)
}

/// A person's word on a proposal. It counts only while the proposal waits, and only for contacts and credits it asked for.
pub(super) fn answer(
    tx: &Transaction<'_>,
    purse: &Purse,
    handle: &Handle,
    verdict: &Decision,
    now: Now,
) -> Outcome<StoreReply> {
    let refused = |why: NotGranted| Ok(StoreReply::NotGranted(why));
    let Some(number) = purse_number(tx, purse)? else { return refused(NotGranted::NoSuch) };
    let Some(found) = look_up(tx, number, handle)? else { return refused(NotGranted::NoSuch) };
    if found.state != "waiting" {
        return refused(if found.state == "declined" { NotGranted::Declined } else { NotGranted::Used });
    }
    if found.is_expired(now) {
        return refused(NotGranted::Expired);
    }
    let Decision::Accept { amount, ids, verify } = verdict else {
        tx.execute(
            "UPDATE proposal SET state = 'declined', answered_at = ?2 WHERE handle = ?1",
            params![handle.0, now.wall.0],
        )?;
        return Ok(StoreReply::Done);
    };
    if *amount > found.ceiling || *amount <= Credits::ZERO || Credits::for_contacts(ids.len()) > *amount {
        return refused(NotGranted::TooMuch);
    }
    let mut mark = tx.prepare_cached("UPDATE proposed SET accepted = 1 WHERE handle = ?1 AND id = ?2")?;
    for id in ids {
        if mark.execute(params![handle.0, id.0])? != 1 {
            return Err(StoreFailure::Other(format!("the proposal does not name the id {id}")).into());
        }
    }
    tx.execute(
        "UPDATE proposal SET state = 'accepted', amount = ?2, accepted_verify = ?3, answered_at = ?4 WHERE handle = ?1",
        params![handle.0, Amount(*amount), verify, now.wall.0],
    )?;
    Ok(StoreReply::Done)
}

/// Whether an intent may rest on its grant. None where it may.
/// Whether what an assistant wants to spend was accepted, or its allowance covers it. Money rules 8, *bounded*, and 11, *typed*.
pub(super) fn check(
    tx: &Transaction<'_>,
    purse: i64,
    intent: &BatchIntent,
    grant: &Grant,
    now: Now,
) -> Outcome<Option<NotGranted>> {
    let Some(found) = look_up(tx, purse, &grant.handle)? else { return Ok(Some(NotGranted::NoSuch)) };
    if found.corpus.0 != intent.corpus {
        return Ok(Some(NotGranted::NoSuch));
    }
    match (intent.order, found.state.as_str()) {
        // A later call of the same order, or the identical one again.
        (Some(order), "used") if found.order == Some(order.0) => {}
        (Some(_), _) | (None, "used") => return Ok(Some(NotGranted::Used)),
        (None, "declined") => return Ok(Some(NotGranted::Declined)),
        (None, _) if found.is_expired(now) => return Ok(Some(NotGranted::Expired)),
        (None, _) => {}
    }
    let accepted = found.amount.is_some();
    let (most, verify) = match found.amount {
        Some(amount) => (Credits(amount), found.accepted_verify.unwrap_or(found.verify)),
        None => (found.ceiling, found.verify),
    };
    if intent.ceiling > most || intent.verify != verify || Credits::for_contacts(intent.asked as usize) > most {
        return Ok(Some(NotGranted::TooMuch));
    }
    let column = if accepted { "accepted" } else { "1" };
    let named = format!("SELECT 1 FROM proposed WHERE handle = ?1 AND id = ?2 AND {column}");
    let mut named = tx.prepare_cached(&named)?;
    for id in &intent.ids {
        if !named.exists(params![grant.handle.0, id.0])? {
            return Ok(Some(NotGranted::NoSuch));
        }
    }
    match intent.order {
        // What a person accepted, and the identical call again, were counted already.
        _ if accepted || intent.again.is_some() => Ok(None),
        None => standing_left(tx, purse, grant, intent.ceiling, now),
        Some(_) => standing_left(tx, purse, grant, Credits::for_contacts(intent.ids.len()), now),
    }
}

/// Whether the standing allowance reaches for this much more.
fn standing_left(
    tx: &Transaction<'_>,
    purse: i64,
    grant: &Grant,
    more: Credits,
    now: Now,
) -> Outcome<Option<NotGranted>> {
    let Some(StandingGrant { per_day, per_call }) = grant.standing else { return Ok(Some(NotGranted::Waiting)) };
    let since = spent::booking_time(tx, purse, now)?.saturating_sub(spent::DAY_MS);
    let mut used = tx.prepare_cached(
        "SELECT (SELECT count(*) FROM outcome WHERE outcome IN ('unlocked', 'refunded', 'unreachable') AND booked > ?1
             AND order_id IN (SELECT order_id FROM proposal WHERE how = ?2))
         + (SELECT count(*) FROM open_contact WHERE batch IN
             (SELECT id FROM batch WHERE order_id IN (SELECT order_id FROM proposal WHERE how = ?2)))",
    )?;
    let used = Credits(used.query_row(params![since, STANDING], |row| row.get(0))?);
    let left = (per_day - used).min(per_call).max(Credits::ZERO);
    Ok((more > left).then_some(NotGranted::Standing { left }))
}

/// The proposal has become this order. Part of the transaction that writes the intent.
pub(super) fn use_up(tx: &Transaction<'_>, grant: &Grant, order: OrderId) -> Outcome<()> {
    let used = tx.execute(
        "UPDATE proposal SET how = CASE state WHEN 'accepted' THEN 'person' ELSE ?3 END, state = 'used', order_id = ?2
         WHERE handle = ?1 AND state IN ('waiting', 'accepted')",
        params![grant.handle.0, order.0, STANDING],
    )?;
    assert_eq!(used, 1, "a proposal is used once");
    Ok(())
}
