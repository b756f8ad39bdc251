//! One window of lode in a simulation: a session, driven as the screen drives it.

use common::sandbox_engine::Said;
use lode_core::contact::{Corpus, Side, Source};
use lode_core::purse::{Origin, Purse};
use lode_core::query::Query;
use lode_core::time::{Mono, Now};
use lode_engine::effect::call::Call;
use lode_engine::effect::profile::KeyHash;
use lode_engine::effect::store::BatchIntent;
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::search::window::Slot;
use lode_engine::flow::session::{Event, Session};
use lode_host::store::Store;

use common::flow_simulation::{FlowSimulation, Machine};
use common::flow_simulation::{profile, stores};

pub struct Screen {
    pub session: Session,
    pub events: Vec<Event>,
}

impl Machine for Screen {
    fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) {
        self.events.extend(self.session.handle(answer, now, fx));
    }

    fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.events.extend(self.session.wake(now, fx));
    }

    fn deadline(&self) -> Option<Mono> {
        self.session.deadline()
    }
}

/// One window of lode in a simulation.
pub struct Desktop<'a> {
    pub sim: FlowSimulation<'a>,
    pub screen: Screen,
}

pub const US: Side = Side { source: Source::Workspace, corpus: Corpus::Us };
pub const DATA: Side = Side { source: Source::Data, corpus: Corpus::Us };

impl<'a> Desktop<'a> {
    pub fn new(seed: u64, service: impl FnMut(&Call, u64) -> Said + 'a) -> Desktop<'a> {
        Desktop::on(stores(1), seed, service)
    }

    pub fn on(stores: Vec<Store>, seed: u64, service: impl FnMut(&Call, u64) -> Said + 'a) -> Desktop<'a> {
        Desktop::waiting(RetryPolicy::Window, stores, seed, service)
    }

    /// One that waits as a window does, or as a command does.
    pub fn waiting(
        patience: RetryPolicy,
        stores: Vec<Store>,
        seed: u64,
        service: impl FnMut(&Call, u64) -> Said + 'a,
    ) -> Desktop<'a> {
        let mut sim = FlowSimulation::new(seed, stores, service);
        let mut fx = Vec::new();
        sim.saved = Some(profile("w0"));
        let session = Session::start(profile("w0"), patience, seed, sim.moment(), &mut fx);
        sim.perform(0, &mut fx);
        Desktop { sim, screen: Screen { session, events: Vec::new() } }
    }

    pub fn act(&mut self, act: impl FnOnce(&mut Session, Now, &mut Vec<Effect>)) {
        let mut fx = Vec::new();
        act(&mut self.screen.session, self.sim.moment(), &mut fx);
        self.sim.perform(0, &mut fx);
    }

    pub fn search(&mut self, query: &Query) {
        self.act(|session, now, fx| session.search_at(query.clone(), 0, now, fx));
    }

    pub fn look(&mut self, side: Side, top: u64, height: u64, cursor: u64) {
        self.act(|session, now, fx| {
            let (state, desk) = session.side_mut(side);
            state.window.set_viewport(top, height, cursor, &mut desk.at(now, fx));
        });
    }

    pub fn for_ms(&mut self, ms: u64) {
        let until = self.sim.now + ms;
        self.sim.run(&mut [&mut self.screen], until);
    }

    pub fn until_quiet(&mut self) {
        self.sim.run(&mut [&mut self.screen], u64::MAX);
    }

    pub fn slot(&self, side: Side, index: u64) -> Slot<'_> {
        self.screen.session.side(side).window.slot(index)
    }

    pub fn total(&self, side: Side) -> Option<u64> {
        self.screen.session.side(side).window.total()
    }
}

/// The batch that the window of a store writes down before it sends these contacts for a workspace.
pub fn intent(store: &Store, org: &str, ids: &[i64]) -> BatchIntent {
    let purse = Purse::of_org(Origin::of("https://service.example"), org);
    common::flow_simulation::intent(purse, KeyHash("aa".to_owned()), store.window().clone(), ids)
}
