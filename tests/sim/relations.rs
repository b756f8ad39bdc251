//! The same purchase in another way leaves the same behind: which contacts the workspace owns, and what they cost. Each relation
//! holds over random worlds; what is compared is what the service recorded, while the referee watches the ledger.

use std::collections::BTreeSet;

use lode_core::contact::RowId;
use lode_core::money::{Caps, Staged};
use lode_sandbox::service::ServiceSetup;
use lode_sandbox::variants::Variant;

use common::rng::Rng;

use crate::calm;
use crate::simulation::Simulation;
use crate::simulation::scripts::{self, Wanted};
use crate::small::Plan;

/// What the service has recorded at the end: who is owned, and how many credits are gone.
type Bought = (BTreeSet<u64>, i64);

const ROWS: u64 = 60;
const WORLDS: u64 = 6;

fn setup(seed: u64) -> ServiceSetup {
    let variant = *Rng::new(seed).pick(&[Variant::A, Variant::B, Variant::C, Variant::D]);
    ServiceSetup {
        us_rows: ROWS,
        linkedin_rows: 10,
        credits: 1_000,
        seed: 1 + seed % 4,
        threads: 1,
        variant,
        ..common::asking::full()
    }
}

/// Some contacts, in no order.
fn ids(rng: &mut Rng) -> Vec<i64> {
    let mut ids: BTreeSet<i64> = (0..12).map(|_| 1 + rng.below(ROWS) as i64).collect();
    ids.insert(7);
    let mut ids: Vec<i64> = ids.into_iter().collect();
    let first = rng.place(ids.len());
    ids.rotate_left(first);
    ids
}

/// The commands of each window, one process after the other, and how they are carried out.
struct Way {
    windows: Vec<Vec<Wanted>>,
    batch: u32,
    plan: Plan,
    /// Another member owns these already.
    owned: Vec<u64>,
}

impl Way {
    fn of(windows: Vec<Vec<Wanted>>) -> Way {
        Way { windows, batch: 25, plan: Plan::default(), owned: Vec::new() }
    }

    fn buys(ids: &[i64]) -> Way {
        Way::of(vec![vec![scripts::buying(ids)]])
    }

    /// What it leaves behind, and how many ways each choice had.
    fn taken(self, seed: u64) -> (Bought, Vec<usize>) {
        let windows = self.windows.into_iter().map(Into::into).collect();
        let mut sim = Simulation::commanded(setup(seed), self.batch, Caps::default(), windows, self.plan);
        sim.member_owns(&self.owned);
        sim.come_to_rest();
        let bought = sim.bought();
        let (outcome, asked) = sim.run_small();
        assert_eq!(outcome.broken, None, "simulation {seed}");
        (bought, asked)
    }

    fn bought(self, seed: u64) -> Bought {
        self.taken(seed).0
    }
}

/// Checks a relation in several worlds: what `other` leaves behind is what buying these contacts by one command does.
fn same(other: impl Fn(&[i64], &mut Rng) -> Way) {
    for seed in 1..=WORLDS {
        let mut rng = Rng::new(seed);
        let ids = ids(&mut rng);
        let usual = Way::buys(&ids).bought(seed);
        assert!(!usual.0.is_empty() && usual.1 > 0, "simulation {seed} buys nothing");
        assert_eq!(other(&ids, &mut rng).bought(seed), usual, "simulation {seed}, {ids:?}");
    }
}

#[test]
fn in_one_batch_or_many() {
    for batch in [1, 2, 5] {
        same(|ids, _| Way { batch, ..Way::buys(ids) });
    }
}

#[test]
fn in_any_order() {
    same(|ids, _| Way { batch: 3, ..Way::buys(&ids.iter().rev().copied().collect::<Vec<_>>()) });
}

#[test]
fn with_ids_that_are_named_twice() {
    same(|ids, _| Way::buys(&[ids, ids].concat()));
}

#[test]
fn by_two_windows_with_a_part_each() {
    same(|ids, rng| {
        let (one, other) = ids.split_at(rng.place(ids.len()).max(1));
        let part = |ids: &[i64]| if ids.is_empty() { Vec::new() } else { vec![scripts::buying(ids)] };
        Way { batch: 2, ..Way::of(vec![part(one), part(other)]) }
    });
}

