//! Unlocking: the money rules as one machine. An accepted [`Order`] goes out batch by batch, one request in flight at a time.
//!
//! Each batch: everything it rests on is read again, it is written down and synced, sent, its response kept as bytes, only then read, settled, and
//! completed by a free check where the response left something out, contradicts itself, refuses, or did not come. Nothing is sent again before
//! such a check. Every wait is a field; every step ends in the store before the next begins. The review before is `quote`, the way to an order
//! `order`, what a batch with an unknown result needs afterwards `flow::recovery`. Others learn of balance and rows from [`News`].
//!
//! # The money rules
//! The name of a rule also stands at the code that keeps it, at the test that fails without it, and in `SECURITY.md`. `tests/sim` plays
//! rules 1 to 10 against what the sandbox recorded, and `tests/sim/put_back.rs` shows that it notices when one of them is broken.
//!
//! | # | name | rule | code | test |
//! |---|---|---|---|---|
//! | 1 | shown is paid | credits are spent only from a quote that the person saw; what it depends on is read again at Enter and before each batch | [`order::accept`], `check` | `tests/program/pty/changed.rs`, `tests/program/cli/changed.rs` |
//! | 2 | intent before send | a batch is on disk, synced, before its request leaves; one conditional transaction writes it | `sending::intend`, `host::store::intend` | `tests/store/money.rs`, `tests/program/cli/kills.rs` |
//! | 3 | same batch, same ids | a batch is resent only as the identical request, at most three times, and only after a free check found all its contacts locked | `sending::conclude`, `host::store::intend`, `flow::recovery::proof` | `tests/program/cli/resending.rs`, `tests/program/cli/changed.rs` |
//! | 4 | never twice | an id is in at most one open batch; an owned contact is never sent | `host::store::intend` | `tests/store/windows.rs`, `tests/store/money.rs` |
//! | 5 | holds | credits that an open batch may still cost count as spent until it settles or the person closes it | `host::store::spent` | `tests/store/windows.rs`, `order` |
//! | 6 | unknown is a state | a batch without a trustworthy response is resolved by free checks or by the person, never by guessing | `sending::lose`, `flow::recovery` | `tests/program/cli/money.rs`, `tests/program/pty/money.rs` |
//! | 7 | partial is normal | every response is settled contact by contact; sums that do not add up leave contacts unknown, and a charge above the batch raises an alarm | `flow::ledger::{reading, sums}`, `settling` | `tests/program/cli/contradictions.rs` |
//! | 8 | bounded | limits per request, session and day, `--max-credits` and allowances hold over every window, script and assistant, before refunds | `host::store::{intend, proposals}` | `tests/store/caps.rs`, `tests/store/grants.rs` |
//! | 9 | responses are stored first | the raw response is on disk before it is read, and its space was reserved before sending; what cannot be stored is printed whole | `sending::replied`, `host::store::{answers, batches}` | `tests/program/cli/unstored.rs`, `tests/program/cli/fullness.rs` |
//! | 10 | one purse | basket, ledger, limits and lists belong to a service and an organization; a mismatch refuses to spend, and a restored ledger honors no earlier approval | `host::store::{intend, mark, backup}` | `tests/program/cli/purses.rs`, `tests/program/cli/ledger.rs`, `tests/program/assistant/money.rs` |
//! | 11 | typed | every way to spend passes the money dialog, `--max-credits` or the allowance of `[assistant]` | [`order`], `flow::session::review`, `ui::dialogs::money` | `tests/screens/money.rs`, `tests/program/assistant/robot.rs` |
//! | 12 | impossible stops | a state of our own that cannot be is an `assert!`; what comes from outside never asserts; sums of credits never wrap | `sending::send`, `host::store::intend`, `core::credits`, `app::crash` | `tests/store/money.rs`, `tests/program/pty/exits.rs` |
//! | 13 | one way out | an unlock request is built in one place, after the store accepted its intent | `sending::send` | `tests/program/repository/tidy` |
//!
//! Not complete yet. Rule 12: after an assertion failed on a stored state, the next start opens the ledger for writing as usual. Rule 13: a test keeps it, not
//! the compiler, because the store's reply is plain data that any code can make.

mod batch;
mod check;
mod checked;
pub mod crm;
mod elsewhere;
pub mod end;
pub mod job;
pub mod list;
pub mod order;
pub mod quote;
mod same;
mod sending;
mod settling;
mod steps;
pub mod suppress;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;

