//! The hands of a profile: who does what its session wants, and where the answers come in. Those of a profile that was left
//! while a job of it runs go on working beside those of the one that is looked at.

use std::task::Poll;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::effect::profile::WindowId;
use crate::effect::{Answer, Effect};
use crate::shell::perform::{IN_HASTE, Performer, Setup};

pub(super) struct Hands {
    pub(super) window: WindowId,
    pub(super) profile: String,
    performer: Performer,
    answers: UnboundedReceiver<Answer>,
    /// What lives as long as they do: a sandbox in this process.
    _held: Option<Box<dyn Send>>,
}

impl Hands {
    pub(super) fn new(window: WindowId, profile: String, setup: Setup, held: Option<Box<dyn Send>>) -> Hands {
        let (sender, answers) = unbounded_channel();
        Hands { window, profile, performer: Performer::new(setup, sender).behind_keys(), answers, _held: held }
    }

    /// Starts the work of an effect, or hands back one that is for the owner of the terminal.
    pub(super) fn perform(&mut self, effect: Effect) -> Option<Effect> {
        self.performer.perform(effect)
    }

    /// The next answer.
    pub(super) async fn next(&mut self) -> Option<Answer> {
        self.answers.recv().await
    }

    /// What is here already.
    pub(super) fn answered(&mut self) -> Option<Answer> {
        self.answers.try_recv().ok()
    }

    /// Puts files in order and waits for the store to have written what it was given.
    pub(super) fn finish(self) {
        self.performer.finish();
    }

    /// The same after a signal to end.
    pub(super) fn finish_in_haste(self) {
        self.performer.finish_within(IN_HASTE);
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
