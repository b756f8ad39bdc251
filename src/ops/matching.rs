//! `lode match`: a list of accounts held against a service, by the machine that the screen runs as well.
//!
//! The list is read and checked before anything is sent, what it takes is told before it starts, and lines are printed once all of
//! them are settled, in the order of the list.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueHint};
use serde_json::{Map, Value};

use super::filters::{MatchFilters, corpus, source};
use super::input::{Csv, about};
use super::operation;
use super::operation::{Operation, Pipe, ScriptContext};
use super::output::{
    CandidateShape, Format, MatchLine, MatchPlanLine, MatchPlanShape, MatchSummaryLine, MatchSummaryShape, OutputLines,
    json, number, text,
};
use super::problem::{CommandProblem, Exit};
use super::program::{Run, Script};
use super::search::slow;
use lode_core::{Corpus, Mono, Query, Row, Side, Source, Staged, counted, grouped};
use lode_engine::effect::{Effect, FileCall, FileReply, StoreCall, Ticket};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::matching::accounts::{AccountLine, Accounts, UnusableAccounts};
use lode_engine::flow::matching::judge::{CompanyCandidate, MatchResult, MatchedBy};
use lode_engine::flow::matching::{MatchFailure, MatchJob, MatchPlan, MatchRequest, MatchStage, check, time_left};
use lode_engine::flow::session::Event;
use lode_engine::flow::unlock::crm;

/// How accounts are held against contacts; shown by `--help`.
pub const RULES: &str = "Each line of the list ends as one of three:
  matched    one company agrees, in name and domain where both are known; its contacts are printed, or staged with --basket.
             A contact with a private email agrees in the company's name alone: its `by` is `company`
  ambiguous  several companies fit, or one only in part; they are named, and none is picked
  none       nothing fits
Companies are compared without case, punctuation and legal form (Inc, LLC, GmbH …), domains without `www.` and address.
The Data API is asked by website, then by company, in the ways in which services write them. The Workspace cannot be searched by company: the search of the filters is
read whole and compared here, so at least one filter is needed. Nothing is spent. At most 120 requests a minute are sent. An
interrupted run continues when the same command runs again.";

#[derive(Clone, Debug, Args)]
pub struct MatchArgs {
    /// A CSV or .xlsx file with a column of companies or domains; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: String,
    /// Which service
    #[arg(long, default_value = "data", value_parser = source())]
    pub source: Source,
    /// Which corpus
    #[arg(long, default_value = "us", value_parser = corpus())]
    pub corpus: Corpus,
    /// Contacts of each account at most
    #[arg(long, default_value_t = 5, value_name = "N", value_hint = ValueHint::Other, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub per_company: u16,
    /// Put the contacts of matched accounts into the basket
    #[arg(long)]
    pub basket: bool,
    /// Show the cost and stop
    #[arg(long)]
    pub dry_run: bool,
    /// End with a JSON line that counts the result
    #[arg(long)]
    pub summary: bool,
    #[command(flatten)]
    pub filters: MatchFilters,
}

impl MatchArgs {
    pub fn side(&self) -> Side {
        Side { source: self.source, corpus: self.corpus }
    }
}

pub struct MatchScript {
    query: Query,
    per: usize,
    list: Csv,
    format: Format,
    basket: bool,
    dry_run: bool,
    /// A line that counts the result is printed at the end, also where people read.
    summary: bool,
    step: Step,
    next: Option<Mono>,
}

#[derive(Debug, PartialEq)]
enum Step {
    Reading(Ticket),
    Matching,
    /// Contacts go into the basket.
    Staging(Ticket),
    /// Everything is printed; what was kept of the job goes.
    Leaving,
    Over,
}

impl MatchScript {
    pub fn new(args: &MatchArgs, pipe: Option<&str>, format: Format) -> Result<MatchScript, CommandProblem> {
        let query = args.filters.query(args.side())?;
        check(&query).map_err(|problem| {
            CommandProblem::new(Exit::Usage, problem.to_string(), "`lode match --help` says what each service is asked")
        })?;
        let list = Csv::named(Some(&args.file), pipe);
        let per = usize::from(args.per_company);
        let (basket, dry_run, summary) = (args.basket, args.dry_run, args.summary);
        Ok(MatchScript { query, per, list, format, basket, dry_run, summary, step: Step::Over, next: None })
    }

