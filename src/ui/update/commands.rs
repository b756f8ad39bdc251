//! Commands to the one they concern.

use crate::effect::Effect;
use crate::keys::chord::Chord;
use crate::keys::command::{Always, App, Command, List, Summary, Text};
use crate::keys::table::Row;
use crate::ui::dialogs::{Dialog, Outcome};
use crate::ui::model::{Model, place};
use crate::ui::screens::search::state::Pane;

use super::{
    Shelled, allowed, basket, counts, doubt, jobs, leaving, lists, menus, outcomes, owned, saved, say, setup, spending,
    with_scene,
};

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
        Command::Always(Always::Interrupt) => leaving::interrupt(model, fx),
        Command::Always(Always::Suspend) => {
            place::keep(model, fx);
            shelled.suspend = true;
        }
        Command::App(app) => everywhere(model, app, fx, shelled),
        Command::List(list) => lists::travel(model, list, count, fx),
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
        App::Escape => leaving::escape(model, fx),
        App::Back => leaving::back(model, fx),
        App::Quit => leaving::leave(model, fx),
        App::Go(screen) => model.nav.go(screen),
        App::FirstRow => lists::travel(model, List::Top, None, fx),
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
        App::Tour => leaving::tour(model, fx),
        App::NextTheme => {
            model.theme = model.theme.next();
            say(model, format!("Theme: {}", model.theme.name), false);
            place::keep(model, fx);
        }
    }
}

fn turn_pane(model: &mut Model, forward: bool) {
    if !model.on_search() {
        return;
    }
    let panes = [Pane::Filters, Pane::Results, Pane::Contact];
    let at = panes.iter().position(|pane| *pane == model.search.pane).unwrap_or(1);
    model.search.pane = panes[if forward { (at + 1) % 3 } else { (at + 2) % 3 }];
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
            edit.offered = false;
            crate::ui::widgets::input::edit(&mut edit.input, other);
            edit.refresh();
        }
    }
}
