//! A result as one continuous list: pages come on demand, around the cursor first, and nothing moves under the reader.
//!
//! The latest query wins: what is still on its way for an earlier one is dropped by its id and can never paint. The window asks
//! for at most a few pages at once, so that a held key does not spend the allowance on pages that are never visible. Which
//! rows are marked or sorted is the screen's business; coverage and history hear of the pages through its news.

use super::pages::{MOST_ROWS, Pages};
use super::*;
use lode_core::ids::Growing;

pub use super::pages::Slot;

/// Visible pages that may be in flight at once.
const LOOKED_AT: usize = 4;
/// Prefetched pages that may be in flight at once.
const FORESEEN: usize = 2;
/// A service that needs longer than this for a page is not asked for pages in advance.
const TOO_SLOW_TO_FORESEE_MS: u64 = 2_000;
/// A page that failed is asked for again when it is looked at, but not more often than this.
const FAILED_REST_MS: u64 = 1_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Status {
    /// Nothing was searched yet.
    #[default]
    Empty,
    /// The query cannot be sent as it stands (S4).
    NotSent(QueryProblem),
    /// The first page is on its way.
    Running { since: Mono, speed: Speed },
    /// The first page is here.
    Loaded,
    /// The first page failed.
    Failed(Failure),
    /// Dropped by the person before the first answer.
    Stopped,
}

/// The service's set is not the one this search began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    pub was: u64,
    pub is: u64,
}

/// What happened in the window since the last call, for notices, the history and coverage.
#[derive(Clone, Debug, PartialEq)]
pub enum WindowNews {
    /// A page arrived: the ids it showed. The first of a search says so.
    Page { first: bool, total: u64, offset: u64, ids: Vec<RowId> },
    /// A page failed. Without the first one there is no result.
    PageFailed { index: u64, failure: Failure },
    /// The total is another one than at the beginning.
    Moved(Moved),
    /// An empty page before the end: said, not looped on (S11).
    Hole { index: u64, total: u64 },
    /// The first page with contacts that stand elsewhere already, from a set that did not move: how many of its rows, of how
    /// many. Others may have been skipped for them.
    Repeated { index: u64, twice: u64, rows: u64 },
    /// The result of marking a page as pulled.
    Marked(MarkResult),
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

#[derive(Clone, Debug, Default)]
pub struct Window {
    pub(super) query: Query,
    pub(super) status: Status,
    pub(super) total: Option<u64>,
    /// The total of the first answer.
    pub(super) first_total: Option<u64>,
    pub(super) took_ms: Option<u64>,
    pub(super) pages: Pages,
    asked: Vec<Asked>,
    /// Pages that failed, and when.
    failed: BTreeMap<u64, (Failure, Mono)>,
    pub(super) view: View,
    /// The page size asked for until the service says its own.
    limit: u64,
    /// The service names no total that can be: the result ends where no more rows come.
    uncounted: bool,
    /// Pages with repeats, to be asked for once more.
    to_mend: Vec<u64>,
    /// Pages in a row that brought nothing new.
    misses: u32,
    /// The user was told that contacts are missing.
    told_repeats: bool,
    pub(super) moved: Option<Moved>,
    /// What happened since it was last taken.
    pub(super) news: Vec<WindowNews>,
    /// Rows that are read from the beginning on in advance.
    ahead: u64,
    /// A person wants them, however long the service takes.
    ahead_is_wanted: bool,
    /// It is out of sight and asks for no page by itself.
    pub(super) rests: bool,
    /// Ids that were met here first. Only kept where there are several legs.
    pub(super) met_first: Growing,
    /// Rows that it was told to read in advance, as one of several legs.
    pub(super) told: u64,
}

impl Window {
    pub fn new(side: Side) -> Window {
        Window { query: Query::new(side), ..Window::default() }
    }

    /// A search that has not begun: what was shown or in flight is gone. [`Window::begin`] asks for its first page, and no other
    /// is read until it is in sight.
    pub(super) fn prepare(&mut self, query: Query, cx: &mut FlowContext<'_>) {
        self.drop_calls(cx);
        *self = Window { query, news: std::mem::take(&mut self.news), rests: true, ..Window::default() };
    }

