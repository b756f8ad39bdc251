//! What the screen says of results, of lists and of keys is so.

use rustix::process::Signal;

use crate::cli::crooked::{Asked, Crooked, State, done, page, refused};
use crate::pty::money::window;
use common::terminal::{Terminal, lode};
use common::test_app::TestApp;
use lode_sandbox::service::ServiceSetup;

/// A window on a service of its own.
fn at(crooked: &Crooked, columns: u16, rows: u16) -> Terminal {
    let mut command = lode(&crooked.path(""), &[]);
    for (name, value) in crooked.command(&[]).get_envs() {
        command.env(name, value.expect("every variable has a value"));
    }
    Terminal::start(command, columns, rows)
}

/// Unlocks the first three contacts of a window that shows them.
fn unlock_three(terminal: &mut Terminal) {
    terminal.wait_for("page 1/");
    terminal.send("   ");
    terminal.wait_for("Basket 3");
    terminal.send("U");
    terminal.pay();
}

/// Refuses the first unlock for credits and takes some all the same; no search shows a change.
fn refused_and_charged(balance: i64) -> Crooked {
    Crooked::start(move |asked: &Asked, state: &mut State| {
        if !asked.is("/unlock") {
            return None;
        }
        state.balance = balance;
        Some(refused(402, "Payment required"))
    })
}

#[test]
fn a_402_that_was_answered_is_not_called_a_lost_connection() {
    for answer in [|| refused(402, "Payment required"), || page(402)] {
        let crooked = Crooked::start(move |asked: &Asked, state: &mut State| {
            asked.is("/unlock").then(|| {
                state.balance -= 1;
                answer()
            })
        });
        let mut terminal = at(&crooked, 160, 48);
        unlock_three(&mut terminal);
        terminal.wait_for("Result unknown");
        let screen = terminal.screen();
        assert!(screen.contains("402") || screen.contains("Payment required"), "{screen}");
        let screen = screen.to_lowercase();
        assert!(!screen.contains("no response") && !screen.contains("connection lost"), "{screen}");
    }
}

#[test]
fn finish_is_not_offered_for_a_batch_that_would_be_refused() {
    let crooked = refused_and_charged(1);
    let mut terminal = at(&crooked, 80, 24);
    unlock_three(&mut terminal);
    terminal.wait_for("Result unknown");
    terminal.wait_for("cannot be sent again: the balance of 1 does not cover it.");
    assert!(!terminal.screen().contains("finish"), "{}", terminal.screen());
    terminal.send("F");
    terminal.wait_for("Nothing can be sent again.");
    terminal.send("\r");
    terminal.wait_for("is still unknown.");
    assert!(!terminal.screen().contains("finish"), "{}", terminal.screen());
    // With enough credits it is.
    crooked.state().balance = 50;
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
    let mut terminal = at(&crooked, 80, 24);
    terminal.wait_for("finish batch 1");
    terminal.send("F");
    terminal.wait_for("╭ Finish batch 1 ─");
}

#[test]
fn finish_is_not_offered_for_a_batch_with_a_contact_that_was_listed_since() {
    let crooked = refused_and_charged(40);
    let mut terminal = at(&crooked, 80, 24);
    unlock_three(&mut terminal);
    terminal.wait_for("finish batch 1");
    crooked.fed(&["suppress", "add", "dnc"], "quail.example\n").ended(0);
    terminal.wait_for("Batch 1 cannot be sent again: 1 contact is on the suppression list dnc");
    assert!(!terminal.screen().contains("finish"), "{}", terminal.screen());
    terminal.send("F");
    terminal.wait_for("Nothing can be sent again.");
    assert_eq!(crooked.state().unlocks().len(), 1);
}

#[test]
fn a_check_says_one_thing_of_what_it_found() {
    let crooked = refused_and_charged(40);
    let mut terminal = at(&crooked, 160, 48);
    unlock_three(&mut terminal);
    terminal.wait_for("Result unknown");
    terminal.send("\r");
    terminal.wait_for("found still locked: 3");
    terminal.wait_for("The result of 3 contacts is still unknown.");
    assert!(!terminal.screen().contains("not found yet"), "{}", terminal.screen());
}

#[test]
fn the_title_after_paying_counts_what_was_bought() {
    let mut hidden = true;
    let crooked = Crooked::start(move |asked: &Asked, state: &mut State| {
        // Two were bought elsewhere after the search.
        if asked.is("/unlock") && std::mem::take(&mut hidden) {
            state.owned.extend([1, 2]);
            return Some(done(&state.apply(asked)));
        }
        None
    });
    let mut terminal = at(&crooked, 160, 48);
    terminal.wait_for("page 1/");
    terminal.send("      ");
    terminal.wait_for("Basket 6");
    terminal.send("U");
    terminal.pay();
    terminal.wait_for("2 owned already");
    let screen = terminal.screen();
    assert!(screen.contains("4 unlocked · 4 credits") && !screen.contains("6 unlocked"), "{screen}");
}

