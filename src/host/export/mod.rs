//! Exports: a stream of the Data API into a file, and local rows into a file.
//!
//! A file under its final name is complete: the status is 200, the head names a known column, the framing of the stream ended, the
//! bytes are synced, then renamed. Everything else leaves a file whose name says that it is incomplete, or nothing. What a form does to cells is in `core::export`.

mod contents;
pub mod formed;
mod joined;
mod name;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes};
use csv::ByteRecord;
use memchr::memrchr;
use reqwest::{StatusCode, header};
use rust_xlsxwriter::{Workbook, XlsxError};
use tokio::sync::{mpsc, oneshot};

use super::files::atomic::{self, PartialFile};
use super::files::{Folders, free_name, if_there, refuse_own};
use super::http::{Http, Opened};
use super::{clock::or_never, system::files::room, terminal::line::let_terminal_show};
use lode_core::export::preset::is_head;
use lode_core::{
    Cell, CellKind, CsvRecords, ExclusionFilter, ExclusionKind, Exclusions, ExportWriter, Filter, Known, Layout,
    Preset, Query, Row, Spread, Traits, Wall, counted, is_phone_column, scrub, scrub::is_plain,
};
use lode_engine::effect::{
    Call, ExportNotes, ExportTarget, Exported, Failure, FileFailure, Form, Outgoing, Progress, SPARE, Unclear,
};

use self::contents::{Keyword, LONGEST_HEAD, Leave, check_head};
use self::{formed::FormFile, name::refuse};

pub use joined::{check, join, remove, write_rows};
pub use name::{Shape, in_the_way, own_forms, path, refuse_own_target, shape};

/// The result of work on a file that a person named.
type Filed<T> = Result<T, FileFailure>;

/// Between two reports of progress.
const PACE: Duration = Duration::from_millis(250);
/// Pieces between the line and the disk: enough that neither waits for the other's hiccups, little enough to hold in memory.
const IN_HAND: usize = 16;

/// How a stream ended, if it did not fail.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEnd {
    Whole(Exported),
    Stopped { kept: Option<PathBuf>, rows: u64 },
}

/// Streams the whole filtered set into the target's file. `stop` ends it, and says whether what there is so far is kept; `report`
/// hears of progress, at most four times a second.
pub async fn stream(
    http: &Http,
    call: &Outgoing,
    folders: &Folders,
    at: Wall,
    mut stop: oneshot::Receiver<bool>,
    report: impl Fn(Progress),
) -> Result<StreamEnd, Failure> {
    let Call::Export { query, target } = call else {
        return Err(Failure::OurBug { words: "only an export is streamed".to_owned() });
    };
    refuse(target, folders).map_err(|failure| Failure::Disk { words: failure.words })?;
    let begun = Instant::now();
    let mut opened = tokio::select! {
        biased;
        _ = stopped(&mut stop) => return Ok(StreamEnd::Stopped { kept: None, rows: 0 }),
        opened = http.open(call) => opened?,
    };
    let (part, shape) = begin(&opened, query, target, folders, at)?;

    let count = Arc::new(Count::new(target.keep_incomplete, begun));
    let (pieces, from) = mpsc::channel(IN_HAND);
    let writing = {
        let count = Arc::clone(&count);
        let folder = atomic::folder_of(&part.target).to_owned();
        let not = query.not.clone();
        tokio::task::spawn_blocking(move || write(from, part, shape, &not, &count, || room(&folder).ok()))
    };
    // That the answer begins is told at once: the request is out of the way from here on.
    report(count.progress());
    let tell = async {
        loop {
            tokio::time::sleep(PACE).await;
            report(count.progress());
        }
    };
    let received = tokio::select! {
        biased;
        received = receive(&mut opened, Keyword::of(query), pieces, &count, &mut stop) => received,
        () = tell => unreachable!("it tells as long as the stream lasts"),
    };
    let written = writing.await;
    report(count.progress());
    let written = written.map_err(|_| Failure::OurBug { words: "writing the export failed".to_owned() })?;
    let (end, is) = written.map_err(|words| Failure::Disk { words })?;
    let StreamEnd::Stopped { kept, rows } = &end else { return Ok(end) };
    match (is, received) {
        (Some(is), _) => {
            let kept = kept.as_ref().map_or_else(String::new, |path| format!("; it is kept in {}", path.display()));
            let words = format!("the service sent {is} instead of a CSV of contacts{kept}");
            Err(http.cut(Failure::Unclear { why: Unclear::Unreadable, words }))
        }
        (None, Err(failure)) => Err(http.cut(with_leavings(failure, *rows, kept.as_deref()))),
        (None, Ok(())) => Ok(end),
    }
}

