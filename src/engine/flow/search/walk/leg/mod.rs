//! Reading one leg of a search from its beginning, page by page.
//!
//! No id is given twice. When the set shrinks while it is read, what was not read yet moves up to where we have been; the walk
//! goes back over as many places as were lost, so that nothing is skipped, and says that the set moved. Where rows came twice
//! in a set that did not move, others were skipped for them: it is read again from the beginning, and what still does not come
//! is said. An empty page before the end ends it, and so does a page from another place than was asked for, or the same rows
//! again: said, not looped on.

mod course;

use std::collections::HashSet;

use crate::effect::CallId;
use crate::effect::call::{Call, Reply, SearchCall};
use crate::effect::failure::Failure;
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::limiter::Priority;
use lode_core::contact::RowId;
use lode_core::page::Page;
use lode_core::query::Query;
use lode_core::row::Row;

use super::{End, Step};
use crate::flow::search::applied;
use crate::flow::search::window::Moved;

/// So many pages without a single new row are more than a set that moves.
const REPEATS: u32 = 2;

#[derive(Clone, Debug)]
pub struct Leg {
    owner: Owner,
    query: Query,
    wanted: u64,
    priority: Priority,
    asked: Option<(CallId, u64)>,
    /// The place to be read next, while nothing is asked for.
    due: Option<u64>,
    held: bool,
    /// Of the request that is under way.
    limit: u64,
    /// The page size that is asked for, once a first page was taken.
    page: Option<u64>,
    /// The page size that the service applied to the latest page.
    applied: u64,
    seen: HashSet<RowId>,
    /// Ids that legs before this one gave.
    earlier: HashSet<RowId>,
    given: u64,
    /// Rows that a leg before this one gave: how many, and those of the page that was read last.
    met: u64,
    met_now: Vec<RowId>,
    took_ms: Option<u64>,
    first_total: Option<u64>,
    lowest_total: u64,
    total: u64,
    /// Where reading goes on.
    front: u64,
    /// Places behind the front at which unread rows may stand since the set shrank.
    behind: Option<(u64, u64)>,
    went_back: bool,
    /// Pages in a row that brought nothing new.
    repeats: u32,
    /// Places that were passed over because pages had fewer rows than the limit they name.
    unseen: u64,
    /// The service names no total that can be: reading goes on to the first empty page.
    uncounted: bool,
    /// Rows that came twice in a set that did not move.
    doubles: u64,
    /// How often it is read from the beginning, and whether this time brought anything new.
    reading: u32,
    fresh: bool,
    end: Option<End>,
}

impl Leg {
    pub fn new(owner: Owner, query: Query, wanted: u64, priority: Priority) -> Leg {
        Leg {
            owner,
            query,
            wanted,
            priority,
            asked: None,
            due: None,
            held: false,
            limit: 0,
            page: None,
            applied: 0,
            seen: HashSet::new(),
            earlier: HashSet::new(),
            given: 0,
            met: 0,
            met_now: Vec::new(),
            took_ms: None,
            first_total: None,
            lowest_total: u64::MAX,
            total: 0,
            front: 0,
            behind: None,
            went_back: false,
            repeats: 0,
            unseen: 0,
            uncounted: false,
            doubles: 0,
            reading: 1,
            fresh: false,
            end: None,
        }
    }

    /// The next leg takes its place: what was given so far is passed over there.
    pub(super) fn hand_over(&mut self, next: Leg) {
        let mut earlier = std::mem::take(&mut self.earlier);
        earlier.extend(std::mem::take(&mut self.seen));
        *self = Leg { earlier, ..next };
    }

    /// Asks for the first page. A query that cannot be sent ends here.
    pub fn start(&mut self, cx: &mut Cx<'_>) {
        match self.query.ready() {
            Ok(()) if self.wanted == 0 => self.end = Some(End::Enough),
            Ok(()) => self.ask_first(cx.desk.page(self.query.side.source), cx),
            Err(problem) => self.end = Some(End::Failed(Failure::OurBug { words: problem.to_string() })),
        }
    }

    /// One more page, where the answer was for this walk.
    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> Option<Step> {
        let Heard::Reply(id, _, result) = heard else { return None };
        let (_, offset) = self.asked.take_if(|(asked, _)| asked == id)?;
        let rows = match result {
            Ok(Reply::Page(page)) => {
                self.page.get_or_insert(self.limit);
                let rows = self.read(offset, page);
                if !self.held {
                    self.go_on(cx);
                }
                rows
            }
            Ok(_) => {
                let words = "unexpected response to a search".to_owned();
                self.end = Some(End::Failed(Failure::OurBug { words }));
                Vec::new()
            }
            Err(failure) => {
                self.end = Some(End::Failed(failure.clone()));
                Vec::new()
            }
        };
        Some(Step {
            leg: 0,
            rows,
            met: std::mem::take(&mut self.met_now),
            offset,
            total: self.total,
            end: self.end.clone(),
        })
    }

    /// Asks for nothing more by itself until it is told to go on.
    pub fn hold(&mut self) {
        self.held = true;
    }

    /// Asks for what is to be read next.
    pub fn go_on(&mut self, cx: &mut Cx<'_>) {
        self.held = false;
        if let Some(offset) = self.due.take() {
            self.ask(offset, cx);
        } else if self.page.is_none() && self.asked.is_none() && self.end.is_none() {
            self.start(cx);
        }
    }

