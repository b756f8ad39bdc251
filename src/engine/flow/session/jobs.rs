//! Jobs of several windows: this one tells the others how its own stand, and knows theirs.
//!
//! What changed is told at once where a job begins or ends, and otherwise at most once a second. A window that dies tells nothing:
//! the system says that its files were closed, and soon after that it is looked at once more.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::effect::store::{Changes, JobElsewhere, JobNote, JobStage, StoreCall, StoreReply};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::{Heard, Owner};
use crate::flow::unlock::end::End;
use crate::flow::{export, matching, own};
use lode_core::credits::counted;
use lode_core::time::{Mono, Now, Wall};

use super::Session;

/// Between two notes about a job that moves.
const PACE: Duration = Duration::from_secs(1);
/// A window whose files were just closed may still hold its lock for a moment.
const SOON: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    /// What the others were told, and when.
    told: BTreeMap<(&'static str, u64), (JobNote, Mono)>,
    others: Vec<JobElsewhere>,
    /// When this window began to look. `None` where nothing is shown.
    since: Option<Wall>,
    asking: Option<Ticket>,
    again: bool,
    due: Option<Mono>,
}

impl Board {
    pub(super) fn open(&mut self, now: Now) {
        self.since = Some(now.wall);
    }

    pub(super) fn deadline(&self) -> Option<Mono> {
        self.due
    }

    fn any_runs(&self) -> bool {
        self.others.iter().any(JobElsewhere::is_running)
    }
}

impl Session {
    /// Jobs of other windows and of commands, the newest first.
    pub fn jobs_elsewhere(&self) -> &[JobElsewhere] {
        &self.board.others
    }

    /// Tells the other windows what changed about the jobs of this one.
    pub fn tell_jobs(&mut self, now: Now, fx: &mut Vec<Effect>) {
        for (kind, note) in self.notes(now) {
            let key = (kind, note.number);
            if let Some((told, at)) = self.board.told.get(&key) {
                let moves = told.stage == note.stage && note.stage == JobStage::Running;
                if *told == note || moves && now.mono.since(*at) < PACE {
                    continue;
                }
            } else if note.stage != JobStage::Running {
                // Done before it could be shown.
                continue;
            }
            self.board.told.insert(key, (note.clone(), now.mono));
            self.desk.at(now, fx).store(Owner::Elsewhere, StoreCall::NoteJob(Box::new(note)));
        }
    }

    /// Another window may have written something, or may be gone.
    pub(super) fn watch_jobs(&mut self, now: Now, fx: &mut Vec<Effect>) {
        if self.board.any_runs() {
            self.board.due = Some(now.mono.after(SOON));
            self.read_jobs(now, fx);
        }
    }

    pub(super) fn wake_jobs(&mut self, now: Now, fx: &mut Vec<Effect>) {
        if self.board.due.take_if(|due| *due <= now.mono).is_some() {
            self.read_jobs(now, fx);
        }
    }

    /// The numbers of the records are here.
    pub(super) fn compare_jobs(&mut self, before: Option<&Changes>, changes: &Changes, now: Now, fx: &mut Vec<Effect>) {
        if before.map_or(0, |before| before.jobs) != changes.jobs {
            self.read_jobs(now, fx);
        }
    }

    fn read_jobs(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let Some(since) = self.board.since else { return };
        if self.board.asking.is_some() {
            self.board.again = true;
            return;
        }
        self.board.asking = Some(self.desk.at(now, fx).store(Owner::Elsewhere, StoreCall::Jobs(since)));
    }

    /// Whether the answer was about jobs.
    pub(super) fn hear_jobs(&mut self, heard: &Heard, now: Now, fx: &mut Vec<Effect>) -> bool {
        let Heard::Stored(ticket, result) = heard else { return false };
        if self.board.asking.take_if(|asking| *asking == *ticket).is_none() {
            return false;
        }
        if std::mem::take(&mut self.board.again) {
            self.read_jobs(now, fx);
        }
        if let Ok(StoreReply::Jobs(jobs)) = result {
            let run = self.profile.window.run();
            // What another profile of this very program runs is known here already.
            self.board.others = jobs.iter().filter(|job| job.window.run() != run).cloned().collect();
            if !self.board.any_runs() {
                self.board.due = None;
            }
        }
        true
    }

    fn notes(&self, now: Now) -> Vec<(&'static str, JobNote)> {
        let mut notes = Vec::new();
        let note = |kind: &'static str, number, what: String, (done, of), (stage, words): (JobStage, String)| {
            let profile = self.profile.name.clone();
            (kind, JobNote { profile, kind: kind.to_owned(), number, what, done, of, stage, words })
        };
        if let Some(job) = self.unlock.job() {
            let (done, of) = job.contacts();
            let tally = job.tally();
            let words = format!("charged {}, refunded {}", tally.charged, tally.refunded);
            let what = format!("corpus {}", job.corpus());
            notes.push(note("unlock", 0, what, (done as u64, Some(of as u64)), (JobStage::Running, words)));
        } else if let Some(last) = self.unlock.last() {
            let stage = match last.end {
                End::Done => JobStage::Done,
                End::Stopped => JobStage::Stopped,
                _ => JobStage::Failed,
            };
            let what = format!("corpus {}", last.corpus);
            let done = (last.contacts.len() as u64, None);
            notes.push(note("unlock", 0, what, done, (stage, last.tally.sentence(None))));
        }
        // It is no job before the person starts it.
        let begun = |job: &&matching::Job| job.is_over() || *job.stage() == matching::Stage::Running;
        if let Some(job) = self.matching.job().filter(begun) {
            let what = format!(
                "{} at {}",
                counted(job.wanted().accounts.lines.len() as u64, "account"),
                job.wanted().query.side
            );
            let (done, of, _) = job.progress(now);
            let stage = match job.stage() {
                matching::Stage::Done => JobStage::Done,
                matching::Stage::Stopped => JobStage::Stopped,
                matching::Stage::Failed(_) => JobStage::Failed,
                _ => JobStage::Running,
            };
            notes.push(note("match", 0, what, (done, Some(of)), (stage, String::new())));
        }
        for job in self.exports.jobs() {
            let rows = job.progress.as_ref().map_or(0, |progress| progress.rows);
            let (rows, stage) = match &job.stage {
                export::Stage::Whole(exported) => {
                    let path = exported.path.display().to_string();
                    (exported.rows, (JobStage::Done, path))
                }
                export::Stage::Stopped { rows, .. } => (*rows, (JobStage::Stopped, String::new())),
                export::Stage::Failed(failure) => (rows, (JobStage::Failed, failure.words().to_owned())),
                _ => (rows, (JobStage::Running, String::new())),
            };
            notes.push(note("export", job.id.0, job.what.clone(), (rows, job.total), stage));
        }
        for job in self.own.jobs() {
            let stage = match &job.stage {
                own::Stage::Running(_) => (JobStage::Running, String::new()),
                own::Stage::Ended(ran) => match ran.code {
                    Some(0) => (JobStage::Done, String::new()),
                    Some(code) => (JobStage::Failed, format!("exit code {code}")),
                    None => (JobStage::Stopped, String::new()),
                },
                own::Stage::Failed(words) => (JobStage::Failed, words.clone()),
            };
            notes.push(note("command", job.id.0, job.name.clone(), (job.rows, None), stage));
        }
        notes
    }
}
