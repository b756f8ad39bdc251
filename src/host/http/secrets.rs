//! Keys are cut out of everything that a service sends back: an error that echoes the headers must not bring the key to a
//! screen, a log or the store, however its characters are written: as JSON escapes, percent-encoded, as character references, each
//! also twice, and with characters between them that fall away before anything is shown. A later reader may decode the text, and a
//! key cut only as it is written would come back then. A stream is cut line by line while it is passed on, so that no key is split
//! at the end of a buffer.

use std::collections::VecDeque;
use std::mem::{self, take};
use std::ops::Range;

use memchr::{memchr, memchr2, memmem, memrchr};

use super::*;
use lode_core::scrub::falls_away;

/// Stands where a key stood.
const CUT: &str = "[key]";
/// A shorter text occurs by chance, and protects nothing.
const SHORTEST: usize = 6;

/// The keys to be cut out.
pub(super) struct Secrets(Vec<SecretString>);

impl Secrets {
    pub(super) fn new(keys: impl Iterator<Item = SecretString>) -> Secrets {
        Secrets(keys.filter(|key| key.expose_secret().len() >= SHORTEST).collect())
    }

    /// Whether a key stands in the path of an address, also escaped or in other letters.
    pub(super) fn stand_in(&self, path: &str) -> bool {
        let plain = path.to_ascii_lowercase();
        let is_in = |key: &SecretString| find(plain.as_bytes(), key.expose_secret().to_ascii_lowercase().as_bytes(), 0);
        self.0.iter().any(|key| is_in(key).is_some())
    }

    pub(super) fn cut_body(&self, mut body: Vec<u8>) -> Bytes {
        for key in &self.0 {
            let key = key.expose_secret().as_bytes();
            if let Some(found) = find(&body, key, 0) {
                body = replace(&body, key, found);
            }
        }
        body.into()
    }

    /// Of a stream, which is read far faster than [`find`] reads: the long way is taken only where something may stand for a key.
    pub(super) fn cut_bytes(&self, bytes: Bytes) -> Bytes {
        let is_plain = |key: &SecretString| memmem::find(&bytes, key.expose_secret().as_bytes()).is_some();
        let is_escaped = || memchr2(b'\\', b'%', &bytes).is_some() || memmem::find(&bytes, b"&#").is_some();
        if self.0.iter().any(is_plain) || is_escaped() { self.cut_body(bytes.into()) } else { bytes }
    }

    pub(super) fn cut_text(&self, text: String) -> String {
        String::from_utf8_lossy(&self.cut_body(text.into_bytes())).into_owned()
    }

    pub(super) fn cut(&self, mut failure: Failure) -> Failure {
        let words = match &mut failure {
            Failure::Later { words, .. }
            | Failure::Refused { words, .. }
            | Failure::Unclear { words, .. }
            | Failure::Unsent { words }
            | Failure::OurBug { words }
            | Failure::Disk { words } => words,
        };
        *words = self.cut_text(std::mem::take(words));
        failure
    }
}

fn replace(text: &[u8], key: &[u8], first: Range<usize>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut copied, mut next) = (0, Some(first));
    while let Some(found) = next {
        out.extend_from_slice(&text[copied..found.start]);
        out.extend_from_slice(CUT.as_bytes());
        copied = found.end;
        next = find(text, key, copied);
    }
    out.extend_from_slice(&text[copied..]);
    out
}

/// How often an escape may be escaped itself, and how many characters may stand between two of the key.
const DEPTH: usize = 8;

/// The first place of the key from `from` on.
fn find(text: &[u8], key: &[u8], from: usize) -> Option<Range<usize>> {
    let first = *key.first()?;
    let mut at = from;
    loop {
        at += text.get(at..)?.iter().position(|byte| *byte == first || matches!(byte, b'\\' | b'%' | b'&'))?;
        // Backslashes are taken together and in pairs, so that what is left of them still escapes nothing.
        let run = text[at..].iter().take_while(|byte| **byte == b'\\').count();
        at += run.saturating_sub(DEPTH).next_multiple_of(2).min(run);
        if let Some(end) = ends(text, at, key) {
            return Some(at..end);
        }
        at += run.clamp(1, DEPTH);
    }
}

