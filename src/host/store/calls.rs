//! The table of calls: how each one is done, by which function, and what is replied.

use std::convert::identity;

use rusqlite::{Transaction, TransactionBehavior};

use lode_core::BatchId;
use lode_engine::effect::{NotGranted, StoreCall, StoreReply};

use super::batches::is_filed;
use super::changes::{self, JOBS, LISTS, MONEY, OWNED, raise, revision};
use super::purses::{all_meant, meant_to_read, meant_to_write, purse_to_read, purse_to_write};
use super::trouble::Outcome;
use super::work::Work;
use super::{basket, batches, history, intend, jobs, owned, proposals, purses, slots, spent, unknown};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Counts requests, in the file of the slots.
    Counts,
    Reads,
    /// Writes what can be found out again: that is not worth waiting for the disk. A crash of lode loses none of it, a power cut
    /// may. The next durable call takes it along.
    WritesPassing,
    /// Is on the disk when it is answered.
    Writes,
    /// Writes without a transaction: its room is in a file of its own, and the state file may be full.
    WritesBeside,
}

/// How one call is done.
pub(super) struct Plan<'c> {
    pub kind: Kind,
    /// Kinds of records that it changes.
    pub changes: &'static [&'static str],
    /// The batch whose answers are in the state file for good once this is committed, if nothing of it waits any more.
    pub files: Option<BatchId>,
    pub run: Box<dyn Fn(&Work<'_>) -> Outcome<StoreReply> + 'c>,
}

impl<'c> Plan<'c> {
    /// `reply` makes the reply of what `run` returns.
    pub(super) fn new<T: 'c>(
        kind: Kind,
        reply: fn(T) -> StoreReply,
        run: impl Fn(&Work<'_>) -> Outcome<T> + 'c,
    ) -> Plan<'c> {
        Plan { kind, changes: &[], files: None, run: Box::new(move |on| run(on).map(reply)) }
    }

    pub(super) fn changing(self, changes: &'static [&'static str]) -> Plan<'c> {
        Plan { changes, ..self }
    }

    pub(super) fn filing(self, batch: BatchId) -> Plan<'c> {
        Plan { files: Some(batch), ..self }
    }

    /// Runs what writes, whole or not at all.
    pub(super) fn write(&self, on: &Work<'_>) -> Outcome<StoreReply> {
        if self.kind == Kind::WritesBeside {
            return (self.run)(on);
        }
        let tx = Transaction::new_unchecked(on, TransactionBehavior::Immediate)?;
        let reply = (self.run)(on)?;
        self.changes.iter().try_for_each(|kind| raise(on, kind))?;
        tx.commit()?;
        // Only now, with the answers in the state file for good, may their own files go. The call has succeeded even if that fails.
        if let Some(batch) = self.files
            && is_filed(on, on.answers, batch).unwrap_or(false)
        {
            on.answers.release(batch);
        }
        Ok(reply)
    }
}

fn counts<'c, T: 'c>(reply: fn(T) -> StoreReply, run: impl Fn(&Work<'_>) -> Outcome<T> + 'c) -> Plan<'c> {
    Plan::new(Kind::Counts, reply, run)
}

fn reads<'c, T: 'c>(reply: fn(T) -> StoreReply, run: impl Fn(&Work<'_>) -> Outcome<T> + 'c) -> Plan<'c> {
    Plan::new(Kind::Reads, reply, run)
}

fn passing<'c>(run: impl Fn(&Work<'_>) -> Outcome<()> + 'c) -> Plan<'c> {
    Plan::new(Kind::WritesPassing, done, run)
}

fn writes<'c, T: 'c>(reply: fn(T) -> StoreReply, run: impl Fn(&Work<'_>) -> Outcome<T> + 'c) -> Plan<'c> {
    Plan::new(Kind::Writes, reply, run)
}

fn done((): ()) -> StoreReply {
    StoreReply::Done
}

fn granted(refused: Option<NotGranted>) -> StoreReply {
    refused.map_or(StoreReply::Done, StoreReply::NotGranted)
}

