//! The mouse: what a place means is found by drawing the frame once more for nobody and asking it.

use crate::effect::Effect;
use crate::keys::command::{Basket, Command, Counts, List, Owned, Results, Saved, Screen};
use crate::ui::dialogs::{Dialog, Outcome};
use crate::ui::layout;
use crate::ui::model::Model;
use crate::ui::msg::{Mouse, MouseWhat};
use crate::ui::screens::search::filters;
use crate::ui::screens::search::state::Pane;
use crate::ui::view;
use crate::ui::widgets::canvas::{Canvas, Target};
use crate::ui::widgets::frame::Frame;

use super::lists::read_on;
use super::{Shelled, counts, given, outcomes, setup, with_scene};

/// Rows that one step of the wheel moves.
const WHEEL: u64 = 3;

pub(super) fn mouse(model: &mut Model, event: Mouse, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    match event.what {
        MouseWhat::WheelDown => wheel(model, List::Down, fx),
        MouseWhat::WheelUp => wheel(model, List::Up, fx),
        MouseWhat::Press | MouseWhat::Double => {
            model.search.pressed = None;
            click(model, event, fx, shelled);
        }
        MouseWhat::Drag => drag(model, event.y, fx),
        MouseWhat::Release => model.search.pressed = None,
    }
}

/// From the row where the mouse went down to the one where it is: a range, as `v` makes it. Beyond the first and the last
/// visible row the list moves on.
fn drag(model: &mut Model, y: u16, fx: &mut Vec<Effect>) {
    let Some(from) = model.search.pressed.filter(|_| model.on_search() && model.nav.dialogs.is_empty()) else { return };
    let Some(shell) = model.shell() else { return };
    let rows = layout::grid(layout::inside(layout::search(shell.body, model.search.panes).results)).rows;
    let top = model.search.seat().top;
    let (last, to) = (u64::from(rows.height.saturating_sub(1)), u64::from(y.saturating_sub(rows.y)));
    let to = if y < rows.y { top.saturating_sub(1) } else { top + to.min(last + 1) };
    with_scene(model, fx, |search, scene| search.range_to(from, to, scene));
}

fn wheel(model: &mut Model, list: List, fx: &mut Vec<Effect>) {
    let on_grid = model.on_search() && model.search.edit.is_none();
    if read_on(model, list, WHEEL) {
        return;
    }
    match model.nav.dialogs.last_mut() {
        Some(Dialog::Picker(picker)) => {
            let count = picker.shown();
            if list == List::Down && picker.marked.at + 1 < count {
                picker.marked.next(count);
            } else if list == List::Up && picker.marked.at > 0 {
                picker.marked.previous(count);
            }
        }
        Some(_) => {}
        None if on_grid => {
            let height = model.grid_height();
            with_scene(model, fx, |search, scene| search.list(list, Some(WHEEL), height, scene));
        }
        None => {}
    }
}

fn target(model: &Model, event: Mouse) -> Option<Target> {
    let mut scratch = Frame::blank(model.area());
    let mut canvas = Canvas::clicked(&mut scratch, &model.theme, event.x, event.y);
    view::draw(model, &mut canvas);
    canvas.found()
}

