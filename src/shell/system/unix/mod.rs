//! Linux, macOS and their relatives.

pub mod clock;
pub mod files;
pub mod processes;
pub mod signals;
pub mod terminal;
pub mod watch;
