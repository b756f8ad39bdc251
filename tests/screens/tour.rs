//! The tour of the demo: it follows what is done, and is gone for whoever left it.

use lode::effect::profile::{Profile, WindowId};
use lode::ui::msg::Msg;

use crate::pictures::scene;
use crate::world::{World, profile};

fn open(world: &mut World) -> &mut World {
    let demo = Profile { name: "demo".to_owned(), live: false, demo: true, ..profile() };
    world.tell(Msg::Opened(Ok(Box::new(demo))));
    world.settle()
}

fn is_gone(world: &World) {
    let screen = world.screen();
    assert!(!screen.contains("TOUR"), "{screen}");
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
    open(&mut world).says("TOUR 1/6 G  goes to the last row");
    world.key("j k Tab Tab Tab").says("TOUR 1/6");
    world.key("G").settle().says("TOUR 2/6 /  searches");
    world.key("/").typed("nurse").says("TOUR 2/6");
    world.key("Enter").settle().says("TOUR 3/6 Space  puts the row in the basket");
    world.key("Space").says("TOUR 4/6 U  reviews it");
    world.key("U").settle().pay("1").settle().key("Esc").says("TOUR 5/6 g o  shows what is yours");
    world.key("g o").says("TOUR 6/6 ?  lists the keys");
    world.key("?");
    is_gone(&world);
    world.key("Esc").says("That was the tour.");
}

#[test]
fn escape_ends_it_for_good_and_the_palette_begins_it_again() {
    let mut world = World::new(120, 36);
    open(&mut world).says("TOUR 1/6");
    world.key("v Esc").says("TOUR 1/6");
    world.key("Esc").says("The tour is over.  : tour begins it again");
    is_gone(&world);
    let mut again = World::new(120, 36);
    again.store = world.store.beside(WindowId("two".to_owned()));
    is_gone(open(&mut again));
    again.key(":").typed("tour").key("Enter").says("TOUR 1/6");
    again.key(":").typed("end the tour").key("Enter");
    is_gone(&again);
}

#[test]
fn how_far_it_came_is_kept() {
    let mut world = World::new(120, 36);
    open(&mut world).key("G").settle().says("TOUR 2/6");
    let mut again = World::new(120, 36);
    again.store = world.store.beside(WindowId("two".to_owned()));
    open(&mut again).says("TOUR 2/6");
}

#[test]
fn nobody_else_has_one() {
    let mut world = World::new(160, 48);
    is_gone(world.open());
    world.key(":").typed("tour").key("Enter").says("The tour is shown on a sandbox: lode demo has one.");
    is_gone(&world);
}
