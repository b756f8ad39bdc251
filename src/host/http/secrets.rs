//! Keys are cut out of everything that a service sends back: an error that echoes the headers must not bring the key to a
//! screen, a log or the store, however its characters are written.

use std::ops::Range;

use bytes::Bytes;
use memchr::{memchr2, memmem};
use secrecy::{ExposeSecret, SecretString};

use lode_engine::effect::Failure;

use super::disguise::find;

/// Stands where a key stood.
const CUT: &str = "[key]";
/// A shorter text occurs by chance, and protects nothing.
const SHORTEST: usize = 6;

pub(super) struct Secrets {
    keys: Vec<SecretString>,
}

impl Secrets {
    pub(super) fn new(keys: impl Iterator<Item = SecretString>) -> Secrets {
        Secrets { keys: keys.filter(|key| key.expose_secret().len() >= SHORTEST).collect() }
    }

    /// Whether a key stands in the path of an address, also escaped or in other letters.
    pub(super) fn stand_in(&self, path: &str) -> bool {
        let plain = path.to_ascii_lowercase();
        let stands =
            |key: &SecretString| find(plain.as_bytes(), key.expose_secret().to_ascii_lowercase().as_bytes(), 0);
        self.keys.iter().any(|key| stands(key).is_some())
    }

    pub(super) fn cut_body(&self, mut body: Vec<u8>) -> Bytes {
        for key in &self.keys {
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
        if self.keys.iter().any(is_plain) || is_escaped() { self.cut_body(bytes.into()) } else { bytes }
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

fn replace(text: &[u8], key: &[u8], mut found: Range<usize>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut copied = 0;
    loop {
        out.extend_from_slice(&text[copied..found.start]);
        out.extend_from_slice(CUT.as_bytes());
        copied = found.end;
        match find(text, key, copied) {
            Some(next) => found = next,
            None => break,
        }
    }
    out.extend_from_slice(&text[copied..]);
    out
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
}
