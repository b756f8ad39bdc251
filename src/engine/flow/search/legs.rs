//! A search as one list, however many legs it has: each leg is a [`Window`], and they are shown one after the other.
//!
//! A position of the list is found from the totals that the legs had when they were opened; those never change, so nothing moves
//! under the reader. The list ends where the first total is not known yet. A contact belongs to the leg that showed it first;
//! where another leg shows it again, it is a repeat from then on. A search with one leg is its window and nothing else.

use super::pages::MOST_ROWS;
use super::window::{MarkResult, Moved, Slot, Status, View, Window, WindowNews};
use super::*;

/// Legs that are opened at once.
const OPENED_AT_ONCE: usize = 3;

#[derive(Clone, Debug, Default)]
pub struct Legs {
    /// The whole search.
    query: Query,
    /// Never empty.
    legs: Vec<Window>,
    marking: Vec<Marking>,
    view: View,
    /// Rows of the whole list that are read in advance, and whether a person wants them.
    ahead: (u64, bool),
    /// Stopped by the person: what is not opened yet stays so.
    halted: bool,
    marked: Vec<WindowNews>,
}

impl Legs {
    pub fn new(side: Side) -> Legs {
        Legs { query: Query::new(side), legs: vec![Window::new(side)], ..Legs::default() }
    }

    /// Searches and begins at a place that was kept from before. What was shown or in flight is gone.
    pub fn run_at(&mut self, query: Query, index: u64, cx: &mut FlowContext<'_>) {
        let legs = if query.ready().is_ok() { query.legs() } else { vec![query.clone()] };
        self.legs.iter_mut().skip(legs.len()).for_each(|leg| _ = leg.stop(cx));
        self.legs.resize_with(legs.len(), Window::default);
        self.legs.iter_mut().zip(legs).for_each(|(leg, query)| leg.prepare(query, cx));
        self.query = query;
        self.view = View { top: index, cursor: index, ..View::default() };
        (self.ahead, self.halted) = ((0, false), false);
        // A search with one leg is always in sight.
        self.legs[0].rests = self.several();
        self.open(cx);
    }

    /// What is left out on this side changed: the service is not asked again.
    pub fn leave_out(&mut self, not: Exclusions) {
        self.query.not = not;
    }

