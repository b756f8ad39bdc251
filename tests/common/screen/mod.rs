//! A screen for the pure model: the real store in memory, time as a number, and keys that a test presses. Test screens differ in who
//! answers: a plan ([`planned`]), the sandbox without its server ([`sandboxed`]), or random answers (`fuzz::keys`).
//!
//! Nothing runs by itself. A message is told, its effects are performed in their order until none is left, and answers that are
//! kept are handed over when a test wants it.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use lode_core::cells;
use lode_core::time::{Mono, Now, Wall};
use lode_engine::effect::call::{Call, Outgoing, Reply};
use lode_engine::effect::failure::{Failure, StoreFailure};
use lode_engine::effect::files::{FileCall, FileFailure, FileReply, SavedProfile};
use lode_engine::effect::profile::{Profile, WindowId};
use lode_engine::effect::profile::{ProfileCall, ProfileReply};
use lode_engine::effect::store::{StoreCall, StoreReply};
use lode_engine::effect::{Answer, CallId, Effect};
use lode_host::store::Store;
use lode_ui::keys::chord::{Chord, read_sequence};
use lode_ui::keys::keymap::Keymap;
use lode_ui::model::Model;
use lode_ui::motion::Motion;
use lode_ui::msg::Msg;
use lode_ui::theme::{Theme, Themes};
use lode_ui::update::update;
use lode_ui::view::{DrawnFrame, view};
use ratatui::buffer::Buffer;

pub mod planned;
pub mod rest;
pub mod sandboxed;

/// Who answers the effects of a test screen. `None` is answered later, or never.
pub trait Around: Sized {
    fn send(screen: &mut TestScreen<Self>, id: CallId, call: &Call) -> Option<Result<Reply, Failure>>;

    fn file(screen: &mut TestScreen<Self>, call: FileCall) -> Option<Result<FileReply, FileFailure>>;

    fn store(screen: &mut TestScreen<Self>, call: StoreCall) -> Result<StoreReply, StoreFailure> {
        screen.store.perform(call, screen.now)
    }

    /// About profiles and keys.
    fn manage(_world: &mut TestScreen<Self>, _call: ProfileCall) -> Option<ProfileReply> {
        None
    }

    /// The answer of a request is no longer waited for.
    fn cancel(_world: &mut TestScreen<Self>, _id: CallId) {}

    /// What only a terminal could do.
    fn other(screen: &mut TestScreen<Self>, effect: Effect) {
        screen.done.push(effect);
    }
}

/// A person at the screen. The fields of who answers stand beside these.
pub struct TestScreen<A> {
    pub model: Model,
    pub store: Store,
    pub now: Now,
    /// Every request that was sent, in order.
    pub sent: Vec<Call>,
    /// Requests whose answers are kept.
    pub held: Vec<(CallId, Outgoing)>,
    /// What only a terminal could do: copied texts, quitting.
    pub done: Vec<Effect>,
    /// The frame that the terminal shows.
    pub shown: (Buffer, DrawnFrame),
    /// Each message gets its frame, as in the program where nothing else is waiting, and is compared with a frame drawn whole.
    pub draws_each: bool,
    queue: VecDeque<Effect>,
    performing: bool,
    around: A,
}

impl<A> Deref for TestScreen<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.around
    }
}

impl<A> DerefMut for TestScreen<A> {
    fn deref_mut(&mut self) -> &mut A {
        &mut self.around
    }
}

/// How lode starts on a terminal of this size.
fn opening(profile: Profile, size: (u16, u16), now: Now) -> Model {
    Model {
        // Frames are compared at rest; a test of motion turns it on.
        motion: Motion::new(false, true),
        themes: Themes { follows: true, ..Themes::default() },
        size,
        config_folder: "~/.config/lode/".to_owned(),
        ..Model::new(profile, Keymap::standard(), Theme::sixteen(), now)
    }
}

impl<A: Around> TestScreen<A> {
    /// A window in which no profile is open yet.
    pub fn around(around: A, profile: &Profile, size: (u16, u16)) -> TestScreen<A> {
        let now = Now { wall: Wall(1_790_000_000_000), mono: Mono(5_000_000) };
        let shown = Profile { workspace: None, data: None, ..profile.clone() };
        TestScreen {
            model: opening(shown, size, now),
            store: crate::memory::store(profile.window.clone()),
            now,
            sent: Vec::new(),
            held: Vec::new(),
            done: Vec::new(),
            shown: (Buffer::default(), DrawnFrame::default()),
            draws_each: false,
            queue: VecDeque::new(),
            performing: false,
            around,
        }
    }

    pub fn handle(&mut self, msg: Msg) {
        if msg == Msg::Painted {
            self.shown = self.draw();
        }
        let is_drawn = self.draws_each && msg != Msg::Painted;
        let (effects, shelled) = update(&mut self.model, msg, self.now);
        for call in shelled.profile_calls {
            if let Some(told) = A::manage(self, call) {
                self.handle(Msg::Managed(told));
            }
        }
        if is_drawn {
            self.is_drawn_right();
            self.handle(Msg::Painted);
        }
        self.perform(effects);
    }

