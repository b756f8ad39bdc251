//! The table of calls: how each one is done, by which function, and what is replied.

use std::convert::identity;

use rusqlite::{Transaction, TransactionBehavior};

use lode_core::BatchId;
use lode_engine::effect::StoreCall::*;
use lode_engine::effect::{NotGranted, StoreCall, StoreReply as Reply};

use super::batches::is_filed;
use super::changes::{self, JOBS, LISTS, MONEY, OWNED, raise, revision};
use super::purses::{all_meant, to_read, to_write};
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
    pub run: Run<'c>,
}

type Run<'c> = Box<dyn Fn(&Work<'_>) -> Outcome<Reply> + 'c>;

impl<'c> Plan<'c> {
    /// `reply` makes the reply of what `run` returns.
    pub(super) fn new<T: 'c>(
        kind: Kind,
        reply: fn(T) -> Reply,
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
    pub(super) fn write(&self, on: &Work<'_>) -> Outcome<Reply> {
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

fn counts<'c, T: 'c>(reply: fn(T) -> Reply, run: impl Fn(&Work<'_>) -> Outcome<T> + 'c) -> Plan<'c> {
    Plan::new(Kind::Counts, reply, run)
}

fn reads<'c, T: 'c>(reply: fn(T) -> Reply, run: impl Fn(&Work<'_>) -> Outcome<T> + 'c) -> Plan<'c> {
    Plan::new(Kind::Reads, reply, run)
}

fn passing<'c>(run: impl Fn(&Work<'_>) -> Outcome<()> + 'c) -> Plan<'c> {
    Plan::new(Kind::WritesPassing, done, run)
}

fn writes<'c, T: 'c>(reply: fn(T) -> Reply, run: impl Fn(&Work<'_>) -> Outcome<T> + 'c) -> Plan<'c> {
    Plan::new(Kind::Writes, reply, run)
}

fn done((): ()) -> Reply {
    Reply::Done
}

fn granted(refused: Option<NotGranted>) -> Reply {
    refused.map_or(Reply::Done, Reply::NotGranted)
}

pub(super) fn plan(call: &StoreCall) -> Plan<'_> {
    match call {
        // The allowance of a key.
        Reserve { key, allowance, window } => counts(identity, move |on| slots::reserve(on, key, *allowance, window)),
        Release { slot, allowance, .. } => counts(done, move |on| slots::release(on, *slot, *allowance, on.now)),
        Pause { key, wait } => counts(done, move |on| slots::pause(on, key, *wait, on.now)),
        Gauge { key } => counts(Reply::Gauge, move |on| slots::gauge(on, key, on.now)),

        // Other windows.
        Changes { purse } => reads(Reply::Changes, move |on| {
            changes::read(on, purse.as_ref().map(|purse| to_read(on, purse)).transpose()?)
        }),
        NoteJob(job) => passing(move |on| jobs::note(on, job)).changing(&[JOBS]),
        Jobs(since) => reads(Reply::Jobs, move |on| jobs::read(on, *since)),
        Fates { purse, corpus, ids } => reads(Reply::Fates, move |on| unknown::statuses(on, purse, *corpus, ids)),
        LearnPage { source, origin, rows } => passing(move |on| history::learn_page(on, *source, origin, *rows)),
        PageSizes { services } => reads(Reply::PageSizes, move |on| history::page_sizes(on, services)),

        // Purses.
        Know { key, purse, account } => {
            passing(move |on| purses::know(on, key, purse, account, on.now)).changing(&[OWNED])
        }
        Known { origin, key } => reads(Reply::Known, move |on| purses::known(on, origin, key)),
        Assign { profile, purse } => writes(Reply::Assigned, move |on| purses::assign(on, profile, purse)),

        // The basket and the suppression lists.
        Basket { purse, side } => reads(Reply::Basket, move |on| basket::read(on, to_read(on, purse)?, *side)),
        BasketPart { purse, side, behind } => reads(
            |(part, next)| Reply::BasketPart(part, next),
            move |on| basket::read_part(on, to_read(on, purse)?, *side, *behind),
        ),
        BasketVersion { purse, side } => {
            reads(Reply::BasketVersion, move |on| basket::version(on, to_read(on, purse)?, *side))
        }
        Stage { purse, side, rows } => {
            writes(Reply::BasketVersion, move |on| basket::stage(on, to_write(on, purse)?, *side, rows))
        }
        Unstage { purse, side, ids } => {
            writes(Reply::BasketVersion, move |on| basket::unstage(on, to_read(on, purse)?, *side, ids))
        }
        Suppress { purse, list, entries } => {
            writes(done, move |on| basket::suppress(on, to_write(on, purse)?, list, entries)).changing(&[LISTS])
        }
        RemoveSuppression { purses, list, entries } => {
            writes(done, move |on| basket::remove_suppression(on, &all_meant(on, purses)?, list, entries.as_deref()))
                .changing(&[LISTS])
        }
        Suppressions { purses } => {
            reads(Reply::Suppressions, move |on| basket::suppressions(on, &all_meant(on, purses)?))
        }
        ListsSince { purses, known } => reads(identity, move |on| {
            let revision = revision(on, LISTS)?;
            let is_known = *known == Some(revision);
            let lists = if is_known { None } else { Some(basket::suppressions(on, &all_meant(on, purses)?)?) };
            Ok(Reply::Lists { revision, lists })
        }),

        // Money.
        Intend(intent) => writes(identity, move |on| intend::intend(on, intent)).changing(&[MONEY]),
        Heard { batch, status, body } => {
            Plan::new(Kind::WritesBeside, done, move |on| batches::heard(on, *batch, *status, body))
        }
        Lost { batch, words } => writes(done, move |on| batches::end(on, *batch, "lost", words)).changing(&[MONEY]),
        Withdraw { batch, words } => {
            writes(done, move |on| batches::withdraw(on, *batch, words)).changing(&[MONEY]).filing(*batch)
        }
        Settle(settlement) => writes(identity, move |on| batches::settle(on, settlement))
            .changing(&[OWNED, MONEY])
            .filing(settlement.batch),
        Sighted { batch, sent, sightings } => {
            writes(identity, move |on| unknown::sighted(on, *batch, *sent, sightings)).changing(&[MONEY])
        }
        OpenBatches { purse } => reads(Reply::OpenBatches, move |on| unknown::open(on, purse)),
        OpenElsewhere { profile, purse } => {
            reads(Reply::OpenElsewhere, move |on| unknown::open_elsewhere(on, profile, purse))
        }
        Spent { purse, window } => reads(Reply::Spent, move |on| spent::read(on, to_read(on, purse)?, window, on.now)),
        Receipts { purse, month } => reads(Reply::Receipts, move |on| spent::receipts(on, to_read(on, purse)?, *month)),

        // Proposals.
        Propose(proposal) => writes(granted, move |on| proposals::propose(on, proposal, on.now)),
        Proposals { purse } => reads(Reply::Proposals, move |on| proposals::waiting(on, purse, on.now)),
        ProposalOf { purse, handle } => reads(
            |found: Option<_>| Reply::Proposals(found.into_iter().collect()),
            move |on| proposals::find(on, purse, handle, on.now),
        ),
        Answer { purse, handle, verdict } => {
            writes(granted, move |on| proposals::answer(on, purse, handle, verdict, on.now))
        }

        // What is owned.
        Owned { purse, corpus } => reads(Reply::Owned, move |on| owned::read(on, to_read(on, purse)?, *corpus)),
        Own { purse, corpus, contacts } => {
            writes(done, move |on| owned::own(on, to_write(on, purse)?, *corpus, contacts, on.now)).changing(&[OWNED])
        }
        Tag { purse, corpus, ids, tags } => {
            writes(done, move |on| owned::tag(on, to_write(on, purse)?, *corpus, ids, tags)).changing(&[OWNED])
        }
        Note { purse, corpus, id, note } => {
            writes(done, move |on| owned::note(on, to_write(on, purse)?, *corpus, *id, note)).changing(&[OWNED])
        }
        Forget { purse, corpus, ids } => {
            writes(done, move |on| owned::forget(on, to_write(on, purse)?, *corpus, ids)).changing(&[OWNED])
        }

        // Searches, saved searches, the place, matches.
        Searched { purse, canonical, total, offset, ids, leg } => passing(move |on| {
            let purse = to_write(on, purse)?;
            history::searched(on, purse, canonical, (*total, *offset), ids, !*leg, on.now)
        }),
        Recent { purses, most } => reads(Reply::Recent, move |on| history::recent(on, &all_meant(on, purses)?, *most)),
        Shown { purses, side, ids } => {
            reads(Reply::Shown, move |on| history::shown(on, &all_meant(on, purses)?, *side, ids))
        }
        Snapshot { purse, profile, name, query, snapshot } => {
            writes(done, move |on| history::keep_snapshot(on, to_write(on, purse)?, (profile, name, query), snapshot))
        }
        SnapshotOf { purse, profile, name, query } => {
            reads(Reply::Snapshot, move |on| history::snapshot(on, to_read(on, purse)?, (profile, name, query)))
        }
        MoveSnapshot { profile, from, to } => writes(done, move |on| history::move_snapshot(on, profile, from, to)),
        ForgetSnapshot { profile, name } => writes(done, move |on| history::forget_snapshot(on, profile, name)),
        Place { profile, text } => passing(move |on| history::keep_place(on, profile, text)),
        PlaceOf { profile } => reads(Reply::Place, move |on| history::place(on, profile)),
        MatchStep { purse, job, step, answer } => {
            passing(move |on| jobs::keep_step(on, to_write(on, purse)?, (job, step), answer, on.now))
        }
        MatchSteps { purse, job } => reads(Reply::MatchSteps, move |on| jobs::steps(on, to_read(on, purse)?, job)),
        MatchDone { purse, job } => writes(done, move |on| jobs::drop_steps(on, to_read(on, purse)?, job, on.now)),
        RenameProfile { from, to } => writes(done, move |on| history::rename_profile(on, from, to)),
    }
}
