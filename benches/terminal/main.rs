//! What a person at a terminal feels: start-up, from a key to the last byte of its answer, bytes, processor time, idle cost and
//! memory of the real binary, beside a program that does nothing but echo and beside others that are installed.
//!
//! `cargo bench --bench terminal` takes two minutes; `-- --keys 1000 --starts 40` is what figures are quoted from,
//! `-- --only lode,echo` leaves the others out, `-- --beside NAME=PATH` takes another build of lode along. Absolute times say little on
//! a machine that does other things as well: the ratio to the echo program of the same run is what compares. At the end stands whether
//! the limits of a row move, a scroll and a page hold; the goals are printed by `cargo bench --bench goals`.
//!
//! The programs alternate within each round, so that noise meets all of them. One thread writes a key, waits for the
//! terminal and reads: no hand-over lies within a measured time. Linux only, as the figures come from `/proc`.
#![allow(clippy::disallowed_methods)] // It measures time and starts programs.

mod measure;
mod report;
mod version;

use std::process::ExitCode;

use common::bench::{echo, programs, terminal};

/// The size at which everything is quoted.
pub const SIZE: (u16, u16) = (160, 48);

pub struct Options {
    /// Keys per action and program.
    pub keys: usize,
    /// Start-ups per program.
    pub starts: usize,
    pub idle_seconds: u64,
    pub only: Vec<String>,
    /// Names and paths of other builds of lode.
    pub beside: Vec<(String, String)>,
}

fn main() -> ExitCode {
    if let Some(code) = terminal::helper().or_else(echo::helper) {
        return code;
    }
    // Cargo says so when it measures. A run of all tests starts this as well, and has nothing to measure.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let mut options = Options { keys: 200, starts: 10, idle_seconds: 10, only: Vec::new(), beside: Vec::new() };
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|value| value.parse().ok());
        match argument.as_str() {
            "--keys" => options.keys = number().unwrap_or(options.keys),
            "--starts" => options.starts = number().unwrap_or(options.starts),
            "--idle" => options.idle_seconds = number().unwrap_or(10) as u64,
            "--only" => options.only = arguments.next().unwrap_or_default().split(',').map(str::to_owned).collect(),
            "--beside" => {
                let named = arguments.next().unwrap_or_default();
                options.beside.extend(named.split_once('=').map(|(name, path)| (name.to_owned(), path.to_owned())));
            }
            other => {
                eprintln!("{other} is unknown: --keys N, --starts N, --idle SECONDS, --only a,b, --beside NAME=PATH");
                return ExitCode::from(2);
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder for the state of the programs");
    let services = programs::TestServices::new(folder.path());
    let programs = programs::installed(&services, &options.only, &options.beside);
    let mut found = measure::all(&programs, &options);
    found.version = version::beside_hello(folder.path());
    print!("{}{}", report::tables(&found), report::limits(&found));
    ExitCode::SUCCESS
}
