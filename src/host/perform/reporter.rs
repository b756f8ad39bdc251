//! The one way back from the work to the loop.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use crate::clock;
use crate::log::Log;
use lode_engine::effect::Answer;

/// What is answered is noted, then told.
#[derive(Clone)]
pub(super) struct Reporter {
    pub(super) answers: UnboundedSender<Answer>,
    pub(super) log: Option<Arc<Log>>,
}

impl Reporter {
    /// An error if the receiver is gone: the program is leaving.
    pub(super) fn send(&self, answer: Answer) -> Result<(), ()> {
        if let Some(log) = &self.log {
            log.answer(&answer, clock::now());
        }
        self.answers.send(answer).map_err(drop)
    }
}
