//! Free looks: for which contacts, from when to when, and what is written down of what they saw.

use std::collections::{BTreeMap, BTreeSet};

use crate::effect::store::{ShownIn, Sight, Sighting, StoreCall};
use crate::flow::desk::{Cx, Owner};
use crate::flow::ledger::reading::bought_unanswered;
use crate::flow::look::{Look, Seen, Wanted};
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::owned::SeenOwned;
use lode_core::purse::PurseRef;

use super::settling::by_look;
use super::{News, QUIET, Recovery, State};

impl Recovery {
    /// Looks for everything that is unknown or incomplete, with requests of its own for each contact. Free. False when there is
    /// nothing to look for or a look runs.
    pub fn look(&mut self, cx: &mut Cx<'_>) -> bool {
        self.spent.clear();
        self.look_again(cx)
    }

    /// The same with the requests that the looks before have left for each contact.
    pub fn look_again(&mut self, cx: &mut Cx<'_>) -> bool {
        if !matches!(self.state, State::Idle) {
            return false;
        }
        let wanted = self.wanted();
        let mut tickets = BTreeMap::new();
        for (corpus, ids) in &wanted {
            let side = Side { source: Source::Workspace, corpus: *corpus };
            let (purses, ids) = (self.purses(*corpus), ids.keys().copied().collect());
            tickets.insert(cx.store(Owner::Recovery, StoreCall::Shown { purses, side, ids }), *corpus);
        }
        if tickets.is_empty() {
            return false;
        }
        self.state = State::Recalling { tickets, wanted };
        true
    }

    /// A look is over: what is owned settles at once, the rest is written down as seen.
    pub(super) fn note(&mut self, cx: &mut Cx<'_>) {
        let State::Looking(looks) = std::mem::replace(&mut self.state, State::Idle) else { return };
        for (corpus, look) in &looks {
            self.spent.extend(look.spent().map(|(id, spent)| ((*corpus, id), spent)));
        }
        let nothing = Seen::Unseen;
        let seen = |corpus: Corpus, id: RowId| looks.get(&corpus).map_or(&nothing, |look| look.seen(id));
        let mut tickets = BTreeMap::new();
        for batch in self.batches.iter().filter(|batch| Some(batch.batch) != self.spared) {
            let mut contacts = Vec::new();
            let mut sightings = Vec::new();
            for open in &batch.open {
                match seen(batch.corpus, open.id) {
                    Seen::Owned(contact) => contacts.push(bought_unanswered(open.id, contact.clone(), batch.verify)),
                    Seen::Locked => sightings.push((open.id, Sight::Locked)),
                    Seen::Absent(evidence) => {
                        sightings.push((open.id, Sight::Absent));
                        self.evidence.insert((batch.batch, open.id), evidence.clone());
                    }
                    Seen::Unseen => {}
                }
            }
            if !contacts.is_empty() {
                let news = News::Settled { corpus: batch.corpus, contacts: contacts.clone() };
                let call = StoreCall::Settle(Box::new(by_look(batch, contacts)));
                tickets.insert(cx.store(Owner::Recovery, call), Some(news));
            }
            // A look that began before the quiet was over may tell of a time when a call was still on its way, however late its
            // answer came: it is no proof, and is not written down as one.
            let began = batch.quiet + self.look_began.since(self.read_at);
            let ended = batch.quiet + cx.now.mono.since(self.read_at);
            if !sightings.is_empty() && (began >= QUIET || ended < QUIET) {
                let call = StoreCall::Sighted { batch: batch.batch, sent: batch.sent, sightings };
                tickets.insert(cx.store(Owner::Recovery, call), None);
            }
        }
        if let Some(purse) = &self.purse {
            for (corpus, ids) in &mut self.incomplete {
                let mut own = Vec::new();
                ids.retain(|id, clue| match seen(*corpus, *id) {
                    Seen::Owned(contact) => {
                        let (contact, search) = (contact.clone(), clue.search.clone());
                        own.push(SeenOwned { id: *id, contact, search, row: String::new() });
                        false
                    }
                    // It is owned and no call returns it any more: there is nothing to wait for.
                    Seen::Absent(_) => false,
                    Seen::Locked | Seen::Unseen => true,
                });
                if !own.is_empty() {
                    let contacts = own.iter().map(|seen| (seen.id, seen.contact.clone())).collect();
                    let news = News::Completed { corpus: *corpus, contacts };
                    let call = StoreCall::Own { purse: purse.clone().into(), corpus: *corpus, contacts: own };
                    tickets.insert(cx.store(Owner::Recovery, call), Some(news));
                }
            }
        }
        let trouble = looks.values().find_map(Look::trouble).cloned();
        self.looked = trouble.is_none();
        if trouble.is_some() {
            self.news.push_back(News::Looked { trouble });
        }
        if tickets.is_empty() {
            self.refresh(cx);
        } else {
            self.state = State::Writing(tickets);
        }
    }

    pub(super) fn wanted(&self) -> BTreeMap<Corpus, BTreeMap<RowId, Wanted>> {
        let mut wanted: BTreeMap<Corpus, BTreeMap<RowId, Wanted>> = BTreeMap::new();
        let open = self
            .batches()
            .flat_map(|batch| batch.open.iter().map(|open| (batch.corpus, open.id, &open.clue, &open.sightings[..])));
        let none: &[Sighting] = &[];
        let incomplete =
            self.incomplete.iter().flat_map(|(corpus, ids)| ids.iter().map(|(id, clue)| (*corpus, *id, clue, none)));
        for (corpus, id, clue, sightings) in open.chain(incomplete) {
            let wanted = wanted.entry(corpus).or_default().entry(id);
            wanted.or_insert_with(|| Wanted {
                clue: clue.clone(),
                shown: Vec::new(),
                sighted: sightings.len(),
                was_absent: sightings.last().is_some_and(|last| last.sight == Sight::Absent),
                spent: self.spent.get(&(corpus, id)).copied().unwrap_or(0),
            });
        }
        wanted
    }

    /// The purses whose history may know the contacts: the one of the batches, and what an earlier version kept under the name
    /// of their profiles and of this one.
    fn purses(&self, corpus: Corpus) -> Vec<PurseRef> {
        let of_batches = self.batches().filter(|batch| batch.corpus == corpus).map(|batch| batch.profile.clone());
        let profiles: BTreeSet<String> = of_batches.chain([self.profile.clone()]).collect();
        let earlier = profiles.into_iter().map(|profile| PurseRef::Earlier { profile });
        self.purse.clone().map(PurseRef::Known).into_iter().chain(earlier).collect()
    }
}

/// Adds where each contact was shown.
pub(super) fn recall(wanted: &mut BTreeMap<RowId, Wanted>, shown: &[(RowId, Vec<ShownIn>)]) {
    for (id, shown) in shown {
        if let Some(wanted) = wanted.get_mut(id) {
            wanted.shown.extend(shown.iter().cloned());
        }
    }
}
