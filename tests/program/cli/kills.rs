//! `kill -9` at any moment of a long unlock: after `lode recover` the service's books and lode's agree, contact by contact.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use lode_sandbox::faults::Rng;

use common::test_app::{Ran, TestApp, words};

const CONTACTS: u64 = 500;

/// One session that dies after a number of milliseconds, and what is left of it.
fn die_and_recover(after_ms: u64, seed: u64) {
    let app = TestApp::with(lode_sandbox::service::ServiceSetup { seed, ..TestApp::setup() });
    app.fault("latency@unlock=60+40");
    app.fault("unlock-lost=0.2");
    let before = app.balance();
    let ids = words(&(1..=CONTACTS).collect::<Vec<u64>>());
    let mut child =
        app.command(&["unlock", "--corpus", "us", "--max-credits", "500"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(ids.join("\n").as_bytes()).unwrap();
    // What it prints meanwhile has to be read, or it would wait for its reader instead of dying where the draw says.
    let out = child.stdout.take().unwrap();
    let reading = std::thread::spawn(move || std::io::read_to_string(out));
    std::thread::park_timeout(Duration::from_millis(after_ms));
    child.kill().unwrap();
    Ran::of(child);
    drop(reading.join());
    app.calms_down();
    let why = format!("{after_ms} ms, seed {seed}");
    let recovered = app.run(&["recover"]);
    assert_eq!(recovered.code, 0, "{why}: {recovered:?}");
    app.agrees(before, &why);
    assert!(before - app.balance() <= CONTACTS as i64, "{why}");
    // The rest goes on as if nothing had happened.
    let rest = app.fed(&["unlock", "--corpus", "us", "--max-credits", "500"], &ids.join("\n")).ended(0);
    assert_eq!(rest.summary()["unknown"], 0);
    app.agrees(before, &why);
}

/// Most of the time goes into the minute of quiet that a contact has to be seen locked for. Money rule 2, *intent before send*.
#[test]
#[ignore = "takes minutes: 200 sessions die, and each waits for its proof"]
fn two_hundred_deaths_lose_nothing_and_pay_nothing_twice() {
    let mut rng = Rng::new(20_261_121);
    let deaths: Vec<u64> = (0..200).map(|_| rng.below(1_500)).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(after_ms) = deaths.get(at) else { break };
                    die_and_recover(*after_ms, at as u64 + 1);
                }
            });
        }
    });
}
