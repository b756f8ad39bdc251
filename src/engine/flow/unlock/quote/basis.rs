//! What a quote is made from: everything known at one moment, and what the person chose.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::effect::profile::{KeyHash, Profile, WindowId};
use crate::effect::store::{OpenBatch, Spent, Suppression};
use crate::flow::unlock::suppress::HeldBy;
use lode_core::account::Account;
use lode_core::contact::{Corpus, RowId};
use lode_core::credits::Credits;
use lode_core::money::{About, Caps, Clue, Staged};
use lode_core::purse::Purse;
use lode_core::score::Merit;
use lode_core::time::Mono;

/// Whose money it would be, and who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    pub profile: String,
    pub live: bool,
    pub window: WindowId,
    pub key: KeyHash,
    pub purse: Purse,
    pub org_name: String,
    pub key_prefix: String,
    pub may_unlock: bool,
    /// Without it no look can ever clear up an unknown result.
    pub may_search: bool,
}

impl Who {
    /// None where the profile has no Workspace key.
    pub fn of(profile: &Profile, account: &Account, purse: Purse) -> Option<Who> {
        Some(Who {
            profile: profile.name.clone(),
            live: profile.live,
            window: profile.window.clone(),
            key: profile.workspace.as_ref()?.key.clone(),
            purse,
            org_name: account.org_name.clone(),
            key_prefix: account.key_prefix.clone(),
            may_unlock: account.may_unlock(),
            may_search: account.may_search(),
        })
    }
}

/// How many ids go into one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub batch: u32,
    pub large_batch: u32,
    pub large_from: u32,
}

impl Sizes {
    pub fn of(profile: &Profile) -> Sizes {
        Sizes { batch: profile.batch, large_batch: profile.large_batch, large_from: profile.large_from }
    }
}

/// Contacts of one company at most, where the review itself names no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// As the window has it: from the settings, or set by hand since.
    pub window: Option<u32>,
    /// As the settings had it at the same moment.
    pub saved: Option<u32>,
}

impl Limit {
    /// The limit under settings that were read later: a change of them replaces what was set by hand.
    pub fn under(self, saved: Option<u32>) -> Option<u32> {
        if saved == self.saved { self.window } else { saved }
    }
}

/// Where the ids come from, which decides what is checked again when they are sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The basket in this version.
    Basket(u64),
    /// Named on the command line or by a row under the cursor.
    Ids,
    /// A batch without an answer, to be sent again with the very same ids.
    Again(Arc<OpenBatch>),
}

/// Everything known at one moment that a quote depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    pub who: Who,
    pub corpus: Corpus,
    /// In the order in which they are to be unlocked. Rows known by their id alone have everything else empty.
    pub staged: Arc<Vec<Staged>>,
    pub origin: Origin,
    /// Owned by the ledger.
    pub owned: Arc<BTreeSet<RowId>>,
    /// In batches without an answer: locked until that is cleared up.
    pub unknown: Arc<BTreeSet<RowId>>,
    pub suppressions: Arc<Vec<Suppression>>,
    /// The service's own balance and when it was read.
    pub balance: Option<(Credits, Mono)>,
    pub spent: Spent,
    pub caps: Caps,
    pub limit: Limit,
    pub sizes: Sizes,
    /// By what the best come first.
    pub merit: Merit,
}

impl Basis {
    /// The basis for sending an unanswered batch again: the very same ids in one call, whatever has become of them since.
    pub fn again(batch: Arc<OpenBatch>, who: Who, balance: Option<(Credits, Mono)>, spent: Spent, caps: Caps) -> Basis {
        let clues: BTreeMap<RowId, &Clue> = batch.open.iter().map(|open| (open.id, &open.clue)).collect();
        let staged = batch.ids.iter().map(|&id| {
            let clue = clues.get(&id).map(|clue| (*clue).clone()).unwrap_or_default();
            Staged::new(id, false, About { clue, ..About::default() })
        });
        Basis {
            who,
            corpus: batch.corpus,
            staged: Arc::new(staged.collect()),
            origin: Origin::Again(batch.clone()),
            owned: Arc::default(),
            unknown: Arc::default(),
            suppressions: Arc::default(),
            balance,
            spent,
            caps,
            limit: Limit::default(),
            sizes: Sizes { batch: 100, large_batch: 100, large_from: u32::MAX },
            merit: Merit::default(),
        }
    }
}

/// A row of which only the id is known.
pub fn known_by_id(id: RowId) -> Staged {
    Staged::new(id, false, About::default())
}

/// Rows that the person accepted although they cannot be checked, each with the entries that it was accepted against. Another
/// entry holds the row back again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    rows: Arc<BTreeMap<RowId, Arc<[HeldBy]>>>,
}

impl Accepted {
    pub fn covers(&self, id: RowId, by: &[HeldBy]) -> bool {
        self.rows.get(&id).is_some_and(|known| by.iter().all(|entry| known.contains(entry)))
    }

    /// Accepts a row, or takes that back.
    pub fn toggle(&mut self, id: RowId, by: Arc<[HeldBy]>) {
        let rows = Arc::make_mut(&mut self.rows);
        if rows.get(&id) == Some(&by) { drop(rows.remove(&id)) } else { drop(rows.insert(id, by)) }
    }
}

/// What the person chose in the review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub drop_risky: bool,
    pub drop_duplicates: bool,
    pub verify: bool,
    /// Buy what the suppression lists cannot be held against as well.
    pub allow_unchecked: bool,
    /// The same for single rows.
    pub accepted: Accepted,
    /// Only the first so many.
    pub first: Option<usize>,
    /// Contacts of one company at most, the best first. `None` means the limit of the window.
    pub per_company: Option<u32>,
}

impl Default for Choice {
    fn default() -> Choice {
        Choice {
            drop_risky: false,
            drop_duplicates: false,
            verify: true,
            allow_unchecked: false,
            accepted: Accepted::default(),
            first: None,
            per_company: None,
        }
    }
}
