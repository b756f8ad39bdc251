//! The table of store calls: how each one runs, its function and its reply.

use lode_engine::effect::StoreCall::*;
use lode_engine::effect::{NotGranted, StoreCall, StoreReply as Reply};

use super::purses::{all_meant, to_read, to_write};
use super::sql::Outcome;
use super::windows::{self, JOBS, LISTS, MONEY, OWNED, revision};
use super::{Performing, basket, batches, history, open, owned, proposals, purses, slots, spent};

fn done((): ()) -> Reply {
    Reply::Done
}

fn granted(refused: Option<NotGranted>) -> Reply {
    refused.map_or(Reply::Done, Reply::NotGranted)
}

pub(super) fn perform(at: &mut Performing<'_>, call: &StoreCall) -> Outcome<Reply> {
    match call {
        // The allowance of a key.
        Reserve { key, allowance, window } => at.counts(|on| slots::reserve(on, key, *allowance, window)),
        Release { slot, allowance, .. } => at.counts(|on| slots::release(on, *slot, *allowance, on.now)).map(done),
        Pause { key, wait } => at.counts(|on| slots::pause(on, key, *wait, on.now)).map(done),
        Gauge { key } => at.counts(|on| slots::gauge(on, key, on.now)).map(Reply::Gauge),

        // Other windows.
        Changes { purse } => at
            .reads(|on| windows::changes(on, purse.as_ref().map(|purse| to_read(on, purse)).transpose()?))
            .map(Reply::Changes),
        NoteJob(job) => at.writes_passing(&[JOBS], |on| history::note_job(on, job)),
        Jobs(since) => at.reads(|on| history::jobs(on, *since)).map(Reply::Jobs),
        ContactStatuses { purse, corpus, ids } => {
            at.reads(|on| batches::statuses(on, to_read(on, purse)?, *corpus, ids)).map(Reply::ContactStatuses)
        }
        LearnPage { source, origin, rows } => {
            at.writes_passing(&[], |on| history::learn_page(on, *source, origin, *rows))
        }
        PageSizes { services } => at.reads(|on| history::page_sizes(on, services)).map(Reply::PageSizes),

        // Purses.
        KeepAccount { key, purse, account } => {
            at.writes_passing(&[OWNED], |on| purses::keep_account(on, key, purse, account, on.now))
        }
        AccountOf { origin, key } => at.reads(|on| purses::account_of(on, origin, key)).map(Reply::AccountOf),
        Assign { profile, purse } => at.writes(&[], |on| purses::assign(on, profile, purse)).map(Reply::Assigned),

        // The basket and the suppression lists.
        Basket { purse, side } => at.reads(|on| basket::read(on, to_read(on, purse)?, *side)).map(Reply::Basket),
        BasketPart { purse, side, behind } => at
            .reads(|on| basket::read_part(on, to_read(on, purse)?, *side, *behind))
            .map(|(part, next)| Reply::BasketPart(part, next)),
        BasketVersion { purse, side } => {
            at.reads(|on| basket::version(on, to_read(on, purse)?, *side)).map(Reply::BasketVersion)
        }
        Stage { purse, side, rows } => {
            at.writes(&[], |on| basket::stage(on, to_write(on, purse)?, *side, rows)).map(Reply::BasketVersion)
        }
        Unstage { purse, side, ids } => {
            at.writes(&[], |on| basket::unstage(on, to_read(on, purse)?, *side, ids)).map(Reply::BasketVersion)
        }
        Suppress { purse, list, entries } => {
            at.writes(&[LISTS], |on| basket::suppress(on, to_write(on, purse)?, list, entries)).map(done)
        }
        RemoveSuppression { purses, list, entries } => at
            .writes(&[LISTS], |on| basket::remove_suppression(on, &all_meant(on, purses)?, list, entries.as_deref()))
            .map(done),
        Suppressions { purses } => {
            at.reads(|on| basket::suppressions(on, &all_meant(on, purses)?)).map(Reply::Suppressions)
        }
        ListsSince { purses, known } => at.reads(|on| {
            let revision = revision(on, LISTS)?;
            let is_known = *known == Some(revision);
            let lists = if is_known { None } else { Some(basket::suppressions(on, &all_meant(on, purses)?)?) };
            Ok(Reply::Lists { revision, lists })
        }),

        // Money.
        Intend(intent) => at.intend(intent),
        // Without a transaction: its room is in a file of its own, and the state file may be full.
        KeepAnswer { batch, status, body } => {
            let on = at.ledger(true)?;
            open::write_back_on_close(&on)?;
            batches::heard(&on, *batch, *status, body).map(done)
        }
        Lost { batch, words } => at.writes(&[MONEY], |on| batches::end(on, *batch, "lost", words)).map(done),
        Withdraw { batch, words } => at.settles(*batch, &[MONEY], |on| batches::withdraw(on, *batch, words)).map(done),
        Settle(settlement) => at.settles(settlement.batch, &[OWNED, MONEY], |on| batches::settle(on, settlement)),
        KeepCheckResults { batch, sent, sightings } => {
            at.writes(&[MONEY], |on| batches::keep_check_results(on, *batch, *sent, sightings))
        }
        OpenBatches { purse } => {
            at.tidy_open_batches(purse)?;
            at.reads(|on| batches::open(on, purse)).map(Reply::OpenBatches)
        }
        OpenElsewhere { profile, purse } => {
            at.reads(|on| batches::open_elsewhere(on, profile, purse)).map(Reply::OpenElsewhere)
        }
        Spent { purse, window } => {
            at.reads(|on| spent::read(on, to_read(on, purse)?, window, on.now)).map(Reply::Spent)
        }
        Receipts { purse, month } => {
            at.reads(|on| spent::receipts(on, to_read(on, purse)?, *month)).map(Reply::Receipts)
        }

        // Proposals.
        Propose(proposal) => at.writes(&[], |on| proposals::propose(on, proposal, on.now)).map(granted),
        Proposals { purse } => at.reads(|on| proposals::waiting(on, purse, on.now)).map(Reply::Proposals),
        ProposalOf { purse, handle } => at
            .reads(|on| proposals::find(on, purse, handle, on.now))
            .map(|found: Option<_>| Reply::Proposals(found.into_iter().collect())),
        Answer { purse, handle, verdict } => {
            at.writes(&[], |on| proposals::answer(on, purse, handle, verdict)).map(granted)
        }

        // What is owned.
        Owned { purse, corpus } => at.reads(|on| owned::read(on, to_read(on, purse)?, *corpus)).map(Reply::Owned),
        Own { purse, corpus, contacts } => {
            at.writes(&[OWNED], |on| owned::own(on, to_write(on, purse)?, *corpus, contacts, on.now)).map(done)
        }
        Tag { purse, corpus, ids, tags } => {
            at.writes(&[OWNED], |on| owned::tag(on, to_write(on, purse)?, *corpus, ids, tags)).map(done)
        }
        Note { purse, corpus, id, note } => {
            at.writes(&[OWNED], |on| owned::note(on, to_write(on, purse)?, *corpus, *id, note)).map(done)
        }
        Forget { purse, corpus, ids } => {
            at.writes(&[OWNED], |on| owned::forget(on, to_write(on, purse)?, *corpus, ids)).map(done)
        }

        // Searches, saved searches, the place, matches.
        Searched { purse, canonical, total, offset, ids, leg } => at.writes_passing(&[], |on| {
            let purse = to_write(on, purse)?;
            history::searched(on, purse, canonical, (*total, *offset), ids, !*leg, on.now)
        }),
        Recent { purses, most } => {
            at.reads(|on| history::recent(on, &all_meant(on, purses)?, *most)).map(Reply::Recent)
        }
        Shown { purses, side, ids } => {
            at.reads(|on| history::shown(on, &all_meant(on, purses)?, *side, ids)).map(Reply::Shown)
        }
        Snapshot { purse, profile, name, query, snapshot } => at
            .writes(&[], |on| history::keep_snapshot(on, to_write(on, purse)?, (profile, name, query), snapshot))
            .map(done),
        SnapshotOf { purse, profile, name, query } => {
            at.reads(|on| history::snapshot(on, to_read(on, purse)?, (profile, name, query))).map(Reply::Snapshot)
        }
        MoveSnapshot { profile, from, to } => {
            at.writes(&[], |on| history::move_snapshot(on, profile, from, to)).map(done)
        }
        ForgetSnapshot { profile, name } => at.writes(&[], |on| history::forget_snapshot(on, profile, name)).map(done),
        Place { profile, text } => at.writes_passing(&[], |on| history::keep_place(on, profile, text)),
        PlaceOf { profile } => at.reads(|on| history::place(on, profile)).map(Reply::Place),
        MatchStep { purse, job, step, answer } => {
            at.writes_passing(&[], |on| history::keep_step(on, to_write(on, purse)?, (job, step), answer, on.now))
        }
        MatchSteps { purse, job } => at.reads(|on| history::steps(on, to_read(on, purse)?, job)).map(Reply::MatchSteps),
        MatchDone { purse, job } => {
            at.writes(&[], |on| history::drop_steps(on, to_read(on, purse)?, job, on.now)).map(done)
        }
        RenameProfile { from, to } => at.writes(&[], |on| history::rename_profile(on, from, to)).map(done),
    }
}
