//! From the intent to the answer: the batch is written down, leaves, is refused, or its line breaks.

use crate::effect::CallId;
use crate::effect::call::{Call, Reply, UnlockCall};
use crate::effect::failure::{Failure, Refusal, Unclear};
use crate::effect::store::{BasketGuard, Grant, Intent, StoreCall};
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::limiter::Priority;
use lode_core::contact::Source;
use lode_core::money::BatchId;
use lode_core::purse;
use lode_core::put_back::put_back;

use super::batch::{Question, Sight};
use super::checked::{Checked, Then};
use super::elsewhere::OWNED_NOW;
use super::end::End;
use super::quote::Origin;
use super::steps::Step;
use super::{AGAIN, Unlock};

impl Unlock {
    /// Money rule 2, *intent before send*: nothing leaves before the store has written the batch down, synced, under its conditions.
    pub(super) fn intend(&mut self, checked: Checked, cx: &mut Cx<'_>) {
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
            caps: if put_back("old-caps") { basis.caps } else { checked.caps() },
            basket,
            asked: quote.to_unlock.len() as u64,
            balance_before: job.balance,
            clues: batch.clues(),
            rows: batch.rows(),
            again: batch.id,
            sent: batch.sent,
            grant: job.order.grant().map(|grant| Grant { standing: checked.standing(), ..grant.clone() }),
            lists: checked.lists(),
        };
        if put_back("send-before-intent") {
            batch.id = batch.id.or(Some(BatchId(i64::MAX)));
            return self.send(cx);
        }
        job.step = Step::Intending(cx.store(Owner::Unlock, StoreCall::Intend(Box::new(intent))));
    }

    /// Money rule 13, *one way out*: the one place in lode that asks for an unlock, reached only from an intent that the store has accepted.
    pub(super) fn send(&mut self, cx: &mut Cx<'_>) {
        if self.is_overtaken() {
            return self.look_again(cx);
        }
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        // Money rule 12, *impossible stops*.
        assert!(batch.id.is_some(), "a batch is sent only after it was written down");
        batch.left = false;
        // All waits of an order count together.
        if let Some(paused) = cx.desk.gauge(Source::Workspace, cx.now).paused
            && !cx.may_wait(paused.until)
        {
            return self.give_back(End::Limit(paused.words), cx);
        }
        batch.sends += 1;
        let quote = job.order.quote();
        let mut ids = batch.ids();
        if put_back("resend-other-ids") && batch.lost > 0 {
            ids.remove(0);
        }
        let call = UnlockCall { corpus: quote.basis.corpus, ids, verify: quote.choice.verify };
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
        if let Step::CheckingBalance { call: asked, end } = &job.step
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
        batch.answered = !matches!(
            result,
            Err(Failure::Unsent { .. } | Failure::Unclear { why: Unclear::Line | Unclear::Deadline, .. })
        );
        match result {
            // Money rule 9, *responses are stored first*: the bytes go to the disk before they are read.
            Ok(Reply::Unlock { status, body }) => {
                if put_back("read-before-stored") {
                    batch.bodies.push(body.clone());
                    self.interpret(cx);
                    return true;
                }
                let ticket =
                    cx.store(Owner::Unlock, StoreCall::Heard { batch: id, status: *status, body: body.clone() });
                job.step = Step::Keeping { ticket, status: *status, body: body.clone(), tries: 0 };
            }
            // Many a service answers a request that it has carried out by pointing elsewhere: that proves nothing.
            Err(Failure::Refused { why: Refusal::Redirect, words, .. }) if put_back("believe-redirect") => {
                self.give_back(End::Unreached(words.clone()), cx);
            }
            Err(Failure::Refused { why: Refusal::Redirect, words, .. }) => self.lose(id, words, false, cx),
            // After an answer that got lost no refusal settles anything.
            Err(Failure::Later { words, .. }) if batch.unanswered => self.lose(id, words, true, cx),
            Err(Failure::Refused { words, .. }) if batch.unanswered => self.lose(id, words, false, cx),
            Err(Failure::Later { words, .. }) if put_back("believe-429") => {
                self.give_back(End::Limit(words.clone()), cx);
            }
            Err(Failure::Later { words, .. }) => self.weigh(End::Limit(words.clone()), cx),
            Err(Failure::Refused { status, why, words }) => {
                let end = End::Refused { status: *status, why: *why, words: words.clone() };
                if put_back("believe-refusal") {
                    self.give_back(end, cx);
                    return true;
                }
                self.weigh(end, cx);
            }
            Err(Failure::Unsent { words }) => {
                batch.unsent += 1;
                batch.sends = batch.sends.saturating_sub(1);
                if batch.unsent <= AGAIN && !job.stop {
                    let until = cx.now.mono.after(self.jitter.backoff(batch.unsent));
                    job.step = Step::Resting { until, again: false };
                } else {
                    self.give_back(End::Unreached(words.clone()), cx);
                }
            }
            Ok(_) => self.lose(id, "unexpected response to an unlock", false, cx),
            Err(Failure::Unclear { why, words }) => {
                let refuses = matches!(why, Unclear::Undocumented { status, .. } if *status != 429);
                self.lose(id, words, !refuses, cx);
            }
            Err(Failure::OurBug { words } | Failure::Disk { words }) => self.lose(id, words, false, cx),
        }
        true
    }

    /// A refusal should mean that nothing was bought. Whether it does is asked of the balance and then of a free look.
    fn weigh(&mut self, end: End, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        job.step = Step::CheckingBalance { call: cx.ask(Owner::Unlock, Call::Me, Priority::Unlock), end };
    }

    /// The balance bears a refusal out if it has not fallen. Of itself that proves nothing: credits may have been added.
    fn weighed(&mut self, mut end: End, answer: &Result<Reply, Failure>, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        if let (End::Refused { status, why, .. }, Ok(Reply::Me(account))) = (&mut end, answer) {
            *why = why.settled(*status, account.may_unlock());
        }
        let purse = &job.order.quote().basis.who.purse;
        let contradicted = match answer {
            Ok(Reply::Me(account)) if purse.owner != purse::Owner::Org(account.org_id.clone()) => {
                Some("the key belongs to another workspace now".to_owned())
            }
            Ok(Reply::Me(account)) => match (job.balance, account.credits) {
                (Some(before), Some(after)) if after >= before => None,
                (Some(before), Some(after)) => Some(format!("the balance fell from {before} to {after}")),
                _ => Some("the balance cannot be compared".to_owned()),
            },
            Ok(_) => Some("the balance could not be read".to_owned()),
            Err(failure) => Some(format!("the balance could not be read: {}", failure.words().trim_end_matches('.'))),
        };
        let Some(batch) = &mut job.batch else { return };
        batch.question = Some(Question::Refused { end, contradicted });
        self.inquire(cx);
    }

    /// Looks for free, if the key may.
    pub(super) fn inquire(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let may_search = job.order.quote().basis.who.may_search;
        let Some(batch) = &mut job.batch else { return };
        if may_search {
            return self.recall(cx);
        }
        batch.sight = Sight::Failed("this key cannot search".to_owned());
        self.advance(cx);
    }

    /// The check is over: does the batch go out again, is it free again, or does it stay unknown? Money rule 3, *same batch, same ids*.
    pub(super) fn conclude(&mut self, question: Question, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let stop = job.stop;
        let may_search = job.order.quote().basis.who.may_search;
        let Some(batch) = &mut job.batch else { return };
        let settled = batch.open.is_empty();
        let locked = batch.is_whole() && batch.sight == Sight::Locked;
        match question {
            // The refusal was none, and what it said of the rest of the order may be true all the same.
            Question::Refused { end: end @ End::Refused { .. }, .. } if settled && !job.queue.is_empty() => {
                self.finish(end, cx.now);
            }
            _ if settled => self.next_batch(cx),
            // The minute is over and nothing was bought: it is written down and checked again like any other sending.
            Question::Refused { end: End::Limit(words), contradicted: None }
                if locked && !stop && batch.sends <= AGAIN =>
            {
                let Some(id) = batch.id else { return };
                batch.refused += 1;
                job.step = Step::Refused(cx.store(Owner::Unlock, StoreCall::Lost { batch: id, words }));
            }
            Question::Refused { end, contradicted: None } if locked => {
                self.give_back(if stop { End::Stopped } else { end }, cx);
            }
            Question::Refused { end, contradicted } => {
                let Some(id) = batch.id else { return };
                let seen = match &batch.sight {
                    Sight::Locked if batch.is_whole() => None,
                    Sight::Locked => Some("some of its contacts are owned".to_owned()),
                    Sight::Unseen => Some("a free check did not find every contact".to_owned()),
                    Sight::Failed(words) => Some(format!("the free check failed: {}", words.trim_end_matches('.'))),
                };
                let why = contradicted.or(seen).unwrap_or_default();
                let words = format!("the service refused it ({}), but {why}", words_of(&end).trim_end_matches('.'));
                let ticket = cx.store(Owner::Unlock, StoreCall::Lost { batch: id, words: words.clone() });
                job.step = Step::Losing { ticket, end: Some(End::Unknown(words)) };
            }
            // Who cannot look goes the way of the document: the same ids again cost at most what did not go through.
            Question::Unknown { resend: true, .. } if (locked || !may_search) && batch.sends <= AGAIN && !stop => {
                let until = cx.now.mono.after(self.jitter.backoff(batch.lost));
                job.step = Step::Resting { until, again: true };
            }
            Question::Finish
                if batch.is_whole() && !stop && (!may_search || !matches!(batch.sight, Sight::Failed(_))) =>
            {
                self.check(Then::Intend, cx);
            }
            Question::Finish if stop => self.finish(End::Stopped, cx.now),
            Question::Finish => {
                let words = match &batch.sight {
                    Sight::Failed(words) => format!("the free check failed: {words}"),
                    _ => OWNED_NOW.to_owned(),
                };
                self.finish(End::Unknown(words), cx.now);
            }
            Question::Unknown { words, .. } => self.finish(End::Unknown(words), cx.now),
        }
    }

    /// Money rule 6, *unknown is a state*: the connection broke, or the response settles nothing. That is written down before anything else, then checked.
    pub(super) fn lose(&mut self, id: BatchId, words: &str, resend: bool, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        if put_back("lost-is-free") {
            return self.give_back(End::Unreached(words.to_owned()), cx);
        }
        batch.unanswered = true;
        batch.past = false;
        batch.lost += 1;
        let words = words.to_owned();
        batch.question = Some(Question::Unknown { words: words.clone(), resend });
        job.step = Step::Losing { ticket: cx.store(Owner::Unlock, StoreCall::Lost { batch: id, words }), end: None };
    }
}

fn words_of(end: &End) -> String {
    match end {
        End::Refused { words, .. } | End::Unknown(words) | End::Limit(words) | End::Unreached(words) => words.clone(),
        _ => "stopped before it was sent".to_owned(),
    }
}
