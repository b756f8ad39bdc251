//! What a letter is and how it looks, in sixteen bytes.
//!
//! A key draws over a frame and holds it against the one that is shown, so a cell is as small as it can be: a screen fits into
//! the nearest memory of a processor, and two looks or two letters are the same where two numbers are. A letter that needs
//! more bytes than a cell has stands beside the cells.

use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// How a letter looks: ink and paper in twenty-six bits each, weights in twelve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Look(u64);

const COLOR: u64 = (1 << 26) - 1;
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

fn number(color: Color) -> u64 {
    match color {
        Color::Rgb(r, g, b) => 1 << 25 | u64::from(u32::from_be_bytes([0, r, g, b])),
        Color::Indexed(n) => 1 << 24 | u64::from(n),
        named => BY_NAME.iter().position(|known| *known == named).unwrap_or(0) as u64,
    }
}

fn color(number: u64) -> Color {
    let [.., kind, r, g, b] = number.to_be_bytes();
    match kind {
        0 => BY_NAME.get(usize::from(b)).copied().unwrap_or(Color::Reset),
        1 => Color::Indexed(b),
        _ => Color::Rgb(r, g, b),
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
        for (color, at) in [(style.fg, 0), (style.bg, PAPER)] {
            if let Some(color) = color {
                brush.keep &= !(COLOR << at);
                brush.put |= number(color) << at;
            }
        }
        brush.keep &= !(u64::from(style.sub_modifier.bits()) << WEIGHTS);
        brush.put |= u64::from((style.add_modifier - style.sub_modifier).bits()) << WEIGHTS;
        brush
    }
}

impl Brush {
    pub(super) fn over(self, look: Look) -> Look {
        Look(look.0 & self.keep | self.put)
    }
}

/// The bytes of a letter and how many they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letter(pub(super) [u8; 8]);

/// What the number of bytes says of a letter that stands beside the cells; its place there is in the first bytes.
pub(super) const BESIDE: u8 = u8::MAX;

impl Letter {
    pub(super) const BLANK: Letter = Letter::of(b' ');

    pub(super) fn from(letter: char) -> Letter {
        let mut bytes = [0; 8];
        bytes[7] = letter.encode_utf8(&mut bytes).len() as u8;
        Letter(bytes)
    }

    pub(super) const fn of(byte: u8) -> Letter {
        Letter([byte, 0, 0, 0, 0, 0, 0, 1])
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub(super) letter: Letter,
    pub look: Look,
}

impl Cell {
    pub const BLANK: Cell = Cell { letter: Letter::BLANK, look: Look::PLAIN };
    /// What no view draws: stands for a cell of which nothing is known.
    pub const UNKNOWN: Cell = Cell { letter: Letter::of(1), look: Look::PLAIN };

    /// The right half of a wide letter has none of its own.
    pub fn is_half(&self) -> bool {
        self.letter.0[7] == 0
    }

    pub fn is_blank(&self) -> bool {
        self.letter == Letter::BLANK
    }

    /// The letter, where it is a single byte.
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

/// Whether cells are the same as far as their numbers go, many at a time.
pub(super) fn same_numbers(one: &[Cell], two: &[Cell]) -> bool {
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
        assert_eq!(size_of::<Cell>(), 16);
    }
}
