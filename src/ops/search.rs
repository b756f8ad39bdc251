//! `lode search`: pages of a search until there are as many rows as were asked for.
//!
//! Rows are printed as they come, unless the best are chosen: then once all are read that they are chosen from. Each page is
//! written to the history with the ids it showed, so that a free look later knows where an id was seen (`lode recover`).

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use clap::{Args, ValueHint};

use super::console::{Console, Ending, script};
use super::filters::{FilterArgs, SideArgs};
use super::legs;
use super::operation::{self, Operation, ScriptContext};
use super::output::pick::MOST_HELD;
use super::output::{Format, SearchSummaryLine, SearchSummaryShape, json};
use super::problem::{CommandProblem, seconds};
use super::program::{Run, Script};
use super::reading::Pages;
use super::sifting::Sifting;
use lode_core::{Query, Row, Source, Speed, counted, grouped};
use lode_engine::effect::{Effect, Profile};
use lode_engine::flow::choose::ChoiceRules;
use lode_engine::flow::desk::{Arrival, Owner};
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::search::walk::{Walk, WalkEnd, WalkPage};
use lode_engine::flow::session::{Event, Skipped};

#[derive(Clone, Debug, Args)]
pub struct SearchArgs {
    #[command(flatten)]
    pub side: SideArgs,
    #[command(flatten)]
    pub filters: FilterArgs,
    /// Maximum number of rows
    #[arg(long, default_value_t = 100, value_name = "N", value_hint = ValueHint::Other)]
    pub limit: u64,
    /// Read all rows (shows the number of requests first)
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
    /// Run more than 10 searches at once
    #[arg(long)]
    pub yes: bool,
    /// Maximum contacts per company, best first
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = clap::value_parser!(u32).range(1..))]
    pub per_company: Option<u32>,
    /// The best first, by the points of score.toml
    #[arg(long)]
    pub best: bool,
    /// Consider only the first N rows with --per-company, --best or an exclusion [default: 5000; 50000 with --all]
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = clap::value_parser!(u64).range(1..))]
    pub among: Option<u64>,
    /// End with a JSON line that counts the result
    #[arg(long)]
    pub summary: bool,
}

/// Whether and of how many rows the best are chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Best {
    per_company: Option<u32>,
    best: bool,
    /// Rows that are read at most, where not all of them are printed.
    pub among: u64,
}

impl Best {
    pub fn of(args: &SearchArgs, profile: &Profile) -> Best {
        let all = args.all.then_some(MOST_HELD as u64);
        let among = args.among.or(all).unwrap_or(profile.choosing.among);
        Best { per_company: args.per_company, best: args.best, among }
    }

    /// Rows are kept back until all are here.
    pub fn chooses(self) -> bool {
        self.best || self.per_company.is_some()
    }

    /// The best of all that were read, and what was not taken.
    pub fn of_rows(self, rows: &[Row], limit: u64, choice_rules: &ChoiceRules) -> (Vec<Row>, Skipped) {
        let mut choice_rules = choice_rules.clone();
        choice_rules.per_company = self.per_company;
        let chosen = choice_rules.choose(rows, usize::try_from(limit).unwrap_or(usize::MAX), []);
        let left = Skipped { duplicates: chosen.duplicates as u64, beyond: chosen.beyond as u64, ..Skipped::default() };
        (chosen.items.into_iter().cloned().collect(), left)
    }

    /// What was not taken, in words; empty where all were.
    pub fn left_out(self, left: &Skipped) -> String {
        let words = left.words(self.per_company);
        if words.is_empty() { words } else { format!("; left out: {words}") }
    }
}

/// A search that runs.
struct Search {
    pages: Pages,
    best: Best,
    /// What the best are chosen from.
    rows: Vec<Row>,
    /// How many rows are printed at most.
    limit: u64,
    /// What was not taken when the best were chosen.
    left: Skipped,
    /// A line that counts the result is printed at the end.
    summary: bool,
    /// What it takes was told.
    announced: bool,
    history_failed: bool,
    /// No row is wanted, only how many there are: a page of one says it.
    counts: bool,
    /// How far it is, for the line that passes.
    progress: Progress,
}

