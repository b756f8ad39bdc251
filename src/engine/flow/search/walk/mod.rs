//! Reading a result from its beginning, page by page, for the shell and for putting all matches into the basket.
//!
//! The legs of a search are read one after the other, and no id is given twice, in whichever leg it comes. How one leg is read to
//! its end, whatever the service does meanwhile, is `leg`'s business.

mod end;
mod leg;
mod opening;

use crate::effect::CallId;
use crate::effect::failure::Failure;
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::limiter::Priority;
use lode_core::contact::RowId;
use lode_core::query::Query;
use lode_core::row::Row;

pub use end::End;
pub use leg::Leg;
pub use opening::Plan;

use super::window::Moved;
use opening::Opening;

/// One answered page of the walk.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
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
    /// The walk is over.
    pub end: Option<End>,
}

#[derive(Clone, Debug)]
pub struct Walk {
    owner: Owner,
    query: Query,
    legs: Vec<Query>,
    wanted: u64,
    priority: Priority,
    at: usize,
    leg: Leg,
    /// The first pages, where they are all read before the rest.
    opening: Option<Opening>,
    behind: Behind,
    end: Option<End>,
}

/// What the legs that were read to their end came to.
#[derive(Clone, Debug, Default)]
struct Behind {
    total: Option<u64>,
    given: u64,
    unseen: u64,
    met: u64,
    uncounted: bool,
    moved: Option<Moved>,
    /// The first that the service did not let be read to its end.
    cut: Option<End>,
}

impl Walk {
    pub fn new(owner: Owner, query: Query, wanted: u64, priority: Priority) -> Walk {
        let legs = query.legs();
        let leg = Leg::new(owner, legs[0].clone(), wanted, priority);
        Walk { owner, query, legs, wanted, priority, at: 0, leg, opening: None, behind: Behind::default(), end: None }
    }

    /// Reads the first page of each leg before any other, so that what it takes is known: see [`Walk::plan`].
    pub fn opening_first(mut self) -> Walk {
        self.opening = (self.legs.len() > 1).then(|| Opening::new(self.owner, self.priority));
        self
    }

    /// Asks for the first page. A query that cannot be sent ends here.
    pub fn start(&mut self, cx: &mut Cx<'_>) {
        if let Err(problem) = self.query.ready() {
            self.end = Some(End::Failed(Failure::OurBug { words: problem.to_string() }));
        } else if let Some(opening) = &mut self.opening {
            opening.start(&self.legs, self.wanted, cx);
        } else {
            self.leg.start(cx);
            self.end = self.leg.end().cloned();
        }
    }

    /// The pages that the answer brought, where it was for this walk.
    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> Vec<Step> {
        if let Some(opening) = &mut self.opening
            && opening.is_open()
        {
            match opening.hear(heard, cx) {
                opening::Heard::NotMine | opening::Heard::Going => return Vec::new(),
                opening::Heard::Failed(failure) => {
                    self.end = Some(End::Failed(failure));
                    return vec![Step {
                        leg: 0,
                        rows: Vec::new(),
                        met: Vec::new(),
                        offset: 0,
                        total: 0,
                        end: self.end.clone(),
                    }];
                }
                opening::Heard::Whole => {}
            }
            let mut steps = vec![self.take_first(cx)];
            self.go_through(&mut steps, cx);
            return steps;
        }
        let Some(step) = self.leg.hear(heard, cx) else { return Vec::new() };
        let mut steps = vec![Step { leg: self.at, ..step }];
        self.go_through(&mut steps, cx);
        steps
    }

    /// Where a leg ended: on to the next one, and through those whose rows are all here.
    fn go_through(&mut self, steps: &mut Vec<Step>, cx: &mut Cx<'_>) {
        while let Some(end) = self.leg.end().cloned() {
            let over = match &end {
                End::All | End::Hole { .. } | End::Elsewhere { .. } | End::Repeats { .. } | End::Short { .. } => {
                    self.at + 1 == self.legs.len()
                }
                End::Enough | End::Failed(_) | End::Stopped => true,
            };
            if over {
                self.end = Some(match end {
                    End::All => self.behind.cut.clone().unwrap_or(End::All),
                    end => end,
                });
                break;
            }
            self.next_leg(end);
            if self.opening.is_none() {
                self.leg.start(cx);
                self.end = self.leg.end().cloned();
                break;
            }
            steps.push(self.take_first(cx));
        }
        if let Some(step) = steps.last_mut() {
            step.end.clone_from(&self.end);
        }
        for step in steps.iter_mut().rev().skip(1) {
            step.end = None;
        }
    }

