//! Effects become work, and every answer is reported on one channel.
//!
//! Requests run on a thread of their own, so that no answer is read where keys are heard; the store has its thread; files are
//! touched by helpers of the first. Both threads start with the first work for them: before that a performer is a few empty
//! fields. What only the owner of the terminal can do (print, copy, leave) is handed back to the caller.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::{runtime::Handle, sync::mpsc::UnboundedSender, sync::oneshot, task::JoinHandle as Task};

use lode_core::Wall;
use lode_engine::effect::*;

use super::export::{self, StreamEnd};
use super::files::{Folders, atomic, list};
use super::http::{Clients, Http};
use super::in_flight::{self, Flight};
use super::saved::SavedFiles;
use super::store::{AnswerFile, Store};
use super::user_command::{self, Programs};
use super::{clock, failpoint, log::Log, profiles::ReadProfile, system::files::room, system::processes};

/// What a performer works with.
pub struct PerformerSetup {
    pub http: Http,
    pub store: Store,
    pub folders: Folders,
    pub saved: SavedFiles,
    /// The profile in use, as it is now.
    pub profile: ReadProfile,
    /// Where everything that is asked and answered is noted.
    pub log: Option<Log>,
    /// What its requests share with other performers.
    pub network: Network,
}

/// The open connections and the thread they run on, which begins with the first work for it. A server of many short runs keeps
/// one for all of them, so that a run need not connect again.
#[derive(Clone, Default)]
pub struct Network {
    clients: Arc<Clients>,
    thread: Arc<OnceLock<NetThread>>,
}

pub struct Performer {
    answers: Reporter,
    http: Arc<Http>,
    folders: Arc<Folders>,
    saved: SavedFiles,
    profile: ReadProfile,
    net: Arc<OnceLock<NetThread>>,
    store: StoreThread,
    running: HashMap<CallId, Running>,
    /// Exports that were told to end and are putting their files in order.
    ending: Vec<Task<()>>,
    programs: Programs,
    behind_keys: bool,
}

/// How long leaving waits for the store, where nothing hurries.
const AT_LEISURE: Duration = Duration::from_secs(60);
/// The same after a signal to end.
pub const IN_HASTE: Duration = Duration::from_secs(3);

struct Running {
    task: Task<()>,
    /// For an export: tells it to end tidily.
    stop: Option<oneshot::Sender<Ending>>,
}

/// How an export is ended: whether its file is kept, and who asked to hear what it left.
struct Ending {
    keep: bool,
    ticket: Ticket,
}

/// The one way back from the work to the loop. What is answered is noted, then told.
#[derive(Clone)]
struct Reporter {
    answers: UnboundedSender<Answer>,
    log: Option<Arc<Log>>,
}

impl Reporter {
    /// An error if the receiver is gone: the program is leaving.
    fn send(&self, answer: Answer) -> Result<(), ()> {
        if let Some(log) = &self.log {
            log.answer(&answer, clock::now());
        }
        self.answers.send(answer).map_err(drop)
    }
}

impl Performer {
    pub fn new(setup: PerformerSetup, answers: UnboundedSender<Answer>) -> Performer {
        Performer {
            http: Arc::new(setup.http.over(setup.network.clients)),
            folders: Arc::new(setup.folders),
            saved: setup.saved,
            profile: setup.profile,
            net: setup.network.thread,
            store: StoreThread { store: Some(setup.store), running: None, room: Rooms::default() },
            running: HashMap::new(),
            ending: Vec::new(),
            programs: Programs::default(),
            behind_keys: false,
            answers: Reporter { answers, log: setup.log.map(Arc::new) },
        }
    }

    /// For a window: its threads leave the core to the one that reads the keys.
    pub fn behind_keys(self) -> Performer {
        Performer { behind_keys: true, ..self }
    }

    /// Starts the work of an effect, or hands back one that is the caller's to do.
    pub fn perform(&mut self, effect: Effect) -> Option<Effect> {
        if let Some(log) = &self.answers.log {
            log.effect(&effect, clock::now());
        }
        match effect {
            Effect::Send(id, call) => self.send(id, call),
            Effect::Cancel(id) => self.cancel(id),
            Effect::Store(ticket, call) => self.store.ask(ticket, call, &self.answers, self.behind_keys),
            Effect::File(ticket, call) => self.file(ticket, call),
            others => return Some(others),
        }
        None
    }

