//! A result as one continuous list: pages come on demand, around the cursor first, and nothing moves under the reader.
//!
//! The latest query wins: what is still on its way for an earlier one is dropped by its id and can never paint. The window asks
//! for at most a few pages at once, so that a held key does not spend the allowance on pages that are never visible. Which
//! rows are marked or sorted is the screen's business; coverage and history hear of the pages through [`Window::news`].

mod leg;
mod mending;
mod pulled;
mod reading;
mod view;

use crate::effect::CallId;
use crate::effect::call::{Call, SearchCall};
use crate::effect::failure::Failure;
use crate::flow::desk::{Cx, Owner, PAGE};
use crate::flow::limiter::Priority;
use lode_core::contact::{Contact, RowId, Side};
use lode_core::query::{Query, QueryProblem, Speed};
use lode_core::row::Row;
use lode_core::time::Mono;

use super::pages::{MOST_ROWS, Pages};
use super::unlocked;

pub use pulled::Marked;

/// Visible pages that may be in flight at once.
const LOOKED_AT: usize = 4;
/// Prefetched pages that may be in flight at once.
const FORESEEN: usize = 2;
/// A service that needs longer than this for a page is not asked for pages in advance.
const TOO_SLOW_TO_FORESEE_MS: u64 = 2_000;
/// A page that failed is asked for again when it is looked at, but not more often than this.
const FAILED_REST_MS: u64 = 1_000;

#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Nothing was searched yet.
    Empty,
    /// The query cannot be sent as it stands (S4).
    NotSent(QueryProblem),
    Running {
        since: Mono,
        speed: Speed,
    },
    Loaded,
    Failed(Failure),
    /// Dropped by the person before the first answer.
    Stopped,
}

/// What is to be drawn at an index of the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot<'a> {
    Row(&'a Row),
    /// Not read yet.
    Waiting,
    /// The contact of this row was shown by another leg of the search first.
    Again(&'a Row),
    /// The contact that belongs here is shown at another index already (S2).
    Elsewhere(u64),
    /// The service has no row here: the set shrank, or duplicates were collapsed.
    Vanished,
    /// The page could not be read.
    Failed(&'a Failure),
}

/// The service's set is not the one this search began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    pub was: u64,
    pub is: u64,
}

/// What happened in the window since the last call, for notices, the history and coverage.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// A page arrived: the ids it showed. The first of a search says so.
    Page {
        first: bool,
        total: u64,
        offset: u64,
        ids: Vec<RowId>,
    },
    /// The first page failed: there is no result.
    Failed(Failure),
    /// A later page failed.
    PageFailed {
        index: u64,
        failure: Failure,
    },
    Moved(Moved),
    /// An empty page before the end: said, not looped on (S11).
    Hole {
        index: u64,
        total: u64,
    },
    /// The first page with contacts that stand elsewhere already, from a set that did not move: how many of its rows, of how
    /// many. Others may have been skipped for them.
    Repeated {
        index: u64,
        twice: u64,
        rows: u64,
    },
    Marked(Marked),
}

#[derive(Clone, Debug)]
struct Asked {
    id: CallId,
    /// None: the first request of a search, before the page size is known.
    page: Option<u64>,
    /// The first index it is asked for.
    index: u64,
    /// Where it stood in the service's set when it was asked for.
    offset: u64,
    /// How many rows had left the set by our doing when it was asked.
    gone: u64,
    foreseen: bool,
    /// Once more, for what stood elsewhere already when it came.
    mends: bool,
}

/// The part of a result that is seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct View {
    pub(super) top: u64,
    pub(super) height: u64,
    pub(super) cursor: u64,
    pub(super) backward: bool,
}

#[derive(Clone, Debug)]
pub struct Window {
    query: Query,
    status: Status,
    total: Option<u64>,
    first_total: Option<u64>,
    took_ms: Option<u64>,
    pages: Pages,
    asked: Vec<Asked>,
    failed: Vec<(u64, Failure, Mono)>,
    view: View,
    /// The page size asked for until the service says its own.
    limit: u64,
    /// The service names no total that can be: the result ends where no more rows come.
    uncounted: bool,
    mending: mending::Mending,
    moved: Option<Moved>,
    hole: Option<u64>,
    marking: Option<pulled::Marking>,
    news: Vec<News>,
    most_rows: usize,
    /// Rows that are read from the beginning on in advance.
    ahead: u64,
    /// It is out of sight and asks for no page by itself.
    rests: bool,
}

