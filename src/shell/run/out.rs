//! What leaves the loop: bytes to the terminal, links to the desktop.
#![allow(clippy::disallowed_methods)] // A program of the desktop is started.

use std::io;

use crate::domain::link::is_web;
use crate::shell::crash;

pub(super) fn put(bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    // Past the buffer of standard output, which would make a second write of what follows the last line feed.
    let out = io::stdout().lock();
    // Another thread broke and gave the terminal back: a frame on top of that would be the last thing to be seen.
    if crash::is_falling() {
        return Ok(());
    }
    let mut rest = bytes;
    while !rest.is_empty() {
        match rustix::io::write(&out, rest) {
            Ok(written) => rest = &rest[written..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Hands a link to the desktop, http(s) only. Whether somebody opens it is not ours to know.
pub(super) fn open_link(link: &str) {
    if !is_web(link) {
        return;
    }
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = std::process::Stdio::null;
    let _ = std::process::Command::new(program).arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
}
