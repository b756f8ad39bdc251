//! Exports as jobs: streams of the Data API and rows that are here already, each with its progress, its end and what it left.
//!
//! The total is asked beside a stream, never before it, and only so that progress means something; together with the room on
//! the disk it says early that a file cannot fit. What is written, and that a file under its final name is whole, is the
//! shell's business.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::effect::{
    Call, CallId, ExportTarget, Exported, Failure, FileCall, FileFailure, FileReply, Form, Progress, Reply, SPARE,
    Suppression, Ticket,
};
use crate::flow::choose::ExclusionFilter;
use crate::flow::desk::{Arrival, FlowContext, Owner};
use crate::flow::limiter::Priority;
use crate::flow::search::walk::{Walk, WalkEnd};
use lode_core::{Exclusions, Mono, Query, Row, counted, grouped};

#[derive(Clone, Debug, Default)]
pub struct Exports {
    jobs: Vec<ExportJob>,
    next: u64,
    ended: Vec<JobId>,
    lists: Arc<Vec<Suppression>>,
}

impl Exports {
    /// All of this run, the newest first.
    pub fn jobs(&self) -> impl Iterator<Item = &ExportJob> {
        self.jobs.iter().rev()
    }

    pub fn job(&self, id: JobId) -> Option<&ExportJob> {
        self.jobs.iter().find(|job| job.id == id)
    }

    pub fn running(&self) -> usize {
        self.jobs.iter().filter(|job| job.is_running()).count()
    }

    /// Those that came to their end since this was last called.
    pub fn ended(&mut self) -> Vec<JobId> {
        std::mem::take(&mut self.ended)
    }

    /// The suppression lists that exclusions may name.
    pub fn set_lists(&mut self, lists: Arc<Vec<Suppression>>) {
        self.lists = lists;
    }

    /// Begins a job.
    pub fn begin(&mut self, what: String, from: From, target: ExportTarget, cx: &mut FlowContext<'_>) -> JobId {
        self.next += 1;
        let id = JobId(self.next);
        let mut job = ExportJob {
            id,
            what,
            target,
            from,
            stage: ExportStage::Stopped { kept: None, rows: 0 },
            progress: None,
            total: None,
            began: cx.now.mono,
            ended: None,
            count: None,
            room: None,
            reading: None,
            parts: Parts::default(),
            free: None,
        };
        start(&mut job, &self.lists, cx);
        if !job.is_running() {
            self.ended.push(id);
        }
        self.jobs.push(job);
        id
    }

    /// Once more what failed or was stopped, under the same name.
    pub fn retry(&mut self, id: JobId, cx: &mut FlowContext<'_>) -> bool {
        let Some(job) = self.jobs.iter_mut().find(|job| job.id == id && job.can_retry()) else { return false };
        start(job, &self.lists.clone(), cx);
        true
    }

