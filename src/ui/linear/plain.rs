//! The screen read off as lines, without its borders.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::Model;
use crate::widgets::canvas::Canvas;
use lode_core::cells;

/// So wide that nothing is cut: no line has to fit anywhere.
pub(super) const WIDE: u16 = 400;
/// So narrow that nothing stands beside the list.
pub(super) const ALONE: u16 = 79;

/// What the screen would show, line by line.
pub(super) fn drawn(model: &Model, width: u16, draw: impl FnOnce(&Model, &mut Canvas<'_>, Rect)) -> Vec<String> {
    let area = Rect::new(0, 0, width, 200);
    let mut buf = Buffer::empty(area);
    let mut canvas = Canvas::new(&mut buf, &model.theme, &model.keymap);
    draw(model, &mut canvas, area);
    cells::lines(&buf).collect()
}

/// A line without borders, bars and the blanks that hold columns apart.
pub(super) fn plain(line: &str) -> String {
    let bare: String = line.chars().map(|c| if ('\u{2500}'..='\u{259f}').contains(&c) { ' ' } else { c }).collect();
    let mut line = String::new();
    // The field of an amount is a pair of brackets.
    for part in bare.split("  ").map(str::trim).filter(|part| !matches!(*part, "" | "[" | "]")) {
        if !line.is_empty() {
            line.push_str(if line.ends_with([',', '.', ':', ';']) { " " } else { ", " });
        }
        line.push_str(part);
    }
    line
}
