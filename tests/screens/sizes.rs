//! No size may panic, and below the least one a line says which size is needed.

use lode_engine::effect::profile::Profile;
use lode_ui::msg::Msg;

use common::screen::planned::{Plan, TestScreen, odd_person, profile};

/// What lies on the screen, by the keys that bring it there: screens, panes, dialogs, half-typed keys.
const LAYERS: [&str; 17] = [
    "", "?", "Esc Enter", "Esc d", "Esc x", "Esc /", "Esc g", "Esc Tab", "Esc Tab Tab", "Esc A", "Esc P", "Esc i",
    "Space U", "Esc g b", "g o", "g v", "g j",
];

/// Heights and widths at which something gives way, and their neighbors.
const HEIGHTS: [u16; 12] = [1, 2, 9, 10, 13, 14, 16, 19, 20, 24, 48, 120];
const WIDTHS: [u16; 12] = [1, 2, 39, 40, 41, 66, 80, 95, 96, 119, 120, 400];

/// A screen of odd letters with the tour on, brought to each layer, one after another.
fn at_every_layer(draw: impl Fn(&mut TestScreen, usize)) {
    let mut screen = TestScreen::new(160, 48);
    screen.row = odd_person;
    let demo = Profile { demo: true, ..profile() };
    screen.handle(Msg::Opened(Ok(Box::new(demo))));
    screen.settle();
    for (at, keys) in LAYERS.iter().enumerate() {
        // Saved searches of the service are not what is looked at here.
        screen.plan = Plan::Hold;
        screen.handle(Msg::Resized(160, 48));
        screen.key(keys);
        draw(&mut screen, at);
    }
}

fn draw_at(screen: &mut TestScreen, width: u16, height: u16) {
    screen.model.size = (width, height);
    let _ = screen.draw();
}

/// Every width at some height and every height at some width, a third of them on each layer; the pairs differ from layer to layer.
#[test]
fn every_width_that_matters_and_every_height_draws() {
    at_every_layer(|screen, at| {
        // Columns come and go up to about 200; beyond it only the space grows.
        for width in (1 + at as u16 % 3..=200).step_by(3).chain((210..=400).step_by(30)) {
            draw_at(screen, width, HEIGHTS[(usize::from(width) + at) % HEIGHTS.len()]);
        }
        // A window that is being closed, or a pane of a multiplexer.
        for small in 0..16 {
            draw_at(screen, small % 4, small / 4);
        }
        for height in (1 + at as u16 % 3..=120).step_by(3) {
            draw_at(screen, WIDTHS[(usize::from(height) + at) % WIDTHS.len()], height);
        }
    });
}

#[test]
#[ignore = "all 48,000 sizes of every layer: cargo test --profile bench --test screens -- --ignored every_size_draws"]
fn every_size_draws() {
    at_every_layer(|screen, _| {
        for width in 1..=400 {
            (1..=120).for_each(|height| draw_at(screen, width, height));
        }
    });
}

#[test]
fn a_screen_that_is_too_small_says_so() {
    let mut screen = TestScreen::new(39, 10);
    screen.open();
    screen.says("lode needs 40×10, this is 39×10");
    screen.handle(Msg::Resized(12, 3));
    screen.says("40×10");
    screen.handle(Msg::Resized(40, 10));
    screen.says(" contacts");
}

/// Keys at the corners, not only frames.
#[test]
fn keys_at_the_smallest_and_the_largest() {
    let mut screen = TestScreen::new(1, 1);
    screen.open();
    for (width, height) in
        [(1, 1), (1, 120), (400, 1), (400, 120), (2, 2), (40, 10), (41, 11), (95, 19), (96, 20), (119, 15), (120, 16)]
    {
        screen.handle(Msg::Resized(width, height));
        screen.key("j k ] [ G Home Ctrl-d Ctrl-u");
        let _ = screen.draw();
    }
}
