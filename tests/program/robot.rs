//! A robot that presses anything: keys, pastes, clicks, sizes, on the pure model with a service that fails at random.
//! Nothing may panic, nothing may spend, the basket never holds an id twice. A failing seed is in the message.
#![allow(clippy::disallowed_methods)] // Measures time.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::KeyCode;
use lode::app::run::input::Translator;
use lode_core::Traits;
use lode_core::choose::Choosing;
use lode_core::contact::Side;
use lode_core::row::Row;
use lode_core::{Frame, ScoreField, ScoreRule, ScoreRules};
use lode_engine::effect::call::SearchCall;
use lode_engine::effect::failure::{Failure, Refusal, Unclear};
use lode_engine::effect::profile::Profile;
use lode_engine::flow::session::ChangedElsewhere;
use lode_host::terminal::capabilities::Features;
use lode_host::terminal::colors::Depth;
use lode_host::terminal::input::Parser;
use lode_host::terminal::painter::Painter;
use lode_sandbox::variants::{Habit, Variant};
use lode_ui::dialogs::Dialog;
use lode_ui::keys::chord::Chord;
use lode_ui::linear::{self, Wants};
use lode_ui::linear::{LineAction, means};
use lode_ui::motion::Motion;
use lode_ui::msg::{Mouse, MouseWhat, Msg};
use lode_ui::screens::search::state::Pane;
use lode_ui::theme::{Theme, names};
use lode_ui::view::{DrawnFrame, view};
use ratatui::buffer::Buffer;

use common::rng::Rng;
use common::screen::planned::{Plan, TestScreen, odd_person, person, profile};
use common::screen::rest::Files;
use common::tabbed::TabbedTerminal;

fn chord(rng: &mut Rng) -> Chord {
    const CODES: [KeyCode; 16] = [
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::F(2),
        KeyCode::F(9),
    ];
    match rng.below(10) {
        0..=2 => Chord::plain(*rng.pick(&CODES)),
        3 => Chord::ctrl(char::from(b'a' + rng.below(26) as u8)),
        _ => Chord::char(char::from(b' ' + rng.below(95) as u8)),
    }
}

/// What comes of a reply of the terminal, cut anywhere.
fn reply(rng: &mut Rng) -> Vec<Msg> {
    let text: String = (0..rng.below(30)).map(|_| char::from(b' ' + rng.below(95) as u8)).collect();
    let number = rng.below(2_000);
    let whole = match rng.below(5) {
        0 => format!("\x1b]{number};{text}\x07"),
        1 => format!("\x1b]{number};{text}\x1b\\"),
        2 => format!("\x1bP{number}{text}\x1b\\"),
        3 => format!("\x1b_{text}\x1b\\"),
        _ => format!("\x1b[?{number};1{}", ["c", "n", "u", "$y"][rng.below(4) as usize]),
    };
    let (mut parser, mut out) = (Parser::default(), Vec::new());
    let (now, at) = (Instant::now(), rng.place(whole.len()));
    for piece in [&whole.as_bytes()[..at], &whole.as_bytes()[at..]] {
        parser.take(piece, now, &mut out);
    }
    let mut translator = Translator::default();
    out.into_iter().filter_map(|input| translator.message(input, now)).collect()
}

/// A line of linear mode: the number of a choice, or anything else.
fn type_line(rng: &mut Rng, screen: &mut TestScreen) {
    let page = linear::page(&screen.model);
    let line = match rng.below(8) {
        0 => String::new(),
        1 => ["quit", ":owned", "/nurse", "U", "Ctrl-c", "g s", "\u{1b}[31m", "99999999999999999999"]
            [rng.below(8) as usize]
            .to_owned(),
        2 => rng.below(100).to_string(),
        _ => (1 + rng.below(page.choices.len() as u64 + 1)).to_string(),
    };
    // The amount of a review is consent, and a robot that guesses may guess it.
    let line = if page.wants == Wants::Amount && line.parse::<u64>().is_ok() { "0".to_owned() } else { line };
    for step in means(&screen.model, &page.choices, page.wants, &line, screen.now) {
        match step {
            LineAction::Do(msg) => screen.handle(*msg),
            LineAction::Rest(time) => {
                screen.wait(time);
            }
            LineAction::Say(words) => assert!(!words.is_empty()),
            LineAction::Offer => {}
        }
    }
}

