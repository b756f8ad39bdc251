//! One search of a look, page by page.

use std::collections::BTreeSet;

use lode_core::contact::RowId;
use lode_core::page::Page;
use lode_core::query::Query;

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
    /// How many there were when it was last begun from the beginning.
    before: Option<u64>,
    /// The set changed while it was read: what is missing may have slipped from one page to another.
    moved: bool,
    /// It had to be read more than once, because the order changes.
    wavers: bool,
}

/// How a reading goes on after a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Page,
    /// The end was reached, and every row of the set was seen: in one reading, or in several where the order changes.
    Whole,
    /// Nothing more to be had here, and nothing proved.
    Enough,
}

impl Reading {
    pub(super) fn new(query: Query, offset: u64, extent: Extent, wanted: BTreeSet<RowId>) -> Reading {
        Reading {
            query,
            offset,
            wanted,
            extent,
            total: None,
            ids: BTreeSet::new(),
            nameless: 0,
            before: None,
            moved: false,
            wavers: false,
        }
    }

    pub(super) fn wavers(&self) -> bool {
        self.wavers
    }

    /// Pages until its end, as its last page counts them. `None` before its first page.
    pub(super) fn pages_left(&self, limit: u64) -> Option<u64> {
        Some(self.total?.saturating_sub(self.offset).div_ceil(limit.max(1)))
    }

    pub(super) fn take_page(&mut self, page: &Page, found: impl Fn(RowId) -> bool) -> Next {
        let Extent::Whole { most } = &mut self.extent else { return Next::Enough };
        *most = most.saturating_sub(1);
        let spent = *most == 0;
        // Without a total nothing tells whether all of it was seen.
        self.moved |= page.uncounted || self.total.is_some_and(|total| total != page.total);
        self.total = Some(page.total);
        for row in &page.rows {
            match row.id() {
                Some(id) => drop(self.ids.insert(id)),
                None => self.nameless += 1,
            }
        }
        let seen = self.ids.len() as u64 + self.nameless;
        if self.wanted.iter().all(|id| found(*id)) {
            return Next::Enough;
        }
        self.offset = page.offset.saturating_add(page.limit.max(1));
        if page.rows.is_empty() || self.offset >= page.total {
            if self.moved || seen > page.total {
                return Next::Enough;
            }
            if seen == page.total {
                return Next::Whole;
            }
            // Rows that come in another order each time are skipped on one reading and stand on the next.
            let is_fresh = self.before.replace(seen).is_none_or(|before| seen > before);
            if page.rows.is_empty() || self.nameless > 0 || !is_fresh || spent {
                return Next::Enough;
            }
            self.offset = 0;
            self.wavers = true;
            return Next::Page;
        }
        if spent { Next::Enough } else { Next::Page }
    }
}
