//! A free look: whether contacts are owned by now, found out by searching (M4). There is no look-up by id.
//!
//! In this order, each only for what the one before did not find: the pages where the contacts were shown; narrow searches by
//! what their masked rows said; the unfiltered corpus at the place where the id must stand, if ids ascend; the
//! searches that showed them, read whole, or where none is known a small corpus. A narrow search that was read whole, with other
//! rows but without the contact, ends the look for it. Never with `exclude_unlocked`, which would hide exactly what is looked for.
//! What a sighting proves, and when, is decided by `flow::recovery`; nothing is written here.

use std::ops::RangeInclusive;

use super::*;
use crate::flow::ledger::reading::{bought_unanswered, contact_of};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Where the contacts were shown is being asked.
    Recalling(Ticket),
    #[default]
    Pages,
    Narrow,
    Place,
    Searches,
    Over,
}

#[derive(Clone, Debug, Default)]
pub struct FreeCheck {
    owner: Owner,
    side: Side,
    targets: BTreeMap<RowId, Target>,
    stage: Stage,
    waiting: VecDeque<SearchReading>,
    running: BTreeMap<CallId, Running>,
    /// Whether the corpus can be read whole.
    is_small: bool,
    /// When the first search of it was asked for.
    pub began: Mono,
    /// Made so far.
    pub requests: u32,
    /// What kept it from its end, if something did.
    pub trouble: Option<Failure>,
}

/// A contact that is looked for, and how far that is.
#[derive(Clone, Debug, Default)]
struct Target {
    wanted: WantedContact,
    seen: Observation,
    /// Searches that were read whole without the contact, whether one of them returned other rows, and whether the order of one
    /// wavered.
    without: Vec<String>,
    saw_others: bool,
    wavers: bool,
    /// Control searches that must still return a row before an empty narrow search proves something.
    controls: usize,
    /// Requests that may still be made for it.
    left: u32,
}

impl Target {
    fn is_open(&self) -> bool {
        self.seen == Observation::Unseen
    }
}

/// What a request that was sent is a part of.
#[derive(Clone, Debug)]
enum Running {
    Search(SearchReading),
    Place(Place),
}

/// Searches at work at a time: a look is waited for, and must not take the whole allowance of a minute at once.
const ABREAST: usize = 4;
/// Requests for one contact, over all checks of a run. A contact of which nothing but the id is known has no narrow search, and
/// only the bounds of each search.
const EACH: u32 = 10;

impl FreeCheck {
    pub fn new(owner: Owner, corpus: Corpus, wanted: BTreeMap<RowId, WantedContact>) -> FreeCheck {
        let side = Side { source: Source::Workspace, corpus };
        let target = |(id, wanted): (RowId, WantedContact)| {
            let is_bounded = narrow_of(side, &wanted.clue).is_some();
            let left = if is_bounded { EACH.saturating_sub(wanted.spent) } else { u32::MAX };
            (id, Target { wanted, left, ..Target::default() })
        };
        FreeCheck { owner, side, targets: wanted.into_iter().map(target).collect(), ..FreeCheck::default() }
    }

    /// Asks these purses where the contacts were shown: before [`FreeCheck::go`].
    pub fn recall(&mut self, purses: Vec<PurseRef>, cx: &mut FlowContext<'_>) {
        let ids = self.targets.keys().copied().collect();
        self.stage = Stage::Recalling(cx.store(self.owner, StoreCall::Shown { purses, side: self.side, ids }));
    }

    /// Begins with the pages on which the contacts were shown.
    pub fn go(&mut self, cx: &mut FlowContext<'_>) {
        self.began = cx.now.mono;
        self.stage = Stage::Pages;
        self.waiting = pages(self.side, self.open()).into();
        self.advance(cx);
    }

    pub fn is_recalling(&self) -> bool {
        matches!(self.stage, Stage::Recalling(_))
    }

    /// Requests made for each contact by this check and those before it.
    pub fn spent(&self) -> impl Iterator<Item = (RowId, u32)> {
        self.targets.iter().map(|(id, target)| (*id, EACH.saturating_sub(target.left)))
    }

    /// Found so far, of how many.
    pub fn progress(&self) -> (usize, usize) {
        (self.targets.values().filter(|target| !target.is_open()).count(), self.targets.len())
    }

