//! `lode search`: pages of a search until there are as many rows as were asked for. The pages are read here for every script that
//! reads a search: without the rows that are left out, written to the history, printed. At the end it is said what is not as one would
//! expect. Searches with several values need the word to go where they are many.
//!
//! Rows are printed as they come, unless the best are chosen: then once all are read that they are chosen from. Each page is
//! written to the history with the ids it showed, so that a free look later knows where an id was seen (`lode recover`).

use std::cell::Cell;
use std::collections::VecDeque;

use super::output::pick::MOST_HELD;
use super::*;
use lode_core::{ASKED_ABOVE, ChoiceRules, ExclusionFilter, SeenOwned, Speed};
use lode_engine::effect::Ticket;
use lode_engine::flow::ledger::reading::seen_owned;
use lode_engine::flow::search::legs::{legs_take, minutes};
use lode_engine::flow::search::walk::WalkPage;
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
            (0, _, None) => format!("searching, {waited}"),
            (given, wanted, total) => format!("{}, {waited}", of_total(given, total.map(|total| total.min(wanted)))),
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
    let walk = Walk::new(Owner::Caller, query, wanted);
    let walk = if counts || chooses || limit == u64::MAX { walk.opening_first() } else { walk };
    let is_stepwise = !sifting.is_empty() && !chooses && !counts;
    let mut pages = Pages::open(&console, (walk, is_stepwise), sifting, "not saved in the history");

    // What the best are chosen from, and what was not taken of it.
    let (mut rows, mut skipped) = (Vec::new(), Skipped::default());
    let mut announced = counts;
    while let Some(page) = pages.next(&console, |_| Ok(())).await? {
        progress.set((pages.walk.given(), pages.walk.wanted, pages.walk.total()));
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
            skipped.duplicates = chosen.duplicates as u64;
            skipped.beyond = chosen.beyond as u64;
            rows = chosen.items.into_iter().cloned().collect();
            let (best, read) = (grouped(rows.len() as u64), counted(pages.walk.given(), "row"));
            let left_out = Some(skipped.words(args.per_company)).filter(|words| !words.is_empty());
            let left_out = left_out.map_or_else(String::new, |words| format!(" · {words}"));
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
    }

    let (walk, sifting) = (&pages.walk, &pages.sifting);
    let left_out = if counts {
        (!sifting.is_empty()).then(|| "the total counts excluded contacts".to_owned())
    } else {
        sifting.words(sifting.excluded, walk.given())
    };
    // What was chosen from, or what an exclusion left, is not the whole result.
    let is_cut = !counts && walk.given() >= walk.wanted && (chooses || pages.printed < limit);
    let is_cut = is_cut && walk.total().is_none_or(|total| total > walk.given() + walk.met());
    let not_read = is_cut.then(|| {
        let read = of_total(walk.given(), walk.total());
        format!("only the first {read} were read{}; `--among N` reads more", left(walk))
    });
    let ending = pages.close(left_out.into_iter().chain(not_read), &console);
    if args.summary {
        let summary = SearchSummaryShape {
            total: walk.total(),
            read: if counts { 0 } else { walk.given() },
            shown: pages.printed,
            excluded: sifting.excluded,
            duplicates: skipped.duplicates,
            beyond_company: skipped.beyond,
            requests: console.with(|run| run.session.desk.sent),
            complete: !counts && pages.is_complete(),
        };
        console.print(&SummaryOf { summary });
    }
    console.remark_if(ending.is_ok(), words(walk, counts, pages.printed));
    ending
}

impl Operation for SearchArgs {
    fn services(&self) -> &[Source] {
        slice::from_ref(&self.side.source)
    }

    fn excludes_lists(&self) -> Option<bool> {
        Some(self.filters.excludes_lists())
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
        let more = match query.side.source {
            Source::Workspace => "--industry",
            Source::Data => "--query or --industry",
        };
        format!("only location or email type is set, so the service scans the whole corpus, which is slow; add {more}")
    })
}

fn words(walk: &Walk, counts: bool, printed: u64) -> String {
    if walk.total() == Some(0) {
        return format!("no matches for {}", walk.query.words());
    }
    let took = walk.took_ms().map(|ms| format!(", took {ms} ms")).unwrap_or_default();
    let left = if counts { String::new() } else { left(walk) };
    format!("{}{took}{left}", of_total(printed, walk.total()))
}

