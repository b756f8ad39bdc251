//! The cells of one frame, and what differs from the frame that is shown.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::cell::{BESIDE, Brush, Cell, Letter, Link, Look, same_numbers};

#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub area: Rect,
    /// Row by row.
    pub cells: Vec<Cell>,
    /// Letters of many bytes: families, flags, stacked consonants.
    beside: Vec<Box<str>>,
    pub links: Vec<Link>,
    /// Where the parts are that the next frame may copy from this one.
    parts: [Rect; Part::COUNT],
}

/// A part of the screen that stays the same when a key only moves in the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Header,
    Tabs,
    Filters,
}

impl Part {
    const COUNT: usize = 3;
}

impl Frame {
    pub fn blank(area: Rect) -> Frame {
        let cells = vec![Cell::BLANK; usize::from(area.width) * usize::from(area.height)];
        Frame { area, cells, ..Frame::default() }
    }

    /// Empties the frame for the next view; the memory stays.
    pub fn begin(&mut self, area: Rect, paper: Style) {
        let blank = Cell { letter: Letter::BLANK, look: Brush::from(paper).over(Look::PLAIN) };
        self.area = area;
        self.cells.clear();
        self.cells.resize(usize::from(area.width) * usize::from(area.height), blank);
        self.beside.clear();
        self.links.clear();
        self.parts = [Rect::ZERO; Part::COUNT];
    }

    /// Notes where a part is, and copies its cells from `before` if it was in the same place there. Returns false if it must be drawn.
    pub fn takes_over(&mut self, part: Part, area: Rect, before: Option<&Frame>) -> bool {
        self.parts[part as usize] = area;
        let stood = |before: &&Frame| before.area == self.area && before.parts[part as usize] == area;
        let Some(before) = before.filter(stood) else { return false };
        for y in area.top()..area.bottom() {
            let Some(start) = self.at(area.x, y) else { continue };
            let cells = start..start + usize::from(area.width);
            self.cells[cells.clone()].copy_from_slice(&before.cells[cells.clone()]);
            for at in cells.filter(|at| !before.beside.is_empty() && before.cells[*at].is_beside()) {
                self.put(at, before.symbol(at), Brush::from(Style::new()));
            }
        }
        true
    }

    /// What a terminal shows after it moved these rows up or down.
    pub fn scroll(&mut self, rows: &Range<u16>, by: i32) {
        let width = usize::from(self.area.width);
        let part = &mut self.cells[usize::from(rows.start) * width..usize::from(rows.end) * width];
        let count = (by.unsigned_abs() as usize * width).min(part.len());
        if by > 0 {
            part.rotate_left(count);
            let left = part.len() - count;
            part[left..].fill(Cell::BLANK);
        } else {
            part.rotate_right(count);
            part[..count].fill(Cell::BLANK);
        }
    }

    /// Nothing is known any more of what these cells show.
    pub fn invalidate(&mut self, area: Rect) {
        self.part(area).for_each(|cells| cells.fill(Cell::UNKNOWN));
    }

    /// Where a cell of the frame stands among all. Elsewhere there is none.
    pub fn at(&self, x: u16, y: u16) -> Option<usize> {
        let area = self.area;
        let inside = (area.left()..area.right()).contains(&x) && (area.top()..area.bottom()).contains(&y);
        inside.then(|| usize::from(y - area.top()) * usize::from(area.width) + usize::from(x - area.left()))
    }

    /// The cells of a part of the frame, a row at a time.
    pub fn part(&mut self, area: Rect) -> impl Iterator<Item = &mut [Cell]> {
        let area = area.intersection(self.area);
        let left = usize::from(area.left().saturating_sub(self.area.left()));
        let rows = self.cells.chunks_mut(usize::from(self.area.width).max(1));
        let rows = rows.skip(usize::from(area.top().saturating_sub(self.area.top()))).take(usize::from(area.height));
        rows.map(move |row| &mut row[left..left + usize::from(area.width)])
    }

