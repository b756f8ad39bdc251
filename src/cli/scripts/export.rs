//! `lode export`: the whole filtered set of the Data API streamed into a file, or local data written again for free.
//!
//! The total is asked beside the stream, never before it, and only so that progress means something. Whether a stream was
//! whole is decided by its framing; a total that differs is said and is no failure.

use std::time::Duration;

use crate::cli::args::searches::{ExportArgs, LocalData};
use crate::cli::exit::Exit;
use crate::cli::input::row_of;
use crate::cli::output::Format;
use crate::cli::program::{Run, Script};
use crate::cli::say::Problem;
use crate::domain::contact::{Corpus, Side, Source};
use crate::domain::credits::{counted, grouped};
use crate::domain::exclude::Kind;
use crate::domain::export::local::owned_rows;
use crate::domain::purse::PurseRef;
use crate::domain::query::Query;
use crate::domain::row::Row;
use crate::domain::time::Mono;
use crate::effect::files::{ExportTarget, FileCall, FileReply, Form};
use crate::effect::profile::Profile;
use crate::effect::store::{StoreCall, StoreReply};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::Heard;
use crate::flow::export::{From, Job, JobId, Stage, bytes};
use crate::flow::session::Event;

use super::exported::{stop, tell};
use super::legs::may_run;
use super::paged::Paged;
use super::purse_lookup::Books;
use super::search::slow;

/// The script that these arguments mean.
pub fn script(profile: &Profile, args: &ExportArgs, format: Format) -> Result<Box<dyn Script>, Problem> {
    let target = args.target();
    let Some(from) = args.from else {
        let query = args.filters.query(Side { source: Source::Data, corpus: args.corpus })?;
        may_run(&query, args.yes)?;
        if args.paged {
            return Ok(Box::new(Paged::new(profile, query, target, format)));
        }
        streams(&query, &target)?;
        return Ok(Box::new(Stream { query, target, format, job: None, counting_until: None }));
    };
    if !args.filters.is_empty() {
        return Err(Problem::new(
            Exit::Usage,
            "filters apply to the Data API, not to local data",
            "`lode export --help` shows both ways",
        ));
    }
    let (purse, corpus) = (profile.purse_of(Source::Workspace), args.corpus);
    let owned = Books::new(profile, move |purse| StoreCall::Owned { purse, corpus: Some(corpus) });
    Ok(Box::new(Local { from, purse, corpus, target, format, owned, asked: None, written: None }))
}

/// Whether exclusions can be held against the stream of the service.
fn streams(query: &Query, target: &ExportTarget) -> Result<(), Problem> {
    if query.not.is_empty() {
        return Ok(());
    }
    if target.form == Form::Raw {
        let words = "the raw form copies what the service sends, so nothing can be left out";
        return Err(Problem::new(Exit::Usage, words, "add `--form contacts`, another form, or `--paged`"));
    }
    if query.not.values(Kind::List).next().is_some() {
        let words = "a streamed export cannot leave out suppression lists";
        return Err(Problem::new(Exit::Usage, words, "add `--paged`: the pages of the search are checked"));
    }
    Ok(())
}

/// From the Data API: the job that the screen runs as well, watched from a shell.
struct Stream {
    query: Query,
    target: ExportTarget,
    format: Format,
    job: Option<JobId>,
    /// The file is whole; the total, which may differ, is waited for until then.
    counting_until: Option<Mono>,
}

/// How long the end of an export waits for the total.
const COUNTING: Duration = Duration::from_secs(2);

