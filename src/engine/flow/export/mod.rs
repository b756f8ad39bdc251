//! Exports as jobs: streams of the Data API and rows that are here already, each with its progress, its end and what it left.
//!
//! The total is asked beside a stream, never before it, and only so that progress means something; together with the room on
//! the disk it says early that a file cannot fit. What is written, and that a file under its final name is whole, is the
//! shell's business.

mod job;
mod legs;
mod paging;
mod parts;
mod reading;

use std::sync::Arc;

use crate::effect::call::{Call, Reply, SearchCall};
use crate::effect::failure::Failure;
use crate::effect::files::{ExportTarget, FileCall, FileFailure, FileReply, SPARE};
use crate::effect::store::Suppression;
use lode_core::credits::grouped;

use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::limiter::Priority;

pub use job::{From, Job, JobId, Stage};
pub use paging::effort;

#[derive(Clone, Debug, Default)]
pub struct Exports {
    jobs: Vec<Job>,
    next: u64,
    ended: Vec<JobId>,
    lists: Arc<Vec<Suppression>>,
}

impl Exports {
    /// All of this run, the newest first.
    pub fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.jobs.iter().rev()
    }

    pub fn job(&self, id: JobId) -> Option<&Job> {
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
    pub fn know_lists(&mut self, lists: Arc<Vec<Suppression>>) {
        self.lists = lists;
    }

    /// Begins a job.
    pub fn begin(&mut self, what: String, from: From, target: ExportTarget, cx: &mut Cx<'_>) -> JobId {
        self.next += 1;
        let id = JobId(self.next);
        let mut job = Job {
            id,
            what,
            target,
            from,
            stage: Stage::Stopped { kept: None, rows: 0 },
            progress: None,
            total: None,
            began: cx.now.mono,
            ended: None,
            count: None,
            room: None,
            reading: None,
            parts: parts::Parts::default(),
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
    pub fn retry(&mut self, id: JobId, cx: &mut Cx<'_>) -> bool {
        let Some(job) = self.jobs.iter_mut().find(|job| job.id == id && job.can_retry()) else { return false };
        start(job, &self.lists.clone(), cx);
        true
    }

    /// Ends a stream: what has come is kept under a name that says so, or deleted.
    pub fn stop(&mut self, id: JobId, keep: bool, cx: &mut Cx<'_>) -> bool {
        let Some(job) = self.jobs.iter_mut().find(|job| job.id == id) else { return false };
        let stopped = end(job, keep, None, cx);
        if !job.is_running() {
            self.ended.push(id);
        }
        stopped
    }

    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> bool {
        // Of a job that is over only the total is still waited for.
        let open = |job: &Job| job.is_running() || job.is_counting();
        let Some(job) = self.jobs.iter_mut().find(|job| open(job) && concerns(job, heard)) else { return false };
        let was_running = job.is_running();
        match heard {
            Heard::Progress(_, progress) => {
                job.progress = Some(legs::progress(job, progress));
                refuse_too_large(job, cx);
            }
            Heard::Reply(id, _, result) if job.count == Some(*id) => {
                job.count = None;
                if let Ok(Reply::Page(page)) = result
                    && !page.uncounted
                {
                    job.total = Some(page.total);
                    refuse_too_large(job, cx);
                }
            }
            Heard::Reply(..) if job.stage == Stage::Paging => paging::hear(job, heard, cx),
            Heard::Reply(_, _, Ok(Reply::Exported(exported))) if job.has_legs() => legs::took(job, exported, cx),
            Heard::Reply(call, _, Err(failure)) if job.has_legs() && job.parts.has_whole() => {
                legs::keep(job, *call, failure, cx);
            }
            Heard::Reply(_, _, result) => {
                job.stage = match result {
                    Ok(Reply::Exported(exported)) => Stage::Whole(exported.clone()),
                    Ok(_) => Stage::Failed(Failure::OurBug { words: "unexpected response to an export".to_owned() }),
                    Err(failure) => Stage::Failed(failure.clone()),
                };
            }
            Heard::Filed(ticket, result) if job.room == Some(*ticket) => {
                job.room = None;
                if let Ok(FileReply::Room { free }) = result {
                    job.free = Some(*free);
                    refuse_too_large(job, cx);
                }
            }
            // The target can be written: the first leg.
            Heard::Filed(_, Ok(FileReply::Done)) if job.has_legs() => legs::ask(job, cx),
            Heard::Filed(_, result) => {
                let Some(stage) = filed(job, result) else { return true };
                if let Stage::Ending { call, .. } = job.stage {
                    cx.cancel(call);
                }
                job.stage = stage;
            }
            Heard::Stored(..) => {}
        }
        let over = !job.stage.is_moving();
        if over && was_running {
            job.ended = Some(cx.now.mono);
            legs::leave(job, cx);
            if let (From::Rows(rows), Stage::Whole(_)) = (&mut job.from, &job.stage) {
                *rows = Vec::new();
            }
            // Beside a whole file the total is still worth knowing: a differing one is said.
            if !matches!(job.stage, Stage::Whole(_))
                && let Some(count) = job.count.take()
            {
                cx.cancel(count);
            }
            self.ended.push(job.id);
        }
        true
    }
}

fn start(job: &mut Job, lists: &[Suppression], cx: &mut Cx<'_>) {
    job.progress = None;
    job.began = cx.now.mono;
    job.ended = None;
    match &job.from {
        From::Rows(rows) => {
            let call = FileCall::WriteRows { target: job.target.clone(), rows: rows.clone() };
            job.stage = Stage::Writing(cx.file(Owner::Exports, call));
        }
        From::Pages(query) => {
            let query = (**query).clone();
            paging::start(job, &query, lists, cx);
        }
        From::Stream(query) if query.has_legs() => {
            let query = (**query).clone();
            job.room = Some(cx.file(Owner::Exports, FileCall::Room(job.target.path.clone())));
            legs::start(job, &query, cx);
        }
        From::Stream(query) => {
            // What a stream that breaks has brought is kept under a name that says so.
            let target = ExportTarget { keep_incomplete: true, ..job.target.clone() };
            let call = Call::Export { query: (**query).clone(), target };
            job.stage = Stage::Streaming(cx.ask(Owner::Exports, call, Priority::Person));
            let call = SearchCall { query: (**query).clone(), offset: 0, limit: 1, mark_pulled: false };
            job.count = Some(cx.ask(Owner::Exports, Call::Search(call), Priority::Coverage));
            job.room = Some(cx.file(Owner::Exports, FileCall::Room(job.target.path.clone())));
        }
    }
}

fn concerns(job: &Job, heard: &Heard) -> bool {
    match (heard, &job.stage) {
        (Heard::Progress(id, _), Stage::Streaming(call) | Stage::Ending { call, .. }) => id == call,
        (Heard::Reply(id, ..), Stage::Streaming(call) | Stage::Ending { call, .. }) => {
            id == call || job.count == Some(*id)
        }
        (Heard::Filed(ticket, _), Stage::Writing(own) | Stage::Ending { ticket: own, .. }) => {
            ticket == own || job.room == Some(*ticket)
        }
        (Heard::Reply(id, ..), Stage::Paging) => job.reading.as_ref().is_some_and(|reading| reading.asks(*id)),
        (Heard::Filed(ticket, _), Stage::Keeping(own)) => ticket == own,
        (Heard::Reply(id, ..), Stage::Whole(_)) => job.count == Some(*id),
        (Heard::Filed(ticket, _), _) => job.room == Some(*ticket),
        _ => false,
    }
}

/// What a file that was written or put in order means. None where the answer of the stream itself is still to come.
fn filed(job: &Job, result: &Result<FileReply, FileFailure>) -> Option<Stage> {
    Some(match (&job.stage, result) {
        (Stage::Keeping(_), Ok(FileReply::Written(exported))) => {
            Stage::Stopped { kept: Some(exported.path.clone()), rows: exported.rows }
        }
        (Stage::Ending { why: Some(why), .. }, result) if job.has_legs() => Stage::Failed(legs::kept(why, result)),
        (_, Ok(FileReply::Written(exported))) => Stage::Whole(exported.clone()),
        (Stage::Ending { why: Some(why), .. }, Ok(FileReply::Stopped { .. })) => Stage::Failed(why.clone()),
        (_, Ok(FileReply::Stopped { kept, rows })) => Stage::Stopped { kept: kept.clone(), rows: *rows },
        // It ended by itself before it was told to: its own answer says how.
        (Stage::Ending { .. }, Err(_)) => return None,
        (_, Err(failure)) => Stage::Failed(Failure::Disk { words: failure.words.clone() }),
        (_, Ok(_)) => Stage::Failed(Failure::OurBug { words: "the file was not written".to_owned() }),
    })
}

/// Ends a stream. `why` says what ended it, if not a person.
fn end(job: &mut Job, keep: bool, why: Option<Failure>, cx: &mut Cx<'_>) -> bool {
    if job.stage == Stage::Paging {
        paging::stop(job, keep, cx);
        return true;
    }
    let Stage::Streaming(call) = job.stage else { return false };
    // Of several streams there is nothing that one could keep as one file.
    match cx.end_export(Owner::Exports, call, keep && !job.has_legs()) {
        Some(ticket) => job.stage = Stage::Ending { call, ticket, why },
        // It had not begun.
        None => {
            cx.cancel(call);
            if let Some(count) = job.count.take() {
                cx.cancel(count);
            }
            job.stage = why.map_or(Stage::Stopped { kept: None, rows: 0 }, Stage::Failed);
            job.ended = Some(cx.now.mono);
            legs::leave(job, cx);
        }
    }
    true
}

/// A file that cannot fit is not filled up to the last byte first.
fn refuse_too_large(job: &mut Job, cx: &mut Cx<'_>) {
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
