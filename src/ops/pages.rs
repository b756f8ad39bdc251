//! Completions and manual pages: made from the arguments themselves, so they cannot disagree with them.

use clap::CommandFactory;
use clap_complete::Generator;
use clap_complete_nushell::Nushell;

use super::command::{Completed, CompletionsArgs, Lode, ManArgs};
use super::problem::{CommandProblem, Exit};

pub fn completions(args: &CompletionsArgs) -> Vec<u8> {
    let mut command = Lode::command();
    command.set_bin_name("lode");
    command.build();
    let mut script = Vec::new();
    match args.shell {
        Completed::Common(shell) => shell.generate(&command, &mut script),
        Completed::Nushell => Nushell.generate(&command, &mut script),
    }
    script
}

pub fn man(args: &ManArgs) -> Result<Vec<u8>, CommandProblem> {
    let mut command = Lode::command().disable_help_flag(false);
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => {
            let found = command.find_subcommand(name).cloned();
            let found = found.ok_or_else(|| {
                CommandProblem::new(
                    Exit::Usage,
                    format!("there is no command `{name}`"),
                    "`lode --help` lists the commands",
                )
            })?;
            found.name(format!("lode-{name}"))
        }
    };
    let mut roff = Vec::new();
    let rendered = clap_mangen::Man::new(page).render(&mut roff);
    rendered.expect("writing to memory does not fail");
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
            let page = man(&ManArgs { command: Some(sub.get_name().to_owned()) }).unwrap();
            assert!(String::from_utf8(page).unwrap().contains(".SH SYNOPSIS"));
        }
    }
}
