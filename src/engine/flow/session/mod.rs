//! The machines of one profile under one roof: it owns them, hands every answer to the one that asked, and carries what one
//! learns to the others. Headless: the screen and the shell commands drive the very same session.
//!
//! It decides nothing itself. What an answer means is known by the machine that asked for it.

mod assistant;
mod books;
mod choosing;
mod elsewhere;
mod event;
mod jobs;
mod left;
mod money;
mod parts;
mod review;
mod saved;
mod side;
mod work;

use crate::effect::call::{Call, Reply};
use crate::effect::failure::StoreFailure;
use crate::effect::profile::Profile;
use crate::effect::{Answer, Effect};
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::query::Query;
use lode_core::time::{Mono, Now};

use super::balance::Balance;
use super::choose::Taste;
use super::counts::Totals;
use super::desk::{Desk, Heard, Owner};
use super::export::Exports;
use super::history::History;
use super::ledger::Ledger;
use super::lists::SuppressionLists;
use super::matching::Matching;
use super::own::OwnJobs;
use super::recovery::Recovery;
use super::retry::Patience;
use super::saved::Shelf;
use super::saved::glance::Glance;
use super::saved::watch::Watch;
use super::unlock::Unlock;
use crate::flow::ledger::reading::seen_owned;

pub use assistant::{Asked, Assistant, Granted, Requests};
pub use elsewhere::Touched;
pub use event::Event;
pub use left::Left;
pub use review::{Begun, NoReview, Subject};
pub use side::SideState;

#[derive(Clone, Debug)]
pub struct Session {
    profile: Profile,
    desk: Desk,
    balance: Balance,
    history: History,
    unlock: Unlock,
    recovery: Recovery,
    ledger: Ledger,
    shelf: Shelf,
    glance: Glance,
    exports: Exports,
    own: OwnJobs,
    matching: Matching,
    /// Proposals of assistants.
    requests: Requests,
    /// Whom to buy: score, limit per company, what is on a list.
    taste: Taste,
    lists: SuppressionLists,
    totals: [Totals; 2],
    /// A saved search that waits for what its last run had.
    to_run: Option<Watch>,
    sides: [SideState; 4],
    review: Option<review::Review>,
    review_failed: Option<StoreFailure>,
    elsewhere: elsewhere::Elsewhere,
    board: jobs::Board,
    /// Others bought something after that moment.
    moved_since: Option<Mono>,
    /// To be told.
    events: Vec<Event>,
    /// When the latest order began: pages read since may have been read from a set in motion.
    order_began: Option<Mono>,
    /// Owned contacts without an address were passed to the recovery.
    gleaned: bool,
    /// They are looked for by themselves as soon as nothing else is unknown: what was paid for belongs here, and looking is free.
    completing: bool,
    /// Whether that is done here: a script says itself what is looked for.
    completes: bool,
}

impl Session {
    /// Begins: what the store remembers is read, `/me` is asked.
    pub fn start(profile: Profile, patience: Patience, seed: u64, now: Now, fx: &mut Vec<Effect>) -> Session {
        let mut session = Session::at_rest(profile, patience, seed);
        session.completes = true;
        session.board.open(now);
        // Before anything is read: what is changed from here on is noticed.
        session.look_elsewhere(now, fx);
        session.desk.ask_pages(fx);
        session.ask_whose(now, fx);
        session.history.start(&mut session.desk.at(now, fx));
        for side in &mut session.sides {
            side.basket.reload(&mut session.desk.at(now, fx));
        }
        session.read_lists(now, fx);
        session
    }

    /// The same without asking for anything: what is wanted of it, it asks for then.
    pub fn at_rest(profile: Profile, patience: Patience, seed: u64) -> Session {
        Session {
            desk: Desk::new(&profile, patience, seed),
            balance: Balance::new(&profile),
            history: History::new(profile.purses(None)),
            unlock: Unlock::new(patience, seed),
            recovery: Recovery::new(profile.name.clone()),
            ledger: Ledger::new(profile.window.clone()),
            shelf: Shelf::new(&profile),
            glance: Glance::default(),
            exports: Exports::default(),
            own: OwnJobs::default(),
            matching: Matching::default(),
            requests: Requests::default(),
            taste: Taste::new(&profile.choosing),
            lists: SuppressionLists::default(),
            totals: [Totals::new(Corpus::Us), Totals::new(Corpus::Linkedin)],
            to_run: None,
            review: None,
            review_failed: None,
            elsewhere: elsewhere::Elsewhere::default(),
            board: jobs::Board::default(),
            moved_since: None,
            events: Vec::new(),
            order_began: None,
            gleaned: false,
            completing: false,
            completes: false,
            sides: Side::ALL.map(|side| SideState::new(profile.purse_of(side.source), side)),
            profile,
        }
    }

    /// Asks whose key it is, and with that what its purse holds.
    pub fn ask_whose(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.balance.start(&mut self.desk.at(now, fx));
    }

    pub fn side(&self, side: Side) -> &SideState {
        &self.sides[place(side)]
    }

    /// One side and the desk it asks, to be used together.
    pub fn side_mut(&mut self, side: Side) -> (&mut SideState, &mut Desk) {
        (&mut self.sides[place(side)], &mut self.desk)
    }

    pub fn sides(&self) -> &[SideState; 4] {
        &self.sides
    }

