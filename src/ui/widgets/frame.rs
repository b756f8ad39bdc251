//! The cells of one frame. A frame is drawn over an older one and held against the one that is shown.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::cell::{BESIDE, Brush, Cell, Letter, Link, Look, same_numbers};
use super::kept::{Kept, Stretches, roll};

#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub area: Rect,
    /// Row by row.
    pub cells: Vec<Cell>,
    /// Letters of many bytes: families, flags, stacked consonants.
    beside: Vec<Box<str>>,
    pub links: Vec<Link>,
    /// What the next view over this frame need not draw again.
    pub(super) kept: Kept,
    /// Where nothing is drawn.
    paper: Look,
}

impl Frame {
    pub fn blank(area: Rect) -> Frame {
        let cells = vec![Cell::BLANK; usize::from(area.width) * usize::from(area.height)];
        Frame { area, cells, beside: Vec::new(), links: Vec::new(), kept: Kept::default(), paper: Look::PLAIN }
    }

    /// Paper for the next view. What an earlier one drew is gone, but for what stands where the next has the lines of a list
    /// and its patches: [`Kept`].
    pub fn begin(&mut self, area: Rect, list: Rect, patches: &[Rect], paper: Style) {
        if self.area != area {
            *self = Frame::blank(area);
        }
        self.kept.begin(list, patches);
        self.paper = Brush::from(paper).over(Look::PLAIN);
        let blank = self.empty();
        let width = usize::from(area.width).max(1);
        for (y, row) in self.cells.chunks_mut(width).enumerate() {
            self.kept.standing(y as u16).gaps(width).for_each(|gap| row[gap].fill(blank));
        }
        self.beside.clear();
        self.links.clear();
    }

    fn empty(&self) -> Cell {
        Cell { letter: Letter::BLANK, look: self.paper }
    }

    /// Takes away the lines of the list in these rows, where an earlier view drew them.
    pub fn erase(&mut self, rows: Range<u16>) {
        let (blank, list) = (self.empty(), self.kept.list);
        for y in rows.start.max(list.top())..rows.end.min(list.bottom()) {
            if self.kept.line(y).is_some() {
                self.kept.put_line(y, None);
                self.part(Rect { y, height: 1, ..list }).for_each(|cells| cells.fill(blank));
            }
        }
    }

    /// Takes away a patch, where an earlier view drew one.
    pub fn erase_patch(&mut self, area: Rect) {
        if self.kept.patch(area).is_some() {
            self.kept.put_patch(area, None);
            let blank = self.empty();
            self.part(area).for_each(|cells| cells.fill(blank));
        }
    }

    /// How many letters stand beside the cells. What has such a one is not kept: they go with every view.
    pub fn beside(&self) -> usize {
        self.beside.len()
    }

    /// What a terminal shows after it moved these rows up or down.
    pub fn scroll(&mut self, rows: &Range<u16>, by: i32) {
        let width = usize::from(self.area.width);
        let part = &mut self.cells[usize::from(rows.start) * width..usize::from(rows.end) * width];
        roll(part, by, width, Cell::BLANK);
        self.kept.scroll(rows, by);
    }

    /// Nothing is known any more of what these cells show.
    pub fn unknow(&mut self, area: Rect) {
        self.part(area).for_each(|cells| cells.fill(Cell::UNKNOWN));
        self.kept.forget(area);
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
        let bytes = &self.cells[at].letter.0;
        match bytes[7] {
            BESIDE => {
                let [a, b, c, d, ..] = *bytes;
                self.beside.get(u32::from_le_bytes([a, b, c, d]) as usize).map_or(" ", |letter| letter)
            }
            length => std::str::from_utf8(&bytes[..usize::from(length)]).unwrap_or(" "),
        }
    }

    /// Whether two cells of two frames show the same.
    pub fn same(&self, at: usize, other: &Frame, there: usize) -> bool {
        let (one, two) = (&self.cells[at], &other.cells[there]);
        if one.letter.0[7] != BESIDE || two.letter.0[7] != BESIDE {
            return one == two;
        }
        one.look == two.look && self.symbol(at) == other.symbol(there)
    }

    /// Which cells of a row show something else than in the other frame, from the first of them to the last; and what is the
    /// same in both without a look at the cells, because both drew it from the same.
    pub fn changed(&self, row: usize, other: &Frame) -> Option<(Range<usize>, Stretches)> {
        let width = usize::from(self.area.width);
        let start = row * width;
        let known = self.kept.same(row as u16, &other.kept);
        let same = |cells: Range<usize>| {
            let cells = start + cells.start..start + cells.end;
            same_numbers(&self.cells[cells.clone()], &other.cells[cells.clone()])
                && (self.beside.is_empty() || cells.into_iter().all(|at| self.same(at, other, at)))
        };
        if known.gaps(width).all(same) {
            return None;
        }
        let differs = |x: &usize| !self.same(start + x, other, start + x);
        let mut cells = known.gaps(width).flatten();
        let first = cells.find(differs)?;
        let last = cells.rfind(differs).unwrap_or(first);
        drop(cells);
        Some((first..last + 1, known))
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
        let mut bytes = [0; 8];
        if symbol.len() < bytes.len() {
            bytes[..symbol.len()].copy_from_slice(symbol.as_bytes());
            bytes[7] = symbol.len() as u8;
        } else {
            let place = u32::try_from(self.beside.len()).unwrap_or(u32::MAX);
            self.beside.push(symbol.into());
            bytes[..4].copy_from_slice(&place.to_le_bytes());
            bytes[7] = BESIDE;
        }
        let look = brush.over(self.cells[at].look);
        self.cells[at] = Cell { letter: Letter(bytes), look };
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
