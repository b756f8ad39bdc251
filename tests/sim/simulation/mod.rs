//! Virtual time: a heap of happenings, services, one disk, several processes, and everything that can go wrong between them.

pub mod closed;
mod disk;
mod exit_signals;
mod founding;
mod guided;
mod line;
mod moves;
mod places;
mod rest;
pub mod scripts;
mod settings;
mod windows;

use common::asking::Askable;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lode_core::contact::Corpus;
use lode_core::money::Caps;
use lode_core::time::{Mono, Now, Wall};
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, StoreFailure};
use lode_engine::effect::files::{FileFailure, FileReply};
use lode_engine::effect::store::StoreReply;
use lode_engine::effect::{Answer, CallId, Effect, Ticket};
use lode_engine::flow::session::{Event, Session};
use lode_host::store::Store;
use lode_sandbox::service::DEFAULT_KEY;
use lode_sandbox::service::ServiceAnswer as Answered;

use crate::counter::{Counter, kind};
use crate::digests;
use crate::network::{Fate, Garble};
use crate::referee::Referee;
use crate::robot::Temper;
use crate::small::Plan;
use crate::window::{Place, Window};
use common::rng::{Draws, Key};

pub const ROWS: u64 = 180;

/// A request on its way to the service.
#[derive(Clone)]
struct Underway {
    /// Names the request in the draws of all that happens to it.
    key: Key,
    from: Sender,
    /// What arrives: all of it, or a part.
    call: Call,
    /// The answer goes back after this time, if a client waits for it.
    down: Option<u64>,
    mangled: Option<Mangled>,
    /// It comes later, or oftener, than any slot of the limiter can stand for.
    stray: bool,
    /// What its parts were answered so far, where the service does one part after the other.
    parts: Vec<Answered>,
    left: Vec<Call>,
}

/// What becomes of an answer between the service and us.
#[derive(Clone, Copy)]
enum Mangled {
    Said { said: crate::network::Said, topped: bool },
    Garbled(Garble),
}

enum Happening {
    /// A request reaches the service.
    Arrive(Box<Underway>),
    Replied {
        generation: u64,
        call: CallId,
        result: Box<Result<Reply, Failure>>,
        /// Of a search.
        corpus: Option<Corpus>,
        /// When the service made the answer.
        served: u64,
        alarming: bool,
    },
    StoreStep {
        generation: u64,
        key: Key,
    },
    Stored {
        generation: u64,
        ticket: Ticket,
        result: Box<Result<StoreReply, StoreFailure>>,
    },
    Wake {
        generation: u64,
    },
    Robot {
        generation: u64,
    },
    Restart {
        slot: usize,
    },
    /// A process that was told to end has waited long enough, or is told so a second time.
    Leave {
        run: u64,
    },
    /// Something else changes: other members, credits, keys, the Do-Not-Sell list, the wall clock.
    Simulation,
    /// Settings, a list or a key are saved.
    Settings,
    /// What the settings say of a profile was read.
    Filed {
        generation: u64,
        ticket: Ticket,
        result: Box<Result<FileReply, FileFailure>>,
    },
}

#[derive(Clone)]
struct Sender {
    generation: u64,
    id: CallId,
    /// Of an unlock: its number among all that left.
    sending: Option<usize>,
    /// For which purse, by which key.
    place: Place,
}

pub struct Simulation {
    draws: Draws,
    now: u64,
    skew: i64,
    /// By time. What happens in the same millisecond is ordered by its key, not by what was planned first.
    heap: BTreeMap<(u64, Key, u64), Happening>,
    seq: u64,
    counters: Vec<Counter>,
    places: Vec<Place>,
    keeper: Store,
    /// Where the other files of the stores are.
    #[expect(dead_code, reason = "it goes with the simulation")]
    folder: tempfile::TempDir,
    /// The first `slots` are opened again when they end; behind them stand profiles that were left while a job of them ran.
    windows: Vec<Option<Window>>,
    slots: usize,
    /// How many processes were started in each slot.
    runs: BTreeMap<usize, u64>,
    /// How many profiles were opened in each slot.
    openings: BTreeMap<usize, u64>,
    caps: Caps,
    /// The limit per company that is saved.
    limit: Option<u32>,
    /// A few large companies, and orders that take long: a limit is saved while they run.
    large_companies: bool,
    temper: Temper,
    batch: u32,
    storm: u64,
    lies: u64,
    latest: u64,
    crashes: u64,
    /// How often, of a thousand steps, a process is told to end.
    exits: u64,
    trouble: u64,
    full_until: u64,
    /// How often, of a thousand, the disk takes its time: what one window knows is old when it is written down.
    stalls: u64,
    slow: Option<u64>,
    settling: bool,
    /// While settling: the purses that still have to be checked, slot by slot.
    watched: Vec<usize>,
    /// Nothing goes wrong, no place changes, the disk takes a millisecond.
    calm: bool,
    /// When a request last arrived that the limiter cannot answer for.
    strayed: Option<u64>,
    /// Of a guided one: since when lines may be young.
    minute: u64,
    /// Of a guided one: every write of money waits for its turn, the amounts of its commands, and what becomes of the next read.
    finely: bool,
    amounts: [i64; 2],
    next_read: Option<Fate>,
    /// The ledger as it was read last, and as text.
    books: (Vec<u8>, String),
    /// Of a small world: what goes wrong, and the commands of each slot, one process after the other.
    plan: Option<Plan>,
    scripts: Vec<VecDeque<scripts::Wanted>>,
    /// On a calm day: what the session told.
    told: VecDeque<Event>,
    /// Every request as it left: when, from which window, to which service, by which key.
    requests: Vec<(u64, String)>,
    pub referee: Referee,
    pub steps: u64,
    pub traced: bool,
    broken: Option<String>,
}

