//! Reads what the program wrote to a terminal, byte by byte, and knows what of it is the program's own. Whatever else steers a
//! terminal came from a service's data.

use std::time::Instant;

use common::fuzz::is_clean;
use lode_host::terminal::capabilities::Capabilities;

/// What a terminal was told besides letters.
#[derive(Default)]
pub struct Received {
    /// What was put on the clipboard.
    pub copied: Vec<String>,
    pub notified: Vec<String>,
    /// Titles of the window.
    pub titles: Vec<String>,
    /// How many titles of another program's lie on the terminal's stack.
    pub titles_kept: u32,
    /// How often a link was told.
    pub links: usize,
    pub letters: usize,
    pub sequences: usize,
}

/// Modes that are the program's own.
const MODES: [&[u8]; 10] = [b"25", b"1049", b"2004", b"1004", b"2026", b"2031", b"1000", b"1002", b"1006", b"69"];

/// Reads all of it, and fails at the first thing that is not the program's own.
pub fn read(bytes: &[u8]) -> Received {
    let mut heard = Received::default();
    let questions = Capabilities::default().ask(Instant::now());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        at += match rest {
            _ if rest.starts_with(&questions) => questions.len(),
            [0x1b, b'[', tail @ ..] => {
                let length = tail.iter().position(|byte| (0x40..0x7f).contains(byte)).expect("a whole sequence");
                let (inner, end) = (&tail[..length], tail[length]);
                let own = match (inner.first(), end) {
                    (Some(b'?'), b'h' | b'l') => MODES.contains(&&inner[1..]),
                    // Which keys the terminal names.
                    (Some(b'?'), b'u') => inner.len() == 1,
                    (_, b't') => {
                        match inner {
                            b"22;2" => heard.titles_kept += 1,
                            b"23;2" => heard.titles_kept -= 1,
                            _ => panic!("{}", around(bytes, at)),
                        }
                        true
                    }
                    (Some(b'<' | b'>' | b'='), b'u') => inner[1..].iter().all(u8::is_ascii_digit),
                    // Keys that xterm would not tell apart otherwise.
                    (Some(b'>'), b'm') => [&b">4;1"[..], b">4"].contains(&inner),
                    (
                        _,
                        b'm' | b'H' | b'A'..=b'D' | b'G' | b'd' | b'J' | b'K' | b'X' | b'S' | b'T' | b'b' | b'r' | b's',
                    ) => inner.iter().all(|byte| byte.is_ascii_digit() || *byte == b';'),
                    _ => false,
                };
                assert!(own, "a sequence of another user's: {}", around(bytes, at));
                heard.sequences += 1;
                2 + length + 1
            }
            // Which background the terminal has.
            [0x1b, b']', b'1', b'1', b';', b'?', 0x1b, b'\\', ..] => 8,
            [0x1b, b']', tail @ ..] => {
                let length = tail.iter().position(|byte| *byte == 7).expect("an end that lode writes");
                let text = std::str::from_utf8(&tail[..length]).expect("text");
                match text.split_once(';') {
                    Some(("52", rest)) => {
                        let coded = rest.strip_prefix("c;").expect("the clipboard");
                        heard.copied.push(String::from_utf8(decoded(coded)).expect("text on the clipboard"));
                    }
                    Some(("8", to)) => {
                        let to = to.strip_prefix(';').expect("an address");
                        let web = to.starts_with("https://") || to.starts_with("http://");
                        assert!(to.is_empty() || (web && to.bytes().all(|byte| byte.is_ascii_graphic())), "{to:?}");
                        heard.links += usize::from(web);
                    }
                    Some(("2", title)) => {
                        assert!(title.starts_with("lode") && is_clean(title), "{title:?}");
                        heard.titles.push(title.to_owned());
                    }
                    Some(("9", words)) => {
                        assert!(is_clean(words), "{words:?}");
                        heard.notified.push(words.to_owned());
                    }
                    _ => panic!("a sequence of another user's: {}", around(bytes, at)),
                }
                2 + length + 1
            }
            [b'\r' | b'\n' | 8, ..] => 1,
            _ => {
                let end = rest.iter().position(|byte| *byte < 0x20 || *byte == 0x7f).unwrap_or(rest.len());
                assert!(end > 0, "a control character: {}", around(bytes, at));
                let text = std::str::from_utf8(&rest[..end]).unwrap_or_else(|_| panic!("{}", around(bytes, at)));
                assert!(is_clean(text), "{text:?}");
                heard.letters += text.chars().count();
                end
            }
        };
    }
    heard
}

fn around(bytes: &[u8], at: usize) -> String {
    let (start, end) = (at.saturating_sub(60), (at + 60).min(bytes.len()));
    format!("{:?} before {:?}", String::from_utf8_lossy(&bytes[start..at]), String::from_utf8_lossy(&bytes[at..end]))
}

fn decoded(coded: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other} in base64"),
    };
    let (mut out, mut held, mut bits) = (Vec::new(), 0u32, 0);
    for byte in coded.bytes().filter(|byte| *byte != b'=') {
        held = held << 6 | u32::from(value(byte));
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    out
}

#[test]
fn what_lode_did_not_write_is_found() {
    let known = b"\x1b[?1049h\x1b[2;5H\x1b[0;31mDana \xe2\x80\xa2\x1b]52;c;Zm9v\x07\x1b[>1u\r\x1b]8;;https://x.example\x07\x1b]8;;\x07";
    let heard = read(known);
    assert_eq!((heard.copied, heard.sequences, heard.letters), (vec!["foo".to_owned()], 4, 6));
    assert_eq!(heard.links, 1);
    for theirs in [
        &b"\x1b]0;title\x07"[..],
        b"\x1b]8;;file:///etc/passwd\x07",
        b"\x1b]11;#ffffff\x07",
        b"\x1bP+q544e\x1b\\",
        b"\x1bc",
        b"\x1b[6n",
        b"\x1b[?1003h",
        b"a\x00b",
        b"a\tb",
        b"\xc2\x9b31m",
        b"\x9b31m",
        b"\xe2\x80\xaeevil",
        b"pay\xe2\x80\x8bpal",
        b"\x07",
    ] {
        assert!(std::panic::catch_unwind(|| read(theirs)).is_err(), "{theirs:?}");
    }
}
