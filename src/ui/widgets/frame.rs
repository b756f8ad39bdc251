//! The cells of one frame: what a letter is and how it looks, in sixteen bytes.
//!
//! A key draws a whole frame and holds it against the one that is shown, so both are as small as they can be: a screen fits
//! into the nearest memory of a processor, and two looks or two letters are the same where two numbers are. A letter that
//! needs more bytes than a cell has stands beside the cells.

use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::kept::{Kept, Seal};

/// How a letter looks: ink and paper in twenty-six bits each, weights in twelve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Look(u64);

const COLOUR: u64 = (1 << 26) - 1;
const PAPER: u32 = 26;
const WEIGHTS: u32 = 52;

const BY_NAME: [Color; 17] = [
    Color::Reset,
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

fn number(colour: Color) -> u64 {
    match colour {
        Color::Rgb(r, g, b) => 1 << 25 | u64::from(u32::from_be_bytes([0, r, g, b])),
        Color::Indexed(n) => 1 << 24 | u64::from(n),
        named => BY_NAME.iter().position(|known| *known == named).unwrap_or(0) as u64,
    }
}

fn colour(number: u64) -> Color {
    let [.., kind, r, g, b] = number.to_be_bytes();
    match kind {
        0 => BY_NAME.get(usize::from(b)).copied().unwrap_or(Color::Reset),
        1 => Color::Indexed(b),
        _ => Color::Rgb(r, g, b),
    }
}

impl Look {
    /// The terminal's own ink on its own paper.
    const PLAIN: Look = Look(0);

    #[must_use]
    pub fn fg(self) -> Color {
        colour(self.0 & COLOUR)
    }

    #[must_use]
    pub fn bg(self) -> Color {
        colour(self.0 >> PAPER & COLOUR)
    }

    #[must_use]
    pub fn modifier(self) -> Modifier {
        Modifier::from_bits_truncate((self.0 >> WEIGHTS) as u16)
    }
}

/// A style as what it keeps of a look and what it puts in its place.
#[derive(Clone, Copy)]
pub struct Brush {
    keep: u64,
    put: u64,
}

impl From<Style> for Brush {
    fn from(style: Style) -> Brush {
        let mut brush = Brush { keep: u64::MAX, put: 0 };
        for (colour, at) in [(style.fg, 0), (style.bg, PAPER)] {
            if let Some(colour) = colour {
                brush.keep &= !(COLOUR << at);
                brush.put |= number(colour) << at;
            }
        }
        brush.keep &= !(u64::from(style.sub_modifier.bits()) << WEIGHTS);
        brush.put |= u64::from((style.add_modifier - style.sub_modifier).bits()) << WEIGHTS;
        brush
    }
}

impl Brush {
    fn over(self, look: Look) -> Look {
        Look(look.0 & self.keep | self.put)
    }
}

/// The bytes of a letter and how many they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Letter([u8; 8]);

/// What the number of bytes says of a letter that stands beside the cells; its place there is in the first bytes.
const BESIDE: u8 = u8::MAX;

impl Letter {
    const BLANK: Letter = Letter::of(b' ');

    fn from(letter: char) -> Letter {
        let mut bytes = [0; 8];
        bytes[7] = letter.encode_utf8(&mut bytes).len() as u8;
        Letter(bytes)
    }

    const fn of(byte: u8) -> Letter {
        Letter([byte, 0, 0, 0, 0, 0, 0, 1])
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    letter: Letter,
    pub look: Look,
}

impl Cell {
    pub const BLANK: Cell = Cell { letter: Letter::BLANK, look: Look::PLAIN };
    /// What no view draws: stands for a cell of which nothing is known.
    pub const UNKNOWN: Cell = Cell { letter: Letter::of(1), look: Look::PLAIN };

    /// The right half of a wide letter has none of its own.
    #[must_use]
    pub fn is_half(&self) -> bool {
        self.letter.0[7] == 0
    }

    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.letter == Letter::BLANK
    }

    /// The letter, where it is a single byte.
    #[must_use]
    pub fn byte(&self) -> Option<u8> {
        (self.letter.0[7] == 1).then_some(self.letter.0[0])
    }
}

/// Cells of one row that lead to an address of the web, for terminals that can follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub area: Rect,
    pub to: String,
}

