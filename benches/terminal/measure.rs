//! All measurements of a run, the programs alternating.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{Options, SIZE};
use common::bench::programs::{self, Action, PATIENCE, Program};
use common::bench::terminal::Terminal;
use common::rng::Rng;

/// Nothing for this long is the end of an answer.
const QUIET: Duration = Duration::from_millis(10);
const NO_ANSWER: Duration = Duration::from_millis(500);
const ROUNDS: usize = 5;
/// This many keys at once are a key held down.
pub const HELD: usize = 300;

#[derive(Default)]
pub struct Presses {
    /// From writing the key to the last byte of its answer.
    pub last: Vec<Duration>,
    pub bytes: usize,
    pub keys: usize,
    pub unanswered: usize,
    /// Bytes that came after the answer seemed to be over.
    pub late: usize,
    pub cpu: Duration,
}

#[derive(Default)]
pub struct Starts {
    pub byte: Vec<Duration>,
    pub frame: Vec<Duration>,
    pub ready: Vec<Duration>,
}

#[derive(Clone, Copy, Default)]
pub struct Idle {
    pub bytes: usize,
    pub cpu: Duration,
    pub switches: u64,
}

#[derive(Default)]
pub struct Found {
    pub names: Vec<&'static str>,
    pub starts: BTreeMap<&'static str, Starts>,
    pub presses: BTreeMap<(&'static str, &'static str), Presses>,
    /// Lag after the last key and bytes, for each time the key was held.
    pub floods: BTreeMap<(&'static str, &'static str), Vec<(Duration, usize)>>,
    pub idle: BTreeMap<&'static str, Idle>,
    /// Kilobytes when it was ready, and at the end.
    pub resident: BTreeMap<&'static str, (u64, u64)>,
    /// A program that says hello, and `lode --version`.
    pub version: Option<(Duration, Duration)>,
    pub troubles: Vec<String>,
}

pub fn all(programs: &[Program], options: &Options) -> Found {
    let mut found = Found { names: programs.iter().map(|program| program.name).collect(), ..Found::default() };
    for round in 0..options.starts {
        for at in 0..programs.len() {
            starts(&programs[(at + round) % programs.len()], &mut found);
        }
    }
    let mut open: Vec<(&Program, Terminal)> = Vec::new();
    for program in programs {
        match ready(program) {
            Ok(terminal) => {
                found.resident.insert(program.name, (terminal.resident(), 0));
                open.push((program, terminal));
            }
            Err(trouble) => found.troubles.push(trouble),
        }
    }
    let mut rng = Rng::new(1);
    let share = options.keys.div_ceil(ROUNDS);
    for round in 0..ROUNDS {
        eprintln!("round {} of {ROUNDS}", round + 1);
        for deed in programs::DEEDS {
            for (program, terminal) in &mut open {
                let Some(action) = program.actions.iter().find(|action| action.deed == deed) else { continue };
                let presses = found.presses.entry((deed, program.name)).or_default();
                if let Err(error) = press(action, terminal, share, presses, &mut rng) {
                    found.troubles.push(format!("{}: {deed}: {error}", program.name));
                }
                // Each round measures the same screens.
                if program.name.starts_with("lode") && !terminal.shows(program.first, NO_ANSWER) {
                    found.troubles.push(format!("{}: {deed} does not end where it began", program.name));
                }
            }
        }
        for (program, terminal) in &mut open {
            for (name, key) in &program.floods {
                let _ = terminal.types(&[b"gg"], QUIET * 5);
                match terminal.flood(key, HELD, QUIET * 5) {
                    Ok(answer) => {
                        let lag = answer.last.unwrap_or_default();
                        found.floods.entry((name, program.name)).or_default().push((lag, answer.bytes));
                    }
                    Err(error) => found.troubles.push(format!("{}: {name}: {error}", program.name)),
                }
            }
        }
    }
    idle(&mut open, options.idle_seconds, &mut found);
    for (program, terminal) in open {
        if let Some(resident) = found.resident.get_mut(program.name) {
            resident.1 = terminal.resident();
        }
        terminal.leave(program.quit);
    }
    found
}

