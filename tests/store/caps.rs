//! *Bounded*, as a property: random windows, crashes, outcomes and clocks, against an independent count.

use std::collections::BTreeMap;

use common::rng::Rng;
use lode_core::credits::Credits;
use lode_core::money::*;
use lode_core::time::*;
use lode_engine::effect::store::*;
use lode_host::store::Store;

use crate::bench::*;

const DAY: i64 = 86_400_000;

/// The count kept by hand: no query, no index, every charge a line.
#[derive(Default)]
struct Count {
    /// Stamp and window of each charge.
    charges: Vec<(i64, String)>,
    /// Batches that hold contacts with an unknown result: their window and how many.
    open: BTreeMap<BatchId, (String, i64)>,
    /// Moments as they really were, for the referee of the true time.
    true_charges: Vec<i64>,
}

impl Count {
    fn latest(&self, wall: i64) -> i64 {
        self.charges.iter().map(|(at, _)| *at).max().unwrap_or(i64::MIN).max(wall)
    }

    fn day(&self, wall: i64) -> i64 {
        let since = self.latest(wall) - DAY;
        self.charges.iter().filter(|(at, _)| *at > since).count() as i64
    }

    fn held(&self) -> i64 {
        self.open.values().map(|(_, open)| open).sum()
    }

    fn session(&self, window: &str) -> i64 {
        let charged = self.charges.iter().filter(|(_, by)| by == window).count() as i64;
        charged + self.open.values().filter(|(by, _)| by == window).map(|(_, open)| open).sum::<i64>()
    }
}

fn play(seed: u64, jumps: bool) -> usize {
    let mut rng = Rng::new(seed);
    let credits = |rng: &mut Rng, from: i64, more: u64| Some(Credits(from + rng.below(more) as i64));
    let caps = Caps { call: Some(Credits(4)), session: credits(&mut rng, 6, 10), day: credits(&mut rng, 8, 12) };
    let mut stores: Vec<Store> = vec![common::memory::store(window("w0"))];
    know(&mut stores[0]);
    stores.push(stores[0].beside(window("w1")));
    let (mut born, mut next_id, mut accepted) = (2, 0, 0);
    let mut count = Count::default();
    let mut now = at(0);
    // Under which batches hang, and their ids unknown.
    let mut unknown: Vec<(BatchId, Vec<i64>)> = Vec::new();
    for _ in 0..120 {
        let passed = rng.below(3 * 3_600_000) as i64;
        now.mono = Mono(now.mono.0 + passed as u64);
        now.wall = Wall(now.wall.0 + passed);
        if jumps && rng.one_in(12) {
            now.wall = Wall(now.wall.0 + rng.below(4 * DAY as u64) as i64 - 2 * DAY);
        }
        let who = rng.place(stores.len());
        match rng.below(10) {
            0..5 => {
                let wanted = 1 + rng.below(5) as i64;
                let name = stores[who].window().0.clone();
                let intent = BatchIntent { caps, ceiling: Credits(99), ..intent_of(&name, next_id..next_id + wanted) };
                let fits = wanted <= 4
                    && count.session(&name) + wanted <= caps.session.unwrap().0
                    && count.day(now.wall.0) + count.held() + wanted <= caps.day.unwrap().0;
                match intend(&mut stores[who], intent, now) {
                    Ok((_, batch)) => {
                        assert!(fits, "seed {seed}: a cap was passed");
                        accepted += 1;
                        count.open.insert(batch, (name, wanted));
                        unknown.push((batch, (next_id..next_id + wanted).collect()));
                        next_id += wanted;
                    }
                    Err(refused) => assert!(!fits, "seed {seed}: refused without need: {refused:?}"),
                }
            }
            5..8 if !unknown.is_empty() => {
                let chosen = rng.place(unknown.len());
                let (batch, ids) = &mut unknown[chosen];
                let some = 1 + rng.place(ids.len());
                let stamp = count.latest(now.wall.0);
                let by = count.open[batch].0.clone();
                let contacts: Vec<Settled> = ids
                    .drain(..some)
                    .map(|id| {
                        let outcomes = [
                            Outcome::Unlocked,
                            Outcome::Unlocked,
                            Outcome::Refunded,
                            Outcome::Unreachable,
                            Outcome::Missing,
                            Outcome::Locked,
                        ];
                        let outcome = outcomes[rng.place(6)];
                        // What can no longer be looked up may have been charged: bounds count it.
                        if outcome.gross() > Credits(0) || outcome == Outcome::Unreachable {
                            count.charges.push((stamp, by.clone()));
                            count.true_charges.push(now.mono.0 as i64);
                        }
                        settled(id, outcome)
                    })
                    .collect();
                count.open.get_mut(batch).unwrap().1 -= some as i64;
                let batch = *batch;
                if ids.is_empty() {
                    unknown.remove(chosen);
                    count.open.remove(&batch);
                }
                settle(&mut stores[who], batch, contacts, now);
            }
            8 if !unknown.is_empty() => {
                let (batch, ids) = unknown.remove(rng.place(unknown.len()));
                // Only what was never settled in part goes back whole.
                if count.open[&batch].1 == ids.len() as i64 && rng.one_in(2) {
                    let words = String::new();
                    stores[who].perform(StoreCall::Withdraw { batch, words }, now).unwrap();
                    let open = open_batches(&mut stores[who], now).iter().any(|open| open.batch == batch);
                    if open {
                        unknown.push((batch, ids));
                    } else {
                        count.open.remove(&batch);
                    }
                } else {
                    stores[who].perform(StoreCall::Lost { batch, words: String::new() }, now).unwrap();
                    unknown.push((batch, ids));
                }
            }
            9 => {
                // A window dies and another one is opened.
                let fresh = stores[who].beside(window(&format!("w{born}")));
                born += 1;
                stores[who] = fresh;
            }
            _ => {}
        }
        let spent = spent(&mut stores[who], now);
        let name = stores[who].window().0.clone();
        let session = count.charges.iter().filter(|(_, by)| *by == name).count() as i64;
        assert_eq!(
            (spent.day, spent.held, spent.session),
            (Credits(count.day(now.wall.0)), Credits(count.held()), Credits(session)),
            "seed {seed}"
        );
    }
    if !jumps {
        for from in &count.true_charges {
            let within = count.true_charges.iter().filter(|at| (*from..from + DAY).contains(*at)).count() as i64;
            assert!(within <= caps.day.unwrap().0, "seed {seed}: {within} charges within 24 hours");
        }
    }
    accepted
}

#[test]
fn no_cap_is_passed_whatever_the_windows_and_the_clock_do() {
    let accepted: usize = (0..60).map(|seed| play(seed, true)).sum();
    assert!(accepted > 500, "the property must be tried, not avoided: {accepted}");
}

/// Money rule 8, *bounded*.
#[test]
fn in_any_true_day_no_more_than_the_cap() {
    let accepted: usize = (1_000..1_060).map(|seed| play(seed, false)).sum();
    assert!(accepted > 500, "{accepted}");
}