    fn fail(&mut self, problem: &CommandProblem, run: &mut Run<'_>) {
        self.step = Step::Over;
        self.next = None;
        run.fx.push(Effect::Status(String::new()));
        problem.end(run.fx);
    }

    fn take(&mut self, text: &str, run: &mut Run<'_>) {
        let accounts = match Accounts::read(text) {
            Ok(accounts) => accounts,
            Err(unusable) => return self.fail(&self.unusable(&unusable), run),
        };
        let Some(purse) = run.session.purse_of(self.query.side.source) else {
            return self.fail(&CommandProblem::no_key(self.query.side.source), run);
        };
        let wanted = MatchRequest { accounts: Arc::new(accounts), query: self.query.clone(), per: self.per };
        self.step = Step::Matching;
        run.session.matching.begin(wanted, purse, &mut run.session.desk.at(run.now, run.fx));
    }

    fn unusable(&self, unusable: &UnusableAccounts) -> CommandProblem {
        let hint = "name the column `company` or `domain`; any delimiter is read";
        CommandProblem::new(Exit::Usage, format!("{} is no list of accounts: {unusable}", self.list.title()), hint)
    }

    /// What it takes, then the word to go.
    fn begin(&mut self, run: &mut Run<'_>) {
        let Some(job) = run.session.matching.job() else { return };
        let accounts = &job.wanted.accounts;
        let plan = job.plan();
        let by = accounts.by.join("`, `");
        run.fx.push(Effect::Warn(format!(
            "{} by `{by}` at {}: {}",
            counted(accounts.lines.len() as u64, "account"),
            self.query.side,
            plan.words()
        )));
        let unusable = accounts.lines.iter().filter(|account| !account.is_usable()).map(|account| account.line);
        if let Some(words) = crm::lines_named(&unusable.collect::<Vec<_>>()) {
            run.fx.push(Effect::Warn(format!("{words} no company name and no domain")));
        }
        if let Some(warning) = slow(&self.query).filter(|_| !self.query.is_unfiltered()) {
            run.fx.push(Effect::Warn(warning));
        }
        if self.dry_run {
            if self.summary {
                run.fx.push(Effect::Print(plan_line(accounts, &plan)));
            }
            self.step = Step::Over;
            run.fx.push(Effect::Quit(Exit::Done.code()));
            return;
        }
        self.next = Some(run.now.mono.after(Duration::from_secs(1)));
        run.session.matching.go(&mut run.session.desk.at(run.now, run.fx));
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.next = None;
        run.fx.push(Effect::Status(String::new()));
        let Some(job) = run.session.matching.job() else { return };
        if let Some(warning) = job.warning() {
            run.fx.push(Effect::Warn(warning));
        }
        let rows = print(job, self.format, (self.summary, self.basket), run.fx);
        let source = self.query.side.source;
        if self.basket
            && !rows.is_empty()
            && let Some(purse) = run.session.purse_of(source)
        {
            let rows = rows.into_iter().filter_map(|row| {
                let mut about = about(&row);
                about.clue.search = Some(self.query.canonical());
                Some(Staged::new(row.id()?, row.unlocked(), about))
            });
            let call = StoreCall::Stage { purse, side: self.query.side, rows: rows.collect() };
            self.step = Step::Staging(run.store(call));
            return;
        }
        self.leave(run);
    }

    fn leave(&mut self, run: &mut Run<'_>) {
        self.step = Step::Leaving;
        run.session.matching.forget(&mut run.session.desk.at(run.now, run.fx));
    }
}

impl Operation for MatchArgs {
    fn services(&self) -> &'static [Source] {
        operation::one(self.source)
    }

    fn pipe(&self) -> Option<Pipe> {
        let missing = ["no list was given", "name a file, or pipe the list into `lode match -`"];
        (self.file == "-").then_some(Pipe { is_list: true, missing })
    }

    fn script(&self, ScriptContext { pipe, format, .. }: ScriptContext<'_>) -> Result<Box<dyn Script>, CommandProblem> {
        Ok(Box::new(MatchScript::new(self, pipe, format)?))
    }
}

