//! The shortest way for the cursor from where it is to where it is wanted, and numbers in sequences.

/// Appends the movement. `from` is none where the terminal's idea of the column cannot be trusted. `stops` are the columns that a
/// tab leads to.
pub fn go(out: &mut Vec<u8>, from: Option<(u16, u16)>, to: (u16, u16), stops: &[u16]) {
    let Some(from) = from else { return absolute(out, to) };
    if from.1 == to.1 {
        // Never longer than the way that names the row too.
        horizontal(out, from.0, to.0, stops);
    } else {
        let start = out.len();
        vertical(out, from.1, to.1);
        horizontal(out, from.0, to.0, stops);
        let relative = out.len();
        // The shortest that an absolute way can be: `ESC [ H`, or with a column `ESC [ 1 ; 2 H`.
        let least = if to.0 == 0 { 3 } else { 6 };
        if relative - start > least {
            absolute(out, to);
            keep_shorter(out, start, relative);
        }
    }
}

/// Of two ways that were written one after the other keeps the first if it is shorter, else the second.
pub(super) fn keep_shorter(out: &mut Vec<u8>, first: usize, second: usize) {
    if second - first < out.len() - second {
        out.truncate(second);
    } else {
        out.drain(first..second);
    }
}

fn absolute(out: &mut Vec<u8>, (x, y): (u16, u16)) {
    out.extend_from_slice(b"\x1b[");
    if (x, y) != (0, 0) {
        number(out, y + 1);
    }
    if x > 0 {
        out.push(b';');
        number(out, x + 1);
    }
    out.push(b'H');
}

/// A number of steps in the direction that a letter names.
pub(super) fn step(out: &mut Vec<u8>, count: u16, letter: u8) {
    if count > 0 {
        out.extend_from_slice(b"\x1b[");
        if count > 1 {
            number(out, count);
        }
        out.push(letter);
    }
}

fn vertical(out: &mut Vec<u8>, from: u16, to: u16) {
    match to.checked_sub(from) {
        // In raw mode a line feed moves straight down. It never leaves the screen: `to` is a row of it.
        Some(down @ 0..=3) => out.extend_from_slice(&b"\n\n\n"[..usize::from(down)]),
        Some(down) => step(out, down, b'B'),
        None => step(out, from - to, b'A'),
    }
}

fn horizontal(out: &mut Vec<u8>, from: u16, to: u16, stops: &[u16]) {
    if to >= from {
        return forward(out, from, to, stops);
    }
    let start = out.len();
    out.push(b'\r');
    forward(out, 0, to, stops);
    let straight = out.len();
    match from - to {
        left @ 1..=3 => out.extend_from_slice(&[8; 3][..usize::from(left)]),
        left => step(out, left, b'D'),
    }
    keep_shorter(out, start, straight);
}

fn forward(out: &mut Vec<u8>, from: u16, to: u16, stops: &[u16]) {
    let start = out.len();
    let passed = stops.iter().filter(|stop| (from + 1..=to).contains(stop));
    let after = passed.inspect(|_| out.push(b'\t')).last().map(|last| to - last);
    after.into_iter().for_each(|after| step(out, after, b'C'));
    let straight = out.len();
    step(out, to - from, b'C');
    if straight > start {
        keep_shorter(out, start, straight);
    }
}

/// Appends the decimal digits of `n`.
pub(super) fn number(out: &mut Vec<u8>, n: u16) {
    if n > 9 {
        number(out, n / 10);
    }
    out.push(b'0' + (n % 10) as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_arrives_and_is_never_longer_than_the_plain_one() {
        let stops: Vec<u16> = (8..80).step_by(8).collect();
        for (from, to) in (0..400u32).map(|n| ((n * 37 % 80, n * 11 % 24), (n * 53 % 80, n * 7 % 24))) {
            let (from, to) = ((from.0 as u16, from.1 as u16), (to.0 as u16, to.1 as u16));
            let mut bytes = Vec::new();
            go(&mut bytes, Some(from), to, &stops);
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

    #[test]
    fn every_number_is_written_as_it_is_read() {
        for number in 0..=u16::MAX {
            let mut out = Vec::new();
            super::number(&mut out, number);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }
}
