//! Exports: a stream of the Data API into a file, and local rows into a file.
//!
//! A file under its final name is complete: the status is 200, the head names a known column, the framing of the stream ended, the
//! bytes are synced, then renamed. Everything else leaves a file whose name says that it is incomplete, or nothing. What a form does to cells is in `domain::export`.

mod contents;
pub mod formed;
mod joined;
mod name;
mod sink;

pub use joined::{check, join, remove, write_rows};
use name::refuse;
pub use name::{Shape, in_the_way, own_forms, path, refuse_own_target, shape};

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{StatusCode, header};
use tokio::sync::{mpsc, oneshot};

use lode_core::{Layout, Query, Wall, counted};
use lode_engine::effect::{Call, ExportTarget, Exported, Failure, Outgoing, Progress, Unclear};

use super::files::Folders;
use super::files::atomic::{self, PartialFile};
use super::http::{CSV, Http, Opened};
use super::system::files::room;
use contents::Keyword;
use sink::{Count, End, Piece};

/// Between two reports of progress.
const PACE: Duration = Duration::from_millis(250);
/// Pieces between the line and the disk: enough that neither waits for the other's hiccups, little enough to hold in memory.
const IN_HAND: usize = 16;

/// How a stream ended.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEnd {
    Whole(Exported),
    Stopped { kept: Option<PathBuf>, rows: u64 },
    Failed(Failure),
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
) -> StreamEnd {
    let Call::Export { query, target } = call else {
        return StreamEnd::Failed(Failure::OurBug { words: "only an export is streamed".to_owned() });
    };
    if let Err(failure) = refuse(target, folders) {
        return StreamEnd::Failed(Failure::Disk { words: failure.words });
    }
    let begun = Instant::now();
    let opened = tokio::select! {
        biased;
        _ = stopped(&mut stop) => return StreamEnd::Stopped { kept: None, rows: 0 },
        opened = http.open(call, CSV) => opened,
    };
    let started = opened.and_then(|opened| {
        let (part, shape) = begin(&opened, query, target, folders, at)?;
        Ok((opened, part, shape))
    });
    let (mut opened, part, shape) = match started {
        Ok(started) => started,
        Err(failure) => return StreamEnd::Failed(failure),
    };

    let count = Arc::new(Count::new(target.keep_incomplete, begun));
    let (pieces, from) = mpsc::channel(IN_HAND);
    let writing = {
        let count = Arc::clone(&count);
        let folder = atomic::folder_of(part.target()).to_owned();
        let not = query.not.clone();
        tokio::task::spawn_blocking(move || sink::write(from, part, shape, &not, &count, || room(&folder).ok()))
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
    let (kept, rows, is) = match written {
        Err(_) => return StreamEnd::Failed(Failure::OurBug { words: "writing the export failed".to_owned() }),
        Ok(Err(words)) => return StreamEnd::Failed(Failure::Disk { words }),
        Ok(Ok(End::Whole(exported))) => return StreamEnd::Whole(exported),
        Ok(Ok(End::Short { kept, rows, is })) => (kept, rows, is),
    };
    match (is, received) {
        (Some(is), _) => {
            let kept = kept.map_or_else(String::new, |path| format!("; it is kept in {}", path.display()));
            let words = format!("the service sent {is} instead of a CSV of contacts{kept}");
            StreamEnd::Failed(http.cut(Failure::Unclear { why: Unclear::Unreadable, words }))
        }
        (None, Err(failure)) => StreamEnd::Failed(http.cut(with_leavings(failure, rows, kept.as_deref()))),
        (None, Ok(())) => StreamEnd::Stopped { kept, rows },
    }
}

/// Passes on what the service sends until it ends, a person stops it or the sink gives up. Fails with what broke it.
async fn receive(
    opened: &mut Opened,
    mut keyword: Keyword,
    pieces: mpsc::Sender<Piece>,
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
        let piece = match (chunk, &incomplete) {
            (Some(bytes), _) => Piece::Bytes(bytes),
            (None, None) => Piece::Whole,
            (None, Some(words)) => {
                return Err(Failure::Unclear { why: Unclear::Unreadable, words: words.clone() });
            }
        };
        // A sink that gave up says why.
        let is_last = matches!(piece, Piece::Whole);
        if pieces.send(piece).await.is_err() || is_last {
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
    if stop.is_terminated() {
        return std::future::pending().await;
    }
    match stop.await {
        Ok(keep) => keep,
        Err(_) => std::future::pending().await,
    }
}

fn with_leavings(failure: Failure, rows: u64, kept: Option<&Path>) -> Failure {
    let rows = counted(rows, "row");
    let left = match kept {
        Some(path) => format!("; {rows} kept in {}", path.display()),
        None => format!("; {rows} received, nothing was kept"),
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
        return Some(format!("the service sent {sent} instead of a CSV"));
    }
    let codings = headers.get_all(header::TRANSFER_ENCODING).iter().next_back();
    let last = codings.and_then(|codings| codings.to_str().ok()?.rsplit(',').next());
    let is_chunked = last.is_some_and(|coding| coding.trim().eq_ignore_ascii_case("chunked"));
    (!is_chunked && opened.response.content_length().is_none()).then(|| {
        "the service does not mark the end of the export, so a cut file could not be told from a complete one"
            .to_owned()
    })
}

fn begin(
    opened: &Opened,
    query: &Query,
    target: &ExportTarget,
    folders: &Folders,
    at: Wall,
) -> Result<(PartialFile, Shape), Failure> {
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
