//! A box with a title in its upper border: `╭ FILTERS ─────╮`.

use ratatui::prelude::Margin;
use ratatui::widgets::{Block, BorderType};

use super::prelude::*;

/// A box with a title, and words in its borders where there is room: at the right end of the upper one, at both ends of the lower.
pub struct TitledPane<'a> {
    title: &'a str,
    beside: &'a str,
    below: [&'a str; 2],
    focused: bool,
}

impl<'a> TitledPane<'a> {
    pub fn new(title: &'a str, focused: bool) -> TitledPane<'a> {
        TitledPane { title, beside: "", below: ["", ""], focused }
    }

    pub fn beside(self, beside: &'a str) -> TitledPane<'a> {
        TitledPane { beside, ..self }
    }

    pub fn below(self, left: &'a str, right: &'a str) -> TitledPane<'a> {
        TitledPane { below: [left, right], ..self }
    }

    /// Draws the box and returns what is inside.
    pub fn draw(self, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) -> Rect {
        let area = area.intersection(buf.area);
        self.render(area, buf, cx);
        area.inner(Margin::new(1, 1))
    }

    /// Draws the box over whatever is there, in the middle of `over`, at most as large as it, with a cell of padding where there is room.
    pub fn over(self, over: Rect, width: u16, height: u16, buf: &mut Buffer, cx: &mut ViewContext) -> Rect {
        let (aside, above) = (u16::from(width + 2 <= over.width), u16::from(height + 2 <= tallest(over)));
        let width = (width + 2 * aside).min(over.width);
        let height = (height + 2 * above).min(over.height);
        let x = over.x + (over.width - width) / 2;
        let y = over.y + (over.height - height) / 2;
        let area = Rect::new(x, y, width, height);
        // A column or two beside it would show the borders of what is behind.
        cx.clear(buf, if over.width - width <= 4 { Rect { x: over.x, width: over.width, ..area } } else { area });
        cx.target(area, Target::Dialog);
        self.draw(area, buf, cx).inner(Margin::new(aside, above))
    }
}

impl StatefulWidget for TitledPane<'_> {
    type State = ViewContext;

    fn render(self, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let area = area.intersection(buf.area);
        if area.width < 2 || area.height < 2 {
            return;
        }
        let bottom = Rect { y: area.bottom() - 1, height: 1, ..area };
        if cx.is_over_shown() {
            // Only what stands in its lower border can have changed.
            rule(buf, cx, bottom, ['╰', '─', '╯'], self.focused);
        } else {
            frame(cx, self.focused).render(area, buf);
        }
        if !self.title.is_empty() && area.width > 4 && !cx.is_over_shown() {
            label(buf, cx, area.x + 2, area.y, area.width - 4, self.title, Role::Title);
        }
        let room = area.width.saturating_sub(6);
        let right = |cx: &mut ViewContext, buf: &mut Buffer, y: u16, mut words: &str, taken: usize| {
            let fits = |words: &str| usize::from(room) >= taken + text::width(words);
            while let Some((first, _)) = words.rsplit_once(" · ").filter(|_| !fits(words)) {
                words = first;
            }
            let wide = text::width(words);
            if wide > 0 && fits(words) {
                label(buf, cx, area.right() - wide as u16 - 3, y, wide as u16, words, Role::Dim);
            }
        };
        let [left, end] = self.below;
        right(cx, buf, area.y, self.beside, text::width(self.title) + 3);
        if !left.is_empty() {
            label(buf, cx, area.x + 3, bottom.y, room, left, Role::Dim);
        }
        right(cx, buf, bottom.y, end, text::width(left) + 3);
    }
}

/// A box without words.
pub fn frame(cx: &ViewContext, focused: bool) -> Block<'static> {
    Block::bordered().border_type(BorderType::Rounded).border_style(cx.style(border(focused)))
}

fn border(focused: bool) -> Role {
    if focused { Role::Focus } else { Role::Border }
}

/// Words in a border, with a blank around them: nothing of its look stays under them.
fn label(buf: &mut Buffer, cx: &mut ViewContext, x: u16, y: u16, room: u16, words: &str, role: Role) {
    let wide = (text::width(words) as u16).min(room);
    let area = Rect::new(x - 1, y, wide + 2, 1);
    cx.change(area);
    cx.clear(buf, area);
    text::put_cut(buf, x, y, wide, words, cx.style(role));
}

/// A line across a box from border to border, such as `├─────┤`. Over the shown frame only what differs is drawn.
pub fn rule(buf: &mut Buffer, cx: &mut ViewContext, line: Rect, [begin, between, end]: [char; 3], focused: bool) {
    let line = line.intersection(buf.area);
    let [mut first, mut cell, mut last] = [const { ratatui::buffer::Cell::EMPTY }; 3];
    for (cell, sign) in [(&mut first, begin), (&mut cell, between), (&mut last, end)] {
        cell.set_style(cx.style(Role::Text)).set_char(sign).set_style(cx.style(border(focused)));
    }
    let wanted = |x: u16| match x {
        _ if x == line.left() => &first,
        _ if x + 1 == line.right() => &last,
        _ => &cell,
    };
    let differs = |x: &u16| buf[(*x, line.y)] != *wanted(*x);
    let Some(start) = (line.left()..line.right()).find(differs) else { return };
    let stop = (start..line.right()).rev().find(differs).map_or(start, |x| x + 1);
    // Nothing of the look of longer words stays where a label was.
    cx.redraw(buf, Rect { x: start, width: stop - start, ..line });
    (start..stop).for_each(|x| buf[(x, line.y)].clone_from(wanted(x)));
}

/// As many lines as a dialog takes of the place for dialogs; where that is small it may take more.
pub fn tallest(over: Rect) -> u16 {
    (over.height * 3 / 5).max(14).min(over.height)
}
