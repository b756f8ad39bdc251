//! Ways out, from the top layer to the program itself: Esc, back, Ctrl-c, leaving; and the tour, which ends by the first of them.

use std::time::Duration;

use crate::dialogs::Dialog;
use crate::dialogs::ask::{Ask, Deed};
use crate::model::Model;
use crate::model::tour::Tour;
use crate::scene::Holds;
use crate::screens::jobs;
use lode_core::credits::{agree, counted};
use lode_engine::effect::Effect;

use super::{behind, on_screen, quit, say, say_while, with_search};

/// Ctrl-c twice within this leaves.
const TWICE: Duration = Duration::from_secs(2);

/// Closes the top layer, then ends a range, then drops a running query.
pub(super) fn escape(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.nav.dialogs.pop().is_some() {
        return;
    }
    on_screen(model, fx, |screen, scene| screen.escape(scene));
}

/// Ends the tour for good, or starts it again on request.
pub(super) fn tour(model: &mut Model) {
    if model.tour.step().is_some() {
        model.tour = Tour::over();
        say(model, "The tour is over.  <everywhere.tour> starts it again", false);
    } else {
        model.tour = Tour::default();
    }
}

pub(super) fn back(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.nav.dialogs.pop().is_some() {
        return;
    }
    if !model.nav.back() {
        leave(model, fx);
    }
}

/// Stops every unlock after the request in flight.
pub(super) fn stop_unlocks(model: &mut Model, fx: &mut Vec<Effect>) {
    model.session.stop_unlock(model.now, fx);
    behind::stop_unlocks(model);
}

/// Leaves, with a question where something is on its way.
pub(super) fn leave(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.is_unlocking() && !model.leave_after {
        let words = "An unlock is running. Every batch is recorded before it is sent, so nothing is lost if you leave.";
        let deeds = vec![("Stop after this request, then quit".to_owned(), Deed::StopAfterCallAndQuit)];
        model.nav.dialogs.push(Dialog::Ask(Ask::new("Quit lode?", words, "Stay", deeds)));
        return;
    }
    if model.has_unsaved() {
        let words = "The response to a paid unlock could not be saved yet; lode keeps trying. Free some disk space and it will be \
                     saved. If you quit now, its contacts are printed once.";
        let deeds = vec![("Quit and print the contacts".to_owned(), Deed::Quit)];
        model.nav.dialogs.push(Dialog::Ask(Ask::new("Quit lode?", words, "Stay until it is saved", deeds)));
        return;
    }
    let exports = model.running();
    if exports > 0 && !model.leave_after {
        let running = format!("{} {}", counted(exports as u64, "job"), agree(exports, "is", "are"));
        let words = format!("{running} running. A file appears under its final name only when it is complete.");
        let deeds = vec![
            ("Quit and delete the partial file".to_owned(), Deed::Quit),
            ("Quit and keep the partial file as .incomplete".to_owned(), Deed::KeepAndQuit),
        ];
        model.nav.dialogs.push(Dialog::Ask(Ask::new("Quit lode?", words, "Stay", deeds)));
        return;
    }
    quit(fx);
}

/// Stops the newest thing that runs; pressed again, it leaves.
pub(super) fn interrupt(model: &mut Model, fx: &mut Vec<Effect>) {
    if with_search(model, fx, |search, scene| search.stop_query(scene)) {
        return;
    }
    if model.session.unlock().job().is_some_and(|job| !job.is_stopping()) {
        model.session.stop_unlock(model.now, fx);
        say(model, "Stopping after the current request. The rest stays in the basket.", false);
        return;
    }
    if behind::stop_unlocks(model) {
        say(model, "The unlock of the other profile stops after its current request.", false);
        return;
    }
    let asking = matches!(model.nav.top(), Some(Dialog::Ask(_)));
    if model.leaving.is_none() && !asking && on_screen(model, fx, |_, scene| jobs::cancel_newest(scene)) {
        return;
    }
    if model.leaving.is_some() {
        quit(fx);
        return;
    }
    model.leaving = Some(model.now.mono.after(TWICE));
    let running = model.is_unlocking();
    say_while(
        model,
        Holds::Leaving,
        if running {
            "Stopping after the current request. <always.interrupt> again within 2 s quits now."
        } else {
            "Nothing is running. <always.interrupt> again within 2 s quits."
        },
    );
}