    pub fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }

    /// What it found; of the others nothing is known.
    pub fn seen(&self, id: RowId) -> &Observation {
        self.targets.get(&id).map_or(&Observation::Unseen, |target| &target.seen)
    }

    /// What it found of the open contacts of a batch: those that are owned, to be settled, and the sightings of others.
    pub fn seen_of(&self, ids: impl Iterator<Item = RowId>, verify: bool) -> (Vec<Settled>, Vec<(RowId, CheckResult)>) {
        let (mut owned, mut sightings) = (Vec::new(), Vec::new());
        for id in ids {
            match self.seen(id) {
                Observation::Owned(contact) => owned.push(bought_unanswered(id, contact.clone(), verify)),
                Observation::Locked => sightings.push((id, CheckResult::Locked)),
                Observation::Absent(_) => sightings.push((id, CheckResult::Absent)),
                Observation::Unseen => {}
            }
        }
        (owned, sightings)
    }

    /// Ends it where it stands.
    pub fn stop(&mut self, cx: &mut FlowContext<'_>) {
        cx.cancel_all(std::mem::take(&mut self.running).into_keys());
        self.waiting.clear();
        self.stage = Stage::Over;
    }

    /// Takes what it asked for. False where it was another's.
    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> bool {
        match arrival {
            Arrival::Stored(ticket, result) if self.stage == Stage::Recalling(*ticket) => {
                // Without that the contacts are looked for by what their rows said.
                for (id, shown) in result.iter().flat_map(Vec::<(RowId, Vec<ShownIn>)>::read) {
                    let target = self.targets.get_mut(id).expect("only what is wanted was asked for");
                    target.wanted.shown.clone_from(shown);
                }
                self.stage = Stage::Pages;
            }
            Arrival::Reply(call, _, result) => {
                let Some(running) = self.running.remove(call) else { return false };
                match (result, running) {
                    (Ok(Reply::Page(page)), Running::Search(reading)) => self.read(reading, page),
                    (Ok(Reply::Page(page)), Running::Place(place)) => self.read_place(place, page, cx),
                    (Ok(_), _) => {}
                    (Err(failure), _) => self.fail(failure, cx),
                }
                self.advance(cx);
            }
            _ => return false,
        }
        true
    }

    fn read(&mut self, mut reading: SearchReading, page: &Page) {
        self.note(page);
        if reading.is_control {
            return self.read_control(&reading, page);
        }
        match reading.take_page(page, |id| !self.is_open(id)) {
            // A search that cannot be read whole proves nothing.
            Next::Page if self.stage == Stage::Narrow && !self.can_read_whole(&reading, page.limit) => {}
            Next::Page => self.waiting.push_front(reading),
            Next::Whole => {
                let words = reading.query.words();
                for id in &reading.wanted {
                    let Some(target) = self.targets.get_mut(id).filter(|target| target.is_open()) else { continue };
                    target.without.push(words.clone());
                    target.wavers |= reading.wavers;
                    target.saw_others |= page.total > 0;
                    // The search by what the masked row itself said does not return the contact: it is absent, however long the
                    // searches are that showed it. That proves nothing before another check finds the same a minute later.
                    if self.stage == Stage::Narrow && page.total > 0 {
                        target.seen = absent(&words, reading.wavers);
                    }
                }
                if self.stage == Stage::Narrow && page.total == 0 {
                    self.control(&reading);
                }
            }
            Next::Enough => {}
        }
    }

    /// A narrow search that returns nothing at all may be a service whose index is down. It proves something when two halves of
    /// its filters return rows.
    fn control(&mut self, empty: &SearchReading) {
        for query in halves(&empty.query) {
            for id in &empty.wanted {
                if let Some(target) = self.targets.get_mut(id) {
                    target.controls += 1;
                }
            }
            let wanted = empty.wanted.clone();
            self.waiting.push_back(SearchReading { query, wanted, is_control: true, ..SearchReading::default() });
        }
    }

    fn read_control(&mut self, control: &SearchReading, page: &Page) {
        for id in control.wanted.iter().filter(|_| page.total > 0) {
            let Some(target) = self.targets.get_mut(id).filter(|target| target.is_open()) else { continue };
            target.controls -= 1;
            if target.controls == 0 {
                target.seen = absent(&target.without.join("; "), target.wavers);
            }
        }
    }

    fn read_place(&mut self, mut place: Place, page: &Page, cx: &mut FlowContext<'_>) {
        self.note(page);
        place.learn(page);
        self.is_small = page.total <= u64::from(WHOLE).saturating_mul(page.limit);
        for (id, words) in place.absent(|id| !self.is_open(id)) {
            if let Some(target) = self.targets.get_mut(&id) {
                target.seen = Observation::Absent(Evidence { words, wavers: false });
            }
        }
        self.ask_place(place, cx);
    }

    fn ask_place(&mut self, mut place: Place, cx: &mut FlowContext<'_>) {
        let is_done = |id| self.targets.get(&id).is_none_or(|target| !target.is_open() || target.left == 0);
        if let Some(offset) = place.probe(is_done) {
            self.spend(place.aimed);
            self.ask(Query::new(self.side), offset, Running::Place(place), cx);
        }
    }

    /// What a failed page means: the others may still be read, unless the key itself is refused.
    fn fail(&mut self, failure: &Failure, cx: &mut FlowContext<'_>) {
        let hopeless = matches!(failure, Failure::Refused { why: Refusal::Key | Refusal::Scope, .. })
            || matches!(failure, Failure::Later { .. } | Failure::Unsent { .. });
        self.trouble = Some(failure.clone());
        if hopeless {
            self.stop(cx);
        }
    }

    fn note(&mut self, page: &Page) {
        for row in &page.rows {
            let Some(target) = row.id().and_then(|id| self.targets.get_mut(&id)) else { continue };
            // Two pages may show it on either side of the moment it became owned; owned is what stays.
            if row.unlocked() {
                target.seen = Observation::Owned(contact_of(row));
            } else if target.is_open() {
                target.seen = Observation::Locked;
            }
        }
    }

    fn is_open(&self, id: RowId) -> bool {
        self.targets.get(&id).is_some_and(Target::is_open)
    }

    /// What is still looked for.
    fn open(&self) -> impl Iterator<Item = Wanted<'_>> {
        self.targets.iter().filter(|(_, target)| target.is_open()).map(|(id, target)| (*id, &target.wanted))
    }

    /// Whether the contacts of a search have requests enough for the pages that it still has.
    fn can_read_whole(&self, reading: &SearchReading, limit: u64) -> bool {
        let open = reading.wanted.iter().filter_map(|id| self.targets.get(id)).filter(|target| target.is_open());
        let left: u64 = open.map(|target| u64::from(target.left)).sum();
        reading.total.is_none_or(|total| total.saturating_sub(reading.offset).div_ceil(limit.max(1)) <= left)
    }

    /// Counts a request for one of these contacts. False if none of those that are still looked for may have another.
    fn spend(&mut self, ids: impl IntoIterator<Item = RowId>) -> bool {
        let open = ids.into_iter().filter(|id| self.is_open(*id)).map(|id| (self.targets[&id].left, id));
        let Some((left, id)) = open.max_by_key(|(left, _)| *left).filter(|(left, _)| *left > 0) else { return false };
        if let Some(target) = self.targets.get_mut(&id) {
            target.left = left - 1;
        }
        true
    }

    fn advance(&mut self, cx: &mut FlowContext<'_>) {
        loop {
            while self.running.len() < ABREAST
                && let Some(reading) = self.waiting.pop_front()
            {
                if self.spend(reading.wanted.iter().copied()) {
                    self.ask(reading.query.clone(), reading.offset, Running::Search(reading), cx);
                }
            }
            if !self.running.is_empty() {
                return;
            }
            self.stage = match self.stage {
                Stage::Recalling(_) | Stage::Over => return,
                Stage::Pages => {
                    self.waiting = narrow(self.side, self.open()).into();
                    Stage::Narrow
                }
                Stage::Narrow => {
                    // After a page out of order nothing is proved any more: what was never sighted has its turn before that.
                    let mut open: Vec<Wanted<'_>> = self.open().collect();
                    open.sort_by_key(|(_, wanted)| wanted.sighted);
                    let targets = open.into_iter().map(|(id, _)| id).collect();
                    self.ask_place(Place { targets, holds: true, ..Place::default() }, cx);
                    Stage::Place
                }
                Stage::Place => {
                    self.waiting = searches(self.side, self.open(), self.is_small).into();
                    Stage::Searches
                }
                Stage::Searches => {
                    self.conclude();
                    Stage::Over
                }
            };
        }
    }

    /// A contact that searches read whole do not hold any more is absent; one search alone may have been the wrong one.
    fn conclude(&mut self) {
        for target in self.targets.values_mut().filter(|target| target.is_open() && target.saw_others) {
            let searches = searches_of(self.side, &target.wanted).len();
            let narrow = usize::from(narrow_of(self.side, &target.wanted.clue).is_some());
            if target.without.len() >= (searches + narrow).min(2) {
                target.seen = absent(&target.without.join("; "), target.wavers);
            }
        }
    }

    fn ask(&mut self, query: Query, offset: u64, running: Running, cx: &mut FlowContext<'_>) {
        self.requests += 1;
        let page = cx.desk.page(Source::Workspace);
        self.running.insert(cx.search(self.owner, query, offset, page, Priority::Unlock), running);
    }
}