pub struct Outcome {
    pub steps: u64,
    pub virtual_ms: u64,
    pub referee: Referee,
    pub broken: Option<String>,
    /// Requests, records of the services and ledger.
    pub text: String,
}

impl Simulation {
    /// Does something at the window, as a person or a test would.
    pub fn act<T>(&mut self, what: impl FnOnce(&mut Session, Now, &mut Vec<Effect>) -> T) -> T {
        let now = self.at();
        let mut out = None;
        self.touch(0, |window, fx| {
            out = Some(what(&mut window.session, now, fx));
            Vec::new()
        });
        out.expect("the window is there")
    }

    /// The order that was just begun by hand has this amount.
    pub fn ordered(&mut self, typed: i64) {
        self.windows[0].as_mut().expect("the window is there").orders(typed);
    }

    /// Lets time pass until something is so. Panics when it never is, or a rule breaks on the way.
    pub fn until(&mut self, what: impl Fn(&Session) -> bool) {
        while !self.windows[0].as_ref().is_some_and(|window| what(&window.session)) {
            assert!(self.step(), "it never came to that");
            assert_eq!(self.broken, None);
        }
    }

    /// Lets time pass until the session tells something; the oldest first.
    pub fn next_event(&mut self) -> Option<Event> {
        while self.told.is_empty() {
            assert!(self.step(), "it never came to that");
            assert_eq!(self.broken, None);
        }
        self.told.pop_front()
    }

    pub fn session(&self) -> &Session {
        &self.windows[0].as_ref().expect("the window is there").session
    }

    pub fn clock(&self) -> u64 {
        self.now
    }

    /// When the service received each request of our key.
    pub fn receipts(&self) -> Vec<u64> {
        self.counters[0].service.state().log.receipts(DEFAULT_KEY)
    }

    /// Safety first: lets it run wild for a while. Then liveness: nothing goes wrong any more, and everything must come to its
    /// end. Then the referee is asked.
    pub fn run(mut self) -> Outcome {
        let wild = 30_000 + self.draws.next(Key::new("wild")).below(320_000);
        while self.now < wild && self.broken.is_none() {
            if !self.step() {
                break;
            }
        }
        self.settle();
        self.come_to_rest();
        self.outcome()
    }

    /// Another member of the workspace owns these contacts of the first corpus.
    pub fn member_owns(&mut self, ids: &[u64]) {
        let (org, now) = (Simulation::org_of(&self.places[0]), self.now);
        let counter = &mut self.counters[0];
        let before = counter.service.balance(&org, now);
        counter.service.member_unlocks(&org, kind(Corpus::Us), ids, now);
        counter.service.set_credits(&org, before, now);
        counter.pass(now);
    }

    /// Which contacts of the first corpus the service has recorded as owned, and how many of its credits are gone.
    pub fn bought(&self) -> (BTreeSet<u64>, i64) {
        let (org, service) = (Simulation::org_of(&self.places[0]), &self.counters[0].service);
        let owned = service.read(self.now, |records| {
            records.org(&org).map_or_else(BTreeSet::new, |org| org.owned.of(kind(Corpus::Us)).keys().copied().collect())
        });
        (owned, service.setup.credits - self.balance_of(&self.places[0]))
    }

    /// Runs the simulation until everything that was started has ended.
    pub fn come_to_rest(&mut self) {
        let limit = self.now + 4 * 3_600_000;
        while self.broken.is_none() && !self.is_at_rest() {
            if self.now > limit || !self.step() {
                let unknown: Vec<String> = self.windows.iter().flatten().map(Window::stuck).collect();
                self.broken = Some(format!("it never came to rest: {unknown:#?}"));
            }
        }
        if self.broken.is_none() {
            self.rest();
        }
    }

