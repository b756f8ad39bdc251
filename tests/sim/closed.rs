//! A small world, closed: every state that it can come to, by every order of its events.
//!
//! **The world.** Two windows buy three and two of the same three contacts, under one cap, and the first then runs `recover --finish`:
//! once in batches of two, and once one by one under a cap that not all fit in. There is one list. One thing deviates: a request gets another fate (36 in which its answer is changed, and it can be lost, copied,
//! carried out in part or never leave), a read fails, the disk is full once or for long, a process dies before or right after a write or is told to end,
//! a contact is listed, another member buys one, the cap or the key is replaced, or seconds pass. [`Move`] lists all of it.
//!
//! **A state** is what decides all that follows: of each window its order, its recovery, its calls to the store, its requests and its
//! timers; what is on the wire; the books of lode with all that is open, the contacts that the service calls owned, the list, the cap,
//! the key, and what the referee judges by. A moment counts as where it is from now: due within the next step, within a minute, or
//! later; young, or more than a minute ago. Left out are words that are only shown, sums that are only told, and numbers that only
//! distinguish one request from the next. States are known by their hashes, and none is played twice: first those without a deviation,
//! then those with one.
//!
//! Wherever nothing more can happen, everything is brought to rest, and the books of both sides are compared.
//!
//! `cargo test` goes through all orders without a deviation, `.ci/nightly small` through those with one. A failure names its steps by
//! number: `CLOSED_STEPS=pairs:0,2,5 cargo test --test sim one_closed_world -- --nocapture` plays them again and prints each.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::simulation::Simulation;
use crate::simulation::closed::{ClosedWorld, Move, WORLDS};

type Trace = Vec<Move>;

#[derive(Default)]
struct Exploration {
    known: HashSet<u64>,
    /// Traces that lead to what is not known yet, with as many deviations as are allowed, and those with one more.
    open: Vec<Trace>,
    deviating: Vec<Trace>,
    played: usize,
    /// States in which nothing more can happen.
    ends: usize,
    deepest: Trace,
    broken: Vec<(Trace, String)>,
}

fn hash(state: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}

/// Plays a trace and from there one step after the other, until it comes to a state that is known or to the end.
fn play(
    world: &ClosedWorld,
    mut trace: Trace,
    sum: &Mutex<Exploration>,
    may_deviate: bool,
) -> Result<(), (Trace, String)> {
    let mut sim = Simulation::closed(world);
    trace.iter().for_each(|step| sim.take(*step));
    let mut before = 0;
    loop {
        if let Some(words) = sim.broken() {
            return Err((trace, words.to_owned()));
        }
        let state = hash(&sim.state());
        let (deviations, orders): (Vec<Move>, Vec<Move>) = sim.possible().into_iter().partition(Move::is_deviation);
        let mut all = sum.lock().unwrap();
        if !all.known.insert(state) {
            drop(all);
            let stuck = state == before;
            return if stuck { Err((trace, "it never comes to an end".to_owned())) } else { Ok(()) };
        }
        let and = |step: &Move| trace.iter().copied().chain([*step]).collect::<Trace>();
        all.open.extend(orders.iter().skip(1).map(and));
        if may_deviate {
            all.deviating.extend(deviations.iter().map(and));
        }
        if trace.len() > all.deepest.len() {
            all.deepest.clone_from(&trace);
        }
        all.ends += usize::from(orders.is_empty());
        drop(all);
        let Some(first) = orders.first() else {
            return sim.ends().map_err(|words| (trace, words));
        };
        before = state;
        sim.take(*first);
        trace.push(*first);
    }
}

