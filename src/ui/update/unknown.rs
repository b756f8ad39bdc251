//! Unlocks without an outcome: the panel, looking for free, finishing by way of the money dialog.

use std::collections::BTreeSet;

use crate::dialogs::Dialog;
use crate::dialogs::recovery::Panel;
use crate::keys::command::Recovery as Deed;
use crate::model::{Model, facts};
use lode_core::contact::Source;
use lode_core::credits::contacts;
use lode_engine::effect::Effect;
use lode_engine::effect::failure::Failure;
use lode_engine::flow::session::Subject;

use super::say;
use super::spending::review;

/// Opens the recovery panel for batches that were not shown yet, as soon as nothing else has the keys.
pub(super) fn offer(model: &mut Model, fx: &mut Vec<Effect>) {
    let busy = !model.nav.dialogs.is_empty()
        || model.search.edit.is_some()
        || !model.pending.is_empty()
        || model.session.unlock().is_running();
    if busy || !model.opened || !model.session.recovery().is_idle() {
        return;
    }
    let open: BTreeSet<_> = model.session.recovery().batches().map(|batch| batch.batch).collect();
    if !open.is_subset(&model.batches_seen) {
        panel(model, fx);
    }
}

/// The recovery panel, wanted or offered.
pub(super) fn panel(model: &mut Model, fx: &mut Vec<Effect>) {
    let session = &mut model.session;
    if session.recovery().is_clear() && !session.recovery().is_known() && session.has(Source::Workspace) {
        // An empty list that could not be read is not an empty list.
        session.read_doubts(model.now, fx);
        say(
            model,
            "The ledger could not be read yet, so unknown results are not listed; reading it again.  <everywhere.unknown>",
            true,
        );
        return;
    }
    if model.session.recovery().is_clear() {
        say(model, "No unknown results.", false);
        return;
    }
    model.batches_seen = model.session.recovery().batches().map(|batch| batch.batch).collect();
    if model.session.ledger().receipts().is_none() {
        model.session.read_receipts(model.now, fx);
    }
    let from_before = model.session.unlock().last().is_none();
    model.nav.dialogs.push(Dialog::Recovery(Panel { from_before, words: None }));
}

pub(super) fn recovery(model: &mut Model, deed: Deed, fx: &mut Vec<Effect>) {
    match deed {
        Deed::Look => {
            let begun = model.session.look(model.now, fx);
            let words = if begun { "Checking (free) …" } else { "A check is running already (free)." };
            about(model, words.to_owned());
        }
        Deed::Finish => {
            if let Some(batch) = model.session.finishable().map(|batch| batch.batch) {
                review(model, Subject::Again(batch), fx);
            }
        }
        Deed::Keep => {
            model.nav.dialogs.pop();
            let open = facts::unknown(model);
            if open > 0 {
                let words = format!(
                    "Nothing was sent. {} on hold with an unknown result; everything else continues.  <everywhere.unknown> open again",
                    contacts(open)
                );
                say(model, words, false);
            }
        }
    }
}

/// A look came to its end, or a batch changed.
pub(super) fn looked(model: &mut Model, trouble: Option<&Failure>) {
    if close_when_clear(model) {
        return;
    }
    let words = match trouble {
        Some(failure) => {
            format!("The check was interrupted: {}. Checking again is free.", failure.words().trim_end_matches('.'))
        }
        None => {
            let open = contacts(facts::unknown(model));
            let wait =
                model.session.recovery().next_look().map(|at| at.0.saturating_sub(model.now.mono.0).div_ceil(1000));
            let next = match wait {
                Some(seconds) if seconds > 0 => {
                    format!("The request may still be on its way; check again in {seconds} s.")
                }
                _ if model.session.finishable().is_some() => {
                    "Check again, or <recovery.finish> finish the batch.".to_owned()
                }
                _ => "Check again.".to_owned(),
            };
            format!("The result of {open} is still unknown. {next} Nothing spent.")
        }
    };
    about(model, words);
}

/// The panel goes once there is nothing left to clear up.
pub(super) fn close_when_clear(model: &mut Model) -> bool {
    let clear = model.session.recovery().is_clear();
    let before = model.nav.dialogs.len();
    if clear {
        model.nav.dialogs.retain(|dialog| !matches!(dialog, Dialog::Recovery(_)));
    }
    if model.nav.dialogs.len() < before {
        say(model, "All results are known. Checking was free.  <everywhere.receipts> receipts", false);
    }
    clear
}

fn about(model: &mut Model, words: String) {
    let panel = model.nav.dialogs.iter_mut().rev().find_map(|dialog| match dialog {
        Dialog::Recovery(panel) => Some(panel),
        _ => None,
    });
    match panel {
        Some(panel) => panel.words = Some(words),
        None => say(model, words, false),
    }
}
