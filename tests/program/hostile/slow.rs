//! A terminal that does not read: over a slow line for a while, behind a frozen window for good. What is on its way stays one frame,
//! keys are heard, jobs go on and are written down, what was never shown is not paid, and a signal ends the program.
//!
//! No clock decides here: what lode did while its output is not read is asked of its ledger, with the shell.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::hostile::window::command;
use common::gate::Gate;
use common::terminal::Terminal;
use common::test_app::TestApp;

/// Whole frames of the smallest screen here: several times what the system keeps of a line that is not read.
const FRAMES: usize = 40;
/// What begins a whole frame.
const WIPED: &[u8] = b"\x1b[2J";

fn books(app: &TestApp, words: &[&str]) -> Vec<u64> {
    app.run(&[words, &["--json"]].concat()).ended(0).ids()
}

/// Waits until the ledger of lode holds this number.
#[track_caller]
fn until(app: &TestApp, words: &[&str], count: usize) {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let now = books(app, words).len();
        if now == count {
            return;
        }
        assert!(Instant::now() < end, "{words:?}: {now} instead of {count}");
    }
}

/// Fills the line: each time the screen is wanted whole, and a row goes in the basket, which is how we know that it was heard.
#[track_caller]
fn fill(app: &TestApp, terminal: &mut Terminal, staged: usize) -> usize {
    terminal.hold();
    for row in 1..=FRAMES {
        terminal.send("\x0c ");
        until(app, &["basket", "list"], staged + row);
    }
    staged + FRAMES
}

#[test]
fn frames_that_are_not_read_are_not_queued_and_keys_are_heard() {
    let app = TestApp::new();
    let page = app.run(&["search", "--limit", "100", "--json"]).ended(0).ids();
    let mut terminal = Terminal::keeping(command(&app, &[]), 80, 24);
    terminal.wait_for("page 1/");
    let before = terminal.written().len();
    fill(&app, &mut terminal, 0);
    // Of what is copied meanwhile only the last is still of use.
    terminal.send(&"yr".repeat(50));
    // More bytes of keys than the system holds for a program that does not listen.
    for _ in 0..1000 {
        terminal.send("\x1b[B\x1b[A");
    }
    terminal.send(&"\x1b[B".repeat(9));
    terminal.send(" ");
    until(&app, &["basket", "list"], FRAMES + 1);
    terminal.go_on();
    terminal.wait_for(&format!("Basket {}", FRAMES + 1));
    let written = terminal.written().split_off(before);
    assert_eq!(memchr::memmem::find_iter(&written, b"\x1b]52;").count(), 1, "copied once");
    let starts: Vec<usize> = memchr::memmem::find_iter(&written, WIPED).collect();
    let smallest = starts.windows(2).map(|pair| pair[1] - pair[0]).min().expect("whole frames came");
    println!("{} bytes in {} whole frames of {FRAMES}, the smallest {smallest}", written.len(), starts.len());
    // What the system keeps of a line, the frame that waited, and the one that shows how things stand.
    assert!(2 * starts.len() < FRAMES && 2 * written.len() < FRAMES * smallest, "{} bytes", written.len());
    let mut wanted: Vec<u64> = page[..FRAMES].to_vec();
    wanted.push(page[FRAMES + 9]);
    let mut staged = books(&app, &["basket", "list"]);
    wanted.sort_unstable();
    staged.sort_unstable();
    assert_eq!(staged, wanted, "every key was heard once");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}

#[test]
fn an_unlock_is_booked_while_its_output_is_not_read_and_what_was_not_shown_is_not_paid() {
    let mut app = TestApp::new();
    let before = app.balance();
    let gate = Gate::before(&app.sandbox.workspace_url);
    // What the commands of the test read must belong to the same workspace.
    app.workspace_url = format!("http://127.0.0.1:{}/api/v1", gate.port);
    let mut terminal = Terminal::start(command(&app, &[]), 80, 24);
    terminal.wait_for("page 1/");
    terminal.send(&" ".repeat(30));
    terminal.wait_for("Basket 30");
    terminal.send("U");
    assert_eq!(terminal.pay(), "30");
    terminal.wait_for("Unlocking ");
    gate.wait_for_unlock();
    let staged = fill(&app, &mut terminal, 30);
    gate.open();
    until(&app, &["owned"], 30);
    until(&app, &["basket", "list"], staged - 30);
    // As slowly as a person who reads the question: but it was never on a screen.
    for keys in ["U", "4", "0", "\r", "\r"] {
        terminal.send(keys);
        for _ in 0..20 {
            books(&app, &["basket", "list"]);
        }
    }
    terminal.send("\x1b\x1bgs ");
    until(&app, &["basket", "list"], staged - 29);
    terminal.go_on();
    terminal.wait_for(&format!("Basket {}", staged - 29));
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
    app.agrees(before, "bought while the output was not read");
    assert_eq!(app.owned().len(), 30);
}

#[test]
fn ending_it_needs_no_reader() {
    for signal in [Signal::TERM, Signal::HUP] {
        let app = TestApp::new();
        let mut terminal = Terminal::start(command(&app, &[]), 80, 24);
        terminal.wait_for("page 1/");
        let staged = fill(&app, &mut terminal, 0);
        terminal.signal(signal);
        assert!(!terminal.wait_exit().success());
        until(&app, &["basket", "list"], staged);
    }
}

/// What it has to say goes into the report: the terminal would not read that either.
#[test]
fn a_panic_ends_it_while_its_output_is_not_read() {
    let app = TestApp::new();
    let mut program = command(&app, &[]);
    program.env("LODE_BREAK", "update");
    let mut terminal = Terminal::start(program, 80, 24);
    terminal.wait_for("page 1/");
    let staged = fill(&app, &mut terminal, 0);
    terminal.signal(Signal::USR1);
    assert_eq!(terminal.wait_exit().exit_code(), 1);
    assert_eq!(std::fs::read_dir(app.path("state/crashes")).unwrap().count(), 1);
    until(&app, &["basket", "list"], staged);
}

#[test]
fn a_line_that_breaks_ends_it() {
    let app = TestApp::new();
    let mut terminal = Terminal::start(command(&app, &[]), 80, 24);
    terminal.wait_for("page 1/");
    let staged = fill(&app, &mut terminal, 0);
    terminal.hang_up();
    assert!(!terminal.wait_exit().success());
    until(&app, &["basket", "list"], staged);
}

#[test]
fn a_window_left_while_its_output_is_not_read_ends_once_it_is_read() {
    let app = TestApp::new();
    let mut terminal = Terminal::start(command(&app, &[]), 80, 24);
    terminal.wait_for("page 1/");
    fill(&app, &mut terminal, 0);
    terminal.send("q");
    terminal.go_on();
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}
