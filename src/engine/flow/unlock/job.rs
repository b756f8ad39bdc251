//! A running order: its queue of batches, what is at work, and the outcomes so far.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::effect::store::{IntentRefused, Said, Settled};
use lode_core::contact::{Contact, Corpus, RowId, Verification};
use lode_core::credits::Credits;
use lode_core::money::{BatchId, Caps, OrderId, Outcome, Staged, Tally};
use lode_core::time::{Mono, Now};

use super::batch::{Batch, Question};
use super::checked::Known;
use super::end::{End, Summary};
use super::order::Order;
use super::steps::Step;

#[derive(Clone, Debug)]
pub struct Job {
    pub(super) order: Order,
    pub(super) id: Option<OrderId>,
    /// Batches that have not been begun.
    pub(super) queue: VecDeque<Vec<Staged>>,
    pub(super) batch: Option<Batch>,
    pub(super) step: Step,
    pub(super) stop: bool,
    /// Another unlock was sending these when this order reached them.
    pub(super) elsewhere: Vec<Staged>,
    /// How often such contacts were taken up again, and whether they are not waited for any more.
    pub(super) rounds: u32,
    pub(super) gave_up: bool,
    /// Contacts were left out because they are not in the basket any more.
    pub(super) dropped: bool,
    /// What the last batch was checked against.
    pub(super) known: Known,
    /// Contacts that a list or a limit took out of the running order.
    pub(super) taken_out: usize,
    outcomes: BTreeMap<RowId, Settled>,
    tally: Tally,
    said: Said,
    /// The service's balance as it last said it.
    pub(super) balance: Option<Credits>,
    pub(super) notices: Vec<String>,
    /// More was charged than was asked for.
    pub(super) alarm: Option<String>,
    begun: u32,
    of: u32,
    started: Mono,
    /// When the batches that are done were done.
    done: Vec<Mono>,
}

impl Job {
    pub(super) fn new(order: Order, now: Now) -> Job {
        let quote = order.quote();
        let again = quote.again().map(|batch| Batch::again(batch, quote.to_unlock.clone()));
        let queue: VecDeque<Vec<Staged>> = match &again {
            Some(_) => VecDeque::new(),
            None => quote.to_unlock.chunks(quote.call_size()).map(<[Staged]>::to_vec).collect(),
        };
        let of = queue.len() + usize::from(again.is_some());
        Job {
            id: quote.again().map(|batch| batch.order),
            balance: quote.basis.balance.map(|(balance, _)| balance),
            queue,
            notices: Vec::new(),
            alarm: None,
            begun: u32::from(again.is_some()),
            batch: again,
            step: Step::Idle,
            stop: false,
            elsewhere: Vec::new(),
            rounds: 0,
            gave_up: false,
            dropped: false,
            known: Known::of(&quote.basis, now.mono),
            taken_out: 0,
            outcomes: BTreeMap::new(),
            tally: Tally::default(),
            said: Said::default(),
            of: u32::try_from(of).unwrap_or(u32::MAX),
            started: now.mono,
            done: Vec::new(),
            order,
        }
    }

    pub fn corpus(&self) -> Corpus {
        self.order.quote().basis.corpus
    }

    /// The number on the receipt, once the first batch is written down.
    pub fn id(&self) -> Option<OrderId> {
        self.id
    }

    /// The batch that is at work.
    pub fn batch(&self) -> Option<BatchId> {
        self.batch.as_ref().and_then(|batch| batch.id)
    }

    /// Which batch of how many is at work, from 1.
    pub fn batches(&self) -> (u32, u32) {
        (self.begun, self.of)
    }

    /// Contacts with an outcome, of how many.
    pub fn contacts(&self) -> (usize, usize) {
        let quote = self.order.quote();
        (self.outcomes.len(), quote.again().map_or(quote.to_unlock.len(), |batch| batch.open.len()))
    }

    /// Counted so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// In flight, and counted as spent until it settles.
    pub fn held(&self) -> Credits {
        let open = self.batch.as_ref().filter(|batch| batch.id.is_some()).map_or(0, |batch| batch.open.len());
        Credits::for_contacts(open)
    }

