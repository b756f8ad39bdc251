//! How much of a result the workspace owns already: the difference of two totals, for one more free search of each leg.
//!
//! Asked only when the first page is here and no other search runs, behind everything else. Workspace only: nothing says that the
//! Data API knows what we own.

use super::*;
use crate::flow::saved::SavedEntry;
use crate::flow::search::total_of;

/// How long a result must have been looked at: who types on wants no coverage of what he leaves.
pub const REST: Duration = Duration::from_millis(400);
/// Where another window unlocks, one contact follows the other: asked once no more follows for a while.
pub const OTHERS_REST: Duration = Duration::from_secs(1);
/// A service that took longer for the first page would scan once more for this.
const TOO_SLOW_MS: u64 = 3_000;

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Each leg of the result.
    parts: Vec<Part>,
    pub(super) due: Option<Mono>,
    /// Rows of the result that became owned since the service was asked: counted at once, until it says so itself.
    pub(super) newly: u64,
}

#[derive(Clone, Debug)]
struct Part {
    /// The query with what it hides turned round.
    turned: Query,
    /// The total of the query as it is, and that of the turned one.
    total: u64,
    other: Option<u64>,
    asking: Option<CallId>,
}

/// Of the contacts that match: how many are owned and how many are left to unlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Share {
    pub owned: u64,
    pub left: u64,
}

impl Coverage {
    /// All first pages arrived: what belongs to another search is dropped.
    pub fn begin(&mut self, legs: &[(Query, u64)], took_ms: Option<u64>, cx: &mut FlowContext<'_>) {
        self.forget(cx);
        let too_slow = took_ms.is_some_and(|took| took > TOO_SLOW_MS);
        let workspace = legs.iter().all(|(query, _)| query.side.source == Source::Workspace);
        if !workspace || legs.iter().all(|(_, total)| *total == 0) || too_slow {
            return;
        }
        let part = |(query, total): &(Query, u64)| {
            let mut turned = query.clone();
            turned.hide_owned = !query.hide_owned;
            Part { turned, total: *total, other: None, asking: None }
        };
        self.parts = legs.iter().map(part).collect();
        self.due = Some(cx.now.mono.after(REST));
    }

    /// Something was unlocked: the share of the same search is asked for again, after [`REST`] or [`OTHERS_REST`].
    pub fn refresh(&mut self, rest: Duration, totals: &[(Query, u64)], cx: &mut FlowContext<'_>) {
        if self.parts.is_empty() || self.parts.len() != totals.len() {
            return;
        }
        for (part, (_, total)) in self.parts.iter_mut().zip(totals) {
            part.total = *total;
            cx.cancel_all(part.asking.take());
        }
        self.due = Some(cx.now.mono.after(rest));
    }

    pub fn forget(&mut self, cx: &mut FlowContext<'_>) {
        cx.cancel_all(self.parts.iter().filter_map(|part| part.asking));
        *self = Coverage::default();
    }

    /// `busy`: the user waits for a search right now.
    pub fn wake(&mut self, busy: bool, cx: &mut FlowContext<'_>) {
        if self.due.is_none_or(|due| due > cx.now.mono) {
            return;
        }
        self.due = busy.then(|| cx.now.mono.after(REST));
        for part in self.parts.iter_mut().filter(|_| !busy) {
            let owner = Owner::Coverage(part.turned.side);
            part.asking = Some(cx.search(owner, part.turned.clone(), 0, 1, Priority::Coverage));
        }
    }

    pub fn handle(&mut self, arrival: &Arrival) {
        let Arrival::Reply(id, _, result) = arrival else { return };
        let Some(part) = self.parts.iter_mut().find(|part| part.asking == Some(*id)) else { return };
        part.asking = None;
        // A failure is not reported: the user did not ask for the number.
        if let Some(total) = total_of(result) {
            part.other = Some(total);
            self.newly = 0;
        }
    }

