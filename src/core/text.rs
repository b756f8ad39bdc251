//! Measures and cuts text by grapheme, so that one visible letter stays whole.
//!
//! Columns are counted the way terminals do. Letters without a width of their own and stacks of marks that no font draws
//! are reduced, so that a border after them stands where it should.

use std::ops::Range;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::scrub;

/// A letter with more marks than this is drawn without them.
const LONGEST_GRAPHEME: usize = 32;

/// Columns of one grapheme: 0, 1 or 2.
pub fn grapheme_width(grapheme: &str) -> usize {
    if grapheme.len() == 1 {
        return usize::from(!grapheme.as_bytes()[0].is_ascii_control());
    }
    let mut chars = grapheme.chars();
    match chars.next() {
        Some(first) if is_plain(first) && chars.next().is_none() => return 1,
        Some(first) if !first.is_control() => {}
        _ => return 0,
    }
    grapheme.width().min(2)
}

/// Letters that stand alone and take one column, whatever stands beside them as long as that is one of them too. Names,
/// titles and masked addresses are made of these, and need no table of marks and joiners.
fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' | '•' | '…' | '–' | '▌'..='▏' | '█' | '░' | '●' | '✓' | '⊘' | '─' | '│')
}

/// A text letter by letter as the eye counts them, each with its columns.
pub fn letters(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let begins_plain = |text: &str| text.chars().next().is_some_and(is_plain);
    let (mut rest, mut is_plain_here) = (text, begins_plain(text));
    std::iter::from_fn(move || {
        let mut chars = rest.chars();
        let first = chars.next()?;
        if is_plain_here && chars.next().is_none_or(is_plain) {
            let letter;
            (letter, rest) = rest.split_at(first.len_utf8());
            return Some((letter, 1));
        }
        let letter = rest.graphemes(true).next()?;
        rest = &rest[letter.len()..];
        is_plain_here = begins_plain(rest);
        Some((letter, grapheme_width(letter)))
    })
}

/// Columns of a text.
pub fn width(text: &str) -> usize {
    if scrub::is_plain(text.as_bytes()) {
        return text.len();
    }
    if text.chars().all(is_plain) {
        return text.chars().count();
    }
    letters(text).map(|(_, wide)| wide).sum()
}

/// The part of a masked value that is hidden: `•••` of `j•••@acme.example`.
pub fn mask(text: &str) -> Option<Range<usize>> {
    let is_dot = |at: &usize| text.get(*at..).is_some_and(|rest| rest.starts_with('•'));
    let first_byte = memchr::memchr_iter("•".as_bytes()[0], text.as_bytes());
    Some(first_byte.clone().find(is_dot)?..first_byte.rev().find(is_dot)? + '•'.len_utf8())
}

/// The longest beginning of `text` that fits into `columns`, and how many it takes.
pub fn fitting(text: &str, columns: usize) -> (&str, usize) {
    // The letter behind the last that fits must stand alone too: a mark would belong to that last one.
    if scrub::is_plain(&text.as_bytes()[..text.len().min(columns + 1)]) {
        let fits = text.len().min(columns);
        return (&text[..fits], fits);
    }
    let mut plain = 0;
    let mut behind = text.char_indices().skip_while(|(_, c)| {
        let goes_on = plain < columns && is_plain(*c);
        plain += usize::from(goes_on);
        goes_on
    });
    match behind.next() {
        None => return (text, plain),
        Some((end, c)) if is_plain(c) => return (&text[..end], columns),
        Some(_) => {}
    }
    let (mut used, mut end) = (0, 0);
    for (letter, wide) in letters(text) {
        if used + wide > columns {
            return (&text[..end], used);
        }
        used += wide;
        end += letter.len();
    }
    (text, used)
}

/// The text with a capital first letter.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// `(657) 555-0113` of a US number, `(657) •••-••13` of a masked one; anything else as it is.
pub fn phone(raw: &str) -> String {
    phone_within(raw, PHONE).unwrap_or_else(|| raw.to_owned())
}

/// The columns of a grouped US number.
pub const PHONE: u16 = 14;

/// The same in at most `columns`: `6575550113` or `657•••••13` where it does not fit grouped; `None` for anything else.
pub fn phone_within(raw: &str, columns: u16) -> Option<String> {
    let raw = raw.strip_prefix("+1").unwrap_or(raw);
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let number = raw.strip_prefix('1').filter(|rest| rest.len() == 10).unwrap_or(raw);
    let masked = number.split_at_checked(3).and_then(|(area, rest)| Some((area, rest.strip_prefix("•••")?)));
    let (area, middle, hidden, last) = match masked {
        Some((area, last)) if last.len() == 2 => (area, "•••", "••", last),
        None if number.len() == 10 && digits(number) => (&number[..3], &number[3..6], "", &number[6..]),
        _ => return None,
    };
    let [open, close, dash] = if columns < PHONE { [""; 3] } else { ["(", ") ", "-"] };
    (digits(area) && digits(last)).then(|| [open, area, close, middle, dash, hidden, last].concat())
}

