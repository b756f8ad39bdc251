//! What the saved searches come to now: one small free search each, behind everything else and one after the other.
//!
//! Only totals: which rows are new is known when a search runs. Searches that would scan a whole corpus are not asked for
//! without being wanted.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::effect::{CallId, Reply};
use crate::flow::desk::{Arrival, FlowContext, Owner};
use crate::flow::limiter::Priority;
use lode_core::{Mono, Now, Query, Speed};

use super::merge::SavedEntry;

/// A total that is younger than this is not asked for again.
const FRESH: Duration = Duration::from_secs(300);
/// Searches that one visit asks for at most.
const MOST: usize = 30;

/// A saved search as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedTotal {
    pub total: u64,
    pub at: Mono,
    /// Rows that were new and rows that were read, where it ran in this window.
    pub news: Option<(u64, u64)>,
}

#[derive(Clone, Debug, Default)]
pub struct SavedTotals {
    seen: BTreeMap<String, SavedTotal>,
    waiting: VecDeque<(String, Query)>,
    asked: Option<(CallId, String)>,
    /// Of the one that is asked for: the legs that are left, and what those before them came to.
    legs: Vec<Query>,
    sum: u64,
}

impl SavedTotals {
    pub fn seen(&self, name: &str) -> Option<&SavedTotal> {
        self.seen.get(name)
    }

    /// Rows that were new in the searches that ran in this window.
    pub fn new_rows(&self) -> u64 {
        self.seen.values().filter_map(|seen| seen.news).map(|(fresh, _)| fresh).sum()
    }

    pub fn is_asking(&self, name: &str) -> bool {
        self.asked.as_ref().is_some_and(|(_, asked)| asked == name)
            || self.waiting.iter().any(|(other, _)| other == name)
    }

    /// A search ran: that says more than a glance.
    pub fn ran(&mut self, name: &str, total: u64, news: Option<(u64, u64)>, now: Now) {
        self.seen.insert(name.to_owned(), SavedTotal { total, at: now.mono, news });
    }

    /// Asks for the totals of these that are not known or old.
    pub fn begin(&mut self, entries: &[SavedEntry], cx: &mut FlowContext<'_>) {
        let old = |name: &str| self.seen.get(name).is_none_or(|seen| cx.now.mono.since(seen.at) > FRESH);
        self.waiting = entries
            .iter()
            .filter(|entry| old(&entry.name))
            .filter_map(|entry| entry.query.clone().ok().map(|query| (entry.name.clone(), query)))
            .filter(|(_, query)| query.speed() != Speed::Slow && query.ready().is_ok())
            .scan(0, |requests, (name, query)| {
                *requests += query.leg_count();
                (*requests <= MOST).then_some((name, query))
            })
            .collect();
        self.next(cx);
    }

    /// What is not on its way yet is not asked for.
    pub fn leave(&mut self) {
        self.waiting.clear();
    }

    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        let Arrival::Reply(id, _, result) = arrival else { return };
        let Some((_, name)) = self.asked.take_if(|(asked, _)| asked == id) else { return };
        match result {
            Ok(Reply::Page(page)) if !page.uncounted => {
                self.sum = self.sum.saturating_add(page.total);
                if self.legs.is_empty() {
                    let news = self.seen.get(&name).and_then(|seen| seen.news);
                    self.seen.insert(name, SavedTotal { total: self.sum, at: cx.now.mono, news });
                } else {
                    return self.next_leg(name, cx);
                }
            }
            _ => self.legs.clear(),
        }
        self.next(cx);
    }

    fn next(&mut self, cx: &mut FlowContext<'_>) {
        if self.asked.is_some() {
            return;
        }
        if let Some((name, query)) = self.waiting.pop_front() {
            (self.legs, self.sum) = (query.legs(), 0);
            self.next_leg(name, cx);
        }
    }

    fn next_leg(&mut self, name: String, cx: &mut FlowContext<'_>) {
        let query = self.legs.remove(0);
        self.asked = Some((cx.search(Owner::SavedTotals, query, 0, 1, Priority::Coverage), name));
    }
}
