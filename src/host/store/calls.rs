//! Which function does which call: each a transaction, reading or writing.

use rusqlite::{Connection, TransactionBehavior};

use lode_core::{Now, Purse};
use lode_engine::effect::{StoreCall, StoreReply, WindowId};

use super::answers::Answers;
use super::batches::Whose;
use super::purses::{all_meant, assign, meant_or_new, read_under};
use super::revisions::{self, LISTS};
use super::trouble::Outcome;
use super::windows::Windows;
use super::{
    basket, batches, changes, history, intend, jobs, kept, matching, owned, proposals, receipts, slots, spent,
};

/// One call about the allowance of a key.
pub(super) fn allowance(slots: &mut Connection, windows: &Windows, call: &StoreCall, now: Now) -> Outcome<StoreReply> {
    match call {
        StoreCall::Reserve { key, allowance, window } => slots::reserve(slots, windows, key, *allowance, window, now),
        StoreCall::Release { slot, allowance, .. } => slots::release(slots, *slot, *allowance, now),
        StoreCall::Pause { key, wait } => slots::pause(slots, key, *wait, now),
        StoreCall::Gauge { key } => slots::look(slots, key, now),
        other => unreachable!("{other:?} is not about the allowance"),
    }
}

/// Who performs a call: this window, who else lives, and which boot the machine's clock counts from.
pub(super) struct Mine<'a> {
    pub window: &'a WindowId,
    pub windows: &'a Windows,
    pub boot: &'a str,
}

impl<'a> Mine<'a> {
    pub(super) fn of(&'a self, purse: &'a Purse) -> Whose<'a> {
        Whose { purse, window: self.window, windows: self.windows, boot: self.boot }
    }
}

/// Whether a call changes nothing.
pub(super) fn is_read(call: &StoreCall) -> bool {
    matches!(
        call,
        StoreCall::Known { .. }
            | StoreCall::Basket { .. }
            | StoreCall::BasketPart { .. }
            | StoreCall::BasketVersion { .. }
            | StoreCall::Suppressions { .. }
            | StoreCall::ListsSince { .. }
            | StoreCall::OpenBatches { .. }
            | StoreCall::OpenElsewhere { .. }
            | StoreCall::Spent { .. }
            | StoreCall::Receipts { .. }
            | StoreCall::Owned { .. }
            | StoreCall::Changes { .. }
            | StoreCall::Jobs(_)
            | StoreCall::Fates { .. }
            | StoreCall::PageSizes { .. }
            | StoreCall::Proposals { .. }
            | StoreCall::ProposalOf { .. }
            | StoreCall::Recent { .. }
            | StoreCall::Shown { .. }
            | StoreCall::SnapshotOf { .. }
            | StoreCall::PlaceOf { .. }
            | StoreCall::MatchSteps { .. }
    )
}

/// Whether a call has to be on the disk when it is answered.
pub(super) fn is_durable(call: &StoreCall) -> bool {
    let passing = matches!(call, StoreCall::Searched { .. } | StoreCall::Place { .. } | StoreCall::Know { .. });
    let work = matches!(call, StoreCall::MatchStep { .. } | StoreCall::LearnPage { .. } | StoreCall::NoteJob(_));
    !(passing || work)
}

pub(super) fn read(
    books: &Connection,
    answers: &Answers,
    mine: &Mine<'_>,
    call: &StoreCall,
    now: Now,
) -> Outcome<StoreReply> {
    match call {
        StoreCall::Known { origin, key } => kept::known(books, origin, key),
        StoreCall::Basket { purse, side } => basket::read(books, read_under(books, purse)?, *side),
        StoreCall::BasketPart { purse, side, behind } => {
            basket::read_part(books, read_under(books, purse)?, *side, *behind)
        }
        StoreCall::BasketVersion { purse, side } => {
            basket::version(books, read_under(books, purse)?, *side).map(StoreReply::BasketVersion)
        }
        StoreCall::Suppressions { purses } => {
            Ok(StoreReply::Suppressions(basket::suppressions(books, &all_meant(books, purses)?)?))
        }
        StoreCall::ListsSince { purses, known } => {
            let revision = revisions::revision(books, LISTS)?;
            let is_known = *known == Some(revision);
            let lists = (!is_known).then(|| basket::suppressions(books, &all_meant(books, purses)?)).transpose()?;
            Ok(StoreReply::Lists { revision, lists })
        }
        StoreCall::OpenBatches { purse } => batches::open(books, answers, &mine.of(purse), now),
        StoreCall::OpenElsewhere { profile, purse } => batches::open_elsewhere(books, profile, purse),
        StoreCall::Spent { purse, window } => spent::read(books, purse, window, now),
        StoreCall::Receipts { purse, month } => receipts::read(books, purse, *month),
        StoreCall::Owned { purse, corpus } => owned::read(books, purse, *corpus),
        StoreCall::Changes { purse } => changes::read(books, purse.as_ref()),
        StoreCall::Jobs(since) => jobs::read(books, mine.window, mine.windows, *since),
        StoreCall::Fates { purse, corpus, ids } => changes::fates(books, &mine.of(purse), *corpus, ids),
        StoreCall::PageSizes { services } => changes::page_sizes(books, services),
        StoreCall::Proposals { purse } => proposals::waiting(books, purse, now),
        StoreCall::ProposalOf { purse, handle } => proposals::one(books, purse, handle, now),
        StoreCall::Recent { purses, most } => history::recent(books, &all_meant(books, purses)?, *most),
        StoreCall::Shown { purses, side, ids } => history::shown(books, &all_meant(books, purses)?, *side, ids),
        StoreCall::SnapshotOf { purse, profile, name, query } => {
            kept::snapshot_of(books, read_under(books, purse)?, profile, name, query)
        }
        StoreCall::PlaceOf { profile } => kept::place_of(books, profile),
        StoreCall::MatchSteps { purse, job } => matching::steps(books, read_under(books, purse)?, job),
        other => unreachable!("{other:?} writes"),
    }
}

