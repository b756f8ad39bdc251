//! What a key costs on the screen: updating the model, drawing a frame into cells, turning two frames into bytes.
//!
//! `cargo bench --bench screen` prints medians; the number of bytes of each frame is printed once beside them. With `--play TIMES MS
//! KEY…` it only plays the keys, this far apart, for a program that counts instructions: `.ci/instructions`.
#![allow(clippy::disallowed_methods)] // Tests read their pictures and measure time.

use std::time::Duration;

use common::screen::planned::{TestScreen, person};
use divan::{Bencher, black_box};
use lode_core::filter::Filter;
use lode_host::terminal::colors::Depth;
use lode_host::terminal::painter::Painter;
use lode_ui::keys::chord::Chord;
use lode_ui::motion::Motion;
use lode_ui::msg::Msg;
use lode_ui::update::update;
use lode_ui::view::view;
use ratatui::buffer::Buffer;

fn main() {
    let args: Vec<String> = std::env::args().skip_while(|arg| arg != "--play").skip(1).collect();
    if let [times, apart, keys @ ..] = &args[..] {
        let number = |text: &str| text.parse().expect("--play TIMES MS KEY…");
        return play(number(times) as usize, Duration::from_millis(number(apart)), keys);
    }
    for (name, keys) in [("row move", "j"), ("page down", "PgDn"), ("scroll", "39j j")] {
        let mut screen = open();
        let mut painter = Painter::new(Depth::True);
        let (frame, drawn) = screen.draw();
        painter.paint(&frame, &drawn.frame);
        let mut bytes = 0;
        for key in keys.split(' ') {
            screen.key(key);
            let (frame, drawn) = screen.draw();
            bytes = painter.paint(&frame, &drawn.frame).len();
        }
        println!("{name}: {bytes} bytes");
    }
    divan::main();
}

fn open() -> TestScreen {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    screen
}

/// These keys in turn, each from the model to the bytes of its frame, with motion as it is by default.
fn play(times: usize, apart: Duration, keys: &[String]) {
    let mut screen = open();
    screen.model.motion = Motion::new(false, false);
    let mut painter = Painter::new(Depth::True);
    let (mut frame, mut before) = (Buffer::default(), None);
    let chords: Vec<Chord> = keys.iter().map(|key| key.parse().unwrap()).collect();
    for chord in chords.into_iter().cycle().take(times) {
        screen.pass(apart);
        screen.model.only_moved = true;
        black_box(update(&mut screen.model, Msg::Key(chord), screen.now));
        let drawn = view(&screen.model, before.take(), &mut frame);
        black_box(painter.paint(&frame, &drawn.frame));
        before = Some(drawn);
    }
}

#[divan::bench]
fn update_row_move(bencher: Bencher) {
    let mut screen = open();
    let mut down = true;
    bencher.bench_local(|| {
        down = !down;
        let key = Chord::char(if down { 'k' } else { 'j' });
        black_box(update(&mut screen.model, Msg::Key(key), screen.now))
    });
}

#[divan::bench]
fn draw_frame(bencher: Bencher) {
    let screen = open();
    bencher.bench_local(|| black_box(view(&screen.model, None, &mut Buffer::default())));
}

#[divan::bench]
fn frame_unchanged(bencher: Bencher) {
    let screen = open();
    let mut painter = Painter::new(Depth::True);
    let (frame, drawn) = screen.draw();
    painter.paint(&frame, &drawn.frame);
    bencher.bench_local(|| painter.paint(&frame, &drawn.frame).len());
}

/// Key to bytes: all that happens between reading a key and writing the frame.
#[divan::bench]
fn key_to_bytes_row_move(bencher: Bencher) {
    key_to_bytes(bencher, ["j", "k"]);
}

#[divan::bench]
fn key_to_bytes_page(bencher: Bencher) {
    key_to_bytes(bencher, ["PgDn", "PgUp"]);
}

fn key_to_bytes(bencher: Bencher, keys: [&str; 2]) {
    key_to_bytes_in(bencher, open(), keys);
}

fn key_to_bytes_in(bencher: Bencher, mut screen: TestScreen, keys: [&str; 2]) {
    let mut painter = Painter::new(Depth::True);
    let (mut frame, mut before) = (Buffer::default(), None);
    let chords = keys.map(|key| key.parse::<Chord>().unwrap());
    let mut at = 0;
    bencher.bench_local(|| {
        at = 1 - at;
        // As after a frame is shown.
        screen.model.only_moved = true;
        black_box(update(&mut screen.model, Msg::Key(chords[1 - at]), screen.now));
        let drawn = view(&screen.model, before.take(), &mut frame);
        let bytes = painter.paint(&frame, &drawn.frame).len();
        before = Some(drawn);
        bytes
    });
}

/// The largest window there is, every page of it read.
fn held() -> TestScreen {
    let mut screen = TestScreen::new(160, 48);
    screen.total = 1_000_000;
    screen.open();
    for _ in 1..1_000 {
        screen.key("]").wait(Duration::from_secs(1));
    }
    let side = screen.model.search.side;
    let held = screen.model.session.side(side).window.held();
    assert!(held > 99_000, "{held} rows are here");
    screen.key("g g");
    screen
}

#[divan::bench(sample_count = 20, args = ["as they came", "ordered"])]
fn find_what_is_in_none_of_100_000_rows(bencher: Bencher, order: &str) {
    find(bencher, order, "nobodyhere", "No match for");
}

