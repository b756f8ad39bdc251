//! What a person says about contacts that are owned: tags, notes, and that one is not to be kept here any more.

use crate::effect::store::StoreCall;
use crate::flow::desk::Cx;
use lode_core::contact::{Corpus, RowId};

use super::{Asked, Ledger};

impl Ledger {
    pub fn tag(&mut self, corpus: Corpus, ids: Vec<RowId>, tags: Vec<String>, cx: &mut Cx<'_>) {
        let Some(purse) = self.purse.clone() else { return };
        self.changes += 1;
        for id in &ids {
            if let Some(owned) = self.owned.get_mut(&(corpus, *id)) {
                owned.tags.clone_from(&tags);
            }
        }
        self.ask(Asked::Change, StoreCall::Tag { purse, corpus, ids, tags }, cx);
    }

    pub fn note(&mut self, corpus: Corpus, id: RowId, note: String, cx: &mut Cx<'_>) {
        let Some(purse) = self.purse.clone() else { return };
        self.changes += 1;
        if let Some(owned) = self.owned.get_mut(&(corpus, id)) {
            owned.note.clone_from(&note);
        }
        self.ask(Asked::Change, StoreCall::Note { purse, corpus, id, note }, cx);
    }

    /// Takes contacts off this machine. The workspace owns them all the same; receipts stay.
    pub fn forget(&mut self, corpus: Corpus, ids: Vec<RowId>, cx: &mut Cx<'_>) {
        let Some(purse) = self.purse.clone() else { return };
        self.changes += 1;
        for id in &ids {
            self.owned.remove(&(corpus, *id));
        }
        self.index();
        self.ask(Asked::Change, StoreCall::Forget { purse, corpus, ids }, cx);
    }
}
