//! What must be so at rest: the service's books and lode's agree, contact by contact.

use std::collections::BTreeMap;

use lode_core::Owned;
use lode_core::contact::{Corpus, RowId};
use lode_core::money::{BatchId, Outcome};
use lode_engine::effect::store::SettledBy;

use crate::excuses::Excuse;

use super::{Referee, Verdict};

/// What the service knows, asked by the referee alone.
pub struct Truth<'a> {
    pub address: &'a dyn Fn(Corpus, RowId) -> (String, String),
    pub suppressed: &'a dyn Fn(Corpus, RowId) -> bool,
    pub owned: &'a dyn Fn(Corpus, RowId) -> bool,
}

impl Referee {
    /// Nothing that reached us is missing, nothing is open.
    pub fn all_kept(&self) -> Verdict {
        for delivered in &self.delivered {
            let kept = self.batches[&delivered.batch].heard.contains(&delivered.body);
            if !kept && !self.crashed.contains(&delivered.generation) {
                return Err(format!("an answer of {:?} reached us and was not kept", delivered.batch));
            }
        }
        for (batch, known) in &self.batches {
            if let Some(id) = known.ids.iter().find(|id| !self.outcomes.contains_key(&(*batch, **id))) {
                return Err(format!("{id} of {batch:?} has no outcome at rest"));
            }
        }
        Ok(())
    }

    /// The answer to its only sending is all that was ever heard of a batch.
    fn is_told_once(&self, batch: BatchId) -> bool {
        let mut sendings = self.sendings.iter().filter(|sending| sending.batch == batch && !sending.unsent);
        sendings.next().is_some_and(|sending| sending.answered.is_some()) && sendings.next().is_none()
    }

    /// The books of one purse.
    pub fn at_rest(&mut self, purse: usize, owned: &[Owned], truth: &Truth<'_>) -> Verdict {
        let held: BTreeMap<(Corpus, RowId), &Owned> = owned.iter().map(|o| ((o.corpus, o.id), o)).collect();
        for ((batch, id), charge) in &self.charges {
            let known = &self.batches[batch];
            if known.purse != purse {
                continue;
            }
            let corpus = known.corpus;
            let Some(became) = self.outcomes.get(&(*batch, *id)) else {
                return Err(format!("{id} was charged in {batch:?}, and our books know no outcome"));
            };
            match became.outcome {
                Outcome::Unlocked | Outcome::Refunded => {
                    let refunded = became.outcome == Outcome::Refunded;
                    if refunded != charge.refunded && charge.excuse.is_none() && charge.times == 1 {
                        return Err(format!("{id} in {batch:?}: refunded {} there, {refunded} here", charge.refunded));
                    }
                    let Some(contact) = held.get(&(corpus, *id)).map(|owned| &owned.contact) else {
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
                    if !(truth.suppressed)(corpus, *id) && charge.excuse.is_none() {
                        return Err(format!("{id} is called unreachable, and any search returns it"));
                    }
                }
                Outcome::Already if charge.excuse == Some(Excuse::Silently) => {}
                // Sent once and answered: nothing else ever spoke of it.
                Outcome::Already if charge.excuse == Some(Excuse::CopyFirst) && self.is_told_once(*batch) => {}
                // The same where the contact is gone by the time the request comes to it.
                Outcome::Missing
                    if charge.excuse == Some(Excuse::CopyFirst)
                        && (truth.suppressed)(corpus, *id)
                        && self.is_told_once(*batch) => {}
                // What came so late was concluded without it.
                _ if charge.excuse == Some(Excuse::TooLate) => {}
                other => {
                    let (how, at) = (became.how, became.at);
                    return Err(format!(
                        "{id} was charged in {batch:?}, our books say {} (by {how:?} at {at})",
                        other.name()
                    ));
                }
            }
        }
        for ((batch, id), became) in &self.outcomes {
            let known = &self.batches[batch];
            if known.purse != purse {
                continue;
            }
            let corpus = known.corpus;
            let paid = matches!(became.outcome, Outcome::Unlocked | Outcome::Refunded);
            let charged = self.charges.contains_key(&(*batch, *id));
            // What was sent more than once, be it after a refusal, may have been bought by either: then it counts as bought here.
            let sent_once =
                self.sendings.iter().filter(|sending| sending.batch == *batch && !sending.unsent).count() == 1;
            if paid && !charged && became.how == SettledBy::Answer && known.intents == 1 && sent_once {
                return Err(format!("{id} is booked as charged in {batch:?}, the service never charged it"));
            }
            if became.outcome.is_owned() && !(truth.owned)(corpus, *id) {
                return Err(format!("{id} is owned here and not there ({became:?})"));
            }
            if became.outcome.is_owned() && !held.contains_key(&(corpus, *id)) {
                return Err(format!("{id} is {} and not among what we own", became.outcome.name()));
            }
        }
        // What was only seen is owned there, whole here, and cost nothing.
        for seen in owned.iter().filter(|owned| owned.order.is_none()) {
            let (corpus, id) = (seen.corpus, seen.id);
            if !(truth.owned)(corpus, id) {
                return Err(format!("{id} was seen as owned and is not"));
            }
            let paid = self.charges.iter().find(|((batch, charged), charge)| {
                let known = &self.batches[batch];
                let outcome = self.outcomes.get(&(*batch, id)).map(|became| became.outcome);
                // Charged, and called owned before: it is owned without a receipt here.
                let excused = matches!(charge.excuse, Some(Excuse::Silently | Excuse::CopyFirst));
                let again = outcome == Some(Outcome::Already) && excused;
                // Concluded without it, and shown by a search afterwards.
                let late = charge.excuse == Some(Excuse::TooLate);
                *charged == id
                    && (known.purse, known.corpus) == (purse, corpus)
                    && outcome != Some(Outcome::Unreachable)
                    && !again
                    && !late
            });
            if let Some(((batch, _), charge)) = paid {
                return Err(format!("{id} was charged in {batch:?} and stands there as only seen: {charge:?}"));
            }
        }
        Ok(())
    }
}
