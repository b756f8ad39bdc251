//! One side of the search: a service and one of its corpora, with its own query, place, coverage and basket.

mod best;
mod sifting;

use crate::flow::basket::{Basket, Entry};
use crate::flow::choose::{Sieve, Sift, Taste};
use crate::flow::coverage::Coverage;
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::history::History;
use crate::flow::limiter::Priority;
use crate::flow::saved::watch::{self, Watch};
use crate::flow::search::legs::Legs;
use crate::flow::search::walk::{End, Walk};
use crate::flow::search::window::{News, Slot};
use lode_core::contact::{Contact, RowId, Side};
use lode_core::money::Staged;
use lode_core::purse::PurseRef;
use lode_core::query::{ASKED_ABOVE, Query};
use lode_core::row::Row;

use super::event::Event;
use best::Best;

#[derive(Clone, Debug)]
pub struct SideState {
    pub side: Side,
    /// The rows of the search, over all its legs.
    pub window: Legs,
    pub coverage: Coverage,
    pub basket: Basket,
    gathering: Option<Gathering>,
    watch: Option<Watch>,
    /// `None` where nothing is left out.
    pub(super) sieve: Option<Sieve>,
    pub(super) sift: Sift,
}

/// All that match on their way into the basket.
#[derive(Clone, Debug)]
struct Gathering {
    walk: Walk,
    added: u64,
    begun: bool,
    /// `None` where all that match are taken as they come.
    choice: Option<Best>,
}

impl SideState {
    pub fn new(purse: Option<PurseRef>, side: Side) -> SideState {
        SideState {
            side,
            window: Legs::new(side),
            coverage: Coverage::default(),
            basket: Basket::new(purse, side),
            gathering: None,
            watch: None,
            sieve: None,
            sift: Sift::default(),
        }
    }

    /// Searches; the coverage of the search before is dropped with it.
    pub fn search(&mut self, query: Query, at: u64, cx: &mut Cx<'_>) {
        self.coverage.forget(cx);
        self.sift = Sift::default();
        self.watch = self.watch.take().filter(|watch| watch.is_of(&query)).map(Watch::again);
        self.window.run_at(query, at, cx);
        if self.watch.is_some() {
            self.window.read_ahead(watch::READ, cx);
        }
    }

    /// Runs a saved search: its rows are compared with those of its last run.
    pub(super) fn watch(&mut self, watch: Watch, cx: &mut Cx<'_>) {
        let query = watch.query().clone();
        self.watch = Some(watch);
        self.search(query, 0, cx);
    }

    /// The saved search that this result is of.
    pub fn watched(&self) -> Option<&Watch> {
        self.watch.as_ref()
    }

    /// The saved search once it is read far enough to be remembered: answered as long as it is not.
    pub(super) fn watched_to_the_end(&mut self) -> Option<&mut Watch> {
        self.watch.as_mut().filter(|_| self.window.has_read_ahead())
    }

    /// Puts the first `most` rows of the result into the basket, page by page. One undo takes them out again. Answers an end
    /// where it ends before it began.
    pub fn gather(&mut self, most: u64, cx: &mut Cx<'_>) -> Option<End> {
        self.gather_by(most, None, cx)
    }

    fn gather_by(&mut self, rows: u64, choice: Option<Best>, cx: &mut Cx<'_>) -> Option<End> {
        self.stop_gathering(cx);
        let mut walk = Walk::new(Owner::Gathering(self.side), self.window.query().clone(), rows, Priority::Person);
        walk.start(cx);
        let end = walk.end().cloned();
        if end.is_none() {
            self.gathering = Some(Gathering { walk, added: 0, begun: false, choice });
        }
        end
    }

    /// True where there was something to stop. What is in the basket stays.
    pub fn stop_gathering(&mut self, cx: &mut Cx<'_>) -> bool {
        let Some(mut gathering) = self.gathering.take() else { return false };
        gathering.walk.stop(cx);
        true
    }

    /// The walk of a running gathering, for its progress.
    pub fn gathering(&self) -> Option<&Walk> {
        self.gathering.as_ref().map(|gathering| &gathering.walk)
    }

    /// A contact of this side is owned now: its rows fill in where they stand.
    pub fn own(&mut self, id: RowId, contact: &Contact) {
        self.window.own(id, contact);
        self.basket.own(id);
    }

    /// A row as the basket or the window has it.
    pub fn row(&self, id: RowId) -> Option<&Row> {
        if let Some(entry) = self.basket.get(id) {
            return Some(entry.row());
        }
        self.window.row(id)
    }

