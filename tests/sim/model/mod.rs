//! The money rules as a small model, and the real machine held against it.
//!
//! **Worlds.** Two windows of one profile want some of the same four contacts, under one cap a day: in batches of two (`pairs`), of one
//! (`singles`), and from two services (`apart`). Each window runs its command that buys, and later one that checks or sends again.
//!
//! **A state** ([`state::ModelState`]) is: each window with what it waits for and what its process remembers; each batch that was written
//! down, with its open contacts, its sendings, its line and its kept answer; the requests on the wire; who is owned and charged at the
//! service and in our books; the list, the key, and what may still go wrong.
//!
//! **Steps** ([`steps::What`]) are: a command begins; a batch is written down; a request arrives, also after its line broke; an answer is
//! heard, kept, settled; a line breaks; a disk is full; a process dies; an answer charges too much; the batch in memory is damaged; a
//! contact is listed; another member buys one; the key is replaced; minutes pass. What follows from a step without a choice is part of
//! it: the checks before a batch, a free look, the answer of another window.
//!
//! **Rules** ([`rules`]), by the names that `flow::unlock` gives them. They are asked of each request that leaves and of each state.
//! *Shown is paid*: nothing that is listed leaves. *Intent before send*: what leaves is written down. *Same batch, same ids*: it leaves
//! again as it was, after a free look, four times at most. *Never twice*: no contact is open twice, none that is owned leaves. *Bounded*
//! and *holds*: what is charged and what is open stay within the cap. *Unknown is a state*: what was charged is in the books, or open.
//! *Partial is normal*: nothing leaves after an alarm. *Responses are stored first*: what settles is kept. *One purse*: who is owned in
//! our books is owned at that service. *Typed*: no process sends more than its amount. *Impossible stops*: a damaged batch does not
//! leave. *One way out*: a batch leaves at most as often as it was written down.
//! Each rule can be left out ([`state::World::weak`]): then one of these must fail, and the machine must not follow.
//!
//! **The walk** ([`walk`]) goes breadth first through all states, known by their hashes. **The replay** ([`replay`]) plays a trace on the
//! real commands, sessions, store and service, in the virtual world of the simulation. After each step it compares where each window
//! waits, the requests under way, each batch with its open contacts and sendings, and who is owned and charged on both sides; and it
//! asks the simulation's referee. Time is part of the machine alone: a trace is cut off where a line that the model calls young is
//! older than a minute.
//!
//! `.ci/nightly model` walks all and replays many; `MODEL_WORLD=pairs` keeps to one world. One trace again, step by step:
//! `SIM_TRACE=1 MODEL_TRACE=pairs:buy0,write0 cargo test --test sim one_trace -- --nocapture`.

mod order;
mod play;
mod replay;
mod rules;
mod state;
mod steps;
mod unknown;
mod walk;

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Instant;

pub use replay::Seen;
pub use state::{Gate, Ids};

use rules::Rule;
use state::{Budget, World};
use steps::{Step, What};
use walk::Walk;

fn worlds() -> [World; 3] {
    let budget =
        Budget { crashes: 1, breaks: 1, fulls: 1, lies: 1, lists: 1, members: 1, keys: 1, clocks: 1, mistakes: 1 };
    let pairs = World {
        name: "pairs",
        batch: 2,
        wants: [0b1011, 0b1110],
        amounts: [3, 2],
        processes: 2,
        cap: 3,
        may_list: 0b0010,
        may_be_bought: 0b0010,
        budget,
        weak: None,
    };
    let singles = World { name: "singles", batch: 1, budget: Budget { lists: 0, lies: 0, ..budget }, ..pairs.clone() };
    let apart = World { name: "apart", wants: [0b0011, 0b0110_0000], amounts: [2, 2], ..pairs.clone() };
    [pairs, singles, apart]
}

/// The names of the rules.
pub fn rules() -> impl Iterator<Item = &'static str> {
    Rule::ALL.into_iter().map(|(_, name)| name)
}

/// So far `cargo test` walks.
const NEAR: usize = 8;
const FAR: usize = 11;

/// Traces that together show all that can follow each other: each run of `length` steps.
fn covering(walk: &Walk, length: usize) -> Vec<Vec<Step>> {
    let mut shown: HashSet<Vec<Step>> = HashSet::new();
    let traces = walk.ends.iter().map(|end| walk.trace(*end));
    traces.filter(|trace| trace.windows(length).filter(|run| shown.insert(run.to_vec())).count() > 0).collect()
}

/// Replays traces on all cores: how many steps of each were played, or where model and machine differ.
fn replay_all(world: &World, traces: &[Vec<Step>]) -> Vec<Result<usize, String>> {
    let played = Mutex::new(vec![Ok(0); traces.len()]);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    common::each(traces.len(), cores, |at, _| {
        let result = replay::replay(world, &traces[at]);
        played.lock().unwrap()[at] = result;
    });
    played.into_inner().unwrap()
}

