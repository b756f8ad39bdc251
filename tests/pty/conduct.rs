//! Conduct: whatever ends it, the terminal is as it was; what is suspended comes back; idle costs nothing.

use std::time::Duration;

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use crate::terminal::{Terminal, environment, lode};

fn open() -> (tempfile::TempDir, Terminal) {
    let home = tempfile::tempdir().unwrap();
    let terminal = Terminal::start(lode(home.path(), &[]), 100, 30);
    terminal.wait_for("WELCOME TO LODE");
    (home, terminal)
}

#[test]
fn signals_give_the_terminal_back() {
    for signal in [Signal::TERM, Signal::HUP] {
        let (_home, mut terminal) = open();
        terminal.signal(signal);
        assert!(!terminal.wait_exit().success());
        terminal.is_restored();
    }
}

#[test]
fn a_panic_gives_the_terminal_back_and_exits_with_one() {
    let (_home, mut terminal) = open();
    terminal.signal(Signal::USR1);
    assert_eq!(terminal.wait_exit().exit_code(), 1);
    terminal.is_restored();
    terminal.wait_for("broken on purpose");
}

#[test]
fn ctrl_c_twice_leaves() {
    let (_home, mut terminal) = open();
    terminal.send("\x1b\x03");
    terminal.wait_for("Ctrl-c again within 2 s leaves");
    terminal.send("\x03");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}

/// The kinds of colours on the screen: none, the terminal's sixteen, of the palette, of any.
fn colours(variables: &[(&str, &str)], arguments: &[&str]) -> Vec<&'static str> {
    let home = tempfile::tempdir().unwrap();
    let mut command = lode(home.path(), arguments);
    for (name, value) in variables {
        command.env(name, value);
    }
    let mut terminal = Terminal::start(command, 100, 30);
    terminal.wait_for("WELCOME TO LODE");
    let mut found = Vec::new();
    terminal.look(|screen| {
        let cells = (0..30).flat_map(|row| (0..100).map(move |column| (row, column)));
        let colours =
            cells.filter_map(|(row, column)| screen.cell(row, column)).flat_map(|c| [c.fgcolor(), c.bgcolor()]);
        found = colours
            .map(|colour| match colour {
                vt100::Color::Default => "none",
                vt100::Color::Idx(0..16) => "sixteen",
                vt100::Color::Idx(_) => "palette",
                vt100::Color::Rgb(..) => "any",
            })
            .collect();
        found.sort_unstable();
        found.dedup();
    });
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
    terminal.is_restored();
    found
}

#[test]
fn colours_are_those_that_the_terminal_has() {
    assert_eq!(colours(&[("NO_COLOR", "1")], &["--theme", "night"]), ["none"]);
    assert_eq!(colours(&[("TERM", "dumb")], &["--theme", "paper"]), ["none"]);
    assert_eq!(colours(&[("TERM", "xterm")], &["--theme", "paper"]), ["sixteen"]);
    assert_eq!(colours(&[], &["--theme", "paper"]), ["palette"]);
    assert_eq!(colours(&[("COLORTERM", "truecolor")], &["--theme", "paper"]), ["any"]);
    assert_eq!(colours(&[], &[]), ["none", "sixteen"], "the terminal's own colours unless told otherwise");
}

/// With a shell that has job control in between, as at home.
#[test]
fn suspended_and_brought_back() {
    let home = tempfile::tempdir().unwrap();
    let mut shell = CommandBuilder::new("/bin/bash");
    shell.args(["--norc", "--noprofile", "-i"]);
    environment(&mut shell, home.path());
    shell.env("PS1", "ready> ");
    shell.env("LODE", env!("CARGO_BIN_EXE_lode"));
    let mut terminal = Terminal::start(shell, 100, 30);
    terminal.wait_for("ready>");
    terminal.send("$LODE\r");
    terminal.wait_for("WELCOME TO LODE");
    terminal.send("\x1a");
    terminal.wait_until("the shell", |screen| !screen.alternate_screen() && screen.contents().contains("Stopped"));
    terminal
        .wait_until("modes as they were", |screen| !screen.bracketed_paste() || screen.contents().contains("ready>"));
    terminal.send("fg\r");
    terminal.wait_until("the screen again", |screen| {
        screen.alternate_screen() && screen.contents().contains("WELCOME TO LODE")
    });
    terminal.send("\x1bq");
    terminal.wait_until("the shell again", |screen| {
        !screen.alternate_screen() && screen.contents().trim_end().ends_with("ready>")
    });
    terminal.send("exit\r");
    terminal.wait_exit();
}

#[test]
fn a_pipe_is_told_that_a_screen_needs_a_terminal() {
    let home = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_lode"))
        .env("LODE_STATE_DIR", home.path().join("state"))
        .env("LODE_CONFIG_DIR", home.path().join("config"))
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "no escape sequence goes into a pipe");
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a terminal"));
}

/// Nothing to do is nothing done: no byte and no wake-up of any thread of ours, once the request gauge is at zero.
#[test]
#[ignore = "waits for the gauge to fall to zero and then ten seconds: cargo test --test pty -- --ignored idle"]
fn idle_costs_nothing() {
    let home = tempfile::tempdir().unwrap();
    let terminal =
        Terminal::start(lode(home.path(), &["demo", "--us-rows", "60000", "--linkedin-rows", "20000"]), 160, 48);
    terminal.wait_for("page 1 of ");
    // The slot of the last request frees a minute after its answer.
    terminal.wait_within(Duration::from_secs(150), "an empty gauge", |screen| screen.contents().contains("req 0/120"));
    // The last frame is out; whoever wrote it goes to sleep, which counts as a switch too.
    assert!(!terminal.changes_within(Duration::from_secs(1)));
    let pid = terminal.pid().as_raw_nonzero();
    let switches = || -> u64 {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
        let of = |path: std::path::PathBuf| {
            let status = std::fs::read_to_string(path.join("status")).unwrap_or_default();
            let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            count.and_then(|count| count.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        tasks.map(|task| of(task.unwrap().path())).sum()
    };
    let (bytes, before) = (terminal.bytes(), switches());
    assert!(!terminal.changes_within(Duration::from_secs(10)));
    assert_eq!(terminal.bytes(), bytes, "bytes while idle");
    assert_eq!(switches(), before, "wake-ups while idle");
}