    /// A row as a review needs it, as the basket or the window knows it.
    pub fn staged_row(&self, id: RowId) -> Option<Staged> {
        if let Some(entry) = self.basket.get(id) {
            return Some(entry.to_store());
        }
        Some(Entry::of(self.row(id)?, self.window.query_of(id))?.to_store())
    }

    pub(super) fn hear(
        &mut self,
        owner: Owner,
        heard: &Heard,
        taste: &Taste,
        cx: &mut Cx<'_>,
        events: &mut Vec<Event>,
    ) {
        let side = self.side;
        match owner {
            Owner::Window(_) => drop(self.window.hear(heard, cx)),
            Owner::Coverage(_) => {
                self.coverage.hear(heard);
                events.push(Event::Coverage { side });
            }
            Owner::Basket(_) => {
                self.basket.hear(heard, cx);
                events.push(match self.basket.failure() {
                    Some(failure) => Event::BasketFailed { side, failure: failure.clone() },
                    None => Event::Basket { side },
                });
            }
            _ => self.hear_gathering(heard, taste, cx, events),
        }
    }

    fn hear_gathering(&mut self, heard: &Heard, taste: &Taste, cx: &mut Cx<'_>, events: &mut Vec<Event>) {
        let Some(gathering) = &mut self.gathering else { return };
        if gathering.choice.is_some() {
            return self.hear_best(heard, taste, cx, events);
        }
        let mut over = false;
        for step in gathering.walk.hear(heard, cx) {
            let query = gathering.walk.leg(step.leg);
            let added = if gathering.begun {
                self.basket.stage_more(&step.rows, query, cx)
            } else {
                self.basket.stage(&step.rows, query, cx)
            };
            gathering.begun |= added > 0;
            gathering.added += added as u64;
            over |= step.end.is_some();
            events.push(Event::Gathered { side: self.side, added: gathering.added, end: step.end, left: None });
        }
        if over {
            self.gathering = None;
        }
    }

    /// Contacts on a page that came. Where those it shows as owned are staged, unlocking them costs nothing any more.
    fn meet(&mut self, leg: usize, ids: &[RowId]) {
        for id in ids {
            let window = self.window.window(leg);
            if let Some(Slot::Row(row)) = window.place(*id).map(|index| window.slot(index))
                && row.unlocked()
            {
                self.basket.own(*id);
            }
        }
    }

    /// Another first page is here. Once all are, the share that is owned is asked for: of legs that may overlap it cannot be
    /// added up, and of many it would be as many requests again.
    fn opened(&mut self, history: &mut History, cx: &mut Cx<'_>) {
        let Some(totals) = self.window.service_totals() else { return };
        let query = self.window.query();
        if query.has_legs() || !query.not.is_empty() {
            let total = totals.iter().fold(0u64, |sum, (_, total)| sum.saturating_add(*total));
            history.searched(query, total, cx);
        }
        if totals.len() <= ASKED_ABOVE && !query.overlaps() {
            self.coverage.begin(&totals, self.window.took_ms(), cx);
        }
    }

    /// Tells the history, the coverage and all listeners what the window has to tell.
    pub(super) fn spread(&mut self, history: &mut History, cx: &mut Cx<'_>, events: &mut Vec<Event>) {
        let side = self.side;
        // A page is kept under what was sent; the search as it was made is listed by `opened`.
        let several = self.window.query().has_legs() || !self.window.query().not.is_empty();
        for (leg, news) in self.window.news() {
            let start = self.window.start_of(leg);
            events.push(match news {
                News::Page { first, total, offset, ids } => {
                    self.meet(leg, &ids);
                    self.count_excluded(leg, offset, &ids);
                    if let Some(watch) = &mut self.watch {
                        watch.page(leg, &ids, total);
                    }
                    history.showed(self.window.leg_query(leg), first, (total, offset), ids, several, cx);
                    if first {
                        self.opened(history, cx);
                    }
                    Event::Page { side, first }
                }
                // The other legs are there all the same.
                News::Failed(failure) if self.window.total().is_some() => {
                    Event::PageFailed { side, index: start, failure }
                }
                News::Failed(failure) => Event::SearchFailed { side, failure },
                News::PageFailed { index, failure } => Event::PageFailed { side, index: start + index, failure },
                News::Moved(moved) => Event::Moved { side, moved: self.window.moved().unwrap_or(moved) },
                News::Hole { index, total } => Event::Hole { side, index: start + index, total },
                News::Repeated { index, twice, rows } => Event::Repeated { side, index: start + index, twice, rows },
                News::Marked(marked) => Event::Marked { side, marked },
            });
        }
    }
}
