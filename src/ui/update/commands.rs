//! Commands to the one they concern.

use std::time::Duration;

use crate::domain::contact::Side;
use crate::effect::Effect;
use crate::keys::chord::Chord;
use crate::keys::command::{Always, App, Command, List, Screen, Summary, Text};
use crate::keys::table::Row;
use crate::ui::dialogs::ask::{Ask, Deed};
use crate::ui::dialogs::reader::{Part, Reader};
use crate::ui::dialogs::{Dialog, Outcome};
use crate::ui::model::tour::Tour;
use crate::ui::model::{Model, place};
use crate::ui::screens::jobs as screens_jobs;
use crate::ui::screens::search::state::Pane;
use crate::ui::widgets::table;

use super::{
    Shelled, allowed, basket, counts, doubt, jobs, menus, outcomes, owned, quit, saved, say, setup, spending,
    with_scene,
};

/// As far as the receipts may be scrolled.
const RECEIPT_LINES: usize = 500;

/// Ctrl-c twice within this leaves.
const TWICE: Duration = Duration::from_secs(2);

/// Runs a command as if its key had been pressed: for tests and for everything that is not a key.
pub fn press(model: &mut Model, command: Command) -> (Vec<Effect>, Shelled) {
    let mut fx = Vec::new();
    let mut shelled = Shelled::default();
    super::given(model, command, &mut fx, &mut shelled);
    (fx, shelled)
}

pub(super) fn run(
    model: &mut Model,
    row: &'static Row,
    chord: Chord,
    count: Option<u64>,
    fx: &mut Vec<Effect>,
    shelled: &mut Shelled,
) {
    if !allowed(model, row) {
        return;
    }
    match row.command {
        Command::Always(Always::Interrupt) => interrupt(model, fx),
        Command::Always(Always::Suspend) => {
            place::keep(model, fx);
            shelled.suspend = true;
        }
        Command::App(app) => everywhere(model, app, fx, shelled),
        Command::List(list) => move_in_list(model, list, count, fx),
        Command::Text(text) => in_text(model, text, fx),
        Command::Results(command) => {
            with_scene(model, fx, |search, scene| search.results(command, scene));
            place::keep(model, fx);
        }
        Command::Filters(command) => {
            with_scene(model, fx, |search, scene| search.filters(command, scene));
            place::keep(model, fx);
        }
        Command::Columns(command) => {
            if let Some(Dialog::Columns { at }) = model.nav.dialogs.last() {
                let mut at = *at;
                with_scene(model, fx, |search, scene| search.columns(command, &mut at, scene));
                if let Some(Dialog::Columns { at: place }) = model.nav.dialogs.last_mut() {
                    *place = at;
                }
                place::keep(model, fx);
            }
        }
        Command::Ask(key) => {
            if let Some(Dialog::Ask(ask)) = model.nav.dialogs.last_mut() {
                let outcome = ask.update(key);
                outcomes::came_to(model, outcome, fx, shelled);
            } else {
                setup::ask(model, key);
            }
        }
        Command::Counts(command) => counts::command(model, command, fx),
        Command::Saved(command) => saved::command(model, command, fx),
        Command::Money(key) => spending::money(model, key, chord, fx),
        Command::Recovery(deed) => doubt::recovery(model, deed, fx),
        Command::Summary(Summary::Export) => spending::export_last(model, fx),
        Command::Basket(command) => basket::command(model, command, fx),
        Command::Owned(command) => owned::command(model, command, fx),
        Command::Jobs(command) => jobs::command(model, command, fx),
    }
}

fn everywhere(model: &mut Model, app: App, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    match app {
        App::Help => menus::help(model),
        App::Palette => menus::palette(model),
        App::Escape => escape(model, fx),
        App::Back => back(model, fx),
        App::Quit => leave(model, fx),
        App::Go(screen) => model.nav.go(screen),
        App::FirstRow => move_in_list(model, List::Top, None, fx),
        App::History => menus::recall(model),
        App::Receipts => owned::receipts(model, fx),
        App::MaskMode => {
            model.search.masked = !model.search.masked;
            let masked = model.search.masked;
            say(
                model,
                if masked { "Contacts of ours are masked on the screen." } else { "Contacts of ours are shown." },
                false,
            );
        }
        App::LastError => menus::last_error(model),
        App::Unknown => doubt::panel(model, fx),
        App::SidePanes => {
            model.search.panes = !model.search.panes;
            model.search.pane = Pane::Results;
            place::keep(model, fx);
        }
        App::NextPane => turn_pane(model, true),
        App::PreviousPane => turn_pane(model, false),
        App::Undo => with_scene(model, fx, |search, scene| search.undo(scene)),
        App::Redo => with_scene(model, fx, |search, scene| search.redo(scene)),
        App::OtherCorpus => with_scene(model, fx, |search, scene| search.other_corpus(scene)),
        App::OtherSource => with_scene(model, fx, |search, scene| search.other_source(scene)),
        App::Profiles => setup::profiles(model),
        App::LastRequest => menus::last_request(model),
        App::MouseCapture => {
            model.mouse = !model.mouse;
            shelled.mouse = Some(model.mouse);
            say(
                model,
                if model.mouse { "The mouse is ours; Shift-drag selects." } else { "The mouse is the terminal's." },
                false,
            );
        }
        App::Repaint => shelled.repaint = true,
        App::Tour => tour(model, fx),
        App::NextTheme => {
            model.theme = model.theme.next();
            say(model, format!("Theme: {}", model.theme.name), false);
            place::keep(model, fx);
        }
    }
}

