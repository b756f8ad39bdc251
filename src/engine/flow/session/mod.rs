//! The session of one profile: owns its parts (search, unlock, ledger, jobs and others), gives each answer to the part that
//! asked, and passes on what other parts need. It has no screen: the screen and the shell commands use the same session.
//!
//! What an answer means is known by the part that asked for it. The session decides what concerns several parts: reviews, jobs,
//! proposals of assistants, and what other windows changed.

mod side;

use super::*;
use crate::flow::balance::Balance;
use crate::flow::export::{self, Exports};
use crate::flow::history::History;
use crate::flow::ledger::Ledger;
use crate::flow::ledger::reading::seen_owned;
use crate::flow::lists::SuppressionLists;
use crate::flow::matching::{self, Matching};
use crate::flow::recovery::{Recovery, RecoveryNews};
use crate::flow::saved::watch::SavedRun;
use crate::flow::saved::{self, Refused, SavedSearches};
use crate::flow::search::walk::WalkEnd;
use crate::flow::search::window::WindowNews;
use crate::flow::totals::{self, SavedTotals, Totals};
use crate::flow::unlock::{
    Basis, Declined, IdSource, Limit, Order, OrderEnd, OrderNews, OrderSummary, Quote, ReviewChoice, Spender, Unlock,
    order,
};
use crate::flow::user_command::{OwnId, OwnJobs};

pub use side::{SideState, Skipped};

/// Screens and scripts use the public parts themselves, which are all free. What spends is private: it is read, and
/// begins with [`Session::accept`] or [`Session::accept_within`].
#[derive(Debug, Default)]
pub struct Session {
    profile: Profile,
    pub desk: Desk,
    pub balance: Balance,
    pub history: History,
    unlock: Unlock,
    pub recovery: Recovery,
    pub ledger: Ledger,
    pub saved_searches: SavedSearches,
    pub saved_totals: SavedTotals,
    pub exports: Exports,
    pub own: OwnJobs,
    pub matching: Matching,
    /// Proposals of assistants.
    pub requests: Requests,
    /// Choosing contacts: score, limit per company, what is on a list.
    pub choice_rules: ChoiceRules,
    pub lists: SuppressionLists,
    /// The counts of each corpus, in the order of [`Corpus::ALL`].
    pub totals: [Totals; 2],
    /// A saved search that runs as soon as its last run is known.
    pub to_run: Option<SavedRun>,
    pub sides: [SideState; 4],
    /// A review that is being prepared.
    review: Option<(UnlockSubject, ReviewChoice)>,
    review_failed: Option<StoreFailure>,
    elsewhere: Elsewhere,
    pub shared_jobs: SharedJobs,
    /// Others bought something after that moment.
    moved_since: Option<Mono>,
    /// To be told.
    events: Vec<Event>,
    /// When the latest order began: pages read since may have been read from a set in motion.
    order_began: Option<Mono>,
    /// Owned contacts without an address were passed to the recovery.
    incomplete_collected: bool,
    /// They are looked for by themselves as soon as nothing else is unknown: what was paid for belongs here, and looking is free.
    completing: bool,
    /// Whether that is done here: a script says itself what is looked for.
    completes: bool,
}

impl Session {
    /// Begins: what the store remembers is read, `/me` is asked.
    pub fn start(profile: Profile, patience: RetryPolicy, seed: u64, now: Now, fx: &mut Vec<Effect>) -> Session {
        let mut session = Session::at_rest(profile, patience, seed);
        session.completes = true;
        session.shared_jobs.since = Some(now.wall);
        // Before anything is read: what is changed from here on is noticed.
        session.read_changes(now, fx);
        session.desk.ask_pages(fx);
        session.balance.refresh(&mut session.desk.at(now, fx));
        session.history.start(&mut session.desk.at(now, fx));
        for side in &mut session.sides {
            side.basket.reload(&mut session.desk.at(now, fx));
        }
        session.read_lists(now, fx);
        session
    }

    /// The same without asking for anything: what is wanted of it, it asks for then.
    pub fn at_rest(profile: Profile, patience: RetryPolicy, seed: u64) -> Session {
        Session {
            desk: Desk::new(&profile, patience, seed),
            balance: Balance::new(&profile),
            history: History::new(profile.purses(None)),
            unlock: Unlock::new(seed),
            recovery: Recovery::new(profile.name.clone()),
            ledger: Ledger::new(profile.window.clone()),
            saved_searches: SavedSearches::new(&profile),
            choice_rules: ChoiceRules::new(&profile.choosing),
            totals: Corpus::ALL.map(Totals::new),
            sides: Side::ALL.map(|side| SideState::new(profile.purse_of(side.source), side)),
            profile,
            ..Session::default()
        }
    }

    pub fn side(&self, side: Side) -> &SideState {
        &self.sides[place(side)]
    }

    /// One side and the desk it asks, to be used together.
    pub fn side_mut(&mut self, side: Side) -> (&mut SideState, &mut Desk) {
        (&mut self.sides[place(side)], &mut self.desk)
    }

    /// Searches and begins at this place of the result.
    pub fn search_at(&mut self, query: Query, index: u64, now: Now, fx: &mut Vec<Effect>) {
        let (side, desk) = self.side_mut(query.side);
        side.search(query, index, &mut desk.at(now, fx));
    }

