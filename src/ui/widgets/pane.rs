//! A box with a title in its upper border: `╭ FILTERS ─────╮`.

use ratatui::buffer::Cell;
use ratatui::prelude::Margin;
use ratatui::widgets::{Block, BorderType, Borders};

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
        // As much as fits beside what is taken, and where it is.
        let at_end = |mut words: &'a str, y: u16, taken: usize| {
            let mut wide = text::width(words);
            while wide > 0 && taken + wide > room.into() {
                words = words.rsplit_once(" · ").map_or("", |(first, _)| first);
                wide = text::width(words);
            }
            (place_of(area.right().saturating_sub(wide as u16 + 3), y, wide as u16), words)
        };
        let (bottom, [left, end]) = (Rect { y: area.bottom() - 1, height: 1, ..area }, self.below);
        let wide = text::width(left);
        let left = (place_of(area.x + 3, bottom.y, (wide as u16).min(room)), left);
        let below = [left, at_end(end, bottom.y, wide + 3)];
        let before = cx.words_in_border(bottom, below);
        if cx.is_over_shown() {
            // Only what stands in its lower border can have changed.
            for (place, _) in before.iter().filter(|(place, _)| below.iter().all(|(now, _)| now != place)) {
                rule(buf, cx, *place, ['─'; 3], self.focused);
            }
        } else {
            frame(area, buf, cx, self.focused);
            let wide = text::width(self.title);
            if area.width > 4 {
                let place = place_of(area.x + 2, area.y, (wide as u16).min(area.width - 4));
                label(buf, cx, place, self.title, Role::Title);
            }
            let (place, words) = at_end(self.beside, area.y, wide + 3);
            label(buf, cx, place, words, Role::Dim);
        }
        let is_there = |now: (Rect, &str)| before.iter().any(|(place, words)| now == (*place, words.as_str()));
        for (place, words) in below.into_iter().filter(|now| !is_there(*now)) {
            label(buf, cx, place, words, Role::Dim);
        }
    }
}

/// Draws a box without words, edge by edge: a block also looks up every cell inside, to give it a style.
pub fn frame(area: Rect, buf: &mut Buffer, cx: &ViewContext, focused: bool) {
    let block = Block::new().border_type(BorderType::Rounded).border_style(cx.style(border(focused)));
    let sides = Rect { y: area.y + 1, height: area.height.saturating_sub(2), ..area };
    let edges = [
        (Borders::ALL - Borders::BOTTOM, Rect { height: 1, ..area }),
        (Borders::LEFT, Rect { width: 1, ..sides }),
        (Borders::RIGHT, Rect { x: area.right() - 1, width: 1, ..sides }),
        (Borders::ALL - Borders::TOP, Rect { y: area.bottom() - 1, height: 1, ..area }),
    ];
    edges.into_iter().for_each(|(borders, edge)| block.clone().borders(borders).render(edge, buf));
}

fn border(focused: bool) -> Role {
    if focused { Role::Focus } else { Role::Border }
}

/// The place of words in a border, with a blank on each side.
fn place_of(x: u16, y: u16, wide: u16) -> Rect {
    Rect::new(x.saturating_sub(1), y, if wide > 0 { wide + 2 } else { 0 }, 1)
}

/// Draws words in a border. Nothing of its look stays under them.
fn label(buf: &mut Buffer, cx: &mut ViewContext, place: Rect, words: &str, role: Role) {
    if !place.is_empty() {
        cx.change(place);
        cx.clear(buf, place);
        text::put_cut(buf, place.x + 1, place.y, place.width - 2, words, cx.style(role));
    }
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
