//! `lode ledger check | backup FILE | restore FILE`.

use std::path::Path;
use std::process::ExitCode;

use crate::ops::command::{LedgerAct, LedgerArgs};
use crate::ops::output::{FindingLine, Format, Grade, LedgerSummaryLine, LedgerSummaryShape, json};
use crate::ops::problem::{Code, CommandProblem, Exit};
use lode_engine::effect::{RESTORE, StoreFailure};

use super::doctor::written;
use super::voice::Form;
use super::{headless, voice};
use lode_host::config::environment::Environment;
use lode_host::files::refuse_own;
use lode_host::store::backup::{back_up, restore};
use lode_host::store::check::{LedgerFinding, check};
use lode_host::store::place::{self, LedgerLocation};
use lode_host::store::stop;

const CHECK: &str = "`lode ledger check` shows its state";

pub(super) fn run(args: &LedgerArgs, (format, pick): Form) -> Result<ExitCode, CommandProblem> {
    let environment = Environment::read();
    // To look is not a reason to move it.
    let find = if matches!(args.act, LedgerAct::Check) { place::locate } else { place::settle };
    let LedgerLocation { dir, told, refused } = find(&environment.state_dir, &environment.data_dir);
    for words in told {
        voice::warn(&words);
    }
    let failed = |failure: StoreFailure| CommandProblem::new(Exit::Failed, words_of(&failure), CHECK);
    match (&args.act, refused) {
        (LedgerAct::Check, refused) => {
            let stopped = stop::reason(&environment.state_dir);
            // Which ledger is meant must be known before its check can lift a stop.
            let refused = refused.filter(|failure| Some(failure) != stopped.clone().map(StoreFailure::Lost).as_ref());
            let mut found = match refused {
                Some(failure) => vec![LedgerFinding { adds_up: false, words: words_of(&failure), hint: None }],
                None => check(&dir).map_err(|failure| {
                    let hint = "`lode ledger restore FILE` brings a backup back";
                    CommandProblem::new(Exit::Failed, words_of(&failure), hint)
                })?,
            };
            if let Some(reason) = stopped {
                found.push(lift_stop(&environment.state_dir, reason, found.iter().all(|found| found.adds_up)));
            }
            let lines: String = found.iter().map(|found| written(&line(found), format)).collect();
            headless::print_lines(&lines, pick);
            let adds_up = found.iter().all(|found| found.adds_up);
            let exit = if adds_up { Exit::Done } else { Exit::Failed };
            Ok(voice::ended(exit.code(), |_| {
                let hint = "the lines on standard output say what to do";
                CommandProblem::new(Code::Unhealthy, "the ledger does not add up", hint)
            }))
        }
        (LedgerAct::Restore { file, force, summary }, _) => {
            let replaced = restore(&dir, file, *force).map_err(|failure| {
                let hint = match failure {
                    StoreFailure::Lost(_) => "add `--force` to accept the loss",
                    _ => "nothing was changed: close every lode window, or name another backup",
                };
                CommandProblem::new(Exit::Failed, words_of(&failure), hint)
            })?;
            stop::lift(&environment.state_dir).map_err(|error| failed(StoreFailure::Other(error.to_string())))?;
            let replaced = replaced.map(|path| path.display().to_string());
            let (file, ledger) = (file.display().to_string(), dir.display().to_string());
            let kept = replaced.iter().map(|path| format!(" The one that was there is kept in {path}."));
            let words = format!("Restored {file} to {ledger}.{}", kept.collect::<String>());
            let told = LedgerSummaryShape { act: "restore", file, bytes: None, ledger, replaced };
            Ok(report(words, told, *summary, (format, pick)))
        }
        (_, Some(failure)) => Err(failed(failure)),
        (LedgerAct::Backup { file, summary }, None) => {
            refuse_own(file, &environment.own_folders()).map_err(|failure| CommandProblem::of_file(&failure))?;
            back_up(&dir, file).map_err(failed)?;
            let bytes = std::fs::metadata(file).ok().map(|file| file.len());
            let (file, ledger) = (file.display().to_string(), dir.display().to_string());
            let words = format!("The ledger is backed up in {file}.");
            let told = LedgerSummaryShape { act: "backup", file, bytes, ledger, replaced: None };
            Ok(report(words, told, *summary, (format, pick)))
        }
    }
}

/// After a stop of the money code: spending is allowed again if the ledger adds up.
fn lift_stop(state_dir: &Path, reason: String, adds_up: bool) -> LedgerFinding {
    let bad = |words, hint: &str| LedgerFinding { adds_up: false, words, hint: Some(hint.to_owned()) };
    if !adds_up {
        return bad(format!("Nothing can be unlocked: {reason}."), RESTORE);
    }
    match stop::lift(state_dir) {
        Ok(()) => {
            let words = format!("Everything adds up, so contacts can be unlocked again. Before, {reason}.");
            LedgerFinding { adds_up, words, hint: None }
        }
        Err(error) => bad(
            format!("Nothing can be unlocked: {reason}. This cannot be undone ({error})."),
            "make the state folder writable, then check again",
        ),
    }
}

/// Prints what was done: in words for a person, and as data for a program or where that is wanted.
fn report(words: String, summary: LedgerSummaryShape, summed: bool, (format, pick): Form) -> ExitCode {
    let words = if format == Format::Json { String::new() } else { words + "\n" };
    let summed = summed || format == Format::Json;
    let data = if summed { json::line(&LedgerSummaryLine { summary }) + "\n" } else { String::new() };
    headless::print_lines(&(words + &data), pick)
}

/// What is wrong, as the sentence that was made for it.
fn words_of(failure: &StoreFailure) -> String {
    match failure {
        StoreFailure::Other(words) | StoreFailure::Lost(words) => words.clone(),
        failure => failure.to_string(),
    }
}

fn line(found: &LedgerFinding) -> FindingLine {
    let grade = if found.adds_up { Grade::Fine } else { Grade::Bad };
    FindingLine { grade, topic: "ledger", words: found.words.clone(), hint: found.hint.clone() }
}
