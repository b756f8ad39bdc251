//! What the loop of the screen waits for besides keys: answers to an open profile, signals, changes made by other programs, and a
//! quiet moment to give memory back in.

use lode_ui::motion::CALM;
use tokio::time::Instant;

use super::*;

pub(super) struct RunningProfile {
    pub(super) window: WindowId,
    pub(super) name: String,
    pub(super) performer: Performer,
    pub(super) answers: UnboundedReceiver<Answer>,
    /// What lives as long as it does: a sandbox in this process.
    _held: Option<Box<dyn Send>>,
}

impl RunningProfile {
    pub(super) fn new(profile: &Profile, setup: PerformerSetup, held: Option<Box<dyn Send>>) -> RunningProfile {
        let (sender, answers) = unbounded_channel();
        let (window, name) = (profile.window.clone(), profile.name.clone());
        RunningProfile { window, name, performer: Performer::new(setup, sender).behind_keys(), answers, _held: held }
    }

    /// The next answer.
    pub(super) async fn next(&mut self) -> Option<Answer> {
        self.answers.recv().await
    }
}

/// The next answer to any of the profiles that were left.
pub(super) async fn next_behind(behind: &mut [RunningProfile]) -> (WindowId, Answer) {
    std::future::poll_fn(|context| {
        for profile in behind.iter_mut() {
            if let Poll::Ready(Some(answer)) = profile.answers.poll_recv(context) {
                return Poll::Ready((profile.window.clone(), answer));
            }
        }
        Poll::Pending
    })
    .await
}

pub(super) struct Signals {
    pub(super) end: ExitSignals,
    /// Ctrl-C, where lines are read and the terminal makes a signal of it.
    pub(super) interrupted: Option<Signal>,
    pub(super) stopped: Signal,
    pub(super) resumed: Signal,
    pub(super) resized: Signal,
    pub(super) broken: Option<Signal>,
}

impl Signals {
    /// In `linear` mode Ctrl-C is a key that comes as a signal.
    pub(super) fn listen(linear: bool) -> io::Result<Signals> {
        Ok(Signals {
            end: if linear { ExitSignals::listen_but_to_ctrl_c() } else { ExitSignals::listen() },
            interrupted: linear.then(|| signals::listen(SystemEvent::Interrupted)).transpose()?,
            stopped: signals::listen(SystemEvent::Stopped)?,
            resumed: signals::listen(SystemEvent::Resumed)?,
            resized: signals::listen(SystemEvent::Resized)?,
            broken: lode_host::failpoint::ENABLED.then(|| signals::listen(SystemEvent::AskedToBreak)).transpose()?,
        })
    }
}

/// The place that breaks from now on, where a debug build is asked to break on purpose.
pub(super) async fn broken_place(asked: &mut Option<Signal>) -> &'static str {
    let Some(told) = asked else { return std::future::pending().await };
    loop {
        told.recv().await;
        if let Some(place) = lode_host::failpoint::arm() {
            return place;
        }
    }
}

pub(super) struct FolderWatch {
    watch: Option<Watch>,
    /// Which of the folders hold saved searches: anything in them counts.
    saved_from: usize,
}

pub(super) const BY_ITSELF: &str =
    "The system does not tell what other windows change here: this window checks at each key and before each review.";

impl FolderWatch {
    /// Watches the folder of the records, the one where requests are counted, and those of saved searches.
    pub(super) fn over((records, counters): (&Path, &Path), saved: &[PathBuf]) -> FolderWatch {
        // The first call of the store makes the folder; a watch needs it now.
        drop(make_private_dir(records));
        let mut folders = vec![records.to_owned(), counters.to_owned()];
        folders.dedup();
        let saved_from = folders.len();
        for folder in saved {
            drop(make_private_dir(folder));
            folders.push(folder.clone());
        }
        // Hand-written searches may have no folder yet; the one of the records is what counts.
        folders.retain(|folder| folder.is_dir());
        let watch = if failpoint::lacks("watch") { None } else { Watch::over(&folders) };
        FolderWatch { watch, saved_from }
    }

    pub(super) fn is_told(&self) -> bool {
        self.watch.is_some()
    }

    /// Waits until something is written there. Never returns if the system cannot watch folders.
    pub(super) async fn heard(&mut self) -> ChangedElsewhere {
        let Some(watch) = &self.watch else { return std::future::pending().await };
        loop {
            let mut all = ChangedElsewhere::default();
            for (place, name) in watch.heard().await {
                // Without a name more happened there than the system could note.
                let written = |file: &str| place < self.saved_from && (name == file || name.is_empty());
                all.records |= written(store::OF_LEDGER);
                all.requests |= written(store::OF_SLOTS);
                all.proposals |= written(store::OF_PROPOSALS);
                all.saved |= place >= self.saved_from;
            }
            if all != ChangedElsewhere::default() {
                return all;
            }
        }
    }
}

