//! How a shell command speaks. On standard output: for people or for programs, and which fields. On the error stream: sentences
//! for a person, lines of JSON for a program.
//!
//! A program reads the error stream where `--json` was given, or where neither output nor error stream is a terminal. Then every line is
//! JSON: `{"warning":…}` for a note and `{"error":…}` for the failure. `--quiet` leaves the failures only.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::ops::spec::fields;

/// How a command prints: what it makes, and what becomes of its lines.
pub(super) type Form = (Format, Option<Pick>);

pub(super) fn form(lode: &Lode) -> Result<Form, CommandProblem> {
    let format = format(lode.json);
    let may_spend = matches!(lode.command, Some(ShellCommand::Unlock(_) | ShellCommand::Recover(_)));
    let columns = if may_spend { fields::<UnlockLine>() } else { Vec::new() };
    // A wrong name is refused before anything is spent.
    let is_quote = matches!(&lode.command, Some(ShellCommand::Unlock(args)) if args.dry_run);
    let wrong = lode.fields.iter().find(|field| !columns.is_empty() && !columns.contains(field));
    if let Some(wrong) = wrong.filter(|_| !is_quote) {
        let words = format!("no field `{wrong}`; there are {}", columns.join(", "));
        return Err(CommandProblem::new(Exit::Usage, words, "`lode spec` lists the fields of every command"));
    }
    let pick = Pick::new(&lode.fields, lode.csv, format, columns);
    Ok((if pick.is_some() { Format::Json } else { format }, pick))
}

/// JSON lines unless a person looks at a terminal; then as wide as it is.
pub(super) fn format(json: bool) -> Format {
    if json || !io::stdout().is_terminal() {
        return Format::Json;
    }
    let width = size_of_output().map_or(80, |(columns, _)| usize::from(columns));
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    Format::Table { width, bold: !no_color() && set("TERM").is_none_or(|term| term != "dumb") }
}

#[derive(Clone, Copy, Debug, Default)]
struct OutputMode {
    as_data: bool,
    quiet: bool,
    /// `--no-color` was given.
    plain: bool,
}

static OUTPUT_MODE: OnceLock<OutputMode> = OnceLock::new();

/// A failure was said already.
static FAILED: AtomicBool = AtomicBool::new(false);

/// Decides how it speaks, once, before anything is said.
pub(super) fn choose(json: bool, quiet: bool, no_color: bool) {
    let as_data = json || !(io::stdout().is_terminal() || io::stderr().is_terminal());
    OUTPUT_MODE.get_or_init(|| OutputMode { as_data, quiet, plain: no_color });
}

fn output_mode() -> OutputMode {
    OUTPUT_MODE.get().copied().unwrap_or_default()
}

pub(super) fn speaks_data() -> bool {
    output_mode().as_data
}

/// Whether color is unwanted, by flag or by environment.
pub(super) fn no_color() -> bool {
    output_mode().plain || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// A line of data beside the table on standard output, or a note.
pub(super) fn aside(line: &str) {
    if !output_mode().quiet {
        say(line);
    }
}

/// A note. It may quote an argument, a file or a pipe.
pub(super) fn warn(words: &str) {
    let message = scrub(words).into_owned();
    aside(&if speaks_data() { json!({"warning": {"message": message}}).to_string() } else { message });
}

/// A failure in both forms, as `Effect::Fail` brings it.
pub(super) fn fail(words: &[String; 2], json: &str) {
    FAILED.store(true, Ordering::Relaxed);
    if speaks_data() { say(json) } else { words.iter().for_each(|line| say(&scrub(line))) }
}

/// Says why the program fails, and ends with its exit code.
pub(super) fn failed(problem: &CommandProblem) -> ExitCode {
    fail(&problem.lines(), &problem.json());
    ExitCode::from(problem.exit().code())
}

/// The end of a command. A program hears of every failure, also of one that a person was told on the output.
pub(super) fn ended(code: u8, otherwise: impl FnOnce(Exit) -> CommandProblem) -> ExitCode {
    if code != 0 && speaks_data() && !FAILED.load(Ordering::Relaxed) {
        say(&otherwise(Exit::of(code)).json());
    }
    ExitCode::from(code)
}

/// The failure of an end that says nothing itself.
pub(super) fn plain(exit: Exit) -> CommandProblem {
    match exit {
        Exit::Interrupted => CommandProblem::new(exit, "interrupted", "the same command starts again"),
        exit => CommandProblem::new(exit, exit.words(), "`lode doctor` checks the setup"),
    }
}

/// One line as it is, whatever was asked for.
pub(super) fn say(line: &str) {
    // There is no other way to report that this failed.
    drop(writeln!(io::stderr(), "{line}"));
}