/// Every other page has its neighbors in each other's place, across its borders too.
fn wavering(index: u64, search: &SearchCall) -> Row {
    let wavers = (search.offset / search.limit.max(1)) % 2 == 1;
    let index = match index % 2 {
        _ if !wavers || index == 0 => index,
        0 => index - 1,
        _ => index + 1,
    };
    person(index, search)
}

/// Every second seed has rules, every third a limit for each company.
fn choosing(seed: u64) -> Choosing {
    let mut card = ScoreRules::default();
    for (field, words, points) in [(ScoreField::Title, "nurse", 10), (ScoreField::EmailStatus, "bounced", -40)] {
        if seed.is_multiple_of(2) {
            card.add(ScoreRule::new(field, words, points).unwrap());
        }
    }
    let per_company = seed.is_multiple_of(3).then_some(2);
    Choosing { card: Arc::new(card), per_company, among: 300 }
}

/// Whatever was pressed: scores add up, what is excluded is counted, a review has no company more often than wanted.
fn chosen(screen: &TestScreen) {
    let session = &screen.model.session;
    for side in &session.sides {
        assert!(side.excluded_counts.excluded() <= side.excluded_counts.read());
        for (_, row) in side.window.loaded().take(3) {
            let score = session.choice_rules.score(row);
            assert_eq!(score.total(), session.choice_rules.total(row), "{score}");
        }
    }
    if let Some(Dialog::Money(money)) = screen.model.nav.top()
        && let Some(quote) = money.quote.as_deref()
        && let Some(limit) = quote.per_company()
    {
        let mut firms: HashMap<String, u32> = HashMap::new();
        for firm in quote.to_unlock.iter().filter_map(|staged| Traits::staged(staged).firm()) {
            *firms.entry(firm).or_default() += 1;
        }
        assert!(firms.values().all(|count| *count <= limit), "{firms:?}");
    }
}

