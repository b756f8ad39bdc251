//! The one place where text from a service loses what could harm or deceive: control characters (C0, DEL, C1), direction
//! overrides and isolates, and characters that take no room and so hide or disguise others. A line break or tab becomes a
//! space, for every value is shown and stored as one line.
//!
//! What carries meaning stays: joiners inside emoji and inside the scripts that are written with them, and the selector
//! that gives an emoji its color. Raw exports do not come through here.

use std::borrow::Cow;

/// The text without what could harm a terminal, a log, the clipboard or the reader. Clean text is not copied.
pub fn scrub(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let first = text.char_indices().find(|(_, c)| falls_away(*c));
    first.map_or(Cow::Borrowed(text), |(at, _)| Cow::Owned(scrub_from(text, at)))
}

/// Whether nothing but plain ASCII is in it, of which nothing falls away. Looks at all of it, many bytes in one go.
pub fn is_plain(text: &[u8]) -> bool {
    text.iter().fold(true, |plain, byte| plain & (*byte >= b' ') & (*byte <= b'~'))
}

/// As [`scrub`], and no longer than `most` characters; a longer text ends in `…`.
pub fn scrub_to(text: &str, most: usize) -> String {
    // An error body may be a megabyte: what cannot be shown is not even looked at. Sixteen bytes a character leave room
    // for everything that falls away.
    let mut end = text.len().min(most.saturating_mul(16));
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let clean = scrub(&text[..end]);
    let clean = clean.trim();
    if clean.char_indices().nth(most).is_none() {
        return clean.to_owned();
    }
    let cut = clean.char_indices().nth(most.saturating_sub(1)).map_or(0, |(at, _)| at);
    format!("{}…", clean[..cut].trim_end())
}

/// A name by which a person says which one: one line without blanks around it, however it was typed or kept.
pub fn name(text: &str) -> String {
    scrub(text).trim().to_owned()
}

fn scrub_from(text: &str, clean_until: usize) -> String {
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..clean_until]);
    let mut rest = text[clean_until..].chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push(' '),
            c if !falls_away(c) || belongs(out.chars().next_back(), c, rest.peek().copied()) => out.push(c),
            _ => {}
        }
    }
    out
}

/// Whether a character changes the direction of the text after it.
pub fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether [`scrub`] may drop the character: controls, and everything that takes no room on its own.
pub fn falls_away(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character without width carries meaning between these two.
fn belongs(before: Option<char>, c: char, after: Option<char>) -> bool {
    let (Some(before), after) = (before, after.unwrap_or(' ')) else { return false };
    match c {
        '\u{200d}' if is_pictograph(before) || before == '\u{fe0f}' => is_pictograph(after),
        '\u{200c}' | '\u{200d}' => is_joining_script(before) && is_joining_script(after),
        '\u{fe0e}' | '\u{fe0f}' if matches!(before, '0'..='9' | '#' | '*') => after == '\u{20e3}',
        '\u{fe0e}' | '\u{fe0f}' => is_pictograph(before),
        _ => false,
    }
}

fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{23ff}' | '\u{24c2}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
        | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Arabic, Syriac, the scripts of India and their neighbors: joiners are spelling there. Not those of their signs that fall
/// away themselves: a joiner beside one of them would be left alone.
fn is_joining_script(c: char) -> bool {
    !falls_away(c)
        && matches!(c, '\u{620}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17d3}' | '\u{1820}'..='\u{18aa}')
}
