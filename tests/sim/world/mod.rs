//! Virtual time: a heap of happenings, one service, one disk, several windows, and everything that can go wrong between them.

mod ends;
mod founding;
mod line;
mod moves;
mod rest;
mod scripts;

use std::collections::{BTreeMap, VecDeque};

use lode::domain::contact::Corpus;
use lode::domain::money::{BatchId, Caps};
use lode::domain::time::{Mono, Now, Wall};
use lode::effect::call::{Call, Reply};
use lode::effect::failure::{Failure, StoreFailure};
use lode::effect::profile::WindowId;
use lode::effect::store::{IntentRefused, StoreCall, StoreReply};
use lode::effect::{Answer, CallId, Effect, Ticket};
use lode::flow::session::{Event, Session};
use lode::flow::unlock::end::End;
use lode::sandbox::corpus::Kind;
use lode::sandbox::service::{DEFAULT_KEY, Service};
use lode::shell::store::Store;

use crate::dice::Dice;
use crate::referee::Referee;
use crate::robot::Temper;
use crate::window::{Happened, Window, profile};

pub const ROWS: u64 = 180;

enum Happening {
    /// A request reaches the service. The answer goes back after `down`, if anybody waits for it.
    Arrive {
        from: Sender,
        call: Call,
        down: Option<u64>,
        garbled: Option<(u16, bool)>,
        /// It comes later, or oftener, than any slot of the limiter can stand for.
        stray: bool,
    },
    Replied {
        slot: usize,
        generation: u64,
        call: CallId,
        result: Box<Result<Reply, Failure>>,
    },
    StoreStep {
        slot: usize,
        generation: u64,
    },
    Stored {
        slot: usize,
        generation: u64,
        ticket: Ticket,
        result: Box<Result<StoreReply, StoreFailure>>,
    },
    Wake {
        slot: usize,
        generation: u64,
    },
    Robot {
        slot: usize,
        generation: u64,
    },
    Restart {
        slot: usize,
    },
    /// The world moves: other members, credits, the Do-Not-Sell list, the wall clock.
    World,
}

#[derive(Clone)]
struct Sender {
    slot: usize,
    generation: u64,
    id: CallId,
    batch: Option<BatchId>,
}

pub struct World {
    dice: Dice,
    now: u64,
    skew: i64,
    heap: BTreeMap<(u64, u64), Happening>,
    seq: u64,
    service: Service,
    key: String,
    org: String,
    keeper: Store,
    windows: Vec<Option<Window>>,
    generation: u64,
    caps: Caps,
    temper: Temper,
    batch: u32,
    storm: u64,
    crashes: u64,
    trouble: u64,
    full_until: u64,
    /// How often, of a thousand, the disk takes its time: what one window knows is old when it is written down.
    stalls: u64,
    slow: Option<u64>,
    settling: bool,
    /// Nothing goes wrong, nobody wanders, the disk takes a millisecond.
    calm: bool,
    books_read: usize,
    /// When a request last arrived that the limiter cannot answer for.
    strayed: Option<u64>,
    /// On a calm day: what the session told.
    told: VecDeque<Event>,
    pub referee: Referee,
    pub steps: u64,
    broken: Option<String>,
}

pub struct Outcome {
    pub steps: u64,
    pub virtual_ms: u64,
    pub referee: Referee,
    pub broken: Option<String>,
}

