//! The disk's end of a stream, on a thread of its own: counting records and forming lines overlaps with the network.

use std::borrow::Cow;
use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes};
use tokio::sync::mpsc;

use lode_core::{CsvRecords, Exclusions, Layout};
use lode_engine::effect::{ExportNotes, Exported, Progress, SPARE};

use super::super::files::atomic::{self, PartialFile};
use super::contents::{LONGEST_HEAD, check_head};
use super::first_lines;
use super::formed::{self, FormFile};
use super::name::Shape;

pub(super) enum Piece {
    Bytes(Bytes),
    /// The framing ended: nothing is missing. A channel that closes without it was cut.
    Whole,
}

/// What the sink did so far, for those who watch; and what it shall leave behind if it is cut.
pub(super) struct Count {
    begun: Instant,
    /// Milliseconds from then to when the service last sent something.
    came: AtomicU64,
    rows: AtomicU64,
    bytes: AtomicU64,
    keep: AtomicBool,
}

impl Count {
    pub(super) fn new(keep: bool, begun: Instant) -> Count {
        let [came, rows, bytes] = [begun.elapsed().as_millis() as u64, 0, 0].map(AtomicU64::new);
        Count { begun, came, rows, bytes, keep: AtomicBool::new(keep) }
    }

    /// The service sent something.
    pub(super) fn came(&self) {
        self.came.store(self.begun.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    pub(super) fn progress(&self) -> Progress {
        let (elapsed, came) = (self.begun.elapsed(), Duration::from_millis(self.came.load(Ordering::Relaxed)));
        let (rows, bytes) = (self.rows(), self.bytes());
        Progress { rows, bytes, of: None, elapsed, quiet: elapsed.saturating_sub(came) }
    }

    fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn keep(&self, keep: bool) {
        self.keep.store(keep, Ordering::Release);
    }
}

pub(super) enum End {
    Whole(Exported),
    Short {
        kept: Option<PathBuf>,
        rows: u64,
        /// What it is, if it came to its end and is not a CSV of contacts. None if it was cut before.
        is: Option<&'static str>,
    },
}

/// `room` says what the disk can still take. Fails with a sentence.
pub(super) fn write(
    from: mpsc::Receiver<Piece>,
    mut part: PartialFile,
    shape: Shape,
    not: &Exclusions,
    count: &Count,
    room: impl Fn() -> Option<u64>,
) -> Result<End, String> {
    let mut from =
        Stream { from, piece: Bytes::new(), whole: false, cut: false, full: false, count, room: &room, asked_at: 0 };
    let told = |rows| count.rows.store(rows, Ordering::Relaxed);
    let head = from.head();
    let written = match shape {
        // What is not a CSV has no records: it is kept as it came.
        _ if head.is_err() => write_raw(&mut from, &mut part, count),
        Shape::Lines(Layout::Raw) => write_raw(&mut from, &mut part, count),
        shape => FormFile::of(&mut part, shape).and_then(|file| formed::write(&mut from, file, not, told)),
    };
    let target = part.target().to_owned();
    if from.full {
        return Err(format!("the disk has less than {} MB left: {} was not written", SPARE >> 20, target.display()));
    }
    // What failed is the stream that ended early, not the disk.
    if from.cut {
        return short(part, count, None);
    }
    let lint = written.map_err(|error| atomic::sentence(&target, &error))?;
    if let Err(is) = head {
        return short(part, count, Some(is));
    }
    let path = part.finish().map_err(|error| atomic::sentence(&target, &error))?;
    // What is told is the file; what came over the line may be longer or shorter than its form.
    let bytes = std::fs::metadata(&path).map_or_else(|_| count.bytes(), |file| file.len());
    let head = first_lines(&path);
    Ok(End::Whole(Exported { path, rows: count.rows(), bytes, lint, head }))
}

fn short(part: PartialFile, count: &Count, is: Option<&'static str>) -> Result<End, String> {
    let rows = count.rows();
    if !count.keep.load(Ordering::Acquire) || count.bytes() == 0 {
        return Ok(End::Short { kept: None, rows, is });
    }
    let target = part.target().to_owned();
    let kept = part.keep_incomplete().map_err(|error| atomic::sentence(&target, &error))?;
    Ok(End::Short { kept: Some(kept), rows, is })
}

/// Bytes pass through as they came.
fn write_raw(from: &mut Stream<'_>, part: &mut PartialFile, count: &Count) -> io::Result<ExportNotes> {
    let mut records = CsvRecords::default();
    let mut text = Utf8::default();
    let mut out = BufWriter::with_capacity(1 << 18, part.file());
    while let Some(piece) = from.next_piece() {
        records.feed(&piece);
        text.feed(&piece);
        count.rows.store(records.rows(), Ordering::Relaxed);
        out.write_all(&piece)?;
    }
    out.flush()?;
    Ok(ExportNotes { not_text: text.broken, ..ExportNotes::default() })
}

/// The pieces as something to read from. Its end is an error unless the stream is whole.
struct Stream<'c> {
    from: mpsc::Receiver<Piece>,
    piece: Bytes,
    whole: bool,
    cut: bool,
    full: bool,
    count: &'c Count,
    room: &'c dyn Fn() -> Option<u64>,
    /// Bytes that had come when the disk was last asked.
    asked_at: u64,
}

/// Bytes between two looks at the disk.
const LOOK_EVERY: u64 = 32 << 20;

impl Stream<'_> {
    /// Reads as much as the head takes, which is read once more afterwards. Fails with what came in the place of a head.
    fn head(&mut self) -> Result<(), &'static str> {
        let mut seen = Vec::new();
        let mut records = CsvRecords::default();
        while records.complete == 0
            && seen.len() < LONGEST_HEAD
            && let Some(piece) = self.next_piece()
        {
            records.feed(&piece);
            seen.extend_from_slice(&piece);
        }
        let found = check_head(&seen);
        self.piece = seen.into();
        found
    }

    fn next_piece(&mut self) -> Option<Bytes> {
        if !self.piece.is_empty() {
            return Some(std::mem::take(&mut self.piece));
        }
        if self.whole || self.cut {
            return None;
        }
        match self.from.blocking_recv() {
            Some(Piece::Bytes(bytes)) => {
                let come = self.count.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                if come >= self.asked_at + LOOK_EVERY {
                    self.asked_at = come;
                    if (self.room)().is_some_and(|room| room < SPARE) {
                        (self.full, self.cut) = (true, true);
                        return None;
                    }
                }
                Some(bytes)
            }
            Some(Piece::Whole) => {
                self.whole = true;
                None
            }
            None => {
                self.cut = true;
                None
            }
        }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.next_piece() {
                Some(piece) => self.piece = piece,
                None if self.cut => return Err(io::ErrorKind::UnexpectedEof.into()),
                None => return Ok(0),
            }
        }
        let much = self.piece.len().min(into.len());
        self.piece.copy_to_slice(&mut into[..much]);
        Ok(much)
    }
}

