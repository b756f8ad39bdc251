//! The rest of a test screen, for a robot that presses anything: counts, saved searches, exports and the user's files, answered
//! plausibly. What each of these really does has its own tests against the sandbox and the disk.

use std::collections::BTreeMap;

use lode_core::saved::{RemoteSaved, SavedSearch, Unreadable};
use lode_core::{Count, CountKind, Counts};
use lode_core::{GridView, MailTemplate};
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::files::{
    ExportNotes, ExportTarget, Exported, FileCall, FileFailure, FileReply, ProgramEnd, SavedCall,
};

/// The user's files, in memory.
#[derive(Default)]
pub struct Files {
    pub saved: Vec<SavedSearch>,
    pub views: BTreeMap<String, GridView>,
    /// The file that a list is read from.
    pub list: Option<String>,
}

impl Files {
    pub fn perform(&mut self, call: FileCall) -> Result<FileReply, FileFailure> {
        Ok(match call {
            FileCall::Saved(SavedCall::List) => {
                let unreadable = vec![Unreadable {
                    file: "broken".to_owned(),
                    why: "line 3: it is not TOML".to_owned(),
                    name: None,
                }];
                FileReply::Saved {
                    saved: self.saved.clone(),
                    unreadable,
                    hidden: Vec::new(),
                    views: (self.views.clone(), None),
                }
            }
            FileCall::Saved(SavedCall::Add(saved) | SavedCall::Note(saved)) => {
                self.saved.retain(|known| known.name != saved.name);
                self.saved.push(saved);
                FileReply::Done
            }
            FileCall::Saved(SavedCall::Rename { from, to }) => {
                self.saved.retain(|known| known.name != from);
                self.saved.push(to);
                FileReply::Done
            }
            FileCall::Saved(SavedCall::Remove { name }) => {
                self.saved.retain(|known| known.name != name);
                FileReply::Done
            }
            FileCall::Saved(SavedCall::KeepView { name, view }) => {
                self.views.remove(&name);
                self.views.extend(view.map(|view| (name, view)));
                FileReply::Done
            }
            FileCall::Saved(SavedCall::Hide { .. })
            | FileCall::StopRun { .. }
            | FileCall::CheckTarget(_)
            | FileCall::RemoveParts(_) => FileReply::Done,
            FileCall::JoinParts { target, parts, .. } => FileReply::Written(exported(&target, parts.len() as u64)),
            FileCall::Open(lead) => FileReply::NoProgram(lead.address(&MailTemplate::default())),
            FileCall::Run { .. } => FileReply::Ran(ProgramEnd { code: Some(0), ..ProgramEnd::default() }),
            FileCall::WriteRows { target, rows } => FileReply::Written(exported(&target, rows.len() as u64)),
            FileCall::StopExport { keep, .. } => {
                FileReply::Stopped { kept: keep.then(|| "leads.incomplete.csv".into()), rows: 30 }
            }
            FileCall::ListForms => FileReply::Forms(vec!["mine".to_owned()]),
            FileCall::Exists(path) => FileReply::Exists(path.ends_with("there.csv").then_some(path)),
            FileCall::Room(_) => FileReply::Room { free: 10 << 30 },
            FileCall::ReadProfile { .. } => FileReply::Profile(None),
            FileCall::ReadList(_) => {
                let list = self.list.clone();
                FileReply::Text(list.unwrap_or_else(|| "email\ndana@lakeside.example\n".to_owned()))
            }
        })
    }
}

fn exported(target: &ExportTarget, rows: u64) -> Exported {
    let path = target.path.clone().unwrap_or_else(|| "leads.csv".into());
    Exported {
        path,
        rows,
        bytes: rows * 180,
        lint: ExportNotes { phones: rows, ..ExportNotes::default() },
        head: Vec::new(),
    }
}

/// Answers of the Data API beside its search. Its list of saved searches takes nothing and says yes.
pub fn reply(call: &Call) -> Reply {
    match call {
        Call::Counts(_) => {
            let of = |kind, code: &str, count| Count { kind, code: code.to_owned(), name: String::new(), count };
            let counts = vec![
                of(CountKind::State, "TX", 6_912_440),
                of(CountKind::State, "WY", 1),
                of(CountKind::State, "ZZ", 0),
                of(CountKind::Sic, "8062", 41_000),
                of(CountKind::Sic, "?", u64::MAX),
            ];
            Reply::Counts(Counts { total: Some(80_013_442), counts })
        }
        Call::SavedList => {
            let entry = |id: Option<&str>, name: &str| RemoteSaved {
                id: id.map(str::to_owned),
                name: name.to_owned(),
                query: None,
                raw: "{}".to_owned(),
            };
            Reply::Saved(vec![entry(Some("7"), "made elsewhere"), entry(None, "")])
        }
        Call::SavedAdd { .. } | Call::SavedRestore { .. } | Call::SavedRemove { .. } => Reply::SavedWritten,
        Call::Export { target, .. } => Reply::Exported(exported(target, 4_870)),
        Call::Me | Call::Search(_) | Call::Unlock(_) => unreachable!("answered by the screen itself"),
    }
}
