//! A stream of the Data API as a task that can be stopped cleanly.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::clock;
use crate::export::{self, Stop, StreamEnd};
use crate::files::Folders;
use crate::http::Http;
use lode_engine::effect::{Answer, CallId, FileFailure, FileReply, Outgoing, Reply, Ticket};

use super::Reporter;

/// How a stream is ended, and who asked to hear what it left.
pub(super) struct Ending {
    pub(super) stop: Stop,
    pub(super) ticket: Option<Ticket>,
}

pub(super) async fn run_export(
    id: CallId,
    call: Outgoing,
    keep: bool,
    http: Arc<Http>,
    folders: Arc<Folders>,
    answers: Reporter,
    stopped: oneshot::Receiver<Ending>,
) {
    let (stop, wanted) = oneshot::channel();
    let report = |progress| {
        let _ = answers.send(Answer::Progress(id, progress));
    };
    let streaming = export::stream(&http, &call, &folders, clock::now().wall, wanted, report);
    let mut streaming = std::pin::pin!(streaming);
    let (outcome, ticket) = tokio::select! {
        biased;
        // A dropped sender is a plain cancel without an answer.
        ending = stopped => {
            let Ending { stop: how, ticket } = ending.unwrap_or(Ending { stop: Stop { keep }, ticket: None });
            let _ = stop.send(how);
            let outcome = streaming.await;
            if ticket.is_none() {
                return;
            }
            (outcome, ticket)
        }
        outcome = &mut streaming => (outcome, None),
    };
    let _ = answers.send(match (outcome, ticket) {
        (StreamEnd::Stopped { kept, rows }, Some(ticket)) => {
            Answer::Filed(ticket, Ok(FileReply::Stopped { kept, rows }))
        }
        // It was done, or had failed, before the request to end it arrived.
        (StreamEnd::Whole(exported), Some(ticket)) => Answer::Filed(ticket, Ok(FileReply::Written(exported))),
        (StreamEnd::Failed(failure), Some(ticket)) => {
            Answer::Filed(ticket, Err(FileFailure { words: failure.words().to_owned() }))
        }
        (StreamEnd::Whole(exported), None) => Answer::Replied(id, Ok(Reply::Exported(exported))),
        (StreamEnd::Failed(failure), None) => Answer::Replied(id, Err(failure)),
        (StreamEnd::Stopped { .. }, None) => return,
    });
}
