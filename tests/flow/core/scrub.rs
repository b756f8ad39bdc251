use std::borrow::Cow;

use lode_core::scrub::*;

#[test]
fn clean_text_is_not_copied() {
    for text in ["", "Dana Whitfield", "d•••@lakeside.example", "Łódź Çelik 病院 مستشفى"] {
        assert!(matches!(scrub(text), Cow::Borrowed(same) if same == text), "{text}");
    }
}

#[test]
fn what_steers_a_terminal_is_gone() {
    for (hostile, clean) in [
        ("\u{1b}[31mred\u{1b}[0m", "[31mred[0m"),
        ("\u{1b}]52;c;ZXZpbA==\u{7}x", "]52;c;ZXZpbA==x"),
        ("\u{9b}31mred\u{90}q\u{9c}", "31mredq"),
        ("a\0b\u{7f}c\u{8}", "abc"),
        ("one\r\ntwo\nthree\tfour\rfive\u{85}six\u{2028}seven", "one two three four five six seven"),
    ] {
        assert_eq!(scrub(hostile), clean);
    }
}

#[test]
fn what_deceives_a_reader_is_gone() {
    for (hostile, clean) in [
        ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
        ("\u{2066}a\u{2069}\u{200f}b\u{200e}\u{61c}", "ab"),
        ("pay\u{200b}pal\u{feff}\u{2060}\u{ad}", "paypal"),
        ("a\u{200d}b\u{200c}c", "abc"),
        ("tag\u{e0041}\u{e0042}", "tag"),
        ("1\u{fe0f}", "1"),
    ] {
        assert_eq!(scrub(hostile), clean);
    }
}

#[test]
fn what_carries_meaning_stays() {
    for text in [
        "👩\u{200d}⚕\u{fe0f} nurse",
        "👨\u{200d}👩\u{200d}👧",
        "1\u{fe0f}\u{20e3}",
        "می\u{200c}خواهم",
        "❤\u{fe0f}\u{200d}🔥",
        "é e\u{301}",
    ] {
        assert_eq!(scrub(text), text);
    }
}

#[test]
fn long_words_are_cut_at_a_character() {
    assert_eq!(scrub_to("  short  ", 300), "short");
    let long = "ä".repeat(10_000);
    let cut = scrub_to(&long, 300);
    assert_eq!(cut.chars().count(), 300);
    assert!(cut.ends_with("ä…"));
}
