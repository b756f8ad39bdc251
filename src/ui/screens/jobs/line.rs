//! A line of the list of jobs.

use std::path::Path;

use crate::theme::Role;
use lode_core::credits::grouped;

/// A line of the list.
pub(super) struct Line {
    pub(super) kind: String,
    pub(super) what: String,
    pub(super) rows: String,
    pub(super) size: String,
    pub(super) state: String,
    pub(super) role: Role,
    /// How much of it is done, where it runs and that is known.
    pub(super) share: Option<(u64, u64)>,
}

impl Line {
    pub(super) fn of(kind: &str, what: String, rows: String, state: String) -> Line {
        Line { kind: kind.to_owned(), what, rows, size: String::new(), state, role: Role::Text, share: None }
    }
}

/// `262 of 1,050`
pub(super) fn of(done: u64, all: Option<u64>) -> String {
    match all {
        Some(all) => format!("{} of {}", grouped(done), grouped(all)),
        None => grouped(done),
    }
}

/// The folder is shown below the list and when the job is opened.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
