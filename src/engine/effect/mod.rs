//! Effects, which the host performs, and its answers, as plain data.
//!
//! The flows return [`Effect`]s, the host performs them and reports every answer as an [`Answer`]. Nothing here does
//! anything. Both lists are closed: a feature adds a [`call::Call`] or a [`store::StoreCall`], not a kind of effect.

pub mod call;
pub mod failure;
pub mod files;
pub mod profile;
pub mod store;
pub mod unlock;

pub use call::*;
pub use failure::*;
pub use files::*;
pub use profile::*;
pub use store::*;
pub use unlock::*;

// Names that each list of effects takes from here.
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use strum::{AsRefStr, EnumString, IntoStaticStr, VariantNames};

use lode_core::*;

/// Names one request from its sending to its answer. Never used twice in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// Names one piece of work of the store or of the files until it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

#[derive(Debug, PartialEq)]
pub enum Effect {
    /// Put a request on the wire, now: the limiter has already granted it.
    Send(CallId, Outgoing),
    /// Drop a running request; no answer will be reported for it.
    Cancel(CallId),
    /// Work of the store, done in the order given; durable once answered.
    Store(Ticket, StoreCall),
    /// Work on files of the user: saved searches, exports from local data.
    File(Ticket, FileCall),
    /// To the clipboard.
    Copy(String),
    /// A long job ended: tell the person where the terminal can, if the window has no focus.
    Notify(String),
    /// One line of a shell command's output.
    Print(String),
    /// One line of output that is stored nowhere. It goes out whole whatever form was asked for, and to the error stream if the
    /// output cannot be written.
    PrintWhole(String),
    /// One line to a shell command's error stream.
    Warn(String),
    /// A failure of a shell command, as a sentence with a hint and as one line of JSON: its error stream shows the one that is
    /// wanted.
    Fail { words: [String; 2], json: String },
    /// How far a shell command is: shown on its error stream where that is a terminal, replaced by the next one and wiped
    /// before anything else is written there. An empty one only wipes.
    Status(String),
    /// Leave with this exit code.
    Quit(u8),
}

/// What the world says to effects.
#[derive(Debug, PartialEq)]
pub enum Answer {
    Replied(CallId, Result<Reply, Failure>),
    /// An unlock has not left. Its request comes back with the words why, and may leave later.
    Unsent(CallId, UnlockCall, String),
    /// A long call (an export) is moving.
    Progress(CallId, Progress),
    Stored(Ticket, Result<StoreReply, StoreFailure>),
    Filed(Ticket, Result<FileReply, FileFailure>),
}

impl Answer {
    /// Whether no key waits for it: something was written down or counted, or a job is moving.
    pub fn is_quiet(&self) -> bool {
        use StoreReply::{Changes, Done, Gauge, Reserved};
        matches!(self, Answer::Progress(..) | Answer::Stored(_, Ok(Done(()) | Reserved { .. } | Gauge(_) | Changes(_))))
    }

    /// Whether an export is done, which is told on the screen and beside it.
    pub fn ends_export(&self) -> bool {
        matches!(self, Answer::Replied(_, Ok(Reply::Exported(_))))
    }

    /// The result of a call, with the request of an unlock that has not left.
    pub fn of(id: CallId, call: Outgoing, result: Result<Reply, Failure>) -> Answer {
        match (call, result) {
            (Call::Unlock(request), Err(Failure::Unsent { words })) => Answer::Unsent(id, request, words),
            (_, result) => Answer::Replied(id, result),
        }
    }
}
