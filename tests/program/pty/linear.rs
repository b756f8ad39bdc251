//! Linear mode on a real terminal: lines in, lines out. From the first line to an unlocked contact by numbers alone, and a
//! lost answer with its recovery; no byte of it moves a cursor, draws a border or is an escape sequence.

use common::asking::Small;
use lode_sandbox::faults::FaultRule;
use lode_sandbox::server::{Sandbox, SandboxSettings};
use lode_sandbox::service::ServiceSetup;
use portable_pty::CommandBuilder;

use common::terminal::{DEMO, Terminal, lode};

/// Tall enough that nothing leaves it.
const ROWS: u16 = 600;

fn demo(home: &std::path::Path) -> Terminal {
    let mut command = lode(home, &DEMO);
    command.arg("--linear");
    command.env("NO_COLOR", "1");
    Terminal::keeping(command, 200, ROWS)
}

/// What was said since a moment.
fn since(terminal: &Terminal, from: usize) -> String {
    String::from_utf8_lossy(&terminal.written()[from..]).into_owned()
}

/// Types a line and answers where what follows begins.
fn type_line(terminal: &mut Terminal, line: &str) -> usize {
    let from = terminal.written().len();
    terminal.send(&format!("{line}\n"));
    from
}

fn wait(terminal: &Terminal, from: usize, words: &str) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !since(terminal, from).contains(words) {
        assert!(std::time::Instant::now() < end, "{words} did not come:\n{}", since(terminal, from));
        terminal.changes_within(std::time::Duration::from_millis(50));
    }
}

/// The number of a choice as it was last offered, once it is.
fn number(terminal: &Terminal, words: &str) -> String {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let all = since(terminal, 0);
        let choices = all.lines().filter_map(|line| line.split_once(": "));
        let mut numbered = choices.filter(|(number, _)| number.parse::<u32>().is_ok());
        if let Some((number, _)) = numbered.rfind(|(_, said)| said.trim_end().starts_with(words)) {
            return number.to_owned();
        }
        assert!(std::time::Instant::now() < end, "{words} is not offered:\n{all}");
        terminal.changes_within(std::time::Duration::from_millis(50));
    }
}

fn choose(terminal: &mut Terminal, words: &str) -> usize {
    let number = number(terminal, words);
    type_line(terminal, &number)
}

/// Types the amount until it is heard: what comes before the review was read is refused.
fn pay(terminal: &mut Terminal, amount: &str, done: &str) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let from = terminal.written().len();
    while !since(terminal, from).contains(done) {
        assert!(std::time::Instant::now() < end, "the amount was not heard:\n{}", since(terminal, from));
        type_line(terminal, amount);
        for _ in 0..20 {
            if since(terminal, from).contains(done) {
                return;
            }
            terminal.changes_within(std::time::Duration::from_millis(100));
        }
    }
}

fn is_plain(terminal: &Terminal) {
    let written = terminal.written();
    let text = String::from_utf8(written).unwrap();
    for letter in text.chars() {
        assert!(!('\u{2500}'..='\u{259f}').contains(&letter), "{letter:?} draws");
        assert!(!letter.is_control() || "\r\n".contains(letter), "{letter:?} in:\n{text}");
    }
    // Only the terminal's own echo writes a carriage return, before a line feed.
    assert!(!text.replace("\r\n", "\n").contains('\r'), "no line is written over");
}

#[test]
fn the_demo_from_its_first_line_to_an_unlocked_contact_by_numbers_alone() {
    let home = common::folder();
    let mut terminal = demo(home.path());
    wait(&terminal, 0, "Row 1 of ");
    wait(&terminal, 0, "Type a number.");
    let from = choose(&mut terminal, "Move down");
    wait(&terminal, from, "Row 2 of ");
    let from = choose(&mut terminal, "Add or remove row");
    wait(&terminal, from, "Row 3 of ");
    let from = choose(&mut terminal, "Review and unlock");
    wait(&terminal, from, "Type the amount");
    pay(&mut terminal, "1", "Job: unlocking");
    wait(&terminal, from, "1 unlocked");
    // The choices of the review end with Close too: those of the result come whole first.
    wait(&terminal, from, "Show the receipt");
    let result = from + since(&terminal, from).find("Show the receipt").unwrap();
    wait(&terminal, result, "Type a number.");
    let from = choose(&mut terminal, "Close");
    // The numbers of the result are the last ones until all of these are here.
    wait(&terminal, from, "Type a number.");
    let from = choose(&mut terminal, "Run a command");
    wait(&terminal, from, "Go to Owned");
    let from = choose(&mut terminal, "Go to Owned");
    wait(&terminal, from, "Owned 1");
    // What was paid for is whole.
    wait(&terminal, from, ".example, ");
    is_plain(&terminal);
    type_line(&mut terminal, ":quit");
    assert!(terminal.wait_exit().success());
    is_plain(&terminal);
}

