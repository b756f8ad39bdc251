//! An export of the Data API as a shell command: the job that the screen runs as well, watched until its file is whole.
//!
//! A stream is one request. Its total is asked beside it, never before it, and only so that progress means something; whether
//! it was whole is decided by its framing, and a total that differs is reported and does not fail the command. With `--paged` the pages of the
//! search are read to the end: the document of the export lists only filters, so for a keyword this is what is certain, and it
//! costs one request a page.

use std::time::Duration;

use super::exported::report;
use super::legs::plan;
use super::output::Format;
use super::problem::{CommandProblem, Exit};
use super::program::{Run, Script};
use super::reading::warnings;
use super::search::slow;
use super::sifting::Sifting;
use lode_core::{Mono, Query, counted, grouped};
use lode_engine::effect::{Effect, ExportTarget};
use lode_engine::flow::export::{ExportJob, ExportStage, From, JobId, bytes, effort};
use lode_engine::flow::session::Event;

pub(super) struct Exporting {
    query: Query,
    /// What the pages leave out; `None` for a stream.
    sifting: Option<Sifting>,
    target: ExportTarget,
    format: Format,
    begun: bool,
    job: Option<JobId>,
    /// How many requests it takes was told.
    told: bool,
    /// The file is whole; the total, which may differ, is waited for until then.
    counting_until: Option<Mono>,
}

/// How long the end of an export waits for the total.
const COUNTING: Duration = Duration::from_secs(2);

impl Exporting {
    pub(super) fn new(query: Query, sifting: Option<Sifting>, target: ExportTarget, format: Format) -> Exporting {
        Exporting { query, sifting, target, format, begun: false, job: None, told: false, counting_until: None }
    }

    fn begin(&mut self, run: &mut Run<'_>) {
        self.begun = true;
        let query = Box::new(self.query.clone());
        let from = if self.sifting.is_some() { From::Pages(query) } else { From::Stream(query) };
        let id = run.session.exports.begin(
            self.query.words(),
            from,
            self.target.clone(),
            &mut run.session.desk.at(run.now, run.fx),
        );
        self.job = Some(id);
        // Pages of a query that cannot be sent have ended already.
        if let Some(job) = run.session.exports.job(id).filter(|job| self.sifting.is_some() && !job.is_running()) {
            self.end(job, run.fx);
        }
    }

    /// What reading the pages takes is told once.
    fn plan(&mut self, job: &ExportJob, fx: &mut Vec<Effect>) {
        let (Some(total), Some(progress)) = (job.total, &job.progress) else { return };
        let by_pages = || {
            let (requests, minutes) = effort(total, progress.rows, progress.elapsed);
            let (rows, requests) = (counted(total, "row"), counted(requests, "request"));
            format!("{rows} by pages: {requests}, about {} min", grouped(minutes))
        };
        let is_paging = progress.rows > 0 && job.stage == ExportStage::Paging;
        let words = job.walk().and_then(plan).or_else(|| is_paging.then(by_pages)).filter(|_| !self.told);
        self.told |= words.is_some();
        fx.extend(words.map(Effect::Warn));
        fx.push(Effect::Status(format!("{} of {}", grouped(progress.rows), counted(total, "row"))));
    }

    fn end(&self, job: &ExportJob, fx: &mut Vec<Effect>) {
        fx.push(Effect::Status(String::new()));
        if let (Some(sifting), Some(walk)) = (&self.sifting, job.walk())
            && let Some(end) = walk.end()
        {
            fx.extend(warnings(walk, end).into_iter().map(Effect::Warn));
            fx.extend(sifting.summary(job.excluded(), walk.given()).map(Effect::Warn));
        }
        let mut exit = Exit::Done;
        match &job.stage {
            ExportStage::Failed(failure) => return CommandProblem::of_call(self.query.side.source, failure).end(fx),
            ExportStage::Whole(exported) => {
                let counts = exported.rows + exported.lint.excluded;
                if let Some(total) = job.total.filter(|total| self.sifting.is_none() && *total != counts) {
                    fx.push(Effect::Warn(format!(
                        "the export completed with {}, but the search counts {}",
                        counted(exported.rows, "row"),
                        grouped(total)
                    )));
                }
                report(exported, self.format, fx);
            }
            _ if self.sifting.is_some() => fx.push(Effect::Warn("nothing matched: no file was written".to_owned())),
            _ => exit = Exit::Interrupted,
        }
        fx.push(Effect::Quit(exit.code()));
    }
}

