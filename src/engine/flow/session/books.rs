//! The machines of money as others see them: they can be read, and asked for what is free. Only the session drives them.

use crate::effect::Effect;
use crate::flow::balance::Balance;
use crate::flow::history::History;
use crate::flow::ledger::Ledger;
use crate::flow::recovery::Recovery;
use crate::flow::unlock::Unlock;
use lode_core::contact::{Corpus, RowId};
use lode_core::owned::SeenOwned;
use lode_core::time::Now;

use super::{Requests, Session};

impl Session {
    pub fn balance(&self) -> &Balance {
        &self.balance
    }

    pub fn history(&self) -> &History {
        &self.history
    }

    pub fn unlock(&self) -> &Unlock {
        &self.unlock
    }

    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Proposals of assistants.
    pub fn requests(&self) -> &Requests {
        &self.requests
    }

    /// Reads what was spent and held, over all windows.
    pub fn read_spent(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.ledger.read_spent(&mut self.desk.at(now, fx));
    }

    pub fn read_receipts(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.ledger.read_receipts(None, &mut self.desk.at(now, fx));
    }

    /// Reads which batches have an unknown result.
    pub fn read_doubts(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.recovery.refresh(&mut self.desk.at(now, fx));
    }

    pub fn tag(&mut self, corpus: Corpus, ids: Vec<RowId>, tags: Vec<String>, now: Now, fx: &mut Vec<Effect>) {
        self.ledger.tag(corpus, ids, tags, &mut self.desk.at(now, fx));
    }

    pub fn note(&mut self, corpus: Corpus, id: RowId, note: String, now: Now, fx: &mut Vec<Effect>) {
        self.ledger.note(corpus, id, note, &mut self.desk.at(now, fx));
    }

    /// Takes contacts off this machine. The workspace owns them all the same; receipts stay.
    pub fn forget(&mut self, corpus: Corpus, ids: Vec<RowId>, now: Now, fx: &mut Vec<Effect>) {
        self.ledger.forget(corpus, ids, &mut self.desk.at(now, fx));
    }

    /// Contacts that a search showed as owned.
    pub fn see(&mut self, corpus: Corpus, seen: Vec<SeenOwned>, now: Now, fx: &mut Vec<Effect>) {
        self.ledger.see(corpus, seen, &mut self.desk.at(now, fx));
    }
}
