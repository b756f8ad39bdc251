//! What a command says when it ends badly: one sentence, one hint that names a command, and the exit code they belong to.

use std::time::Duration;

use crate::domain::contact::Source;
use crate::effect::Effect;
use crate::effect::failure::{Failure, Refusal, StoreFailure};
use crate::effect::files::FileFailure;

use super::exit::Exit;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub exit: Exit,
    pub sentence: String,
    pub hint: String,
}

impl Problem {
    pub fn new(exit: Exit, sentence: impl Into<String>, hint: impl Into<String>) -> Problem {
        Problem { exit, sentence: sentence.into(), hint: hint.into() }
    }

    /// The two lines of the error stream.
    pub fn lines(&self) -> [String; 2] {
        [format!("lode: {}", self.sentence), format!("hint: {}", self.hint)]
    }

    pub fn say(&self, fx: &mut Vec<Effect>) {
        fx.extend(self.lines().map(Effect::Warn));
    }

    /// Says it and leaves.
    pub fn end(&self, fx: &mut Vec<Effect>) {
        self.say(fx);
        fx.push(Effect::Quit(self.exit.code()));
    }

    /// No key for the service in this profile: nothing was asked.
    pub fn no_key(source: Source) -> Problem {
        let variable = match source {
            Source::Workspace => "LODE_WORKSPACE_URL and LODE_WORKSPACE_KEY",
            Source::Data => "LODE_DATA_URL and LODE_DATA_KEY",
        };
        Problem::new(
            Exit::Key,
            format!("this profile has no key for the {} API", source.title()),
            format!("`lode` asks for one on its first screen, or set {variable}; `lode doctor` shows what is set"),
        )
    }

    /// Why a call to a service has no good answer.
    pub fn of_call(source: Source, failure: &Failure) -> Problem {
        let service = format!("the {} API", source.title());
        let words = sentence(failure.words());
        match failure {
            Failure::Later { wait, .. } => Problem::new(
                Exit::Rate,
                match wait {
                    Some(wait) => {
                        format!("{service} asks to wait {}, longer than this command still waits", seconds(*wait))
                    }
                    None => format!("{service} keeps asking to wait, longer than this command still waits"),
                },
                "run the command again later; `lode doctor` shows how much of the allowance is used",
            ),
            Failure::Refused { why: Refusal::Key, .. } => {
                Problem::new(Exit::Key, format!("{service} refused the key: {words}"), "`lode doctor` checks the keys")
            }
            Failure::Refused { why: Refusal::Scope, .. } => Problem::new(
                Exit::Scope,
                format!("the key lacks the scope for this: {words}"),
                "`lode me` shows its scopes",
            ),
            Failure::Refused { why: Refusal::Credits, .. } => {
                Problem::new(Exit::Credits, format!("no credits: {words}"), "`lode me` shows the balance")
            }
            Failure::Refused { why: Refusal::Address, .. } => Problem::new(
                Exit::Network,
                format!("{service} has no such endpoint, so the address is probably wrong: {words}"),
                "`lode doctor` shows the address",
            ),
            Failure::Refused { why: Refusal::Redirect, .. } => Problem::new(
                Exit::Network,
                format!("{service} cannot be used at this address: {words}"),
                "`lode doctor` shows the address in use; redirects are never followed",
            ),
            Failure::Refused { why: Refusal::Request, .. } => Problem::new(
                Exit::Failed,
                format!("{service} refused the request: {words}"),
                "the command's `--help` shows what it takes",
            ),
            Failure::Unclear { .. } => Problem::new(
                Exit::Network,
                format!("no usable answer from {service}: {words}"),
                "`lode doctor` checks the services",
            ),
            Failure::Unsent { .. } => Problem::new(
                Exit::Network,
                format!("{service} cannot be reached: {words}"),
                "`lode doctor` checks the services",
            ),
            Failure::Disk { .. } => Problem::new(Exit::Failed, words.to_owned(), "`-o FILE` writes it elsewhere"),
            Failure::OurBug { .. } => {
                Problem::new(Exit::Failed, format!("lode is at fault: {words}"), "`lode info` shows where the log is")
            }
        }
    }

    pub fn of_store(failure: &StoreFailure) -> Problem {
        let hint = match failure {
            StoreFailure::Lost(_) => "`lode ledger check` says what to do",
            _ => "`lode doctor` checks the state folder",
        };
        Problem::new(Exit::Failed, failure.to_string(), hint)
    }

    pub fn of_file(failure: &FileFailure) -> Problem {
        Problem::new(Exit::Failed, sentence(&failure.words), "`lode info` shows the folders in use")
    }
}

/// Words without the full stop at the end: they become part of a sentence of ours.
fn sentence(words: &str) -> String {
    let words = words.trim().trim_end_matches('.');
    if words.is_empty() { "it gave no reason".to_owned() } else { words.to_owned() }
}

/// `23 s`, and minutes where seconds say nothing any more.
pub fn seconds(wait: Duration) -> String {
    let whole = wait.as_millis().div_ceil(1000);
    if whole < 120 { format!("{whole} s") } else { format!("{} min", whole.div_ceil(60)) }
}
