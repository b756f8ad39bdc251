//! `lode saved`: saved searches. The local files are the truth; problems with the service's copy go to the error stream and
//! change no exit code.

use super::filters::not_ready;
use super::search::{Pages, of_total};
use super::*;
use lode_core::shell_line;
use lode_engine::flow::saved::{Refused, Remote, SavedChange, SavedEntry, SavedEvent};

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
    Run(RunArgs),
    /// Rename a saved search
    #[command(after_help = "Example:\n  lode saved rename nurses nurses-tx")]
    Rename { old: String, new: String },
    /// Delete a saved search
    #[command(after_help = "Example:\n  lode saved rm nurses-tx")]
    Rm { name: String },
}

#[derive(Clone, Debug, Default, Args)]
pub struct RunArgs {
    pub name: String,
    /// Only rows that are new since the last run
    #[arg(long)]
    pub new: bool,
    /// Maximum number of rows to read
    #[arg(long, default_value_t = 10_000, value_name = "N", value_hint = ValueHint::Other)]
    pub limit: u64,
    /// Run more than 10 searches at once
    #[arg(long)]
    pub yes: bool,
    /// End with a JSON line that counts the result
    #[arg(long)]
    pub summary: bool,
}

impl Operation for SavedAct {
    fn services(&self) -> &[Source] {
        match self {
            SavedAct::Run(_) => &Source::ALL,
            _ => &[Source::Data],
        }
    }

    /// The local files work without a service.
    fn needs(&self, _source: Source) -> bool {
        false
    }

    fn script(&self, _pipe: Option<&str>) -> Result<Script, CommandProblem> {
        Ok(match self.clone() {
            SavedAct::Add { name, side, filters } => {
                let query = filters.query(side.side())?;
                script(move |console| change(console, SavedChange::Add { name, query, view: None }))
            }
            SavedAct::List => script(list),
            SavedAct::Show { name } => script(move |console| show(console, name)),
            SavedAct::Run(args) => script(move |console| run(console, args)),
            SavedAct::Rename { old, new } => script(move |console| change(console, SavedChange::Rename { old, new })),
            SavedAct::Rm { name } => script(move |console| change(console, SavedChange::Remove { name })),
        })
    }
}

/// The saved searches of this computer and of the service.
async fn read(console: &Console) -> Result<Vec<SavedEntry>, CommandProblem> {
    console.look_up_pages().await;
    console.with(|run| run.session.read_saved(run.now, run.fx));
    while let Some(event) = console.event_until(is_listed).await {
        handle(event, console)?;
    }
    let (failure, remote, entries) = console.with(|run| {
        let saved = &run.session.saved_searches;
        (saved.failure().cloned(), saved.remote.clone(), saved.entries())
    });
    if let Some(failure) = failure {
        return Err(CommandProblem::of_file(&failure));
    }
    if let Remote::Failed(failure) = remote {
        console.warn(format!("the service's list cannot be read: {}", failure.words()));
    }
    Ok(entries)
}

/// Ends once the disk has what changed.
async fn finish(console: &Console) -> Ending {
    while let Some(event) = console.event_until(|session| !session.saved_searches.is_busy()).await {
        handle(event, console)?;
    }
    Ok(Exit::Done)
}

pub(super) async fn list(console: Console) -> Ending {
    let entries = read(&console).await?;
    console.rows(COLUMNS, &entries, line);
    console.remark_if(entries.is_empty(), "no saved searches yet; see `lode saved add --help`");
    finish(&console).await
}

pub(super) async fn change(console: Console, change: SavedChange) -> Ending {
    read(&console).await?;
    let changed =
        console.with(|run| run.session.saved_searches.change(vec![change], &mut run.session.desk.at(run.now, run.fx)));
    changed.map_err(|refused| refusal(&refused))?;
    let done = loop {
        if let Some(done) = handle(console.event().await, &console)? {
            break done;
        }
    };
    console.remark(match done {
        SavedChange::Add { name, .. } => format!("saved `{name}`; `lode saved run {name}` runs it"),
        SavedChange::Rename { old, new } => format!("renamed `{old}` to `{new}`"),
        SavedChange::Remove { name } => format!("removed `{name}`"),
    });
    finish(&console).await
}

