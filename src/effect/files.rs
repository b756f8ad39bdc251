//! Work on the user's own files: saved searches, exports.

use std::path::PathBuf;
use std::time::Duration;

use crate::domain::saved::Saved;

#[derive(Clone, Debug, PartialEq)]
pub enum FileCall {
    /// All saved searches of the profile.
    ListSaved,
    WriteSaved(Saved),
    RenameSaved {
        from: String,
        to: Saved,
    },
    RemoveSaved {
        name: String,
    },
    /// Entries of the service's list that were removed here while the service kept them: not listed any more. The keys of
    /// [`RemoteSaved::key`](crate::domain::saved::RemoteSaved::key), added to those hidden before.
    HideSaved {
        keys: Vec<String>,
    },
    /// Rows that are already here, written whole: part, sync, rename.
    Write {
        target: ExportTarget,
        bytes: Vec<u8>,
    },
    /// The column preferences, theme and the like: one small file of the state folder.
    ReadText(PathBuf),
}

#[derive(Clone, Debug, PartialEq)]
pub enum FileReply {
    /// Saved searches, and for files that could not be read their name and the reason.
    Saved {
        saved: Vec<Saved>,
        unreadable: Vec<(String, String)>,
        /// Keys of entries of the service that are not listed.
        hidden: Vec<String>,
    },
    Done,
    Written(Exported),
    Text(String),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct FileFailure {
    pub words: String,
}

/// Where an export goes and in which form.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportTarget {
    /// None: a name made from the query and the moment, in the folder the shell was started in.
    pub path: Option<PathBuf>,
    pub form: Form,
    /// What a cancelled stream leaves behind.
    pub keep_incomplete: bool,
}

/// The forms of an export.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// As it came.
    Raw,
    /// CSV for people: formulas neutralised, phones and ZIPs exact.
    Contacts,
    /// A column map by name, from the presets: `hubspot`, `salesforce`, or the user's own.
    Preset(String),
    JsonLines,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    pub rows: u64,
    pub bytes: u64,
    /// The total of the same query, once the parallel count answered.
    pub of: Option<u64>,
    pub elapsed: Duration,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    pub path: PathBuf,
    pub rows: u64,
    pub bytes: u64,
    pub lint: Lint,
}

/// What the last line of an export says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lint {
    /// Cells that would have run as a formula and were made harmless.
    pub formulas: u64,
    /// Phone numbers written exactly as they came.
    pub phones: u64,
    /// Cells that were not valid UTF-8 and were passed on as they are (raw) or with replacement characters.
    pub not_text: u64,
}
