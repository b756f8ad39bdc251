//! A list of lines of which one is marked: pickers, palette, recall, menus.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::theme::Role;
use lode_core::text;

use super::context::{Target, ViewContext};

/// Which line of a list is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    pub at: usize,
}

impl Marked {
    pub fn next(&mut self, count: usize) {
        self.at = if self.at + 1 >= count { 0 } else { self.at + 1 };
    }

    pub fn previous(&mut self, count: usize) {
        self.at = if self.at == 0 { count.saturating_sub(1) } else { self.at - 1 };
    }
}

/// One line: what it says, what stands at its right end, and its role.
pub struct Line<'a> {
    pub left: std::borrow::Cow<'a, str>,
    pub right: std::borrow::Cow<'a, str>,
    pub role: Role,
}

impl<'a> Line<'a> {
    pub fn new(left: impl Into<std::borrow::Cow<'a, str>>, right: impl Into<std::borrow::Cow<'a, str>>) -> Line<'a> {
        Line { left: left.into(), right: right.into(), role: Role::Text }
    }

    pub fn role(mut self, role: Role) -> Line<'a> {
        self.role = role;
        self
    }
}

/// Draws the visible lines. `of` makes the line of a place; only visible ones are made.
pub fn draw<'a>(
    buf: &mut Buffer,
    cx: &mut ViewContext,
    area: Rect,
    count: usize,
    marked: &Marked,
    of: impl Fn(usize) -> Line<'a>,
) {
    let height = usize::from(area.height);
    let top = (marked.at.min(count.saturating_sub(1)) + 1).saturating_sub(height.max(1));
    for (place, at) in (top..count.min(top + height)).enumerate() {
        let y = area.y + place as u16;
        let line = of(at);
        let is_marked = at == marked.at;
        let (sign, role) = if is_marked { ("▸ ", Role::Cursor) } else { ("  ", line.role) };
        cx.put(buf, area.x, y, area.width, sign, Role::Text);
        let room = area.width.saturating_sub(2);
        let right = text::width(&line.right).min(usize::from(room / 2)) as u16;
        let gap = u16::from(right > 0) * 2;
        cx.put(buf, area.x + 2, y, room.saturating_sub(right + gap), &line.left, role);
        if right > 0 {
            cx.put_right(buf, area.right(), y, right, &line.right, if is_marked { line.role } else { Role::Dim });
        }
        if is_marked {
            cx.restyle(buf, Rect::new(area.x, y, area.width, 1), Role::Row);
        }
        cx.target(Rect::new(area.x, y, area.width, 1), Target::Line(at));
    }
}