/// Passes on what the service sends until it ends, a person stops it or the sink gives up. The last piece is none: the framing ended,
/// and nothing is missing. Fails with what broke it.
async fn receive(
    opened: &mut Opened,
    mut keyword: Keyword,
    pieces: mpsc::Sender<Option<Bytes>>,
    count: &Count,
    stop: &mut oneshot::Receiver<bool>,
) -> Result<(), Failure> {
    let incomplete = lack(opened);
    loop {
        let chunk = tokio::select! {
            biased;
            keep = stopped(stop) => {
                count.keep(keep);
                return Ok(());
            }
            chunk = opened.chunk() => chunk,
        };
        count.came();
        let chunk = chunk?;
        keyword.look(chunk.as_deref().unwrap_or_default(), chunk.is_none()).inspect_err(|_| count.keep(false))?;
        let is_last = chunk.is_none();
        if let (true, Some(words)) = (is_last, &incomplete) {
            return Err(Failure::Unclear { why: Unclear::Unreadable, words: words.clone() });
        }
        // A sink that gave up says why.
        if pieces.send(chunk).await.is_err() || is_last {
            return Ok(());
        }
    }
}

/// So much of a file is shown when it is done.
const HEAD: usize = 4096;
const HEAD_LINES: usize = 4;

/// Nothing where it cannot be read: the file is whole all the same.
fn first_lines(path: &Path) -> Vec<String> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(HEAD as u64).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(if read.is_ok() { &bytes } else { &[] });
    let shown = |line: &str| line.chars().filter(|c| !c.is_control()).take(400).collect();
    text.trim_start_matches('\u{feff}').lines().take(HEAD_LINES).map(shown).collect()
}

/// Resolves with whether to keep what there is when the export is canceled; never if it cannot be canceled any more.
async fn stopped(stop: &mut oneshot::Receiver<bool>) -> bool {
    let keep = if stop.is_terminated() { None } else { stop.await.ok() };
    or_never(keep, async |keep| keep).await
}

fn with_leavings(failure: Failure, rows: u64, kept: Option<&Path>) -> Failure {
    let said = counted(rows, "row");
    let left = match kept {
        Some(path) if rows == 0 => format!("; it is kept in {}", path.display()),
        Some(path) => format!("; {said} kept in {}", path.display()),
        None if rows == 0 => "; nothing was kept".to_owned(),
        None => format!("; {said} received, nothing was kept"),
    };
    match failure {
        Failure::Unclear { why, words } => Failure::Unclear { why, words: words + &left },
        other => other,
    }
}

/// Why the body cannot be a complete export, whatever it holds.
fn lack(opened: &Opened) -> Option<String> {
    let status = opened.response.status();
    if status != StatusCode::OK {
        return Some(format!("the service answered with status {}, which is not a complete export", status.as_u16()));
    }
    let headers = opened.response.headers();
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.to_ascii_lowercase();
    if kind.contains("html") || kind.contains("json") {
        let sent = if kind.contains("html") { "a web page" } else { "JSON" };
        return Some(format!("the response is marked as {sent}, not as a CSV"));
    }
    let codings = headers.get_all(header::TRANSFER_ENCODING).iter().next_back();
    let last = codings.and_then(|codings| codings.to_str().ok()?.rsplit(',').next());
    let is_chunked = last.is_some_and(|coding| coding.trim().eq_ignore_ascii_case("chunked"));
    let words = "the service does not mark the end of the export, so a cut file could not be told from a complete one";
    (!is_chunked && opened.response.content_length().is_none()).then(|| words.to_owned())
}

/// The file of an export with its form, or why there is none.
type Begun = Result<(PartialFile, Shape), Failure>;

