//! Receipts put together by the run of the program that wrote them.

use std::collections::BTreeMap;

use crate::effect::store::Receipt;
use lode_core::money::Tally;
use lode_core::time::Wall;

use super::sum;

/// Receipts by the run of the program that wrote them, newest first: the sessions.
pub fn by_session(receipts: &[Receipt]) -> Vec<(&str, Wall, Tally)> {
    let mut sessions: BTreeMap<&str, Vec<&Receipt>> = BTreeMap::new();
    for receipt in receipts {
        sessions.entry(receipt.window.run()).or_default().push(receipt);
    }
    let mut sessions: Vec<(&str, Wall, Tally)> = sessions
        .into_iter()
        .map(|(run, receipts)| {
            let began = receipts.iter().map(|receipt| receipt.opened_at).min().unwrap_or_default();
            (run, began, sum(receipts))
        })
        .collect();
    sessions.sort_by_key(|(_, began, _)| std::cmp::Reverse(*began));
    sessions
}
