//! A robot that presses anything: keys, pastes, clicks, sizes, on the pure model with a service that fails by dice.
//! Nothing may panic, nothing may spend, the basket never holds an id twice. A failing seed is in the message.

use std::collections::HashSet;
use std::time::Duration;

use lode::domain::contact::Side;
use lode::effect::failure::{Failure, Refusal, Unclear};
use lode::effect::profile::Profile;
use lode::keys::chord::{Chord, Code};
use lode::ui::msg::{Mouse, MouseWhat, Msg};

use crate::rest::Files;
use crate::world::{Plan, World, odd_person, person, profile};

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

fn chord(dice: &mut Dice) -> Chord {
    const CODES: [Code; 16] = [
        Code::Enter,
        Code::Esc,
        Code::Tab,
        Code::BackTab,
        Code::Backspace,
        Code::Delete,
        Code::Home,
        Code::End,
        Code::PageUp,
        Code::PageDown,
        Code::Up,
        Code::Down,
        Code::Left,
        Code::Right,
        Code::F(2),
        Code::F(9),
    ];
    match dice.roll(10) {
        0..=2 => Chord::plain(CODES[dice.roll(16) as usize]),
        3 => Chord::ctrl(char::from(b'a' + dice.roll(26) as u8)),
        _ => Chord::char(char::from(b' ' + dice.roll(95) as u8)),
    }
}

fn press_anything(seed: u64, keys: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut world = World::new(160, 48);
    world.row = if seed.is_multiple_of(2) { person } else { odd_person };
    world.files = Some(Files::default());
    world.total = [0, 1, 99, 4_870, 80_000_000][dice.roll(5) as usize];
    // A quarter of the seeds are on a demo, so that the tour stands in every way there is.
    let demo = Profile { demo: seed.is_multiple_of(4), ..profile() };
    world.tell(Msg::Opened(Ok(Box::new(demo))));
    world.settle();
    for step in 0..keys {
        world.plan = match dice.roll(40) {
            0 => Plan::Hold,
            1 => Plan::Fail(Failure::Later { wait: Some(Duration::from_secs(dice.roll(90))), words: "later".into() }),
            2 => Plan::Fail(Failure::Unclear { why: Unclear::Line, words: "the line broke".into() }),
            3 => Plan::Fail(Failure::Refused { status: 403, why: Refusal::Scope, words: "no".into() }),
            _ => Plan::Answer,
        };
        match dice.roll(30) {
            0 => {
                let what =
                    [MouseWhat::Press, MouseWhat::Double, MouseWhat::WheelDown, MouseWhat::WheelUp, MouseWhat::Drag];
                let (width, height) = world.model.size;
                let (x, y) = (dice.roll(u64::from(width)) as u16, dice.roll(u64::from(height)) as u16);
                world.tell(Msg::Mouse(Mouse { x, y, what: what[dice.roll(5) as usize] }));
            }
            1 => {
                world.tell(Msg::Paste(["Enter\n", "y", "\u{1b}[31mred", "山田 U 5"][dice.roll(4) as usize].to_owned()))
            }
            2 => world.tell(Msg::Resized { width: 1 + dice.roll(300) as u16, height: 1 + dice.roll(80) as u16 }),
            3 => {
                world.wait(Duration::from_millis(dice.roll(9_000)));
            }
            4 if !world.held.is_empty() => {
                let at = dice.roll(world.held.len() as u64) as usize;
                world.release(at);
            }
            5 => world.tell(Msg::Focused(step % 2 == 0)),
            _ => world.tell(Msg::Key(chord(&mut dice))),
        }
        world.painted();
        if step % 16 == 0 {
            let _ = world.draw();
            for side in Side::ALL {
                let rows = world.model.session.side(side).basket.rows();
                let different: HashSet<_> = rows.iter().map(|entry| entry.id()).collect();
                assert_eq!(different.len(), rows.len(), "seed {seed}, step {step}: an id twice in the basket");
            }
        }
    }
}

#[test]
fn twenty_thousand_keys() {
    for seed in 1..=10 {
        press_anything(seed, 2_000);
    }
}

#[test]
#[ignore = "half a million keys: cargo test --release --test screens -- --ignored half_a_million"]
fn half_a_million_keys() {
    for seed in 100..350 {
        press_anything(seed, 2_000);
    }
}
