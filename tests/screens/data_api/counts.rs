//! Counts on the screen: every shape that a service may send, three views, marks that become filters.

use lode_core::contact::Source;
use lode_core::filter::Filter;
use lode_engine::effect::Effect;
use lode_engine::effect::call::Call;
use lode_sandbox::variants::Variant;
use lode_ui::theme::{Theme, names};
use lode_ui::view::view;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

use common::sandbox_engine;
use common::screen::sandboxed::TestScreen;

fn screen(variant: Variant, width: u16, height: u16) -> TestScreen {
    let mut screen = TestScreen::sized(sandbox_engine::small(|setup| setup.variant = variant), width, height, true);
    screen.key("g c").settle();
    screen
}

fn query(screen: &TestScreen) -> &lode_core::query::Query {
    screen.model.session.side(screen.model.search.side).window.query()
}

#[test]
fn every_shape_of_counts_is_drawn_the_same() {
    let mut screens = Vec::new();
    for variant in [Variant::A, Variant::B, Variant::C, Variant::D] {
        let mut screen = screen(variant, 120, 36);
        screen.says("all contacts");
        screen.says("total 3,000");
        let mut views = vec![screen.text()];
        for _ in 0..2 {
            screen.key("v");
            views.push(screen.text());
        }
        assert_eq!(screen.sent.iter().filter(|call| matches!(call, Call::Counts(_))).count(), 1, "one call");
        let inner = |text: &String| text.lines().skip(2).take(28).map(str::to_owned).collect::<Vec<_>>();
        screens.push(views.iter().map(inner).collect::<Vec<_>>());
    }
    for (at, other) in screens.iter().enumerate().skip(1) {
        for view in 0..2 {
            assert_eq!(screens[0][view], other[view], "variant {at}, view {view}");
        }
    }
}

#[test]
fn what_is_owned_of_a_state_is_beside_its_bar() {
    let mut screen = screen(Variant::A, 120, 36);
    screen.key("q / n u r s e Enter").settle();
    screen.key("Space U").settle().pay("1").settle();
    let owned = screen.model.session.ledger.owned().next().unwrap();
    let state = owned.row.as_ref().unwrap().known(lode_core::row::Known::State).to_owned();
    screen.key("Esc g c v").settle();
    let lines = screen.text();
    let with_owned: Vec<&str> = lines.lines().filter(|line| line.contains("1 owned")).collect();
    assert_eq!(with_owned.len(), 1, "{lines}");
    assert!(with_owned[0].contains(&format!(" {state} ")), "{lines}");
}

#[test]
fn the_copied_command_lists_the_same_counts() {
    let mut screen = screen(Variant::A, 120, 36);
    screen.key("y c").settle();
    assert_eq!(screen.done.last(), Some(&Effect::Copy("lode counts --corpus us".to_owned())));
    screen.key("w y c").settle();
    assert_eq!(screen.done.last(), Some(&Effect::Copy("lode counts --corpus linkedin".to_owned())));
}

#[test]
fn three_views_at_every_size_with_and_without_color() {
    common::svg::matrix("counts", |(width, height), theme| {
        let mut screen = screen(Variant::A, width, height);
        screen.model.theme = theme.clone();
        screen.frame()
    });
    for (width, height) in [(160, 48), (120, 36), (80, 24), (40, 10)] {
        let mut screen = screen(Variant::A, width, height);
        for view in ["map", "bars", "sic"] {
            let colored = screen.text();
            screen.model.theme = Theme::named("plain").unwrap();
            assert_eq!(screen.text(), colored, "no letter depends on a color");
            screen.model.theme = Theme::sixteen();
            crate::data_api::picture(&format!("counts-{view}-{width}x{height}"), &colored);
            screen.key("v");
        }
    }
}

#[test]
fn colors_shade_what_the_counts_say() {
    let mut screen = screen(Variant::A, 80, 24);
    for name in names() {
        screen.model.theme = Theme::named(name).unwrap();
        let mut frame = Buffer::default();
        view(&screen.model, None, &mut frame);
        let letter = |x: u16, y: u16| frame[(x, y)].symbol().chars().next().unwrap_or(' ');
        let mut tiles: Vec<(u64, Style)> = Vec::new();
        for y in (3..20).step_by(2) {
            for x in (3..78).step_by(7) {
                if letter(x, y).is_ascii_uppercase() && letter(x + 1, y).is_ascii_uppercase() {
                    let count: String = (x - 1..x + 4).map(|x| letter(x, y + 1)).collect();
                    tiles.push((count.trim().parse().unwrap(), frame[(x - 1, y + 1)].style()));
                }
            }
        }
        assert_eq!(tiles.len(), 51, "{name}: fifty states and a district\n{}", screen.text());
        tiles.sort_by_key(|(count, _)| *count);
        let mut shades: Vec<Style> = tiles.iter().map(|(_, look)| *look).collect();
        shades.dedup();
        // The tile under the cursor has a look of its own, and may interrupt its shade.
        assert!((4..=8).contains(&shades.len()), "{name}: {shades:?}");
    }
}

