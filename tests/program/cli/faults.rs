//! Every fault of the sandbox against every reading command: a right answer, or the documented exit with one clear sentence,
//! in time and in bounded memory.

use std::process::Child;
use std::time::{Duration, Instant};

use lode_sandbox::faults::rule;

use common::house::{House, Ran};

const COMMANDS: [&[&str]; 6] = [
    &["me"],
    &["search", "--title", "nurse", "--limit", "120"],
    &["search", "--source", "data", "--query", "nurse", "--limit", "120"],
    &["counts"],
    &["saved", "list"],
    &["export", "--query", "nurse", "-o", "out.csv"],
];

/// Memory that a reading command may take, whatever it is sent.
const MOST_KB: u64 = 64 * 1024;

/// Waits for the end; answers also the most memory it ever held.
fn watched(child: Child) -> (Ran, u64) {
    let (status, exe) = (format!("/proc/{}/status", child.id()), format!("/proc/{}/exe", child.id()));
    // The pipes are read meanwhile, or a long answer would wait for its reader for ever.
    let reading = std::thread::spawn(move || Ran::of(child));
    let mut most = 0;
    // The peak is kept by the system and only grows, so that the last look before the end is the answer.
    while !reading.is_finished() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        // Once the command has ended, its number may belong to a thread of this test.
        let is_lode = std::fs::read_link(&exe).is_ok_and(|exe| exe.ends_with("lode"));
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).filter(|_| is_lode);
        most = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(most).max(most);
        std::thread::park_timeout(Duration::from_millis(2));
    }
    (reading.join().unwrap(), most)
}

fn check(fault: &str, command: &[&str], deadline: Duration) {
    let house = House::new();
    let clean = house.run(command).ended(0);
    house.fault(fault);
    let began = Instant::now();
    let (ran, most) = watched(house.command(command).spawn().unwrap());
    let took = began.elapsed();
    assert!(took < deadline, "{fault} {command:?}: {took:?}");
    assert!((1..MOST_KB).contains(&most), "{fault} {command:?}: {most} kB");
    let strange =
        ["hostile", "odd", "string-ids", "members", "suppress", "reorder"].iter().any(|name| fault.starts_with(name));
    match ran.code {
        0 if !strange && command[0] != "export" && command[0] != "saved" => {
            assert_eq!(ran.out, clean.out, "{fault} {command:?} {}", ran.err);
        }
        0 => {}
        1 | 4 | 5 | 7 | 8 => {
            let said = ran.err.lines().filter(|line| line.starts_with("lode: ")).count();
            assert_eq!(said, 1, "{fault} {command:?} {ran:?}");
            assert!(ran.err.lines().last().is_some_and(|line| line.starts_with("hint: ")), "{fault} {ran:?}");
            assert!(!ran.err.contains('<'), "no page of HTML is quoted: {fault} {}", ran.err);
            if command[0] == "export" {
                assert!(!house.path("out.csv").exists() || clean.code == 0, "{fault}");
            }
        }
        code => panic!("{fault} {command:?} ended with {code}: {ran:?}"),
    }
    assert!(!ran.out.chars().chain(ran.err.chars()).any(|c| c.is_control() && c != '\n'), "{fault} {ran:?}");
}

/// Several at a time: most of their time is waiting.
fn all(faults: &[String], deadline: Duration, at_once: usize) {
    let cases: Vec<(&String, &[&str])> =
        faults.iter().flat_map(|fault| COMMANDS.iter().map(move |command| (fault, *command))).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some((fault, command)) = cases.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    check(fault, command, deadline);
                }
            });
        }
    });
}

/// Bodies that arrive by the byte take as long as the command waits: they belong to the long run.
const SLOW: [&str; 3] = ["drip", "stall", "unlock-late"];

#[test]
fn one_fault_is_survived() {
    let faults: Vec<String> =
        rule::names().map(|(name, _)| name).filter(|name| !SLOW.contains(name)).map(once).collect();
    all(&faults, Duration::from_secs(40), 6);
}

fn once(name: &str) -> String {
    if name == "latency" { "latency=50+50".to_owned() } else { format!("{name}=next") }
}

#[test]
#[ignore = "takes minutes: commands that give up only after their whole patience"]
fn a_fault_that_stays_ends_in_its_exit_code() {
    let faults: Vec<String> =
        rule::names().map(|(name, _)| name).filter(|name| *name != "latency").map(str::to_owned).collect();
    all(&faults, Duration::from_secs(120), 40);
}