/// Where the key ends that begins here.
fn ends(text: &[u8], from: usize, key: &[u8]) -> Option<usize> {
    let mut at = from;
    for (place, wanted) in key.iter().enumerate() {
        let mut skipped = 0;
        loop {
            let rest = text.get(at..)?;
            let readings = [encoded(rest), escaped(rest), rest.first().map(|byte| (u32::from(*byte), 1))];
            if let Some((_, length)) = readings.into_iter().flatten().find(|(code, _)| *code == u32::from(*wanted)) {
                at += length;
                break;
            }
            let (code, length) = escaped(rest)?;
            skipped += 1;
            if place == 0 || skipped > DEPTH || !char::from_u32(code).is_some_and(falls_away) {
                return None;
            }
            at += length;
        }
    }
    Some(at)
}

fn hex(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok().and_then(|digits| u32::from_str_radix(digits, 16).ok())
}

/// A character that may stand as an escape of JSON, with its length in the text.
fn escaped(text: &[u8]) -> Option<(u32, usize)> {
    let run = text.iter().take(DEPTH).take_while(|byte| **byte == b'\\').count();
    let after = text.get(run..)?;
    match (run, after.first()) {
        (0, Some(byte)) if byte.is_ascii() => Some((u32::from(*byte), 1)),
        (0, Some(_)) => {
            let valid = after.get(..4).unwrap_or(after).utf8_chunks().next()?.valid();
            valid.chars().next().map(|c| (u32::from(c), c.len_utf8()))
        }
        (_, Some(b'u')) => Some((hex(after.get(1..5)?)?, run + 5)),
        (_, Some(b'x')) => Some((hex(after.get(1..3)?)?, run + 3)),
        (_, Some(b'b' | b'f' | b'n' | b'r' | b't')) => Some((u32::from(b'\n'), run + 1)),
        (_, Some(byte)) => Some((u32::from(*byte), run + 1)),
        (_, None) => None,
    }
}

/// A character behind a percent sign or in a character reference, whose own characters may be escaped.
fn encoded(text: &[u8]) -> Option<(u32, usize)> {
    let mut at = 0;
    let mut next = || {
        let (code, length) = escaped(text.get(at..)?)?;
        at += length;
        char::from_u32(code)
    };
    match next()? {
        '%' => {
            let mut digits = [next()?, next()?];
            for _ in 0..DEPTH {
                if digits != ['2', '5'] {
                    break;
                }
                digits = [next()?, next()?];
            }
            let code = digits[0].to_digit(16)? * 16 + digits[1].to_digit(16)?;
            Some((code, at))
        }
        '&' if next()? == '#' => {
            let mut digit = next()?;
            let base = if matches!(digit, 'x' | 'X') { 16 } else { 10 };
            if base == 16 {
                digit = next()?;
            }
            let mut code = 0;
            for _ in 0..DEPTH {
                if digit == ';' {
                    return Some((code, at));
                }
                code = code * base + digit.to_digit(base)?;
                digit = next()?;
            }
            None
        }
        _ => None,
    }
}

/// A line longer than this is passed on in parts.
const LONGEST: usize = 64 << 10;
/// So much of such a line waits. A key is shorter, however its characters are written.
const TAIL: usize = 4 << 10;

pub(super) struct CutStream {
    secrets: Arc<Secrets>,
    /// The beginning of a line.
    held: Vec<u8>,
    ready: VecDeque<Bytes>,
}

impl CutStream {
    pub(super) fn new(secrets: Arc<Secrets>) -> CutStream {
        CutStream { secrets, held: Vec::new(), ready: VecDeque::new() }
    }

    /// Takes what came. Only the line that it ends is copied.
    pub(super) fn push(&mut self, chunk: Bytes) {
        let Some(last) = memrchr(b'\n', &chunk) else {
            self.held.extend_from_slice(&chunk);
            if self.held.len() > LONGEST {
                let mut line = Vec::from(self.secrets.cut_bytes(take(&mut self.held).into()));
                self.held = line.split_off(line.len().saturating_sub(TAIL));
                self.ready.push_back(line.into());
            }
            return;
        };
        let rest = chunk.slice(last + 1..);
        let mut lines = chunk.slice(..=last);
        if !self.held.is_empty() {
            let end = memchr(b'\n', &lines).map_or(0, |at| at + 1);
            self.held.extend_from_slice(&lines.split_to(end));
            let line = mem::replace(&mut self.held, rest.to_vec());
            self.ready.push_back(self.secrets.cut_bytes(line.into()));
        } else {
            self.held.extend_from_slice(&rest);
        }
        if !lines.is_empty() {
            self.ready.push_back(self.secrets.cut_bytes(lines));
        }
    }

