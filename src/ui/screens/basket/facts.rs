//! What an unlock would do with the staged rows, worked out from what is on this machine.

use std::collections::HashSet;

use crate::scene::SceneRef;
use lode_core::contact::{Side, Source};
use lode_core::credits::Credits;
use lode_core::filter::RISKY_STATUSES;
use lode_core::row::Known;
use lode_engine::flow::basket::Entry;
use lode_engine::flow::choose::person;
use lode_engine::flow::session::Session;
use lode_engine::flow::unlock::suppress::Check;

/// What an unlock would do with a staged row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    New,
    Risky,
    Owned,
    Suppressed,
    /// The lists cannot be held against it: the review leaves it out unless it is accepted there.
    Unchecked,
    Unknown,
}

/// What an unlock would do with all staged rows.
pub(super) struct Estimate {
    /// Of each row.
    pub(super) standings: Vec<Standing>,
    /// Places of the rows that show the same contact as one before them.
    pub(super) repeats: HashSet<usize>,
}

impl Estimate {
    pub(super) fn of(scene: SceneRef<'_>, rows: &[Entry]) -> Estimate {
        let (session, side) = (scene.session, scene.side);
        let (owned, unknown) = (session.ledger().owned_ids(side.corpus), session.recovery().unknown(side.corpus));
        let standing = |entry: &Entry| {
            let id = entry.id();
            if unknown.contains(&id) {
                Standing::Unknown
            } else if entry.owned() || owned.contains(&id) {
                Standing::Owned
            } else {
                match session.lists().check(side, entry.row()) {
                    Check::Named(_) => Standing::Suppressed,
                    Check::Unchecked(..) => Standing::Unchecked,
                    Check::Clear if RISKY_STATUSES.contains(&entry.row().known(Known::EmailStatus)) => Standing::Risky,
                    Check::Clear => Standing::New,
                }
            }
        };
        Estimate { standings: rows.iter().map(standing).collect(), repeats: repeats(rows) }
    }

    pub(super) fn count(&self, wanted: Standing) -> u64 {
        self.standings.iter().filter(|standing| **standing == wanted).count() as u64
    }

    pub(super) fn to_unlock(&self) -> u64 {
        self.count(Standing::New) + self.count(Standing::Risky)
    }

    /// What can go: `up to 25 credits`.
    pub(super) fn most(&self) -> String {
        format!("up to {}", Credits(i64::try_from(self.to_unlock()).unwrap_or(i64::MAX)).words())
    }
}

/// Rows that show the same person, company and address as one before them: two ids, two credits, one contact.
fn repeats(rows: &[Entry]) -> HashSet<usize> {
    const MOST: usize = 5_000;
    let mut seen = HashSet::new();
    let mut repeats = HashSet::new();
    for (at, entry) in rows.iter().enumerate().take(MOST) {
        if person(entry.row()).is_some_and(|person| !seen.insert(person)) {
            repeats.insert(at);
        }
    }
    repeats
}

pub(super) fn why_not(session: &Session, side: Side) -> Option<&'static str> {
    match (side.source, session.balance().may_unlock()) {
        (Source::Data, _) => Some("Data API rows cannot be unlocked; <basket.export> exports them."),
        (_, Some(false)) => Some("This key may only search. You can keep and export the basket."),
        _ => None,
    }
}