#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub area: Rect,
    /// Row by row.
    pub cells: Vec<Cell>,
    /// Letters of many bytes: families, flags, stacked consonants.
    beside: Vec<Box<str>>,
    pub links: Vec<Link>,
    /// Lines of a list that the next view over this frame need not draw again.
    kept: Kept,
    /// Where nothing is drawn.
    paper: Look,
}

impl Frame {
    #[must_use]
    pub fn blank(area: Rect) -> Frame {
        let cells = vec![Cell::BLANK; usize::from(area.width) * usize::from(area.height)];
        Frame { area, cells, beside: Vec::new(), links: Vec::new(), kept: Kept::default(), paper: Look::PLAIN }
    }

    /// Paper for the next view. What an earlier one drew is gone, but for the lines of a list that stands where it stood:
    /// those wait for [`Frame::line`].
    pub fn begin(&mut self, area: Rect, list: Option<Rect>, paper: Style) {
        if self.area != area {
            *self = Frame::blank(area);
        }
        let list = list.unwrap_or_default().intersection(area);
        if self.kept.area != list {
            self.kept = Kept::new(list);
        }
        self.paper = Brush::from(paper).over(Look::PLAIN);
        let blank = self.empty();
        let width = usize::from(area.width).max(1);
        for (y, row) in (area.top()..).zip(self.cells.chunks_mut(width)) {
            if self.kept.at(y).is_some() {
                row[..usize::from(list.left() - area.left())].fill(blank);
                row[usize::from(list.right() - area.left())..].fill(blank);
            } else {
                row.fill(blank);
            }
        }
        self.beside.clear();
        self.links.clear();
    }

    fn empty(&self) -> Cell {
        Cell { letter: Letter::BLANK, look: self.paper }
    }

    /// Whether this line of the list stands there already, drawn from the same.
    #[must_use]
    pub fn stands(&self, y: u16, seal: &Seal) -> bool {
        self.kept.at(y) == Some(seal)
    }

    /// Takes away the lines of the list in these rows, where an earlier view drew them.
    pub fn erase(&mut self, rows: Range<u16>) {
        let (blank, list) = (self.empty(), self.kept.area);
        for y in rows.start.max(list.top())..rows.end.min(list.bottom()) {
            if self.kept.at(y).is_some() {
                self.kept.put(y, None);
                self.part(Rect { y, height: 1, ..list }).for_each(|cells| cells.fill(blank));
            }
        }
    }

    /// A line of the list was drawn, from this and nothing else.
    pub fn keep(&mut self, y: u16, seal: Seal) {
        self.kept.put(y, Some(seal));
    }

    /// How many letters stand beside the cells. A line with such a one is not kept: they go with every view.
    #[must_use]
    pub fn beside(&self) -> usize {
        self.beside.len()
    }

    /// Something was drawn over these rows.
    pub fn forget(&mut self, rows: Range<u16>) {
        self.kept.forget(rows);
    }

    /// What a terminal shows after it moved these rows up or down.
    pub fn scroll(&mut self, rows: &Range<u16>, by: i32) {
        let width = usize::from(self.area.width);
        let part = &mut self.cells[usize::from(rows.start) * width..usize::from(rows.end) * width];
        let cells = (by.unsigned_abs() as usize * width).min(part.len());
        let empty = if by > 0 {
            part.rotate_left(cells);
            let kept = part.len() - cells;
            &mut part[kept..]
        } else {
            part.rotate_right(cells);
            &mut part[..cells]
        };
        empty.fill(Cell::BLANK);
        if (self.kept.area.top()..self.kept.area.bottom()) == *rows {
            self.kept.scroll(by);
        } else {
            self.kept.forget(rows.clone());
        }
    }

