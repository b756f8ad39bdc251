//! The message line: one sentence at a time, for a moment or until its reason is gone.

use std::time::Duration;

use crate::keys::command::Screen;
use lode_core::{Mono, Now};
use lode_engine::effect::{Failure, Refusal};
use lode_engine::flow::desk::{Desk, LastRequest};

/// The reason for a message. The message goes with it, even before its time is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holds {
    #[default]
    Time,
    /// A range that is being chosen.
    Range,
    /// One of several values of a filter that is marked.
    Value,
    /// A search that runs.
    Fetching,
    /// The moment in which a second Ctrl-C leaves.
    Leaving,
    /// The screen it was said about.
    Here(Screen),
}

/// One sentence of the message line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub words: String,
    pub bad: bool,
    pub until: Mono,
    pub holds: Holds,
}

/// What went wrong last, for `g e`.
#[derive(Clone, Debug)]
pub struct LastError {
    pub words: String,
    pub at: Now,
    /// The request that failed, where it was one.
    pub request: Option<LastRequest>,
}

/// What helps where a store or a file fails.
pub const DOCTOR: &str = "Run lode doctor to find the cause.";

/// How long a message stays.
const STAYS: Duration = Duration::from_secs(6);
/// A request that failed so recently is what an error is about.
const JUST: Duration = Duration::from_secs(2);

#[derive(Clone, Debug, Default)]
pub struct Messages {
    pub notice: Option<Notice>,
    /// Stands before the notice for a moment: a key that means nothing here.
    pub flash: Option<Notice>,
    /// The last error in full, for `g e`.
    pub last_error: Option<LastError>,
    /// How many notices there were.
    pub count: u64,
}

impl Messages {
    pub fn shown(&self) -> Option<&Notice> {
        self.flash.as_ref().or(self.notice.as_ref())
    }

    /// Says a sentence for as long as it holds; `bad` is what was not done.
    pub fn say(&mut self, words: impl Into<String>, bad: bool, holds: Holds, now: Now) {
        self.count += 1;
        self.notice = Some(Notice { words: words.into(), bad, until: now.mono.after(STAYS), holds });
    }

    /// Says a failure and keeps it for the list of errors.
    pub fn fail(&mut self, words: impl Into<String>, desk: &Desk, now: Now) {
        let words = words.into();
        let just = |request: &&LastRequest| now.mono.since(request.at.mono) < JUST;
        let request = desk.last_failed.as_ref().filter(just).cloned();
        self.last_error = Some(LastError { words: words.clone(), at: now, request });
        self.say(words, true, Holds::Time, now);
    }
}

/// What a failure is, and what helps.
pub fn trouble(failure: &Failure) -> (&'static str, &'static str) {
    match failure {
        Failure::Refused { why, .. } => match why {
            Refusal::Key => {
                ("The key was refused", "<everywhere.profiles> change the key. Run lode doctor to check it.")
            }
            Refusal::Scope => ("This key may not search", "<everywhere.profiles> switch the key"),
            Refusal::Address => ("The URL is wrong", "Run lode doctor to see the URL in use."),
            _ => (
                "The service refused the request",
                "<everywhere.last-request> see what was sent. Change the filters, or <results.fetch-again> retry.",
            ),
        },
        Failure::Unsent { .. } => {
            ("The service cannot be reached", "<results.fetch-again> retry. Run lode doctor to find the cause.")
        }
        Failure::Later { .. } => ("Too many requests", "<counts.again> retry"),
        Failure::Unclear { .. } => {
            ("Unreadable response", "<results.fetch-again> retry (free)   <everywhere.last-error> details")
        }
        Failure::Disk { .. } => ("Disk error", "Run lode doctor to check the folders."),
        Failure::OurBug { .. } => ("This is a bug in lode", "<everywhere.last-error> details"),
    }
}
