//! `lode saved`: searches kept under a name. The local files are the truth; what the service makes of them is said on the
//! error stream and changes no exit code.

mod lines;
mod run;

use crate::ops::code::Code;
use crate::ops::exit::Exit;
use crate::ops::filters::{FilterArgs, SideArgs};
use crate::ops::operation::{Context, Cost, Fact, Operation};
use crate::ops::output::Format;
use crate::ops::program::{Run, Script};
use crate::ops::say::Problem;
use clap::{Args, Subcommand, ValueHint};
use lode_core::contact::Source;
use lode_engine::effect::Effect;
use lode_engine::flow::saved::{Change, Refused, Remote, Told};
use lode_engine::flow::session::Event;

use run::Reading;

pub const FACTS: &[Fact] = &[
    Fact { name: "saved run", cost: Cost::Free, asks: true, output: &["row", "saved_summary"] },
    Fact { name: "saved list", cost: Cost::Free, asks: true, output: &["saved"] },
    Fact { name: "saved show", cost: Cost::Free, asks: true, output: &["saved"] },
    Fact { name: "saved add", cost: Cost::Free, asks: false, output: &[] },
    Fact { name: "saved rename", cost: Cost::Free, asks: false, output: &[] },
    Fact { name: "saved rm", cost: Cost::Destroys, asks: true, output: &[] },
];

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
    Change(Change),
    List,
    Show { name: String },
    Run { name: String, only_new: bool, limit: u64, yes: bool, summary: bool },
}

pub struct Saved {
    act: Act,
    format: Format,
    reading: Option<Reading>,
    begun: bool,
    /// What was asked for is done: left once the disk has it.
    done: bool,
    over: bool,
}

impl Saved {
    pub fn new(act: Act, format: Format) -> Saved {
        Saved { act, format, reading: None, begun: false, done: false, over: false }
    }

    fn told(&mut self, told: Told, fx: &mut Vec<Effect>) {
        match told {
            Told::Listed => {}
            Told::Done { change, sentences, .. } => {
                fx.extend(sentences.into_iter().map(Effect::Warn));
                if let Format::Table { .. } = self.format {
                    fx.push(Effect::Warn(lines::done(&change)));
                }
                self.done = true;
            }
            Told::Forgotten(failure) => fx.push(Effect::Warn(format!("not remembered: {failure}"))),
            Told::Failed(failure) => self.end_with(&Problem::of_file(&failure), fx),
            Told::Refused(refused) => self.end_with(&refusal(&refused), fx),
        }
    }

    /// Both lists were read, as far as they can be. Answers whether it is done.
    fn begin(&mut self, run: &mut Run<'_>) -> Result<bool, Problem> {
        let shelf = run.session.shelf();
        if let Some(failure) = shelf.failure() {
            return Err(Problem::of_file(failure));
        }
        if let Remote::Failed(failure) = shelf.remote() {
            run.fx.push(Effect::Warn(format!("the service's list cannot be read: {}", failure.words())));
        }
        let named = |name: &str| shelf.named(name).ok_or_else(|| refusal(&Refused::Unknown(name.to_owned())));
        match &self.act {
            Act::List => lines::list(&shelf.entries(), self.format, run.fx),
            Act::Show { name } => lines::show(&named(name)?, self.format, run.fx),
            Act::Run { name, only_new, limit, yes, summary } => {
                let entry = named(name)?;
                self.reading = Some(Reading::new(entry, (*limit, *yes), (*only_new, *summary), self.format, run)?);
            }
            Act::Change(change) => {
                run.session.change_saved(change.clone(), run.now, run.fx).map_err(|refused| refusal(&refused))?;
            }
        }
        Ok(matches!(self.act, Act::List | Act::Show { .. }))
    }

    /// Takes whether a step did what was asked for.
    fn came_to(&mut self, done: Result<bool, Problem>, fx: &mut Vec<Effect>) {
        match done {
            Ok(done) => self.done |= done,
            Err(problem) => self.end_with(&problem, fx),
        }
    }

    fn end_with(&mut self, problem: &Problem, fx: &mut Vec<Effect>) {
        self.over = true;
        problem.end(fx);
    }
}

fn refusal(refused: &Refused) -> Problem {
    let hint = match refused {
        Refused::Taken(_) => "remove or rename the other one with `lode saved rm` or `lode saved rename`",
        Refused::Unreadable { .. } => {
            "fix the file in an editor or `lode saved rm` it by the name that `lode saved list` shows"
        }
        _ => "`lode saved list` shows all saved searches",
    };
    let code = if matches!(refused, Refused::Unknown(_)) { Code::NotFound } else { Code::Failed };
    Problem::new(Exit::Failed, refused.to_string(), hint).code(code)
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

    fn script(&self, Context { format, .. }: Context<'_>) -> Result<Box<dyn Script>, Problem> {
        let act = match &self.act {
            SavedAct::Add { name, side, filters } => {
                Act::Change(Change::Add { name: name.clone(), query: filters.query(side.side())? })
            }
            SavedAct::List => Act::List,
            SavedAct::Show { name } => Act::Show { name: name.clone() },
            SavedAct::Run { name, new, limit, yes, summary } => {
                Act::Run { name: name.clone(), only_new: *new, limit: *limit, yes: *yes, summary: *summary }
            }
            SavedAct::Rename { old, new } => Act::Change(Change::Rename { old: old.clone(), new: new.clone() }),
            SavedAct::Rm { name } => Act::Change(Change::Remove { name: name.clone() }),
        };
        Ok(Box::new(Saved::new(act, format)))
    }
}

impl Script for Saved {
    fn reads_pages(&self) -> bool {
        true
    }

    fn start(&mut self, run: &mut Run<'_>) {
        run.session.read_saved(run.now, run.fx);
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        match (event, &mut self.reading) {
            _ if self.over => {}
            (Event::Saved(told), _) => self.told(told, run.fx),
            (event, Some(reading)) if !self.done => {
                let done = reading.hear(event, run);
                self.came_to(done, run.fx);
            }
            _ => {}
        }
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        let shelf = run.session.shelf();
        if self.over || self.done {
        } else if let Some(reading) = &mut self.reading {
            let done = reading.go_on(run);
            self.came_to(done, run.fx);
        } else if !self.begun && shelf.is_loaded() && !matches!(shelf.remote(), Remote::Asked(_)) {
            self.begun = true;
            let done = self.begin(run);
            self.came_to(done, run.fx);
        }
        if self.done && !self.over && !run.session.shelf().is_busy() {
            self.over = true;
            run.fx.push(Effect::Quit(Exit::Done.code()));
        }
    }
}
