//! The signals that end lode, counted as a person would: closing a terminal is one reason to end, however often it is said.
//!
//! A terminal hangs up on the program and then closes the line. A shell passes the signal on, and the system sends its own
//! when the shell ends. systemd sends SIGHUP right after SIGTERM. A second reason to end gives up on answers that were paid
//! for, so none of these must count as one.

use std::time::{Duration, Instant};

use super::system::{ExitCause, signals::End};

/// What a closing terminal says within this time after the first reason to end belongs to it.
const ONE_CLOSING: Duration = Duration::from_secs(1);

pub struct ExitSignals {
    end: End,
    /// When the first reason to end came.
    since: Option<Instant>,
}

impl ExitSignals {
    pub fn listen() -> ExitSignals {
        ExitSignals { end: End::listen(true), since: None }
    }

    /// The same without Ctrl-C, where that is read as a key.
    pub fn listen_but_to_ctrl_c() -> ExitSignals {
        ExitSignals { end: End::listen(false), since: None }
    }

    /// Resolves with the next reason to end.
    pub async fn recv(&mut self) {
        while self.end.recv().await == ExitCause::Closed && self.since.is_some_and(|at| at.elapsed() < ONE_CLOSING) {}
        self.since.get_or_insert_with(Instant::now);
    }

    /// The terminal is gone: the signal that says so is still to come, and no second reason.
    pub fn terminal_is_gone(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }
}
