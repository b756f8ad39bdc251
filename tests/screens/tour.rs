//! The tour of the demo: it follows what is done, and is gone once it was left.

use lode_engine::effect::profile::Profile;
use lode_ui::msg::Msg;

use crate::pictures::scene;
use common::world::planned::{Plan, World, profile};

fn open(world: &mut World) -> &mut World {
    let demo = Profile { name: "demo".to_owned(), live: false, demo: true, ..profile() };
    world.tell(Msg::Opened(Ok(Box::new(demo))));
    world.settle()
}

fn is_gone(world: &World) {
    let screen = world.screen();
    assert!(!screen.contains("/5  Press"), "{screen}");
}

#[test]
fn the_first_step() {
    scene("tour", |world| {
        open(world);
    });
}

#[test]
fn it_goes_on_as_things_are_done() {
    let mut world = World::new(80, 24);
    world.may_spend = true;
    open(&mut world).says("Tour 1/5  Press / and type nurse");
    world.key("j k Tab Tab Tab").says("Tour 1/5");
    world.key("/").typed("nurse").says("Tour 1/5");
    world.key("Enter").settle().says("Tour 2/5  Press Space to add a contact.");
    world.key("Space").says("Tour 3/5  Press U, type the number");
    world.key("U").settle().pay("1").settle().key("Esc").says("Tour 4/5  Press g o to see what you own.");
    world.key("g o").says("Tour 5/5  Press ? for the keys");
    world.key("?");
    is_gone(&world);
    world.key("Esc").says("Tour done.");
}

/// What comes next shows what was bought, so it waits for the end of the unlock.
#[test]
fn the_next_step_waits_for_the_end_of_the_unlock() {
    let mut world = World::new(120, 36);
    world.may_spend = true;
    open(&mut world).key("/").typed("nurse").key("Enter").settle();
    world.key("Space U").settle();
    world.plan = Plan::Hold;
    world.pay("1").says("Tour 3/5");
    world.release(0);
    world.settle().key("Esc").says("Tour 4/5");
}

/// A user who goes another way is not sent back.
#[test]
fn a_step_is_done_once_its_aim_is_reached_in_whichever_order() {
    let mut world = World::new(120, 36);
    world.may_spend = true;
    open(&mut world).key("? Esc").says("Tour 1/5  Press / and");
    world.key("U").settle().pay("1").settle().key("Esc");
    world.says("Tour 1/5  Press / and");
    world.key("/").typed("nurse").key("Enter").settle().says("Tour 4/5  Press g o");
    world.key("g o");
    is_gone(&world);
}

#[test]
fn escape_does_not_end_it_and_its_own_command_does() {
    let mut world = World::new(120, 36);
    open(&mut world).says("Tour 1/5");
    for keys in ["v Esc", "/ Esc Esc", "f Esc Esc", "P Esc Esc", "Enter Esc Esc", "Esc Esc"] {
        world.key(keys).says("Tour 1/5");
    }
    world.key(":").typed("end the tour").key("Enter").says("Tour done.");
    is_gone(&world);
    let mut again = World::new(120, 36);
    again.store = world.store_of_another();
    is_gone(open(&mut again));
    again.key(":").typed("tour").key("Enter").says("Tour 1/5");
}

#[test]
fn how_far_it_came_is_kept() {
    let mut world = World::new(120, 36);
    open(&mut world).key("/").typed("nurse").key("Enter").settle().says("Tour 2/5");
    let mut again = World::new(120, 36);
    again.store = world.store_of_another();
    open(&mut again).says("Tour 2/5");
}

#[test]
fn no_other_profile_has_one() {
    let mut world = World::new(160, 48);
    is_gone(world.open());
    world.key(":").typed("tour").key("Enter").says("The tour runs only in lode demo.");
    is_gone(&world);
}
