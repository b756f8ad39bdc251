//! What is said of each goal, and the times it is made of.

use std::collections::BTreeMap;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The goals, by their numbers.
const TITLES: [&str; 8] = [
    "keys beside vim and less",
    "keys under load",
    "first frame and first rows",
    "memory",
    "growth",
    "a fresh machine",
    "exports, and the whole allowance",
    "scans of the sandbox",
];

pub struct Goals {
    now: u8,
    /// Whether all of a goal holds; none where nothing of it was measured.
    held: BTreeMap<u8, Option<bool>>,
}

impl Goals {
    pub fn begin() -> Goals {
        println!("160×48, {}", machine());
        Goals { now: 0, held: BTreeMap::new() }
    }

    pub fn heading(&mut self, goal: u8) {
        self.now = goal;
        self.held.insert(goal, None);
        println!("\nGoal {goal}: {}, {}", TITLES[usize::from(goal) - 1], machine());
    }

    /// A line that is judged: at most so much.
    pub fn most(&mut self, what: &str, found: Option<f64>, most: f64, unit: &str) {
        self.judged(what, found, found.is_some_and(|found| found <= most), "at most", most, unit);
    }

    /// A line that is judged: at least so much.
    pub fn least(&mut self, what: &str, found: Option<f64>, least: f64, unit: &str) {
        self.judged(what, found, found.is_some_and(|found| found >= least), "at least", least, unit);
    }

    fn judged(&mut self, what: &str, found: Option<f64>, holds: bool, way: &str, limit: f64, unit: &str) {
        let sign = if holds { "holds " } else { "BROKEN" };
        let found = found.map_or("nothing".to_owned(), |found| format!("{found:.2}"));
        println!("  {sign}  {what:<54}{found:>10}  {way} {limit:.2} {unit}");
        let held = self.held.entry(self.now).or_default();
        *held = Some(held.unwrap_or(true) && holds);
    }

    /// A line that only tells.
    pub fn tell(&self, words: &str) {
        println!("          {words}");
    }

    /// Something could not be measured that should have been.
    pub fn trouble(&mut self, words: &str) {
        println!("  BROKEN  {words}");
        self.held.insert(self.now, Some(false));
    }

    pub fn end(&self) {
        println!("\nThe goals, {}", machine());
        for (goal, held) in &self.held {
            let sign = match held {
                Some(true) => "holds",
                Some(false) => "BROKEN",
                None => "not measured",
            };
            println!("  {goal}  {:<40}{sign}", TITLES[usize::from(*goal) - 1]);
        }
    }
}

fn machine() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} cores, load {}", load.split(' ').next().unwrap_or_default())
}

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The time below which this part of them stayed, in milliseconds.
pub fn part(times: &[Duration], percent: usize) -> Option<f64> {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at = (times.len() * percent / 100).min(times.len().checked_sub(1)?);
    Some(ms(times[at]))
}

/// `p50 0.31  p95 0.40  p99 0.52  longest 0.60`
pub fn spread(times: &[Duration]) -> String {
    let at = |percent| part(times, percent).map_or("–".to_owned(), |time| format!("{time:.2}"));
    format!("p50 {}  p95 {}  p99 {}  longest {}", at(50), at(95), at(99), at(100))
}

/// In processor time of this thread: what others compute meanwhile does not count.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let began = now();
    let done = work();
    (done, now() - began)
}
