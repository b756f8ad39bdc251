//! Many ids on standard input: what is asked for is done, in bounded room.

#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs::{File, read_to_string};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use common::test_app::{Ran, TestApp};

/// Runs a command with many ids on its input and its lines in a file; and its largest size in MB, as the kernel counts.
fn weighed(app: &TestApp, arguments: &[&str]) -> (Ran, u64) {
    let mut command = app.command(arguments);
    command.stdin(File::open(app.path("ids")).unwrap());
    command.stdout(Stdio::from(File::create(app.path("lines")).unwrap()));
    let child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let (tell, ended) = channel();
    let waits = std::thread::spawn(move || {
        let ran = Ran::of(child);
        tell.send(()).unwrap();
        ran
    });
    let mut peak = 0;
    // The counter only grows: it is read until the process has ended.
    while ended.recv_timeout(Duration::from_millis(2)) == Err(RecvTimeoutError::Timeout) {
        let told = read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = peak.max(line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0));
    }
    (waits.join().unwrap(), peak >> 10)
}

#[test]
fn a_hundred_thousand_ids_need_less_than_60_mb() {
    need_less_than(60, 100_000);
}

#[test]
#[ignore = "a minute: the room that a tenth of them need is tested above"]
fn a_million_ids_need_less_than_200_mb() {
    need_less_than(200, 1_000_000);
}

fn need_less_than(most_mb: u64, ids: usize) {
    let app = TestApp::new();
    let mut lines = String::new();
    (1..=ids).for_each(|id| writeln!(lines, "{id}").unwrap());
    std::fs::write(app.path("ids"), lines).unwrap();
    app.set_credits(250);
    for (line, code, lines) in [
        ("unlock --corpus us --max-credits 5 --dry-run", 0, 1),
        ("unlock --corpus us --max-credits 5", 3, ids + 1),
        ("unlock --corpus us --max-credits 1000000", 6, ids + 1),
        ("basket add --corpus us", 0, 0),
        ("basket rm --corpus us", 0, 0),
    ] {
        let (ran, peak) = weighed(&app, &line.split(' ').collect::<Vec<_>>());
        println!("{line}: {peak} MB");
        assert_eq!(ran.code, code, "{line}: {ran:?}");
        assert!((1..most_mb).contains(&peak), "{line}: {peak} MB");
        let told = BufReader::new(File::open(app.path("lines")).unwrap()).lines().count();
        assert_eq!(told, lines, "{line}: a line for each id, and the summary");
    }
}
