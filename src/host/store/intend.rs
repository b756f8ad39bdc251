//! Money rule 2, *intent before send*: the one transaction that decides whether an unlock call may leave.
//!
//! Everything that several windows could disagree about is checked here, under the write lock of the state file: whose
//! money it is, whether an id is in an open batch, the caps and the typed ceiling with all holds, the basket as it was
//! quoted, the suppression lists as the batch was checked against them. Either the batch is written, synced and the room for its answer taken, or nothing happened at all.

use rusqlite::{OptionalExtension, Transaction, params};

use lode_core::{BatchId, Credits, Now, OrderId, RowId, Side, Source, put_back};
use lode_engine::effect::{BatchIntent, CapKind, IntentRefused, StoreFailure, StoreReply, UnlockBody, WrittenIntent};

use super::answers::Answers;
use super::codes::{Amount, amount, clue_text, corpus_code, count};
use super::purses::{behind, number_of_purse};
use super::revisions::{self, LISTS};
use super::trouble::{Outcome, Trouble};
use super::windows::Windows;
use super::{basket, batches, owned, proposals, spent, told};

pub(super) fn intend(
    tx: &Transaction<'_>,
    answers: &mut Answers,
    windows: &Windows,
    intent: &BatchIntent,
    now: Now,
) -> Outcome<StoreReply> {
    // Money rule 12, *impossible stops*.
    assert!(!intent.ids.is_empty(), "a batch holds at least one id");
    let purse = number_of_purse(tx, &intent.purse)?;
    let mut refused = check(tx, windows, purse, intent)?;
    if let (None, Some(batch)) = (&refused, intent.again)
        && batches::is_outdated(tx, batch, intent.sent)?
    {
        return Ok(StoreReply::Outdated);
    }
    if let (None, Some(grant)) = (&refused, &intent.grant) {
        refused = proposals::check(tx, purse, intent, grant, now)?.map(IntentRefused::NotGranted);
    }
    if refused.is_none() {
        refused = check_amounts(tx, purse, intent, now)?;
    }
    if let Some(refused) = refused {
        return Ok(StoreReply::IntentRefused(refused));
    }
    let (order, batch) = match intent.again {
        Some(batch) => (batches::order_of(tx, batch)?, batch),
        None => {
            let (order, batch) = write(tx, purse, intent, now)?;
            if let (None, Some(grant)) = (intent.order, &intent.grant) {
                proposals::use_up(tx, grant, order)?;
            }
            (order, batch)
        }
    };
    let attempt = batches::last_attempt(tx, batch)?.map_or(1, |last| last.number + 1);
    tx.prepare_cached("INSERT INTO attempt (batch, number, window, key, sent_at) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![batch.0, attempt, intent.window.0, intent.key.0, now.wall.0])?;
    answers.reserve(batch, attempt)?;
    let written = UnlockBody { corpus: intent.corpus, ids: intent.ids.clone(), verify: intent.verify };
    Ok(StoreReply::Intended(WrittenIntent::new(order, batch, attempt as u32, written)))
}

/// Whose it is, whether it is open elsewhere or owned by now, and whether the basket is the one that was quoted.
fn check(tx: &Transaction<'_>, windows: &Windows, purse: i64, intent: &BatchIntent) -> Outcome<Option<IntentRefused>> {
    let of_key = behind(tx, &intent.purse.origin, &intent.key)?;
    let mut query = tx.prepare_cached("SELECT purse FROM orders WHERE id = ?1")?;
    let of_order = match intent.order {
        Some(order) => query.query_row([order.0], |row| row.get(0)).optional()?,
        None => Some(purse),
    };
    // Money rule 10, *one purse*.
    if of_key != Some(purse) || of_order != Some(purse) {
        return Ok(Some(IntentRefused::OtherPurse));
    }
    if revisions::revision(tx, LISTS)? != intent.lists {
        return Ok(Some(IntentRefused::ListsChanged));
    }
    if let Some(batch) = intent.again {
        return check_again(tx, windows, purse, batch, intent);
    }
    // Money rule 4, *never twice*.
    let mut query = tx.prepare_cached("SELECT 1 FROM open_contact WHERE purse = ?1 AND corpus = ?2 AND id = ?3")?;
    let mut open = Vec::new();
    for id in &intent.ids {
        if query.exists(params![purse, corpus_code(intent.corpus), id.0])? && !put_back("two-open-batches") {
            open.push(*id);
        }
    }
    if !open.is_empty() {
        return Ok(Some(IntentRefused::Open(open)));
    }
    // Another window may have bought them, or a look found them, after the quote was made.
    let owned = owned::of_ids(tx, purse, intent.corpus, &intent.ids)?;
    if !owned.is_empty() && !put_back("buy-owned") {
        return Ok(Some(IntentRefused::Settled(owned)));
    }
    if let Some(guard) = &intent.basket {
        let side = Side { source: Source::Workspace, corpus: intent.corpus };
        let moved = match guard.version {
            Some(version) => version != basket::version(tx, purse, side)?,
            None => false,
        };
        if moved || !basket::all_staged(tx, purse, side, &intent.ids)? {
            return Ok(Some(IntentRefused::BasketChanged));
        }
    }
    Ok(None)
}

/// Money rule 3, *same batch, same ids*: what is sent again is that very batch, still unknown, and in flight nowhere.
fn check_again(
    tx: &Transaction<'_>,
    windows: &Windows,
    purse: i64,
    batch: BatchId,
    intent: &BatchIntent,
) -> Outcome<Option<IntentRefused>> {
    let mut query = tx.prepare_cached("SELECT purse, corpus, verify FROM batch WHERE id = ?1")?;
    let found: Option<(i64, i64, bool)> =
        query.query_row([batch.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let Some((of_batch, corpus, verify)) = found else {
        return Err(StoreFailure::Other(format!("there is no batch {}", batch.0)).into());
    };
    if of_batch != purse {
        return Ok(Some(IntentRefused::OtherPurse));
    }
    // Money rule 12, *impossible stops*.
    assert_eq!(batches::ids(tx, batch)?, intent.ids, "a batch is sent again with the identical ids");
    assert_eq!((corpus, verify), (corpus_code(intent.corpus), intent.verify), "and in the identical way");
    let open = batches::open_ids(tx, batch)?;
    // Cleared up by another window or shown as owned, be it in part: it goes out whole or not at all.
    let owned = open.len() < intent.ids.len() || !owned::of_ids(tx, purse, intent.corpus, &intent.ids)?.is_empty();
    if owned && !put_back("resend-owned") {
        return Ok(Some(IntentRefused::Settled(batches::settled(tx, batch)?)));
    }
    let last = batches::last_attempt(tx, batch)?;
    if last.is_some_and(|last| last.end.is_none() && windows.lives(&last.window)) {
        return Ok(Some(IntentRefused::Open(open)));
    }
    Ok(None)
}

/// Money rules 5, *holds*, and 8, *bounded*: what is spent and held by all windows, and this call on top, stays within every bound.
fn check_amounts(tx: &Transaction<'_>, purse: i64, intent: &BatchIntent, now: Now) -> Outcome<Option<IntentRefused>> {
    let this_call = Credits::for_contacts(intent.ids.len());
    // A batch that is sent again is held already: only what is still unknown of it can cost, and that was admitted before.
    let (adds, costs) = match intent.again {
        Some(batch) => (Credits::ZERO, Credits::for_contacts(batches::open_ids(tx, batch)?.len())),
        None => (this_call, this_call),
    };
    if let Some(cap) = intent.caps.call.filter(|cap| costs > *cap) {
        let (used, held) = (Credits::ZERO, Credits::ZERO);
        return Ok(Some(IntentRefused::Cap { which: CapKind::Call, cap, used, held }));
    }
    if let Some(cap) = intent.caps.session
        && !put_back("session-cap-ignored")
    {
        let used = spent::of_run(tx, purse, &intent.window)?.0;
        let mut held = spent::held_by_run(tx, purse, &intent.window)?;
        if let Some(batch) = intent.again {
            // It counts once, whether this run held it before or another one did.
            held = held - spent::held_of_batch_by(tx, batch, &intent.window)?;
        }
        if used + held + costs > cap {
            return Ok(Some(IntentRefused::Cap { which: CapKind::Session, cap, used, held }));
        }
    }
    if let Some(cap) = intent.caps.day
        && !put_back("day-cap-ignored")
    {
        let (used, held) = (spent::of_day(tx, purse, now)?, spent::held(tx, purse)?);
        let held = if put_back("holds-ignored") { Credits::ZERO } else { held };
        if used + held + adds > cap {
            return Ok(Some(IntentRefused::Cap { which: CapKind::Day, cap, used, held }));
        }
    }
    let ceiling = intent.ceiling;
    let (used, held) = match (intent.again, intent.order) {
        // The amount typed for a finish bounds that batch; the order's own amount admitted it long ago.
        (Some(_), _) | (None, None) => (Credits::ZERO, Credits::ZERO),
        (None, Some(order)) => (spent::of_order(tx, order)?, spent::held_of_order(tx, order)?),
    };
    if used + held + costs > ceiling {
        return Ok(Some(IntentRefused::Ceiling { ceiling, used, held }));
    }
    Ok(None)
}

fn write(tx: &Transaction<'_>, purse: i64, intent: &BatchIntent, now: Now) -> Outcome<(OrderId, BatchId)> {
    let order = match intent.order {
        Some(order) => order,
        None => {
            tx.prepare_cached(
                "INSERT INTO orders (purse, corpus, profile, window, key, opened_at, ceiling, verify, asked, balance_before)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                purse,
                corpus_code(intent.corpus),
                intent.profile,
                intent.window.0,
                intent.key.0,
                now.wall.0,
                Amount(intent.ceiling),
                intent.verify,
                count(intent.asked),
                amount(intent.balance_before)
            ])?;
            OrderId(tx.last_insert_rowid())
        }
    };
    tx.prepare_cached(
        "INSERT INTO batch (order_id, number, purse, corpus, profile, verify, balance_before)
         VALUES (?1, (SELECT count(*) + 1 FROM batch WHERE order_id = ?1), ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        order.0,
        purse,
        corpus_code(intent.corpus),
        intent.profile,
        intent.verify,
        amount(intent.balance_before)
    ])?;
    let batch = BatchId(tx.last_insert_rowid());
    let mut ask = tx.prepare_cached("INSERT INTO asked (batch, place, id, clue) VALUES (?1, ?2, ?3, ?4)")?;
    let mut open = tx.prepare_cached("INSERT INTO open_contact (purse, corpus, id, batch) VALUES (?1, ?2, ?3, ?4)")?;
    if put_back("two-open-batches") {
        open = tx
            .prepare_cached("INSERT OR REPLACE INTO open_contact (purse, corpus, id, batch) VALUES (?1, ?2, ?3, ?4)")?;
    }
    for (place, id) in intent.ids.iter().enumerate() {
        let clue = intent.clues.iter().find(|(of, _)| of == id).map(|(_, clue)| clue_text(clue));
        ask.execute(params![batch.0, place as i64, id.0, clue.unwrap_or_else(|| clue_text(&Default::default()))])?;
        open.execute(params![purse, corpus_code(intent.corpus), id.0, batch.0]).map_err(|error| twice(error, *id))?;
    }
    told::keep(tx, purse, intent.corpus, &intent.ids, &intent.rows)?;
    Ok((order, batch))
}

/// An id twice in one batch is our own mistake: the service's answer could not be told apart.
fn twice(error: rusqlite::Error, id: RowId) -> Trouble {
    match &error {
        rusqlite::Error::SqliteFailure(sql, _) if sql.code == rusqlite::ErrorCode::ConstraintViolation => {
            StoreFailure::Other(format!("the id {id} is twice in one batch")).into()
        }
        _ => error.into(),
    }
}