/// Read completely, and the contact was not among the rows.
fn absent(searches: &str, wavers: bool) -> Observation {
    Observation::Absent(Evidence { words: format!("read completely without finding it: {searches}"), wavers })
}

// What is looked for, and what was seen of it.

/// A contact that is looked for, with what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WantedContact {
    pub clue: Clue,
    /// Where a search showed it, newest first.
    pub shown: Vec<ShownIn>,
    /// How often it was sighted before, and whether the last check found it nowhere.
    pub sighted: usize,
    pub was_absent: bool,
    /// Requests that earlier checks made for it.
    pub spent: u32,
}

type Wanted<'a> = (RowId, &'a WantedContact);

/// What shows that a contact is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub words: String,
    /// The service returned the rows in another order while they were read: a row can be missed.
    pub wavers: bool,
}

/// What the look found of a contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Observation {
    Owned(Contact),
    /// A search returned it, still masked.
    Locked,
    /// No search that would have to return it does.
    Absent(Evidence),
    /// The look could not be brought to an end: nothing is known.
    #[default]
    Unseen,
}

// Which searches a look makes: pure functions of what is known about the contacts.

/// Pages of a narrow search: a title in a trade in a state.
const NARROW: u32 = 30;
/// Pages of a search that a person made, which may be anything.
const WHOLE: u32 = 60;

