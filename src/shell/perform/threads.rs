//! The two threads: one with the runtime of the network, one with the store.
#![allow(clippy::disallowed_methods)] // This is where threads start.

use std::sync::mpsc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle as Task;

use crate::effect::failure::StoreFailure;
use crate::effect::store::StoreCall;
use crate::effect::{Answer, Ticket};
use crate::shell::clock;
use crate::shell::on_purpose::{self, Place};
use crate::shell::store::Store;

use super::reporter::Reporter;

/// The thread of the network, with the runtime that its tasks run on.
pub(super) struct Net {
    pub(super) handle: Handle,
    /// What is waited for before the thread ends.
    leave: oneshot::Sender<Vec<Task<()>>>,
    thread: JoinHandle<()>,
}

/// How long leaving waits for files to be put in order.
const TIDYING: Duration = Duration::from_secs(5);

impl Net {
    pub(super) fn start() -> Option<Net> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        let handle = runtime.handle().clone();
        let (leave, left) = oneshot::channel::<Vec<Task<()>>>();
        let run = move || {
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
        let thread = Builder::new().name("lode-net".to_owned()).spawn(run).ok()?;
        Some(Net { handle, leave, thread })
    }

    pub(super) fn finish(self, ending: Vec<Task<()>>) {
        let _ = self.leave.send(ending);
        let _ = self.thread.join();
    }
}

/// The store on its thread: one call after the other, in the order given.
pub(super) enum StoreThread {
    Waiting(Box<Store>),
    Running {
        calls: mpsc::Sender<(Ticket, StoreCall)>,
        thread: JoinHandle<()>,
    },
    /// The thread ended by a panic, or never began.
    Gone,
}

impl StoreThread {
    pub(super) fn ask(&mut self, ticket: Ticket, call: StoreCall, answers: &Reporter) {
        if matches!(self, StoreThread::Waiting(_)) {
            let StoreThread::Waiting(store) = std::mem::replace(self, StoreThread::Gone) else { return };
            *self = StoreThread::start(*store, answers.clone());
        }
        let asked = match self {
            StoreThread::Running { calls, .. } => calls.send((ticket, call)).is_ok(),
            _ => false,
        };
        if !asked {
            let words = "its thread ended".to_owned();
            let _ = answers.send(Answer::Stored(ticket, Err(StoreFailure::Other(words))));
        }
    }

    pub(super) fn start(mut store: Store, answers: Reporter) -> StoreThread {
        let (calls, asked) = mpsc::channel::<(Ticket, StoreCall)>();
        let run = move || {
            for (ticket, call) in asked {
                on_purpose::passing(Place::Store);
                let _ = answers.send(Answer::Stored(ticket, store.perform(call, clock::now())));
            }
        };
        match Builder::new().name("lode-store".to_owned()).spawn(run) {
            Ok(thread) => StoreThread::Running { calls, thread },
            Err(_) => StoreThread::Gone,
        }
    }

    pub(super) fn finish(self) {
        if let StoreThread::Running { calls, thread } = self {
            drop(calls);
            let _ = thread.join();
        }
    }
}
