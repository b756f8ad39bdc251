//! The declaration of an operation: cost, services, output lines, exit codes, input and script.

use schemars::JsonSchema;
use serde::Serialize;

use lode_core::Source;
use lode_engine::effect::Profile;

use super::problem::{CommandProblem, Exit};
use super::program::Script;

/// What a command can cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    Free,
    /// It can spend credits.
    Spends,
    /// It removes or replaces something that cannot be brought back.
    Destroys,
}

impl Cost {
    pub fn name(self) -> &'static str {
        match self {
            Cost::Free => "free",
            Cost::Spends => "spends",
            Cost::Destroys => "destroys",
        }
    }
}

/// What is said of a command before its arguments are known. Each operation lists one for each of its subcommands.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// What is typed after `lode`; empty for the screen.
    pub name: &'static str,
    pub cost: Cost,
    /// It asks a service.
    pub asks: bool,
    /// The schemas of its lines on standard output.
    pub output: &'static [&'static str],
}

impl Fact {
    pub fn exits(&self) -> Vec<Exit> {
        use Exit::*;
        let mut exits = vec![Done, Failed, Usage];
        if self.cost == Cost::Spends {
            exits.extend([Capped, Key, Scope, Credits, Rate, Network, Unknown]);
        } else if self.asks {
            exits.extend([Key, Scope, Rate, Network]);
        }
        exits.push(Interrupted);
        exits
    }
}

/// How standard input is read.
#[derive(Clone, Copy, Debug)]
pub struct Pipe {
    /// It is a list as spreadsheets save it, not ids or rows of lode.
    pub is_list: bool,
    /// A sentence and a hint for a terminal, which pipes nothing.
    pub missing: [&'static str; 2],
}

impl Pipe {
    pub const IDS: Pipe = Pipe {
        is_list: false,
        missing: ["no ids were given", "give ids, or pipe the JSON lines of `lode search --json`"],
    };

    pub fn nothing_given(&self) -> CommandProblem {
        let [sentence, hint] = self.missing;
        CommandProblem::new(Exit::Usage, sentence, hint)
    }
}

/// An operation with its arguments.
pub trait Operation {
    /// The services that it may ask.
    fn services(&self) -> &'static [Source];

    /// Whether it can do nothing without this service.
    fn needs(&self, source: Source) -> bool {
        self.services().contains(&source)
    }

    /// The services whose keys it uses. No other key is fetched, because fetching one can take its time. Suppression lists and
    /// what is owned belong to the Workspace, so it may be more than the services it asks.
    fn uses(&self, _profile: &Profile) -> &'static [Source] {
        self.services()
    }

    /// How it reads standard input, if these arguments say so.
    fn pipe(&self) -> Option<Pipe> {
        None
    }

    /// What it does. `pipe` is what standard input held, if the operation reads it.
    fn script(&self, pipe: Option<&str>) -> Result<Script, CommandProblem>;
}

/// The services of an operation whose arguments name one.
pub fn one(source: Source) -> &'static [Source] {
    match source {
        Source::Workspace => &[Source::Workspace],
        Source::Data => &[Source::Data],
    }
}

/// The services of one that chooses rows of a search: the Workspace too, if its lists or what is owned decide.
pub fn with_lists(source: Source, excludes_lists: bool, profile: &Profile) -> &'static [Source] {
    if excludes_lists || profile.choosing.card.asks_owned() { &Source::ALL } else { one(source) }
}
