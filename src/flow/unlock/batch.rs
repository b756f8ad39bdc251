//! The batch that is at work.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::domain::contact::{Contact, RowId};
use crate::domain::money::{BatchId, Clue};
use crate::effect::store::OpenBatch;

use crate::flow::recovery::QUIET;

use super::end::End;
use super::quote::Line;

#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// In the order of sending. Never changed once the batch has been written down (*same batch, same ids*).
    pub(super) lines: Vec<Line>,
    /// Set once it is written down.
    pub(super) id: Option<BatchId>,
    pub(super) open: BTreeSet<RowId>,
    /// How often it was sent, as the store counts.
    pub(super) sent: u32,
    /// An earlier sending went unanswered: a refusal proves nothing any more.
    pub(super) unanswered: bool,
    /// Unanswered, but so long ago that it cannot be applied any more.
    pub(super) past: bool,
    /// Tries of this run that ended in nothing.
    pub(super) lost: u32,
    pub(super) unsent: u32,
    /// All answers so far, oldest first.
    pub(super) bodies: Vec<Bytes>,
    /// Ours, but without what was paid for yet.
    pub(super) incomplete: BTreeMap<RowId, Contact>,
    /// The service said that the credits ran out.
    pub(super) stopped: bool,
    /// How the service refused it, while that is looked into.
    pub(super) refused: Option<End>,
}

impl Batch {
    pub(super) fn new(lines: Vec<Line>) -> Batch {
        Batch {
            open: lines.iter().map(|line| line.id).collect(),
            lines,
            id: None,
            sent: 0,
            unanswered: false,
            past: false,
            lost: 0,
            unsent: 0,
            bodies: Vec::new(),
            incomplete: BTreeMap::new(),
            stopped: false,
            refused: None,
        }
    }

    /// A batch of an earlier order, to be sent again.
    pub(super) fn again(batch: &OpenBatch, lines: Vec<Line>) -> Batch {
        Batch {
            id: Some(batch.batch),
            open: batch.open.iter().map(|open| open.id).collect(),
            sent: batch.sent,
            unanswered: true,
            past: batch.quiet >= QUIET,
            bodies: batch.heard.iter().map(|(_, body)| body.clone()).collect(),
            ..Batch::new(lines)
        }
    }

    /// Before it is written down.
    pub(super) fn leave_out(&mut self, ids: &[RowId]) {
        self.lines.retain(|line| !ids.contains(&line.id));
        self.open.retain(|id| !ids.contains(id));
    }

    pub(super) fn ids(&self) -> Vec<RowId> {
        self.lines.iter().map(|line| line.id).collect()
    }

    pub(super) fn clues(&self) -> Vec<(RowId, Clue)> {
        self.lines.iter().map(|line| (line.id, line.clue.clone())).collect()
    }

    pub(super) fn clue(&self, id: RowId) -> Clue {
        self.lines.iter().find(|line| line.id == id).map(|line| line.clue.clone()).unwrap_or_default()
    }
}
