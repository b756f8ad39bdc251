//! The shortest way for the cursor from where it is to where it is wanted.

use super::number;

/// Appends the movement. `from` is none where the terminal's idea of the column cannot be trusted.
pub fn go(out: &mut Vec<u8>, from: Option<(u16, u16)>, to: (u16, u16)) {
    match from {
        Some(from) if from == to => {}
        Some(from) => {
            let (down, across) = (vertical(from.1, to.1), horizontal(from.0, to.0));
            if down.length() + across.length() < absolute_length(to) {
                down.append(out);
                across.append(out);
            } else {
                absolute(out, to);
            }
        }
        None => absolute(out, to),
    }
}

fn absolute(out: &mut Vec<u8>, (x, y): (u16, u16)) {
    out.extend_from_slice(b"\x1b[");
    if (x, y) != (0, 0) {
        number::append(out, y + 1);
    }
    if x > 0 {
        out.push(b';');
        number::append(out, x + 1);
    }
    out.push(b'H');
}

fn absolute_length((x, y): (u16, u16)) -> usize {
    let row = if (x, y) == (0, 0) { 0 } else { number::digits(y + 1) };
    3 + row + if x == 0 { 0 } else { 1 + number::digits(x + 1) }
}

/// A movement along one axis.
#[derive(Clone, Copy)]
enum Way {
    Stay,
    /// The same byte so many times.
    Bytes(u8, u16),
    Step(u16, u8),
    /// To the first column, and so many from there.
    Return(u16),
}

impl Way {
    fn length(self) -> usize {
        match self {
            Way::Stay => 0,
            Way::Bytes(_, count) => usize::from(count),
            Way::Step(1, _) => 3,
            Way::Step(count, _) => 3 + number::digits(count),
            Way::Return(0) => 1,
            Way::Return(count) => 1 + Way::Step(count, b'C').length(),
        }
    }

    fn append(self, out: &mut Vec<u8>) {
        match self {
            Way::Stay => {}
            Way::Bytes(byte, count) => out.extend(std::iter::repeat_n(byte, usize::from(count))),
            Way::Step(count, letter) => {
                out.extend_from_slice(b"\x1b[");
                if count > 1 {
                    number::append(out, count);
                }
                out.push(letter);
            }
            Way::Return(count) => {
                out.push(b'\r');
                if count > 0 {
                    Way::Step(count, b'C').append(out);
                }
            }
        }
    }
}

fn vertical(from: u16, to: u16) -> Way {
    match (to.checked_sub(from), from.saturating_sub(to)) {
        (Some(0), _) => Way::Stay,
        // In raw mode a line feed moves straight down. It never leaves the screen: `to` is a row of it.
        (Some(down @ 1..=3), _) => Way::Bytes(b'\n', down),
        (Some(down), _) => Way::Step(down, b'B'),
        (None, up) => Way::Step(up, b'A'),
    }
}

fn horizontal(from: u16, to: u16) -> Way {
    let straight = match (to.checked_sub(from), from.saturating_sub(to)) {
        (Some(0), _) => return Way::Stay,
        (Some(right), _) => Way::Step(right, b'C'),
        (None, left @ 1..=3) => Way::Bytes(8, left),
        (None, left) => Way::Step(left, b'D'),
    };
    let by_return = Way::Return(to);
    if by_return.length() < straight.length() { by_return } else { straight }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_arrives_and_is_never_longer_than_the_plain_one() {
        for (from, to) in (0..400u32).map(|n| ((n * 37 % 80, n * 11 % 24), (n * 53 % 80, n * 7 % 24))) {
            let (from, to) = ((from.0 as u16, from.1 as u16), (to.0 as u16, to.1 as u16));
            let mut bytes = Vec::new();
            go(&mut bytes, Some(from), to);
            let mut plain = Vec::new();
            absolute(&mut plain, to);
            assert!(bytes.len() <= plain.len());
            let mut screen = vt100::Parser::new(24, 80, 0);
            let mut all = Vec::new();
            absolute(&mut all, from);
            all.extend_from_slice(&bytes);
            screen.process(&all);
            assert_eq!(screen.screen().cursor_position(), (to.1, to.0), "{from:?} to {to:?}");
        }
    }
}
