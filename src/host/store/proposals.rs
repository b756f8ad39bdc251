//! Proposals of assistants: written by `lode mcp`, answered by a person, used up by the first intent of an order.
//!
//! Whether one may be answered or used is decided under the write lock of the state file, where all processes meet.

use super::basket::insert_staged;
use super::purses::{to_read, to_write};
use super::*;

/// Why an order could be made without a person: its number of the file.
const STANDING: &str = "standing";

/// The most that may wait in one purse.
const MOST_WAITING: i64 = 20;

/// Writes a proposal. Returns why not where too many wait.
pub(super) fn propose(db: &Connection, proposal: &Proposal, now: Now) -> Outcome<Granted> {
    let Proposal { handle, corpus, assistant, rows, verify, ceiling, made_at, expires_at, .. } = proposal;
    let (purse, corpus) = (to_write(db, &proposal.purse)?, corpus.code());
    let select = "SELECT count(*) FROM proposal WHERE purse = ?1 AND state = 'waiting' AND expires_at > ?2";
    let waiting: i64 = db.value(select, [purse, now.wall.0])?;
    if waiting >= MOST_WAITING {
        return Ok(Err(NotGranted::TooMuch));
    }
    let insert = "INSERT INTO proposal (handle, purse, corpus, assistant, verify, ceiling, made_at, expires_at, state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'waiting')";
    db.run(insert, params![handle.0, purse, corpus, assistant, verify, ceiling.0, made_at.0, expires_at.0])?;
    let mut insert = db.prepare_cached(
        "INSERT INTO proposed (handle, place, id, email, phone, name, company, email_status, clue, row)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for (place, row) in (0_i64..).zip(rows) {
        insert_staged(&mut insert, &[&handle.0, &place, &row.id.0], row)?;
    }
    Ok(Ok(()))
}

/// Those of a purse that wait for a person, oldest first.
pub(super) fn waiting(db: &Connection, purse: &Purse, now: Now) -> Outcome<Vec<Proposal>> {
    let handles = db.list(
        "SELECT handle FROM proposal WHERE purse = ?1 AND state = 'waiting' AND expires_at > ?2 AND made_at <= ?2
         ORDER BY made_at, handle LIMIT 20",
        [to_read(db, purse)?, now.wall.0],
    )?;
    let mut proposals = Vec::new();
    for handle in handles {
        proposals.extend(find(db, purse, &handle, now)?);
    }
    Ok(proposals)
}

/// A row of the table, without its contacts.
struct Found {
    corpus: Corpus,
    assistant: String,
    verify: bool,
    ceiling: Credits,
    made_at: Wall,
    expires_at: Wall,
    state: String,
    amount: Option<Credits>,
    accepted_verify: Option<bool>,
    order: Option<OrderId>,
}

record! {
    Found { corpus, assistant, verify, ceiling, made_at, expires_at, state, amount, accepted_verify, order }
}

impl Found {
    /// A clock that was set back makes no old proposal good again.
    fn is_expired(&self, now: Now) -> bool {
        now.wall >= self.expires_at || now.wall < self.made_at
    }
}

fn look_up(db: &Connection, purse: i64, handle: &Handle) -> Outcome<Option<Found>> {
    db.find(
        "SELECT corpus, assistant, verify, ceiling, made_at, expires_at, state, amount, accepted_verify, order_id
         FROM proposal WHERE handle = ?1 AND purse = ?2",
        params![handle.0, purse],
    )
}

pub(super) fn find(db: &Connection, purse: &Purse, handle: &Handle, now: Now) -> Outcome<Option<Proposal>> {
    let Some(found) = look_up(db, to_read(db, purse)?, handle)? else { return Ok(None) };
    let select = "SELECT id, 0, email, phone, name, company, email_status, clue, row FROM proposed
        WHERE handle = ?1 ORDER BY place";
    let rows = db.list(select, [&handle.0])?;
    let state = match (found.state.as_str(), found.order) {
        ("used", order) => ProposalState::Used(order.unwrap_or(OrderId(0))),
        ("declined", _) => ProposalState::Declined,
        _ if found.is_expired(now) => ProposalState::Expired,
        ("accepted", _) => ProposalState::Accepted {
            amount: found.amount.unwrap_or_default(),
            ids: db.list("SELECT id FROM proposed WHERE handle = ?1 AND accepted ORDER BY place", [&handle.0])?,
            verify: found.accepted_verify.unwrap_or(found.verify),
        },
        _ => ProposalState::Waiting,
    };
    let (handle, purse) = (handle.clone(), purse.clone());
    let Found { corpus, assistant, verify, ceiling, made_at, expires_at, .. } = found;
    Ok(Some(Proposal { handle, purse, corpus, assistant, rows, verify, ceiling, made_at, expires_at, state }))
}

