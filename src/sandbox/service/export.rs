//! The export: the whole of a filtered set as CSV, written piece by piece so that its size does not matter.

use std::panic::resume_unwind;
use std::sync::Arc;

use crate::corpus::{CorpusKind, Person};
use crate::faults::hostile;
use crate::json::{Column, data_columns, masked_email, masked_phone};
use crate::scan::{Engine, ScanQuery};
use crate::variants::Habits;

/// Records that are written by one thread in one go: a piece of about 200 kB.
const BATCH: usize = 1024;
/// One address in this many goes over two lines, where the variant has such cells.
const TWO_LINES_EVERY: u64 = 97;

pub struct Export {
    pub(super) engine: Arc<Engine>,
    pub(super) kind: CorpusKind,
    pub(super) wanted: ScanQuery,
    pub(super) hidden: Vec<u64>,
    pub(super) habits: &'static Habits,
    pub(super) hostile: bool,
    pub(super) threads: usize,
}

impl std::fmt::Debug for Export {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Export").field("wanted", &self.wanted).finish_non_exhaustive()
    }
}

impl Export {
    /// Hands over the file in order, piece by piece, until `take` says that the reader is gone.
    pub fn write(&self, take: &mut dyn FnMut(Vec<u8>) -> bool) {
        let mut heads = Vec::new();
        self.heads(&mut heads);
        if !take(heads) {
            return;
        }
        self.engine.walk(&self.wanted, &self.hidden, &mut |ids| {
            ids.chunks(BATCH * self.threads).all(|ids| self.write_rows(ids, take))
        });
    }

    /// Hands over these rows; all threads write a part of them.
    fn write_rows(&self, ids: &[u64], take: &mut dyn FnMut(Vec<u8>) -> bool) -> bool {
        std::thread::scope(|scope| {
            let parts = ids.chunks(ids.len().div_ceil(self.threads));
            let writers: Vec<_> = parts.map(|part| scope.spawn(|| self.piece(part))).collect();
            writers.into_iter().all(|writer| take(writer.join().unwrap_or_else(|panic| resume_unwind(panic))))
        })
    }

    fn piece(&self, ids: &[u64]) -> Vec<u8> {
        let mut out = Vec::with_capacity(ids.len() * 220);
        for id in ids {
            if let Some(person) = self.engine.corpus().person(*id) {
                self.record(&person, &mut out);
            }
        }
        out
    }

    fn heads(&self, out: &mut Vec<u8>) {
        if self.habits.sheet.bom {
            out.extend_from_slice("\u{feff}".as_bytes());
        }
        self.cell(if self.habits.sheet.spoken_heads { "Record ID" } else { "id" }, out);
        for Column { name, spoken, .. } in data_columns(self.kind) {
            out.push(b',');
            self.cell(if self.habits.sheet.spoken_heads { spoken } else { name }, out);
        }
        self.end(out);
    }

    fn record(&self, person: &Person, out: &mut Vec<u8>) {
        self.cell(&person.id.to_string(), out);
        for (at, Column { name, of, .. }) in data_columns(self.kind).enumerate() {
            out.push(b',');
            if self.hostile
                && let Some(text) = hostile::cell(person.id, at)
            {
                self.cell(text, out);
                continue;
            }
            match *name {
                "email_address" if self.habits.data_masked => self.cell(&masked_email(&person.email), out),
                "phone" if self.habits.data_masked => self.cell(&masked_phone(&person.phone), out),
                "address" if self.habits.sheet.two_line_cells && person.id.is_multiple_of(TWO_LINES_EVERY) => {
                    self.cell(&format!("{}\n\"Suite\" {}", person.address, person.id % 40 + 1), out);
                }
                _ => self.cell(of(person), out),
            }
        }
        self.end(out);
    }

    fn cell(&self, text: &str, out: &mut Vec<u8>) {
        let special = |byte: u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
        if !self.habits.sheet.quote_all && !text.bytes().any(special) {
            out.extend_from_slice(text.as_bytes());
            return;
        }
        out.push(b'"');
        for byte in text.bytes() {
            if byte == b'"' {
                out.push(b'"');
            }
            out.push(byte);
        }
        out.push(b'"');
    }

    fn end(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.habits.sheet.crlf { b"\r\n" } else { b"\n" });
    }
}
