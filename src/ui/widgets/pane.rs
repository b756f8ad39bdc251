//! A box with a title in its upper border: `╭ FILTERS ─────╮`.

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
        let places = below.map(|(x, words)| place_of(x, bottom.y, room, words));
        let before = cx.words_in_border(bottom, places);
        if cx.is_over_shown() {
            // Only what stands in its lower border can have changed.
            for place in before.into_iter().filter(|place| !places.contains(place)) {
                rule(buf, cx, place, ['─'; 3], self.focused);
            }
        } else {
            frame(cx, self.focused).render(area, buf);
            if !self.title.is_empty() && area.width > 4 {
                label(buf, cx, place_of(area.x + 2, area.y, area.width - 4, self.title), self.title, Role::Title);
            }
            let (x, words) = at_end(self.beside, text::width(self.title) + 3);
            label(buf, cx, place_of(x, area.y, room, words), words, Role::Dim);
        }
        below.iter().zip(places).for_each(|((_, words), place)| label(buf, cx, place, words, Role::Dim));
    }
}

/// A box without words.
pub fn frame(cx: &ViewContext, focused: bool) -> Block<'static> {
    Block::bordered().border_type(BorderType::Rounded).border_style(cx.style(border(focused)))
}

fn border(focused: bool) -> Role {
    if focused { Role::Focus } else { Role::Border }
}

/// The place of words in a border, with a blank on each side.
fn place_of(x: u16, y: u16, room: u16, words: &str) -> Rect {
    let width = if words.is_empty() { 0 } else { (text::width(words) as u16).min(room) + 2 };
    Rect::new(x.saturating_sub(1), y, width, 1)
}

/// Draws words in a border, where they are not there already. Nothing of its look stays under them.
fn label(buf: &mut Buffer, cx: &mut ViewContext, area: Rect, words: &str, role: Role) {
    if words.is_empty() {
        return;
    }
    let shown = (area.left()..area.right()).filter_map(|x| buf.cell((x, area.y))).map(Cell::symbol);
    let wanted = text::letters(words).map(|(letter, _)| letter);
    if cx.is_over_shown() && shown.eq([" "].into_iter().chain(wanted).chain([" "])) {
        return;
    }
    cx.change(area);
    cx.clear(buf, area);
    text::put_cut(buf, area.x + 1, area.y, area.width - 2, words, cx.style(role));
}

/// Draws a line across a box from border to border, such as `├─────┤`.
pub fn rule(buf: &mut Buffer, cx: &mut ViewContext, line: Rect, signs: [char; 3], focused: bool) {
    cx.change(line);
    let style = cx.style(Role::Text).patch(cx.style(border(focused)));
    for row in cells::rows_mut(buf, line) {
        let last = row.len().saturating_sub(1);
        for (at, cell) in row.iter_mut().enumerate() {
            let sign = if at == 0 { signs[0] } else { signs[if at == last { 2 } else { 1 }] };
            *cell = Cell::EMPTY;
            cell.set_char(sign).set_style(style);
        }
    }
}

/// As many lines as a dialog takes of the place for dialogs; where that is small it may take more.
pub fn tallest(over: Rect) -> u16 {
    (over.height * 3 / 5).max(14).min(over.height)
}
