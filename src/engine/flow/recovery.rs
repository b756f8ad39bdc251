//! Batches with an unknown result, and how they are resolved: by answers that were kept and not read yet, by looking for free, by the
//! identical batch through the money dialog; never by guessing (money rule 6, *unknown is a state*).
//!
//! A contact found to be owned settles at once. One found locked or nowhere proves nothing while a call on its way may still
//! be applied: that takes two looks, both after the line has been quiet for [`QUIET`], and the same for all that is open of its
//! batch, because a batch goes out again whole or not at all. What is looked at, and how, is
//! `flow::free_check`; sending a batch again is an order like any other and belongs to `flow::unlock`.

use super::*;
use crate::flow::free_check::{self, Evidence, FreeCheck, Observation, WantedContact};
use crate::flow::ledger::reading::{SentBatch, read_answers};

/// What others want to know.
#[derive(Clone, Debug, PartialEq)]
pub enum RecoveryNews {
    /// Certain and durable from now on.
    Settled { corpus: Corpus, contacts: Vec<Settled> },
    /// Contacts that were owned already are complete now.
    Completed { corpus: Corpus, contacts: Vec<(RowId, Contact)> },
    /// What is unknown was read again.
    Read,
    /// A free check ended.
    Looked { trouble: Option<Failure> },
    /// The store failed; nothing was lost by it.
    Store(StoreFailure),
}

#[derive(Clone, Debug, Default)]
enum State {
    /// Nothing is under way.
    #[default]
    Idle,
    /// Which batches are open.
    Reading(Ticket),
    /// Outcomes are being written down, each with what may be said once it is; then everything is read again.
    Writing(BTreeMap<Ticket, Option<RecoveryNews>>),
    /// A free look in each corpus.
    Looking(BTreeMap<Corpus, FreeCheck>),
}

#[derive(Clone, Debug, Default)]
pub struct Recovery {
    profile: String,
    purse: Option<Purse>,
    batches: Vec<OpenBatch>,
    /// They are what the books say: before a reading, and after one that failed, an empty list means nothing.
    pub known: bool,
    /// When they were read: what the store said of quiet is as old as this.
    read_at: Mono,
    /// The batch of a running order: only the order deals with it.
    pub spared: Option<BatchId>,
    /// Owned, without what was paid for.
    incomplete: BTreeMap<Corpus, BTreeMap<RowId, Clue>>,
    evidence: BTreeMap<(BatchId, RowId), Evidence>,
    /// Requests that the looks of this run made for a contact.
    spent: BTreeMap<(Corpus, RowId), u32>,
    state: State,
    /// Something changed while this was busy.
    again: bool,
    looked: bool,
    pub(super) news: VecDeque<RecoveryNews>,
}

impl Recovery {
    pub(crate) fn new(profile: String) -> Recovery {
        Recovery { profile, ..Recovery::default() }
    }

    /// Whose batches these are, once `/me` has told (money rule 10, *one purse*). Reads them; answers that were kept and not read
    /// yet settle, for free.
    pub fn begin(&mut self, purse: Purse, cx: &mut FlowContext<'_>) {
        if self.purse.as_ref() != Some(&purse) {
            self.batches.clear();
            self.known = false;
            self.incomplete.clear();
            self.evidence.clear();
            self.purse = Some(purse);
        }
        self.refresh(cx);
    }

    /// Reads again which batches are open, now or as soon as what is under way is done.
    pub fn refresh(&mut self, cx: &mut FlowContext<'_>) {
        // `begin` reads them, once it is known whose they are.
        let Some(purse) = self.purse.clone() else { return };
        if matches!(self.state, State::Idle) {
            self.state = State::Reading(cx.store(Owner::Recovery, StoreCall::OpenBatches { purse }));
        } else {
            self.again = true;
        }
    }

    /// A running order settled these: whatever was read while its batch was out, they are no longer unknown.
    pub(crate) fn settled(&mut self, corpus: Corpus, certain: &BTreeSet<RowId>) {
        for batch in self.batches.iter_mut().filter(|batch| batch.corpus == corpus) {
            batch.open.retain(|open| !certain.contains(&open.id));
        }
        self.batches.retain(|batch| !batch.open.is_empty());
    }

    /// Owned contacts that lack what was paid for: the next look completes them.
    pub(crate) fn complete(&mut self, corpus: Corpus, contacts: impl IntoIterator<Item = (RowId, Clue)>) {
        self.incomplete.entry(corpus).or_default().extend(contacts);
    }