    pub fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) -> Vec<Event> {
        if let Some((owner, arrival)) = self.desk.handle(answer, now, fx) {
            self.route(owner, arrival, now, fx);
        }
        self.take_events(now, fx)
    }

    /// What there is to tell, once every machine knows what the others know.
    pub fn take_events(&mut self, now: Now, fx: &mut Vec<Effect>) -> Vec<Event> {
        self.update_parts(now, fx);
        self.score_by_owned();
        for side in &mut self.sides {
            side.apply_exclusions(&self.choice_rules);
            side.report(&mut self.history, &mut self.desk.at(now, fx));
            self.events.append(&mut side.events);
        }
        self.remember_watched(now, fx);
        self.events.extend(self.saved_searches.take_events().into_iter().map(Event::Saved));
        self.report_jobs(now, fx);
        std::mem::take(&mut self.events)
    }

    pub fn deadline(&self) -> Option<Mono> {
        let sides = self.sides.iter().filter_map(|side| side.coverage.due);
        let jobs = self.unlock.deadline().into_iter().chain(self.matching.deadline()).chain(self.shared_jobs.due);
        sides.chain(self.desk.deadline()).chain(jobs).min()
    }

    pub fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) -> Vec<Event> {
        for (owner, arrival) in self.desk.wake(now, fx) {
            self.route(owner, arrival, now, fx);
        }
        self.unlock.wake(&mut self.desk.at(now, fx));
        self.matching.wake(&mut self.desk.at(now, fx));
        if self.shared_jobs.due.take_if(|due| *due <= now.mono).is_some() {
            self.read_jobs(now, fx);
        }
        for side in &mut self.sides {
            let busy = side.window.is_busy();
            side.coverage.wake(busy, &mut self.desk.at(now, fx));
        }
        self.take_events(now, fx)
    }

    /// Hands an answer to the machine that asked.
    fn route(&mut self, owner: Owner, arrival: Arrival, now: Now, fx: &mut Vec<Effect>) {
        let events = &mut self.events;
        let cx = &mut self.desk.at(now, fx);
        self.balance.recover(&arrival, cx);
        if let Arrival::Reply(_, Call::Search(search), Ok(Reply::Page(page))) = &arrival
            && search.query.side.source == Source::Workspace
        {
            let corpus = search.query.side.corpus;
            if self.unlock.is_running() || !self.recovery.is_clear() {
                let owned = page.rows.iter().filter(|row| row.unlocked()).filter_map(|row| row.id());
                self.unlock.shown_owned(corpus, &owned.collect::<Vec<RowId>>(), &self.recovery.unknown(corpus), cx);
            }
            // Also on a page that was asked for something else, or too late. A script keeps its own pages.
            if owner != Owner::Caller {
                let seen = page.rows.iter().filter_map(|row| seen_owned(row, &search.query));
                self.ledger.see(corpus, seen.collect(), cx);
            }
        }
        match owner {
            // What came of these is told below.
            Owner::Unlock => {
                if let Arrival::Reply(_, Call::Me, Ok(Reply::Me(account))) = &arrival {
                    self.balance.answered(account, cx);
                }
                self.unlock.handle(arrival, cx);
            }
            Owner::Recovery => self.recovery.handle(&arrival, cx),
            Owner::Ledger => {
                self.ledger.handle(&arrival, cx);
                self.unlock.remember_owned(self.ledger.unwritten());
            }
            Owner::Lists => self.handle_lists(&arrival),
            Owner::Requests => self.handle_requests(&arrival),
            Owner::Balance => self.balance.handle(&arrival, cx),
            Owner::History => self.history.handle(&arrival),
            Owner::SavedTotals => self.saved_totals.handle(&arrival, cx),
            Owner::SavedSearches => self.saved_searches.handle(&arrival, cx),
            Owner::ToRun => self.handle_to_run(&arrival, now, fx),
            Owner::Elsewhere => self.handle_elsewhere(&arrival, now, fx),
            Owner::Exports => events.extend(self.exports.handle(&arrival, cx).then_some(Event::Exports)),
            Owner::CommandJobs => events.extend(self.own.handle(&arrival).map(Event::Own)),
            Owner::Matching => events.extend(self.matching.handle(&arrival, cx).then_some(Event::Matching)),
            Owner::Totals(corpus) => {
                self.totals[corpus as usize].handle(&arrival);
                events.push(Event::Counts(corpus));
            }
            Owner::Window(side) | Owner::Coverage(side) | Owner::Basket(side) | Owner::Gathering(side) => {
                let side = &mut self.sides[place(side)];
                side.handle(owner, &arrival, &self.choice_rules, cx);
                events.append(&mut side.events);
            }
            Owner::Memory => {
                if let Arrival::Stored(_, Err(failure)) = arrival {
                    events.push(Event::NotKept(failure));
                }
            }
            Owner::Caller => events.push(Event::Answered(arrival)),
        }
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    pub fn set_caps(&mut self, caps: Caps) {
        self.profile.caps = caps;
    }

    /// Whether a service is configured at all.
    pub fn has(&self, source: Source) -> bool {
        self.profile.service(source).is_some()
    }

    pub fn unlock(&self) -> &Unlock {
        &self.unlock
    }

    /// Whether money or files are on their way: that goes on while another profile is looked at.
    pub fn is_working(&self) -> bool {
        self.unlock.is_running()
            || self.unlock.has_unsaved()
            || self.exports.running() > 0
            || self.own.running() > 0
            || self.matching.is_running()
    }

    /// Tells the other windows what changed about the jobs of this one.
    pub fn report_jobs(&mut self, now: Now, fx: &mut Vec<Effect>) {
        for note in self.notes(now) {
            let key = (note.kind.clone(), note.number);
            let runs = note.stage == JobStage::Running;
            let is_due = match self.shared_jobs.told.get(&key) {
                Some((told, at)) if runs && told.stage == note.stage => *told != note && now.mono.since(*at) >= PACE,
                Some((told, _)) => *told != note,
                // Else it was done before it could be shown.
                None => runs,
            };
            if is_due {
                self.shared_jobs.told.insert(key, (note.clone(), now.mono));
                self.desk.at(now, fx).store(Owner::Elsewhere, StoreCall::NoteJob(Box::new(note)));
            }
        }
    }

    /// Another window may have written something, or may be gone.
    fn watch_jobs(&mut self, now: Now, fx: &mut Vec<Effect>) {
        if self.shared_jobs.any_runs() {
            self.shared_jobs.due = Some(now.mono.after(SOON));
            self.read_jobs(now, fx);
        }
    }

    fn read_jobs(&mut self, now: Now, fx: &mut Vec<Effect>) {
        // A shell command shows none.
        let Some(since) = self.shared_jobs.since else { return };
        self.shared_jobs.again = self.shared_jobs.asking.is_some();
        if !self.shared_jobs.again {
            self.shared_jobs.asking = Some(self.desk.at(now, fx).store(Owner::Elsewhere, StoreCall::Jobs(since)));
        }
    }

    fn notes(&self, now: Now) -> Vec<JobNote> {
        let mut notes = Vec::new();
        let note = |kind: &str, number, what: String, (done, of), (stage, words): (JobStage, String)| {
            let profile = self.profile.name.clone();
            JobNote { profile, kind: kind.to_owned(), number, what, done, of, stage, words }
        };
        if let Some(job) = self.unlock.job() {
            let (done, of) = job.contacts();
            let tally = &job.tally;
            let words = format!("charged {}, refunded {}", tally.charged, tally.refunded);
            let what = format!("corpus {}", job.corpus());
            notes.push(note("unlock", 0, what, (done as u64, Some(of as u64)), (JobStage::Running, words)));
        } else if let Some(last) = self.unlock.last() {
            let stage = match last.end {
                OrderEnd::Done => JobStage::Done,
                OrderEnd::Stopped => JobStage::Stopped,
                _ => JobStage::Failed,
            };
            let what = format!("corpus {}", last.corpus());
            let done = (last.contacts.len() as u64, None);
            notes.push(note("unlock", 0, what, done, (stage, last.tally.sentence(None))));
        }
        // It is not a job until the person starts it.
        let begun = |job: &&matching::MatchJob| job.is_over() || job.stage == matching::MatchStage::Running;
        if let Some(job) = self.matching.job().filter(begun) {
            let what =
                format!("{} at {}", counted(job.wanted.accounts.lines.len() as u64, "account"), job.wanted.query.side);
            let (done, of, _) = job.progress(now);
            let stage = match &job.stage {
                matching::MatchStage::Done => JobStage::Done,
                matching::MatchStage::Stopped => JobStage::Stopped,
                matching::MatchStage::Failed(_) => JobStage::Failed,
                _ => JobStage::Running,
            };
            notes.push(note("match", 0, what, (done, Some(of)), (stage, String::new())));
        }
        for job in self.exports.jobs() {
            let rows = job.progress.as_ref().map_or(0, |progress| progress.rows);
            let (rows, stage) = match &job.stage {
                export::ExportStage::Whole(exported) => {
                    let path = exported.path.display().to_string();
                    (exported.rows, (JobStage::Done, path))
                }
                export::ExportStage::Stopped { rows, .. } => (*rows, (JobStage::Stopped, String::new())),
                export::ExportStage::Failed(failure) => (rows, (JobStage::Failed, failure.words().to_owned())),
                _ => (rows, (JobStage::Running, String::new())),
            };
            notes.push(note("export", job.id.0, job.what.clone(), (rows, job.total), stage));
        }
        for job in self.own.jobs() {
            notes.push(note("command", job.id.0, job.name.clone(), (job.rows, None), job.state()));
        }
        notes
    }

    /// Stops the order after the call that is on the wire.
    pub fn stop_unlock(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.unlock.stop(&mut self.desk.at(now, fx));
    }

    /// Updates all parts of the session.
    fn update_parts(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.open_ledger(now, fx);
        self.recovery.spared = self.unlock.at_work();
        while let Some(news) = self.unlock.news.pop_front() {
            match news {
                OrderNews::Settled { corpus, contacts } => {
                    if let Some(balance) = self.unlock.job().and_then(|job| job.balance)
                        && self.balance.credits != Some(balance)
                    {
                        self.balance.set_stated(balance, now);
                    }
                    let certain = contacts.iter().filter(|settled| settled.outcome != Outcome::Unknown);
                    self.recovery.settled(corpus, &certain.map(|settled| settled.id).collect());
                    self.settled(corpus, contacts, now);
                }
                OrderNews::Unknown => self.recovery.refresh(&mut self.desk.at(now, fx)),
                OrderNews::Written if self.completes => self.ledger.read_spent(&mut self.desk.at(now, fx)),
                OrderNews::Written => {}
                OrderNews::Settings(profile) => self.apply_settings(*profile),
                OrderNews::ReviewAgain { quote, words } => {
                    let subject = UnlockSubject::of(&quote);
                    self.events.push(Event::ReviewAgain { subject, choice: quote.choice.clone(), words });
                }
                OrderNews::Finished(summary) => {
                    if !summary.contacts.is_empty() {
                        self.ledger.refresh(&mut self.desk.at(now, fx));
                        self.recovery.refresh(&mut self.desk.at(now, fx));
                        self.balance.refresh(&mut self.desk.at(now, fx));
                        self.after_spending(summary.corpus(), now, fx);
                    }
                    self.events.push(Event::Finished(summary));
                }
            }
        }
        while let Some(news) = self.recovery.news.pop_front() {
            match news {
                RecoveryNews::Settled { corpus, contacts } => {
                    self.settled(corpus, contacts, now);
                    self.ledger.refresh(&mut self.desk.at(now, fx));
                    self.after_spending(corpus, now, fx);
                }
                RecoveryNews::Completed { corpus, contacts } => {
                    for (id, contact) in &contacts {
                        self.workspace(corpus).own(*id, contact);
                    }
                    self.ledger.refresh(&mut self.desk.at(now, fx));
                    self.events.push(Event::Completed { corpus, contacts });
                }
                RecoveryNews::Read => self.events.push(Event::Recovery),
                RecoveryNews::Looked { trouble } => self.events.push(Event::Looked { trouble }),
                RecoveryNews::Store(failure) => self.events.push(Event::StoreFailed(failure)),
            }
        }
        let quiet = self.recovery.is_idle() && self.recovery.is_clear() && !self.unlock.is_running();
        if self.completing && quiet {
            self.completing = false;
            self.recovery.check(&mut self.desk.at(now, fx));
        }
        let newly = std::mem::take(&mut self.ledger.newly);
        if !newly.is_empty() {
            self.fill_in(newly, now, fx);
        }
        self.make_review();
    }

    /// As soon as `/me` said whose key it is: the books of that purse. What an earlier run left incomplete is looked for with
    /// the next look.
    fn open_ledger(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let switched = self.balance.switched.take();
        let purse = self.balance.purse().filter(|now| switched.is_some() || self.ledger.purse.as_ref() != Some(now));
        if let Some(purse) = purse {
            let moved = switched.is_some();
            for side in self.sides.iter_mut().filter(|side| side.side.source == Source::Workspace) {
                side.basket.belongs_to(purse.clone().into(), moved, &mut self.desk.at(now, fx));
            }
            self.history.belongs_to(self.profile.purses(Some(&purse)), &mut self.desk.at(now, fx));
            self.events.push(Event::Purse(switched));
            if self.lists.is_wanted() {
                self.read_lists(now, fx);
            }
            // Before the books are read: what is changed from here on is noticed.
            self.read_changes(now, fx);
            self.ledger.begin(purse.clone(), &mut self.desk.at(now, fx));
            self.recovery.begin(purse, &mut self.desk.at(now, fx));
            self.incomplete_collected = false;
            if self.completes {
                self.read_requests(fx);
            }
        }
        if self.ledger.loaded && !self.incomplete_collected {
            self.incomplete_collected = true;
            let incomplete: Vec<_> = self.ledger.incomplete().map(|owned| (owned.corpus, owned.id)).collect();
            self.completing = self.completes && !incomplete.is_empty();
            for (corpus, id) in incomplete {
                self.recovery.complete(corpus, [(id, Default::default())]);
            }
        }
    }

    /// Whose suppression lists apply.
    pub fn purses(&self) -> Vec<PurseRef> {
        self.profile.purses(self.balance.purse().as_ref())
    }

    /// The purse that records about a source go to.
    pub fn purse_of(&self, source: Source) -> Option<PurseRef> {
        let known = self.balance.purse().filter(|_| source == Source::Workspace);
        known.map(PurseRef::Known).or_else(|| self.profile.purse_of(source))
    }

    /// The same; without a key for the source they stay with the profile. A suppression list that is kept there applies to whatever
    /// Workspace the profile gets.
    pub fn purse_or_earlier(&self, source: Source) -> PurseRef {
        self.purse_of(source).unwrap_or_else(|| self.profile.earlier())
    }

    fn settled(&mut self, corpus: Corpus, contacts: Vec<Settled>, now: Now) {
        let mut owned = Vec::new();
        for settled in contacts.iter().filter(|settled| settled.outcome.is_owned()) {
            let row = self.workspace(corpus).row(settled.id).cloned();
            let contact = settled.contact.as_deref().cloned().unwrap_or_default();
            self.workspace(corpus).own(settled.id, &contact);
            owned.push((settled.id, contact, row));
        }
        let leaves =
            |one: &&Settled| one.outcome.is_owned() || matches!(one.outcome, Outcome::Missing | Outcome::Unreachable);
        let leave: Vec<RowId> = contacts.iter().filter(leaves).map(|settled| settled.id).collect();
        let order = self.unlock.job().and_then(|job| job.id);
        self.ledger.take(corpus, owned, now.wall, order);
        self.workspace(corpus).basket.settled(&leave);
        self.events.push(Event::Settled { corpus, contacts });
    }

    /// The side of the Workspace with this corpus.
    fn workspace(&mut self, corpus: Corpus) -> &mut SideState {
        self.side_mut(Side { source: Source::Workspace, corpus }).0
    }

    /// Under `hide_owned` what was bought has left the service's set: pages that were read since are read again. The share
    /// that is owned is another one, and so is the version of the basket.
    fn after_spending(&mut self, corpus: Corpus, now: Now, fx: &mut Vec<Effect>) {
        self.reread(corpus, self.order_began.unwrap_or(now.mono), totals::REST, now, fx);
        let (side, desk) = self.side_mut(Side { source: Source::Workspace, corpus });
        side.basket.check(&mut desk.at(now, fx));
    }

    fn reread(&mut self, corpus: Corpus, since: Mono, rest: Duration, now: Now, fx: &mut Vec<Effect>) {
        let (side, desk) = self.side_mut(Side { source: Source::Workspace, corpus });
        side.window.reread_since(since, &mut desk.at(now, fx));
        if let Some(totals) = side.window.service_totals() {
            side.coverage.refresh(rest, &totals, &mut desk.at(now, fx));
        }
    }

    /// Prepares the review: balance, spending, unknown results, suppression lists and basket are read now. It comes as
    /// [`Event::Review`]. A preparation that was under way is dropped.
    pub fn review(&mut self, subject: UnlockSubject, choice: ReviewChoice, now: Now, fx: &mut Vec<Effect>) {
        self.balance.refresh(&mut self.desk.at(now, fx));
        self.ledger.write_seen(&mut self.desk.at(now, fx));
        self.ledger.read_spent(&mut self.desk.at(now, fx));
        self.recovery.refresh(&mut self.desk.at(now, fx));
        self.read_changes(now, fx);
        if let UnlockSubject::Basket(corpus, _) = &subject {
            let (side, desk) = self.side_mut(Side { source: Source::Workspace, corpus: *corpus });
            side.basket.check(&mut desk.at(now, fx));
        }
        self.read_lists(now, fx);
        self.review = Some((subject, choice));
    }

    pub fn is_reviewing(&self) -> bool {
        self.review.is_some()
    }

    /// The person looks elsewhere.
    pub fn drop_review(&mut self) {
        self.review = None;
    }

    /// Holds the typed amount against the quote that was shown and against everything as it is now (money rule 1, *shown is paid*), and
    /// begins the order.
    pub fn accept(&mut self, shown: &Quote, typed: Credits, now: Now, fx: &mut Vec<Effect>) -> Result<(), Declined> {
        let current = self.of_person(shown)?;
        if self.unlock.is_running() {
            return Err(Declined::Running);
        }
        self.begin(order::accept(shown, typed, &current, now)?, now, fx)
    }

    /// What the same review would rest on now; none for an assistant.
    fn of_person(&self, shown: &Quote) -> Result<Basis, Declined> {
        if self.requests.assistant.is_some() { Err(Declined::Assistant) } else { self.current(shown) }
    }

    /// The shell's way: `--max-credits` is the typed amount, and where it holds nothing the order ends at once. An assistant spends
    /// under a handle: whether it holds is decided by the store, in the transaction that writes the first batch.
    pub fn accept_within(
        &mut self,
        shown: &Quote,
        ceiling: Credits,
        handle: Option<Handle>,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Result<(), Declined> {
        let grant = match (&self.requests.assistant, handle) {
            (None, None) => None,
            (Some(assistant), Some(handle)) => Some(Grant { handle, standing: assistant.standing }),
            _ => return Err(Declined::Assistant),
        };
        let order = order::accept_within(shown, ceiling, &self.current(shown)?)?;
        self.begin(order.granted(grant), now, fx)
    }

    /// A batch with an unknown result goes out again under a ceiling, on what is known now.
    pub fn finish(&mut self, batch: BatchId, ceiling: Credits, now: Now, fx: &mut Vec<Effect>) -> Result<(), Declined> {
        if self.requests.assistant.is_some() {
            return Err(Declined::Assistant);
        }
        let basis = self.basis_again(self.recovery.batch(batch).ok_or(Declined::Nothing)?).ok_or(Declined::Stale)?;
        let quote = Quote::make(basis.clone(), ReviewChoice::default());
        self.begin(order::accept_within(&quote, ceiling, &basis)?, now, fx)
    }

    /// What sending a batch again rests on now.
    fn basis_again(&self, batch: &OpenBatch) -> Option<Basis> {
        let (who, spent) = (self.who().ok()?, self.ledger.spent?);
        Some(Basis::again(batch, who, self.known_balance(), spent, self.profile.caps))
    }

    /// Why a batch with an unknown result cannot go out again as it is.
    pub fn may_finish(&self, batch: &OpenBatch) -> Result<(), String> {
        let basis = self.basis_again(batch).ok_or_else(|| Declined::Stale.to_string())?;
        let lists = self.lists.index().ok_or("the suppression lists are not read yet")?;
        order::check_again(&basis, lists)
    }

    /// The first batch with an unknown result that can go out again as it is.
    pub fn finishable(&self) -> Option<&OpenBatch> {
        self.recovery.batches().find(|batch| self.may_finish(batch).is_ok())
    }

    fn begin(&mut self, order: Order, now: Now, fx: &mut Vec<Effect>) -> Result<(), Declined> {
        self.unlock.start(order, &mut self.desk.at(now, fx))?;
        self.order_began = Some(now.mono);
        Ok(())
    }

    /// The balance and when it was read.
    fn known_balance(&self) -> Option<(Credits, Mono)> {
        self.balance.credits.zip(self.balance.reading.map(|at| at.mono))
    }

    fn current(&self, shown: &Quote) -> Result<Basis, Declined> {
        self.basis(&UnlockSubject::of(shown), Some(&shown.basis)).map_err(|_| Declined::Stale)
    }

    /// The basis of a review, or of the same one once more. An error without a reason: something it needs is still on its way.
    fn basis(&self, subject: &UnlockSubject, earlier: Option<&Basis>) -> Result<Basis, Option<NoReview>> {
        let (who, balance) = (self.who()?, self.known_balance());
        let spent = self.ledger.spent.ok_or(None)?;
        if self.balance.is_asking()
            || !self.ledger.loaded
            || self.ledger.is_reading_spent()
            || self.ledger.is_reading_owned()
            || self.elsewhere.asking.is_some()
            || !self.recovery.is_idle()
        {
            return Err(None);
        }
        let caps = self.profile.caps;
        let (corpus, staged, origin) = match subject {
            UnlockSubject::Again(batch) => {
                let batch = self.recovery.batch(*batch).ok_or(Some(NoReview::NoBatch))?;
                return Ok(Basis::again(batch, who, balance, spent, caps));
            }
            UnlockSubject::Rows(corpus, rows) => (*corpus, rows.clone(), IdSource::Ids),
            UnlockSubject::Basket(corpus, rows) => {
                let basket = &self.side(Side { source: Source::Workspace, corpus: *corpus }).basket;
                match (basket.failure(), rows) {
                    (Some(_), Some(rows)) if basket.is_empty() => (*corpus, rows.clone(), IdSource::Ids),
                    (Some(failure), _) => return Err(Some(NoReview::Store(failure.clone()))),
                    (None, rows) => {
                        let (version, staged) = basket.settled_state(earlier).ok_or(None)?;
                        match rows.as_ref().filter(|_| staged.is_empty()) {
                            Some(rows) => (*corpus, rows.clone(), IdSource::Ids),
                            None => (*corpus, staged, IdSource::Basket(version)),
                        }
                    }
                }
            }
        };
        Ok(Basis {
            who,
            corpus,
            staged,
            origin,
            owned: Arc::new(self.ledger.owned_ids(corpus)),
            owned_people: self.ledger.owned_people(),
            unknown: Arc::new(self.recovery.unknown(corpus)),
            suppressions: self.lists.all.clone(),
            balance,
            spent,
            caps,
            limit: Limit { window: self.choice_rules.per_company, saved: self.profile.choosing.per_company },
            sizes: self.profile.sizes,
            scorer: self.choice_rules.scorer.clone(),
        })
    }

    fn who(&self) -> Result<Spender, Option<NoReview>> {
        if self.profile.workspace.is_none() {
            return Err(Some(NoReview::NoKey));
        }
        let purse = self.balance.purse().ok_or_else(|| match &self.balance.failure {
            _ if self.balance.is_asking() => None,
            Some(failure) => Some(NoReview::Unread(failure.clone())),
            None => Some(NoReview::NoPurse),
        })?;
        let account = self.balance.account.as_ref().ok_or(None)?;
        Spender::of(&self.profile, account, purse).ok_or(Some(NoReview::NoKey))
    }

    /// Makes the quote once everything it rests on is here.
    fn make_review(&mut self) {
        if let Some(failure) = self.review_failed.take().or_else(|| self.ledger.failure.take()) {
            let failed = if self.review.take().is_some() {
                Event::Review(Err(NoReview::Store(failure)))
            } else {
                Event::StoreFailed(failure)
            };
            return self.events.push(failed);
        }
        // No review waits for what came.
        let Some((subject, choice)) = &self.review else { return };
        if self.lists.is_reading() {
            return;
        }
        let review = match self.basis(subject, None) {
            Ok(basis) => Ok(Box::new(Quote::make(basis, choice.clone()))),
            Err(Some(none)) => Err(none),
            Err(None) => return,
        };
        self.review = None;
        self.events.push(Event::Review(review));
    }

    /// The window got the focus: what others may have changed is read again.
    pub fn focused(&mut self, now: Now, fx: &mut Vec<Effect>) {
        if self.balance.age(now).is_none_or(|age| age >= STALE_BALANCE) {
            self.balance.refresh(&mut self.desk.at(now, fx));
        }
        self.ledger.read_spent(&mut self.desk.at(now, fx));
        self.recovery.refresh(&mut self.desk.at(now, fx));
        self.read_requests(fx);
        self.watch_jobs(now, fx);
        for side in &mut self.sides {
            side.basket.check(&mut self.desk.at(now, fx));
        }
    }

    /// Another window may have written something there: it is read again.
    pub fn touched(&mut self, touched: ChangedElsewhere, now: Now, fx: &mut Vec<Effect>) {
        if touched.records {
            self.read_changes(now, fx);
            self.watch_jobs(now, fx);
        }
        if touched.requests {
            self.desk.read_gauges(fx);
        }
        if touched.proposals {
            self.read_requests(fx);
        }
        if touched.saved && self.saved_searches.is_loaded() {
            self.saved_searches.load(&mut self.desk.at(now, fx));
        }
    }

    fn read_changes(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.elsewhere.again = self.elsewhere.asking.is_some();
        if !self.elsewhere.again {
            let call = StoreCall::Changes { purse: self.balance.purse() };
            self.elsewhere.asking = Some(self.desk.at(now, fx).store(Owner::Elsewhere, call));
        }
    }

    fn handle_elsewhere(&mut self, arrival: &Arrival, now: Now, fx: &mut Vec<Effect>) {
        if let Some(result) = arrival.stored::<Vec<JobElsewhere>>(&mut self.shared_jobs.asking) {
            if std::mem::take(&mut self.shared_jobs.again) {
                self.read_jobs(now, fx);
            }
            // A reading that failed leaves the list as it was.
            let Ok(jobs) = result else { return };
            let run = self.profile.window.run();
            // What another profile of this very program runs is known here already.
            self.shared_jobs.others = jobs.iter().filter(|job| job.window.run() != run).cloned().collect();
            let any_runs = self.shared_jobs.any_runs();
            self.shared_jobs.due.take_if(|_| !any_runs);
            return;
        }
        // Else a note on a job of this window was written.
        let Some(result) = arrival.stored::<Changes>(&mut self.elsewhere.asking) else { return };
        if std::mem::take(&mut self.elsewhere.again) {
            self.read_changes(now, fx);
        }
        // What cannot be read now is looked at with the next change.
        let Ok(changes) = result else { return };
        let since = std::mem::replace(&mut self.elsewhere.looked, now.mono);
        let before = self.elsewhere.known.replace(changes.clone());
        if before.as_ref().is_some_and(|before| before.stamp == changes.stamp) {
            return;
        }
        if before.as_ref().map_or(0, |before| before.jobs) != changes.jobs {
            self.read_jobs(now, fx);
        }
        // At the start there is nothing to compare with.
        let Some(before) = before else { return };
        for side in &mut self.sides {
            side.basket.check(&mut self.desk.at(now, fx));
        }
        if let Some((credits, at)) = changes.balance
            && before.balance != changes.balance
            && self.balance.reading.map(|at| at.wall).is_none_or(|read| read < at)
        {
            self.balance.set_stated(credits, now);
        }
        if before.owned != changes.owned {
            self.moved_since = Some(since);
            self.ledger.refresh(&mut self.desk.at(now, fx));
        } else if before.money != changes.money {
            self.ledger.refresh_money(&mut self.desk.at(now, fx));
        }
        if before.money != changes.money {
            self.recovery.refresh(&mut self.desk.at(now, fx));
        }
        if before.lists != changes.lists && self.lists.is_wanted() {
            self.read_lists(now, fx);
        }
    }

    /// Rows fill in whose contacts were bought or seen elsewhere.
    fn fill_in(&mut self, newly: Vec<(Corpus, RowId)>, now: Now, fx: &mut Vec<Effect>) {
        let mut moved = BTreeSet::new();
        for (corpus, id) in newly {
            let Some(contact) = self.ledger.contact(corpus, id).map(|owned| owned.contact.clone()) else { continue };
            self.workspace(corpus).own(id, &contact);
            moved.insert(corpus);
        }
        // No other window bought them.
        let Some(since) = self.moved_since.take() else { return };
        for corpus in moved {
            self.reread(corpus, since, totals::OTHERS_REST, now, fx);
        }
    }

    /// Reads the saved searches: the files, and the service's list where there is a key for it.
    pub fn read_saved(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.saved_searches.load(&mut self.desk.at(now, fx));
        self.saved_searches.ask_service(&mut self.desk.at(now, fx));
    }

    /// Runs a saved search in the window of its side. Answers what it asks.
    pub fn run_saved(&mut self, name: &str, now: Now, fx: &mut Vec<Effect>) -> Result<Query, Refused> {
        let entry = self.saved_searches.named(name).ok_or_else(|| Refused::Unknown(name.to_owned()))?;
        let query = entry.query.clone().map_err(|_| entry.unreadable())?;
        self.to_run = Some(self.watch_saved(&entry.name, query.clone(), Owner::ToRun, now, fx));
        Ok(query)
    }

    /// What the last run of a saved search had is asked for: the answers belong to the watch.
    pub fn watch_saved(&mut self, name: &str, query: Query, owner: Owner, now: Now, fx: &mut Vec<Effect>) -> SavedRun {
        let purse = self.purse_or_earlier(query.side.source);
        SavedRun::start(name, query, owner, (&purse, &self.profile.name), &mut self.desk.at(now, fx))
    }

    /// What the saved searches come to now.
    pub fn glance_at_saved(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let mut runnable = self.saved_searches.entries();
        runnable.retain(|entry| entry.query.as_ref().is_ok_and(|query| self.has(query.side.source)));
        self.saved_totals.begin(&runnable, &mut self.desk.at(now, fx));
    }

    fn handle_to_run(&mut self, arrival: &Arrival, now: Now, fx: &mut Vec<Effect>) {
        // Of one that was run before, whose place the next one took.
        let Some(mut watch) = self.to_run.take() else { return };
        self.events.extend(watch.handle(arrival).err().map(Event::StoreFailed));
        if watch.is_ready() {
            let (side, desk) = self.side_mut(watch.query.side);
            side.watch(watch, &mut desk.at(now, fx));
        } else {
            self.to_run = Some(watch);
        }
    }

    /// What ran and is read is remembered, once.
    fn remember_watched(&mut self, now: Now, fx: &mut Vec<Effect>) {
        for at in 0..self.sides.len() {
            let place = self.sides[at].side;
            let purse = self.purse_or_earlier(place.source);
            let side = &mut self.sides[at];
            // Read far enough to be remembered.
            let Some(watch) = side.watch.as_mut().filter(|_| side.window.has_read_ahead()) else { continue };
            let Some(calls) = watch.remember(now.wall, &purse, &self.profile.name) else { continue };
            let (name, total) = (watch.name.clone(), watch.total());
            let news = watch.has_before().then(|| watch.news());
            for call in calls {
                self.desk.store(Owner::Memory, call, fx);
            }
            self.saved_searches.ran(&name, total, &mut self.desk.at(now, fx));
            self.saved_totals.ran(&name, total, news, now);
            self.events.push(Event::Watched { side: place });
        }
    }

    /// Reads the suppression lists that apply here: said with [`Event::Lists`].
    pub fn read_lists(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let purses = self.purses();
        self.lists.read(purses, &mut self.desk.at(now, fx));
    }

    /// Adds to a list of the purse in use.
    pub fn suppress(&mut self, list: String, entries: Vec<SuppressEntry>, now: Now, fx: &mut Vec<Effect>) {
        let purse = self.purse_or_earlier(Source::Workspace);
        self.desk.store(Owner::Memory, StoreCall::Suppress { purse, list, entries }, fx);
        self.read_lists(now, fx);
    }

    /// Removes a whole list.
    pub fn remove_list(&mut self, list: String, now: Now, fx: &mut Vec<Effect>) {
        let purses = self.purses();
        self.desk.store(Owner::Memory, StoreCall::RemoveSuppression { purses, list, entries: None }, fx);
        self.read_lists(now, fx);
    }

    /// Once the lists were read, exclusions may name them.
    fn handle_lists(&mut self, arrival: &Arrival) {
        // An earlier reading does not count any more.
        let Some(read) = self.lists.handle(arrival) else { return };
        match &read {
            Ok(()) => {
                self.exports.lists = self.lists.all.clone();
                self.choice_rules.lists = self.lists.all.clone();
                for side in &mut self.sides {
                    side.exclusion_filter = ExclusionFilter::default();
                    side.apply_exclusions(&self.choice_rules);
                }
            }
            Err(failure) => self.review_failed = self.is_reviewing().then(|| failure.clone()),
        }
        self.events.push(Event::Lists(read));
    }

    /// The settings were changed by their owner.
    pub fn set_choosing(&mut self, choosing: Choosing) {
        self.choice_rules.set(&self.profile.choosing, &choosing);
        self.profile.choosing = choosing;
        self.score_by_owned();
    }

    /// What settings and keys said of the profile just now.
    fn apply_settings(&mut self, saved: Profile) {
        (self.profile.caps, self.profile.sizes) = (saved.caps, saved.sizes);
        if self.profile.choosing != saved.choosing {
            self.set_choosing(saved.choosing);
        }
    }

    /// Of which companies a contact is owned, once the ledger was read.
    fn score_by_owned(&mut self) {
        if self.ledger.loaded {
            self.choice_rules.set_owned(self.ledger.changes, self.ledger.owned());
        }
    }

    /// What is left out of the result that is shown. Nothing is asked for again.
    pub fn leave_out(&mut self, side: Side, not: Exclusions, now: Now, fx: &mut Vec<Effect>) {
        let side = &mut self.sides[place(side)];
        side.window.leave_out(not);
        side.apply_exclusions(&self.choice_rules);
        if let Some(total) = side.window.total() {
            let (query, cx) = (side.window.query(), &mut self.desk.at(now, fx));
            self.history.showed(query, true, (total, 0), Vec::new(), false, cx);
        }
    }

    /// Whether rows of this side are chosen: not all are taken, or not in the order of the service.
    pub fn chooses(&self, side: Side) -> bool {
        self.choice_rules.has_score()
            || self.choice_rules.per_company.is_some()
            || !self.side(side).window.query().not.is_empty()
    }

    /// What it takes to choose of the result that is shown.
    pub fn plan(&self, side: Side) -> ChoicePlan {
        let service = self.profile.service(side.source);
        let allowed = service.and_then(|service| service.allowance.requests).map_or(u64::MAX, u64::from);
        let window = &self.side(side).window;
        let among = window.total().unwrap_or(0).min(self.choice_rules.among());
        let requests = window.requests_for(among);
        let slow = (requests * window.took_ms().unwrap_or(0)).div_ceil(60_000);
        ChoicePlan { among, requests, minutes: requests.div_ceil(allowed.max(1)).max(slow).max(1) }
    }

    /// The session of an assistant: it spends only what a person accepted.
    pub fn for_assistant(mut self, assistant: Assistant) -> Session {
        self.requests.assistant = Some(assistant);
        self
    }

    /// Writes a proposal of what the quote would unlock. Only once the store has it, its handle means something.
    pub fn propose(
        &mut self,
        of: &Quote,
        handle: Handle,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Option<(Ticket, Proposal)> {
        let assistant = self.requests.assistant.as_ref()?.name.clone();
        let wanted: Vec<_> = of.to_unlock.iter().map(|line| line.id).collect();
        let rows = of.basis.staged.iter().filter(|row| wanted.contains(&row.id)).cloned();
        let proposal = Proposal {
            handle,
            purse: of.basis.who.purse.clone(),
            corpus: of.basis.corpus,
            assistant,
            rows: rows.collect(),
            verify: of.choice.verify,
            ceiling: of.most,
            made_at: now.wall,
            expires_at: Wall(now.wall.0 + LIFETIME_MS),
            state: ProposalState::Waiting,
        };
        let call = StoreCall::Propose(Box::new(proposal.clone()));
        Some((self.desk.store(Owner::Caller, call, fx), proposal))
    }

    /// A person's answer in the client of the assistant: the first contacts of the proposal, up to this number.
    pub fn accept_elicited(&mut self, proposal: &Proposal, amount: Credits, fx: &mut Vec<Effect>) -> Ticket {
        let first = usize::try_from(amount.0).unwrap_or(0);
        let ids = proposal.rows.iter().take(first).map(|row| row.id).collect();
        let verdict = Decision::Accept { amount, ids, verify: proposal.verify };
        let call = StoreCall::Answer { purse: proposal.purse.clone(), handle: proposal.handle.clone(), verdict };
        self.desk.store(Owner::Caller, call, fx)
    }

    /// Reads which proposals wait in this purse.
    pub fn read_requests(&mut self, fx: &mut Vec<Effect>) {
        // They are read once `/me` has told it.
        let Some(purse) = self.balance.purse() else { return };
        if self.requests.reading.is_none() {
            self.requests.reading = Some(self.desk.store(Owner::Requests, StoreCall::Proposals { purse }, fx));
        }
    }

    /// Holds the typed amount against the quote that was shown, as [`Session::accept`] does, and accepts the proposal for exactly
    /// these contacts. Nothing is sent by this window.
    pub fn grant(
        &mut self,
        handle: &Handle,
        shown: &Quote,
        typed: Credits,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Result<(), Declined> {
        let order = order::accept(shown, typed, &self.of_person(shown)?, now)?;
        let ids = order.quote().to_unlock.iter().map(|line| line.id).collect();
        let verify = order.quote().choice.verify;
        self.answer(handle, Decision::Accept { amount: order.ceiling(), ids, verify }, fx);
        Ok(())
    }

    /// Says no to a proposal.
    pub fn decline(&mut self, handle: &Handle, fx: &mut Vec<Effect>) {
        self.answer(handle, Decision::Decline, fx);
    }

    fn answer(&mut self, handle: &Handle, verdict: Decision, fx: &mut Vec<Effect>) {
        // `/me` may stop naming the workspace while they wait.
        let Some(purse) = self.balance.purse() else {
            return self.events.push(Event::Requests(ProposalNews::Refused(NotGranted::NoSuch)));
        };
        let accepts = matches!(verdict, Decision::Accept { .. });
        let call = StoreCall::Answer { purse, handle: handle.clone(), verdict };
        self.requests.answering = Some((self.desk.store(Owner::Requests, call, fx), accepts));
        self.requests.waiting.retain(|proposal| proposal.handle != *handle);
    }

    fn handle_requests(&mut self, arrival: &Arrival) {
        let Arrival::Stored(ticket, result) = arrival else { unreachable!("only the store was asked") };
        if let Some(result) = arrival.stored::<Vec<Proposal>>(&mut self.requests.reading) {
            // The next change reads them again.
            let Ok(waiting) = result else { return };
            for proposal in waiting.iter().filter(|proposal| self.requests.get(&proposal.handle).is_none()) {
                let (assistant, ceiling) = (proposal.assistant.clone(), proposal.ceiling);
                self.events.push(Event::Requests(ProposalNews::New { assistant, ceiling }));
            }
            self.requests.waiting.clone_from(waiting);
        } else if let Some((_, accepts)) = self.requests.answering.take_if(|(asked, _)| asked == ticket) {
            self.events.push(match result.as_ref().map(Granted::read) {
                Ok(Err(why)) => Event::Requests(ProposalNews::Refused(*why)),
                Ok(Ok(())) if accepts => Event::Requests(ProposalNews::Accepted),
                Ok(Ok(())) => Event::Requests(ProposalNews::Declined),
                Err(failure) => Event::StoreFailed(failure.clone()),
            });
        }
    }
}

fn place(side: Side) -> usize {
    side.source as usize * 2 + side.corpus as usize
}

// What a screen or a shell command may want to tell a person. The state itself is read from the machines.

#[derive(Debug, PartialEq)]
pub enum Event {
    /// What a search brought, by positions of its whole list.
    Window { side: Side, news: WindowNews },
    /// `/me` named the purse: basket, history and lists are its own from here on. Where it is another one than before, a sentence
    /// says so.
    Purse(Option<String>),
    /// The store could not keep the basket: it lives in this window only.
    BasketFailed { side: Side, failure: StoreFailure },
    /// Rows that match were put into the basket: how many, and how reading them ended.
    /// `left`: What was not taken, where the best were chosen.
    Gathered { side: Side, added: u64, end: WalkEnd, left: Option<Skipped> },
    /// The first rows of a result are read, or as many of them as could be.
    Read { side: Side, rows: u64, wanted: u64 },
    /// The suppression lists were read, or could not be: see [`SuppressionLists`](crate::flow::lists::SuppressionLists).
    Lists(Result<(), StoreFailure>),
    /// The saved searches told something.
    Saved(saved::SavedEvent),
    /// A saved search that ran is completely read: see [`SideState::watch`](SideState#structfield.watch).
    Watched { side: Side },
    /// An export moved or ended: see [`Exports`](crate::flow::export::Exports).
    Exports,
    /// A command of the person's own ended: see [`OwnJobs`](crate::flow::user_command::OwnJobs).
    Own(OwnId),
    /// A match of accounts moved: see [`Matching`](crate::flow::matching::Matching).
    Matching,
    /// The counts of a corpus are here, or could not be had.
    Counts(Corpus),
    /// The review that was asked for, or why there is none.
    Review(Result<Box<Quote>, NoReview>),
    /// At Enter something was another than in the review: nothing was sent, and it is to be shown again.
    ReviewAgain { subject: UnlockSubject, choice: ReviewChoice, words: String },
    /// The outcome of these contacts is certain and durable; rows and basket know already.
    Settled { corpus: Corpus, contacts: Vec<Settled> },
    /// Contacts that were owned already are complete now.
    Completed { corpus: Corpus, contacts: Vec<(RowId, Contact)> },
    /// An order ended.
    Finished(Box<OrderSummary>),
    /// What is unknown was read again: see the recovery.
    Recovery,
    /// A free check ended.
    Looked { trouble: Option<Failure> },
    /// The store failed at something that concerns money.
    StoreFailed(StoreFailure),
    /// Something that was only to be remembered could not be written.
    NotKept(StoreFailure),
    /// About the proposals of assistants.
    Requests(ProposalNews),
    /// An answer to something the screen or the script asked for itself.
    Answered(Arrival),
}

// Jobs of several windows: this one tells the others how its own stand, and knows theirs.
//
// What changed is told at once where a job begins or ends, and otherwise at most once a second. A window that dies tells nothing:
// the system says that its files were closed, and soon after that it is looked at once more.

/// Between two notes about a job that moves.
const PACE: Duration = Duration::from_secs(1);
/// A window whose files were just closed may still hold its lock for a moment.
const SOON: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, Default)]
pub struct SharedJobs {
    /// What the others were told, and when.
    told: BTreeMap<(String, u64), (JobNote, Mono)>,
    /// Jobs of other windows and of commands, the newest first.
    pub others: Vec<JobElsewhere>,
    /// When this window began to look. `None` where nothing is shown.
    since: Option<Wall>,
    asking: Option<Ticket>,
    again: bool,
    due: Option<Mono>,
}

impl SharedJobs {
    fn any_runs(&self) -> bool {
        self.others.iter().any(JobElsewhere::is_running)
    }
}

// The review before spending, as a step of the session: everything it depends on is read again, then the quote is made; the
// typed amount is held against everything once more, and only then an order begins.
//
// The money rules themselves are in `flow::unlock`. Here is only the gathering of what they need from the other machines.

/// What is to be unlocked.
#[derive(Clone, Debug, PartialEq)]
pub enum UnlockSubject {
    /// The basket, or these rows where nothing is staged in any window.
    Basket(Corpus, Option<Arc<Vec<Staged>>>),
    /// Single rows that are not in the basket.
    Rows(Corpus, Arc<Vec<Staged>>),
    /// A batch without an answer, once more with the very same ids.
    Again(BatchId),
}

impl UnlockSubject {
    /// What a quote is about.
    fn of(quote: &Quote) -> UnlockSubject {
        match &quote.basis.origin {
            IdSource::Basket(_) => UnlockSubject::Basket(quote.basis.corpus, None),
            IdSource::Ids => UnlockSubject::Rows(quote.basis.corpus, quote.basis.staged.clone()),
            IdSource::Again(batch) => UnlockSubject::Again(batch.batch),
        }
    }
}

/// Why there is no review.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoReview {
    #[error("no key for the Workspace API is set")]
    NoKey,
    #[error("the service did not identify the workspace of this key, so nothing can be unlocked: {}", .0.words())]
    Unread(Failure),
    #[error("the service did not identify the workspace of this key, so nothing can be unlocked")]
    NoPurse,
    #[error("nothing is spent, because it could not be recorded: {0}")]
    Store(StoreFailure),
    #[error("this batch already has its result")]
    NoBatch,
}

