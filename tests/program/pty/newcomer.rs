//! What a new user tries first, in the real program on the sandbox.

use common::terminal::{DEMO, Terminal, lode};

pub(super) fn demo(home: &std::path::Path) -> Terminal {
    let terminal = Terminal::start(lode(home, &DEMO), 160, 48);
    terminal.wait_for("page 1/");
    terminal
}

#[test]
fn a_type_is_filtered_by_its_first_letters() {
    let home = common::folder();
    let mut terminal = demo(home.path());
    terminal.send("f");
    terminal.wait_for("Filter by");
    terminal.send("d");
    terminal.wait_for("corporate");
    terminal.send("/corp\r");
    terminal.wait_for("type: corporate");
    terminal.wait_for("page 1/");
}

#[test]
fn commands_answer_to_the_names_people_try() {
    let home = common::folder();
    let mut terminal = demo(home.path());
    terminal.send(":cart\r");
    terminal.wait_for("The basket is empty");
    terminal.send("q:120\r");
    terminal.wait_for("╰─ 120 of ");
    terminal.send(".");
    terminal.wait_for("╰─ 201 of ");
    terminal.send(":wq\r");
    assert!(terminal.wait_exit().success());
}

#[test]
fn ctrl_c_cancels_a_field_and_does_not_leave() {
    let home = common::folder();
    let mut terminal = demo(home.path());
    terminal.send("/plumber");
    terminal.wait_for("plumber");
    terminal.send("\x03");
    terminal.wait_gone("plumber");
    terminal.send("\x1b\x03");
    terminal.wait_for("again within 2 s quits");
    terminal.send(":cart\r");
    terminal.wait_for("The basket is empty");
}

#[test]
fn find_says_which_of_how_many_it_is() {
    let home = common::folder();
    let mut terminal = demo(home.path());
    terminal.send("\x06manager\r");
    terminal.wait_for("1 of ");
    terminal.send("nn");
    terminal.wait_for("3 of ");
}

#[test]
fn an_export_asks_what_and_then_in_which_form() {
    let home = common::folder();
    let mut terminal = demo(home.path());
    terminal.send(" e");
    terminal.wait_for("Export what?");
    terminal.send("/basket\r");
    terminal.wait_for("hubspot");
}

#[test]
fn the_demo_shows_one_profile_and_changes_none() {
    let home = common::folder();
    let mut terminal = demo(home.path());
    terminal.send("P");
    terminal.wait_for("demo [SANDBOX]  this window");
    terminal.wait_for("The demo has one profile, its own.");
}

/// Two ids of one person would cost two credits.
#[test]
fn the_review_names_duplicates() {
    let home = common::folder();
    let mut terminal = demo(home.path());
    terminal.send("vjjjjjjjj ");
    terminal.wait_for("Basket 9");
    terminal.send("U");
    terminal.wait_for("Maximum cost");
    terminal.wait_for("duplicates");
}
