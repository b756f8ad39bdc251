//! The simulation that proves the money rules: the real flows, the real mapping to the wire, the real store as disk, the
//! sandbox's service with its books, a person without sense and the shell's own scripts, in virtual time.
//!
//! One seed again: `SIM_SEED=1234 cargo test --test sim one_seed -- --nocapture`, with `SIM_TRACE=1` step by step. It
//! prints the requests, the records of the services and the ledger, to compare two versions. Many: `SIM_SEEDS=100000 cargo test
//! --profile bench --test sim -- --ignored simulation_long`.

#![allow(clippy::disallowed_methods)] // A test harness reads its seed from the environment and uses all cores.

mod calm;
mod closed;
mod counter;
mod digests;
mod excuses;
mod judges;
mod marks;
mod model;
mod network;
mod put_back;
mod referee;
mod relations;
mod robot;
mod simulation;
mod small;
mod twists;
mod window;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use common::rng::{Draws, Key};
use excuses::Excused;
use marks::Marks;
use simulation::Simulation;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[derive(Default)]
struct Sum {
    steps: u64,
    virtual_ms: u64,
    marks: Marks,
    excused: Excused,
    broken: Vec<(u64, String)>,
    digests: BTreeMap<u64, u32>,
}

fn simulate(seeds: u64, first: u64) -> Sum {
    let next = AtomicU64::new(first);
    let sum = Mutex::new(Sum::default());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + seeds {
                        return;
                    }
                    let outcome = std::panic::catch_unwind(|| Simulation::new(seed).run());
                    let digest = outcome.as_ref().map_or(0, |outcome| digests::digest(&outcome.text));
                    let mut sum = sum.lock().unwrap();
                    sum.digests.insert(seed, digest);
                    match outcome {
                        Ok(outcome) => {
                            sum.steps += outcome.steps;
                            sum.virtual_ms += outcome.virtual_ms;
                            sum.marks.merge(&outcome.referee.marks);
                            sum.excused.merge(&outcome.referee.excused);
                            sum.broken.extend(outcome.broken.map(|words| (seed, words)));
                        }
                        Err(_) => sum.broken.push((seed, "panicked".to_owned())),
                    }
                }
            });
        }
    });
    let mut sum = sum.into_inner().unwrap();
    sum.broken.sort();
    sum
}

/// The first seed that breaks a rule.
fn first_broken(first: u64, seeds: u64) -> Option<(u64, String)> {
    // Some at a time: most defects show early.
    let mut parts = (0..seeds).step_by(20);
    parts.find_map(|at| simulate(20.min(seeds - at), first + at).broken.into_iter().next())
}

fn verify(seeds: u64) {
    let began = std::time::Instant::now();
    let sum = simulate(seeds, number("SIM_FIRST").unwrap_or(1));
    println!(
        "{seeds} seeds, {} steps, {:.1} virtual hours in {:.1} s\n{}{}",
        sum.steps,
        sum.virtual_ms as f64 / 3_600_000.0,
        began.elapsed().as_secs_f64(),
        sum.marks.lines(),
        sum.excused.lines()
    );
    let broken: Vec<String> = sum
        .broken
        .iter()
        .take(12)
        .map(|(seed, words)| format!("SIM_SEED={seed} cargo test --test sim one_seed -- --nocapture\n    {words}"))
        .collect();
    assert!(broken.is_empty(), "{} of {seeds} seeds broke a rule:\n{}", sum.broken.len(), broken.join("\n"));
    assert_eq!(
        sum.marks.missed(seeds),
        Vec::<&str>::new(),
        "the simulation never came through these: it proves nothing"
    );
    digests::compare(&sum.digests);
}

#[test]
fn money_cannot_be_lost() {
    verify(number("SIM_SEEDS").unwrap_or(200));
}

#[test]
#[ignore = "minutes on all cores: run it in release"]
fn simulation_long() {
    verify(number("SIM_SEEDS").unwrap_or(100_000));
}

/// The one-line way to see a seed again; without SIM_SEED it runs the first.
#[test]
fn one_seed() {
    let seed = number("SIM_SEED").unwrap_or(1);
    let mut sim = Simulation::new(seed);
    sim.traced = number("SIM_TRACE").is_some();
    let outcome = sim.run();
    if number("SIM_SEED").is_some() {
        println!("{}", outcome.text);
    }
    assert_eq!(outcome.broken, None, "seed {seed} after {} steps, {} ms", outcome.steps, outcome.virtual_ms);
    // The same seed is the same run.
    assert_eq!(Simulation::new(seed).run().text, outcome.text);
}

/// A draw stays the same when others come before it, and another attempt is another draw.
#[test]
fn a_draw_depends_on_its_key_alone() {
    let key = |window: u64| Key::new("search").number(window).text("title=nurse");
    let roll = |windows: &[u64]| {
        let mut draws = Draws::new(7);
        windows.iter().map(|window| (*window, draws.next(key(*window)).roll())).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(roll(&[1, 2, 3]), roll(&[3, 1, 2]));
    let mut draws = Draws::new(7);
    assert_ne!(draws.next(key(1)).roll(), draws.next(key(1)).roll());
    assert_ne!(draws.next(key(1)).roll(), Draws::new(8).next(key(1)).roll());
    assert_ne!(Key::new("a").text("bc"), Key::new("ab").text("c"));
}
