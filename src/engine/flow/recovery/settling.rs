//! What can be settled from what is stored: answers that were kept and not read, contacts with two good sightings.

use std::collections::{BTreeMap, BTreeSet};

use crate::effect::store::{How, OpenBatch, Said, Settled, Settlement, StoreCall};
use crate::flow::desk::{Cx, Owner};
use crate::flow::ledger::reading::{Asked, read_answers};
use lode_core::contact::RowId;

use super::{News, Recovery, State, proof};

impl Recovery {
    /// Settles what can be settled from what is stored: unread responses, contacts with two good sightings.
    pub(super) fn conclude(&mut self, cx: &mut Cx<'_>) {
        let mut tickets = BTreeMap::new();
        for batch in self.batches.iter().filter(|batch| Some(batch.batch) != self.spared) {
            if batch.in_flight {
                // Owned, and no order of this window has it: its outcome was never written down.
                let words = "this window did not receive its result".to_owned();
                tickets.insert(cx.store(Owner::Recovery, StoreCall::Lost { batch: batch.batch, words }), None);
            }
            let open: BTreeSet<RowId> = batch.open.iter().map(|open| open.id).collect();
            let asked = Asked {
                batch: batch.batch,
                corpus: batch.corpus,
                ids: &batch.ids,
                open: &open,
                sent: batch.sent,
                verify: batch.verify,
                past: false,
                refused: 0,
            };
            let reading = read_answers(asked, batch.heard.iter().map(|(_, body)| &body[..]));
            if !reading.settlement.contacts.is_empty() {
                let clues = batch.open.iter().filter(|open| reading.incomplete.contains(&open.id));
                let clues = clues.map(|open| (open.id, open.clue.clone()));
                self.incomplete.entry(batch.corpus).or_default().extend(clues);
                let news = News::Settled { corpus: batch.corpus, contacts: reading.settlement.contacts.clone() };
                tickets.insert(cx.store(Owner::Recovery, StoreCall::Settle(Box::new(reading.settlement))), Some(news));
                continue;
            }
            let proved = batch.open.iter().filter_map(|open| {
                let evidence = self.evidence.get(&(batch.batch, open.id));
                proof::verdict(open, evidence)
            });
            let contacts: Vec<Settled> = proved.collect();
            // All or none: as long as one of them is open the batch may be sent again, and that could buy the others.
            if !contacts.is_empty() && contacts.len() == batch.open.len() {
                let news = News::Settled { corpus: batch.corpus, contacts: contacts.clone() };
                let call = StoreCall::Settle(Box::new(by_look(batch, contacts)));
                tickets.insert(cx.store(Owner::Recovery, call), Some(news));
            }
        }
        if tickets.is_empty() {
            self.news.push_back(News::Read);
            if std::mem::take(&mut self.looked) {
                self.news.push_back(News::Looked { trouble: None });
            }
        } else {
            self.state = State::Writing(tickets);
        }
    }
}

pub(super) fn by_look(batch: &OpenBatch, contacts: Vec<Settled>) -> Settlement {
    Settlement {
        batch: batch.batch,
        sent: batch.sent,
        how: How::Look,
        contacts,
        said: Said::default(),
        stopped_for_credits: false,
    }
}
