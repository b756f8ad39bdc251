//! One side of the search: a service and one of its corpora, with its own query, place, coverage and basket.

use super::*;
use crate::flow::basket::{Basket, BasketEntry};
use crate::flow::saved::watch;
use crate::flow::search::legs::Legs;
use crate::flow::search::walk::Walk;
use crate::flow::totals::Coverage;

#[derive(Debug, Default)]
pub struct SideState {
    pub side: Side,
    /// The rows of the search, over all its legs.
    pub window: Legs,
    pub coverage: Coverage,
    pub basket: Basket,
    gathering: Option<Gathering>,
    /// The saved search that this result is of.
    pub watch: Option<SavedRun>,
    /// How many rows, from the first, the person wants to have read.
    reading: Option<u64>,
    pub(super) exclusion_filter: ExclusionFilter,
    /// How many rows were read, and how many of them are left out.
    pub excluded_counts: ExcludedCounts,
    /// To be told.
    pub(super) events: Vec<Event>,
}

/// All that match on their way into the basket.
#[derive(Clone, Debug)]
struct Gathering {
    walk: Walk,
    added: usize,
    /// How many of the best are taken; `None` where all that match are taken as they come.
    best: Option<usize>,
    /// What the best are chosen from, each with the leg that showed it: all of it is read first.
    read: Vec<(usize, Row)>,
}

impl SideState {
    pub fn new(purse: Option<PurseRef>, side: Side) -> SideState {
        SideState { side, window: Legs::new(side), basket: Basket::new(purse, side), ..SideState::default() }
    }

    /// Searches; the coverage of the search before is dropped with it.
    pub fn search(&mut self, query: Query, at: u64, cx: &mut FlowContext<'_>) {
        self.coverage.forget(cx);
        self.excluded_counts = ExcludedCounts::default();
        self.reading = None;
        self.watch = self.watch.take().filter(|watch| watch.query.asks_as(&query)).map(SavedRun::again);
        self.window.run_at(query, at, cx);
        if self.watch.is_some() {
            self.window.read_ahead(watch::READ, false, cx);
        }
    }

    /// Reads the first `rows` of the result into the window, behind everything else. Returns false if they are here.
    pub fn read_first(&mut self, rows: u64, cx: &mut FlowContext<'_>) -> bool {
        self.window.read_ahead(rows, true, cx);
        self.reading = Some(rows).filter(|_| !self.window.has_read_ahead());
        self.reading.is_some()
    }

    /// How many of the rows are here that are being read, and how many are wanted.
    pub fn reading(&self) -> Option<(u64, u64)> {
        let wanted = self.reading?.min(self.window.total()?);
        Some((self.window.read_so_far(), wanted))
    }

    /// True where there was something to stop. What was read stays.
    pub fn stop_reading(&mut self, cx: &mut FlowContext<'_>) -> bool {
        let was_reading = self.reading.take().is_some();
        if was_reading {
            self.window.read_ahead(if self.watch.is_some() { watch::READ } else { 0 }, false, cx);
        }
        was_reading
    }

    /// Runs a saved search: its rows are compared with those of its last run.
    pub(super) fn watch(&mut self, watch: SavedRun, cx: &mut FlowContext<'_>) {
        let query = watch.query.clone();
        self.watch = Some(watch);
        self.search(query, 0, cx);
    }

    /// Puts the first `rows` of the result into the basket, page by page; with `best`, only that many of them, the best ones, and
    /// none that is left out. One undo takes them out again. Returns how it ended where it ended before it began.
    pub fn gather(&mut self, rows: u64, best: Option<usize>, cx: &mut FlowContext<'_>) -> Option<WalkEnd> {
        self.stop_gathering(cx);
        let mut walk = Walk::new(Owner::Gathering(self.side), self.window.query().clone(), rows);
        walk.start(cx);
        let end = walk.end().cloned();
        if end.is_none() {
            self.gathering = Some(Gathering { walk, added: 0, best, read: Vec::new() });
        }
        end
    }

    /// True where there was something to stop. What is in the basket stays.
    pub fn stop_gathering(&mut self, cx: &mut FlowContext<'_>) -> bool {
        self.gathering.take().map(|mut gathering| gathering.walk.stop(cx)).is_some()
    }

    /// The walk of a running gathering, for its progress.
    pub fn gathering(&self) -> Option<&Walk> {
        self.gathering.as_ref().map(|gathering| &gathering.walk)
    }

    /// A contact of this side is owned now: its rows fill in where they stand.
    pub fn own(&mut self, id: RowId, contact: &Contact) {
        if self.window.own(id, contact) {
            self.coverage.newly += 1;
        }
        self.basket.own(id);
    }

    /// A row as the basket or the window has it.
    pub fn row(&self, id: RowId) -> Option<&Row> {
        self.basket.get(id).map(|entry| &entry.row).or_else(|| self.window.row(id))
    }

    /// A row as a review needs it, as the basket or the window knows it.
    pub fn staged_row(&self, id: RowId) -> Option<Staged> {
        let shown = || BasketEntry::of(self.window.row(id)?, self.window.query_of(id));
        Some(self.basket.get(id).cloned().or_else(shown)?.to_store())
    }

