//! Everything that depends on the operating system, under one set of names: private files, locks, links, processes, signals,
//! the terminal's two ends, the keeper of secrets, the machine's clock, and what tells of a change to a file.
//!
//! `unix` and `windows` hold the same modules with the same functions. Nothing outside this room asks which system it runs
//! on. What a system cannot do is told by the function that would do it, never by a `cfg` in another room.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{MISSING, clock, files, folders, processes, runtime, signals, terminal, vault, watch};
#[cfg(windows)]
pub use windows::{MISSING, clock, files, folders, processes, runtime, signals, terminal, vault, watch};
