//! An export by the pages of a search: what is certain where a service does not hear the keyword in exports. One request a page;
//! the rows are written once the last one is here.

use std::time::Duration;

use crate::effect::files::{ExportTarget, Progress};
use crate::effect::store::Suppression;
use crate::flow::choose::Sieve;
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::limiter::Priority;
use crate::flow::search::walk::{End, Walk};
use lode_core::query::Query;

use super::job::{Job, Stage};
use super::reading::Reading;

pub(super) fn start(job: &mut Job, query: &Query, lists: &[Suppression], cx: &mut Cx<'_>) {
    let mut walk = Walk::new(Owner::Exports, query.clone(), u64::MAX, Priority::Person).opening_first();
    walk.start(cx);
    job.stage = Stage::Paging;
    if let Some(End::Failed(failure)) = walk.end() {
        job.stage = Stage::Failed(failure.clone());
        job.ended = Some(cx.now.mono);
    }
    job.reading = Some(Reading { walk, rows: Vec::new(), sieve: Sieve::new(&query.not, lists), excluded: 0 });
}

pub(super) fn hear(job: &mut Job, heard: &Heard, cx: &mut Cx<'_>) {
    let Some(reading) = &mut job.reading else { return };
    let steps = reading.walk.hear(heard, cx);
    let Some(last) = steps.last() else { return };
    let end = last.end.clone();
    steps.into_iter().for_each(|step| reading.take(step.rows));
    let (rows, elapsed) = (reading.walk.given(), cx.now.mono.since(job.began));
    job.total = Some(reading.walk.total().unwrap_or(0).max(rows));
    job.progress = Some(Progress { rows, of: job.total, elapsed, ..Progress::default() });
    job.stage = match end {
        None => return,
        Some(End::Failed(failure)) => Stage::Failed(failure),
        Some(_) if reading.rows.is_empty() => Stage::Stopped { kept: None, rows: 0 },
        Some(_) => Stage::Writing(reading.write(job.target.clone(), cx)),
    };
    if matches!(job.stage, Stage::Failed(_)) {
        reading.rows = Vec::new();
    }
}

/// Reads no further. What has come is kept under a name that says so, or dropped.
pub(super) fn stop(job: &mut Job, keep: bool, cx: &mut Cx<'_>) {
    let Some(reading) = &mut job.reading else { return };
    reading.walk.stop(cx);
    if keep && !reading.rows.is_empty() {
        let target = ExportTarget { keep_incomplete: true, ..job.target.clone() };
        job.stage = Stage::Keeping(reading.write(target, cx));
    } else {
        reading.rows = Vec::new();
        job.stage = Stage::Stopped { kept: None, rows: 0 };
        job.ended = Some(cx.now.mono);
    }
}

impl Job {
    /// How its pages were read; `None` for an export that is no reading of pages.
    pub fn walk(&self) -> Option<&Walk> {
        self.reading.as_ref().map(|reading| &reading.walk)
    }

    /// Pages read so far, all of them, and how long the rest takes. `None` before the first one.
    pub fn pages(&self) -> Option<(u64, u64, Duration)> {
        let (walk, progress) = (self.walk()?, self.progress.as_ref()?);
        let size = walk.page_size()?.max(1);
        let (done, all) = (progress.rows.div_ceil(size), self.total?.div_ceil(size));
        let left = progress.elapsed.as_millis() * u128::from(all - done.min(all)) / u128::from(done.max(1));
        Some((done, all, Duration::from_millis(u64::try_from(left).unwrap_or(u64::MAX))))
    }

    /// Rows that were read and left out.
    pub fn excluded(&self) -> u64 {
        self.reading.as_ref().map_or(0, |reading| reading.excluded)
    }

    /// What a person should know of pages that did not bring everything.
    pub fn cut_short(&self) -> Option<String> {
        let walk = self.walk()?;
        walk.end()?.cut_short()
    }
}

/// Requests and minutes that reading all pages takes, where one page takes so long.
pub fn effort(total: u64, page: u64, each: Duration) -> (u64, u64) {
    let requests = total.div_ceil(page.max(1)).max(1);
    let minutes = (each.as_millis() * u128::from(requests)).div_ceil(60_000).max(1);
    (requests, u64::try_from(minutes).unwrap_or(u64::MAX))
}