/// Nothing that was typed before the review stood can spend.
#[test]
fn an_amount_typed_ahead_of_the_review_spends_nothing() {
    let home = common::folder();
    let mut terminal = demo(home.path());
    wait(&terminal, 0, "Row 1 of ");
    let unlock = number(&terminal, "Review and unlock");
    let from = type_line(&mut terminal, &format!("{unlock}\n1\n1"));
    wait(&terminal, from, "before the review was printed");
    assert!(!since(&terminal, from).contains("Job: unlocking"));
    let from = type_line(&mut terminal, "0");
    wait(&terminal, from, "nothing spent");
    type_line(&mut terminal, ":q");
    terminal.wait_exit();
}

fn on(sandbox: &Sandbox, home: &std::path::Path) -> CommandBuilder {
    let mut command = lode(home, &[]);
    command.env("LODE_LINEAR", "1");
    command.env("LODE_WORKSPACE_URL", &sandbox.workspace_url);
    command.env("LODE_WORKSPACE_KEY", &sandbox.workspace_key);
    command
}

#[test]
fn a_lost_answer_is_recovered_by_numbers() {
    let sandbox =
        Sandbox::start(SandboxSettings { setup: ServiceSetup::small(), ..SandboxSettings::default() }).unwrap();
    let home = common::folder();
    let mut terminal = Terminal::keeping(on(&sandbox, home.path()), 200, ROWS);
    wait(&terminal, 0, "Row 1 of ");
    let rules: Vec<FaultRule> = ["unlock-lost=1", "reset@search=1"].iter().map(|rule| rule.parse().unwrap()).collect();
    sandbox.service().state().faults.rules = rules;
    let from = choose(&mut terminal, "Review and unlock");
    wait(&terminal, from, "Type the amount");
    pay(&mut terminal, "1", "Job: unlocking");
    let asked = || sandbox.service().log().iter().any(|request| request.path.ends_with("unlock"));
    while !asked() {
        terminal.changes_within(std::time::Duration::from_millis(50));
    }
    terminal.signal(rustix::process::Signal::TERM);
    terminal.wait_exit();
    is_plain(&terminal);
    sandbox.service().state().faults.rules = Vec::new();
    let mut terminal = Terminal::keeping(on(&sandbox, home.path()), 200, ROWS);
    wait(&terminal, 0, "unknown result");
    wait(&terminal, 0, "Later");
    let from = choose(&mut terminal, "Check (free)");
    wait(&terminal, from, "All resolved");
    is_plain(&terminal);
    type_line(&mut terminal, ":q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn ctrl_c_stops_and_a_closed_input_ends_it() {
    let home = common::folder();
    let mut terminal = demo(home.path());
    wait(&terminal, 0, "Row 1 of ");
    let from = terminal.written().len();
    terminal.send("\x03");
    wait(&terminal, from, "within 2 s");
    terminal.send("\x04");
    assert!(terminal.wait_exit().success());
}

/// From no key at all to a search, without a screen.
#[test]
fn a_first_run_takes_a_key_that_is_not_shown() {
    let sandbox =
        Sandbox::start(SandboxSettings { setup: ServiceSetup::small(), ..SandboxSettings::default() }).unwrap();
    let home = common::folder();
    let mut command = lode(home.path(), &["--linear"]);
    command.env("NO_COLOR", "1");
    let mut terminal = Terminal::keeping(command, 200, ROWS);
    wait(&terminal, 0, "Add a key");
    let from = choose(&mut terminal, "Add a key");
    wait(&terminal, from, "Workspace key");
    let from = choose(&mut terminal, "Workspace key");
    wait(&terminal, from, "Type the text");
    let from = type_line(&mut terminal, &sandbox.workspace_url);
    wait(&terminal, from, "it is not shown. Ctrl-C cancels");
    let from = type_line(&mut terminal, &sandbox.workspace_key);
    wait(&terminal, from, "may search and unlock");
    assert!(!since(&terminal, 0).contains(&sandbox.workspace_key));
    let from = choose(&mut terminal, "a private file");
    wait(&terminal, from, "name for this profile");
    let from = type_line(&mut terminal, "acme");
    wait(&terminal, from, "credits per session");
    let from = type_line(&mut terminal, "");
    wait(&terminal, from, "24 hours");
    let from = type_line(&mut terminal, "");
    wait(&terminal, from, "Row 1 of ");
    is_plain(&terminal);
    type_line(&mut terminal, ":q");
    assert!(terminal.wait_exit().success());
}
