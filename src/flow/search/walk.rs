//! Reading a result from its beginning, page by page, for the shell and for putting all matches into the basket.
//!
//! No id is given twice. When the set shrinks while it is read, what was not read yet moves up to where we have been; the walk
//! goes back over as many places as were lost, so that nothing is skipped, and says that the set moved. An empty page before
//! the end ends it, and so does a page from another place than was asked for, or the same rows again: said, not looped on.

use std::collections::HashSet;

use crate::domain::contact::RowId;
use crate::domain::credits::grouped;
use crate::domain::page::Page;
use crate::domain::query::Query;
use crate::domain::row::Row;
use crate::domain::time::Now;
use crate::effect::CallId;
use crate::effect::call::{Call, Reply, SearchCall};
use crate::effect::failure::Failure;
use crate::flow::desk::{Cx, Desk, Heard, Owner, Waits};
use crate::flow::limiter::Priority;

use super::window::Moved;
use super::{PAGE, SMALL_PAGE, applied, may_be_too_large};

/// One answered page of the walk.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Rows that were not given before, in the order of the service.
    pub rows: Vec<Row>,
    /// Where the service had this page.
    pub offset: u64,
    pub total: u64,
    /// The walk is over.
    pub end: Option<End>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// As many rows as were wanted.
    Enough,
    /// The whole result was read.
    All,
    /// An empty page before the end of the result.
    Hole {
        offset: u64,
        total: u64,
    },
    /// The service answered with rows from another place than was asked for.
    Elsewhere {
        asked: u64,
        sent: u64,
    },
    /// One page after the other brought only rows that were there already.
    Repeats {
        offset: u64,
    },
    Failed(Failure),
    Stopped,
}

impl End {
    /// What a person should know of a service that did not let the result be read to its end.
    pub fn cut_short(&self) -> Option<String> {
        let row = |offset: u64| grouped(offset.saturating_add(1));
        match self {
            End::Hole { offset, total } => Some(format!(
                "the service sent an empty page at row {} although it counts {}: reading stopped there",
                row(*offset),
                grouped(*total)
            )),
            End::Elsewhere { asked, sent } => Some(format!(
                "the service was asked for row {} and answered with row {}: reading stopped there",
                row(*asked),
                row(*sent)
            )),
            End::Repeats { offset } => Some(format!(
                "the service sent rows once more that it had sent before, at row {}: reading stopped there",
                row(*offset)
            )),
            _ => None,
        }
    }
}

/// So many pages without a single new row are more than a set that moves.
const REPEATS: u32 = 2;

#[derive(Clone, Debug)]
pub struct Walk {
    owner: Owner,
    query: Query,
    wanted: u64,
    priority: Priority,
    asked: Option<(CallId, u64)>,
    /// The page size asked for in general, and of the request that is under way.
    page: u64,
    limit: u64,
    seen: HashSet<RowId>,
    given: u64,
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
    end: Option<End>,
}

impl Walk {
    pub fn new(owner: Owner, query: Query, wanted: u64, priority: Priority) -> Walk {
        Walk {
            owner,
            query,
            wanted,
            priority,
            asked: None,
            page: PAGE,
            limit: PAGE,
            seen: HashSet::new(),
            given: 0,
            took_ms: None,
            first_total: None,
            lowest_total: u64::MAX,
            total: 0,
            front: 0,
            behind: None,
            went_back: false,
            repeats: 0,
            unseen: 0,
            end: None,
        }
    }

    /// Asks for the first page. A query that cannot be sent ends here.
    pub fn start(&mut self, cx: &mut Cx<'_>) {
        match self.query.ready() {
            Ok(()) if self.wanted == 0 => self.end = Some(End::Enough),
            Ok(()) => self.ask(0, cx),
            Err(problem) => self.end = Some(End::Failed(Failure::OurBug { words: problem.to_string() })),
        }
    }

    /// One more page, where the answer was ours.
    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> Option<Step> {
        let Heard::Reply(id, _, result) = heard else { return None };
        let (_, offset) = self.asked.take_if(|(asked, _)| asked == id)?;
        let rows = match result {
            Ok(Reply::Page(page)) => self.read(offset, page, cx),
            Ok(_) => {
                let words = "a search was answered with something else".to_owned();
                self.end = Some(End::Failed(Failure::OurBug { words }));
                Vec::new()
            }
            Err(failure) if self.first_total.is_none() && may_be_too_large(self.limit, failure) => {
                self.page = SMALL_PAGE;
                self.ask(0, cx);
                Vec::new()
            }
            Err(failure) => {
                self.end = Some(End::Failed(failure.clone()));
                Vec::new()
            }
        };
        Some(Step { rows, offset, total: self.total, end: self.end.clone() })
    }

    pub fn stop(&mut self, cx: &mut Cx<'_>) {
        if let Some((id, _)) = self.asked.take() {
            cx.cancel(id);
        }
        self.end.get_or_insert(End::Stopped);
    }

