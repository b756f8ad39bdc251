//! Goal 1: a row move, a scroll, a page and a letter, beside vim and less.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::said::{Goals, part, spread};
use super::{Options, SIZE};
use common::bench::programs::{ECHO, LODE, MOVE, PAGE, PATIENCE, Program, SCROLL, TYPE, TestServices, installed};
use common::bench::terminal::Terminal;

/// Nothing for this long is the end of an answer.
const QUIET: Duration = Duration::from_millis(10);
const NO_ANSWER: Duration = Duration::from_millis(500);
/// The programs that are compared. csvlens is told, not judged.
const PEERS: [&str; 5] = [ECHO, LODE, "vim", "less", "csvlens"];

#[derive(Default)]
struct Pressed {
    last: Vec<Duration>,
    bytes: usize,
}

pub fn measure(folder: &Path, options: &Options, goals: &mut Goals) {
    let services = TestServices::new(&folder.join("keys"));
    let only: Vec<String> = PEERS.iter().map(|name| (*name).to_owned()).collect();
    let programs = installed(&services, &only, &[]);
    for peer in PEERS.iter().filter(|peer| programs.iter().all(|program| program.name != **peer)) {
        goals.tell(&format!("{peer} is not installed here, and not compared"));
    }
    let mut open: Vec<(&Program, Terminal)> = Vec::new();
    for program in &programs {
        let started = Terminal::start(&program.start, SIZE).ok();
        match started.and_then(|mut terminal| terminal.shows(program.ready, PATIENCE).then_some(terminal)) {
            Some(mut terminal) => {
                let _ = terminal.listen(QUIET * 50);
                open.push((program, terminal));
            }
            None => goals.trouble(&format!("{} was not ready", program.name)),
        }
    }
    for (deed, bytes) in [(MOVE, 700.0), (SCROLL, 1_200.0), (PAGE, 6_000.0), (TYPE, f64::INFINITY)] {
        let found = alternate(deed, &mut open, options.keys);
        for (name, pressed) in &found {
            let each = pressed.bytes / pressed.last.len().max(1);
            goals.tell(&format!("{deed:<12}{name:<10}{}  {each} bytes", spread(&pressed.last)));
        }
        let at = |name: &str, percent| found.get(name).and_then(|pressed: &Pressed| part(&pressed.last, percent));
        let own = at(LODE, 50);
        let beside = |goals: &mut Goals, peer: &str, most: f64| {
            if let Some(time) = at(peer, 50) {
                goals.most(&format!("{deed}, times {peer}"), own.map(|own| own / time), most, "");
            }
        };
        match deed {
            MOVE => beside(goals, "vim", 0.9),
            PAGE => {
                beside(goals, "less", 0.6);
                let tail = at(LODE, 95).zip(own).map(|(tail, own)| tail / own);
                goals.most("page down, p95 in medians", tail, 2.0, "");
            }
            _ => beside(goals, "vim", 1.0),
        }
        if bytes.is_finite() {
            let each = found.get(LODE).map(|pressed| pressed.bytes as f64 / pressed.last.len().max(1) as f64);
            goals.most(&format!("{deed}, bytes"), each, bytes, "");
        }
    }
    for (program, terminal) in open {
        terminal.leave(program.quit);
    }
}

/// One key of each program after the other, until all have had as many.
fn alternate(deed: &str, open: &mut [(&Program, Terminal)], keys: usize) -> BTreeMap<&'static str, Pressed> {
    let mut found: BTreeMap<&str, Pressed> = BTreeMap::new();
    let action = |program: &Program| program.actions.iter().position(|action| action.deed == deed);
    for (program, terminal) in open.iter_mut() {
        let Some(action) = action(program).map(|at| &program.actions[at]) else { continue };
        let _ = terminal.types(&action.before, Duration::from_millis(5));
        let _ = terminal.listen(QUIET * 10);
    }
    for key in 0..keys {
        for (program, terminal) in open.iter_mut() {
            let Some(action) = action(program).map(|at| &program.actions[at]) else { continue };
            let Ok(answer) = terminal.press(action.cycle[key % action.cycle.len()], QUIET, NO_ANSWER) else { continue };
            let pressed = found.entry(program.name).or_default();
            pressed.bytes += answer.bytes;
            pressed.last.extend(answer.last);
        }
    }
    for (program, terminal) in open.iter_mut() {
        let Some(action) = action(program).map(|at| &program.actions[at]) else { continue };
        let _ = terminal.types(&action.after, QUIET * 3);
        let _ = terminal.listen(QUIET * 5);
    }
    found
}
