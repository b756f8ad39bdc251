//! The pictures of the README are real frames, and current.

use std::time::Duration;

use lode_core::color::contrast;
use lode_ui::theme::Theme;

use crate::money::{lost, stage};
use crate::pictures::nameless;
use common::screen::planned::TestScreen;
use common::svg;

const MOMENT: Duration = Duration::from_millis(10);

fn shot(name: &str, title: &str, size: (u16, u16), prepare: impl Fn(&mut TestScreen)) {
    let mut screen = TestScreen::new(size.0, size.1);
    prepare(&mut screen);
    screen.model.theme = Theme::named("dark").unwrap();
    svg::keep(name, &screen.draw().0, title);
}

fn searched(screen: &mut TestScreen) {
    screen.open().key("/").typed("nurse").key("Enter").settle();
    screen.key("f i").typed("hospital, clinic").key("Enter").settle();
}

/// The blocks of the first-run screen, in one color that is seen on the light and on the dark pages of code hosts.
#[test]
fn the_word_mark() {
    const INK: [u8; 3] = [0x35, 0x84, 0xe4];
    for page in [[0xff; 3], [0x0d, 0x11, 0x17]] {
        assert!(contrast(INK, page) >= 3.0, "{page:02x?}");
    }
    let mut screen = TestScreen::new(80, 24);
    nameless(&mut screen);
    let text = screen.text();
    let is_block = |letter: char| "█▀▄".contains(letter);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains('█')).collect();
    let left = lines.iter().filter_map(|line| line.chars().position(is_block)).min().expect("a word mark");
    let mark: Vec<String> =
        lines.iter().map(|line| line.chars().skip(left).collect::<String>().trim_end().to_owned()).collect();
    assert!(mark.len() == 3 && mark.concat().chars().all(|letter| letter == ' ' || is_block(letter)), "{text}");
    svg::keep_drawn("mark", svg::mark(&mark, "lode", "#3584e4"));
}

#[test]
fn the_search_screen() {
    shot("search", "The Search screen of lode", (160, 48), |screen| {
        searched(screen);
        screen.key("j Space Space j Space j").wait(MOMENT);
    });
}

#[test]
fn the_search_screen_in_a_small_terminal() {
    shot("small", "lode in 80 by 24 cells", (80, 24), |screen| {
        searched(screen);
        screen.key("j Space j").wait(MOMENT);
    });
}

#[test]
fn the_money_dialog() {
    shot("money", "Read before you spend", (120, 36), |screen| {
        screen.open();
        stage(screen, 10);
        screen.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("10");
    });
}

#[test]
fn the_recovery_panel() {
    shot("recovery", "An unlock whose answer was lost", (120, 36), lost);
}
