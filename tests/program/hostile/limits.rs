//! A machine that gives little, a service that gives too much or hardly anything, a clock that is set.

use crate::hostile::window::command;
use common::fuzz::keys::play;
use common::terminal::Terminal;
use common::test_app::TestApp;

#[test]
fn sixty_four_open_files_are_enough_for_a_session() {
    let app = TestApp::new();
    let mut terminal = Terminal::start(command(&app, &["/bin/sh", "-c", "ulimit -n 64; exec \"$0\" \"$@\""]), 160, 48);
    terminal.wait_for("page 1/");
    terminal.send(&" ".repeat(30));
    terminal.wait_for("Basket 30");
    terminal.send("U");
    terminal.pay();
    terminal.wait_for("30 unlocked");
    terminal.send("e");
    terminal.wait_for("Nothing spent; the path is copied.");
    terminal.send("\x1b");
    for (keys, sign) in [("gc", "Counts "), ("gv", "Saved "), ("go", "Owned 30"), ("gs", " contacts")] {
        terminal.send(keys);
        terminal.wait_for(sign);
    }
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", terminal.pid().as_raw_nonzero())).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    assert_eq!(files.split_whitespace().nth(3), Some("64"), "{files}");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
    assert_eq!(app.owned().len(), 30);
}

/// The most memory that a window ever held, in kB.
fn peak_kb(terminal: &Terminal) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", terminal.pid().as_raw_nonzero())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_gigabyte_for_a_page_is_a_sentence_and_takes_no_memory() {
    let app = TestApp::new();
    let mut terminal = Terminal::start(command(&app, &[]), 160, 48);
    terminal.wait_for("page 1/");
    let before = peak_kb(&terminal);
    for fault in ["huge@search=1:1000000000", "endless@search", "gzip-bomb@search=1:1000000000"] {
        app.fault(fault);
        terminal.send("R");
        terminal.wait_for("larger than the 8 MB");
        app.calms_down();
        terminal.send("R");
        terminal.wait_for("page 1/");
    }
    let after = peak_kb(&terminal);
    println!("{before} kB before, {after} kB after");
    assert!(after < before + 3 * 8 * 1024, "{before} kB before, {after} kB after");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn what_drips_for_ever_is_waited_for_until_it_is_stopped() {
    let app = TestApp::new();
    let mut terminal = Terminal::start(command(&app, &[]), 160, 48);
    terminal.wait_for("page 1/");
    app.fault("drip@search=1:1");
    terminal.send("/nurse\r");
    terminal.wait_for("Searching…");
    // Meanwhile the rest is as it was.
    terminal.send("gc");
    terminal.wait_for("Counts ");
    terminal.send("gs");
    terminal.wait_for("Searching…");
    terminal.send("\x1b");
    terminal.wait_for("Search stopped");
    app.calms_down();
    terminal.send("R");
    terminal.wait_for("page 1/");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

/// A day forth or back, while a review is read and while a call is out: nothing is asked for twice, waited for or paid for.
#[test]
fn a_clock_that_jumps_a_day_changes_nothing_about_money() {
    const WAIT: [u8; 2] = [0x97, 0x30];
    for (first, second) in [(0, 1), (1, 0), (0, 0), (1, 1)] {
        let clock = |by: u8| [0x99, by];
        let review = [b"U".as_slice(), &WAIT, b"\x9a", &WAIT].concat();
        let hold_and_answer = [&[0x98, 1], &clock(second)[..], &WAIT, &[0x9e, 0, 0x9e, 0, 0x9b], &WAIT].concat();
        let script = [
            &[0],
            &WAIT[..],
            b"  ",
            &clock(first),
            &review,
            &clock(second),
            b"2",
            &WAIT,
            b"\x9c\r",
            &clock(first),
            &hold_and_answer,
            b"\x1b ",
            &review,
            b"1",
            &WAIT,
            b"\r",
            &WAIT,
        ]
        .concat();
        assert_eq!(play(&script), 2, "{first} {second}");
    }
}
