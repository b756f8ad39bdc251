//! The control API: reads the records, acts as another member, and sets faults. No API key can do that.
//!
//! Tests and simulations call these in their own process; `server::control` puts them on an address of their own.

use super::*;
use crate::records::{key_hash, shown_part};

impl Service {
    /// Reads the records as of `now_ms`.
    pub fn read<T>(&self, now_ms: u64, look: impl FnOnce(&Records) -> T) -> T {
        let mut state = self.state();
        self.settle_late(&mut state, now_ms);
        look(&state.records)
    }

    /// A row of the workspace corpora, unmasked.
    pub fn person(&self, kind: CorpusKind, id: u64) -> Option<Person> {
        self.workspace.of(kind).corpus().person(id)
    }

    /// Whether this row of the workspace corpora is on the Do-Not-Sell list.
    pub fn suppressed(&self, kind: CorpusKind, id: u64) -> bool {
        self.workspace.of(kind).corpus().suppressed(id) || self.state().records.suppressed.of(kind).contains(&id)
    }

    pub fn log(&self) -> Vec<Received> {
        self.state().log.entries.iter().cloned().collect()
    }

    /// Requests that the web application makes with the same key. Says how many still fitted.
    pub fn use_allowance(&self, key: &str, requests: u32, now_ms: u64) -> u32 {
        let mut state = self.state();
        let ServiceState { records, gates, allowance, .. } = &mut *state;
        let Some(hash) = records.keys.iter().find(|known| known.name == key).map(|key| key.hash.clone()) else {
            return 0;
        };
        let gate = gates.entry(hash).or_default();
        (0..requests).filter(|_| gate.admit(*allowance, now_ms).is_ok()).count() as u32
    }

    /// Another workspace; its id.
    pub fn found_org(&self, name: &str, credits: i64, now_ms: u64) -> String {
        let id = org_id(self.identity(), name);
        let mut state = self.state();
        state.record(JournalEvent::OrgFounded { id: id.clone(), name: name.into(), plan: "sandbox".into() });
        state.record(JournalEvent::CreditsSet { at_ms: now_ms, org: id.clone(), credits });
        id
    }

    /// Another key of a workspace, shown in full this once.
    pub fn make_key(&self, org: &str, name: &str, scopes: &[&str]) -> String {
        let secret = workspace_key(self.identity(), name);
        let (hash, prefix) = (key_hash(&secret), shown_part(&secret));
        let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        self.state().record(JournalEvent::KeyMade { hash, name: name.into(), prefix, org: org.into(), scopes });
        secret
    }

    /// Another user of the Data API; the key.
    pub fn make_user(&self, name: &str) -> String {
        let secret = data_key(self.identity(), name);
        self.state().record(JournalEvent::UserMade { hash: key_hash(&secret), name: name.into() });
        secret
    }

    /// Revokes the workspace or Data API key of this name.
    pub fn revoke(&self, name: &str) {
        self.state().record(JournalEvent::Revoked { name: name.into() });
    }

    pub fn set_credits(&self, org: &str, credits: i64, now_ms: u64) {
        self.state().record(JournalEvent::CreditsSet { at_ms: now_ms, org: org.into(), credits });
    }

    /// Another member unlocks. Says which were charged.
    pub fn member_unlocks(&self, org: &str, kind: CorpusKind, ids: &[u64], now_ms: u64) -> Vec<u64> {
        self.unlock_elsewhere(&mut self.state(), org, kind, ids, now_ms)
    }

    /// Puts contacts on the Do-Not-Sell list.
    pub fn suppress(&self, kind: CorpusKind, ids: &[u64]) {
        self.state().record(JournalEvent::Suppressed { corpus: kind, ids: ids.into() });
    }

    /// Takes contacts off the list that were put on it while the service ran.
    pub fn release(&self, kind: CorpusKind, ids: &[u64]) {
        self.state().record(JournalEvent::Released { corpus: kind, ids: ids.into() });
    }

    /// A search saved elsewhere, in whatever shape.
    pub fn save_for(&self, user: &str, payload: serde_json::Value) -> u64 {
        let mut state = self.state();
        let id = state.records.user_named(user).map_or(1, |user| user.next_saved);
        state.record(JournalEvent::Saved { user: user.into(), id, payload });
        id
    }

    /// Begins again: the records, keys, log, faults and habits of the start.
    pub fn reset(&self) {
        let identity = self.identity();
        let mut state = self.state();
        state.record(JournalEvent::Reset);
        let ServiceState { journal, other_origin, heard_elsewhere, wavered, .. } = std::mem::take(&mut *state);
        let fresh = ServiceState::new(&self.setup);
        *state = ServiceState { journal, other_origin, heard_elsewhere, wavered, ..fresh };
        drop(state);
        self.found(identity);
    }
}