/// `100 of 5,000 rows`; `100 rows` before all searches were asked for their totals.
pub(super) fn of_total(rows: u64, total: Option<u64>) -> String {
    match total {
        Some(total) => format!("{} of {}", grouped(rows), counted(total, "row")),
        None => counted(rows, "row"),
    }
}

/// Many searches at once run only with the word to go: nothing is sent without it.
pub(super) fn may_run(query: &Query, yes: bool) -> Result<(), CommandProblem> {
    let hint = "add `--yes` to run them, or give fewer values";
    CommandProblem::refuse_if(!yes && query.leg_count() > ASKED_ABOVE, legs_take(query), hint)
}

/// `6 searches, 6,074 rows: 64 requests, less than 1 min`, once it is known.
pub(super) fn plan(walk: &Walk) -> Option<String> {
    let (rows, requests) = walk.plan?;
    let most = if walk.query.overlaps() { "up to " } else { "" };
    let (searches, rows) = (counted(walk.legs().1 as u64, "search"), counted(rows, "row"));
    let (requests, minutes) = (counted(requests, "request"), minutes(requests));
    Some(format!("{searches}, {most}{rows}: {requests}, {minutes}"))
}

/// What of the legs a person should know at the end.
pub(super) fn left(walk: &Walk) -> String {
    let (begun, all) = walk.legs();
    let mut words = String::new();
    if begun < all {
        words.push_str(&format!(", {begun} of {} read", counted(all as u64, "search")));
    }
    if walk.met() > 0 {
        words.push_str(&format!(", {} came in more than one search", grouped(walk.met())));
    }
    words
}

/// The rows of a search on their way.
pub(super) struct Pages {
    pub(super) walk: Walk,
    pub(super) sifting: Sifting,
    lines: OutputLines,
    pub(super) end: Option<WalkEnd>,
    /// Rows that were printed.
    pub(super) printed: u64,
    /// Pages that the script did not take yet.
    came: VecDeque<WalkPage>,
    /// On its way into the store: pages for the history, and what the script writes down besides.
    writing: Vec<Ticket>,
    /// The sentence that is shown once if something could not be written.
    unwritten: Option<&'static str>,
    /// How many pages it takes is known page by page: none is asked for in advance.
    is_stepwise: bool,
    /// The rules by which rows are scored and chosen.
    pub(super) rules: ChoiceRules,
}

impl Pages {
    /// Asks for the rows.
    pub(super) fn open(
        console: &Console,
        (mut walk, is_stepwise): (Walk, bool),
        sifting: Sifting,
        unwritten: &'static str,
    ) -> Pages {
        let rules = console.with(|run| {
            walk.start(&mut run.cx());
            run.session.choice_rules.clone()
        });
        if is_stepwise {
            walk.hold();
        }
        Pages {
            end: walk.end().cloned(),
            walk,
            sifting,
            lines: OutputLines::new(console.format(), &columns(rules.has_score())),
            printed: 0,
            came: VecDeque::new(),
            writing: Vec::new(),
            unwritten: Some(unwritten),
            is_stepwise,
            rules,
        }
    }

    /// The next page. `None` once all is read and written: `lode recover` may need it after a crash of the next command.
    /// `handle` gets what else the session tells meanwhile.
    pub(super) async fn next(
        &mut self,
        console: &Console,
        handle: impl Fn(Event) -> Result<(), CommandProblem>,
    ) -> Result<Option<WalkPage>, CommandProblem> {
        loop {
            if let Some(page) = self.came.pop_front() {
                if self.came.is_empty() {
                    self.end = self.walk.end().cloned();
                }
                return Ok(Some(page));
            }
            match &self.end {
                Some(_) if self.writing.is_empty() => return Ok(None),
                None if self.is_stepwise && self.walk.legs().0 > 0 => {
                    console.with(|run| self.walk.go_on(&mut run.cx()));
                    self.walk.hold();
                }
                _ => {}
            }
            match console.event().await {
                Event::Answered(Arrival::Stored(ticket, result)) => {
                    let writing = self.writing.len();
                    self.writing.retain(|writing| *writing != ticket);
                    if let (true, Err(failure)) = (self.writing.len() < writing, result)
                        && let Some(unwritten) = self.unwritten.take()
                    {
                        console.warn(format!("{unwritten}: {failure}"));
                    }
                }
                Event::Answered(arrival) => {
                    self.came.extend(console.with(|run| self.walk.handle(&arrival, &mut run.cx())));
                }
                event => handle(event)?,
            }
        }
    }