    pub fn totals(&self, corpus: Corpus) -> &Totals {
        &self.totals[corpus as usize]
    }

    /// Asks for the counts of a corpus, if they are not known or are requested again.
    pub fn count(&mut self, corpus: Corpus, again: bool, now: Now, fx: &mut Vec<Effect>) {
        let totals = &mut self.totals[corpus as usize];
        if again || totals.counts().is_none() {
            totals.ask(&mut self.desk.at(now, fx));
        }
    }

    pub fn stop_counting(&mut self, corpus: Corpus, now: Now, fx: &mut Vec<Effect>) {
        self.totals[corpus as usize].stop(&mut self.desk.at(now, fx));
    }

    pub fn search(&mut self, query: Query, now: Now, fx: &mut Vec<Effect>) {
        self.search_at(query, 0, now, fx);
    }

    /// Searches and begins at a place that was kept from before.
    pub fn search_at(&mut self, query: Query, index: u64, now: Now, fx: &mut Vec<Effect>) {
        let (side, desk) = self.side_mut(query.side);
        side.search(query, index, &mut desk.at(now, fx));
    }

    pub fn hear(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) -> Vec<Event> {
        if let Some((owner, heard)) = self.desk.hear(answer, now, fx) {
            self.route(owner, heard, now, fx);
        }
        self.told(now, fx)
    }

    /// What there is to tell, once every machine knows what the others know.
    pub fn told(&mut self, now: Now, fx: &mut Vec<Effect>) -> Vec<Event> {
        self.go_on(now, fx);
        self.know_owned();
        for side in &mut self.sides {
            side.keep_sieve(&self.taste);
            side.spread(&mut self.history, &mut self.desk.at(now, fx), &mut self.events);
        }
        self.remember_watched(now, fx);
        self.events.extend(self.shelf.told().into_iter().map(Event::Saved));
        self.tell_jobs(now, fx);
        std::mem::take(&mut self.events)
    }

    pub fn deadline(&self) -> Option<Mono> {
        let sides = self.sides.iter().filter_map(|side| side.coverage.deadline());
        let jobs = self.unlock.deadline().into_iter().chain(self.matching.deadline()).chain(self.board.deadline());
        sides.chain(self.desk.deadline()).chain(jobs).min()
    }

    pub fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) -> Vec<Event> {
        for (owner, heard) in self.desk.wake(now, fx) {
            self.route(owner, heard, now, fx);
        }
        self.unlock.wake(&mut self.desk.at(now, fx));
        self.matching.wake(&mut self.desk.at(now, fx));
        self.wake_jobs(now, fx);
        for side in &mut self.sides {
            let busy = side.window.is_busy();
            side.coverage.wake(busy, &mut self.desk.at(now, fx));
        }
        self.told(now, fx)
    }

    /// Hands an answer to the machine that asked.
    fn route(&mut self, owner: Owner, heard: Heard, now: Now, fx: &mut Vec<Effect>) {
        let events = &mut self.events;
        let cx = &mut self.desk.at(now, fx);
        self.balance.recover(&heard, cx);
        if let Heard::Reply(_, Call::Search(search), Ok(Reply::Page(page))) = &heard
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
                if let Heard::Reply(_, Call::Me, Ok(Reply::Me(account))) = &heard {
                    self.balance.overhear(account, cx);
                    events.push(Event::Balance);
                }
                self.unlock.hear(&heard, cx);
            }
            Owner::Recovery => drop(self.recovery.hear(&heard, cx)),
            Owner::Ledger => {
                self.ledger.hear(&heard, cx);
                self.unlock.remember_owned(self.ledger.unwritten());
            }
            Owner::Lists => self.hear_lists(&heard),
            Owner::Requests => self.hear_requests(&heard),
            Owner::Balance => {
                self.balance.hear(&heard, cx);
                events.push(Event::Balance);
            }
            Owner::History => {
                self.history.hear(&heard);
                events.push(Event::History);
            }
            Owner::Glance => {
                self.glance.hear(&heard, cx);
                events.push(Event::Glanced);
            }
            Owner::Shelf => self.shelf.hear(&heard, cx),
            Owner::ToRun => self.hear_to_run(&heard, now, fx),
            Owner::Elsewhere => self.hear_elsewhere(&heard, now, fx),
            Owner::Exports => {
                let moved = self.exports.hear(&heard, cx);
                events.extend(moved.then_some(Event::Exports));
            }
            Owner::Own => {
                let moved = self.own.hear(&heard);
                events.extend(moved.then_some(Event::Own));
            }
            Owner::Matching => {
                let moved = self.matching.hear(&heard, cx);
                events.extend(moved.then_some(Event::Matching));
            }
            Owner::Totals(corpus) => {
                self.totals[corpus as usize].hear(&heard, now);
                events.push(Event::Counts(corpus));
            }
            Owner::Window(side) | Owner::Coverage(side) | Owner::Basket(side) | Owner::Gathering(side) => {
                self.sides[place(side)].hear(owner, &heard, &self.taste, cx, events);
            }
            Owner::Memory => {
                if let Heard::Stored(_, Err(failure)) = heard {
                    events.push(Event::NotKept(failure));
                }
            }
            Owner::Caller => events.push(Event::Answered(heard)),
        }
    }
}

fn place(side: Side) -> usize {
    side.source as usize * 2 + side.corpus as usize
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
