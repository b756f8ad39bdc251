//! The referees *list*, *cap*, *setting* and *key*: each batch that leaves is held against what was saved then.
//!
//! A list counts from the moment it is written: the transaction that writes a batch down sees it. Settings and keys are files:
//! they count as soon as the program has had the time to read them.

use std::collections::BTreeMap;

use lode_core::contact::{Corpus, RowId};
use lode_core::credits::Credits;
use lode_core::money::{BatchId, Caps};

use super::{Batch, Referee, Verdict, Who, Whose};

/// How long settings may take from the file to the wire: a batch that waits for a slot is checked every 5 s.
pub const PROMPT: u64 = 7_000;
/// The same where the disk stalls, for each call of the store on the way.
const STALLED: u64 = 32_000;

#[derive(Debug, Default)]
pub(super) struct Saved {
    /// Since when, the oldest first.
    caps: Vec<(u64, Caps)>,
    limits: Vec<(u64, Option<u32>)>,
    listed: BTreeMap<Whose, u64>,
    /// Keys that are no longer the one of their profile.
    replaced: BTreeMap<(usize, String), u64>,
    lag: u64,
}

impl Referee {
    pub fn begin(&mut self, caps: Caps, stalls: bool) {
        self.saved.caps = vec![(0, caps)];
        self.saved.lag = if stalls { STALLED } else { PROMPT };
    }

    pub fn caps_saved(&mut self, caps: Caps, at: u64) {
        self.saved.caps.push((at, caps));
    }

    pub fn limit_saved(&mut self, limit: Option<u32>, at: u64) {
        self.saved.limits.push((at, limit));
    }

    pub fn listed(&mut self, purse: usize, contacts: Vec<(Corpus, RowId)>, at: u64) {
        for (corpus, id) in contacts {
            self.saved.listed.entry((purse, corpus, id)).or_insert(at);
        }
    }

    pub fn has_listed(&self) -> bool {
        !self.saved.listed.is_empty()
    }

    pub fn forgiven(&mut self, purse: usize) {
        self.saved.listed.retain(|whose, _| whose.0 != purse);
    }

    pub fn key_replaced(&mut self, key: (usize, String), at: u64) {
        self.saved.replaced.insert(key, at);
    }

    /// The loosest cap that a batch may have been held against at a moment. None where there may have been none.
    pub(super) fn loosest(&self, at: u64, cap: impl Fn(&Caps) -> Option<Credits>) -> Option<i64> {
        let caps = &self.saved.caps;
        let from = at.saturating_sub(self.saved.lag);
        let first = caps.iter().rposition(|(since, _)| *since <= from).unwrap_or(0);
        let loosest = caps[first..].iter().filter(|(since, _)| *since <= at).map(|(_, caps)| cap(caps));
        loosest.map(|cap| cap.map_or(i64::MAX, |cap| cap.0)).max().filter(|most| *most < i64::MAX)
    }

    /// The loosest cap of all times.
    pub(super) fn loosest_ever(&self, cap: impl Fn(&Caps) -> Option<Credits>) -> Option<i64> {
        let most = self.saved.caps.iter().map(|(_, caps)| cap(caps).map_or(i64::MAX, |cap| cap.0)).max()?;
        (most < i64::MAX).then_some(most)
    }

    /// *List*: nothing that is on a list leaves, for the first time or again.
    pub(super) fn unlisted(&self, id: BatchId, batch: &Batch) -> Verdict {
        let since = |row: &RowId| self.saved.listed.get(&(batch.purse, batch.corpus, *row));
        match batch.ids.iter().find(|row| since(row).is_some_and(|since| *since < batch.intended_at)) {
            Some(row) => Err(format!("{row} of {id:?} left, and it is on a list")),
            None => Ok(()),
        }
    }

    /// *Key*: nothing leaves with a key that is no longer the one of its profile.
    pub(super) fn own_key(&self, id: BatchId, who: &Who, at: u64) -> Verdict {
        match self.saved.replaced.get(&who.key) {
            Some(since) if since + self.saved.lag < at => {
                Err(format!("{id:?} left with a key that was replaced at {since}"))
            }
            _ => Ok(()),
        }
    }

    /// *Setting*: a limit per company that was saved while an order ran counts for what it still sends. None where none was.
    pub(super) fn limit_since(&self, accepted: u64, at: u64) -> Option<u32> {
        let until = at.saturating_sub(self.saved.lag);
        let since: Vec<Option<u32>> =
            self.saved.limits.iter().filter(|(saved, _)| *saved > accepted).map(|(_, limit)| *limit).collect();
        // The loosest of those it may have read by now.
        let certain = self.saved.limits.iter().any(|(saved, _)| *saved > accepted && *saved <= until);
        let loosest = since.iter().map(|limit| limit.unwrap_or(u32::MAX)).max()?;
        (certain && loosest < u32::MAX).then_some(loosest)
    }
}
