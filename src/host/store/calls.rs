//! The table of store calls: how each one runs, its function and its reply.

use lode_engine::effect::StoreCall::*;
use lode_engine::effect::{StoreCall, StoreReply};

use super::purses::{all_meant, to_read, to_write};
use super::sql::Outcome;
use super::windows::{self, JOBS, LISTS, MONEY, OWNED, revision};
use super::{Performing, basket, batches, history, open, owned, proposals, purses, slots, spent};

pub(super) fn perform(at: &mut Performing<'_>, call: &StoreCall) -> Outcome<StoreReply> {
    match call {
        // The allowance of a key.
        Reserve { key, allowance, window } => at.counts(|on| slots::reserve(on, key, *allowance, window)),
        Release { slot, allowance } => at.counts(|on| slots::release(on, *slot, *allowance, on.now)),
        Pause { key, wait } => at.counts(|on| slots::pause(on, key, *wait, on.now)),
        Gauge { key } => at.counts(|on| slots::gauge(on, key, on.now)),

        // Other windows.
        Changes { purse } => {
            at.reads(|on| windows::changes(on, purse.as_ref().map(|purse| to_read(on, purse)).transpose()?))
        }
        NoteJob(job) => at.writes_passing(&[JOBS], |on| history::note_job(on, job)),
        Jobs(since) => at.reads(|on| history::jobs(on, *since)),
        ContactStatuses { purse, corpus, ids } => at.reads(|on| batches::status(on, to_read(on, purse)?, *corpus, ids)),
        LearnPage { source, origin, rows } => at.writes_passing(&[], |on| history::learn(on, *source, origin, *rows)),
        PageSizes { services } => at.reads(|on| history::page_sizes(on, services)),

        // Purses.
        KeepAccount { key, purse, account } => {
            at.writes_passing(&[OWNED], |on| purses::keep_account(on, key, purse, account, on.now))
        }
        AccountOf { origin, key } => at.reads(|on| purses::account_of(on, origin, key)),
        Assign { profile, purse } => at.writes(&[], |on| purses::assign(on, profile, purse)),

        // The basket and the suppression lists.
        Basket { purse, side } => at.reads(|on| basket::read(on, to_read(on, purse)?, *side)),
        BasketPart { purse, side, behind } => at.reads(|on| basket::read_part(on, to_read(on, purse)?, *side, *behind)),
        BasketVersion { purse, side } => at.reads(|on| basket::version(on, to_read(on, purse)?, *side)),
        Stage { purse, side, rows } => at.writes(&[], |on| basket::stage(on, to_write(on, purse)?, *side, rows)),
        Unstage { purse, side, ids } => at.writes(&[], |on| basket::unstage(on, to_read(on, purse)?, *side, ids)),
        Suppress { purse, list, entries } => {
            at.writes(&[LISTS], |on| basket::suppress(on, to_write(on, purse)?, list, entries))
        }
        RemoveSuppression { purses, list, entries } => {
            at.writes(&[LISTS], |on| basket::unsuppress(on, &all_meant(on, purses)?, list, entries.as_deref()))
        }
        Suppressions { purses } => at.reads(|on| basket::suppressions(on, &all_meant(on, purses)?)),
        ListsSince { purses, known } => at.reads(|on| {
            let revision = revision(on, LISTS)?;
            let is_known = *known == Some(revision);
            let lists = if is_known { None } else { Some(basket::suppressions(on, &all_meant(on, purses)?)?) };
            Ok((revision, lists))
        }),

        // Money.
        Intend(intent) => at.intend(intent),
        // Without a transaction: its room is in a file of its own, and the state file may be full.
        KeepAnswer { batch, status, body } => {
            let on = at.ledger(true)?;
            open::write_durably(&on)?;
            batches::heard(&on, *batch, *status, body).map(Into::into)
        }
        Lost { batch, words } => at.writes(&[MONEY], |on| batches::end(on, *batch, "lost", words)),
        Withdraw { batch, words } => at.settles(*batch, &[MONEY], |on| batches::withdraw(on, *batch, words)),
        Settle(settlement) => at.settles(settlement.batch, &[OWNED, MONEY], |on| batches::settle(on, settlement)),
        KeepCheckResults { batch, sent, sightings } => {
            at.writes(&[MONEY], |on| batches::looked(on, *batch, *sent, sightings))
        }
        OpenBatches { purse } => {
            at.tidy_open_batches(purse)?;
            at.reads(|on| batches::open(on, purse))
        }
        OpenElsewhere { profile, purse } => at.reads(|on| batches::open_elsewhere(on, profile, purse)),
        Spent { purse, window } => at.reads(|on| spent::read(on, to_read(on, purse)?, window, on.now)),
        Receipts { purse, month } => at.reads(|on| spent::receipts(on, to_read(on, purse)?, *month)),

        // Proposals.
        Propose(proposal) => at.writes(&[], |on| proposals::propose(on, proposal, on.now)),
        Proposals { purse } => at.reads(|on| proposals::waiting(on, purse, on.now)),
        ProposalOf { purse, handle } => at.reads(|on| proposals::find(on, purse, handle, on.now)),
        Answer { purse, handle, verdict } => at.writes(&[], |on| proposals::answer(on, purse, handle, verdict)),

        // What is owned.
        Owned { purse, corpus } => at.reads(|on| owned::read(on, to_read(on, purse)?, *corpus)),
        Own { purse, corpus, contacts } => {
            at.owns(|on| owned::own(on, to_write(on, purse)?, *corpus, contacts, on.now))
        }
        Tag { purse, corpus, ids, tags } => at.owns(|on| owned::tag(on, to_write(on, purse)?, *corpus, ids, tags)),
        Note { purse, corpus, id, note } => at.owns(|on| owned::note(on, to_write(on, purse)?, *corpus, *id, note)),
        Forget { purse, corpus, ids } => at.owns(|on| owned::forget(on, to_write(on, purse)?, *corpus, ids)),

        // Searches, saved searches, the place, matches.
        Searched { purse, canonical, total, offset, ids, leg } => at.writes_passing(&[], |on| {
            let purse = to_write(on, purse)?;
            history::searched(on, purse, canonical, (*total, *offset), ids, !*leg, on.now)
        }),
        Recent { purses, most } => at.reads(|on| history::recent(on, &all_meant(on, purses)?, *most)),
        Shown { purses, side, ids } => at.reads(|on| history::shown(on, &all_meant(on, purses)?, *side, ids)),
        Snapshot { purse, profile, name, query, snapshot } => {
            at.writes(&[], |on| history::keep_snapshot(on, to_write(on, purse)?, (profile, name, query), snapshot))
        }
        SnapshotOf { purse, profile, name, query } => {
            at.reads(|on| history::snapshot(on, to_read(on, purse)?, (profile, name, query)))
        }
        MoveSnapshot { profile, from, to } => at.writes(&[], |on| history::move_snapshot(on, profile, from, to)),
        ForgetSnapshot { profile, name } => at.writes(&[], |on| history::forget_snapshot(on, profile, name)),
        Place { profile, text } => at.writes_passing(&[], |on| history::keep_place(on, profile, text)),
        PlaceOf { profile } => at.reads(|on| history::place(on, profile)),
        MatchStep { purse, job, step, answer } => {
            at.writes_passing(&[], |on| history::keep_step(on, to_write(on, purse)?, (job, step), answer, on.now))
        }
        MatchSteps { purse, job } => at.reads(|on| history::steps(on, to_read(on, purse)?, job)),
        MatchDone { purse, job } => at.writes(&[], |on| history::drop_steps(on, to_read(on, purse)?, job, on.now)),
        RenameProfile { from, to } => at.writes(&[], |on| history::rename_profile(on, from, to)),
    }
}
