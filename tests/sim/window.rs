//! One running lode: a screen's session or a shell command, a store of its own on the shared disk, and what it waits for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lode::cli::program::{Program, Script};
use lode::domain::contact::{Corpus, RowId};
use lode::domain::money::{BatchId, Caps};
use lode::domain::time::{Mono, Now};
use lode::effect::profile::{Allowance, KeyHash, Profile, Service, WindowId};
use lode::effect::store::StoreCall;
use lode::effect::{Answer, CallId, Effect, Ticket};
use lode::flow::retry::Patience;
use lode::flow::session::{Event, Session};
use lode::shell::store::Store;

use crate::robot::Robot;

pub const ORIGIN: &str = "http://127.0.0.1:1";

pub struct Window {
    pub generation: u64,
    pub store: Store,
    /// What a person works with; at rest where a script runs instead.
    pub session: Session,
    /// The shell command that runs, as it ships.
    pub script: Option<Program>,
    pub interrupted: bool,
    /// It has said that it leaves.
    pub leaves: bool,
    pub robot: Robot,
    /// Work of the store that is not done yet, in order.
    pub queue: VecDeque<(Ticket, StoreCall)>,
    pub store_busy: bool,
    pub cancelled: BTreeSet<CallId>,
    /// Unlocks on the wire.
    pub in_flight: BTreeMap<CallId, BatchId>,
    /// The wake-up that is set.
    pub wakes_at: Option<u64>,
}

pub fn profile(window: &str, caps: Caps, batch: u32) -> Profile {
    Profile {
        name: "sim".to_owned(),
        live: false,
        demo: false,
        workspace: Some(Service {
            origin: ORIGIN.to_owned(),
            key: KeyHash("5e55105e55105e55".to_owned()),
            shown: "lk_live".to_owned(),
            allowance: Allowance { requests: Some(120), window_ms: 60_000, in_flight: 8 },
        }),
        data: None,
        caps,
        batch,
        large_batch: 100,
        large_from: 250,
        from_environment: Vec::new(),
        note: None,
        window: WindowId(window.to_owned()),
    }
}

impl Window {
    pub fn new(
        generation: u64,
        profile: Profile,
        store: Store,
        (script, seed): (Option<Box<dyn Script>>, u64),
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Window {
        let mut script = script.map(|script| Program::new(&profile, seed, script));
        let session = match &mut script {
            Some(program) => {
                program.start(now, fx);
                Session::at_rest(profile, Patience::Shell, seed)
            }
            None => Session::start(profile, Patience::Window, seed, now, fx),
        };
        Window {
            generation,
            session,
            script,
            interrupted: false,
            leaves: false,
            robot: Robot::default(),
            queue: VecDeque::new(),
            store_busy: false,
            cancelled: BTreeSet::new(),
            in_flight: BTreeMap::new(),
            wakes_at: None,
            store,
        }
    }

    /// The session that works, a person's or a script's.
    pub fn session(&self) -> &Session {
        self.script.as_ref().map_or(&self.session, Program::session)
    }

    pub fn hear(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        if let Some(program) = &mut self.script {
            program.hear(answer, now, fx);
            return Vec::new();
        }
        self.session.hear(answer, now, fx).into_iter().map(Happened::Event).collect()
    }

    pub fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        if let Some(program) = &mut self.script {
            program.wake(now, fx);
            return Vec::new();
        }
        self.session.wake(now, fx).into_iter().map(Happened::Event).collect()
    }

    pub fn deadline(&self) -> Option<Mono> {
        self.script.as_ref().map_or_else(|| self.session.deadline(), Program::deadline)
    }

    /// Presses Ctrl-C, once.
    pub fn interrupt(&mut self, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        match &mut self.script {
            Some(program) if !self.interrupted => {
                self.interrupted = true;
                program.interrupt(now, fx);
                vec![Happened::Mark("a script was interrupted")]
            }
            _ => Vec::new(),
        }
    }

    pub fn doubts(&self) -> BTreeSet<RowId> {
        Corpus::ALL.into_iter().flat_map(|corpus| self.session().recovery.in_doubt(corpus)).collect()
    }

    /// What it waits for, in words for whoever reads a failing seed.
    pub fn stuck(&self) -> String {
        let unlock = format!("{:?}", self.session().unlock);
        let step = unlock.find("step: ").map_or("none", |at| &unlock[at..unlock.len().min(at + 160)]);
        format!(
            "{} looks {} in flight {:?} deadline {:?} alarm {:?} store {} {:?}; recovery idle {} {:?} in doubt {:?}; {step}",
            self.session().profile.window.0,
            self.robot.looks,
            self.in_flight,
            self.deadline(),
            self.wakes_at,
            self.store_busy,
            self.queue,
            self.session().recovery.is_idle(),
            self.session().recovery.looking(),
            self.doubts(),
        )
    }

    pub fn is_ready(&self) -> bool {
        self.session().ledger.is_loaded()
    }

    /// Nothing is under way and nothing in doubt.
    pub fn is_at_rest(&self) -> bool {
        self.script.is_none()
            && self.is_ready()
            && !self.session().unlock.is_running()
            && self.session().unlock.deadline().is_none()
            && self.session().recovery.is_clear()
            && self.session().recovery.is_idle()
            && self.robot.looks >= 1
            && self.queue.is_empty()
            && !self.store_busy
    }
}

/// What a step led to, for the world and its marks.
#[allow(clippy::large_enum_variant)] // Lives for one step.
pub enum Happened {
    Event(Event),
    Mark(&'static str),
}
