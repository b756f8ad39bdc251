//! A small world, whole: two commands buy three and two contacts under one cap, one contact is wanted by both, a third command
//! clears up, and everything that can go wrong goes wrong, one thing after another and two at a time.
//!
//! The simulation is kind until its plan says otherwise. Each place where something can go wrong asks the plan: each request on the
//! wire, each write into the ledger, each moment in which a process can die or be told to end. All plans with one deviation run in
//! `cargo test`; all with two in `SMALL_DEPTH=2 cargo test --profile bench --test sim -- --ignored small_world_in_pairs
//! --nocapture`. One again: `SMALL_PLAN=17:3,40:1 cargo test --test sim one_small_world -- --nocapture`.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lode_engine::effect::call::Call;

use crate::digests;
use crate::network::{Fate, Garble, LATEST, Said};
use crate::simulation::Simulation;
use crate::twists::TWISTS;

/// Which choices go another way than the kind one: the number of the choice, and the way, from one.
pub type Wrong = Vec<(usize, usize)>;

#[derive(Clone)]
pub struct Plan {
    pub wrong: Wrong,
    /// How many milliseconds an answer takes.
    pub down: u64,
    /// How many ways each choice had that was asked so far.
    pub asked: Vec<usize>,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan { wrong: Wrong::new(), down: 100, asked: Vec::new() }
    }
}

impl Plan {
    pub fn new(wrong: Wrong) -> Plan {
        Plan { wrong, ..Plan::default() }
    }

    /// The way of the next choice; 0 is the kind one.
    pub fn choose(&mut self, ways: usize) -> usize {
        let at = self.asked.len();
        self.asked.push(ways);
        self.wrong.iter().find(|(choice, _)| *choice == at).map_or(0, |(_, way)| *way)
    }

    /// What becomes of a request.
    pub fn fate(&mut self, call: &Call) -> Fate {
        let (up, down) = (10, self.down);
        let said = |status, documented| Said { status, retry_after: None, documented };
        let mut fates = vec![
            Fate::Fine { up, down },
            Fate::Lost { broke: 400 },
            Fate::Instead { at: up, said: said(502, false) },
            Fate::Instead { at: up, said: Said { retry_after: Some(2), ..said(429, true) } },
            Fate::Fine { up, down: 25_000 },
        ];
        if matches!(call, Call::Unlock(_)) {
            let deaf = |part, copy| Fate::Deaf { up, broke: 400, part, copy };
            fates.extend([
                deaf(None, None),
                deaf(Some(1), None),
                deaf(None, Some(3_000)),
                Fate::Late { broke: 400, after: 3_000 },
                Fate::Late { broke: 30_000, after: LATEST },
                Fate::Twice { up, down },
                Fate::Unsent { at: up },
                Fate::Garbled { up, down, how: Garble::Page },
                Fate::Garbled { up, down, how: Garble::Cut },
            ]);
            let refusals = [301, 307, 401, 402, 403, 404, 409, 422, 429, 500, 502];
            let refused =
                |documented| move |status| Fate::Refused { up, down, said: said(status, documented), topped: false };
            fates.extend(refusals.map(refused(true)));
            fates.extend(refusals.map(refused(false)));
            fates.extend(TWISTS.iter().map(|twist| Fate::Garbled { up, down, how: Garble::Twist(twist) }));
        }
        let way = self.choose(fates.len());
        fates.swap_remove(way)
    }
}

/// The results of all worlds that were played.
#[derive(Default)]
struct Sum {
    worlds: usize,
    /// Different ledgers and records at the end.
    ends: BTreeSet<u32>,
    choices: usize,
    broken: Vec<(Wrong, String)>,
}

/// Runs one simulation. Returns how many ways each of its choices had.
fn play(wrong: &Wrong, sum: &Mutex<Sum>) -> Vec<usize> {
    let played = std::panic::catch_unwind(|| Simulation::small(Plan::new(wrong.clone())).run_small());
    let mut sum = sum.lock().unwrap();
    sum.worlds += 1;
    match played {
        Ok((outcome, asked)) => {
            sum.choices = sum.choices.max(asked.len());
            sum.ends.insert(digests::digest(&outcome.text));
            sum.broken.extend(outcome.broken.map(|words| (wrong.clone(), words)));
            asked
        }
        Err(_) => {
            sum.broken.push((wrong.clone(), "panicked".to_owned()));
            Vec::new()
        }
    }
}

/// All worlds that deviate once more than `wrong` does, each only once: the next deviation comes after the last.
fn next(wrong: &Wrong, asked: &[usize]) -> Vec<Wrong> {
    let from = wrong.last().map_or(0, |(choice, _)| choice + 1);
    let choices = (from..asked.len()).flat_map(|choice| (1..asked[choice]).map(move |way| (choice, way)));
    choices.map(|deviation| wrong.iter().copied().chain([deviation]).collect()).collect()
}

/// Plays all worlds with up to `depth` deviations.
fn explore(depth: usize) -> Sum {
    let sum = Mutex::new(Sum::default());
    let first = next(&Vec::new(), &play(&Vec::new(), &sum));
    let at = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(wrong) = first.get(at.fetch_add(1, Ordering::Relaxed)) {
                    let mut open = vec![wrong.clone()];
                    while let Some(wrong) = open.pop() {
                        let asked = play(&wrong, &sum);
                        if wrong.len() < depth {
                            open.extend(next(&wrong, &asked));
                        }
                    }
                }
            });
        }
    });
    sum.into_inner().unwrap()
}

fn verify(depth: usize) {
    let began = std::time::Instant::now();
    let mut sum = explore(depth);
    println!(
        "{} worlds with up to {depth} deviations, {} different ends, at most {} choices, {:.1} s",
        sum.worlds,
        sum.ends.len(),
        sum.choices,
        began.elapsed().as_secs_f64()
    );
    sum.broken.sort();
    let lines = sum.broken.iter().take(12).map(|(wrong, words)| format!("SMALL_PLAN={}\n    {words}", written(wrong)));
    let lines: Vec<String> = lines.collect();
    assert!(lines.is_empty(), "{} of {} worlds broke a rule:\n{}", sum.broken.len(), sum.worlds, lines.join("\n"));
    assert!(sum.worlds > 300 && sum.ends.len() > 20, "too few worlds to prove anything");
}

fn written(wrong: &Wrong) -> String {
    wrong.iter().map(|(choice, way)| format!("{choice}:{way}")).collect::<Vec<_>>().join(",")
}

#[test]
fn small_world_with_one_deviation() {
    verify(1);
}

#[test]
#[ignore = "many minutes: run it in release"]
fn small_world_in_pairs() {
    verify(crate::number("SMALL_DEPTH").map_or(2, |depth| depth as usize));
}

/// One small world again, by the plan that a failure names.
#[test]
fn one_small_world() {
    let plan = std::env::var("SMALL_PLAN").unwrap_or_default();
    let numbers = |pair: &str| {
        let (choice, way) = pair.split_once(':')?;
        Some((choice.parse().ok()?, way.parse().ok()?))
    };
    let wrong: Wrong = plan.split(',').filter(|pair| !pair.is_empty()).map(|pair| numbers(pair).expect(pair)).collect();
    let mut sim = Simulation::small(Plan::new(wrong.clone()));
    sim.traced = crate::number("SIM_TRACE").is_some();
    let (outcome, asked) = sim.run_small();
    if !wrong.is_empty() {
        println!("{}\n{asked:?}", outcome.text);
    }
    assert_eq!(outcome.broken, None);
    // The same plan is the same world.
    assert_eq!(Simulation::small(Plan::new(wrong)).run_small().0.text, outcome.text);
}
