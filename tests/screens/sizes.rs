//! No size may panic, and below the least one a line says which size is needed.

use lode_engine::effect::profile::Profile;
use lode_ui::msg::Msg;

use common::world::planned::{Plan, World, odd_person, profile};

/// What lies on the screen, by the keys that bring it there: screens, panes, dialogs, half-typed keys.
const LAYERS: [&str; 17] = [
    "", "?", "Esc Enter", "Esc d", "Esc x", "Esc /", "Esc g", "Esc Tab", "Esc Tab Tab", "Esc A", "Esc P", "Esc i",
    "Space U", "Esc g b", "g o", "g v", "g j",
];

/// Heights and widths at which something gives way, and their neighbors.
const HEIGHTS: [u16; 12] = [1, 2, 9, 10, 13, 14, 16, 19, 20, 24, 48, 120];
const WIDTHS: [u16; 12] = [1, 2, 39, 40, 41, 66, 80, 95, 96, 119, 120, 400];

/// A world of odd letters with the tour on, brought to each layer, one after another.
fn at_every_layer(draw: impl Fn(&mut World, usize)) {
    let mut world = World::new(160, 48);
    world.row = odd_person;
    let demo = Profile { demo: true, ..profile() };
    world.tell(Msg::Opened(Ok(Box::new(demo))));
    world.settle();
    for (at, keys) in LAYERS.iter().enumerate() {
        // Saved searches of the service are not what is looked at here.
        world.plan = Plan::Hold;
        world.tell(Msg::Resized(160, 48));
        world.key(keys);
        draw(&mut world, at);
    }
}

fn draw_at(world: &mut World, width: u16, height: u16) {
    world.model.size = (width, height);
    let _ = world.draw();
}

/// Widths at some heights and every height at some widths; the pairs differ from layer to layer.
#[test]
fn every_width_that_matters_and_every_height_draws() {
    at_every_layer(|world, at| {
        // Columns come and go up to about 200; beyond it only the space grows.
        for width in (1..=200).chain((210..=400).step_by(10)) {
            draw_at(world, width, HEIGHTS[(usize::from(width) + at) % HEIGHTS.len()]);
        }
        // A window that is being closed, or a pane of a multiplexer.
        for small in 0..16 {
            draw_at(world, small % 4, small / 4);
        }
        for height in 1..=120 {
            draw_at(world, WIDTHS[(usize::from(height) + at) % WIDTHS.len()], height);
        }
    });
}

#[test]
#[ignore = "all 48,000 sizes of every layer: cargo test --profile bench --test screens -- --ignored every_size_draws"]
fn every_size_draws() {
    at_every_layer(|world, _| {
        for width in 1..=400 {
            (1..=120).for_each(|height| draw_at(world, width, height));
        }
    });
}

#[test]
fn a_screen_that_is_too_small_says_so() {
    let mut world = World::new(39, 10);
    world.open();
    world.says("lode needs 40×10, this is 39×10");
    world.tell(Msg::Resized(12, 3));
    world.says("40×10");
    world.tell(Msg::Resized(40, 10));
    world.says(" contacts");
}

/// Keys at the corners, not only frames.
#[test]
fn keys_at_the_smallest_and_the_largest() {
    let mut world = World::new(1, 1);
    world.open();
    for (width, height) in
        [(1, 1), (1, 120), (400, 1), (400, 120), (2, 2), (40, 10), (41, 11), (95, 19), (96, 20), (119, 15), (120, 16)]
    {
        world.tell(Msg::Resized(width, height));
        world.key("j k ] [ G Home Ctrl-d Ctrl-u");
        let _ = world.draw();
    }
}
