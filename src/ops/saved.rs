//! `lode saved`: searches kept under a name. The local files are the truth; what the service makes of them is said on the
//! error stream and changes no exit code.

use clap::{Args, Subcommand, ValueHint};
use serde_json::{Map, Value};

use super::filters::{FilterArgs, SideArgs, not_ready};
use super::legs::may_run;
use super::operation::{Operation, ScriptContext};
use super::output::{Format, OutputLines, SavedLine, SavedSummaryLine, SavedSummaryShape, json, moment, number, text};
use super::problem::{Code, CommandProblem, Exit};
use super::program::{Run, Script};
use super::reading::Pages;
use super::search::slow;
use super::sifting::Sifting;
use lode_core::{ExclusionKind, Query, Row, Source, counted, grouped, shell_line};
use lode_engine::effect::Effect;
use lode_engine::flow::desk::Owner;
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::saved::merge::SavedEntry;
use lode_engine::flow::saved::watch::SavedRun;
use lode_engine::flow::saved::{Refused, Remote, SavedChange, SavedEvent};
use lode_engine::flow::search::walk::{Walk, WalkEnd, WalkPage};
use lode_engine::flow::session::Event;

#[derive(Clone, Debug, Args)]
pub struct SavedArgs {
    #[command(subcommand)]
    pub act: SavedAct,
}

#[derive(Clone, Debug, Subcommand)]
pub enum SavedAct {
    /// Save a search
    #[command(after_help = "Example:\n  lode saved add directors --title director --state TX")]
    Add {
        name: String,
        #[command(flatten)]
        side: SideArgs,
        #[command(flatten)]
        filters: FilterArgs,
    },
    /// List saved searches, including those on the service
    #[command(after_help = "Example:\n  lode saved list --json")]
    List,
    /// Show a saved search
    #[command(after_help = "Example:\n  lode saved show nurses")]
    Show { name: String },
    /// Run a saved search: its rows, the total then and now, and what is new
    #[command(after_help = "Example:\n  lode saved run nurses --new --json")]
    Run {
        name: String,
        /// Only rows that are new since the last run
        #[arg(long)]
        new: bool,
        /// Maximum number of rows to read
        #[arg(long, default_value_t = 10_000, value_name = "N", value_hint = ValueHint::Other)]
        limit: u64,
        /// Run more than 10 searches at once
        #[arg(long)]
        yes: bool,
        /// End with a JSON line that counts the result
        #[arg(long)]
        summary: bool,
    },
    /// Rename a saved search
    #[command(after_help = "Example:\n  lode saved rename nurses nurses-tx")]
    Rename { old: String, new: String },
    /// Delete a saved search
    #[command(after_help = "Example:\n  lode saved rm nurses-tx")]
    Rm { name: String },
}

/// What is wanted of the saved searches.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    Change(SavedChange),
    List,
    Show { name: String },
    Run { name: String, only_new: bool, limit: u64, yes: bool, summary: bool },
}

pub struct SavedScript {
    act: Act,
    format: Format,
    reading: Option<Reading>,
    begun: bool,
    /// What was asked for is done: left once the disk has it.
    done: bool,
    over: bool,
}

impl SavedScript {
    pub fn new(act: Act, format: Format) -> SavedScript {
        SavedScript { act, format, reading: None, begun: false, done: false, over: false }
    }

    fn handle_event(&mut self, told: SavedEvent, fx: &mut Vec<Effect>) {
        match told {
            SavedEvent::Listed => {}
            SavedEvent::Done { change, sentences, .. } => {
                fx.extend(sentences.into_iter().map(Effect::Warn));
                if let Format::Table { .. } = self.format {
                    fx.push(Effect::Warn(done(&change)));
                }
                self.done = true;
            }
            SavedEvent::Forgotten(failure) => fx.push(Effect::Warn(format!("not remembered: {failure}"))),
            SavedEvent::Failed(failure) => self.end_with(&CommandProblem::of_file(&failure), fx),
            SavedEvent::Refused(refused) => self.end_with(&refusal(&refused), fx),
        }
    }