    /// The batches with an unknown result, oldest first.
    pub fn batches(&self) -> impl Iterator<Item = &OpenBatch> {
        self.batches.iter().filter(|batch| Some(batch.batch) != self.spared)
    }

    pub fn batch(&self, id: BatchId) -> Option<&OpenBatch> {
        self.batches().find(|batch| batch.batch == id)
    }

    /// Ids that may not be unlocked until their batch is cleared up.
    pub fn unknown(&self, corpus: Corpus) -> BTreeSet<RowId> {
        let batches = self.batches.iter().filter(|batch| batch.corpus == corpus);
        batches.flat_map(|batch| batch.open.iter().map(|open| open.id)).collect()
    }

    pub fn is_clear(&self) -> bool {
        self.batches().next().is_none()
    }

    /// Nothing under way.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle)
    }

    /// The look under way: contacts found, of how many, and requests made.
    pub fn checking(&self) -> Option<(usize, usize, u32)> {
        let State::Looking(looks) = &self.state else { return None };
        if looks.values().any(FreeCheck::is_recalling) {
            return None;
        }
        Some(looks.values().fold((0, 0, 0), |(found, of, requests), look| {
            let progress = look.progress();
            (found + progress.0, of + progress.1, requests + look.requests)
        }))
    }

    /// How many requests a look takes at least, going by what the batches themselves know.
    pub fn at_least(&self) -> usize {
        self.wanted().iter().map(|(corpus, wanted)| free_check::at_least(*corpus, wanted)).sum()
    }

    /// The moment from which another look can prove something about what is still open; past when it can already.
    pub fn next_look(&self) -> Option<Mono> {
        let due = self.batches().flat_map(|batch| batch.open.iter().map(|open| due(batch, open)));
        due.min().map(|due| self.read_at.after(due))
    }

    pub(crate) fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        let is_mine = match (arrival, &mut self.state) {
            (_, State::Looking(looks)) => looks.values_mut().any(|look| look.handle(arrival, cx)),
            (Arrival::Stored(ticket, _), State::Reading(asked)) => asked == ticket,
            (Arrival::Stored(ticket, _), State::Writing(tickets)) => tickets.contains_key(ticket),
            // An answer to a look that was stopped.
            _ => false,
        };
        if !is_mine {
            return;
        }
        if let Arrival::Stored(_, Err(failure)) = arrival {
            self.news.push_back(RecoveryNews::Store(failure.clone()));
        }
        match (std::mem::take(&mut self.state), arrival) {
            (State::Looking(mut looks), _) => {
                // They begin together, once it is known for all where their contacts were shown.
                if matches!(arrival, Arrival::Stored(..)) && !looks.values().any(FreeCheck::is_recalling) {
                    looks.values_mut().for_each(|look| look.go(cx));
                }
                if looks.values().all(FreeCheck::is_over) {
                    self.note(&looks, cx);
                } else {
                    self.state = State::Looking(looks);
                }
            }
            (State::Reading(_), Arrival::Stored(_, Ok(reply))) => {
                self.batches.clone_from(Vec::read(reply));
                self.known = true;
                self.read_at = cx.now.mono;
                self.conclude(cx);
                self.rest(cx);
            }
            (State::Reading(_), Arrival::Stored(_, Err(_))) => {
                self.known = false;
                self.rest(cx);
            }
            (State::Writing(mut tickets), Arrival::Stored(ticket, result)) => {
                let news = tickets.remove(ticket).flatten();
                match result {
                    Ok(StoreReply::Done(())) => self.news.extend(news),
                    // What another window's sending overtook is read again, with that sending.
                    Ok(StoreReply::Outdated) | Err(_) => {}
                    Ok(other) => other.stop(),
                }
                if !tickets.is_empty() {
                    self.state = State::Writing(tickets);
                    return;
                }
                // After a failure nothing is tried again by itself: the next look or refresh does.
                if result.is_ok() {
                    self.refresh(cx);
                }
                self.rest(cx);
            }
            (State::Idle | State::Reading(_) | State::Writing(_), _) => unreachable!("nothing else was asked for"),
        }
    }

    fn rest(&mut self, cx: &mut FlowContext<'_>) {
        if matches!(self.state, State::Idle) && std::mem::take(&mut self.again) {
            self.refresh(cx);
        }
    }

    /// Looks for everything that is unknown or incomplete, with requests of its own for each contact. Free. False when there is
    /// nothing to look for or a look runs.
    pub fn check(&mut self, cx: &mut FlowContext<'_>) -> bool {
        self.spent.clear();
        self.check_again(cx)
    }

    /// The same with the requests that the looks before have left for each contact.
    pub fn check_again(&mut self, cx: &mut FlowContext<'_>) -> bool {
        if !matches!(self.state, State::Idle) {
            return false;
        }
        let mut looks = BTreeMap::new();
        for (corpus, wanted) in self.wanted() {
            let mut look = FreeCheck::new(Owner::Recovery, corpus, wanted);
            look.recall(self.purses(corpus), cx);
            looks.insert(corpus, look);
        }
        let is_any = !looks.is_empty();
        if is_any {
            self.state = State::Looking(looks);
        }
        is_any
    }

    /// The looks are over: what is owned settles at once, the rest is written down as seen.
    fn note(&mut self, looks: &BTreeMap<Corpus, FreeCheck>, cx: &mut FlowContext<'_>) {
        for (corpus, look) in looks {
            self.spent.extend(look.spent().map(|(id, spent)| ((*corpus, id), spent)));
        }
        let mut tickets = BTreeMap::new();
        for batch in self.batches.iter().filter(|batch| Some(batch.batch) != self.spared) {
            // A batch that was spared when the looks began.
            let Some(look) = looks.get(&batch.corpus) else { continue };
            let (contacts, sightings) = look.seen_of(batch.open.iter().map(|open| open.id), batch.verify);
            for open in &batch.open {
                if let Observation::Absent(evidence) = look.seen(open.id) {
                    self.evidence.insert((batch.batch, open.id), evidence.clone());
                }
            }
            if !contacts.is_empty() {
                let (call, news) = settle_by_look(batch, contacts);
                tickets.insert(cx.store(Owner::Recovery, call), Some(news));
            }
            // A look that began before the quiet was over may tell of a time when a call was still on its way, however late its
            // answer came: it proves nothing, and is not recorded.
            let began = batch.quiet + look.began.since(self.read_at);
            let ended = batch.quiet + cx.now.mono.since(self.read_at);
            if !sightings.is_empty() && (began >= QUIET || ended < QUIET) {
                let call = StoreCall::KeepCheckResults { batch: batch.batch, sent: batch.sent, sightings };
                tickets.insert(cx.store(Owner::Recovery, call), None);
            }
        }
        if let Some(purse) = &self.purse {
            for (corpus, ids) in &mut self.incomplete {
                // Its contacts became known while the looks ran.
                let Some(look) = looks.get(corpus) else { continue };
                let mut own = Vec::new();
                ids.retain(|id, clue| match look.seen(*id) {
                    Observation::Owned(contact) => {
                        let (contact, search) = (contact.clone(), clue.search.clone());
                        own.push(SeenOwned { id: *id, contact, search, row: String::new() });
                        false
                    }
                    // It is owned and no call returns it any more: there is nothing to wait for.
                    Observation::Absent(_) => false,
                    Observation::Locked | Observation::Unseen => true,
                });
                if !own.is_empty() {
                    let contacts = own.iter().map(|seen| (seen.id, seen.contact.clone())).collect();
                    let news = RecoveryNews::Completed { corpus: *corpus, contacts };
                    let call = StoreCall::Own { purse: purse.clone().into(), corpus: *corpus, contacts: own };
                    tickets.insert(cx.store(Owner::Recovery, call), Some(news));
                }
            }
        }
        let trouble = looks.values().find_map(|look| look.trouble.clone());
        self.looked = trouble.is_none();
        if trouble.is_some() {
            self.news.push_back(RecoveryNews::Looked { trouble });
        }
        if tickets.is_empty() {
            self.refresh(cx);
        } else {
            self.state = State::Writing(tickets);
        }
    }

    fn wanted(&self) -> BTreeMap<Corpus, BTreeMap<RowId, WantedContact>> {
        let mut wanted: BTreeMap<Corpus, BTreeMap<RowId, WantedContact>> = BTreeMap::new();
        let mut add = |corpus: Corpus, id: RowId, clue: &Clue, sightings: &[CheckedAt]| {
            let wanted = wanted.entry(corpus).or_default().entry(id);
            wanted.or_insert_with(|| WantedContact {
                clue: clue.clone(),
                shown: Vec::new(),
                sighted: sightings.len(),
                was_absent: sightings.last().is_some_and(|last| last.sight == CheckResult::Absent),
                spent: self.spent.get(&(corpus, id)).copied().unwrap_or(0),
            });
        };
        for batch in self.batches() {
            batch.open.iter().for_each(|open| add(batch.corpus, open.id, &open.clue, &open.sightings));
        }
        for (corpus, ids) in &self.incomplete {
            ids.iter().for_each(|(id, clue)| add(*corpus, *id, clue, &[]));
        }
        wanted
    }

    /// The purses whose history may know the contacts: the one of the batches, and what an earlier version kept under the name
    /// of their profiles and of this one.
    fn purses(&self, corpus: Corpus) -> Vec<PurseRef> {
        let of_batches = self.batches().filter(|batch| batch.corpus == corpus).map(|batch| batch.profile.clone());
        let profiles: BTreeSet<String> = of_batches.chain([self.profile.clone()]).collect();
        let earlier = profiles.into_iter().map(|profile| PurseRef::Earlier { profile });
        self.purse.clone().map(PurseRef::Known).into_iter().chain(earlier).collect()
    }

    /// Settles what can be settled from what is stored: unread responses, contacts with two good sightings.
    fn conclude(&mut self, cx: &mut FlowContext<'_>) {
        let mut tickets = BTreeMap::new();
        for batch in self.batches.iter().filter(|batch| Some(batch.batch) != self.spared) {
            if batch.in_flight {
                // Owned, and no order of this window has it: its outcome was never written down.
                let words = "this window did not receive its result".to_owned();
                tickets.insert(cx.store(Owner::Recovery, StoreCall::Lost { batch: batch.batch, words }), None);
            }
            let open: BTreeSet<RowId> = batch.open.iter().map(|open| open.id).collect();
            let OpenBatch { batch: id, corpus, ref ids, sent, verify, .. } = *batch;
            let asked = SentBatch { batch: id, corpus, ids, open: &open, sent, verify, past: false, refused: 0 };
            let reading = read_answers(asked, batch.heard.iter().map(|(_, body)| &body[..]));
            if !reading.settlement.contacts.is_empty() {
                let clues = batch.open.iter().filter(|open| reading.incomplete.contains(&open.id));
                let clues = clues.map(|open| (open.id, open.clue.clone()));
                self.incomplete.entry(corpus).or_default().extend(clues);
                let news = RecoveryNews::Settled { corpus, contacts: reading.settlement.contacts.clone() };
                tickets.insert(cx.store(Owner::Recovery, StoreCall::Settle(Box::new(reading.settlement))), Some(news));
                continue;
            }
            let proved = |open| verdict(open, self.evidence.get(&(batch.batch, open.id)));
            let contacts: Vec<Settled> = batch.open.iter().filter_map(proved).collect();
            // All or none: as long as one of them is open the batch may be sent again, and that could buy the others.
            if !contacts.is_empty() && contacts.len() == batch.open.len() {
                let (call, news) = settle_by_look(batch, contacts);
                tickets.insert(cx.store(Owner::Recovery, call), Some(news));
            }
        }
        if tickets.is_empty() {
            self.news.push_back(RecoveryNews::Read);
            if std::mem::take(&mut self.looked) {
                self.news.push_back(RecoveryNews::Looked { trouble: None });
            }
        } else {
            self.state = State::Writing(tickets);
        }
    }
}