fn press_anything(seed: u64, keys: u64) {
    let mut rng = Rng::new(seed);
    let mut screen = TestScreen::new(160, 48);
    screen.row = if seed.is_multiple_of(2) { person } else { odd_person };
    // Each reading of the documents has its seeds.
    let habits = Variant::ALL[(seed % 4) as usize].habits();
    if habits.has(Habit::Wavers) {
        screen.row = wavering;
    }
    screen.largest = habits.has(Habit::RefusesLargeSearch).then_some(habits.max_page);
    screen.uncounted = habits.has(Habit::SenselessTotals);
    screen.files = Some(Files::default());
    screen.total = [0, 1, 99, 4_870, 80_000_000][rng.below(5) as usize];
    // A quarter of the seeds are on a demo, so that the tour stands in every way there is.
    let demo = Profile { demo: seed.is_multiple_of(4), choosing: choosing(seed), ..profile() };
    screen.handle(Msg::Opened(Ok(Box::new(demo))));
    screen.settle();
    // Half of the seeds begin with several values, so that rows of several legs are pressed about.
    if seed.is_multiple_of(2) {
        for title in ["nurse", "director", "chief"] {
            screen.key("Esc Esc g s Tab Tab a").typed(title).key("Enter").settle();
        }
    }
    // A third begins with something left out.
    if seed.is_multiple_of(3) {
        screen.key("Esc Esc g s E t").typed("director; vp").key("Enter").settle();
    }
    for step in 0..keys {
        screen.plan = match rng.below(40) {
            0 => Plan::Hold,
            1 => Plan::Fail(Failure::Later { wait: Some(Duration::from_secs(rng.below(90))), words: "later".into() }),
            2 => Plan::Fail(Failure::Unclear { why: Unclear::Line, words: "the line broke".into() }),
            3 => {
                let status = habits.no_scope;
                Plan::Fail(Failure::Refused { status, why: Refusal::Scope, words: "no".into() })
            }
            4 => {
                let status = habits.bad_key;
                Plan::Fail(Failure::Refused { status, why: Refusal::Key, words: "no".into() })
            }
            5 if habits.never_answers.is_some() => Plan::Hold,
            _ => Plan::Answer,
        };
        match rng.below(30) {
            0 => {
                let what =
                    [MouseWhat::Press, MouseWhat::Double, MouseWhat::WheelDown, MouseWhat::WheelUp, MouseWhat::Drag];
                let (width, height) = screen.model.size;
                let (x, y) = (rng.below(u64::from(width)) as u16, rng.below(u64::from(height)) as u16);
                screen.handle(Msg::Mouse(Mouse { x, y, what: what[rng.below(5) as usize] }));
            }
            1 => screen
                .handle(Msg::Paste(["Enter\n", "y", "\u{1b}[31mred", "山田 U 5"][rng.below(4) as usize].to_owned())),
            2 => screen.handle(Msg::Resized(1 + rng.below(300) as u16, 1 + rng.below(80) as u16)),
            3 => {
                screen.wait(Duration::from_millis(rng.below(9_000)));
            }
            4 if !screen.held.is_empty() => {
                let at = rng.place(screen.held.len());
                screen.release(at);
            }
            5 => screen.handle(Msg::Focused(step % 2 == 0)),
            6 => screen.handle(Msg::Chosen(rng.below(12) as usize)),
            // What a terminal says of itself is never heard.
            7 => assert_eq!(reply(&mut rng), []),
            8 => type_line(&mut rng, &mut screen),
            _ => screen.handle(Msg::Key(chord(&mut rng))),
        }
        screen.painted();
        if step % 16 == 0 {
            let _ = screen.draw();
            for line in linear::page(&screen.model).lines {
                let draws = |c: char| c.is_control() || ('\u{2500}'..='\u{259f}').contains(&c);
                assert!(!line.chars().any(draws), "seed {seed}, step {step}: {line:?}");
            }
            chosen(&screen);
            for side in Side::ALL {
                let window = &screen.model.session.side(side).window;
                let loaded: Vec<_> = window.loaded().filter_map(|(_, row)| row.id()).collect();
                let different: HashSet<_> = loaded.iter().collect();
                assert_eq!(different.len(), loaded.len(), "seed {seed}, step {step}: a contact is loaded twice");
                let rows = screen.model.session.side(side).basket.rows();
                let different: HashSet<_> = rows.iter().map(|entry| entry.id()).collect();
                assert_eq!(different.len(), rows.len(), "seed {seed}, step {step}: an id twice in the basket");
            }
        }
    }
}

#[test]
fn two_thousand_keys() {
    for seed in 1..=4 {
        press_anything(seed, 500);
    }
}

/// Each frame over the one before it, as bytes for a terminal, against a terminal that saw nothing but the last one.
#[test]
fn what_the_terminal_shows_is_the_last_frame() {
    for scroll in [true, false] {
        shows_the_last_frame(Features { tabs: true, scroll, ..Features::default() });
    }
}

fn shows_the_last_frame(features: Features) {
    let mut rng = Rng::new(29);
    let mut screen = TestScreen::new(120, 30);
    screen.model.motion = Motion::new(false, false);
    screen.open();
    let mut line = Line::new(features);
    let mut taken_over = 0;
    // A walk through the list with little else: rows that are kept, scrolled, lit, staged, covered and read late.
    let walk = [
        "j", "j", "k", "j", "Space", "PgDn", "12j", "9k", "V", "Esc", "Tab", "?", "g", "x", "g g", "H", "[", "]",
        "/ m", "f t m",
    ];
    for step in 0..800 {
        screen.pass(Duration::from_millis(rng.below(60)));
        match rng.below(12) {
            0 => screen.handle(Msg::Key(chord(&mut rng))),
            1 => screen.plan = [Plan::Hold, Plan::Answer, Plan::Answer][rng.below(3) as usize].clone(),
            2 if !screen.held.is_empty() => screen.release(0),
            3 => {
                screen.wait(Duration::from_secs(rng.below(5)));
            }
            4 if step % 7 == 0 => {
                screen.model.theme = Theme::named(names()[rng.below(12) as usize]).unwrap();
                screen.handle(Msg::Resumed);
            }
            _ => {
                let keys = *rng.pick(&walk);
                screen.key(keys);
            }
        }
        taken_over += usize::from(screen.model.only_moved);
        line.show(&screen, step);
        // Some frames are still on their way when the next key comes.
        if rng.below(4) > 0 {
            screen.painted();
        }
    }
    assert!(taken_over > 40, "parts are taken over in {taken_over} frames");
}

