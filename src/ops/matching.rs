//! `lode match`: a list of accounts held against a service, by the machine that the screen runs as well.
//!
//! The list is read and checked before anything is sent, what it takes is told before it starts, and lines are printed once all of
//! them are settled, in the order of the list.

use super::filters::{MatchFilters, source};
use super::input::about;
use super::*;
use lode_core::crm;
use lode_core::export::make_distinct;
use lode_engine::flow::matching::accounts::{AccountLine, Accounts};
use lode_engine::flow::matching::judge::{CompanyCandidate, MatchResult, matched_by};
use lode_engine::flow::matching::{MatchFailure, MatchJob, MatchRequest, MatchStage, check, time_left};

/// How accounts are held against contacts; shown by `--help`.
pub const RULES: &str = lode_assets::help::MATCH.trim_ascii_end();

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

impl Operation for MatchArgs {
    fn services(&self) -> &[Source] {
        slice::from_ref(&self.source)
    }

    fn pipe(&self) -> Option<Pipe> {
        let missing = ["no list was given", "name a file, or pipe the list into `lode match -`"];
        (self.file == "-").then_some(Pipe { is_list: true, missing })
    }

    fn script(&self, pipe: Option<&str>) -> Result<Script, CommandProblem> {
        let query = self.filters.query(Side { source: self.source, corpus: self.corpus })?;
        check(&query).map_err(|problem| {
            CommandProblem::new(Exit::Usage, problem.to_string(), "`lode match --help` says what each service is asked")
        })?;
        let list = Csv::named(Some(&self.file), pipe);
        let args = self.clone();
        Ok(script(move |console| matching(console, args, query, list)))
    }
}

async fn matching(console: Console, args: MatchArgs, query: Query, list: Csv) -> Ending {
    let (side, source) = (query.side, query.side.source);
    console.needs(source)?;
    let accounts = Arc::new(read(&console, list).await?);
    let purse = console.purse_of(source).ok_or_else(|| CommandProblem::no_key(source))?;
    let (kept, per) = (purse.clone(), usize::from(args.per_company));
    let wanted = MatchRequest { accounts: Arc::clone(&accounts), query: query.clone(), per };
    console.with(|run| run.session.matching.begin(wanted, kept, &mut run.session.desk.at(run.now, run.fx)));
    console.until(|session| job(session).is_some_and(|job| job.stage == MatchStage::Ready) || is_over(session)).await;
    fail_with_job(&console, source).await?;
    // What it takes is told before it starts.
    let plan = console.with(|run| job(run.session).map(MatchJob::plan)).expect("a match that began has a plan");
    let (count, by) = (counted(accounts.lines.len() as u64, "account"), accounts.by.join("`, `"));
    console.warn(format!("{count} by `{by}` at {side}: {}", plan.words()));
    let unusable = accounts.lines.iter().filter(|account| !account.is_usable()).map(|account| account.line);
    let unusable = crm::lines_named(&unusable.collect::<Vec<_>>());
    let unusable = unusable.map(|words| format!("{words} no company name and no domain"));
    let slow = slow(&query).filter(|_| !query.is_unfiltered());
    unusable.into_iter().chain(slow).for_each(|words| console.warn(words));
    if args.dry_run {
        if args.summary {
            let by = accounts.by.iter().map(ToString::to_string).collect();
            let (accounts, (requests_least, requests_most)) = (accounts.lines.len() as u64, plan.requests);
            let (reused, seconds) = (plan.reused, plan.time.as_secs());
            let summary = MatchPlanShape { accounts, by, requests_least, requests_most, reused, seconds };
            console.print(&SummaryOf { summary });
        }
        return Ok(Exit::Done);
    }
    console.each_second(|run, _| job(run.session).map_or_else(String::new, |job| progress(job, run.now)));
    console.with(|run| run.session.matching.go(&mut run.session.desk.at(run.now, run.fx)));
    console.until(is_over).await;
    console.still();
    fail_with_job(&console, source).await?;
    console.status("");
    let rows = console.with(|run| {
        let Some(job) = job(run.session) else { return Vec::new() };
        run.fx.extend(job.warning().map(Effect::Warn));
        print(job, console.format(), (args.summary, args.basket), run.fx)
    });
    if args.basket && !rows.is_empty() {
        let staged = |row: Row| {
            let mut about = about(&row);
            about.clue.search = Some(query.canonical());
            Some(Staged::new(row.id()?, row.unlocked(), about))
        };
        let rows = rows.into_iter().filter_map(staged).collect();
        console.store::<u64>(StoreCall::Stage { purse, side, rows }).await?;
    }
    // Everything is printed: what was kept of the job goes.
    console.with(|run| run.session.matching.forget(&mut run.session.desk.at(run.now, run.fx)));
    console.until(|session| job(session).is_none_or(MatchJob::is_settled)).await;
    Ok(Exit::Done)
}

fn job(session: &Session) -> Option<&MatchJob> {
    session.matching.job()
}

/// It is done or has failed, and what it kept is written.
fn is_over(session: &Session) -> bool {
    let is_over = |job: &MatchJob| matches!(job.stage, MatchStage::Done | MatchStage::Failed(_)) && job.is_settled();
    job(session).is_some_and(is_over)
}

