//! The rules, kept by somebody who sees both sides: the service's books and every word written to our store.
//!
//! Independent of the client's arithmetic: it counts charges where the service makes them and outcomes where the store takes
//! them, and never asks a flow what it thinks.

use std::collections::{BTreeMap, BTreeSet};

use lode::domain::contact::{Corpus, RowId};
use lode::domain::money::{BatchId, Caps, OrderId, Outcome};
use lode::domain::owned::Owned;
use lode::effect::call::UnlockCall;
use lode::effect::store::{How, Intent, Sight, StoreCall, StoreReply};

use crate::marks::Marks;

#[derive(Clone, Debug)]
pub struct Batch {
    pub order: OrderId,
    pub corpus: Corpus,
    pub ids: Vec<RowId>,
    pub verify: bool,
    /// Who wrote it down last: the session it counts for.
    pub window: String,
    pub sendings: u32,
    /// How often it was written down to be sent: with the second it is anybody's guess what the first did.
    pub intents: u32,
    pub heard: Vec<Vec<u8>>,
}

#[derive(Clone, Debug)]
pub struct Charge {
    pub refunded: bool,
}

#[derive(Clone, Debug)]
pub struct Became {
    pub outcome: Outcome,
    pub how: How,
    /// The session it counts for.
    window: String,
    pub evidence: Option<String>,
}

#[derive(Debug, Default)]
pub struct Referee {
    pub caps: Caps,
    pub batches: BTreeMap<BatchId, Batch>,
    ceilings: BTreeMap<OrderId, i64>,
    /// By batch and contact: what our own calls were charged.
    charges: BTreeMap<(BatchId, RowId), Charge>,
    charged_by_order: BTreeMap<OrderId, i64>,
    charged_at: Vec<u64>,
    pub outcomes: BTreeMap<(BatchId, RowId), Became>,
    /// Answers of unlocks that reached a living window: who must have kept them.
    delivered: Vec<(u64, BatchId, Vec<u8>)>,
    crashed: BTreeSet<u64>,
    pub marks: Marks,
}

/// A broken rule, in a sentence.
pub type Verdict = Result<(), String>;