    /// Whether what is drawn over the shown frame is as it would be drawn whole.
    pub fn is_drawn_right(&self) {
        let (over, mut drawn) = self.draw_over_shown();
        let (whole, other) = self.draw();
        drawn.frame.changes = None;
        assert_eq!(drawn, other);
        assert!(
            over.content == whole.content,
            "drawn over the shown frame:\n{}\nwhole:\n{}",
            text(&over),
            text(&whole)
        );
    }

    /// Performs these after all that is still to be performed.
    pub fn perform(&mut self, effects: Vec<Effect>) {
        self.queue.extend(effects);
        if !self.performing {
            self.performing = true;
            while let Some(effect) = self.queue.pop_front() {
                if let Some(answer) = self.answer(effect) {
                    self.handle(Msg::Answered(answer));
                }
            }
            self.performing = false;
        }
    }

    fn answer(&mut self, effect: Effect) -> Option<Answer> {
        match effect {
            Effect::Send(id, call) => {
                let record = call.record();
                let result = A::send(self, id, &record);
                self.sent.push(record);
                match result {
                    Some(result) => Some(Answer::of(id, call, result)),
                    None => {
                        self.held.push((id, call));
                        None
                    }
                }
            }
            Effect::Cancel(id) => {
                self.held.retain(|(held, _)| *held != id);
                A::cancel(self, id);
                None
            }
            Effect::Store(ticket, call) => Some(Answer::Stored(ticket, A::store(self, call))),
            Effect::File(ticket, FileCall::ReadProfile { .. }) => {
                let profile = self.model.session.profile().clone();
                let saved = SavedProfile { profile, standing: None };
                Some(Answer::Filed(ticket, Ok(FileReply::Profile(Some(Box::new(saved))))))
            }
            Effect::File(ticket, call) => Some(Answer::Filed(ticket, A::file(self, call)?)),
            other => {
                A::other(self, other);
                None
            }
        }
    }

    pub fn pass(&mut self, time: Duration) {
        self.now = Now { wall: self.now.wall.after(time), mono: self.now.mono.after(time) };
    }

    pub fn wait(&mut self, time: Duration) -> &mut TestScreen<A> {
        self.pass(time);
        self.handle(Msg::Deadline);
        self
    }

    /// Lets time pass from deadline to deadline for two seconds: coverage, prefetch, retries.
    pub fn settle(&mut self) -> &mut TestScreen<A> {
        let end = self.now.mono.after(Duration::from_secs(2));
        while let Some(at) = self.model.next_deadline().filter(|at| *at <= end) {
            let step = at.since(self.now.mono).max(Duration::from_millis(1));
            self.wait(step);
        }
        self
    }

    /// Presses `j`, `Ctrl-d`, `g s` and counts like `1200G`, separated by blanks.
    pub fn key(&mut self, keys: &str) -> &mut TestScreen<A> {
        for word in keys.split_whitespace() {
            let chords = read_sequence(word).unwrap_or_else(|_| word.chars().map(Chord::char).collect());
            chords.into_iter().for_each(|chord| self.handle(Msg::Key(chord)));
        }
        self
    }

    pub fn typed(&mut self, words: &str) -> &mut TestScreen<A> {
        words.chars().for_each(|c| self.handle(Msg::Key(Chord::char(c))));
        self
    }

    /// Empties the field that has the keys, then types.
    pub fn instead(&mut self, words: &str) -> &mut TestScreen<A> {
        self.key("Ctrl-u").typed(words)
    }

    /// The frame is on the terminal.
    pub fn painted(&mut self) -> &mut TestScreen<A> {
        self.handle(Msg::Painted);
        self
    }

    /// The store for another window, once the last frame of this one is shown. Its name is new: two windows never have the same.
    pub fn store_of_another(&mut self) -> Store {
        self.painted();
        self.store.beside(WindowId(format!("{}+", self.store.window().0)))
    }

    /// What a person does who reads: the frame stands, then the number, then Enter.
    pub fn pay(&mut self, number: &str) -> &mut TestScreen<A> {
        self.painted().wait(Duration::from_millis(300)).typed(number);
        self.wait(Duration::from_millis(200)).key("Enter")
    }

    /// Draws as the program does: over the frame that is shown.
    pub fn draw_over_shown(&self) -> (Buffer, DrawnFrame) {
        let (mut buf, before) = self.shown.clone();
        let drawn = view(&self.model, Some(before), &mut buf);
        (buf, drawn)
    }

    pub fn draw(&self) -> (Buffer, DrawnFrame) {
        let mut buf = Buffer::default();
        let drawn = view(&self.model, None, &mut buf);
        (buf, drawn)
    }

    pub fn frame(&self) -> Buffer {
        self.draw().0
    }

    pub fn text(&self) -> String {
        text(&self.frame())
    }

    #[track_caller]
    pub fn says(&self, words: &str) {
        let screen = self.text();
        assert!(screen.contains(words), "`{words}` is not on the screen:\n{screen}");
    }
}

pub fn text(frame: &Buffer) -> String {
    cells::lines(frame).collect::<Vec<_>>().join("\n") + "\n"
}
