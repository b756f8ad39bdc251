//! A robot at a real terminal while everything that can go wrong does: it must stay in its memory, in its allowance, and know its
//! basket and its purchases at the end.

use std::time::{Duration, Instant};

use lode_sandbox::faults::FaultRule;
use lode_sandbox::rate::{RateLimit, busiest};
use lode_sandbox::service::ServiceSetup;

use crate::hostile::window::command;
use common::rng::Rng;
use common::terminal::Terminal;
use common::test_app::TestApp;

/// Whatever a hand does that neither leaves nor suspends.
#[rustfmt::skip] // One line each would be a page.
const HABITS: &[&str] = &[
    "j", "j", "j", "k", "jjjjj", "kkk", "\x1b[6~", "\x1b[5~", "\x04", "\x15", "]", "[", "G", "gg", "1200G", "40G",
    "l", "h", "$", " ", " ", "   ", "a", "vjjj ", "u", "\x12", "\r", "\x1b", "\x1b\x1b", "/nurse\r", "/director\r",
    "/\x15\r", "F", "H", "R", "R", "w", "W", "gs", "gb", "go", "gv", "gc", "gj", "gr\x1b", "gh\x1b", "?\x1b",
    ":bas\x1b", "i\x1b", "P\x1b", "ye", "yr", "yj", "d\x1b", ">", "<", "o", "O", "t\x1b", "m\x1b", "s\x1b", "r\x1b",
    "\t", "\x1b[Z", "\x1bOQ", "\x1bOR", "\x1bOS", "\x1b[15~", "\x1b[20~", "\x0c", "%", "%",
    "\x1b[200~pasted\r\n9\r\x1b[201~", "\x1b[<0;40;12M\x1b[<0;40;12m", "\x1b[<64;60;20M\x1b[<64;60;20M",
    "\x1b[<65;60;20M\x1b[<65;60;20M\x1b[<65;60;20M", "\x1b[I", "\x1b[O", "99",
];

const TENTHS: usize = 10;

struct Figures {
    keys: usize,
    bytes: u64,
    paid: usize,
    /// Rows in the basket that was looked at last.
    staged: usize,
    /// At the start, after each tenth, and at the end.
    memory: Vec<Memory>,
}

/// In kB: all that is resident, and of that what the program asked for itself. The rest is its own file, read when it is needed.
#[derive(Clone, Copy, Debug)]
struct Memory {
    all: u64,
    own: u64,
}

fn memory(terminal: &Terminal) -> Memory {
    let path = format!("/proc/{}/status", terminal.pid().as_raw_nonzero());
    let text = std::fs::read_to_string(path).unwrap();
    let of = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("it runs");
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    Memory { all: of("VmRSS:"), own: of("RssAnon:") }
}

/// Reads the review, types its number and confirms it. Where it went away meanwhile nothing is paid.
fn pay(terminal: &mut Terminal) -> bool {
    let reads = |terminal: &Terminal| terminal.screen().contains("Maximum cost");
    terminal.send("\x1b\x1b\x1bgsU");
    for _ in 0..20 {
        if reads(terminal) && terminal.screen().contains("Maximum cost") {
            break;
        }
        terminal.changes_within(Duration::from_millis(100));
    }
    let screen = terminal.screen();
    let Some(words) = screen.split("Maximum cost").nth(1) else {
        terminal.send("\x1b");
        return false;
    };
    let number = words.split_whitespace().next().unwrap_or_default().to_owned();
    // What is typed in the first moments is dropped on purpose.
    while terminal.changes_within(Duration::from_millis(400)) {}
    for digit in number.chars() {
        terminal.send(&digit.to_string());
        terminal.changes_within(Duration::from_millis(100));
    }
    for _ in 0..4 {
        terminal.changes_within(Duration::from_millis(300));
        terminal.send("\r");
        terminal.changes_within(Duration::from_millis(300));
        if !reads(terminal) {
            return true;
        }
    }
    terminal.send("\x1b");
    false
}

