//! Money rule 2, *intent before send*: the one transaction that decides whether an unlock call may leave.
//!
//! Everything that several windows could disagree about is checked here, under the write lock of the state file: whose
//! money it is, whether an id is in an open batch, the caps and the typed ceiling with all holds, the basket as it was
//! quoted, the suppression lists as the batch was checked against them. Either the batch is written, synced and the room for its answer taken, or nothing happened at all.

use super::purses::{behind, to_write};
use super::windows::{LISTS, revision};
use super::*;

pub(super) fn intend(on: &Work<'_>, intent: &BatchIntent) -> Outcome<StoreReply> {
    // Money rule 12, *impossible stops*.
    assert!(!intent.ids.is_empty(), "a batch holds at least one id");
    let purse = to_write(on, &intent.purse)?;
    let mut refused = check(on, purse, intent)?;
    if let (None, Some(batch)) = (&refused, intent.again)
        && batches::is_outdated(on, batch, intent.sent)?
    {
        return Ok(StoreReply::Outdated);
    }
    if let (None, Some(grant)) = (&refused, &intent.grant) {
        refused = proposals::check(on, purse, intent, grant)?.map(IntentRefused::NotGranted);
    }
    if refused.is_none() {
        refused = check_amounts(on, purse, intent)?;
    }
    if let Some(refused) = refused {
        return Ok(StoreReply::IntentRefused(refused));
    }
    let (order, batch) = match intent.again {
        Some(batch) => (batches::origin(on, batch)?.order, batch),
        None => {
            let (order, batch) = write(on, purse, intent)?;
            if let (None, Some(grant)) = (intent.order, &intent.grant) {
                proposals::use_up(on, grant, order)?;
            }
            (order, batch)
        }
    };
    let attempt = batches::last_attempt(on, batch)?.map_or(1, |last| last.number + 1);
    let insert = "INSERT INTO attempt (batch, number, window, key, sent_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    on.run(insert, params![batch.0, attempt, intent.window.0, intent.key.0, on.now.wall.0])?;
    on.answers.reserve(batch, attempt)?;
    let written = UnlockBody { corpus: intent.corpus, ids: intent.ids.clone(), verify: intent.verify };
    Ok(StoreReply::Intended(WrittenIntent::new(order, batch, attempt as u32, written)))
}

/// Whose it is, whether it is open elsewhere or owned by now, and whether the basket is the one that was quoted.
fn check(on: &Work<'_>, purse: i64, intent: &BatchIntent) -> Outcome<Option<IntentRefused>> {
    let of_key = behind(on, &intent.purse.origin, &intent.key)?;
    let of_order = match intent.order {
        Some(order) => on.find("SELECT purse FROM orders WHERE id = ?1", [order.0])?,
        None => Some(purse),
    };
    // Money rule 10, *one purse*.
    if of_key != Some(purse) || of_order != Some(purse) {
        return Ok(Some(IntentRefused::OtherPurse));
    }
    if revision(on, LISTS)? != intent.lists {
        return Ok(Some(IntentRefused::ListsChanged));
    }
    if let Some(batch) = intent.again {
        return check_again(on, purse, batch, intent);
    }
    // Money rule 4, *never twice*.
    let open = "SELECT j.value FROM json_each(?3) j WHERE EXISTS
         (SELECT 1 FROM open_contact WHERE purse = ?1 AND corpus = ?2 AND id = j.value) ORDER BY j.key";
    let open: Vec<RowId> = on.list(open, params![purse, intent.corpus.code(), ids_text(&intent.ids)])?;
    if !open.is_empty() && !put_back("two-open-batches") {
        return Ok(Some(IntentRefused::Open(open)));
    }
    // Another window may have bought them, or a look found them, after the quote was made.
    let owned = owned::of_ids(on, purse, intent.corpus, &intent.ids)?;
    if !owned.is_empty() && !put_back("buy-owned") {
        return Ok(Some(IntentRefused::Settled(owned)));
    }
    if let Some(guard) = &intent.basket {
        let side = Side { source: Source::Workspace, corpus: intent.corpus };
        let moved = match guard.version {
            Some(version) => version != basket::version(on, purse, side)?,
            None => false,
        };
        if moved || !basket::all_staged(on, purse, side, &intent.ids)? {
            return Ok(Some(IntentRefused::BasketChanged));
        }
    }
    Ok(None)
}

/// Money rule 3, *same batch, same ids*: what is sent again is that very batch, still unknown, and in flight nowhere.
fn check_again(on: &Work<'_>, purse: i64, batch: BatchId, intent: &BatchIntent) -> Outcome<Option<IntentRefused>> {
    let of = batches::origin(on, batch)?;
    if of.purse != purse {
        return Ok(Some(IntentRefused::OtherPurse));
    }
    // Money rule 12, *impossible stops*.
    let ids = if put_back("impossible-goes-on") { intent.ids.clone() } else { batches::ids(on, batch)? };
    assert_eq!((&ids, of.corpus, of.verify), (&intent.ids, intent.corpus, intent.verify), "a batch stays as it was");
    let open = batches::open_ids(on, batch)?;
    // Cleared up by another window or shown as owned, be it in part: it goes out whole or not at all.
    let owned = open.len() < intent.ids.len() || !owned::of_ids(on, purse, intent.corpus, &intent.ids)?.is_empty();
    if owned && !put_back("resend-owned") {
        return Ok(Some(IntentRefused::Settled(batches::settled(on, batch)?)));
    }
    let last = batches::last_attempt(on, batch)?;
    if last.is_some_and(|last| last.end.is_none() && on.windows.lives(&last.window)) {
        return Ok(Some(IntentRefused::Open(open)));
    }
    Ok(None)
}