    /// Enough is printed: no further page is asked for.
    pub(super) fn stop(&mut self, console: &Console) {
        console.with(|run| self.walk.stop(&mut run.cx()));
        self.came.clear();
        self.end = Some(WalkEnd::Enough);
    }

    /// Writes the ids of a page to the history, and the contacts that it shows as owned to the ledger.
    pub(super) fn keep(&mut self, page: &WalkPage, console: &Console) {
        let (query, leg) = (self.walk.leg(page.leg).clone(), self.walk.query.has_legs());
        let Side { source, corpus } = query.side;
        let Some(purse) = console.purse_of(source).filter(|_| !page.rows.is_empty()) else { return };
        let rows = page.rows.iter().filter(|_| source == Source::Workspace);
        let contacts: Vec<SeenOwned> = rows.filter_map(|row| seen_owned(row, &query)).collect();
        let (canonical, &WalkPage { total, offset, .. }) = (query.canonical(), page);
        let ids = page.rows.iter().filter_map(|row| row.id()).chain(page.met.iter().copied()).collect();
        let owned = (!contacts.is_empty()).then(|| StoreCall::Own { purse: purse.clone(), corpus, contacts });
        let searched = StoreCall::Searched { purse, canonical, total, offset, ids, leg };
        self.write([searched].into_iter().chain(owned).collect(), console);
    }

    pub(super) fn write(&mut self, calls: Vec<StoreCall>, console: &Console) {
        let written = console.with(|run| calls.into_iter().map(|call| run.store(call)).collect::<Vec<Ticket>>());
        self.writing.extend(written);
    }

    pub(super) fn print(&mut self, rows: &[Row], console: &Console) {
        console.status("");
        self.printed += rows.len() as u64;
        let rows: Vec<ScoredRow<'_>> = rows.iter().map(|row| (row, &self.rules)).collect();
        let json = |(row, rules): &ScoredRow<'_>| match rules.has_score() {
            true => json::scored(row, &rules.score(row)),
            false => json::row(row),
        };
        let lines = self.lines.print(&columns(self.rules.has_score()), &rows, json);
        console.with(|run| run.fx.extend(lines));
    }

    /// Whether every row that matches was read.
    pub(super) fn is_complete(&self) -> bool {
        let walk = &self.walk;
        match &self.end {
            Some(WalkEnd::All) => true,
            Some(WalkEnd::Enough) => walk.total().is_some_and(|total| walk.given() + walk.met() >= total),
            _ => false,
        }
    }

    /// Says how it ended; `left_out` is what there is to say of rows that were not printed.
    pub(super) fn close(&self, left_out: impl IntoIterator<Item = String>, console: &Console) -> Ending {
        console.status("");
        let warnings = self.end.iter().flat_map(|end| warnings(&self.walk, end));
        warnings.chain(left_out).for_each(|words| console.warn(words));
        match &self.end {
            Some(WalkEnd::Failed(failure)) => Err(CommandProblem::of_call(self.walk.query.side.source, failure)),
            _ => Ok(Exit::Done),
        }
    }
}

/// What is not as one would expect of the rows that were printed.
pub(super) fn warnings(walk: &Walk, end: &WalkEnd) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(moved) = walk.moved() {
        warnings.push(format!(
            "the result changed while it was read: {} matched at first, then {}; no contact is shown twice",
            grouped(moved.was),
            grouped(moved.is)
        ));
    }
    warnings.extend(end.cut_short());
    if walk.is_uncounted() {
        warnings.push("the service sent an impossible total, so its rows were read to the end".to_owned());
    }
    if walk.total() == Some(0) {
        warnings.extend(walk.query.likely().into_iter().map(|(filter, likely)| {
            format!("no matches for {}; did you mean --{} {likely}?", walk.query.words(), flag(filter))
        }));
    }
    if walk.unseen() > 0 {
        let [read, skipped] = [walk.given(), walk.unseen()].map(grouped);
        let rows = walk.total().map_or("the rows".to_owned(), |total| counted(total, "row"));
        warnings.push(format!("{read} of {rows} read; {skipped} skipped, because the service sent short pages"));
    }
    if matches!(end, WalkEnd::Failed(_)) && walk.given() > 0 {
        warnings.push(format!("{} printed before it failed", counted(walk.given(), "row")));
    }
    warnings
}

