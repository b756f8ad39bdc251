//! A list of lines of which one is marked: pickers, palette, recall, menus.

use super::prelude::*;

/// One line: the letter that takes it, whether it is marked, what it says, what stands at its right end, and its role.
pub struct ListLine<'a> {
    pub letter: Option<char>,
    pub mark: Option<bool>,
    pub left: &'a str,
    pub right: &'a str,
    pub role: Role,
}

/// The visible lines of a list, one of them marked.
pub struct LineList<'a, F> {
    pub count: usize,
    pub marked: usize,
    /// What is typed to find a line: it is lit where a line has it.
    pub typed: &'a str,
    /// Makes the line of a place; it is asked for visible ones only.
    pub line: F,
}

impl<'a, F: Fn(usize) -> ListLine<'a>> StatefulWidget for LineList<'_, F> {
    type State = ViewContext;

    fn render(self, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let height = usize::from(area.height);
        let top = (self.marked.min(self.count.saturating_sub(1)) + 1).saturating_sub(height.max(1));
        for (line, at) in area.rows().zip(top..self.count) {
            self.draw_line(at, line, buf, cx);
        }
        // In the border: there are more lines above or below.
        for (is_there, y, sign) in [(top > 0, area.y, "▴"), (top + height < self.count, area.bottom() - 1, "▾")] {
            if is_there && height > 0 {
                cx.put(buf, area.right(), y, 1, sign, Role::Dim);
            }
        }
    }
}

impl<'a, F: Fn(usize) -> ListLine<'a>> LineList<'_, F> {
    /// Draws the line of a place into an area of one row.
    pub fn draw_line(&self, at: usize, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let line = (self.line)(at);
        let is_marked = at == self.marked;
        let (sign, role) = if is_marked { ("▌ ", Role::Cursor) } else { ("  ", line.role) };
        let letter = line.letter.map_or(String::new(), |letter| format!("{letter}  "));
        let (mark, mark_role) = match line.mark {
            Some(true) => ("■ ", Role::Key),
            Some(false) => ("□ ", Role::Dim),
            None => ("", Role::Dim),
        };
        let before = [(sign, Role::Focus), (&letter, Role::Key), (mark, mark_role)];
        let used = cx.line(buf, area.x, area.y, area.width, &before);
        let room = area.width.saturating_sub(used);
        // What the left leaves, and at least half of the line.
        let left_over = usize::from(room).saturating_sub(text::width(line.left) + 2);
        let right = text::width(line.right).min(left_over.max(usize::from(room / 2))) as u16;
        let gap = u16::from(right > 0) * 2;
        cx.put(buf, area.x + used, area.y, room.saturating_sub(right + gap), line.left, role);
        if right > 0 {
            cx.put_right(buf, area.right(), area.y, right, line.right, if is_marked { line.role } else { Role::Dim });
        }
        if is_marked {
            cx.restyle(buf, area, Role::Row);
        }
        let lower = line.left.to_ascii_lowercase();
        for word in self.typed.to_ascii_lowercase().split_whitespace() {
            let Some(start) = lower.find(word) else { continue };
            let x = text::width(&line.left[..start]).min(room.saturating_sub(right + gap).into()) as u16;
            let width = (text::width(word) as u16).min(room.saturating_sub(right + gap + x));
            cx.restyle(buf, Rect { x: area.x + used + x, width, ..area }, Role::Match);
        }
        cx.target(area, Target::Line(at));
    }
}
