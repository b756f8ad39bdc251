//! The two threads: one with the runtime of the network, one with the store.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle as Task;

use crate::clock;
use crate::failpoint;
use crate::store::{AnswerFile, Store};
use crate::system::processes;
use lode_engine::effect::{Answer, StoreCall, StoreFailure, StoreReply, Ticket};

use super::Reporter;

/// Lets other threads go first where there is not a core for everybody: a person presses keys, and the answers to keys wait
/// for nothing.
fn step_behind(keys: bool) {
    if keys {
        processes::step_back();
    }
}

/// The thread of the network, with the runtime that its tasks run on.
pub(super) struct Net {
    pub(super) handle: Handle,
    /// What is waited for before the thread ends.
    leave: oneshot::Sender<Vec<Task<()>>>,
    thread: JoinHandle<()>,
}

/// The name of its thread.
pub const NET: &str = "lode-net";

/// How long leaving waits for files to be put in order.
const TIDYING: Duration = Duration::from_secs(5);

impl Net {
    pub(super) fn start(behind_keys: bool) -> Option<Net> {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        // Also the threads that read large answers and write files.
        let runtime = runtime.enable_all().on_thread_start(move || step_behind(behind_keys)).build().ok()?;
        let handle = runtime.handle().clone();
        let (leave, left) = oneshot::channel::<Vec<Task<()>>>();
        let run = move || {
            step_behind(behind_keys);
            runtime.block_on(async {
                let ending = left.await.unwrap_or_default();
                let all = async {
                    for task in ending {
                        let _ = task.await;
                    }
                };
                let _ = tokio::time::timeout(TIDYING, all).await;
            });
            runtime.shutdown_timeout(TIDYING);
        };
        let thread = Builder::new().name(NET.to_owned()).spawn(run).ok()?;
        Some(Net { handle, leave, thread })
    }

    pub(super) fn finish(self, ending: Vec<Task<()>>) {
        let _ = self.leave.send(ending);
        let _ = self.thread.join();
    }
}

/// The store on its thread: one call after the other, in the order given. The thread begins with the first.
pub(super) struct StoreThread {
    /// Until the thread begins.
    store: Option<Store>,
    /// None if it never began.
    running: Option<Running>,
    room: Rooms,
}

struct Running {
    calls: mpsc::Sender<(Ticket, StoreCall)>,
    thread: JoinHandle<()>,
    /// Tells that the thread has ended: it never says anything, and is dropped then.
    ended: mpsc::Receiver<()>,
}

/// Where the answer of the batch that was written down last is kept: one unlock is in flight at a time.
pub(super) type Rooms = Arc<Mutex<Option<AnswerFile>>>;

impl StoreThread {
    pub(super) fn new(store: Store) -> StoreThread {
        StoreThread { store: Some(store), running: None, room: Rooms::default() }
    }

    pub(super) fn room(&self) -> Rooms {
        Arc::clone(&self.room)
    }

    pub(super) fn ask(&mut self, ticket: Ticket, call: StoreCall, answers: &Reporter, behind_keys: bool) {
        if let Some(store) = self.store.take() {
            self.running = start(store, answers.clone(), self.room(), behind_keys);
        }
        if self.running.as_ref().is_none_or(|running| running.calls.send((ticket, call)).is_err()) {
            let words = "its thread ended".to_owned();
            let _ = answers.send(Answer::Stored(ticket, Err(StoreFailure::Other(words))));
        }
    }

    /// Lets it do what it was given, for so long. What another program keeps it from is not done then: each call is done whole or
    /// not at all.
    pub(super) fn finish(self, within: Duration) {
        if let Some(Running { calls, thread, ended }) = self.running {
            drop(calls);
            if ended.recv_timeout(within) == Err(mpsc::RecvTimeoutError::Disconnected) {
                let _ = thread.join();
            }
        }
    }
}

fn start(mut store: Store, answers: Reporter, room: Rooms, behind_keys: bool) -> Option<Running> {
    let (calls, asked) = mpsc::channel();
    let (alive, ended) = mpsc::channel();
    let run = move || {
        let _alive = alive;
        step_behind(behind_keys);
        for (ticket, call) in asked {
            failpoint::passing("store");
            let done = store.perform(call, clock::now());
            if let Ok(StoreReply::Intended(written)) = &done {
                *room.lock().unwrap_or_else(PoisonError::into_inner) = store.answer_file(written.batch, written.sent);
            }
            let _ = answers.send(Answer::Stored(ticket, done));
        }
    };
    let thread = Builder::new().name("lode-store".to_owned()).spawn(run).ok()?;
    Some(Running { calls, thread, ended })
}
