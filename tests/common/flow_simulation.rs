//! A simulation in virtual time of the flows: the real store in memory, a network that delays and reorders, and whatever
//! service a test puts behind it. Nothing here sleeps; the same seed gives the same run.

use std::collections::{BTreeMap, BTreeSet};

use crate::rng::Rng;
use crate::sandbox_engine::Said;
use lode_core::contact::{Corpus, RowId};
use lode_core::credits::Credits;
use lode_core::money::{Caps, Clue, Staged, StagedFields};
use lode_core::purse::Purse;
use lode_core::time::{Mono, Now, Wall};
use lode_engine::effect::call::{Call, Outgoing};
use lode_engine::effect::failure::StoreFailure;
use lode_engine::effect::files::{FileCall, FileReply, SavedProfile};
use lode_engine::effect::profile::{KeyHash, Profile, WindowId};
use lode_engine::effect::store::{BatchIntent, StoreCall};
use lode_engine::effect::{Answer, CallId, Effect, Ticket};
use lode_host::store::Store;

/// A machine under test: a desk, a session.
pub trait Machine {
    fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>);
    fn wake(&mut self, now: Now, fx: &mut Vec<Effect>);
    fn deadline(&self) -> Option<Mono>;
}

enum Happening {
    /// The service receives a request.
    Arrive(CallId, Outgoing),
    Answer(Answer),
    Store(Ticket, StoreCall),
}

/// How long a request and an answer are under way, drawn at random.
pub type Delay = Box<dyn FnMut(&mut Rng) -> u64>;

/// What the service says to a call at a moment.
pub type Service<'a> = Box<dyn FnMut(&Call, u64) -> Said + 'a>;

pub struct FlowSimulation<'a> {
    pub now: u64,
    pub rng: Rng,
    pub up: Delay,
    pub down: Delay,
    pub service: Service<'a>,
    /// Work of the store that fails.
    pub fails: Box<dyn FnMut(&StoreCall) -> bool + 'a>,
    /// One store for each machine, in their order.
    pub stores: Vec<Store>,
    pub events: u64,
    /// Effects other than requests and store work, in their order.
    pub others: Vec<Effect>,
    /// What the settings say of the profile.
    pub saved: Option<Profile>,
    /// How long reading them takes.
    pub settings_take: u64,
    heap: BTreeMap<(u64, u64), (usize, Happening)>,
    seq: u64,
    /// Attempts whose answer is no longer waited for.
    dropped: BTreeSet<(usize, CallId)>,
    /// Requests sent and not answered, by machine.
    pub in_flight: BTreeSet<(usize, CallId)>,
}