/// Counts invalid UTF-8 in a text that comes in pieces.
#[derive(Default)]
struct Utf8 {
    /// A character that the piece before did not finish.
    open: Vec<u8>,
    broken: u64,
}

impl Utf8 {
    fn feed(&mut self, piece: &[u8]) {
        let whole = if self.open.is_empty() { piece.into() } else { Cow::from([&self.open, piece].concat()) };
        self.open.clear();
        let mut rest = &*whole;
        while let Err(error) = std::str::from_utf8(rest) {
            let Some(length) = error.error_len() else {
                self.open = rest[error.valid_up_to()..].to_vec();
                return;
            };
            self.broken += 1;
            rest = &rest[error.valid_up_to() + length..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_is_not_filled_to_the_brim() {
        for shape in [Shape::Lines(Layout::Raw), Shape::Lines(Layout::Contacts), Shape::Workbook] {
            let folder = tempfile::tempdir().unwrap();
            let part = PartialFile::create(&folder.path().join("leads.csv")).unwrap();
            let (pieces, from) = mpsc::channel(64);
            let line = Bytes::from([b"a".repeat((1 << 20) - 1), b"\n".to_vec()].concat());
            for _ in 0..40 {
                pieces.try_send(Piece::Bytes(line.clone())).ok().unwrap();
            }
            pieces.try_send(Piece::Whole).ok().unwrap();
            let Err(words) =
                write(from, part, shape, &Exclusions::default(), &Count::new(true, Instant::now()), || Some(SPARE - 1))
            else {
                panic!()
            };
            assert!(words.starts_with("the disk has less than 64 MB left"), "{words}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn broken_text_is_counted_across_pieces() {
        let text = b"caf\xe9,\xe2\x80\xa2\xf0\x9f\x98\x80 \xff\xff \xc3\xa9\xe2\x80";
        for size in 1..=text.len() {
            let mut count = Utf8::default();
            for piece in text.chunks(size) {
                count.feed(piece);
            }
            assert_eq!(count.broken, 3, "in pieces of {size}");
        }
    }
}
