//! What is said of a match: what it will take, how far it is, what it came to.

use crate::theme::Role;
use crate::widgets::bars;
use lode_core::contact::Source;
use lode_core::credits::{contacts, counted, grouped};
use lode_core::row::{Known, Row};
use lode_core::shell_line;
use lode_core::time::Now;
use lode_engine::flow::matching::judge::{Candidate, Verdict};
use lode_engine::flow::matching::likely::Found;
use lode_engine::flow::matching::{Job, MatchFailure, Stage, time_left};
use lode_engine::flow::session::Session;

pub(super) fn accounts(session: &Session) -> usize {
    session.matching().job().map_or(0, |job| job.wanted().accounts.lines.len())
}

/// The line that does the same in a shell.
pub(super) fn command_line(session: &Session) -> Option<String> {
    let (job, list) = (session.matching().job()?, session.matching().list()?);
    Some(shell_line::matching(&list.display().to_string(), &job.wanted().query))
}

/// What each service is asked, before there is a list.
pub(super) fn how(source: Source) -> &'static str {
    match source {
        Source::Data => "The Data API is searched for each account: by its website, then by its company name.",
        Source::Workspace => {
            "The Workspace cannot be searched by company: lode reads all contacts that match the filters on Search and \
             compares them."
        }
    }
}

/// The state of the job in one line.
pub(super) fn state(job: &Job, now: Now) -> (String, Role) {
    match job.stage() {
        Stage::Reading(_) | Stage::Sizing => ("Looking how many requests it takes…".to_owned(), Role::Dim),
        Stage::Ready => (format!("{}. Nothing is sent yet.  <match.start> start", job.plan().words()), Role::Strong),
        Stage::Running => {
            let (done, of, left) = job.progress(now);
            let bar = bars::with_trough(20, done, of);
            let words = format!(
                "{bar} {}%  {} of {}, {}  <match.stop> stop",
                bars::percent(done, of),
                grouped(done),
                counted(of, "request"),
                time_left(left)
            );
            (words, Role::Bar)
        }
        Stage::Stopped => ("Stopped. What was answered is kept.  <match.start> resume".to_owned(), Role::Warning),
        Stage::Failed(failure) => {
            let words = match failure {
                MatchFailure::Call(failure) => failure.words().to_owned(),
                MatchFailure::Store(failure) => failure.to_string(),
            };
            let words = words.trim_end_matches('.').to_owned();
            (format!("{words}. What was answered is kept.  <match.start> resume"), Role::Danger)
        }
        Stage::Done => {
            let count = |name: &str| job.verdicts().iter().filter(|verdict| verdict.name() == name).count() as u64;
            let words = format!(
                "{} matched · {} ambiguous · {} none · {}. Nothing spent.",
                grouped(count("matched")),
                grouped(count("ambiguous")),
                grouped(count("none")),
                contacts(job.contacts().len())
            );
            match job.warning() {
                Some(warning) => (format!("{words} {warning}."), Role::Warning),
                None => (words, Role::Good),
            }
        }
    }
}

pub(super) fn role(verdict: &Verdict) -> Role {
    match verdict {
        Verdict::Matched { .. } => Role::Good,
        Verdict::Ambiguous { .. } => Role::Warning,
        Verdict::None => Role::Dim,
    }
}

/// `Quail Run (quail.example)`
pub(super) fn candidate(candidate: &Candidate) -> String {
    match &candidate.domain {
        Some(domain) => format!("{} ({domain})", candidate.company),
        None => candidate.company.clone(),
    }
}

/// `Dana Whitfield · Director of Nursing · d•••@lakeside.example`
pub(super) fn contact(row: &Row) -> String {
    let parts = [row.name(), row.known(Known::Title).to_owned(), row.email().to_owned()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// What is known of a contact of the Data API at the Workspace.
pub(super) fn likely(found: &Found) -> (String, Role) {
    match found {
        Found::Asked => ("looking in the Workspace…".to_owned(), Role::Dim),
        Found::Failed(words) => (format!("not found out: {}", words.trim_end_matches('.')), Role::Warning),
        Found::Rows { rows, read, total } => match rows.as_slice() {
            [] if read < total => {
                (format!("not among the first {} of {} like it", grouped(*read), grouped(*total)), Role::Dim)
            }
            [] => ("not in the Workspace".to_owned(), Role::Dim),
            [row] if row.unlocked() => (format!("likely the same: {}, owned", contact(row)), Role::Good),
            [row] => (format!("likely the same: {}", contact(row)), Role::New),
            rows => (format!("{} are like it: none is picked", contacts(rows.len())), Role::Warning),
        },
    }
}
