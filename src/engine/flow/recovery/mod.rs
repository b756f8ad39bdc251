//! Batches with an unknown result, and how they are resolved: by answers that were kept and not read yet, by looking for free, by the
//! identical batch through the money dialog; never by guessing (money rule 6, *unknown is a state*).
//!
//! A contact found to be owned settles at once. One found locked or nowhere proves nothing while a call on its way may still
//! be applied: that takes two looks, both after the line has been quiet for [`QUIET`], and the same for all that is open of its
//! batch, because a batch goes out again whole or not at all. What is looked at, and how, is
//! `flow::look`; sending a batch again is an order like any other and belongs to `flow::unlock`.

mod looking;
mod proof;
mod settling;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::effect::Ticket;
use crate::effect::failure::{Failure, StoreFailure};
use crate::effect::store::{OpenBatch, Settled, StoreCall, StoreReply};
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::look::{Evidence, Look, Wanted};
use lode_core::contact::{Contact, Corpus, RowId};
use lode_core::money::{BatchId, Clue};
use lode_core::purse::Purse;
use lode_core::time::Mono;

pub use proof::QUIET;

use looking::recall;

/// What others want to know.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// Certain and durable from now on.
    Settled { corpus: Corpus, contacts: Vec<Settled> },
    /// Contacts that were owned already are complete now.
    Completed { corpus: Corpus, contacts: Vec<(RowId, Contact)> },
    /// What is unknown was read again.
    Read,
    /// A look came to its end.
    Looked { trouble: Option<Failure> },
    /// The store failed; nothing was lost by it.
    Store(StoreFailure),
}

#[derive(Clone, Debug)]
enum State {
    Idle,
    /// Which batches are open.
    Reading(Ticket),
    /// Outcomes are being written down, each with what may be said once it is; then everything is read again.
    Writing(BTreeMap<Ticket, Option<News>>),
    /// Where the contacts were shown.
    Recalling {
        tickets: BTreeMap<Ticket, Corpus>,
        wanted: BTreeMap<Corpus, BTreeMap<RowId, Wanted>>,
    },
    Looking(BTreeMap<Corpus, Look>),
}

#[derive(Clone, Debug)]
pub struct Recovery {
    profile: String,
    purse: Option<Purse>,
    batches: Vec<OpenBatch>,
    /// They are what the books say: the last reading did not fail.
    known: bool,
    /// When they were read: what the store said of quiet is as old as this.
    read_at: Mono,
    /// The batch of a running order: only the order deals with it.
    spared: Option<BatchId>,
    /// Owned, without what was paid for.
    incomplete: BTreeMap<Corpus, BTreeMap<RowId, Clue>>,
    evidence: BTreeMap<(BatchId, RowId), Evidence>,
    /// Requests that the looks of this run made for a contact.
    spent: BTreeMap<(Corpus, RowId), u32>,
    look_began: Mono,
    state: State,
    /// Something changed while this was busy.
    again: bool,
    looked: bool,
    news: VecDeque<News>,
}

impl Recovery {
    pub fn new(profile: String) -> Recovery {
        Recovery {
            profile,
            purse: None,
            batches: Vec::new(),
            known: false,
            read_at: Mono(0),
            spared: None,
            incomplete: BTreeMap::new(),
            evidence: BTreeMap::new(),
            spent: BTreeMap::new(),
            look_began: Mono(0),
            state: State::Idle,
            again: false,
            looked: false,
            news: VecDeque::new(),
        }
    }

    /// Whose batches these are, once `/me` has told (money rule 10, *one purse*). Reads them.
    pub fn begin(&mut self, purse: Purse, cx: &mut Cx<'_>) {
        if self.purse.as_ref() != Some(&purse) {
            self.batches.clear();
            self.known = false;
            self.incomplete.clear();
            self.evidence.clear();
            self.purse = Some(purse);
        }
        self.refresh(cx);
    }

    /// Reads again which batches are open, now or as soon as what is under way is done.
    pub fn refresh(&mut self, cx: &mut Cx<'_>) {
        let Some(purse) = self.purse.clone() else { return };
        if matches!(self.state, State::Idle) {
            self.state = State::Reading(cx.store(Owner::Recovery, StoreCall::OpenBatches { purse }));
        } else {
            self.again = true;
        }
    }

    /// A running order settled these: whatever was read while its batch was out, they are no longer unknown.
    pub fn settled(&mut self, corpus: Corpus, certain: &BTreeSet<RowId>) {
        for batch in self.batches.iter_mut().filter(|batch| batch.corpus == corpus) {
            batch.open.retain(|open| !certain.contains(&open.id));
        }
        self.batches.retain(|batch| !batch.open.is_empty());
    }

    /// The batch a running order is at.
    pub fn exclude_in_flight(&mut self, at_work: Option<BatchId>) {
        self.spared = at_work;
    }

    /// Owned contacts that lack what was paid for: the next look completes them.
    pub fn complete(&mut self, corpus: Corpus, contacts: impl IntoIterator<Item = (RowId, Clue)>) {
        self.incomplete.entry(corpus).or_default().extend(contacts);
    }