/// Goes on until `tenth`, which is told how many keys were pressed and answers which tenth of the time it is, comes to ten.
fn robot(terminal: &mut Terminal, seed: u64, mut tenth: impl FnMut(usize) -> usize) -> Figures {
    let mut rng = Rng::new(seed);
    let mut figures = Figures { keys: 0, bytes: terminal.bytes(), paid: 0, staged: 0, memory: vec![memory(terminal)] };
    loop {
        let now = tenth(figures.keys);
        if now >= figures.memory.len() {
            figures.memory.push(memory(terminal));
        }
        if now >= TENTHS {
            break;
        }
        match rng.below(60) {
            0 => {
                terminal.resize(40 + rng.below(160) as u16, 10 + rng.below(50) as u16);
            }
            1 => figures.paid += usize::from(pay(terminal)),
            _ => {
                let habit = *rng.pick(HABITS);
                terminal.send(habit);
                figures.keys += if habit.starts_with('\x1b') { 1 } else { habit.chars().count() };
            }
        }
        // As fast as frames come: a person does not type ahead of what is not shown.
        terminal.changes_within(Duration::from_millis(15));
    }
    figures.bytes = terminal.bytes() - figures.bytes;
    figures
}

const SIDES: [(&str, &str, &str); 4] = [
    ("Workspace · US", "workspace", "us"),
    ("Workspace · LinkedIn", "workspace", "linkedin"),
    ("Data · US", "data", "us"),
    ("Data · LinkedIn", "data", "linkedin"),
];

/// The rows that a header counts in the basket.
fn staged(header: &str) -> usize {
    let count = header.split("Basket ").nth(1).and_then(|rest| rest.split_whitespace().next());
    count.and_then(|count| count.replace(',', "").parse().ok()).unwrap_or(0)
}

/// What the screen shows once it has not changed for two seconds.
fn at_rest(terminal: &Terminal, body: impl Fn(&vt100::Screen) -> Vec<String>) -> Vec<String> {
    let (mut shown, mut since) = (Vec::new(), Instant::now());
    let end = Instant::now() + Duration::from_secs(120);
    while since.elapsed() < Duration::from_secs(2) {
        assert!(Instant::now() < end, "it never comes to rest:\n{}", terminal.screen());
        terminal.changes_within(Duration::from_millis(200));
        terminal.look(|screen| {
            let now = body(screen);
            if now != shown {
                (shown, since) = (now, Instant::now());
            }
        });
    }
    shown
}

fn soak(app: &TestApp, faults: &[String], seed: u64, tenth: impl FnMut(usize) -> usize) -> Figures {
    let mut terminal = Terminal::start(command(app, &[]), 160, 48);
    terminal.wait_for("page 1/");
    let rules: Vec<FaultRule> = faults.iter().map(|rule| rule.parse().unwrap()).collect();
    app.sandbox.service().state().faults.rules = rules;
    let mut figures = robot(&mut terminal, seed, tenth);

    // The storm is over: nothing on the screen is older than the frame, and the basket is as it was left. The jobs are looked at,
    // because they stand still once they ended, while a search may still be waiting for a slot.
    app.calms_down();
    terminal.resize(160, 48);
    terminal.press_until("\x1b", |screen| !screen.contains("Maximum cost"));
    terminal.press_until("\x1b\x1b\x1b\x1bgj", |screen| screen.contains(" Jobs ─"));
    let body = |screen: &vt100::Screen| screen.rows(0, 160).skip(2).take(44).collect::<Vec<_>>();
    let before = at_rest(&terminal, body);
    terminal.send("\x0c");
    terminal.wait_until("the same after a repaint", |screen| body(screen) == before);
    let header = terminal.screen().lines().take(2).collect::<Vec<_>>().join("\n");
    figures.staged = staged(&header);
    terminal.signal(rustix::process::Signal::TERM);
    terminal.wait_exit();
    terminal.is_restored();
    // Where the header has no room for the side, it is one of the four.
    let named = SIDES.iter().any(|(name, ..)| header.contains(name));
    let kept: Vec<(&str, usize)> = SIDES
        .iter()
        .filter(|(name, ..)| !named || header.contains(name))
        .map(|(name, source, corpus)| {
            let rows = app.run(&["basket", "list", "--source", source, "--corpus", corpus, "--json"]).ended(0);
            (*name, rows.lines().len())
        })
        .collect();
    assert!(kept.iter().any(|(_, rows)| *rows == figures.staged), "{kept:?} in the books, on the screen:\n{header}");
    figures
}

/// The service's own log of what it received, judged by its own measure.
fn within_the_allowance(app: &TestApp) -> (usize, usize) {
    let log = app.sandbox.service().log();
    let key = log.iter().find(|entry| entry.service == "workspace").and_then(|entry| entry.key.clone()).unwrap();
    let receipts = app.sandbox.service().state().log.receipts(&key);
    let most = busiest(&receipts, 60_000);
    assert!(most <= 120, "{most} requests in a minute");
    (log.len(), most)
}

