//! What is fuzzed: for every door through which strangers' bytes come in, a function that opens it with the given bytes and
//! asserts what must hold behind it. That nothing panics is the least of it.
//!
//! The targets of cargo-fuzz call these functions, and so does `tests/program/hostile`, with all seeds and with every input that
//! once failed. Nothing here depends on a clock, a thread or an order.

pub mod choices;
pub mod files;
pub mod keys;
pub mod texts;
pub mod wire;

pub type Target = fn(&[u8]);

/// Every target with its name, which is also that of its folder in `seeds` and `regressions`.
pub const TARGETS: [(&str, Target); 13] = [
    ("wire_search", wire::search),
    ("wire_unlock", wire::unlock),
    ("wire_me", wire::me),
    ("wire_counts", wire::counts),
    ("wire_saved", wire::saved),
    ("wire_refusal", wire::refusal),
    ("scrub", texts::scrub),
    ("query", texts::query),
    ("config", files::config),
    ("saved_file", files::saved),
    ("lists", files::lists),
    ("export", files::export),
    ("keys", keys::press),
];

/// Nothing in the text moves a cursor, starts a sequence, turns the direction of reading or hides between letters. Written
/// apart from the scrubber, so that the two can disagree.
pub fn is_clean(text: &str) -> bool {
    !text.chars().any(|c| {
        let control = (c as u32) < 0x20 || (0x7f..=0x9f).contains(&(c as u32));
        let turns =
            matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let breaks = matches!(c, '\u{2028}' | '\u{2029}');
        let hides =
            matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
        control || turns || breaks || hides
    })
}
