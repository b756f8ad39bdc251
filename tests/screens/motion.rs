//! Motion: what changed is lit for a moment, a wait shows only when it is long, credits count to the truth, and then all is at rest.

use std::time::Duration;

use lode_core::time::Mono;
use lode_ui::model::Model;
use lode_ui::motion::Motion;
use lode_ui::theme::{Role, Theme};
use ratatui::buffer::Buffer;

use crate::money::stage;
use common::world::planned::{Plan, World};

const CHANGE: Duration = Duration::from_millis(300);

fn world(width: u16, height: u16, is_off: bool) -> World {
    let mut world = World::new(width, height);
    world.model.motion = Motion::new(false, is_off);
    world.model.theme = Theme::named("dark").unwrap();
    world.may_spend = true;
    world.open();
    world.painted();
    world
}

fn moving() -> World {
    world(120, 36, false)
}

/// The lines that are lit, besides that of the cursor, which has the same ground.
fn lit(world: &World) -> Vec<String> {
    let frame = world.frame();
    let ground = world.model.theme.style(Role::Changed).bg.unwrap();
    let lines = world.screen();
    let is_lit = |y: usize| (0..30).any(|x| frame[(x, y as u16)].bg == ground);
    let found = lines.lines().enumerate().filter(|(y, line)| *y > 2 && !line.contains('▌') && is_lit(*y));
    found.map(|(_, line)| line.to_owned()).collect()
}

/// Goes from deadline to deadline while something moves, and returns each frame with its moment.
fn play(world: &mut World) -> Vec<(Mono, Buffer)> {
    let mut frames = Vec::new();
    while let Some(at) = world.model.motion.deadline() {
        let time = at.since(world.now.mono);
        assert!(time > Duration::ZERO, "it is due already");
        world.wait(time);
        frames.push((at, world.frame()));
        assert!(frames.len() < 100, "it never comes to rest");
    }
    frames
}

/// The name on the card.
fn card(world: &World) -> String {
    let lines = world.screen();
    let line = lines.lines().nth(3).unwrap();
    line.chars().skip(85).collect::<String>().trim_matches(['│', ' ']).to_owned()
}

#[test]
fn while_the_cursor_keeps_moving_the_card_follows_now_and_then_and_at_rest_soon() {
    let mut world = moving();
    let repeat = Duration::from_millis(33);
    let down = |world: &mut World, keys: usize| {
        for _ in 0..keys {
            world.wait(repeat).key("j").painted();
        }
    };
    world.wait(Duration::from_secs(1));
    down(&mut world, 1);
    let second = card(&world);
    assert!(world.model.motion.deadline().is_none(), "a single move is shown whole");
    down(&mut world, 7);
    assert_eq!(card(&world), second, "a key is held down");
    let rest = world.model.motion.deadline().expect("the card is due").since(world.now.mono);
    assert!(rest <= Duration::from_millis(45), "{rest:?}");
    down(&mut world, 1);
    assert_ne!(card(&world), second, "a quarter of a second is long enough");
    down(&mut world, 2);
    let before = card(&world);
    world.wait(Duration::from_millis(45));
    assert_ne!(card(&world), before);
    assert!(world.model.motion.deadline().is_none());
    // Whatever else is pressed is about the row under the cursor: the card shows it.
    down(&mut world, 1);
    let last = card(&world);
    down(&mut world, 1);
    assert_eq!(card(&world), last);
    world.key(":");
    assert_ne!(card(&world), last, "{}", world.screen());
    let mut still = self::world(120, 36, true);
    down(&mut still, 13);
    assert_eq!(card(&still), card(&world), "without motion it never waits");
}

#[test]
fn a_row_in_the_basket_is_lit_for_300_ms_and_nothing_is_drawn_after() {
    let mut world = moving();
    world.key("Space");
    assert_eq!(lit(&world).len(), 1, "{}", world.screen());
    world.wait(CHANGE - Duration::from_millis(1));
    assert_eq!(lit(&world).len(), 1);
    world.wait(Duration::from_millis(1));
    assert!(lit(&world).is_empty() && world.model.motion.deadline().is_none());
    let last = world.frame();
    world.settle();
    assert_eq!(world.frame().content, last.content);
    let mut still = self::world(120, 36, true);
    still.key("Space").settle();
    assert_eq!(still.frame().content, last.content, "at rest it looks as without motion");
}

#[test]
fn rows_that_scroll_into_view_are_not_lit_and_change_like_all_others() {
    let mut world = moving();
    world.key("50G").settle().painted();
    assert!(lit(&world).is_empty());
    world.key("PgDn").painted().key("Space");
    assert_eq!(lit(&world).len(), 1, "{}", world.screen());
}

#[test]
fn another_screen_lights_nothing() {
    let mut world = moving();
    stage(&mut world, 2);
    for place in ["g b", "g o", "g s", "g o", "g b", "g s", "w", "w", "g b"] {
        world.key(place);
        assert!(world.model.motion.frame.rows.is_empty(), "after `{place}`:\n{}", world.screen());
        world.settle().painted();
        assert!(world.model.motion.frame.rows.is_empty(), "after `{place}`:\n{}", world.screen());
    }
}