/// The pages on which the contacts were shown, each once. Where a search hid what is owned, or belongs to another side, its
/// offsets mean nothing here. A contact that the last check found nowhere is not on its page any more.
fn pages<'a>(side: Side, wanted: impl Iterator<Item = Wanted<'a>>) -> Vec<SearchReading> {
    gather(wanted, None, |wanted| {
        let shown = wanted.shown.iter().filter(|_| !wanted.was_absent);
        let mut pages = shown.filter_map(|shown| Some((Query::from_canonical(&shown.canonical)?, shown.offset)));
        pages.find(|(query, _)| query.side == side && !query.hide_owned).into_iter().collect()
    })
}

/// The search by what the masked row itself said; none where it said nothing.
pub(super) fn narrow_of(side: Side, clue: &Clue) -> Option<Query> {
    let mut query = Query::new(side);
    for (filter, value) in [
        (Filter::Title, &clue.title),
        (Filter::TitleLevel, &clue.title_level),
        (Filter::State, &clue.state),
        (Filter::EmailDomainType, &clue.email_domain_type),
    ] {
        if !value.is_empty() && Filter::of(side).contains(&filter) {
            query.set(filter, value).ok()?;
        }
    }
    // A comma in an industry would be read as two, which finds too much and misses nothing.
    if !clue.industry.is_empty() {
        query.set(Filter::Industry, &clue.industry).ok()?;
    }
    (!query.is_unfiltered()).then_some(query)
}

/// The first filter of a search alone, and its other filters. None if it has only one.
fn halves(query: &Query) -> Vec<Query> {
    let filters: Vec<Filter> = query.filters().map(|(filter, _)| filter).collect();
    let (first, others) = filters.split_at(1.min(filters.len()));
    let without = |left_out: &[Filter]| {
        let mut half = query.clone();
        left_out.iter().for_each(|filter| half.clear(*filter));
        half
    };
    if others.is_empty() { Vec::new() } else { vec![without(others), without(first)] }
}

fn narrow<'a>(side: Side, wanted: impl Iterator<Item = Wanted<'a>>) -> Vec<SearchReading> {
    gather(wanted, Some(NARROW), |wanted| narrow_of(side, &wanted.clue).into_iter().map(|query| (query, 0)).collect())
}

/// The searches that showed the contact, without what would hide it.
fn searches_of(side: Side, wanted: &WantedContact) -> Vec<Query> {
    let lines = wanted.shown.iter().map(|shown| shown.canonical.as_str()).chain(wanted.clue.search.as_deref());
    let mut searches: Vec<Query> = Vec::new();
    // What a search with legs showed, one of its legs did.
    for mut query in lines.filter_map(Query::from_canonical).flat_map(|query| query.legs()) {
        query.hide_owned = false;
        if query.side == side && !searches.contains(&query) {
            searches.push(query);
        }
    }
    searches
}