    /// Nothing is known any more of what these cells show.
    pub fn unknow(&mut self, area: Rect) {
        self.part(area).for_each(|cells| cells.fill(Cell::UNKNOWN));
        self.kept.forget(area.top()..area.bottom());
    }

    /// Where a cell of the frame stands among all. Elsewhere there is none.
    #[must_use]
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
    #[must_use]
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
    #[must_use]
    pub fn same(&self, at: usize, other: &Frame, there: usize) -> bool {
        let (one, two) = (&self.cells[at], &other.cells[there]);
        if one.letter.0[7] != BESIDE || two.letter.0[7] != BESIDE {
            return one == two;
        }
        one.look == two.look && self.symbol(at) == other.symbol(there)
    }

    /// Which cells of a row show something else than in the other frame: from the first of them to the last.
    #[must_use]
    pub fn changed(&self, row: usize, other: &Frame) -> Option<Range<usize>> {
        let width = usize::from(self.area.width);
        let start = row * width;
        let line = self.same_line(row, other);
        let same = |cells: Range<usize>| {
            let cells = start + cells.start..start + cells.end;
            same_numbers(&self.cells[cells.clone()], &other.cells[cells.clone()])
                && (self.beside.is_empty() || cells.into_iter().all(|at| self.same(at, other, at)))
        };
        let differs = |x: &usize| !self.same(start + x, other, start + x);
        let (before, after) = (0..line.start, line.end..width);
        if same(before.clone()) && same(after.clone()) {
            return None;
        }
        let mut cells = before.chain(after);
        let first = cells.find(differs)?;
        let last = cells.rfind(differs).unwrap_or(first);
        Some(first..last + 1)
    }

    /// The cells of a row that are the same in both without a look at them: a line that both drew from the same.
    #[must_use]
    pub fn same_line(&self, row: usize, other: &Frame) -> Range<usize> {
        let list = self.kept.area;
        match self.kept.same(self.area.y + row as u16, &other.kept) {
            true => usize::from(list.left() - self.area.left())..usize::from(list.right() - self.area.left()),
            false => 0..0,
        }
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

/// Whether cells are the same as far as their numbers go, many at a time.
fn same_numbers(one: &[Cell], two: &[Cell]) -> bool {
    let difference = |(one, two): (&Cell, &Cell)| {
        (u64::from_ne_bytes(one.letter.0) ^ u64::from_ne_bytes(two.letter.0)) | (one.look.0 ^ two.look.0)
    };
    one.chunks(16).zip(two.chunks(16)).all(|(one, two)| one.iter().zip(two).map(difference).fold(0, |a, b| a | b) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_what_its_style_says() {
        let colours = BY_NAME.into_iter().chain([
            Color::Indexed(0),
            Color::Indexed(255),
            Color::Rgb(0, 0, 0),
            Color::Rgb(255, 254, 253),
        ]);
        for one in colours.clone() {
            for two in colours.clone() {
                let look = Brush::from(Style::new().fg(one).bg(two).add_modifier(Modifier::all())).over(Look::PLAIN);
                assert_eq!((look.fg(), look.bg(), look.modifier()), (one, two, Modifier::all()));
                let lighter = Brush::from(Style::new().remove_modifier(Modifier::BOLD)).over(look);
                assert_eq!((lighter.fg(), lighter.bg()), (one, two));
                assert_eq!(lighter.modifier(), Modifier::all() - Modifier::BOLD);
            }
        }
        assert_eq!(Look::PLAIN, Brush::from(Style::reset()).over(Look::PLAIN));
    }

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

    #[test]
    fn a_cell_is_small() {
        assert_eq!(size_of::<Cell>(), 16);
    }
}
