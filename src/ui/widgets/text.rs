//! Text into cells, by grapheme: what the eye counts as one letter is drawn, measured and cut as one.
//!
//! Columns are counted the way terminals do. Letters without a width of their own and stacks of marks that no font draws
//! are reduced, so that a border after them stands where it should.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A letter with more marks than this is drawn without them.
const LONGEST_GRAPHEME: usize = 32;

/// Columns of one grapheme: 0, 1 or 2.
#[must_use]
pub fn grapheme_width(grapheme: &str) -> usize {
    if grapheme.len() == 1 {
        return usize::from(!grapheme.as_bytes()[0].is_ascii_control());
    }
    if grapheme.chars().next().is_none_or(char::is_control) {
        return 0;
    }
    grapheme.width().min(2)
}

/// Columns of a text.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(|byte| !byte.is_ascii_control()).count();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

/// The longest beginning of `text` that fits into `columns`, and how many it takes.
#[must_use]
pub fn fitting(text: &str, columns: usize) -> (&str, usize) {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let wide = grapheme_width(grapheme);
        if used + wide > columns {
            return (&text[..at], used);
        }
        used += wide;
    }
    (text, used)
}

/// Cut to `columns` with an ellipsis where something is missing.
#[must_use]
pub fn cut(text: &str, columns: usize) -> String {
    let (fits, _) = fitting(text, columns);
    if fits.len() == text.len() {
        return text.to_owned();
    }
    let (fits, _) = fitting(text, columns.saturating_sub(1));
    if columns == 0 { String::new() } else { format!("{fits}…") }
}

/// Words of `text` broken into lines of at most `columns`; a longer word is broken where it must be.
#[must_use]
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

/// Draws `text` from (x, y) over at most `columns`, and says how many it took. Nothing outside the buffer is touched.
pub fn put(buffer: &mut Buffer, x: u16, y: u16, columns: u16, text: &str, style: Style) -> u16 {
    let area = buffer.area;
    if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
        return 0;
    }
    let columns = columns.min(area.right() - x);
    let start = buffer.index_of(x, y);
    let bytes = text.as_bytes();
    let reach = bytes.len().min(usize::from(columns) + 1);
    if bytes[..reach].iter().all(|byte| (0x20..0x7f).contains(byte)) {
        let taken = reach.min(usize::from(columns));
        for (cell, byte) in buffer.content[start..start + taken].iter_mut().zip(bytes) {
            cell.set_char(char::from(*byte)).set_style(style);
        }
        return taken as u16;
    }
    let mut used = 0usize;
    for grapheme in text.graphemes(true) {
        let wide = grapheme_width(grapheme);
        if wide == 0 {
            continue;
        }
        if used + wide > usize::from(columns) {
            break;
        }
        let cell = &mut buffer.content[start + used];
        if grapheme.len() > LONGEST_GRAPHEME {
            let base = grapheme.chars().next().unwrap_or(' ');
            let narrower = unicode_width::UnicodeWidthChar::width(base).unwrap_or(0);
            if narrower == wide {
                cell.set_char(base);
            } else {
                cell.set_symbol(if wide == 2 { "??" } else { "?" });
            }
        } else {
            cell.set_symbol(grapheme);
        }
        cell.set_style(style);
        if wide == 2 {
            // The right half of a wide letter: an empty symbol, which the painter passes over.
            buffer.content[start + used + 1].set_symbol("").set_style(style);
        }
        used += wide;
    }
    used as u16
}

/// As [`put`], with an ellipsis in the last column where the text does not fit.
pub fn put_cut(buffer: &mut Buffer, x: u16, y: u16, columns: u16, text: &str, style: Style) -> u16 {
    if columns == 0 {
        return 0;
    }
    let room = usize::from(columns);
    // Every letter takes at most four bytes of column for this test to be worth its while; longer texts are cut anyway.
    let (fits, used) = if text.len() <= room { (text, 0) } else { fitting(text, room) };
    if fits.len() == text.len() {
        return put(buffer, x, y, columns, text, style);
    }
    let _ = used;
    let taken = put(buffer, x, y, columns - 1, text, style);
    taken + put(buffer, x + taken, y, 1, "…", style)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    fn drawn(text: &str, columns: u16) -> (String, u16) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns + 1, 1));
        buffer.content[usize::from(columns)].set_symbol("|");
        let used = put_cut(&mut buffer, 0, 0, columns, text, Style::new());
        (buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect(), used)
    }

    #[test]
    fn the_border_after_a_text_stays_where_it_is() {
        for text in [
            "plain",
            "山田太郎です長い名前",
            "👩‍👩‍👧‍👦 family",
            "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
            "مرحبا بالعالم",
            "\u{200b}\u{301}x",
        ] {
            let (line, used) = drawn(text, 6);
            assert_eq!(width(&line), 7, "{text}: {line}");
            assert!(line.ends_with('|'), "{text}: {line}");
            assert!(used <= 6);
        }
    }

    #[test]
    fn what_does_not_fit_ends_in_an_ellipsis() {
        assert_eq!(drawn("abcdef", 6).0, "abcdef|");
        assert_eq!(drawn("abcdefg", 6).0, "abcde…|");
        assert_eq!(cut("山田太郎", 5), "山田…");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn a_stack_of_marks_is_drawn_without_them() {
        let stack = format!("z{}", "\u{301}".repeat(500));
        assert_eq!(drawn(&stack, 3).0, "z  |");
    }

    #[test]
    fn lines_break_at_words_and_inside_endless_ones() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrapped("a\nb", 9), ["a", "b"]);
        assert!(wrapped("山山山", 1).iter().all(|line| !line.is_empty()));
    }
}
