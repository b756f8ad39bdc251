//! The model on a sheet: header, tabs, the screen, messages, hints, and what lies over it. Pure.

pub mod chrome;
pub mod columns;
pub mod header;
pub mod job;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use lode_core::frame::Frame;
use lode_core::text;

use super::dialogs::{Dialog, paid, reader, recovery};
use super::layout::{self, Shell};
use super::model::{Model, facts};
use super::screens::search;
use super::theme::Role;
use super::widgets::canvas::Canvas;

/// A frame that was drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    pub frame: Frame,
    /// Where the parts of the screen are. None on a screen that is too small.
    pub layout: Option<(Shell, layout::Search)>,
}

/// Draws a frame. `buf` holds the frame that was drawn `before`: what cannot have changed since stays as it is. Without one, all is
/// drawn.
pub fn view(model: &Model, before: Option<&Drawn>, buf: &mut Buffer) -> Drawn {
    let area = model.area();
    let shell = model.shell();
    let layout = shell.map(|shell| (shell, model.search.layout(shell.body)));
    let over_shown = before.filter(|before| model.only_moved && buf.area == area && before.layout == layout);
    let mut canvas = Canvas::new(buf, &model.theme, &model.keymap);
    match over_shown {
        Some(before) => canvas.over_shown(before.frame.list),
        None => {
            canvas.buf.resize(area);
            canvas.buf.reset();
            canvas.restyle(area, Role::Text);
        }
    }
    draw(model, &mut canvas);
    let rows = canvas.changed_rows();
    let Canvas { cursor, links, list, .. } = canvas;
    let list = list.filter(|_| model.nav.dialogs.is_empty());
    Drawn { frame: Frame { cursor, links, list, rows }, layout }
}

pub fn draw(model: &Model, canvas: &mut Canvas<'_>) {
    let area = canvas.area();
    let Some(shell) = model.shell() else {
        too_small(canvas, area);
        return;
    };
    if !canvas.is_over_shown() {
        header::view(model, canvas, shell.header);
        if let Some(tabs) = shell.tabs {
            chrome::tabs(model, canvas, tabs);
        }
    }
    model.shown().view(model.scene_ref(), canvas, shell.body);
    let keymap = &model.keymap;
    let below = shell.body.bottom();
    canvas.redraw(Rect { y: below, height: area.bottom() - below, ..area });
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
