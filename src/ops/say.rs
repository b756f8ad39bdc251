//! What a command says when it ends badly: one sentence, one hint that names a command, and the exit code they belong to.

use std::time::Duration;

use lode_core::Source;
use lode_engine::effect::{Effect, Failure, FileFailure, RESTORE, Refusal, StoreFailure};

use super::code::Code;
use super::exit::Exit;
use super::output::shapes::{ErrorLine, ErrorShape, SpentShape};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandProblem {
    pub exit: Exit,
    pub code: Code,
    pub sentence: String,
    pub hint: String,
    /// How long the service asked to wait.
    pub wait: Option<Duration>,
    /// What the command had spent until then.
    pub spent: SpentShape,
}

impl CommandProblem {
    pub fn new(exit: Exit, sentence: impl Into<String>, hint: impl Into<String>) -> CommandProblem {
        CommandProblem {
            exit,
            code: Code::of(exit),
            sentence: sentence.into(),
            hint: hint.into(),
            wait: None,
            spent: SpentShape::default(),
        }
    }

    /// The same with a code that says more than its exit.
    pub fn code(self, code: Code) -> CommandProblem {
        debug_assert_eq!(code.exit(), self.exit, "the code belongs to the exit");
        CommandProblem { code, ..self }
    }

    pub fn spent(self, charged: u64, unknown: u64) -> CommandProblem {
        CommandProblem { spent: SpentShape { charged, unknown }, ..self }
    }

    /// The same with how long the service asks to wait, if that is not known yet.
    pub fn waits(self, wait: Option<Duration>) -> CommandProblem {
        CommandProblem { wait: self.wait.or(wait), ..self }
    }

    /// The same as one line of JSON.
    pub fn json(&self) -> String {
        let retry_after_s = self.wait.map(|wait| wait.as_millis().div_ceil(1000) as u64);
        let error = ErrorShape {
            code: self.code,
            exit: self.exit.code(),
            message: self.sentence.clone(),
            hint: self.hint.clone(),
            retry_after_s,
            safe_to_retry: self.code.is_safe_to_retry() && self.spent.unknown == 0,
            spent: self.spent,
        };
        super::output::json::line(&ErrorLine { error })
    }

    /// The two lines of the error stream.
    pub fn lines(&self) -> [String; 2] {
        [format!("lode: {}", self.sentence), format!("hint: {}", self.hint)]
    }

    pub fn say(&self, fx: &mut Vec<Effect>) {
        fx.push(Effect::Fail { words: self.lines(), json: self.json() });
    }

    /// Says it and leaves.
    pub fn end(&self, fx: &mut Vec<Effect>) {
        self.say(fx);
        fx.push(Effect::Quit(self.exit.code()));
    }

    /// No key for the service in this profile: nothing was asked.
    pub fn no_key(source: Source) -> CommandProblem {
        let variable = match source {
            Source::Workspace => "LODE_WORKSPACE_URL and LODE_WORKSPACE_KEY",
            Source::Data => "LODE_DATA_URL and LODE_DATA_KEY",
        };
        let problem = CommandProblem::new(
            Exit::Key,
            format!("this profile has no key for the {} API", source.title()),
            format!("run `lode` to add one, or set {variable}; `lode doctor` shows what is set"),
        );
        problem.code(Code::NoKey)
    }

    /// Why a call to a service has no good answer.
    pub fn of_call(source: Source, failure: &Failure) -> CommandProblem {
        use Refusal::{Address, Credits, Key, Redirect, Request, Scope};
        let service = format!("the {} API", source.title());
        let words = sentence(failure.words());
        let (code, sentence, hint) = match failure {
            Failure::Later { wait, .. } => {
                let sentence = match wait {
                    Some(wait) => format!("{service} asked to wait {}, longer than this command waits", seconds(*wait)),
                    None => format!("{service} kept asking to wait longer than this command does"),
                };
                let hint = "run the command again later; `lode doctor` shows how much of the rate limit is used";
                (Code::RateLimit, sentence, hint)
            }
            Failure::Refused { why, .. } => match why {
                Key => {
                    (Code::KeyRefused, format!("{service} refused the key: {words}"), "`lode doctor` checks the keys")
                }
                Scope => {
                    (Code::Scope, format!("the key lacks the scope for this: {words}"), "`lode me` shows its scopes")
                }
                Credits => (Code::NoCredits, format!("no credits: {words}"), "`lode me` shows the balance"),
                Address => {
                    let sentence =
                        format!("{service} does not have this endpoint; the address is probably wrong: {words}");
                    (Code::Address, sentence, "`lode doctor` shows the address")
                }
                Redirect => {
                    let hint = "`lode doctor` shows the address in use; redirects are never followed";
                    (Code::Address, format!("{service} cannot be used at this address: {words}"), hint)
                }
                Request => {
                    (Code::Refused, format!("{service} refused the request: {words}"), "see the command's `--help`")
                }
            },
            Failure::Unclear { .. } => (
                Code::Unavailable,
                format!("no usable answer from {service}: {words}"),
                "`lode doctor` checks the services",
            ),
            Failure::Unsent { .. } => (
                Code::Unavailable,
                format!("{service} cannot be reached: {words}"),
                "`lode doctor` checks the services",
            ),
            Failure::Disk { .. } => (Code::File, words, "use `-o FILE` to write it somewhere else"),
            Failure::OurBug { .. } => {
                (Code::Bug, format!("this is a bug in lode: {words}"), "`lode info` shows where the log is")
            }
        };
        let wait = match failure {
            Failure::Later { wait, .. } => *wait,
            _ => None,
        };
        CommandProblem { wait, ..CommandProblem::new(code.exit(), sentence, hint).code(code) }
    }

    pub fn of_store(failure: &StoreFailure) -> CommandProblem {
        let hint = match failure {
            StoreFailure::Lost(_) => "run `lode ledger check` to see what to do",
            StoreFailure::Corrupt(_) => RESTORE,
            _ => "`lode doctor` checks the state folder",
        };
        CommandProblem::new(Exit::Failed, failure.to_string(), hint).code(Code::Store)
    }

    pub fn of_file(failure: &FileFailure) -> CommandProblem {
        CommandProblem::new(Exit::Failed, sentence(&failure.words), "`lode info` shows the folders in use")
            .code(Code::File)
    }
}

/// Words without the full stop at the end: they become part of a longer sentence.
fn sentence(words: &str) -> String {
    let words = words.trim().trim_end_matches('.');
    if words.is_empty() { "no reason given".to_owned() } else { words.to_owned() }
}

/// `23 s`, and minutes where seconds say nothing any more.
pub fn seconds(wait: Duration) -> String {
    let whole = wait.as_millis().div_ceil(1000);
    if whole < 120 { format!("{whole} s") } else { format!("{} min", whole.div_ceil(60)) }
}