#[test]
fn suppressed_unlocked_and_refunded_rows_are_lit_on_every_screen() {
    let mut world = moving();
    world.key("x").says("Suppress");
    world.key("Down Enter").wait(Duration::from_millis(1)).key("j");
    assert_eq!(lit(&world).len(), 1, "{}", world.screen());
    world.settle();

    // Into the basket, seen from there.
    stage(&mut world, 8);
    world.key("g b").settle().painted();
    world.key("Space").settle().key("u").wait(Duration::from_millis(1)).key("G");
    assert_eq!(lit(&world).len(), 1, "{}", world.screen());

    // The first of two batches, seen from Search and from Owned.
    for place in ["g s g g", "g o"] {
        let mut world = moving();
        stage(&mut world, 30);
        world.key("U").settle();
        world.plan = Plan::Hold;
        world.pay("30").key(place).wait(CHANGE).painted();
        world.release(0);
        let lines = lit(&world).join("\n");
        assert!(lines.contains('✓') && lines.contains('!'), "after `{place}`:\n{lines}\n{}", world.screen());
        world.wait(CHANGE);
        assert!(lit(&world).is_empty());
    }
}

#[test]
fn a_fast_answer_shows_no_sign_of_waiting_and_a_slow_one_turns() {
    let is_waiting = |world: &World| world.screen().to_lowercase().contains("searching");
    let mut world = moving();
    world.plan = Plan::Hold;
    world.key("/").typed("nurse").key("Enter");
    assert!(!is_waiting(&world));
    world.wait(Duration::from_millis(149));
    assert!(!is_waiting(&world));
    world.plan = Plan::Answer;
    world.release(0);
    world.settle();
    assert!(world.model.motion.deadline().is_none());

    world.plan = Plan::Hold;
    world.key("/").typed("s").key("Enter").wait(Duration::from_millis(150)).says("Searching…");
    let spinner = |world: &World| {
        let screen = world.screen();
        let line = screen.lines().find(|line| line.contains("Searching…")).unwrap().to_owned();
        line.split("Searching").next().unwrap().trim_end().chars().last().unwrap()
    };
    let mut seen = Vec::new();
    for _ in 0..10 {
        let at = world.model.motion.deadline().expect("it turns");
        assert!(at.since(world.now.mono) <= Duration::from_millis(100));
        world.wait(at.since(world.now.mono));
        seen.push(spinner(&world));
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 10, "{seen:?}");
    world.key("Esc").says("Search stopped");
    play(&mut world);
}

/// The credits in the header.
fn header(world: &World) -> i64 {
    let screen = world.screen();
    let words = screen.lines().next().unwrap().split("◆ ").nth(1).unwrap().to_owned();
    words.split(' ').next().unwrap().replace(',', "").parse().unwrap()
}

#[test]
fn credits_count_to_the_truth_and_a_money_dialog_shows_it_at_once() {
    let mut world = moving();
    stage(&mut world, 50);
    world.key("U").settle();
    let before = header(&world);
    world.plan = Plan::Hold;
    world.pay("50");
    (world.plan, world.credits) = (Plan::Answer, 1_160);
    while !world.held.is_empty() {
        world.release(0);
    }
    let truth = |model: &Model| model.session.balance.credits.unwrap().0;
    world.says("unlocked");
    assert!(truth(&world.model) < before, "{before}");
    assert!(header(&world) > truth(&world.model), "{} of {}", header(&world), truth(&world.model));
    let (mut last, mut at, mut steps) = (header(&world), world.now.mono, 0);
    while world.model.motion.frame.credits.is_some() {
        let next = world.model.motion.deadline().expect("it counts on");
        assert!(next.since(at) >= Duration::from_millis(34) || next == at, "at most 30 frames a second");
        world.wait(next.since(world.now.mono));
        let shown = header(&world);
        assert!((truth(&world.model)..=last).contains(&shown), "{shown} after {last}");
        steps += usize::from(shown != last);
        (last, at) = (shown, next);
    }
    assert_eq!(header(&world), truth(&world.model));
    assert!(steps >= 4, "{steps} steps");
    play(&mut world);

    // While it counts, the review says how much there is.
    world.key("Esc");
    stage(&mut world, 1);
    world.credits -= 100;
    world.key("U").settle();
    assert_eq!(header(&world), truth(&world.model));
}

#[test]
fn without_motion_no_frame_is_drawn_for_it() {
    let mut world = world(120, 36, true);
    world.settle();
    world.key("Space");
    assert!(lit(&world).is_empty() && world.model.motion.deadline().is_none());
    world.plan = Plan::Hold;
    world.key("/").typed("nurse").key("Enter").says("Searching…");
    let next = world.model.next_deadline().expect("the clock of the search");
    assert!(next.since(world.now.mono) >= Duration::from_millis(500), "{next:?}");
    world.key("Esc").key(":").typed("settings").key("Enter").says("motion");
}
