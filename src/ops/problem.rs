//! How a command ends: its exit, and for a failure a sentence, a hint that names a command, and a code for programs.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use strum::{FromRepr, VariantArray};

use lode_core::Source;
use lode_engine::effect::{Effect, Failure, FileFailure, RESTORE, Refusal, StoreFailure};

/// The exit codes of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, FromRepr, VariantArray)]
#[repr(u8)]
pub enum Exit {
    /// Done, also when nothing matched.
    Done = 0,
    Failed = 1,
    Usage = 2,
    /// Stopped by a limit.
    Capped = 3,
    /// The key is missing or refused.
    Key = 4,
    /// The key has no permission.
    Scope = 5,
    /// Credits ran out, part done.
    Credits = 6,
    /// The rate limit, gave up.
    Rate = 7,
    /// Network or service.
    Network = 8,
    /// The outcome of an unlock is unknown.
    Unknown = 9,
    Interrupted = 130,
}

impl Exit {
    pub const ALL: &[Exit] = Exit::VARIANTS;

    /// What it means, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Exit::Done => "done, also when nothing matched",
            Exit::Failed => "failed",
            Exit::Usage => "wrong usage",
            Exit::Capped => "stopped before spending by a limit or a list",
            Exit::Key => "key missing or refused",
            Exit::Scope => "key has no permission",
            Exit::Credits => "credits ran out, part done",
            Exit::Rate => "rate limit, gave up",
            Exit::Network => "network or service",
            Exit::Unknown => "outcome unknown: run `lode recover`",
            Exit::Interrupted => "interrupted",
        }
    }

    pub fn code(self) -> u8 {
        self as u8
    }

    /// The exit of a code that a flow worked out.
    pub fn of(code: u8) -> Exit {
        Exit::from_repr(code).unwrap_or(Exit::Failed)
    }
}

// Hints of several failures.
pub const CHECK_KEYS: &str = "`lode doctor` checks the keys";
pub const CHECK_SERVICES: &str = "`lode doctor` checks the services";
pub const CHECK_STATE: &str = "`lode doctor` checks the state folder";
pub const SHOW_BALANCE: &str = "`lode me` shows the balance";
pub const SHOW_SCOPES: &str = "`lode me` shows its scopes";

/// Why a command failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, VariantArray)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// Invalid arguments or input.
    Usage,
    /// The settings cannot be used.
    Settings,
    /// A file cannot be read or written.
    File,
    /// The store cannot do its work.
    Store,
    /// The service refused the request itself.
    Refused,
    /// Something named does not exist.
    NotFound,
    /// A check found something that needs attention.
    Unhealthy,
    /// This is a bug in lode.
    Bug,
    /// Any other failure.
    Failed,
    /// A limit was reached.
    Capped,
    /// Suppression lists cannot be checked for some contacts.
    Unchecked,
    /// A person has to accept this first.
    NotAccepted,
    /// The key is missing.
    NoKey,
    /// The service refused the key.
    KeyRefused,
    /// The key has no permission.
    Scope,
    /// Credits ran out.
    NoCredits,
    /// The rate limit: try again later.
    RateLimit,
    /// The service cannot be reached, or gives no usable answer.
    Unavailable,
    /// The address is wrong.
    Address,
    /// The result of an unlock is unknown.
    UnknownResult,
    /// The command was interrupted.
    Interrupted,
}

impl Code {
    pub const ALL: &[Code] = Code::VARIANTS;

    pub fn exit(self) -> Exit {
        use Code::*;
        match self {
            Usage | Settings => Exit::Usage,
            File | Store | Refused | NotFound | Unhealthy | Bug | Failed => Exit::Failed,
            Capped | Unchecked | NotAccepted => Exit::Capped,
            NoKey | KeyRefused => Exit::Key,
            Scope => Exit::Scope,
            NoCredits => Exit::Credits,
            RateLimit => Exit::Rate,
            Unavailable | Address => Exit::Network,
            UnknownResult => Exit::Unknown,
            Interrupted => Exit::Interrupted,
        }
    }

    /// Whether the same command can succeed if it runs again, without paying twice for anything.
    pub fn is_safe_to_retry(self) -> bool {
        matches!(self, Code::RateLimit | Code::Unavailable | Code::Interrupted)
    }
}