    pub(super) fn handle(&mut self, owner: Owner, arrival: &Arrival, rules: &ChoiceRules, cx: &mut FlowContext<'_>) {
        let side = self.side;
        match owner {
            Owner::Window(_) => {
                self.window.handle(arrival, cx);
                if let Some((rows, wanted)) = self.reading().filter(|_| self.window.has_read_ahead()) {
                    self.reading = None;
                    self.events.push(Event::Read { side, rows, wanted });
                }
            }
            Owner::Coverage(_) => self.coverage.handle(arrival),
            Owner::Basket(_) => {
                self.basket.handle(arrival, cx);
                let failed = self.basket.failure().cloned();
                self.events.extend(failed.map(|failure| Event::BasketFailed { side, failure }));
            }
            _ => self.handle_gathering(arrival, rules, cx),
        }
    }

    fn handle_gathering(&mut self, arrival: &Arrival, rules: &ChoiceRules, cx: &mut FlowContext<'_>) {
        // It was stopped.
        let Some(mut gathering) = self.gathering.take() else { return };
        for step in gathering.walk.handle(arrival, cx) {
            if gathering.best.is_some() {
                gathering.read.extend(step.rows.into_iter().map(|row| (step.leg, row)));
            } else {
                let query = gathering.walk.leg(step.leg);
                gathering.added += self.basket.stage(gathering.added, &step.rows, query, cx);
            }
        }
        let Some(end) = gathering.walk.end().cloned() else {
            self.gathering = Some(gathering);
            return;
        };
        let left = gathering.best.map(|most| self.take_best(&mut gathering, most, rules, cx));
        self.events.push(Event::Gathered { side: self.side, added: gathering.added as u64, end, left });
    }

    /// Another first page is here. Once all are, the share that is owned is asked for: of legs that may overlap it cannot be
    /// added up, and of many it would be as many requests again.
    fn opened(&mut self, history: &mut History, cx: &mut FlowContext<'_>) {
        // Another first page is still on its way.
        let Some(totals) = self.window.service_totals() else { return };
        let query = self.window.query();
        if query.has_legs() || !query.not.is_empty() {
            let total = totals.iter().fold(0u64, |sum, (_, total)| sum.saturating_add(*total));
            history.showed(query, true, (total, 0), Vec::new(), false, cx);
        }
        if totals.len() <= ASKED_ABOVE && !query.overlaps() {
            self.coverage.begin(&totals, self.window.took_ms(), cx);
        }
    }

    /// Tells the history, the coverage and all listeners what the window has to tell.
    pub(super) fn report(&mut self, history: &mut History, cx: &mut FlowContext<'_>) {
        let side = self.side;
        // A page is kept under what was sent; the search as it was made is listed by `opened`.
        let several = self.window.query().has_legs() || !self.window.query().not.is_empty();
        for (leg, mut news) in self.window.news() {
            let start = self.window.start_of(leg);
            match &mut news {
                WindowNews::Page { first, total, offset, ids } => {
                    // Where those that it shows as owned are staged, unlocking them costs nothing any more.
                    let is_owned = |id: &&RowId| self.window.row_in(leg, **id).is_some_and(Row::unlocked);
                    ids.iter().filter(is_owned).for_each(|id| self.basket.own(*id));
                    self.count_excluded(leg, *offset, ids);
                    if let Some(watch) = &mut self.watch {
                        watch.page(leg, ids, *total);
                    }
                    let query = self.window.leg_query(leg);
                    history.showed(query, *first, (*total, *offset), ids.clone(), several, cx);
                    if *first {
                        self.opened(history, cx);
                    }
                }
                WindowNews::PageFailed { index, .. }
                | WindowNews::Hole { index, .. }
                | WindowNews::Repeated { index, .. } => *index += start,
                WindowNews::Moved(moved) => *moved = self.window.moved().unwrap_or(*moved),
                WindowNews::Marked(_) => {}
            }
            self.events.push(Event::Window { side, news });
        }
    }

    /// All was read, or could not be: then nothing is taken.
    fn take_best(&mut self, of: &mut Gathering, most: usize, rules: &ChoiceRules, cx: &mut FlowContext<'_>) -> Skipped {
        let Gathering { walk, read, added, .. } = of;
        // By the search that was read: another one may be shown by now.
        let not = if put_back("best-of-other-search") { &self.window.query().not } else { &walk.query.not };
        let exclusion_filter = ExclusionFilter::new(not, &rules.lists);
        let is_kept = |row: &&Row| put_back("best-excluded") || exclusion_filter.why(self.side, row).is_none();
        let kept: Vec<&Row> = read.iter().map(|(_, row)| row).filter(is_kept).collect();
        let excluded = (read.len() - kept.len()) as u64;
        let mut left = Skipped { read: walk.given(), excluded, ..Skipped::default() };
        if !matches!(walk.end(), Some(WalkEnd::Failed(_) | WalkEnd::Stopped)) {
            let chosen = self.choose_new(kept, most, rules, &mut left);
            // Each is staged with the leg that shows it, and they stay in their order.
            let leg_of: HashMap<Option<RowId>, usize> = read.iter().map(|(leg, row)| (row.id(), *leg)).collect();
            let leg = |row: &Row| leg_of.get(&row.id()).copied().unwrap_or(0);
            let legs: Vec<(usize, &Row)> = chosen.into_iter().map(|row| (leg(row), row)).collect();
            for same in legs.chunk_by(|(one, _), (other, _)| one == other) {
                let (query, rows) = (walk.leg(same[0].0), same.iter().map(|(_, row)| *row));
                *added += self.basket.stage(*added, rows, query, cx);
            }
        }
        left
    }