// What other windows and commands did to the records that all of them share: heard of, looked at by a few numbers, and read
// again only where it is another one than before.

/// A balance that was read longer ago is read again when the window gets the focus.
const STALE_BALANCE: Duration = Duration::from_secs(15);

/// What another window wrote to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangedElsewhere {
    /// The ledger with basket, owned contacts and lists.
    pub records: bool,
    /// Where requests are counted.
    pub requests: bool,
    /// What waits for a person: proposals of assistants.
    pub proposals: bool,
    /// The files of the saved searches.
    pub saved: bool,
}

impl ChangedElsewhere {
    pub const ALL: ChangedElsewhere = ChangedElsewhere { records: true, requests: true, proposals: true, saved: true };
}

#[derive(Clone, Debug, Default)]
struct Elsewhere {
    known: Option<Changes>,
    asking: Option<Ticket>,
    /// Something was written while it was being looked at.
    again: bool,
    /// When it was last looked at.
    looked: Mono,
}

/// What `A` will do, said before it does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChoicePlan {
    /// Rows that are read, from the first.
    pub among: u64,
    pub requests: u64,
    /// At least one.
    pub minutes: u64,
}

// What an assistant may do with money: ask. A session of an assistant makes an order only of a proposal that holds; the session
// of a person reads the proposals that wait and answers them.