/// Where the corpus is small enough to be read whole, it is read for a contact that no search is known to have shown.
fn searches<'a>(side: Side, wanted: impl Iterator<Item = Wanted<'a>>, is_small: bool) -> Vec<SearchReading> {
    gather(wanted, Some(WHOLE), |wanted| {
        let mut searches = searches_of(side, wanted);
        if searches.is_empty() && is_small {
            searches.push(Query::new(side));
        }
        searches.into_iter().map(|query| (query, 0)).collect()
    })
}

/// Equal searches from the same offset become one.
fn gather<'a>(
    wanted: impl Iterator<Item = Wanted<'a>>,
    pages: Option<u32>,
    of: impl Fn(&WantedContact) -> Vec<(Query, u64)>,
) -> Vec<SearchReading> {
    let mut searches: BTreeMap<(String, u64), SearchReading> = BTreeMap::new();
    for (id, wanted) in wanted {
        for (query, offset) in of(wanted) {
            let known = searches.entry((query.canonical(), offset));
            let new = || SearchReading { query, offset, pages, ..SearchReading::default() };
            known.or_insert_with(new).wanted.insert(id);
        }
    }
    searches.into_values().collect()
}

/// How many requests a look takes at least; more where a search has to be read further than its first page.
pub fn at_least(corpus: Corpus, wanted: &BTreeMap<RowId, WantedContact>) -> usize {
    let side = Side { source: Source::Workspace, corpus };
    let all = || wanted.iter().map(|(id, wanted)| (*id, wanted));
    let pages = pages(side, all());
    let on_pages: BTreeSet<RowId> = pages.iter().flat_map(|reading| reading.wanted.iter().copied()).collect();
    let others = || all().filter(|(id, _)| !on_pages.contains(id));
    let without_clue = others().filter(|(_, wanted)| narrow_of(side, &wanted.clue).is_none()).count();
    pages.len() + narrow(side, others()).len() + without_clue
}

// One search of a look, page by page.

#[derive(Clone, Debug, Default)]
struct SearchReading {
    query: Query,
    offset: u64,
    wanted: BTreeSet<RowId>,
    /// Pages that it may still take on the way to its end. `None`: it is read for this one page.
    pages: Option<u32>,
    total: Option<u64>,
    /// Different rows so far, and those that carried no id.
    ids: BTreeSet<RowId>,
    nameless: u64,
    /// How many there were when it was last begun from the beginning.
    before: Option<u64>,
    /// The set changed while it was read: what is missing may have slipped from one page to another.
    moved: bool,
    /// It had to be read more than once, because the order changes.
    wavers: bool,
    /// One page of it shows whether the filters of an empty search return rows.
    is_control: bool,
}

/// How a reading goes on after a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Page,
    /// The end was reached, and every row of the set was seen: in one reading, or in several where the order changes.
    Whole,
    /// Nothing more to be had here, and nothing proved.
    Enough,
}

impl SearchReading {
    fn take_page(&mut self, page: &Page, found: impl Fn(RowId) -> bool) -> Next {
        let Some(left) = &mut self.pages else { return Next::Enough };
        *left = left.saturating_sub(1);
        let spent = *left == 0;
        // Without a total nothing tells whether all of it was seen.
        self.moved |= page.uncounted || self.total.is_some_and(|total| total != page.total);
        self.total = Some(page.total);
        for row in &page.rows {
            match row.id() {
                Some(id) => drop(self.ids.insert(id)),
                None => self.nameless += 1,
            }
        }
        let seen = self.ids.len() as u64 + self.nameless;
        if self.wanted.iter().all(|id| found(*id)) {
            return Next::Enough;
        }
        self.offset = page.offset.saturating_add(page.limit.max(1));
        if page.rows.is_empty() || self.offset >= page.total {
            if self.moved || seen > page.total {
                return Next::Enough;
            }
            if seen == page.total {
                return Next::Whole;
            }
            // Rows that come in another order each time are skipped on one reading and stand on the next.
            let is_fresh = self.before.replace(seen).is_none_or(|before| seen > before);
            if page.rows.is_empty() || self.nameless > 0 || !is_fresh || spent {
                return Next::Enough;
            }
            self.offset = 0;
            self.wavers = true;
            return Next::Page;
        }
        if spent { Next::Enough } else { Next::Page }
    }
}