use crate::effect::Ticket;
use crate::effect::profile::Profile;
use crate::effect::store::{Settled, StoreCall};
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::retry::{Jitter, Patience};
use crate::wire::workspace::unlock::read_unlock;
use lode_core::contact::{Contact, Corpus, RowId, Source};
use lode_core::money::BatchId;
use lode_core::time::{Mono, Now};

use end::{End, Summary};
use job::Job;
use order::{Declined, Order};
use quote::Quote;
use steps::Step;

/// What others want to know of a running order.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// The outcome of these is certain and durable, with all that will be known of them in this order.
    Settled {
        corpus: Corpus,
        contacts: Vec<Settled>,
    },
    /// A batch was written down: its credits are on hold.
    Written,
    /// A batch without an outcome: there is something to look for.
    Unknown,
    /// What settings and keys say of the profile, read before a batch.
    Settings(Box<Profile>),
    /// At Enter something was another than in this review: nothing was written down, and a person sees it again.
    ReviewAgain {
        quote: Box<Quote>,
        words: String,
    },
    Finished(Box<Summary>),
}

/// An answer that could not be written down when it came.
#[derive(Clone, Debug)]
struct Unsaved {
    batch: BatchId,
    corpus: Corpus,
    ids: Vec<RowId>,
    status: u16,
    body: Bytes,
    at: Mono,
    ticket: Option<Ticket>,
}

/// A contact of an answer that is in memory only.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    pub corpus: Corpus,
    pub id: RowId,
    pub contact: Contact,
}

#[derive(Clone, Debug)]
pub struct Unlock {
    patience: Patience,
    jitter: Jitter,
    job: Option<Job>,
    last: Option<Summary>,
    unsaved: VecDeque<Unsaved>,
    /// Contacts with an unknown result that a search showed as owned, also where the disk could not keep that.
    shown: BTreeSet<(Corpus, RowId)>,
    news: VecDeque<News>,
}

/// How often the identical batch is sent again by itself after its line broke.
pub const AGAIN: u32 = 3;
const UNSAVED_AGAIN: Duration = Duration::from_secs(30);

impl Unlock {
    pub fn new(patience: Patience, seed: u64) -> Unlock {
        Unlock {
            patience,
            jitter: Jitter::new(seed),
            job: None,
            last: None,
            unsaved: VecDeque::new(),
            shown: BTreeSet::new(),
            news: VecDeque::new(),
        }
    }

    /// The running order.
    pub fn job(&self) -> Option<&Job> {
        self.job.as_ref()
    }

    /// What the last finished order came to.
    pub fn last(&self) -> Option<&Summary> {
        self.last.as_ref()
    }

    pub fn is_running(&self) -> bool {
        self.job.is_some()
    }

    /// Whether something that was paid for is not written down yet, because the store failed at it.
    pub fn has_unsaved(&self) -> bool {
        !self.unsaved.is_empty()
    }

    /// The contacts of every answer that is not stored yet: all that is left of them, should the program end now. What an
    /// answer calls owned before belongs to them: an earlier sending may have bought it.
    pub fn held(&self) -> Vec<Held> {
        let read = |(corpus, ids, body): (Corpus, Vec<RowId>, &Bytes)| {
            let answer = read_unlock(corpus, &ids, body).ok()?;
            let already = answer.already.into_iter().filter_map(|(id, contact)| Some((id, contact?)));
            let contacts = already.filter(|(_, contact)| contact.has_address()).chain(answer.unlocked);
            let contacts: BTreeMap<RowId, Contact> = contacts.collect();
            Some(contacts.into_iter().map(move |(id, contact)| Held { corpus, id, contact }))
        };
        self.unstored().filter_map(read).flatten().collect()
    }

    /// The text of every answer that is not stored yet and of which [`Unlock::held`] does not hold everything.
    pub fn held_unread(&self) -> Vec<String> {
        let unread = self.unstored().filter(|(corpus, ids, body)| {
            let answer = read_unlock(*corpus, ids, body);
            !answer.is_ok_and(|answer| answer.unreadable == 0 && answer.strays.is_empty())
        });
        unread.map(|(_, _, body)| String::from_utf8_lossy(body).into_owned()).collect()
    }

    /// Answers that are in memory only.
    fn unstored(&self) -> impl Iterator<Item = (Corpus, Vec<RowId>, &Bytes)> {
        let unsaved = self.unsaved.iter().map(|unsaved| (unsaved.corpus, unsaved.ids.clone(), &unsaved.body));
        let keeping = self.job.as_ref().and_then(|job| match (&job.step, &job.batch) {
            (Step::Keeping { body, .. } | Step::RetryingKeep { body, .. }, Some(batch)) => {
                Some((job.corpus(), batch.ids(), body))
            }
            _ => None,
        });
        unsaved.chain(keeping)
    }