/// The settings file and the themes. Only what is another file than the one that was read last is read again.
pub struct SettingsFile {
    pub(super) environment: Environment,
    /// The demo reads them and has a profile of its own.
    pub(super) is_of_demo: bool,
    /// When it was last written, of what this window has read.
    stamp: Stamp,
    watch: Option<Watch>,
}

impl SettingsFile {
    pub(super) fn new(environment: Environment, is_of_demo: bool) -> SettingsFile {
        SettingsFile { stamp: config::stamp(&environment), watch: None, environment, is_of_demo }
    }

    /// The window has read it as it is now, or has written it itself.
    pub(super) fn is_read(&mut self) {
        self.stamp = config::stamp(&self.environment);
    }

    /// Whether it is another than the one that was read; then it counts as read.
    pub(super) fn has_changed(&mut self) -> bool {
        let before = std::mem::take(&mut self.stamp);
        self.is_read();
        self.stamp != before
    }

    /// Resolves when something beside the file was written; never where the system does not tell.
    pub(super) async fn touched(&mut self) {
        if self.watch.is_none() {
            // On a first run the folder comes with the first profile.
            self.watch = Watch::on(&config::path(&self.environment), &config::theme_folder(&self.environment));
            if self.watch.is_some() {
                // What was written before the watch began is seen by looking.
                return;
            }
        }
        or_never(self.watch.as_ref(), Watch::touched).await;
    }
}

/// How long nothing must happen.
const QUIET: Duration = Duration::from_millis(500);
/// The number of answers after which there is something to give back.
const MANY: u32 = 200;

#[derive(Default)]
pub(super) struct Settling {
    /// Answers since memory was given back.
    answers: u32,
    due: Option<Instant>,
}

impl Settling {
    /// Counts answers and starts the quiet period again. Timers and frames that were shown do not count.
    pub(super) fn handle(&mut self, msg: &Msg) {
        self.answers += match msg {
            // Perhaps a large file was made, and much memory freed.
            Msg::Answered(Answer::Filed(..)) => MANY,
            Msg::Answered(_) => 1,
            _ => 0,
        };
        if !matches!(msg, Msg::Deadline | Msg::Painted) {
            self.due = (self.answers >= MANY).then(|| Instant::now() + QUIET);
        }
    }

    /// Waits until nothing has happened for a moment.
    pub(super) async fn quiet(&self) {
        or_never(self.due, tokio::time::sleep_until).await;
    }

    pub(super) fn settle(&mut self) {
        processes::give_back_freed();
        *self = Settling::default();
    }
}

/// Keeps what no key asked for away from keys: shown right after a key it would delay the next one.
#[derive(Default)]
pub(super) struct Calm {
    typed: Option<Instant>,
    /// Whether a frame was delayed.
    delayed: bool,
    /// Ends of exports that came meanwhile, and for which window. Their news also goes to the clipboard and the title.
    held: Vec<(WindowId, Answer)>,
}

impl Calm {
    pub(super) fn typed(&mut self) {
        self.typed = Some(Instant::now());
    }

    /// Whether keys have not paused yet.
    fn is_on(&self) -> bool {
        self.typed.is_some_and(|at| at + CALM > Instant::now())
    }

    /// Keeps an answer that can wait until keys have paused, else gives it back.
    pub(super) fn hold(&mut self, window: &WindowId, answer: Answer) -> Option<Answer> {
        if answer.ends_export() && self.is_on() {
            self.held.push((window.clone(), answer));
            return None;
        }
        Some(answer)
    }

    /// The answers that were kept: `at_once`, or if keys have paused.
    pub(super) fn release(&mut self, at_once: bool) -> Vec<(WindowId, Answer)> {
        if at_once || !self.is_on() { std::mem::take(&mut self.held) } else { Vec::new() }
    }

    /// Whether a frame that `can_wait` comes with the frame of the next key, or once keys have paused.
    pub(super) fn delays(&mut self, can_wait: bool) -> bool {
        self.delayed = can_wait && self.is_on();
        self.delayed
    }

    /// When what was delayed or kept is due.
    fn due(&self) -> Option<Instant> {
        self.typed.filter(|_| self.delayed || !self.held.is_empty()).map(|at| at + CALM)
    }