/// What a script has to know before it can leave rows out and score them: the suppression lists that are named, and of which
/// companies a contact is owned. What was left out is counted here and said at the end.
pub(super) struct Sifting {
    side: Side,
    exclusion_filter: ExclusionFilter,
    /// Rows that were left out.
    pub(super) excluded: u64,
}

impl Sifting {
    /// Reads what has to be known first.
    pub(super) async fn read(console: &Console, query: &Query) -> Result<Sifting, CommandProblem> {
        let mut exclusion_filter = ExclusionFilter::new(&query.not, &[]);
        let (asks_owned, has_workspace) = console.with(|run| {
            let profile = run.session.profile();
            (profile.choosing.card.asks_owned(), profile.workspace.is_some())
        });
        if query.not.values(ExclusionKind::List).next().is_some() {
            let lists = console.lists().await?;
            let mut named = query.not.values(ExclusionKind::List);
            if let Some(name) = named.find(|name| lists.iter().all(|list| list.list != *name)) {
                let words = format!("no suppression list is named `{name}`");
                let hint = match has_workspace {
                    true => "`lode suppress list` shows them",
                    false => "the lists belong to the Workspace: `lode doctor` checks its key",
                };
                return Err(CommandProblem::new(Exit::Usage, words, hint));
            }
            exclusion_filter = ExclusionFilter::new(&query.not, &lists);
        }
        if asks_owned && has_workspace {
            let owned = console.owned(None).await?;
            console.with(move |run| run.session.choice_rules.set_owned(1, owned.iter()));
        } else if asks_owned {
            console.warn("the score leaves out `owned`: without a Workspace key it is not known what is owned");
        }
        Ok(Sifting { side: query.side, exclusion_filter, excluded: 0 })
    }

    /// The rows that are not left out.
    pub(super) fn keep(&mut self, mut rows: Vec<Row>) -> Vec<Row> {
        let before = rows.len();
        rows.retain(|row| self.exclusion_filter.why(self.side, row).is_none());
        self.excluded += (before - rows.len()) as u64;
        rows
    }

    pub(super) fn is_empty(&self) -> bool {
        self.exclusion_filter.is_empty()
    }

    /// What was left out, as a warning: totals count it.
    pub(super) fn words(&self, excluded: u64, read: u64) -> Option<String> {
        let (excluded, read) = (grouped(excluded), counted(read, "row"));
        (!self.is_empty()).then(|| format!("{excluded} of the {read} read excluded; the total counts them"))
    }
}

/// A row, and the rules by which it has a score.
type ScoredRow<'a> = (&'a Row, &'a ChoiceRules);

/// The columns of rows, for people.
fn columns<'a>(scored: bool) -> Vec<OutputColumn<ScoredRow<'a>>> {
    let mut columns: Vec<OutputColumn<ScoredRow<'a>>> = vec![
        text("ID", 4, 20, |(row, _)| row.id().map_or_else(|| "?".to_owned(), |id| id.to_string())),
        text("NAME", 18, 28, |(row, _)| row.name()),
        text("TITLE", 12, 36, |(row, _)| row.known(Known::Title).to_owned()),
        text("COMPANY", 12, 32, |(row, _)| row.known(Known::Company).to_owned()),
        text("STATE", 2, 14, |(row, _)| row.known(Known::State).to_owned()),
        text("EMAIL", 16, 40, |(row, _)| row.known(Known::Email).to_owned()),
        detail(text("PHONE", 10, 18, |(row, _)| row.known(Known::Phone).to_owned())),
    ];
    if scored {
        columns.insert(1, number("SCORE", |(row, rules)| rules.total(row).to_string()));
    }
    columns
}