    /// Ends everything: streams leave what they were told to leave, the store finishes what it was given.
    pub fn finish(self) {
        self.finish_within(AT_LEISURE);
    }

    /// The same without waiting longer than that for the store: another program may keep it waiting.
    pub fn finish_within(mut self, within: Duration) {
        let running: Vec<CallId> = self.running.keys().copied().collect();
        for id in running {
            self.cancel(id);
        }
        self.programs.stop_all();
        if let Some(net) = self.net.get().filter(|_| !self.ending.is_empty()) {
            net.wait_for(std::mem::take(&mut self.ending));
        }
        // No other performer uses it.
        if let Some(NetThread { leave, thread, .. }) = Arc::into_inner(self.net).and_then(OnceLock::into_inner) {
            drop(leave);
            let _ = thread.join();
        }
        self.store.finish(within);
    }

    fn send(&mut self, id: CallId, call: Outgoing) {
        self.running.retain(|_, running| !running.task.is_finished());
        if let Call::Export { target, .. } = &call {
            return self.export(id, target.keep_incomplete, call);
        }
        let unlocks = matches!(call, Call::Unlock(_));
        if unlocks && in_flight::is_falling() {
            // The end only waits for what was sent before it.
            return;
        }
        let (http, answers) = (Arc::clone(&self.http), self.answers.clone());
        let flight = unlocks.then(|| (Flight::begin(), Arc::clone(&self.store.room)));
        let Some(net) = self.net() else { return self.no_thread(id, call) };
        let task = net.spawn(async move {
            failpoint::passing("task");
            let answer = http.send(&call).await;
            if let (Some((_, room)), Ok(Reply::Unlock { status, body })) = (&flight, &answer)
                && let Some(room) = &*room.lock().unwrap_or_else(PoisonError::into_inner)
            {
                // Here already, so that it survives whatever happens to the loop and to the store. The flow keeps it once
                // more, and says so where that fails.
                let _ = room.keep(*status, body, clock::now().wall);
                failpoint::dying("kept");
            }
            drop(flight);
            // The receiver is gone: the program is leaving.
            let _ = answers.send(Answer::of(id, call, answer));
        });
        self.running.insert(id, Running { task, stop: None });
    }

    /// A stream of the Data API as a task that can be stopped cleanly; `keep` is what becomes of its file if it is canceled.
    fn export(&mut self, id: CallId, keep: bool, call: Outgoing) {
        let (http, folders, answers) = (Arc::clone(&self.http), Arc::clone(&self.folders), self.answers.clone());
        let (end, ended) = oneshot::channel::<Ending>();
        let Some(net) = self.net() else { return self.no_thread(id, call) };
        let task = net.spawn(async move {
            let (stop, wanted) = oneshot::channel();
            let report = |progress| _ = answers.send(Answer::Progress(id, progress));
            let mut streaming = pin!(export::stream(&http, &call, &folders, clock::now().wall, wanted, report));
            let answer = tokio::select! {
                biased;
                ending = ended => {
                    let _ = stop.send(ending.as_ref().map_or(keep, |ending| ending.keep));
                    let outcome = streaming.await;
                    // A dropped sender is a plain cancel without an answer.
                    let Ok(Ending { ticket, .. }) = ending else { return };
                    Answer::Filed(ticket, match outcome {
                        Ok(StreamEnd::Stopped { kept, rows }) => Ok(FileReply::Stopped { kept, rows }),
                        // It was done, or had failed, before the request to end it arrived.
                        Ok(StreamEnd::Whole(exported)) => Ok(FileReply::Written(exported)),
                        Err(failure) => Err(FileFailure { words: failure.words().to_owned() }),
                    })
                }
                outcome = &mut streaming => match outcome {
                    Ok(StreamEnd::Whole(exported)) => Answer::Replied(id, Ok(Reply::Exported(exported))),
                    Err(failure) => Answer::Replied(id, Err(failure)),
                    Ok(StreamEnd::Stopped { .. }) => return,
                },
            };
            let _ = answers.send(answer);
        });
        self.running.insert(id, Running { task, stop: Some(end) });
    }