/// A walk up and down the list and nothing else: each frame takes over the rows of the one before.
#[test]
fn a_list_that_moves_shows_the_last_frame() {
    for scroll in [true, false] {
        let mut rng = Rng::new(7);
        let mut screen = TestScreen::new(120, 30);
        screen.model.motion = Motion::new(false, false);
        screen.open();
        screen.painted();
        let mut line = Line::new(Features { tabs: true, scroll, ..Features::default() });
        let (mut before, mut scrolled, mut far) = (0, 0, 0);
        for step in 0..200 {
            screen.wait(Duration::from_millis(rng.below(300)));
            line.show(&screen, step);
            screen.painted();
            let keys = *rng.pick(&["j", "9j", "15j", "k", "7k", "14k", "PgDn", "PgUp", "Ctrl-d", "Ctrl-u", "Space"]);
            screen.key(keys);
            let drawn = line.show(&screen, step);
            let top = drawn.list.map_or(0, |list| list.top);
            let (by, half) = (top.abs_diff(before), drawn.list.map_or(0, |list| u64::from(list.area.height / 2)));
            scrolled += usize::from(drawn.changes.is_some() && (1..=half).contains(&by));
            far += usize::from(drawn.changes.is_some() && by > half);
            before = top;
            screen.painted();
            // The card, and pages that were read ahead.
            screen.settle();
            line.show(&screen, step);
            screen.painted();
        }
        assert!(scrolled > 20 && far > 10, "{scrolled} {far}");
    }
}

/// A terminal that is shown frame after frame, each over the one before.
struct Line {
    painter: Painter,
    terminal: TabbedTerminal,
    frame: Buffer,
    before: Option<DrawnFrame>,
}

impl Line {
    fn new(features: Features) -> Line {
        let mut painter = Painter::new(Depth::True);
        painter.use_features(features);
        Line { painter, terminal: TabbedTerminal::new(30, 120), frame: Buffer::default(), before: None }
    }

    /// Shows what there is now, and compares it with a terminal that sees nothing else.
    fn show(&mut self, screen: &TestScreen, step: usize) -> Frame {
        let Line { painter, terminal, .. } = self;
        let drawn = view(&screen.model, self.before.take(), &mut self.frame);
        terminal.process(painter.paint(&self.frame, &drawn.frame));
        let shown = drawn.frame.clone();
        self.before = Some(drawn);
        if painter.asks_of_tabs() {
            let (row, column) = terminal.cursor();
            painter.cursor_was_at(row, column);
        }
        let mut other = TabbedTerminal::new(30, 120);
        let (last, drawn) = screen.draw();
        other.process(Painter::new(Depth::True).paint(&last, &drawn.frame));
        for (x, y) in (0..30).flat_map(|y| (0..120).map(move |x| (x, y))) {
            let [one, two] = [&*terminal, &other].map(|terminal| terminal.screen().cell(y, x).unwrap());
            let letter = |cell: &vt100::Cell| if cell.has_contents() { cell.contents().to_owned() } else { " ".into() };
            assert_eq!(letter(one), letter(two), "step {step} at {x},{y}:\n{}", terminal.screen().contents());
            assert_eq!((one.bgcolor(), one.inverse()), (two.bgcolor(), two.inverse()), "step {step} at {x},{y}");
            if letter(one) != " " {
                // This terminal takes bold and dim for one thing, of which the later counts.
                let heavy = |cell: &vt100::Cell| cell.bold() || cell.dim();
                assert_eq!((one.fgcolor(), heavy(one)), (two.fgcolor(), heavy(two)), "step {step} at {x},{y}");
            }
        }
        shown
    }
}

/// What a key that only moves in the results does not change is taken over from the frame that is shown, as it would be drawn.
#[test]
fn what_is_taken_over_is_as_it_would_be_drawn() {
    take_over(200);
}

