//! `lode spec`: the interface of lode for programs, from the same definitions as `--help`.

use clap::builder::ValueRange;
use clap::{Arg, ArgAction, Command, CommandFactory};
use schemars::JsonSchema;
use serde::Serialize;

use super::command::{ENVIRONMENT, Lode, VERSION};
use super::fact;
use super::operation::Cost;
use super::output::{SCHEMA_VERSION, json};
use super::problem::{Code, Exit};

#[derive(Debug, Serialize, JsonSchema)]
pub struct SpecLine {
    pub schema_version: u32,
    pub version: String,
    pub commands: Vec<CommandShape>,
    pub global_flags: Vec<ArgumentShape>,
    pub exits: Vec<ExitShape>,
    pub errors: Vec<CodeShape>,
    pub environment: Vec<VariableShape>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CommandShape {
    /// As it is typed after `lode`; empty for the screen.
    pub name: String,
    pub about: String,
    pub cost: Cost,
    /// The schemas of its lines on standard output.
    pub output: Vec<&'static str>,
    pub exits: Vec<u8>,
    pub arguments: Vec<ArgumentShape>,
    pub flags: Vec<ArgumentShape>,
    pub examples: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ArgumentShape {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<char>,
    pub about: String,
    /// None: it takes no value.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    pub required: bool,
    pub repeated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ExitShape {
    pub exit: u8,
    pub means: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CodeShape {
    pub code: Code,
    pub exit: u8,
    pub safe_to_retry: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct VariableShape {
    pub name: &'static str,
    pub about: &'static str,
}

pub fn spec() -> SpecLine {
    let lode = Lode::command();
    let mut commands = Vec::new();
    gather(&lode, String::new(), &mut commands);
    SpecLine {
        schema_version: SCHEMA_VERSION,
        version: VERSION.to_owned(),
        commands,
        global_flags: lode.get_arguments().filter(|arg| arg.is_global_set()).map(argument).collect(),
        exits: Exit::ALL.map(|exit| ExitShape { exit: exit.code(), means: exit.words() }).into(),
        errors: Code::ALL
            .map(|code| CodeShape { code, exit: code.exit().code(), safe_to_retry: code.is_safe_to_retry() })
            .into(),
        environment: ENVIRONMENT.iter().map(|(name, about)| VariableShape { name, about }).collect(),
    }
}

/// All of it as one line.
pub fn line() -> String {
    json::line(&spec())
}

/// The commands as a table for people.
pub fn table() -> String {
    let commands = spec().commands;
    let wide = commands.iter().map(|command| command.name.len()).max().unwrap_or(0);
    let line =
        |command: &CommandShape| format!("{:<wide$}  {:<8}  {}\n", command.name, command.cost.name(), command.about);
    commands.iter().map(line).collect()
}

/// A command that only holds others is none itself.
fn gather(command: &Command, name: String, out: &mut Vec<CommandShape>) {
    if !command.is_subcommand_required_set() {
        let own = command.get_arguments().filter(|arg| !arg.is_global_set() && !is_help(arg));
        let (arguments, flags): (Vec<_>, Vec<_>) = own.partition(|arg| arg.is_positional());
        let fact = fact(&name);
        out.push(CommandShape {
            about: command.get_about().map(ToString::to_string).unwrap_or_default(),
            cost: fact.cost,
            output: fact.output.to_vec(),
            exits: fact.exits().into_iter().map(Exit::code).collect(),
            arguments: arguments.into_iter().map(argument).collect(),
            flags: flags.into_iter().map(argument).collect(),
            examples: examples(command),
            name: name.clone(),
        });
    }
    for sub in command.get_subcommands() {
        gather(sub, format!("{name} {}", sub.get_name()).trim().to_owned(), out);
    }
}

fn is_help(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version)
}

fn argument(arg: &Arg) -> ArgumentShape {
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let possible = arg.get_possible_values();
    let values = possible.iter().map(|value| value.get_name().to_owned());
    let several = arg.get_num_args().is_some_and(|range| range != ValueRange::SINGLE && range.max_values() > 1);
    let value_name = || arg.get_value_names().and_then(|names| names.first()).map(|name| name.to_lowercase());
    ArgumentShape {
        name: arg.get_long().map_or_else(|| arg.get_id().to_string(), |long| format!("--{long}")),
        short: arg.get_short(),
        about: arg.get_help().map(ToString::to_string).unwrap_or_default(),
        kind: takes_value.then(|| value_name().unwrap_or_else(|| "text".to_owned())),
        values: if takes_value { values.collect() } else { Vec::new() },
        default: arg
            .get_default_values()
            .first()
            .filter(|_| takes_value)
            .map(|value| value.to_string_lossy().into_owned()),
        required: arg.is_required_set(),
        repeated: matches!(arg.get_action(), ArgAction::Append) || several,
    }
}

/// The lines of the help that begin with `lode`.
fn examples(command: &Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines = help.lines().map(str::trim).filter(|line| line.starts_with("lode "));
    lines.map(|line| line.split("   ").next().unwrap_or(line).trim().to_owned()).collect()
}
