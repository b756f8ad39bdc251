//! Removes keys from an export while it is passed on. It works line by line, so that no key is split at the end of a
//! buffer.

use std::collections::VecDeque;
use std::mem::{replace, take};
use std::sync::Arc;

use bytes::Bytes;
use memchr::{memchr, memrchr};

use super::secrets::Secrets;

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
            let line = replace(&mut self.held, rest.to_vec());
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

    const KEY: &str = "dk_3qwhe2BoGm35AeicF7nH4x";

    fn passed(text: &[u8], size: usize) -> Vec<u8> {
        let mut stream = CutStream::new(Arc::new(Secrets::new([KEY.into()].into_iter())));
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
        let escaped = KEY.replacen('d', "%64", 1);
        let text = format!("id,name\n1,{KEY}\n2,a{KEY}{KEY}b\n3,\"{escaped}\"\n4,whole\n5,{KEY}");
        for size in 1..text.len() {
            let out = String::from_utf8(passed(text.as_bytes(), size)).unwrap();
            assert_eq!(out, "id,name\n1,[key]\n2,a[key][key]b\n3,\"[key]\"\n4,whole\n5,[key]", "{size}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_passed_on_and_cut() {
        let filler = "x".repeat(LONGEST - 10);
        let text = format!("{filler}{KEY}{filler}{KEY}{filler}");
        for size in [1000, 4096, 65_536, text.len()] {
            let out = passed(text.as_bytes(), size);
            assert!(out == text.replace(KEY, "[key]").as_bytes(), "{size}");
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
