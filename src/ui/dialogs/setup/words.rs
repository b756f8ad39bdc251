//! What the steps say: the proof of a key in one line, and why a key could not be proved.

use lode_core::credits::{Credits, counted};
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::effect::setup::Proof;

/// "Acme Inc, key ak_7f, may search and unlock, 1,204 credits".
pub(super) fn proof(proof: &Proof) -> String {
    let Some(account) = &proof.account else {
        return proof.rows.map_or_else(
            || "The Data API accepts this key.".to_owned(),
            |rows| format!("The Data API accepts this key: {} in the US corpus.", counted(rows, "row")),
        );
    };
    let may = match (account.may_search(), account.may_unlock()) {
        (true, true) => "may search and unlock",
        (true, false) => "may search only",
        (false, true) => "may unlock only",
        (false, false) => "may neither search nor unlock",
    };
    let credits = account.credits.map_or_else(|| "credits unknown".to_owned(), Credits::words);
    format!("{}, key {}, {may}, {credits}", account.org_name, account.key_prefix)
}

/// Whether the address, not the key, is to be typed again.
pub(super) fn is_about_address(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Unsent { .. }
            | Failure::Unclear { .. }
            | Failure::Refused { why: Refusal::Address | Refusal::Redirect, .. }
    )
}

/// Why a key could not be proved, and what to do about it.
pub(super) fn unproved(failure: &Failure) -> String {
    let words = failure.words().trim_end_matches('.');
    match failure {
        Failure::Refused { why: Refusal::Key, .. } => {
            format!("The service refused this key: {words}. Paste the whole key again.")
        }
        Failure::Refused { why: Refusal::Scope, .. } => {
            format!("This key does not have permission: {words}. Its workspace decides what it may do.")
        }
        Failure::Refused { why: Refusal::Address, .. } => {
            format!("No such service at this URL: {words}. Check the URL.")
        }
        Failure::Refused { why: Refusal::Redirect, .. } => {
            format!("This URL cannot be used: {words}. Redirects are never followed.")
        }
        Failure::Unsent { .. } => {
            format!("The service cannot be reached: {words}. Check the URL and the network.")
        }
        Failure::Later { .. } => format!("The service is busy: {words}. <text.submit> try again."),
        _ => format!("This key could not be checked: {words}. Nothing was saved."),
    }
}