#[test]
fn by_two_windows_that_both_want_all_and_ask_again() {
    same(|ids, _| {
        let twice = || vec![scripts::buying(ids), scripts::buying(ids)];
        Way { batch: 2, ..Way::of(vec![twice(), twice()]) }
    });
}

#[test]
fn when_it_is_bought_again() {
    same(|ids, _| Way::of(vec![vec![scripts::buying(ids), scripts::buying(ids), scripts::buying(ids)]]));
}

#[test]
fn in_parts_that_overlap() {
    same(|ids, rng| {
        let half = &ids[..rng.place(ids.len()).max(1)];
        Way::of(vec![vec![scripts::buying(half), scripts::buying(ids)]])
    });
}

#[test]
fn with_a_larger_amount_than_needed() {
    same(|ids, _| Way::of(vec![vec![scripts::buying_within(ids, 500)]]));
}

#[test]
fn from_a_slow_service() {
    same(|ids, _| Way { batch: 3, plan: Plan { down: 20_000, ..Plan::default() }, ..Way::buys(ids) });
}

/// After any of the deviations of a small world, clearing up and asking again ends as if nothing had happened.
fn after(is_tried: impl Fn(usize) -> Option<usize>) {
    same(|ids, rng| {
        let windows =
            || vec![vec![scripts::buying(ids), scripts::finishing(50), scripts::checking(), scripts::buying(ids)]];
        let seed = rng.roll();
        let (_, asked) = Way { batch: 4, ..Way::of(windows()) }.taken(1 + seed % WORLDS);
        let tried: Vec<(usize, usize)> =
            asked.iter().enumerate().filter_map(|(at, ways)| Some((at, is_tried(*ways)?))).collect();
        let plan = Plan::new(vec![*rng.pick(&tried)]);
        Way { batch: 4, plan, ..Way::of(windows()) }
    });
}

#[test]
fn with_a_process_that_dies_on_the_way() {
    after(|ways| (ways == 3).then_some(1));
}

#[test]
fn with_an_unlock_whose_answer_is_lost() {
    after(|ways| (ways > 20).then_some(5));
}

#[test]
fn with_an_unlock_that_is_carried_out_in_part_and_lost() {
    after(|ways| (ways > 20).then_some(6));
}

#[test]
fn on_the_screen_instead_of_by_a_command() {
    for seed in 1..=WORLDS {
        let ids = ids(&mut Rng::new(seed));
        let mut sim = Simulation::calm(setup(seed), 40);
        sim.until(|session| session.ledger.loaded && !session.balance.is_asking());
        calm::review_and_accept(&mut sim, ids.iter().map(|id| Staged::by_id(RowId(*id))).collect());
        assert_eq!(sim.bought(), Way::buys(&ids).bought(seed), "simulation {seed}, {ids:?}");
    }
}

/// What two disjoint purchases cost together is what they cost apart.
#[test]
fn costs_add_up() {
    for seed in 1..=WORLDS {
        let ids = ids(&mut Rng::new(seed));
        let (one, other) = ids.split_at(ids.len() / 2);
        let [one, other, all] = [one, other, &ids].map(|ids| Way::buys(ids).bought(seed));
        assert_eq!(one.1 + other.1, all.1, "simulation {seed}, {ids:?}");
        assert_eq!(one.0.union(&other.0).copied().collect::<BTreeSet<_>>(), all.0);
    }
}

/// What another member owns already costs nothing, and nothing else changes.
#[test]
fn what_is_owned_already_is_free() {
    for seed in 1..=WORLDS {
        let ids = ids(&mut Rng::new(seed));
        let (one, other) = ids.split_at(ids.len() / 2);
        let owned: Vec<u64> = one.iter().map(|id| *id as u64).collect();
        let with = Way { owned, ..Way::buys(&ids) }.bought(seed);
        let without = Way::buys(other).bought(seed);
        assert_eq!(with.1, without.1, "simulation {seed}, {ids:?}");
        assert!(without.0.is_subset(&with.0));
    }
}