fn status(job: &Job) -> Option<String> {
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

impl Stream {
    /// Without waiting any longer for the total.
    fn end_whole(&mut self, run: &mut Run<'_>) {
        self.counting_until = None;
        if let Some(job) = self.job.and_then(|id| run.session.exports().job(id)) {
            self.end(job, run.fx);
        }
    }

    fn end(&self, job: &Job, fx: &mut Vec<Effect>) {
        fx.push(Effect::Status(String::new()));
        match &job.stage {
            Stage::Whole(exported) => {
                if let Some(total) = job.total.filter(|total| *total != exported.rows + exported.lint.excluded) {
                    fx.push(Effect::Warn(format!(
                        "the export completed with {}, but the search counts {}",
                        counted(exported.rows, "row"),
                        grouped(total)
                    )));
                }
                tell(exported, self.format, fx);
                fx.push(Effect::Quit(Exit::Done.code()));
            }
            Stage::Failed(failure) => Problem::of_call(Source::Data, failure).end(fx),
            _ => {
                fx.push(Effect::Quit(Exit::Interrupted.code()));
            }
        }
    }
}

impl Script for Stream {
    fn start(&mut self, run: &mut Run<'_>) {
        if !run.session.has(Source::Data) {
            return Problem::no_key(Source::Data).end(run.fx);
        }
        if let Some(warning) = slow(&self.query) {
            run.fx.push(Effect::Warn(warning));
        }
        if self.query.has_legs() {
            let legs = counted(self.query.leg_count() as u64, "search");
            run.fx.push(Effect::Warn(format!("{legs}, one request each, written as one file")));
        }
        let from = From::Stream(Box::new(self.query.clone()));
        self.job = Some(run.session.export(self.query.words(), from, self.target.clone(), run.now, run.fx));
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Exports = event else { return };
        let Some(job) = self.job.and_then(|id| run.session.exports().job(id)) else { return };
        if job.is_running() {
            run.fx.extend(status(job).map(Effect::Status));
        } else if job.is_counting() && matches!(job.stage, Stage::Whole(_)) {
            self.counting_until = Some(run.now.mono.after(COUNTING));
        } else {
            self.end(job, run.fx);
        }
    }

    fn deadline(&self) -> Option<Mono> {
        self.counting_until
    }

    fn wake(&mut self, run: &mut Run<'_>) {
        self.end_whole(run);
    }

    fn interrupt(&mut self, run: &mut Run<'_>) {
        if self.counting_until.is_some() {
            return self.end_whole(run);
        }
        stop(self.job.take(), run);
    }
}

/// From the basket or from what is owned.
struct Local {
    from: LocalData,
    purse: Option<PurseRef>,
    corpus: Corpus,
    target: ExportTarget,
    format: Format,
    owned: Books,
    asked: Option<Ticket>,
    written: Option<Ticket>,
}

impl Local {
    fn write(&mut self, rows: Vec<Row>, run: &mut Run<'_>) {
        if rows.is_empty() {
            let what = match self.from {
                LocalData::Basket => format!("the basket of {}", self.corpus),
                LocalData::Owned => format!("the owned contacts of {}", self.corpus),
            };
            run.fx.push(Effect::Warn(format!("nothing to export from {what}: no file was written")));
            run.fx.push(Effect::Quit(Exit::Done.code()));
            return;
        }
        self.written = Some(run.file(FileCall::WriteRows { target: self.target.clone(), rows }));
    }
}

impl Script for Local {
    fn start(&mut self, run: &mut Run<'_>) {
        match self.from {
            LocalData::Basket => {
                let side = Side { source: Source::Workspace, corpus: self.corpus };
                let Some(purse) = self.purse.clone() else { return Problem::no_key(Source::Workspace).end(run.fx) };
                self.asked = Some(run.store(StoreCall::Basket { purse, side }));
            }
            LocalData::Owned => self.owned.start(run),
        }
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        if let LocalData::Owned = self.from
            && let Some(reply) = self.owned.hear(event.clone(), run)
        {
            return match reply {
                StoreReply::Owned(owned) => self.write(owned_rows(&owned), run),
                _ => run.fx.push(Effect::Quit(Exit::Failed.code())),
            };
        }
        let Event::Answered(heard) = event else { return };
        match heard {
            Heard::Stored(ticket, result) if self.asked == Some(ticket) => match result {
                Ok(StoreReply::Basket(basket)) => {
                    let side = Side { source: Source::Workspace, corpus: self.corpus };
                    let rows = basket.rows.iter().map(|staged| row_of(side, staged)).collect();
                    self.write(rows, run);
                }
                Ok(_) => run.fx.push(Effect::Quit(Exit::Failed.code())),
                Err(failure) => Problem::of_store(&failure).end(run.fx),
            },
            Heard::Filed(ticket, result) if self.written == Some(ticket) => match result {
                Ok(FileReply::Written(exported)) => {
                    tell(&exported, self.format, run.fx);
                    run.fx.push(Effect::Quit(Exit::Done.code()));
                }
                Ok(_) => run.fx.push(Effect::Quit(Exit::Failed.code())),
                Err(failure) => Problem::of_file(&failure).end(run.fx),
            },
            _ => {}
        }
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        self.owned.advance(run);
    }
}
