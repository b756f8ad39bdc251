//! Motion: what changed is lit for a moment, a wait shows only when it is long, credits count to the truth, and then all is at rest.

use std::time::Duration;

use lode_core::time::Mono;
use lode_ui::model::Model;
use lode_ui::motion::Motion;
use lode_ui::msg::Msg;
use lode_ui::theme::{Role, Theme};
use lode_ui::update::update;
use ratatui::buffer::Buffer;

use crate::money::stage;
use common::screen::planned::{Plan, TestScreen};

const CHANGE: Duration = Duration::from_millis(300);

fn screen(width: u16, height: u16, is_off: bool) -> TestScreen {
    let mut screen = TestScreen::new(width, height);
    screen.model.motion = Motion::new(false, is_off);
    screen.model.theme = Theme::named("dark").unwrap();
    screen.may_spend = true;
    screen.open();
    screen.painted();
    screen
}

fn moving() -> TestScreen {
    screen(120, 36, false)
}

/// The lines that are lit, besides that of the cursor, which has the same ground.
fn lit(screen: &TestScreen) -> Vec<String> {
    let frame = screen.frame();
    let ground = screen.model.theme.style(Role::Changed).bg.unwrap();
    let lines = screen.text();
    let is_lit = |y: usize| (0..30).any(|x| frame[(x, y as u16)].bg == ground);
    let found = lines.lines().enumerate().filter(|(y, line)| *y > 2 && !line.contains('▌') && is_lit(*y));
    found.map(|(_, line)| line.to_owned()).collect()
}

/// Goes from deadline to deadline while something moves, and returns each frame with its moment.
fn play(screen: &mut TestScreen) -> Vec<(Mono, Buffer)> {
    let mut frames = Vec::new();
    while let Some(at) = screen.model.motion.deadline() {
        let time = at.since(screen.now.mono);
        assert!(time > Duration::ZERO, "it is due already");
        screen.wait(time);
        frames.push((at, screen.frame()));
        assert!(frames.len() < 100, "it never comes to rest");
    }
    frames
}

/// The name on the card.
fn card(screen: &TestScreen) -> String {
    let lines = screen.text();
    let line = lines.lines().nth(3).unwrap();
    line.chars().skip(85).collect::<String>().trim_matches(['│', ' ']).to_owned()
}

#[test]
fn while_the_cursor_keeps_moving_the_card_follows_now_and_then_and_at_rest_soon() {
    let mut screen = moving();
    let repeat = Duration::from_millis(33);
    let down = |screen: &mut TestScreen, keys: usize| {
        for _ in 0..keys {
            screen.wait(repeat).key("j").painted();
        }
    };
    screen.wait(Duration::from_secs(1));
    down(&mut screen, 1);
    screen.wait(Duration::from_millis(45));
    let second = card(&screen);
    assert!(screen.model.motion.deadline().is_none(), "a single move is shown whole after a moment");
    down(&mut screen, 8);
    assert_eq!(card(&screen), second, "a key is held down");
    let rest = screen.model.motion.deadline().expect("the card is due").since(screen.now.mono);
    assert!(rest <= Duration::from_millis(45), "{rest:?}");
    down(&mut screen, 1);
    assert_ne!(card(&screen), second, "a quarter of a second is long enough");
    down(&mut screen, 2);
    let before = card(&screen);
    screen.wait(Duration::from_millis(45));
    assert_ne!(card(&screen), before);
    assert!(screen.model.motion.deadline().is_none());
    // Whatever else is pressed is about the row under the cursor: the card shows it.
    down(&mut screen, 1);
    let last = card(&screen);
    down(&mut screen, 1);
    assert_eq!(card(&screen), last);
    screen.key(":");
    assert_ne!(card(&screen), last, "{}", screen.text());
    let mut still = self::screen(120, 36, true);
    down(&mut still, 14);
    assert_eq!(card(&still), card(&screen), "without motion it never waits");
}

#[test]
fn a_page_and_a_row_show_first_where_the_cursor_is_and_the_card_at_rest() {
    for (there, back) in [("PgDn", "PgUp"), ("j", "k")] {
        shows_the_card_at_rest(there, back);
    }
}

