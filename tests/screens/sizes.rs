//! No size may panic, and below the least one a line says which size is needed.

use lode::ui::msg::Msg;

use crate::world::{World, odd_person};

#[test]
fn every_size_draws() {
    let mut world = World::new(160, 48);
    world.row = odd_person;
    world.open();
    let layers = ["", "?", "Esc Enter", "Esc d", "Esc x", "Esc /", "Esc g", "Esc Tab"];
    for (at, keys) in layers.iter().enumerate() {
        world.tell(Msg::Resized { width: 160, height: 48 });
        world.key(keys);
        for width in (1..=400u16).filter(|width| *width < 100 || (usize::from(*width) + at) % 13 == 0) {
            for height in (1..=120u16).filter(|height| *height < 30 || (usize::from(*height) + at) % 11 == 0) {
                if (usize::from(width) * 7 + usize::from(height) + at) % 3 != 0 && !(width < 12 && height < 12) {
                    continue;
                }
                world.model.size = (width, height);
                let _ = world.draw();
            }
        }
    }
}

#[test]
fn a_screen_that_is_too_small_says_so() {
    let mut world = World::new(39, 10);
    world.open();
    world.says("lode needs 40×10, this is 39×10");
    world.tell(Msg::Resized { width: 12, height: 3 });
    world.says("40×10");
    world.tell(Msg::Resized { width: 40, height: 10 });
    world.says("RESULTS");
}

/// The tests above draw sizes in a pattern; the corners are drawn exactly.
#[test]
fn the_smallest_and_the_largest() {
    let mut world = World::new(1, 1);
    world.open();
    for (width, height) in
        [(1, 1), (1, 120), (400, 1), (400, 120), (2, 2), (40, 10), (41, 11), (95, 19), (96, 20), (119, 15), (120, 16)]
    {
        world.tell(Msg::Resized { width, height });
        world.key("j k ] [ G Home Ctrl-d Ctrl-u");
        let _ = world.draw();
    }
}