fn begin(opened: &Opened, query: &Query, target: &ExportTarget, folders: &Folders, at: Wall) -> Begun {
    let disk = |words: String| Failure::Disk { words };
    let shape = shape(&target.form, folders).map_err(|failure| disk(failure.words))?;
    if !query.not.is_empty() && matches!(shape, Shape::Lines(Layout::Raw)) {
        let words = "the raw form copies what the service sends: choose another form to leave contacts out";
        return Err(disk(words.to_owned()));
    }
    let path = path(target, query.side.corpus.name(), folders, at);
    if let (Some(length), Ok(free)) = (opened.response.content_length(), room(atomic::folder_of(&path)))
        && length > free
    {
        let words = format!("the export needs {} MB, but only {} MB are free on the disk", length >> 20, free >> 20);
        return Err(disk(words));
    }
    let part = PartialFile::create(&path).map_err(|error| disk(atomic::sentence(&path, &error)))?;
    Ok((part, shape))
}

/// What the sink did so far, for those who watch; and what it shall leave behind if it is cut.
struct Count {
    begun: Instant,
    /// Milliseconds from then to when the service last sent something.
    came: AtomicU64,
    rows: AtomicU64,
    bytes: AtomicU64,
    keep: AtomicBool,
}

impl Count {
    fn new(keep: bool, begun: Instant) -> Count {
        let [came, rows, bytes] = [begun.elapsed().as_millis() as u64, 0, 0].map(AtomicU64::new);
        Count { begun, came, rows, bytes, keep: AtomicBool::new(keep) }
    }

