//! One running lode: a screen's session or a shell command, a store of its own on the shared disk, and what it waits for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use lode::ops::program::{Program, Script};
use lode_core::choose::Choosing;
use lode_core::contact::{Corpus, RowId};
use lode_core::money::Caps;
use lode_core::purse::Purse;
use lode_core::time::{Mono, Now};
use lode_core::{ScoreField, ScoreRule, ScoreRules};
use lode_engine::effect::profile::{Allowance, KeyHash, Profile, ServiceProfile, Sizes, WindowId};
use lode_engine::effect::store::StoreCall;
use lode_engine::effect::{Answer, CallId, Effect, Outgoing, Ticket};
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::session::{Event, Session};
use lode_host::store::Store;

use common::rng::Key;

use crate::referee::{Ordered, Wanted, Who};
use crate::robot::Robot;

/// A key and the service it is for: what a profile names.
#[derive(Clone, Debug)]
pub struct Place {
    /// Which of the profiles.
    pub at: usize,
    /// Of which of the services.
    pub counter: usize,
    pub purse: usize,
    pub named: Purse,
    pub profile: &'static str,
    /// The address in one of its spellings.
    pub origin: String,
    pub key: String,
    pub key_name: String,
    pub searches: bool,
}

/// One profile, opened in one process.
pub struct Window {
    /// Of this opening.
    pub generation: u64,
    /// Of the process.
    pub run: u64,
    pub place: Place,
    /// Another profile is looked at; this one has a job that goes on.
    pub behind: bool,
    /// The process was told to end, and waits until then for what is on the wire.
    pub leaving: Option<u64>,
    /// The amount under which it buys at the moment, and how many there were.
    pub ordered: Option<Ordered>,
    pub orders: u64,
    pub store: Store,
    /// What a person works with; at rest where a script runs instead.
    pub session: Session,
    /// The shell command that runs, as it ships.
    pub script: Option<Program>,
    pub interrupted: bool,
    /// It has said that it leaves.
    pub leaves: bool,
    pub robot: Robot,
    /// What its command printed because it is stored nowhere.
    pub printed: String,
    /// How many lines its command printed.
    pub lines: u32,
    /// Work of the store that is not done yet, in order.
    pub queue: VecDeque<(Ticket, StoreCall)>,
    pub store_busy: bool,
    pub canceled: BTreeSet<CallId>,
    /// Unlocks on the wire, each by its number among all that ever left.
    pub in_flight: BTreeMap<CallId, usize>,
    /// The requests of these unlocks: one that never left is given back.
    pub requests: BTreeMap<CallId, Outgoing>,
    /// The wake-up that is set.
    pub wakes_at: Option<u64>,
}

pub fn profile(window: &str, place: &Place, caps: Caps, batch: u32) -> Profile {
    Profile {
        name: place.profile.to_owned(),
        live: false,
        demo: false,
        workspace: Some(ServiceProfile {
            origin: place.origin.clone(),
            key: KeyHash(format!(
                "{:016x}",
                place.key.bytes().fold(7u64, |sum, byte| sum * 31 % (1 << 40) + u64::from(byte))
            )),
            shown: "lk_live".to_owned(),
            allowance: Allowance { requests: Some(120), window_ms: 60_000, in_flight: 8 },
        }),
        data: None,
        caps,
        sizes: Sizes { batch, large_batch: 100, large_from: 250 },
        choosing: choosing(),
        from_environment: Vec::new(),
        note: None,
        window: WindowId(window.to_owned()),
    }
}

/// Rules of every kind of field that the robot's corpora have.
fn choosing() -> Choosing {
    let mut card = ScoreRules::default();
    for (field, words, points) in [
        (ScoreField::Title, "director", 20),
        (ScoreField::Title, "engineer", 5),
        (ScoreField::EmailType, "personal", -15),
        (ScoreField::EmailStatus, "valid", 3),
        (ScoreField::Owned, "company", -7),
    ] {
        card.add(ScoreRule::new(field, words, points).expect("it has a word"));
    }
    Choosing { card: Arc::new(card), among: 150, ..Choosing::default() }
}

/// How a window is opened.
pub struct Opening {
    pub generation: u64,
    pub run: u64,
    pub place: Place,
    pub profile: Profile,
    /// A shell command instead of a screen, with the amount it names.
    pub script: Option<(Script, i64)>,
    pub seed: u64,
}