/// A letter that is outside of ASCII has two cases that the bytes do not show.
#[divan::bench(sample_count = 20, args = ["as they came", "ordered"])]
fn find_other_letters_in_none_of_100_000_rows(bencher: Bencher, order: &str) {
    find(bencher, order, "nøbødyhere", "No match for");
}

/// The next hit is the only one: every row is looked at, from the one after the cursor round to itself.
#[divan::bench(sample_count = 20, args = ["as they came", "ordered"])]
fn find_the_only_one_of_100_000_rows(bencher: Bencher, order: &str) {
    let mut screen = held();
    let side = screen.model.search.side;
    let window = &screen.model.session.side(side).window;
    let row = window.loaded().nth(50_000).expect("they are here").1;
    let id = row.id().expect("it has one").to_string();
    put_in_order(&mut screen, order);
    find_in(bencher, screen, &id, ", from the other end");
}

/// A name that one row in eight has: what a person waits for who walks from hit to hit.
#[divan::bench(args = ["as they came", "ordered"])]
fn find_the_next_of_many_in_100_000_rows(bencher: Bencher, order: &str) {
    find(bencher, order, "ruth", "");
}

fn find(bencher: Bencher, order: &str, wanted: &str, says: &str) {
    let mut screen = held();
    put_in_order(&mut screen, order);
    find_in(bencher, screen, wanted, says);
}

fn put_in_order(screen: &mut TestScreen, order: &str) {
    if order == "ordered" {
        screen.key("o").settle();
    }
    screen.key("g g");
}

fn find_in(bencher: Bencher, mut screen: TestScreen, wanted: &str, says: &str) {
    let again = || Msg::Key(Chord::char('n'));
    screen.key("Ctrl-f").typed(wanted).key("Enter");
    update(&mut screen.model, again(), screen.now);
    screen.says(says);
    bencher.bench_local(|| black_box(update(&mut screen.model, again(), screen.now)));
}

/// Ten legs with the rows of the largest window between them, every page of them read.
fn ten_legs() -> TestScreen {
    let mut screen = TestScreen::new(160, 48);
    // Each leg has people of its own.
    screen.row = |index, search| {
        let leg = search.query.value(Filter::Title).and_then(|title| title[5..].parse().ok()).unwrap_or(0);
        person(leg * 1_000_000 + index, search)
    };
    screen.total = 10_000;
    screen.open();
    let side = screen.model.search.side;
    for leg in 0..10 {
        let title = format!("title{leg}");
        screen.model.search.grid_mut().draft.add(Filter::Title, &title).expect("every side has titles");
    }
    screen.key("R");
    screen.settle();
    for _ in 1..1_000 {
        screen.key("]").wait(Duration::from_secs(1));
    }
    let window = &screen.model.session.side(side).window;
    assert_eq!((window.read(), window.total()), ((10, 10), Some(100_000)));
    assert!(window.held() > 99_000, "{} rows are here", window.held());
    screen.key("g g");
    screen
}

#[divan::bench(args = ["one", "ten"])]
fn key_to_bytes_page_over_100_000_rows(bencher: Bencher, legs: &str) {
    let mut screen = if legs == "ten" { ten_legs() } else { held() };
    let mut painter = Painter::new(Depth::True);
    let (mut frame, mut before) = (Buffer::default(), None);
    let [down, up] = ["PgDn", "PgUp"].map(|key| key.parse::<Chord>().unwrap());
    let mut at = 0;
    // Each page is one that was not seen lately, as it is for a person who reads on.
    bencher.bench_local(|| {
        at = (at + 1) % 4_000;
        let key = if at < 2_000 { down } else { up };
        // As after a frame is shown.
        screen.model.only_moved = true;
        black_box(update(&mut screen.model, Msg::Key(key), screen.now));
        let drawn = view(&screen.model, before.take(), &mut frame);
        let bytes = painter.paint(&frame, &drawn.frame).len();
        before = Some(drawn);
        bytes
    });
}

/// Only the last step: from two frames to bytes.
#[divan::bench(sample_count = 500)]
fn paint_a_page(bencher: Bencher) {
    let mut screen = held();
    let mut painter = Painter::new(Depth::True);
    let page = || {
        screen.key("PgDn");
        screen.draw()
    };
    bencher.with_inputs(page).bench_local_refs(|(frame, drawn)| painter.paint(frame, &drawn.frame).len());
}

#[divan::bench(sample_count = 20)]
fn find_what_is_in_none_of_ten_legs(bencher: Bencher) {
    find_in(bencher, ten_legs(), "nobodyhere", "No match for");
}

/// All steps of it.
#[divan::bench(sample_count = 20)]
fn order_100_000_rows(bencher: Bencher) {
    let mut screen = held();
    let keys = ['o', 'O'].map(Chord::char);
    let mut back = false;
    bencher.bench_local(|| {
        back = !back;
        update(&mut screen.model, Msg::Key(keys[usize::from(back)]), screen.now);
        while screen.model.search.is_sorting() {
            black_box(update(&mut screen.model, Msg::Deadline, screen.now));
        }
    });
    screen.says("loaded, ");
}

/// A letter in a field whose values are suggested from the rows that are here.
#[divan::bench(sample_count = 20)]
fn type_a_letter_over_100_000_rows(bencher: Bencher) {
    let mut screen = held();
    screen.key("/");
    let keys = ["n", "Backspace"].map(|key| key.parse::<Chord>().unwrap());
    let mut at = 0;
    bencher.bench_local(|| {
        at = 1 - at;
        black_box(update(&mut screen.model, Msg::Key(keys[1 - at]), screen.now))
    });
}