/// The accounts of a list.
async fn read(console: &Console, list: Csv) -> Result<Accounts, CommandProblem> {
    let title = list.title();
    Accounts::read(&list.text(console).await?).map_err(|unusable| {
        let hint = "name the column `company` or `domain`; any delimiter is read";
        CommandProblem::new(Exit::Usage, format!("{title} is not a list of accounts: {unusable}"), hint)
    })
}

/// Fails if the job has.
async fn fail_with_job(console: &Console, source: Source) -> Result<(), CommandProblem> {
    let failed = console.with(|run| match job(run.session).map(|job| (job.stage.clone(), job.made + job.reused)) {
        Some((MatchStage::Failed(failure), kept)) => Some((failure, kept)),
        _ => None,
    });
    let Some((failure, kept)) = failed else { return Ok(()) };
    if kept > 0 {
        console.warn(format!("{} answers are kept; the same command goes on from there", grouped(kept)));
    }
    console.status("");
    Err(match failure {
        MatchFailure::Call(failure) => CommandProblem::of_call(source, &failure),
        MatchFailure::Store(failure) => CommandProblem::of_store(&failure),
    })
}

// The lines of `lode match`: one for each contact of a matched account, one for every other account. The columns of the list are
// carried along.

type Judged<'j> = (&'j AccountLine, &'j MatchResult);

/// Prints everything; answers the contacts of matched accounts, each once.
fn print(job: &MatchJob, format: Format, (summed, basket): (bool, bool), fx: &mut Vec<Effect>) -> Vec<Row> {
    let accounts = &job.wanted.accounts;
    let judged: Vec<Judged<'_>> = accounts.lines.iter().zip(&job.verdicts).collect();
    let rows: Vec<Row> = job.contacts().into_iter().cloned().collect();
    if format.is_table() {
        fx.extend(OutputLines::new(format, &columns()).print(&columns(), &judged, |_| String::new()));
    } else {
        let mut heads = accounts.heads.clone();
        make_distinct(&mut heads);
        let lines = judged.iter().flat_map(|(account, verdict)| json_lines(&heads, account, verdict));
        fx.extend(lines.map(Effect::Print));
    }
    let [matched, ambiguous, none] = job.tally();
    let (accounts, contacts) = (judged.len() as u64, rows.len() as u64);
    let staged = basket.then(|| rows.iter().filter(|row| row.id().is_some()).count() as u64);
    let &MatchJob { made: requests, reused, .. } = job;
    let summary = MatchSummaryShape { accounts, matched, ambiguous, none, contacts, requests, reused, staged };
    if format.is_table() {
        let [matched, ambiguous, none] = [matched, ambiguous, none].map(grouped);
        let contacts = counted(contacts, "contact");
        let words = format!("{matched} matched, {ambiguous} ambiguous, {none} none; {contacts}. Nothing spent.");
        fx.push(Effect::Warn(words));
    }
    if summed || format == Format::Json {
        fx.push(Effect::Print(json::line(&SummaryOf { summary })));
    }
    rows
}

fn json_lines(heads: &[String], account: &AccountLine, verdict: &MatchResult) -> Vec<String> {
    let input = heads.iter().cloned().zip(account.cells.iter().map(|cell| Value::from(&**cell))).collect();
    let mut line = MatchLine { line: account.line as u64, result: verdict.name(), input, ..MatchLine::default() };
    match verdict {
        MatchResult::None => {}
        MatchResult::Ambiguous { candidates, why } => {
            line.why = Some((*why).to_owned());
            line.candidates.clone_from(candidates);
        }
        MatchResult::Matched { company, domain, rows, .. } => {
            (line.company, line.domain) = (Some(company.clone()), domain.clone());
            let of_contact = |row: &Row| {
                line.contact = serde_json::from_str(&json::row(row)).unwrap_or_default();
                line.by = Some(matched_by(account, row));
                json::line(&line)
            };
            return rows.iter().map(of_contact).collect();
        }
    }
    vec![json::line(&line)]
}

fn columns<'j>() -> [OutputColumn<Judged<'j>>; 5] {
    [
        number("LINE", |(account, _)| account.line.to_string()),
        text("ACCOUNT", 12, 36, |(account, _)| account.title().to_owned()),
        text("RESULT", 9, 9, |(_, verdict)| verdict.name().to_owned()),
        text("COMPANY", 12, 60, |(_, verdict)| match verdict {
            MatchResult::Matched { company, .. } => company.clone(),
            MatchResult::Ambiguous { candidates, .. } => {
                candidates.iter().map(CompanyCandidate::title).collect::<Vec<_>>().join("; ")
            }
            MatchResult::None => String::new(),
        }),
        number("CONTACTS", |(_, verdict)| verdict.rows().len().to_string()),
    ]
}

/// `████████░░░░░░░░ 412 of 1,050 requests, 6 min left`
fn progress(job: &MatchJob, now: Now) -> String {
    const WIDTH: u64 = 20;
    let (done, of, left) = job.progress(now);
    let full = (done * WIDTH).checked_div(of).unwrap_or(WIDTH).min(WIDTH);
    let bar: String = (0..WIDTH).map(|at| if at < full { '█' } else { '░' }).collect();
    format!("{bar} {} of {}, {}", grouped(done), counted(of, "request"), time_left(left))
}
