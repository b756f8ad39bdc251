//! How a simulation begins: at random, or on a calm day.

use std::collections::{BTreeMap, VecDeque};

use lode_core::credits::Credits;
use lode_core::money::Caps;
use lode_engine::effect::profile::WindowId;
use lode_host::store::Store;
use lode_sandbox::rate::RateLimit;
use lode_sandbox::service::{Service, ServiceSetup};
use lode_sandbox::variants::Variant;

use crate::counter::{Again, Counter};
use crate::network::{LATEST, TOO_LATE};
use crate::referee::Referee;
use crate::robot::Temper;
use crate::small::Plan;
use common::rng::{Draws, Key};

use super::{Happening, ROWS, Simulation, scripts};

impl Simulation {
    pub fn new(seed: u64) -> Simulation {
        let mut draws = Draws::new(seed);
        let mut rng = draws.next(Key::new("founding"));
        let variant = *rng.pick(&[Variant::A, Variant::B, Variant::C, Variant::D]);
        let credits = if rng.per_mille(500) { rng.between(5, 120) as i64 } else { 100_000 };
        let setup = ServiceSetup {
            us_rows: ROWS,
            linkedin_rows: ROWS,
            credits,
            seed: 1 + seed % 4,
            allowance: RateLimit { requests: 120, window_ms: 60_000 },
            variant,
            max_page: Some(*rng.pick(&[10, 25, 100])),
            threads: 1,
            ..common::asking::full()
        };
        // Two of three services keep their promises; the others charge a contact again, or do one part after the other.
        let again = *rng.pick(&[Again::Free, Again::Free, Again::Free, Again::Free, Again::Openly, Again::Silently]);
        let in_parts = rng.per_mille(150);
        let setup = match in_parts {
            // Each part is a request to the sandbox.
            true => ServiceSetup { allowance: RateLimit { requests: 10_000, window_ms: 60_000 }, ..setup },
            false => setup,
        };
        let mut wide = rng.per_mille(350);
        let lies = *rng.pick(&[0, 0, 100, 300]);
        let mut exits = *rng.pick(&[0, 0, 1, 3]);
        let latest = if rng.per_mille(100) { TOO_LATE } else { LATEST };
        let mut caps = Caps::default();
        if rng.per_mille(250) {
            caps.session = Some(Credits(rng.between(10, 60) as i64));
        }
        if rng.per_mille(250) {
            caps.day = Some(Credits(rng.between(20, 90) as i64));
        }
        if rng.per_mille(150) {
            caps.call = Some(Credits(rng.between(1, 20) as i64));
        }
        let mut storm = *rng.pick(&[0, 40, 100, 100, 200]);
        let mut crashes = *rng.pick(&[0, 0, 1, 3, 8]);
        let mut trouble = *rng.pick(&[0, 0, 10, 40]);
        let mut stalls = *rng.pick(&[0, 0, 30, 150]);
        let mut count = 1 + usize::from(rng.per_mille(600));
        let mut batch = *rng.pick(&[3, 7, 25]);
        let mut temper = *rng.pick(&[
            Temper::Curious,
            Temper::Curious,
            Temper::Curious,
            Temper::Greedy,
            Temper::Greedy,
            Temper::Hasty,
            Temper::Divided,
        ]);
        if temper == Temper::Greedy {
            // Two who only buy, over a line that loses much, under one cap that a single call can pass: here holds count.
            caps = Caps { day: Some(Credits(rng.between(12, 48) as i64)), ..Caps::default() };
            storm = *rng.pick(&[100, 200, 300]);
            count = 2;
            batch = *rng.pick(&[7, 25]);
        }
        if temper == Temper::Hasty {
            // Several who find the same batch after a crash, and send it again as soon as they may.
            storm = *rng.pick(&[100, 200, 300]);
            count = 3;
            (crashes, exits, trouble) = (3, 0, 0);
        }
        if temper == Temper::Divided {
            // A job goes on behind the other profile, under one session cap.
            wide = true;
            caps = Caps { session: Some(Credits(rng.between(12, 48) as i64)), ..Caps::default() };
            batch = 7;
        }
        let settings = rng.per_mille(400);
        let large_companies = rng.per_mille(130);
        if large_companies {
            // Many small batches of several contacts of a company: here a limit that is saved meanwhile counts.
            (temper, caps, batch) = (Temper::Curious, Caps::default(), 3);
            (trouble, stalls) = (0, 0);
        }
        let elsewhere = ServiceSetup { seed: setup.seed + 1, ..setup.clone() };
        let counters = if wide { vec![setup, elsewhere] } else { vec![setup] };
        let counters = counters.into_iter().map(|setup| Counter::new(Service::new(setup), again, in_parts)).collect();
        let mut sim = Simulation::empty(draws, counters, count);
        sim.large_companies = large_companies;
        sim.counters.iter_mut().for_each(|counter| counter.large_companies = large_companies);
        sim.found_places(wide);
        match again {
            Again::Free => {}
            Again::Openly => sim.referee.marks.hit("a service that charges again"),
            Again::Silently => sim.referee.marks.hit("a service that charges again and does not say so"),
        }
        sim.lies = lies;
        sim.exits = exits;
        sim.latest = latest;
        sim.caps = caps;
        sim.temper = temper;
        sim.batch = batch;
        sim.storm = storm;
        sim.crashes = crashes;
        sim.trouble = trouble;
        sim.stalls = stalls;
        sim.referee.begin(caps, stalls > 0 || trouble > 0);
        for slot in 0..count {
            sim.restart(slot);
        }
        sim.later(3_000, Key::new("world"), Happening::Simulation);
        if settings || large_companies {
            sim.later(2_000, Key::new("settings"), Happening::Settings);
        }
        sim
    }