    pub fn query(&self) -> &Query {
        &self.query
    }

    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// The total of the latest page.
    pub fn total(&self) -> Option<u64> {
        self.first_total.map(|_| self.total)
    }

    /// How many rows were given.
    pub fn given(&self) -> u64 {
        self.given
    }

    pub fn wanted(&self) -> u64 {
        self.wanted
    }

    /// Places of the result that were passed over: their pages were shorter than the limit they name.
    pub fn unseen(&self) -> u64 {
        self.unseen
    }

    pub fn took_ms(&self) -> Option<u64> {
        self.took_ms
    }

    pub fn moved(&self) -> Option<Moved> {
        let was = self.first_total?;
        if self.lowest_total != was {
            return Some(Moved { was, is: self.lowest_total });
        }
        (self.total != was).then_some(Moved { was, is: self.total })
    }

    pub fn waits<'a>(&self, desk: &'a Desk, now: Now) -> Option<Waits<'a>> {
        desk.waits(self.asked?.0, now)
    }

    fn ask(&mut self, offset: u64, cx: &mut Cx<'_>) {
        // Only the first page may be a short one: later ones could overlap what is known already.
        self.limit = if self.first_total.is_some() { self.page } else { self.page.min(self.wanted) };
        let call = SearchCall { query: self.query.clone(), offset, limit: self.limit, mark_pulled: false };
        self.asked = Some((cx.ask(self.owner, Call::Search(call), self.priority), offset));
    }

    fn read(&mut self, offset: u64, page: &Page, cx: &mut Cx<'_>) -> Vec<Row> {
        self.took_ms = page.took_ms.or(self.took_ms);
        let began = *self.first_total.get_or_insert(page.total);
        let lost = self.lowest_total.min(began).saturating_sub(page.total);
        let grew = page.total > self.total;
        self.lowest_total = self.lowest_total.min(page.total);
        self.total = page.total;
        let mut rows = Vec::with_capacity(page.rows.len());
        for row in &page.rows {
            if self.given < self.wanted && row.id.is_none_or(|id| self.seen.insert(id)) {
                self.given += 1;
                rows.push(row.clone());
            }
        }
        // Where a set grows or was gone back over, rows come again by right.
        let again = rows.is_empty() && !page.rows.is_empty() && !self.went_back && !grew;
        self.repeats = if again { self.repeats + 1 } else { 0 };
        // The stride stays the limit (S11): a service may collapse duplicates within a page. One that names no limit, or a
        // wrong one, leaves rows out this way.
        let places = applied(self.limit, page).min(page.total.saturating_sub(offset));
        if !self.went_back && !page.rows.is_empty() {
            self.unseen += places.saturating_sub(page.rows.len() as u64);
        }
        self.advance(offset, page, lost);
        if self.given >= self.wanted {
            self.end = Some(End::Enough);
        } else if page.offset != offset && !page.rows.is_empty() && offset < page.total {
            self.end = Some(End::Elsewhere { asked: offset, sent: page.offset });
        } else if self.repeats >= REPEATS && self.front < page.total {
            self.end = Some(End::Repeats { offset });
        } else if let Some(next) = self.next(offset, page) {
            self.ask(next, cx);
        }
        rows
    }

    /// Where reading goes on and what has to be looked at again, after `lost` rows left the set at places unknown: in the worst
    /// case all of them in front of us.
    fn advance(&mut self, offset: u64, page: &Page, lost: u64) {
        let stride = applied(self.limit, page);
        let reached = offset.saturating_add(stride);
        let mut unsure = None;
        if self.went_back {
            let rest = self.behind.take().filter(|(_, until)| *until > reached);
            unsure = rest.map(|(_, until)| (reached, until));
            self.front = self.front.saturating_sub(lost);
        } else {
            self.front = reached;
        }
        if lost > 0 && offset > 0 {
            let until = unsure.map_or(offset, |(_, until)| until);
            unsure = Some((offset.saturating_sub(lost), until));
        }
        if let Some((from, until)) = unsure {
            self.behind = Some(match self.behind {
                Some((known_from, known_until)) => (known_from.saturating_sub(lost).min(from), known_until.max(until)),
                None => (from, until),
            });
        }
    }

    /// The next place to read. Going back and going on take turns, so that a set that shrinks all the time still ends.
    fn next(&mut self, offset: u64, page: &Page) -> Option<u64> {
        let more = self.front < page.total;
        self.behind = self.behind.filter(|(from, _)| *from < page.total);
        if let Some((from, _)) = self.behind.filter(|_| !self.went_back || !more) {
            self.went_back = true;
            return Some(from);
        }
        let was_back = std::mem::take(&mut self.went_back);
        if !more {
            self.end = Some(End::All);
            return None;
        }
        if page.rows.is_empty() && !was_back {
            self.end = Some(End::Hole { offset, total: page.total });
            return None;
        }
        Some(self.front)
    }
}
