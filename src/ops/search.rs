//! `lode search`: pages of a search until there are as many rows as were asked for.
//!
//! Rows are printed as they come, unless the best are chosen: then once all are read that they are chosen from. Each page is
//! written to the history with the ids it showed, so that a free look later knows where an id was seen (`lode recover`).

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use clap::{Args, ValueHint};

use super::filters::{FilterArgs, SideArgs};
use super::operation::{self, Operation};
use super::output::pick::MOST_HELD;
use super::output::{SearchSummaryLine, SearchSummaryShape};
use super::problem::{CommandProblem, seconds};
use super::program::{Console, Ending, Run, Script, script};
use super::reading::{Next, Pages, Sifting, left, may_run, plan};
use lode_core::{Query, Source, Speed, counted, grouped};
use lode_engine::effect::Profile;
use lode_engine::flow::desk::Owner;
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::search::walk::{Walk, WalkEnd};
use lode_engine::flow::session::Skipped;

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

/// Rows that were read, rows that are wanted, and the total once it is known.
type Progress = Rc<Cell<(u64, u64, Option<u64>)>>;

async fn search(console: Console, args: SearchArgs, query: Query) -> Ending {
    console.look_up_pages().await;
    console.needs(query.side.source)?;
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
    console.each_second(passing);
    let sifting = Sifting::read(&console, &query).await?;
    let limit = if args.all { u64::MAX } else { args.limit };
    // Rows that are read at most, where not all of them are printed.
    let all = args.all.then_some(MOST_HELD as u64);
    let among = args.among.or(all).unwrap_or_else(|| console.with(|run| run.session.profile().choosing.among));
    // The best are chosen: rows are kept back until all are here.
    let chooses = args.best || args.per_company.is_some();
    // No row is wanted, only how many there are: a page of one says it.
    let counts = limit == 0;
    let wanted = match limit {
        0 => 1,
        _ if chooses => among,
        limit if !sifting.is_empty() => among.max(limit),
        limit => limit,
    };
    let walk = Walk::new(Owner::Caller, query, wanted, Priority::Person);
    let walk = if counts || limit == u64::MAX { walk.opening_first() } else { walk };
    let is_stepwise = !sifting.is_empty() && !chooses && !counts;
    let mut pages = Pages::open(&console, (walk, is_stepwise), sifting, "not saved in the history");

    // What the best are chosen from, and what was not taken of it.
    let (mut rows, mut left) = (Vec::new(), Skipped::default());
    let mut announced = counts;
    let end = loop {
        let page = match pages.next(&console).await {
            Next::Page(page) => page,
            Next::Event(_) => continue,
            Next::End(end) => break end,
        };
        progress.set((pages.walk.given(), pages.walk.wanted(), pages.walk.total()));
        if let Some(words) = plan(&pages.walk).filter(|_| !announced) {
            announced = true;
            console.status("");
            console.warn(words);
        }
        if counts {
            continue;
        }
        pages.keep(&page, &console);
        rows.extend(pages.sifting.keep(page.rows));
        if chooses {
            if !pages.end.as_ref().is_some_and(|end| !matches!(end, WalkEnd::Failed(_))) {
                continue;
            }
            let mut rules = pages.rules.clone();
            rules.per_company = args.per_company;
            let chosen = rules.choose(&rows, usize::try_from(limit).unwrap_or(usize::MAX), []);
            left.duplicates = chosen.duplicates as u64;
            left.beyond = chosen.beyond as u64;
            rows = chosen.items.into_iter().cloned().collect();
            let (best, read) = (grouped(rows.len() as u64), counted(pages.walk.given(), "row"));
            let left_out = Some(left.words(args.per_company)).filter(|words| !words.is_empty());
            let left_out = left_out.map_or_else(String::new, |words| format!("; left out: {words}"));
            console.warn(format!("the best {best} of {read} read{left_out}"));
        }
        rows.truncate(usize::try_from(limit - pages.printed).unwrap_or(usize::MAX));
        if !rows.is_empty() {
            pages.print(&rows, &console);
            if pages.printed == limit && pages.end.is_none() {
                pages.stop(&console);
            }
        }
        rows.clear();
    };

    let requests = console.with(|run| run.session.desk.sent());
    let (walk, sifting) = (&pages.walk, &pages.sifting);
    let left_out = if counts {
        (!sifting.is_empty()).then(|| "the total counts excluded contacts".to_owned())
    } else {
        sifting.words(sifting.excluded, walk.given())
    };
    // What was chosen from, or what an exclusion left, is not the whole result.
    let is_cut = !counts && walk.given() >= walk.wanted() && (chooses || pages.printed < limit);
    let total = walk.total().filter(|total| is_cut && *total > walk.given() + walk.met());
    let not_read = total.map(|total| {
        let (given, total) = (grouped(walk.given()), counted(total, "row"));
        format!("only the first {given} of {total} were read; `--among N` reads more")
    });
    let ending = pages.close(&end, left_out.into_iter().chain(not_read), &console);
    if args.summary {
        let summary = SearchSummaryShape {
            total: walk.total(),
            read: if counts { 0 } else { walk.given() },
            shown: pages.printed,
            excluded: sifting.excluded,
            duplicates: left.duplicates,
            beyond_company: left.beyond,
            requests,
            complete: !counts && pages.is_complete(),
        };
        console.print(&SearchSummaryLine { summary });
    }
    if ending.is_ok() && console.is_table() {
        console.warn(words(walk, counts, pages.printed));
    }
    ending
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

    fn script(&self, _pipe: Option<&str>) -> Result<Script, CommandProblem> {
        let query = self.filters.query(self.side.side())?;
        may_run(&query, self.yes)?;
        let args = self.clone();
        Ok(script(move |console| search(console, args, query)))
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
    let left = if counts { String::new() } else { left(walk) };
    format!("{} of {}{took}{left}", grouped(printed), counted(total, "row"))
}