    /// Why a row is left out; `None` where it is not.
    pub fn excluded(&self, row: &Row) -> Option<ExclusionReason<'_>> {
        self.exclusion_filter.why(self.side, row)
    }

    /// The rows of a page that `a` takes: none that is left out, and no more of a company than wanted.
    pub fn wanted<'a>(&'a self, rows: Vec<&'a Row>, choice_rules: &ChoiceRules) -> (Vec<&'a Row>, Skipped) {
        let mut left = Skipped { read: rows.len() as u64, ..Skipped::default() };
        let mut rows: Vec<&Row> =
            rows.into_iter().filter(|row| put_back("page-excluded") || self.excluded(row).is_none()).collect();
        left.excluded = left.read - rows.len() as u64;
        if choice_rules.per_company.is_some() {
            rows = self.choose_new(rows, usize::MAX, choice_rules, &mut left);
        }
        (rows, left)
    }

    /// Chooses of the rows that are neither owned nor in the basket and have an id to buy them by; counts the others.
    fn choose_new<'a>(&self, rows: Vec<&'a Row>, most: usize, rules: &ChoiceRules, left: &mut Skipped) -> Vec<&'a Row> {
        let read = rows.len();
        let is_new = |row: &&Row| !row.unlocked() && row.id().is_some_and(|id| !self.basket.contains(id));
        let new: Vec<&Row> = rows.into_iter().filter(is_new).collect();
        left.there = (read - new.len()) as u64;
        let chosen = rules.choose(new, most, self.basket.rows().iter().map(|entry| &entry.row));
        (left.duplicates, left.beyond) = (chosen.duplicates as u64, chosen.beyond as u64);
        chosen.items
    }

    /// The sieve is that of the search that is shown; what was read is counted again where it is another one than before.
    pub(in crate::flow::session) fn apply_exclusions(&mut self, choice_rules: &ChoiceRules) {
        let not = &self.window.query().not;
        if self.exclusion_filter.of == *not {
            return;
        }
        self.exclusion_filter = ExclusionFilter::new(not, &choice_rules.lists);
        self.excluded_counts = ExcludedCounts::default();
        let stride = self.window.stride().max(1);
        let mut counts: BTreeMap<(usize, u64), (u64, u64)> = BTreeMap::new();
        for (index, row) in self.window.loaded() {
            let (leg, offset) = self.window.locate(index).unwrap_or((0, index));
            let count = counts.entry((leg, offset - offset % stride)).or_default();
            count.0 += 1;
            count.1 += u64::from(self.excluded(row).is_some());
        }
        for (page, (rows, excluded)) in counts {
            self.excluded_counts.page(page, rows, excluded);
        }
    }

    /// Counts a page that came.
    fn count_excluded(&mut self, leg: usize, offset: u64, ids: &[RowId]) {
        if self.exclusion_filter.is_empty() {
            return;
        }
        let is_out = |id: &&RowId| self.window.row_in(leg, **id).is_some_and(|row| self.excluded(row).is_some());
        let excluded = ids.iter().filter(is_out).count() as u64;
        self.excluded_counts.page((leg, offset), ids.len() as u64, excluded);
    }
}

/// What was not taken of the rows that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    pub read: u64,
    pub excluded: u64,
    /// Owned or in the basket already.
    pub there: u64,
    pub duplicates: u64,
    /// More of their company than wanted.
    pub beyond: u64,
}

impl Skipped {
    /// `12 excluded · 3 skipped (owned or in basket)`: empty where all were taken.
    pub fn words(&self, per_company: Option<u32>) -> String {
        let limit = per_company.map(|limit| format!("over {limit} a company")).unwrap_or_default();
        let counts = [
            (self.excluded, format!("{} excluded", grouped(self.excluded))),
            (self.there, format!("{} skipped (owned or in basket)", grouped(self.there))),
            (self.duplicates, counted(self.duplicates, "duplicate")),
            (self.beyond, format!("{} {limit}", grouped(self.beyond))),
        ];
        let said = counts.into_iter().filter(|(count, _)| *count > 0);
        said.map(|(_, words)| words).collect::<Vec<_>>().join(" · ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_said_as_one() {
        let left = Skipped { duplicates: 1, beyond: 2, ..Skipped::default() };
        assert_eq!(left.words(Some(3)), "1 duplicate · 2 over 3 a company");
        let more = Skipped { there: 4, duplicates: 2, ..left };
        assert_eq!(more.words(Some(3)), "4 skipped (owned or in basket) · 2 duplicates · 2 over 3 a company");
    }
}
