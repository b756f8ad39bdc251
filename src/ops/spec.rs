//! The interface of lode described from the definitions that `--help` is made from, so that they cannot disagree: for programs
//! (`lode spec`), for assistants (`lode skill`), for shells and for `man`.

use clap::builder::ValueRange;
use clap::{Arg, ArgAction, Command, CommandFactory};
use clap_complete::{Generator, Shell};
use clap_complete_nushell::Nushell;
use schemars::generate::SchemaSettings;
use serde::Serialize;

use super::command::{Cost, Lode, VERSION, environment, fact};
use super::*;

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
    let error = |&code: &Code| CodeShape { code, exit: code.exit().code(), safe_to_retry: code.is_safe_to_retry() };
    let mut commands = Vec::new();
    gather(&lode, String::new(), &mut commands);
    SpecLine {
        schema_version: SCHEMA_VERSION,
        version: VERSION.to_owned(),
        commands,
        global_flags: lode.get_arguments().filter(|arg| arg.is_global_set()).map(argument).collect(),
        exits: Exit::ALL.iter().map(|exit| ExitShape { exit: exit.code(), means: exit.words() }).collect(),
        errors: Code::ALL.iter().map(error).collect(),
        environment: environment().map(|(name, about)| VariableShape { name, about }).collect(),
    }
}

/// The commands as a table for people.
pub fn table() -> String {
    let commands = spec().commands;
    let wide = commands.iter().map(|command| command.name.len()).max().unwrap_or(0);
    let line = |command: &CommandShape| format!("{:<wide$}  {:<8}  {}\n", command.name, command.cost, command.about);
    commands.iter().map(line).collect()
}

/// A command that only holds others is none itself.
fn gather(command: &Command, name: String, out: &mut Vec<CommandShape>) {
    if !command.is_subcommand_required_set() {
        use ArgAction::{Help, HelpLong, HelpShort, Version};
        let is_help = |arg: &Arg| matches!(arg.get_action(), Help | HelpShort | HelpLong | Version);
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

fn argument(arg: &Arg) -> ArgumentShape {
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let possible = arg.get_possible_values();
    let values = possible.iter().map(|value| value.get_name().to_owned());
    let several = arg.get_num_args().is_some_and(|range| range != ValueRange::SINGLE && range.max_values() > 1);
    let value_name = || arg.get_value_names().and_then(|names| names.first()).map(|name| name.to_lowercase());
    let default = arg.get_default_values().first().filter(|_| takes_value);
    ArgumentShape {
        name: arg.get_long().map_or_else(|| arg.get_id().to_string(), |long| format!("--{long}")),
        short: arg.get_short(),
        about: arg.get_help().map(ToString::to_string).unwrap_or_default(),
        kind: takes_value.then(|| value_name().unwrap_or_else(|| "text".to_owned())),
        values: if takes_value { values.collect() } else { Vec::new() },
        default: default.map(|value| value.to_string_lossy().into_owned()),
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

/// The fields of a line, in its order.
pub fn fields<T: JsonSchema>() -> Vec<String> {
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    let fields = schema.get("properties").and_then(|properties| properties.as_object());
    fields.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

/// The guide, in Markdown.
pub fn skill() -> String {
    let spec = spec();
    let mut text = lode_assets::help::SKILL.to_owned();
    if cfg!(feature = "mcp") {
        text.push_str(
            "- `lode mcp` is a Model Context Protocol server. It spends nothing beyond what the user accepted or allows in the settings.\n",
        );
    }
    text.push_str("\n## Commands\n\n");
    for command in spec.commands.iter().filter(|command| !command.name.is_empty()) {
        let CommandShape { name, about, cost, .. } = command;
        let cost = if *cost == Cost::Free { String::new() } else { format!(" ({cost})") };
        let example = command.examples.first().map_or_else(String::new, |example| format!(" `{example}`"));
        text += &format!("- `lode {name}`{cost}: {about}.{example}\n");
    }
    text.push_str("\n## Exit codes\n\n");
    text.extend(spec.exits.iter().map(|exit| format!("- {}: {}\n", exit.exit, exit.means)));
    text
}

pub fn completions(shell: &str) -> Vec<u8> {
    let mut command = Lode::command();
    command.set_bin_name("lode");
    command.build();
    let mut script = Vec::new();
    match shell.parse::<Shell>() {
        Ok(shell) => shell.generate(&command, &mut script),
        Err(_) => Nushell.generate(&command, &mut script),
    }
    script
}

/// The page of a command; without a name, of lode itself.
pub fn man(command: Option<&str>) -> Result<Vec<u8>, CommandProblem> {
    let mut lode = Lode::command().disable_help_flag(false);
    lode.build();
    let page = match command {
        None => lode,
        Some(name) => {
            let found = lode.find_subcommand(name).cloned().ok_or_else(|| {
                let words = format!("`{name}` is not a command of lode");
                CommandProblem::new(Exit::Usage, words, "`lode --help` lists the commands")
            });
            found?.name(format!("lode-{name}"))
        }
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page).render(&mut roff).expect("writing to memory does not fail");
    Ok(roff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_agree_with_themselves() {
        Lode::command().debug_assert();
    }

    #[test]
    fn every_command_has_help_an_example_and_a_page() {
        let mut todo = vec![("lode".to_owned(), Lode::command())];
        while let Some((path, command)) = todo.pop() {
            let example = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(example.contains("Example"), "{path} has no example");
            assert!(command.get_about().is_some(), "{path} says nothing about itself");
            todo.extend(command.get_subcommands().map(|sub| (format!("{path} {}", sub.get_name()), sub.clone())));
        }
        for sub in Lode::command().get_subcommands() {
            let page = man(Some(sub.get_name())).unwrap();
            assert!(String::from_utf8(page).unwrap().contains(".SH SYNOPSIS"));
        }
    }
}