fn shows_the_card_at_rest(there: &str, back: &str) {
    let mut screen = moving();
    screen.wait(Duration::from_secs(1));
    let first = card(&screen);
    let is_of_cursor = |screen: &TestScreen| {
        let lines = screen.text();
        lines.lines().any(|line| line.contains('▌') && line.contains(&card(screen)))
    };
    assert!(is_of_cursor(&screen), "{}", screen.text());
    screen.key(there).painted();
    assert_eq!(card(&screen), first, "{}", screen.text());
    assert!(!is_of_cursor(&screen), "{}", screen.text());
    screen.pass(Duration::from_millis(45));
    let (effects, _) = update(&mut screen.model, Msg::Deadline, screen.now);
    assert!(screen.model.only_moved && effects.is_empty(), "it is drawn over the shown frame");
    screen.is_drawn_right();
    assert!(is_of_cursor(&screen), "{}", screen.text());
    assert!(screen.model.motion.deadline().is_none());
    screen.painted();
    // A key that does something is about the row under the cursor.
    screen.wait(Duration::from_secs(1)).key(back).painted();
    assert!(!is_of_cursor(&screen), "{}", screen.text());
    screen.key("Space");
    assert!(is_of_cursor(&screen), "{}", screen.text());
}

#[test]
fn a_row_in_the_basket_is_lit_for_300_ms_and_nothing_is_drawn_after() {
    let mut screen = moving();
    screen.key("Space");
    assert_eq!(lit(&screen).len(), 1, "{}", screen.text());
    screen.wait(CHANGE - Duration::from_millis(1));
    assert_eq!(lit(&screen).len(), 1);
    screen.wait(Duration::from_millis(1));
    assert!(lit(&screen).is_empty() && screen.model.motion.deadline().is_none());
    let last = screen.frame();
    screen.settle();
    assert_eq!(screen.frame().content, last.content);
    let mut still = self::screen(120, 36, true);
    still.key("Space").settle();
    assert_eq!(still.frame().content, last.content, "at rest it looks as without motion");
}

#[test]
fn rows_that_scroll_into_view_are_not_lit_and_change_like_all_others() {
    let mut screen = moving();
    screen.key("50G").settle().painted();
    assert!(lit(&screen).is_empty());
    screen.key("PgDn").painted().key("Space");
    assert_eq!(lit(&screen).len(), 1, "{}", screen.text());
}

#[test]
fn another_screen_lights_nothing() {
    let mut screen = moving();
    stage(&mut screen, 2);
    for place in ["g b", "g o", "g s", "g o", "g b", "g s", "w", "w", "g b"] {
        screen.key(place);
        assert!(screen.model.motion.frame.rows.is_empty(), "after `{place}`:\n{}", screen.text());
        screen.settle().painted();
        assert!(screen.model.motion.frame.rows.is_empty(), "after `{place}`:\n{}", screen.text());
    }
}

#[test]
fn suppressed_unlocked_and_refunded_rows_are_lit_on_every_screen() {
    let mut screen = moving();
    screen.key("x").says("Suppress");
    screen.key("Down Enter").wait(Duration::from_millis(1)).key("j");
    assert_eq!(lit(&screen).len(), 1, "{}", screen.text());
    screen.settle();

    // Into the basket, seen from there.
    stage(&mut screen, 8);
    screen.key("g b").settle().painted();
    screen.key("Space").settle().key("u").wait(Duration::from_millis(1)).key("G");
    assert_eq!(lit(&screen).len(), 1, "{}", screen.text());

    // The first of two batches, seen from Search and from Owned.
    for place in ["g s g g", "g o"] {
        let mut screen = moving();
        stage(&mut screen, 30);
        screen.key("U").settle();
        screen.plan = Plan::Hold;
        screen.pay("30").key(place).wait(CHANGE).painted();
        screen.release(0);
        let lines = lit(&screen).join("\n");
        assert!(lines.contains('✓') && lines.contains('!'), "after `{place}`:\n{lines}\n{}", screen.text());
        screen.wait(CHANGE);
        assert!(lit(&screen).is_empty());
    }
}

#[test]
fn a_fast_answer_shows_no_sign_of_waiting_and_a_slow_one_turns() {
    let is_waiting = |screen: &TestScreen| screen.text().to_lowercase().contains("searching");
    let mut screen = moving();
    screen.plan = Plan::Hold;
    screen.key("/").typed("nurse").key("Enter");
    assert!(!is_waiting(&screen));
    screen.wait(Duration::from_millis(149));
    assert!(!is_waiting(&screen));
    screen.plan = Plan::Answer;
    screen.release(0);
    screen.settle();
    assert!(screen.model.motion.deadline().is_none());

    screen.plan = Plan::Hold;
    screen.key("/").typed("s").key("Enter").wait(Duration::from_millis(150)).says("Searching…");
    let spinner = |screen: &TestScreen| {
        let text = screen.text();
        let line = text.lines().find(|line| line.contains("Searching…")).unwrap().to_owned();
        line.split("Searching").next().unwrap().trim_end().chars().last().unwrap()
    };
    let mut seen = Vec::new();
    for _ in 0..10 {
        let at = screen.model.motion.deadline().expect("it turns");
        assert!(at.since(screen.now.mono) <= Duration::from_millis(100));
        screen.wait(at.since(screen.now.mono));
        seen.push(spinner(&screen));
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 10, "{seen:?}");
    screen.key("Esc").says("Search stopped");
    play(&mut screen);
}

