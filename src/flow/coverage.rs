//! How much of a result the workspace owns already: the difference of two totals, for one more free search.
//!
//! Asked only when the first page is here and no other search runs, behind everything else. Workspace only: nothing says that the
//! Data API knows what we own.

use std::time::Duration;

use crate::domain::contact::Source;
use crate::domain::query::Query;
use crate::domain::time::Mono;
use crate::effect::CallId;
use crate::effect::call::{Call, Reply, SearchCall};

use super::desk::{Cx, Heard, Owner};
use super::limiter::Priority;

/// How long a result must have been looked at: who types on wants no coverage of what he leaves.
const REST: Duration = Duration::from_millis(400);
/// Where others unlock, one contact follows the other.
const OTHERS_REST: Duration = Duration::from_secs(1);
/// A service that took longer for the first page would scan once more for this.
const TOO_SLOW_MS: u64 = 3_000;

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// The query with what it hides turned round, and its own total.
    subject: Option<(Query, u64)>,
    due: Option<Mono>,
    asking: Option<CallId>,
    other: Option<u64>,
}

/// Of the contacts that match: how many are ours and how many are left to unlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Share {
    pub owned: u64,
    pub left: u64,
}

impl Coverage {
    /// A first page arrived: what belongs to another search is dropped.
    pub fn begin(&mut self, query: &Query, total: u64, took_ms: Option<u64>, cx: &mut Cx<'_>) {
        self.forget(cx);
        let too_slow = took_ms.is_some_and(|took| took > TOO_SLOW_MS);
        if query.side.source != Source::Workspace || total == 0 || too_slow {
            return;
        }
        let mut turned = query.clone();
        turned.hide_owned = !query.hide_owned;
        self.subject = Some((turned, total));
        self.due = Some(cx.now.mono.after(REST));
    }

    /// Something was unlocked: the share of the same search is asked for again.
    pub fn refresh(&mut self, total: u64, cx: &mut Cx<'_>) {
        self.refresh_after(REST, total, cx);
    }

    /// Another window unlocked something: asked once no more follows for a while.
    pub fn refresh_later(&mut self, total: u64, cx: &mut Cx<'_>) {
        self.refresh_after(OTHERS_REST, total, cx);
    }

    fn refresh_after(&mut self, rest: Duration, total: u64, cx: &mut Cx<'_>) {
        let Some((query, _)) = self.subject.take() else { return };
        let other = self.other;
        self.forget(cx);
        self.other = other;
        self.subject = Some((query, total));
        self.due = Some(cx.now.mono.after(rest));
    }

    pub fn forget(&mut self, cx: &mut Cx<'_>) {
        if let Some(id) = self.asking.take() {
            cx.cancel(id);
        }
        *self = Coverage::default();
    }

    pub fn deadline(&self) -> Option<Mono> {
        self.due
    }

    /// `busy`: the user waits for a search right now.
    pub fn wake(&mut self, busy: bool, cx: &mut Cx<'_>) {
        let (Some(_), Some((query, _))) = (self.due.filter(|due| *due <= cx.now.mono), &self.subject) else { return };
        if busy {
            self.due = Some(cx.now.mono.after(REST));
            return;
        }
        self.due = None;
        let call = SearchCall { query: query.clone(), offset: 0, limit: 1, mark_pulled: false };
        self.asking = Some(cx.ask(Owner::Coverage(query.side), Call::Search(call), Priority::Coverage));
    }

    pub fn hear(&mut self, heard: &Heard) -> bool {
        let Heard::Reply(id, _, result) = heard else { return false };
        if self.asking.take_if(|asking| asking == id).is_none() {
            return false;
        }
        // A failure is not reported: the user did not ask for the number.
        if let Ok(Reply::Page(page)) = result
            && !page.uncounted
        {
            self.other = Some(page.total);
        }
        true
    }

    pub fn share(&self) -> Option<Share> {
        let ((turned, total), other) = (self.subject.as_ref()?, self.other?);
        let (all, left) = if turned.hide_owned { (*total, other) } else { (other, *total) };
        Some(Share { owned: all.saturating_sub(left), left })
    }
}