    /// A service at its best and one window and no earlier one. Answers take `slow` milliseconds.
    pub fn calm(setup: ServiceSetup, slow: u64) -> Simulation {
        let counter = Counter::new(Service::new(setup), Again::Free, false);
        let mut sim = Simulation::empty(Draws::new(1), vec![counter], 1);
        sim.found_places(false);
        sim.calm = true;
        sim.settling = true;
        sim.slow = Some(slow);
        sim.batch = 25;
        sim.restart(0);
        sim
    }

    /// Two windows of one workspace that want five contacts, two to a batch, under a cap of three a day.
    pub fn small(plan: Plan) -> Simulation {
        let setup =
            ServiceSetup { us_rows: 12, linkedin_rows: 10, credits: 1_000, threads: 1, ..common::asking::full() };
        let windows = vec![
            VecDeque::from([scripts::buying(&[1, 2, 3]), scripts::finishing(3)]),
            VecDeque::from([scripts::buying_within(&[3, 4, 5], 2)]),
        ];
        Simulation::commanded(setup, 2, Caps { day: Some(Credits(3)), ..Caps::default() }, windows, plan)
    }

    /// A kind service, and in each window these commands, one process after the other. What goes wrong is in the plan.
    pub fn commanded(
        setup: ServiceSetup,
        batch: u32,
        caps: Caps,
        windows: Vec<VecDeque<scripts::Wanted>>,
        plan: Plan,
    ) -> Simulation {
        let counter = Counter::new(Service::new(setup), Again::Free, false);
        let mut sim = Simulation::empty(Draws::new(1), vec![counter], windows.len());
        sim.found_places(false);
        sim.settling = true;
        sim.watched = vec![0];
        sim.batch = batch;
        sim.caps = caps;
        // A plan may fill the disk.
        sim.trouble = 1;
        sim.referee.begin(caps, true);
        sim.scripts = windows;
        sim.plan = Some(plan);
        (0..sim.slots).for_each(|slot| sim.restart(slot));
        sim
    }

    pub(super) fn empty(draws: Draws, counters: Vec<Counter>, windows: usize) -> Simulation {
        let folder = common::folder();
        Simulation {
            now: 1_000,
            skew: 1_700_000_000_000,
            heap: BTreeMap::new(),
            seq: 0,
            counters,
            places: Vec::new(),
            keeper: Store::open_in_memory(folder.path(), WindowId("keeper".to_owned())),
            folder,
            windows: (0..windows).map(|_| None).collect(),
            slots: windows,
            runs: BTreeMap::new(),
            openings: BTreeMap::new(),
            caps: Caps::default(),
            limit: None,
            large_companies: false,
            temper: Temper::Curious,
            batch: 0,
            storm: 0,
            lies: 0,
            latest: LATEST,
            crashes: 0,
            exits: 0,
            trouble: 0,
            full_until: 0,
            stalls: 0,
            slow: None,
            settling: false,
            watched: Vec::new(),
            calm: false,
            strayed: None,
            minute: 0,
            finely: false,
            amounts: [0; 2],
            next_read: None,
            books: (Vec::new(), String::new()),
            told: VecDeque::new(),
            plan: None,
            scripts: Vec::new(),
            requests: Vec::new(),
            referee: Referee::default(),
            steps: 0,
            traced: false,
            broken: None,
            draws,
        }
    }
}