impl Script for MatchScript {
    fn start(&mut self, run: &mut Run<'_>) {
        if !run.session.has(self.query.side.source) {
            return self.fail(&CommandProblem::no_key(self.query.side.source), run);
        }
        match &self.list {
            Csv::File(path) => self.step = Step::Reading(run.file(FileCall::ReadList(path.clone()))),
            Csv::Pipe(text) => {
                let text = text.clone();
                self.take(&text, run);
            }
        }
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        match event {
            Event::Answered(Arrival::Filed(ticket, result)) if self.step == Step::Reading(ticket) => match result {
                Ok(FileReply::Text(text)) => self.take(&text, run),
                Ok(_) => self.fail(
                    &CommandProblem::new(Exit::Failed, "the list was not read", "`lode info` shows the log"),
                    run,
                ),
                Err(failure) => {
                    let hint = "a list of accounts is a CSV or .xlsx file of at most 64 MB";
                    self.fail(&CommandProblem::new(Exit::Usage, failure.words, hint), run);
                }
            },
            Event::Answered(Arrival::Stored(ticket, result)) if self.step == Step::Staging(ticket) => match result {
                Ok(_) => self.leave(run),
                Err(failure) => self.fail(&CommandProblem::of_store(&failure), run),
            },
            _ => {}
        }
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        let Some(job) = run.session.matching.job() else { return };
        match (&self.step, &job.stage) {
            (Step::Matching, MatchStage::Ready) => self.begin(run),
            (Step::Matching, MatchStage::Failed(failure)) if job.is_settled() => {
                let problem = match failure {
                    MatchFailure::Call(failure) => CommandProblem::of_call(self.query.side.source, failure),
                    MatchFailure::Store(failure) => CommandProblem::of_store(failure),
                };
                let (made, reused) = job.requests();
                if made + reused > 0 {
                    let kept = grouped(made + reused);
                    run.fx.push(Effect::Warn(format!("{kept} answers are kept; the same command goes on from there")));
                }
                self.fail(&problem, run);
            }
            (Step::Matching, MatchStage::Done) if job.is_settled() => self.finish(run),
            (Step::Leaving, _) if job.is_settled() => {
                self.step = Step::Over;
                run.fx.push(Effect::Quit(Exit::Done.code()));
            }
            _ => {}
        }
    }

    fn deadline(&self) -> Option<Mono> {
        self.next
    }

    fn wake(&mut self, run: &mut Run<'_>) {
        self.next = Some(run.now.mono.after(Duration::from_secs(1)));
        let Some(job) = run.session.matching.job() else { return };
        let (done, of, left) = job.progress(run.now);
        run.fx.push(Effect::Status(progress(done, of, left)));
    }
}

// The lines of `lode match`: one for each contact of a matched account, one for every other account. The columns of the list are
// carried along.

type Judged<'j> = (&'j AccountLine, &'j MatchResult);

/// Prints everything; answers the contacts of matched accounts, each once.
fn print(job: &MatchJob, format: Format, (summed, basket): (bool, bool), fx: &mut Vec<Effect>) -> Vec<Row> {
    let accounts = &job.wanted.accounts;
    let judged: Vec<Judged<'_>> = accounts.lines.iter().zip(&job.verdicts).collect();
    let rows: Vec<Row> = job.contacts().into_iter().cloned().collect();
    match format {
        Format::Json => {
            let heads = unique(&accounts.heads);
            for (account, verdict) in &judged {
                fx.extend(json_lines(&heads, account, verdict).into_iter().map(Effect::Print));
            }
        }
        Format::Table { .. } => table(format, &judged, fx),
    }
    let count = |name: &str| judged.iter().filter(|(_, verdict)| verdict.name() == name).count() as u64;
    let summary = MatchSummaryShape {
        accounts: judged.len() as u64,
        matched: count("matched"),
        ambiguous: count("ambiguous"),
        none: count("none"),
        contacts: rows.len() as u64,
        requests: job.requests().0,
        reused: job.requests().1,
        staged: basket.then(|| rows.iter().filter(|row| row.id().is_some()).count() as u64),
    };
    if let Format::Table { .. } = format {
        fx.push(Effect::Warn(format!(
            "{} matched, {} ambiguous, {} none; {}. Nothing spent.",
            grouped(summary.matched),
            grouped(summary.ambiguous),
            grouped(summary.none),
            counted(summary.contacts, "contact")
        )));
    }
    if summed || format == Format::Json {
        fx.push(Effect::Print(json::line(&MatchSummaryLine { summary })));
    }
    rows
}