/// Rows that were read, rows that are wanted, and the total once it is known.
type Progress = Rc<Cell<(u64, u64, Option<u64>)>>;

async fn search(console: Console, query: Query, limit: u64, best: Best, summary: bool, format: Format) -> Ending {
    console.look_up_pages().await;
    console.needs(query.side.source).await?;
    slow(&query).into_iter().for_each(|words| console.warn(words));
    let progress = Progress::default();
    let seen = Rc::clone(&progress);
    let passing = move |_: &mut Run<'_>, waited: Duration| {
        let waited = seconds(waited);
        match seen.get() {
            (given, wanted, Some(total)) => {
                format!("{} of {}, {waited}", grouped(given), counted(total.min(wanted), "row"))
            }
            (_, _, None) => format!("searching, {waited}"),
        }
    };
    console.each_second(passing).await;
    let sifting = Sifting::read(&console, &query).await?;
    let wanted = match limit {
        0 => 1,
        _ if best.chooses() => best.among,
        limit if !sifting.is_empty() => best.among.max(limit),
        limit => limit,
    };
    let walk = Walk::new(Owner::Caller, query, wanted, Priority::Person);
    let walk = if limit == 0 || limit == u64::MAX { walk.opening_first() } else { walk };
    let (mut search, mut ended) = console
        .with(move |run| {
            let mut search = Search {
                pages: Pages::new(sifting, walk, format, run),
                best,
                rows: Vec::new(),
                limit,
                left: Skipped::default(),
                summary,
                announced: false,
                history_failed: false,
                counts: limit == 0,
                progress,
            };
            let ended = search.start(run);
            (search, ended)
        })
        .await;
    loop {
        if let Some(ending) = ended {
            return ending;
        }
        if let Event::Answered(heard) = console.event().await {
            (search, ended) = console.lend(search, move |search, run| search.handle(&heard, run)).await;
        }
    }
}

impl Search {
    fn start(&mut self, run: &mut Run<'_>) -> Option<Ending> {
        self.pages.start(run);
        if self.stops_early() {
            self.pages.walk.hold();
        }
        self.leave(run)
    }

    fn handle(&mut self, heard: &Arrival, run: &mut Run<'_>) -> Option<Ending> {
        for step in self.pages.walk.handle(heard, &mut run.cx()) {
            if !matches!(self.pages.end, Some(WalkEnd::Enough)) {
                self.step(step, run);
            }
        }
        if self.stops_early() && self.pages.end.is_none() {
            self.pages.walk.go_on(&mut run.cx());
            self.pages.walk.hold();
        }
        if let (Err(failure), false) = (self.pages.written(heard), self.history_failed) {
            self.history_failed = true;
            run.fx.push(Effect::Warn(format!("not saved in the history: {failure}")));
        }
        let walk = &self.pages.walk;
        self.progress.set((walk.given(), walk.wanted(), walk.total()));
        self.leave(run)
    }

    fn step(&mut self, step: WalkPage, run: &mut Run<'_>) {
        if let Some(words) = legs::plan(&self.pages.walk).filter(|_| !self.announced && !self.counts) {
            self.announced = true;
            run.fx.push(Effect::Status(String::new()));
            run.fx.push(Effect::Warn(words));
        }
        self.pages.end.clone_from(&step.end);
        if self.counts {
            return;
        }
        self.pages.keep(&step, run);
        let rows = self.pages.sifting.keep(step.rows);
        if !self.best.chooses() {
            return self.print(rows, run);
        }
        self.rows.extend(rows);
        if self.pages.end.as_ref().is_some_and(|end| !matches!(end, WalkEnd::Failed(_))) {
            let (rows, left) = self.best.of_rows(&self.rows, self.limit, &run.session.choice_rules);
            self.rows.clear();
            let words = self.best.left_out(&left);
            self.left = left;
            run.fx.push(Effect::Warn(format!(
                "the best {} of {} read{words}",
                grouped(rows.len() as u64),
                counted(self.pages.walk.given(), "row")
            )));
            self.print(rows, run);
        }
    }

