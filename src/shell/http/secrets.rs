//! Keys are cut out of everything that a service sends back: an error that echoes the headers must not bring the key to a
//! screen, a log or the store.

use bytes::Bytes;
use memchr::memmem;
use secrecy::{ExposeSecret, SecretString};

use crate::effect::failure::Failure;

/// Stands where a key stood.
const CUT: &str = "[key]";
/// A shorter text occurs by chance, and protects nothing.
const SHORTEST: usize = 6;

pub(super) struct Secrets {
    keys: Vec<SecretString>,
}

impl Secrets {
    pub fn new(keys: impl Iterator<Item = SecretString>) -> Secrets {
        Secrets { keys: keys.filter(|key| key.expose_secret().len() >= SHORTEST).collect() }
    }

    /// Whether a key stands in the path of an address, also escaped or in other letters.
    pub fn stand_in(&self, path: &str) -> bool {
        let plain = unescaped(path).to_ascii_lowercase();
        self.keys.iter().any(|key| memmem::find(&plain, key.expose_secret().to_ascii_lowercase().as_bytes()).is_some())
    }

    pub fn cut_body(&self, mut body: Vec<u8>) -> Bytes {
        for key in &self.keys {
            let key = key.expose_secret().as_bytes();
            if memmem::find(&body, key).is_some() {
                body = replace(&body, key);
            }
        }
        body.into()
    }

    pub fn cut(&self, mut failure: Failure) -> Failure {
        let words = match &mut failure {
            Failure::Later { words, .. }
            | Failure::Refused { words, .. }
            | Failure::Unclear { words, .. }
            | Failure::Unsent { words }
            | Failure::OurBug { words }
            | Failure::Disk { words } => words,
        };
        for key in &self.keys {
            *words = words.replace(key.expose_secret(), CUT);
        }
        failure
    }
}

fn unescaped(path: &str) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *byte == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(escaped) => {
                plain.push(escaped);
                rest = &after[2..];
            }
            None => {
                plain.push(*byte);
                rest = after;
            }
        }
    }
    plain
}

fn replace(body: &[u8], key: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut copied = 0;
    for at in memmem::find_iter(body, key) {
        out.extend_from_slice(&body[copied..at]);
        out.extend_from_slice(CUT.as_bytes());
        copied = at + key.len();
    }
    out.extend_from_slice(&body[copied..]);
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