/// Plays all states with up to this number of deviations. With `is_over` the first that breaks a rule ends it, here and wherever else
/// it is looked at.
fn explore(world: &ClosedWorld, deviations: usize, is_over: Option<&AtomicBool>) -> Exploration {
    let sum = Mutex::new(Exploration { open: vec![Trace::new()], ..Exploration::default() });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for layer in 0..=deviations {
        loop {
            let open = std::mem::take(&mut sum.lock().unwrap().open);
            if open.is_empty() {
                break;
            }
            common::each(open.len(), cores, |at, _| {
                if is_over.is_some_and(|is_over| is_over.load(Ordering::Relaxed)) {
                    return;
                }
                let played = std::panic::catch_unwind(|| play(world, open[at].clone(), &sum, layer < deviations));
                let played = played.unwrap_or_else(|_| Err((open[at].clone(), "panicked".to_owned())));
                let mut sum = sum.lock().unwrap();
                sum.played += 1;
                if let (Err(_), Some(is_over)) = (&played, is_over) {
                    is_over.store(true, Ordering::Relaxed);
                }
                sum.broken.extend(played.err());
            });
        }
        let mut all = sum.lock().unwrap();
        all.open = std::mem::take(&mut all.deviating);
    }
    sum.into_inner().unwrap()
}

fn verify(world: &ClosedWorld, deviations: usize) {
    let began = Instant::now();
    let all = explore(world, deviations, None);
    println!(
        "{}: {} states with up to {deviations} deviations, all there are; {} ends; {} traces; {:.1} s\n    the deepest, {} steps: {:?}",
        world.name,
        all.known.len(),
        all.ends,
        all.played,
        began.elapsed().as_secs_f64(),
        all.deepest.len(),
        all.deepest,
    );
    let lines = all.broken.iter().take(9).map(|(trace, words)| {
        format!(
            "CLOSED_STEPS={} cargo test --test sim one_closed_world -- --nocapture\n    {words}",
            numbers(world, trace)
        )
    });
    let lines: Vec<String> = lines.collect();
    assert!(lines.is_empty(), "{} traces break a rule:\n{}", all.broken.len(), lines.join("\n"));
}

/// The world, and each step as its number among all that are possible there.
fn numbers(world: &ClosedWorld, trace: &[Move]) -> String {
    let mut sim = Simulation::closed(world);
    let number = |step: &Move| {
        let number = sim.possible().iter().position(|possible| possible == step);
        sim.take(*step);
        number.expect("it was possible").to_string()
    };
    format!("{}:{}", world.name, trace.iter().map(number).collect::<Vec<_>>().join(","))
}

#[test]
fn every_order_of_events() {
    WORLDS.iter().for_each(|world| verify(world, 0));
}

#[test]
#[ignore = "many minutes: run it in release"]
fn every_order_with_a_deviation() {
    WORLDS.iter().for_each(|world| verify(world, 1));
}

/// One trace again, by the numbers that a failure names.
#[test]
fn one_closed_world() {
    let text = std::env::var("CLOSED_STEPS").unwrap_or_else(|_| "pairs:0,0".to_owned());
    let (name, steps) = text.split_once(':').expect("WORLD:NUMBERS");
    let mut sim = Simulation::closed(WORLDS.iter().find(|world| world.name == name).expect("a world"));
    sim.traced = crate::number("SIM_TRACE").is_some();
    for number in steps.split(',') {
        let step = sim.possible()[number.parse::<usize>().expect("numbers of steps")];
        println!("{step:?}");
        sim.take(step);
        assert_eq!(sim.broken(), None);
    }
    if !sim.possible().iter().any(|step| !step.is_deviation()) {
        assert_eq!(sim.ends(), Ok(()));
    }
}

/// For `put_back`: a trace that breaks a rule, and the rule. Both worlds are gone through at once, and the first that breaks one ends both.
pub fn first_broken() -> Option<(String, String)> {
    let is_over = AtomicBool::new(false);
    let found = WORLDS.each_ref().map(|_| Mutex::new(None));
    common::each(WORLDS.len(), WORLDS.len(), |at, _| {
        let world = &WORLDS[at];
        if let Some((trace, words)) = explore(world, 1, Some(&is_over)).broken.into_iter().next() {
            *found[at].lock().unwrap() = Some((numbers(world, &trace), words));
        }
    });
    found.into_iter().find_map(|found| found.into_inner().unwrap())
}