    /// Drops what is on its way. Pages that are here stay. Answers whether there was anything to drop.
    pub fn stop(&mut self, cx: &mut FlowContext<'_>) -> bool {
        let halted = std::mem::replace(&mut self.halted, true);
        let mut running = !halted && self.several() && self.legs.iter().any(|leg| leg.status == Status::Empty);
        for leg in &mut self.legs {
            running |= leg.stop(cx);
        }
        running
    }

    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        let is_taken = self.handle_marking(arrival, cx) || self.legs.iter_mut().any(|leg| leg.handle(arrival, cx));
        if is_taken && self.several() {
            self.open(cx);
            self.show_legs(cx);
            self.bound();
        }
    }

    /// The contact is owned now: its rows fill in where they stand.
    pub fn own(&mut self, id: RowId, contact: &Contact) -> bool {
        self.legs.iter_mut().fold(false, |newly, leg| leg.own(id, contact) | newly)
    }

    /// Rows left the set since `moment`: pages read in the meantime are read again.
    pub fn reread_since(&mut self, moment: Mono, cx: &mut FlowContext<'_>) {
        self.legs.iter_mut().for_each(|leg| leg.reread_since(moment, cx));
    }

    /// Events since the last call, each with its leg. An id belongs to the first leg that showed it.
    pub fn news(&mut self) -> Vec<(usize, WindowNews)> {
        let several = self.several();
        let mut all: Vec<_> = self.marked.drain(..).map(|marked| (0, marked)).collect();
        for at in 0..self.legs.len() {
            for news in std::mem::take(&mut self.legs[at].news) {
                let ids = if let WindowNews::Page { ids, .. } = &news { &ids[..] } else { &[] };
                for id in ids.iter().filter(|_| several) {
                    if !self.legs.iter().any(|leg| leg.met_first.contains(*id)) {
                        self.legs[at].met_first.insert(*id);
                    }
                }
                all.push((at, news));
            }
        }
        all
    }

    /// Records the page around `index` as pulled: a page belongs to one leg. False where there is nothing to mark or a marking is
    /// on its way.
    pub fn mark_pulled(&mut self, index: u64, cx: &mut FlowContext<'_>) -> bool {
        let Some((at, index)) = self.locate(index) else { return false };
        let Window { query, pages, .. } = &self.legs[at];
        let shown = self.legs[at].page_ids(index);
        if query.side.source != Source::Data || self.marking.iter().any(|marking| marking.leg == at) || shown.is_empty()
        {
            return false;
        }
        let offset = pages.offset(self.legs[at].page_around(index).start);
        let call = SearchCall { query: query.clone(), offset, limit: pages.stride, mark_pulled: true };
        let id = cx.ask(Owner::Window(query.side), Call::Search(call), Priority::Person);
        self.marking.push(Marking { id, leg: at, shown, since: cx.now.mono, canonical: query.canonical() });
        true
    }

    fn handle_marking(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> bool {
        let Arrival::Reply(id, _, result) = arrival else { return false };
        let Some(at) = self.marking.iter().position(|marking| marking.id == *id) else { return false };
        let Marking { leg, shown, since, canonical, .. } = self.marking.swap_remove(at);
        let marked = match page_of(result) {
            Ok(page) => {
                let ids: Vec<RowId> = page.rows.iter().filter_map(|row| row.id()).collect();
                if let Some(window) = self.legs.get_mut(leg)
                    && window.query.hide_pulled
                    && canonical == window.query.canonical()
                {
                    for index in ids.iter().filter_map(|id| window.pages.place(*id)).collect::<Vec<_>>() {
                        window.pages.leave(index);
                    }
                    window.reread_since(since, cx);
                }
                let unseen = ids.iter().copied().filter(|id| !shown.contains(id)).collect();
                let shown = shown.into_iter().filter(|id| !ids.contains(id)).collect();
                MarkResult::Recorded { ids, shown, unseen }
            }
            // The page may have been recorded before the answer pointed elsewhere.
            Err(failure @ Failure::Refused { why: Refusal::Redirect, .. }) => {
                MarkResult::Unclear { ids: shown, failure }
            }
            Err(failure @ (Failure::Later { .. } | Failure::Refused { .. } | Failure::Unsent { .. })) => {
                MarkResult::Refused(failure)
            }
            Err(failure) => MarkResult::Unclear { ids: shown, failure },
        };
        self.marked.push(WindowNews::Marked(marked));
        true
    }

    fn several(&self) -> bool {
        self.legs.len() > 1
    }

    /// Whether nothing more is to be expected of a leg's total.
    fn is_settled(&self, leg: &Window) -> bool {
        match leg.status {
            Status::Empty => self.halted,
            Status::Running { .. } => false,
            Status::Loaded | Status::NotSent(_) | Status::Failed(_) | Status::Stopped => true,
        }
    }

    /// All legs share one bound: the pages that are farthest from the cursor are forgotten.
    fn bound(&mut self) {
        let here = self.locate(self.view.cursor).map_or(0, |(at, _)| at);
        let mut order: Vec<usize> = (0..self.legs.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(at.abs_diff(here)));
        for at in order {
            let over = self.held().saturating_sub(MOST_ROWS);
            if over == 0 {
                return;
            }
            let window = &mut self.legs[at];
            window.bound(window.pages.held.saturating_sub(over));
        }
    }

    /// Opens the next legs.
    fn open(&mut self, cx: &mut FlowContext<'_>) {
        let is_opening = |leg: &&Window| matches!(leg.status, Status::Running { .. });
        let running = self.legs.iter().filter(is_opening).count();
        let more = if self.halted { 0 } else { OPENED_AT_ONCE.saturating_sub(running) };
        let index = if self.several() { 0 } else { self.view.top };
        for leg in self.legs.iter_mut().filter(|leg| leg.status == Status::Empty).take(more) {
            leg.begin(index, cx);
        }
    }

    /// How many totals are known, and of how many legs.
    pub fn read(&self) -> (usize, usize) {
        (self.legs.iter().filter(|leg| leg.first_total.is_some()).count(), self.legs.len())
    }

    /// How many legs could not be opened.
    pub fn failed_legs(&self) -> usize {
        self.legs.iter().filter(|leg| matches!(leg.status, Status::Failed(_))).count()
    }

    /// Tells what is on the screen, so that it can be read.
    pub fn set_viewport(&mut self, top: u64, height: u64, cursor: u64, cx: &mut FlowContext<'_>) {
        let backward = if top == self.view.top { self.view.backward } else { top < self.view.top };
        self.view = View { top, height, cursor, backward };
        self.show_legs(cx);
    }

    /// Each leg is told what is seen of it. Legs out of sight ask for nothing.
    fn show_legs(&mut self, cx: &mut FlowContext<'_>) {
        let View { top, height, cursor, backward } = self.view;
        let bottom = top.saturating_add(height.max(1));
        let spans: Vec<(u64, u64)> = self.spans().collect();
        let (mut ahead, wanted) = self.ahead;
        for (leg, (start, size)) in self.legs.iter_mut().zip(spans.iter().copied()) {
            let end = start.saturating_add(size);
            let has_cursor = (start..end).contains(&cursor);
            let is_seen = top < end && start < bottom;
            leg.rests = !(is_seen || has_cursor);
            let here = ahead.min(size);
            ahead -= here;
            // Told once: where a page failed it has given up.
            if here > leg.told {
                leg.told = here;
                leg.read_ahead(here, wanted, cx);
            }
            if is_seen {
                let first = top.max(start) - start;
                let height = bottom.min(end) - start - first;
                let cursor = if has_cursor { cursor - start } else { first };
                leg.set_viewport(View { top: first, height, cursor, backward }, cx);
            } else if has_cursor {
                let cursor = cursor - start;
                leg.set_viewport(View { top: cursor, height: 1, cursor, backward }, cx);
            }
        }
        self.foresee(&spans, cx);
    }

    /// Where the reader is about to leave a leg, the first page of the next one is asked for, or the last one of the one before.
    fn foresee(&mut self, spans: &[(u64, u64)], cx: &mut FlowContext<'_>) {
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
            self.legs[at].foresee(index, cx);
        }
    }

    /// Reads the first `rows` one page after the other, after all visible pages; unless they are `wanted`, only while the service is
    /// quick.
    pub fn read_ahead(&mut self, rows: u64, wanted: bool, cx: &mut FlowContext<'_>) {
        if !self.several() {
            return self.legs[0].read_ahead(rows, wanted, cx);
        }
        self.ahead = (rows, wanted);
        for leg in &mut self.legs {
            leg.told = 0;
            leg.read_ahead(0, wanted, cx);
        }
        self.show_legs(cx);
    }

    /// How many of the rows that are read ahead are here.
    pub fn read_so_far(&self) -> u64 {
        self.legs.iter().map(|leg| leg.read_so_far()).sum()
    }

    /// Whether reading ahead is over: all of it is here, or the rest cannot be read.
    pub fn has_read_ahead(&self) -> bool {
        let (read, all) = self.read();
        let mut opened = self.legs.iter().filter(|leg| leg.first_total.is_some());
        read > 0 && read + self.failed_legs() == all && opened.all(|leg| leg.has_read_ahead())
    }

    pub fn query(&self) -> &Query {
        &self.query
    }

    /// The search of one leg.
    pub fn leg_query(&self, at: usize) -> &Query {
        &self.legs[at].query
    }

    /// The search of the leg that shows a contact.
    pub fn query_of(&self, id: RowId) -> &Query {
        let leg = self.legs.iter().find(|leg| leg.pages.place(id).is_some());
        leg.map_or(&self.query, |leg| &leg.query)
    }

    /// Each leg with its total, if it is known.
    pub fn parts(&self) -> impl Iterator<Item = (&Query, Option<u64>)> {
        self.legs.iter().map(|leg| (&leg.query, leg.first_total))
    }

    /// Where each leg begins in the list and how many rows it has there. Ends with the first leg whose total is still awaited.
    fn spans(&self) -> impl Iterator<Item = (u64, u64)> {
        let known = self.legs.iter().take_while(|leg| !self.several() || self.is_settled(leg));
        known.scan(0u64, |next, leg| {
            let size = if self.several() { leg.first_total.unwrap_or(0) } else { u64::MAX };
            let start = *next;
            *next = start.saturating_add(size);
            Some((start, size))
        })
    }

    /// The leg of a position of the list, and the position in it.
    pub fn locate(&self, index: u64) -> Option<(usize, u64)> {
        let holds = |(start, size): (u64, u64)| (start..start.saturating_add(size)).contains(&index);
        let (at, (start, _)) = self.spans().enumerate().find(|(_, span)| holds(*span))?;
        Some((at, index - start))
    }

    /// The leg of a position, by its place among all.
    pub fn leg_at(&self, index: u64) -> Option<usize> {
        self.locate(index).map(|(at, _)| at)
    }

    /// Where a leg begins in the list.
    pub fn start_of(&self, at: usize) -> u64 {
        self.spans().nth(at).map_or(0, |(start, _)| start)
    }

    pub fn status(&self) -> &Status {
        if self.total().is_some() {
            return &Status::Loaded;
        }
        let waiting = self.legs.iter().find(|leg| !self.is_settled(leg));
        &waiting.unwrap_or(&self.legs[0]).status
    }

    /// How many rows the list has, by the totals that are known.
    pub fn total(&self) -> Option<u64> {
        if !self.several() {
            return self.legs[0].total;
        }
        let total = self.spans().fold(0u64, |sum, (_, size)| sum.saturating_add(size));
        let all_settled = || self.legs.iter().all(|leg| self.is_settled(leg));
        // Nothing can only be said of all of them.
        (total > 0 || self.read().0 > 0 && all_settled()).then_some(total)
    }

    /// Each leg with the size of its set as it must be by now, without what left it by our own doing, once all of them are known.
    pub fn service_totals(&self) -> Option<Vec<(Query, u64)>> {
        let total = |window: &Window| Some((window.query.clone(), window.total?.saturating_sub(window.pages.gone())));
        self.legs.iter().map(total).collect()
    }

    pub fn took_ms(&self) -> Option<u64> {
        let here = self.locate(self.view.cursor).map_or(0, |(at, _)| at);
        self.legs[here].took_ms
    }

    /// What it was and what it is, over all legs.
    pub fn moved(&self) -> Option<Moved> {
        self.legs.iter().find(|leg| leg.moved.is_some())?;
        let moved = |leg: &Window| {
            let total = leg.first_total.unwrap_or(0);
            leg.moved.unwrap_or(Moved { was: total, is: total })
        };
        let sum =
            |one: Moved, two: Moved| Moved { was: one.was.saturating_add(two.was), is: one.is.saturating_add(two.is) };
        self.legs.iter().map(moved).reduce(sum)
    }

    /// Places whose own contact never came, once that was told.
    pub fn skipped(&self) -> u64 {
        self.legs.iter().map(|leg| leg.skipped()).sum()
    }

    pub fn slot(&self, index: u64) -> Slot<'_> {
        let Some((at, position)) = self.locate(index) else { return Slot::Vanished };
        match self.legs[at].slot(position) {
            Slot::Row(row) if self.is_again(&self.legs[at], row) => Slot::Again(row),
            Slot::Elsewhere(place) => Slot::Elsewhere(index - position + place),
            slot => slot,
        }
    }

    /// Whether another leg showed this contact first.
    fn is_again(&self, leg: &Window, row: &Row) -> bool {
        self.several() && row.id().is_some_and(|id| !leg.met_first.contains(id))
    }

    /// Loaded rows with their indices, ascending, each contact once.
    pub fn loaded(&self) -> impl Iterator<Item = (u64, &Row)> {
        self.fitting(0..u64::MAX, |_| true)
    }

    /// Those within a stretch of the list that fit. For no others it is looked up whether another leg showed the contact first.
    pub fn fitting(
        &self,
        indices: Range<u64>,
        fits: impl Fn(&Row) -> bool + Copy,
    ) -> impl DoubleEndedIterator<Item = (u64, &Row)> {
        let rows = self.rows(indices).filter(move |(_, leg, row)| fits(row) && !self.is_again(leg, row));
        rows.map(|(index, _, row)| (index, row))
    }

    /// The places within a stretch of the list whose rows are loaded.
    pub fn held_in(&self, indices: Range<u64>) -> impl Iterator<Item = u64> {
        self.rows(indices).map(|(index, ..)| index)
    }

    /// Loaded rows with their indices and their legs, ascending.
    fn rows(&self, indices: Range<u64>) -> impl DoubleEndedIterator<Item = (u64, &Window, &Row)> {
        let legs: Vec<_> = self.spans().zip(&self.legs).collect();
        legs.into_iter().flat_map(move |((start, size), leg)| {
            let from = indices.start.saturating_sub(start);
            let to = indices.end.saturating_sub(start).min(size);
            leg.pages.rows(from..to.max(from)).map(move |(index, row)| (start + index, leg, row))
        })
    }

    /// Where a contact stands among the loaded rows.
    pub fn place(&self, id: RowId) -> Option<u64> {
        if !self.several() {
            return self.legs[0].pages.place(id);
        }
        let ((start, _), leg) = self.spans().zip(&self.legs).find(|(_, leg)| leg.met_first.contains(id))?;
        Some(start + leg.pages.place(id)?)
    }

    /// A loaded row, wherever its contact stands.
    pub fn row(&self, id: RowId) -> Option<&Row> {
        (0..self.legs.len()).find_map(|at| self.row_in(at, id))
    }

    /// A loaded row of one leg.
    pub fn row_in(&self, at: usize, id: RowId) -> Option<&Row> {
        let window = &self.legs[at];
        if let Slot::Row(row) = window.slot(window.pages.place(id)?) { Some(row) } else { None }
    }

    pub fn held(&self) -> usize {
        self.legs.iter().map(|leg| leg.pages.held).sum()
    }

    /// Rows of one page of the service; zero before the first answer.
    pub fn stride(&self) -> u64 {
        let here = self.locate(self.view.cursor).map_or(0, |(at, _)| at);
        self.legs[here].pages.stride
    }

    /// The page of the service around a position, as positions: it never reaches into another leg.
    pub fn page_around(&self, index: u64) -> Range<u64> {
        let Some((at, position)) = self.locate(index) else { return index..index };
        let page = self.legs[at].page_around(position);
        let start = index - position;
        let end = self.legs[at].first_total.filter(|_| self.several()).unwrap_or(u64::MAX);
        start.saturating_add(page.start)..start.saturating_add(page.end.min(end))
    }

    /// Which page of its leg a position is on, and how many it has.
    pub fn page_at(&self, index: u64) -> Option<(u64, u64)> {
        let (at, position) = self.locate(index)?;
        let window = &self.legs[at];
        let stride = window.pages.stride.max(1);
        Some((position / stride + 1, window.total?.div_ceil(stride)))
    }

    /// Requests that reading the first `rows` from their beginning takes. An upper bound where legs overlap.
    pub fn requests_for(&self, rows: u64) -> u64 {
        let (mut left, mut requests) = (rows, 0u64);
        for window in &self.legs {
            let here = left.min(window.first_total.or(window.total).unwrap_or(0));
            let pages = here.div_ceil(window.pages.stride.max(1)).max(1);
            requests = requests.saturating_add(if left > 0 { pages } else { 0 });
            left -= here;
        }
        requests
    }

    /// The ids that [`Legs::mark_pulled`] would send for.
    pub fn page_ids(&self, index: u64) -> Vec<RowId> {
        self.locate(index).map_or_else(Vec::new, |(at, index)| self.legs[at].page_ids(index))
    }

    /// Whether anything a person looks at is still on its way.
    pub fn is_busy(&self) -> bool {
        self.legs.iter().any(|leg| leg.awaited().next().is_some())
    }

    /// Why the page that is looked at is not here yet.
    pub fn waits<'a>(&'a self, desk: &'a Desk, now: Now) -> Option<Waits<'a>> {
        self.legs.iter().flat_map(Window::awaited).find_map(|id| desk.waits(id, now))
    }
}

// Marking a page as pulled (Data): the one search that changes something. It is sent once, for exactly the page on the screen,
// only by this confirmed command, and never again by itself (S3).

/// A page that is being marked; another search may be shown when the answer comes.
#[derive(Clone, Debug)]
struct Marking {
    id: CallId,
    leg: usize,
    shown: Vec<RowId>,
    since: Mono,
    canonical: String,
}

// Opening: one request for each leg, a few at a time, the first leg first.

/// What running a search with many legs takes: `12 searches: 12 requests to open them, about 1 min. All scan …`
pub fn legs_take(query: &Query) -> String {
    let legs = query.leg_count() as u64;
    let scans = format!(" All {} scan the whole corpus, which is slow.", grouped(legs));
    let slow = if query.speed() == Speed::Slow { scans } else { String::new() };
    format!("{}: {} to open them, {}.{slow}", counted(legs, "search"), counted(legs, "request"), minutes(legs))
}

/// `less than 1 min`: how long this number of requests takes at the usual pace of a key, 120 a minute.
pub fn minutes(requests: u64) -> String {
    match time_for(requests, 120, 60_000).as_secs().div_ceil(60) {
        0 => "less than 1 min".to_owned(),
        minutes => format!("about {} min", grouped(minutes)),
    }
}