impl Script for Exporting {
    fn reads_pages(&self) -> bool {
        self.sifting.is_some()
    }

    fn start(&mut self, run: &mut Run<'_>) {
        let source = self.query.side.source;
        if !run.session.has(source) {
            return CommandProblem::no_key(source).end(run.fx);
        }
        run.fx.extend(slow(&self.query).map(Effect::Warn));
        match &mut self.sifting {
            Some(sifting) => sifting.start(run),
            None if self.query.has_legs() => {
                let legs = counted(self.query.leg_count() as u64, "search");
                run.fx.push(Effect::Warn(format!("{legs}, one request each, written as one file")));
            }
            None => {}
        }
        self.advance(run);
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        if self.begun {
            return;
        }
        if let Some(sifting) = &mut self.sifting {
            sifting.advance(run);
            if !sifting.is_ready() {
                return;
            }
        }
        self.begin(run);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let event = match &mut self.sifting {
            Some(sifting) => sifting.handle(event, run),
            None => Ok(Some(event)),
        };
        match event {
            Ok(Some(Event::Exports)) => {}
            Ok(_) => return,
            Err(problem) => return problem.end(run.fx),
        }
        let Some(job) = self.job.and_then(|id| run.session.exports.job(id)) else { return };
        if job.is_running() && self.sifting.is_some() {
            self.plan(job, run.fx);
        } else if job.is_running() {
            run.fx.extend(status(job).map(Effect::Status));
        } else if job.is_counting() && matches!(job.stage, ExportStage::Whole(_)) {
            self.counting_until = Some(run.now.mono.after(COUNTING));
        } else {
            self.end(job, run.fx);
        }
    }

    fn deadline(&self) -> Option<Mono> {
        self.counting_until
    }

    /// The total is not waited for any longer.
    fn wake(&mut self, run: &mut Run<'_>) {
        self.counting_until = None;
        if let Some(job) = self.job.and_then(|id| run.session.exports.job(id)) {
            self.end(job, run.fx);
        }
    }

    fn interrupt(&mut self, run: &mut Run<'_>) {
        if self.counting_until.is_some() {
            return self.wake(run);
        }
        if let Some(job) = self.job.take() {
            run.session.exports.stop(job, false, &mut run.session.desk.at(run.now, run.fx));
        }
        run.fx.push(Effect::Warn("interrupted; the file was not written".to_owned()));
        run.fx.push(Effect::Quit(Exit::Interrupted.code()));
    }
}

/// How far a stream is.
fn status(job: &ExportJob) -> Option<String> {
    let progress = job.progress.as_ref()?;
    let (rate, left) = job.pace()?;
    let rows = match (job.total, left) {
        (Some(total), Some(left)) if total > progress.rows => {
            format!("{} of {}, {} s left", grouped(progress.rows), counted(total, "row"), left.as_secs().max(1))
        }
        (Some(total), _) => format!("{} of {}", grouped(progress.rows), counted(total, "row")),
        (None, _) => counted(progress.rows, "row"),
    };
    let pace = match job.quiet() {
        Some(quiet) => format!("no data for {} s", quiet.as_secs()),
        None => format!("{}/s", bytes(rate)),
    };
    Some(format!("{rows}, {}, {pace}", bytes(progress.bytes)))
}