    fn print(&mut self, mut rows: Vec<Row>, run: &mut Run<'_>) {
        let left = self.limit - self.pages.printed;
        rows.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        if rows.is_empty() {
            return;
        }
        self.pages.print(&rows, run);
        if self.pages.printed == self.limit && self.pages.end.is_none() {
            self.pages.walk.stop(&mut run.cx());
            self.pages.end = Some(WalkEnd::Enough);
        }
    }

    /// How many pages it takes is known page by page: none is asked for in advance.
    fn stops_early(&self) -> bool {
        !self.pages.sifting.is_empty() && !self.best.chooses() && !self.counts
    }

    /// Rows that match and were not read: what was chosen from, or what an exclusion left, is not the whole result.
    fn not_read(&self) -> Option<String> {
        let walk = &self.pages.walk;
        let total = walk.total().filter(|total| *total > walk.given() + walk.met())?;
        let cut = walk.given() >= walk.wanted() && (self.best.chooses() || self.pages.printed < self.limit);
        (cut && !self.counts).then(|| {
            format!(
                "only the first {} of {} were read; `--among N` reads more",
                grouped(walk.given()),
                counted(total, "row")
            )
        })
    }

    /// Leaves once the history is written as well.
    fn leave(&self, run: &mut Run<'_>) -> Option<Ending> {
        let end = self.pages.ended()?;
        let requests = run.session.desk.sent();
        let fx = &mut *run.fx;
        let (walk, sifting) = (&self.pages.walk, &self.pages.sifting);
        let left_out = if self.counts {
            (!sifting.is_empty()).then(|| "the total counts excluded contacts".to_owned())
        } else {
            sifting.words(sifting.excluded, walk.given())
        };
        let left_out = left_out.into_iter().chain(self.not_read());
        let ending = self.pages.close(end, left_out, fx);
        if self.summary {
            let read = if self.counts { 0 } else { walk.given() };
            let summary = SearchSummaryShape {
                total: walk.total(),
                read,
                shown: self.pages.printed,
                excluded: sifting.excluded,
                duplicates: self.left.duplicates,
                beyond_company: self.left.beyond,
                requests,
                complete: !self.counts && self.pages.is_complete(),
            };
            fx.push(Effect::Print(json::line(&SearchSummaryLine { summary })));
        }
        if ending.is_ok() && self.pages.lines.is_table() {
            fx.push(Effect::Warn(words(walk, self.counts, self.pages.printed)));
        }
        Some(ending)
    }
}

impl Operation for SearchArgs {
    fn services(&self) -> &'static [Source] {
        operation::one(self.side.source)
    }

    fn needs(&self, source: Source) -> bool {
        self.side.source == source || source == Source::Workspace && self.filters.excludes_lists()
    }

    fn uses(&self, profile: &Profile) -> &'static [Source] {
        operation::with_lists(self.side.source, self.filters.excludes_lists(), profile)
    }

    fn script(
        &self,
        ScriptContext { profile, format, .. }: ScriptContext<'_>,
    ) -> Result<Box<dyn Script>, CommandProblem> {
        let query = self.filters.query(self.side.side())?;
        legs::may_run(&query, self.yes)?;
        let limit = if self.all { u64::MAX } else { self.limit };
        let (best, summary) = (Best::of(self, profile), self.summary);
        Ok(script(move |console| search(console, query, limit, best, summary, format)))
    }
}

/// Said before a search that will take long (S5). The shell warns and never refuses.
pub fn slow(query: &Query) -> Option<String> {
    (query.speed() == Speed::Slow).then(|| {
        let faster = match query.side.source {
            Source::Workspace => "--industry",
            Source::Data => "--query or --industry",
        };
        format!(
            "only location or email type is set, so the service scans the whole corpus, which is slow; add {faster}"
        )
    })
}

fn words(walk: &Walk, counts: bool, printed: u64) -> String {
    let total = walk.total().unwrap_or(0);
    if total == 0 {
        return format!("no matches for {}", walk.query().words());
    }
    let took = walk.took_ms().map(|ms| format!(", took {ms} ms")).unwrap_or_default();
    let left = if counts { String::new() } else { legs::left(walk) };
    format!("{} of {}{took}{left}", grouped(printed), counted(total, "row"))
}
