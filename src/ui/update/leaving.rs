//! Ways out, from the top layer to the program itself: Esc, back, Ctrl-c, leaving; and the tour, which ends by the first of them.

use std::time::Duration;

use crate::effect::Effect;
use crate::keys::command::Text;
use crate::keys::situation::Context;
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::ask::{Ask, Deed};
use crate::ui::model::tour::Tour;
use crate::ui::model::{Model, facts};
use crate::ui::scene::Holds;
use crate::ui::screens::jobs::update as jobs;

use super::{behind, commands, on_screen, quit, say, say_while, with_search};

/// Ctrl-c twice within this leaves.
const TWICE: Duration = Duration::from_secs(2);

/// Closes the top layer, then ends a range, then drops a running query.
pub(super) fn escape(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.nav.dialogs.pop().is_some() {
        return;
    }
    on_screen(model, fx, |screen, scene| screen.escape(scene));
}

/// Ends the tour for good, or begins it anew for whoever asks.
pub(super) fn tour(model: &mut Model) {
    if model.tour.step().is_some() {
        model.tour = Tour::over();
        say(model, "The tour is over.  : tour begins it again", false);
    } else {
        model.tour = Tour::begun();
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
    quit(fx);
}

pub(super) fn interrupt(model: &mut Model, fx: &mut Vec<Effect>) {
    if facts::chain_of(model)[0] == Context::Text {
        commands::in_text(model, Text::Leave, fx);
        // Money on its way does not wait for a field to be closed.
        if !model.is_unlocking() {
            return;
        }
    }
    if with_search(model, fx, |search, scene| search.stop_query(scene)) {
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
            "The unlock stops after the call that is out. Ctrl-c again within 2 s leaves at once."
        } else {
            "Nothing runs. Ctrl-c again within 2 s leaves."
        },
    );
}