    /// What stands in a cell: one letter, as the eye counts them, or nothing in the right half of a wide one.
    pub fn symbol(&self, at: usize) -> &str {
        let letter = &self.cells[at].letter;
        match letter.0 {
            [BESIDE, a, b, c] => {
                self.beside.get(u32::from_be_bytes([0, a, b, c]) as usize).map_or(" ", |letter| letter)
            }
            _ => std::str::from_utf8(&letter.0[..letter.length()]).unwrap_or(" "),
        }
    }

    /// Whether two cells of two frames show the same.
    #[inline]
    pub fn same(&self, at: usize, other: &Frame, there: usize) -> bool {
        let (one, two) = (&self.cells[at], &other.cells[there]);
        if one.letter.0[0] != BESIDE || two.letter.0[0] != BESIDE {
            return one == two;
        }
        one.look == two.look && self.symbol(at) == other.symbol(there)
    }

    /// Which cells of a row show something else than in the other frame, from the first of them to the last.
    pub fn changed(&self, row: usize, other: &Frame) -> Option<Range<usize>> {
        let width = usize::from(self.area.width);
        let start = row * width;
        let cells = start..start + width;
        if same_numbers(&self.cells[cells.clone()], &other.cells[cells]) && self.beside.is_empty() {
            return None;
        }
        let (new, old) = (&self.cells[start..start + width], &other.cells[start..start + width]);
        if self.beside.is_empty() {
            let first = new.iter().zip(old).position(|(new, old)| new != old)?;
            let behind = new.iter().zip(old).rev().position(|(new, old)| new != old).unwrap_or(0);
            return Some(first..width - behind);
        }
        let mut differing = (0..width).filter(|x| !self.same(start + x, other, start + x));
        let first = differing.next()?;
        Some(first..differing.next_back().unwrap_or(first) + 1)
    }

    /// Bytes from 0x20 to 0x7e, one to a cell, as far as the cells of this row go.
    pub fn put_ascii(&mut self, at: usize, letters: &[u8], brush: Brush) {
        for (cell, byte) in self.cells[at..].iter_mut().zip(letters) {
            *cell = Cell { letter: Letter::of(*byte), look: brush.over(cell.look) };
        }
    }

    /// One letter that is a single character.
    pub fn put_char(&mut self, at: usize, letter: char, brush: Brush) {
        let look = brush.over(self.cells[at].look);
        self.cells[at] = Cell { letter: Letter::from(letter), look };
    }

    /// One letter.
    pub fn put(&mut self, at: usize, symbol: &str, brush: Brush) {
        let mut chars = symbol.chars();
        let letter = match (chars.next(), chars.next()) {
            (None, _) => Letter::HALF,
            (Some(letter), None) => Letter::from(letter),
            _ => {
                // A frame has fewer cells than three bytes can count.
                let [_, a, b, c] = (self.beside.len() as u32).to_be_bytes();
                self.beside.push(symbol.into());
                Letter([BESIDE, a, b, c])
            }
        };
        let look = brush.over(self.cells[at].look);
        self.cells[at] = Cell { letter, look };
    }

    /// Other looks for letters that stay.
    pub fn restyle(&mut self, area: Rect, brush: Brush) {
        self.part(area).flatten().for_each(|cell| cell.look = brush.over(cell.look));
    }

    /// Each row as a text, without the blanks at its end.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let width = usize::from(self.area.width);
        (0..usize::from(self.area.height)).map(move |row| {
            let line: String = (row * width..(row + 1) * width).map(|at| self.symbol(at)).collect();
            line.trim_end().to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_comes_back_however_long_it_is() {
        let brush = Brush::from(Style::new());
        let mut one = Frame::blank(Rect::new(0, 0, 8, 1));
        let letters = ["a", "é", "山", "👍", "e\u{301}", "ष्ट्री", "👩‍👩‍👧‍👦", ""];
        for (at, letter) in letters.iter().enumerate() {
            one.put(at, letter, brush);
        }
        let mut two = Frame::blank(one.area);
        for (at, letter) in letters.iter().enumerate().rev() {
            two.put(at, letter, brush);
        }
        for (at, letter) in letters.iter().enumerate() {
            assert_eq!(one.symbol(at), *letter);
            for (there, other) in letters.iter().enumerate() {
                assert_eq!(one.same(at, &two, there), letter == other, "{letter} and {other}");
            }
        }
    }
}
