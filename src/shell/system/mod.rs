//! Everything that depends on the operating system, under one set of names: private files, locks, links, processes, signals,
//! the terminal's two ends, the machine's clock, and what tells of a change to a file.
//!
//! Nothing outside this room asks which system it runs on. What a system cannot do is told by the function that would do
//! it, never by a `cfg` in another room.

#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub use unix::{clock, files, processes, signals, terminal, watch};
