//! Reading a result from its beginning, page by page, for the shell and for putting all matches into the basket.
//!
//! The legs of a search are read one after the other, and no id is given twice, in whichever leg it comes. How one leg is read to
//! its end, whatever the service does meanwhile, is `leg`'s business.

use super::window::Moved;
use super::*;

/// One answered page of the walk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WalkPage {
    /// Which leg the page is of.
    pub leg: usize,
    /// Rows that were not given before, in the order of the service.
    pub rows: Vec<Row>,
    /// Those that a leg before this one gave already.
    pub met: Vec<RowId>,
    /// Where the service had this page.
    pub offset: u64,
    /// How many rows this leg has.
    pub total: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// The whole search.
    pub query: Query,
    /// Those before `at` are finished. Of those behind it at most the first page was read.
    legs: Vec<Leg>,
    pub wanted: u64,
    at: usize,
    /// The first page of each leg is read before any other, so that what it takes is known and no request is lost.
    opens_first: bool,
    /// How much there is to read, once the first page of each leg is here: all its rows, and the requests for the wanted ones, including
    /// those already made.
    pub plan: Option<(u64, u64)>,
}

impl Walk {
    pub fn new(owner: Owner, query: Query, wanted: u64) -> Walk {
        let leg = |query| Leg { owner, query, wanted, lowest_total: u64::MAX, ..Leg::default() };
        let legs = query.legs().into_iter().map(leg).collect();
        Walk { query, legs, wanted, ..Walk::default() }
    }

    /// Reads the first page of each leg before any other, so that what it takes is known: see [`Walk::plan`].
    pub fn opening_first(mut self) -> Walk {
        self.opens_first = self.legs.len() > 1;
        self
    }

    /// Asks for the first page. A query that cannot be sent ends here.
    pub fn start(&mut self, cx: &mut FlowContext<'_>) {
        if let Err(problem) = self.query.ready() {
            self.legs[self.at].end = Some(WalkEnd::Failed(Failure::OurBug { words: problem.to_string() }));
        } else if self.opens_first {
            let limit = cx.desk.page(self.query.side.source).min(self.wanted).max(1);
            for leg in &mut self.legs {
                leg.limit = limit;
                leg.ask(0, cx);
            }
        } else {
            self.legs[self.at].start(cx);
        }
    }

    /// The pages that the answer brought, where it was for this walk. Several only where the first pages are read before any other.
    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> Vec<WalkPage> {
        let Arrival::Reply(id, _, result) = arrival else { return Vec::new() };
        let Some(at) = self.legs.iter().position(|leg| leg.asks(*id)) else { return Vec::new() };
        let mut steps = if self.opens_first && self.plan.is_none() {
            let leg = &mut self.legs[at];
            leg.asked = None;
            match page_of(result) {
                Ok(page) => leg.first = Some(page.clone()),
                Err(failure) => {
                    leg.end = Some(WalkEnd::Failed(failure));
                    self.at = at;
                    self.stop(cx);
                    return vec![WalkPage::default()];
                }
            }
            self.plan = self.legs.iter().try_fold((0u64, 0u64), |(rows, requests), leg| {
                let page = leg.first.as_ref()?;
                let here = page.total.min(self.wanted.saturating_sub(rows));
                let more = here.div_ceil(applied(leg.limit, page)).max(1);
                Some((rows.saturating_add(page.total), requests.saturating_add(more)))
            });
            if self.plan.is_none() {
                return Vec::new();
            }
            vec![self.take_first(cx)]
        } else {
            self.legs[at].handle(arrival, cx).map(|step| WalkPage { leg: at, ..step }).into_iter().collect()
        };
        self.go_through(&mut steps, cx);
        steps
    }

    /// Where a leg ended: on to the next one, and through those whose rows are all here. What was given so far is passed over there.
    fn go_through(&mut self, steps: &mut Vec<WalkPage>, cx: &mut FlowContext<'_>) {
        while self.legs[self.at].end.is_some() && self.end().is_none() {
            let wanted = self.wanted.saturating_sub(self.given());
            let before = &mut self.legs[self.at];
            let mut earlier = std::mem::take(&mut before.earlier);
            earlier.extend(std::mem::take(&mut before.seen));
            self.at += 1;
            let leg = &mut self.legs[self.at];
            (leg.earlier, leg.wanted) = (earlier, wanted);
            if !self.opens_first {
                return leg.start(cx);
            }
            steps.push(self.take_first(cx));
        }
    }

