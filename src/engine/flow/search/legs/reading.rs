//! Which pages are wanted: those that are looked at, across the border of two legs, and what is read without being looked at.

use crate::flow::desk::Cx;

use super::{Legs, View};

impl Legs {
    /// Tells what is on the screen, so that it can be read.
    pub fn look_at(&mut self, top: u64, height: u64, cursor: u64, cx: &mut Cx<'_>) {
        if !self.several() {
            self.view = View { top, height, cursor, backward: false };
            return self.legs[0].window.look_at(top, height, cursor, cx);
        }
        let backward = if top == self.view.top { self.view.backward } else { top < self.view.top };
        self.view = View { top, height, cursor, backward };
        self.look(cx);
    }

    /// Each leg is told what is seen of it. Legs out of sight ask for nothing.
    pub(super) fn look(&mut self, cx: &mut Cx<'_>) {
        let View { top, height, cursor, backward } = self.view;
        let bottom = top.saturating_add(height.max(1));
        let spans = self.spans();
        let mut ahead = self.ahead;
        for (at, (start, size)) in spans.iter().copied().enumerate() {
            let end = start.saturating_add(size);
            let has_cursor = (start..end).contains(&cursor);
            let is_seen = top < end && start < bottom;
            let window = &mut self.legs[at].window;
            window.rest(!(is_seen || has_cursor));
            let here = ahead.min(size);
            ahead -= here;
            if here > 0 && window.ahead() != here {
                window.read_ahead(here, cx);
            }
            if is_seen {
                let first = top.max(start) - start;
                let last = bottom.min(end) - start;
                let cursor = if has_cursor { cursor - start } else { first };
                window.look_on(first, last - first, cursor, backward, cx);
            } else if has_cursor {
                window.look_on(cursor - start, 1, cursor - start, backward, cx);
            }
        }
        self.foresee(&spans, cx);
    }

    /// Where the reader is about to leave a leg, the first page of the next one is asked for, or the last one of the one before.
    fn foresee(&mut self, spans: &[(u64, u64)], cx: &mut Cx<'_>) {
        let View { top, height, backward, .. } = self.view;
        let bottom = top.saturating_add(height.max(1));
        let reach = height.max(self.stride()).max(1);
        let near = |(start, size): (u64, u64)| {
            let end = start.saturating_add(size);
            let ahead = start >= bottom && start < bottom.saturating_add(reach);
            let behind = end <= top && end.saturating_add(reach) > top;
            size > 0 && if backward { behind } else { ahead }
        };
        let mut order = 0..spans.len();
        let next = if backward { order.rfind(|at| near(spans[*at])) } else { order.find(|at| near(spans[*at])) };
        if let Some(at) = next {
            let size = spans[at].1;
            let index = if backward { size - 1 } else { 0 };
            self.legs[at].window.foresee(index, cx);
        }
    }

    /// Reads the first `rows` one page after the other, after all visible pages.
    pub fn read_ahead(&mut self, rows: u64, cx: &mut Cx<'_>) {
        self.ahead = rows;
        if self.several() {
            if rows == 0 {
                self.legs.iter_mut().for_each(|leg| leg.window.read_ahead(0, cx));
            }
            self.look(cx);
        } else {
            self.legs[0].window.read_ahead(rows, cx);
        }
    }

    /// Whether reading ahead is over: all of it is here, or the rest cannot be read.
    pub fn has_read_ahead(&self) -> bool {
        let (read, all) = self.read();
        let all_known = !self.several() || read + self.failed_legs() == all;
        let opened = |leg: &super::Leg| leg.window.frozen_total().is_some();
        all_known
            && self.legs.iter().any(opened)
            && self.legs.iter().filter(|leg| opened(leg)).all(|leg| leg.window.has_read_ahead())
    }
}
