//! From the intent to the answer: the batch is written down, leaves, is refused, or its line breaks.

use crate::domain::contact::{RowId, Source};
use crate::domain::money::BatchId;
use crate::domain::time::Now;
use crate::effect::call::{Call, Reply, UnlockCall};
use crate::effect::failure::{Failure, Refusal};
use crate::effect::store::{BasketGuard, Intent, StoreCall};
use crate::effect::{CallId, Effect};
use crate::flow::desk::{Desk, Heard};
use crate::flow::limiter::Priority;

use super::end::End;
use super::quote::Origin;
use super::steps::Step;
use super::{AGAIN, Unlock};

impl Unlock {
    /// *Intent before send*: nothing leaves before the store has written the batch down, synced, under its conditions.
    pub(super) fn intend(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let quote = job.order.quote();
        let basis = &quote.basis;
        let basket = match (&basis.origin, batch.id, job.id) {
            (Origin::Basket(version), None, None) => Some(BasketGuard { version: Some(*version) }),
            (Origin::Basket(_), None, Some(_)) => Some(BasketGuard { version: None }),
            _ => None,
        };
        let intent = Intent {
            order: job.id,
            purse: basis.who.purse.clone(),
            key: basis.who.key.clone(),
            profile: basis.who.profile.clone(),
            window: basis.who.window.clone(),
            corpus: basis.corpus,
            ids: batch.ids(),
            verify: quote.choice.verify,
            ceiling: job.order.ceiling(),
            caps: basis.caps,
            basket,
            asked: quote.to_unlock.len() as u64,
            balance_before: job.balance,
            clues: batch.clues(),
            again: batch.id,
        };
        job.step = Step::Intending(desk.store(StoreCall::Intend(Box::new(intent)), fx));
    }

    /// Another unlock has these under way: they are its business, and what is left of the batch is written down without them.
    pub(super) fn leave_elsewhere(&mut self, ids: &[RowId], desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        batch.leave_out(ids);
        let nothing_left = batch.lines.is_empty();
        job.elsewhere.extend(ids);
        if nothing_left {
            self.next_batch(desk, now, fx);
        } else {
            self.intend(desk, fx);
        }
    }

    /// The one place in lode that asks for an unlock. It is reached only from an intent that the store has accepted.
    pub(super) fn send(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        assert!(batch.id.is_some(), "a batch is sent only after it was written down");
        // The waiting of a shell command is one budget, whoever in it waits.
        if let Some(paused) = desk.gauge(Source::Workspace, now).paused
            && !desk.may_wait(paused.until, now)
        {
            return self.give_back(End::Limit(paused.words), desk, fx);
        }
        let quote = job.order.quote();
        let call = UnlockCall { corpus: quote.basis.corpus, ids: batch.ids(), verify: quote.choice.verify };
        job.step = Step::Waiting(desk.ask(Call::Unlock(call), Priority::Unlock, now, fx));
    }

    /// Ends the order with the batch unsent or refused. Free again are its ids only if no earlier sending is unanswered.
    pub(super) fn give_back(&mut self, end: End, desk: &mut Desk, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let Some(id) = batch.id else { return };
        let words = words_of(&end);
        job.step = if batch.unanswered {
            Step::Losing { ticket: desk.store(StoreCall::Lost { batch: id, words }, fx), end: Some(end) }
        } else {
            Step::Withdrawing { ticket: desk.store(StoreCall::Withdraw { batch: id, words }, fx), end }
        };
    }

