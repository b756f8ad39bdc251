//! `lode doctor` and `lode info` as commands: the facts of `doctor`, and what the services say when they are asked.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::ops::output::{FindingLine, Format, json};
use crate::ops::probe::{Answers, probe};
use crate::ops::problem::{Code, CommandProblem, Exit};
use crate::ops::program::Program;
use lode_core::Source;

use super::doctor::{self, Grade};
use super::form::Form;
use super::{bootstrap, headless, voice};
use lode_host::config::environment::Environment;
use lode_host::config::{self, ChosenProfile};
use lode_host::{secrets, store};

/// Looks at everything, asks the services, and says what to fix. Fails where something needs a fix.
pub(super) fn doctor((format, pick): Form) -> Result<ExitCode, CommandProblem> {
    let environment = Environment::read();
    let chosen = chosen(&environment);
    let ready = chosen.as_ref().map(|chosen| secrets::open(chosen, &Source::ALL, store::fresh_window(), &voice::warn));
    let mut report = doctor::examine(&environment, chosen.as_ref(), ready.as_ref());
    let mut interrupted = false;
    if let (Some(chosen), Some(ready)) = (&chosen, ready) {
        let begun = bootstrap::with_keys(&environment, chosen, ready);
        let answers = Answers::default();
        let program = Program::new(&begun.profile, bootstrap::seed(), probe(answers.clone()));
        interrupted = headless::run(program, begun.setup, None)? == Exit::Interrupted.code();
        for (source, answer) in answers.borrow().iter() {
            report.service(*source, answer.as_ref().map(String::as_str));
        }
    }
    let text: String = report.lines.iter().map(|line| written(line, format)).collect();
    headless::print_lines(&text, pick);
    let exit = match () {
        () if interrupted => Exit::Interrupted,
        () if report.grade() == Grade::Bad => Exit::Failed,
        () => Exit::Done,
    };
    Ok(voice::ended(exit.code(), |exit| match exit {
        Exit::Failed => {
            let hint = "the lines on standard output say what to do";
            CommandProblem::new(exit, "something needs attention", hint).code(Code::Unhealthy)
        }
        exit => voice::plain(exit),
    }))
}

/// The profile in use, if the settings can be read; their problems are among the facts.
fn chosen(environment: &Environment) -> Option<ChosenProfile> {
    let config = config::load(environment).ok()?;
    config::choose(&config, environment, None).ok()?
}

pub(super) fn written(line: &FindingLine, format: Format) -> String {
    match format {
        Format::Json => format!("{}\n", json::line(line)),
        Format::Table { .. } => {
            let hint = line.hint.as_ref().map_or_else(String::new, |hint| format!("      {:<11} hint: {hint}\n", ""));
            format!("{:<5} {:<11} {}\n{hint}", line.grade.word(), line.topic, line.words)
        }
    }
}

/// Show the paths, versions and settings in use.
pub(super) fn info((format, pick): Form) -> ExitCode {
    let environment = Environment::read();
    let facts = doctor::info(&environment, chosen(&environment).as_ref());
    let text = match format {
        Format::Json => {
            format!("{}\n", facts.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect::<Value>())
        }
        Format::Table { .. } => facts.into_iter().map(|(name, value)| format!("{name:<16} {value}\n")).collect(),
    };
    headless::print_lines(&text, pick)
}
