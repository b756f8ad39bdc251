//! Several exports as one: the first head, then the records of each, every id once.
//!
//! From CSV to CSV: what a form makes of it comes after. Without a column of ids every record is kept, and that is said.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use csv::ByteRecord;

use crate::files::Folders;
use crate::files::atomic::{self, PartialFile};
use lode_core::{Exclusions, Layout, Wall};
use lode_engine::effect::{ExportNotes, ExportTarget, Exported, FileFailure};

use super::leave::Leave;
use super::name::{Shape, path, refuse, shape};
use super::{first_lines, into_part};

/// Whether the target can be written as it is named.
pub fn check(target: &ExportTarget, folders: &Folders) -> Result<(), FileFailure> {
    refuse(target, folders)?;
    shape(&target.form, folders).map(drop)
}

/// Writes the parts as one file and removes them, whatever comes of it.
pub fn join(
    parts: &[PathBuf],
    target: &ExportTarget,
    not: &Exclusions,
    folders: &Folders,
    at: Wall,
) -> Result<Exported, FileFailure> {
    let joined = write(parts, target, not, folders, at);
    remove(parts);
    joined
}

pub fn remove(parts: &[PathBuf]) {
    for part in parts {
        drop(std::fs::remove_file(part));
    }
}

fn write(
    parts: &[PathBuf],
    target: &ExportTarget,
    not: &Exclusions,
    folders: &Folders,
    at: Wall,
) -> Result<Exported, FileFailure> {
    check(target, folders)?;
    let path = path(target, "contacts", folders, at);
    let failed = |error: &io::Error| FileFailure { words: atomic::sentence(&path, error) };
    let mut part = PartialFile::create(&path).map_err(|error| failed(&error))?;
    let mut from = Joined::open(parts, not).map_err(|error| failed(&error))?;
    let lint = form(&mut from, &mut part, shape(&target.form, folders)?);
    if let Some(words) = from.trouble {
        return Err(FileFailure { words });
    }
    let lint = lint.map_err(|error| failed(&error))?;
    let (rows, repeats, no_ids, excluded) = (from.rows, from.repeats, from.id.is_none(), from.leave.excluded);
    let finished = if target.keep_incomplete { part.keep_incomplete() } else { part.finish() };
    let path = finished.map_err(|error| failed(&error))?;
    let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
    let head = first_lines(&path);
    Ok(Exported { path, rows, bytes, lint: ExportNotes { repeats, no_ids, excluded, ..lint }, head })
}

fn form(from: &mut Joined, part: &mut PartialFile, shape: Shape) -> io::Result<ExportNotes> {
    match shape {
        Shape::Lines(Layout::Raw) => {
            let mut out = BufWriter::with_capacity(1 << 18, part.file());
            io::copy(from, &mut out)?;
            out.flush()?;
            Ok(ExportNotes::default())
        }
        shape => into_part(from, part, shape, &Exclusions::default(), |_| ()),
    }
}

/// The parts as one text to read from.
struct Joined {
    left: VecDeque<PathBuf>,
    leave: Leave,
    reader: csv::Reader<File>,
    record: ByteRecord,
    head: Option<ByteRecord>,
    /// The next record is the head of a part.
    begins: bool,
    /// The column of ids.
    id: Option<usize>,
    seen: HashSet<Box<[u8]>>,
    rows: u64,
    repeats: u64,
    line: Cursor<Vec<u8>>,
    trouble: Option<String>,
}

fn reader(path: &Path) -> io::Result<csv::Reader<File>> {
    Ok(csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(File::open(path)?))
}

impl Joined {
    fn open(parts: &[PathBuf], not: &Exclusions) -> io::Result<Joined> {
        let mut left: VecDeque<PathBuf> = parts.iter().cloned().collect();
        let first = left.pop_front().ok_or(io::ErrorKind::NotFound)?;
        Ok(Joined {
            reader: reader(&first)?,
            left,
            leave: Leave::new(not),
            record: ByteRecord::new(),
            head: None,
            begins: true,
            id: None,
            seen: HashSet::new(),
            rows: 0,
            repeats: 0,
            line: Cursor::default(),
            trouble: None,
        })
    }

    /// Puts the next line into `line`; it stays empty at the end.
    fn advance(&mut self) -> io::Result<()> {
        self.line = Cursor::default();
        loop {
            if !self.reader.read_byte_record(&mut self.record)? {
                let Some(next) = self.left.pop_front() else { return Ok(()) };
                (self.reader, self.begins) = (reader(&next)?, true);
                continue;
            }
            if std::mem::take(&mut self.begins) {
                if let Some(first) = self.begin()? {
                    write_line(&first, self.line.get_mut());
                    self.head = Some(first);
                    return Ok(());
                }
                continue;
            }
            if !self.leave.is_empty() && !self.leave.takes(&texts(&self.record)) {
                continue;
            }
            let id = self.id.and_then(|at| self.record.get(at)).filter(|id| !id.is_empty());
            if id.is_some_and(|id| !self.seen.insert(id.into())) {
                self.repeats += 1;
                continue;
            }
            self.rows += 1;
            write_line(&self.record, self.line.get_mut());
            return Ok(());
        }
    }

