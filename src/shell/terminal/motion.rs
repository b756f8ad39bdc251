//! The shortest way for the cursor from where it is to where it is wanted.

use std::io::Write;

/// Appends the movement. `from` is none where the terminal's idea of the column cannot be trusted.
pub fn go(out: &mut Vec<u8>, from: Option<(u16, u16)>, to: (u16, u16)) {
    let start = out.len();
    absolute(out, to);
    let Some(from) = from else { return };
    if from == to {
        out.truncate(start);
        return;
    }
    let mut relative = Vec::with_capacity(16);
    vertical(&mut relative, from.1, to.1);
    horizontal(&mut relative, from.0, to.0);
    if relative.len() < out.len() - start {
        out.truncate(start);
        out.extend_from_slice(&relative);
    }
}

fn absolute(out: &mut Vec<u8>, (x, y): (u16, u16)) {
    let _ = match (x, y) {
        (0, 0) => out.write_all(b"\x1b[H"),
        (0, y) => write!(out, "\x1b[{}H", y + 1),
        (x, y) => write!(out, "\x1b[{};{}H", y + 1, x + 1),
    };
}

fn vertical(out: &mut Vec<u8>, from: u16, to: u16) {
    if to > from {
        let down = to - from;
        if down <= 3 {
            // In raw mode a line feed moves straight down. It never leaves the screen: `to` is a row of it.
            out.extend(std::iter::repeat_n(b'\n', usize::from(down)));
        } else {
            let _ = write!(out, "\x1b[{down}B");
        }
    } else if to < from {
        step(out, from - to, b'A');
    }
}

fn horizontal(out: &mut Vec<u8>, from: u16, to: u16) {
    if to == from {
        return;
    }
    let mut by_return = vec![b'\r'];
    if to > 0 {
        step(&mut by_return, to, b'C');
    }
    let mut straight = Vec::with_capacity(6);
    if to > from {
        step(&mut straight, to - from, b'C');
    } else if from - to <= 3 {
        straight.extend(std::iter::repeat_n(8, usize::from(from - to)));
    } else {
        step(&mut straight, from - to, b'D');
    }
    out.extend_from_slice(if by_return.len() < straight.len() { &by_return } else { &straight });
}

fn step(out: &mut Vec<u8>, count: u16, letter: u8) {
    if count == 1 {
        out.extend_from_slice(&[0x1b, b'[', letter]);
    } else {
        let _ = write!(out, "\x1b[{count}{}", char::from(letter));
    }
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
