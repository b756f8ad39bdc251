//! The export: the whole of a filtered set as CSV, written piece by piece so that its size does not matter.

use std::sync::Arc;

use super::answer::{Answer, Body};
use super::arrival::Refusal;
use super::data::asked;
use super::params::Params;
use super::workspace::corpus;
use super::{Service, Ticket};
use crate::sandbox::corpus::{Kind, Person};
use crate::sandbox::json::rows::data_columns;
use crate::sandbox::mask;
use crate::sandbox::scan::{Engine, Wanted};
use crate::sandbox::variants::Sheet;

const PIECE: usize = 128 * 1024;
/// One address in so many goes over two lines, where the variant has such cells.
const TWO_LINES_EVERY: u64 = 97;

pub struct Export {
    engine: Engine,
    kind: Kind,
    wanted: Wanted,
    hidden: Vec<u64>,
    sheet: Sheet,
    masked: bool,
}

impl std::fmt::Debug for Export {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Export").field("wanted", &self.wanted).finish_non_exhaustive()
    }
}

impl Service {
    pub(super) fn export(&self, ticket: &Ticket<'_>, user: &str) -> Result<Answer, Refusal> {
        let habits = ticket.habits;
        let invalid = |words: String| Refusal::new(400, words);
        let params = Params::read(&ticket.request.query).map_err(invalid)?;
        let kind = corpus(&params, true).map_err(invalid)?;
        let asked = asked(&params, kind, habits).map_err(invalid)?;
        if habits.export_needs_filter && !asked.narrows() {
            return Err(invalid("Export needs a query or at least one filter".into()));
        }
        let export = Export {
            engine: self.data.of(kind).clone(),
            kind,
            wanted: asked.wanted,
            hidden: self.hidden_from(user, kind, asked.exclude_pulled),
            sheet: habits.sheet,
            masked: habits.data_masked,
        };
        Ok(Answer { body: Body::Export(Arc::new(export)), ..Answer::text(200, "text/csv; charset=utf-8", "") }
            .with_header("content-disposition", "attachment; filename=\"export.csv\""))
    }
}

impl Export {
    /// Hands over the file in order, piece by piece, until `take` says that nobody reads it any more.
    pub fn write(&self, take: &mut dyn FnMut(Vec<u8>) -> bool) {
        let mut out = Vec::with_capacity(PIECE + 4096);
        self.heads(&mut out);
        let mut wanted = true;
        self.engine.walk(&self.wanted, &self.hidden, &mut |ids| {
            for id in ids {
                if let Some(person) = self.engine.corpus().person(*id) {
                    self.record(&person, &mut out);
                }
                if out.len() >= PIECE {
                    wanted = take(std::mem::replace(&mut out, Vec::with_capacity(PIECE + 4096)));
                    if !wanted {
                        return false;
                    }
                }
            }
            true
        });
        if wanted && !out.is_empty() {
            take(out);
        }
    }

    fn heads(&self, out: &mut Vec<u8>) {
        if self.sheet.bom {
            out.extend_from_slice("\u{feff}".as_bytes());
        }
        self.cell(if self.sheet.spoken_heads { "Record ID" } else { "id" }, out);
        for (name, spoken, _) in data_columns(self.kind) {
            out.push(b',');
            self.cell(if self.sheet.spoken_heads { spoken } else { name }, out);
        }
        self.end(out);
    }

    fn record(&self, person: &Person, out: &mut Vec<u8>) {
        self.cell(&person.id.to_string(), out);
        for (name, _, of) in data_columns(self.kind) {
            out.push(b',');
            match *name {
                "email_address" if self.masked => self.cell(&mask::email(&person.email), out),
                "phone" if self.masked => self.cell(&mask::phone(&person.phone), out),
                "address" if self.sheet.two_line_cells && person.id.is_multiple_of(TWO_LINES_EVERY) => {
                    self.cell(&format!("{}\n\"Suite\" {}", person.address, person.id % 40 + 1), out);
                }
                _ => self.cell(of(person), out),
            }
        }
        self.end(out);
    }

    fn cell(&self, text: &str, out: &mut Vec<u8>) {
        let special = |byte: u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
        if !self.sheet.quote_all && !text.bytes().any(special) {
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
        out.extend_from_slice(if self.sheet.crlf { b"\r\n" } else { b"\n" });
    }
}