    /// The next part of what came.
    pub(super) fn pop(&mut self) -> Option<Bytes> {
        self.ready.pop_front()
    }

    /// The last line, where the body ended without a line break.
    pub(super) fn rest(&mut self) -> Option<Bytes> {
        let line = take(&mut self.held);
        (!line.is_empty()).then(|| self.secrets.cut_bytes(line.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echoed_key_is_cut_wherever_it_stands() {
        let secrets = Secrets::new(["lk_live_abcdef", "x"].map(SecretString::from).into_iter());
        let body = b"Bearer lk_live_abcdef and lk_live_abcdeflk_live_abcdef; x stays".to_vec();
        assert_eq!(&*secrets.cut_body(body), b"Bearer [key] and [key][key]; x stays");
        let failure = secrets.cut(Failure::Unsent { words: "no lk_live_abcdef".to_owned() });
        assert_eq!(failure.words(), "no [key]");
    }

    const KEY: &[u8] = b"lk_live/abc";

    #[test]
    fn every_way_to_write_a_key_is_found_whole() {
        for disguised in [
            "lk_live/abc",
            r"\u006Ck_live/abc",
            r"lk_live\/abc",
            r"lk_live\\\/abc",
            r"\\u006ck_live/abc",
            r"lk\x5flive/abc",
            "lk_live%2Fabc",
            "%6c%6B_live%252fabc",
            r"lk_live\u0025\u0032Fabc",
            "&#108;k_live&#x2F;abc",
            "lk_\u{200b}live/a\u{7}bc",
            r"lk_live/a\u200Bbc",
        ] {
            for around in ["", "l", "\\\\", "%", "\u{200b}", "lk_live/ab"] {
                let text = format!("{around}{disguised} end");
                let found = find(text.as_bytes(), KEY, 0).unwrap_or_else(|| panic!("{text}"));
                assert_eq!(&text[found.end..], " end", "{text}");
                assert!(found.start <= around.len(), "{text}");
            }
        }
    }

    #[test]
    fn other_text_is_left_alone() {
        for text in ["", "lk_live/ab", "lk_live\nabc", "LK_LIVE/ABC", "lk_live abc", r"\u006", "%6", "&#;", "%25", "\\"]
        {
            assert_eq!(find(text.as_bytes(), KEY, 0), None, "{text}");
        }
    }

    #[test]
    fn a_flood_of_escapes_is_read_once() {
        for flood in ["\\", "%25", "%", "&#0", "l\u{200b}"] {
            assert_eq!(find(flood.repeat(200_000).as_bytes(), KEY, 0), None);
        }
    }

    const WHOLE: &str = "dk_3qwhe2BoGm35AeicF7nH4x";

    fn passed(text: &[u8], size: usize) -> Vec<u8> {
        let mut stream = CutStream::new(Arc::new(Secrets::new([WHOLE.into()].into_iter())));
        let mut out = Vec::new();
        for chunk in text.chunks(size) {
            stream.push(Bytes::copy_from_slice(chunk));
            while let Some(part) = stream.pop() {
                out.extend_from_slice(&part);
            }
        }
        out.extend(stream.rest().into_iter().flatten());
        out
    }

    #[test]
    fn a_key_is_cut_wherever_the_pieces_end() {
        let escaped = WHOLE.replacen('d', "%64", 1);
        let text = format!("id,name\n1,{WHOLE}\n2,a{WHOLE}{WHOLE}b\n3,\"{escaped}\"\n4,whole\n5,{WHOLE}");
        for size in 1..text.len() {
            let out = String::from_utf8(passed(text.as_bytes(), size)).unwrap();
            assert_eq!(out, "id,name\n1,[key]\n2,a[key][key]b\n3,\"[key]\"\n4,whole\n5,[key]", "{size}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_passed_on_and_cut() {
        let filler = "x".repeat(LONGEST - 10);
        let text = format!("{filler}{WHOLE}{filler}{WHOLE}{filler}");
        for size in [1000, 4096, 65_536, text.len()] {
            let out = passed(text.as_bytes(), size);
            assert!(out == text.replace(WHOLE, "[key]").as_bytes(), "{size}");
        }
    }

    #[test]
    fn what_holds_no_key_is_passed_on_as_it_came() {
        let text: Vec<u8> = (0..200_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for size in [1, 7, 1000, 70_000, 200_000] {
            assert!(passed(&text, size) == text, "{size}");
        }
    }
}
