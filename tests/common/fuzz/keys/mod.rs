//! Any keys at any moment, on the real model with the real store, before services that answer anything: bodies go through
//! the real readers, so that what a stranger can send and what a hand can press meet here.
//!
//! An input is a script. Letters are the keys they are; bytes from 0x80 on are other keys, the mouse, time, and what the
//! services do next. Seeds can be read as text because of that.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use crossterm::event::KeyCode;
use lode_core::MailTemplate;
use lode_core::cells;
use lode_core::contact::{RowId, Side};
use lode_core::time::Wall;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, StoreFailure};
use lode_engine::effect::files::{
    ExportNotes, Exported, FileCall, FileFailure, FileReply, ProgramEnd, Progress, SavedCall,
};
use lode_engine::effect::profile::{Profile, Sizes};
use lode_engine::effect::profile::{ProfileCall, ProfileReply};
use lode_engine::effect::store::{BatchIntent, StoreCall, StoreReply};
use lode_engine::effect::{Answer, CallId, Effect};
use lode_engine::wire::{self, Head};
use lode_host::terminal::input::{Input, Parser};
use lode_ui::keys::chord::Chord;
use lode_ui::linear;
use lode_ui::linear::{LineAction, means};
use lode_ui::msg::{Mouse, MouseWhat, Msg};
use lode_ui::view::view;
use ratatui::buffer::Buffer;

use super::choices::Choices;
use super::is_clean;
use crate::screen::Around;
use crate::screen::planned::{self, Plan};
use answers::{Mood, failure};

pub mod answers;

/// Steps of one input: enough to search, stage, review, pay, look and leave.
const MOST_STEPS: usize = 700;

type TestScreen = crate::screen::TestScreen<Strangers>;

struct Strangers {
    plan: Plan,
    mood: Mood,
    running: HashSet<CallId>,
    money: Ledger,
    /// Unlock calls that went out.
    spent: usize,
    left: bool,
}

/// What was typed and what was sent: the one may never be less than the other.
#[derive(Default)]
struct Ledger {
    /// Digits pressed as keys since a review can have opened.
    digits: String,
    /// The number under which an Enter is being heard right now.
    typed: Option<u64>,
    /// What the last accepted number still allows.
    left: u64,
    intended: BTreeSet<Vec<RowId>>,
}

pub fn press(input: &[u8]) {
    play(input);
}

/// Plays a script, and answers how many unlock calls it made.
pub fn play(input: &[u8]) -> usize {
    let mut choices = Choices::of(input);
    let flavour = choices.byte();
    let strangers = Strangers {
        plan: Plan::Answer,
        mood: Mood::new(flavour),
        running: HashSet::new(),
        money: Ledger::default(),
        spent: 0,
        left: false,
    };
    let mut screen = TestScreen::around(strangers, &profile(), (160, 48));
    if flavour & 0x40 == 0 {
        screen.handle(Msg::Opened(Ok(Box::new(profile()))));
    }
    let mut steps = 0;
    while !choices.is_over() && !screen.left && steps < MOST_STEPS {
        screen.step(&mut choices);
        steps += 1;
        if steps % 8 == 0 {
            screen.check();
        }
    }
    screen.check();
    screen.spent
}

const ME: &str = r#"{"ok":true,"data":{"org":{"id":"org_1","name":"Acme Inc","plan":"team"},
    "key":{"name":"desk","prefix":"lk_live_ak7f","scopes":["search","unlock"]},"credits":1204}}"#;

fn profile() -> Profile {
    Profile { sizes: Sizes { batch: 2, large_batch: 5, large_from: 6 }, ..planned::profile() }
}

impl Around for Strangers {
    fn send(screen: &mut TestScreen, id: CallId, call: &Call) -> Option<Result<Reply, Failure>> {
        if let Call::Unlock(unlock) = call {
            let known = screen.money.intended.contains(&unlock.ids);
            assert!(known, "an unlock that was never written down: {:?}", unlock.ids);
            screen.spent += 1;
        }
        // What `/me` may say at Enter is played by the simulation. Here orders begin, whatever the plan and the mood.
        let at_enter = screen.model.session.unlock().job().is_some_and(|job| job.id.is_none());
        if at_enter && *call == Call::Me {
            return Some(wire::read(call, &Head { at: screen.now.wall, ..Head::of(200) }, ME.as_bytes()));
        }
        screen.running.insert(id);
        let result = match screen.plan.clone() {
            Plan::Hold => return None,
            Plan::Answer => screen.reply(call),
            Plan::Fail(failure) => Err(failure),
        };
        if let Call::Export { .. } = call {
            let (elapsed, quiet) = (Duration::from_millis(9), Duration::ZERO);
            let moving = Progress { rows: 3, bytes: 300, elapsed, quiet };
            screen.handle(Msg::Answered(Answer::Progress(id, moving)));
        }
        screen.running.remove(&id);
        Some(result)
    }

