//! Work on the user's own files: saved searches, exports.

use super::*;

#[derive(Clone, Debug, PartialEq)]
pub enum FileCall {
    /// Answer to a listing: [`FileReply::Saved`].
    Saved(SavedCall),
    /// Rows that are already here, in the form of the target, written whole: part, sync, rename.
    WriteRows { target: ExportTarget, rows: Vec<Row> },
    /// Whether an export of that name and form can be written, before anything is asked for.
    CheckTarget(ExportTarget),
    /// Exports of several searches as one file, each id once. The parts are removed, whatever comes of it.
    /// `not`: what is left out of them.
    JoinParts { parts: Vec<PathBuf>, target: ExportTarget, not: Exclusions },
    /// Removes parts that are not joined.
    RemoveParts(Vec<PathBuf>),
    /// Ends a streaming export now. No answer is reported for its call any more, this one is.
    StopExport { call: CallId, keep: bool },
    /// A program of the person's own: words that no shell reads, and its standard input. Answer: [`FileReply::Ran`].
    Run { words: Vec<String>, input: Arc<Vec<u8>> },
    /// Ends a program with everything it started; its own answer says how it ended.
    StopRun { run: Ticket },
    /// Opens where a row leads with another program. Answer: [`FileReply::NoProgram`] where there is none, as over SSH; else when that
    /// program ended.
    Open(Box<Lead>),
    /// How many bytes the disk of an export can take.
    Room(Option<PathBuf>),
    /// Whether a file of this name is there, for an export that must not replace it unasked.
    Exists(PathBuf),
    /// The export forms that the person made: names of files in the presets folder.
    ListForms,
    /// A file of the person's that lists addresses; relative to where the shell was started.
    ReadList(PathBuf),
    /// The profile in use, as settings and keys have it now. Answer: [`FileReply::Profile`].
    /// `ask_key`: Ask the keyring or the key command too, however recently they were asked.
    ReadProfile { ask_key: bool },
}

/// Work on the saved searches of the profile.
#[derive(Clone, Debug, PartialEq)]
pub enum SavedCall {
    /// All of them.
    List,
    /// A search under a new name. Answer: [`FileReply::Taken`] where another search has the name.
    Add(SavedSearch),
    /// What is remembered of a search beside its file. Nothing where the file is gone or asks something else by now.
    Note(SavedSearch),
    /// A search under another name; its file is replaced by `to`.
    Rename { from: String, to: SavedSearch },
    /// Deletes the file of a search.
    Remove { name: String },
    /// An entry of the service's list that was removed here while the service kept it is not listed any more. The key of
    /// [`RemoteSaved::key`](lode_core::saved::RemoteSaved::key).
    Hide { key: String },
    /// A named view of the grid; without one, that name is removed.
    KeepView { name: String, view: Option<GridView> },
}

#[derive(Clone, Debug, PartialEq)]
pub enum FileReply {
    /// Saved searches, and the files that could not be read.
    /// `hidden`: keys of entries of the service that are not listed.
    /// `views`: The named views, and what is wrong in their file.
    Saved {
        saved: Vec<SavedSearch>,
        unreadable: Vec<Unreadable>,
        hidden: Vec<String>,
        views: (BTreeMap<String, GridView>, Option<String>),
    },
    /// It is done; there is nothing more to say.
    Done,
    /// The name belongs to another saved search: nothing was changed.
    Taken,
    /// The file is complete.
    Written(Exported),
    /// What a file holds.
    Text(String),
    /// What an export that was stopped left behind.
    Stopped { kept: Option<PathBuf>, rows: u64 },
    /// Free bytes of a disk.
    Room { free: u64 },
    /// Names of the export formats that the person made.
    Forms(Vec<String>),
    /// Where the file is, if it is there.
    Exists(Option<PathBuf>),
    /// There is no browser here to open this address.
    NoProgram(String),
    /// A program ended.
    Ran(ProgramEnd),
    /// `None` where the settings no longer have it.
    Profile(Option<Box<SavedProfile>>),
}

/// A profile as settings and keys have it at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedProfile {
    pub profile: Profile,
    /// What an assistant may spend without being asked.
    pub standing: Option<StandingGrant>,
}

/// How a program of the person's own ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramEnd {
    /// None: it was killed.
    pub code: Option<i32>,
    /// The first part of what it printed.
    pub out: String,
    pub err: String,
    /// Output was cut.
    pub cut: bool,
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
    /// What does not become complete is kept, under a name that says so.
    pub keep_incomplete: bool,
    /// A file of that name may be replaced: its owner said so.
    pub replace: bool,
}

/// The forms of an export, by the names that stand in lists and after `--format`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, AsRefStr, EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Form {
    /// As it came.
    Raw,
    /// CSV for people: formulas neutralised, phones and ZIPs exact.
    Contacts,
    /// A column map by name, from the presets: `hubspot`, `salesforce`, or the user's own. Whether it exists is known when the file is
    /// written.
    #[strum(transparent, default)]
    Preset(String),
    #[strum(serialize = "jsonl")]
    JsonLines,
    /// An Excel workbook with one worksheet: every cell is text, none is a formula.
    Xlsx,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    pub rows: u64,
    pub bytes: u64,
    pub elapsed: Duration,
    /// For how long nothing has come any more.
    pub quiet: Duration,
}

/// Bytes that are left free on a disk: an export that fills it to the brim would stop the books from being kept.
pub const SPARE: u64 = 64 << 20;

#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    pub path: PathBuf,
    pub rows: u64,
    pub bytes: u64,
    pub lint: ExportNotes,
    /// The first lines of the file.
    pub head: Vec<String>,
}

/// What the last line of an export says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportNotes {
    /// Cells that would have run as a formula and were made harmless.
    pub formulas: u64,
    /// Phone numbers written exactly as they came.
    pub phones: u64,
    /// Cells that were not valid UTF-8 and were passed on as they are (raw) or with replacement characters.
    pub not_text: u64,
    /// Rows with something in a cell for which the head has no column. Only raw keeps it.
    pub longer: u64,
    /// Rows left out, because another search of the same export had them.
    pub repeats: u64,
    /// Searches were joined that have no column of ids: what several of them had is there as often.
    pub no_ids: bool,
    /// Cells that were cut because a worksheet takes no longer ones.
    pub cut: u64,
    /// Rows that were left out, as the search wants it.
    pub excluded: u64,
}

impl ExportNotes {
    /// `0 formulas escaped, 214 phone numbers preserved`
    pub fn words(&self) -> String {
        let part = |count: u64, what: &str, rest: &str| (count > 0).then(|| format!("{} {rest}", counted(count, what)));
        let parts = [
            part(self.not_text, "cell", "not readable as text"),
            part(self.longer, "row", "longer than the header"),
            part(self.repeats, "row", "in more than one search written once"),
            self.no_ids.then(|| "no id column: rows in more than one search are repeated".to_owned()),
            part(self.cut, "cell", "cut to the length a worksheet takes"),
            part(self.excluded, "row", "excluded"),
        ];
        let touched =
            [counted(self.formulas, "formula") + " escaped", counted(self.phones, "phone number") + " preserved"];
        touched.into_iter().chain(parts.into_iter().flatten()).collect::<Vec<_>>().join(", ")
    }
}