/// Money rules 5, *holds*, and 8, *bounded*: what is spent and held by all windows, and this call on top, stays within every bound.
fn check_amounts(on: &Work<'_>, purse: i64, intent: &BatchIntent) -> Outcome<Option<IntentRefused>> {
    let this_call = Credits::for_contacts(intent.ids.len());
    // A batch that is sent again is held already: only what is still unknown of it can cost, and that was admitted before.
    let (adds, costs) = match intent.again {
        Some(batch) => (Credits::ZERO, Credits::for_contacts(batches::open_ids(on, batch)?.len())),
        None => (this_call, this_call),
    };
    if let Some(cap) = intent.caps.call.filter(|cap| costs > *cap) {
        let (used, held) = (Credits::ZERO, Credits::ZERO);
        return Ok(Some(IntentRefused::Cap { which: CapKind::Call, cap, used, held }));
    }
    if let Some(cap) = intent.caps.session
        && !put_back("session-cap-ignored")
    {
        let used = spent::of_run(on, purse, &intent.window)?.0;
        let mut held = spent::held_by_run(on, purse, None, &intent.window)?;
        if intent.again.is_some() {
            // It counts once, whether this run held it before or another one did.
            held = held - spent::held_by_run(on, purse, intent.again, &intent.window)?;
        }
        if used + held + costs > cap {
            return Ok(Some(IntentRefused::Cap { which: CapKind::Session, cap, used, held }));
        }
    }
    if let Some(cap) = intent.caps.day
        && !put_back("day-cap-ignored")
    {
        let (used, held) = (spent::of_day(on, purse, on.now)?, spent::held(on, purse)?);
        let held = if put_back("holds-ignored") { Credits::ZERO } else { held };
        if used + held + adds > cap {
            return Ok(Some(IntentRefused::Cap { which: CapKind::Day, cap, used, held }));
        }
    }
    let ceiling = intent.ceiling;
    let (used, held) = match (intent.again, intent.order) {
        // The amount typed for a finish bounds that batch; the order's own amount admitted it long ago.
        (Some(_), _) | (None, None) => (Credits::ZERO, Credits::ZERO),
        (None, Some(order)) => (spent::of_order(on, order)?, spent::held_of_order(on, order)?),
    };
    if used + held + costs > ceiling {
        return Ok(Some(IntentRefused::Ceiling { ceiling, used, held }));
    }
    Ok(None)
}

fn write(on: &Work<'_>, purse: i64, intent: &BatchIntent) -> Outcome<(OrderId, BatchId)> {
    let BatchIntent { profile, window, key, verify, .. } = intent;
    let (corpus, balance) = (intent.corpus.code(), amount(intent.balance_before));
    let order = match intent.order {
        Some(order) => order,
        None => {
            let (at, ceiling, asked) = (on.now.wall.0, intent.ceiling.0, count(intent.asked));
            on.run(
                "INSERT INTO orders (purse, corpus, profile, window, key, opened_at, ceiling, verify, asked, balance_before)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                params![purse, corpus, profile, window.0, key.0, at, ceiling, verify, asked, balance],
            )?;
            OrderId(on.last_insert_rowid())
        }
    };
    let insert = "INSERT INTO batch (order_id, number, purse, corpus, profile, verify, balance_before)
         VALUES (?1, (SELECT count(*) + 1 FROM batch WHERE order_id = ?1), ?2, ?3, ?4, ?5, ?6)";
    on.run(insert, params![order.0, purse, corpus, profile, verify, balance])?;
    let batch = BatchId(on.last_insert_rowid());
    let or = if put_back("two-open-batches") { "OR REPLACE" } else { "" };
    let open = format!("INSERT {or} INTO open_contact (purse, corpus, id, batch) VALUES (?1, ?2, ?3, ?4)");
    let mut open = on.prepare_cached(&open)?;
    for (place, id) in intent.ids.iter().enumerate() {
        let clue = intent.clues.iter().find(|(of, _)| of == id).map(|(_, clue)| clue_text(clue));
        let insert = "INSERT INTO asked (batch, place, id, clue) VALUES (?1, ?2, ?3, ?4)";
        on.run(insert, params![batch.0, place as i64, id.0, clue.unwrap_or_else(|| clue_text(&Default::default()))])?;
        open.execute([purse, corpus, id.0, batch.0]).map_err(|error| twice(error, *id))?;
    }
    owned::keep_rows(on, purse, intent)?;
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