fn starts(program: &Program, found: &mut Found) {
    let Ok(mut terminal) = Terminal::start(&program.start, SIZE) else {
        return found.troubles.push(format!("{} does not start", program.name));
    };
    let byte = terminal.until(|_| true, PATIENCE);
    let mut shown = |words: &str| match terminal.screen().contains(words) {
        true => byte,
        false => terminal.until(|screen| screen.contains(words), PATIENCE),
    };
    let frame = shown(program.first);
    let ready = if program.ready == program.first { frame } else { shown(program.ready) };
    match (byte, frame, ready) {
        (Some(byte), Some(frame), Some(ready)) => {
            let starts = found.starts.entry(program.name).or_default();
            starts.byte.push(byte);
            starts.frame.push(frame);
            starts.ready.push(ready);
        }
        _ => found.troubles.push(format!("{} was not ready:\n{}", program.name, terminal.screen())),
    }
    terminal.leave(program.quit);
}

fn ready(program: &Program) -> Result<Terminal, String> {
    let mut terminal = Terminal::start(&program.start, SIZE).map_err(|error| format!("{}: {error}", program.name))?;
    if !terminal.shows(program.ready, PATIENCE) {
        return Err(format!("{} was not ready:\n{}", program.name, terminal.screen()));
    }
    // What it still does after it is ready belongs to the start.
    let _ = terminal.listen(Duration::from_millis(500));
    terminal.types(&program.setup, QUIET * 30).map_err(|error| format!("{}: {error}", program.name))?;
    Ok(terminal)
}

fn press(
    action: &Action,
    terminal: &mut Terminal,
    keys: usize,
    presses: &mut Presses,
    rng: &mut Rng,
) -> std::io::Result<()> {
    terminal.types(&action.before, Duration::from_millis(5))?;
    terminal.listen(QUIET * 10)?;
    let before = terminal.cost().cpu;
    for key in action.cycle.iter().cycle().take(keys) {
        let answer = terminal.press(key, QUIET, NO_ANSWER)?;
        presses.keys += 1;
        presses.bytes += answer.bytes;
        match answer.last {
            Some(last) => presses.last.push(last),
            None => presses.unanswered += 1,
        }
        // Never in step with a timer of the program's own.
        presses.late += terminal.listen(Duration::from_micros(5_000 + rng.below(25_000)))?;
    }
    presses.cpu += terminal.cost().cpu.saturating_sub(before);
    terminal.types(&action.after, QUIET * 3)?;
    terminal.listen(QUIET * 5)?;
    Ok(())
}

/// All at once, while no key is pressed. After a minute lode says when it read the balance: that is waited for.
fn idle(open: &mut [(&Program, Terminal)], seconds: u64, found: &mut Found) {
    if seconds == 0 {
        return;
    }
    eprintln!("waiting until nothing is left to count down");
    let end = Instant::now() + Duration::from_secs(75);
    for (program, terminal) in open.iter_mut().filter(|(program, _)| program.name.starts_with("lode")) {
        let left = end.saturating_duration_since(Instant::now());
        if !terminal.shows(" as of ", left) {
            found.troubles.push(format!("{}: it did not come to rest", program.name));
        }
    }
    std::thread::sleep(Duration::from_secs(1));
    for (_, terminal) in open.iter_mut() {
        let _ = terminal.listen(Duration::from_millis(20));
    }
    let before: Vec<_> = open.iter().map(|(_, terminal)| terminal.cost()).collect();
    std::thread::sleep(Duration::from_secs(seconds));
    for ((program, terminal), before) in open.iter_mut().zip(before) {
        let now = terminal.cost();
        let bytes = terminal.listen(Duration::from_millis(1)).unwrap_or(0);
        let idle = Idle {
            bytes,
            cpu: now.cpu.saturating_sub(before.cpu),
            switches: now.switches.saturating_sub(before.switches),
        };
        found.idle.insert(program.name, idle);
    }
}