// Where an id must stand in the unfiltered corpus, if its rows come in ascending order of their ids.
//
// No document promises that order. It is therefore never assumed: each page must bear it out. While all do, a few requests
// find any id among eighty million, and two neighbors with nothing between them prove that an id is not there. After a page
// out of order nothing is proved any more; the way may still lead to a contact. Where such pages are the rule it leads nowhere:
// that contact is given up, and after a few of them all are.

/// Probes for one contact before it is given up.
const PROBES: u32 = 14;
/// Contacts whose way leads nowhere before no other is tried.
const LOST: u32 = 3;

#[derive(Clone, Debug, Default)]
struct Place {
    targets: Vec<RowId>,
    /// Ids at the edges of the pages seen, by offset.
    edges: BTreeMap<u64, RowId>,
    /// Stretches seen whole, from the id at the first offset to the id at the last.
    stretches: Vec<RangeInclusive<RowId>>,
    total: Option<u64>,
    probes: u32,
    /// Whether every page bore the order out.
    holds: bool,
    /// The contact that the last probe aims at.
    aimed: Option<RowId>,
    /// Pages on the way to the contact that is aimed at, and those of them that came out of order.
    pages: u32,
    disordered: u32,
    /// Contacts whose way led nowhere.
    lost: u32,
    /// Rows that the service puts on a page.
    page: u64,
}

impl Place {
    fn learn(&mut self, page: &Page) {
        // Rows that came or went shift every place behind them: what was learnt counts no more.
        if self.total.is_some_and(|total| total != page.total) {
            self.edges.clear();
        }
        self.total = Some(page.total);
        self.pages += 1;
        let ids: Option<Vec<RowId>> = page.rows.iter().map(|row| row.id()).collect();
        let Some(ids) = ids.filter(|ids| ids.is_sorted_by(|a, b| a < b)) else { return self.note_disorder() };
        self.page = (ids.len() as u64).max(1).min(page.limit.max(1));
        if let (Some(first), Some(last)) = (ids.first(), ids.last()) {
            self.edges.insert(page.offset, *first);
            self.edges.insert(page.offset + ids.len() as u64 - 1, *last);
            let whole = page.offset == 0;
            let first = if whole { RowId(i64::MIN) } else { *first };
            let end = page.offset + ids.len() as u64 == page.total;
            self.stretches.push(first..=if end { RowId(i64::MAX) } else { *last });
        }
        if !self.edges.values().is_sorted_by(|a, b| a < b) {
            self.edges.clear();
            self.note_disorder();
        }
    }

    fn note_disorder(&mut self) {
        self.holds = false;
        self.disordered += 1;
    }

    /// Contacts that stand nowhere: a stretch seen whole goes past their id without them.
    fn absent(&self, found: impl Fn(RowId) -> bool) -> Vec<(RowId, String)> {
        if !self.holds {
            return Vec::new();
        }
        let passed = |id: &&RowId| self.stretches.iter().any(|seen| seen.contains(*id));
        let absent = self.targets.iter().filter(passed).filter(|id| !found(**id));
        absent.map(|id| (*id, format!("the unfiltered search lists the ids around {id}, but not this one"))).collect()
    }