    /// The first page of a leg, which is here already.
    fn take_first(&mut self, cx: &mut FlowContext<'_>) -> WalkPage {
        let leg = &mut self.legs[self.at];
        let page = leg.first.take();
        let step = page.map_or_else(WalkPage::default, |page| leg.replay(leg.limit, 0, &page));
        if leg.end.is_none() {
            leg.go_on(cx);
        }
        WalkPage { leg: self.at, ..step }
    }

    /// Asks for nothing more of this leg by itself until it is told to go on.
    pub fn hold(&mut self) {
        self.legs[self.at].held = true;
    }

    /// Asks for what is to be read next.
    pub fn go_on(&mut self, cx: &mut FlowContext<'_>) {
        self.legs[self.at].go_on(cx);
    }

    pub fn stop(&mut self, cx: &mut FlowContext<'_>) {
        for leg in &mut self.legs {
            cx.cancel_all(leg.asked.take().map(|(id, _)| id));
            leg.end.get_or_insert(WalkEnd::Stopped);
        }
    }

    /// A page that an earlier run read with pages of `limit` rows, instead of asking for it.
    pub fn replay(&mut self, limit: u64, page: &Page) -> WalkPage {
        self.legs[self.at].replay(limit, page.offset, page)
    }

    /// Whether it waits for the answer to this request.
    pub fn asks(&self, id: CallId) -> bool {
        self.legs.iter().any(|leg| leg.asks(id))
    }

    /// The size of the pages as the service applies it, once it is known.
    pub fn page_size(&self) -> Option<u64> {
        let leg = &self.legs[self.at];
        leg.page.map(|_| leg.applied.max(1))
    }

    /// Requests still to make for the rows of this leg that are counted now.
    pub fn ahead(&self) -> u64 {
        let leg = &self.legs[self.at];
        if leg.end.is_some() { 0 } else { leg.total.saturating_sub(leg.front).div_ceil(leg.applied.max(1)) }
    }

    /// The search of one of its steps.
    pub fn leg(&self, at: usize) -> &Query {
        &self.legs[at].query
    }

    /// How all of it ended: where the last leg was read to its end, as the first one that the service did not let be read to its own.
    pub fn end(&self) -> Option<&WalkEnd> {
        let end = self.legs[self.at].end.as_ref()?;
        let mut cut = self.legs.iter().filter_map(|leg| leg.end.as_ref()).filter(|end| **end != WalkEnd::All);
        match end {
            WalkEnd::Enough | WalkEnd::Failed(_) | WalkEnd::Stopped => Some(end),
            _ if self.at + 1 < self.legs.len() => None,
            WalkEnd::All => cut.next().or(Some(end)),
            _ => Some(end),
        }
    }

    /// How many rows all legs have, once each of them was asked.
    pub fn total(&self) -> Option<u64> {
        let total = |leg: &Leg| leg.total().or(leg.first.as_ref().map(|page| page.total));
        self.legs.iter().map(total).try_fold(0u64, |sum, total| Some(sum.saturating_add(total?)))
    }

    /// How many legs were begun, and how many there are.
    pub fn legs(&self) -> (usize, usize) {
        (self.legs.iter().filter(|leg| leg.total().is_some()).count(), self.legs.len())
    }

    /// The legs that were opened and not read, with their totals.
    pub fn unread(&self) -> impl Iterator<Item = (usize, u64)> {
        self.legs.iter().enumerate().filter_map(|(at, leg)| Some((at, leg.first.as_ref()?.total)))
    }

    /// How many rows were given.
    pub fn given(&self) -> u64 {
        self.legs.iter().map(|leg| leg.given).sum()
    }

    /// Places of the result that were passed over: their pages were shorter than the limit they name.
    pub fn unseen(&self) -> u64 {
        self.legs.iter().map(|leg| leg.unseen).sum()
    }

    pub fn took_ms(&self) -> Option<u64> {
        self.legs[self.at].took_ms
    }

    /// Rows that were passed over, because a leg before theirs gave them.
    pub fn met(&self) -> u64 {
        self.legs.iter().map(|leg| leg.met).sum()
    }

    /// Whether the service named no total that can be.
    pub fn is_uncounted(&self) -> bool {
        self.legs.iter().any(|leg| leg.uncounted)
    }

    /// The change of the first leg that is not what it was.
    pub fn moved(&self) -> Option<Moved> {
        self.legs.iter().find_map(Leg::moved)
    }
}

