//! `lode export`: the whole filtered set of the Data API, which is a job of its own, or local data written again for free.
//!
//! A stream is one request. Its total is asked beside it, never before it, and only so that progress means something; whether
//! it was whole is decided by its framing, and a total that differs is reported and does not fail the command. With `--paged` the pages of the
//! search are read to the end: the document of the export lists only filters, so for a keyword this is what is certain, and it
//! costs one request a page.

use clap::ValueEnum;

use super::filters::DataFilters;
use super::input::row_of;
use super::search::{of_total, plan, warnings};
use super::*;
use lode_core::{Preset, owned_rows};
use lode_engine::effect::{ExportTarget, Exported, Form};
use lode_engine::flow::export::{ExportJob, ExportStage, From, bytes, effort};

/// Local data that can be exported again for free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LocalData {
    Basket,
    Owned,
}

#[derive(Clone, Debug, Args)]
pub struct ExportArgs {
    /// Corpus
    #[arg(long, default_value = "us", value_parser = corpus())]
    pub corpus: Corpus,
    /// Export local data instead of the Data API: free, no request
    #[arg(long, value_enum)]
    pub from: Option<LocalData>,
    #[arg(long = "format", help = format!("raw, contacts, xlsx, {}, jsonl, or your own preset", Preset::built_in_names()), alias = "form", value_name = "FORMAT", default_value = "raw", value_hint = ValueHint::Other, value_parser = |word: &str| Ok::<Form, String>(word.into()))]
    pub form: Form,
    /// File to write; by default named after the search and the time
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
    /// Read the pages of the search instead of the export: slower, but never ignores the keyword
    #[arg(long, conflicts_with = "from")]
    pub paged: bool,
    /// Run more than 10 searches at once
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub filters: DataFilters,
}

impl ExportArgs {
    fn target(&self) -> ExportTarget {
        ExportTarget { path: self.output.clone(), form: self.form.clone(), keep_incomplete: false, replace: self.force }
    }
}

impl Operation for ExportArgs {
    fn services(&self) -> &[Source] {
        if self.from.is_none() { &[Source::Data] } else { &[Source::Workspace] }
    }

    fn excludes_lists(&self) -> Option<bool> {
        self.from.is_none().then(|| self.filters.excludes_lists())
    }

    fn file(&self) -> Option<ExportTarget> {
        Some(self.target())
    }

    fn script(&self, _pipe: Option<&str>) -> Result<Script, CommandProblem> {
        let is_stdout = self.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
        let words = "an export is written to a file, never to standard output";
        CommandProblem::refuse_if(is_stdout, words, "name a file; `./-` is one as well")?;
        let (target, corpus) = (self.target(), self.corpus);
        let Some(from) = self.from else {
            let query = self.filters.query(Side { source: Source::Data, corpus })?;
            may_run(&query, self.yes)?;
            if !self.paged {
                streams(&query, &target)?;
            }
            let paged = self.paged;
            return Ok(script(move |console| export(console, query, paged, target)));
        };
        let words = "filters apply to the Data API, not to local data";
        CommandProblem::refuse_if(!self.filters.is_empty(), words, "`lode export --help` shows both ways")?;
        Ok(script(move |console| export_local(console, from, corpus, target)))
    }
}

/// Whether exclusions can be held against the stream of the service.
fn streams(query: &Query, target: &ExportTarget) -> Result<(), CommandProblem> {
    if query.not.is_empty() {
        return Ok(());
    }
    let words = "the raw form copies what the service sends, so nothing can be left out";
    let hint = "add `--format contacts`, another format, or `--paged`";
    CommandProblem::refuse_if(target.form == Form::Raw, words, hint)?;
    let names_lists = query.not.values(ExclusionKind::List).next().is_some();
    let words = "a streamed export cannot leave out suppression lists";
    CommandProblem::refuse_if(names_lists, words, "add `--paged`: the pages of the search are checked")
}

/// Exports the basket or what is owned.
async fn export_local(console: Console, from: LocalData, corpus: Corpus, target: ExportTarget) -> Ending {
    let (rows, what): (Vec<Row>, &str) = match from {
        LocalData::Basket => {
            let side = Side { source: Source::Workspace, corpus };
            let purse = console.purse_of(side.source).ok_or_else(|| CommandProblem::no_key(side.source))?;
            let staged = console.basket(purse, side).await?;
            (staged.iter().map(|staged| row_of(side, staged)).collect(), "basket")
        }
        LocalData::Owned => (owned_rows(&console.owned(Some(corpus)).await?), "owned contacts"),
    };
    if rows.is_empty() {
        console.warn(format!("nothing to export from the {what} of {corpus}: no file was written"));
        return Ok(Exit::Done);
    }
    let written = console.file(FileCall::WriteRows { target, rows }).await;
    let FileReply::Written(exported) = written.map_err(|failure| CommandProblem::of_file(&failure))? else {
        unreachable!("rows are written to a file");
    };
    console.with(|run| report(&exported, console.format(), run.fx));
    Ok(Exit::Done)
}

/// How long the end of an export waits for the total.
const COUNTING: Duration = Duration::from_secs(2);