/// The credits in the header.
fn header(screen: &TestScreen) -> i64 {
    let text = screen.text();
    let words = text.lines().next().unwrap().split("◆ ").nth(1).unwrap().to_owned();
    words.split(' ').next().unwrap().replace(',', "").parse().unwrap()
}

#[test]
fn credits_count_to_the_truth_and_a_money_dialog_shows_it_at_once() {
    let mut screen = moving();
    stage(&mut screen, 50);
    screen.key("U").settle();
    let before = header(&screen);
    screen.plan = Plan::Hold;
    screen.pay("50");
    (screen.plan, screen.credits) = (Plan::Answer, 1_160);
    while !screen.held.is_empty() {
        screen.release(0);
    }
    let truth = |model: &Model| model.session.balance.credits.unwrap().0;
    screen.says("unlocked");
    assert!(truth(&screen.model) < before, "{before}");
    assert!(header(&screen) > truth(&screen.model), "{} of {}", header(&screen), truth(&screen.model));
    let (mut last, mut at, mut steps) = (header(&screen), screen.now.mono, 0);
    while screen.model.motion.frame.credits.is_some() {
        let next = screen.model.motion.deadline().expect("it counts on");
        assert!(next.since(at) >= Duration::from_millis(34) || next == at, "at most 30 frames a second");
        screen.wait(next.since(screen.now.mono));
        let shown = header(&screen);
        assert!((truth(&screen.model)..=last).contains(&shown), "{shown} after {last}");
        steps += usize::from(shown != last);
        (last, at) = (shown, next);
    }
    assert_eq!(header(&screen), truth(&screen.model));
    assert!(steps >= 4, "{steps} steps");
    play(&mut screen);

    // While it counts, the review says how much there is.
    screen.key("Esc");
    stage(&mut screen, 1);
    screen.credits -= 100;
    screen.key("U").settle();
    assert_eq!(header(&screen), truth(&screen.model));
}

#[test]
fn without_motion_no_frame_is_drawn_for_it() {
    let mut screen = screen(120, 36, true);
    screen.settle();
    screen.key("Space");
    assert!(lit(&screen).is_empty() && screen.model.motion.deadline().is_none());
    screen.plan = Plan::Hold;
    screen.key("/").typed("nurse").key("Enter").says("Searching…");
    let next = screen.model.next_deadline().expect("the clock of the search");
    assert!(next.since(screen.now.mono) >= Duration::from_millis(500), "{next:?}");
    screen.key("Esc").key(":").typed("settings").key("Enter").says("motion");
}

/// Every second page key asked for a page, and then all was drawn again: header, card, footer.
#[test]
fn a_page_that_is_asked_for_is_drawn_over_the_shown_frame() {
    let mut screen = moving();
    let mut asked = 0;
    for _ in 0..8 {
        screen.wait(Duration::from_millis(60)).settle().painted();
        let (effects, _) = update(&mut screen.model, Msg::Key("PgDn".parse().unwrap()), screen.now);
        asked += effects.len();
        assert!(screen.model.only_moved);
        assert_eq!(screen.draw_over_shown().0.content, screen.frame().content);
        screen.perform(effects);
    }
    assert!(asked > 1, "{asked}");
}

/// A robot found it: a day later the header still named an hour of the day before, until something else was drawn.
#[test]
fn the_hour_of_the_balance_becomes_yesterday_at_midnight() {
    let mut screen = moving();
    screen.wait(Duration::from_secs(120)).painted().says("as of ");
    assert!(!screen.text().contains("yesterday"), "{}", screen.text());
    let midnight = screen.model.next_deadline().expect("it is waited for").since(screen.now.mono);
    assert!(midnight <= Duration::from_secs(86_400), "{midnight:?}");
    screen.wait(midnight - Duration::from_millis(1)).painted();
    assert!(!screen.text().contains("yesterday"), "{}", screen.text());
    screen.wait(Duration::from_millis(1));
    assert!(!screen.model.only_moved, "the header is drawn again");
    screen.says("as of yesterday");
}
