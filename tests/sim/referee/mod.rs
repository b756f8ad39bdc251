//! The rules, checked by a referee who sees both sides: the service's books and every word written to our store.
//!
//! Independent of the client's arithmetic and of its names: a request belongs to the process that it left and to the ids that it
//! carries, a charge to the request that the service charged it for, an amount to the moment when a person or a command named
//! it. No flow is asked what it thinks. What is let pass stands in `excuses`, and nowhere else.

mod bounds;
mod charges;
mod chosen;
mod rest;
mod sending;
mod settings;

use std::collections::{BTreeMap, BTreeSet};

use lode_core::Page;
use lode_core::contact::{Corpus, RowId};
use lode_core::money::{BatchId, Outcome};
use lode_core::purse::Purse;
use lode_engine::effect::store::{BatchIntent, CheckResult, SettledBy, StoreCall, StoreReply};

use serde_json::Value;

use crate::excuses::{Excuse, Excused};
use crate::marks::Marks;

use chosen::Looks;
use settings::Saved;

pub use chosen::Wanted;
pub use rest::Truth;
pub use settings::PROMPT;

/// A contact of a purse, the purse by its number.
pub type Whose = (usize, Corpus, RowId);

/// Who does something: a process, and one profile that it has open.
#[derive(Clone, Debug)]
pub struct Who {
    /// The profile that is open, as one opening of it.
    pub generation: u64,
    /// The process.
    pub run: u64,
    pub purse: usize,
    pub named: Purse,
    /// Whether its key may search.
    pub searches: bool,
    /// The profile and the key it was opened with.
    pub key: (usize, String),
    pub order: Option<Ordered>,
}

/// An amount that a person typed or a command named, and what it bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ordered {
    pub no: u64,
    pub typed: i64,
}

#[derive(Clone, Debug)]
pub struct Batch {
    pub purse: usize,
    pub corpus: Corpus,
    pub ids: Vec<RowId>,
    pub verify: bool,
    /// Who wrote it down last, in which process: the session it counts for.
    pub writer: u64,
    pub run: u64,
    pub intended_at: u64,
    /// How often it was written down to be sent: with the second it cannot be known what the first did.
    pub intents: u32,
    pub heard: Vec<Vec<u8>>,
}

/// A request for an unlock that left.
#[derive(Clone, Debug)]
pub struct Sending {
    pub batch: BatchId,
    pub generation: u64,
    pub order: Option<Ordered>,
    pub searches: bool,
    pub left: u64,
    /// When its line broke, or its process ended.
    pub broke: Option<u64>,
    pub answered: Option<u64>,
    /// It never left this machine.
    pub unsent: bool,
    /// The network made a copy of it, which the service may come to first.
    pub copied: bool,
    /// When the searches before it were served that showed its contacts locked.
    pub looked: BTreeMap<RowId, u64>,
}

#[derive(Clone, Debug)]
pub struct Charge {
    pub refunded: bool,
    pub excuse: Option<Excuse>,
    sending: usize,
    /// By how many requests of this program.
    times: u32,
}

#[derive(Clone, Debug)]
pub struct Became {
    pub outcome: Outcome,
    pub how: SettledBy,
    /// The process whose session it counts for.
    run: u64,
    pub evidence: Option<String>,
    at: u64,
}

/// The last that a search showed an opened profile of a contact.
#[derive(Clone, Copy, Debug)]
struct Seen {
    served: u64,
    told: u64,
    unlocked: bool,
}

/// An answer of an unlock that reached a living window, which must have kept it.
struct Delivered {
    generation: u64,
    batch: BatchId,
    body: Vec<u8>,
}

#[derive(Default)]
pub struct Referee {
    /// What is saved: caps, limits, lists and keys.
    saved: Saved,
    pub batches: BTreeMap<BatchId, Batch>,
    pub sendings: Vec<Sending>,
    /// By batch and contact: what our own calls were charged.
    charges: BTreeMap<(BatchId, RowId), Charge>,
    charged_by_order: BTreeMap<u64, i64>,
    /// Per purse: when.
    charged_at: Vec<(usize, u64)>,
    pub outcomes: BTreeMap<(BatchId, RowId), Became>,
    /// What lode's own ledger calls owned, and since when.
    owned: BTreeMap<Whose, u64>,
    /// What a search has shown of a purse, to any window.
    shown: BTreeSet<Whose>,
    seen: BTreeMap<(u64, Corpus, RowId), Seen>,
    /// When the last search was served that an opened profile was answered.
    searched: BTreeMap<(u64, Corpus), u64>,
    /// Amounts whose service has raised an alarm: nothing more goes out under them.
    alarmed: BTreeSet<u64>,
    delivered: Vec<Delivered>,
    crashed: BTreeSet<u64>,
    looks: BTreeMap<Whose, Looks>,
    /// Staged by a person, whatever the search leaves out.
    by_hand: BTreeSet<Whose>,
    /// Staged although the search leaves it out.
    left_out: BTreeSet<Whose>,
    /// By opened profile: words that no title has of what is chosen by itself.
    choosing: BTreeMap<(u64, Corpus), Vec<String>>,
    wanted: BTreeMap<u64, Wanted>,
    pub marks: Marks,
    pub excused: Excused,
}