#[test]
fn a_short_storm_costs_neither_memory_nor_basket_nor_money() {
    let app = TestApp::with(ServiceSetup { allowance: RateLimit::default(), ..TestApp::setup() });
    let before = app.balance();
    let faults: Vec<String> = [
        "latency=5+20", "429=0.03:1", "502=0.05", "html=0.02", "reset=0.03", "reset-mid=0.03", "truncated=0.03",
        "lost@search=0.03", "unlock-lost=0.3", "unlock-part=0.2", "odd-totals=0.05", "string-ids=0.2", "reorder=0.1",
        "gzip-bomb=0.01", "echo=0.02", "empty=0.02", "binary=0.02",
    ]
    .map(str::to_owned)
    .to_vec();
    let figures = soak(&app, &faults, 8, |keys| keys * TENTHS / 500);
    within_the_allowance(&app);
    assert!(figures.memory.iter().all(|memory| memory.all < 128 * 1024), "{:?}", figures.memory);
    // What was not answered is looked for; what is not there yet goes out again, as it was.
    let finished = app.run(&["recover", "--finish", "--max-credits", "1000"]);
    // A batch that is owned in part is never sent again: another check proves the rest.
    if finished.code == 9 {
        app.run(&["recover"]).ended(0);
    }
    app.agrees(before, "after the storm");
}

/// All faults there are, for minutes: `LODE_SOAK_SECONDS=300 LODE_SOAK_SEED=8 cargo test --test program hostile -- --ignored --nocapture
/// a_long_storm`.
#[test]
#[ignore = "takes minutes"]
fn a_long_storm_of_every_fault() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (seconds, seed) = (number("LODE_SOAK_SECONDS").unwrap_or(240), number("LODE_SOAK_SEED").unwrap_or(8));
    let app = TestApp::with(ServiceSetup { allowance: RateLimit::default(), ..TestApp::setup() });
    let faults: Vec<String> = lode_sandbox::faults::names()
        .map(|(name, _)| match name {
            "latency" => "latency=20+300".to_owned(),
            "huge" => "huge=0.005:1000000000".to_owned(),
            "endless" | "drip" | "stall" => format!("{name}=0.003"),
            "unlock-lost" | "unlock-part" | "unlock-late" | "members" | "suppress" => format!("{name}=0.15"),
            "hostile" => "hostile=0.5".to_owned(),
            name => format!("{name}=0.015"),
        })
        .collect();
    let began = Instant::now();
    let total = Duration::from_secs(seconds);
    let tenth = |_| (began.elapsed().as_millis() as usize * TENTHS) / total.as_millis() as usize;
    let figures = soak(&app, &faults, seed, tenth);
    let (requests, most) = within_the_allowance(&app);
    let log = app.sandbox.service().log();
    let met = log.iter().filter(|entry| entry.fault.is_some()).count();
    let kinds: std::collections::BTreeSet<String> = log
        .iter()
        .filter_map(|entry| entry.fault.as_deref())
        .map(|fault| fault.split([' ', '(', '{']).next().unwrap_or_default().to_owned())
        .collect();
    let Figures { keys, bytes, paid, staged, memory } = figures;
    println!(
        "{seconds} s, seed {seed}: {keys} keys, {requests} requests (busiest minute {most} of 120), {met} faults of {} kinds, \
         {paid} orders, {staged} rows in a basket, {} bytes a key",
        kinds.len(),
        bytes / keys.max(1) as u64,
    );
    let megabytes = |kb: u64| format!("{:.1}", kb as f64 / 1024.0);
    let list = |of: fn(&Memory) -> u64| memory.iter().map(|m| megabytes(of(m))).collect::<Vec<_>>().join(" ");
    println!("RSS at the start and after each tenth, MB: {}\n  of that its own: {}", list(|m| m.all), list(|m| m.own));
    assert!(paid > 0, "nothing was bought");
    // The largest answer that is read stays with the allocator once it came, whenever that is; beside it nothing grows.
    let half = memory[TENTHS / 2].own;
    assert!(memory.iter().all(|m| m.all < 64 * 1024 && m.own < half + 16 * 1024), "memory grows: {memory:?}");
}