    /// Both lists were read, or cannot be. Returns whether it is done.
    fn begin(&mut self, run: &mut Run<'_>) -> Result<bool, CommandProblem> {
        let saved_searches = &run.session.saved_searches;
        if let Some(failure) = saved_searches.failure() {
            return Err(CommandProblem::of_file(failure));
        }
        if let Remote::Failed(failure) = saved_searches.remote() {
            run.fx.push(Effect::Warn(format!("the service's list cannot be read: {}", failure.words())));
        }
        let named = |name: &str| saved_searches.named(name).ok_or_else(|| refusal(&Refused::Unknown(name.to_owned())));
        match &self.act {
            Act::List => list(&saved_searches.entries(), self.format, run.fx),
            Act::Show { name } => show(&named(name)?, self.format, run.fx),
            Act::Run { name, only_new, limit, yes, summary } => {
                let entry = named(name)?;
                self.reading = Some(Reading::new(entry, (*limit, *yes), (*only_new, *summary), self.format, run)?);
            }
            Act::Change(change) => {
                run.session
                    .saved_searches
                    .change(change.clone(), &mut run.session.desk.at(run.now, run.fx))
                    .map_err(|refused| refusal(&refused))?;
            }
        }
        Ok(matches!(self.act, Act::List | Act::Show { .. }))
    }

    /// Takes whether a step did what was asked for.
    fn came_to(&mut self, done: Result<bool, CommandProblem>, fx: &mut Vec<Effect>) {
        match done {
            Ok(done) => self.done |= done,
            Err(problem) => self.end_with(&problem, fx),
        }
    }

    fn end_with(&mut self, problem: &CommandProblem, fx: &mut Vec<Effect>) {
        self.over = true;
        problem.end(fx);
    }
}

fn refusal(refused: &Refused) -> CommandProblem {
    let hint = match refused {
        Refused::Taken(_) => "remove or rename the other one with `lode saved rm` or `lode saved rename`",
        Refused::Unreadable { .. } => {
            "fix the file in an editor or `lode saved rm` it by the name that `lode saved list` shows"
        }
        _ => "`lode saved list` shows all saved searches",
    };
    let code = if matches!(refused, Refused::Unknown(_)) { Code::NotFound } else { Code::Failed };
    CommandProblem::new(Exit::Failed, refused.to_string(), hint).code(code)
}

impl Operation for SavedArgs {
    fn services(&self) -> &'static [Source] {
        match self.act {
            SavedAct::Run { .. } => &Source::ALL,
            SavedAct::Add { .. }
            | SavedAct::List
            | SavedAct::Show { .. }
            | SavedAct::Rename { .. }
            | SavedAct::Rm { .. } => &[Source::Data],
        }
    }

    /// The local files work without a service.
    fn needs(&self, _source: Source) -> bool {
        false
    }

    fn script(&self, ScriptContext { format, .. }: ScriptContext<'_>) -> Result<Box<dyn Script>, CommandProblem> {
        let act = match &self.act {
            SavedAct::Add { name, side, filters } => {
                Act::Change(SavedChange::Add { name: name.clone(), query: filters.query(side.side())? })
            }
            SavedAct::List => Act::List,
            SavedAct::Show { name } => Act::Show { name: name.clone() },
            SavedAct::Run { name, new, limit, yes, summary } => {
                Act::Run { name: name.clone(), only_new: *new, limit: *limit, yes: *yes, summary: *summary }
            }
            SavedAct::Rename { old, new } => Act::Change(SavedChange::Rename { old: old.clone(), new: new.clone() }),
            SavedAct::Rm { name } => Act::Change(SavedChange::Remove { name: name.clone() }),
        };
        Ok(Box::new(SavedScript::new(act, format)))
    }
}

impl Script for SavedScript {
    fn reads_pages(&self) -> bool {
        true
    }

    fn start(&mut self, run: &mut Run<'_>) {
        run.session.read_saved(run.now, run.fx);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        match (event, &mut self.reading) {
            _ if self.over => {}
            (Event::Saved(told), _) => self.handle_event(told, run.fx),
            (event, Some(reading)) if !self.done => {
                let done = reading.handle(event, run);
                self.came_to(done, run.fx);
            }
            _ => {}
        }
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        let saved_searches = &run.session.saved_searches;
        if self.over || self.done {
        } else if let Some(reading) = &mut self.reading {
            let done = reading.go_on(run);
            self.came_to(done, run.fx);
        } else if !self.begun && saved_searches.is_loaded() && !matches!(saved_searches.remote(), Remote::Asked(_)) {
            self.begun = true;
            let done = self.begin(run);
            self.came_to(done, run.fx);
        }
        if self.done && !self.over && !run.session.saved_searches.is_busy() {
            self.over = true;
            run.fx.push(Effect::Quit(Exit::Done.code()));
        }
    }
}

// A saved search at work: its rows, which of them are new since it last ran, and what is kept for the next time.

