//! The tour of the demo: it follows what is done, and is gone once it was left.

use lode_engine::effect::profile::Profile;
use lode_ui::msg::Msg;

use crate::pictures::scene;
use common::screen::planned::{Plan, TestScreen, profile};

fn open(screen: &mut TestScreen) -> &mut TestScreen {
    let demo = Profile { name: "demo".to_owned(), live: false, demo: true, ..profile() };
    screen.handle(Msg::Opened(Ok(Box::new(demo))));
    screen.settle()
}

fn is_gone(screen: &TestScreen) {
    let text = screen.text();
    assert!(!text.contains("/5  Press"), "{text}");
}

#[test]
fn the_first_step() {
    scene("tour", |screen| {
        open(screen);
    });
}

#[test]
fn it_goes_on_as_things_are_done() {
    let mut screen = TestScreen::new(80, 24);
    screen.may_spend = true;
    open(&mut screen).says("Tour 1/5  Press / and type nurse");
    screen.key("j k Tab Tab Tab").says("Tour 1/5");
    screen.key("/").typed("nurse").says("Tour 1/5");
    screen.key("Enter").settle().says("Tour 2/5  Press Space to add a contact.");
    screen.key("Space").says("Tour 3/5  Press U, type the number");
    screen.key("U").settle().pay("1").settle().key("Esc").says("Tour 4/5  Press g o to see what you own.");
    screen.key("g o").says("Tour 5/5  Press ? for the keys");
    screen.key("?");
    is_gone(&screen);
    screen.key("Esc").says("Tour done.");
}

/// What comes next shows what was bought, so it waits for the end of the unlock.
#[test]
fn the_next_step_waits_for_the_end_of_the_unlock() {
    let mut screen = TestScreen::new(120, 36);
    screen.may_spend = true;
    open(&mut screen).key("/").typed("nurse").key("Enter").settle();
    screen.key("Space U").settle();
    screen.plan = Plan::Hold;
    screen.pay("1").says("Tour 3/5");
    screen.release(0);
    screen.settle().key("Esc").says("Tour 4/5");
}

/// A user who goes another way is not sent back.
#[test]
fn a_step_is_done_once_its_aim_is_reached_in_whichever_order() {
    let mut screen = TestScreen::new(120, 36);
    screen.may_spend = true;
    open(&mut screen).key("? Esc").says("Tour 1/5  Press / and");
    screen.key("U").settle().pay("1").settle().key("Esc");
    screen.says("Tour 1/5  Press / and");
    screen.key("/").typed("nurse").key("Enter").settle().says("Tour 4/5  Press g o");
    screen.key("g o");
    is_gone(&screen);
}

#[test]
fn escape_does_not_end_it_and_its_own_command_does() {
    let mut screen = TestScreen::new(120, 36);
    open(&mut screen).says("Tour 1/5");
    for keys in ["v Esc", "/ Esc Esc", "f Esc Esc", "P Esc Esc", "Enter Esc Esc", "Esc Esc"] {
        screen.key(keys).says("Tour 1/5");
    }
    screen.key(":").typed("end the tour").key("Enter").says("Tour done.");
    is_gone(&screen);
    let mut again = TestScreen::new(120, 36);
    again.store = screen.store_of_another();
    is_gone(open(&mut again));
    again.key(":").typed("tour").key("Enter").says("Tour 1/5");
}

#[test]
fn how_far_it_came_is_kept() {
    let mut screen = TestScreen::new(120, 36);
    open(&mut screen).key("/").typed("nurse").key("Enter").settle().says("Tour 2/5");
    let mut again = TestScreen::new(120, 36);
    again.store = screen.store_of_another();
    open(&mut again).says("Tour 2/5");
}

#[test]
fn no_other_profile_has_one() {
    let mut screen = TestScreen::new(160, 48);
    is_gone(screen.open());
    screen.key(":").typed("tour").key("Enter").says("The tour runs only in lode demo.");
    is_gone(&screen);
}
