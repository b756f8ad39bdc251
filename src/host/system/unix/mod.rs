//! Linux, macOS and their relatives.

/// What lode does elsewhere and not here, one sentence each.
#[cfg(target_os = "linux")]
pub const MISSING: &[&str] = &[];
#[cfg(not(target_os = "linux"))]
pub const MISSING: &[&str] =
    &["settings that another program changes are read when the window gets the focus, not at once"];

pub mod clock;
pub mod files;
pub mod folders;
pub mod processes;
pub mod signals;
pub mod terminal;
pub mod vault;
#[cfg(target_os = "linux")]
pub mod watch;
