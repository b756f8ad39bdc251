//! A CSV of the service in a form for people: records are taken apart, texts are scrubbed, cells become lines of the form.
//!
//! From bytes to bytes: where they come from and where they go is `sink`'s business.

use std::borrow::Cow;
use std::cell::Cell as Counter;
use std::io::{self, Read, Write};

use lode_core::{Cell, Exclusions, ExportWriter, Layout, scrub, scrub::is_plain};
use lode_engine::effect::ExportNotes;

use super::leave::Leave;

/// No record of a CSV is longer, but an unclosed quote makes one of all that follows.
const LONGEST: u64 = 16 << 20;

/// Writes every record of `from`; `told` hears how many rows that were so far, the head not among them.
pub fn formed(
    from: impl Read,
    mut out: impl Write,
    layout: Layout,
    not: &Exclusions,
    told: impl Fn(u64),
) -> io::Result<ExportNotes> {
    let mut line = Vec::new();
    let mut lint = ExportNotes::default();
    let mut longer = 0;
    let mut sheet: Option<ExportWriter> = None;
    records(from, not, &mut lint, |number, texts| {
        line.clear();
        match &mut sheet {
            None => sheet.insert(ExportWriter::new(layout.clone(), texts)).header(&mut line),
            Some(sheet) => {
                longer += u64::from(texts.iter().skip(sheet.columns()).any(|text| !text.is_empty()));
                let cells: Vec<Cell<'_>> = texts.iter().map(|text| Cell::text(text)).collect();
                sheet.row(&cells, &mut line);
                told(number);
            }
        }
        out.write_all(&line)
    })?;
    out.flush()?;
    let touched = sheet.map(|sheet| sheet.touched()).unwrap_or_default();
    Ok(ExportNotes { formulas: touched.formulas, phones: touched.phones, longer, ..lint })
}

/// Every record of a CSV that is not left out, with its number, scrubbed; the head is number 0.
pub(super) fn records(
    from: impl Read,
    not: &Exclusions,
    lint: &mut ExportNotes,
    mut each: impl FnMut(u64, &[Cow<'_, str>]) -> io::Result<()>,
) -> io::Result<()> {
    let since_record = Counter::new(0);
    let bounded = Bounded { inner: without_mark(from)?, since_record: &since_record };
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).has_headers(false).buffer_capacity(1 << 16).from_reader(bounded);
    let mut record = csv::ByteRecord::new();
    let mut number = 0;
    let mut leave = Leave::new(not);
    while reader.read_byte_record(&mut record).map_err(io_error)? {
        since_record.set(0);
        let texts: Vec<Cow<'_, str>> = match plain(&record) {
            Some(text) => (0..record.len()).filter_map(|at| Some(Cow::from(&text[record.range(at)?]))).collect(),
            None => record.iter().map(|cell| readable(cell, lint)).collect(),
        };
        if number == 0 {
            leave.head(&texts)?;
        } else if !leave.takes(&texts) {
            continue;
        }
        each(number, &texts)?;
        number += 1;
    }
    lint.excluded = leave.excluded;
    Ok(())
}

/// All cells of a record behind each other, where nothing falls away of any: looked at once, not cell by cell.
fn plain(record: &csv::ByteRecord) -> Option<&str> {
    let text = record.as_slice();
    if is_plain(text) { std::str::from_utf8(text).ok() } else { None }
}

fn readable<'c>(cell: &'c [u8], lint: &mut ExportNotes) -> Cow<'c, str> {
    match std::str::from_utf8(cell) {
        Ok(text) => scrub(text),
        Err(_) => {
            lint.not_text += 1;
            scrub(&String::from_utf8_lossy(cell)).into_owned().into()
        }
    }
}

fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, format!("{other:?}")),
    }
}

/// Reads no further than a record can be long.
struct Bounded<'c, R> {
    inner: R,
    /// Bytes read since the last record was whole.
    since_record: &'c Counter<u64>,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.since_record.get() > LONGEST {
            let words = format!("a record is longer than {} MB, which only the raw form supports", LONGEST >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, words));
        }
        let much = self.inner.read(into)?;
        self.since_record.set(self.since_record.get() + much as u64);
        Ok(much)
    }
}

/// Without a byte order mark, which belongs to no column.
fn without_mark(mut from: impl Read) -> io::Result<impl Read> {
    let mut first = Vec::new();
    from.by_ref().take(3).read_to_end(&mut first)?;
    if first == b"\xef\xbb\xbf" {
        first.clear();
    }
    Ok(io::Cursor::new(first).chain(from))
}
