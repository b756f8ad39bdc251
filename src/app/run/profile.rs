//! An open profile: the threads that perform its effects, and the channel for their answers. A profile that was left while
//! it has a running job stays open in the background.

use std::task::Poll;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use lode_engine::effect::{Answer, WindowId};
use lode_host::perform::{Performer, PerformerSetup};

pub(super) struct RunningProfile {
    pub(super) window: WindowId,
    pub(super) name: String,
    pub(super) performer: Performer,
    pub(super) answers: UnboundedReceiver<Answer>,
    /// What lives as long as it does: a sandbox in this process.
    _held: Option<Box<dyn Send>>,
}

impl RunningProfile {
    pub(super) fn new(
        window: WindowId,
        name: String,
        setup: PerformerSetup,
        held: Option<Box<dyn Send>>,
    ) -> RunningProfile {
        let (sender, answers) = unbounded_channel();
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