    /// Ends a stream: what has come is kept under a name that says so, or deleted.
    pub fn stop(&mut self, id: JobId, keep: bool, cx: &mut FlowContext<'_>) -> bool {
        let Some(job) = self.jobs.iter_mut().find(|job| job.id == id) else { return false };
        let stopped = end(job, keep, None, cx);
        if !job.is_running() {
            self.ended.push(id);
        }
        stopped
    }

    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> bool {
        // Of a job that is over only the total is still waited for.
        let open = |job: &ExportJob| job.is_running() || job.is_counting();
        let Some(job) = self.jobs.iter_mut().find(|job| open(job) && concerns(job, arrival)) else { return false };
        let was_running = job.is_running();
        match arrival {
            Arrival::Progress(_, progress) => {
                let (rows, bytes) = (progress.rows + job.parts.rows, progress.bytes + job.parts.bytes);
                job.progress = Some(Progress { rows, bytes, ..progress.clone() });
                refuse_too_large(job, cx);
            }
            Arrival::Reply(id, _, result) if job.count == Some(*id) => {
                job.count = None;
                if let Ok(Reply::Page(page)) = result
                    && !page.uncounted
                {
                    job.total = Some(page.total);
                    refuse_too_large(job, cx);
                }
            }
            Arrival::Reply(..) if job.stage == ExportStage::Paging => take_page(job, arrival, cx),
            Arrival::Reply(_, _, Ok(Reply::Exported(exported))) if job.has_legs() => took(job, exported, cx),
            Arrival::Reply(call, _, Err(failure)) if job.has_legs() && !job.parts.whole.is_empty() => {
                keep(job, *call, failure, cx);
            }
            Arrival::Reply(_, _, result) => {
                job.stage = match result {
                    Ok(Reply::Exported(exported)) => ExportStage::Whole(exported.clone()),
                    Ok(_) => {
                        ExportStage::Failed(Failure::OurBug { words: "unexpected response to an export".to_owned() })
                    }
                    Err(failure) => ExportStage::Failed(failure.clone()),
                };
            }
            Arrival::Filed(ticket, result) if job.room == Some(*ticket) => {
                job.room = None;
                if let Ok(FileReply::Room { free }) = result {
                    job.free = Some(*free);
                    refuse_too_large(job, cx);
                }
            }
            // The target can be written: the first leg.
            Arrival::Filed(_, Ok(FileReply::Done)) if job.has_legs() => ask(job, cx),
            Arrival::Filed(_, result) => {
                let Some(stage) = filed(job, result) else { return true };
                if let ExportStage::Ending { call, .. } = job.stage {
                    cx.cancel(call);
                }
                job.stage = stage;
            }
            Arrival::Stored(..) => {}
        }
        if was_running
            && matches!(job.stage, ExportStage::Whole(_) | ExportStage::Stopped { .. } | ExportStage::Failed(_))
        {
            job.ended = Some(cx.now.mono);
            leave(job, cx);
            if let (From::Rows(rows), ExportStage::Whole(_)) = (&mut job.from, &job.stage) {
                *rows = Vec::new();
            }
            // Beside a whole file the total is still worth knowing: a differing one is said.
            if !matches!(job.stage, ExportStage::Whole(_))
                && let Some(count) = job.count.take()
            {
                cx.cancel(count);
            }
            self.ended.push(job.id);
        }
        true
    }
}

fn start(job: &mut ExportJob, lists: &[Suppression], cx: &mut FlowContext<'_>) {
    job.progress = None;
    job.began = cx.now.mono;
    job.ended = None;
    match &job.from {
        From::Rows(rows) => {
            let call = FileCall::WriteRows { target: job.target.clone(), rows: rows.clone() };
            job.stage = ExportStage::Writing(cx.file(Owner::Exports, call));
        }
        From::Pages(query) => start_pages(job, (**query).clone(), lists, cx),
        From::Stream(query) if query.has_legs() => {
            // Parts come as the service sends them: what is left out is left out of the whole.
            let mut legs = query.legs();
            legs.iter_mut().for_each(|leg| leg.not.clear());
            job.parts = Parts { legs, not: query.not.clone(), ..Parts::default() };
            job.room = Some(cx.file(Owner::Exports, FileCall::Room(job.target.path.clone())));
            // Whether the target can be written is asked before anything is sent.
            job.stage = ExportStage::Writing(cx.file(Owner::Exports, FileCall::CheckTarget(job.target.clone())));
        }
        From::Stream(query) => {
            // What a stream that breaks has brought is kept under a name that says so.
            let target = ExportTarget { keep_incomplete: true, ..job.target.clone() };
            let call = Call::Export { query: (**query).clone(), target };
            job.stage = ExportStage::Streaming(cx.ask(Owner::Exports, call, Priority::Person));
            job.count = Some(cx.search(Owner::Exports, (**query).clone(), 0, 1, Priority::Coverage));
            job.room = Some(cx.file(Owner::Exports, FileCall::Room(job.target.path.clone())));
        }
    }
}