/// A person's word on a proposal. It counts only while the proposal waits, and only for contacts and credits it asked for.
/// Returns why it does not count.
pub(super) fn answer(on: &Work<'_>, purse: &Purse, handle: &Handle, verdict: &Decision) -> Outcome<Granted> {
    let Some(found) = look_up(on, to_read(on, purse)?, handle)? else { return Ok(Err(NotGranted::NoSuch)) };
    if found.state != "waiting" {
        return Ok(Err(if found.state == "declined" { NotGranted::Declined } else { NotGranted::Used }));
    }
    if found.is_expired(on.now) {
        return Ok(Err(NotGranted::Expired));
    }
    let Decision::Accept { amount, ids, verify } = verdict else {
        let decline = "UPDATE proposal SET state = 'declined', answered_at = ?2 WHERE handle = ?1";
        on.run(decline, params![handle.0, on.now.wall.0])?;
        return Ok(Ok(()));
    };
    if *amount > found.ceiling || *amount <= Credits::ZERO || Credits::for_contacts(ids.len()) > *amount {
        return Ok(Err(NotGranted::TooMuch));
    }
    for id in ids {
        let accept = "UPDATE proposed SET accepted = 1 WHERE handle = ?1 AND id = ?2";
        if on.change(accept, params![handle.0, id.0])? != 1 {
            return Err(StoreFailure::Other(format!("the proposal does not name the id {id}")).into());
        }
    }
    let update = "UPDATE proposal SET state = 'accepted', amount = ?2, accepted_verify = ?3, answered_at = ?4
        WHERE handle = ?1";
    on.run(update, params![handle.0, amount.0, verify, on.now.wall.0])?;
    Ok(Ok(()))
}

/// Takes back every approval, and what still waits for one.
pub(super) fn decline_open(db: &Connection) -> Outcome<()> {
    db.run("UPDATE proposal SET state = 'declined' WHERE state IN ('waiting', 'accepted')", [])
}

/// Whether what an assistant wants to spend was accepted, or its allowance covers it: None if so. Money rules 8, *bounded*, and
/// 11, *typed*.
pub(super) fn check(on: &Work<'_>, purse: i64, intent: &BatchIntent, grant: &Grant) -> Outcome<Option<NotGranted>> {
    let Some(found) = look_up(on, purse, &grant.handle)? else { return Ok(Some(NotGranted::NoSuch)) };
    if found.corpus != intent.corpus {
        return Ok(Some(NotGranted::NoSuch));
    }
    match (intent.order, found.state.as_str()) {
        // A later call of the same order, or the identical one again.
        (Some(order), "used") if found.order == Some(order) => {}
        (Some(_), _) | (None, "used") => return Ok(Some(NotGranted::Used)),
        (None, "declined") => return Ok(Some(NotGranted::Declined)),
        (None, _) if found.is_expired(on.now) => return Ok(Some(NotGranted::Expired)),
        (None, _) => {}
    }
    let accepted = found.amount.is_some();
    let (most, verify) = match found.amount {
        Some(amount) => (amount, found.accepted_verify.unwrap_or(found.verify)),
        None => (found.ceiling, found.verify),
    };
    if intent.ceiling > most || intent.verify != verify || Credits::for_contacts(intent.asked as usize) > most {
        return Ok(Some(NotGranted::TooMuch));
    }
    let column = if accepted { "accepted" } else { "1" };
    let not_named = format!(
        "SELECT 1 FROM json_each(?2) j WHERE NOT EXISTS
         (SELECT 1 FROM proposed WHERE handle = ?1 AND id = j.value AND {column})"
    );
    if on.exists(&not_named, params![grant.handle.0, ids_text(&intent.ids)])? {
        return Ok(Some(NotGranted::NoSuch));
    }
    match intent.order {
        // What a person accepted, and the identical call again, were counted already.
        _ if accepted || intent.again.is_some() => Ok(None),
        None => standing_left(on, purse, grant, intent.ceiling),
        Some(_) => standing_left(on, purse, grant, Credits::for_contacts(intent.ids.len())),
    }
}

/// Whether the standing allowance reaches for this much more.
fn standing_left(on: &Work<'_>, purse: i64, grant: &Grant, more: Credits) -> Outcome<Option<NotGranted>> {
    let Some(StandingGrant { per_day, per_call }) = grant.standing else { return Ok(Some(NotGranted::Waiting)) };
    let since = spent::booking_time(on, purse, on.now)?.saturating_sub(spent::DAY_MS);
    let used = on.value(
        "SELECT (SELECT count(*) FROM outcome WHERE outcome IN ('unlocked', 'refunded', 'unreachable') AND booked > ?1
             AND order_id IN (SELECT order_id FROM proposal WHERE how = ?2))
         + (SELECT count(*) FROM open_contact WHERE batch IN
             (SELECT id FROM batch WHERE order_id IN (SELECT order_id FROM proposal WHERE how = ?2)))",
        params![since, STANDING],
    )?;
    let left = (per_day - used).min(per_call).max(Credits::ZERO);
    Ok((more > left).then_some(NotGranted::Standing { left }))
}

/// The proposal has become this order. Part of the transaction that writes the intent.
pub(super) fn use_up(db: &Connection, grant: &Grant, order: OrderId) -> Outcome<()> {
    let used = db.change(
        "UPDATE proposal SET how = CASE state WHEN 'accepted' THEN 'person' ELSE ?3 END, state = 'used', order_id = ?2
         WHERE handle = ?1 AND state IN ('waiting', 'accepted')",
        params![grant.handle.0, order.0, STANDING],
    )?;
    assert_eq!(used, 1, "a proposal is used once");
    Ok(())
}