impl World {
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
        self.service.receipts(DEFAULT_KEY)
    }

    /// Lets it run wild for a while, then lets it come to rest, and asks the referee.
    pub fn run(mut self) -> Outcome {
        let wild = 30_000 + self.dice.below(320_000);
        while self.now < wild && self.broken.is_none() {
            if !self.step() {
                break;
            }
        }
        self.settle();
        let limit = self.now + 4 * 3_600_000;
        while self.broken.is_none() && !self.is_at_rest() {
            if self.now > limit || !self.step() {
                let doubts: Vec<String> = self.windows.iter().flatten().map(Window::stuck).collect();
                self.broken = Some(format!("it never came to rest: {doubts:#?}"));
            }
        }
        if self.broken.is_none() {
            self.rest();
        }
        Outcome { steps: self.steps, virtual_ms: self.now, referee: self.referee, broken: self.broken }
    }

    fn at(&self) -> Now {
        Now { wall: Wall(self.skew + self.now as i64), mono: Mono(self.now) }
    }

    fn later(&mut self, wait: u64, happening: Happening) {
        self.seq += 1;
        self.heap.insert((self.now + wait, self.seq), happening);
    }

    fn judge(&mut self, verdict: Result<(), String>) {
        if let Err(words) = verdict {
            self.broken.get_or_insert(words);
        }
    }

    fn step(&mut self) -> bool {
        let Some(((at, _), happening)) = self.heap.pop_first() else { return false };
        self.now = self.now.max(at);
        self.steps += 1;
        if !self.settling && self.dice.per_mille(self.crashes) {
            let slot = self.dice.below(self.windows.len() as u64) as usize;
            self.crash(slot);
        }
        match happening {
            Happening::Arrive { from, call, down, garbled, stray } => {
                if stray {
                    self.strayed = Some(self.now);
                }
                self.arrive(&from, &call, down, garbled);
            }
            Happening::Replied { slot, generation, call, result } => {
                self.reply(slot, generation, call, *result);
            }
            Happening::StoreStep { slot, generation } => self.store_step(slot, generation),
            Happening::Stored { slot, generation, ticket, result } => {
                if let Some(window) = self.living(slot, generation) {
                    window.store_busy = false;
                    self.hear(slot, Answer::Stored(ticket, *result));
                }
            }
            Happening::Wake { slot, generation } => self.wake(slot, generation),
            Happening::Robot { slot, generation } => self.robot(slot, generation),
            Happening::Restart { slot } => self.restart(slot),
            Happening::World => self.moves(),
        }
        true
    }

    fn living(&mut self, slot: usize, generation: u64) -> Option<&mut Window> {
        self.windows[slot].as_mut().filter(|window| window.generation == generation)
    }

    fn restart(&mut self, slot: usize) {
        if self.windows[slot].is_some() {
            return;
        }
        self.generation += 1;
        let generation = self.generation;
        let name = format!("w{slot}-{generation}");
        let store = self.keeper.beside(WindowId(name.clone()));
        let shell = !self.calm && !self.settling && self.dice.per_mille(250);
        let script = shell.then(|| scripts::any(&mut self.dice));
        let seed = self.dice.next();
        let now = self.at();
        let mut fx = Vec::new();
        let profile = profile(&name, self.caps, self.batch);
        let window = Window::new(generation, profile, store, (script, seed), now, &mut fx);
        self.windows[slot] = Some(window);
        self.touch(slot, |_, effects| {
            effects.append(&mut fx);
            Vec::new()
        });
        if !self.calm {
            let wait = self.dice.between(100, 3_000);
            self.later(wait, Happening::Robot { slot, generation });
        }
    }

    /// Everything that touches a window ends here: its effects are put on their way, its next wake-up is set.
    fn touch(&mut self, slot: usize, what: impl FnOnce(&mut Window, &mut Vec<Effect>) -> Vec<Happened>) {
        let Some(window) = self.windows[slot].as_mut() else { return };
        let mut fx = Vec::new();
        let happened = what(window, &mut fx);
        for news in &happened {
            if let Happened::Event(event) = news {
                window.robot_hears(event);
            }
        }
        for news in happened {
            self.news(news);
        }
        for effect in fx {
            self.perform(slot, effect);
        }
        if self.windows[slot].as_ref().is_some_and(|window| window.leaves) {
            return self.leave(slot);
        }
        self.set_alarm(slot);
    }

    fn news(&mut self, news: Happened) {
        let marks = &mut self.referee.marks;
        match news {
            Happened::Mark(mark) => marks.hit(mark),
            Happened::Event(Event::Finished(summary)) => match &summary.end {
                End::OutOfCredits => marks.hit("credits ran out within a batch"),
                End::Stopped => marks.hit("stopped after a call"),
                End::Withheld(IntentRefused::Cap { .. }) => marks.hit("a cap held an order back"),
                End::Withheld(IntentRefused::BasketChanged) => marks.hit("the basket changed under a quote"),
                End::Withheld(IntentRefused::Open(_)) => marks.hit("two windows wanted the same contact"),
                _ => {}
            },
            Happened::Event(event) if self.calm => self.told.push_back(event),
            Happened::Event(_) => {}
        }
    }

    fn perform(&mut self, slot: usize, effect: Effect) {
        let Some(window) = self.windows[slot].as_mut() else { return };
        match effect {
            Effect::Store(ticket, call) => {
                window.queue.push_back((ticket, call));
                self.kick_store(slot);
            }
            Effect::Send(id, call) => self.send(slot, id, call),
            Effect::Cancel(id) => drop(window.cancelled.insert(id)),
            Effect::Quit(_) => window.leaves = true,
            _ => {}
        }
    }

    fn kick_store(&mut self, slot: usize) {
        let Some(window) = self.windows[slot].as_mut() else { return };
        if !window.store_busy && !window.queue.is_empty() {
            let wait = if self.calm {
                0
            } else if !self.settling && self.dice.per_mille(self.stalls) {
                self.dice.between(30, 6_000)
            } else {
                self.dice.below(12)
            };
            window.store_busy = true;
            let generation = window.generation;
            self.later(wait, Happening::StoreStep { slot, generation });
        }
    }

    fn store_step(&mut self, slot: usize, generation: u64) {
        let now = self.at();
        let full = !self.settling && self.now < self.full_until;
        let mut fails = !self.settling && self.dice.per_mille(self.trouble);
        let wait = if self.calm { 1 } else { self.dice.below(6) };
        let Some(window) = self.living(slot, generation) else { return };
        let Some((ticket, call)) = window.queue.pop_front() else { return };
        // A full disk stays full for a while, for whatever writes into the books.
        fails |= full && writes_money(&call);
        let result = if fails { Err(StoreFailure::Full) } else { window.store.perform(call.clone(), now) };
        match &result {
            Ok(StoreReply::IntentRefused(why)) => {
                let marks = &mut self.referee.marks;
                match why {
                    IntentRefused::Cap { .. } => marks.hit("a cap held an order back"),
                    IntentRefused::BasketChanged => marks.hit("the basket changed under a quote"),
                    IntentRefused::Open(_) => match &call {
                        StoreCall::Intend(intent) if intent.again.is_some() => {
                            marks.hit("a batch in flight elsewhere was not sent again");
                        }
                        _ => marks.hit("two windows wanted the same contact"),
                    },
                    _ => {}
                }
            }
            Ok(reply) => {
                if let StoreCall::Heard { batch, .. } = &call
                    && window.session().unlock.at_work() != Some(*batch)
                {
                    self.referee.marks.hit("an answer was kept after its order had ended");
                }
                let verdict = self.referee.stored(&call, reply);
                self.judge(verdict);
            }
            Err(failure) => {
                let marks = &mut self.referee.marks;
                match &call {
                    // Then the window counts for itself alone, and the others do not know of its request.
                    StoreCall::Reserve { .. } => self.strayed = Some(self.now),
                    StoreCall::Intend(_) => marks.hit("store failed at an intent"),
                    StoreCall::Heard { .. } => marks.hit("store failed at keeping an answer"),
                    StoreCall::Settle(_) => marks.hit("store failed at a settlement"),
                    _ => {}
                }
                if !fails {
                    self.judge(Err(format!("the store refused {call:?}: {failure}")));
                }
            }
        }
        self.later(wait, Happening::Stored { slot, generation, ticket, result: Box::new(result) });
    }

    fn hear(&mut self, slot: usize, answer: Answer) {
        let now = self.at();
        self.touch(slot, |window, fx| window.hear(answer, now, fx));
        self.kick_store(slot);
    }

    fn wake(&mut self, slot: usize, generation: u64) {
        let now = self.at();
        let Some(window) = self.living(slot, generation) else { return };
        if window.wakes_at.is_none_or(|at| at > now.mono.0) {
            return;
        }
        window.wakes_at = None;
        self.touch(slot, |window, fx| window.wake(now, fx));
    }

    fn set_alarm(&mut self, slot: usize) {
        let now = self.now;
        let Some(window) = self.windows[slot].as_mut() else { return };
        let Some(at) = window.deadline().map(|at| at.0.max(now + 1)) else { return };
        if window.wakes_at.is_none_or(|set| set > at || set <= now) {
            window.wakes_at = Some(at);
            let generation = window.generation;
            self.later(at - now, Happening::Wake { slot, generation });
        }
    }

    fn robot(&mut self, slot: usize, generation: u64) {
        let now = self.at();
        let (settling, temper) = (self.settling, self.temper);
        let mut dice = Dice::new(self.dice.next());
        let Some(window) = self.living(slot, generation) else { return };
        if window.script.is_some() {
            if dice.per_mille(if settling { 0 } else { 60 }) {
                self.touch(slot, |window, fx| window.interrupt(now, fx));
            }
            self.later(1_000, Happening::Robot { slot, generation });
            return;
        }
        self.touch(slot, |window, fx| {
            if !window.is_ready() {
                window.session.focused(now, fx);
                return Vec::new();
            }
            if settling { window.settle(&mut dice, now, fx) } else { window.wander(temper, &mut dice, now, fx) }
        });
        let slowest = if temper == Temper::Greedy { 4_000 } else { 9_000 };
        let wait = if settling { 2_000 } else { self.dice.between(200, slowest) };
        self.later(wait, Happening::Robot { slot, generation });
    }
}

fn writes_money(call: &StoreCall) -> bool {
    matches!(
        call,
        StoreCall::Intend(_)
            | StoreCall::Heard { .. }
            | StoreCall::Lost { .. }
            | StoreCall::Withdraw { .. }
            | StoreCall::Settle(_)
            | StoreCall::Sighted { .. }
            | StoreCall::Own { .. }
    )
}

fn kind(corpus: Corpus) -> Kind {
    match corpus {
        Corpus::Us => Kind::Us,
        Corpus::Linkedin => Kind::Linkedin,
    }
}