pub(super) fn plan(call: &StoreCall) -> Plan<'_> {
    match call {
        // The allowance of a key.
        StoreCall::Reserve { key, allowance, window } => {
            counts(identity, move |on| slots::reserve(on, key, *allowance, window))
        }
        StoreCall::Release { slot, allowance, .. } => {
            counts(done, move |on| slots::release(on, *slot, *allowance, on.now))
        }
        StoreCall::Pause { key, wait } => counts(done, move |on| slots::pause(on, key, *wait, on.now)),
        StoreCall::Gauge { key } => counts(StoreReply::Gauge, move |on| slots::gauge(on, key, on.now)),

        // Other windows.
        StoreCall::Changes { purse } => reads(StoreReply::Changes, move |on| {
            changes::read(on, purse.as_ref().map(|purse| purse_to_read(on, purse)).transpose()?)
        }),
        StoreCall::NoteJob(job) => passing(move |on| jobs::note(on, job)).changing(&[JOBS]),
        StoreCall::Jobs(since) => reads(StoreReply::Jobs, move |on| jobs::read(on, *since)),
        StoreCall::Fates { purse, corpus, ids } => {
            reads(StoreReply::Fates, move |on| unknown::statuses(on, purse, *corpus, ids))
        }
        StoreCall::LearnPage { source, origin, rows } => {
            passing(move |on| history::learn_page(on, *source, origin, *rows))
        }
        StoreCall::PageSizes { services } => reads(StoreReply::PageSizes, move |on| history::page_sizes(on, services)),

        // Purses.
        StoreCall::Know { key, purse, account } => {
            passing(move |on| purses::know(on, key, purse, account, on.now)).changing(&[OWNED])
        }
        StoreCall::Known { origin, key } => reads(StoreReply::Known, move |on| purses::known(on, origin, key)),
        StoreCall::Assign { profile, purse } => {
            writes(StoreReply::Assigned, move |on| purses::assign(on, profile, purse))
        }

        // The basket and the suppression lists.
        StoreCall::Basket { purse, side } => {
            reads(StoreReply::Basket, move |on| basket::read(on, meant_to_read(on, purse)?, *side))
        }
        StoreCall::BasketPart { purse, side, behind } => reads(
            |(part, next)| StoreReply::BasketPart(part, next),
            move |on| basket::read_part(on, meant_to_read(on, purse)?, *side, *behind),
        ),
        StoreCall::BasketVersion { purse, side } => {
            reads(StoreReply::BasketVersion, move |on| basket::version(on, meant_to_read(on, purse)?, *side))
        }
        StoreCall::Stage { purse, side, rows } => {
            writes(StoreReply::BasketVersion, move |on| basket::stage(on, meant_to_write(on, purse)?, *side, rows))
        }
        StoreCall::Unstage { purse, side, ids } => {
            writes(StoreReply::BasketVersion, move |on| basket::unstage(on, meant_to_read(on, purse)?, *side, ids))
        }
        StoreCall::Suppress { purse, list, entries } => {
            writes(done, move |on| basket::suppress(on, meant_to_write(on, purse)?, list, entries)).changing(&[LISTS])
        }
        StoreCall::RemoveSuppression { purses, list, entries } => {
            writes(done, move |on| basket::remove_suppression(on, &all_meant(on, purses)?, list, entries.as_deref()))
                .changing(&[LISTS])
        }
        StoreCall::Suppressions { purses } => {
            reads(StoreReply::Suppressions, move |on| basket::suppressions(on, &all_meant(on, purses)?))
        }
        StoreCall::ListsSince { purses, known } => reads(identity, move |on| {
            let revision = revision(on, LISTS)?;
            let is_known = *known == Some(revision);
            let lists = if is_known { None } else { Some(basket::suppressions(on, &all_meant(on, purses)?)?) };
            Ok(StoreReply::Lists { revision, lists })
        }),

        // Money.
        StoreCall::Intend(intent) => writes(identity, move |on| intend::intend(on, intent)).changing(&[MONEY]),
        StoreCall::Heard { batch, status, body } => {
            Plan::new(Kind::WritesBeside, done, move |on| batches::heard(on, *batch, *status, body))
        }
        StoreCall::Lost { batch, words } => {
            writes(done, move |on| batches::end(on, *batch, "lost", words)).changing(&[MONEY])
        }
        StoreCall::Withdraw { batch, words } => {
            writes(done, move |on| batches::withdraw(on, *batch, words)).changing(&[MONEY]).filing(*batch)
        }
        StoreCall::Settle(settlement) => writes(identity, move |on| batches::settle(on, settlement))
            .changing(&[OWNED, MONEY])
            .filing(settlement.batch),
        StoreCall::Sighted { batch, sent, sightings } => {
            writes(identity, move |on| unknown::sighted(on, *batch, *sent, sightings)).changing(&[MONEY])
        }
        StoreCall::OpenBatches { purse } => reads(StoreReply::OpenBatches, move |on| unknown::open(on, purse)),
        StoreCall::OpenElsewhere { profile, purse } => {
            reads(StoreReply::OpenElsewhere, move |on| unknown::open_elsewhere(on, profile, purse))
        }
        StoreCall::Spent { purse, window } => {
            reads(StoreReply::Spent, move |on| spent::read(on, purse_to_read(on, purse)?, window, on.now))
        }
        StoreCall::Receipts { purse, month } => {
            reads(StoreReply::Receipts, move |on| spent::receipts(on, purse_to_read(on, purse)?, *month))
        }

        // Proposals.
        StoreCall::Propose(proposal) => writes(granted, move |on| proposals::propose(on, proposal, on.now)),
        StoreCall::Proposals { purse } => reads(StoreReply::Proposals, move |on| proposals::waiting(on, purse, on.now)),
        StoreCall::ProposalOf { purse, handle } => reads(
            |found: Option<_>| StoreReply::Proposals(found.into_iter().collect()),
            move |on| proposals::find(on, purse, handle, on.now),
        ),
        StoreCall::Answer { purse, handle, verdict } => {
            writes(granted, move |on| proposals::answer(on, purse, handle, verdict, on.now))
        }

        // What is owned.
        StoreCall::Owned { purse, corpus } => {
            reads(StoreReply::Owned, move |on| owned::read(on, purse_to_read(on, purse)?, *corpus))
        }
        StoreCall::Own { purse, corpus, contacts } => {
            writes(done, move |on| owned::own(on, meant_to_write(on, purse)?, *corpus, contacts, on.now))
                .changing(&[OWNED])
        }
        StoreCall::Tag { purse, corpus, ids, tags } => {
            writes(done, move |on| owned::tag(on, purse_to_write(on, purse)?, *corpus, ids, tags)).changing(&[OWNED])
        }
        StoreCall::Note { purse, corpus, id, note } => {
            writes(done, move |on| owned::note(on, purse_to_write(on, purse)?, *corpus, *id, note)).changing(&[OWNED])
        }
        StoreCall::Forget { purse, corpus, ids } => {
            writes(done, move |on| owned::forget(on, purse_to_write(on, purse)?, *corpus, ids)).changing(&[OWNED])
        }

        // Searches, saved searches, the place, matches.
        StoreCall::Searched { purse, canonical, total, offset, ids, leg } => passing(move |on| {
            let purse = meant_to_write(on, purse)?;
            history::searched(on, purse, canonical, (*total, *offset), ids, !*leg, on.now)
        }),
        StoreCall::Recent { purses, most } => {
            reads(StoreReply::Recent, move |on| history::recent(on, &all_meant(on, purses)?, *most))
        }
        StoreCall::Shown { purses, side, ids } => {
            reads(StoreReply::Shown, move |on| history::shown(on, &all_meant(on, purses)?, *side, ids))
        }
        StoreCall::Snapshot { purse, profile, name, query, snapshot } => writes(done, move |on| {
            history::keep_snapshot(on, meant_to_write(on, purse)?, (profile, name, query), snapshot)
        }),
        StoreCall::SnapshotOf { purse, profile, name, query } => reads(StoreReply::Snapshot, move |on| {
            history::snapshot(on, meant_to_read(on, purse)?, (profile, name, query))
        }),
        StoreCall::MoveSnapshot { profile, from, to } => {
            writes(done, move |on| history::move_snapshot(on, profile, from, to))
        }
        StoreCall::ForgetSnapshot { profile, name } => {
            writes(done, move |on| history::forget_snapshot(on, profile, name))
        }
        StoreCall::Place { profile, text } => passing(move |on| history::keep_place(on, profile, text)),
        StoreCall::PlaceOf { profile } => reads(StoreReply::Place, move |on| history::place(on, profile)),
        StoreCall::MatchStep { purse, job, step, answer } => {
            passing(move |on| jobs::keep_step(on, meant_to_write(on, purse)?, (job, step), answer, on.now))
        }
        StoreCall::MatchSteps { purse, job } => {
            reads(StoreReply::MatchSteps, move |on| jobs::steps(on, meant_to_read(on, purse)?, job))
        }
        StoreCall::MatchDone { purse, job } => {
            writes(done, move |on| jobs::drop_steps(on, meant_to_read(on, purse)?, job, on.now))
        }
        StoreCall::RenameProfile { from, to } => writes(done, move |on| history::rename_profile(on, from, to)),
    }
}