/// A broken rule, in a sentence.
pub type Verdict = Result<(), String>;

impl Referee {
    /// All that its judgment rests on.
    pub fn state(&self) -> String {
        let batches = self.batches.iter().map(|(id, batch)| (id, &batch.ids, batch.intents, batch.writer));
        let is_open = |batch: &BatchId, id: &RowId| !self.outcomes.contains_key(&(*batch, *id));
        let open = self.batches.iter().flat_map(|(id, batch)| batch.ids.iter().map(move |row| (id, row)));
        let sendings = self.sendings.iter().map(|of| (of.batch, of.broke, of.answered.is_some(), of.unsent));
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            batches.collect::<Vec<_>>(),
            open.filter(|(batch, id)| is_open(batch, id)).collect::<Vec<_>>(),
            sendings.collect::<Vec<_>>(),
            self.charges.keys().collect::<Vec<_>>(),
            self.charged_by_order,
            self.alarmed,
            self.saved,
        )
    }

    /// Called for every call that the store has done, whether the window heard of it or not.
    pub fn stored(&mut self, call: &StoreCall, reply: &StoreReply, who: &Who, at: u64) -> Verdict {
        match (call, reply) {
            (StoreCall::Intend(intent), StoreReply::Intended(written)) => self.intended(intent, written.batch, who, at),
            (StoreCall::KeepAnswer { batch, body, .. }, _) => {
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
                if settlement.how == SettledBy::Answer && batch.heard.is_empty() {
                    return Err(format!("{:?} was interpreted before its answer was kept", settlement.batch));
                }
                for settled in &settlement.contacts {
                    if !batch.ids.contains(&settled.id) {
                        return Err(format!("{:?} settles {}, which it never asked for", settlement.batch, settled.id));
                    }
                    let became = Became {
                        outcome: settled.outcome,
                        how: settlement.how,
                        run: batch.run,
                        evidence: settled.evidence.clone(),
                        at,
                    };
                    self.note(settlement.how, settled.outcome);
                    if settled.outcome.is_owned() {
                        self.owned.entry((batch.purse, batch.corpus, settled.id)).or_insert(at);
                    }
                    self.outcomes.entry((settlement.batch, settled.id)).or_insert(became);
                }
                Ok(())
            }
            (StoreCall::KeepCheckResults { sightings, .. }, _) => {
                if sightings.iter().any(|(_, sight)| *sight == CheckResult::Locked) {
                    self.marks.hit("look saw a contact locked");
                }
                Ok(())
            }
            (StoreCall::Withdraw { batch, .. }, _) => {
                let ids = self.batches.get(batch).map(|batch| batch.ids.clone()).unwrap_or_default();
                for id in ids {
                    let (outcome, how) = (Outcome::Locked, SettledBy::Answer);
                    let became = Became { outcome, how, run: who.run, evidence: None, at };
                    self.outcomes.entry((*batch, id)).or_insert(became);
                }
                Ok(())
            }
            (StoreCall::Own { corpus, contacts, .. }, _) => {
                let seen = contacts.iter().all(|seen| !seen.row.is_empty());
                self.marks.hit(if seen { "a search showed a contact as owned" } else { "completed by a look" });
                for seen in contacts {
                    self.owned.entry((who.purse, *corpus, seen.id)).or_insert(at);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn note(&mut self, how: SettledBy, outcome: Outcome) {
        match (how, outcome) {
            (SettledBy::Look, Outcome::Unlocked | Outcome::Refunded) => {
                self.marks.hit("look found a contact of an unanswered batch");
            }
            (SettledBy::Look, Outcome::Locked) => self.marks.hit("locked was proved"),
            (_, Outcome::Unreachable) => self.marks.hit("unreachable was named"),
            (_, Outcome::Refunded) => self.marks.hit("refunded"),
            (_, Outcome::Already) => self.marks.hit("already owned"),
            (_, Outcome::Missing) => self.marks.hit("missing"),
            _ => {}
        }
    }

    fn intended(&mut self, intent: &BatchIntent, id: BatchId, who: &Who, at: u64) -> Verdict {
        let distinct: BTreeSet<RowId> = intent.ids.iter().copied().collect();
        if distinct.len() != intent.ids.len() || intent.ids.len() > 100 {
            return Err(format!("{id:?} holds {} ids, {} different", intent.ids.len(), distinct.len()));
        }
        if intent.purse != who.named {
            return Err(format!("{id:?} was written down for {:?}, and the key is of {:?}", intent.purse, who.named));
        }
        if intent.again.is_none() {
            for row in &intent.ids {
                let open = |(other, batch): (&BatchId, &Batch)| {
                    (batch.purse, batch.corpus) == (who.purse, intent.corpus)
                        && batch.ids.contains(row)
                        && !self.outcomes.contains_key(&(*other, *row))
                };
                if self.batches.iter().any(open) {
                    return Err(format!("{row} is in two open batches, the second is {id:?}"));
                }
                if intent.basket.is_some() && !self.shown.contains(&(who.purse, intent.corpus, *row)) {
                    return Err(format!("{row} of {id:?} was staged, and no search of this workspace ever showed it"));
                }
            }
            self.chosen(id, intent, who, at)?;
        }
        let batch = self.batches.entry(id).or_insert_with(|| Batch {
            purse: who.purse,
            corpus: intent.corpus,
            ids: intent.ids.clone(),
            verify: intent.verify,
            writer: 0,
            run: 0,
            intended_at: 0,
            intents: 0,
            heard: Vec::new(),
        });
        if batch.ids != intent.ids || batch.verify != intent.verify || batch.purse != who.purse {
            return Err(format!("{id:?} was cut again"));
        }
        batch.writer = who.generation;
        batch.run = who.run;
        batch.intended_at = at;
        batch.intents += 1;
        self.bounded(id, intent, who, at)
    }

    /// A page reached an opened profile.
    pub fn shows(&mut self, who: &Who, corpus: Corpus, page: &Page, served: u64, told: u64) {
        let searched = self.searched.entry((who.generation, corpus)).or_default();
        *searched = served.max(*searched);
        for row in &page.rows {
            let Some(id) = row.id() else { continue };
            self.shown.insert((who.purse, corpus, id));
            self.looks((who.purse, corpus, id), row);
            let seen = Seen { served, told, unlocked: row.unlocked() };
            let known = self.seen.entry((who.generation, corpus, id)).or_insert(seen);
            if known.served <= served {
                *known = seen;
            }
        }
    }

    /// An answer of an unlock reached a living window. `alarming`: it says that more was charged than was sent.
    pub fn delivered(&mut self, sending: usize, body: &[u8], alarming: bool, at: u64) {
        let sent = &mut self.sendings[sending];
        sent.answered = Some(at);
        let (generation, batch) = (sent.generation, sent.batch);
        if let (true, Some(order)) = (alarming, sent.order) {
            self.alarmed.insert(order.no);
        }
        self.delivered.push(Delivered { generation, batch, body: body.to_vec() });
    }

    /// Its process ended: nothing that it held in memory only is expected of it, what it had on the wire lost its line.
    pub fn crashed(&mut self, generation: u64, flying: impl IntoIterator<Item = usize>, at: u64) {
        self.crashed.insert(generation);
        self.broke(flying, at);
    }

    pub fn broke(&mut self, sendings: impl IntoIterator<Item = usize>, at: u64) {
        for sending in sendings {
            self.sendings[sending].broke.get_or_insert(at);
        }
    }

    /// The purses that anything was sent for.
    pub fn purses(&self) -> BTreeSet<usize> {
        self.batches.values().map(|batch| batch.purse).collect()
    }

    /// A command has come to its end: what it paid for is in the store, or it was printed whole.
    pub fn handed_over(&mut self, generation: u64, printed: &str) -> Verdict {
        for delivered in self.delivered.iter().filter(|delivered| delivered.generation == generation) {
            if self.batches[&delivered.batch].heard.contains(&delivered.body) {
                continue;
            }
            for email in emails(&delivered.body) {
                if !printed.contains(&email) {
                    return Err(format!("{email} of {:?} is neither stored nor printed", delivered.batch));
                }
                self.marks.hit("what could not be stored was printed");
            }
        }
        Ok(())
    }

    /// An orderly end, with time enough and a disk that works: what its answers said is in the books.
    pub fn left_in_order(&self, generation: u64) -> Verdict {
        for ((batch, id), charge) in &self.charges {
            let sent = &self.sendings[charge.sending];
            let kept = self.outcomes.contains_key(&(*batch, *id));
            if sent.generation == generation && sent.answered.is_some() && sent.broke.is_none() && !kept {
                let heard = &self.batches[batch].heard;
                if heard.is_empty() {
                    return Err(format!("{id} of {batch:?} was bought, and an orderly exit left nothing of it"));
                }
            }
        }
        Ok(())
    }
}

/// The addresses that the answer of an unlock holds.
fn emails(body: &[u8]) -> Vec<String> {
    fn collect(value: &Value, emails: &mut Vec<String>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| collect(value, emails)),
            Value::Object(fields) => {
                emails.extend(fields.get("email").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|value| collect(value, emails));
            }
            _ => {}
        }
    }
    let mut emails = Vec::new();
    collect(&serde_json::from_slice(body).unwrap_or_default(), &mut emails);
    emails
}
