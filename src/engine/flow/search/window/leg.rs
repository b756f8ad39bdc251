//! The window as one leg among others: opened when it is reached, and silent while it is out of sight.

use crate::flow::desk::Cx;
use lode_core::contact::Side;
use lode_core::query::Query;

use super::{Status, TOO_SLOW_TO_FORESEE_MS, View, Window};

impl Window {
    /// A search that has not begun: [`Window::begin`] asks for its first page, and no other is read until it is in sight.
    pub fn prepare(&mut self, query: Query, cx: &mut Cx<'_>) {
        self.drop_calls(cx);
        let (marking, news) = (self.marking.take(), std::mem::take(&mut self.news));
        let most_rows = self.most_rows;
        *self = Window { query, marking, news, most_rows, rests: true, ..Window::new(Side::default()) };
    }

    /// Asks for the first page of what was prepared.
    pub fn begin(&mut self, cx: &mut Cx<'_>) {
        self.run_at(self.query.clone(), 0, cx);
    }

    /// Whether it asks for nothing by itself, because it is out of sight.
    pub fn rest(&mut self, rests: bool) {
        self.rests = rests;
    }

    /// Forgets the pages farthest from the cursor until no more rows are held.
    pub fn keep_at_most(&mut self, rows: usize) {
        self.pages.bound(self.pages.page_of(self.view.cursor), rows);
    }

    /// The same where the direction of travel is known.
    pub fn look_on(&mut self, top: u64, height: u64, cursor: u64, backward: bool, cx: &mut Cx<'_>) {
        self.view = View { top, height, cursor, backward };
        self.attend(cx);
    }

    /// How many rows are to be read from the beginning on.
    pub fn ahead(&self) -> u64 {
        self.ahead
    }

    /// Asks for the page around an index in advance: the reader comes from another leg.
    pub fn foresee(&mut self, index: u64, cx: &mut Cx<'_>) {
        let page = self.pages.page_of(index);
        let is_asked = self.asked.iter().any(|asked| asked.page == Some(page));
        let is_slow = self.took_ms.is_some_and(|took| took > TOO_SLOW_TO_FORESEE_MS);
        if self.status == Status::Loaded && !is_slow && !is_asked && self.wants(page, cx.now) {
            self.ask_page(page, true, cx);
        }
    }
}