impl Referee {
    /// Called for every call that the store has done, whether the window heard of it or not.
    pub fn stored(&mut self, call: &StoreCall, reply: &StoreReply) -> Verdict {
        match (call, reply) {
            (StoreCall::Intend(intent), StoreReply::Intended { order, batch, .. }) => {
                self.intended(intent, *order, *batch)
            }
            (StoreCall::Heard { batch, body, .. }, _) => {
                if let Some(known) = self.batches.get_mut(batch) {
                    known.heard.push(body.to_vec());
                }
                Ok(())
            }
            (StoreCall::Settle(_), StoreReply::Outdated) => {
                self.marks.hit("a conclusion came too late");
                Ok(())
            }
            (StoreCall::Settle(settlement), _) => {
                let Some(batch) = self.batches.get(&settlement.batch).cloned() else {
                    return Err(format!("a settlement of {:?}, which was never intended", settlement.batch));
                };
                if settlement.sent != batch.intents {
                    let (knew, were) = (settlement.sent, batch.intents);
                    return Err(format!(
                        "{:?}: concluded from {knew} sendings, and there were {were}",
                        settlement.batch
                    ));
                }
                if settlement.how == How::Answer && batch.heard.is_empty() {
                    return Err(format!("{:?} was interpreted before its answer was kept", settlement.batch));
                }
                for settled in &settlement.contacts {
                    if !batch.ids.contains(&settled.id) {
                        return Err(format!("{:?} settles {}, which it never asked for", settlement.batch, settled.id));
                    }
                    let became = Became {
                        outcome: settled.outcome,
                        how: settlement.how,
                        window: batch.window.clone(),
                        evidence: settled.evidence.clone(),
                    };
                    self.note(settlement.how, settled.outcome);
                    self.outcomes.entry((settlement.batch, settled.id)).or_insert(became);
                }
                Ok(())
            }
            (StoreCall::Sighted { sightings, .. }, _) => {
                if sightings.iter().any(|(_, sight)| *sight == Sight::Locked) {
                    self.marks.hit("look saw a contact locked");
                }
                Ok(())
            }
            (StoreCall::Withdraw { batch, .. }, _) => {
                let ids = self.batches.get(batch).map(|batch| batch.ids.clone()).unwrap_or_default();
                for id in ids {
                    let became =
                        Became { outcome: Outcome::Locked, how: How::Answer, window: String::new(), evidence: None };
                    self.outcomes.entry((*batch, id)).or_insert(became);
                }
                Ok(())
            }
            (StoreCall::Own { contacts, .. }, _) => {
                let seen = contacts.iter().all(|seen| !seen.row.is_empty());
                self.marks.hit(if seen { "a search showed a contact as owned" } else { "completed by a look" });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn note(&mut self, how: How, outcome: Outcome) {
        match (how, outcome) {
            (How::Look, Outcome::Unlocked | Outcome::Refunded) => {
                self.marks.hit("look found a contact of an unanswered batch");
            }
            (How::Look, Outcome::Locked) => self.marks.hit("locked was proved"),
            (_, Outcome::Unreachable) => self.marks.hit("unreachable was named"),
            (_, Outcome::Refunded) => self.marks.hit("refunded"),
            (_, Outcome::Already) => self.marks.hit("already owned"),
            (_, Outcome::Missing) => self.marks.hit("missing"),
            _ => {}
        }
    }

    fn intended(&mut self, intent: &Intent, order: OrderId, id: BatchId) -> Verdict {
        let distinct: BTreeSet<RowId> = intent.ids.iter().copied().collect();
        if distinct.len() != intent.ids.len() || intent.ids.len() > 100 {
            return Err(format!("{id:?} holds {} ids, {} different", intent.ids.len(), distinct.len()));
        }
        if intent.again.is_none() {
            self.ceilings.entry(order).or_insert(intent.ceiling.0);
        }
        let batch = self.batches.entry(id).or_insert_with(|| Batch {
            order,
            corpus: intent.corpus,
            ids: intent.ids.clone(),
            verify: intent.verify,
            window: String::new(),
            sendings: 0,
            intents: 0,
            heard: Vec::new(),
        });
        if batch.ids != intent.ids || batch.verify != intent.verify {
            return Err(format!("{id:?} was cut anew"));
        }
        batch.window.clone_from(&intent.window.0);
        batch.intents += 1;
        Ok(())
    }

    /// A request for an unlock leaves a window.
    pub fn leaves(&mut self, batch: Option<BatchId>, call: &UnlockCall, others_in_flight: usize) -> Verdict {
        let Some(known) = batch.and_then(|batch| self.batches.get_mut(&batch)) else {
            return Err("an unlock left before its intent was written down".to_owned());
        };
        known.sendings += 1;
        if known.ids != call.ids || known.verify != call.verify || known.corpus != call.corpus {
            return Err(format!("{batch:?} left with other ids than it was written down with"));
        }
        if others_in_flight > 0 {
            return Err("two unlocks of one window in flight".to_owned());
        }
        Ok(())
    }

    /// The service charged one of our calls.
    pub fn charged(&mut self, batch: BatchId, id: RowId, refunded: bool, at: u64) -> Verdict {
        let order = self.batches[&batch].order;
        if self.charges.insert((batch, id), Charge { refunded }).is_some() {
            return Err(format!("{id} was charged twice in {batch:?}"));
        }
        let of_order = self.charged_by_order.entry(order).or_default();
        *of_order += 1;
        if *of_order > self.ceilings[&order] {
            return Err(format!("{order} was charged {of_order}, {} was typed", self.ceilings[&order]));
        }
        if let Some(cap) = self.caps.session {
            let window = &self.batches[&batch].window;
            let session = |charge: &(BatchId, RowId)| match self.outcomes.get(charge) {
                Some(became) => became.window == *window,
                None => self.batches[&charge.0].window == *window,
            };
            let of_window = self.charges.keys().filter(|charge| session(charge)).count() as i64;
            if of_window > cap.0 {
                return Err(format!("{window} was charged {of_window}: over the session cap"));
            }
        }
        self.charged_at.push(at);
        if let Some(cap) = self.caps.day {
            let day = self.charged_at.iter().filter(|then| **then + 86_400_000 > at).count() as i64;
            if day > cap.0 {
                return Err(format!("{day} charged within a day: over the day cap"));
            }
        }
        Ok(())
    }

    /// An answer of an unlock reached a living window.
    pub fn delivered(&mut self, generation: u64, batch: BatchId, body: &[u8]) {
        self.delivered.push((generation, batch, body.to_vec()));
    }

    pub fn crashed(&mut self, generation: u64) {
        self.crashed.insert(generation);
    }

    /// At rest the service's books and ours agree, contact by contact.
    pub fn at_rest(&mut self, owned: &[Owned], truth: &Truth<'_>) -> Verdict {
        for (generation, batch, body) in &self.delivered {
            let kept = self.batches[batch].heard.iter().any(|kept| kept == body);
            if !kept && !self.crashed.contains(generation) {
                return Err(format!("an answer of {batch:?} reached us and was not kept"));
            }
        }
        let ours: BTreeMap<(Corpus, RowId), &Owned> = owned.iter().map(|o| ((o.corpus, o.id), o)).collect();
        for ((batch, id), charge) in &self.charges {
            let corpus = self.batches[batch].corpus;
            let Some(became) = self.outcomes.get(&(*batch, *id)) else {
                return Err(format!("{id} was charged in {batch:?}, and our books know no outcome"));
            };
            match became.outcome {
                Outcome::Unlocked | Outcome::Refunded => {
                    let refunded = became.outcome == Outcome::Refunded;
                    if refunded != charge.refunded {
                        return Err(format!("{id} in {batch:?}: refunded {} there, {refunded} here", charge.refunded));
                    }
                    let Some(contact) = ours.get(&(corpus, *id)).map(|owned| &owned.contact) else {
                        return Err(format!("{id} was paid for and is not among what we own"));
                    };
                    let (email, phone) = (truth.address)(corpus, *id);
                    let gone = (truth.suppressed)(corpus, *id);
                    if (contact.email != email || contact.phone != phone) && !gone {
                        return Err(format!("{id} was paid for and is here without what was paid for: {contact:?}"));
                    }
                }
                Outcome::Unreachable => {
                    if became.evidence.is_none() {
                        return Err(format!("{id} is called unreachable without evidence"));
                    }
                    if !(truth.suppressed)(corpus, *id) {
                        return Err(format!("{id} is called unreachable, and any search returns it"));
                    }
                }
                other => return Err(format!("{id} was charged in {batch:?}, our books say {}", other.name())),
            }
        }
        for ((batch, id), became) in &self.outcomes {
            let corpus = self.batches[batch].corpus;
            let paid = matches!(became.outcome, Outcome::Unlocked | Outcome::Refunded);
            let charged = self.charges.contains_key(&(*batch, *id));
            if paid && !charged && became.how == How::Answer && self.batches[batch].intents == 1 {
                return Err(format!("{id} is booked as charged in {batch:?}, the service never charged it"));
            }
            if became.outcome.is_ours() && !(truth.owned)(corpus, *id) {
                return Err(format!("{id} is ours here and not there ({:?})", became));
            }
            if became.outcome.is_ours() && !ours.contains_key(&(corpus, *id)) {
                return Err(format!("{id} is {} and not among what we own", became.outcome.name()));
            }
        }
        // What was only seen is owned there, whole here, and cost nothing.
        for seen in owned.iter().filter(|owned| owned.order.is_none()) {
            let (corpus, id) = (seen.corpus, seen.id);
            if !(truth.owned)(corpus, id) {
                return Err(format!("{id} was seen as owned and is not"));
            }
            let paid = self.charges.keys().find(|(batch, charged)| {
                *charged == id
                    && self.batches[batch].corpus == corpus
                    && !matches!(self.outcomes.get(&(*batch, id)), Some(Became { outcome: Outcome::Unreachable, .. }))
            });
            if let Some((batch, _)) = paid {
                return Err(format!("{id} was charged in {batch:?} and stands there as only seen"));
            }
        }
        for (batch, known) in &self.batches {
            if let Some(id) = known.ids.iter().find(|id| !self.outcomes.contains_key(&(*batch, **id))) {
                return Err(format!("{id} of {batch:?} has no outcome at rest"));
            }
        }
        Ok(())
    }
}

/// What the service knows, asked by the referee alone.
pub struct Truth<'a> {
    pub address: &'a dyn Fn(Corpus, RowId) -> (String, String),
    pub suppressed: &'a dyn Fn(Corpus, RowId) -> bool,
    pub owned: &'a dyn Fn(Corpus, RowId) -> bool,
}