fn click(model: &mut Model, event: Mouse, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    let Some(target) = target(model, event) else { return };
    if !model.nav.dialogs.is_empty() {
        in_dialog(model, target, event, fx, shelled);
        return;
    }
    match target {
        Target::Command(command) => given(model, command, fx, shelled),
        Target::Row(position) if model.nav.screen == Screen::Basket => {
            model.basket.at = usize::try_from(position).unwrap_or(0);
            if event.what == MouseWhat::Double {
                given(model, Command::Basket(Basket::Open), fx, shelled);
            }
        }
        Target::Row(position) if model.nav.screen == Screen::Owned => {
            model.owned.at = usize::try_from(position).unwrap_or(0);
            if event.what == MouseWhat::Double {
                given(model, Command::Owned(Owned::Open), fx, shelled);
            }
        }
        Target::Row(position) if model.nav.screen == Screen::Saved => {
            model.saved.at = usize::try_from(position).unwrap_or(0);
            if event.what == MouseWhat::Double {
                given(model, Command::Saved(Saved::Run), fx, shelled);
            }
        }
        Target::Row(position) if model.nav.screen == Screen::Jobs => {
            model.jobs.at = usize::try_from(position).unwrap_or(0);
        }
        Target::Row(position) if model.nav.screen == Screen::Counts => {
            counts::click(model, usize::try_from(position).unwrap_or(0));
            if event.what == MouseWhat::Double {
                given(model, Command::Counts(Counts::Mark), fx, shelled);
            }
        }
        Target::Row(position) => {
            model.search.edit = None;
            model.search.pane = Pane::Results;
            model.search.seat_mut().cursor = position;
            model.search.pressed = Some(position);
            if event.what == MouseWhat::Double {
                given(model, Command::Results(Results::Open), fx, shelled);
            }
        }
        Target::Sign(position) => {
            model.search.edit = None;
            model.search.pane = Pane::Results;
            model.search.seat_mut().cursor = position;
            model.search.seat_mut().anchor = None;
            given(model, Command::Results(Results::Stage), fx, shelled);
            model.search.seat_mut().cursor = position;
        }
        Target::Head(column) => {
            let seat = model.search.seat_mut();
            let back = seat.order.as_ref().is_some_and(|order| order.column == column && !order.back);
            let again = seat.order.as_ref().is_some_and(|order| order.column == column && order.back);
            seat.column = column;
            with_scene(model, fx, |search, scene| search.order(back || again, scene));
        }
        Target::Value(filter, at) => with_scene(model, fx, |search, scene| search.chip(filter, at, scene)),
        Target::FilterLine(at) => {
            let line = filters::lines(model.search.side).get(at).copied();
            model.search.edit = None;
            model.search.pane = Pane::Filters;
            model.search.line = at;
            if let Some(line) = line {
                with_scene(model, fx, |search, scene| search.toggle(line, scene));
            }
        }
        Target::Line(at) => {
            if let Some(edit) = &mut model.search.edit {
                edit.marked = Some(at);
                with_scene(model, fx, |search, scene| search.submit_edit(scene));
            }
        }
        Target::Pane(at) => {
            if let Some(pane) = [Pane::Filters, Pane::Results, Pane::Contact].get(at) {
                model.search.pane = *pane;
            }
        }
        Target::Dialog => {}
    }
}

fn in_dialog(model: &mut Model, target: Target, event: Mouse, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    match (target, model.nav.dialogs.last_mut()) {
        // Money is spent by typing, never by a click.
        (_, Some(Dialog::Money(_) | Dialog::Recovery(_))) => {}
        (Target::Line(at), Some(Dialog::Picker(picker))) => {
            let outcome = picker.choose(at);
            outcomes::came_to(model, outcome, fx, shelled);
        }
        // The first click marks an answer, so that no slip of the hand gives it.
        (Target::Line(at), Some(Dialog::Ask(ask))) => {
            if ask.marked.at == at && event.what == MouseWhat::Double {
                let outcome = ask.choose(at);
                outcomes::came_to(model, outcome, fx, shelled);
            } else {
                ask.marked.at = at;
            }
        }
        (Target::Line(at), Some(Dialog::Setup(_) | Dialog::Profiles(_))) => {
            setup::click(model, at, event.what == MouseWhat::Double);
        }
        (Target::Line(place), Some(Dialog::Columns { at })) => *at = place,
        (Target::Command(command), _) => given(model, command, fx, shelled),
        (Target::Dialog | Target::Line(_), _) => {}
        // A click beside a list closes it; a question stays until it is answered.
        (_, Some(Dialog::Ask(_) | Dialog::Setup(_) | Dialog::Profiles(_))) => {}
        _ => outcomes::came_to(model, Outcome::Close, fx, shelled),
    }
}