pub(super) fn write(
    books: &mut Connection,
    answers: &mut Answers,
    mine: &Mine<'_>,
    call: &StoreCall,
    now: Now,
) -> Outcome<StoreReply> {
    if let StoreCall::Heard { batch, status, body } = call {
        // No transaction: the room is in the answer's own file, and the state file may be full.
        let answered = batches::Heard { status: *status, body, at: now.wall };
        return batches::heard(books, answers, *batch, answered);
    }
    let tx = books.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let reply = match call {
        StoreCall::Know { key, purse, account } => kept::know(&tx, key, purse, account, now),
        StoreCall::Stage { purse, side, rows } => basket::stage(&tx, meant_or_new(&tx, purse)?, *side, rows),
        StoreCall::Unstage { purse, side, ids } => basket::unstage(&tx, read_under(&tx, purse)?, *side, ids),
        StoreCall::Assign { profile, purse } => assign(&tx, profile, purse),
        StoreCall::Suppress { purse, list, entries } => basket::suppress(&tx, meant_or_new(&tx, purse)?, list, entries),
        StoreCall::RemoveSuppression { purses, list, entries } => {
            basket::remove_suppression(&tx, &all_meant(&tx, purses)?, list, entries.as_deref())
        }
        StoreCall::Intend(intent) => intend::intend(&tx, answers, mine.windows, intent, now),
        StoreCall::Propose(proposal) => proposals::propose(&tx, proposal, now),
        StoreCall::Answer { purse, handle, verdict } => proposals::answer(&tx, purse, handle, verdict, now),
        StoreCall::Lost { batch, words } => batches::lost(&tx, mine.boot, *batch, words, now),
        StoreCall::Withdraw { batch, words } => batches::withdraw(&tx, answers, mine.boot, *batch, words, now),
        StoreCall::Settle(settlement) => batches::settle(&tx, answers, mine.boot, settlement, now),
        StoreCall::Sighted { batch, sent, sightings } => {
            batches::sighted(&tx, mine.boot, *batch, *sent, sightings, now)
        }
        StoreCall::Own { purse, corpus, contacts } => {
            owned::own(&tx, meant_or_new(&tx, purse)?, *corpus, contacts, now)
        }
        StoreCall::Tag { purse, corpus, ids, tags } => owned::tag(&tx, purse, *corpus, ids, tags),
        StoreCall::Note { purse, corpus, id, note } => owned::note(&tx, purse, *corpus, *id, note),
        StoreCall::Forget { purse, corpus, ids } => owned::forget(&tx, purse, *corpus, ids),
        StoreCall::Searched { purse, canonical, total, offset, ids, leg } => {
            let listed = !*leg;
            history::searched(&tx, meant_or_new(&tx, purse)?, canonical, (*total, *offset), ids, listed, now)
        }
        StoreCall::Snapshot { purse, profile, name, query, snapshot } => {
            kept::snapshot(&tx, meant_or_new(&tx, purse)?, profile, name, query, snapshot)
        }
        StoreCall::MoveSnapshot { profile, from, to } => kept::move_snapshot(&tx, profile, from, to),
        StoreCall::ForgetSnapshot { profile, name } => kept::forget_snapshot(&tx, profile, name),
        StoreCall::NoteJob(job) => jobs::note(&tx, mine.window, job, now),
        StoreCall::LearnPage { source, origin, rows } => changes::learn_page(&tx, *source, origin, *rows),
        StoreCall::MatchStep { purse, job, step, answer } => {
            matching::keep(&tx, meant_or_new(&tx, purse)?, (job, step), answer, now)
        }
        StoreCall::MatchDone { purse, job } => matching::done(&tx, read_under(&tx, purse)?, job, now),
        StoreCall::Place { profile, text } => kept::place(&tx, profile, text),
        StoreCall::RenameProfile { from, to } => kept::rename_profile(&tx, from, to),
        other => unreachable!("{other:?} is done elsewhere"),
    }?;
    changes::note(&tx, call)?;
    tx.commit()?;
    // Only now, with the answers in the state file for good, may their own files go. The call has succeeded even if that fails.
    let touched = match call {
        StoreCall::Withdraw { batch, .. } => Some(*batch),
        StoreCall::Settle(settlement) => Some(settlement.batch),
        _ => None,
    };
    if let Some(batch) = touched
        && batches::is_filed(books, answers, batch).unwrap_or(false)
    {
        answers.release(batch);
    }
    Ok(reply)
}