    /// The batches with an unknown result, oldest first.
    pub fn batches(&self) -> impl Iterator<Item = &OpenBatch> {
        self.batches.iter().filter(|batch| Some(batch.batch) != self.spared)
    }

    pub fn batch(&self, id: BatchId) -> Option<&OpenBatch> {
        self.batches().find(|batch| batch.batch == id)
    }

    /// Ids that may not be unlocked until their batch is cleared up.
    pub fn unknown(&self, corpus: Corpus) -> BTreeSet<RowId> {
        let batches = self.batches.iter().filter(|batch| batch.corpus == corpus);
        batches.flat_map(|batch| batch.open.iter().map(|open| open.id)).collect()
    }

    /// Whether the books could be read: before that, and after a reading that failed, an empty list means nothing.
    pub fn is_known(&self) -> bool {
        self.known
    }

    pub fn is_clear(&self) -> bool {
        self.batches().next().is_none()
    }

    /// Nothing under way.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle)
    }

    /// The look under way: contacts found, of how many, and requests made.
    pub fn looking(&self) -> Option<(usize, usize, u32)> {
        let State::Looking(looks) = &self.state else { return None };
        Some(looks.values().fold((0, 0, 0), |(found, of, requests), look| {
            let progress = look.progress();
            (found + progress.0, of + progress.1, requests + look.requests())
        }))
    }

    /// How many requests a look takes at least, going by what the batches themselves know.
    pub fn at_least(&self) -> usize {
        self.wanted().into_iter().map(|(corpus, wanted)| Look::new(Owner::Recovery, corpus, wanted).at_least()).sum()
    }

    /// The moment from which another look can prove something about what is still open; past when it can already.
    pub fn next_look(&self) -> Option<Mono> {
        let due = self.batches().flat_map(|batch| batch.open.iter().map(|open| proof::due(batch, open)));
        due.min().map(|due| self.read_at.after(due))
    }

    pub fn news(&mut self) -> Option<News> {
        self.news.pop_front()
    }

    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> bool {
        match heard {
            Heard::Stored(ticket, result) => self.stored(*ticket, result, cx),
            Heard::Reply(..) => {
                let State::Looking(looks) = &mut self.state else { return false };
                let taken = looks.values_mut().any(|look| look.hear(heard, cx));
                if taken && looks.values().all(Look::is_over) {
                    self.note(cx);
                }
                taken
            }
            Heard::Progress(..) | Heard::Filed(..) => false,
        }
    }

    fn stored(&mut self, ticket: Ticket, result: &Result<StoreReply, StoreFailure>, cx: &mut Cx<'_>) -> bool {
        let mine = match &self.state {
            State::Reading(mine) => *mine == ticket,
            State::Writing(tickets) => tickets.contains_key(&ticket),
            State::Recalling { tickets, .. } => tickets.contains_key(&ticket),
            State::Idle | State::Looking(_) => false,
        };
        if !mine {
            return false;
        }
        if let Err(failure) = result {
            self.news.push_back(News::Store(failure.clone()));
        }
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Reading(_) => {
                if let Ok(StoreReply::OpenBatches(batches)) = result {
                    self.batches.clone_from(batches);
                    self.known = true;
                    self.read_at = cx.now.mono;
                    self.conclude(cx);
                } else {
                    self.known = false;
                }
                self.rest(cx);
            }
            State::Writing(mut tickets) => {
                let news = tickets.remove(&ticket).flatten();
                // What another window's sending overtook is read again, with that sending.
                self.news.extend(news.filter(|_| matches!(result, Ok(reply) if *reply != StoreReply::Outdated)));
                if tickets.is_empty() {
                    // After a failure nothing is tried again by itself: the next look or refresh does.
                    if result.is_ok() {
                        self.refresh(cx);
                    }
                    self.rest(cx);
                } else {
                    self.state = State::Writing(tickets);
                }
            }
            State::Recalling { mut tickets, mut wanted } => {
                let corpus = tickets.remove(&ticket);
                if let (Some(corpus), Ok(StoreReply::Shown(shown))) = (corpus, result) {
                    recall(wanted.entry(corpus).or_default(), shown);
                }
                if tickets.is_empty() {
                    let looks =
                        wanted.into_iter().map(|(corpus, wanted)| (corpus, Look::new(Owner::Recovery, corpus, wanted)));
                    let mut looks: BTreeMap<Corpus, Look> = looks.collect();
                    self.look_began = cx.now.mono;
                    looks.values_mut().for_each(|look| look.go(cx));
                    let over = looks.values().all(Look::is_over);
                    self.state = State::Looking(looks);
                    if over {
                        self.note(cx);
                    }
                } else {
                    self.state = State::Recalling { tickets, wanted };
                }
            }
            State::Idle | State::Looking(_) => unreachable!("neither waits for the store"),
        }
        true
    }

    fn rest(&mut self, cx: &mut Cx<'_>) {
        if matches!(self.state, State::Idle) && std::mem::take(&mut self.again) {
            self.refresh(cx);
        }
    }
}