    /// Waits until then.
    pub(super) async fn returns(&self) {
        or_never(self.due(), tokio::time::sleep_until).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_engine::effect::{CallId, ExportNotes, Exported, FileReply, Reply, StoreReply, Ticket};

    /// Found in a test with two windows: the files are written before their change can be read, and nothing was written once it
    /// could. Who looked in between missed it for good.
    #[tokio::test]
    #[cfg(target_os = "linux")]
    async fn a_window_that_is_told_of_a_change_can_read_it() {
        use std::sync::mpsc::sync_channel;

        use lode_core::purse::PurseRef;
        use lode_engine::effect::store::{StoreCall, StoreReply};
        use lode_host::clock;
        use lode_host::store::{Store, fresh_window};

        let folder = tempfile::tempdir().unwrap();
        let mut reader = Store::open(folder.path(), fresh_window());
        let mut writer = reader.beside(fresh_window());
        let mut lists = || match reader.perform(StoreCall::Changes { purse: None }, clock::now()) {
            Ok(StoreReply::Changes(changes)) => changes.lists,
            other => unreachable!("{other:?}"),
        };
        assert_eq!(lists(), 0);
        let mut watch = FolderWatch::over(writer.folders(), &[]);
        let (go, next) = sync_channel::<()>(0);
        let writes = std::thread::spawn(move || {
            for () in next {
                let purse = PurseRef::Earlier { profile: "acme".to_owned() };
                let call = StoreCall::Suppress { purse, list: "customers".to_owned(), entries: Vec::new() };
                writer.perform(call, clock::now()).unwrap();
            }
        });
        for change in 1..=100 {
            go.send(()).unwrap();
            while lists() < change {
                let told = tokio::time::timeout(Duration::from_secs(10), watch.heard()).await;
                assert!(told.is_ok(), "change {change} was told before it could be read, and never again");
            }
        }
        drop(go);
        writes.join().unwrap();
    }

    #[test]
    fn a_frame_that_no_key_asked_for_waits_until_keys_pause() {
        let now = Instant::now();
        let (before, soon) = (now.checked_sub(CALM), now.checked_add(CALM));
        let due = |typed, can_wait| {
            let mut calm = Calm { typed, ..Calm::default() };
            calm.delays(can_wait).then(|| calm.due()).flatten()
        };
        assert_eq!(due(None, true), None, "no key came");
        assert_eq!(due(soon, false), None, "a key asked for it");
        assert_eq!(due(soon, true), Some(now + 2 * CALM));
        assert_eq!(due(before, true), None, "the pause is over");
    }

    #[test]
    fn the_end_of_an_export_waits_until_keys_pause() {
        let done = || {
            let exported = Exported {
                path: "leads.csv".into(),
                rows: 1,
                bytes: 1,
                lint: ExportNotes::default(),
                head: Vec::new(),
            };
            Answer::Replied(CallId(1), Ok(Reply::Exported(exported)))
        };
        let window = WindowId("w1".to_owned());
        let mut calm = Calm::default();
        assert_eq!(calm.hold(&window, done()), Some(done()), "no key came");
        calm.typed();
        assert_eq!(calm.hold(&window, done()), None);
        assert_eq!(calm.release(false), []);
        assert_eq!(calm.release(true), [(window.clone(), done())], "it comes with the next key");
        assert_eq!(calm.hold(&window, done()), None);
        assert!(!calm.delays(false) && calm.due().is_some(), "a frame for something else does not lose it");
        calm.typed = Instant::now().checked_sub(CALM);
        assert!(!calm.delays(true) && calm.due().is_some(), "nor does one that could have waited");
        assert_eq!(calm.release(false), [(window.clone(), done())], "keys have paused");
        calm.typed();
        let noted = || Answer::Stored(Ticket(1), Ok(StoreReply::Done(())));
        assert_eq!(calm.hold(&window, noted()), Some(noted()), "only its frame waits");
    }

    /// An export of several searches is one answer, and frees what it held of millions of rows.
    #[test]
    fn the_end_of_a_file_gives_memory_back() {
        let mut settling = Settling::default();
        settling.handle(&Msg::Answered(Answer::Filed(Ticket(1), Ok(FileReply::Done))));
        assert!(settling.due.is_some());
    }

    #[test]
    fn a_number_that_changes_with_time_does_not_delay_it() {
        let delays = |msg| {
            let mut settling = Settling { answers: MANY, due: None };
            settling.handle(&msg);
            settling.due.is_some()
        };
        assert!(delays(Msg::Focused(true)));
        assert!(!delays(Msg::Deadline));
        assert!(!delays(Msg::Painted));
    }
}