    fn file(screen: &mut TestScreen, call: FileCall) -> Option<Result<FileReply, FileFailure>> {
        if screen.mood.disk_is_full() && !matches!(call, FileCall::Saved(SavedCall::List)) {
            return Some(Err(FileFailure { words: "the disk is full: leads.csv was not written".to_owned() }));
        }
        let written = |rows: usize| Exported {
            path: "/home/me/leads.csv".into(),
            rows: rows as u64,
            bytes: 100,
            lint: ExportNotes::default(),
            head: Vec::new(),
        };
        Some(Ok(match call {
            FileCall::ReadProfile { .. } => FileReply::Profile(None),
            FileCall::Saved(SavedCall::List) => FileReply::Saved {
                saved: Vec::new(),
                unreadable: Vec::new(),
                hidden: Vec::new(),
                views: Default::default(),
            },
            FileCall::WriteRows { rows, .. } => FileReply::Written(written(rows.len())),
            FileCall::ReadList(_) => FileReply::Text("who\n@lakeside.example\ntom@quailrun.example\n".to_owned()),
            FileCall::Exists(path) => FileReply::Exists(path.ends_with("there").then_some(path)),
            FileCall::Room(_) => FileReply::Room { free: 1 << 40 },
            FileCall::ListForms => FileReply::Forms(vec!["our own".to_owned()]),
            FileCall::StopExport { call, keep } => {
                screen.held.retain(|(held, _)| *held != call);
                screen.running.remove(&call);
                FileReply::Stopped { kept: keep.then(|| "/home/me/leads.incomplete.csv".into()), rows: 3 }
            }
            FileCall::JoinParts { parts, .. } => FileReply::Written(written(parts.len())),
            FileCall::CheckTarget(_) | FileCall::RemoveParts(_) | FileCall::Saved(_) | FileCall::StopRun { .. } => {
                FileReply::Done
            }
            FileCall::Open(lead) => FileReply::NoProgram(lead.address(&MailTemplate::default())),
            FileCall::Run { .. } => FileReply::Ran(ProgramEnd::default()),
        }))
    }

    fn store(screen: &mut TestScreen, call: StoreCall) -> Result<StoreReply, StoreFailure> {
        let intent = match &call {
            StoreCall::Intend(intent) => Some((**intent).clone()),
            _ => None,
        };
        let result = screen.store.perform(call, screen.now);
        if let (Some(intent), Ok(StoreReply::Intended(_))) = (intent, &result) {
            screen.intended(&intent);
        }
        result
    }

    fn manage(_: &mut TestScreen, call: ProfileCall) -> Option<ProfileReply> {
        Some(match call {
            ProfileCall::Address { text, .. } => ProfileReply::Address { url: text, said: None },
            ProfileCall::Profiles => ProfileReply::Profiles(Vec::new()),
            ProfileCall::Caps { .. } | ProfileCall::StartWith(_) => ProfileReply::Done("Done.".to_owned()),
            _ => ProfileReply::Refused("Not here.".to_owned()),
        })
    }

    fn cancel(screen: &mut TestScreen, id: CallId) {
        screen.running.remove(&id);
    }

    fn other(screen: &mut TestScreen, effect: Effect) {
        match effect {
            // The columns of a row are separated by tabs of our own.
            Effect::Copy(words) => assert!(!words.chars().any(|c| steers(c) && c != '\t'), "copied: {words:?}"),
            Effect::Notify(words) => assert!(is_clean(&words), "told to the terminal: {words:?}"),
            Effect::Quit(_) => screen.left = true,
            printed => panic!("a window prints nothing: {printed:?}"),
        }
    }
}

