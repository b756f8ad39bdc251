//! Failures, classed by what the caller must do.

use super::*;

/// Why a call has no good answer. `words` are the service's own, scrubbed, or lode's where it said nothing readable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// 429: come back after this long. `None` where the service did not say.
    Later { wait: Option<Duration>, words: String },
    /// The service said no. Of an unlock only a refusal in the documented form comes as one, and `flow::unlock` checks even that.
    Refused { status: u16, why: Refusal, words: String },
    /// Whether it was done is unknown: the connection was lost after sending, 5xx, an unreadable or oversized body, a deadline.
    Unclear { why: Unclear, words: String },
    /// It never left: no route, refused connection, name not found, no key configured for the service.
    Unsent { words: String },
    /// A request that we should not have made, or an answer that breaks what the documents promise.
    OurBug { words: String },
    /// Nothing is wrong with the service: the file of an export cannot be written here.
    Disk { words: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The key is missing, wrong or revoked.
    Key,
    /// The key has no permission for the request.
    Scope,
    /// No credits.
    Credits,
    /// No such endpoint: the address is wrong.
    Address,
    /// A redirect, which is never followed. For a call that changes something it proves nothing.
    Redirect,
    /// Any other 4xx.
    Request,
}

impl Refusal {
    /// What a refused request is about once `/me` has said that the key works, and whether it `may` do this. A 401 or 403 is
    /// about the key whatever `/me` says.
    pub fn settled(self, status: u16, may: bool) -> Refusal {
        match self {
            Refusal::Credits | Refusal::Redirect => self,
            _ if !may => Refusal::Scope,
            Refusal::Key | Refusal::Scope if !matches!(status, 401 | 403) => Refusal::Request,
            _ => self,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclear {
    /// The connection broke before or in the middle of the answer.
    Line,
    /// No answer within the deadline.
    Deadline,
    /// 5xx.
    Upstream(u16),
    /// 2xx, but not what the documents show: HTML, cut JSON, not UTF-8.
    Unreadable,
    /// Larger than we read.
    TooLarge,
    /// An unlock was refused in another form than the documented one, perhaps by something in front of the service. `wait`: what
    /// a 429 asked for.
    Undocumented { status: u16, wait: Option<Duration> },
}

impl Failure {
    /// The same without its final period, for a sentence around it.
    pub fn reason(&self) -> &str {
        self.words().trim_end_matches('.')
    }

    /// One sentence for a person.
    pub fn words(&self) -> &str {
        match self {
            Failure::Later { words, .. }
            | Failure::Refused { words, .. }
            | Failure::Unclear { words, .. }
            | Failure::Unsent { words }
            | Failure::OurBug { words }
            | Failure::Disk { words } => words,
        }
    }

    /// The status of the answer, where there was one that says so.
    pub fn status(&self) -> Option<u16> {
        match self {
            Failure::Later { .. } => Some(429),
            Failure::Refused { status, .. }
            | Failure::Unclear { why: Unclear::Upstream(status) | Unclear::Undocumented { status, .. }, .. } => {
                Some(*status)
            }
            _ => None,
        }
    }
}

/// Why the store could not do its work. Each is a sentence and none loses what was stored before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreFailure {
    #[error("the disk is full: nothing was written")]
    Full,
    #[error("the state folder cannot be written to")]
    ReadOnly,
    #[error("another program is using the state file")]
    Locked,
    #[error("the state file is damaged: {0}")]
    Corrupt(String),
    /// The ledger is missing, older than it was, or there are two: nothing is spent on top of that.
    #[error("{0}; run `lode ledger check` to see what to do")]
    Lost(String),
    #[error("the state file was written by a newer version of lode")]
    Newer,
    #[error("the state file cannot be used: {0}")]
    Other(String),
}

/// What to do where the ledger is damaged or gone.
pub const RESTORE: &str = "`lode ledger restore FILE` brings a backup back; without one, move the folder away to begin a new ledger: \
                           what it held is forgotten then, and contacts bought before are found again by searching, free";
