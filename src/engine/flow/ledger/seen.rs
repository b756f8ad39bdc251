//! Contacts that a search showed as owned: they enter the ledger without a receipt and for free, also when a colleague bought them.

use std::collections::BTreeMap;

use crate::effect::store::StoreCall;
use crate::flow::desk::{Cx, Owner};
use crate::wire::rows;
use lode_core::contact::{Corpus, RowId, Source};
use lode_core::owned::SeenOwned;
use lode_core::time::Wall;

use super::{Asked, Ledger};

impl Ledger {
    /// Contacts that a search showed as owned: they are in the ledger from here on, for free, also when a colleague bought them.
    pub fn see(&mut self, corpus: Corpus, seen: Vec<SeenOwned>, cx: &mut Cx<'_>) {
        let is_new = |seen: &SeenOwned| {
            let known = self.owned.get(&(corpus, seen.id));
            !known.is_some_and(|owned| {
                owned.contact.has_address() && owned.row.as_ref().is_some_and(|row| row.unlocked())
            })
        };
        let before = self.seen.len();
        self.seen.extend(seen.into_iter().filter(is_new).map(|seen| (corpus, seen)));
        if self.seen.len() > before {
            self.write_seen(cx);
        }
    }

    /// Contacts that a search showed as owned, and that are not in the books yet.
    pub fn unwritten(&self) -> impl Iterator<Item = (Corpus, RowId)> {
        self.seen.iter().map(|(corpus, seen)| (*corpus, seen.id))
    }

    /// Writes what waits to be written: as soon as it is known whose books these are, and before every review.
    pub fn write_seen(&mut self, cx: &mut Cx<'_>) {
        let Some(purse) = self.purse.clone() else { return };
        let mut seen: BTreeMap<Corpus, Vec<SeenOwned>> = BTreeMap::new();
        for (corpus, one) in self.seen.drain(..) {
            seen.entry(corpus).or_default().push(one);
        }
        for (corpus, contacts) in seen {
            self.add_seen(corpus, &contacts, cx.now.wall);
            let call = StoreCall::Own { purse: purse.clone().into(), corpus, contacts: contacts.clone() };
            let ticket = cx.store(Owner::Ledger, call);
            self.asked.insert(ticket, Asked::Seen);
            self.seeing.insert(ticket, (corpus, contacts, cx.now.wall));
        }
    }

    pub(super) fn add_seen(&mut self, corpus: Corpus, seen: &[SeenOwned], at: Wall) {
        let contacts = seen.iter().map(|seen| {
            let row = rows::read_one(Source::Workspace, &seen.row).ok();
            (seen.id, seen.contact.clone(), row)
        });
        self.take(corpus, contacts, at, None);
        for seen in seen {
            if let Some(owned) = self.owned.get_mut(&(corpus, seen.id)) {
                owned.search = owned.search.take().or_else(|| seen.search.clone());
            }
        }
    }
}