impl Window {
    pub fn new(opening: Opening, store: Store, now: Now, fx: &mut Vec<Effect>) -> Window {
        let Opening { generation, run, place, profile, script, seed } = opening;
        let ordered = script.as_ref().map(|(_, typed)| Ordered { no: generation << 20, typed: *typed });
        let mut script = script.map(|(script, _)| Program::new(&profile, seed, script));
        let session = match &mut script {
            Some(program) => {
                program.start(now, fx);
                Session::at_rest(profile, RetryPolicy::Shell, seed)
            }
            None => Session::start(profile, RetryPolicy::Window, seed, now, fx),
        };
        Window {
            generation,
            run,
            place,
            behind: false,
            leaving: None,
            ordered,
            orders: 0,
            session,
            script,
            interrupted: false,
            leaves: false,
            robot: Robot::default(),
            printed: String::new(),
            lines: 0,
            queue: VecDeque::new(),
            store_busy: false,
            canceled: BTreeSet::new(),
            in_flight: BTreeMap::new(),
            requests: BTreeMap::new(),
            wakes_at: None,
            store,
        }
    }

    /// Names this opening in the draws.
    pub fn key(&self) -> Key {
        Key::new("window").number(self.generation)
    }

    pub fn who(&self) -> Who {
        Who {
            generation: self.generation,
            run: self.run,
            purse: self.place.purse,
            named: self.place.named.clone(),
            searches: self.place.searches,
            key: (self.place.at, self.place.key.clone()),
            order: self.ordered,
        }
    }

    /// An order begins under this amount.
    pub fn orders(&mut self, typed: i64) {
        self.orders += 1;
        self.ordered = Some(Ordered { no: (self.generation << 20) + self.orders, typed });
    }

    /// Money is on its way here: it goes on while another profile is looked at, and is waited for at the end.
    pub fn is_working(&self) -> bool {
        self.session().unlock().is_running() || self.session().unlock().has_unsaved()
    }

    /// The session that works, a person's or a script's.
    pub fn session(&self) -> &Session {
        self.script.as_ref().map_or(&self.session, Program::session)
    }

    pub fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        if let Some(program) = &mut self.script {
            program.handle(answer, now, fx);
            return Vec::new();
        }
        self.session.handle(answer, now, fx).into_iter().map(Happened::Event).collect()
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

    pub fn unknown(&self) -> BTreeSet<RowId> {
        Corpus::ALL.into_iter().flat_map(|corpus| self.session().recovery.unknown(corpus)).collect()
    }

    /// What it waits for, in words for the reader of a failing seed.
    pub fn stuck(&self) -> String {
        let unlock = format!("{:?}", self.session().unlock());
        let step = unlock.find("step: ").map_or("none", |at| &unlock[at..unlock.len().min(at + 160)]);
        format!(
            "{} of purse {} behind {} at rest {} leaving {:?} looks {} in flight {:?} deadline {:?} alarm {:?} store {} {:?}; recovery idle {} {:?} in doubt {:?}; {step}",
            self.session().profile().window.0,
            self.place.purse,
            self.behind,
            self.is_at_rest(),
            self.leaving,
            self.robot.looks,
            self.in_flight,
            self.deadline(),
            self.wakes_at,
            self.store_busy,
            self.queue,
            self.session().recovery.is_idle(),
            self.session().recovery.checking(),
            self.unknown(),
        )
    }

    pub fn is_ready(&self) -> bool {
        self.session().ledger.loaded
    }

    /// Nothing is under way and nothing unknown.
    pub fn is_at_rest(&self) -> bool {
        self.script.is_none()
            && self.is_ready()
            && !self.session().unlock().is_running()
            && self.session().unlock().deadline().is_none()
            && self.session().recovery.is_clear()
            && self.session().recovery.is_idle()
            && self.robot.looks >= 1
            && self.queue.is_empty()
            && !self.store_busy
    }
}

/// What a step led to, for the simulation and its marks.
#[allow(clippy::large_enum_variant)] // Lives for one step.
pub enum Happened {
    Event(Event),
    Mark(&'static str),
    /// Rows go into the basket by hand; none of these words may be in their titles.
    Takes(Corpus, Vec<RowId>, Vec<String>),
    /// Rows are chosen by themselves, none with these words in its title.
    Chooses(Corpus, Vec<String>),
    /// What is shown is accepted, under the amount that was just typed.
    Accepts(Wanted),
}
