//! How a world begins: by dice, or on a calm day.

use std::collections::{BTreeMap, VecDeque};

use lode::domain::credits::Credits;
use lode::domain::money::Caps;
use lode::effect::profile::WindowId;
use lode::sandbox::rate::Allowance;
use lode::sandbox::service::{Service, Setup};
use lode::sandbox::variants::Variant;
use lode::shell::store::Store;

use crate::dice::Dice;
use crate::referee::Referee;
use crate::robot::Temper;

use super::{Happening, ROWS, World};

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
        let stalls = *dice.pick(&[0, 0, 30, 150]);
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
        world.stalls = stalls;
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

    pub(super) fn empty(dice: Dice, setup: Setup, windows: usize) -> World {
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
            full_until: 0,
            stalls: 0,
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
}