    fn next_leg(&mut self, end: End) {
        let (total, given, unseen, moved) = (self.total(), self.given(), self.unseen(), self.moved());
        let cut = self.behind.cut.take().or(Some(end).filter(|end| *end != End::All));
        self.behind = Behind { total, given, unseen, met: self.met(), uncounted: self.is_uncounted(), moved, cut };
        self.at += 1;
        let (query, left) = (self.legs[self.at].clone(), self.wanted.saturating_sub(given));
        let next = Leg::new(self.owner, query, left, self.priority);
        self.leg.hand_over(next);
    }

    /// The first page of a leg, which is here already.
    fn take_first(&mut self, cx: &mut Cx<'_>) -> Step {
        let first = self.opening.as_mut().and_then(|opening| opening.take(self.at));
        let rows = first.map(|(limit, page)| self.leg.replay(limit, 0, &page)).unwrap_or_default();
        if self.leg.end().is_none() {
            self.leg.go_on(cx);
        }
        let met = self.leg.met();
        Step { leg: self.at, rows, met, offset: 0, total: self.leg.total().unwrap_or(0), end: None }
    }

    /// Asks for nothing more of this leg by itself until it is told to go on.
    pub fn hold(&mut self) {
        self.leg.hold();
    }

    /// Asks for what is to be read next.
    pub fn go_on(&mut self, cx: &mut Cx<'_>) {
        self.leg.go_on(cx);
    }

    pub fn stop(&mut self, cx: &mut Cx<'_>) {
        if let Some(opening) = &mut self.opening {
            opening.stop(cx);
        }
        self.leg.stop(cx);
        self.end.get_or_insert(End::Stopped);
    }

    /// Whether it waits for the answer to this request.
    pub fn asks(&self, id: CallId) -> bool {
        self.leg.asks(id) || self.opening.as_ref().is_some_and(|opening| opening.asks(id))
    }

    /// The size of the pages, once it is known.
    pub fn page_size(&self) -> Option<u64> {
        self.leg.page_size()
    }

    /// What reading all of it takes, once the first page of each leg is here.
    pub fn plan(&self) -> Option<Plan> {
        self.opening.as_ref()?.plan()
    }

    /// The whole search.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// The search of one of its steps.
    pub fn leg(&self, at: usize) -> &Query {
        &self.legs[at]
    }

    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// How many rows the legs have that were begun; all of them where they are opened first.
    pub fn total(&self) -> Option<u64> {
        if let Some(plan) = self.plan() {
            return Some(plan.rows);
        }
        match (self.behind.total, self.leg.total()) {
            (Some(behind), here) => Some(behind.saturating_add(here.unwrap_or(0))),
            (None, here) => here,
        }
    }

    /// How many legs were begun, and how many there are.
    pub fn legs(&self) -> (usize, usize) {
        let begun =
            if self.plan().is_some() { self.legs.len() } else { self.at + usize::from(self.leg.total().is_some()) };
        (begun, self.legs.len())
    }

    /// How many rows were given.
    pub fn given(&self) -> u64 {
        self.behind.given + self.leg.given()
    }

    pub fn wanted(&self) -> u64 {
        self.wanted
    }

    /// Places of the result that were passed over: their pages were shorter than the limit they name.
    pub fn unseen(&self) -> u64 {
        self.behind.unseen + self.leg.unseen()
    }

    pub fn took_ms(&self) -> Option<u64> {
        self.leg.took_ms()
    }

    /// Rows that were passed over, because a leg before theirs gave them.
    pub fn met(&self) -> u64 {
        self.behind.met + self.leg.met_rows()
    }

    /// Whether the service named no total that can be.
    pub fn is_uncounted(&self) -> bool {
        self.behind.uncounted || self.leg.is_uncounted()
    }

    /// The change of the first leg that is not what it was.
    pub fn moved(&self) -> Option<Moved> {
        self.behind.moved.or_else(|| self.leg.moved())
    }
}
