//! Commands to the one they concern.

use crate::dialogs::Dialog;
use crate::keys::chord::Chord;
use crate::keys::command::{Always, App, Command, List, Text};
use crate::keys::situation::Context;
use crate::keys::table::Row;
use crate::layout;
use crate::model::{Model, facts};
use crate::screens::search::state::Pane;
use lode_engine::effect::Effect;

use super::{
    Shelled, allowed, leaving, lists, menus, on_screen, outcomes, own, say, setup, spending, unknown, with_search,
};

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
        Command::Always(Always::Interrupt) => interrupt(model, fx, shelled),
        Command::Always(Always::Suspend) => shelled.suspend = true,
        Command::Always(Always::Repaint) => shelled.repaint = true,
        Command::App(app) => everywhere(model, app, fx, shelled),
        Command::List(list) => lists::travel(model, list, count, fx),
        Command::Text(text) => in_text(model, text, fx, shelled),
        Command::Columns(command) => {
            if let Some(Dialog::Columns { at }) = model.nav.dialogs.last() {
                let mut at = *at;
                with_search(model, fx, |search, scene| search.columns(command, &mut at, scene));
                if let Some(Dialog::Columns { at: place }) = model.nav.dialogs.last_mut() {
                    *place = at;
                }
            }
        }
        Command::Ask(key) => {
            if let Some(dialog) = model.nav.dialogs.last_mut() {
                let outcome = dialog.ask(key);
                outcomes::came_to(model, outcome, fx, shelled);
            }
        }
        Command::Money(key) => spending::money(model, key, chord, fx),
        Command::Recovery(deed) => unknown::recovery(model, deed, fx),
        Command::Own(at) => own::run(model, at, fx),
        Command::Summary(key) => spending::bought(model, key, fx),
        command => {
            on_screen(model, fx, |screen, scene| screen.command(command, scene));
        }
    }
}

fn everywhere(model: &mut Model, app: App, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    match app {
        App::Help => menus::help(model),
        App::Palette => menus::palette(model),
        App::Escape => leaving::escape(model, fx),
        App::Back => leaving::back(model, fx),
        App::Quit => leaving::leave(model, fx),
        App::Go(screen) => model.nav.go(screen),
        App::FirstRow => lists::travel(model, List::Top, None, fx),
        App::History => menus::recall(model),
        App::Receipts => on_screen(model, fx, |_, scene| scene.open_receipts()),
        App::MaskMode => {
            model.search.masked = !model.search.masked;
            let masked = model.search.masked;
            say(model, if masked { "Owned contacts are masked." } else { "Owned contacts are shown." }, false);
        }
        App::LastError => menus::last_error(model),
        App::Unknown => unknown::panel(model, fx),
        App::SidePanes => {
            let width = model.area().width;
            let panes = &mut model.search.panes[layout::class(width)];
            *panes = panes.next();
            model.search.pane = Pane::Results;
        }
        App::NextPane => on_screen(model, fx, |screen, _| screen.next_pane(true)),
        App::PreviousPane => on_screen(model, fx, |screen, _| screen.next_pane(false)),
        App::Undo => with_search(model, fx, |search, scene| search.undo(scene)),
        App::Redo => with_search(model, fx, |search, scene| search.redo(scene)),
        App::OtherCorpus => with_search(model, fx, |search, scene| search.other_corpus(scene)),
        App::OtherSource => with_search(model, fx, |search, scene| search.other_source(scene)),
        App::Profiles => setup::profiles(model),
        App::LastRequest => menus::last_request(model),
        App::MouseCapture => {
            model.mouse = !model.mouse;
            shelled.mouse = Some(model.mouse);
            say(
                model,
                if model.mouse {
                    "lode uses the mouse; hold Shift and drag to select text."
                } else {
                    "The terminal uses the mouse."
                },
                false,
            );
        }
        App::OwnCommands => menus::own_commands(model),
        App::Tour => leaving::tour(model),
        App::NextTheme => {
            model.pick_theme(model.theme.next());
            say(model, format!("Theme: {}", model.theme.name), false);
        }
    }
}

/// Leaves the text field first. An unlock does not wait for that: it stops at once.
fn interrupt(model: &mut Model, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    if facts::chain_of(model)[0] == Context::Text {
        in_text(model, Text::Leave, fx, shelled);
        if !model.is_unlocking() {
            return;
        }
    }
    leaving::interrupt(model, fx);
}

fn in_text(model: &mut Model, text: Text, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    let over = model.over();
    let Some(dialog) = model.nav.dialogs.last_mut() else {
        return on_screen(model, fx, |screen, scene| screen.text(text, scene));
    };
    let outcome = dialog.text(text, over);
    outcomes::came_to(model, outcome, fx, shelled);
}
