//! Conduct: whatever ends it, the terminal is as it was; what is suspended comes back; idle costs nothing.

use common::asking::Small;
use std::path::Path;
use std::time::Duration;

use lode_sandbox::server::{Sandbox, SandboxSettings};
use lode_sandbox::service::ServiceSetup;
use portable_pty::CommandBuilder;
use rustix::process::Signal;

use common::terminal::{DEMO, Terminal, environment, lode};

fn open() -> (tempfile::TempDir, Terminal) {
    let home = common::folder();
    let terminal = Terminal::start(lode(home.path(), &[]), 100, 30);
    terminal.wait_for("Welcome to lode");
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

/// Breaks a window at a place of its own; `keys` lead there. On the threads beside the loop the loop goes on
/// drawing, which must not be the last thing to be seen.
fn breaks(place: &str, keys: &str) {
    let (sandbox, home) = (sandbox(), common::folder());
    let mut command = on(&sandbox, home.path(), &[]);
    command.env("LODE_BREAK", place);
    let mut terminal = Terminal::start(command, 120, 36);
    terminal.wait_for("page 1/");
    terminal.signal(Signal::USR1);
    if !keys.is_empty() {
        // What goes on behind the screen may pass the place before it is known to be armed.
        let (armed, over) = (format!("Breaks on purpose: {place}."), "this is a bug in lode");
        terminal
            .wait_until(&armed, |screen| [armed.as_str(), over].iter().any(|words| screen.contents().contains(words)));
        // Typing makes frames.
        if !terminal.screen().contains(over) {
            terminal.send(&format!("jj{keys}jjkk"));
        }
    }
    assert_eq!(terminal.wait_exit().exit_code(), 1, "{place}");
    terminal.is_restored();
    terminal.wait_for("this is a bug in lode: broken on purpose, in ");
    terminal.wait_for("the report is in");
    let screen = terminal.screen();
    assert!(!screen.contains(" contacts"), "a frame after the end:\n{screen}");
    let reports: Vec<_> = std::fs::read_dir(home.path().join("state/crashes")).unwrap().flatten().collect();
    assert_eq!(reports.len(), 1);
    let name = reports[0].file_name().to_string_lossy().into_owned();
    let joined: String = screen.split_whitespace().collect();
    assert!(joined.contains(&name), "the report is named:\n{screen}");
    let report = std::fs::read_to_string(reports[0].path()).unwrap();
    let names_code = ["lode::", "lode_host::"].iter().any(|name| report.contains(name));
    assert!(report.contains("broken on purpose") && names_code, "{report}");
    assert!(!report.contains(&sandbox.workspace_key));
}

#[test]
fn a_panic_in_an_update_gives_the_terminal_back() {
    breaks("update", "");
}

#[test]
fn a_panic_in_a_view_gives_the_terminal_back() {
    breaks("view", "");
}

#[test]
fn a_panic_in_a_task_gives_the_terminal_back() {
    breaks("task", "R");
}

#[test]
fn a_panic_in_the_store_gives_the_terminal_back() {
    breaks("store", " ");
}

#[test]
fn ctrl_c_twice_leaves() {
    let (_home, mut terminal) = open();
    terminal.send("\x1b\x03");
    terminal.wait_for("again within 2 s quits");
    terminal.send("\x03");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}

/// The kinds of colors on the screen: none, the terminal's sixteen, of the palette, of any.
fn colors(variables: &[(&str, &str)], arguments: &[&str]) -> Vec<&'static str> {
    let home = common::folder();
    let mut command = lode(home.path(), arguments);
    for (name, value) in variables {
        command.env(name, value);
    }
    let mut terminal = Terminal::start(command, 100, 30);
    terminal.wait_for("Welcome to lode");
    let mut found = Vec::new();
    terminal.look(|screen| {
        let cells = (0..30).flat_map(|row| (0..100).map(move |column| (row, column)));
        let colors =
            cells.filter_map(|(row, column)| screen.cell(row, column)).flat_map(|c| [c.fgcolor(), c.bgcolor()]);
        found = colors
            .map(|color| match color {
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
fn colors_are_those_that_the_terminal_has() {
    assert_eq!(colors(&[("NO_COLOR", "1")], &["--theme", "dark"]), ["none"]);
    assert_eq!(colors(&[("TERM", "dumb")], &["--theme", "paper"]), ["none"], "an earlier name");
    assert_eq!(colors(&[("TERM", "xterm")], &["--theme", "light"]), ["none", "sixteen"]);
    assert_eq!(colors(&[], &["--theme", "light"]), ["none", "palette"]);
    assert_eq!(colors(&[("COLORTERM", "truecolor")], &["--theme", "light"]), ["any", "none", "palette"]);
    let own = ["none", "sixteen"];
    assert_eq!(colors(&[], &[]), own, "the terminal's own colors unless told otherwise");
    assert_eq!(colors(&[("COLORTERM", "truecolor")], &[]), own, "without an answer the sixteen stay");
}

/// lode on the services of a sandbox, named by the environment alone.
fn on(sandbox: &Sandbox, home: &std::path::Path, arguments: &[&str]) -> CommandBuilder {
    let mut command = lode(home, arguments);
    command.env("LODE_WORKSPACE_URL", &sandbox.workspace_url);
    command.env("LODE_WORKSPACE_KEY", &sandbox.workspace_key);
    command
}

fn sandbox() -> Sandbox {
    Sandbox::start(SandboxSettings { setup: ServiceSetup::small(), ..SandboxSettings::default() }).unwrap()
}

#[test]
fn what_is_owned_can_be_masked_before_others_see_the_screen() {
    let (sandbox, home) = (sandbox(), common::folder());
    let shell = |arguments: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_lode"))
            .args(arguments)
            .env_clear()
            .env("LODE_STATE_DIR", home.path().join("state"))
            .env("LODE_RUNTIME_DIR", home.path().join("runtime"))
            .env("LODE_CONFIG_DIR", home.path().join("config"))
            .env("LODE_WORKSPACE_URL", &sandbox.workspace_url)
            .env("LODE_WORKSPACE_KEY", &sandbox.workspace_key)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let line = output.stdout.split(|byte| *byte == b'\n').next().unwrap();
        serde_json::from_slice::<serde_json::Value>(line).unwrap()
    };
    let first = shell(&["search", "--corpus", "us", "--limit", "1"]);
    let id = first["id"].to_string();
    let bought = shell(&["unlock", "--corpus", "us", "--max-credits", "1", &id]);
    // Columns cut what is long; the beginning of an address is the person.
    let email = &bought["email"].as_str().unwrap()[..6];
    let raw = bought["phone"].as_str().unwrap();
    let phone = &lode_core::text::phone(raw);
    let mut terminal = Terminal::start(on(&sandbox, home.path(), &[]), 200, 48);
    terminal.wait_for(email);
    terminal.wait_for(phone);
    terminal.send("gm");
    terminal.wait_for("Owned contacts are masked.");
    terminal.wait_gone(email);
    terminal.wait_gone(phone);
    assert!(!terminal.screen().contains(raw));
    terminal.wait_for("•••");
    // Nothing is staged, so no masked row takes the place of what the search showed.
    terminal.send("\x1bOR");
    terminal.wait_for("The basket is empty");
    terminal.send("\x1bOS");
    terminal.wait_for(bought["contact_name"].as_str().unwrap());
    terminal.wait_for("•••");
    assert!(!terminal.screen().contains(email), "{}", terminal.screen());
    terminal.send("gm");
    terminal.wait_for(email);
    terminal.send("\x1bOQq");
    assert!(terminal.wait_exit().success());
}

#[test]
fn two_windows_on_one_profile_fill_one_basket() {
    let (sandbox, home) = (sandbox(), common::folder());
    let window = || {
        let terminal = Terminal::start(on(&sandbox, home.path(), &[]), 160, 48);
        terminal.wait_for("page 1/");
        terminal
    };
    let (mut one, mut two) = (window(), window());
    for row in 0..6 {
        let (terminal, at) = if row % 2 == 0 { (&mut one, row + 1) } else { (&mut two, row + 1) };
        terminal.send(&format!("{at}G"));
        terminal.wait_for(&format!("╰─ {at} of "));
        terminal.send(" ");
        terminal.wait_for(&format!("╰─ {} of ", at + 1));
    }
    for terminal in [&mut one, &mut two] {
        terminal.send("q");
        assert!(terminal.wait_exit().success());
    }
    let mut third = window();
    third.wait_for("Basket 6");
    third.send("q");
    third.wait_exit();
}

/// lode, started in a shell that has job control.
fn in_a_shell(home: &Path) -> Terminal {
    let mut shell = CommandBuilder::new("/bin/bash");
    shell.args(["--norc", "--noprofile", "-i"]);
    environment(&mut shell, home);
    shell.env("PS1", "ready> ");
    shell.env("LODE", env!("CARGO_BIN_EXE_lode"));
    let mut terminal = Terminal::start(shell, 100, 30);
    terminal.wait_for("ready>");
    terminal.send("$LODE\r");
    terminal.wait_for("Welcome to lode");
    terminal
}

/// With a shell that has job control in between, as at home.
#[test]
fn suspended_and_brought_back() {
    let home = common::folder();
    let mut terminal = in_a_shell(home.path());
    terminal.send("\x1a");
    terminal.wait_until("the shell", |screen| !screen.alternate_screen() && screen.contents().contains("Stopped"));
    terminal
        .wait_until("modes as they were", |screen| !screen.bracketed_paste() || screen.contents().contains("ready>"));
    terminal.send("fg\r");
    terminal.wait_until("the screen again", |screen| {
        screen.alternate_screen() && screen.contents().contains("Welcome to lode")
    });
    terminal.send("\x1bq");
    terminal.wait_until("the shell again", |screen| {
        !screen.alternate_screen() && screen.contents().trim_end().ends_with("ready>")
    });
    terminal.send("exit\r");
    terminal.wait_exit();
}

/// The same where another sender asks for it.
#[test]
fn a_stop_from_outside_gives_the_terminal_back_and_it_comes_back() {
    let home = common::folder();
    let mut terminal = in_a_shell(home.path());
    let children = format!("/proc/{pid}/task/{pid}/children", pid = terminal.pid().as_raw_nonzero());
    let child: i32 = std::fs::read_to_string(children).unwrap().trim().parse().unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(child).unwrap(), Signal::TSTP).unwrap();
    terminal.wait_until("the shell", |screen| {
        !screen.alternate_screen() && !screen.hide_cursor() && screen.contents().contains("Stopped")
    });
    terminal.send("fg\r");
    terminal.wait_until("the screen again", |screen| {
        screen.alternate_screen() && screen.contents().contains("Welcome to lode")
    });
    terminal.send("\x1bq");
    terminal.wait_until("the shell again", |screen| {
        !screen.alternate_screen() && screen.contents().trim_end().ends_with("ready>")
    });
    terminal.send("exit\r");
    terminal.wait_exit();
}

/// A terminal that runs nothing but lode has no shell to come back from.
#[test]
fn a_stop_without_a_shell_is_refused() {
    let (_home, mut terminal) = open();
    terminal.send("\x1b");
    terminal.signal(Signal::TSTP);
    terminal.wait_for("No shell here could bring lode back.");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}

#[test]
fn a_pipe_is_told_that_a_screen_needs_a_terminal() {
    let home = common::folder();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_lode"))
        .env("LODE_STATE_DIR", home.path().join("state"))
        .env("LODE_RUNTIME_DIR", home.path().join("runtime"))
        .env("LODE_CONFIG_DIR", home.path().join("config"))
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "no escape sequence goes into a pipe");
    assert!(String::from_utf8_lossy(&output.stderr).contains("needs a terminal"));
}

/// Nothing to do is nothing done: no byte and no wake-up of any thread of lode, once the age of the balance is shown.
#[test]
#[ignore = "waits a minute and then ten seconds: cargo test --test program -- --ignored idle"]
fn idle_costs_nothing() {
    let home = common::folder();
    let terminal = Terminal::start(lode(home.path(), &DEMO), 160, 48);
    terminal.wait_for("page 1/");
    // The last that changes by itself: after a minute the header says when the balance was read.
    terminal.wait_within(Duration::from_secs(150), "the age", |screen| screen.contents().contains(" as of "));
    // The last frame is out; the thread that wrote it goes to sleep, which counts as a switch too.
    assert!(!terminal.changes_within(Duration::from_secs(1)));
    let (bytes, before) = (terminal.bytes(), terminal.switches());
    assert!(!terminal.changes_within(Duration::from_secs(10)));
    assert_eq!(terminal.bytes(), bytes, "bytes while idle");
    assert_eq!(terminal.switches(), before, "wake-ups while idle");
}

#[test]
fn doctor_tells_what_the_terminal_can_do() {
    for (variable, words) in [
        (("KITTY_WINDOW_ID", "1"), "the kitty protocol, by its name"),
        (("TERM_PROGRAM", "WezTerm"), "the kitty protocol, by its name"),
        (("TMUX", "/tmp/tmux,1,0"), "as the multiplexer passes keys on"),
        (("LANG", "C.UTF-8"), "standard"),
    ] {
        let home = common::folder();
        let mut command = lode(home.path(), &["doctor"]);
        command.env(variable.0, variable.1);
        let mut terminal = Terminal::start(command, 160, 48);
        assert_eq!(terminal.wait_exit().exit_code(), 1, "no service is set up yet");
        terminal.wait_for(words);
        terminal.wait_for("xterm-256color");
        terminal.wait_for("256");
        terminal.is_restored();
    }
}