    /// The offset to read next; none when nothing more can be found this way.
    fn probe(&mut self, found: impl Fn(RowId) -> bool) -> Option<u64> {
        // Pages out of order now and then still lead to a contact; where they are the rule this leads nowhere.
        let leads_nowhere = self.disordered > 2 && self.disordered * 2 > self.pages;
        if let Some(aimed) = self.aimed.filter(|id| leads_nowhere && !found(*id)) {
            self.lost += 1;
            self.targets.retain(|id| *id != aimed);
        }
        let target = *self.targets.iter().find(|id| !found(**id)).filter(|_| self.lost < LOST)?;
        if self.aimed != Some(target) {
            (self.aimed, self.probes, self.pages, self.disordered) = (Some(target), 0, 0, 0);
        }
        self.probes += 1;
        if self.probes > PROBES {
            // Give this one up; the others may still have luck.
            self.targets.retain(|id| *id != target);
            return self.probe(found);
        }
        let Some(total) = self.total else { return Some(0) };
        let below = self.edges.iter().rev().find(|(_, id)| **id < target).map(|(offset, id)| (*offset, id.0));
        let above = self.edges.iter().find(|(_, id)| **id > target).map(|(offset, id)| (*offset, id.0));
        let guess = match (below, above) {
            (Some((low, low_id)), Some((high, high_id))) => {
                let share = (i128::from(target.0) - i128::from(low_id)) * i128::from(high - low);
                let step = share / (i128::from(high_id) - i128::from(low_id)).max(1);
                // Halfway every third time: ids need not be spread evenly.
                let step = if self.probes.is_multiple_of(3) { i128::from(high - low) / 2 } else { step };
                low.saturating_add(u64::try_from(step).unwrap_or(0))
            }
            (Some((low, low_id)), None) => low.saturating_add(target.0.abs_diff(low_id)),
            (None, Some((high, _))) => high / 2,
            (None, None) => 0,
        };
        // A little before the place, so that the page reaches past it on both sides.
        Some(guess.min(total.saturating_sub(1)).saturating_sub((self.page / 2).min(12)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::row::{ColumnNames, Row};

    /// A page of ten rows of a set of this size. 0 is a row without an id.
    fn page(offset: u64, total: u64, ids: impl IntoIterator<Item = i64>) -> Page {
        let columns = Arc::new(ColumnNames::new(["id"]));
        let row = |id: i64| Row::new((id > 0).then_some(RowId(id)), false, Arc::clone(&columns), []);
        Page { offset, total, limit: 10, rows: ids.into_iter().map(row).collect(), ..Page::default() }
    }

    /// The next step of a search for contact 99 after each of these pages, and whether the order of its rows changed.
    fn read(pages: impl IntoIterator<Item = Page>) -> (Vec<Next>, bool) {
        let wanted = BTreeSet::from([RowId(99)]);
        let mut reading = SearchReading { wanted, pages: Some(5), ..SearchReading::default() };
        let mut went_on = Vec::new();
        for page in pages {
            assert_eq!(reading.offset, page.offset, "it asks for the rows behind those it has");
            went_on.push(reading.take_page(&page, |id| page.rows.iter().any(|row| row.id() == Some(id))));
        }
        (went_on, reading.wavers)
    }

    #[test]
    fn a_search_is_read_whole_only_where_every_row_of_it_was_seen() {
        let all = [page(0, 25, 1..=10), page(10, 25, 11..=20), page(20, 25, 21..=25)];
        assert_eq!(read(all), (vec![Next::Page, Next::Page, Next::Whole], false));
        assert_eq!(read([page(0, 0, [])]), (vec![Next::Whole], false));
        let nameless = [page(0, 12, (1..=9).chain([0])), page(10, 12, [0, 11])];
        assert_eq!(read(nameless), (vec![Next::Page, Next::Whole], false), "a row without an id was seen as well");
        let found = [page(0, 25, 1..=10), page(10, 25, [11, 99])];
        assert_eq!(read(found), (vec![Next::Page, Next::Enough], false));
    }

    #[test]
    fn a_set_that_changes_while_it_is_read_proves_nothing() {
        let grown = [page(0, 11, 1..=10), page(10, 12, 11..=12)];
        assert_eq!(read(grown).0, [Next::Page, Next::Enough]);
        let uncounted = Page { uncounted: true, ..page(0, 3, 1..=3) };
        assert_eq!(read([uncounted]).0, [Next::Enough]);
        assert_eq!(read([page(0, 2, 1..=3)]).0, [Next::Enough], "more rows than there are");
        assert_eq!(read([page(0, 25, 1..=10), page(10, 25, [])]).0, [Next::Page, Next::Enough], "fewer");
    }

    #[test]
    fn an_order_that_wavers_is_read_again_as_long_as_that_shows_other_rows() {
        let first = || [page(0, 12, 1..=10), page(10, 12, [1, 2])];
        let second = [page(0, 12, 3..=12)];
        let rest = [page(10, 12, [1, 2])];
        let (went_on, wavers) = read(first().into_iter().chain(second).chain(rest));
        assert_eq!(went_on, [Next::Page, Next::Page, Next::Page, Next::Whole]);
        assert!(wavers, "what is proved that way is less sure");
        let (went_on, _) = read(first().into_iter().chain(first()));
        assert_eq!(went_on, [Next::Page, Next::Page, Next::Page, Next::Enough], "the same rows again");
        let nameless = [page(0, 12, 1..=10), page(10, 12, [0])];
        assert_eq!(read(nameless).0, [Next::Page, Next::Enough], "which rows are missing cannot be told");
    }

    /// The way to an id is guessed from the two nearest that were seen, and a page begins a little before its place.
    #[test]
    fn the_place_of_an_id_is_guessed_from_its_neighbors() {
        let probe = |edges: &[(u64, i64)], page: u64, probes: u32, target: i64| {
            let edges = edges.iter().map(|(offset, id)| (*offset, RowId(*id))).collect();
            let mut place = Place { targets: vec![RowId(target)], aimed: Some(RowId(target)), ..Place::default() };
            (place.edges, place.page, place.probes, place.total) = (edges, page, probes, Some(2_000));
            place.probe(|_| false)
        };
        let known = [(100, 1_000), (1_100, 21_000)];
        assert_eq!(probe(&known, 25, 0, 11_000), Some(600 - 12));
        assert_eq!(probe(&known, 25, 0, 3_000), Some(200 - 12));
        assert_eq!(probe(&known, 10, 0, 3_000), Some(200 - 5), "half a small page");
        assert_eq!(probe(&known, 25, 2, 3_000), Some(600 - 12), "halfway every third time");
        assert_eq!(probe(&known, 25, 0, 21_700), Some(1_800 - 12), "behind all that is known ids are dense at most");
        assert_eq!(probe(&known, 25, 0, 99_000), Some(1_999 - 12));
        assert_eq!(probe(&known, 25, 0, 500), Some(50 - 12), "before all that is known");
        assert_eq!(probe(&[], 25, 0, 500), Some(0));
        assert_eq!(probe(&known, 25, PROBES - 1, 3_000), Some(200 - 12));
        assert_eq!(probe(&known, 25, PROBES, 3_000), None, "it is given up");
    }

    #[test]
    fn a_way_is_given_up_where_more_than_half_of_its_pages_are_out_of_order() {
        let lost = |disordered: u32, pages: u32, found: bool| {
            let mut place = Place { aimed: Some(RowId(7)), targets: vec![RowId(7), RowId(8)], ..Place::default() };
            (place.disordered, place.pages) = (disordered, pages);
            place.probe(|id| found && id == RowId(7));
            (place.lost, place.targets.len())
        };
        assert_eq!((lost(2, 2, false), lost(3, 6, false), lost(2, 4, false)), ((0, 2), (0, 2), (0, 2)));
        assert_eq!((lost(3, 3, false), lost(3, 5, false), lost(4, 7, false)), ((1, 1), (1, 1), (1, 1)));
        assert_eq!(lost(3, 3, true), (0, 2), "it led to the contact");
        let tried = |lost: u32| {
            let mut place = Place { targets: vec![RowId(7)], lost, ..Place::default() };
            place.probe(|_| false).is_some()
        };
        assert_eq!((tried(LOST - 1), tried(LOST), tried(LOST + 1)), (true, false, false), "then no other is tried");
    }

    #[test]
    fn only_pages_in_strict_order_prove_that_an_id_is_gone() {
        let gone = |pages: &[Page]| {
            let mut place = Place { targets: vec![RowId(99)], holds: true, ..Place::default() };
            pages.iter().for_each(|page| place.learn(page));
            !place.absent(|_| false).is_empty()
        };
        assert!(gone(&[page(5, 20, [90, 95, 100])]));
        assert!(!gone(&[page(5, 20, [90, 95, 98])]), "it may stand behind them");
        assert!(gone(&[page(17, 20, [90, 95, 98])]), "nothing does");
        assert!(gone(&[page(0, 20, [100, 110])]) && !gone(&[page(1, 20, [100, 110])]));
        assert!(!gone(&[page(5, 20, [90, 100, 100])]) && !gone(&[page(5, 20, [90, 100, 95])]));
        assert!(!gone(&[page(5, 20, [90, 0, 100])]), "a row without an id may be it");
        let next = |id: i64| gone(&[page(5, 20, [90, 95, 100]), page(8, 20, [id, 120])]);
        assert!(next(110) && !next(100) && !next(97), "pages must ascend as well");
        let moved = [page(8, 20, [50, 60]), page(5, 21, [90, 95, 100])];
        assert!(gone(&moved), "what was learned before the set changed counts no more");
    }

    #[test]
    fn a_search_ends_with_the_pages_it_may_take() {
        let five = (0..5).map(|at| page(at * 10, 100, 1..=10));
        assert_eq!(read(five).0, [Next::Page, Next::Page, Next::Page, Next::Page, Next::Enough]);
        let mut one_page = SearchReading { pages: None, ..SearchReading::default() };
        assert_eq!(one_page.take_page(&page(0, 3, 1..=3), |_| false), Next::Enough, "it is read for this one page");
    }
}
