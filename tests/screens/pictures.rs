//! The pictures, and that borders are straight in all of them.

use std::path::PathBuf;
use std::time::Duration;

use lode_core::cells::{is_tail, row};
use lode_engine::effect::failure::{Failure, Refusal, Unclear};
use lode_engine::effect::profile::Profile;
use lode_ui::msg::Msg;
use lode_ui::theme::{Themes, names};
use ratatui::buffer::Buffer;

use crate::contrast::is_readable;
use common::screen::planned::{Plan, TestScreen, odd_person, profile};
use common::screen::text;
use common::svg;

const SIZES: [(u16, u16); 4] = [(160, 48), (120, 36), (80, 24), (40, 10)];

/// Every line is as wide as the screen, and boxes are whole: all of them, or with a layer on top at least that one.
fn borders_are_straight(frame: &Buffer, layered: bool, name: &str) {
    let symbol = |x: u16, y: u16| frame[(x, y)].symbol();
    let area = frame.area;
    let (mut whole, mut broken) = (0, Vec::new());
    for y in 0..area.height {
        let left_halves = (0..area.width).filter(|x| !is_tail(row(frame, y), usize::from(*x)));
        let drawn: usize = left_halves.map(|x| lode_core::text::width(symbol(x, y))).sum();
        assert_eq!(drawn, usize::from(area.width), "{name}: line {y} is as wide as the screen");
        for x in (0..area.width).filter(|x| symbol(*x, y) == "╭") {
            let bottom = (y + 1..area.height).find(|below| !matches!(symbol(x, *below), "│" | "├")).unwrap_or(y);
            let right = (x + 1..area.width).find(|beside| symbol(*beside, y) == "╮").unwrap_or(x);
            let sides = (y + 1..bottom).all(|between| {
                let crossed = symbol(x, between) == "├";
                symbol(right, between) == if crossed { "┤" } else { "│" }
            });
            if symbol(x, bottom) == "╰" && symbol(right, bottom) == "╯" && sides {
                whole += 1;
            } else {
                broken.push((x, y));
            }
        }
    }
    assert!(whole > 0 || broken.is_empty(), "{name}: no box is whole");
    assert!(layered || broken.is_empty(), "{name}: the boxes at {broken:?} are crooked");
}

fn compare(name: &str, picture: &str) {
    let path: PathBuf = common::root().join(format!("tests/screens/{name}.txt"));
    if std::env::var_os("UPDATE_SCREENS").is_some() {
        std::fs::write(&path, picture).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == picture, "{name} looks different now (UPDATE_SCREENS=1 keeps it):\n{picture}");
}

/// Draws a scene at every size; the large and the small one are kept as pictures, themes must not move a letter.
pub fn scene(name: &str, prepare: impl Fn(&mut TestScreen)) {
    svg::matrix(name, |(width, height), theme| {
        let mut screen = TestScreen::new(width, height);
        prepare(&mut screen);
        screen.model.theme = theme.clone();
        screen.draw().0
    });
    for (width, height) in SIZES {
        let mut screen = TestScreen::new(width, height);
        prepare(&mut screen);
        let (frame, _) = screen.draw();
        let model = &screen.model;
        let over = !model.nav.dialogs.is_empty() || model.search.edit.is_some() || !model.pending.is_empty();
        let layered = over || width < 120;
        borders_are_straight(&frame, layered, &format!("{name} {width}x{height}"));
        let picture = text(&frame);
        // At one size in all of them; what a theme paints is the same at the others.
        let tiers: &[bool] = if width == 120 { &[false, true] } else { &[false] };
        let all = names();
        let names = if width == 120 { &all[..] } else { &["dark", "light", "sixteen", "plain"] };
        for (theme, fewer_colors) in names.iter().flat_map(|theme| tiers.iter().map(move |fewer| (*theme, *fewer))) {
            let themes = Themes { fewer_colors, ..Themes::default() };
            screen.model.theme = themes.named(theme).unwrap();
            let (frame, _) = screen.draw();
            assert_eq!(text(&frame), picture, "{name}: {theme} moves letters");
            let name =
                format!("{name} {width}x{height} in {theme}{}", if fewer_colors { " in 256 colors" } else { "" });
            is_readable(&frame, &screen.model.theme, &name);
        }
        compare(&format!("{name}-{width}x{height}"), &picture);
    }
}