fn settle_by_look(batch: &OpenBatch, contacts: Vec<Settled>) -> (StoreCall, RecoveryNews) {
    let news = RecoveryNews::Settled { corpus: batch.corpus, contacts: contacts.clone() };
    (StoreCall::Settle(Box::new(Settlement::by_look(batch.batch, batch.sent, contacts))), news)
}

// When what a look saw proves something (M4). Pure functions of the sightings, which the store stamps by the machine's clock.

/// How long a call may still be on its way after its line broke.
pub const QUIET: Duration = Duration::from_secs(60);
/// How far two checks lie apart to count as two: a contact that is not found may be withheld for a moment.
fn apart(sight: CheckResult) -> Duration {
    Duration::from_secs(if sight == CheckResult::Locked { 5 } else { 60 })
}

/// The outcome of a contact that was seen locked, or nowhere, often enough after the quiet. `None` while that proves nothing. Money rules 3,
/// *same batch, same ids*, and 6, *unknown is a state*.
fn verdict(open: &OpenContact, evidence: Option<&Evidence>) -> Option<Settled> {
    let proofs: Vec<_> = open.sightings.iter().filter(|one| one.quiet >= QUIET || put_back("locked-at-once")).collect();
    let last = proofs.last()?;
    // Where the order wavers, or nothing tells that it does not, a row can be missed twice.
    let is_sure = last.sight == CheckResult::Locked || evidence.is_some_and(|evidence| !evidence.wavers);
    let needed = if is_sure { 2 } else { 3 };
    let (mut counted, mut at) = (1, last.quiet);
    for sighting in proofs.iter().rev().skip(1).take_while(|sighting| sighting.sight == last.sight) {
        if at.saturating_sub(sighting.quiet) >= apart(last.sight) {
            (counted, at) = (counted + 1, sighting.quiet);
        }
    }
    if counted < needed {
        return None;
    }
    let (outcome, evidence) = match last.sight {
        CheckResult::Locked => (Outcome::Locked, None),
        CheckResult::Absent => {
            let words = evidence.map_or("the searches that showed it no longer return it", |evidence| &evidence.words);
            let (times, since) = (proofs.len(), last.quiet.as_secs());
            let looks = format!("{words}; checked {times} times, last {since} s after the connection was lost");
            (Outcome::Unreachable, Some(looks))
        }
    };
    Some(Settled { id: open.id, outcome, contact: None, evidence })
}

