//! Virtual time: a heap of happenings, one service, one disk, several windows, and everything that can go wrong between them.

use std::collections::{BTreeMap, VecDeque};

use lode::domain::contact::{Corpus, RowId};
use lode::domain::credits::Credits;
use lode::domain::money::{BatchId, Caps, Purse};
use lode::domain::time::{Mono, Now, Wall};
use lode::effect::call::{Call, Reply};
use lode::effect::failure::{Failure, StoreFailure, Unclear};
use lode::effect::profile::WindowId;
use lode::effect::store::{IntentRefused, StoreCall, StoreReply};
use lode::effect::{Answer, CallId, Effect, Ticket};
use lode::flow::retry::Patience;
use lode::flow::session::{Event, Session};
use lode::flow::unlock::end::End;
use lode::sandbox::books::lines::What;
use lode::sandbox::corpus::Kind;
use lode::sandbox::rate::Allowance;
use lode::sandbox::service::{DEFAULT_KEY, Service, Setup, Watch};
use lode::sandbox::variants::Variant;
use lode::shell::store::Store;

use crate::dice::Dice;
use crate::network::{self, Fate, LATEST};
use crate::referee::{Referee, Truth};
use crate::robot::Temper;
use crate::window::{Happened, ORIGIN, Window, profile};

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
    pub fn new(seed: u64) -> World {
        let mut dice = Dice::new(seed);
        let variant = *dice.pick(&[Variant::A, Variant::B, Variant::C, Variant::D]);
        let credits = if dice.per_mille(500) { dice.between(5, 120) as i64 } else { 100_000 };
        let setup = Setup {
            us_rows: ROWS,
            linkedin_rows: ROWS,
            credits,
            seed: 1 + seed % 4,
            allowance: Allowance { requests: 120, window_ms: 60_000 },
            variant,
            max_page: Some(*dice.pick(&[10, 25, 100])),
            threads: 1,
            ..Setup::default()
        };
        let mut caps = Caps::default();
        if dice.per_mille(250) {
            caps.session = Some(Credits(dice.between(10, 60) as i64));
        }
        if dice.per_mille(250) {
            caps.day = Some(Credits(dice.between(20, 90) as i64));
        }
        if dice.per_mille(150) {
            caps.call = Some(Credits(dice.between(1, 20) as i64));
        }
        let mut storm = *dice.pick(&[0, 40, 100, 100, 200]);
        let crashes = *dice.pick(&[0, 0, 1, 3, 8]);
        let trouble = *dice.pick(&[0, 0, 10, 40]);
        let mut count = 1 + usize::from(dice.per_mille(600));
        let mut batch = *dice.pick(&[3, 7, 25]);
        let temper = *dice.pick(&[Temper::Curious, Temper::Curious, Temper::Greedy]);
        if temper == Temper::Greedy {
            // Two who only buy, over a line that loses much, under one cap that a single call can pass: here holds count.
            caps = Caps { day: Some(Credits(dice.between(12, 48) as i64)), ..Caps::default() };
            storm = *dice.pick(&[100, 200, 300]);
            count = 2;
            batch = *dice.pick(&[7, 25]);
        }
        let mut world = World::empty(dice, setup, count);
        world.caps = caps;
        world.temper = temper;
        world.batch = batch;
        world.storm = storm;
        world.crashes = crashes;
        world.trouble = trouble;
        world.referee.caps = caps;
        world.books_read = world.service.read(world.now, |books| books.lines().len());
        for slot in 0..count {
            world.restart(slot);
        }
        world.later(3_000, Happening::World);
        world
    }

    /// A service at its best and one window with nobody before it. Answers take `slow` milliseconds.
    pub fn calm(setup: Setup, slow: u64) -> World {
        let mut world = World::empty(Dice::new(1), setup, 1);
        world.calm = true;
        world.settling = true;
        world.slow = Some(slow);
        world.batch = 25;
        world.restart(0);
        world
    }

    fn empty(dice: Dice, setup: Setup, windows: usize) -> World {
        let service = Service::new(setup);
        let (key, org) = (service.workspace_key(), service.org());
        let books_read = service.read(0, |books| books.lines().len());
        World {
            now: 1_000,
            skew: 1_700_000_000_000,
            heap: BTreeMap::new(),
            seq: 0,
            service,
            key,
            org,
            keeper: Store::open_in_memory(WindowId("keeper".to_owned())),
            windows: (0..windows).map(|_| None).collect(),
            generation: 0,
            caps: Caps::default(),
            temper: Temper::Curious,
            batch: 0,
            storm: 0,
            crashes: 0,
            trouble: 0,
            slow: None,
            settling: false,
            calm: false,
            books_read,
            strayed: None,
            told: VecDeque::new(),
            referee: Referee::default(),
            steps: 0,
            broken: None,
            dice,
        }
    }

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
        let patience = if self.dice.per_mille(800) { Patience::Window } else { Patience::Shell };
        let seed = self.dice.next();
        let now = self.at();
        let mut fx = Vec::new();
        let profile = profile(&name, self.caps, self.batch);
        let window = Window::new(generation, profile, store, (patience, seed), now, &mut fx);
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

    fn crash(&mut self, slot: usize) {
        let Some(mut window) = self.windows[slot].take() else { return };
        // What the store had not answered yet may have been done all the same: any part of it from the front.
        if !window.queue.is_empty() {
            self.referee.marks.hit("crash with work of the store under way");
        }
        let intended = window.session.unlock.at_work().is_some_and(|batch| {
            !window.in_flight.values().any(|flying| *flying == batch)
                && self.referee.batches.get(&batch).is_some_and(|batch| batch.sendings == 0)
        });
        if intended {
            self.referee.marks.hit("crash between intent and sending");
        }
        if !window.in_flight.is_empty() {
            self.referee.marks.hit("crash while in flight");
        }
        let pending = |window: &Window, what: fn(&StoreCall) -> bool| window.queue.iter().any(|(_, call)| what(call));
        if pending(&window, |call| matches!(call, StoreCall::Settle(_) | StoreCall::Heard { .. })) {
            self.referee.marks.hit("crash between answer and settlement");
        }
        while let Some((_, call)) = window.queue.pop_front() {
            if self.dice.per_mille(400) {
                break;
            }
            let now = self.at();
            if let Ok(reply) = window.store.perform(call.clone(), now) {
                let verdict = self.referee.stored(&call, &reply);
                self.judge(verdict);
            }
        }
        self.referee.crashed(window.generation);
        // With the process its lines break: nothing of it arrives later than a call may be under way.
        let (generation, now) = (window.generation, self.now);
        drop(window);
        let mine = |happening: &Happening| matches!(happening, Happening::Arrive { from, .. } if from.generation == generation);
        let late: Vec<(u64, u64)> =
            self.heap.iter().filter(|((at, _), h)| mine(h) && *at > now + LATEST).map(|(key, _)| *key).collect();
        for key in late {
            let mut happening = self.heap.remove(&key).expect("just seen");
            if let Happening::Arrive { stray, .. } = &mut happening {
                *stray = true;
            }
            let wait = self.dice.below(LATEST);
            self.later(wait, happening);
        }
        let wait = if self.settling { 100 } else { self.dice.between(100, 90_000) };
        self.later(wait, Happening::Restart { slot });
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
            _ => {}
        }
    }

    fn kick_store(&mut self, slot: usize) {
        let wait = if self.calm { 0 } else { self.dice.below(12) };
        let Some(window) = self.windows[slot].as_mut() else { return };
        if !window.store_busy && !window.queue.is_empty() {
            window.store_busy = true;
            let generation = window.generation;
            self.later(wait, Happening::StoreStep { slot, generation });
        }
    }

    fn store_step(&mut self, slot: usize, generation: u64) {
        let now = self.at();
        let fails = !self.settling && self.dice.per_mille(self.trouble);
        let wait = if self.calm { 1 } else { self.dice.below(6) };
        let Some(window) = self.living(slot, generation) else { return };
        let Some((ticket, call)) = window.queue.pop_front() else { return };
        let result = if fails { Err(StoreFailure::Full) } else { window.store.perform(call.clone(), now) };
        match &result {
            Ok(StoreReply::IntentRefused(why)) => {
                let marks = &mut self.referee.marks;
                match why {
                    IntentRefused::Cap { .. } => marks.hit("a cap held an order back"),
                    IntentRefused::BasketChanged => marks.hit("the basket changed under a quote"),
                    IntentRefused::Open(_) => marks.hit("two windows wanted the same contact"),
                    _ => {}
                }
            }
            Ok(reply) => {
                let verdict = self.referee.stored(&call, reply);
                self.judge(verdict);
            }
            Err(failure) => {
                let marks = &mut self.referee.marks;
                match &call {
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
        self.touch(slot, |window, fx| window.session.hear(answer, now, fx).into_iter().map(Happened::Event).collect());
        self.kick_store(slot);
    }

    fn wake(&mut self, slot: usize, generation: u64) {
        let now = self.at();
        let Some(window) = self.living(slot, generation) else { return };
        if window.wakes_at.is_none_or(|at| at > now.mono.0) {
            return;
        }
        window.wakes_at = None;
        self.touch(slot, |window, fx| window.session.wake(now, fx).into_iter().map(Happened::Event).collect());
    }

    fn set_alarm(&mut self, slot: usize) {
        let now = self.now;
        let Some(window) = self.windows[slot].as_mut() else { return };
        let Some(at) = window.session.deadline().map(|at| at.0.max(now + 1)) else { return };
        if window.wakes_at.is_none_or(|set| set > at || set <= now) {
            window.wakes_at = Some(at);
            let generation = window.generation;
            self.later(at - now, Happening::Wake { slot, generation });
        }
    }

    fn send(&mut self, slot: usize, id: CallId, call: Call) {
        let storm = if self.settling { 0 } else { self.storm };
        let fate = network::fate(&call, storm, self.slow, &mut self.dice);
        let Some(window) = self.windows[slot].as_mut() else { return };
        let mut batch = None;
        if let Call::Unlock(unlock) = &call {
            batch = window.session.unlock.at_work();
            let flying = window.in_flight.len();
            let verdict = self.referee.leaves(batch, unlock, flying);
            if let Some(batch) = batch {
                window.in_flight.insert(id, batch);
            }
            self.judge(verdict);
        }
        let Some(window) = self.windows[slot].as_ref() else { return };
        let generation = window.generation;
        let from = Sender { slot, generation, id, batch };
        let unlock = matches!(call, Call::Unlock(_));
        let arrive = |call: &Call, down, garbled| Happening::Arrive {
            from: from.clone(),
            call: call.clone(),
            down,
            garbled,
            stray: false,
        };
        let strays = |call: &Call| Happening::Arrive {
            from: from.clone(),
            call: call.clone(),
            down: None,
            garbled: None,
            stray: true,
        };
        let fails =
            |failure: Failure| Happening::Replied { slot, generation, call: id, result: Box::new(Err(failure)) };
        let mut mark = |what: &'static str| {
            if unlock {
                self.referee.marks.hit(what);
            }
        };
        match fate {
            Fate::Fine { up, down } => self.later(up, arrive(&call, Some(down), None)),
            Fate::Twice { up, down } => {
                mark("delivered twice");
                self.later(up, arrive(&call, Some(down), None));
                // A copy of a call that was answered could still buy what its answer called out of credits, and nobody on this side
                // of the line could know: that is left to the service.
                if self.service.balance(&self.org, self.now) > 1_000 {
                    self.later(up, strays(&call));
                }
            }
            Fate::Lost { broke } => {
                mark("request lost before arriving");
                self.later(broke, fails(network::broken(Unclear::Line)));
            }
            Fate::Deaf { up, broke, part, copy } => {
                mark(match (part, copy) {
                    (Some(_), _) => "applied in part and lost",
                    (None, Some(_)) => "copy arrived after its line broke",
                    (None, None) => "answer lost after charging",
                });
                let applied = part.map_or(call.clone(), |part| network::part_of(&call, part));
                self.later(up, arrive(&applied, None, None));
                if let Some(after) = copy {
                    self.later(broke + after, strays(&call));
                }
                self.later(broke, fails(network::broken(Unclear::Line)));
            }
            Fate::Late { broke, after } => {
                mark("request arrived after its line broke");
                self.later(broke, fails(network::broken(Unclear::Deadline)));
                self.later(broke + after, strays(&call));
            }
            Fate::Instead { at, status, retry_after } => {
                mark(if status == 429 { "429" } else { "5xx before applying" });
                let result = Box::new(network::instead(&call, status, retry_after));
                self.later(at, Happening::Replied { slot, generation, call: id, result });
            }
            Fate::Garbled { up, down, status, cut } => {
                mark(if status == 200 { "2xx that cannot be read" } else { "5xx after applying" });
                self.later(up, arrive(&call, Some(down), Some((status, cut))));
            }
            Fate::Unsent { at } => {
                mark("never left");
                self.later(at, fails(Failure::Unsent { words: "no route".to_owned() }));
            }
        }
    }

    fn arrive(&mut self, from: &Sender, call: &Call, down: Option<u64>, garbled: Option<(u16, bool)>) {
        let request = network::request(call, &self.key);
        let answer = self.service.handle(&request, self.now, &Watch::CALM);
        if answer.status == 429 && self.strayed.is_none_or(|at| at + 61_000 < self.now) {
            self.judge(Err(format!("the service had to refuse by its limit at {}", self.now)));
        }
        self.read_books(from);
        let Some(down) = down else { return };
        let result = match garbled {
            None => network::read(call, &answer),
            Some((200, true)) => {
                let mut cut = answer.clone();
                let mut body = answer.bytes().unwrap_or_default();
                body.truncate(body.len() / 2);
                cut.body = lode::sandbox::service::answer::Body::Bytes(body);
                network::read(call, &cut)
            }
            Some((status, _)) => network::instead(call, status, None),
        };
        let (slot, generation, call) = (from.slot, from.generation, from.id);
        self.later(down, Happening::Replied { slot, generation, call, result: Box::new(result) });
    }

    /// What the service has written into its books since we last looked, and on whose account.
    fn read_books(&mut self, from: &Sender) {
        let from_line = self.books_read;
        let lines = self.service.read(self.now, |books| books.lines()[from_line..].to_vec());
        self.books_read += lines.len();
        let refunds: Vec<u64> =
            lines.iter().filter(|line| line.what == What::Refund).filter_map(|line| line.contact).collect();
        for line in lines.iter().filter(|line| line.what == What::Charge && line.by == DEFAULT_KEY) {
            let (Some(batch), Some(contact)) = (from.batch, line.contact) else {
                self.judge(Err("a charge that no order asked for".to_owned()));
                continue;
            };
            let refunded = refunds.contains(&contact);
            let id = RowId(contact as i64);
            let verdict = self.referee.charged(batch, id, refunded, self.now);
            self.judge(verdict);
        }
    }

    fn reply(&mut self, slot: usize, generation: u64, call: CallId, result: Result<Reply, Failure>) {
        let Some(window) = self.living(slot, generation) else { return };
        if window.cancelled.contains(&call) {
            return;
        }
        if let Some(batch) = window.in_flight.remove(&call)
            && let Ok(Reply::Unlock { body, .. }) = &result
        {
            let again = self.referee.batches.get(&batch).is_some_and(|batch| batch.sendings > 1);
            self.referee.delivered(generation, batch, body);
            if again {
                self.referee.marks.hit("the identical batch was answered");
            }
        }
        self.hear(slot, Answer::Replied(call, result));
    }

    fn robot(&mut self, slot: usize, generation: u64) {
        let now = self.at();
        let (settling, temper) = (self.settling, self.temper);
        let mut dice = Dice::new(self.dice.next());
        if self.living(slot, generation).is_none() {
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

    fn moves(&mut self) {
        if self.settling {
            return;
        }
        let corpus = *self.dice.pick(&[Corpus::Us, Corpus::Linkedin]);
        let kind = kind(corpus);
        match self.dice.below(10) {
            0..3 => {
                let ids: Vec<u64> = (0..1 + self.dice.below(12)).map(|_| 1 + self.dice.below(ROWS)).collect();
                let doubts: Vec<RowId> = self.windows.iter().flatten().flat_map(Window::doubts).collect();
                let bought = self.service.member_unlocks(&self.org, kind, &ids, self.now);
                if bought.iter().any(|id| doubts.contains(&RowId(*id as i64))) {
                    self.referee.marks.hit("another member unlocked a contact in doubt");
                }
            }
            3 => drop(self.service.member_spends(&self.org, 1 + self.dice.below(30) as i64, self.now)),
            4..6 => {
                let credits = if self.dice.per_mille(300) { 0 } else { self.dice.below(80) as i64 };
                self.service.set_credits(&self.org, credits, self.now);
            }
            6 => self.service.set_credits(&self.org, 50_000, self.now),
            7 => {
                let doubts: Vec<u64> =
                    self.windows.iter().flatten().flat_map(Window::doubts).map(|id| id.0 as u64).collect();
                let id = if !doubts.is_empty() && self.dice.per_mille(600) {
                    *self.dice.pick(&doubts)
                } else {
                    1 + self.dice.below(ROWS)
                };
                self.service.suppress(kind, &[id]);
            }
            8 => {
                self.referee.marks.hit("the wall clock jumped");
                // A clock that jumps ahead ends the day, for lode as for its owner: then there is no cap to judge by.
                let jumps: &[i64] = match self.caps.day {
                    Some(_) => &[-90_000_000, -3_600_000],
                    None => &[-90_000_000, -3_600_000, 120_000, 90_000_000],
                };
                let jump = *self.dice.pick(jumps);
                self.skew += jump;
            }
            _ => {}
        }
        self.books_read = self.service.read(self.now, |books| books.lines().len());
        let wait = self.dice.between(500, 20_000);
        self.later(wait, Happening::World);
    }

    /// From now on nothing goes wrong any more, and what is in doubt is cleared up.
    fn settle(&mut self) {
        self.settling = true;
        self.service.set_credits(&self.org, 1_000_000, self.now);
        self.books_read = self.service.read(self.now, |books| books.lines().len());
        for slot in 0..self.windows.len() {
            self.restart(slot);
        }
    }

    fn is_at_rest(&self) -> bool {
        let flying = self.heap.values().any(|happening| matches!(happening, Happening::Arrive { .. }));
        !flying && self.windows.iter().all(|window| window.as_ref().is_some_and(Window::is_at_rest))
    }

    fn rest(&mut self) {
        self.referee.marks.hit("clear at rest");
        let now = self.at();
        let purse = Purse { origin: ORIGIN.to_owned(), org: self.org.clone() };
        let owned = match self.keeper.perform(StoreCall::Owned { purse: purse.clone(), corpus: None }, now) {
            Ok(StoreReply::Owned(owned)) => owned,
            other => {
                self.broken = Some(format!("what we own cannot be read: {other:?}"));
                return;
            }
        };
        let spent = self.keeper.perform(StoreCall::Spent { purse, window: WindowId("keeper".to_owned()) }, now);
        if let Ok(StoreReply::Spent(spent)) = spent
            && spent.held != Credits::ZERO
        {
            self.broken = Some(format!("{} held at rest", spent.held));
        }
        let (service, org) = (&self.service, &self.org);
        let truth = Truth {
            address: &|corpus, id| {
                let person = service.person(kind(corpus), id.0 as u64);
                person.map(|person| (person.email.to_string(), person.phone.to_string())).unwrap_or_default()
            },
            suppressed: &|corpus, id| {
                service.read(self.now, |books| books.suppressed(kind(corpus)).contains(&(id.0 as u64)))
            },
            owned: &|corpus, id| {
                let owns = |books: &lode::sandbox::books::Books| {
                    books.org(org).is_some_and(|org| org.owned.of(kind(corpus)).contains_key(&(id.0 as u64)))
                };
                service.read(self.now, owns)
            },
        };
        let verdict = self.referee.at_rest(&owned, &truth);
        self.judge(verdict);
    }
}

fn kind(corpus: Corpus) -> Kind {
    match corpus {
        Corpus::Us => Kind::Us,
        Corpus::Linkedin => Kind::Linkedin,
    }
}