    fn cancel(&mut self, id: CallId) {
        let Some(Running { task, stop }) = self.running.remove(&id) else { return };
        if stop.is_none() {
            return task.abort();
        }
        // Dropped, it leaves what its target says.
        drop(stop);
        self.end(task);
    }

    fn end(&mut self, task: Task<()>) {
        self.ending.retain(|task| !task.is_finished());
        self.ending.push(task);
    }

    fn file(&mut self, ticket: Ticket, call: FileCall) {
        let (folders, answers, programs) = (Arc::clone(&self.folders), self.answers.clone(), self.programs.clone());
        let filed = move |done| _ = answers.send(Answer::Filed(ticket, done));
        match call {
            FileCall::StopExport { call, keep } => {
                if let Some(Running { stop: Some(stop), task }) = self.running.remove(&call) {
                    self.end(task);
                    if stop.send(Ending { keep, ticket }).is_ok() {
                        return;
                    }
                }
                // It ended by itself meanwhile: its own answer says how.
                filed(Err(FileFailure { words: "this export is no longer running".to_owned() }));
            }
            FileCall::StopRun { run } => {
                programs.stop(run);
                filed(Ok(FileReply::Done));
            }
            FileCall::Open(lead) => {
                // A thread of its own waits for the program, so that leaving does not.
                let open = move || filed(user_command::open(&lead, &folders.config));
                drop(Builder::new().name("open".into()).spawn(open));
            }
            FileCall::Run { words, input } => {
                programs.expect(ticket);
                let run = move || programs.run(ticket, &words, &input, &folders.here).map(FileReply::Ran);
                self.aside(move || filed(run()));
            }
            FileCall::Saved(call) => {
                let saved = self.saved.clone();
                self.aside(move || filed(saved.perform(&call)));
            }
            FileCall::ReadProfile { ask_key } => {
                let profile = Arc::clone(&self.profile);
                self.aside(move || filed(profile(ask_key)));
            }
            call => self.aside(move || filed(perform_file(call, &folders, clock::now().wall))),
        }
    }

    /// Does work that waits for a disk or a program where nothing else has to wait for it.
    fn aside(&mut self, work: impl FnOnce() + Send + 'static) {
        match self.net() {
            Some(net) => drop(net.spawn_blocking(work)),
            None => work(),
        }
    }

    fn net(&mut self) -> Option<&Handle> {
        if self.net.get().is_none() {
            let _ = self.net.set(NetThread::start(self.behind_keys)?);
        }
        self.net.get().map(|net| &net.handle)
    }

    fn no_thread(&self, id: CallId, call: Outgoing) {
        let words = "the network thread could not be started".to_owned();
        let _ = self.answers.send(Answer::of(id, call, Err(Failure::Unsent { words })));
    }
}

/// One call that is about files alone. Saved searches have a shelf of their own.
pub fn perform_file(call: FileCall, folders: &Folders, at: Wall) -> Result<FileReply, FileFailure> {
    use FileCall::*;
    match call {
        WriteRows { target, rows } => export::write_rows(&target, &rows, folders, at).map(FileReply::Written),
        CheckTarget(target) => export::check(&target, folders).map(|()| FileReply::Done),
        JoinParts { parts, target, not } => export::join(&parts, &target, &not, folders, at).map(FileReply::Written),
        RemoveParts(parts) => {
            export::remove(&parts);
            Ok(FileReply::Done)
        }
        ReadList(path) => read_list(&folders.named(&path)).map(FileReply::Text),
        Room(path) => {
            let path = folders.named(&path.unwrap_or_default());
            let folder = if path.is_dir() { &path } else { atomic::folder_of(&path) };
            let free = room(folder).map_err(|error| FileFailure { words: atomic::sentence(&path, &error) })?;
            Ok(FileReply::Room { free })
        }
        Exists(path) => {
            let path = folders.named(&path);
            Ok(FileReply::Exists(path.is_file().then_some(path)))
        }
        ListForms => Ok(FileReply::Forms(export::own_forms(folders))),
        StopExport { .. } | Open(_) | Run { .. } | StopRun { .. } | Saved(_) | ReadProfile { .. } => {
            Err(FileFailure { words: "this work is done elsewhere".to_owned() })
        }
    }
}