#[test]
fn a_mark_becomes_a_filter_and_a_code_goes_to_the_data_api() {
    let mut screen = screen(Variant::A, 120, 36);
    assert_eq!(screen.model.search.side.source, Source::Workspace);
    screen.key("l Enter Enter").settle();
    assert_eq!(query(&screen).value(Filter::State), Some("FL"));
    screen.key("g c v v Enter").settle();
    let data = query(&screen);
    assert_eq!(data.side.source, Source::Data);
    let code = data.value(Filter::SicCode).expect("a code").to_owned();
    assert_eq!(data.value(Filter::State), Some("FL"), "the filters of before came along");
    screen.says(&format!("sic {code}"));
}

#[test]
fn three_marked_states_are_three_legs_of_one_search() {
    let mut screen = screen(Variant::A, 120, 36);
    screen.key("Space l Space h h Space");
    let marked: Vec<String> = screen.model.counts.marks.iter().map(|(_, code)| code.clone()).collect();
    assert_eq!(marked.len(), 3);
    screen.says(&format!("marked: {}.  Enter run 3 searches", marked.join(", ")));
    screen.key("Enter Enter").settle();
    let query = query(&screen);
    assert_eq!(query.values(Filter::State), marked);
    let window = &screen.model.session.side(query.side).window;
    let totals: Vec<u64> = window.parts().map(|(_, total)| total.expect("it is open")).collect();
    assert_eq!((window.read(), window.total()), ((3, 3), Some(totals.iter().sum())));
    for (leg, total) in query.legs().iter().zip(totals) {
        screen.says(&format!("{} {}", leg.value(Filter::State).unwrap(), lode_core::credits::grouped(total)));
    }
    screen.key("g c");
    assert!(screen.model.counts.marks.is_empty(), "no mark is left");
}

#[test]
fn a_slow_search_is_announced_and_runs_only_when_it_is_wanted() {
    let mut screen = screen(Variant::A, 120, 36);
    let sent = screen.sent.len();
    screen.key("Enter");
    screen.says("Slow search");
    screen.says("only can take minutes");
    screen.key("Esc").settle();
    assert_eq!(screen.sent.len(), sent, "nothing was sent");
    screen.says("filters changed");
    screen.hold = |call| matches!(call, Call::Search(_));
    screen.key("R Enter").wait(std::time::Duration::from_secs(4));
    screen.says("Searching…  4 s");
    screen.key("Esc").settle();
    screen.says("Stopped");
    assert!(screen.held.is_empty(), "the request was dropped");
}

#[test]
fn a_question_is_whole_on_a_small_screen() {
    let mut screen = screen(Variant::A, 40, 10);
    screen.key("Enter");
    screen.says("Slow search");
    let words: String = screen.text().split_whitespace().collect();
    assert!(words.contains("minutes."), "{}", screen.text());
}

#[test]
fn what_was_wrong_with_the_filters_before_is_not_said_of_those_after() {
    let mut screen = TestScreen::sized(sandbox_engine::small(|_| ()), 120, 36, true);
    screen.key("W R").settle();
    screen.says("needs a query");
    screen.key("g c").settle().key("Enter");
    screen.says("Slow search");
    screen.key("Esc").settle();
    screen.says("Filters changed");
    assert!(!screen.text().contains("needs a query"), "{}", screen.text());
}

#[test]
fn without_a_data_key_nothing_is_asked_and_the_screen_says_why() {
    let mut screen = TestScreen::sized(sandbox_engine::small(|_| ()), 80, 24, false);
    screen.key("g c").settle();
    screen.says("No Data API key");
    assert!(screen.sent.iter().all(|call| call.source() == Source::Workspace));
}

#[test]
fn the_picture_of_the_readme_is_current() {
    let mut screen = screen(Variant::A, 120, 36);
    crate::data_api::shot(&mut screen, "counts", "Counts of the whole corpus on a map");
}
