//! The export of a search with legs: one stream after the other into a file of its own, joined into one once all of them are whole.
//!
//! A part is kept beside the target under a hidden name and goes when it is joined or the export is stopped. If a leg fails, the
//! parts before it are joined into an incomplete file.

use std::path::{Path, PathBuf};

use crate::effect::CallId;
use crate::effect::call::Call;
use crate::effect::failure::Failure;
use crate::effect::files::{ExportTarget, Exported, FileCall, FileFailure, FileReply, Form, Progress};
use crate::flow::desk::{Cx, Owner};
use crate::flow::limiter::Priority;
use lode_core::credits::counted;
use lode_core::query::Query;

use super::job::{Job, Stage};
use super::parts::Parts;

/// Whether the target can be written is asked before anything is sent.
pub(super) fn start(job: &mut Job, query: &Query, cx: &mut Cx<'_>) {
    // Parts come as the service sends them: what is left out is left out of the whole.
    let bare = |mut leg: Query| {
        leg.not.clear();
        leg
    };
    let legs = query.legs().into_iter().map(bare).collect();
    job.parts = Parts { legs, not: query.not.clone(), ..Parts::default() };
    job.stage = Stage::Writing(cx.file(Owner::Exports, FileCall::CheckTarget(job.target.clone())));
}

/// The stream of the next leg.
pub(super) fn ask(job: &mut Job, cx: &mut Cx<'_>) {
    let at = job.parts.whole.len();
    let query = job.parts.legs[at].clone();
    let target =
        ExportTarget { path: Some(part(&job.target, at)), form: Form::Raw, keep_incomplete: false, replace: true };
    job.stage = Stage::Streaming(cx.ask(Owner::Exports, Call::Export { query, target }, Priority::Person));
}

fn part(target: &ExportTarget, at: usize) -> PathBuf {
    let path = target.path.as_deref().unwrap_or(Path::new("lode-export"));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.leg-{}.csv", at + 1))
}

impl Job {
    /// Whether it is made of several streams.
    pub(super) fn has_legs(&self) -> bool {
        !self.parts.legs.is_empty()
    }

    /// Streams that are whole, and all of them; `None` for any other export.
    pub fn legs(&self) -> Option<(usize, usize)> {
        self.has_legs().then_some((self.parts.whole.len(), self.parts.legs.len()))
    }
}

/// One leg is whole: on to the next, or all of them are joined.
pub(super) fn took(job: &mut Job, exported: &Exported, cx: &mut Cx<'_>) {
    job.parts.whole.push(exported.path.clone());
    job.parts.rows += exported.rows;
    job.parts.bytes += exported.bytes;
    if job.parts.whole.len() < job.parts.legs.len() {
        return ask(job, cx);
    }
    let (parts, not) = (std::mem::take(&mut job.parts.whole), job.parts.not.clone());
    let call = FileCall::JoinParts { parts, target: job.target.clone(), not };
    job.stage = Stage::Writing(cx.file(Owner::Exports, call));
}

/// A leg failed: those before it are joined under a name that says that some are missing.
pub(super) fn keep(job: &mut Job, call: CallId, failure: &Failure, cx: &mut Cx<'_>) {
    let target = ExportTarget { keep_incomplete: true, ..job.target.clone() };
    let (parts, not) = (std::mem::take(&mut job.parts.whole), job.parts.not.clone());
    let ticket = cx.file(Owner::Exports, FileCall::JoinParts { parts, target, not });
    job.stage = Stage::Ending { call, ticket, why: Some(failure.clone()) };
}

/// The failure of a leg, with where those before it are.
pub(super) fn kept(why: &Failure, joined: &Result<FileReply, FileFailure>) -> Failure {
    match (why, joined) {
        (Failure::Unclear { why, words }, Ok(FileReply::Written(exported))) => {
            let (rows, path) = (counted(exported.rows, "row"), exported.path.display());
            Failure::Unclear { why: *why, words: format!("{words}; {rows} of the searches before it kept in {path}") }
        }
        _ => why.clone(),
    }
}

/// What came of this leg, with what those before it brought.
pub(super) fn progress(job: &Job, progress: &Progress) -> Progress {
    Progress { rows: progress.rows + job.parts.rows, bytes: progress.bytes + job.parts.bytes, ..progress.clone() }
}

/// Drops the whole files of an export that has ended without a result.
pub(super) fn leave(job: &mut Job, cx: &mut Cx<'_>) {
    let parts = std::mem::take(&mut job.parts.whole);
    if !parts.is_empty() {
        cx.file(Owner::Exports, FileCall::RemoveParts(parts));
    }
}
