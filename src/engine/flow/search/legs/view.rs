//! What a screen reads of the list. Nothing here changes anything.

use std::ops::Range;

use crate::flow::desk::{Desk, Waits};
use crate::flow::search::window::{Moved, Slot, Status, Window};
use lode_core::contact::RowId;
use lode_core::query::Query;
use lode_core::row::Row;
use lode_core::time::Now;

use super::{Leg, Legs, is_settled};

impl Legs {
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// The search of one leg.
    pub fn leg_query(&self, at: usize) -> &Query {
        self.legs[at].window.query()
    }

    /// The search of the leg that shows a contact.
    pub fn query_of(&self, id: RowId) -> &Query {
        let leg = self.legs.iter().find(|leg| leg.window.place(id).is_some());
        leg.map_or(&self.query, |leg| leg.window.query())
    }

    /// Each leg with its total, as far as it is known.
    pub fn parts(&self) -> impl Iterator<Item = (&Query, Option<u64>)> {
        self.legs.iter().map(|leg| (leg.window.query(), leg.window.frozen_total()))
    }

    /// Where each leg begins in the list and how many rows it has there. Ends with the first leg whose total is still awaited.
    pub(super) fn spans(&self) -> Vec<(u64, u64)> {
        let mut start = 0u64;
        let known = self.legs.iter().take_while(|leg| is_settled(leg, self.halted));
        known
            .map(|leg| {
                let span = (start, leg.window.frozen_total().unwrap_or(0));
                start = start.saturating_add(span.1);
                span
            })
            .collect()
    }

    /// The leg of a position of the list, and the position in it.
    pub(super) fn locate(&self, index: u64) -> Option<(usize, u64)> {
        if !self.several() {
            return Some((0, index));
        }
        let spans = self.spans();
        let at = spans.iter().position(|(start, size)| (*start..start.saturating_add(*size)).contains(&index))?;
        Some((at, index - spans[at].0))
    }

    /// The leg of a position, by its place among all.
    pub fn leg_at(&self, index: u64) -> Option<usize> {
        self.locate(index).map(|(at, _)| at)
    }

    /// Where a leg begins in the list.
    pub fn start_of(&self, at: usize) -> u64 {
        if self.several() { self.spans().get(at).map_or(0, |(start, _)| *start) } else { 0 }
    }

    pub fn status(&self) -> &Status {
        if self.several() && self.total().is_some() {
            return &Status::Loaded;
        }
        let waiting = self.legs.iter().find(|leg| !is_settled(leg, self.halted));
        waiting.unwrap_or(&self.legs[0]).window.status()
    }

    /// How many rows the list has: as far as totals are known.
    pub fn total(&self) -> Option<u64> {
        if !self.several() {
            return self.legs[0].window.total();
        }
        let spans = self.spans();
        let total = spans.iter().fold(0u64, |sum, (_, size)| sum.saturating_add(*size));
        let opened = self.legs[..spans.len()].iter().any(|leg| leg.window.frozen_total().is_some());
        // Nothing can only be said of all of them.
        (total > 0 || opened && spans.len() == self.legs.len()).then_some(total)
    }

    /// Each leg with the size of its set as it must be by now, once all of them are known.
    pub fn service_totals(&self) -> Option<Vec<(Query, u64)>> {
        let total = |leg: &Leg| Some((leg.window.query().clone(), leg.window.service_total()?));
        self.legs.iter().map(total).collect()
    }

    pub fn took_ms(&self) -> Option<u64> {
        let here = self.locate(self.view.cursor).map_or(0, |(at, _)| at);
        self.legs[here].window.took_ms()
    }

    /// What it was and what it is, over all legs.
    pub fn moved(&self) -> Option<Moved> {
        if !self.several() {
            return self.legs[0].window.moved();
        }
        self.legs.iter().any(|leg| leg.window.moved().is_some()).then(|| {
            self.legs.iter().fold(Moved { was: 0, is: 0 }, |sum, leg| {
                let was = leg.window.frozen_total().unwrap_or(0);
                let is = leg.window.moved().map_or(was, |moved| moved.is);
                Moved { was: sum.was.saturating_add(was), is: sum.is.saturating_add(is) }
            })
        })
    }

    /// Places whose own contact never came, once that was told.
    pub fn skipped(&self) -> u64 {
        self.legs.iter().map(|leg| leg.window.skipped()).sum()
    }

