//! Runs a program for what it prints, for a limited time. What it prints is a secret; what it complains of is not repeated.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretSlice};

use crate::own::without_keys;
use crate::system::processes::{end_group, in_own_group};

use super::Waiting;

/// Anything longer is not a key.
const MOST: u64 = 64 * 1024;
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
pub(super) fn run(mut command: Command, input: Option<&SecretSlice<u8>>, patience: Patience<'_>) -> Ran {
    // A group of its own, so that what it started ends with it.
    in_own_group(without_keys(&mut command));
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = match command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => return Ran::NotStarted(error),
    };
    let group = child.id();
    if let (Some(input), Some(mut pipe)) = (input, child.stdin.take()) {
        // It may end without reading: its exit code says more than the broken pipe.
        let _ = pipe.write_all(input.expose_secret());
    }
    let (done, ended) = mpsc::channel();
    thread::spawn(move || {
        let _ = done.send(collect(&mut child));
    });
    let mut ran = ended.recv_timeout(patience.most.min(SILENCE));
    if let (Err(_), Some((tell, words))) = (&ran, patience.waiting) {
        tell(words);
    }
    if ran.is_err() {
        ran = ended.recv_timeout(patience.most.saturating_sub(SILENCE));
    }
    match ran {
        Ok(ran) => ran,
        Err(_) => {
            end_group(group);
            Ran::TooSlow
        }
    }
}

fn collect(child: &mut Child) -> Ran {
    let complaints = child.stderr.take().map(|mut pipe| {
        thread::spawn(move || {
            let mut some = [0; 256];
            let mut any = false;
            while let Ok(1..) = pipe.read(&mut some) {
                any = true;
            }
            any
        })
    });
    let mut printed = Vec::new();
    if let Some(pipe) = child.stdout.take() {
        let _ = pipe.take(MOST).read_to_end(&mut printed);
    }
    let code = child.wait().ok().and_then(|status| status.code());
    let complained = complaints.is_some_and(|thread| thread.join().unwrap_or(false));
    Ran::Done { printed: SecretSlice::from(printed), code, complained }
}
