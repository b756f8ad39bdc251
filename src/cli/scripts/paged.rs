//! `lode export --paged`: the pages of the search, read to the end and written as one file. The document of the export lists
//! only filters, so for a keyword this is what is certain; it costs one request a page. It is the job that the screen runs as well.

use crate::cli::exit::Exit;
use crate::cli::output::Format;
use crate::cli::program::{Run, Script};
use crate::cli::say::Problem;
use crate::domain::credits::{counted, grouped};
use crate::domain::query::Query;
use crate::effect::Effect;
use crate::effect::files::ExportTarget;
use crate::effect::profile::Profile;
use crate::flow::export::{From, Job, JobId, Stage, effort};
use crate::flow::session::Event;

use super::exported::{stop, tell};
use super::legs::plan;
use super::search::{slow, warnings};
use super::sifting::Sifting;

pub(super) struct Paged {
    query: Query,
    sifting: Sifting,
    begun: bool,
    target: ExportTarget,
    format: Format,
    job: Option<JobId>,
    /// How many requests it takes was told.
    told: bool,
}

impl Paged {
    pub(super) fn new(profile: &Profile, query: Query, target: ExportTarget, format: Format) -> Paged {
        Paged { sifting: Sifting::new(profile, &query), begun: false, query, target, format, job: None, told: false }
    }

    fn end(&self, job: &Job, fx: &mut Vec<Effect>) {
        fx.push(Effect::Status(String::new()));
        if let Some((walk, end)) = job.walk().and_then(|walk| Some((walk, walk.end()?))) {
            fx.extend(warnings(walk, end).into_iter().map(Effect::Warn));
            fx.extend(self.sifting.told(job.excluded(), walk.given()).map(Effect::Warn));
        }
        match &job.stage {
            Stage::Whole(exported) => {
                tell(exported, self.format, fx);
                fx.push(Effect::Quit(Exit::Done.code()));
            }
            Stage::Failed(failure) => Problem::of_call(self.query.side.source, failure).end(fx),
            _ => {
                fx.push(Effect::Warn("nothing matched: no file was written".to_owned()));
                fx.push(Effect::Quit(Exit::Done.code()));
            }
        }
    }
}

impl Script for Paged {
    fn reads_pages(&self) -> bool {
        true
    }

    fn start(&mut self, run: &mut Run<'_>) {
        let source = self.query.side.source;
        if !run.session.has(source) {
            return Problem::no_key(source).end(run.fx);
        }
        if let Some(warning) = slow(&self.query) {
            run.fx.push(Effect::Warn(warning));
        }
        self.sifting.start(run);
        self.advance(run);
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        if self.begun {
            return;
        }
        self.sifting.advance(run);
        if !self.sifting.is_ready() {
            return;
        }
        self.begun = true;
        let from = From::Pages(Box::new(self.query.clone()));
        let id = run.session.export(self.query.words(), from, self.target.clone(), run.now, run.fx);
        self.job = Some(id);
        // A query that cannot be sent has ended already.
        if let Some(job) = run.session.exports().job(id).filter(|job| !job.is_running()) {
            self.end(job, run.fx);
        }
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        let event = match self.sifting.hear(event, run) {
            Ok(event) => event,
            Err(problem) => return problem.end(run.fx),
        };
        let Some(Event::Exports) = event else { return };
        let Some(job) = self.job.and_then(|id| run.session.exports().job(id)) else { return };
        if !job.is_running() {
            return self.end(job, run.fx);
        }
        let (Some(total), Some(progress)) = (job.total, &job.progress) else { return };
        if let Some(words) = job.walk().and_then(plan).filter(|_| !self.told) {
            self.told = true;
            run.fx.push(Effect::Warn(words));
        }
        if !self.told && progress.rows > 0 && job.stage == Stage::Paging {
            self.told = true;
            let (requests, minutes) = effort(total, progress.rows, progress.elapsed);
            run.fx.push(Effect::Warn(format!(
                "{} by pages: {}, about {} min",
                counted(total, "row"),
                counted(requests, "request"),
                grouped(minutes)
            )));
        }
        run.fx.push(Effect::Status(format!("{} of {}", grouped(progress.rows), counted(total, "row"))));
    }

    fn interrupt(&mut self, run: &mut Run<'_>) {
        stop(self.job.take(), run);
    }
}
