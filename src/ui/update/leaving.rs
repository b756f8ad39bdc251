//! Ways out, from the top layer to the program itself: Esc, back, Ctrl-c, leaving; and the tour, which ends by the first of them.

use std::time::Duration;

use crate::domain::contact::Side;
use crate::domain::credits::grouped;
use crate::effect::Effect;
use crate::keys::command::Screen;
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::ask::{Ask, Deed};
use crate::ui::model::tour::Tour;
use crate::ui::model::{Model, place};
use crate::ui::screens::search::state::Pane;

use super::{behind, jobs, quit, say};

/// Ctrl-c twice within this leaves.
const TWICE: Duration = Duration::from_secs(2);

/// Closes the top layer, then ends a range, then drops a running query.
pub(super) fn escape(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.nav.dialogs.pop().is_some() {
        return;
    }
    if model.nav.screen == Screen::Counts {
        let (corpus, now) = (model.search.side.corpus, model.now);
        model.session.stop_counting(corpus, now, fx);
    }
    if model.on_search() && escape_on_search(model, fx) {
        return;
    }
    if model.tour.step().is_some() {
        tour(model, fx);
    }
}

/// True where there was something to end.
fn escape_on_search(model: &mut Model, fx: &mut Vec<Effect>) -> bool {
    if model.search.seat_mut().anchor.take().is_some() {
        say(model, "No range.", false);
        return true;
    }
    if stop_query(model, fx) {
        return true;
    }
    if model.search.pane != Pane::Results {
        model.search.pane = Pane::Results;
        return true;
    }
    let seat = model.search.seat_mut();
    if seat.order.is_none() {
        return false;
    }
    seat.cursor = seat.index(seat.cursor);
    seat.order = None;
    say(model, "The service's order.", false);
    true
}

/// Ends the tour for good, or begins it anew for whoever asks.
pub(super) fn tour(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.tour.step().is_some() {
        model.tour = Tour::over();
        say(model, "The tour is over.  : tour begins it again", false);
    } else {
        model.tour = Tour::after(0);
    }
    place::keep(model, fx);
}

/// True where something was running.
fn stop_query(model: &mut Model, fx: &mut Vec<Effect>) -> bool {
    let side: Side = model.search.side;
    let now = model.now;
    let (state, desk) = model.session.side_mut(side);
    if state.stop_gathering(&mut desk.at(now, fx)) {
        let staged = state.basket.len() as u64;
        let words = format!("Stopped reading; the basket holds {}.", grouped(staged));
        say(model, words, false);
        return true;
    }
    let waited_for = state.window.is_busy();
    if waited_for {
        state.window.stop(&mut desk.at(now, fx));
        say(model, "Stopped. Nothing was spent.  R searches again", false);
    }
    waited_for
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
    let now = model.now;
    let session = &mut model.session;
    session.unlock.stop(&mut session.desk.at(now, fx));
    behind::stop_unlocks(model, now);
}

/// Leaves, with a question where something is on its way.
pub(super) fn leave(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.is_unlocking() && !model.leave_after {
        let words =
            "An unlock is running. Every batch is written down before it is sent: whatever happens, nothing is lost.";
        let deeds = vec![("stop after this call, then leave".to_owned(), Deed::StopAfterCallAndQuit)];
        model.nav.dialogs.push(Dialog::Ask(Ask::new("LEAVE", words, "stay", deeds)));
        return;
    }
    if model.has_unsaved() {
        let words = "The answer of an unlock that was paid for cannot be stored yet: lode keeps trying. Make room on the disk, \
                     and it is stored. Leaving now prints its contacts, once.";
        let deeds = vec![("leave; print the contacts".to_owned(), Deed::Quit)];
        model.nav.dialogs.push(Dialog::Ask(Ask::new("LEAVE", words, "stay until it is stored", deeds)));
        return;
    }
    let exports = model.running();
    if exports > 0 && !model.leave_after {
        let running = if exports == 1 { "An export is".to_owned() } else { format!("{exports} exports are") };
        let words = format!("{running} running. A file under its final name is always whole.");
        let deeds = vec![
            ("leave; what has come is deleted".to_owned(), Deed::Quit),
            ("leave; what has come is kept as .incomplete".to_owned(), Deed::KeepAndQuit),
        ];
        model.nav.dialogs.push(Dialog::Ask(Ask::new("LEAVE", words, "stay", deeds)));
        return;
    }
    quit(model, fx);
}

pub(super) fn interrupt(model: &mut Model, fx: &mut Vec<Effect>) {
    if stop_query(model, fx) {
        return;
    }
    if model.session.unlock.job().is_some_and(|job| !job.is_stopping()) {
        let now = model.now;
        let session = &mut model.session;
        session.unlock.stop(&mut session.desk.at(now, fx));
        say(model, "Stopping after the call that is out. What has not left stays in the basket.", false);
        return;
    }
    let now = model.now;
    if behind::stop_unlocks(model, now) {
        say(model, "The unlock of the other profile stops after the call that is out.", false);
        return;
    }
    let asking = matches!(model.nav.top(), Some(Dialog::Ask(_)));
    if model.leaving.is_none() && !asking && jobs::cancel_newest(model, fx) {
        return;
    }
    if model.leaving.is_some() {
        quit(model, fx);
        return;
    }
    model.leaving = Some(model.now.mono.after(TWICE));
    let running = model.is_unlocking();
    say(
        model,
        if running {
            "The unlock stops after the call that is out. Ctrl-c again within 2 s leaves at once."
        } else {
            "Nothing runs. Ctrl-c again within 2 s leaves."
        },
        false,
    );
}
