//! The shell commands that cost something or clear something up, as they ship.

use lode::ops::input::Given;
use lode::ops::program::Script;
use lode::ops::recover::recover;
use lode::ops::unlock::{MAX_WAIT, UnlockArgs, unlock};
use lode_core::contact::{Corpus, RowId};
use lode_core::credits::Credits;
use lode_engine::flow::retry::UNLOCK_PATIENCE;

use common::rng::Rng;

use super::ROWS;

/// A command with the amount that it names.
pub type Wanted = (Script, i64);

/// Buys contacts of the first corpus by their ids.
pub fn buying(ids: &[i64]) -> Wanted {
    buying_within(ids, ids.len() as i64)
}

/// The same, with an amount of its own.
pub fn buying_within(ids: &[i64], ceiling: i64) -> Wanted {
    let ceiling = Credits(ceiling);
    let given = ids.iter().map(|id| Given { id: RowId(*id), row: None }).collect();
    let args = UnlockArgs {
        corpus: Some(Corpus::Us),
        max_credits: ceiling,
        no_verify: false,
        dry_run: false,
        max_wait: MAX_WAIT,
        ids: Vec::new(),
        allow_unchecked: false,
        per_company: None,
    };
    (unlock(&args, given), ceiling.0)
}

/// Checks what is unknown, and sends again what is proved locked.
pub fn finishing(ceiling: i64) -> Wanted {
    (recover(Some(Credits(ceiling)), UNLOCK_PATIENCE), ceiling)
}

/// Checks what is unknown for free, until it is proved.
pub fn checking() -> Wanted {
    (recover(None, UNLOCK_PATIENCE), 0)
}

pub fn any(rng: &mut Rng) -> Wanted {
    let ceiling = Credits(1 + rng.below(40) as i64);
    match rng.below(10) {
        0..6 => {
            let ids = (0..1 + rng.below(30)).map(|_| RowId(1 + rng.below(ROWS + 5) as i64));
            let given = ids.map(|id| Given { id, row: None }).collect();
            let args = UnlockArgs {
                corpus: Some(*rng.pick(&Corpus::ALL)),
                max_credits: ceiling,
                no_verify: rng.per_mille(80),
                dry_run: false,
                max_wait: MAX_WAIT,
                ids: Vec::new(),
                allow_unchecked: false,
                per_company: rng.per_mille(300).then_some(1),
            };
            (unlock(&args, given), ceiling.0)
        }
        6..8 => (recover(None, UNLOCK_PATIENCE), 0),
        _ => (recover(Some(ceiling), UNLOCK_PATIENCE), ceiling.0),
    }
}
