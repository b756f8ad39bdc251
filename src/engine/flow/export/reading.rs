//! The pages of a search on their way into a file.

use crate::effect::files::{ExportTarget, FileCall};
use crate::effect::{CallId, Ticket};
use crate::flow::choose::Sieve;
use crate::flow::desk::{Cx, Owner};
use crate::flow::search::walk::Walk;
use lode_core::row::Row;

/// The walk through the pages, and the rows that came.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) walk: Walk,
    pub(super) rows: Vec<Row>,
    pub(super) sieve: Sieve,
    pub(super) excluded: u64,
}

impl Reading {
    /// Rows of a page, without those that are left out.
    pub(super) fn take(&mut self, rows: Vec<Row>) {
        let before = self.rows.len() + rows.len();
        let (side, sieve) = (self.walk.query().side, &self.sieve);
        self.rows.extend(rows.into_iter().filter(|row| sieve.why(side, row).is_none()));
        self.excluded += (before - self.rows.len()) as u64;
    }

    pub(super) fn write(&mut self, target: ExportTarget, cx: &mut Cx<'_>) -> Ticket {
        let rows = std::mem::take(&mut self.rows);
        cx.file(Owner::Exports, FileCall::WriteRows { target, rows })
    }

    pub(super) fn asks(&self, id: CallId) -> bool {
        self.walk.asks(id)
    }
}
