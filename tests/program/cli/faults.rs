//! Every fault of the sandbox against every reading command: a right answer, or the documented exit with one clear sentence,
//! in time and in bounded memory.

use std::io::Read;
use std::process::{Child, Output};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lode_sandbox::faults;

use common::test_app::{Ran, TestApp};

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

/// Waits for the end; answers also the most memory it ever held, if it was still running at the first look.
fn watched(mut child: Child) -> (Ran, Option<u64>) {
    let status_file = format!("/proc/{}/status", child.id());
    // The pipes are read meanwhile, or a long answer would wait for its reader for ever.
    let (out, err) = (reader(child.stdout.take().unwrap()), reader(child.stderr.take().unwrap()));
    let mut most = None;
    // The peak is kept by the system and only grows, so that the last look before the end is the answer. Until the
    // command is waited for its number belongs to it alone.
    let status = loop {
        let text = std::fs::read_to_string(&status_file).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        most = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok()).or(most);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::park_timeout(Duration::from_millis(2));
    };
    (Ran::from(Output { status, stdout: out.join().unwrap(), stderr: err.join().unwrap() }), most)
}

fn reader(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

/// Answers whether its memory was seen: a command can end before the first look. `clean` is what it printed without a fault, in
/// another sandbox: all have the same rows.
fn check(fault: &str, command: &[&str], clean: &Ran, deadline: Duration) -> bool {
    let app = TestApp::new();
    app.fault(fault);
    let began = Instant::now();
    let (ran, most) = watched(app.command(command).spawn().unwrap());
    let took = began.elapsed();
    assert!(took < deadline, "{fault} {command:?}: {took:?}");
    assert!(most.is_none_or(|most| most < MOST_KB), "{fault} {command:?}: {most:?} kB");
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
                assert!(!app.path("out.csv").exists(), "{fault}");
            }
        }
        code => panic!("{fault} {command:?} ended with {code}: {ran:?}"),
    }
    assert!(!ran.out.chars().chain(ran.err.chars()).any(|c| c.is_control() && c != '\n'), "{fault} {ran:?}");
    most.is_some()
}

/// Several at a time: most of their time is waiting.
fn all(faults: &[String], deadline: Duration, at_once: usize) {
    let clean = COMMANDS.map(|command| (command, TestApp::new().run(command).ended(0)));
    let cases: Vec<_> = faults.iter().flat_map(|fault| clean.iter().map(move |clean| (fault, clean))).collect();
    let (next, seen) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some((fault, (command, clean))) = cases.get(next.fetch_add(1, Relaxed)) {
                    seen.fetch_add(check(fault, command, clean, deadline).into(), Relaxed);
                }
            });
        }
    });
    let seen = seen.into_inner();
    assert!(seen > cases.len() / 2, "the memory of {seen} of {} commands was seen", cases.len());
}

/// Bodies that arrive by the byte take as long as the command waits: they belong to the long run.
const SLOW: [&str; 3] = ["drip", "stall", "unlock-late"];

#[test]
fn one_fault_is_survived() {
    let faults: Vec<String> =
        faults::names().map(|(name, _)| name).filter(|name| !SLOW.contains(name)).map(once).collect();
    all(&faults, Duration::from_secs(40), 6);
}

fn once(name: &str) -> String {
    if name == "latency" { "latency=50+50".to_owned() } else { format!("{name}=next") }
}

#[test]
#[ignore = "takes minutes: commands that give up only after their whole patience"]
fn a_fault_that_stays_ends_in_its_exit_code() {
    let faults: Vec<String> =
        faults::names().map(|(name, _)| name).filter(|name| *name != "latency").map(str::to_owned).collect();
    all(&faults, Duration::from_secs(120), 40);
}