/// Cut to `columns` with an ellipsis where something is missing.
pub fn cut(text: &str, columns: usize) -> String {
    let (fits, _) = fitting(text, columns);
    if fits.len() == text.len() {
        return text.to_owned();
    }
    let (fits, _) = fitting(text, columns.saturating_sub(1));
    if columns == 0 { String::new() } else { format!("{fits}…") }
}

/// Words of `text` broken into lines of at most `columns`; a longer word is broken where it must be.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut used = 0;
        for word in paragraph.split(' ') {
            let mut rest = word;
            let mut wide = width(rest);
            if used > 0 && used + 1 + wide > columns {
                lines.push(std::mem::take(&mut line));
                used = 0;
            } else if used > 0 {
                line.push(' ');
                used += 1;
            }
            while wide > columns {
                let (head, taken) = fitting(rest, columns - used);
                if head.is_empty() && used == 0 {
                    break;
                }
                line.push_str(head);
                rest = &rest[head.len()..];
                wide -= taken;
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push_str(rest);
            used += wide;
        }
        lines.push(line);
    }
    lines
}

/// Draws `text` from (x, y) over at most `columns` and returns the columns it took. Never draws outside the buffer.
pub fn put(buf: &mut Buffer, x: u16, y: u16, columns: u16, text: &str, style: Style) -> u16 {
    let cells = cells_mut(buf, x, y, columns);
    put_plain(cells, text, style).map_or_else(|| put_letters(cells, text, style), |(used, _)| used)
}

/// As [`put`], with an ellipsis in the last column where the text does not fit.
pub fn put_cut(buf: &mut Buffer, x: u16, y: u16, columns: u16, text: &str, style: Style) -> u16 {
    let cells = cells_mut(buf, x, y, columns);
    if let Some((used, rest)) = put_plain(cells, text, style) {
        if let Some(last) = cells.last_mut().filter(|_| !rest.is_empty()) {
            last.set_symbol("…");
        }
        return used;
    }
    if fitting(text, cells.len()).0.len() == text.len() {
        return put_letters(cells, text, style);
    }
    let Some(before) = cells.len().checked_sub(1) else { return 0 };
    let used = put_letters(&mut cells[..before], text, style);
    cells[usize::from(used)].set_symbol("…").set_style(style);
    used + 1
}

fn cells_mut(buf: &mut Buffer, x: u16, y: u16, columns: u16) -> &mut [Cell] {
    if !buf.area.contains((x, y).into()) {
        return &mut [];
    }
    let start = buf.index_of(x, y);
    &mut buf.content[start..][..columns.min(buf.area.right() - x).into()]
}

/// Draws letters that stand alone, and returns the columns they took and the text that had no room. None where a letter, or the one
/// behind the last that fits, is of another kind.
fn put_plain<'a>(cells: &mut [Cell], text: &'a str, style: Style) -> Option<(u16, &'a str)> {
    let changes_ink_only = style.bg.is_none() && style.add_modifier.is_empty() && style.sub_modifier.is_empty();
    match style.fg.filter(|_| changes_ink_only) {
        // Most words of a list: without asking for each letter what else changes.
        Some(fg) => put_each(cells, text, |cell| cell.fg = fg),
        None => put_each(cells, text, |cell| _ = cell.set_style(style)),
    }
}

fn put_each<'a>(cells: &mut [Cell], text: &'a str, restyle: impl Fn(&mut Cell)) -> Option<(u16, &'a str)> {
    let mut letters = text.chars();
    for (used, cell) in cells.iter_mut().enumerate() {
        match letters.next() {
            None => return Some((used as u16, "")),
            // A symbol whose length the compiler knows is set without a call: five times faster than a letter of any length.
            Some(letter @ ' '..='~') => cell.set_symbol(letter.encode_utf8(&mut [0; 1])),
            Some('•') => cell.set_symbol("•"),
            Some(letter) if is_plain(letter) => cell.set_char(letter),
            Some(_) => return None,
        };
        restyle(cell);
    }
    let rest = letters.as_str();
    rest.chars().next().is_none_or(is_plain).then_some((cells.len() as u16, rest))
}

fn put_letters(cells: &mut [Cell], text: &str, style: Style) -> u16 {
    let mut used = 0;
    for (grapheme, wide) in letters(text).filter(|(_, wide)| *wide > 0) {
        let Some(places) = cells.get_mut(used..used + wide) else { break };
        if grapheme.len() > LONGEST_GRAPHEME {
            let base = &grapheme[..grapheme.chars().next().map_or(0, char::len_utf8)];
            places[0].set_symbol(if base.width() == wide { base } else { "?" });
        } else {
            places[0].set_symbol(grapheme);
        }
        places[1..].iter_mut().for_each(|tail| _ = tail.set_symbol(" "));
        places.iter_mut().for_each(|cell| _ = cell.set_style(style));
        used += wide;
    }
    used as u16
}