    /// The batch that is at work: it is no orphan, whatever the store says.
    pub fn at_work(&self) -> Option<BatchId> {
        self.job.as_ref().and_then(Job::batch)
    }

    pub fn news(&mut self) -> Option<News> {
        self.news.pop_front()
    }

    /// Begins an order.
    pub fn start(&mut self, order: Order, cx: &mut Cx<'_>) -> Result<(), Declined> {
        if self.job.is_some() {
            return Err(Declined::Running);
        }
        self.job = Some(Job::new(order, cx.now));
        self.begin(cx);
        Ok(())
    }

    /// Stops after the call that is in flight. What has not left yet does not leave any more.
    pub fn stop(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        job.stop = true;
        // Leaving does not wait for a pause, or for a minute that is used up, for something free.
        let gauge = cx.desk.gauge(Source::Workspace, cx.now);
        let waits = gauge.paused.is_some() || gauge.next_send.is_some_and(|at| at > cx.now.mono);
        let in_a_hurry = self.patience == Patience::Shell && waits;
        match job.step {
            Step::Waiting(call) if cx.cancel(call) => self.give_back(End::Stopped, cx),
            Step::Resting { again: false, .. } => self.give_back(End::Stopped, cx),
            Step::Resting { again: true, .. } | Step::Awaiting(_) => self.finish(End::Stopped, cx.now),
            Step::Checking(_) => self.stop_unsent(End::Stopped, cx),
            Step::CheckingBalance { call, ref end } if in_a_hurry => {
                let end = end.clone();
                cx.cancel(call);
                let contradicted = Some("it was stopped before that could be checked".to_owned());
                self.conclude(batch::Question::Refused { end, contradicted }, cx);
            }
            Step::Looking(ref mut look) if in_a_hurry => {
                look.stop(cx);
                self.looked(cx);
            }
            _ => {}
        }
    }

    /// When [`Unlock::wake`] has something to do, if nothing is heard before.
    pub fn deadline(&self) -> Option<Mono> {
        let step = self.job.as_ref().and_then(Job::deadline);
        let unsaved = self.unsaved.iter().filter(|unsaved| unsaved.ticket.is_none()).map(|unsaved| unsaved.at).min();
        step.into_iter().chain(unsaved).min()
    }

    pub fn wake(&mut self, cx: &mut Cx<'_>) {
        if self.job.as_ref().and_then(Job::deadline).is_some_and(|at| at <= cx.now.mono) {
            self.rested(cx);
        }
        for unsaved in &mut self.unsaved {
            if unsaved.ticket.is_none() && unsaved.at <= cx.now.mono {
                let (batch, status, body) = (unsaved.batch, unsaved.status, unsaved.body.clone());
                unsaved.ticket = Some(cx.store(Owner::Unlock, StoreCall::Heard { batch, status, body }));
            }
        }
    }

    /// Takes what was said to a running order. False if it belongs to another machine.
    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> bool {
        if let Heard::Stored(ticket, result) = heard
            && let Some(at) = self.unsaved.iter().position(|unsaved| unsaved.ticket == Some(*ticket))
        {
            if result.is_ok() {
                self.unsaved.remove(at);
                self.news.push_back(News::Unknown);
            } else {
                self.unsaved[at].ticket = None;
                self.unsaved[at].at = cx.now.mono.after(UNSAVED_AGAIN);
            }
            return true;
        }
        match heard {
            Heard::Stored(ticket, result) => {
                self.hear_others(*ticket, result, cx)
                    || self.hear_lists(*ticket, result, cx)
                    || self.stored(*ticket, result, cx)
            }
            Heard::Reply(call, _, result) => {
                self.hear_account(*call, result, cx) || self.replied(*call, result, heard, cx)
            }
            Heard::Filed(ticket, result) => self.hear_settings(*ticket, result, cx),
            Heard::Progress(..) => false,
        }
    }

    /// Closes the order and says what it came to.
    fn finish(&mut self, end: End, now: Now) {
        let Some(job) = self.job.take() else { return };
        let unknown = job.unknown();
        let summary = job.summary(end, now);
        self.last = Some(summary.clone());
        if unknown {
            self.news.push_back(News::Unknown);
        }
        self.news.push_back(News::Finished(Box::new(summary)));
    }
}