    pub fn slot(&self, index: u64) -> Slot<'_> {
        if !self.several() {
            return self.legs[0].window.slot(index);
        }
        let Some((at, position)) = self.locate(index) else { return Slot::Vanished };
        match self.legs[at].window.slot(position) {
            Slot::Row(row) if self.is_again(&self.legs[at], row) => Slot::Again(row),
            Slot::Elsewhere(place) => Slot::Elsewhere(index - position + place),
            slot => slot,
        }
    }

    /// Whether another leg showed this contact first.
    fn is_again(&self, leg: &Leg, row: &Row) -> bool {
        self.several() && row.id().is_some_and(|id| !leg.own.contains(id))
    }

    /// Loaded rows with their indices, ascending, each contact once.
    pub fn loaded(&self) -> impl Iterator<Item = (u64, &Row)> {
        self.loaded_in(0..u64::MAX)
    }

    /// Those that stand within a stretch of the list.
    pub fn loaded_in(&self, indices: Range<u64>) -> impl DoubleEndedIterator<Item = (u64, &Row)> {
        self.fitting(indices, |_| true)
    }

    /// Those of them that fit. For no others it is looked up whether another leg showed the contact first.
    pub fn fitting(
        &self,
        indices: Range<u64>,
        fits: impl Fn(&Row) -> bool + Copy,
    ) -> impl DoubleEndedIterator<Item = (u64, &Row)> {
        let spans = if self.several() { self.spans() } else { vec![(0, u64::MAX)] };
        spans.into_iter().zip(&self.legs).collect::<Vec<_>>().into_iter().flat_map(move |((start, size), leg)| {
            let from = indices.start.saturating_sub(start);
            let to = indices.end.saturating_sub(start).min(size);
            let rows = leg.window.loaded_in(from..to.max(from));
            rows.filter(move |(_, row)| fits(row) && !self.is_again(leg, row))
                .map(move |(index, row)| (start + index, row))
        })
    }

    /// Where a contact stands among the loaded rows.
    pub fn place(&self, id: RowId) -> Option<u64> {
        if !self.several() {
            return self.legs[0].window.place(id);
        }
        let spans = self.spans();
        let (at, _) = self.legs.iter().enumerate().find(|(_, leg)| leg.own.contains(id))?;
        Some(spans.get(at)?.0 + self.legs[at].window.place(id)?)
    }

    /// A loaded row, wherever its contact stands.
    pub fn row(&self, id: RowId) -> Option<&Row> {
        self.legs.iter().find_map(|leg| match leg.window.slot(leg.window.place(id)?) {
            Slot::Row(row) => Some(row),
            _ => None,
        })
    }

    pub fn held(&self) -> usize {
        self.legs.iter().map(|leg| leg.window.held()).sum()
    }

    /// Rows of one page of the service; zero before the first answer.
    pub fn stride(&self) -> u64 {
        let here = self.locate(self.view.cursor).map_or(0, |(at, _)| at);
        self.legs[here].window.stride()
    }

    /// The page of the service around a position, as positions: it never reaches into another leg.
    pub fn page_around(&self, index: u64) -> Range<u64> {
        let Some((at, position)) = self.locate(index) else { return index..index };
        let page = self.legs[at].window.page_around(position);
        let start = index - position;
        let end = self.legs[at].window.frozen_total().filter(|_| self.several()).unwrap_or(u64::MAX);
        start.saturating_add(page.start)..start.saturating_add(page.end.min(end))
    }

    /// Which page of its leg a position is on, and how many it has.
    pub fn page_at(&self, index: u64) -> Option<(u64, u64)> {
        let (at, position) = self.locate(index)?;
        let window = &self.legs[at].window;
        Some((position / window.stride().max(1) + 1, window.pages()?))
    }

    /// Requests that reading the first `rows` from their beginning takes. An upper bound where legs overlap.
    pub fn requests_for(&self, rows: u64) -> u64 {
        let mut left = rows;
        let mut requests = 0u64;
        for leg in &self.legs {
            let here = left.min(leg.window.frozen_total().or(leg.window.total()).unwrap_or(0));
            if left > 0 {
                requests = requests.saturating_add(here.div_ceil(leg.window.stride().max(1)).max(1));
            }
            left -= here;
        }
        requests
    }

    /// The ids that [`Legs::mark_pulled`] would send for.
    pub fn page_ids(&self, index: u64) -> Vec<RowId> {
        self.locate(index).map_or_else(Vec::new, |(at, index)| self.legs[at].window.page_ids(index))
    }

    /// Whether anything a person looks at is still on its way.
    pub fn is_busy(&self) -> bool {
        self.legs.iter().any(|leg| leg.window.is_busy())
    }

    /// Why the page that is looked at is not here yet.
    pub fn waits<'a>(&'a self, desk: &'a Desk, now: Now) -> Option<Waits<'a>> {
        self.legs.iter().find_map(|leg: &Leg| leg.window.waits(desk, now))
    }

    /// The window of a leg, for what only it knows.
    pub fn window(&self, at: usize) -> &Window {
        &self.legs[at].window
    }
}
