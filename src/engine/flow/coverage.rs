//! How much of a result the workspace owns already: the difference of two totals, for one more free search of each leg.
//!
//! Asked only when the first page is here and no other search runs, behind everything else. Workspace only: nothing says that the
//! Data API knows what we own.

use std::time::Duration;

use crate::effect::{CallId, Reply};
use lode_core::{Mono, Query, Source};

use super::desk::{Arrival, FlowContext, Owner};
use super::limiter::Priority;

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
    due: Option<Mono>,
    /// Rows of the result that became owned since the service was asked.
    newly: u64,
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

    /// A row of the result became owned: counted at once, until the service says it itself.
    pub fn own(&mut self) {
        self.newly += 1;
    }

    /// Something was unlocked: the share of the same search is asked for again, after [`REST`] or [`OTHERS_REST`].
    pub fn refresh(&mut self, rest: Duration, totals: &[(Query, u64)], cx: &mut FlowContext<'_>) {
        if self.parts.is_empty() || self.parts.len() != totals.len() {
            return;
        }
        for (part, (_, total)) in self.parts.iter_mut().zip(totals) {
            part.total = *total;
            if let Some(id) = part.asking.take() {
                cx.cancel(id);
            }
        }
        self.due = Some(cx.now.mono.after(rest));
    }

    pub fn forget(&mut self, cx: &mut FlowContext<'_>) {
        self.parts.iter_mut().filter_map(|part| part.asking.take()).for_each(|id| {
            cx.cancel(id);
        });
        *self = Coverage::default();
    }

    pub fn deadline(&self) -> Option<Mono> {
        self.due
    }

    /// `busy`: the user waits for a search right now.
    pub fn wake(&mut self, busy: bool, cx: &mut FlowContext<'_>) {
        if self.due.is_none_or(|due| due > cx.now.mono) {
            return;
        }
        if busy {
            self.due = Some(cx.now.mono.after(REST));
            return;
        }
        self.due = None;
        for part in &mut self.parts {
            let owner = Owner::Coverage(part.turned.side);
            part.asking = Some(cx.search(owner, part.turned.clone(), 0, 1, Priority::Coverage));
        }
    }

    pub fn handle(&mut self, arrival: &Arrival) {
        let Arrival::Reply(id, _, result) = arrival else { return };
        let Some(part) = self.parts.iter_mut().find(|part| part.asking == Some(*id)) else { return };
        part.asking = None;
        // A failure is not reported: the user did not ask for the number.
        if let Ok(Reply::Page(page)) = result
            && !page.uncounted
        {
            part.other = Some(page.total);
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