    /// The head of a part: the first one is given, the others have to be the same.
    fn begin(&mut self) -> io::Result<Option<ByteRecord>> {
        let bare = |cell: &[u8]| cell.strip_prefix(b"\xef\xbb\xbf").unwrap_or(cell).to_vec();
        let head: ByteRecord = self.record.iter().map(bare).collect();
        match &self.head {
            None => {
                if let Err(error) = self.leave.head(&texts(&head)) {
                    self.trouble = Some(error.to_string());
                    return Err(error);
                }
                self.id = head.iter().position(|name| name.trim_ascii().eq_ignore_ascii_case(b"id"));
                Ok(Some(head))
            }
            Some(first) if *first == head => Ok(None),
            Some(_) => {
                let words = "the searches come with different columns, so they do not fit into one file: export them one by one";
                self.trouble = Some(words.to_owned());
                Err(io::Error::other(words))
            }
        }
    }
}

fn texts(record: &ByteRecord) -> Vec<Cow<'_, str>> {
    record.iter().map(String::from_utf8_lossy).collect()
}

fn write_line(record: &ByteRecord, line: &mut Vec<u8>) {
    for (at, cell) in record.iter().enumerate() {
        if at > 0 {
            line.push(b',');
        }
        if cell.iter().any(|byte| matches!(byte, b'"' | b',' | b'\r' | b'\n')) {
            line.push(b'"');
            for byte in cell {
                line.extend_from_slice(if *byte == b'"' { b"\"\"" } else { std::slice::from_ref(byte) });
            }
            line.push(b'"');
        } else {
            line.extend_from_slice(cell);
        }
    }
    line.extend_from_slice(b"\r\n");
}

impl Read for Joined {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.line.position() == self.line.get_ref().len() as u64 {
            self.advance()?;
        }
        self.line.read(into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_engine::effect::files::Form;

    fn joined(texts: &[&str], form: Form) -> (Result<Exported, FileFailure>, Option<String>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().to_owned();
        let folders = Folders { here: here.clone(), config: here.clone(), state: here.clone(), own: Vec::new() };
        let parts: Vec<PathBuf> = (0..texts.len()).map(|at| here.join(format!(".x.leg-{at}.csv"))).collect();
        for (part, text) in parts.iter().zip(texts) {
            std::fs::write(part, text).unwrap();
        }
        let target = ExportTarget { path: Some("x.csv".into()), form, keep_incomplete: false, replace: false };
        let done = join(&parts, &target, &Exclusions::default(), &folders, Wall(0));
        let text = std::fs::read_to_string(here.join("x.csv")).ok();
        (done, text, std::fs::read_dir(&here).unwrap().count())
    }

    #[test]
    fn every_id_is_written_once_under_one_head() {
        let parts =
            ["\u{feff}id,name\r\n1,Dana\r\n2,\"Tom, B\"\r\n", "id,name\n2,Tom\n3,\"a \"\"b\"\"\"\n", "id,name\n"];
        let (done, text, files) = joined(&parts, Form::Raw);
        let done = done.unwrap();
        assert_eq!(text.unwrap(), "id,name\r\n1,Dana\r\n2,\"Tom, B\"\r\n3,\"a \"\"b\"\"\"\r\n");
        assert_eq!((done.rows, done.lint.repeats, done.lint.no_ids, files), (3, 1, false, 1), "the parts are gone");
        let (done, ..) = joined(&parts, Form::Contacts);
        assert_eq!(done.unwrap().rows, 3);
    }

    #[test]
    fn other_columns_are_refused_and_leave_nothing() {
        let (done, text, files) = joined(&["id,name\n1,a\n", "id,title\n2,b\n"], Form::Raw);
        assert!(done.unwrap_err().words.contains("different columns"));
        assert_eq!((text, files), (None, 0));
    }

    #[test]
    fn without_ids_repeats_stay_and_that_is_said() {
        let (done, _, _) = joined(&["name\na\n", "name\na\n"], Form::Raw);
        let done = done.unwrap();
        assert_eq!((done.rows, done.lint.no_ids), (2, true));
        assert!(done.lint.words().contains("no id column"), "{}", done.lint.words());
    }
}
