use lode_core::cells::lines;
use lode_core::text::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

fn drawn(text: &str, columns: u16) -> (String, u16) {
    let mut buf = Buffer::empty(Rect::new(0, 0, columns + 1, 1));
    put(&mut buf, columns, 0, 1, "|", Style::new());
    let used = put_cut(&mut buf, 0, 0, columns, text, Style::new());
    (lines(&buf).collect(), used)
}

#[test]
fn a_us_phone_is_grouped_and_any_other_stays() {
    for (raw, said) in
        [("6575550113", "(657) 555-0113"), ("16575550113", "(657) 555-0113"), ("657•••13", "(657) •••-••13")]
    {
        assert_eq!(phone(raw), said);
    }
    assert_eq!(phone_within("+16575550113", 13).as_deref(), Some("6575550113"));
    assert_eq!(phone_within("657•••13", 13).as_deref(), Some("657•••••13"), "as wide as a real one");
    for other in ["", "+44 20 7946 0000", "657555011", "•••", "657•••1x", "65755501133"] {
        assert_eq!(phone(other), other, "{other}");
    }
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

const PARTS: [&str; 15] =
    ["a", "é", "•", "e\u{301}", "山", "👩‍👩‍👧", "©", "©\u{200d}👩", "\u{200b}", "م", " ", "🇩🇪", "\r\n", "…", "\u{ad}"];

/// All texts of three parts.
fn texts() -> impl Iterator<Item = String> {
    let pairs = PARTS.iter().flat_map(|one| PARTS.map(|two| format!("{one}{two}")));
    pairs.flat_map(|pair| PARTS.map(|three| format!("{pair}{three}")))
}

fn by_grapheme(text: &str) -> Vec<(&str, usize)> {
    text.graphemes(true).map(|letter| (letter, grapheme_width(letter))).collect()
}

#[test]
fn the_short_way_and_the_long_way_count_the_same_letters() {
    for text in texts() {
        assert_eq!(letters(&text).collect::<Vec<_>>(), by_grapheme(&text), "{text:?}");
    }
}

#[test]
fn the_short_way_and_the_long_way_cut_at_the_same_letter() {
    for text in texts() {
        for columns in 0..8 {
            let (mut end, mut used) = (0, 0);
            for (letter, wide) in by_grapheme(&text) {
                if used + wide > columns {
                    break;
                }
                (end, used) = (end + letter.len(), used + wide);
            }
            assert_eq!(fitting(&text, columns), (&text[..end], used), "{text:?} in {columns}");
            let (line, drawn) = drawn(&text, columns as u16);
            assert_eq!(width(&line), columns + 1, "{text:?} in {columns}: {line}");
            assert!(usize::from(drawn) <= columns);
        }
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