    /// Begins with the page around `index`, a place that was kept from before.
    pub(super) fn begin(&mut self, index: u64, cx: &mut FlowContext<'_>) {
        self.view = View { top: index, cursor: index, ..View::default() };
        if let Err(problem) = self.query.ready() {
            self.status = Status::NotSent(problem);
            return;
        }
        self.status = Status::Running { since: cx.now.mono, speed: self.query.speed() };
        self.limit = cx.desk.page(self.query.side.source);
        self.ask_first(cx);
    }

    fn ask_first(&mut self, cx: &mut FlowContext<'_>) {
        self.ask(None, self.view.top - self.view.top % self.limit, Priority::Person, false, cx);
    }

    /// Asks for the rows from `index` on. `page` is `None` before the page size is known.
    fn ask(&mut self, page: Option<u64>, index: u64, priority: Priority, mends: bool, cx: &mut FlowContext<'_>) {
        let limit = if page.is_some() { self.pages.stride } else { self.limit };
        let (offset, gone) = (self.pages.offset(index), self.pages.gone());
        let id = cx.search(Owner::Window(self.query.side), self.query.clone(), offset, limit, priority);
        let foreseen = priority != Priority::Person;
        self.asked.push(Asked { id, page, index, offset, gone, foreseen, mends });
    }

    fn ask_page(&mut self, page: u64, priority: Priority, cx: &mut FlowContext<'_>) {
        self.ask(Some(page), self.pages.start_of(page), priority, false, cx);
    }

    /// Drops what is on its way. Pages that are here stay. Answers whether there was anything to drop.
    pub fn stop(&mut self, cx: &mut FlowContext<'_>) -> bool {
        let running = !self.asked.is_empty();
        self.drop_calls(cx);
        if matches!(self.status, Status::Running { .. }) {
            self.status = Status::Stopped;
        }
        running
    }

    /// Tells what is on the screen, so that it can be read: the cursor's page first, then what is around it, then what comes
    /// next in the direction of travel.
    pub(super) fn set_viewport(&mut self, view: View, cx: &mut FlowContext<'_>) {
        self.view = view;
        self.attend(cx);
    }

    /// Reads the first `rows` one page after the other, after all visible pages; unless they are `wanted`, only while the service is
    /// quick.
    pub(super) fn read_ahead(&mut self, rows: u64, wanted: bool, cx: &mut FlowContext<'_>) {
        (self.ahead, self.ahead_is_wanted) = (rows, wanted);
        self.attend(cx);
    }

