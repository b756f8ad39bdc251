//! Export jobs: streams of the Data API and local rows, each with its progress, its end and its file.
//!
//! The total is asked beside a stream, never before it, and only so that progress means something; together with the room on
//! the disk it says early that a file cannot fit. What is written, and that a file under its final name is whole, is the
//! shell's business.

use std::path::{Path, PathBuf};

use super::*;
use crate::flow::search::total_of;
use crate::flow::search::walk::{Walk, WalkEnd};

#[derive(Clone, Debug, Default)]
pub struct Exports {
    jobs: Vec<ExportJob>,
    ended: Vec<JobId>,
    /// The suppression lists that exclusions may name.
    pub lists: Arc<Vec<Suppression>>,
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

    /// Those that ended since this was last called.
    pub fn ended(&mut self) -> Vec<JobId> {
        std::mem::take(&mut self.ended)
    }

    /// Begins a job.
    pub fn begin(&mut self, what: String, from: From, target: ExportTarget, cx: &mut FlowContext<'_>) -> JobId {
        let id = JobId(self.jobs.len() as u64 + 1);
        self.jobs.push(ExportJob {
            id,
            what,
            target,
            from,
            // It starts like one that was stopped.
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
        });
        self.retry(id, cx);
        id
    }

    /// Once more what failed or was stopped, under the same name.
    pub fn retry(&mut self, id: JobId, cx: &mut FlowContext<'_>) -> bool {
        let lists = Arc::clone(&self.lists);
        self.change(cx, |job, cx| job.id == id && job.retry(&lists, cx))
    }

    /// Ends a stream: what has come is kept under a name that says so, or deleted.
    pub fn stop(&mut self, id: JobId, keep: bool, cx: &mut FlowContext<'_>) -> bool {
        self.change(cx, |job, cx| job.id == id && job.stop(keep, None, cx))
    }

    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> bool {
        self.change(cx, |job, cx| job.handle(arrival, cx))
    }