    pub fn share(&self) -> Option<Share> {
        if self.parts.is_empty() {
            return None;
        }
        let asked =
            self.parts.iter().try_fold(Share { owned: 0, left: 0 }, |sum, Part { turned, total, other, .. }| {
                let (all, left) = if turned.hide_owned { (*total, (*other)?) } else { ((*other)?, *total) };
                let owned = sum.owned.saturating_add(all.saturating_sub(left));
                Some(Share { owned, left: sum.left.saturating_add(left) })
            })?;
        let newly = self.newly.min(asked.left);
        Some(Share { owned: asked.owned.saturating_add(newly), left: asked.left - newly })
    }
}

// Totals of a corpus per state and per SIC code: one cached call of the service.
//
// The answer says nothing about a search: it is of the whole corpus, and the screen says so.

/// With the names we know for codes that the service sent without one.
fn named(mut counts: Counts) -> Counts {
    let (states, sic): (BTreeMap<_, _>, BTreeMap<_, _>) = (codes::states().collect(), codes::sic().collect());
    for count in counts.counts.iter_mut().filter(|count| count.name.is_empty()) {
        let names = if count.kind == CountKind::State { &states } else { &sic };
        count.name = names.get(count.code.as_str()).copied().unwrap_or_default().to_owned();
    }
    counts
}

#[derive(Clone, Debug, Default)]
pub struct Totals {
    corpus: Corpus,
    asked: Option<(CallId, Mono)>,
    pub counts: Option<Counts>,
    /// Why the last asking brought nothing.
    pub failure: Option<Failure>,
}

impl Totals {
    pub fn new(corpus: Corpus) -> Totals {
        Totals { corpus, ..Totals::default() }
    }

    /// Asks, if the counts are not known or are requested again. What is known stays until the answer is there.
    pub fn ask(&mut self, again: bool, cx: &mut FlowContext<'_>) {
        if self.asked.is_none() && (again || self.counts.is_none()) {
            let id = cx.ask(Owner::Totals(self.corpus), Call::Counts(self.corpus), Priority::Person);
            self.asked = Some((id, cx.now.mono));
        }
    }

    pub fn stop(&mut self, cx: &mut FlowContext<'_>) {
        cx.cancel_all(self.asked.take().map(|(id, _)| id));
    }

    pub fn handle(&mut self, arrival: &Arrival) {
        let Arrival::Reply(id, _, result) = arrival else { return };
        if self.asked.take_if(|(asked, _)| asked == id).is_none() {
            return;
        }
        self.failure = match result {
            Ok(Reply::Counts(counts)) => {
                self.counts = Some(named(counts.clone()));
                None
            }
            Ok(_) => Some(Failure::OurBug { words: "unexpected response to a counts request".to_owned() }),
            Err(failure) => Some(failure.clone()),
        };
    }

    /// Since when it is being asked.
    pub fn running_since(&self) -> Option<Mono> {
        self.asked.map(|(_, since)| since)
    }
}

// Current totals of the saved searches: one small free search each, one at a time, with the lowest priority.
//
// Only totals: which rows are new is known when a search runs. Searches that would scan a whole corpus are not asked for
// without being wanted.

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
        let old = entries.iter().filter(|entry| old(&entry.name));
        let searches = old.filter_map(|entry| Some((&entry.name, entry.query.as_ref().ok()?)));
        let quick = searches.filter(|(_, query)| query.speed() != Speed::Slow && query.ready().is_ok());
        let counts = quick.scan(0, |requests, (name, query)| {
            *requests += query.leg_count();
            (*requests <= MOST).then(|| Count { name: name.clone(), legs: query.legs().into(), sum: 0 })
        });
        self.waiting = counts.collect();
        self.next(cx);
    }

    /// What is not on its way yet is not asked for.
    pub fn leave(&mut self) {
        self.waiting.clear();
    }

    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        let Arrival::Reply(id, _, result) = arrival else { return };
        let Some((_, mut count)) = self.asked.take_if(|(asked, _)| asked == id) else { return };
        if let Some(total) = total_of(result) {
            count.sum = count.sum.saturating_add(total);
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
