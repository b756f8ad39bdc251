//! Tests and seeds of the simulation, each in a process of its own with the switches that it passes.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Instant, SystemTime};

use serde::{Deserialize, Serialize};

use common::each;

#[derive(Clone, Serialize, Deserialize)]
pub struct Check {
    program: PathBuf,
    /// A test, or a seed of the simulation.
    pub name: String,
    pub seed: Option<u64>,
    pub seconds: f64,
    pub switches: BTreeSet<usize>,
}

/// How long a check took, or why it failed.
type Outcome = Result<f64, String>;

/// Every check, after a run without a mutant, which is kept until the programs change.
pub fn all(programs: &[PathBuf], home: &Path, seeds: u64, jobs: usize) -> Vec<Check> {
    let built = |program: &PathBuf| program.metadata().and_then(|of| of.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let key = format!("{seeds} {:?}", programs.iter().map(|program| (program, built(program))).collect::<Vec<_>>());
    let file = home.join("checks.json");
    let kept = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<(String, Vec<Check>)>(&bytes).ok());
    if let Some((_, checks)) = kept.filter(|(of, _)| *of == key) {
        return checks;
    }
    let listed: Vec<Check> = programs.iter().flat_map(|program| listed(program, seeds)).collect();
    println!("running {} tests and seeds without a mutant", listed.len());
    let done = Mutex::new((Vec::new(), Vec::new()));
    each(listed.len(), jobs, |at, job| {
        let passed = home.join(format!("switches-{job}"));
        let _ = std::fs::remove_file(&passed);
        let outcome = listed[at].run(home, job, ("MUTANT_SWITCHES", passed.as_os_str()));
        let passed = std::fs::read_to_string(&passed).unwrap_or_default();
        let switches = passed.lines().filter_map(|line| line.parse().ok()).collect();
        let (checks, failed) = &mut *done.lock().expect("no panic");
        match outcome {
            Ok(seconds) => checks.push(Check { seconds, switches, ..listed[at].clone() }),
            Err(why) => failed.push(format!("{}: {why}", listed[at].name)),
        }
    });
    let (checks, failed): (Vec<Check>, Vec<String>) = done.into_inner().expect("no panic");
    assert!(failed.is_empty(), "these fail without a mutant:\n{}", failed.join("\n"));
    let kept = serde_json::to_string(&(key, &checks)).expect("it is plain data");
    std::fs::write(file, kept).expect("target is writable");
    checks
}

fn listed(program: &Path, seeds: u64) -> Vec<Check> {
    let check = |name: &str, seed| Check {
        program: program.to_owned(),
        name: name.to_owned(),
        seed,
        seconds: 20.0,
        switches: BTreeSet::new(),
    };
    if program.file_name().is_some_and(|name| name.to_string_lossy().starts_with("sim-")) {
        return (1..=seeds).map(|seed| check(&format!("seed {seed}"), Some(seed))).collect();
    }
    let list = |ignored: &[&str]| {
        let output = Command::new(program).arg("--list").args(ignored).output().expect("it was built");
        let names = String::from_utf8_lossy(&output.stdout).into_owned();
        names.lines().filter_map(|line| line.strip_suffix(": test").map(str::to_owned)).collect::<BTreeSet<_>>()
    };
    (&list(&[]) - &list(&["--ignored"])).iter().map(|name| check(name, None)).collect()
}

/// How `timeout` ends.
const TIMED_OUT: &str = "exit status: 124";

impl Check {
    /// Why a mutant fails it. A check that took too long counts only if it is quick enough without the mutant right afterwards.
    pub fn failure(&self, home: &Path, job: usize, mutant: usize) -> Option<String> {
        let run = |number: usize| self.run(home, job, ("MUTANT", number.to_string().as_ref()));
        loop {
            let why = run(mutant + 1).err()?;
            if why != TIMED_OUT || run(0).is_ok() {
                return Some(why);
            }
        }
    }

    /// Runs it with this variable. A loop without an end is stopped by a limit of processor time, memory or time.
    fn run(&self, home: &Path, job: usize, variable: (&str, &OsStr)) -> Outcome {
        let temporary = home.join(format!("temporary-{job}"));
        let _ = std::fs::remove_dir_all(&temporary);
        std::fs::create_dir_all(&temporary).expect("target is writable");
        let output = temporary.join("output");
        let mut command = Command::new("bash");
        let limits = format!(
            "ulimit -t {:.0} -v 8000000; exec timeout -k 1 {:.0} \"$@\"",
            self.seconds * 4.0 + 4.0,
            self.seconds * 10.0 + 30.0
        );
        command.args(["-c", &limits, "bash"]).arg(&self.program).args(["--exact", "--test-threads=1"]);
        match self.seed {
            None => command.arg(&self.name),
            Some(_) => command.args(["put_back::first_broken_seed", "--ignored", "--nocapture"]),
        };
        command.env("SIM_SEEDS", "1").env("SIM_FIRST", self.seed.unwrap_or(1).to_string()).env("TMPDIR", &temporary);
        command.env("RUST_BACKTRACE", "0").env(variable.0, variable.1);
        let file = File::create(&output).expect("target is writable");
        command.current_dir(home.join("tree")).stdin(Stdio::null());
        command.stdout(file.try_clone().expect("it is open")).stderr(file);
        let began = Instant::now();
        let status = command.status().expect("bash runs");
        let seconds = began.elapsed().as_secs_f64();
        let printed = String::from_utf8_lossy(&std::fs::read(&output).unwrap_or_default()).into_owned();
        let line =
            |start: &str| printed.lines().find_map(|line| line.split_once(start)).map(|(_, rest)| rest.to_owned());
        match (line("broken by seed "), status.success()) {
            (None, true) => Ok(seconds),
            (Some(rule), _) => Err(rule),
            (None, false) => Err(line("panicked at ").unwrap_or_else(|| status.to_string())),
        }
    }
}