async fn named(console: &Console, name: String) -> Result<SavedEntry, CommandProblem> {
    read(console).await?;
    let found = console.with(move |run| run.session.saved_searches.named(&name).ok_or(Refused::Unknown(name)));
    found.map_err(|refused| refusal(&refused))
}

/// Both lists were read, or cannot be.
fn is_listed(session: &Session) -> bool {
    let saved = &session.saved_searches;
    saved.is_loaded() && !matches!(saved.remote, Remote::Asked(_))
}

/// What the saved searches tell. Answers with a change that is done.
fn handle(event: Event, console: &Console) -> Result<Option<SavedChange>, CommandProblem> {
    let Event::Saved(told) = event else { return Ok(None) };
    match told {
        SavedEvent::Listed => {}
        SavedEvent::Unread(words) => console.warn(words),
        SavedEvent::Done { change, sentences, .. } => {
            sentences.into_iter().for_each(|words| console.warn(words));
            return Ok(Some(change));
        }
        SavedEvent::Forgotten(failure) => console.warn(format!("not remembered: {failure}")),
        SavedEvent::Failed(failure) => return Err(CommandProblem::of_file(&failure)),
        SavedEvent::Refused(refused) => return Err(refusal(&refused)),
    }
    Ok(None)
}

fn refusal(refused: &Refused) -> CommandProblem {
    const LIST: &str = "`lode saved list` shows all saved searches";
    const RENAME: &str = "remove or rename the other one with `lode saved rm` or `lode saved rename`";
    const FIX: &str = "fix the file in an editor or `lode saved rm` it by the name that `lode saved list` shows";
    let (code, hint) = match refused {
        Refused::Taken(_) => (Code::Failed, RENAME),
        Refused::Unreadable { .. } => (Code::Failed, FIX),
        Refused::Nameless => (Code::Usage, LIST),
        Refused::Unknown(_) => (Code::NotFound, LIST),
    };
    CommandProblem::new(code, refused.to_string(), hint)
}

// A saved search at work: its rows, which of them are new since it last ran, and what is kept for the next time.

