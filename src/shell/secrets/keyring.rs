//! The system keyring, through the program that each system has for it: `secret-tool` (libsecret) or `security` (macOS).
//!
//! Linking a client instead would bring D-Bus, its macros and some sixty crates for two calls a run. The key goes through
//! pipes, never through arguments, which every process can read.

use std::process::Command;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretSlice, SecretString};

use super::child::{Ran, run};
use super::{KeyProblem, Owner};

/// Long enough to type the keyring's password when it asks for it.
const PATIENCE: Duration = Duration::from_secs(60);

const MAC: bool = cfg!(target_os = "macos");
const PROGRAM: &str = if MAC { "security" } else { "secret-tool" };

/// The origin is part of the name: a key that was stored for one is not found for another.
fn account(owner: Owner<'_>) -> String {
    format!("{}/{}@{}", owner.profile, owner.source, owner.origin)
}

pub(super) fn read(owner: Owner<'_>) -> Result<SecretString, KeyProblem> {
    let mut command = Command::new(PROGRAM);
    let account = account(owner);
    if MAC {
        command.args(["find-generic-password", "-s", "lode", "-a", &account, "-w"]);
    } else {
        command.args(["lookup", "service", "lode", "account", &account]);
    }
    match run(command, None, PATIENCE) {
        Ran::Done { code: Some(0), printed, .. } if !printed.expose_secret().is_empty() => {
            let text = String::from_utf8(printed.expose_secret().to_vec());
            let text = text.map_err(|_| problem("what the keyring holds for lode is no text"))?;
            Ok(SecretString::from(text.trim_end().to_owned()))
        }
        // Nothing found is a silent failure of secret-tool and code 44 of security; a refusal says something.
        Ran::Done { code: Some(44), .. } | Ran::Done { complained: false, .. } => {
            Err(problem(format!("the system keyring holds no {} key for {}", owner.source.title(), owner.origin)))
        }
        other => Err(refusal(&other)),
    }
}

pub(super) fn write(owner: Owner<'_>, key: &SecretString) -> Result<(), KeyProblem> {
    let mut command = Command::new(PROGRAM);
    let account = account(owner);
    let input = if MAC {
        command.arg("-i");
        format!("add-generic-password -U -s lode -a {} -w {}\n", quoted(&account), quoted(key.expose_secret()))
    } else {
        let label = format!("lode: {} {} key", owner.profile, owner.source.title());
        command.args(["store", "--label", &label, "service", "lode", "account", &account]);
        key.expose_secret().to_owned()
    };
    match run(command, Some(&SecretSlice::from(input.into_bytes())), PATIENCE) {
        // What cannot be read back was not kept.
        Ran::Done { code: Some(0), .. } => match read(owner) {
            Ok(kept) if kept.expose_secret() == key.expose_secret() => Ok(()),
            _ => Err(problem("the system keyring took the key and does not give it back")),
        },
        other => Err(refusal(&other)),
    }
}

pub(super) fn remove(owner: Owner<'_>) -> Result<(), KeyProblem> {
    let mut command = Command::new(PROGRAM);
    let account = account(owner);
    if MAC {
        command.args(["delete-generic-password", "-s", "lode", "-a", &account]);
    } else {
        command.args(["clear", "service", "lode", "account", &account]);
    }
    match run(command, None, PATIENCE) {
        Ran::Done { code: Some(0 | 44), .. } | Ran::Done { complained: false, .. } => Ok(()),
        other => Err(refusal(&other)),
    }
}

/// Asks for an entry that nobody has: a keyring that answers "no" works.
pub(super) fn works() -> Result<(), KeyProblem> {
    let mut command = Command::new(PROGRAM);
    if MAC {
        command.arg("default-keychain");
    } else {
        command.args(["lookup", "service", "lode", "account", "nobody"]);
    }
    match run(command, None, PATIENCE) {
        Ran::Done { code: Some(0), .. } | Ran::Done { complained: false, .. } => Ok(()),
        other => Err(refusal(&other)),
    }
}

fn refusal(ran: &Ran) -> KeyProblem {
    match ran {
        Ran::NotStarted(error) if error.kind() == std::io::ErrorKind::NotFound => {
            problem(format!("this system has no keyring that lode can use: `{PROGRAM}` is not installed"))
        }
        Ran::NotStarted(error) => problem(format!("`{PROGRAM}` could not be started: {error}")),
        Ran::TooSlow => {
            problem(format!("the system keyring is locked: it did not answer within {} seconds", PATIENCE.as_secs()))
        }
        Ran::Done { code, .. } => {
            let code = code.map_or_else(String::new, |code| format!(" ({PROGRAM} exit code {code})"));
            problem(format!("the system keyring refused or is not running{code}"))
        }
    }
}

fn problem(words: impl Into<String>) -> KeyProblem {
    KeyProblem::new(words, "`lode` then P keeps the key elsewhere: a command that prints it, or a private file")
}

/// One word of the little language that `security -i` reads.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
