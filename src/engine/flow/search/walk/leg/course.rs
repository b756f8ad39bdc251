//! Where a walk reads next: on, back to where rows slipped past, or from the beginning once more.

use crate::flow::search::applied;
use lode_core::page::Page;

use super::{End, Leg};

/// How often a result is read from its beginning at most.
const READINGS: u32 = 5;

impl Leg {
    /// Where reading goes on and what has to be looked at again, after `lost` rows left the set at places unknown: in the worst
    /// case all of them in front of us.
    pub(super) fn advance(&mut self, offset: u64, page: &Page, lost: u64) {
        // Without a total, a page may be as short as it likes: what follows begins behind its last row.
        let stride = if self.uncounted { page.rows.len() as u64 } else { applied(self.limit, page) };
        let reached = offset.saturating_add(stride);
        let mut unsure = None;
        if self.went_back {
            let rest = self.behind.take().filter(|(_, until)| *until > reached);
            unsure = rest.map(|(_, until)| (reached, until));
            self.front = self.front.saturating_sub(lost);
        } else {
            self.front = reached;
        }
        if lost > 0 && offset > 0 {
            let until = unsure.map_or(offset, |(_, until)| until);
            unsure = Some((offset.saturating_sub(lost), until));
        }
        if let Some((from, until)) = unsure {
            self.behind = Some(match self.behind {
                Some((known_from, known_until)) => (known_from.saturating_sub(lost).min(from), known_until.max(until)),
                None => (from, until),
            });
        }
    }

    /// The next place to read. Going back and going on alternate, so that a set that shrinks all the time still ends.
    pub(super) fn next(&mut self, offset: u64, page: &Page) -> Option<u64> {
        let more = self.front < self.total;
        self.behind = self.behind.filter(|(from, _)| *from < self.total);
        if let Some((from, _)) = self.behind.filter(|_| !self.went_back || !more) {
            self.went_back = true;
            return Some(from);
        }
        let was_back = std::mem::take(&mut self.went_back);
        if !more {
            return self.again();
        }
        if page.rows.is_empty() && !was_back {
            self.end = Some(End::Hole { offset, total: self.total });
            return None;
        }
        Some(self.front)
    }

    /// The beginning once more, where rows that came twice stood in the places of others.
    fn again(&mut self) -> Option<u64> {
        let missing = self.total.saturating_sub(self.given + self.met).saturating_sub(self.unseen);
        // Without a total, it is as long as it was up to its first empty page.
        if self.doubles == 0 || missing == 0 || self.moved().is_some() {
            self.end = Some(End::All);
            return None;
        }
        if self.reading > 1 && !self.fresh || self.reading == READINGS {
            self.end = Some(End::Short { seen: self.given + self.met, total: self.total });
            return None;
        }
        self.reading += 1;
        self.fresh = false;
        self.front = 0;
        Some(0)
    }
}