    pub fn balance(&self) -> Option<Credits> {
        self.balance
    }

    pub fn is_stopping(&self) -> bool {
        self.stop
    }

    /// Its call is queued or on the wire.
    pub fn awaits_answer(&self) -> bool {
        matches!(self.step, Step::Waiting(_))
    }

    /// The batch at work whose answer did not come and that is being looked for, and how often it was lost.
    pub fn checking(&self) -> Option<(u32, u32)> {
        let batch = self.batch.as_ref()?;
        let unknown = matches!(batch.question, Some(Question::Unknown { .. }));
        (unknown && matches!(self.step, Step::Recalling(_) | Step::Looking(_))).then_some((self.begun, batch.lost))
    }

    /// What came of the last sending that settled nothing.
    pub fn trouble(&self) -> &'static str {
        match &self.batch {
            Some(batch) if batch.answered => "unclear response",
            _ => "no response",
        }
    }

    /// The identical batch will be sent again at this moment; how often it went unanswered.
    pub fn rests(&self) -> Option<(Mono, u32)> {
        let until = self.step.deadline().filter(|_| !matches!(self.step, Step::Awaiting(_)))?;
        Some((until, self.batch.as_ref().map_or(0, |batch| batch.lost + batch.unsent)))
    }

    /// How long the rest takes, going by the batches that are done.
    pub fn eta(&self, now: Now) -> Option<Duration> {
        let last = self.done.last()?;
        let each = last.since(self.started) / u32::try_from(self.done.len()).ok()?;
        let left = self.of.saturating_sub(u32::try_from(self.done.len()).ok()?);
        Some((each * left).saturating_sub(now.mono.since(*last)))
    }

    /// How many contacts of it another unlock has under way, while it is waited for.
    pub fn awaits_others(&self) -> Option<usize> {
        matches!(self.step, Step::Awaiting(_)).then_some(self.elsewhere.len())
    }

    /// Contacts that are at work or still to be sent.
    pub fn wanted(&self) -> impl Iterator<Item = RowId> {
        let batch = self.batch.iter().flat_map(|batch| &batch.lines);
        batch.chain(self.queue.iter().flatten()).map(|line| line.id)
    }

    pub(super) fn has_queue(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Contacts that others left locked go out with this order.
    pub(super) fn take_up(&mut self, lines: Vec<Staged>) {
        let calls = lines.chunks(self.order.quote().call_size()).map(<[Staged]>::to_vec);
        self.queue.extend(calls);
        let left = self.left_out();
        self.drop_lines(&left);
        self.of = self.begun + u32::try_from(self.queue.len()).unwrap_or(u32::MAX);
    }

    /// Takes the next batch, if there is one.
    pub(super) fn take_next_batch(&mut self) -> bool {
        self.batch = self.queue.pop_front().map(Batch::new);
        self.begun += u32::from(self.batch.is_some());
        self.batch.is_some()
    }

    /// A batch within the cap per call: the rest of it goes with the next one.
    pub(super) fn fit_batch(&mut self, caps: Caps) {
        let most = caps.call.map_or(usize::MAX, |cap| usize::try_from(cap.0).unwrap_or(0));
        let Some(batch) = self.batch.as_mut().filter(|batch| batch.id.is_none() && most > 0) else { return };
        if batch.lines.len() > most {
            let rest = batch.lines.split_off(most);
            batch.open = batch.lines.iter().map(|line| line.id).collect();
            self.queue.push_front(rest);
            self.of += 1;
        }
    }

    /// What is still wanted of a batch that was withdrawn, as one that was never written down.
    pub(super) fn renew_batch(&mut self) {
        let left = self.left_out();
        let lines = self.batch.take().map(|batch| batch.lines).unwrap_or_default();
        self.batch = Some(Batch::new(lines.into_iter().filter(|line| !left.contains_key(&line.id)).collect()));
    }

    /// When the job has something to do by itself.
    pub(super) fn deadline(&self) -> Option<Mono> {
        match &self.step {
            Step::Waiting(_) => {
                let waits = self.batch.as_ref().is_some_and(|batch| !batch.left);
                waits.then(|| self.known.again_at())
            }
            step => step.deadline(),
        }
    }

    pub(super) fn batch_done(&mut self, now: Now) {
        self.done.push(now.mono);
    }

    pub(super) fn record(&mut self, settled: Settled) {
        if self.outcomes.contains_key(&settled.id) {
            return;
        }
        self.tally.count(settled.outcome);
        if matches!(settled.outcome, Outcome::Unlocked | Outcome::Refunded) {
            match settled.contact.as_ref().and_then(|contact| contact.verification.as_ref()) {
                Some(Verification::Valid) => self.tally.valid += 1,
                Some(Verification::Unknown) => self.tally.unverified += 1,
                _ => {}
            }
        }
        self.outcomes.insert(settled.id, settled);
    }

    /// Fills in what a free look found of a contact that is owned.
    pub(super) fn complete(&mut self, id: RowId, contact: &Contact) {
        if let Some(settled) = self.outcomes.get_mut(&id) {
            settled.contact.get_or_insert_default().complete_with(contact);
        }
    }

    pub(super) fn recorded(&self, id: RowId) -> Option<&Settled> {
        self.outcomes.get(&id)
    }

    pub(super) fn hear_said(&mut self, said: Said) {
        let sum = |mine: Option<Credits>, theirs: Option<Credits>| match (mine, theirs) {
            (Some(mine), Some(theirs)) => Some(mine + theirs),
            (mine, theirs) => mine.or(theirs),
        };
        self.said.charged = sum(self.said.charged, said.charged);
        self.said.refunded = sum(self.said.refunded, said.refunded);
        self.said.balance = said.balance.or(self.said.balance);
        self.balance = said.balance.or(self.balance);
    }

    /// Whether the batch at work was sent and is not settled whole.
    pub(super) fn unknown(&self) -> bool {
        self.batch.as_ref().is_some_and(|batch| batch.id.is_some() && !batch.open.is_empty())
    }

    pub(super) fn summary(mut self, end: End, now: Now) -> Summary {
        let unknown = if self.unknown() {
            self.batch.take().map(|batch| batch.open).unwrap_or_default()
        } else {
            Default::default()
        };
        let order = self.order.clone();
        let quote = order.quote();
        let open = quote.again().map(|batch| batch.open.iter().map(|open| open.id).collect::<Vec<_>>());
        let mut contacts = Vec::new();
        for line in &quote.to_unlock {
            // Of a batch that is sent again, what was settled before is no business of this order.
            if open.as_ref().is_some_and(|open| !open.contains(&line.id)) {
                continue;
            }
            let sent_again = matches!(&end, End::Withheld(IntentRefused::Open(ids)) if ids.contains(&line.id));
            let elsewhere = sent_again || self.elsewhere.iter().any(|other| other.id == line.id);
            let outcome = if unknown.contains(&line.id) || elsewhere { Outcome::Unknown } else { Outcome::Locked };
            contacts.push(match self.outcomes.remove(&line.id) {
                Some(settled) => settled,
                None => {
                    self.tally.count(outcome);
                    Settled { id: line.id, outcome, contact: None, evidence: None }
                }
            });
        }
        Summary {
            order: self.id,
            corpus: quote.basis.corpus,
            ended: now.wall,
            end,
            verify: quote.choice.verify,
            ceiling: order.ceiling(),
            contacts,
            tally: self.tally,
            said: self.said,
            elsewhere: self.elsewhere.iter().map(|line| line.id).collect(),
            owned: quote.owned.clone(),
            unknown: quote.unknown.clone(),
            suppressed: quote.suppressed.iter().map(|(id, _)| *id).collect(),
            unchecked: quote.held_unchecked(),
            kept_back: quote.kept_back.clone(),
            beyond: quote.beyond.clone(),
            notices: self.notices,
            balance_before: quote.basis.balance.map(|(balance, _)| balance),
            left_out: self.taken_out,
        }
    }
}