    /// How far reading ahead has come.
    pub(super) fn read_so_far(&self) -> u64 {
        let end = self.ahead.min(self.total.unwrap_or(0));
        self.page_ahead().map_or(end, |page| self.pages.start_of(page))
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
            filled(row, contact)
        });
        if let Some(index) = index.filter(|_| newly && self.query.hide_owned) {
            self.pages.leave(index);
        }
        newly
    }

    /// Rows left the set since `moment`: pages read in the meantime are read again, so that every remaining contact is shown
    /// exactly once. Call it when no more of them are about to leave.
    pub fn reread_since(&mut self, moment: Mono, cx: &mut FlowContext<'_>) {
        // Behind the first row that left, offsets have changed.
        let Some(first) = self.pages.gone.first().copied() else { return };
        self.pages.distrust(first, moment);
        let stride = self.pages.stride;
        self.asked.retain(|asked| {
            let is_late = asked.page.is_some() && asked.index.saturating_add(stride) > first;
            if is_late {
                cx.cancel(asked.id);
            }
            !is_late
        });
        // Whether the set still is what it was, after pages that were read in motion lost their say.
        if let Some(was) = self.first_total {
            self.moved = self.pages.disagreeing(was).map(|is| Moved { was, is });
        }
        self.attend(cx);
    }

    fn drop_calls(&mut self, cx: &mut FlowContext<'_>) {
        cx.cancel_all(self.asked.drain(..).map(|asked| asked.id));
    }

    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> bool {
        let Arrival::Reply(id, _, result) = arrival else { return false };
        let Some(at) = self.asked.iter().position(|asked| asked.id == *id) else { return false };
        let asked = self.asked.swap_remove(at);
        match page_of(result) {
            page if asked.mends => self.retried(&asked, page.ok()),
            // A place that was kept from before, in a service that does not go there: from the beginning.
            Ok(page)
                if asked.page.is_none()
                    && asked.offset > 0
                    && (page.offset != asked.offset || page.uncounted && page.rows.is_empty()) =>
            {
                (self.view.top, self.view.cursor) = (0, 0);
                self.ask_first(cx);
                return true;
            }
            Ok(page) => self.arrived(&asked, page.clone(), cx.now),
            Err(failure) => self.page_failed(&asked, &failure, cx.now),
        }
        self.attend(cx);
        true
    }

    fn page_failed(&mut self, asked: &Asked, failure: &Failure, now: Now) {
        if let Some(page) = asked.page {
            self.failed.insert(page, (failure.clone(), now.mono));
            self.ahead = self.ahead.min(asked.index);
        } else {
            self.status = Status::Failed(failure.clone());
        }
        if !asked.foreseen {
            self.news.push(WindowNews::PageFailed { index: asked.index, failure: failure.clone() });
        }
    }

    /// Without a total, a page that is not full is the last one, and one more row is expected behind a full one.
    fn count(&mut self, asked: &Asked, page: &mut Page) {
        self.uncounted |= page.uncounted;
        if !self.uncounted {
            return;
        }
        let rows = page.rows.len() as u64;
        page.total = asked.offset.saturating_add(rows);
        if rows > 0 && rows >= page.limit.min(self.pages.stride) {
            page.total = self.total.unwrap_or(0).saturating_sub(asked.gone).max(page.total.saturating_add(1));
        }
        self.first_total = None;
    }

    fn arrived(&mut self, asked: &Asked, mut page: Page, now: Now) {
        let first = asked.page.is_none();
        self.take_stride(asked, &page);
        self.count(asked, &mut page);
        let total = page.total.saturating_add(asked.gone);
        self.status = Status::Loaded;
        self.took_ms = page.took_ms.or(self.took_ms);
        self.total = Some(total);
        let began = *self.first_total.get_or_insert(total);
        if began != total && self.moved.is_none_or(|moved| moved.is != total) {
            let moved = Moved { was: began, is: total };
            self.moved = Some(moved);
            self.news.push(WindowNews::Moved(moved));
        }
        // Rows of another place would be shown as those of this one.
        if !first && page.offset != asked.offset && !page.rows.is_empty() && asked.index < total {
            let words = elsewhere(asked.offset, page.offset);
            let failure = Failure::Unclear { why: Unclear::Unreadable, words };
            return self.page_failed(asked, &failure, now);
        }
        // Pages are cut by the stride: one that was asked for at another cut is not kept, its place is asked for again.
        if !asked.index.is_multiple_of(self.pages.stride) {
            return;
        }
        if page.rows.is_empty() && asked.index < total {
            self.news.push(WindowNews::Hole { index: asked.index, total });
        }
        let ids = page.rows.iter().filter_map(|row| row.id()).collect();
        self.news.push(WindowNews::Page { first, total: page.total, offset: self.pages.offset(asked.index), ids });
        let number = self.pages.page_of(asked.index);
        self.failed.remove(&number);
        self.pages.put(number, page, asked.gone, now.mono);
        // Where the set moved, rows come again by right.
        if began == total && !self.uncounted {
            self.mend(number);
        }
        self.bound(MOST_ROWS);
    }

    /// Forgets the pages farthest from the cursor, but none that is read ahead: it would be asked for again.
    pub(super) fn bound(&mut self, most: usize) {
        let ahead = self.ahead.div_ceil(self.pages.stride.max(1));
        self.pages.bound(self.pages.page_of(self.view.cursor), ahead, most);
    }

    /// The applied limit decides the stride (S1). A last page may report the few rows it holds: that says nothing.
    fn take_stride(&mut self, asked: &Asked, page: &Page) {
        let stride = self.pages.stride;
        if stride == 0 {
            return self.pages.set_stride(applied(self.limit, page));
        }
        let reached = asked.index.saturating_add(page.rows.len() as u64);
        let is_last = reached >= page.total.saturating_add(asked.gone);
        if applied(stride, page) < stride && !is_last {
            self.pages.set_stride(applied(stride, page));
            self.failed.clear();
        }
    }

    /// Asks for what is looked at and not here, then for what probably will be.
    fn attend(&mut self, cx: &mut FlowContext<'_>) {
        let (Some(total), Status::Loaded) = (self.total, &self.status) else { return };
        if total == 0 || self.pages.stride == 0 {
            return;
        }
        let looked_at = if self.rests { Vec::new() } else { self.in_viewport(total) };
        let foreseen = self.foreseen(total, &looked_at);
        self.drop_unseen(&looked_at, &foreseen, cx);
        let mut on_their_way = self.awaited().count();
        for page in &looked_at {
            if let Some(asked) = self.asked.iter_mut().find(|asked| asked.page == Some(*page)) {
                if std::mem::take(&mut asked.foreseen) {
                    on_their_way += 1;
                    cx.hurry(asked.id, Priority::Person);
                }
            } else if on_their_way < LOOKED_AT && self.wants(*page, cx.now) {
                on_their_way += 1;
                self.ask_page(*page, Priority::Person, cx);
            }
        }
        for page in foreseen {
            if self.asked.iter().filter(|asked| asked.foreseen).count() < FORESEEN {
                self.prefetch(page, cx);
            }
        }
        if let Some(page) = self.page_ahead().filter(|page| !self.is_asked(*page) && self.wants(*page, cx.now)) {
            self.ask_page(page, Priority::Coverage, cx);
        }
        self.ask_mend(cx);
    }

    /// The next page that is read without being looked at. A service that takes its time is not asked for any.
    fn page_ahead(&self) -> Option<u64> {
        let rows = self.ahead.min(self.total?);
        if rows == 0 || self.pages.stride == 0 || self.is_slow() && !self.ahead_is_wanted {
            return None;
        }
        (0..=self.pages.page_of(rows - 1)).find(|page| !self.pages.is_good(*page))
    }

    fn is_asked(&self, page: u64) -> bool {
        self.asked.iter().any(|asked| asked.page == Some(page))
    }

    /// Whether the service takes too long for pages that are not looked at.
    fn is_slow(&self) -> bool {
        self.took_ms.is_some_and(|took| took > TOO_SLOW_TO_FORESEE_MS)
    }

    fn wants(&self, page: u64, now: Now) -> bool {
        let rests = |(_, at): &(Failure, Mono)| now.mono.since(*at).as_millis() < u128::from(FAILED_REST_MS);
        !self.pages.is_good(page) && !self.failed.get(&page).is_some_and(rests)
    }

    /// Pages on the screen, the cursor's first.
    fn in_viewport(&self, total: u64) -> Vec<u64> {
        let view = self.view;
        let last = total - 1;
        let cursor = self.pages.page_of(view.cursor.min(last));
        let top = self.pages.page_of(view.top.min(last));
        let bottom = self.pages.page_of(view.top.saturating_add(view.height.max(1) - 1).min(last));
        let mut pages: Vec<u64> = (top..=bottom).take(64).collect();
        if !pages.contains(&cursor) {
            pages.push(cursor);
        }
        pages.sort_by_key(|page| page.abs_diff(cursor));
        pages
    }

    /// The next page in the direction of travel, and enough of them for another screen.
    fn foreseen(&self, total: u64, looked_at: &[u64]) -> Vec<u64> {
        if self.is_slow() {
            return Vec::new();
        }
        let last = self.pages.page_of(total - 1);
        let screens = self.view.height.div_ceil(self.pages.stride).clamp(1, 8);
        let (Some(top), Some(bottom)) = (looked_at.iter().min(), looked_at.iter().max()) else { return Vec::new() };
        if self.view.backward {
            (top.saturating_sub(screens)..*top).rev().collect()
        } else {
            (bottom.saturating_add(1)..=bottom.saturating_add(screens).min(last)).collect()
        }
    }

    /// Waiting pages that are no longer visible give their slot to visible ones.
    fn drop_unseen(&mut self, seen: &[u64], foreseen: &[u64], cx: &mut FlowContext<'_>) {
        let ahead = self.ahead;
        self.asked.retain(|asked| {
            let is_unseen = asked.page.is_some_and(|page| !seen.contains(&page) && !foreseen.contains(&page))
                && asked.index >= ahead
                && !asked.mends;
            let drops = is_unseen && !matches!(cx.desk.waits(asked.id, cx.now), Some(Waits::Answer));
            if drops {
                cx.cancel(asked.id);
            }
            !drops
        });
    }

    /// Asks for the page around an index in advance: the reader comes from another leg.
    pub fn foresee(&mut self, index: u64, cx: &mut FlowContext<'_>) {
        if self.status == Status::Loaded && !self.is_slow() {
            self.prefetch(self.pages.page_of(index), cx);
        }
    }

    fn prefetch(&mut self, page: u64, cx: &mut FlowContext<'_>) {
        if !self.is_asked(page) && self.wants(page, cx.now) {
            self.ask_page(page, Priority::Prefetch, cx);
        }
    }

    /// Places of the result whose own contact never came, once that was told.
    pub fn skipped(&self) -> u64 {
        if self.told_repeats { self.pages.all_twice() } else { 0 }
    }

    /// A page is here: it is asked for again where contacts of it stand elsewhere.
    fn mend(&mut self, number: u64) {
        let twice = self.pages.twice(number);
        if twice == 0 {
            return;
        }
        if self.misses < TRIES {
            self.to_mend.push(number);
        } else if !std::mem::replace(&mut self.told_repeats, true) {
            let index = self.pages.start_of(number);
            self.news.push(WindowNews::Repeated { index, twice, rows: self.pages.rows_of(number) });
        }
    }

    /// One at a time, after everything that is on screen.
    fn ask_mend(&mut self, cx: &mut FlowContext<'_>) {
        if self.asked.iter().any(|asked| asked.mends) {
            return;
        }
        while let Some(page) = self.to_mend.pop() {
            if self.pages.twice(page) > 0 {
                return self.ask(Some(page), self.around(page), Priority::Coverage, true, cx);
            }
        }
    }

    /// Where to begin, as an index: with the repeat in the middle, because two pages lose most where they meet; every other time,
    /// and where a page beside is not known, with the page itself.
    fn around(&self, page: u64) -> u64 {
        let (start, stride) = (self.pages.start_of(page), self.pages.stride);
        let middle = self.pages.first_twice(page).unwrap_or(start).saturating_sub(stride / 2);
        let is_known = |at: u64| self.total.is_some_and(|total| at >= total) || self.pages.is_loaded(at / stride);
        let begins_there = self.misses.is_multiple_of(2) && is_known(middle) && is_known(middle + stride - 1);
        if begins_there { middle } else { start }
    }

    /// `page`: `None` where it failed.
    fn retried(&mut self, asked: &Asked, page: Option<&Page>) {
        let Some(number) = asked.page else { return };
        let is_same = |page: &&Page| {
            page.offset == asked.offset
                && asked.gone == self.pages.gone()
                && self.total == Some(page.total.saturating_add(asked.gone))
        };
        let same = page.filter(is_same);
        let ids = same.map_or_else(Vec::new, |page| self.pages.fill(number, &page.rows));
        if let Some(Page { total, .. }) = same.filter(|_| !ids.is_empty()) {
            self.misses = 0;
            let offset = self.pages.offset(asked.index);
            self.news.push(WindowNews::Page { first: false, total: *total, offset, ids });
        } else {
            self.misses = TRIES.min(self.misses + 1);
        }
        self.mend(number);
    }

    /// The ids of the page around `index`, as they are on the screen.
    pub(super) fn page_ids(&self, index: u64) -> Vec<RowId> {
        let id = |index| if let Slot::Row(row) = self.slot(index) { row.id() } else { None };
        self.page_around(index).filter_map(id).collect()
    }

    pub fn slot(&self, index: u64) -> Slot<'_> {
        if self.total.is_some_and(|total| index >= total) {
            return Slot::Vanished;
        }
        self.pages.at(index).unwrap_or_else(|| {
            let failed = self.failed.get(&self.pages.page_of(index));
            failed.map_or(Slot::Waiting, |(failure, _)| Slot::Failed(failure))
        })
    }

    /// The page of the service around an index, as indices.
    pub fn page_around(&self, index: u64) -> Range<u64> {
        let start = self.pages.start_of(self.pages.page_of(index));
        start..start.saturating_add(self.pages.stride).min(self.total.unwrap_or(u64::MAX))
    }

    /// Requests that are under way for what a person looks at.
    pub(super) fn awaited(&self) -> impl Iterator<Item = CallId> {
        self.asked.iter().filter(|asked| !asked.foreseen).map(|asked| asked.id)
    }
}