/// Runs the job that the screen runs as well, until its file is whole.
async fn export(console: Console, query: Query, paged: bool, target: ExportTarget) -> Ending {
    if paged {
        console.look_up_pages().await;
    }
    console.needs(query.side.source)?;
    slow(&query).into_iter().for_each(|words| console.warn(words));
    let sifting = if paged { Some(Sifting::read(&console, &query).await?) } else { None };
    if !paged && query.has_legs() {
        let legs = counted(query.leg_count() as u64, "search");
        console.warn(format!("{legs}, one request each, written as one file"));
    }
    console.take_interrupts();
    let words = query.words();
    let from = if paged { From::Pages(Box::new(query)) } else { From::Stream(Box::new(query)) };
    let begin =
        |run: &mut Run<'_>| run.session.exports.begin(words, from, target, &mut run.session.desk.at(run.now, run.fx));
    let id = console.with(begin);
    // What reading the pages takes was told.
    let mut announced = !paged;
    // The file is whole; the total, which may differ, is waited for until then.
    let mut counting_until = None;
    loop {
        let look = move |run: &mut Run<'_>| {
            let job = run.session.exports.job(id).expect("a job is kept as long as its session");
            let is_counting = job.count.is_some() && matches!(job.stage, ExportStage::Whole(_));
            (job.is_running(), is_counting.then_some(run.now.mono), plan_of_pages(job), status(job))
        };
        match console.with(look) {
            (true, _, plan, status) => {
                if let Some(words) = plan.filter(|_| !announced) {
                    announced = true;
                    console.warn(words);
                }
                status.into_iter().for_each(|words| console.status(words));
            }
            (false, Some(now), ..) => counting_until = counting_until.or(Some(now.after(COUNTING))),
            (false, None, ..) => break,
        }
        let turn = loop {
            match console.turn(counting_until).await {
                Turn::Event(event) if !matches!(event, Event::Exports) => {}
                turn => break turn,
            }
        };
        match turn {
            Turn::Event(_) | Turn::Abandon => {}
            Turn::Unread => return Ok(Exit::Done),
            Turn::Interrupt if counting_until.is_none() => {
                console.with(|run| {
                    run.session.exports.stop(id, false, &mut run.session.desk.at(run.now, run.fx));
                });
                console.warn("interrupted; the file was not written");
                return Ok(Exit::Interrupted);
            }
            // The total is not waited for any longer.
            Turn::Deadline | Turn::Interrupt => break,
        }
    }
    console.with(|run| {
        let job = run.session.exports.job(id).expect("a job is kept as long as its session");
        end(job, sifting.as_ref(), console.format(), run.fx)
    })
}

/// What reading the pages takes, once it is known.
fn plan_of_pages(job: &ExportJob) -> Option<String> {
    let (total, progress) = (job.total?, job.progress.as_ref()?);
    let by_pages = || {
        let (requests, minutes) = effort(total, progress.rows, progress.elapsed);
        let (rows, requests) = (counted(total, "row"), counted(requests, "request"));
        format!("{rows} by pages: {requests}, about {} min", grouped(minutes))
    };
    let is_paging = progress.rows > 0 && job.stage == ExportStage::Paging;
    job.walk().and_then(plan).or_else(|| is_paging.then(by_pages))
}

/// Says how it ended. `sifting` is what the pages leave out; a stream has none.
fn end(job: &ExportJob, sifting: Option<&Sifting>, format: Format, fx: &mut Vec<Effect>) -> Ending {
    fx.push(Effect::Status(String::new()));
    if let (Some(sifting), Some(walk)) = (sifting, job.walk())
        && let Some(end) = walk.end()
    {
        fx.extend(warnings(walk, end).into_iter().map(Effect::Warn));
        fx.extend(sifting.words(job.excluded(), walk.given()).map(Effect::Warn));
    }
    match &job.stage {
        ExportStage::Failed(failure) => return Err(CommandProblem::of_call(Source::Data, failure)),
        ExportStage::Whole(exported) => {
            let counts = exported.rows + exported.lint.excluded;
            if let Some(total) = job.total.filter(|total| sifting.is_none() && *total != counts) {
                let (rows, total) = (counted(exported.rows, "row"), grouped(total));
                fx.push(Effect::Warn(format!("the export completed with {rows}, but the search counts {total}")));
            }
            report(exported, format, fx);
        }
        _ if sifting.is_some() => fx.push(Effect::Warn("nothing matched: no file was written".to_owned())),
        _ => return Ok(Exit::Interrupted),
    }
    Ok(Exit::Done)
}

/// How far it is.
fn status(job: &ExportJob) -> Option<String> {
    let progress = job.progress.as_ref()?;
    if job.walk().is_some() {
        return Some(of_total(progress.rows, Some(job.total?)));
    }
    let (rate, left) = job.pace()?;
    let rows = of_total(progress.rows, job.total);
    let left = left.filter(|_| job.total.is_some_and(|total| total > progress.rows));
    let left = left.map_or_else(String::new, |left| format!(", {} s left", left.as_secs().max(1)));
    let pace = match job.quiet() {
        Some(quiet) => format!("no data for {} s", quiet.as_secs()),
        None => format!("{}/s", bytes(rate)),
    };
    Some(format!("{rows}{left}, {}, {pace}", bytes(progress.bytes)))
}

/// Where it is, how much it is, and what was done to its cells.
fn report(exported: &Exported, format: Format, fx: &mut Vec<Effect>) {
    if exported.lint.no_ids {
        fx.push(Effect::Warn("the export has no id column, so rows in more than one search are repeated".to_owned()));
    }
    let (path, lint) = (exported.path.display().to_string(), &exported.lint);
    let (rows, bytes) = (exported.rows, exported.bytes);
    fx.push(Effect::Print(match format {
        Format::Json => {
            let (formulas, phones, not_text, excluded) = (lint.formulas, lint.phones, lint.not_text, lint.excluded);
            json::line(&ExportLine { path, rows, bytes, formulas, phones, not_text, excluded })
        }
        Format::Table { .. } => {
            format!("{path}: {}, {}; {}", counted(rows, "row"), counted(bytes, "byte"), lint.words())
        }
    }));
}