    pub(super) fn replied(
        &mut self,
        call: CallId,
        result: &Result<Reply, Failure>,
        heard: &Heard,
        desk: &mut Desk,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> bool {
        let Some(job) = &mut self.job else { return false };
        let Some(batch) = &mut job.batch else { return false };
        if let Step::Looking(look) = &mut job.step {
            let taken = look.hear(heard, desk, now, fx);
            if taken && look.is_over() {
                self.looked(desk, now, fx);
            }
            return taken;
        }
        if let Step::Weighing { call: asked, end } = &job.step
            && *asked == call
        {
            let end = end.clone();
            self.weighed(end, result, desk, fx);
            return true;
        }
        if !matches!(job.step, Step::Waiting(waiting) if waiting == call) {
            return false;
        }
        let Some(id) = batch.id else { return false };
        match result {
            // *Answers are kept*: the bytes go to the disk before anybody reads them.
            Ok(Reply::Unlock { status, body }) => {
                let ticket = desk.store(StoreCall::Heard { batch: id, status: *status, body: body.clone() }, fx);
                job.step = Step::Keeping { ticket, status: *status, body: body.clone(), tries: 0 };
            }
            Err(Failure::Later { .. }) => {
                if job.stop {
                    self.give_back(End::Stopped, desk, fx);
                } else {
                    // A 429 applied nothing: the very same call, as soon as the key may speak again.
                    self.send(desk, now, fx);
                }
            }
            // Many a service answers a request that it has carried out by pointing elsewhere: that proves nothing.
            Err(Failure::Refused { why: Refusal::Redirect, words, .. }) => {
                batch.unanswered = true;
                batch.past = false;
                let words = words.clone();
                let ticket = desk.store(StoreCall::Lost { batch: id, words: words.clone() }, fx);
                job.step = Step::Losing { ticket, end: Some(End::Unknown(words)) };
            }
            Err(Failure::Refused { status, why, words }) => {
                let end = End::Refused { status: *status, why: *why, words: words.clone() };
                self.weigh(end, *why, desk, now, fx);
            }
            Err(Failure::Unsent { words }) => {
                batch.unsent += 1;
                if batch.unsent <= AGAIN && !job.stop {
                    let until = now.mono.after(self.jitter.backoff(batch.unsent));
                    job.step = Step::Resting { until, again: false };
                } else {
                    self.give_back(End::Unreached(words.clone()), desk, fx);
                }
            }
            Ok(_) => self.lose(id, "the answer was not one of an unlock", desk, fx),
            Err(Failure::Unclear { words, .. } | Failure::OurBug { words } | Failure::Disk { words }) => {
                self.lose(id, words, desk, fx);
            }
        }
        true
    }

    /// A refusal should mean that nothing was bought. Whether it does is asked of the balance, where there is one to compare.
    fn weigh(&mut self, end: End, why: Refusal, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &job.batch else { return };
        let silenced = desk.gauge(Source::Workspace, now).paused.is_some();
        // A key that is refused cannot ask, and after an answer that got lost the batch is in doubt anyway.
        if batch.unanswered || silenced || job.balance.is_none() || matches!(why, Refusal::Key | Refusal::Scope) {
            return self.give_back(end, desk, fx);
        }
        job.step = Step::Weighing { call: desk.ask(Call::Me, Priority::Unlock, now, fx), end };
    }

    /// A balance that fell may have paid for somebody else's contacts, or for ours: a free look tells.
    fn weighed(&mut self, end: End, answer: &Result<Reply, Failure>, desk: &mut Desk, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let after = match answer {
            Ok(Reply::Me(account)) => account.credits,
            _ => None,
        };
        let fell = after.zip(job.balance).is_some_and(|(after, before)| after < before);
        if !fell {
            return self.give_back(end, desk, fx);
        }
        let Some(batch) = &mut job.batch else { return };
        batch.refused = Some(end);
        self.recall(desk, fx);
    }

    /// The line broke: the outcome is unknown from here on, and that is written down before anything else.
    pub(super) fn lose(&mut self, id: BatchId, words: &str, desk: &mut Desk, fx: &mut Vec<Effect>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        batch.unanswered = true;
        batch.past = false;
        batch.lost += 1;
        let words = words.to_owned();
        let end = (batch.lost > AGAIN || job.stop).then(|| End::Unknown(words.clone()));
        job.step = Step::Losing { ticket: desk.store(StoreCall::Lost { batch: id, words }, fx), end };
    }
}

fn words_of(end: &End) -> String {
    match end {
        End::Refused { words, .. } | End::Unknown(words) | End::Limit(words) | End::Unreached(words) => words.clone(),
        _ => "stopped before it was sent".to_owned(),
    }
}