/// The code of a failure of which no more than the exit is known: the first one that leads to it.
impl From<Exit> for Code {
    fn from(exit: Exit) -> Code {
        match exit {
            Exit::Done | Exit::Failed => Code::Failed,
            Exit::Key => Code::KeyRefused,
            _ => *Code::ALL.iter().find(|code| code.exit() == exit).expect("every exit has a code"),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ErrorShape {
    pub code: Code,
    /// The exit code of the process.
    pub exit: u8,
    pub message: String,
    pub hint: String,
    /// How many seconds the service asks to wait, if it says so.
    pub retry_after_s: Option<u64>,
    /// The same command may run again: it can succeed, and it pays for nothing twice.
    pub safe_to_retry: bool,
    pub spent: SpentShape,
}

/// Credits of this command: charged for certain, and perhaps charged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpentShape {
    pub charged: u64,
    pub unknown: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandProblem {
    pub code: Code,
    pub sentence: String,
    pub hint: String,
    /// How long the service asked to wait.
    pub wait: Option<Duration>,
    /// What the command had spent until then.
    pub spent: SpentShape,
}

impl CommandProblem {
    /// An exit stands for the code of which no more is known.
    pub fn new(code: impl Into<Code>, sentence: impl Into<String>, hint: impl Into<String>) -> CommandProblem {
        let (code, sentence, hint) = (code.into(), sentence.into(), hint.into());
        CommandProblem { code, sentence, hint, wait: None, spent: SpentShape::default() }
    }

    /// Refuses wrong usage.
    pub fn refuse_if(wrong: bool, words: impl Into<String>, hint: impl Into<String>) -> Result<(), CommandProblem> {
        if wrong { Err(CommandProblem::new(Exit::Usage, words, hint)) } else { Ok(()) }
    }

    pub fn exit(&self) -> Exit {
        self.code.exit()
    }

    /// The same with how long the service asks to wait, if that is not known yet.
    pub fn waits(self, wait: Option<Duration>) -> CommandProblem {
        CommandProblem { wait: self.wait.or(wait), ..self }
    }

    /// The same as one line of JSON.
    pub fn json(&self) -> String {
        let retry_after_s = self.wait.map(|wait| wait.as_millis().div_ceil(1000) as u64);
        let CommandProblem { code, sentence: message, hint, spent, .. } = self.clone();
        let (exit, safe_to_retry) = (code.exit().code(), code.is_safe_to_retry() && spent.unknown == 0);
        let error = ErrorShape { code, exit, message, hint, retry_after_s, safe_to_retry, spent };
        json!({"error": error}).to_string()
    }

    /// The two lines of the error stream.
    pub fn lines(&self) -> [String; 2] {
        [format!("lode: {}", self.sentence), format!("hint: {}", self.hint)]
    }

    pub fn say(&self, fx: &mut Vec<Effect>) {
        fx.push(Effect::Fail { words: self.lines(), json: self.json() });
    }

    /// No key for the service in this profile: nothing was asked.
    pub fn no_key(source: Source) -> CommandProblem {
        let name = source.name().to_uppercase();
        let words = format!("this profile has no key for the {} API", source.title());
        let hint = format!(
            "run `lode` to add one, or set LODE_{name}_URL and LODE_{name}_KEY; `lode doctor` shows what is set"
        );
        CommandProblem::new(Code::NoKey, words, hint)
    }

    /// Why a call to a service has no good answer.
    pub fn of_call(source: Source, failure: &Failure) -> CommandProblem {
        use Refusal::{Address, Credits, Key, Redirect, Request, Scope};
        let service = format!("the {} API", source.title());
        let (code, what, hint) = match failure {
            Failure::Later { wait, .. } => {
                let sentence = match wait {
                    Some(wait) => format!("{service} asked to wait {}, longer than this command waits", seconds(*wait)),
                    None => format!("{service} kept asking to wait longer than this command does"),
                };
                let hint = "run the same command again later";
                return CommandProblem::new(Code::RateLimit, sentence, hint).waits(*wait);
            }
            Failure::Disk { .. } => {
                let hint = "use `-o FILE` to write it somewhere else";
                return CommandProblem::new(Code::File, sentence(failure.words()), hint);
            }
            Failure::Refused { why, .. } => match why {
                Key => (Code::KeyRefused, format!("{service} refused the key"), CHECK_KEYS),
                Scope => (Code::Scope, "the key has no permission for this".to_owned(), SHOW_SCOPES),
                Credits => (Code::NoCredits, "no credits".to_owned(), SHOW_BALANCE),
                Address => {
                    let what = format!("{service} does not have this endpoint; the address is probably wrong");
                    (Code::Address, what, "`lode doctor` shows the address")
                }
                Redirect => {
                    let hint = "`lode doctor` shows the address in use; redirects are never followed";
                    (Code::Address, format!("{service} cannot be used at this address"), hint)
                }
                Request => (Code::Refused, format!("{service} refused the request"), "see the command's `--help`"),
            },
            Failure::Unclear { .. } => (Code::Unavailable, format!("no usable answer from {service}"), CHECK_SERVICES),
            Failure::Unsent { .. } => (Code::Unavailable, format!("{service} cannot be reached"), CHECK_SERVICES),
            Failure::OurBug { .. } => {
                (Code::Bug, "this is a bug in lode".to_owned(), "`lode info` shows where the log is")
            }
        };
        CommandProblem::new(code, format!("{what}: {}", sentence(failure.words())), hint)
    }

    pub fn of_store(failure: &StoreFailure) -> CommandProblem {
        let hint = match failure {
            StoreFailure::Lost(_) => "run `lode ledger check` to see what to do",
            StoreFailure::Corrupt(_) => RESTORE,
            _ => CHECK_STATE,
        };
        CommandProblem::new(Code::Store, failure.to_string(), hint)
    }

    pub fn of_file(failure: &FileFailure) -> CommandProblem {
        CommandProblem::new(Code::File, sentence(&failure.words), "`lode info` shows the folders in use")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exit_but_0_has_a_code_that_leads_back_to_it() {
        for exit in Exit::ALL.iter().filter(|exit| **exit != Exit::Done) {
            assert_eq!(Code::from(*exit).exit(), *exit);
        }
        assert_eq!([Exit::Usage, Exit::Capped].map(Code::from), [Code::Usage, Code::Capped]);
        assert_eq!(Code::from(Exit::Network), Code::Unavailable);
        for code in Code::ALL {
            assert_ne!(code.exit(), Exit::Done, "{code:?}");
        }
    }
}