#[test]
fn opening() {
    scene("opening", |_| {});
}

#[test]
fn loaded() {
    scene("loaded", |screen| {
        screen.open().key("j j Space j Space").wait(Duration::from_millis(10));
    });
}

#[test]
fn a_search_with_filters() {
    scene("filtered", |screen| {
        screen.open().key("/").typed("nurse").key("Enter");
        screen.key("f i").typed("hospital, clinic").key("Enter").settle();
    });
}

#[test]
fn typing_a_filter() {
    scene("typing", |screen| {
        screen.open().key("/").typed("nur");
    });
}

#[test]
fn searching() {
    scene("searching", |screen| {
        screen.open();
        screen.plan = Plan::Hold;
        screen.key("/").typed("nurse").key("Enter").wait(Duration::from_secs(3));
    });
}

#[test]
fn nothing_matched() {
    scene("nothing", |screen| {
        screen.open();
        screen.total = 0;
        screen.key("/").typed("zzz").key("Enter").settle();
    });
}

#[test]
fn failed() {
    scene("failed", |screen| {
        screen.open();
        let words = "the key was revoked yesterday".to_owned();
        screen.plan = Plan::Fail(Failure::Refused { status: 401, why: Refusal::Key, words });
        screen.key("/").typed("nurse").key("Enter").wait(Duration::from_millis(10));
    });
}

#[test]
fn rate_limited() {
    scene("waiting", |screen| {
        screen.open();
        let wait = Some(Duration::from_secs(23));
        screen.plan = Plan::Fail(Failure::Later { wait, words: "slow down".to_owned() });
        screen.key("/").typed("nurse").key("Enter");
        screen.plan = Plan::Hold;
        screen.wait(Duration::from_millis(10));
    });
}

#[test]
fn deep_in_eighty_million_rows() {
    scene("deep", |screen| {
        screen.total = 80_000_000;
        screen.open().key("79999900G").wait(Duration::from_millis(10));
    });
}

#[test]
fn rows_that_are_on_their_way() {
    scene("dots", |screen| {
        screen.open();
        screen.plan = Plan::Hold;
        screen.key("3000G").wait(Duration::from_millis(10));
    });
}

#[test]
fn odd_letters() {
    scene("letters", |screen| {
        screen.row = odd_person;
        screen.open();
    });
}

#[test]
fn a_contact_in_full() {
    scene("contact", |screen| {
        screen.open().key("j Enter");
    });
}

#[test]
fn odd_letters_in_full() {
    scene("contact-letters", |screen| {
        screen.row = odd_person;
        screen.open().key("j j Enter");
    });
}

#[test]
fn help() {
    scene("help", |screen| {
        screen.open().key("?");
    });
}

#[test]
fn palette() {
    scene("palette", |screen| {
        screen.open().key(":").typed("baske");
    });
}

#[test]
fn go_menu() {
    scene("go", |screen| {
        screen.open().key("g");
    });
}

#[test]
fn a_picker_of_states() {
    scene("states", |screen| {
        screen.open().key("f s").typed("tex");
    });
}

#[test]
fn columns() {
    scene("columns", |screen| {
        screen.open().key("d Down Down Space");
    });
}

#[test]
fn a_question() {
    scene("suppress", |screen| {
        screen.open().key("x");
    });
}

#[test]
fn last_request() {
    scene("request", |screen| {
        screen.open().key("i");
    });
}

#[test]
fn the_data_side_with_its_filters() {
    scene("data", |screen| {
        screen.open().key("W").settle().key("Tab Tab");
    });
}

/// The first run: there is no key at all.
pub fn nameless(screen: &mut TestScreen) {
    let unknown = Profile { workspace: None, data: None, name: "no profile".into(), ..profile() };
    screen.handle(Msg::Opened(Ok(Box::new(unknown))));
    screen.settle();
}

#[test]
fn no_key_at_all() {
    scene("welcome", nameless);
}

#[test]
fn a_failed_answer_says_what_and_what_to_do() {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    screen.plan = Plan::Fail(Failure::Unclear {
        why: Unclear::Upstream(502),
        words: "the service answered with a web page (502)".into(),
    });
    screen.key("R");
    for _ in 0..40 {
        screen.wait(Duration::from_secs(3));
    }
    screen.says("Unreadable response");
    screen.says("retry (free)");
    screen.key("g e").says("Last error");
}
