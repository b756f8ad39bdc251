//! The loop of the shell commands: performs what a program wants done, tells it what the world answers, prints.
#![allow(clippy::disallowed_methods)] // The shell waits, and reads the clock for everybody else.

use tokio::signal::unix::{SignalKind, signal};

/// Resolves with the first Ctrl-C, SIGTERM or SIGHUP. Where signals cannot be listened to, the system's own way ends us.
pub(super) async fn interrupted() {
    let listen = |kind| signal(kind).ok();
    let (mut interrupt, mut terminate, mut hangup) =
        (listen(SignalKind::interrupt()), listen(SignalKind::terminate()), listen(SignalKind::hangup()));
    let wait = async |signal: &mut Option<tokio::signal::unix::Signal>| match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    };
    tokio::select! {
        () = wait(&mut interrupt) => {}
        () = wait(&mut terminate) => {}
        () = wait(&mut hangup) => {}
    }
}
