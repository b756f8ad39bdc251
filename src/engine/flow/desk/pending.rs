//! A request on its way: who asked, how far it is, and how an attempt of it left the wire.

use crate::effect::CallId;
use crate::effect::call::{Call, Reply};
use crate::effect::failure::{Failure, Unclear};
use crate::flow::limiter::Priority;
use lode_core::time::Mono;

use super::Owner;
use super::lane::Slot;
use super::sizing::Sizing;

#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) owner: Owner,
    pub(super) call: Call,
    pub(super) priority: Priority,
    pub(super) stage: Stage,
    /// How often it was put on the wire.
    pub(super) attempts: u32,
    /// How often it came back with less than an answer, a 429 not counted, and what the last attempt said.
    pub(super) failures: u32,
    pub(super) trouble: Option<Failure>,
    /// Of a search: which page sizes were refused.
    pub(super) sizing: Sizing,
    /// When it was first put on the wire since the service last asked to wait.
    pub(super) since: Option<Mono>,
}

#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// Waits for a slot, not before the given moment.
    Queued { not_before: Mono },
    /// On the wire under an id of its own: the response to an abandoned attempt has no owner.
    Sent { attempt: CallId, slot: Slot, at: Mono },
    /// A stream whose answer has begun: the service has received the request, so its slot is given back. How many of them run
    /// beside each other is counted by itself.
    Coming { attempt: CallId, at: Mono },
}

/// How an attempt left the wire.
#[derive(Clone, Copy, Debug)]
pub(super) enum Left {
    Answered,
    /// Given up or broken: the service may receive it yet.
    Unanswered,
}

impl Left {
    pub(super) fn of(result: &Result<Reply, Failure>) -> Left {
        match result {
            Err(Failure::Unclear { why: Unclear::Line | Unclear::Deadline, .. }) => Left::Unanswered,
            _ => Left::Answered,
        }
    }
}