#[test]
fn a_list_that_cannot_be_read_leaves_the_open_one_in_sight() {
    let app = TestApp::new();
    std::fs::write(app.path("accounts.csv"), "company;website\nZzyzx Mining;zzyzx.example\n").unwrap();
    for name in ["bad.csv", "worse.csv"] {
        std::fs::write(app.path(name), "shade;shape\nred;round\n").unwrap();
    }
    let mut terminal = window(&app);
    terminal.wait_for("page 1/");
    terminal.send("W");
    terminal.wait_for("Data · ");
    terminal.send("ga");
    terminal.wait_for("No list of accounts yet");
    terminal.send("o");
    terminal.wait_for("Match a list of accounts");
    terminal.send(&format!("{}\r", app.path("accounts.csv").display()));
    terminal.wait_for("Nothing is sent yet.");
    for name in ["bad.csv", "worse.csv"] {
        terminal.send("o");
        terminal.wait_for("Match a list of accounts");
        terminal.send(&format!("{}\r", app.path(name).display()));
        terminal.wait_for(&format!("{name} is not a list of accounts"));
        terminal.wait_for("Zzyzx Mining");
        terminal.wait_for("Nothing is sent yet.");
    }
    // Enter runs what is shown.
    terminal.send("\r");
    terminal.wait_for("1 none");
}

#[test]
fn the_key_that_is_named_restores_the_order() {
    // All rows on one page: what is read later would be sorted in first.
    let app = TestApp::with(ServiceSetup { us_rows: 60, ..TestApp::setup() });
    let mut terminal = window(&app);
    terminal.wait_for("page 1/");
    terminal.send("O");
    terminal.wait_for("O original order");
    terminal.send("O");
    terminal.wait_for("Sorted by the service.");
    terminal.send("o");
    terminal.wait_for("o original order");
    terminal.send("gb");
    terminal.wait_gone("original order");
}

#[test]
fn an_emptied_basket_stays_empty_while_all_rows_are_read() {
    let app = TestApp::new();
    let mut terminal = window(&app);
    terminal.wait_for("page 1/");
    app.fault("latency@search=300+0");
    terminal.send("A");
    terminal.wait_for("Add all to the basket");
    terminal.send("2000\r");
    terminal.wait_until("the first rows", |screen| {
        let text = screen.contents();
        text.contains("Basket 1") || text.contains("Basket 2")
    });
    let asked = || app.sandbox.service().log().iter().filter(|request| request.path.ends_with("search")).count();
    terminal.send("X");
    terminal.wait_for("stopped adding");
    app.calms_down();
    let after = asked();
    // Another search: what is asked from here on has been answered when it is shown.
    terminal.send("R");
    terminal.wait_until("a refreshed page", |_| asked() > after);
    // What the window gave the store is written when it has ended.
    terminal.send("qq");
    terminal.wait_exit();
    let staged = app.run(&["basket", "list"]).ended(0);
    assert!(staged.lines().is_empty(), "{staged:?}");
}

#[test]
fn the_row_comes_back_whatever_ends_the_window() {
    for signal in [Signal::HUP, Signal::TERM, Signal::KILL] {
        let app = TestApp::new();
        let mut terminal = window(&app);
        terminal.wait_for("page 1/");
        terminal.send("jjjjjjjjjjjjjjjj");
        terminal.wait_for("╰─ 17 of ");
        if signal == Signal::KILL {
            // Nothing can be written after it: wait until the place is.
            let written = || {
                let ledger = rusqlite::Connection::open(app.path("state/lode.sqlite3")).unwrap();
                let place: Result<String, _> = ledger.query_row("SELECT text FROM place", [], |row| row.get(0));
                place.is_ok_and(|text| text.contains("\"cursor\":16"))
            };
            terminal.wait_until("the place is written", |_| written());
        }
        terminal.signal(signal);
        terminal.wait_exit();
        let terminal = window(&app);
        terminal.wait_for("page 1/");
        terminal.wait_for("╰─ 17 of ");
    }
}

/// In lines and on the screen, a command is found by its name.
#[test]
fn the_name_of_a_command_runs_that_command() {
    let app = TestApp::new();
    let mut terminal = window(&app);
    terminal.wait_for("page 1/");
    terminal.send(":owned\r");
    terminal.wait_for("No contacts unlocked yet");
}

#[test]
fn a_command_typed_in_linear_mode_is_found_by_its_name() {
    let app = TestApp::new();
    let mut command = crate::pty::money::lode_in(&app);
    command.env("LODE_LINEAR", "1");
    let mut terminal = Terminal::keeping(command, 200, 600);
    terminal.wait_for("Type a number.");
    terminal.send(":owned\n");
    terminal.wait_until("the Owned screen or a switch", |screen| {
        let text = screen.contents();
        text.contains("No contacts unlocked yet") || text.contains("idden")
    });
    assert!(!terminal.screen().contains("idden"), "{}", terminal.screen());
}