/// Walks a world and replays some of it: what shows all runs of `length` steps, and besides that some ends, the farthest first.
fn verify(world: &World, depth: usize, length: usize, ends: usize) {
    let (name, began) = (world.name, Instant::now());
    let walk = Walk::through(world, depth);
    if let Some((at, rule)) = walk.broken {
        panic!("{name} breaks *{}*: {}", rule.name(), replay::words(&walk.trace(at)));
    }
    let all = if walk.is_whole { ", all there are" } else { "" };
    let (states, deep, took) = (walk.states(), walk.depth, began.elapsed().as_secs_f64());
    println!("{name}: {states} states{all}, {deep} steps deep, walked in {took:.1} s");
    println!("    the farthest: {}", replay::words(&walk.farthest()));
    let mut traces = covering(&walk, length);
    let each = (walk.ends.len() / ends.max(1)).max(1);
    traces.extend(walk.ends.iter().rev().step_by(each).take(ends).map(|end| walk.trace(*end)));
    let began = Instant::now();
    let played = replay_all(world, &traces);
    let broken = traces.iter().zip(&played).filter_map(|(trace, result)| Some((trace, result.as_ref().err()?)));
    let broken: Vec<String> = broken
        .map(|(trace, words)| {
            let trace = replay::words(trace);
            format!("MODEL_TRACE={name}:{trace} cargo test --test sim one_trace -- --nocapture\n    {words}")
        })
        .collect();
    let all = traces.len();
    assert!(
        broken.is_empty(),
        "{} of {all} traces differ:\n{}",
        broken.len(),
        broken[..broken.len().min(9)].join("\n")
    );
    // A trace is cut off where it takes longer than the minute that the model counts.
    let played = traces.iter().zip(played).map(|(trace, steps)| &trace[..steps.unwrap_or(0)]);
    let cut = played.clone().zip(&traces).filter(|(played, trace)| played.len() < trace.len()).count();
    let agreed: HashSet<&[Step]> =
        played.clone().flat_map(|trace| (1..=trace.len()).map(|end| &trace[..end])).collect();
    let longest = played.filter(|trace| is_rich(trace)).map(<[Step]>::len).max().unwrap_or(0);
    println!(
        "    {all} traces replayed in {:.1} s, {cut} of them cut off; both agree in {} states; the longest trace with a crash \
         and both windows has {longest} steps",
        began.elapsed().as_secs_f64(),
        agreed.len(),
    );
    assert!(cut * 10 < all, "{cut} of {all} traces were cut off");
}

/// A process dies in it, and both windows buy.
fn is_rich(trace: &[Step]) -> bool {
    let has = |step: Step| trace.contains(&step);
    trace.iter().any(|step| step.0 == What::Crash) && has(Step(What::Buy, 0)) && has(Step(What::Buy, 1))
}

#[test]
fn model_and_machine_agree() {
    for world in worlds() {
        verify(&world, NEAR, 2, 0);
    }
}

#[test]
#[ignore = "minutes on all cores: run it in release"]
fn whole_model() {
    let number = |name, usual| super::number(name).map_or(usual, |number| number as usize);
    let wanted = std::env::var("MODEL_WORLD").ok();
    for world in worlds().into_iter().filter(|world| wanted.as_ref().is_none_or(|wanted| wanted == world.name)) {
        verify(&world, number("MODEL_DEPTH", usize::MAX), 3, number("MODEL_TRACES", 2_000));
    }
}

/// Each rule, left out of the model: a state of it breaks a rule, and the machine does not follow it there.
#[test]
fn every_rule_left_out_of_the_model_is_noticed() {
    for (rule, name) in Rule::ALL {
        let found = worlds().into_iter().find_map(|world| {
            let world = World { weak: Some(rule), ..world };
            let walk = Walk::through(&world, NEAR);
            let (at, broken) = walk.broken?;
            Some((walk.trace(at), world, broken))
        });
        let Some((trace, world, broken)) = found else { panic!("nothing notices that *{name}* is left out") };
        let differs = replay::replay(&world, &trace);
        println!("{name:<26} by *{}* in {}:{}", broken.name(), world.name, replay::words(&trace));
        assert!(differs.is_err(), "the machine does the same without *{name}*: {}", replay::words(&trace));
    }
}

/// For `put_back`: the first trace that shows a defect of the machine. Most show near the start.
#[test]
#[ignore = "part of every_rule_weakened_in_the_machine_is_noticed"]
fn first_broken_trace() {
    for (depth, length) in [(NEAR, 2), (FAR, 3)] {
        for world in worlds() {
            let traces = covering(&Walk::through(&world, depth), length);
            if let Some(words) = traces.iter().find_map(|trace| replay::replay(&world, trace).err()) {
                return println!("broken by {}: {}", world.name, words.replace('\n', ""));
            }
        }
    }
    println!("no trace broke a rule");
}

/// The one-line way to see a trace again.
#[test]
fn one_trace() {
    let text =
        std::env::var("MODEL_TRACE").unwrap_or_else(|_| "pairs:buy0,write0,arrive0,hear0,keep0,settle0".to_owned());
    let (name, steps) = text.split_once(':').expect("WORLD:STEPS");
    let world = worlds().into_iter().find(|world| world.name == name).expect("a world");
    let trace: Vec<Step> = steps.split(',').map(|step| Step::read(step).expect(step)).collect();
    match replay::replay(&world, &trace) {
        Ok(steps) => assert_eq!(steps, trace.len(), "cut off: it takes longer than the minute that the model counts"),
        Err(words) => panic!("{words}"),
    }
}
