//! What an unlock would do with the staged rows, worked out from what is on this machine.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::domain::contact::{RowId, Side, Source};
use crate::domain::credits::Credits;
use crate::domain::filter::RISKY_STATUSES;
use crate::domain::row::Known;
use crate::flow::basket::Entry;
use crate::flow::lists::SuppressionLists;
use crate::flow::session::Session;
use crate::ui::scene::SceneRef;

/// What an unlock would do with a staged row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    New,
    Risky,
    Owned,
    Suppressed,
    Unknown,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Estimate {
    pub(super) to_unlock: u64,
    pub(super) risky: u64,
    pub(super) owned: u64,
    pub(super) suppressed: u64,
    pub(super) unknown: u64,
    pub(super) repeats: u64,
}

pub(super) struct Books<'a> {
    owned: Arc<BTreeSet<RowId>>,
    unknown: BTreeSet<RowId>,
    lists: &'a SuppressionLists,
    side: Side,
}

impl<'a> Books<'a> {
    pub(super) fn of(scene: SceneRef<'a>) -> Books<'a> {
        let corpus = scene.side.corpus;
        Books {
            owned: scene.session.ledger().owned_ids(corpus),
            unknown: scene.session.recovery().unknown(corpus),
            lists: scene.session.lists(),
            side: scene.side,
        }
    }

    pub(super) fn standing(&self, entry: &Entry) -> Standing {
        let id = entry.id();
        if self.unknown.contains(&id) {
            Standing::Unknown
        } else if entry.owned() || self.owned.contains(&id) {
            Standing::Owned
        } else if self.lists.name(self.side, entry.row()) {
            Standing::Suppressed
        } else if RISKY_STATUSES.contains(&entry.row().known(Known::EmailStatus)) {
            Standing::Risky
        } else {
            Standing::New
        }
    }
}

/// Rows that show the same person, company and address as one before them: two ids, two credits, one contact.
pub(super) fn repeats(rows: &[Entry]) -> HashSet<usize> {
    const MOST: usize = 5_000;
    let mut seen = HashSet::new();
    let mut repeats = HashSet::new();
    for (at, entry) in rows.iter().enumerate().take(MOST) {
        let row = entry.row();
        let name = row.name();
        if name.is_empty() || row.email().is_empty() {
            continue;
        }
        if !seen.insert((name, row.known(Known::Company).to_owned(), row.email().to_owned())) {
            repeats.insert(at);
        }
    }
    repeats
}

pub(super) fn estimate(books: &Books<'_>, rows: &[Entry], repeats: &HashSet<usize>) -> Estimate {
    let mut sum = Estimate { repeats: repeats.len() as u64, ..Estimate::default() };
    for entry in rows {
        match books.standing(entry) {
            Standing::New => sum.to_unlock += 1,
            Standing::Risky => {
                sum.to_unlock += 1;
                sum.risky += 1;
            }
            Standing::Owned => sum.owned += 1,
            Standing::Suppressed => sum.suppressed += 1,
            Standing::Unknown => sum.unknown += 1,
        }
    }
    sum
}

/// What can go: `up to 25 credits`.
pub(super) fn most(estimate: &Estimate) -> String {
    let credits = Credits(i64::try_from(estimate.to_unlock).unwrap_or(i64::MAX));
    format!("up to {}", credits.words())
}

pub(super) fn why_not(session: &Session, side: Side) -> Option<&'static str> {
    match (side.source, session.balance().may_unlock()) {
        (Source::Data, _) => Some("Data API rows cannot be unlocked; <basket.export> exports them."),
        (_, Some(false)) => Some("This key may only search. You can keep and export the basket."),
        _ => None,
    }
}