pub(super) async fn run(console: Console, args: RunArgs) -> Ending {
    let entry = named(&console, args.name).await?;
    let query = entry.query.clone().map_err(|_| refusal(&entry.unreadable()))?;
    query.ready().map_err(|problem| not_ready(&problem))?;
    may_run(&query, args.yes)?;
    let source = query.side.source;
    console.needs(source)?;
    // First what the last run had, then what is left out, then the rows.
    let (name, watched) = (entry.name.clone(), query.clone());
    let mut watch = console.with(|run| run.session.watch_saved(&name, watched, Owner::Caller, run.now, run.fx));
    while !watch.is_ready() {
        match console.event().await {
            Event::Answered(heard) => {
                if let Err(failure) = watch.handle(&heard) {
                    console.warn(format!("the previous run cannot be read: {failure}"));
                }
            }
            event => drop(handle(event, &console)?),
        }
    }
    let sifting = Sifting::read(&console, &query).await?;
    let slow = slow(&query);
    let walk = Walk::new(Owner::Caller, query, args.limit);
    // New rows are counted over all legs, so each leg is asked for its total first.
    let walk = if args.limit > 0 { walk.opening_first() } else { walk };
    let mut pages = Pages::open(&console, (walk, false), sifting, "this run could not be recorded");
    slow.into_iter().for_each(|words| console.warn(words));
    while let Some(page) = pages.next(&console, |event| handle(event, &console).map(drop)).await? {
        pages.keep(&page, &console);
        // Rows from another leg belong to this one too, and an empty page also names the total.
        watch.page(page.leg, &page.met, page.total);
        let is_shown = |row: &Row| watch.row(page.leg, row.id()) || !args.new;
        let rows = pages.sifting.keep(page.rows.into_iter().filter(is_shown).collect());
        pages.print(&rows, &console);
        pages.walk.unread().for_each(|(leg, total)| watch.page(leg, &[], total));
        let (total, wanted, given) = (pages.walk.total(), pages.walk.wanted, pages.walk.given());
        console.status(format!("{} read", of_total(given, Some(total.unwrap_or(0).min(wanted)))));
        // What the rows were is kept for the next time once they are read, unless reading failed in the middle. Where nothing was
        // asked, the last run stays the last.
        if total.is_some() && !matches!(pages.end, None | Some(WalkEnd::Failed(_))) {
            let calls = console.with(|run| {
                let purse = run.session.purse_or_earlier(source);
                let calls = watch.remember(run.now.wall, &purse, &run.session.profile().name).unwrap_or_default();
                run.session.saved_searches.ran(&watch.name, watch.total(), &mut run.session.desk.at(run.now, run.fx));
                calls
            });
            pages.write(calls, &console);
        }
    }
    let (walk, sifting, then) = (&pages.walk, &pages.sifting, watch.then());
    let ending = pages.close(sifting.words(sifting.excluded, walk.given()), &console);
    if args.summary {
        let summary = SavedSummaryShape {
            name: entry.name,
            total: walk.total(),
            read: walk.given(),
            shown: pages.printed,
            excluded: sifting.excluded,
            new: watch.news().0,
            last_total: then.map(|(_, total)| total),
            last_read: then.map(|(read, _)| read),
            requests: console.with(|run| run.session.desk.sent),
            complete: pages.is_complete(),
        };
        console.print(&SummaryOf { summary });
    }
    ending?;
    console.warn(match walk.total() {
        Some(_) => watch.sentence(),
        None => "no rows were requested; the previous run is kept".to_owned(),
    });
    finish(&console).await
}

// Saved searches as lines: the list, and one of them.

const COLUMNS: &[OutputColumn<SavedEntry>] = &[
    text("NAME", 6, 32, |entry| entry.name.clone()),
    text("SEARCH", 10, 18, |entry| entry.query.as_ref().map_or_else(|_| String::new(), |query| query.side.to_string())),
    text("FILTERS", 10, 60, |entry| match &entry.query {
        Ok(query) => query.words(),
        Err(trouble) => format!("unreadable: {trouble}"),
    }),
    text("WHERE", 7, 7, |entry| entry.home.name().to_owned()),
    number("TOTAL", |entry| entry.total.map_or_else(String::new, grouped)),
    text("LAST RUN", 10, 20, |entry| entry.last_run.map_or_else(String::new, moment)),
];

async fn show(console: Console, name: String) -> Ending {
    let entry = named(&console, name).await?;
    if !console.is_table() {
        console.print(&line(&entry));
        return finish(&console).await;
    }
    let say = |title: &str, what: String| console.say(Effect::Print(format!("{title:<10} {what}")));
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
    entry.total.into_iter().for_each(|total| say("total", grouped(total)));
    entry.last_run.into_iter().for_each(|at| say("last run", moment(at)));
    finish(&console).await
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

fn line(entry: &SavedEntry) -> SavedLine {
    let query = entry.query.as_ref().ok();
    let side = query.map(|query| query.side);
    SavedLine {
        name: entry.name.clone(),
        source: side.map(|side| side.source.name()),
        corpus: side.map(|side| side.corpus.name()),
        filters: query.map(filters),
        exclude: query.and_then(exclude),
        home: entry.home.name(),
        total: entry.total,
        last_run: entry.last_run.map(moment),
        unreadable: entry.query.as_ref().err().cloned(),
    }
}
