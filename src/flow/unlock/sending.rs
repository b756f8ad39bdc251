//! From the intent to the answer: the batch is written down, leaves, is refused, or its line breaks.

use crate::domain::contact::{RowId, Source};
use crate::domain::money::BatchId;
use crate::effect::CallId;
use crate::effect::call::{Call, Reply, UnlockCall};
use crate::effect::failure::{Failure, Refusal};
use crate::effect::store::{BasketGuard, Intent, StoreCall};
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::limiter::Priority;

use super::end::End;
use super::quote::Origin;
use super::steps::Step;
use super::{AGAIN, Unlock};

impl Unlock {
    /// *Intent before send*: nothing leaves before the store has written the batch down, synced, under its conditions.
    pub(super) fn intend(&mut self, cx: &mut Cx<'_>) {
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
        job.step = Step::Intending(cx.store(Owner::Unlock, StoreCall::Intend(Box::new(intent))));
    }

    /// Another unlock has these under way: they are its business, and what is left of the batch is written down without them.
    pub(super) fn leave_elsewhere(&mut self, ids: &[RowId], cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        batch.leave_out(ids);
        let nothing_left = batch.lines.is_empty();
        job.elsewhere.extend(ids);
        if nothing_left {
            self.next_batch(cx);
        } else {
            self.intend(cx);
        }
    }

    /// The one place in lode that asks for an unlock. It is reached only from an intent that the store has accepted.
    pub(super) fn send(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        assert!(batch.id.is_some(), "a batch is sent only after it was written down");
        // The waiting of a shell command is one budget, whoever in it waits.
        if let Some(paused) = cx.desk.gauge(Source::Workspace, cx.now).paused
            && !cx.may_wait(paused.until)
        {
            return self.give_back(End::Limit(paused.words), cx);
        }
        let quote = job.order.quote();
        let call = UnlockCall { corpus: quote.basis.corpus, ids: batch.ids(), verify: quote.choice.verify };
        job.step = Step::Waiting(cx.ask(Owner::Unlock, Call::Unlock(call), Priority::Unlock));
    }

    /// Ends the order with the batch unsent or refused. Free again are its ids only if no earlier sending is unanswered.
    pub(super) fn give_back(&mut self, end: End, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let Some(id) = batch.id else { return };
        let words = words_of(&end);
        job.step = if batch.unanswered {
            Step::Losing { ticket: cx.store(Owner::Unlock, StoreCall::Lost { batch: id, words }), end: Some(end) }
        } else {
            Step::Withdrawing { ticket: cx.store(Owner::Unlock, StoreCall::Withdraw { batch: id, words }), end }
        };
    }

    pub(super) fn replied(
        &mut self,
        call: CallId,
        result: &Result<Reply, Failure>,
        heard: &Heard,
        cx: &mut Cx<'_>,
    ) -> bool {
        let Some(job) = &mut self.job else { return false };
        let Some(batch) = &mut job.batch else { return false };
        if let Step::Looking(look) = &mut job.step {
            let taken = look.hear(heard, cx);
            if taken && look.is_over() {
                self.looked(cx);
            }
            return taken;
        }
        if let Step::Weighing { call: asked, end } = &job.step
            && *asked == call
        {
            let end = end.clone();
            self.weighed(end, result, cx);
            return true;
        }
        if !matches!(job.step, Step::Waiting(waiting) if waiting == call) {
            return false;
        }
        let Some(id) = batch.id else { return false };
        match result {
            // *Answers are kept*: the bytes go to the disk before anybody reads them.
            Ok(Reply::Unlock { status, body }) => {
                let ticket =
                    cx.store(Owner::Unlock, StoreCall::Heard { batch: id, status: *status, body: body.clone() });
                job.step = Step::Keeping { ticket, status: *status, body: body.clone(), tries: 0 };
            }
            Err(Failure::Later { .. }) => {
                if job.stop {
                    self.give_back(End::Stopped, cx);
                } else {
                    // A 429 applied nothing: the very same call, as soon as the key may speak again.
                    self.send(cx);
                }
            }
            // Many a service answers a request that it has carried out by pointing elsewhere: that proves nothing.
            Err(Failure::Refused { why: Refusal::Redirect, words, .. }) => {
                batch.unanswered = true;
                batch.past = false;
                let words = words.clone();
                let ticket = cx.store(Owner::Unlock, StoreCall::Lost { batch: id, words: words.clone() });
                job.step = Step::Losing { ticket, end: Some(End::Unknown(words)) };
            }
            Err(Failure::Refused { status, why, words }) => {
                let end = End::Refused { status: *status, why: *why, words: words.clone() };
                self.weigh(end, *why, cx);
            }
            Err(Failure::Unsent { words }) => {
                batch.unsent += 1;
                if batch.unsent <= AGAIN && !job.stop {
                    let until = cx.now.mono.after(self.jitter.backoff(batch.unsent));
                    job.step = Step::Resting { until, again: false };
                } else {
                    self.give_back(End::Unreached(words.clone()), cx);
                }
            }
            Ok(_) => self.lose(id, "the answer was not one of an unlock", cx),
            Err(Failure::Unclear { words, .. } | Failure::OurBug { words } | Failure::Disk { words }) => {
                self.lose(id, words, cx);
            }
        }
        true
    }

    /// A refusal should mean that nothing was bought. Whether it does is asked of the balance, where there is one to compare.
    fn weigh(&mut self, end: End, why: Refusal, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &job.batch else { return };
        let silenced = cx.desk.gauge(Source::Workspace, cx.now).paused.is_some();
        // A key that is refused cannot ask, and after an answer that got lost the batch is in doubt anyway.
        if batch.unanswered || silenced || job.balance.is_none() || matches!(why, Refusal::Key | Refusal::Scope) {
            return self.give_back(end, cx);
        }
        job.step = Step::Weighing { call: cx.ask(Owner::Unlock, Call::Me, Priority::Unlock), end };
    }

    /// A balance that fell may have paid for somebody else's contacts, or for ours: a free look tells.
    fn weighed(&mut self, end: End, answer: &Result<Reply, Failure>, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let after = match answer {
            Ok(Reply::Me(account)) => account.credits,
            _ => None,
        };
        let fell = after.zip(job.balance).is_some_and(|(after, before)| after < before);
        if !fell {
            return self.give_back(end, cx);
        }
        let Some(batch) = &mut job.batch else { return };
        batch.refused = Some(end);
        self.recall(cx);
    }

    /// The line broke: the outcome is unknown from here on, and that is written down before anything else.
    pub(super) fn lose(&mut self, id: BatchId, words: &str, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        batch.unanswered = true;
        batch.past = false;
        batch.lost += 1;
        let words = words.to_owned();
        let end = (batch.lost > AGAIN || job.stop).then(|| End::Unknown(words.clone()));
        job.step = Step::Losing { ticket: cx.store(Owner::Unlock, StoreCall::Lost { batch: id, words }), end };
    }
}

fn words_of(end: &End) -> String {
    match end {
        End::Refused { words, .. } | End::Unknown(words) | End::Limit(words) | End::Unreached(words) => words.clone(),
        _ => "stopped before it was sent".to_owned(),
    }
}
