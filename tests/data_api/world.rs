//! A person at the screen, with a sandbox behind it. Time is virtual, everything is answered at once unless it is held.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use lode::domain::time::{Mono, Now, Wall};
use lode::effect::call::{Call, Reply};
use lode::effect::failure::Failure;
use lode::effect::files::{FileCall, FileFailure, FileReply};
use lode::effect::profile::Profile;
use lode::effect::{Answer, CallId, Effect};
use lode::keys::chord::{Chord, read_sequence};
use lode::keys::keymap::Keymap;
use lode::sandbox::service::Service;
use lode::shell::config::environment::Environment;
use lode::shell::files::Folders;
use lode::shell::saved::Shelf;
use lode::shell::store::Store;
use lode::shell::user_files;
use lode::ui::model::{Model, Opening};
use lode::ui::msg::Msg;
use lode::ui::theme::Theme;
use lode::ui::update::update;
use lode::ui::view::view;
use lode::ui::widgets::frame::Frame;

use common::brain::{self, Said};
use common::profile::{SANDBOX, service};

pub struct World {
    pub model: Model,
    pub service: Rc<Service>,
    pub store: Store,
    pub now: Now,
    pub folder: tempfile::TempDir,
    /// Every request that was sent, in order.
    pub sent: Vec<Call>,
    /// Requests for which this holds are kept until they are released.
    pub hold: fn(&Call) -> bool,
    pub held: Vec<(CallId, Call)>,
    /// Answers of requests for which this holds are lost after the service did its work.
    pub lose: fn(&Call) -> bool,
    pub done: Vec<Effect>,
    pub data: bool,
    /// Bytes the disk of an export can take.
    pub free: u64,
    /// Streams that were told to end, and whether what had come is to be kept.
    pub stopped: Vec<(CallId, bool)>,
    shelf: Shelf,
    queue: VecDeque<Effect>,
}

pub fn profile(data: bool) -> Profile {
    let service = |key, requests| service(SANDBOX, key, requests, 2);
    let data = data.then(|| service("fedcba9876543210", None));
    common::profile::profile("acme", Some(service("0123456789abcdef", Some(120))), data)
}

impl World {
    pub fn sized(service: Rc<Service>, width: u16, height: u16, data: bool) -> World {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let now = Now { wall: Wall(1_790_000_000_000), mono: Mono(5_000_000) };
        let whole = profile(data);
        let opening = Opening {
            profile: Profile { workspace: None, data: None, ..whole.clone() },
            keymap: Keymap::default(),
            theme: Theme::default(),
            size: (width, height),
            log: None,
            offset_minutes: 0,
            theme_stays: false,
            theme_follows: true,
        };
        let environment = Environment {
            config_dir: folder.path().join("config"),
            state_dir: folder.path().join("state"),
            ..Environment::default()
        };
        let mut world = World {
            model: Model::new(opening, now),
            service,
            store: Store::open_in_memory(whole.window.clone()),
            now,
            shelf: Shelf::of(&environment, "acme"),
            folder,
            sent: Vec::new(),
            hold: |_| false,
            held: Vec::new(),
            lose: |_| false,
            done: Vec::new(),
            data,
            free: u64::MAX,
            stopped: Vec::new(),
            queue: VecDeque::new(),
        };
        world.tell(Msg::Opened(Ok(Box::new(whole))));
        world.settle();
        world
    }

    /// The program ends here and starts again: what is on the disk stays.
    pub fn restart(&mut self) -> &mut World {
        let size = self.model.size;
        let whole = profile(self.data);
        let opening = Opening {
            profile: whole.clone(),
            keymap: Keymap::default(),
            theme: Theme::default(),
            size,
            log: None,
            offset_minutes: 0,
            theme_stays: false,
            theme_follows: true,
        };
        self.model = Model::new(opening, self.now);
        self.held.clear();
        self.queue.clear();
        self.tell(Msg::Opened(Ok(Box::new(whole))));
        self.settle()
    }

    pub fn tell(&mut self, msg: Msg) {
        let (effects, _) = update(&mut self.model, msg, self.now);
        let running = !self.queue.is_empty();
        self.queue.extend(effects);
        if !running {
            self.run();
        }
    }

    fn run(&mut self) {
        while let Some(effect) = self.queue.front().cloned() {
            let answer = self.perform(effect);
            if let Some(answer) = answer {
                let (effects, _) = update(&mut self.model, Msg::Answered(answer), self.now);
                self.queue.extend(effects);
            }
            self.queue.pop_front();
        }
    }