fn concerns(job: &ExportJob, arrival: &Arrival) -> bool {
    match (arrival, &job.stage) {
        (Arrival::Progress(id, _), ExportStage::Streaming(call) | ExportStage::Ending { call, .. }) => id == call,
        (Arrival::Reply(id, ..), ExportStage::Streaming(call) | ExportStage::Ending { call, .. }) => {
            id == call || job.count == Some(*id)
        }
        (Arrival::Filed(ticket, _), ExportStage::Writing(own) | ExportStage::Ending { ticket: own, .. }) => {
            ticket == own || job.room == Some(*ticket)
        }
        (Arrival::Reply(id, ..), ExportStage::Paging) => job.walk().is_some_and(|walk| walk.asks(*id)),
        (Arrival::Filed(ticket, _), ExportStage::Keeping(own)) => ticket == own,
        (Arrival::Reply(id, ..), ExportStage::Whole(_)) => job.count == Some(*id),
        (Arrival::Filed(ticket, _), _) => job.room == Some(*ticket),
        _ => false,
    }
}

/// What a file that was written or put in order means. None where the answer of the stream itself is still to come.
fn filed(job: &ExportJob, result: &Result<FileReply, FileFailure>) -> Option<ExportStage> {
    Some(match (&job.stage, result) {
        (ExportStage::Keeping(_), Ok(FileReply::Written(exported))) => {
            ExportStage::Stopped { kept: Some(exported.path.clone()), rows: exported.rows }
        }
        (ExportStage::Ending { why: Some(why), .. }, result) if job.has_legs() => {
            ExportStage::Failed(kept(why, result))
        }
        (_, Ok(FileReply::Written(exported))) => ExportStage::Whole(exported.clone()),
        (ExportStage::Ending { why: Some(why), .. }, Ok(FileReply::Stopped { .. })) => ExportStage::Failed(why.clone()),
        (_, Ok(FileReply::Stopped { kept, rows })) => ExportStage::Stopped { kept: kept.clone(), rows: *rows },
        // It ended by itself before it was told to: its own answer says how.
        (ExportStage::Ending { .. }, Err(_)) => return None,
        (_, Err(failure)) => ExportStage::Failed(Failure::Disk { words: failure.words.clone() }),
        (_, Ok(_)) => ExportStage::Failed(Failure::OurBug { words: "the file was not written".to_owned() }),
    })
}

/// Ends a stream. `why` says what ended it, if not a person.
fn end(job: &mut ExportJob, keep: bool, why: Option<Failure>, cx: &mut FlowContext<'_>) -> bool {
    if job.stage == ExportStage::Paging {
        stop_pages(job, keep, cx);
        return true;
    }
    let ExportStage::Streaming(call) = job.stage else { return false };
    // Of several streams there is nothing that one could keep as one file.
    match cx.end_export(Owner::Exports, call, keep && !job.has_legs()) {
        Some(ticket) => job.stage = ExportStage::Ending { call, ticket, why },
        // It had not begun.
        None => {
            cx.cancel(call);
            if let Some(count) = job.count.take() {
                cx.cancel(count);
            }
            job.stage = why.map_or(ExportStage::Stopped { kept: None, rows: 0 }, ExportStage::Failed);
            job.ended = Some(cx.now.mono);
            leave(job, cx);
        }
    }
    true
}

/// A file that cannot fit is not filled up to the last byte first.
fn refuse_too_large(job: &mut ExportJob, cx: &mut FlowContext<'_>) {
    let (Some(needs), Some(free)) = (job.estimate(), job.free) else { return };
    // What is as large as the reserve itself may not use it up.
    let room = if needs < SPARE { free } else { free.saturating_sub(SPARE) };
    if needs > room {
        let words = format!(
            "about {} are needed, but only {} are free on the disk: stopped, nothing was kept",
            bytes(needs),
            bytes(room)
        );
        end(job, false, Some(Failure::Disk { words }), cx);
    }
}

/// `12.3 MB`
pub fn bytes(count: u64) -> String {
    match count {
        0..=999 => format!("{count} B"),
        1_000..=999_999 => format!("{}.{} kB", count / 1_000, count % 1_000 / 100),
        1_000_000..=999_999_999 => format!("{}.{} MB", count / 1_000_000, count % 1_000_000 / 100_000),
        _ => format!("{}.{} GB", grouped(count / 1_000_000_000), count % 1_000_000_000 / 100_000_000),
    }
}