/// What a match would take, as the last line of `--dry-run`.
fn plan_line(accounts: &Accounts, plan: &MatchPlan) -> String {
    let summary = MatchPlanShape {
        accounts: accounts.lines.len() as u64,
        by: accounts.by.iter().map(ToString::to_string).collect(),
        requests_least: plan.requests.0,
        requests_most: plan.requests.1,
        reused: plan.reused,
        seconds: plan.time.as_secs(),
    };
    json::line(&MatchPlanLine { summary })
}

/// A second column of a name gets a number: an object has one field of a name.
fn unique(heads: &[String]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let free = |head: &String| {
        let names = std::iter::once(head.clone()).chain((2..).map(|number| format!("{head}_{number}")));
        let name = names.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
        taken.insert(name.clone());
        name
    };
    heads.iter().map(free).collect()
}

fn json_lines(heads: &[String], account: &AccountLine, verdict: &MatchResult) -> Vec<String> {
    let input: Map<String, Value> =
        heads.iter().zip(&account.cells).map(|(head, cell)| (head.clone(), Value::from(cell.as_str()))).collect();
    let mut line = MatchLine {
        line: account.line as u64,
        result: verdict.name(),
        by: None,
        company: None,
        domain: None,
        why: None,
        input,
        contact: None,
        candidates: Vec::new(),
    };
    match verdict {
        MatchResult::None => {}
        MatchResult::Ambiguous { candidates, why } => {
            line.why = Some((*why).to_owned());
            line.candidates = candidates.iter().map(shape).collect();
        }
        MatchResult::Matched { company, domain, rows, .. } => {
            (line.company, line.domain) = (Some(company.clone()), domain.clone());
            return rows
                .iter()
                .map(|row| {
                    let contact = serde_json::from_str(&json::row(row)).unwrap_or_default();
                    line.contact = Some(contact);
                    line.by = Some(MatchedBy::of(account, row).name());
                    json::line(&line)
                })
                .collect();
        }
    }
    vec![json::line(&line)]
}

fn shape(candidate: &CompanyCandidate) -> CandidateShape {
    CandidateShape {
        company: candidate.company.clone(),
        domain: candidate.domain.clone(),
        contacts: candidate.contacts,
        why: candidate.why,
    }
}

/// `Lakeside Regional (lakeside.example), Lakeside`
fn named(candidates: &[CompanyCandidate]) -> String {
    let one = |candidate: &CompanyCandidate| match &candidate.domain {
        Some(domain) => format!("{} ({domain})", candidate.company),
        None => candidate.company.clone(),
    };
    candidates.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn table(format: Format, judged: &[Judged<'_>], fx: &mut Vec<Effect>) {
    let columns = vec![
        number("LINE"),
        text("ACCOUNT", 12, 36),
        text("RESULT", 9, 9),
        text("COMPANY", 12, 60),
        number("CONTACTS"),
    ];
    let cells = |(account, verdict): &Judged<'_>| {
        let asked = [account.company.as_str(), account.domain.as_deref().unwrap_or_default()];
        let asked = asked.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        let company = match verdict {
            MatchResult::Matched { company, .. } => company.clone(),
            MatchResult::Ambiguous { candidates, .. } => named(candidates),
            MatchResult::None => String::new(),
        };
        let contacts = verdict.rows().len().to_string();
        vec![account.line.to_string(), asked.to_owned(), verdict.name().to_owned(), company, contacts]
    };
    OutputLines::new(format, columns).print(judged, |_| String::new(), cells, fx);
}

/// `████████░░░░░░░░ 412 of 1,050 requests, 6 min left`
fn progress(done: u64, of: u64, left: Duration) -> String {
    const WIDTH: u64 = 20;
    let full = (done * WIDTH).checked_div(of).unwrap_or(WIDTH).min(WIDTH);
    let bar: String = (0..WIDTH).map(|at| if at < full { '█' } else { '░' }).collect();
    format!("{bar} {} of {}, {}", grouped(done), counted(of, "request"), time_left(left))
}