    fn perform(&mut self, effect: Effect) -> Option<Answer> {
        match effect {
            Effect::Send(id, call) => {
                self.sent.push(call.clone());
                // A stream is answered by the test: how it ends is what is tested.
                if (self.hold)(&call) || matches!(call, Call::Export { .. }) {
                    self.held.push((id, call));
                    return None;
                }
                Some(Answer::Replied(id, self.answer(&call)))
            }
            Effect::Cancel(id) => {
                self.held.retain(|(held, _)| *held != id);
                None
            }
            Effect::Store(ticket, call) => Some(Answer::Stored(ticket, self.store.perform(call, self.now))),
            Effect::File(ticket, call) => {
                let saved = matches!(
                    call,
                    FileCall::ListSaved
                        | FileCall::WriteSaved(_)
                        | FileCall::HideSaved { .. }
                        | FileCall::RenameSaved { .. }
                        | FileCall::RemoveSaved { .. }
                );
                if let FileCall::StopExport { call, keep } = call {
                    self.stopped.push((call, keep));
                    let known = self.held.iter().any(|(held, _)| *held == call);
                    self.held.retain(|(held, _)| *held != call);
                    let kept = keep.then(|| PathBuf::from("contacts.incomplete.csv"));
                    let failure = FileFailure { words: "this export is no longer running".to_owned() };
                    let done = known.then_some(FileReply::Stopped { kept, rows: 7 }).ok_or(failure);
                    return Some(Answer::Filed(ticket, done));
                }
                if let FileCall::Room(_) = call {
                    return Some(Answer::Filed(ticket, Ok(FileReply::Room { free: self.free })));
                }
                let done = if saved {
                    self.shelf.perform(&call)
                } else {
                    user_files::perform(call, &self.folders(), self.now.wall)
                };
                Some(Answer::Filed(ticket, done))
            }
            other => {
                self.done.push(other);
                None
            }
        }
    }

    pub fn folders(&self) -> Folders {
        let at = |name: &str| -> PathBuf {
            let path = self.folder.path().join(name);
            std::fs::create_dir_all(&path).expect("a folder");
            path
        };
        Folders { here: at("exports"), config: at("config"), state: at("state") }
    }

    fn answer(&self, call: &Call) -> Result<Reply, Failure> {
        let said = brain::ask(&self.service, call, self.now.mono.0);
        let (Said::Reply(result) | Said::After(_, result)) = said;
        if (self.lose)(call) {
            let why = lode::effect::failure::Unclear::Line;
            return Err(Failure::Unclear { why, words: "the line broke".to_owned() });
        }
        result
    }

    pub fn wait(&mut self, time: Duration) -> &mut World {
        self.now = Now { wall: self.now.wall.after(time), mono: self.now.mono.after(time) };
        self.tell(Msg::Deadline);
        self
    }

    /// From deadline to deadline until nothing happens for a while.
    pub fn settle(&mut self) -> &mut World {
        let end = self.now.mono.after(Duration::from_secs(3));
        while let Some(at) = self.model.next_deadline().filter(|at| *at <= end) {
            let step = at.since(self.now.mono).max(Duration::from_millis(1));
            self.wait(step);
        }
        self
    }

    pub fn key(&mut self, keys: &str) -> &mut World {
        for word in keys.split_whitespace() {
            let chords = read_sequence(word).unwrap_or_else(|_| word.chars().map(Chord::char).collect());
            for chord in chords {
                self.tell(Msg::Key(chord));
            }
        }
        self
    }

    pub fn typed(&mut self, words: &str) -> &mut World {
        for c in words.chars() {
            self.tell(Msg::Key(Chord::char(c)));
        }
        self
    }

    /// Empties the field that has the keys, then types.
    pub fn instead(&mut self, words: &str) -> &mut World {
        self.key("Ctrl-u").typed(words)
    }

    pub fn frame(&self) -> Frame {
        let mut frame = Frame::default();
        view(&self.model, &mut frame);
        frame
    }

    pub fn screen(&self) -> String {
        self.frame().lines().collect::<Vec<_>>().join("\n") + "\n"
    }

    #[track_caller]
    pub fn says(&self, words: &str) {
        let screen = self.screen();
        assert!(screen.contains(words), "`{words}` is not on the screen:\n{screen}");
    }
}