// One export: where its rows come from, how far it is, how long the rest takes.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobId(pub u64);

/// Where the rows come from.
#[derive(Clone, Debug, PartialEq)]
pub enum From {
    /// The whole filtered set of the Data API.
    Stream(Box<Query>),
    /// The pages of a search of the Data API, read to the end.
    Pages(Box<Query>),
    /// Rows that are here. Kept until they are written, so that writing can be tried again.
    Rows(Vec<Row>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExportStage {
    /// The service sends the file.
    Streaming(CallId),
    /// Pages are read.
    Paging,
    /// The file is written or joined.
    Writing(Ticket),
    /// The stream was canceled; what it left is being cleaned up.
    Ending { call: CallId, ticket: Ticket, why: Option<Failure> },
    /// Reading was stopped; the rows that came are written under a name that says so.
    Keeping(Ticket),
    /// The file is complete.
    Whole(Exported),
    /// Stopped; `kept` is the incomplete file.
    Stopped { kept: Option<PathBuf>, rows: u64 },
    /// No complete file was written.
    Failed(Failure),
}

#[derive(Clone, Debug)]
pub struct ExportJob {
    pub id: JobId,
    /// What it is, in a few words.
    pub what: String,
    pub target: ExportTarget,
    pub from: From,
    pub stage: ExportStage,
    pub progress: Option<Progress>,
    /// As the parallel search counts it.
    pub total: Option<u64>,
    pub began: Mono,
    pub ended: Option<Mono>,
    count: Option<CallId>,
    room: Option<Ticket>,
    reading: Option<Reading>,
    parts: Parts,
    /// Bytes the disk could take when it began.
    free: Option<u64>,
}

/// A silence that is longer than hiccups are.
const WORTH_SAYING: Duration = Duration::from_secs(3);

/// A row of which nothing has come yet is taken to be as long as this.
const USUAL_ROW: u64 = 180;

impl ExportJob {
    pub fn is_running(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether the parallel search has not answered yet.
    pub fn is_counting(&self) -> bool {
        self.count.is_some()
    }

    /// Whether stopping it is up to a person.
    pub fn can_stop(&self) -> bool {
        matches!(self.stage, ExportStage::Streaming(_) | ExportStage::Paging)
    }

    pub fn can_retry(&self) -> bool {
        matches!(self.stage, ExportStage::Failed(_) | ExportStage::Stopped { .. })
    }

    /// Bytes a second, and how long the rest takes where the total is known. None while nothing has come.
    pub fn pace(&self) -> Option<(u64, Option<Duration>)> {
        let progress = self.progress.as_ref().filter(|progress| progress.bytes > 0)?;
        let millis = progress.elapsed.as_millis().max(1);
        let rate = u64::try_from(u128::from(progress.bytes) * 1000 / millis).unwrap_or(u64::MAX);
        let left =
            self.total.or(progress.of).filter(|total| progress.rows > 0 && *total >= progress.rows).map(|total| {
                let millis = u128::from(total - progress.rows) * millis / u128::from(progress.rows);
                Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
            });
        Some((rate, left))
    }

    /// For how long nothing has come, once that is worth saying.
    pub fn quiet(&self) -> Option<Duration> {
        self.progress.as_ref().map(|progress| progress.quiet).filter(|quiet| *quiet >= WORTH_SAYING)
    }

    /// About how large the whole file will be.
    fn estimate(&self) -> Option<u64> {
        let total = self.total?;
        let row = match &self.progress {
            Some(progress) if progress.rows > 0 => progress.bytes / progress.rows,
            _ => USUAL_ROW,
        };
        Some(total.saturating_mul(row.max(1)))
    }

    /// Whether it is made of several streams.
    fn has_legs(&self) -> bool {
        !self.parts.legs.is_empty()
    }

    /// Streams that are whole, and all of them; `None` for any other export.
    pub fn legs(&self) -> Option<(usize, usize)> {
        self.has_legs().then_some((self.parts.whole.len(), self.parts.legs.len()))
    }

    /// How its pages were read; `None` for an export that does not read pages.
    pub fn walk(&self) -> Option<&Walk> {
        self.reading.as_ref().map(|reading| &reading.walk)
    }

    /// Pages read so far, all of them, and how long the rest takes. `None` before the first one.
    pub fn pages(&self) -> Option<(u64, u64, Duration)> {
        let (walk, progress) = (self.walk()?, self.progress.as_ref()?);
        let size = walk.page_size()?.max(1);
        let (done, all) = (progress.rows.div_ceil(size), self.total?.div_ceil(size));
        let left = progress.elapsed.as_millis() * u128::from(all - done.min(all)) / u128::from(done.max(1));
        Some((done, all, Duration::from_millis(u64::try_from(left).unwrap_or(u64::MAX))))
    }

    /// Rows that were read and left out.
    pub fn excluded(&self) -> u64 {
        self.reading.as_ref().map_or(0, |reading| reading.excluded)
    }

    /// What a person should know of pages that did not bring everything.
    pub fn cut_short(&self) -> Option<String> {
        let walk = self.walk()?;
        walk.end()?.cut_short()
    }
}

// The streams of an export with legs, each a file of its own until they are joined.

#[derive(Clone, Debug, Default)]
struct Parts {
    legs: Vec<Query>,
    /// Streams that are whole.
    whole: Vec<PathBuf>,
    rows: u64,
    bytes: u64,
    /// What is left out of all of them.
    not: Exclusions,
}

// The pages of a search on their way into a file.

/// The walk through the pages, and the rows that came.
#[derive(Clone, Debug)]
struct Reading {
    walk: Walk,
    rows: Vec<Row>,
    exclusion_filter: ExclusionFilter,
    excluded: u64,
}

impl Reading {
    /// Rows of a page, without those that are left out.
    fn take(&mut self, rows: Vec<Row>) {
        let before = self.rows.len() + rows.len();
        let (side, exclusion_filter) = (self.walk.query().side, &self.exclusion_filter);
        self.rows.extend(rows.into_iter().filter(|row| exclusion_filter.why(side, row).is_none()));
        self.excluded += (before - self.rows.len()) as u64;
    }

    fn write(&mut self, target: ExportTarget, cx: &mut FlowContext<'_>) -> Ticket {
        let rows = std::mem::take(&mut self.rows);
        cx.file(Owner::Exports, FileCall::WriteRows { target, rows })
    }
}

// The export of a search with legs: one stream after the other into a file of its own, joined into one once all of them are whole.
//
// A part is kept beside the target under a hidden name and goes when it is joined or the export is stopped. If a leg fails, the
// parts before it are joined into an incomplete file.

/// The stream of the next leg.
fn ask(job: &mut ExportJob, cx: &mut FlowContext<'_>) {
    let at = job.parts.whole.len();
    let query = job.parts.legs[at].clone();
    let target =
        ExportTarget { path: Some(part(&job.target, at)), form: Form::Raw, keep_incomplete: false, replace: true };
    job.stage = ExportStage::Streaming(cx.ask(Owner::Exports, Call::Export { query, target }, Priority::Person));
}

fn part(target: &ExportTarget, at: usize) -> PathBuf {
    let path = target.path.as_deref().unwrap_or(Path::new("lode-export"));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.leg-{}.csv", at + 1))
}

/// One leg is whole: on to the next, or all of them are joined.
fn took(job: &mut ExportJob, exported: &Exported, cx: &mut FlowContext<'_>) {
    job.parts.whole.push(exported.path.clone());
    job.parts.rows += exported.rows;
    job.parts.bytes += exported.bytes;
    if job.parts.whole.len() < job.parts.legs.len() {
        return ask(job, cx);
    }
    let (parts, not) = (std::mem::take(&mut job.parts.whole), job.parts.not.clone());
    let call = FileCall::JoinParts { parts, target: job.target.clone(), not };
    job.stage = ExportStage::Writing(cx.file(Owner::Exports, call));
}

/// A leg failed: those before it are joined under a name that says that some are missing.
fn keep(job: &mut ExportJob, call: CallId, failure: &Failure, cx: &mut FlowContext<'_>) {
    let target = ExportTarget { keep_incomplete: true, ..job.target.clone() };
    let (parts, not) = (std::mem::take(&mut job.parts.whole), job.parts.not.clone());
    let ticket = cx.file(Owner::Exports, FileCall::JoinParts { parts, target, not });
    job.stage = ExportStage::Ending { call, ticket, why: Some(failure.clone()) };
}

/// The failure of a leg, with where those before it are.
fn kept(why: &Failure, joined: &Result<FileReply, FileFailure>) -> Failure {
    match (why, joined) {
        (Failure::Unclear { why, words }, Ok(FileReply::Written(exported))) => {
            let (rows, path) = (counted(exported.rows, "row"), exported.path.display());
            Failure::Unclear { why: *why, words: format!("{words}; {rows} of the searches before it kept in {path}") }
        }
        _ => why.clone(),
    }
}

/// Drops the whole files of an export that has ended without a result.
fn leave(job: &mut ExportJob, cx: &mut FlowContext<'_>) {
    let parts = std::mem::take(&mut job.parts.whole);
    if !parts.is_empty() {
        cx.file(Owner::Exports, FileCall::RemoveParts(parts));
    }
}

// An export by the pages of a search: what is certain where a service does not hear the keyword in exports. One request a page;
// the rows are written once the last one is here.

fn start_pages(job: &mut ExportJob, query: Query, lists: &[Suppression], cx: &mut FlowContext<'_>) {
    let exclusion_filter = ExclusionFilter::new(&query.not, lists);
    let mut walk = Walk::new(Owner::Exports, query, u64::MAX, Priority::Person).opening_first();
    walk.start(cx);
    job.stage = ExportStage::Paging;
    if let Some(WalkEnd::Failed(failure)) = walk.end() {
        job.stage = ExportStage::Failed(failure.clone());
        job.ended = Some(cx.now.mono);
    }
    job.reading = Some(Reading { walk, rows: Vec::new(), exclusion_filter, excluded: 0 });
}

fn take_page(job: &mut ExportJob, arrival: &Arrival, cx: &mut FlowContext<'_>) {
    let Some(reading) = &mut job.reading else { return };
    let steps = reading.walk.handle(arrival, cx);
    let Some(last) = steps.last() else { return };
    let end = last.end.clone();
    steps.into_iter().for_each(|step| reading.take(step.rows));
    let (rows, elapsed) = (reading.walk.given(), cx.now.mono.since(job.began));
    job.total = Some(reading.walk.total().unwrap_or(0).max(rows));
    job.progress = Some(Progress { rows, of: job.total, elapsed, ..Progress::default() });
    job.stage = match end {
        None => return,
        Some(WalkEnd::Failed(failure)) => ExportStage::Failed(failure),
        Some(_) if reading.rows.is_empty() => ExportStage::Stopped { kept: None, rows: 0 },
        Some(_) => ExportStage::Writing(reading.write(job.target.clone(), cx)),
    };
    if matches!(job.stage, ExportStage::Failed(_)) {
        reading.rows = Vec::new();
    }
}

/// Reads no further. What has come is kept under a name that says so, or dropped.
fn stop_pages(job: &mut ExportJob, keep: bool, cx: &mut FlowContext<'_>) {
    let Some(reading) = &mut job.reading else { return };
    reading.walk.stop(cx);
    if keep && !reading.rows.is_empty() {
        let target = ExportTarget { keep_incomplete: true, ..job.target.clone() };
        job.stage = ExportStage::Keeping(reading.write(target, cx));
    } else {
        reading.rows = Vec::new();
        job.stage = ExportStage::Stopped { kept: None, rows: 0 };
        job.ended = Some(cx.now.mono);
    }
}

/// Requests and minutes that reading all pages takes, where one page takes so long.
pub fn effort(total: u64, page: u64, each: Duration) -> (u64, u64) {
    let requests = total.div_ceil(page.max(1)).max(1);
    let minutes = (each.as_millis() * u128::from(requests)).div_ceil(60_000).max(1);
    (requests, u64::try_from(minutes).unwrap_or(u64::MAX))
}
