//! The mouse: what a place means is found by drawing the frame once more off screen.

use ratatui::buffer::Buffer;

use crate::dialogs::{Dialog, Outcome};
use crate::keys::command::List;
use crate::model::Model;
use crate::msg::{Mouse, MouseWhat};
use crate::view;
use crate::widgets::canvas::{Canvas, Target};
use lode_engine::effect::Effect;

use super::lists::read_on;
use super::{Shelled, given, on_screen, outcomes};

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
        MouseWhat::Drag if model.nav.dialogs.is_empty() => {
            on_screen(model, fx, |screen, scene| screen.drag(event.y, scene));
        }
        MouseWhat::Drag => {}
        MouseWhat::Release => model.search.pressed = None,
    }
}

fn wheel(model: &mut Model, list: List, fx: &mut Vec<Effect>) {
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
        None => on_screen(model, fx, |screen, scene| screen.wheel(list, WHEEL, scene)),
    }
}

fn target(model: &Model, event: Mouse) -> Option<Target> {
    let mut scratch = Buffer::empty(model.area());
    let mut canvas = Canvas::clicked(&mut scratch, &model.theme, &model.keymap, event.x, event.y);
    view::draw(model, &mut canvas);
    canvas.found()
}

fn click(model: &mut Model, event: Mouse, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    let Some(target) = target(model, event) else { return };
    if !model.nav.dialogs.is_empty() {
        in_dialog(model, target, event, fx, shelled);
        return;
    }
    let double = event.what == MouseWhat::Double;
    let command = match target {
        Target::Command(command) => Some(command),
        target => on_screen(model, fx, |screen, scene| screen.click(target, double, scene)),
    };
    if let Some(command) = command {
        given(model, command, fx, shelled);
    }
    if let Target::Sign(position) = target {
        // Where the sign of a row is clicked the cursor stays on that row.
        model.search.seat_mut().cursor = position;
    }
}

fn in_dialog(model: &mut Model, target: Target, event: Mouse, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    match (target, model.nav.dialogs.last_mut()) {
        // Money is spent by typing, never by a click.
        (_, Some(Dialog::Money(_) | Dialog::Recovery(_))) => {}
        (Target::Line(at), Some(dialog)) => {
            let outcome = dialog.click(at, event.what == MouseWhat::Double);
            outcomes::came_to(model, outcome, fx, shelled);
        }
        (Target::Command(command), _) => given(model, command, fx, shelled),
        (Target::Dialog, _) => {}
        // A click beside a list closes it; a question stays until it is answered.
        (_, Some(Dialog::Ask(_) | Dialog::Setup(_) | Dialog::Profiles(_))) => {}
        _ => outcomes::came_to(model, Outcome::Close, fx, shelled),
    }
}