    /// Changes the first job that this is a change to. What its end calls for is done here, whatever ended it.
    fn change(
        &mut self,
        cx: &mut FlowContext<'_>,
        mut change: impl FnMut(&mut ExportJob, &mut FlowContext<'_>) -> bool,
    ) -> bool {
        let Some(job) = self.jobs.iter_mut().find_map(|job| change(job, cx).then_some(job)) else { return false };
        if !job.is_running() && job.ended.is_none() {
            job.finish(cx);
            self.ended.push(job.id);
        }
        true
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
    /// Not everything came, by the wish of a person or by this failure; what did is written under a name that says so.
    Keeping(Ticket, Option<Failure>),
    /// The file is complete.
    Whole(Exported),
    /// Stopped; `kept` is the incomplete file.
    Stopped { kept: Option<PathBuf>, rows: u64 },
    /// No complete file was written.
    Failed(Failure),
}

impl ExportStage {
    /// The stream that is waited for.
    fn call(&self) -> Option<CallId> {
        if let ExportStage::Streaming(call) | ExportStage::Ending { call, .. } = self { Some(*call) } else { None }
    }

    /// The work on its file that is waited for.
    fn ticket(&self) -> Option<Ticket> {
        let (Self::Writing(ticket) | Self::Keeping(ticket, _) | Self::Ending { ticket, .. }) = self else {
            return None;
        };
        Some(*ticket)
    }
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
    /// The parallel search for the total, until it answers.
    pub count: Option<CallId>,
    room: Option<Ticket>,
    reading: Option<Reading>,
    parts: Parts,
    /// Bytes the disk could take when it began.
    free: Option<u64>,
}

/// The walk through the pages of a search, and the rows that came.
#[derive(Clone, Debug)]
struct Reading {
    walk: Walk,
    rows: Vec<Row>,
    exclusion_filter: ExclusionFilter,
    excluded: u64,
}

/// The streams of an export with legs. Each is a file of its own beside the target, under a hidden name, until all are joined.
#[derive(Clone, Debug, Default)]
struct Parts {
    legs: Vec<Query>,
    /// Streams that are whole.
    whole: Vec<PathBuf>,
    rows: u64,
    bytes: u64,
}

/// A silence that is longer than hiccups are.
const WORTH_SAYING: Duration = Duration::from_secs(3);

/// A row of which nothing has come yet is taken to be as long as this.
const USUAL_ROW: u64 = 180;

impl ExportJob {
    pub fn is_running(&self) -> bool {
        !matches!(self.stage, ExportStage::Whole(_) | ExportStage::Stopped { .. } | ExportStage::Failed(_))
    }

    /// Whether stopping it is up to a person.
    pub fn can_stop(&self) -> bool {
        matches!(self.stage, ExportStage::Streaming(_) | ExportStage::Paging)
    }

    /// Bytes a second, and how long the rest takes where the total is known. None while nothing has come.
    pub fn pace(&self) -> Option<(u64, Option<Duration>)> {
        let progress = self.progress.as_ref().filter(|progress| progress.bytes > 0)?;
        let millis = progress.elapsed.as_millis().max(1);
        let rate = u64::try_from(u128::from(progress.bytes) * 1000 / millis).unwrap_or(u64::MAX);
        let total = self.total.filter(|total| progress.rows > 0 && *total >= progress.rows);
        let elapsed = progress.elapsed.max(Duration::from_millis(1));
        Some((rate, total.map(|total| time_left(elapsed, progress.rows, total))))
    }

    /// For how long nothing has come, once that is worth saying.
    pub fn quiet(&self) -> Option<Duration> {
        self.progress.as_ref().map(|progress| progress.quiet).filter(|quiet| *quiet >= WORTH_SAYING)
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
        Some((done, all, time_left(progress.elapsed, done, all)))
    }

    /// Rows that were read and left out.
    pub fn excluded(&self) -> u64 {
        self.reading.as_ref().map_or(0, |reading| reading.excluded)
    }

    /// What a person should know of pages that did not bring everything.
    pub fn cut_short(&self) -> Option<String> {
        self.walk()?.end()?.cut_short()
    }

    /// False while it runs, and once it is whole.
    fn retry(&mut self, lists: &[Suppression], cx: &mut FlowContext<'_>) -> bool {
        if !matches!(self.stage, ExportStage::Failed(_) | ExportStage::Stopped { .. }) {
            return false;
        }
        (self.progress, self.began, self.ended) = (None, cx.now.mono, None);
        self.stage = match &self.from {
            From::Rows(rows) => {
                let call = FileCall::WriteRows { target: self.target.clone(), rows: rows.clone() };
                ExportStage::Writing(cx.file(Owner::Exports, call))
            }
            From::Pages(query) => {
                let exclusion_filter = ExclusionFilter::new(&query.not, lists);
                let mut walk = Walk::new(Owner::Exports, (**query).clone(), u64::MAX).opening_first();
                walk.start(cx);
                let end = walk.end().cloned();
                self.reading = Some(Reading { walk, rows: Vec::new(), exclusion_filter, excluded: 0 });
                if let Some(WalkEnd::Failed(failure)) = end {
                    ExportStage::Failed(failure)
                } else {
                    ExportStage::Paging
                }
            }
            From::Stream(query) if query.has_legs() => {
                // Parts come as the service sends them: what is left out is left out of the whole.
                let mut legs = query.legs();
                legs.iter_mut().for_each(|leg| leg.not.clear());
                self.parts = Parts { legs, ..Parts::default() };
                self.room = Some(cx.file(Owner::Exports, FileCall::Room(self.target.path.clone())));
                // Whether the target can be written is asked before anything is sent.
                ExportStage::Writing(cx.file(Owner::Exports, FileCall::CheckTarget(self.target.clone())))
            }
            From::Stream(query) => {
                let call = Call::Export { query: (**query).clone(), target: self.incomplete_target() };
                let call = cx.ask(Owner::Exports, call, Priority::Person);
                self.count = Some(cx.search(Owner::Exports, (**query).clone(), 0, 1, Priority::Coverage));
                self.room = Some(cx.file(Owner::Exports, FileCall::Room(self.target.path.clone())));
                ExportStage::Streaming(call)
            }
        };
        true
    }

    /// The target where what came of a stream or of pages that broke is kept: under a name that says so.
    fn incomplete_target(&self) -> ExportTarget {
        ExportTarget { keep_incomplete: true, ..self.target.clone() }
    }

    /// Takes an answer to something that it still asks.
    fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> bool {
        match (arrival, &self.stage) {
            (Arrival::Reply(id, _, result), _) if self.count == Some(*id) => {
                self.count = None;
                if let Some(total) = total_of(result) {
                    self.total = Some(total);
                    self.refuse_too_large(cx);
                }
            }
            (Arrival::Filed(ticket, result), _) if self.room == Some(*ticket) => {
                self.room = None;
                if let Ok(FileReply::Room { free }) = result {
                    self.free = Some(*free);
                    self.refuse_too_large(cx);
                }
            }
            (Arrival::Progress(id, progress), stage) if stage.call() == Some(*id) => {
                let (rows, bytes) = (progress.rows + self.parts.rows, progress.bytes + self.parts.bytes);
                self.progress = Some(Progress { rows, bytes, ..progress.clone() });
                self.refuse_too_large(cx);
            }
            (Arrival::Reply(id, ..), ExportStage::Paging) if self.walk().is_some_and(|walk| walk.asks(*id)) => {
                self.take_page(arrival, cx);
            }
            (Arrival::Reply(id, _, result), stage) if stage.call() == Some(*id) => match result {
                Ok(Reply::Exported(exported)) if self.has_legs() => self.take_part(exported, cx),
                // A leg failed: those before it are joined under a name that says that some are missing.
                Err(failure) if !self.parts.whole.is_empty() => {
                    let ticket = self.join(self.incomplete_target(), cx);
                    self.stage = ExportStage::Keeping(ticket, Some(failure.clone()));
                }
                Ok(Reply::Exported(exported)) => self.stage = ExportStage::Whole(exported.clone()),
                Ok(_) => self.stage = ExportStage::Failed(our_bug("unexpected response to an export")),
                Err(failure) => self.stage = ExportStage::Failed(failure.clone()),
            },
            (Arrival::Filed(ticket, result), stage) if stage.ticket() == Some(*ticket) => match result {
                // The target can be written: the first leg.
                Ok(FileReply::Done) if self.has_legs() => self.ask_part(cx),
                result => self.filed(result, cx),
            },
            _ => return false,
        }
        true
    }

    /// A file was written or put in order.
    fn filed(&mut self, result: &Result<FileReply, FileFailure>, cx: &mut FlowContext<'_>) {
        let stage = match (&self.stage, result) {
            (ExportStage::Keeping(_, Some(why)), result) => ExportStage::Failed(with_kept(why, result)),
            (ExportStage::Keeping(..), Ok(FileReply::Written(exported))) => {
                ExportStage::Stopped { kept: Some(exported.path.clone()), rows: exported.rows }
            }
            (_, Ok(FileReply::Written(exported))) => ExportStage::Whole(exported.clone()),
            (ExportStage::Ending { why: Some(why), .. }, Ok(FileReply::Stopped { .. })) => {
                ExportStage::Failed(why.clone())
            }
            (_, Ok(FileReply::Stopped { kept, rows })) => ExportStage::Stopped { kept: kept.clone(), rows: *rows },
            // It ended by itself before it was told to: its own answer says how.
            (ExportStage::Ending { .. }, Err(_)) => return,
            (_, Err(failure)) => ExportStage::Failed(Failure::Disk { words: failure.words.clone() }),
            (_, Ok(_)) => ExportStage::Failed(our_bug("the file was not written")),
        };
        if let ExportStage::Ending { call, .. } = self.stage {
            cx.cancel(call);
        }
        self.stage = stage;
    }

    /// Reads no further. What has come is kept under a name that says so, or dropped; `why` says what ended it, if not a person.
    /// False where stopping it is not up to a person.
    fn stop(&mut self, keep: bool, why: Option<Failure>, cx: &mut FlowContext<'_>) -> bool {
        let nothing = ExportStage::Stopped { kept: None, rows: 0 };
        if let ExportStage::Streaming(call) = self.stage {
            // Of several streams there is nothing that one could keep as one file.
            self.stage = match cx.end_export(Owner::Exports, call, keep && !self.has_legs()) {
                Some(ticket) => ExportStage::Ending { call, ticket, why },
                // It had not begun.
                None => {
                    cx.cancel(call);
                    why.map_or(nothing, ExportStage::Failed)
                }
            };
        } else if let (ExportStage::Paging, Some(reading)) = (&self.stage, &mut self.reading) {
            reading.walk.stop(cx);
            let has_rows = !reading.rows.is_empty();
            self.stage = match keep && has_rows {
                true => ExportStage::Keeping(self.write_read(self.incomplete_target(), cx), None),
                false => nothing,
            };
        } else {
            return false;
        }
        true
    }

    /// A file that cannot fit is not filled up to the last byte first.
    fn refuse_too_large(&mut self, cx: &mut FlowContext<'_>) {
        let (Some(total), Some(free)) = (self.total, self.free) else { return };
        let read = self.progress.as_ref().filter(|progress| progress.rows > 0);
        let row = read.map_or(USUAL_ROW, |progress| progress.bytes / progress.rows);
        let needs = total.saturating_mul(row.max(1));
        // What is as large as the reserve itself may not use it up.
        let room = if needs < SPARE { free } else { free.saturating_sub(SPARE) };
        if needs > room {
            let (needs, room) = (bytes(needs), bytes(room));
            let words = format!("it needs about {needs}, but only {room} are free on the disk; nothing was kept");
            self.stop(false, Some(Failure::Disk { words }), cx);
        }
    }

    /// Finishes the job and drops what is not needed after it.
    fn finish(&mut self, cx: &mut FlowContext<'_>) {
        self.ended = Some(cx.now.mono);
        self.room = None;
        let parts = std::mem::take(&mut self.parts.whole);
        if !parts.is_empty() {
            cx.file(Owner::Exports, FileCall::RemoveParts(parts));
        }
        if let Some(reading) = &mut self.reading {
            reading.rows = Vec::new();
        }
        if let ExportStage::Whole(_) = self.stage {
            // The total is still worth knowing: a differing one is said.
            if let From::Rows(rows) = &mut self.from {
                *rows = Vec::new();
            }
        } else if let Some(count) = self.count.take() {
            cx.cancel(count);
        }
    }

    // Of the legs one stream follows the other. If one fails, the parts before it are joined into an incomplete file.

    /// Asks for the stream of the next leg.
    fn ask_part(&mut self, cx: &mut FlowContext<'_>) {
        let at = self.parts.whole.len();
        let path = self.target.path.as_deref().unwrap_or(Path::new("lode-export"));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let path = path.with_file_name(format!(".{name}.leg-{}.csv", at + 1));
        let target = ExportTarget { path: Some(path), form: Form::Raw, keep_incomplete: false, replace: true };
        let call = Call::Export { query: self.parts.legs[at].clone(), target };
        self.stage = ExportStage::Streaming(cx.ask(Owner::Exports, call, Priority::Person));
    }

    /// One leg is whole: on to the next, or all of them are joined.
    fn take_part(&mut self, exported: &Exported, cx: &mut FlowContext<'_>) {
        self.parts.whole.push(exported.path.clone());
        self.parts.rows += exported.rows;
        self.parts.bytes += exported.bytes;
        if self.parts.whole.len() < self.parts.legs.len() {
            self.ask_part(cx);
        } else {
            self.stage = ExportStage::Writing(self.join(self.target.clone(), cx));
        }
    }

    fn join(&mut self, target: ExportTarget, cx: &mut FlowContext<'_>) -> Ticket {
        let From::Stream(query) = &self.from else { unreachable!("only a stream has parts") };
        let (parts, not) = (std::mem::take(&mut self.parts.whole), query.not.clone());
        cx.file(Owner::Exports, FileCall::JoinParts { parts, target, not })
    }

    // Reading the pages is what is certain where a service does not hear the keyword in exports. It is one request a page; the
    // rows are written once the last one is here.

    fn take_page(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        let Some(reading) = &mut self.reading else { return };
        let side = reading.walk.query.side;
        for step in reading.walk.handle(arrival, cx) {
            let is_kept = |row: &Row| reading.exclusion_filter.why(side, row).is_none();
            reading.rows.extend(step.rows.into_iter().filter(is_kept));
        }
        reading.excluded = reading.walk.given() - reading.rows.len() as u64;
        let end = reading.walk.end().cloned();
        let (rows, is_empty) = (reading.walk.given(), reading.rows.is_empty());
        self.total = Some(reading.walk.total().unwrap_or(0).max(rows));
        let elapsed = cx.now.mono.since(self.began);
        self.progress = Some(Progress { rows, elapsed, ..Progress::default() });
        self.stage = match end {
            None => return,
            Some(WalkEnd::Failed(failure)) => ExportStage::Failed(failure),
            Some(_) if is_empty => ExportStage::Stopped { kept: None, rows: 0 },
            Some(_) => ExportStage::Writing(self.write_read(self.target.clone(), cx)),
        };
    }

    /// Writes the rows that were read.
    fn write_read(&mut self, target: ExportTarget, cx: &mut FlowContext<'_>) -> Ticket {
        let rows = self.reading.as_mut().map(|reading| std::mem::take(&mut reading.rows)).unwrap_or_default();
        cx.file(Owner::Exports, FileCall::WriteRows { target, rows })
    }
}

fn our_bug(words: &str) -> Failure {
    Failure::OurBug { words: words.to_owned() }
}

/// The failure of a leg, with where those before it are.
fn with_kept(why: &Failure, joined: &Result<FileReply, FileFailure>) -> Failure {
    match (why, joined) {
        (Failure::Unclear { why, words }, Ok(FileReply::Written(exported))) => {
            let (rows, path) = (counted(exported.rows, "row"), exported.path.display());
            Failure::Unclear { why: *why, words: format!("{words}; {rows} of the searches before it kept in {path}") }
        }
        _ => why.clone(),
    }
}

/// How long the rest takes if it goes on at the pace so far.
fn time_left(elapsed: Duration, done: u64, all: u64) -> Duration {
    let millis = elapsed.as_millis() * u128::from(all.saturating_sub(done)) / u128::from(done.max(1));
    Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
}

/// Requests and minutes that reading all pages takes, where one page takes so long.
pub fn effort(total: u64, page: u64, each: Duration) -> (u64, u64) {
    let requests = total.div_ceil(page.max(1)).max(1);
    let minutes = (each.as_millis() * u128::from(requests)).div_ceil(60_000).max(1);
    (requests, u64::try_from(minutes).unwrap_or(u64::MAX))
}
