//! Runs a program with a time limit and reads its output, which is a secret. Its errors are not repeated.

use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretSlice};

use crate::own::{Attended, attend, without_keys};
use crate::system::processes::{end_group, in_own_group};

use super::Waiting;

/// After this the user may be asked for a password and should know why.
const SILENCE: Duration = Duration::from_secs(2);

/// How long a program may take, and what is told when it lets its caller wait.
#[derive(Clone, Copy)]
pub(super) struct Patience<'a> {
    pub(super) most: Duration,
    /// Who is told, and in which words.
    pub(super) waiting: Option<(Waiting<'a>, &'static str)>,
}

impl Patience<'static> {
    /// No progress is reported.
    pub(super) fn silent(most: Duration) -> Patience<'static> {
        Patience { most, waiting: None }
    }
}

pub(super) enum Ran {
    /// Ended by itself: what it printed, and whether it called that a success.
    Done { printed: SecretSlice<u8>, code: Option<i32>, complained: bool },
    /// Did not end in time and was stopped.
    TooSlow,
    /// There is no such program, or it may not be run.
    NotStarted(std::io::Error),
}

/// Runs `command` with `input` on its standard input.
pub(super) fn run(mut command: Command, input: Option<SecretSlice<u8>>, patience: Patience<'_>) -> Ran {
    // A group of its own, so that what it started ends with it.
    in_own_group(without_keys(&mut command));
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let child = match command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => return Ran::NotStarted(error),
    };
    let group = child.id();
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        let input = input.as_ref().map_or(&[] as &[u8], |input| input.expose_secret());
        let _ = done.send(attend(child, input));
    });
    let mut ran = ended.recv_timeout(patience.most.min(SILENCE));
    if let (Err(_), Some((tell, words))) = (&ran, patience.waiting) {
        tell(words);
    }
    if ran.is_err() {
        ran = ended.recv_timeout(patience.most.saturating_sub(SILENCE));
    }
    match ran {
        Ok(Attended { code, out, err, .. }) => {
            Ran::Done { printed: SecretSlice::from(out), code, complained: !err.is_empty() }
        }
        Err(_) => {
            end_group(group);
            Ran::TooSlow
        }
    }
}