    /// The service sent something.
    fn came(&self) {
        self.came.store(self.begun.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    fn progress(&self) -> Progress {
        let [came, rows, bytes] = [&self.came, &self.rows, &self.bytes].map(|count| count.load(Ordering::Relaxed));
        let elapsed = self.begun.elapsed();
        Progress { rows, bytes, elapsed, quiet: elapsed.saturating_sub(Duration::from_millis(came)) }
    }

    fn keep(&self, keep: bool) {
        self.keep.store(keep, Ordering::Release);
    }
}

/// How a stream ended, and what came if it is not a CSV of contacts: None if it was cut before that is known.
type Written = (StreamEnd, Option<&'static str>);

/// `room` says what the disk can still take. Fails with a sentence.
fn write(
    from: mpsc::Receiver<Option<Bytes>>,
    mut part: PartialFile,
    shape: Shape,
    not: &Exclusions,
    count: &Count,
    room: impl Fn() -> Option<u64>,
) -> Result<Written, String> {
    let mut from = Stream { from, piece: Bytes::new(), open: 0, ended: None, count, room: &room, asked_at: 0 };
    let told = |rows| count.rows.store(rows, Ordering::Relaxed);
    let head = from.head();
    let written = match shape {
        // What is not a CSV has no records: it is kept as it came.
        _ if head.is_err() => write_raw(&mut from, &mut part, count),
        Shape::Lines(Layout::Raw) => write_raw(&mut from, &mut part, count),
        shape => FormFile::of(&mut part, shape).and_then(|file| file.fill(&mut from, not, told)),
    };
    let target = part.target.to_owned();
    if from.ended == Some(Ended::DiskFull) {
        return Err(format!("the disk has less than {} MB left: {} was not written", SPARE >> 20, target.display()));
    }
    // What failed is the stream that ended early, not the disk.
    if from.ended == Some(Ended::Cut) {
        let is = head.err().unwrap_or("a line without an end");
        return short(part, count, from.is_endless().then_some(is), head.is_ok());
    }
    let lint = written.map_err(|error| atomic::sentence(&target, &error))?;
    if let Err(is) = head {
        return short(part, count, Some(is), false);
    }
    let path = part.finish().map_err(|error| atomic::sentence(&target, &error))?;
    // What is told is the file; what came over the line may be longer or shorter than its form.
    let bytes = std::fs::metadata(&path).map_or(count.progress().bytes, |file| file.len());
    let head = first_lines(&path);
    Ok((StreamEnd::Whole(Exported { path, rows: count.progress().rows, bytes, lint, head }), None))
}

/// Keeps a partial file. A response without rows never replaces rows that an earlier export kept.
fn short(part: PartialFile, count: &Count, is: Option<&'static str>, has_rows: bool) -> Result<Written, String> {
    let Progress { rows, bytes, .. } = count.progress();
    let rows = if has_rows { rows } else { 0 };
    let is_worse = !has_rows && atomic::incomplete_name(&part.target).exists();
    if !count.keep.load(Ordering::Acquire) || bytes == 0 || is_worse {
        return Ok((StreamEnd::Stopped { kept: None, rows }, is));
    }
    let target = part.target.to_owned();
    let kept = part.keep_incomplete().map_err(|error| atomic::sentence(&target, &error))?;
    Ok((StreamEnd::Stopped { kept: Some(kept), rows }, is))
}

/// Bytes pass through as they came.
fn write_raw(from: &mut Stream<'_>, part: &mut PartialFile, count: &Count) -> io::Result<ExportNotes> {
    let mut records = CsvRecords::default();
    let mut text = Utf8::default();
    let mut out = BufWriter::with_capacity(1 << 18, &mut part.file);
    while let Some(piece) = from.next_piece() {
        give_way();
        records.feed(&piece);
        text.feed(&piece);
        count.rows.store(records.rows(), Ordering::Relaxed);
        out.write_all(&piece)?;
    }
    out.flush()?;
    Ok(ExportNotes { not_text: text.broken, ..ExportNotes::default() })
}

/// Lets go first what waits for this core, every fraction of a millisecond: the answer to a key, and the terminal that shows it.
/// They would wait otherwise until the system takes the core away, which may be milliseconds.
fn give_way() {
    std::thread::yield_now();
    let_terminal_show();
}

/// The pieces as something to read from. Its end is an error unless the stream is whole.
struct Stream<'c> {
    /// A channel that closes before the piece that is none was cut.
    from: mpsc::Receiver<Option<Bytes>>,
    piece: Bytes,
    /// Bytes since a line ended.
    open: usize,
    ended: Option<Ended>,
    count: &'c Count,
    room: &'c dyn Fn() -> Option<u64>,
    /// Bytes that had come when the disk was last asked.
    asked_at: u64,
}

/// How the pieces ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Whole,
    /// Too early, or in a line that never ends.
    Cut,
    /// By us: the disk has hardly any room left.
    DiskFull,
}

/// A service that sends one line for ever does not fill the disk. A quote that is never closed makes one record of all that follows, but
/// such a file still has lines.
const LONGEST_LINE: usize = 8 << 20;

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
        if self.ended.is_some() {
            return None;
        }
        let came = self.from.blocking_recv();
        let Some(Some(bytes)) = came else {
            self.ended = Some(if came.is_some() { Ended::Whole } else { Ended::Cut });
            return None;
        };
        let come = self.count.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        if come >= self.asked_at + LOOK_EVERY {
            self.asked_at = come;
            if (self.room)().is_some_and(|room| room < SPARE) {
                self.ended = Some(Ended::DiskFull);
                return None;
            }
        }
        self.open = memrchr(b'\n', &bytes).map_or(self.open + bytes.len(), |end| bytes.len() - 1 - end);
        self.ended = self.is_endless().then_some(Ended::Cut);
        self.ended.is_none().then_some(bytes)
    }

    fn is_endless(&self) -> bool {
        self.open > LONGEST_LINE
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.next_piece() {
                Some(piece) => self.piece = piece,
                None if self.ended == Some(Ended::Whole) => return Ok(0),
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        give_way();
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
                pieces.try_send(Some(line.clone())).ok().unwrap();
            }
            pieces.try_send(None).ok().unwrap();
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
    fn a_line_that_never_ends_fills_no_disk() {
        let heads: [&[u8]; 3] =
            [b"id,title,email\n1,Nurse,", b"id,title,email\n1,\"Nurse", b"{\"rows\":[],\"note\":\""];
        for head in heads {
            for shape in [Shape::Lines(Layout::Raw), Shape::Lines(Layout::Contacts), Shape::Workbook] {
                let folder = tempfile::tempdir().unwrap();
                let part = PartialFile::create(&folder.path().join("leads.csv")).unwrap();
                let (pieces, from) = mpsc::channel(64);
                let sender = std::thread::spawn(move || {
                    let mut sent = 0;
                    pieces.blocking_send(Some(Bytes::from_static(head))).unwrap();
                    while pieces.blocking_send(Some(Bytes::from(vec![b'a'; 1 << 20]))).is_ok() {
                        sent += 1;
                    }
                    sent
                });
                let count = Count::new(true, Instant::now());
                let end = write(from, part, shape, &Exclusions::default(), &count, || None);
                assert!(matches!(end, Ok((StreamEnd::Stopped { kept: Some(_), .. }, Some(_)))));
                assert!(sender.join().unwrap() < 100);
            }
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
