//! Contacts that another unlock has under way: this order goes on without them, and at its end waits for what became of them.
//! What the other bought is owned and costs nothing here; what it left locked goes out with this order after all.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::effect::Ticket;
use crate::effect::failure::StoreFailure;
use crate::effect::store::{Fate, Settled, StoreCall, StoreReply};
use crate::flow::desk::{Cx, Owner};
use lode_core::contact::{Corpus, RowId};
use lode_core::money::{Outcome, Staged};
use lode_core::put_back::put_back;

use super::checked::Then;
use super::end::End;
use super::steps::{Others, Step};
use super::{News, Unlock};

/// Between two looks at what the other unlock wrote down.
const LOOK: Duration = Duration::from_millis(200);
/// So long another unlock is waited for. It may have to send a batch again.
const PATIENCE: Duration = Duration::from_secs(120);
/// Why a batch does not leave again.
pub(super) const OWNED_NOW: &str = "some of its contacts are owned now, so it is not sent again";
/// So often contacts that the other left locked are taken up again.
const ROUNDS: u32 = 3;

impl Unlock {
    /// Another unlock has these under way: they are its business, and what is left of the batch is written down without them.
    pub(super) fn leave_elsewhere(&mut self, ids: &[RowId], cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &job.batch else { return };
        let left: Vec<_> = batch.lines.iter().filter(|line| ids.contains(&line.id)).cloned().collect();
        job.elsewhere.extend(left);
        self.intend_without(ids, cx);
    }

    /// These became owned after the quote was made: nothing is paid for them, and the rest is written down without them.
    pub(super) fn leave_owned(&mut self, owned: &[Settled], cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        owned.iter().for_each(|settled| job.record(settled.clone()));
        self.news.push_back(News::Settled { corpus: job.corpus(), contacts: owned.to_vec() });
        let ids: Vec<RowId> = owned.iter().map(|settled| settled.id).collect();
        self.intend_without(&ids, cx);
    }

    fn intend_without(&mut self, ids: &[RowId], cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        batch.leave_out(ids);
        if batch.lines.is_empty() {
            self.next_batch(cx);
        } else {
            self.check(Then::Intend, cx);
        }
    }

    /// A search of any window showed these as owned. A batch that left before does not leave again with them, now or later.
    pub fn shown_owned(&mut self, corpus: Corpus, ids: &[RowId], unknown: &BTreeSet<RowId>, cx: &mut Cx<'_>) {
        let at_work = self.job.as_ref().filter(|job| job.corpus() == corpus).and_then(|job| job.batch.as_ref());
        let matters = |id: &&RowId| unknown.contains(id) || at_work.is_some_and(|batch| batch.open.contains(id));
        self.shown.extend(ids.iter().filter(matters).map(|id| (corpus, *id)));
        let Some(Step::Waiting(call)) = self.job.as_ref().map(|job| &job.step) else { return };
        if self.is_overtaken() && cx.cancel(*call) {
            self.look_again(cx);
        }
    }

    /// A search showed these as owned, and the disk could not keep that.
    pub fn remember_owned(&mut self, contacts: impl Iterator<Item = (Corpus, RowId)>) {
        self.shown.extend(contacts);
    }

    /// The batch left before, and a search has shown some of its contacts as owned since.
    pub(super) fn is_overtaken(&self) -> bool {
        let Some(job) = &self.job else { return false };
        let Some(batch) = &job.batch else { return false };
        let is_shown = |line: &Staged| self.shown.contains(&(job.corpus(), line.id));
        (batch.unanswered || batch.refused > 0) && batch.lines.iter().any(is_shown) && !put_back("resend-owned")
    }

    /// It was written down to leave again, and some of its contacts are owned: nothing is sent, a look says what became of it.
    pub(super) fn look_again(&mut self, cx: &mut Cx<'_>) {
        let Some(id) = self.job.as_ref().and_then(|job| job.batch.as_ref()?.id) else { return };
        self.lose(id, OWNED_NOW, false, cx);
    }

    /// Another window took contacts of the batch: what is owned by now is found out, the rest is not bought.
    pub(super) fn leave_changed(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        job.rounds = ROUNDS;
        let ids = job.batch.as_ref().map(|batch| batch.ids()).unwrap_or_default();
        self.leave_elsewhere(&ids, cx);
    }

    /// Nothing is left to send: waits for the outcome of what others have under way.
    pub(super) fn await_others(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let others = Others { since: cx.now.mono, at: cx.now.mono, ticket: None };
        job.step = Step::Awaiting(others);
        self.ask_others(cx);
    }

    pub(super) fn ask_others(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let basis = &job.order.quote().basis;
        let ids = job.elsewhere.iter().map(|line| line.id).collect();
        let call = StoreCall::Fates { purse: basis.who.purse.clone(), corpus: basis.corpus, ids };
        if let Step::Awaiting(others) = &mut job.step {
            others.ticket = Some(cx.store(Owner::Unlock, call));
        }
    }

    /// True where it was the answer to that.
    pub(super) fn hear_others(
        &mut self,
        ticket: Ticket,
        result: &Result<StoreReply, StoreFailure>,
        cx: &mut Cx<'_>,
    ) -> bool {
        let Some(job) = &mut self.job else { return false };
        let Step::Awaiting(others) = &mut job.step else { return false };
        if others.ticket.take_if(|mine| *mine == ticket).is_none() {
            return false;
        }
        let since = others.since;
        let fates = match result {
            Ok(StoreReply::Fates(fates)) => fates,
            Ok(_) => return true,
            Err(failure) => {
                self.finish(End::Store(failure.to_string()), cx.now);
                return true;
            }
        };
        let corpus = job.corpus();
        let mut settled = Vec::new();
        let mut free = Vec::new();
        let mut pending = false;
        for (id, fate) in fates {
            let Some(at) = job.elsewhere.iter().position(|line| line.id == *id) else { continue };
            match fate {
                Fate::Owned(contact) => {
                    job.elsewhere.remove(at);
                    let contact = Some(contact.clone());
                    settled.push(Settled {
                        id: *id,
                        outcome: Outcome::Already,
                        contact: contact.map(Box::new),
                        evidence: None,
                    });
                }
                Fate::Free => free.push(job.elsewhere.remove(at)),
                Fate::Pending => pending = true,
                Fate::Unknown => {}
            }
        }
        for settled in &settled {
            job.record(settled.clone());
        }
        if !settled.is_empty() {
            self.news.push_back(News::Settled { corpus, contacts: settled });
        }
        let Some(job) = &mut self.job else { return true };
        if !free.is_empty() && job.rounds < ROUNDS {
            job.rounds += 1;
            job.take_up(free);
        } else {
            job.dropped |= !free.is_empty();
        }
        if pending && !job.has_queue() && cx.now.mono.since(since) < PATIENCE {
            let at = cx.now.mono.after(LOOK);
            job.step = Step::Awaiting(Others { since, at, ticket: None });
            return true;
        }
        job.gave_up = !job.has_queue();
        job.step = Step::Idle;
        self.next_batch(cx);
        true
    }
}
