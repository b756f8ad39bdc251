//! From the answer to the settlement: kept as bytes, read, written down, completed by a free look.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::effect::failure::StoreFailure;
use crate::effect::store::{self, How, Said, Settled, Settlement, StoreCall, StoreReply};
use crate::flow::desk::{Cx, Owner};
use crate::flow::ledger::reading::{Asked, Reading, bought_unanswered, read_answers};
use crate::flow::look::{Look, Seen, Wanted};
use lode_core::contact::{RowId, Side, Source};
use lode_core::owned::SeenOwned;
use lode_core::purse::PurseRef;
use lode_core::put_back::put_back;
use lode_core::time::Now;

use super::batch::{Question, Sight};
use super::elsewhere::OWNED_NOW;
use super::end::End;
use super::steps::{KEEP_TRIES, Step};
use super::{News, UNSAVED_AGAIN, Unlock, Unsaved};

impl Unlock {
    /// The answer cannot be written down although room was reserved for it: held on to, tried again, sent nothing further.
    pub(super) fn clutch(&mut self, status: u16, body: Bytes, tries: u32, failure: &StoreFailure, now: Now) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        if tries < KEEP_TRIES {
            let until = now.mono.after(self.jitter.backoff(tries + 1));
            job.step = Step::RetryingKeep { until, status, body, tries: tries + 1 };
            return;
        }
        let ids = batch.ids();
        if let Some(batch) = batch.id {
            let (at, corpus) = (now.mono.after(UNSAVED_AGAIN), job.order.quote().basis.corpus);
            self.unsaved.push_back(Unsaved { batch, corpus, ids, status, body, at, ticket: None });
        }
        self.finish(End::Store(failure.to_string()), now);
    }

    /// The answer is on the disk: what does it say?
    pub(super) fn interpret(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let Some(id) = batch.id else { return };
        let quote = job.order.quote();
        let ids = batch.ids();
        let asked = Asked {
            batch: id,
            corpus: quote.basis.corpus,
            ids: &ids,
            open: &batch.open,
            sent: batch.sent,
            verify: quote.choice.verify,
            past: batch.past,
            refused: batch.refused,
        };
        let reading = read_answers(asked, batch.bodies.iter().map(|body| &body[..]));
        if reading.settlement.contacts.is_empty()
            && let Some(words) = &reading.unreadable
        {
            let words = words.clone();
            return self.lose(id, &words, false, cx);
        }
        let ticket = cx.store(Owner::Unlock, StoreCall::Settle(Box::new(reading.settlement.clone())));
        job.step = Step::Settling { ticket, reading: Box::new(reading) };
    }

    pub(super) fn settled(&mut self, reading: &Reading, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let corpus = job.corpus();
        job.hear_said(reading.settlement.said);
        let number = job.batches().0;
        let odd = &reading.contradictions;
        if !odd.words.is_empty() {
            job.notices.push(format!("the answer to batch {number} does not add up: {}", odd.words.join("; ")));
        }
        // Money rule 7, *partial is normal*: nothing more is sent to a service that charges more than was sent.
        if let Some(alarm) = &odd.alarm
            && !put_back("no-alarm")
        {
            job.alarm.get_or_insert_with(|| alarm.clone());
        }
        let mut whole = Vec::new();
        for settled in &reading.settlement.contacts {
            job.record(settled.clone());
            if !reading.incomplete.contains(&settled.id) {
                whole.push(settled.clone());
            }
        }
        if !whole.is_empty() {
            self.news.push_back(News::Settled { corpus, contacts: whole });
        }
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        batch.open.clone_from(&reading.open);
        batch.stopped = reading.settlement.stopped_for_credits;
        batch.incomplete = reading.incomplete.iter().map(|id| (*id, Default::default())).collect();
        if batch.open.is_empty() && batch.incomplete.is_empty() {
            self.advance(cx);
        } else {
            self.recall(cx);
        }
    }

    /// Before a look: where were these contacts shown?
    pub(super) fn recall(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &job.batch else { return };
        let ids: Vec<RowId> = batch.open.iter().chain(batch.incomplete.keys()).copied().collect();
        let who = &job.order.quote().basis.who;
        let purses = vec![who.purse.clone().into(), PurseRef::Earlier { profile: who.profile.clone() }];
        let side = Side { source: Source::Workspace, corpus: job.corpus() };
        job.step = Step::Recalling(cx.store(Owner::Unlock, StoreCall::Shown { purses, side, ids }));
    }

    /// Before it went out again another window cleared the batch up, or a part of it: nothing was sent.
    pub(super) fn settled_elsewhere(&mut self, contacts: &[Settled], cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let corpus = job.corpus();
        let Some(batch) = &mut job.batch else { return };
        // What is open still is not sent again, because a part of the batch is owned: a look says what became of it.
        let contacts: Vec<Settled> =
            contacts.iter().filter(|settled| batch.open.remove(&settled.id)).cloned().collect();
        let clear = batch.open.is_empty();
        if !clear {
            batch.question = Some(Question::Unknown { words: OWNED_NOW.to_owned(), resend: false });
        }
        contacts.iter().for_each(|settled| job.record(settled.clone()));
        if !contacts.is_empty() {
            self.news.push_back(News::Settled { corpus, contacts });
        }
        if clear { self.advance(cx) } else { self.inquire(cx) }
    }

    /// A free look for what the answer left out: contacts it did not mention, and those it named without what was paid for.
    pub(super) fn look(&mut self, shown: &Result<StoreReply, StoreFailure>, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let mut wanted: BTreeMap<RowId, Wanted> = batch
            .open
            .iter()
            .chain(batch.incomplete.keys())
            .map(|id| (*id, Wanted { clue: batch.clue(*id), ..Wanted::default() }))
            .collect();
        if let Ok(StoreReply::Shown(shown)) = shown {
            for (id, shown) in shown {
                if let Some(wanted) = wanted.get_mut(id) {
                    wanted.shown.clone_from(shown);
                }
            }
        }
        let mut look = Look::new(Owner::Unlock, job.order.quote().basis.corpus, wanted);
        look.go(cx);
        let over = look.is_over();
        job.step = Step::Looking(Box::new(look));
        if over {
            self.looked(cx);
        }
    }

    pub(super) fn looked(&mut self, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let Some(batch) = &mut job.batch else { return };
        let Step::Looking(look) = std::mem::replace(&mut job.step, Step::Idle) else { return };
        let Some(id) = batch.id else { return };
        let quote = job.order.quote();
        let mut tickets = BTreeSet::new();
        let mut settled = Vec::new();
        let mut sightings = Vec::new();
        // A contact that no search returns proves nothing: it may have been bought and removed since.
        let unseen = batch.open.iter().any(|id| matches!(look.seen(*id), Seen::Unseen | Seen::Absent(_)));
        batch.sight = match (unseen, look.trouble()) {
            (false, _) => Sight::Locked,
            (true, Some(failure)) => Sight::Failed(failure.words().to_owned()),
            (true, None) => Sight::Unseen,
        };
        for open in &batch.open {
            match look.seen(*open) {
                Seen::Owned(contact) => settled.push(bought_unanswered(*open, contact.clone(), quote.choice.verify)),
                Seen::Locked => sightings.push((*open, store::Sight::Locked)),
                Seen::Absent(_) => sightings.push((*open, store::Sight::Absent)),
                Seen::Unseen => {}
            }
        }
        let mut own = Vec::new();
        for (id, contact) in &mut batch.incomplete {
            if let Seen::Owned(found) = look.seen(*id) {
                contact.clone_from(found);
                own.push(SeenOwned {
                    id: *id,
                    contact: found.clone(),
                    search: batch.lines.iter().find(|line| line.id == *id).and_then(|line| line.clue.search.clone()),
                    row: String::new(),
                });
            }
        }
        if !settled.is_empty() {
            let settlement = Settlement {
                batch: id,
                sent: batch.sent,
                how: How::Look,
                contacts: settled.clone(),
                said: Said::default(),
                stopped_for_credits: batch.stopped,
            };
            tickets.insert(cx.store(Owner::Unlock, StoreCall::Settle(Box::new(settlement))));
        }
        if !sightings.is_empty() {
            tickets.insert(cx.store(Owner::Unlock, StoreCall::Sighted { batch: id, sent: batch.sent, sightings }));
        }
        if !own.is_empty() {
            let purse = quote.basis.who.purse.clone().into();
            tickets
                .insert(cx.store(Owner::Unlock, StoreCall::Own { purse, corpus: quote.basis.corpus, contacts: own }));
        }
        if tickets.is_empty() {
            self.noted(settled, cx);
        } else {
            job.step = Step::Noting { tickets, settled };
        }
    }

    pub(super) fn noted(&mut self, settled: Vec<Settled>, cx: &mut Cx<'_>) {
        let Some(job) = &mut self.job else { return };
        let corpus = job.corpus();
        let mut contacts = settled.clone();
        let incomplete = job.batch.as_mut().map(|batch| std::mem::take(&mut batch.incomplete)).unwrap_or_default();
        for settled in settled {
            if let Some(batch) = &mut job.batch {
                batch.open.remove(&settled.id);
            }
            job.record(settled);
        }
        for (id, contact) in incomplete {
            job.complete(id, &contact);
            contacts.extend(job.recorded(id).cloned());
        }
        if !contacts.is_empty() {
            self.news.push_back(News::Settled { corpus, contacts });
        }
        self.advance(cx);
    }
}
