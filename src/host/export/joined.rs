//! Files made from local rows: a page, the ledger, or the parts of an export of several searches.
//!
//! Joined are the first head, then the records of each part, every id once. Without a column of ids every record is kept, and that
//! is said.

use super::formed::{LONGEST, Taken, records, texts};
use super::*;

/// Whether the target can be written as it is named.
pub fn check(target: &ExportTarget, folders: &Folders) -> Filed<()> {
    refuse(target, folders)?;
    shape(&target.form, folders).map(drop)
}

/// Rows that are already here, in the form of the target; those of an export that was stopped go under a name that says so.
pub fn write_rows(target: &ExportTarget, rows: &[Row], folders: &Folders, at: Wall) -> Filed<Exported> {
    refuse_own_target(target, folders)?;
    if !target.keep_incomplete {
        refuse(target, folders)?;
    }
    let write = |part: &mut PartialFile, shape| {
        let spread = Spread::of(rows);
        let mut file = FormFile::of(part, shape)?;
        file.head(&spread.names)?;
        let mut cells = Vec::new();
        for row in rows {
            spread.cells(row, &mut cells);
            file.line(&cells)?;
        }
        Ok((rows.len() as u64, file.finish(ExportNotes::default())?))
    };
    written(target, folders, at, write)
}

/// Writes the parts as one file and removes them, whatever comes of it.
pub fn join(parts: &[PathBuf], to: &ExportTarget, not: &Exclusions, folders: &Folders, at: Wall) -> Filed<Exported> {
    let mut joined = Joined { leave: Leave::new(not), ..Joined::default() };
    let write = |part: &mut PartialFile, shape| joined.write(parts, part, shape);
    let done = refuse(to, folders).and_then(|()| written(to, folders, at, write));
    remove(parts);
    joined.trouble.map_or(done, |words| Err(FileFailure { words }))
}

pub fn remove(parts: &[PathBuf]) {
    parts.iter().for_each(|part| drop(std::fs::remove_file(part)));
}

/// The file of a target. `write` returns how many rows it wrote, and what is to be said of them.
fn written(
    target: &ExportTarget,
    folders: &Folders,
    at: Wall,
    write: impl FnOnce(&mut PartialFile, Shape) -> io::Result<(u64, ExportNotes)>,
) -> Filed<Exported> {
    let shape = shape(&target.form, folders)?;
    let path = path(target, "contacts", folders, at);
    let file = || {
        let mut part = PartialFile::create(&path)?;
        let (rows, lint) = write(&mut part, shape)?;
        let path = if target.keep_incomplete { part.keep_incomplete() } else { part.finish() }?;
        let bytes = std::fs::metadata(&path).map_or(0, |file| file.len());
        let head = first_lines(&path);
        Ok(Exported { path, rows, bytes, lint, head })
    };
    file().map_err(|error| FileFailure { words: atomic::sentence(&path, &error) })
}

/// The ids that were written, of which there are millions: 64 neighbors share one entry.
#[derive(Default)]
struct SeenIds {
    numbers: HashMap<u64, u64>,
    others: HashSet<Box<[u8]>>,
}

impl SeenIds {
    /// Whether it is new.
    fn insert(&mut self, id: &[u8]) -> bool {
        // `007` is another id than `7`.
        let plain = matches!(id, [b'0'] | [b'1'..=b'9', ..]);
        let number = std::str::from_utf8(id).ok().filter(|_| plain).and_then(|text| text.parse::<u64>().ok());
        let Some(number) = number else { return self.others.insert(id.into()) };
        let (word, bit) = (self.numbers.entry(number / 64).or_default(), 1 << (number % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

/// What was joined so far.
#[derive(Default)]
struct Joined {
    leave: Leave,
    /// The head of the first part, which is the head of all.
    head: Option<ByteRecord>,
    /// The column of ids.
    id: Option<usize>,
    seen: SeenIds,
    rows: u64,
    repeats: u64,
    /// Why the parts do not fit together.
    trouble: Option<String>,
}

impl Joined {
    fn write(&mut self, parts: &[PathBuf], part: &mut PartialFile, shape: Shape) -> io::Result<(u64, ExportNotes)> {
        let mut notes = ExportNotes::default();
        if shape == Shape::Lines(Layout::Raw) {
            let out = BufWriter::with_capacity(1 << 18, &mut part.file);
            let mut csv = csv::WriterBuilder::new().flexible(true).terminator(csv::Terminator::CRLF).from_writer(out);
            self.each(parts, u64::MAX, |record| Ok(csv.write_byte_record(record)?))?;
            csv.flush()?;
        } else {
            let mut file = FormFile::of(part, shape)?;
            self.each(parts, LONGEST, |record| file.record(&texts(record, &mut notes)))?;
            notes = file.finish(notes)?;
        }
        let (repeats, no_ids, excluded) = (self.repeats, self.id.is_none(), self.leave.excluded);
        Ok((self.rows, ExportNotes { repeats, no_ids, excluded, ..notes }))
    }

    /// Passes on the head of the first part, and the records of all that are not left out.
    fn each(&mut self, parts: &[PathBuf], longest: u64, mut take: impl FnMut(&ByteRecord) -> Taken) -> Taken {
        for part in parts {
            let mut begins = true;
            records(File::open(part)?, longest, |record| {
                let passes = if std::mem::take(&mut begins) { self.begin(record)? } else { self.takes(record) };
                if passes { take(record) } else { Ok(()) }
            })?;
        }
        Ok(())
    }

    /// The head of a part: the first one passes, the others have to be the same.
    fn begin(&mut self, head: &ByteRecord) -> io::Result<bool> {
        let fits = match &self.head {
            Some(first) if first == head => return Ok(false),
            Some(_) => Err(io::Error::other(
                "the searches come with different columns, so they do not fit into one file: export them one by one",
            )),
            None => self.leave.head(&lossy(head)),
        };
        fits.inspect_err(|error| self.trouble = Some(error.to_string()))?;
        self.id = head.iter().position(|name| name.trim_ascii().eq_ignore_ascii_case(b"id"));
        self.head = Some(head.clone());
        Ok(true)
    }

    /// Whether a record is neither left out nor one whose id was there before.
    fn takes(&mut self, record: &ByteRecord) -> bool {
        if !self.leave.is_empty() && !self.leave.takes(&lossy(record)) {
            return false;
        }
        let id = self.id.and_then(|at| record.get(at)).filter(|id| !id.is_empty());
        let is_new = id.is_none_or(|id| self.seen.insert(id));
        *(if is_new { &mut self.rows } else { &mut self.repeats }) += 1;
        is_new
    }
}

fn lossy(record: &ByteRecord) -> Vec<Cow<'_, str>> {
    record.iter().map(String::from_utf8_lossy).collect()
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

    /// An export of eight million rows held 550 MB for their ids.
    #[test]
    fn a_million_ids_take_little_memory() {
        let mut seen = SeenIds::default();
        assert!((0..1_000_000).all(|id: u64| seen.insert(id.to_string().as_bytes())));
        assert!(seen.numbers.len() <= 1_000_000 / 64 && seen.others.is_empty());
        let most = u64::MAX.to_string();
        for id in ["007", "+7", "-7", "7.0", "a", most.as_str(), "99999999999999999999999"] {
            assert!(seen.insert(id.as_bytes()), "{id} is another one");
            assert!(!seen.insert(id.as_bytes()), "{id} was there");
        }
        assert!(!seen.insert(b"0") && !seen.insert(b"999999") && seen.insert(b"1000000"));
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
