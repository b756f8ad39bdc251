//! Work on the user's own files, each call whole or not at all.
//!
//! Exports that stream are in `host::export`; the state of the program is in `host::store`.

use std::path::Path;

use lode_core::Wall;
use lode_engine::effect::{FileCall, FileFailure, FileReply};

use super::export;
use super::files::{Folders, atomic, list};
use super::system::files::room;

/// One call that is about files alone. Saved searches have a shelf of their own.
pub fn perform(call: FileCall, folders: &Folders, at: Wall) -> Result<FileReply, FileFailure> {
    match call {
        FileCall::WriteRows { target, rows } => export::write_rows(&target, &rows, folders, at).map(FileReply::Written),
        FileCall::CheckTarget(target) => export::check(&target, folders).map(|()| FileReply::Done),
        FileCall::JoinParts { parts, target, not } => {
            export::join(&parts, &target, &not, folders, at).map(FileReply::Written)
        }
        FileCall::RemoveParts(parts) => {
            export::remove(&parts);
            Ok(FileReply::Done)
        }
        FileCall::ReadList(path) => read_list(&folders.named(&path)).map(FileReply::Text),
        FileCall::Room(path) => {
            let path = folders.named(&path.unwrap_or_default());
            let folder = if path.is_dir() { &path } else { atomic::folder_of(&path) };
            let free = room(folder).map_err(|error| FileFailure { words: atomic::sentence(&path, &error) })?;
            Ok(FileReply::Room { free })
        }
        FileCall::Exists(path) => {
            let path = folders.named(&path);
            Ok(FileReply::Exists(path.is_file().then_some(path)))
        }
        FileCall::ListForms => Ok(FileReply::Forms(export::own_forms(folders))),
        FileCall::StopExport { .. }
        | FileCall::Open(_)
        | FileCall::Run { .. }
        | FileCall::StopRun { .. }
        | FileCall::Saved(_)
        | FileCall::ReadProfile { .. } => Err(FileFailure { words: "this work is done elsewhere".to_owned() }),
    }
}

fn read_list(path: &Path) -> Result<String, FileFailure> {
    let problem = |words: &str| FileFailure { words: format!("{} cannot be read: {words}", path.display()) };
    let there = std::fs::metadata(path).map_err(|error| problem(&error.to_string()))?;
    if there.len() > list::MOST {
        return Err(problem(&list::too_large()));
    }
    let file = std::fs::File::open(path).map_err(|error| problem(&error.to_string()))?;
    list::read(file).map_err(|words| problem(&words))
}