    /// A page that an earlier run read with pages of `limit` rows, instead of asking for it.
    pub fn replay(&mut self, limit: u64, offset: u64, page: &Page) -> Vec<Row> {
        self.limit = limit;
        self.page = Some(limit);
        self.due = None;
        self.read(offset, page)
    }

    /// Whether it waits for the answer to this request.
    pub fn asks(&self, id: CallId) -> bool {
        self.asked.is_some_and(|(asked, _)| asked == id)
    }

    /// The size of the pages as the service applies it, once it is known.
    pub fn page_size(&self) -> Option<u64> {
        self.page.map(|_| self.applied.max(1))
    }

    /// Requests still to make for the rows that are counted now.
    pub fn ahead(&self) -> u64 {
        if self.end.is_some() { 0 } else { self.total.saturating_sub(self.front).div_ceil(self.applied.max(1)) }
    }

    pub fn stop(&mut self, cx: &mut Cx<'_>) {
        if let Some((id, _)) = self.asked.take() {
            cx.cancel(id);
        }
        self.end.get_or_insert(End::Stopped);
    }

    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// The total of the latest page.
    pub fn total(&self) -> Option<u64> {
        self.first_total.map(|_| self.total)
    }

    /// The rows of the page read last that were passed over, because a leg before this one gave them.
    pub(super) fn met(&mut self) -> Vec<RowId> {
        std::mem::take(&mut self.met_now)
    }

    pub(super) fn met_rows(&self) -> u64 {
        self.met
    }

    /// How many rows were given.
    pub fn given(&self) -> u64 {
        self.given
    }

    /// Places of the result that were passed over: their pages were shorter than the limit they name.
    pub fn unseen(&self) -> u64 {
        self.unseen
    }

    pub fn took_ms(&self) -> Option<u64> {
        self.took_ms
    }

    /// Whether the service named no total that can be.
    pub fn is_uncounted(&self) -> bool {
        self.uncounted
    }

    pub fn moved(&self) -> Option<Moved> {
        let was = self.first_total.filter(|_| !self.uncounted)?;
        if self.lowest_total != was {
            return Some(Moved { was, is: self.lowest_total });
        }
        (self.total != was).then_some(Moved { was, is: self.total })
    }

    /// Later pages are as large as the first one that was taken.
    fn ask_first(&mut self, page: u64, cx: &mut Cx<'_>) {
        // Of a page behind other legs any row may be one of theirs.
        self.limit = if self.earlier.is_empty() { page.min(self.wanted) } else { page };
        self.send(0, cx);
    }

    fn ask(&mut self, offset: u64, cx: &mut Cx<'_>) {
        self.limit = self.page.unwrap_or(self.limit);
        self.send(offset, cx);
    }

    fn send(&mut self, offset: u64, cx: &mut Cx<'_>) {
        let call = SearchCall { query: self.query.clone(), offset, limit: self.limit, mark_pulled: false };
        self.asked = Some((cx.ask(self.owner, Call::Search(call), self.priority), offset));
    }

    fn read(&mut self, offset: u64, page: &Page) -> Vec<Row> {
        self.took_ms = page.took_ms.or(self.took_ms);
        self.uncounted |= page.uncounted;
        self.applied = applied(self.limit, page);
        let came = page.rows.len() as u64;
        let total = if self.uncounted { offset.saturating_add(came + u64::from(came > 0)) } else { page.total };
        let began = *self.first_total.get_or_insert(total);
        let lost = if self.uncounted { 0 } else { self.lowest_total.min(began).saturating_sub(total) };
        let grew = total > self.total;
        self.lowest_total = self.lowest_total.min(total);
        self.total = total;
        let mut rows = Vec::with_capacity(page.rows.len());
        let met = self.met;
        for row in &page.rows {
            // Read again, a row without an id cannot be told from itself.
            let is_new = row.id().map_or(self.reading == 1, |id| !self.seen.contains(&id));
            if is_new && self.given < self.wanted {
                self.seen.extend(row.id());
                if let Some(id) = row.id().filter(|id| self.earlier.contains(id)) {
                    self.met += 1;
                    self.met_now.push(id);
                } else {
                    self.given += 1;
                    rows.push(row.clone());
                }
            }
        }
        let news = rows.len() as u64 + self.met - met;
        self.fresh |= news > 0;
        if !self.went_back && self.reading == 1 && self.given < self.wanted {
            self.doubles += came - news;
        }
        // Where a set grows, was gone back over or is read again, rows come again by right.
        let again = news == 0 && !page.rows.is_empty() && !self.went_back && !grew && self.reading == 1;
        self.repeats = if again { self.repeats + 1 } else { 0 };
        // The stride stays the limit (S11): a service may collapse duplicates within a page. One that names no limit, or a
        // wrong one, leaves rows out this way.
        let places = self.applied.min(total.saturating_sub(offset));
        if !self.went_back && !page.rows.is_empty() && !self.uncounted && self.reading == 1 {
            self.unseen += places.saturating_sub(came);
        }
        self.advance(offset, page, lost);
        if self.given >= self.wanted {
            self.end = Some(End::Enough);
        } else if page.offset != offset && !page.rows.is_empty() && offset < total {
            self.end = Some(End::Elsewhere { asked: offset, sent: page.offset });
        } else if self.repeats >= REPEATS && self.front < total {
            self.end = Some(End::Repeats { offset });
        } else {
            self.due = self.next(offset, page);
        }
        rows
    }
}