/// How long from the reading of the batch until another look can prove something.
fn due(batch: &OpenBatch, open: &OpenContact) -> Duration {
    let last = open.sightings.last().filter(|sighting| sighting.quiet >= QUIET);
    let from = last.map_or(QUIET, |last| last.quiet + apart(last.sight));
    from.saturating_sub(batch.quiet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::RowId;
    use lode_core::time::Wall;

    fn open(sightings: &[(CheckResult, u64)]) -> OpenContact {
        let sighting = |(sight, quiet): &(CheckResult, u64)| CheckedAt {
            sight: *sight,
            at: Wall(0),
            quiet: Duration::from_secs(*quiet),
        };
        OpenContact {
            id: RowId(1),
            clue: Default::default(),
            row: None,
            sightings: sightings.iter().map(sighting).collect(),
        }
    }

    fn outcome(sightings: &[(CheckResult, u64)]) -> Option<Outcome> {
        verdict(&open(sightings), None).map(|settled| settled.outcome)
    }

    #[test]
    fn locked_proves_nothing_before_the_quiet_and_nothing_once() {
        use CheckResult::Locked;
        assert_eq!(outcome(&[]), None);
        assert_eq!(outcome(&[(Locked, 5), (Locked, 20), (Locked, 59)]), None);
        assert_eq!(outcome(&[(Locked, 59), (Locked, 61)]), None);
        assert_eq!(outcome(&[(Locked, 61), (Locked, 62)]), None, "one look after the other is one look");
        assert_eq!(outcome(&[(Locked, 61), (Locked, 66)]), Some(Outcome::Locked));
    }

    #[test]
    fn nowhere_twice_a_minute_apart_is_unreachable_and_says_why() {
        use CheckResult::{Absent, Locked};
        let verdict = |sightings: &[(CheckResult, u64)], wavers| {
            let evidence = Evidence { words: "nowhere".to_owned(), wavers };
            verdict(&open(sightings), Some(&evidence))
        };
        assert_eq!(verdict(&[(Absent, 61), (Locked, 130)], false), None);
        assert_eq!(verdict(&[(Locked, 61), (Absent, 130)], false), None);
        assert_eq!(verdict(&[(Absent, 61), (Absent, 70), (Absent, 120)], false), None, "not a minute apart");
        assert_eq!(verdict(&[(Absent, 61), (Absent, 121)], true), None, "three times where the order wavers");
        assert!(verdict(&[(Absent, 61), (Absent, 121), (Absent, 181)], true).is_some());
        let settled = verdict(&[(Locked, 61), (Absent, 70), (Absent, 80), (Absent, 130)], false).unwrap();
        assert_eq!(settled.outcome, Outcome::Unreachable);
        assert!(settled.evidence.is_some_and(|words| words.starts_with("nowhere; checked 4 times")));
    }
}
