//! Current totals of the saved searches: one small free search each, one at a time, with the lowest priority.
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
    waiting: VecDeque<Count>,
    asked: Option<(CallId, Count)>,
}

/// A total that is counted leg by leg.
#[derive(Clone, Debug)]
struct Count {
    name: String,
    /// Legs that are not asked for yet, and the sum of those that were.
    legs: VecDeque<Query>,
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
        self.asked.iter().map(|(_, count)| count).chain(&self.waiting).any(|count| count.name == name)
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
                (*requests <= MOST).then(|| Count { name, legs: query.legs().into(), sum: 0 })
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
        let Some((_, mut count)) = self.asked.take_if(|(asked, _)| asked == id) else { return };
        if let Ok(Reply::Page(page)) = result
            && !page.uncounted
        {
            count.sum = count.sum.saturating_add(page.total);
            if count.legs.is_empty() {
                let news = self.seen.get(&count.name).and_then(|seen| seen.news);
                self.seen.insert(count.name, SavedTotal { total: count.sum, at: cx.now.mono, news });
            } else {
                self.waiting.push_front(count);
            }
        }
        self.next(cx);
    }

    fn next(&mut self, cx: &mut FlowContext<'_>) {
        if self.asked.is_none()
            && let Some(mut count) = self.waiting.pop_front()
            && let Some(query) = count.legs.pop_front()
        {
            self.asked = Some((cx.search(Owner::SavedTotals, query, 0, 1, Priority::Coverage), count));
        }
    }
}
