//! One export: where its rows come from, how far it is, how long the rest takes.

use std::path::PathBuf;
use std::time::Duration;

use crate::effect::failure::Failure;
use crate::effect::files::{ExportTarget, Exported, Progress};
use crate::effect::{CallId, Ticket};
use lode_core::query::Query;
use lode_core::row::Row;
use lode_core::time::Mono;

use super::parts::Parts;
use super::reading::Reading;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobId(pub u64);

/// Where the rows come from.
#[derive(Clone, Debug, PartialEq)]
pub enum From {
    /// The whole filtered set of the Data API.
    Stream(Box<Query>),
    /// The pages of a search of the Data API, read to the end.
    Pages(Box<Query>),
    /// Rows that are here. Kept until they are written, so that writing can be tried again.
    Rows(Vec<Row>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    Streaming(CallId),
    /// Pages are read.
    Paging,
    Writing(Ticket),
    /// The stream was canceled; what it left is being cleaned up.
    Ending {
        call: CallId,
        ticket: Ticket,
        why: Option<Failure>,
    },
    /// Reading was stopped; the rows that came are written under a name that says so.
    Keeping(Ticket),
    Whole(Exported),
    Stopped {
        kept: Option<PathBuf>,
        rows: u64,
    },
    Failed(Failure),
}

impl Stage {
    pub(super) fn is_moving(&self) -> bool {
        use Stage::{Ending, Keeping, Paging, Streaming, Writing};
        matches!(self, Streaming(_) | Paging | Writing(_) | Ending { .. } | Keeping(_))
    }
}

#[derive(Clone, Debug)]
pub struct Job {
    pub id: JobId,
    /// What it is, in a few words.
    pub what: String,
    pub target: ExportTarget,
    pub from: From,
    pub stage: Stage,
    pub progress: Option<Progress>,
    /// As the parallel search counts it.
    pub total: Option<u64>,
    pub began: Mono,
    pub ended: Option<Mono>,
    pub(super) count: Option<CallId>,
    pub(super) room: Option<Ticket>,
    pub(super) reading: Option<Reading>,
    pub(super) parts: Parts,
    /// Bytes the disk could take when it began.
    pub(super) free: Option<u64>,
}

/// A silence that is longer than hiccups are.
const WORTH_SAYING: Duration = Duration::from_secs(3);

/// A row of which nothing has come yet is taken to be as long as this.
const USUAL_ROW: u64 = 180;

impl Job {
    pub fn is_running(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether the parallel search has not answered yet.
    pub fn is_counting(&self) -> bool {
        self.count.is_some()
    }

    /// Whether stopping it is up to a person.
    pub fn can_stop(&self) -> bool {
        matches!(self.stage, Stage::Streaming(_) | Stage::Paging)
    }

    pub fn can_retry(&self) -> bool {
        matches!(self.stage, Stage::Failed(_) | Stage::Stopped { .. })
    }

    /// Bytes a second, and how long the rest takes where the total is known. None while nothing has come.
    pub fn pace(&self) -> Option<(u64, Option<Duration>)> {
        let progress = self.progress.as_ref().filter(|progress| progress.bytes > 0)?;
        let millis = progress.elapsed.as_millis().max(1);
        let rate = u64::try_from(u128::from(progress.bytes) * 1000 / millis).unwrap_or(u64::MAX);
        let left =
            self.total.or(progress.of).filter(|total| progress.rows > 0 && *total >= progress.rows).map(|total| {
                let millis = u128::from(total - progress.rows) * millis / u128::from(progress.rows);
                Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
            });
        Some((rate, left))
    }

    /// For how long nothing has come, once that is worth saying.
    pub fn quiet(&self) -> Option<Duration> {
        self.progress.as_ref().map(|progress| progress.quiet).filter(|quiet| *quiet >= WORTH_SAYING)
    }

    /// About how large the whole file will be.
    pub(super) fn estimate(&self) -> Option<u64> {
        let total = self.total?;
        let row = match &self.progress {
            Some(progress) if progress.rows > 0 => progress.bytes / progress.rows,
            _ => USUAL_ROW,
        };
        Some(total.saturating_mul(row.max(1)))
    }
}
