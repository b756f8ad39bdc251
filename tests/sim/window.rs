//! One running lode: the real flows, a store of its own on the shared disk, and what it is waiting for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lode::domain::contact::{Corpus, RowId};
use lode::domain::credits::Credits;
use lode::domain::money::{BatchId, Caps, Purse};
use lode::domain::time::Now;
use lode::effect::profile::{Allowance, KeyHash, Profile, Service, WindowId};
use lode::effect::store::StoreCall;
use lode::effect::{CallId, Effect, Ticket};
use lode::flow::desk::{Desk, Heard};
use lode::flow::ledger::Ledger;
use lode::flow::recovery::{self, Recovery};
use lode::flow::retry::Patience;
use lode::flow::unlock::{self, Unlock};
use lode::shell::store::Store;

use crate::robot::Robot;

pub struct Window {
    pub generation: u64,
    pub profile: Profile,
    pub store: Store,
    pub desk: Desk,
    pub unlock: Unlock,
    pub recovery: Recovery,
    pub ledger: Ledger,
    pub robot: Robot,
    /// Work of the store that is not done yet, in order.
    pub queue: VecDeque<(Ticket, StoreCall)>,
    pub store_busy: bool,
    pub cancelled: BTreeSet<CallId>,
    /// Unlocks on the wire.
    pub in_flight: BTreeMap<CallId, BatchId>,
    /// The wake-up that is set.
    pub wakes_at: Option<u64>,
    pub purse: Option<Purse>,
    /// What an earlier run left incomplete was handed to the recovery.
    gleaned: bool,
}

pub fn profile(window: &str, caps: Caps, batch: u32) -> Profile {
    Profile {
        name: "sim".to_owned(),
        live: false,
        workspace: Some(Service {
            origin: "http://127.0.0.1:1".to_owned(),
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
    pub fn new(generation: u64, profile: Profile, store: Store, patience: Patience, seed: u64) -> Window {
        Window {
            generation,
            desk: Desk::new(&profile, patience, seed),
            unlock: Unlock::new(patience, seed),
            recovery: Recovery::new(profile.name.clone()),
            ledger: Ledger::new(profile.window.clone()),
            robot: Robot::default(),
            queue: VecDeque::new(),
            store_busy: false,
            cancelled: BTreeSet::new(),
            in_flight: BTreeMap::new(),
            wakes_at: None,
            purse: None,
            gleaned: false,
            store,
            profile,
        }
    }

    /// What the service said goes to the flow it belongs to, as the session does it.
    pub fn route(&mut self, heard: &Heard, now: Now, fx: &mut Vec<Effect>) -> Vec<Happened> {
        let Window { desk, unlock, recovery, ledger, .. } = self;
        let taken =
            unlock.hear(heard, desk, now, fx) || recovery.hear(heard, desk, now, fx) || ledger.hear(heard, desk, fx);
        if !taken {
            self.robot_hears(heard, now, fx);
        }
        self.turn(fx)
    }

    /// After every step: what the flows have to tell each other.
    pub fn turn(&mut self, fx: &mut Vec<Effect>) -> Vec<Happened> {
        let mut happened = Vec::new();
        self.recovery.spare(self.unlock.at_work());
        while let Some(news) = self.unlock.news() {
            match news {
                unlock::News::Doubt => self.recovery.refresh(&mut self.desk, fx),
                unlock::News::Finished(summary) => {
                    self.ledger.refresh(&mut self.desk, fx);
                    self.recovery.refresh(&mut self.desk, fx);
                    happened.push(Happened::Finished(summary));
                }
                unlock::News::Settled { .. } => {}
            }
        }
        while let Some(news) = self.recovery.news() {
            if matches!(news, recovery::News::Settled { .. } | recovery::News::Completed { .. }) {
                self.ledger.refresh(&mut self.desk, fx);
            }
        }
        if self.ledger.is_loaded() && !self.gleaned {
            self.gleaned = true;
            let incomplete: Vec<(Corpus, RowId)> = self.ledger.incomplete().map(|o| (o.corpus, o.id)).collect();
            for (corpus, id) in incomplete {
                self.recovery.complete(corpus, [(id, Default::default())]);
            }
        }
        happened
    }

    /// What it waits for, in words for whoever reads a failing seed.
    pub fn stuck(&self) -> String {
        let unlock = format!("{:?}", self.unlock);
        let step = unlock.find("step: ").map_or("none", |at| &unlock[at..unlock.len().min(at + 160)]);
        let desk = format!("{:?}", self.desk);
        format!(
            "{} ready {} looks {} {:?} deadline {:?} alarm {:?} store {} {:?}; recovery idle {} {:?} in doubt {:?}; {step}; {desk}",
            self.profile.window.0,
            self.robot_is_ready(),
            self.robot.looks,
            self.in_flight,
            self.desk.deadline(),
            self.wakes_at,
            self.store_busy,
            self.queue,
            self.recovery.is_idle(),
            self.recovery.looking(),
            self.doubts(),
        )
    }

    pub fn balance(&self) -> Option<(Credits, lode::domain::time::Mono)> {
        self.robot.balance
    }
}

pub enum Happened {
    Finished(Box<lode::flow::unlock::job::Summary>),
    Mark(&'static str),
}