#[test]
#[ignore = "a hundred thousand keys"]
fn what_is_taken_over_in_a_hundred_thousand_keys_is_as_it_would_be_drawn() {
    take_over(25_000);
}

/// A robot found it: the pane lay over the results, was cleared and not drawn again.
#[test]
fn a_field_is_typed_into_over_each_pane_as_it_would_be_drawn() {
    let places =
        [Pane::Filters, Pane::Results, Pane::Contact].map(|pane| ["/", "f t", "j Enter"].map(|keys| (pane, keys)));
    let cases =
        [(160, 48), (120, 36), (80, 24)].map(|size| places.as_flattened().iter().map(move |case| (size, *case)));
    for ((width, height), (pane, keys)) in cases.into_iter().flatten() {
        let mut screen = TestScreen::new(width, height);
        screen.open();
        screen.model.search.pane = pane;
        screen.key(keys).painted();
        for letter in ["n", "u"] {
            screen.key(letter);
            let (over, _) = screen.draw_over_shown();
            let (whole, _) = screen.draw();
            assert!(over.content == whole.content, "{pane:?}, {keys} {letter}:\n{}", screen.text());
            screen.painted();
        }
    }
}

/// A robot found it: what had dropped down over the rows moved with them.
#[test]
fn a_list_that_moves_under_suggestions_is_drawn_as_whole() {
    for down in [true, false] {
        let mut screen = TestScreen::new(120, 36);
        screen.open().key("60j 10k / a n").painted();
        let grid = screen.model.search.grid_mut();
        grid.top = if down { grid.top + 1 } else { grid.top - 1 };
        screen.key("x");
        assert!(screen.model.only_moved, "it is drawn over the shown frame");
        screen.is_drawn_right();
    }
}

/// Presses keys on screens of four sizes, this many steps on each.
fn take_over(steps: u64) {
    let moves = ["j", "j", "k", "PgDn", "PgUp", "12j", "9k", "Ctrl-d", "G", "g g", "l", "h", "]"];
    let others = [
        "Space", "a", "x", "H", "w", "V", "Esc", "Tab Tab Tab", "F9", "R", "M", "/ n Enter", "g b", "g s", "5", "?",
        "/ m", "/ a n", "f t m a", "f t e", "f c", "f t Down", "Backspace",
    ];
    for (seed, size) in [(1, (160, 48)), (2, (120, 36)), (3, (80, 24)), (4, (200, 60))] {
        let mut rng = Rng::new(seed);
        let mut screen = TestScreen::new(size.0, size.1);
        screen.model.motion = Motion::new(false, false);
        screen.open();
        let mut taken_over = 0;
        for step in 0..steps {
            screen.pass(Duration::from_millis(rng.below(60)));
            screen.draws_each = rng.below(2) > 0;
            match rng.below(10) {
                0 => {
                    let keys = *rng.pick(&others);
                    screen.key(keys);
                }
                1 => {
                    screen.key("Esc Esc g s");
                    screen.model.search.pane = Pane::Results;
                    screen.handle(Msg::Resumed);
                }
                2 => {
                    screen.wait(Duration::from_millis(rng.below(70_000)));
                    screen.plan = [Plan::Hold, Plan::Answer, Plan::Answer][rng.below(3) as usize].clone();
                }
                3 if !screen.held.is_empty() => screen.release(0),
                4 => screen.handle(Msg::Elsewhere(ChangedElsewhere::ALL)),
                _ => {
                    let keys = *rng.pick(&moves);
                    screen.key(keys);
                }
            }
            taken_over += u64::from(screen.model.only_moved);
            println!("seed {seed}, step {step}");
            screen.is_drawn_right();
            if rng.below(4) > 0 {
                screen.painted();
            }
        }
        assert!(taken_over > steps / 6, "parts were taken over in {taken_over} frames");
    }
}

#[test]
#[ignore = "half a million keys: cargo test --profile bench --test program -- --ignored half_a_million"]
fn half_a_million_keys() {
    for seed in 100..350 {
        press_anything(seed, 2_000);
    }
}
