//! One search of a look, page by page.

use std::collections::BTreeSet;

use crate::domain::contact::RowId;
use crate::domain::page::Page;
use crate::domain::query::Query;

/// How far a search is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// One page and no more.
    Page,
    /// To its end, but no more pages than this.
    Whole { most: u32 },
}

#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) query: Query,
    pub(super) offset: u64,
    pub(super) wanted: BTreeSet<RowId>,
    extent: Extent,
    total: Option<u64>,
    /// Different rows so far, and those that carried no id.
    ids: BTreeSet<RowId>,
    nameless: u64,
    /// The set changed while it was read: what is missing may have slipped from one page to another.
    moved: bool,
}

/// How a reading goes on after a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Page,
    /// The end was reached, and every row of the set was seen.
    Whole,
    /// Nothing more to be had here, and nothing proved.
    Enough,
}

impl Reading {
    pub(super) fn new(query: Query, offset: u64, extent: Extent, wanted: BTreeSet<RowId>) -> Reading {
        Reading { query, offset, wanted, extent, total: None, ids: BTreeSet::new(), nameless: 0, moved: false }
    }

    pub(super) fn turn(&mut self, page: &Page, found: impl Fn(RowId) -> bool) -> Next {
        let Extent::Whole { most } = &mut self.extent else { return Next::Enough };
        *most = most.saturating_sub(1);
        let spent = *most == 0;
        self.moved |= self.total.is_some_and(|total| total != page.total);
        self.total = Some(page.total);
        for row in &page.rows {
            match row.id {
                Some(id) => drop(self.ids.insert(id)),
                None => self.nameless += 1,
            }
        }
        if self.wanted.iter().all(|id| found(*id)) {
            return Next::Enough;
        }
        self.offset = page.offset.saturating_add(page.limit.max(1));
        if page.rows.is_empty() || self.offset >= page.total {
            let all = self.ids.len() as u64 + self.nameless == page.total;
            return if all && !self.moved { Next::Whole } else { Next::Enough };
        }
        if spent { Next::Enough } else { Next::Page }
    }
}
