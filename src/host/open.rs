//! Opens an address with the browser, the mail program or the phone program of the person.
//!
//! The address is one argument of that program; no shell reads it, and it never begins with `-`.

use std::process::Stdio;

use lode_core::{Lead, LeadKind, MailTemplate};
use lode_engine::effect::{FileFailure, FileReply};

use super::config::mail;
use super::files::Folders;
use super::own::without_keys;
use super::system::processes::{in_own_group, opener};

/// Waits for the end of the program, which may be the end of the browser.
pub(crate) fn open(lead: &Lead, folders: &Folders) -> Result<FileReply, FileFailure> {
    let failed = |words: String| FileFailure { words };
    let template = match lead.kind {
        LeadKind::Mail => mail::template(&folders.config).map_err(|problem| failed(problem.to_string()))?,
        _ => MailTemplate::default(),
    };
    let address = lead.address(&template);
    let Some(mut command) = opener(&address) else { return Ok(FileReply::NoProgram(address)) };
    let program = command.get_program().to_string_lossy().into_owned();
    in_own_group(without_keys(&mut command));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(FileReply::Done),
        Ok(status) => Err(failed(format!("`{program}` could not open it ({status})"))),
        Err(error) => Err(failed(format!("`{program}` could not be started: {error}"))),
    }
}
