//! The first page of each leg, read before the rest: with it what reading all of them takes is known, and no request is lost.

use crate::effect::CallId;
use crate::effect::call::{Call, Reply, SearchCall};
use crate::effect::failure::Failure;
use crate::flow::desk::{Cx, Heard as DeskHeard, Owner};
use crate::flow::limiter::Priority;
use crate::flow::search::applied;
use lode_core::page::Page;
use lode_core::query::Query;

/// What reading a search takes: its rows, and the requests with those that were made for it already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub rows: u64,
    pub requests: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Opening {
    owner: Owner,
    priority: Priority,
    asked: Vec<(CallId, usize)>,
    /// With the page size that was asked for.
    pages: Vec<Option<(u64, Page)>>,
    plan: Option<Plan>,
    limit: u64,
}

pub(super) enum Heard {
    NotMine,
    Going,
    Whole,
    Failed(Failure),
}

impl Opening {
    pub(super) fn new(owner: Owner, priority: Priority) -> Opening {
        Opening { owner, priority, asked: Vec::new(), pages: Vec::new(), plan: None, limit: 0 }
    }

    pub(super) fn start(&mut self, legs: &[Query], wanted: u64, cx: &mut Cx<'_>) {
        self.limit = cx.desk.page(legs[0].side.source).min(wanted).max(1);
        self.pages = vec![None; legs.len()];
        for (at, leg) in legs.iter().enumerate() {
            let call = SearchCall { query: leg.clone(), offset: 0, limit: self.limit, mark_pulled: false };
            self.asked.push((cx.ask(self.owner, Call::Search(call), self.priority), at));
        }
    }

    /// Whether first pages are still to come.
    pub(super) fn is_open(&self) -> bool {
        self.plan.is_none()
    }

    pub(super) fn hear(&mut self, heard: &DeskHeard, cx: &mut Cx<'_>) -> Heard {
        let DeskHeard::Reply(id, _, result) = heard else { return Heard::NotMine };
        let Some(place) = self.asked.iter().position(|(asked, _)| asked == id) else { return Heard::NotMine };
        let (_, at) = self.asked.swap_remove(place);
        let failure = match result {
            Ok(Reply::Page(page)) => {
                self.pages[at] = Some((self.limit, page.clone()));
                if !self.asked.is_empty() {
                    return Heard::Going;
                }
                self.plan = Some(self.counted());
                return Heard::Whole;
            }
            Ok(_) => Failure::OurBug { words: "unexpected response to a search".to_owned() },
            Err(failure) => failure.clone(),
        };
        self.stop(cx);
        Heard::Failed(failure)
    }

    fn counted(&self) -> Plan {
        let mut plan = Plan { rows: 0, requests: 0 };
        for (limit, page) in self.pages.iter().flatten() {
            plan.rows = plan.rows.saturating_add(page.total);
            plan.requests = plan.requests.saturating_add(page.total.div_ceil(applied(*limit, page)).max(1));
        }
        plan
    }

    pub(super) fn asks(&self, id: CallId) -> bool {
        self.asked.iter().any(|(asked, _)| *asked == id)
    }

    pub(super) fn take(&mut self, at: usize) -> Option<(u64, Page)> {
        self.pages.get_mut(at)?.take()
    }

    pub(super) fn stop(&mut self, cx: &mut Cx<'_>) {
        for (id, _) in std::mem::take(&mut self.asked) {
            cx.cancel(id);
        }
    }

    pub(super) fn plan(&self) -> Option<Plan> {
        self.plan
    }
}