/// How long a proposal can be accepted and used.
const LIFETIME_MS: i64 = 30 * 60 * 1000;

/// Who drives a session in place of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assistant {
    /// As its client names it.
    pub name: String,
    pub standing: Option<StandingGrant>,
}

/// The proposals that wait for the person of this window.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// Who drives this session in place of a person.
    assistant: Option<Assistant>,
    waiting: Vec<Proposal>,
    reading: Option<Ticket>,
    answering: Option<(Ticket, bool)>,
}

impl Requests {
    /// Those that can still be answered, oldest first.
    pub fn waiting(&self, now: Now) -> impl Iterator<Item = &Proposal> {
        self.waiting.iter().filter(move |proposal| now.wall < proposal.expires_at)
    }

    pub fn get(&self, handle: &Handle) -> Option<&Proposal> {
        self.waiting.iter().find(|proposal| proposal.handle == *handle)
    }
}

/// What there is to tell of proposals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposalNews {
    /// One more waits: who asks, and for how much at most.
    New { assistant: String, ceiling: Credits },
    /// The acceptance is in the ledger.
    Accepted,
    /// The refusal is in the ledger.
    Declined,
    /// It could not be answered any more.
    Refused(NotGranted),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_has_its_place() {
        for (at, side) in Side::ALL.into_iter().enumerate() {
            assert_eq!(place(side), at);
        }
    }
}