// Reading one leg of a search from its beginning, page by page.
//
// No id is given twice. When the set shrinks while it is read, what was not read yet moves up to where we have been; the walk
// goes back over as many places as were lost, so that nothing is skipped, and says that the set moved. Where rows came twice
// in a set that did not move, others were skipped for them: it is read again from the beginning, and what still does not come
// is said. An empty page before the end ends it, and so does a page from another place than was asked for, or the same rows
// again: said, not looped on.

/// This many pages without a single new row are more than a set that moves.
const REPEATS: u32 = 2;
/// How often a result is read again from the beginning.
const MOST_REREADS: u32 = 4;

#[derive(Clone, Debug, Default)]
struct Leg {
    owner: Owner,
    query: Query,
    wanted: u64,
    asked: Option<(CallId, u64)>,
    /// Its first page, where that was read before it is its turn.
    first: Option<Page>,
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
    /// Rows that a leg before this one gave.
    met: u64,
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
    /// How often it was read again from the beginning, and whether this time brought anything new.
    rereads: u32,
    fresh: bool,
    end: Option<WalkEnd>,
}

impl Leg {
    /// Asks for the first page.
    fn start(&mut self, cx: &mut FlowContext<'_>) {
        if self.wanted == 0 {
            self.end = Some(WalkEnd::Enough);
            return;
        }
        let page = cx.desk.page(self.query.side.source);
        // Of a page behind other legs any row may be one of theirs.
        self.limit = if self.earlier.is_empty() { page.min(self.wanted) } else { page };
        self.ask(0, cx);
    }

    /// One more page, where the answer was for this leg.
    fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> Option<WalkPage> {
        let Arrival::Reply(id, _, result) = arrival else { return None };
        let (_, offset) = self.asked.take_if(|(asked, _)| asked == id)?;
        let mut step = WalkPage { offset, total: self.total, ..WalkPage::default() };
        match page_of(result) {
            Ok(page) => {
                self.page.get_or_insert(self.limit);
                step = self.read(offset, page);
                if !self.held {
                    self.go_on(cx);
                }
            }
            Err(failure) => self.end = Some(WalkEnd::Failed(failure)),
        }
        Some(step)
    }

    /// Asks for what is to be read next.
    fn go_on(&mut self, cx: &mut FlowContext<'_>) {
        self.held = false;
        if let Some(offset) = self.due.take() {
            // Later pages are as large as the first one that was taken.
            self.limit = self.page.unwrap_or(self.limit);
            self.ask(offset, cx);
        } else if self.page.is_none() && self.asked.is_none() && self.end.is_none() {
            self.start(cx);
        }
    }

    /// A page that was read with pages of `limit` rows, instead of asking for it.
    fn replay(&mut self, limit: u64, offset: u64, page: &Page) -> WalkPage {
        self.limit = limit;
        self.page = Some(limit);
        self.due = None;
        self.read(offset, page)
    }

    /// Whether it waits for the answer to this request.
    fn asks(&self, id: CallId) -> bool {
        self.asked.is_some_and(|(asked, _)| asked == id)
    }

    /// The total of the latest page.
    fn total(&self) -> Option<u64> {
        self.first_total.map(|_| self.total)
    }

    fn moved(&self) -> Option<Moved> {
        let was = self.first_total.filter(|_| !self.uncounted)?;
        let is = [self.lowest_total, self.total].into_iter().find(|total| *total != was)?;
        Some(Moved { was, is })
    }

    fn ask(&mut self, offset: u64, cx: &mut FlowContext<'_>) {
        self.asked = Some((cx.search(self.owner, self.query.clone(), offset, self.limit, Priority::Person), offset));
    }

