//! The goals of speed, each printed as `holds` or `BROKEN`: the real binary in a terminal of its own beside an echo program, vim,
//! less and csvlens, and the parts of it in this process.
//!
//! `cargo bench --profile dist --bench goals` measures what a release hands out and takes about ten minutes; without the profile it
//! measures the same code without optimization across crates. `-- --only 2,4` measures these goals alone, `--keys 1000` presses more
//! keys.
//! Goal 6 builds everything from nothing and is measured only where `--fresh` asks for it. A peer that is not installed is said.
//!
//! Programs alternate key by key, so that noise meets all of them: what counts is the ratio within one run. Linux only, as some
//! figures come from `/proc`.
#![allow(clippy::disallowed_methods)] // It measures time and starts programs.

mod export;
mod fresh;
mod growth;
mod keys;
mod load;
mod memory;
mod said;
mod scan;
mod start;

use std::process::ExitCode;

use common::bench::{echo, terminal};

use said::Goals;

/// The size at which everything is quoted.
pub const SIZE: (u16, u16) = (160, 48);

pub struct Options {
    /// Keys per deed and program.
    pub keys: usize,
    /// Starts per program.
    pub starts: usize,
    /// Of goal 2, the loads with this in their name.
    pub load: String,
    only: Vec<u8>,
    fresh: bool,
}

type Part<'a> = &'a dyn Fn(&mut Goals);

fn main() -> ExitCode {
    if let Some(code) = terminal::helper().or_else(echo::helper) {
        return code;
    }
    // Cargo says so when it measures. A run of all tests starts this as well, and has nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let mut options = Options { keys: 400, starts: 20, load: String::new(), only: Vec::new(), fresh: false };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--keys" => options.keys = number(arguments.next()).unwrap_or(options.keys),
            "--starts" => options.starts = number(arguments.next()).unwrap_or(options.starts),
            "--only" => {
                let goals = arguments.next().unwrap_or_default();
                options.only = goals.split(',').filter_map(|goal| goal.parse().ok()).collect();
            }
            "--load" => options.load = arguments.next().unwrap_or_default(),
            "--fresh" => options.fresh = true,
            other => {
                eprintln!("{other} is unknown: --only 2,4, --load NAME, --keys N, --starts N, --fresh");
                return ExitCode::from(2);
            }
        }
    }
    let wants = |goal: u8| options.only.is_empty() || options.only.contains(&goal);
    let folder = tempfile::tempdir().expect("a folder for the state of the programs");
    let mut goals = Goals::begin();
    let parts: [(u8, Part<'_>); 8] = [
        (1, &|goals| keys::measure(folder.path(), &options, goals)),
        (2, &|goals| load::measure(folder.path(), &options, goals)),
        (3, &|goals| start::measure(folder.path(), &options, goals)),
        (4, &|goals| memory::measure(folder.path(), goals)),
        (5, &growth::measure),
        (6, &|goals| fresh::measure(folder.path(), options.fresh, goals)),
        (7, &|goals| export::measure(folder.path(), goals)),
        (8, &scan::measure),
    ];
    for (goal, measure) in parts.into_iter().filter(|(goal, _)| wants(*goal)) {
        goals.heading(goal);
        measure(&mut goals);
    }
    goals.end();
    ExitCode::SUCCESS
}

fn number(word: Option<String>) -> Option<usize> {
    word?.parse().ok()
}