impl Window {
    pub fn new(side: Side) -> Window {
        Window {
            query: Query::new(side),
            status: Status::Empty,
            total: None,
            first_total: None,
            took_ms: None,
            pages: Pages::default(),
            asked: Vec::new(),
            failed: Vec::new(),
            view: View::default(),
            limit: PAGE,
            uncounted: false,
            mending: mending::Mending::default(),
            moved: None,
            hole: None,
            marking: None,
            news: Vec::new(),
            most_rows: MOST_ROWS,
            ahead: 0,
            rests: false,
        }
    }

    /// Searches and begins with the page around `index`, a place that was kept from before. What was shown or in flight is gone.
    pub fn run_at(&mut self, query: Query, index: u64, cx: &mut Cx<'_>) {
        self.drop_calls(cx);
        let marking = self.marking.take();
        *self = Window {
            marking,
            news: std::mem::take(&mut self.news),
            most_rows: self.most_rows,
            rests: self.rests,
            pages: Pages::default(),
            ..Window::new(query.side)
        };
        let view = View { top: index, cursor: index, ..View::default() };
        if let Err(problem) = query.ready() {
            *self = Window {
                query,
                view,
                status: Status::NotSent(problem),
                ..std::mem::replace(self, Window::new(Side::default()))
            };
            return;
        }
        self.status = Status::Running { since: cx.now.mono, speed: query.speed() };
        self.limit = cx.desk.page(query.side.source);
        self.query = query;
        self.view = view;
        self.ask_first(cx);
    }

    fn ask_first(&mut self, cx: &mut Cx<'_>) {
        let start = self.view.top - self.view.top % self.limit;
        let id = self.ask(start, self.limit, Priority::Person, cx);
        self.asked.push(Asked { id, page: None, index: start, offset: start, gone: 0, foreseen: false, mends: false });
    }

    /// Drops what is on its way. Pages that are here stay. Answers whether there was anything to drop.
    pub fn stop(&mut self, cx: &mut Cx<'_>) -> bool {
        let running = !self.asked.is_empty();
        self.drop_calls(cx);
        if matches!(self.status, Status::Running { .. }) {
            self.status = Status::Stopped;
        }
        running
    }

    /// Tells what is on the screen, so that it can be read: the cursor's page first, then what is around it, then what comes
    /// next in the direction of travel.
    pub fn look_at(&mut self, top: u64, height: u64, cursor: u64, cx: &mut Cx<'_>) {
        let backward = if top == self.view.top { self.view.backward } else { top < self.view.top };
        self.look_on(top, height, cursor, backward, cx);
    }

    /// Reads the first `rows` one page after the other, after all visible pages.
    pub fn read_ahead(&mut self, rows: u64, cx: &mut Cx<'_>) {
        self.ahead = rows;
        self.attend(cx);
    }

    /// Whether reading ahead is over: all of it is here, or the rest cannot be read.
    pub fn has_read_ahead(&self) -> bool {
        self.status == Status::Loaded && self.page_ahead().is_none()
    }

    /// The contact is owned now: its row fills in where it stands. Under `hide_owned` it has left the service's set, and what
    /// comes behind it moves up there.
    pub fn own(&mut self, id: RowId, contact: &Contact) -> bool {
        let mut newly = false;
        let index = self.pages.replace(id, |row| {
            newly = !row.unlocked();
            unlocked::filled(row, contact)
        });
        let Some(index) = index else { return false };
        if newly && self.query.hide_owned {
            self.pages.leave(index);
        }
        newly
    }

    /// Rows left the set since `moment`: pages read in the meantime are read again, so that every remaining contact is shown
    /// exactly once. Call it when no more of them are about to leave.
    pub fn reread_since(&mut self, moment: Mono, cx: &mut Cx<'_>) {
        let Some(first) = self.pages.first_gone() else { return };
        self.pages.distrust(first, moment);
        let stride = self.pages.stride();
        let (late, good): (Vec<Asked>, Vec<Asked>) = std::mem::take(&mut self.asked)
            .into_iter()
            .partition(|asked| asked.page.is_some() && asked.index.saturating_add(stride) > first);
        self.asked = good;
        for asked in late {
            cx.cancel(asked.id);
        }
        self.judge_moved();
        self.attend(cx);
    }

    /// What happened since this was last called.
    pub fn news(&mut self) -> Vec<News> {
        std::mem::take(&mut self.news)
    }

    fn ask(&self, offset: u64, limit: u64, priority: Priority, cx: &mut Cx<'_>) -> CallId {
        let call = SearchCall { query: self.query.clone(), offset, limit, mark_pulled: false };
        cx.ask(Owner::Window(self.query.side), Call::Search(call), priority)
    }

    fn drop_calls(&mut self, cx: &mut Cx<'_>) {
        for asked in std::mem::take(&mut self.asked) {
            cx.cancel(asked.id);
        }
    }
}