// Rows that come twice in a set that did not move: others were skipped for them. The page is asked for once more, and what
// stands nowhere yet takes the places of the repeats. What still does not come is said.

/// The most pages in a row without a new row before that is reported.
const TRIES: u32 = 4;

/// What became of marking a page.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkResult {
    /// The service returned, and so recorded, these ids. `shown` were on the screen and not among them, `unseen` the other way.
    Recorded { ids: Vec<RowId>, shown: Vec<RowId>, unseen: Vec<RowId> },
    /// Refused: nothing was recorded.
    Refused(Failure),
    /// Not known. Hiding pulled rows and reading again shows which are.
    Unclear { ids: Vec<RowId>, failure: Failure },
}

/// `row` with what was bought. A field that the answer did not carry keeps what the search showed.
fn filled(row: &Row, contact: &Contact) -> Row {
    let columns = Arc::clone(row.columns());
    let values = row.fields().map(|(name, kind, text)| match (Known::of(name), name) {
        (Some(Known::Email), _) if !contact.email.is_empty() => (CellKind::Text, contact.email.as_str()),
        (Some(Known::Phone), _) if !contact.phone.is_empty() => (CellKind::Text, contact.phone.as_str()),
        (Some(Known::Verification), _) => match &contact.verification {
            Some(verification) => (CellKind::Text, verification.word()),
            None => (kind, text),
        },
        (_, "unlocked") => (CellKind::Json, "true"),
        _ => (kind, text),
    });
    Row::new(row.id(), true, columns, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::{RowId, Verification};
    use lode_core::row::ColumnNames;

    #[test]
    fn a_row_fills_in_place_and_keeps_everything_else() {
        let columns = Arc::new(ColumnNames::new(["id", "email", "phone", "unlocked", "verification", "shoe_size"]));
        let values = [
            (CellKind::Json, "9"),
            (CellKind::Text, "d•••@lakeside.example"),
            (CellKind::Text, "512•••71"),
            (CellKind::Json, "false"),
            (CellKind::Null, ""),
            (CellKind::Json, "44"),
        ];
        let masked = Row::new(Some(RowId(9)), false, columns, values);
        let contact = Contact {
            email: "dana@lakeside.example".to_owned(),
            verification: Some(Verification::Valid),
            ..Contact::default()
        };
        let owned = filled(&masked, &contact);
        assert!(owned.unlocked() && owned.id() == masked.id());
        assert_eq!(owned.email(), "dana@lakeside.example");
        assert_eq!(owned.known(Known::Phone), "512•••71", "the answer did not carry one");
        assert_eq!(owned.named("verification"), Some("valid"));
        assert_eq!(owned.named("unlocked"), Some("true"));
        assert_eq!(owned.named("shoe_size"), Some("44"));
    }
}