    fn outcome(mut self) -> Outcome {
        let text = self.text();
        Outcome { steps: self.steps, virtual_ms: self.now, referee: self.referee, broken: self.broken, text }
    }

    /// Lets a small world come to its end. Returns how many ways each choice had.
    pub fn run_small(mut self) -> (Outcome, Vec<usize>) {
        self.come_to_rest();
        let asked = self.plan.take().expect("a small world").asked;
        (self.outcome(), asked)
    }

    fn text(&mut self) -> String {
        // What leaves in the same millisecond has no order.
        self.requests.sort();
        let mut lines: Vec<String> = self.requests.iter().map(|(at, request)| format!("{at} {request}")).collect();
        for (at, counter) in self.counters.iter().enumerate() {
            lines.extend(counter.service.read(self.now, |books| digests::records(at, books)));
        }
        lines.extend(digests::ledger(&self.keeper.image().expect("a ledger in memory")));
        lines.join("\n")
    }

    fn at(&self) -> Now {
        Now { wall: Wall(self.skew + self.now as i64), mono: Mono(self.now) }
    }

    fn later(&mut self, wait: u64, key: Key, happening: Happening) {
        self.seq += 1;
        self.heap.insert((self.now + wait, key, self.seq), happening);
    }

    /// Prints what happens with `SIM_TRACE=1`.
    fn trace(&self, words: impl FnOnce() -> String) {
        if self.traced {
            println!("{:>9} {}", self.now, words());
        }
    }

    fn judge(&mut self, verdict: Result<(), String>) {
        if let Err(words) = verdict {
            self.broken.get_or_insert(words);
        }
    }

    fn step(&mut self) -> bool {
        let Some(((at, key, _), happening)) = self.heap.pop_first() else { return false };
        self.now = self.now.max(at);
        self.steps += 1;
        if !self.settling {
            let mut rng = self.draws.next(Key::new("ends").and(key));
            if rng.per_mille(self.crashes) {
                self.crash(rng.place(self.slots));
            }
            if rng.per_mille(self.exits) {
                self.tell_to_end(rng.place(self.slots));
            }
        }
        self.ends_by_plan(&happening);
        self.happens(happening);
        true
    }

    fn happens(&mut self, happening: Happening) {
        match happening {
            Happening::Arrive(underway) => {
                if underway.stray {
                    self.strayed = Some(self.now);
                }
                self.arrive(*underway);
            }
            Happening::Replied { generation, call, result, corpus, served, alarming } => {
                self.reply((generation, call), *result, corpus, served, alarming);
            }
            Happening::StoreStep { generation, key } => self.store_step(generation, key),
            Happening::Stored { generation, ticket, result } => {
                if let Some(slot) = self.slot_of(generation) {
                    if let Some(window) = &mut self.windows[slot] {
                        window.store_busy = false;
                    }
                    self.handle(slot, Answer::Stored(ticket, *result));
                }
            }
            Happening::Wake { generation } => self.wake(generation),
            Happening::Robot { generation } => self.robot(generation),
            Happening::Restart { slot } => self.restart(slot),
            Happening::Leave { run } => self.leave_at_last(run),
            Happening::Simulation => self.moves(),
            Happening::Settings => self.change_settings(),
            Happening::Filed { generation, ticket, result } => {
                if let Some(slot) = self.slot_of(generation) {
                    self.handle(slot, Answer::Filed(ticket, *result));
                }
            }
        }
    }

    /// In a small world the process that something is about to happen to may die before it, or be told to end.
    fn ends_by_plan(&mut self, happening: &Happening) {
        let generation = match happening {
            Happening::Arrive(underway) => underway.from.generation,
            Happening::Replied { generation, .. } | Happening::Stored { generation, .. } => *generation,
            _ => return,
        };
        let Some(slot) = self.slot_of(generation) else { return };
        let way = self.plan.as_mut().map_or(0, |plan| plan.choose(3));
        match way {
            1 => self.crash(slot),
            2 => self.tell_to_end(slot),
            _ => {}
        }
    }

    fn slot_of(&self, generation: u64) -> Option<usize> {
        self.windows.iter().position(|window| window.as_ref().is_some_and(|window| window.generation == generation))
    }

    fn living(&mut self, generation: u64) -> Option<&mut Window> {
        self.windows.iter_mut().flatten().find(|window| window.generation == generation)
    }

    /// Every window of a process.
    fn of_run(&self, run: u64) -> Vec<usize> {
        let is_of = |window: &Option<Window>| window.as_ref().is_some_and(|window| window.run == run);
        (0..self.windows.len()).filter(|slot| is_of(&self.windows[*slot])).collect()
    }
}
