//! A box with a title in its upper border: `╭ FILTERS ─────╮`.

use std::ops::Range;

use ratatui::buffer::Cell;
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

impl<'a> StatefulWidget for TitledPane<'a> {
    type State = ViewContext;

    fn render(self, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let area = area.intersection(buf.area);
        if area.width < 2 || area.height < 2 {
            return;
        }
        let room = area.width.saturating_sub(6);
        // As much as fits beside what is taken, and where it begins.
        let at_end = |mut words: &'a str, taken: usize| {
            let fits = |words: &str| usize::from(room) >= taken + text::width(words);
            while let Some((first, _)) = words.rsplit_once(" · ").filter(|_| !fits(words)) {
                words = first;
            }
            let words = if fits(words) { words } else { "" };
            (area.right().saturating_sub(text::width(words) as u16 + 3), words)
        };
        let (bottom, [left, end]) = (Rect { y: area.bottom() - 1, height: 1, ..area }, self.below);
        let below = [(area.x + 3, left), at_end(end, text::width(left) + 3)];
        if cx.is_over_shown() {
            // Only what stands in its lower border can have changed.
            rule(buf, cx, bottom, ['╰', '─', '╯'], self.focused, &below.map(|(x, words)| columns_of(x, room, words)));
        } else {
            frame(cx, self.focused).render(area, buf);
            if !self.title.is_empty() && area.width > 4 {
                label(buf, cx, area.x + 2, area.y, area.width - 4, self.title, Role::Title);
            }
            let (x, words) = at_end(self.beside, text::width(self.title) + 3);
            label(buf, cx, x, area.y, room, words, Role::Dim);
        }
        below.into_iter().for_each(|(x, words)| label(buf, cx, x, bottom.y, room, words, Role::Dim));
    }
}

/// A box without words.
pub fn frame(cx: &ViewContext, focused: bool) -> Block<'static> {
    Block::bordered().border_type(BorderType::Rounded).border_style(cx.style(border(focused)))
}

fn border(focused: bool) -> Role {
    if focused { Role::Focus } else { Role::Border }
}

/// The columns of words in a border, with a blank around them.
fn columns_of(x: u16, room: u16, words: &str) -> Range<u16> {
    if words.is_empty() { 0..0 } else { x - 1..x + (text::width(words) as u16).min(room) + 1 }
}

/// Draws words in a border, where they are not there already. Nothing of its look stays under them.
fn label(buf: &mut Buffer, cx: &mut ViewContext, x: u16, y: u16, room: u16, words: &str, role: Role) {
    let Range { start, end } = columns_of(x, room, words);
    if words.is_empty() {
        return;
    }
    let shown = (start..end).filter_map(|x| buf.cell((x, y))).map(Cell::symbol);
    let wanted = text::letters(words).map(|(letter, _)| letter);
    if cx.is_over_shown() && shown.eq([" "].into_iter().chain(wanted).chain([" "])) {
        return;
    }
    let area = Rect::new(start, y, end - start, 1);
    cx.change(area);
    cx.clear(buf, area);
    text::put_cut(buf, x, y, area.width - 2, words, cx.style(role));
}

/// Draws a line across a box from border to border, such as `├─────┤`, but for the columns of `words` in it. Only what differs is drawn.
pub fn rule(buf: &mut Buffer, cx: &mut ViewContext, line: Rect, signs: [char; 3], focused: bool, words: &[Range<u16>]) {
    let line = line.intersection(buf.area);
    let sign = |sign: char| {
        let mut cell = Cell::EMPTY;
        cell.set_style(cx.style(Role::Text)).set_char(sign).set_style(cx.style(border(focused)));
        cell
    };
    let [first, cell, last] = signs.map(sign);
    let mut changed = line.right()..line.left();
    for (x, shown) in (line.left()..).zip(cells::rows_mut(buf, line).flatten()) {
        let wanted = match x {
            _ if x == line.left() => &first,
            _ if x + 1 == line.right() => &last,
            _ => &cell,
        };
        if shown != wanted && !words.iter().any(|words| words.contains(&x)) {
            shown.clone_from(wanted);
            changed = changed.start.min(x)..x + 1;
        }
    }
    if !changed.is_empty() {
        cx.change(Rect { x: changed.start, width: changed.len() as u16, ..line });
    }
}

/// As many lines as a dialog takes of the place for dialogs; where that is small it may take more.
pub fn tallest(over: Rect) -> u16 {
    (over.height * 3 / 5).max(14).min(over.height)
}
