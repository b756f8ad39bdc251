//! What the loop hands to the desktop: links.

use crate::domain::link::is_web;

/// Hands a link to the desktop, http(s) only. Whether somebody opens it is not ours to know.
pub(super) fn open_link(link: &str) {
    if !is_web(link) {
        return;
    }
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = std::process::Stdio::null;
    let _ = std::process::Command::new(program).arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
}
