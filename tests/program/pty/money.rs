//! Money on a real terminal: an unlock session from the keys alone, and deaths in the middle of one.

use std::collections::BTreeSet;

use lode_sandbox::corpus::CorpusKind;
use portable_pty::CommandBuilder;
use rustix::process::Signal;

use common::terminal::{DEMO, Terminal, lode};
use common::test_app::TestApp;

const REVIEW: &str = "Maximum cost";

#[test]
fn a_whole_unlock_session() {
    let home = common::folder();
    let mut terminal = Terminal::start(lode(home.path(), &DEMO), 160, 48);
    terminal.wait_for("page 1/");
    terminal.send(&" ".repeat(30));
    terminal.wait_for("Basket 30");
    // Ahead of the review, in one burst: no person can have read it. And a paste is text, which types nothing here.
    terminal.send("U30\r");
    terminal.wait_for(REVIEW);
    terminal.send("\x1b[200~30\r\x1b[201~");
    assert_eq!(terminal.pay(), "30");
    terminal.wait_for("30 unlocked");
    terminal.wait_for("unlocked · ");
    terminal.send("e");
    terminal.wait_for("Nothing spent; the path is copied.");
    let files = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().path());
    let csv = files.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "csv")).expect("an export");
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), 31, "a head and exactly these");
    terminal.send("\x1b");
    terminal.wait_gone("Exported · ");
    terminal.send("\x1b");
    terminal.wait_gone("open in Owned");
    terminal.send("go");
    terminal.wait_for("Owned 30");
    terminal.send("gr");
    terminal.wait_for("By session");
    terminal.send("\x1b");
    terminal.wait_gone("By session");
    terminal.send("gs");
    terminal.wait_for(" contacts");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}

/// As on Windows, on macOS and in a network folder: such a window looks by itself, and that must not undo what is being typed.
#[test]
fn an_unlock_where_the_system_does_not_tell_what_others_change() {
    let home = common::folder();
    let mut command = lode(home.path(), &DEMO);
    command.env("LODE_BREAK", "watch");
    let mut terminal = Terminal::start(command, 160, 48);
    terminal.wait_for("The system does not tell what other windows change here");
    terminal.wait_for("page 1/");
    terminal.send("   ");
    terminal.wait_for("Basket 3");
    terminal.send("U");
    assert_eq!(terminal.pay(), "3");
    terminal.wait_for("3 unlocked");
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
}

/// A window on the ledger of a test app.
pub fn window(app: &TestApp) -> Terminal {
    Terminal::start(lode_in(app), 160, 48)
}

/// What starts a window of this app.
pub fn lode_in(app: &TestApp) -> CommandBuilder {
    let mut command = lode(&app.path(""), &[]);
    for (name, value) in app.command(&[]).get_envs() {
        command.env(name, value.expect("the app sets its variables"));
    }
    command
}

/// The review names the entry that holds a row back. A row that may be on a list can be accepted; one that an entry names cannot.
#[test]
fn a_single_row_is_accepted_although_it_may_be_on_a_list() {
    let app = TestApp::new();
    let found = app.run(&["search", "--email-domain-type", "corporate", "--limit", "3"]).ended(0);
    app.fed(&["basket", "add"], &found.out).ended(0);
    let ids = found.ids();
    let person = |id: u64| app.sandbox.service().person(CorpusKind::Us, id).unwrap();
    let [may_be, named] = [ids[0], ids[1]].map(|id| person(id).email.to_string());
    let number = format!("{}61041@{}", &may_be[..1], may_be.rsplit_once('@').unwrap().1);
    app.fed(&["suppress", "add", "dnc", "-"], &format!("{number}\n{named}\n")).ended(0);
    let mut terminal = window(&app);
    terminal.wait_for("Basket 3");
    terminal.send("U");
    terminal.wait_for(REVIEW);
    terminal.wait_for(&number[..8]);
    terminal.press_until("s", |screen| screen.contains("Held back by suppression lists"));
    terminal.wait_for("[ ] ");
    terminal.send("\r");
    terminal.wait_for("[x] ");
    // The other one is named: to choose it is refused, and nothing changes.
    terminal.send("\x1b[B\r");
    terminal.wait_for(" accepted ");
    assert_eq!(terminal.pay(), "2");
    terminal.wait_for("2 unlocked");
    assert_eq!(app.owned().into_iter().collect::<BTreeSet<_>>(), BTreeSet::from([ids[0], ids[2]]));
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
}

/// A window dies in the middle of an order; the next one resolves what is unknown, by looking and by finishing.
fn die_and_recover(faults: &[&str], sign: &str) {
    let app = TestApp::new();
    let before = app.balance();
    let mut terminal = window(&app);
    terminal.wait_for("page 1/");
    terminal.send(&" ".repeat(60));
    terminal.wait_for("Basket 60");
    faults.iter().for_each(|rule| app.fault(rule));
    terminal.send("U");
    terminal.pay();
    terminal.wait_for(sign);
    terminal.signal(Signal::KILL);
    terminal.wait_exit();
    app.calms_down();

    let mut terminal = window(&app);
    terminal.wait_for("Result unknown");
    terminal.send("\r");
    terminal.wait_until("the end of the look", |screen| {
        let screen = screen.contents();
        screen.contains("All resolved") || screen.contains("still unknown")
    });
    if !terminal.screen().contains("All resolved") {
        // The call never arrived: the identical batch goes out again, through the money dialog.
        terminal.send("F");
        terminal.pay();
        terminal.wait_for(" unlocked · ");
    }
    terminal.wait_gone("UNKNOWN  ");
    terminal.signal(Signal::TERM);
    terminal.wait_exit();

    app.agrees(before, sign);
}

#[test]
fn a_window_that_dies_while_its_answers_are_lost() {
    die_and_recover(&["unlock-lost=1", "latency@search=4000+0"], "no response; checking (free)");
}

/// Money rule 6, *unknown is a state*.
#[test]
fn a_window_that_dies_while_a_call_is_out() {
    die_and_recover(&["latency@unlock=4000"], "on hold");
}
