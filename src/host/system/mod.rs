//! Everything that depends on the operating system, under one set of names: private files, locks, links, processes, signals,
//! the terminal's two ends, the keeper of secrets, the machine's clock, and what tells of a change to a file.
//!
//! `unix` and `windows` hold the same modules with the same functions. Nothing outside this room asks which system it runs
//! on. What a system cannot do is told by the function that would do it, never by a `cfg` in another room.

#[cfg(unix)]
mod unix;
#[cfg(not(target_os = "linux"))]
pub mod watch;
#[cfg(windows)]
mod windows;

use std::path::PathBuf;

use crossterm::event::Event;

/// The folders of lode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usual {
    pub config: PathBuf,
    /// What must not be lost.
    pub data: PathBuf,
    /// What can be found out again.
    pub state: PathBuf,
}

/// What came from the terminal.
pub enum Came {
    /// The number of bytes. Zero: the terminal is gone.
    Bytes(usize),
    /// A console of Windows tells of events.
    Events(Vec<Event>),
}

/// Why lode is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCause {
    /// Someone wants it to.
    Asked,
    /// The terminal or the session is closed.
    Closed,
}

/// What lode may be told again and again, where the system does so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemEvent {
    /// Ctrl-C, where the terminal makes a signal of it.
    Interrupted,
    /// A request to suspend, from outside.
    Stopped,
    /// Back from a suspension.
    Resumed,
    /// The terminal has a new size.
    Resized,
    /// SIGUSR1: debug builds break on purpose then.
    AskedToBreak,
}

#[cfg(target_os = "linux")]
pub use unix::watch;
#[cfg(unix)]
pub use unix::{MISSING, clock, files, folders, processes, signals, terminal, vault};
#[cfg(windows)]
pub use windows::{MISSING, clock, files, folders, processes, signals, terminal, vault};
