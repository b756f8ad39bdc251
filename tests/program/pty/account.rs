//! A `/me` that fails at the start: balance and scopes come back with the next success, and when they are asked for.

use std::time::{Duration, Instant};

use crate::pty::money::window;
use common::terminal::Terminal;
use common::test_app::TestApp;

#[test]
fn the_balance_comes_with_the_next_success() {
    let app = TestApp::new();
    app.fault("redirect@me=next");
    let mut terminal = window(&app);
    terminal.wait_for("page 1/");
    terminal.wait_for("1,204");
    assert!(app.sandbox.service().log().iter().filter(|asked| asked.path.ends_with("/me")).count() > 1);
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn the_balance_comes_when_it_is_asked_for() {
    let app = TestApp::new();
    app.fault("redirect=1");
    let mut terminal = window(&app);
    terminal.wait_for("The service refused");
    app.calms_down();
    terminal.send("R");
    terminal.wait_for("page 1/");
    terminal.wait_for("1,204");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn a_scope_that_is_given_back_is_noticed() {
    let app = TestApp::new();
    let may = |scopes: &[&str]| {
        // A key of the same name is the same key.
        assert_eq!(app.sandbox.service().make_key(&app.org(), "default", scopes), app.workspace_key);
    };
    may(&["unlock"]);
    let mut terminal = window(&app);
    terminal.wait_for("may not search");
    may(&["search", "unlock"]);
    terminal.send("R");
    terminal.wait_for("page 1/");
    let end = Instant::now() + Duration::from_secs(30);
    let is_back = |terminal: &mut Terminal| {
        terminal.send("P");
        terminal.wait_for("in the last minute");
        let said = terminal.screen().contains("search+unlock");
        terminal.send("\x1b");
        terminal.wait_gone("in the last minute");
        said
    };
    while !is_back(&mut terminal) {
        assert!(Instant::now() < end, "the profile says: {}", terminal.screen());
    }
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}