impl<'a> FlowSimulation<'a> {
    pub fn new(seed: u64, stores: Vec<Store>, service: impl FnMut(&Call, u64) -> Said + 'a) -> FlowSimulation<'a> {
        FlowSimulation {
            now: 1_000,
            rng: Rng::new(seed),
            up: Box::new(|rng| 5 + rng.below(40)),
            down: Box::new(|rng| 5 + rng.below(40)),
            service: Box::new(service),
            fails: Box::new(|_| false),
            stores,
            events: 0,
            others: Vec::new(),
            saved: None,
            settings_take: 0,
            heap: BTreeMap::new(),
            seq: 0,
            dropped: BTreeSet::new(),
            in_flight: BTreeSet::new(),
        }
    }

    pub fn moment(&self) -> Now {
        at(self.now)
    }

    fn schedule(&mut self, when: u64, peer: usize, what: Happening) {
        self.seq += 1;
        self.heap.insert((when, self.seq), (peer, what));
    }

    /// Performs the effects of one machine.
    pub fn perform(&mut self, peer: usize, fx: &mut Vec<Effect>) {
        for effect in fx.drain(..) {
            match effect {
                Effect::Send(id, call) => {
                    self.in_flight.insert((peer, id));
                    let up = (self.up)(&mut self.rng);
                    self.schedule(self.now + up, peer, Happening::Arrive(id, call));
                }
                Effect::Cancel(id) => {
                    self.in_flight.remove(&(peer, id));
                    self.dropped.insert((peer, id));
                }
                Effect::Store(ticket, call) => self.schedule(self.now, peer, Happening::Store(ticket, call)),
                Effect::File(ticket, FileCall::ReadProfile { .. }) => {
                    let saved = self.saved.clone().map(|profile| Box::new(SavedProfile { profile, standing: None }));
                    let answer = Answer::Filed(ticket, Ok(FileReply::Profile(saved)));
                    self.schedule(self.now + self.settings_take, peer, Happening::Answer(answer));
                }
                other => self.others.push(other),
            }
        }
    }

    /// Lets the next thing happen, not later than `until`. False when nothing is left to happen before.
    pub fn step(&mut self, machines: &mut [&mut dyn Machine], until: u64) -> bool {
        let next = self.heap.keys().next().map(|(when, _)| *when);
        let deadline =
            machines.iter().enumerate().filter_map(|(peer, m)| Some((m.deadline()?.0.max(self.now), peer))).min();
        let mut fx = Vec::new();
        match (next, deadline) {
            (None, None) => return false,
            (Some(when), deadline) if deadline.is_none_or(|(deadline, _)| when <= deadline) => {
                if when > until {
                    return false;
                }
                self.now = when.max(self.now);
                self.events += 1;
                let (_, (peer, what)) = self.heap.pop_first().unwrap();
                self.happen(peer, what, machines, &mut fx);
                self.perform(peer, &mut fx);
            }
            (_, Some((deadline, peer))) => {
                if deadline > until {
                    return false;
                }
                self.now = deadline;
                self.events += 1;
                machines[peer].wake(at(self.now), &mut fx);
                self.perform(peer, &mut fx);
            }
            (Some(_), None) => unreachable!("taken by the first arm"),
        }
        true
    }

    fn happen(&mut self, peer: usize, what: Happening, machines: &mut [&mut dyn Machine], fx: &mut Vec<Effect>) {
        match what {
            Happening::Arrive(id, call) => {
                let (takes, result) = match (self.service)(&call.record(), self.now) {
                    Said::Reply(result) => (0, result),
                    Said::After(takes, result) => (takes, result),
                };
                let down = (self.down)(&mut self.rng);
                self.schedule(self.now + takes + down, peer, Happening::Answer(Answer::of(id, call, result)));
            }
            Happening::Store(ticket, call) => {
                let result = match (self.fails)(&call) {
                    true => Err(StoreFailure::Full),
                    false => self.stores[peer].perform(call, at(self.now)),
                };
                self.schedule(self.now, peer, Happening::Answer(Answer::Stored(ticket, result)));
            }
            Happening::Answer(answer) => {
                if let Answer::Replied(id, _) | Answer::Unsent(id, ..) = &answer {
                    self.in_flight.remove(&(peer, *id));
                    if self.dropped.remove(&(peer, *id)) {
                        return;
                    }
                }
                machines[peer].handle(answer, at(self.now), fx);
            }
        }
    }

    /// Everything that was to happen is lost with the process.
    pub fn forget(&mut self) {
        self.heap.clear();
        self.dropped.clear();
        self.in_flight.clear();
    }

    /// Runs until nothing happens any more, or until this moment.
    pub fn run(&mut self, machines: &mut [&mut dyn Machine], until: u64) {
        while self.step(machines, until) {}
        if until != u64::MAX {
            self.now = self.now.max(until);
        }
    }
}

pub fn at(ms: u64) -> Now {
    Now { wall: Wall(1_790_000_000_000 + i64::try_from(ms).unwrap()), mono: Mono(ms) }
}

/// A profile with both services, as one of several windows has it.
pub fn profile(window: &str) -> Profile {
    let service =
        |key, requests, in_flight| Some(crate::profile::service("https://service.example", key, requests, in_flight));
    let whole = crate::profile::profile("test", service("aa", Some(120), 16), service("dd", None, 2));
    Profile { window: WindowId(window.to_owned()), ..whole }
}

/// Stores of several windows in one memory.
pub fn stores(count: usize) -> Vec<Store> {
    let first = crate::memory::store(WindowId("w0".to_owned()));
    let mut stores: Vec<Store> = (1..count).map(|at| first.beside(WindowId(format!("w{at}")))).collect();
    stores.insert(0, first);
    stores
}

/// A row as a search showed it and a basket keeps it.
pub fn staged(id: i64) -> Staged {
    let about = StagedFields {
        email: format!("p{id}•••@lakeside.example"),
        phone: "512•••01".to_owned(),
        name: format!("Person {id}"),
        company: "Lakeside".to_owned(),
        email_status: "valid".to_owned(),
        clue: Clue {
            title: "Director".to_owned(),
            search: Some("workspace/us&title=director".to_owned()),
            ..Clue::default()
        },
        row: format!("{{\"id\":{id}}}"),
    };
    Staged::new(RowId(id), false, about)
}

/// The batch that a window writes down before it sends these contacts: checked, under a ceiling of a credit each.
pub fn intent(purse: Purse, key: KeyHash, window: WindowId, ids: &[i64]) -> BatchIntent {
    BatchIntent {
        order: None,
        purse,
        key,
        profile: "acme".to_owned(),
        window,
        corpus: Corpus::Us,
        asked: ids.len() as u64,
        verify: true,
        ceiling: Credits::for_contacts(ids.len()),
        caps: Caps::default(),
        basket: None,
        balance_before: None,
        clues: Vec::new(),
        rows: Vec::new(),
        again: None,
        sent: 0,
        grant: None,
        lists: 0,
        ids: ids.iter().copied().map(RowId).collect(),
    }
}
