//! A box with a title in its upper border: `╭ FILTERS ─────╮`.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::theme::Role;

use super::canvas::Canvas;
use lode_core::text;

/// Draws the box and returns what is inside. A box too small to have an inside returns an empty area.
pub fn pane(canvas: &mut Canvas<'_>, area: Rect, title: &str, focused: bool) -> Rect {
    let area = area.intersection(canvas.area());
    if area.width < 2 || area.height < 2 {
        return Rect::new(area.x, area.y, 0, 0);
    }
    let style = canvas.style(if focused { Role::Focus } else { Role::Border });
    let (left, top, bottom) = (area.x, area.y, area.bottom() - 1);
    for (x, y) in (top + 1..bottom).flat_map(|y| [(left, y), (area.right() - 1, y)]) {
        if let Some(cell) = canvas.buf.cell_mut((x, y)) {
            cell.set_char('│').set_style(style);
        }
    }
    edges(canvas, area, title, focused);
    Rect::new(left + 1, top + 1, area.width - 2, area.height - 2)
}

/// Draws the upper border with the title, and the lower one.
pub fn edges(canvas: &mut Canvas<'_>, area: Rect, title: &str, focused: bool) {
    let style = canvas.style(if focused { Role::Focus } else { Role::Border });
    let (upper, lower) = (Rect { height: 1, ..area }, Rect { y: area.bottom() - 1, height: 1, ..area });
    canvas.change(upper);
    canvas.change(lower);
    rule(canvas, upper, ['╭', '─', '╮'], style);
    rule(canvas, lower, ['╰', '─', '╯'], style);
    caption(canvas, area, title);
}

/// A line across a box, from border to border: `├ CONTACT ─────┤`.
pub fn divider(canvas: &mut Canvas<'_>, line: Rect, title: &str, focused: bool) {
    let style = canvas.style(if focused { Role::Focus } else { Role::Border });
    rule(canvas, line, ['├', '─', '┤'], style);
    caption(canvas, line, title);
}

/// A line from one corner to the other.
fn rule(canvas: &mut Canvas<'_>, line: Rect, [begin, between, end]: [char; 3], style: Style) {
    let line = line.intersection(canvas.area());
    if line.width < 2 || line.height == 0 {
        return;
    }
    let last = line.right() - 1;
    for x in line.left()..=last {
        let letter = if x == line.left() {
            begin
        } else if x == last {
            end
        } else {
            between
        };
        canvas.buf[(x, line.y)].set_char(letter).set_style(style);
    }
}

/// The title in the upper border.
fn caption(canvas: &mut Canvas<'_>, area: Rect, title: &str) {
    let (left, top) = (area.x, area.y);
    if !title.is_empty() && area.width > 4 {
        let style = canvas.style(Role::Title);
        let room = area.width - 4;
        // The title is no part of the frame: nothing of the frame's color or weight stays under it.
        let wide = text::width(title).min(usize::from(room)) as u16 + 2;
        canvas.clear(Rect::new(left + 1, top, wide, 1));
        text::put(canvas.buf, left + 1, top, 1, " ", style);
        let used = text::put_cut(canvas.buf, left + 2, top, room, title, style);
        text::put(canvas.buf, left + 2 + used, top, 1, " ", style);
    }
}

/// Words at the right end of the upper border, where there is room beside the title.
pub fn beside(canvas: &mut Canvas<'_>, area: Rect, title: &str, words: &str) {
    let wide = text::width(words) as u16;
    if words.is_empty() || usize::from(area.width) < text::width(title) + usize::from(wide) + 9 {
        return;
    }
    let x = area.right() - wide - 3;
    canvas.clear(Rect::new(x - 1, area.y, wide + 2, 1));
    canvas.put(x, area.y, wide, words, Role::Dim);
}

/// As many lines as a dialog takes of the place for dialogs; where that is small it may take more.
pub fn tallest(over: Rect) -> u16 {
    (over.height * 3 / 5).max(14).min(over.height)
}

/// A box over whatever is there, in the middle of `over`, at most as large as it, with a cell of padding where there is room.
pub fn overlay(canvas: &mut Canvas<'_>, over: Rect, width: u16, height: u16, title: &str) -> Rect {
    let (aside, above) = (u16::from(width + 2 <= over.width), u16::from(height + 2 <= tallest(over)));
    let width = (width + 2 * aside).min(over.width);
    let height = (height + 2 * above).min(over.height);
    let x = over.x + (over.width - width) / 2;
    let y = over.y + (over.height - height) / 2;
    let area = Rect::new(x, y, width, height);
    canvas.clear(area);
    canvas.target(area, super::canvas::Target::Dialog);
    let inside = pane(canvas, area, title, true);
    let (x, y) = (inside.x + aside, inside.y + above);
    Rect::new(x, y, inside.width.saturating_sub(2 * aside), inside.height.saturating_sub(2 * above))
}
