//! Rows that come twice in a set that did not move: others were skipped for them. The page is asked for once more, and what
//! stands nowhere yet takes the places of the repeats. What still does not come is said.

use crate::effect::call::{Call, SearchCall};
use crate::flow::desk::{Cx, Owner};
use crate::flow::limiter::Priority;
use lode_core::page::Page;

use super::{Asked, News, Window};

/// So many pages in a row may bring nothing new before that is told.
const TRIES: u32 = 4;

#[derive(Clone, Debug)]
pub(super) struct Mending {
    /// Pages with repeats.
    due: Vec<u64>,
    tries: u32,
    told: bool,
}

impl Default for Mending {
    fn default() -> Mending {
        Mending { due: Vec::new(), tries: TRIES, told: false }
    }
}

impl Window {
    /// Places of the result whose own contact never came, once that was told.
    pub fn skipped(&self) -> u64 {
        if self.mending.told { self.pages.all_twice() } else { 0 }
    }

    /// A page is here: it is asked for again where contacts of it stand elsewhere.
    pub(super) fn mend(&mut self, number: u64) {
        let twice = self.pages.twice(number);
        if twice == 0 {
            return;
        }
        if self.mending.tries > 0 {
            self.mending.due.push(number);
        } else if !std::mem::replace(&mut self.mending.told, true) {
            let index = self.pages.start_of(number);
            self.news.push(News::Repeated { index, twice, rows: self.pages.rows_of(number) });
        }
    }

    /// One at a time, after everything that is on screen.
    pub(super) fn ask_mend(&mut self, cx: &mut Cx<'_>) {
        if self.asked.iter().any(|asked| asked.mends) {
            return;
        }
        while let Some(page) = self.mending.due.pop() {
            if self.pages.twice(page) == 0 {
                continue;
            }
            let limit = self.pages.stride();
            let index = self.around(page);
            let offset = self.pages.offset(index);
            let call = SearchCall { query: self.query.clone(), offset, limit, mark_pulled: false };
            let id = cx.ask(Owner::Window(self.query.side), Call::Search(call), Priority::Coverage);
            let gone = self.pages.gone();
            self.asked.push(Asked { id, page: Some(page), index, offset, gone, foreseen: true, mends: true });
            return;
        }
    }

    /// Where to begin, as an index: with the repeat in the middle, because two pages lose most where they meet; every other time,
    /// and where a page beside is not known, with the page itself.
    fn around(&self, page: u64) -> u64 {
        let (start, stride) = (self.pages.start_of(page), self.pages.stride());
        let middle = self.pages.first_twice(page).unwrap_or(start).saturating_sub(stride / 2);
        let is_known =
            |index: u64| self.total.is_some_and(|total| index >= total) || self.pages.is_loaded(index / stride);
        let begins_there = self.mending.tries.is_multiple_of(2) && is_known(middle) && is_known(middle + stride - 1);
        if begins_there { middle } else { start }
    }

    pub(super) fn mended(&mut self, asked: &Asked, page: &Page) {
        let Some(number) = asked.page else { return };
        let is_same = page.offset == asked.offset
            && asked.gone == self.pages.gone()
            && self.total == Some(page.total.saturating_add(asked.gone));
        let before = self.pages.twice(number);
        let came = if is_same { self.pages.fill(number, &page.rows) } else { Vec::new() };
        self.mending.tries = if came.is_empty() { self.mending.tries.saturating_sub(1) } else { TRIES };
        if !came.is_empty() {
            let offset = self.pages.offset(asked.index);
            self.news.push(News::Page { first: false, total: page.total, offset, ids: came });
        }
        if before > 0 {
            self.mend(number);
        }
    }

    pub(super) fn mends_failed(&mut self, asked: &Asked) {
        self.mending.tries = self.mending.tries.saturating_sub(1);
        if let Some(number) = asked.page {
            self.mend(number);
        }
    }
}