fn read_list(path: &Path) -> Result<String, FileFailure> {
    let problem = |words: &str| FileFailure { words: format!("{} cannot be read: {words}", path.display()) };
    let file = File::open(path).map_err(|error| problem(&error.to_string()))?;
    list::read(file).map_err(|words| problem(&words))
}

/// Lets other threads go first where there is not a core for everybody: a person presses keys, and the answers to keys wait
/// for nothing.
fn step_behind(keys: bool) {
    if keys {
        processes::step_back();
    }
}

/// The thread of the network, with the runtime that its tasks run on.
struct NetThread {
    handle: Handle,
    /// Dropped, it ends the thread.
    leave: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

/// The name of its thread.
pub const NET: &str = "lode-net";

/// How long leaving waits for files to be put in order.
const TIDYING: Duration = Duration::from_secs(5);

impl NetThread {
    fn start(behind_keys: bool) -> Option<NetThread> {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        // Also the threads that read large answers and write files.
        let runtime = runtime.enable_all().on_thread_start(move || step_behind(behind_keys)).build().ok()?;
        let handle = runtime.handle().clone();
        let (leave, left) = oneshot::channel();
        let run = move || {
            step_behind(behind_keys);
            let _ = runtime.block_on(left);
            runtime.shutdown_timeout(TIDYING);
        };
        let thread = Builder::new().name(NET.to_owned()).spawn(run).ok()?;
        Some(NetThread { handle, leave, thread })
    }

    /// Waits until these tasks have ended, within limits.
    fn wait_for(&self, ending: Vec<Task<()>>) {
        let (done, all) = mpsc::channel::<()>();
        self.handle.spawn(async move {
            for task in ending {
                let _ = task.await;
            }
            drop(done);
        });
        let _ = all.recv_timeout(TIDYING);
    }
}

/// The store on its thread: one call after the other, in the order given. The thread begins with the first.
struct StoreThread {
    /// Until the thread begins.
    store: Option<Store>,
    /// None if it never began.
    running: Option<RunningStore>,
    room: Rooms,
}

struct RunningStore {
    calls: mpsc::Sender<(Ticket, StoreCall)>,
    thread: JoinHandle<()>,
    /// Tells that the thread has ended: it never says anything, and is dropped then.
    ended: mpsc::Receiver<()>,
}

/// Where the answer of the batch that was written down last is kept: one unlock is in flight at a time.
type Rooms = Arc<Mutex<Option<AnswerFile>>>;

impl StoreThread {
    fn ask(&mut self, ticket: Ticket, call: StoreCall, answers: &Reporter, behind_keys: bool) {
        if let Some(store) = self.store.take() {
            self.running = start_store(store, answers.clone(), Arc::clone(&self.room), behind_keys);
        }
        if self.running.as_ref().is_none_or(|running| running.calls.send((ticket, call)).is_err()) {
            let words = "its thread ended".to_owned();
            let _ = answers.send(Answer::Stored(ticket, Err(StoreFailure::Other(words))));
        }
    }

    /// Lets it do what it was given, for so long. What another program keeps it from is not done then: each call is done whole or
    /// not at all.
    fn finish(self, within: Duration) {
        if let Some(RunningStore { calls, thread, ended }) = self.running {
            drop(calls);
            if ended.recv_timeout(within) == Err(mpsc::RecvTimeoutError::Disconnected) {
                let _ = thread.join();
            }
        }
    }
}

fn start_store(mut store: Store, answers: Reporter, room: Rooms, behind_keys: bool) -> Option<RunningStore> {
    let (calls, asked) = mpsc::channel();
    let (alive, ended) = mpsc::channel();
    let run = move || {
        let _alive = alive;
        step_behind(behind_keys);
        for (ticket, call) in asked {
            failpoint::passing("store");
            let done = store.perform(call, clock::now());
            if let Ok(StoreReply::Intended(new)) = &done {
                *room.lock().unwrap_or_else(PoisonError::into_inner) = Some(store.answer_file(new.batch, new.sent));
            }
            let _ = answers.send(Answer::Stored(ticket, done));
        }
    };
    let thread = Builder::new().name("lode-store".to_owned()).spawn(run).ok()?;
    Some(RunningStore { calls, thread, ended })
}
