//! The batch that is at work.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::effect::store::OpenBatch;
use lode_core::contact::{Contact, RowId};
use lode_core::money::{BatchId, Clue, Staged};
use lode_core::put_back::put_back;

use crate::flow::recovery::QUIET;

use super::end::End;

#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// In the order of sending. Never changed once the batch has been written down (money rule 3, *same batch, same ids*).
    pub(super) lines: Vec<Staged>,
    /// Set once it is written down.
    pub(super) id: Option<BatchId>,
    pub(super) open: BTreeSet<RowId>,
    /// How often it was sent, as the store counts.
    pub(super) sent: u32,
    /// An earlier sending went unanswered: a refusal proves nothing any more.
    pub(super) unanswered: bool,
    /// Unanswered, but so long ago that it cannot be applied any more.
    pub(super) past: bool,
    /// The last sending was answered, although the answer settles nothing.
    pub(super) answered: bool,
    /// Tries of this run that ended in nothing.
    pub(super) lost: u32,
    pub(super) unsent: u32,
    /// How often it left in this run, and how many of these sendings were answered with 429.
    pub(super) sends: u32,
    pub(super) refused: u32,
    /// All answers so far, oldest first.
    pub(super) bodies: Vec<Bytes>,
    /// Owned, but without what was paid for yet.
    pub(super) incomplete: BTreeMap<RowId, Contact>,
    /// The service said that the credits ran out.
    pub(super) stopped: bool,
    /// What is to be found out by the look that runs or comes next.
    pub(super) question: Option<Question>,
    /// What the last look came to.
    pub(super) sight: Sight,
    /// Its request is known to be on the wire.
    pub(super) left: bool,
}

/// Why a free look is made for a batch, where its answer did not settle it.
#[derive(Clone, Debug)]
pub(super) enum Question {
    /// Nothing says what became of it. `resend`: if all of it is locked it may go out again as it is.
    Unknown { words: String, resend: bool },
    /// The service refused it. `contradicted`: why `/me` does not bear that out.
    Refused { end: End, contradicted: Option<String> },
    /// It was left unknown earlier, and a person wants it sent again.
    Finish,
}

/// What a look saw of the open contacts of a batch.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sight {
    /// Every one is locked.
    Locked,
    /// Some were not found, and that proves nothing.
    Unseen,
    /// It could not be brought to its end.
    Failed(String),
}

impl Batch {
    pub(super) fn new(lines: Vec<Staged>) -> Batch {
        Batch {
            open: lines.iter().map(|line| line.id).collect(),
            lines,
            id: None,
            sent: 0,
            unanswered: false,
            past: false,
            answered: false,
            lost: 0,
            unsent: 0,
            sends: 0,
            refused: 0,
            bodies: Vec::new(),
            incomplete: BTreeMap::new(),
            stopped: false,
            question: None,
            sight: Sight::Unseen,
            left: false,
        }
    }

    /// A batch of an earlier order, to be sent again.
    pub(super) fn again(batch: &OpenBatch, lines: Vec<Staged>) -> Batch {
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

    /// None of its contacts is known to be owned: only then it may go out again.
    pub(super) fn is_whole(&self) -> bool {
        self.open.len() == self.lines.len() || put_back("resend-owned")
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

    /// Whole rows, of contacts that are not in the basket.
    pub(super) fn rows(&self) -> Vec<(RowId, String)> {
        let told = self.lines.iter().filter(|line| !line.row.is_empty());
        told.map(|line| (line.id, line.row.clone())).collect()
    }

    pub(super) fn clue(&self, id: RowId) -> Clue {
        self.lines.iter().find(|line| line.id == id).map(|line| line.clue.clone()).unwrap_or_default()
    }
}
