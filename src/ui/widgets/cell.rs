//! What a letter is and how it looks, in eight bytes.
//!
//! A key draws over a frame and holds it against the one that is shown, so a cell is as small as it can be: a screen fits into
//! the nearest memory of a processor, and two looks or two letters are the same where two numbers are. A letter that needs
//! more bytes than a cell has stands beside the cells.

use std::sync::atomic::{AtomicU32, Ordering};

use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// How a letter looks: ink and paper in eleven bits each, weights in ten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Look(u32);

const COLOR: u32 = (1 << 11) - 1;
const PAPER: u32 = 11;
const WEIGHTS: u32 = 22;

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

/// The first number of a color of the terminal's palette, and of one that is given exactly.
const INDEXED: u32 = BY_NAME.len() as u32;
const EXACT: u32 = INDEXED + 256;

/// The exact colors that were ever drawn with, by their numbers: the themes have a few dozen. Each is stored near
/// the place that its bits give, so it is found at once.
static KNOWN: [AtomicU32; 512] = [const { AtomicU32::new(0) }; 512];
/// What tells a color from an empty place.
const TAKEN: u32 = 1 << 24;

fn number(color: Color) -> u32 {
    match color {
        Color::Rgb(r, g, b) => EXACT + exact(TAKEN | u32::from_be_bytes([0, r, g, b])),
        Color::Indexed(n) => INDEXED + u32::from(n),
        named => BY_NAME.iter().position(|known| *known == named).unwrap_or(0) as u32,
    }
}

/// The place of a color among the known ones. A new one takes the first that is free.
fn exact(color: u32) -> u32 {
    let is_here = |place: &u32| {
        let place = &KNOWN[*place as usize];
        match place.load(Ordering::Relaxed) {
            0 => place
                .compare_exchange(0, color, Ordering::Relaxed, Ordering::Relaxed)
                .map_or_else(|now| now == color, |_| true),
            known => known == color,
        }
    };
    let places = KNOWN.len() as u32;
    let first = color.wrapping_mul(0x9e37_79b1) >> 16;
    (first..first + places).map(|place| place % places).find(is_here).unwrap_or(0)
}

fn color(number: u32) -> Color {
    match number {
        ..INDEXED => BY_NAME[number as usize],
        INDEXED..EXACT => Color::Indexed((number - INDEXED) as u8),
        EXACT.. => {
            let known = KNOWN.get((number - EXACT) as usize).map_or(0, |known| known.load(Ordering::Relaxed));
            let [_, r, g, b] = known.to_be_bytes();
            Color::Rgb(r, g, b)
        }
    }
}

impl Look {
    /// The terminal's own ink on its own paper.
    pub(super) const PLAIN: Look = Look(0);

    pub fn fg(self) -> Color {
        color(self.0 & COLOR)
    }

    pub fn bg(self) -> Color {
        color(self.0 >> PAPER & COLOR)
    }

    pub fn modifier(self) -> Modifier {
        Modifier::from_bits_truncate((self.0 >> WEIGHTS) as u16)
    }

    /// A number that differs for most looks: their place in a table.
    pub fn spread(self) -> usize {
        (self.0.wrapping_mul(0x9e37_79b1) >> 16) as usize
    }
}

/// A style as what it keeps of a look and what it puts in its place.
#[derive(Clone, Copy)]
pub struct Brush {
    keep: u32,
    put: u32,
}

impl From<Style> for Brush {
    fn from(style: Style) -> Brush {
        let mut brush = Brush { keep: u32::MAX, put: 0 };
        for (color, at) in [(style.fg, 0), (style.bg, PAPER)] {
            if let Some(color) = color {
                brush.keep &= !(COLOR << at);
                brush.put |= number(color) << at;
            }
        }
        brush.keep &= !(u32::from(style.sub_modifier.bits()) << WEIGHTS);
        brush.put |= u32::from((style.add_modifier - style.sub_modifier).bits()) << WEIGHTS;
        brush
    }
}

impl Brush {
    pub(super) fn over(self, look: Look) -> Look {
        Look(look.0 & self.keep | self.put)
    }
}

/// The bytes of a letter that is a single character; the first of them says how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letter(pub(super) [u8; 4]);

/// The first byte of a letter that stands beside the cells; its place there is in the other three.
pub(super) const BESIDE: u8 = u8::MAX;

impl Letter {
    pub(super) const BLANK: Letter = Letter::of(b' ');
    /// The right half of a wide letter.
    pub(super) const HALF: Letter = Letter::of(0);

    pub(super) fn from(letter: char) -> Letter {
        let mut bytes = [0; 4];
        letter.encode_utf8(&mut bytes);
        Letter(bytes)
    }

    pub(super) const fn of(byte: u8) -> Letter {
        Letter([byte, 0, 0, 0])
    }

    /// How many bytes it has.
    pub(super) fn length(self) -> usize {
        match self.0[0] {
            0 => 0,
            1..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq)]
pub struct Cell {
    pub(super) letter: Letter,
    pub look: Look,
}

impl PartialEq for Cell {
    /// Compares eight bytes at once: a frame is compared cell by cell for each key.
    #[inline]
    fn eq(&self, other: &Cell) -> bool {
        self.number() == other.number()
    }
}

impl Cell {
    pub const BLANK: Cell = Cell { letter: Letter::BLANK, look: Look::PLAIN };
    /// What no view draws: stands for a cell of which nothing is known.
    pub const UNKNOWN: Cell = Cell { letter: Letter::of(1), look: Look::PLAIN };

    fn number(self) -> u64 {
        u64::from(u32::from_ne_bytes(self.letter.0)) | u64::from(self.look.0) << 32
    }

    /// The right half of a wide letter has none of its own.
    pub fn is_half(&self) -> bool {
        self.letter == Letter::HALF
    }

    pub fn is_blank(&self) -> bool {
        self.letter == Letter::BLANK
    }

    /// The letter is too long for the cell and is stored beside the cells.
    pub fn is_beside(&self) -> bool {
        self.letter.0[0] == BESIDE
    }

    /// The letter, where it is a single byte.
    pub fn byte(&self) -> Option<u8> {
        matches!(self.letter.0[0], 1..0x80).then_some(self.letter.0[0])
    }

    /// The first byte of the letter.
    pub fn first_byte(&self) -> u8 {
        self.letter.0[0]
    }
}

/// Cells of one row that lead to an address of the web, for terminals that can follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub area: Rect,
    pub to: String,
}

/// Whether cells are the same as far as their numbers go, many at a time.
pub(super) fn same_numbers(one: &[Cell], two: &[Cell]) -> bool {
    let difference = |(one, two): (&Cell, &Cell)| {
        (u32::from_ne_bytes(one.letter.0) ^ u32::from_ne_bytes(two.letter.0)) | (one.look.0 ^ two.look.0)
    };
    one.chunks(16).zip(two.chunks(16)).all(|(one, two)| one.iter().zip(two).map(difference).fold(0, |a, b| a | b) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_what_its_style_says() {
        let colors = BY_NAME.into_iter().chain([
            Color::Indexed(0),
            Color::Indexed(255),
            Color::Rgb(0, 0, 0),
            Color::Rgb(255, 254, 253),
        ]);
        for one in colors.clone() {
            for two in colors.clone() {
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
    fn a_cell_is_small() {
        assert_eq!(size_of::<Cell>(), 8);
    }
}
