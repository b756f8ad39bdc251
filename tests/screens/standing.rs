//! What stands in a frame gives way when anything that it was drawn from changes. Every look here is drawn over how things
//! stood before, and against a frame that was drawn over nothing.

use std::time::Duration;

use crate::world::World;

#[test]
fn a_pane_follows_everything_that_it_shows() {
    let mut world = World::new(160, 48);
    world.open();
    world.may_spend = true;
    world.key("Space U").wait(Duration::from_millis(400)).pay("1").settle();
    world.key("Esc g g").settle().says("Ours. Free to read and export.");
    world.key("t").typed("vip").key("Enter").settle().says("tags vip");
    world.key("m").typed("call in May").key("Enter").settle().says("note call in May");
    world.says("person");
    world.key("g m").settle().says("•••");
    world.key("g m").settle().says("5125550142");
    world.key("j x").settle().key("Down Enter").settle().says("On a suppression list");
    // Somebody else's contacts and ours in one basket, and out of it.
    for key in ["g g", "Space", "j", "j", "Space", "Tab", "Tab", "Tab", "v", "j", "Esc", "H", "R", "/"] {
        world.key(key).settle().screen();
    }
    for key in
        ["n", "u", "r", "Down", "Up", "Backspace", "Enter", "f", "j", "j", "Enter", "a", "Esc", "Esc", "r", "Esc"]
    {
        world.key(key).settle().screen();
    }
}
