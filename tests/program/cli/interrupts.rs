//! Ctrl-C, and readers that go away.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use common::test_app::{Ran, TestApp, words};

fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

/// An unlock that has told its first line.
fn under_way(app: &TestApp, contacts: u64) -> (Child, BufReader<std::process::ChildStdout>) {
    app.fault("latency@unlock=400+0");
    let ids = words(&(1..=contacts).collect::<Vec<u64>>());
    let mut child =
        app.command(&["unlock", "--corpus", "us", "--max-credits", "200"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(ids.join("\n").as_bytes()).unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    assert!(first.contains("outcome"), "{first}");
    (child, out)
}

#[test]
fn an_unlock_stops_after_its_call_with_everything_clear() {
    let app = TestApp::new();
    let (child, mut out) = under_way(&app, 60);
    interrupt(&child);
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let ran = Ran::of(child).ended(130);
    // A stop between two calls has no request to wait for, and says only how it ended.
    assert!(ran.err.contains("interrupted: "), "{}", ran.err);
    let summary: serde_json::Value = serde_json::from_str(rest.lines().last().unwrap()).unwrap();
    let charged = summary["summary"]["charged"].as_u64().unwrap();
    assert!(charged == 25 || charged == 50, "{summary}");
    assert_eq!(app.owned().len() as u64, charged);
    assert_eq!(app.run(&["owned"]).ended(0).sorted_ids(), app.owned());
    assert_eq!(app.run(&["recover"]).ended(0).summary()["unknown"], 0);
}

#[test]
fn a_second_interrupt_leaves_at_once_and_the_journal_knows() {
    let app = TestApp::new();
    // The answer is held back until the process has gone.
    app.fault("latency@unlock=20000+0");
    let mut child = app.command(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]).spawn().unwrap();
    while !app.sandbox.service().log().iter().any(|request| request.path.ends_with("unlock")) {
        std::thread::yield_now();
    }
    interrupt(&child);
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("stopping after this request"), "{line}");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    app.sandbox.service().state().faults.rules = Vec::new();
    let unknown = app.run(&["unlock", "--corpus", "us", "--max-credits", "1", "2", "3"]).failed(9);
    assert_eq!((&unknown.summary()["unknown"], &unknown.summary()["charged"]), (&1.into(), &1.into()));
}

/// The number of a command that waits for its answer for a second, started by a shell that does this first.
fn in_flight(app: &TestApp, first: &str) -> (Child, Pid) {
    app.fault("latency@unlock=1000+0");
    let line = format!("{first} echo $$ >pid; exec lode unlock --corpus us --max-credits 2 1 2");
    let child = app.shell(&line).spawn().unwrap();
    while !app.sandbox.service().log().iter().any(|request| request.path.ends_with("unlock")) {
        std::thread::yield_now();
    }
    let pid = std::fs::read_to_string(app.path("pid")).unwrap().trim().parse().unwrap();
    (child, Pid::from_raw(pid).unwrap())
}

/// systemd sends both signals to what a session leaves behind.
#[test]
fn a_session_that_is_logged_out_interrupts_an_unlock_once() {
    let app = TestApp::new();
    let (mut child, pid) = in_flight(&app, "");
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    kill_process(pid, Signal::TERM).unwrap();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("stopping after this request"), "{line}");
    kill_process(pid, Signal::HUP).unwrap();
    Ran::of(child).ended(130);
    assert_eq!(app.run(&["owned"]).ended(0).sorted_ids(), [1, 2]);
}

/// `nohup` starts a program with this signal ignored.
#[test]
fn a_hang_up_that_is_ignored_from_the_start_stays_ignored() {
    let app = TestApp::new();
    let (child, pid) = in_flight(&app, "trap '' HUP;");
    kill_process(pid, Signal::HUP).unwrap();
    assert_eq!(Ran::of(child).ended(0).summary()["charged"], 2);
}

/// How often the balance was asked for.
fn balances(app: &TestApp) -> usize {
    app.sandbox.service().log().iter().filter(|request| request.path.ends_with("me")).count()
}

#[test]
fn a_pause_of_the_service_is_not_sat_out_after_an_interrupt() {
    let app = TestApp::new();
    app.fault("429@unlock=next:44");
    let mut child = app.command(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("waiting 44 s") {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "it said nothing of the pause");
    }
    interrupt(&child);
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    let ran = Ran::of(child).ended(9);
    assert!(rest.contains("stopping: nothing more is sent") && !rest.contains("after this call"), "{rest}");
    assert!(rest.contains("the balance was not read again"), "{rest}");
    // Whether the refusal was true could not be checked any more.
    assert!(rest.contains("2 contacts is unknown: the service refused it"), "{rest}");
    assert_eq!((&ran.summary()["unknown"], &ran.summary()["balance"]), (&2.into(), &1_204.into()));
    assert_eq!(balances(&app), 1, "the key is silent until the pause is over");
}

#[test]
fn a_pause_longer_than_the_patience_ends_the_unlock_at_once() {
    let app = TestApp::new();
    app.fault("429@unlock=next:200");
    let ran = app.run(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]).failed(9);
    assert!(ran.err.contains("the balance was not read again"), "{ran:?}");
    assert!(ran.err.contains("unknown: the service refused it"), "{ran:?}");
    assert_eq!((ran.summary()["unknown"].as_u64(), balances(&app)), (Some(2), 1));
}

#[test]
fn a_search_leaves_at_once() {
    let app = TestApp::new();
    app.fault("latency@search=20000+0");
    let child = app.command(&["search"]).spawn().unwrap();
    // The request is on the wire when the service has it in its log.
    while app.sandbox.service().log().is_empty() {
        std::thread::yield_now();
    }
    interrupt(&child);
    Ran::of(child).ended(130);
}

#[test]
fn a_reader_that_leaves_stops_an_unlock_after_its_call() {
    let app = TestApp::new();
    let (child, out) = under_way(&app, 120);
    drop(out);
    let ran = Ran::of(child);
    assert!(ran.code == 130 || ran.code == 0, "{ran:?}");
    let owned = app.owned();
    assert!(owned.len().is_multiple_of(25) && owned.len() < 120, "{}", owned.len());
    assert_eq!(app.run(&["owned"]).ended(0).sorted_ids(), owned);
}

#[test]
fn an_export_that_is_interrupted_leaves_nothing() {
    let app = TestApp::new();
    app.fault("drip@export=1:100");
    let child = app.command(&["export", "--query", "nurse", "-o", "out.csv"]).spawn().unwrap();
    let files = || {
        let entries = std::fs::read_dir(app.path(".")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains("out")).collect::<Vec<_>>()
    };
    // It is under way when there is a file with a name that is not the final one.
    while files().is_empty() {
        std::thread::yield_now();
    }
    assert!(!files().contains(&"out.csv".to_owned()));
    interrupt(&child);
    let ran = Ran::of(child).ended(130);
    assert!(ran.err.contains("the file was not written"), "{}", ran.err);
    assert_eq!(files(), Vec::<String>::new());
}
