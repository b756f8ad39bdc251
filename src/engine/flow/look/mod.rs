//! A free look: whether contacts are owned by now, found out by searching (M4). There is no look-up by id.
//!
//! In this order, each only for what the one before did not find: the pages where the contacts were shown; narrow searches by
//! what their masked rows said; the unfiltered corpus at the place where the id must stand, if ids ascend; the
//! searches that showed them, read whole, or where none is known a small corpus. A narrow search that was read whole without the contact ends the look for it. Never with `exclude_unlocked`, which would hide exactly what is looked for. What a
//! sighting proves, and when, is decided by `flow::recovery`; nothing is written here.

mod place;
mod plan;
mod reading;
mod seen;

use std::collections::{BTreeMap, VecDeque};

use crate::effect::CallId;
use crate::effect::call::{Call, Reply, SearchCall};
use crate::effect::failure::{Failure, Refusal};
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::ledger::reading::contact_of;
use crate::flow::limiter::Priority;
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::page::Page;

use place::Place;
use reading::{Next, Reading};

pub use seen::{Evidence, Seen, Wanted};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Pages,
    Narrow,
    Place,
    Searches,
    Over,
}

impl Stage {
    fn next(self) -> Stage {
        match self {
            Stage::Pages => Stage::Narrow,
            Stage::Narrow => Stage::Place,
            Stage::Place => Stage::Searches,
            Stage::Searches | Stage::Over => Stage::Over,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Look {
    owner: Owner,
    side: Side,
    wanted: BTreeMap<RowId, Wanted>,
    found: BTreeMap<RowId, Seen>,
    /// Searches that were read whole without the contact, and whether the order of one wavered.
    without: BTreeMap<RowId, (Vec<String>, bool)>,
    /// Requests that may still be made for a contact.
    left: BTreeMap<RowId, u32>,
    stage: Stage,
    waiting: VecDeque<Reading>,
    running: BTreeMap<CallId, Reading>,
    place: Option<(CallId, Place)>,
    /// Whether the corpus can be read whole.
    is_small: bool,
    requests: u32,
    trouble: Option<Failure>,
}

/// Searches at work at a time: a look is waited for, and must not take the whole allowance of a minute at once.
const ABREAST: usize = 4;
/// Requests for one contact, over all checks of a run. A contact of which nothing but the id is known has no narrow search, and
/// only the bounds of each search.
const EACH: u32 = 10;

impl Look {
    pub fn new(owner: Owner, corpus: Corpus, wanted: BTreeMap<RowId, Wanted>) -> Look {
        let side = Side { source: Source::Workspace, corpus };
        let left = wanted.iter().map(|(id, wanted)| {
            let is_bounded = plan::narrow_of(side, &wanted.clue).is_some();
            (*id, if is_bounded { EACH.saturating_sub(wanted.spent) } else { u32::MAX })
        });
        Look {
            owner,
            side,
            left: left.collect(),
            wanted,
            found: BTreeMap::new(),
            without: BTreeMap::new(),
            stage: Stage::Pages,
            waiting: VecDeque::new(),
            running: BTreeMap::new(),
            place: None,
            is_small: false,
            requests: 0,
            trouble: None,
        }
    }

    /// How many requests it takes at least; more where a search has to be read further than its first page.
    pub fn at_least(&self) -> usize {
        plan::at_least(self.side, &self.wanted)
    }

    /// Requests made so far.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// Requests made for each contact by this check and those before it.
    pub fn spent(&self) -> impl Iterator<Item = (RowId, u32)> {
        self.left.iter().map(|(id, left)| (*id, EACH.saturating_sub(*left)))
    }

    /// Found so far, of how many.
    pub fn progress(&self) -> (usize, usize) {
        (self.found.len(), self.wanted.len())
    }

    pub fn is_over(&self) -> bool {
        self.stage == Stage::Over && self.running.is_empty() && self.place.is_none()
    }

    /// What kept it from its end, if something did.
    pub fn trouble(&self) -> Option<&Failure> {
        self.trouble.as_ref()
    }

    /// What it found; of the others nothing is known.
    pub fn seen(&self, id: RowId) -> &Seen {
        self.found.get(&id).unwrap_or(&Seen::Unseen)
    }

    pub fn go(&mut self, cx: &mut Cx<'_>) {
        self.stage = Stage::Pages;
        self.waiting = plan::pages(self.side, &self.left()).into();
        self.advance(cx);
    }

    /// Ends it where it stands.
    pub fn stop(&mut self, cx: &mut Cx<'_>) {
        for call in self.running.keys().chain(self.place.as_ref().map(|(call, _)| call)) {
            cx.cancel(*call);
        }
        self.running.clear();
        self.place = None;
        self.waiting.clear();
        self.stage = Stage::Over;
    }

    /// Takes the pages it asked for.
    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> bool {
        let Heard::Reply(call, _, result) = heard else { return false };
        let page = match result {
            Ok(Reply::Page(page)) => Ok(page),
            Ok(_) => return false,
            Err(failure) => Err(failure),
        };
        if let Some(reading) = self.running.remove(call) {
            self.read(reading, page, cx);
        } else if self.place.as_ref().is_some_and(|(asked, _)| asked == call) {
            let (_, place) = self.place.take().expect("it was asked for just now");
            self.read_place(place, page, cx);
        } else {
            return false;
        }
        true
    }

    fn read(&mut self, mut reading: Reading, page: Result<&Page, &Failure>, cx: &mut Cx<'_>) {
        match page {
            Ok(page) => {
                self.note(page);
                match reading.take_page(page, |id| self.found.contains_key(&id)) {
                    // A search that cannot be read whole proves nothing.
                    Next::Page if self.stage == Stage::Narrow && !self.can_read_whole(&reading, page.limit) => {}
                    Next::Page => self.waiting.push_front(reading),
                    Next::Whole => {
                        for id in reading.wanted.iter().filter(|id| !self.found.contains_key(id)) {
                            let (searches, wavers) = self.without.entry(*id).or_default();
                            searches.push(reading.query.words());
                            *wavers |= reading.wavers();
                        }
                        if self.stage == Stage::Narrow {
                            self.conclude_narrow(&reading);
                        }
                    }
                    Next::Enough => {}
                }
            }
            Err(failure) => self.fail(failure, cx),
        }
        self.advance(cx);
    }

    fn read_place(&mut self, mut place: Place, page: Result<&Page, &Failure>, cx: &mut Cx<'_>) {
        match page {
            Ok(page) => {
                self.note(page);
                place.learn(page);
                self.is_small = page.total <= u64::from(plan::WHOLE).saturating_mul(page.limit);
                for (id, words) in place.absent(|id| self.found.contains_key(&id)) {
                    self.found.insert(id, Seen::Absent(Evidence { words, wavers: false }));
                }
                self.ask_place(place, cx);
            }
            Err(failure) => self.fail(failure, cx),
        }
        self.advance(cx);
    }

    fn ask_place(&mut self, mut place: Place, cx: &mut Cx<'_>) {
        let (found, left) = (&self.found, &self.left);
        let is_done = |id| found.contains_key(&id) || left.get(&id) == Some(&0);
        if let Some(offset) = place.probe(is_done) {
            self.spend(place.aimed());
            let query = plan::unfiltered(self.side);
            let call =
                self.ask(SearchCall { query, offset, limit: cx.desk.page(Source::Workspace), mark_pulled: false }, cx);
            self.place = Some((call, place));
        }
    }

    /// What a failed page means: the others may still be read, unless the key itself is refused.
    fn fail(&mut self, failure: &Failure, cx: &mut Cx<'_>) {
        let hopeless = matches!(failure, Failure::Refused { why: Refusal::Key | Refusal::Scope, .. })
            || matches!(failure, Failure::Later { .. } | Failure::Unsent { .. });
        self.trouble = Some(failure.clone());
        if hopeless {
            self.stop(cx);
        }
    }

    fn note(&mut self, page: &Page) {
        for row in &page.rows {
            let Some(id) = row.id().filter(|id| self.wanted.contains_key(id)) else { continue };
            let seen = if row.unlocked() { Seen::Owned(contact_of(row)) } else { Seen::Locked };
            // Two pages may show it on either side of the moment it became owned; owned is what stays.
            let known = self.found.entry(id).or_insert_with(|| seen.clone());
            if matches!(seen, Seen::Owned(_)) {
                *known = seen;
            }
        }
    }

    /// Whether the contacts of a search have requests enough for the pages that it still has.
    fn can_read_whole(&self, reading: &Reading, limit: u64) -> bool {
        let open = reading.wanted.iter().filter(|id| !self.found.contains_key(id));
        let left = open.fold(0u64, |sum, id| sum + u64::from(self.left.get(id).copied().unwrap_or(0)));
        reading.pages_left(limit).is_none_or(|pages| pages <= left)
    }

    /// Counts a request for one of these contacts. False if none of those that are still looked for may have another.
    fn spend(&mut self, ids: impl IntoIterator<Item = RowId>) -> bool {
        let open = ids.into_iter().filter(|id| !self.found.contains_key(id));
        let most = open.max_by_key(|id| self.left.get(id).copied().unwrap_or(0));
        let Some(left) = most.and_then(|id| self.left.get_mut(&id)).filter(|left| **left > 0) else { return false };
        *left = if *left == u32::MAX { *left } else { *left - 1 };
        true
    }

    fn left(&self) -> BTreeMap<RowId, Wanted> {
        let left = self.wanted.iter().filter(|(id, _)| !self.found.contains_key(id));
        left.map(|(id, wanted)| (*id, wanted.clone())).collect()
    }

    fn advance(&mut self, cx: &mut Cx<'_>) {
        loop {
            while self.running.len() < ABREAST
                && let Some(reading) = self.waiting.pop_front()
            {
                if !self.spend(reading.wanted.iter().copied()) {
                    continue;
                }
                let search = SearchCall {
                    query: reading.query.clone(),
                    offset: reading.offset,
                    limit: cx.desk.page(Source::Workspace),
                    mark_pulled: false,
                };
                let call = self.ask(search, cx);
                self.running.insert(call, reading);
            }
            if !self.running.is_empty() || self.place.is_some() || self.stage == Stage::Over {
                return;
            }
            self.stage = self.stage.next();
            let left = self.left();
            match self.stage {
                Stage::Pages => {}
                Stage::Narrow => self.waiting = plan::narrow(self.side, &left).into(),
                Stage::Place => {
                    // After a page out of order nothing is proved any more: what was never sighted has its turn before that.
                    let mut ids: Vec<RowId> = left.keys().copied().collect();
                    ids.sort_by_key(|id| left[id].sighted);
                    self.ask_place(Place::new(ids), cx);
                }
                Stage::Searches => self.waiting = plan::searches(self.side, &left, self.is_small).into(),
                Stage::Over => self.conclude(),
            }
        }
    }

    /// The search by what the masked row itself said does not return the contact: it is absent, however long the searches are
    /// that showed it. That proves nothing before another check finds the same a minute later.
    fn conclude_narrow(&mut self, reading: &Reading) {
        for id in &reading.wanted {
            self.found.entry(*id).or_insert_with(|| absent(&reading.query.words(), reading.wavers()));
        }
    }

    /// A contact that searches read whole do not hold any more is absent; one search alone may have been the wrong one.
    fn conclude(&mut self) {
        for (id, wanted) in &self.wanted {
            let Some((without, wavers)) = self.without.get(id) else { continue };
            let searches = plan::searches_of(self.side, wanted).len();
            let narrow = usize::from(plan::narrow_of(self.side, &wanted.clue).is_some());
            if !self.found.contains_key(id) && without.len() >= (searches + narrow).min(2) {
                self.found.insert(*id, absent(&without.join("; "), *wavers));
            }
        }
    }

    fn ask(&mut self, search: SearchCall, cx: &mut Cx<'_>) -> CallId {
        self.requests += 1;
        cx.ask(self.owner, Call::Search(search), Priority::Unlock)
    }
}

/// Read completely, and the contact was not among the rows.
fn absent(searches: &str, wavers: bool) -> Seen {
    Seen::Absent(Evidence { words: format!("read completely without finding it: {searches}"), wavers })
}
