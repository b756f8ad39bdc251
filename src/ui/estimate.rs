//! What an unlock would do with the rows of a basket, worked out from what is on this machine.

use crate::scene::prelude::*;
use lode_core::{Credits, RISKY_STATUSES, SuppressionCheck};
use lode_engine::flow::basket::BasketEntry;

/// What an unlock would do with a staged row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    New,
    Risky,
    Owned,
    Suppressed,
    /// The lists cannot be held against it: the review leaves it out unless it is accepted there.
    Unchecked,
    Unknown,
}

impl Outcome {
    pub(crate) fn sign(self) -> Sign {
        match self {
            Outcome::New | Outcome::Risky => Sign::Basket,
            Outcome::Owned => Sign::Owned,
            Outcome::Suppressed => Sign::Suppressed,
            Outcome::Unchecked => Sign::Excluded,
            Outcome::Unknown => Sign::Unknown,
        }
    }
}

/// What an unlock would do with each row.
pub(crate) fn outcomes<'a>(scene: SceneRef<'a>, rows: &'a [BasketEntry]) -> impl Iterator<Item = Outcome> + 'a {
    let (session, side) = (scene.session, scene.side);
    let (owned, unknown) = (session.ledger().owned_ids(side.corpus), session.recovery().unknown(side.corpus));
    rows.iter().map(move |entry| {
        let id = entry.id();
        let is_risky = || RISKY_STATUSES.contains(&entry.row().known(Known::EmailStatus));
        if unknown.contains(&id) {
            return Outcome::Unknown;
        }
        if entry.owned() || owned.contains(&id) {
            return Outcome::Owned;
        }
        match session.lists().check(side, entry.row()) {
            SuppressionCheck::Named(_) => Outcome::Suppressed,
            SuppressionCheck::Unchecked(..) => Outcome::Unchecked,
            SuppressionCheck::Clear if is_risky() => Outcome::Risky,
            SuppressionCheck::Clear => Outcome::New,
        }
    })
}

/// The most that an unlock of these rows can cost.
pub(crate) fn most(scene: SceneRef<'_>, rows: &[BasketEntry]) -> Credits {
    Credits::for_contacts(outcomes(scene, rows).filter(|what| matches!(what, Outcome::New | Outcome::Risky)).count())
}