/// The rows of a saved search on their way.
struct Reading {
    watch: SavedRun,
    pages: Pages,
    only_new: bool,
    /// A line that counts the result is printed at the end.
    summary: bool,
}

impl Reading {
    fn new(
        entry: SavedEntry,
        (limit, yes): (u64, bool),
        (only_new, summary): (bool, bool),
        format: Format,
        run: &mut Run<'_>,
    ) -> Result<Reading, CommandProblem> {
        let query = entry.query.clone().map_err(|_| refusal(&entry.unreadable()))?;
        let name = entry.name;
        query.ready().map_err(|problem| not_ready(&problem))?;
        may_run(&query, yes)?;
        if !run.session.has(query.side.source) {
            return Err(CommandProblem::no_key(query.side.source));
        }
        let profile = run.session.profile();
        let walk = Walk::new(Owner::Caller, query.clone(), limit, Priority::Person);
        let pages = Pages::new(profile, Sifting::new(profile, &query), walk, format);
        let watch = run.session.watch_saved(name, query, Owner::Caller, run.now, run.fx);
        Ok(Reading { watch, pages, only_new, summary })
    }

    /// First what the last run had, then what is left out, then the rows. Answers whether it is done.
    fn handle(&mut self, event: Event, run: &mut Run<'_>) -> Result<bool, CommandProblem> {
        if !self.watch.is_ready() {
            let Event::Answered(heard) = event else { return Ok(false) };
            if let Err(failure) = self.watch.handle(&heard) {
                run.fx.push(Effect::Warn(format!("the previous run cannot be read: {failure}")));
            }
            if self.watch.is_ready() {
                self.pages.sifting.start(run);
            }
            return self.go_on(run);
        }
        let Some(Event::Answered(heard)) = self.pages.sifting.handle(event, run)? else { return Ok(false) };
        if let Err(failure) = self.pages.written(&heard) {
            run.fx.push(Effect::Warn(format!("this run could not be recorded: {failure}")));
        }
        for step in self.pages.walk.handle(&heard, &mut run.cx()) {
            self.step(&step, run);
        }
        self.end(run)
    }

    /// Asks for the rows, once the last run and what is left out are known.
    fn go_on(&mut self, run: &mut Run<'_>) -> Result<bool, CommandProblem> {
        if !self.watch.is_ready() || !self.pages.begin(run) {
            return Ok(false);
        }
        run.fx.extend(slow(self.watch.query()).map(Effect::Warn));
        self.end(run)
    }

    /// It is done once all is read and written down.
    fn end(&mut self, run: &mut Run<'_>) -> Result<bool, CommandProblem> {
        self.remember(run);
        let Some(end) = self.pages.ended() else { return Ok(false) };
        let left_out = self.pages.sifting.words(self.pages.walk.given());
        let problem = self.pages.close(end, left_out, run.fx);
        if self.summary {
            let summary = self.summary(run.session.desk.sent());
            run.fx.push(Effect::Print(json::line(&SavedSummaryLine { summary })));
        }
        if let Some(problem) = problem {
            return Err(problem);
        }
        run.fx.push(Effect::Warn(match self.pages.walk.total() {
            Some(_) => self.watch.sentence(),
            None => "no rows were requested; the previous run is kept".to_owned(),
        }));
        Ok(true)
    }

    fn summary(&self, requests: u64) -> SavedSummaryShape {
        let (walk, then) = (&self.pages.walk, self.watch.then());
        SavedSummaryShape {
            name: self.watch.name().to_owned(),
            total: walk.total(),
            read: walk.given(),
            shown: self.pages.printed,
            excluded: self.pages.sifting.excluded(),
            new: self.watch.news().0,
            last_total: then.map(|then| then.total),
            last_read: then.map(|then| then.read),
            requests,
            complete: self.pages.is_complete(),
        }
    }

    fn step(&mut self, step: &WalkPage, run: &mut Run<'_>) {
        let Reading { watch, pages, only_new, .. } = self;
        pages.keep(step, run);
        watch.met(step.leg, &step.met);
        let is_shown = |row: &&Row| watch.row(step.leg, row.id(), step.total) || !*only_new;
        let rows: Vec<_> = step.rows.iter().filter(is_shown).cloned().collect();
        // An empty page says how many there are as well.
        watch.page(step.leg, &[], step.total);
        let rows = pages.sifting.keep(rows);
        pages.print(&rows, run);
        let wanted = pages.walk.total().unwrap_or(0).min(pages.walk.wanted());
        run.fx.push(Effect::Status(format!("{} of {} read", grouped(pages.walk.given()), counted(wanted, "row"))));
        pages.end.clone_from(&step.end);
    }

