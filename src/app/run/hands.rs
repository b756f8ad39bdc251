//! The hands of a profile: who does what its session wants, and where the answers come in. Those of a profile that was left
//! while a job of it runs go on working beside those of the one that is looked at.

use std::task::Poll;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use lode_engine::effect::{Answer, WindowId};
use lode_host::perform::{Performer, PerformerSetup};

pub(super) struct Hands {
    pub(super) window: WindowId,
    pub(super) profile: String,
    pub(super) performer: Performer,
    pub(super) answers: UnboundedReceiver<Answer>,
    /// What lives as long as they do: a sandbox in this process.
    _held: Option<Box<dyn Send>>,
}

impl Hands {
    pub(super) fn new(window: WindowId, profile: String, setup: PerformerSetup, held: Option<Box<dyn Send>>) -> Hands {
        let (sender, answers) = unbounded_channel();
        Hands { window, profile, performer: Performer::new(setup, sender).behind_keys(), answers, _held: held }
    }

    /// The next answer.
    pub(super) async fn next(&mut self) -> Option<Answer> {
        self.answers.recv().await
    }
}

/// The next answer to any of those that were left.
pub(super) async fn next_behind(behind: &mut [Hands]) -> (WindowId, Answer) {
    std::future::poll_fn(|context| {
        for hands in behind.iter_mut() {
            if let Poll::Ready(Some(answer)) = hands.answers.poll_recv(context) {
                return Poll::Ready((hands.window.clone(), answer));
            }
        }
        Poll::Pending
    })
    .await
}
