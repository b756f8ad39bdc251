//! What an unlock would do with the staged rows, worked out from what is on this machine.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::domain::contact::{RowId, Side, Source};
use crate::domain::credits::Credits;
use crate::domain::filter::RISKY_STATUSES;
use crate::domain::row::Known;
use crate::flow::basket::Entry;
use crate::flow::session::Session;
use crate::ui::scene::SceneRef;
use crate::ui::suppressed::Suppressed;

/// What an unlock would do with a staged row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    New,
    Risky,
    Ours,
    Suppressed,
    Doubt,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Estimate {
    pub(super) to_unlock: u64,
    pub(super) risky: u64,
    pub(super) ours: u64,
    pub(super) suppressed: u64,
    pub(super) doubt: u64,
    pub(super) twins: u64,
}

pub(super) struct Books<'a> {
    owned: Arc<BTreeSet<RowId>>,
    doubt: BTreeSet<RowId>,
    suppressed: &'a Suppressed,
    side: Side,
}

impl<'a> Books<'a> {
    pub(super) fn of(scene: SceneRef<'a>) -> Books<'a> {
        let corpus = scene.side.corpus;
        Books {
            owned: scene.session.ledger.owned_ids(corpus),
            doubt: scene.session.recovery.in_doubt(corpus),
            suppressed: scene.suppressed,
            side: scene.side,
        }
    }

    pub(super) fn standing(&self, entry: &Entry) -> Standing {
        let id = entry.id();
        if self.doubt.contains(&id) {
            Standing::Doubt
        } else if entry.ours() || self.owned.contains(&id) {
            Standing::Ours
        } else if self.suppressed.names(self.side, entry.row()) {
            Standing::Suppressed
        } else if RISKY_STATUSES.contains(&entry.row().known(Known::EmailStatus)) {
            Standing::Risky
        } else {
            Standing::New
        }
    }
}

/// Rows that show the same person, company and address as one before them: two ids, two credits, one contact.
pub(super) fn twins(rows: &[Entry]) -> HashSet<usize> {
    const MOST: usize = 5_000;
    let mut seen = HashSet::new();
    let mut twins = HashSet::new();
    for (at, entry) in rows.iter().enumerate().take(MOST) {
        let row = entry.row();
        let name = row.name();
        if name.is_empty() || row.email().is_empty() {
            continue;
        }
        if !seen.insert((name, row.known(Known::Company).to_owned(), row.email().to_owned())) {
            twins.insert(at);
        }
    }
    twins
}

pub(super) fn estimate(books: &Books<'_>, rows: &[Entry], twins: &HashSet<usize>) -> Estimate {
    let mut sum = Estimate { twins: twins.len() as u64, ..Estimate::default() };
    for entry in rows {
        match books.standing(entry) {
            Standing::New => sum.to_unlock += 1,
            Standing::Risky => {
                sum.to_unlock += 1;
                sum.risky += 1;
            }
            Standing::Ours => sum.ours += 1,
            Standing::Suppressed => sum.suppressed += 1,
            Standing::Doubt => sum.doubt += 1,
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
    match (side.source, session.balance.may_unlock()) {
        (Source::Data, _) => Some("Data API rows cannot be unlocked; <basket.export> exports them."),
        (_, Some(false)) => Some("This key may only search. You can keep and export the basket."),
        _ => None,
    }
}
