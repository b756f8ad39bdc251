//! A search as one list, however many legs it has: each leg is a [`Window`] of its own, and they are shown one after the other.
//!
//! A position of the list is found from the totals that the legs had when they were opened; those never change, so nothing moves
//! under the reader. The list ends where the first total is not known yet. A contact belongs to the leg that showed it first;
//! where another leg shows it again, it is a repeat from then on. A search with one leg is its window and nothing else.

mod opening;
mod reading;
mod view;

use crate::flow::desk::{Cx, Heard};
use lode_core::contact::{Contact, RowId, Side};
use lode_core::exclude::Exclusions;
use lode_core::ids::Growing;
use lode_core::query::Query;
use lode_core::time::Mono;

pub use opening::{legs_take, minutes};

use super::pages::MOST_ROWS;
use super::window::{News, Status, View, Window};

/// Legs that are opened at once.
const OPENED_AT_ONCE: usize = 3;

#[derive(Clone, Debug)]
struct Leg {
    window: Window,
    /// Its first page was asked for.
    begun: bool,
    /// Ids that were met here first. Only kept where there are several legs.
    own: Growing,
}

#[derive(Clone, Debug)]
pub struct Legs {
    /// The whole search.
    query: Query,
    /// Never empty.
    legs: Vec<Leg>,
    /// Windows of an earlier search that still wait for what became of a marking.
    leaving: Vec<Window>,
    view: View,
    /// Rows of the whole list that are read in advance.
    ahead: u64,
    /// Stopped by the person: what is not opened yet stays so.
    halted: bool,
    news: Vec<(usize, News)>,
    most_rows: usize,
}

impl Legs {
    pub fn new(side: Side) -> Legs {
        Legs {
            query: Query::new(side),
            legs: vec![Leg { window: Window::new(side), begun: false, own: Growing::default() }],
            leaving: Vec::new(),
            view: View::default(),
            ahead: 0,
            halted: false,
            news: Vec::new(),
            most_rows: MOST_ROWS,
        }
    }

    /// Searches and begins at a place that was kept from before. What was shown or in flight is gone.
    pub fn run_at(&mut self, query: Query, index: u64, cx: &mut Cx<'_>) {
        let before: Vec<Leg> = std::mem::take(&mut self.legs);
        let (ready, side) = (query.ready().is_ok(), query.side);
        let legs = if ready { query.legs() } else { vec![query.clone()] };
        let mut windows = before.into_iter().map(|leg| leg.window);
        for _ in &legs {
            let window = windows.next().unwrap_or_else(|| Window::new(side));
            self.legs.push(Leg { window, begun: false, own: Growing::default() });
        }
        for mut window in windows {
            window.stop(cx);
            if window.is_marking() {
                self.leaving.push(window);
            }
        }
        self.query = query;
        self.view = View { top: index, cursor: index, ..View::default() };
        (self.ahead, self.halted) = (0, false);
        if legs.len() == 1 {
            let leg = &mut self.legs[0];
            leg.begun = true;
            leg.window.rest(false);
            leg.window.run_at(self.query.clone(), index, cx);
        } else {
            for (leg, query) in self.legs.iter_mut().zip(legs) {
                leg.window.prepare(query, cx);
            }
            self.open(cx);
        }
    }

    /// What is left out on this side changed: the service is not asked again.
    pub fn leave_out(&mut self, not: Exclusions) {
        self.query.not = not;
    }

    /// Drops what is on its way. Pages that are here stay. Answers whether there was anything to drop.
    pub fn stop(&mut self, cx: &mut Cx<'_>) -> bool {
        let halted = std::mem::replace(&mut self.halted, true);
        let mut running = !halted && self.legs.iter().any(|leg| !leg.begun) && self.several();
        for leg in &mut self.legs {
            running |= leg.window.stop(cx);
        }
        running
    }

    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> bool {
        let Some(at) = self.legs.iter_mut().position(|leg| leg.window.hear(heard, cx)) else {
            let Some(at) = self.leaving.iter_mut().position(|window| window.hear(heard, cx)) else { return false };
            let mut window = self.leaving.swap_remove(at);
            self.news.extend(window.news().into_iter().map(|news| (0, news)));
            return true;
        };
        self.collect(at);
        if self.several() {
            self.open(cx);
            self.look(cx);
            self.bound();
        }
        true
    }

    /// The contact is owned now: its rows fill in where they stand.
    pub fn own(&mut self, id: RowId, contact: &Contact) -> bool {
        self.legs.iter_mut().fold(false, |newly, leg| leg.window.own(id, contact) | newly)
    }

    /// Rows left the set since `moment`: pages read in the meantime are read again.
    pub fn reread_since(&mut self, moment: Mono, cx: &mut Cx<'_>) {
        self.legs.iter_mut().for_each(|leg| leg.window.reread_since(moment, cx));
    }

    /// What happened since this was last called, and in which leg.
    pub fn news(&mut self) -> Vec<(usize, News)> {
        (0..self.legs.len()).for_each(|at| self.collect(at));
        std::mem::take(&mut self.news)
    }

    /// Records the page around `index` as pulled: a page belongs to one leg.
    pub fn mark_pulled(&mut self, index: u64, cx: &mut Cx<'_>) -> bool {
        let Some((at, index)) = self.locate(index) else { return false };
        self.legs[at].window.mark_pulled(index, cx)
    }

    /// Takes the news of a leg: an id belongs to the first leg that showed it.
    fn collect(&mut self, at: usize) {
        let news = self.legs[at].window.news();
        if self.several() {
            for news in &news {
                let News::Page { ids, .. } = news else { continue };
                for id in ids {
                    if !self.legs.iter().any(|leg| leg.own.contains(*id)) {
                        self.legs[at].own.insert(*id);
                    }
                }
            }
        }
        self.news.extend(news.into_iter().map(|news| (at, news)));
    }

    fn several(&self) -> bool {
        self.legs.len() > 1
    }

    /// All legs share one bound: the pages that are farthest from the cursor are forgotten.
    fn bound(&mut self) {
        let here = self.locate(self.view.cursor).map_or(0, |(at, _)| at);
        let mut order: Vec<usize> = (0..self.legs.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(at.abs_diff(here)));
        for at in order {
            let over = self.held().saturating_sub(self.most_rows);
            if over == 0 {
                return;
            }
            let window = &mut self.legs[at].window;
            window.keep_at_most(window.held().saturating_sub(over));
        }
    }
}

/// Whether nothing more is to be expected of a leg's total.
fn is_settled(leg: &Leg, halted: bool) -> bool {
    match leg.window.status() {
        Status::Empty => halted,
        Status::Running { .. } => false,
        Status::Loaded | Status::NotSent(_) | Status::Failed(_) | Status::Stopped => true,
    }
}