impl TestScreen {
    fn step(&mut self, choices: &mut Choices<'_>) {
        let byte = choices.byte();
        match byte {
            b'\r' => self.strike(Chord::plain(KeyCode::Enter)),
            b'\t' => self.strike(Chord::plain(KeyCode::Tab)),
            0x1b => self.strike(Chord::plain(KeyCode::Esc)),
            0x08 | 0x7f => self.strike(Chord::plain(KeyCode::Backspace)),
            // Line ends are for those who read seeds.
            b'\n' | 0 => {}
            0x01..0x20 => self.strike(Chord::ctrl(char::from(b'a' + (byte - 1) % 26))),
            0x20..0x7f => self.strike(Chord::char(char::from(byte))),
            0x80..=0x93 => {
                // In the order that the seeds know; the robot of `tests/screens` has a list of its own.
                const CODES: [KeyCode; 20] = [
                    KeyCode::Up,
                    KeyCode::Down,
                    KeyCode::Left,
                    KeyCode::Right,
                    KeyCode::PageUp,
                    KeyCode::PageDown,
                    KeyCode::Home,
                    KeyCode::End,
                    KeyCode::BackTab,
                    KeyCode::Delete,
                    KeyCode::Insert,
                    KeyCode::F(2),
                    KeyCode::F(3),
                    KeyCode::F(4),
                    KeyCode::F(5),
                    KeyCode::F(6),
                    KeyCode::F(7),
                    KeyCode::F(9),
                    KeyCode::Char('é'),
                    KeyCode::Char('山'),
                ];
                self.strike(Chord::plain(CODES[usize::from(byte - 0x80)]));
            }
            0x94 => {
                let words = choices.line();
                self.handle(Msg::Paste(words));
            }
            0x95 => {
                let what = *choices.pick(&[
                    MouseWhat::Press,
                    MouseWhat::Double,
                    MouseWhat::Drag,
                    MouseWhat::Release,
                    MouseWhat::WheelUp,
                    MouseWhat::WheelDown,
                ]);
                let (x, y) = (u16::from(choices.byte()), u16::from(choices.byte()));
                self.handle(Msg::Mouse(Mouse { x, y, what }));
            }
            0x96 => {
                let (width, height) = (u16::from(choices.byte()).max(1), u16::from(choices.byte()).max(1));
                self.handle(Msg::Resized(width, height));
            }
            0x97 => self.rest(Duration::from_millis(u64::from(choices.byte()) * 20)),
            0x98 => self.rest(Duration::from_secs(u64::from(choices.byte()) * 5)),
            // The date is set; the machine's own clock goes on.
            0x99 => {
                let day = 86_400_000;
                let by = *choices.pick(&[day, -day, day * 400, -day * 20_000, i64::MAX]);
                self.now.wall = Wall(self.now.wall.0.saturating_add(by));
            }
            0x9a => self.handle(Msg::Painted),
            0x9b => self.plan = Plan::Answer,
            0x9c => self.plan = Plan::Hold,
            0x9d => self.plan = Plan::Fail(failure(choices)),
            0x9e if !self.held.is_empty() => {
                let at = choices.below(self.held.len());
                let (id, call) = self.held.remove(at);
                let result = self.reply(&call.record());
                self.running.remove(&id);
                self.handle(Msg::Answered(Answer::of(id, call, result)));
            }
            0x9f => {
                let focused = choices.below(2) == 1;
                self.handle(Msg::Focused(focused));
            }
            0xa0 => self.mood.turn(choices.byte()),
            0xa1 => self.handle(Msg::Resumed),
            // An answer that is no longer waited for, or that comes a second time.
            0xa2 => {
                let id = CallId(u64::from(choices.byte()));
                if !self.running.contains(&id) {
                    self.handle(Msg::Answered(Answer::Replied(id, Err(failure(choices)))));
                }
            }
            0xa3 => self.handle(Msg::Opened(Ok(Box::new(profile())))),
            // Read and typed as a hand does: the frame stands, a moment passes.
            0xa4 => {
                self.handle(Msg::Painted);
                self.rest(Duration::from_millis(300));
            }
            0xa5 => {
                let words = choices.line();
                self.handle(Msg::Message(lode_core::scrub::scrub(&words).into_owned(), true));
            }
            0xa6 => {
                let at = usize::from(choices.byte());
                self.handle(Msg::Chosen(at));
            }
            // What a terminal says of itself never becomes a key.
            0xa7 => {
                let words = choices.line();
                let text: String = words.chars().filter(|c| !c.is_control()).collect();
                let number = choices.byte();
                let whole = match number % 6 {
                    0 => format!("\x1b]11;{text}\x1b\\"),
                    1 => format!("\x1b]{number};{text}\x07"),
                    2 => format!("\x1bP{number}{text}\x1b\\"),
                    3 => format!("\x1b_{text}\x1b\\"),
                    4 => format!("\x1b[?{number};1c"),
                    _ => format!("\x1b[?{number};2$y"),
                };
                let (mut input, mut out) = (Parser::default(), Vec::new());
                let (now, at) = (std::time::Instant::now(), choices.below(whole.len()));
                input.take(&whole.as_bytes()[..at], now, &mut out);
                input.take(&whole.as_bytes()[at..], now, &mut out);
                let is_reply = |input: &Input| matches!(input, Input::Reply(_));
                assert!(out.iter().all(is_reply), "{whole:?}: {out:?}");
            }
            // A line of linear mode.
            0xa8 => {
                let line = choices.line();
                let page = linear::page(&self.model);
                for step in means(&self.model, &page.choices, page.wants, &line, self.now) {
                    match step {
                        // The digits and the Enter of an amount are counted like those of a hand.
                        LineAction::Do(msg) => match *msg {
                            Msg::Key(chord) => self.strike(chord),
                            msg => self.handle(msg),
                        },
                        LineAction::Rest(time) => self.rest(time),
                        LineAction::Say(words) => assert!(!words.is_empty()),
                        LineAction::Offer => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn strike(&mut self, chord: Chord) {
        match chord {
            Chord { code: KeyCode::Char(digit), .. } if chord.letter().is_some() && digit.is_ascii_digit() => {
                self.money.digits.push(digit)
            }
            Chord { code: KeyCode::Backspace, .. } => drop(self.money.digits.pop()),
            // More digits than a number holds were no amount of anything, and allow whatever a review then asks for.
            Chord { code: KeyCode::Enter, .. } if !self.money.digits.is_empty() && !self.is_unlocking() => {
                self.money.typed = Some(self.money.digits.parse().unwrap_or(u64::MAX));
            }
            // These open a review or leave it; what a review passes over leaves its number where it stands.
            Chord { code: KeyCode::Char('U' | 'F') | KeyCode::Esc, .. } => self.money.digits.clear(),
            _ => {}
        }
        self.handle(Msg::Key(chord));
        self.forget_typed();
    }

    fn is_unlocking(&self) -> bool {
        self.model.session.unlock().is_running()
    }

    /// The number of an Enter counts until the order that it began is written down or given up.
    fn forget_typed(&mut self) {
        if !self.is_unlocking() {
            self.money.typed = None;
        }
    }

    /// Every spend is typed: a batch is written down under the number that an Enter has just confirmed, or under what that
    /// number left. The identical batch again, by itself, costs nothing new.
    fn intended(&mut self, intent: &BatchIntent) {
        let ids = intent.ids.clone();
        let typed = self.money.typed.take();
        if let Some(typed) = typed {
            self.money.left = typed;
            // Until then an Enter that is pressed too soon leaves the number where it stands.
            self.money.digits.clear();
        } else if intent.again.is_some() && self.money.intended.contains(&ids) {
            return;
        }
        assert!(!ids.is_empty() && ids.len() <= 100);
        let distinct: BTreeSet<RowId> = ids.iter().copied().collect();
        assert_eq!(distinct.len(), ids.len(), "an id twice in one batch");
        // A batch that is finished was paid for in part: at most its open contacts can cost.
        let most = if intent.again.is_some() { self.money.left.min(ids.len() as u64) } else { ids.len() as u64 };
        assert!(most > 0 && most <= self.money.left, "{} contacts under {} typed credits", ids.len(), self.money.left);
        self.money.left -= most;
        self.money.intended.insert(ids);
    }

    fn reply(&mut self, call: &Call) -> Result<Reply, Failure> {
        if let Call::Export { .. } = call {
            let lint = ExportNotes::default();
            return Ok(Reply::Exported(Exported {
                path: "/home/me/leads.csv".into(),
                rows: 3,
                bytes: 300,
                lint,
                head: Vec::new(),
            }));
        }
        let (status, body) = self.mood.answer(call);
        wire::read(call, &Head { at: self.now.wall, ..Head::of(status) }, body.as_bytes())
    }

    /// Lets time pass from deadline to deadline. Nothing may want to be woken at once for ever.
    fn rest(&mut self, time: Duration) {
        let end = self.now.mono.after(time);
        let mut idle_wakes = 0;
        for _ in 0..400 {
            let Some(at) = self.model.next_deadline().filter(|at| *at <= end) else { break };
            if at <= self.now.mono {
                idle_wakes += 1;
                assert!(idle_wakes < 200, "woken at {at:?} again and again");
            } else {
                idle_wakes = 0;
            }
            self.pass(at.since(self.now.mono));
            self.handle(Msg::Deadline);
        }
        self.pass(end.since(self.now.mono));
        self.handle(Msg::Deadline);
    }

    fn check(&mut self) {
        let mut whole = Buffer::default();
        let _ = view(&self.model, None, &mut whole);
        let (mut over, before) = self.shown.clone();
        let _ = view(&self.model, Some(before), &mut over);
        assert!(cells::lines(&whole).eq(cells::lines(&over)), "a part that was kept is not as it would be drawn");
        for symbol in whole.content.iter().map(|cell| cell.symbol()) {
            assert!(!symbol.chars().any(steers), "on the screen: {symbol:?}");
        }
        for line in linear::page(&self.model).lines {
            let draws = |c: char| steers(c) || ('\u{2500}'..='\u{259f}').contains(&c);
            assert!(!line.chars().any(draws), "printed: {line:?}");
        }
        for side in Side::ALL {
            let rows = self.model.session.side(side).basket.rows();
            let different: HashSet<RowId> = rows.iter().map(|entry| entry.id()).collect();
            assert_eq!(different.len(), rows.len(), "an id twice in the basket");
        }
    }
}

fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