    /// What the rows were is kept for the next time once they are read, unless reading failed in the middle. Where nothing was
    /// asked, the last run stays the last.
    fn remember(&mut self, run: &mut Run<'_>) {
        let Reading { watch, pages, .. } = self;
        if pages.walk.total().is_none() || matches!(pages.end, None | Some(WalkEnd::Failed(_))) {
            return;
        }
        let profile = run.session.profile();
        let purse = run.session.purse_of(watch.query().side.source).unwrap_or_else(|| profile.earlier());
        let Some(calls) = watch.remember(run.now.wall, &purse, &profile.name) else { return };
        pages.writing.extend(calls.into_iter().map(|call| run.store(call)));
        run.session.saved_searches.ran(watch.name(), watch.total(), &mut run.session.desk.at(run.now, run.fx));
    }
}

// Saved searches as lines: the list, and one of them.

fn list(entries: &[SavedEntry], format: Format, fx: &mut Vec<Effect>) {
    let columns = vec![
        text("NAME", 6, 32),
        text("SEARCH", 10, 18),
        text("FILTERS", 10, 60),
        text("WHERE", 7, 7),
        number("TOTAL"),
        text("LAST RUN", 10, 20),
    ];
    let mut lines = OutputLines::new(format, columns);
    lines.print(entries, line, entry_cells, fx);
    if lines.is_table() && entries.is_empty() {
        fx.push(Effect::Warn("no saved searches yet; see `lode saved add --help`".to_owned()));
    }
}

fn show(entry: &SavedEntry, format: Format, fx: &mut Vec<Effect>) {
    if let Format::Json = format {
        return fx.push(Effect::Print(line(entry)));
    }
    let mut say = |title: &str, what: String| fx.push(Effect::Print(format!("{title:<10} {what}")));
    say("name", entry.name.clone());
    say("lives", entry.home.name().to_owned());
    match &entry.query {
        Ok(query) => {
            say("search", query.side.to_string());
            say("filters", query.words());
            say("command", shell_line::search(query));
        }
        Err(trouble) => say("unreadable", trouble.clone()),
    }
    if let Some(total) = entry.total {
        say("total", grouped(total));
    }
    if let Some(at) = entry.last_run {
        say("last run", moment(at));
    }
}

fn done(change: &SavedChange) -> String {
    match change {
        SavedChange::Add { name, .. } => format!("saved `{name}`; `lode saved run {name}` runs it"),
        SavedChange::Rename { old, new } => format!("renamed `{old}` to `{new}`"),
        SavedChange::Remove { name } => format!("removed `{name}`"),
    }
}

fn filters(query: &Query) -> Map<String, Value> {
    let mut filters = Map::new();
    for (name, value) in query.params() {
        // A name that comes again has several values.
        match filters.get_mut(name) {
            None => drop(filters.insert(name.to_owned(), Value::from(value))),
            Some(Value::Array(values)) => values.push(Value::from(value)),
            Some(one) => *one = Value::Array(vec![one.take(), Value::from(value)]),
        }
    }
    filters
}

fn exclude(query: &Query) -> Option<Map<String, Value>> {
    let kinds = ExclusionKind::ALL.into_iter().filter_map(|kind| {
        let values: Vec<&str> = query.not.values(kind).collect();
        (!values.is_empty()).then(|| (kind.name().to_owned(), Value::from(values)))
    });
    let map: Map<String, Value> = kinds.collect();
    (!map.is_empty()).then_some(map)
}

fn line(entry: &SavedEntry) -> String {
    let query = entry.query.as_ref().ok();
    let side = query.map(|query| query.side);
    json::line(&SavedLine {
        name: entry.name.clone(),
        source: side.map(|side| side.source.name()),
        corpus: side.map(|side| side.corpus.name()),
        filters: query.map(filters),
        exclude: query.and_then(exclude),
        home: entry.home.name(),
        total: entry.total,
        last_run: entry.last_run.map(moment),
        unreadable: entry.query.as_ref().err().cloned(),
    })
}

fn entry_cells(entry: &SavedEntry) -> Vec<String> {
    let (search, filters) = match &entry.query {
        Ok(query) => (query.side.to_string(), query.words()),
        Err(trouble) => (String::new(), format!("unreadable: {trouble}")),
    };
    vec![
        entry.name.clone(),
        search,
        filters,
        entry.home.name().to_owned(),
        entry.total.map_or_else(String::new, grouped),
        entry.last_run.map_or_else(String::new, moment),
    ]
}