    fn read(&mut self, offset: u64, page: &Page) -> WalkPage {
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
        let (mut rows, mut met) = (Vec::with_capacity(page.rows.len()), Vec::new());
        for row in &page.rows {
            // Read again, a row without an id cannot be told from itself.
            let is_new = row.id().map_or(self.rereads == 0, |id| !self.seen.contains(&id));
            if is_new && self.given < self.wanted {
                self.seen.extend(row.id());
                if let Some(id) = row.id().filter(|id| self.earlier.contains(id)) {
                    self.met += 1;
                    met.push(id);
                } else {
                    self.given += 1;
                    rows.push(row.clone());
                }
            }
        }
        let news = (rows.len() + met.len()) as u64;
        self.fresh |= news > 0;
        if !self.went_back && self.rereads == 0 && self.given < self.wanted {
            self.doubles += came - news;
        }
        // Where a set grows, was gone back over or is read again, rows come again by right.
        let again = news == 0 && !page.rows.is_empty() && !self.went_back && !grew && self.rereads == 0;
        self.repeats = if again { self.repeats + 1 } else { 0 };
        // The stride stays the limit (S11): a service may collapse duplicates within a page. One that names no limit, or a
        // wrong one, leaves rows out this way.
        let places = self.applied.min(total.saturating_sub(offset));
        if !self.went_back && !page.rows.is_empty() && !self.uncounted && self.rereads == 0 {
            self.unseen += places.saturating_sub(came);
        }
        self.advance(offset, page, lost);
        if self.given >= self.wanted {
            self.end = Some(WalkEnd::Enough);
        } else if page.offset != offset && !page.rows.is_empty() && offset < total {
            self.end = Some(WalkEnd::Cut(format!("{}: reading stopped there", elsewhere(offset, page.offset))));
        } else if self.repeats >= REPEATS && self.front < total {
            let row = row(offset);
            let words = format!("the service sent the same rows again at row {row}: reading stopped there");
            self.end = Some(WalkEnd::Cut(words));
        } else {
            self.due = self.next(offset, page);
        }
        WalkPage { rows, met, offset, total, leg: 0 }
    }

    /// Where reading goes on and what has to be looked at again, after `lost` rows left the set at places unknown: in the worst
    /// case all of them in front of us.
    fn advance(&mut self, offset: u64, page: &Page, lost: u64) {
        // Without a total, a page may be as short as it likes: what follows begins behind its last row.
        let stride = if self.uncounted { page.rows.len() as u64 } else { applied(self.limit, page) };
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
            let both = |(known, end): (u64, u64)| (known.saturating_sub(lost).min(from), end.max(until));
            self.behind = Some(self.behind.map_or((from, until), both));
        }
    }

    /// The next place to read. Going back and going on alternate, so that a set that shrinks all the time still ends.
    fn next(&mut self, offset: u64, page: &Page) -> Option<u64> {
        let more = self.front < self.total;
        self.behind = self.behind.filter(|(from, _)| *from < self.total);
        if let Some((from, _)) = self.behind.filter(|_| !self.went_back || !more) {
            self.went_back = true;
            return Some(from);
        }
        let was_back = std::mem::take(&mut self.went_back);
        if !more {
            return self.again();
        }
        if page.rows.is_empty() && !was_back {
            let (row, total) = (row(offset), grouped(self.total));
            let hole = format!("the service sent an empty page at row {row}, although it counts {total}");
            self.end = Some(WalkEnd::Cut(format!("{hole}: reading stopped there")));
            return None;
        }
        Some(self.front)
    }

    /// The beginning once more, where rows that came twice stood in the places of others.
    fn again(&mut self) -> Option<u64> {
        let missing = self.total.saturating_sub(self.given + self.met).saturating_sub(self.unseen);
        // Without a total, it is as long as it was up to its first empty page.
        if self.doubles == 0 || missing == 0 || self.moved().is_some() {
            self.end = Some(WalkEnd::All);
            return None;
        }
        if self.rereads > 0 && !self.fresh || self.rereads == MOST_REREADS {
            let (seen, total) = (grouped(self.given + self.met), counted(self.total, "row"));
            let found = format!("only {seen} of {total} were found");
            let words =
                format!("the service sends its rows in a different order each time: {found} after repeated reads");
            self.end = Some(WalkEnd::Cut(words));
            return None;
        }
        self.rereads += 1;
        self.fresh = false;
        self.front = 0;
        Some(0)
    }
}

// How a walk ended, and what a person should know of it.

#[derive(Clone, Debug, PartialEq)]
pub enum WalkEnd {
    /// As many rows as were wanted.
    Enough,
    /// The whole result was read.
    All,
    /// The service did not let the result be read to its end: what a person should know of it.
    Cut(String),
    /// A request failed.
    Failed(Failure),
    /// Stopped by the person.
    Stopped,
}

impl WalkEnd {
    /// What a person should know of a service that did not let the result be read to its end.
    pub fn cut_short(&self) -> Option<String> {
        if let WalkEnd::Cut(words) = self { Some(words.clone()) } else { None }
    }
}
