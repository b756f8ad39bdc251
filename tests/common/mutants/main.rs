//! `.ci/nightly mutants`: each small change of the money code must be caught by a test or a seed of the simulation.
//!
//! cargo-mutants lists the changes; here all of them are built once, each behind a switch. A mutant meets only what passes its
//! function: first the tests, then the seeds. What was caught is kept in `target/mutants/caught` and is not tried again; delete the
//! file to try all. `equivalent.txt` lists mutants that no test can catch, each with its reason.
#![allow(clippy::disallowed_methods)] // It builds and runs programs, and measures time.

mod checks;
mod list;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use checks::Check;
use clap::Parser;
use common::each;
use common::rng::{Draws, Key};
use list::Mutant;
use tree::Tree;

#[derive(clap::Parser)]
#[command(name = ".ci/nightly mutants")]
struct Options {
    /// Try this many mutants, drawn by the seed
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// The seed of the sample
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Try mutants with this text in their names, also those that were caught
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Seeds of the simulation
    #[arg(long, value_name = "N", default_value_t = 500)]
    seeds: u64,
    /// Mutants at once
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
}

/// Mutants that no test can catch, by key, and entries that fit no mutant.
fn equivalent(list: &[Mutant]) -> (BTreeSet<&'static str>, Vec<&'static str>) {
    let entries = include_str!("equivalent.txt").split("\n\n").filter(|entry| entry.starts_with("src/"));
    // The last line is the reason.
    let keys: BTreeSet<&str> =
        entries.filter_map(|entry| entry.trim_end().rsplit_once('\n')).map(|(key, _)| key).collect();
    let known: BTreeSet<&str> = list.iter().map(|mutant| mutant.key.as_str()).collect();
    let unknown = keys.iter().copied().filter(|key| !known.contains(key)).collect();
    (keys, unknown)
}

fn main() -> ExitCode {
    let options = Options::parse();
    let (root, began) = (common::root(), Instant::now());
    let home = root.join("target/mutants");
    std::fs::create_dir_all(&home).expect("target is writable");
    let list = list::mutants(root);
    let (equivalent, unknown) = equivalent(&list);
    let (tree, programs) = Tree::build(root, &home, &list);
    let checks = checks::all(&programs, &home, options.seeds, options.jobs);
    println!("{} mutants, {} viable, built in {:.0} s", list.len(), list.len() - tree.dropped.len(), seconds(began));

    let mut viable: Vec<usize> = (0..list.len()).filter(|at| !tree.dropped.contains(at)).collect();
    viable.retain(|at| options.only.as_ref().is_none_or(|only| list[*at].name.contains(only)));
    let mut draws = Draws::new(options.seed);
    viable.sort_by_cached_key(|at| draws.next(Key::new("mutant").text(&list[*at].key)).roll());
    viable.truncate(options.sample.unwrap_or(usize::MAX));
    let (began, sum) = (Instant::now(), trial(&options, &home, &list, &tree, &checks, &equivalent, &viable));

    let each = seconds(began) / sum.tried.max(1) as f64;
    println!(
        "{} drawn: {} caught ({} of them earlier), {} equivalent, {} survived. {each:.1} s for each that was tried",
        viable.len(),
        sum.caught + sum.earlier,
        sum.earlier,
        sum.equivalent,
        sum.survived.len()
    );
    for mutant in &sum.survived {
        println!("\n{}\n.ci/nightly mutants --only '{}'", list[*mutant].key, list[*mutant].name);
    }
    unknown.iter().for_each(|key| println!("\nequivalent.txt names a mutant that is not listed:\n{key}"));
    if sum.survived.is_empty() && unknown.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn seconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64()
}

#[derive(Default)]
struct Sum {
    tried: usize,
    caught: usize,
    earlier: usize,
    equivalent: usize,
    survived: Vec<usize>,
    /// How many mutants a check caught.
    catches: BTreeMap<usize, u32>,
}

fn trial(
    options: &Options,
    home: &Path,
    list: &[Mutant],
    tree: &Tree<'_>,
    checks: &[Check],
    equivalent: &BTreeSet<&str>,
    mutants: &[usize],
) -> Sum {
    let file = home.join("caught");
    let caught = std::fs::read_to_string(&file).unwrap_or_default();
    let caught: BTreeSet<&str> = caught.split("\n\n").filter(|_| options.only.is_none()).collect();
    let file = std::fs::OpenOptions::new().create(true).append(true).open(file).expect("target is writable");
    let sum = Mutex::new(Sum::default());
    each(mutants.len(), options.jobs, |at, job| {
        let mutant = mutants[at];
        let Mutant { key, name, .. } = &list[mutant];
        let mut so_far = sum.lock().expect("no panic");
        if caught.contains(key.as_str()) {
            so_far.earlier += 1;
            return;
        } else if equivalent.contains(key.as_str()) && options.only.is_none() {
            so_far.equivalent += 1;
            return;
        }
        let switch = tree.switch(mutant);
        let mut order: Vec<usize> = (0..checks.len()).filter(|at| checks[*at].switches.contains(&switch)).collect();
        // What is quick and caught many comes first, and seeds come last.
        let cost = |at: &usize| checks[*at].seconds / f64::from(1 + so_far.catches.get(at).copied().unwrap_or(0));
        let seed = |at: &usize| checks[*at].seed.unwrap_or(0);
        order.sort_by(|a, b| seed(a).cmp(&seed(b)).then(cost(a).total_cmp(&cost(b))));
        drop(so_far);
        let began = Instant::now();
        let catch = order.iter().find_map(|at| Some((*at, checks[*at].failure(home, job, mutant)?)));
        let mut sum = sum.lock().expect("no panic");
        sum.tried += 1;
        match catch {
            Some((at, why)) => {
                println!("caught    {name} by {}: {why} ({:.1} s)", checks[at].name, seconds(began));
                write!(&file, "{key}\n\n").expect("target is writable");
                sum.caught += 1;
                *sum.catches.entry(at).or_default() += 1;
            }
            None => {
                println!("survived  {name}: {} checks ({:.1} s)", order.len(), seconds(began));
                sum.survived.push(mutant);
            }
        }
    });
    sum.into_inner().expect("no panic")
}