/// Closes the top layer, then ends a range, then drops a running query.
fn escape(model: &mut Model, fx: &mut Vec<Effect>) {
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
fn tour(model: &mut Model, fx: &mut Vec<Effect>) {
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
    if state.stop_gathering(desk, now, fx) {
        let staged = state.basket.len() as u64;
        let words = format!("Stopped reading; the basket holds {}.", crate::domain::credits::grouped(staged));
        say(model, words, false);
        return true;
    }
    let waited_for = state.window.is_busy();
    if waited_for {
        state.window.stop(desk, now, fx);
        say(model, "Stopped. Nothing was spent.  R searches again", false);
    }
    waited_for
}

fn back(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.nav.dialogs.pop().is_some() {
        return;
    }
    if !model.nav.back() {
        leave(model, fx);
    }
}

/// Leaves, with a question where something is on its way.
pub(super) fn leave(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.session.unlock.is_running() && !model.leave_after {
        let words =
            "An unlock is running. Every batch is written down before it is sent: whatever happens, nothing is lost.";
        let deeds = vec![("stop after this call, then leave".to_owned(), Deed::StopAfterCallAndQuit)];
        model.nav.dialogs.push(Dialog::Ask(Ask::new("LEAVE", words, "stay", deeds)));
        return;
    }
    let exports = model.session.exports.running();
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

fn interrupt(model: &mut Model, fx: &mut Vec<Effect>) {
    if stop_query(model, fx) {
        return;
    }
    if model.session.unlock.job().is_some_and(|job| !job.is_stopping()) {
        let now = model.now;
        let session = &mut model.session;
        session.unlock.stop(&mut session.desk, now, fx);
        say(model, "Stopping after the call that is out. What has not left stays in the basket.", false);
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
    let running = model.session.unlock.is_running();
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

fn turn_pane(model: &mut Model, forward: bool) {
    if !model.on_search() {
        return;
    }
    let panes = [Pane::Filters, Pane::Results, Pane::Contact];
    let at = panes.iter().position(|pane| *pane == model.search.pane).unwrap_or(1);
    model.search.pane = panes[if forward { (at + 1) % 3 } else { (at + 2) % 3 }];
}

fn move_in_list(model: &mut Model, list: List, count: Option<u64>, fx: &mut Vec<Effect>) {
    match model.nav.dialogs.last_mut() {
        Some(Dialog::Reader(reader) | Dialog::Summary(reader)) => return reader.update(list, count.unwrap_or(1)),
        Some(Dialog::Receipts { top }) => {
            let mut reader = Reader { top: *top, parts: vec![Part::Gap; RECEIPT_LINES], ..Reader::default() };
            reader.update(list, count.unwrap_or(1));
            return *top = reader.top;
        }
        Some(Dialog::Contact { top }) => match list {
            List::PageDown | List::HalfDown => return *top += 10,
            List::PageUp | List::HalfUp => return *top = top.saturating_sub(10),
            _ => *top = 0,
        },
        Some(Dialog::Columns { at }) => {
            let last = model.search.seat().columns.len().saturating_sub(1);
            match list {
                List::Down => *at = (*at + 1).min(last),
                List::Up => *at = at.saturating_sub(1),
                List::Top | List::PageUp | List::HalfUp => *at = 0,
                List::Last | List::PageDown | List::HalfDown => *at = last,
                _ => {}
            }
            return;
        }
        _ => {}
    }
    if model.nav.screen == Screen::Counts {
        counts::list(model, list, count);
    }
    if model.nav.screen == Screen::Jobs {
        let rows = screens_jobs::items(&model.session).len();
        model.jobs.at = table::moved(model.jobs.at, list, count, rows);
    }
    if model.nav.screen == Screen::Saved {
        let rows = model.session.shelf.entries().len();
        model.saved.at = table::moved(model.saved.at, list, count, rows);
    }
    if model.nav.screen == Screen::Basket {
        let rows = model.session.side(model.search.side).basket.len();
        model.basket.at = table::moved(model.basket.at, list, count, rows);
    }
    if model.nav.screen == Screen::Owned {
        let rows = model.owned.shown(&model.session).len();
        model.owned.at = table::moved(model.owned.at, list, count, rows);
    }
    if model.nav.screen != Screen::Search {
        return;
    }
    if model.search.pane == Pane::Filters && model.nav.dialogs.is_empty() {
        with_scene(model, fx, |search, scene| search.filter_list(list, count, scene));
        return;
    }
    let height = model.grid_height();
    with_scene(model, fx, |search, scene| search.list(list, count, height, scene));
}

fn in_text(model: &mut Model, text: Text, fx: &mut Vec<Effect>) {
    let outcome = match model.nav.dialogs.last_mut() {
        Some(Dialog::Picker(picker)) => picker.update(text),
        Some(Dialog::Prompt(prompt)) => prompt.update(text),
        Some(Dialog::Setup(_) | Dialog::Profiles(_)) => return setup::text(model, text),
        Some(_) => Outcome::Stay,
        None => {
            in_field(model, text, fx);
            return;
        }
    };
    outcomes::came_to(model, outcome, fx, &mut Shelled::default());
}

/// The field of a filter, in the pane.
fn in_field(model: &mut Model, text: Text, fx: &mut Vec<Effect>) {
    let Some(edit) = &mut model.search.edit else { return };
    match text {
        Text::Submit => {
            with_scene(model, fx, |search, scene| search.submit_edit(scene));
            place::keep(model, fx);
        }
        Text::Leave => model.search.edit = None,
        Text::Next => edit.next(),
        Text::Previous => edit.previous(),
        Text::Complete => {
            edit.complete();
            edit.refresh();
        }
        other => {
            crate::ui::widgets::input::edit(&mut edit.input, other);
            edit.refresh();
        }
    }
}
