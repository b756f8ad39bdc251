//! The model on a sheet: header, tabs, the screen, messages, hints, and what lies over it. Pure.

pub mod chrome;
pub mod columns;
pub mod header;
pub mod job;

use ratatui::layout::{Position, Rect};

use super::dialogs::{Dialog, paid, reader, recovery};
use super::layout;
use super::model::{Model, facts};
use super::screens::search;
use super::theme::Role;
use super::widgets::canvas::Canvas;
use super::widgets::frame::{Frame, Part};
use super::widgets::text;

/// What a frame is besides its cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    pub cursor: Option<Position>,
    /// The list that may have moved as a whole, which the terminal can do by itself.
    pub moving: Option<Moving>,
}

/// A list on the screen and the number of its first visible row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moving {
    pub area: Rect,
    pub top: u64,
}

/// Draws a whole frame, in the memory of an earlier one.
pub fn view(model: &Model, frame: &mut Frame) -> Drawn {
    view_after(model, None, frame)
}

/// Draws the same frame in less time: parts that cannot differ from the shown frame are copied from it.
pub fn view_after(model: &Model, shown: Option<&Frame>, frame: &mut Frame) -> Drawn {
    frame.begin(model.area(), model.theme.style(Role::Text));
    let mut canvas = Canvas::new(frame, &model.theme, &model.keymap);
    canvas.before = shown.filter(|_| model.only_moved);
    draw(model, &mut canvas);
    let cursor = canvas.cursor;
    let shell = model.shell().filter(|_| model.nav.dialogs.is_empty());
    let moving = shell.and_then(|shell| model.shown().moving(shell.body));
    let moving = moving.map(|(area, top)| Moving { area, top });
    Drawn { cursor, moving }
}

pub fn draw(model: &Model, canvas: &mut Canvas<'_>) {
    let area = canvas.area();
    let Some(shell) = model.shell() else {
        too_small(canvas, area);
        return;
    };
    if !canvas.has(Part::Header, shell.header) {
        header::view(model, canvas, shell.header);
    }
    if let Some(tabs) = shell.tabs.filter(|tabs| !canvas.has(Part::Tabs, *tabs)) {
        chrome::tabs(model, canvas, tabs);
    }
    model.shown().view(model.scene_ref(), canvas, shell.body);
    let keymap = &model.keymap;
    if let Some(line) = shell.tour {
        chrome::tour(model.tour, keymap, canvas, line);
    }
    let situation = facts::situation(model);
    if let Some(line) = shell.job {
        job::view(model, canvas, line);
    }
    match shell.notice {
        Some(line) => {
            chrome::notice(model, canvas, line);
            chrome::footer(keymap, &situation, canvas, shell.footer);
        }
        None if model.notice.is_some()
            || model.flash.is_some()
            || !model.pending.is_empty()
            || model.count.is_some() =>
        {
            chrome::notice(model, canvas, shell.footer);
        }
        None => chrome::footer(keymap, &situation, canvas, shell.footer),
    }
    let over = model.over();
    for (at, dialog) in model.nav.dialogs.iter().enumerate() {
        if at + 1 == model.nav.dialogs.len() {
            canvas.fade(over);
            canvas.fade(shell.tabs.unwrap_or_default());
        }
        // Only the topmost field has the cursor.
        canvas.cursor = None;
        self::dialog(model, dialog, canvas, over);
    }
    if !model.pending.is_empty() {
        chrome::following(model, canvas, over);
    }
}

/// Draws one dialog.
pub fn dialog(model: &Model, dialog: &Dialog, canvas: &mut Canvas<'_>, over: Rect) {
    match dialog {
        Dialog::Contact { top } => search::contact::whole(&model.search, model.scene_ref(), *top, canvas, over),
        Dialog::Summary(paid) => paid::view(paid, &model.keymap, canvas, over),
        Dialog::Recovery(panel) => recovery::view(panel, &model.session, model.offset_minutes, canvas, over),
        Dialog::Receipts { top } => reader::view(&facts::receipts(model, *top), canvas, over),
        Dialog::Columns { at } => columns::view(&model.search, *at, canvas, over),
        other => other.view(canvas, over),
    }
}

/// One line that names the size that is needed, as much of it as there is room for.
fn too_small(canvas: &mut Canvas<'_>, area: Rect) {
    let (width, height) = layout::LEAST;
    let words = format!("lode needs {width}×{height}, this is {}×{}", area.width, area.height);
    let fits = text::width(&words) <= usize::from(area.width);
    let words = if fits { words } else { format!("{width}×{height}") };
    canvas.put(area.x, area.y, area.width, &words, Role::Text);
}
