//! Accounts in, contacts out: a list of companies is held against a service, line by line.
//!
//! A job reads what an earlier run of the same list was answered, says what it will take, waits for the word to go, and asks. Each
//! answer is kept before the next is needed, so a run that was cut off repeats none. Nothing is staged and nothing is spent here.

pub mod accounts;
mod asking;
mod index;
mod job;
pub mod judge;
mod kept;
mod pace;

use std::sync::Arc;
use std::time::Duration;

use crate::domain::contact::Source;
use crate::domain::filter::Filter;
use crate::domain::purse::PurseRef;
use crate::domain::query::Query;
use crate::domain::time::Mono;
use crate::effect::Ticket;
use crate::effect::failure::{Failure, StoreFailure};
use crate::flow::desk::{Cx, Heard};

use accounts::Accounts;
pub use job::Job;

/// What is to be matched, and where.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub accounts: Arc<Accounts>,
    /// The side and the filters that every contact has to pass.
    pub query: Query,
    /// Contacts that are wanted of each account.
    pub per: usize,
}

/// Why a match cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoMatch {
    #[error(
        "the Workspace cannot be asked for a company: at least one filter is needed to say which contacts are read"
    )]
    NoFilter,
    #[error("--{0} comes from the list itself")]
    FromTheList(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// What an earlier run was answered is read.
    Reading(Ticket),
    /// The first page tells how many there are.
    Sizing,
    /// What it takes is known: see [`Job::plan`].
    Ready,
    Running,
    Done,
    Stopped,
    Failed(MatchFailure),
}

#[derive(Clone, Debug, PartialEq)]
pub enum MatchFailure {
    Call(Failure),
    Store(StoreFailure),
}

/// What a match will take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub fields: &'static str,
    /// Requests still to make, at least and at most.
    pub requests: (u64, u64),
    /// Requests that an earlier run made.
    pub reused: u64,
    pub time: Duration,
}

#[derive(Clone, Debug, Default)]
pub struct Matching {
    job: Option<Job>,
}

/// The bare minimum for a match on this side.
pub fn check(query: &Query) -> Result<(), NoMatch> {
    match query.side.source {
        Source::Workspace if query.is_unfiltered() => Err(NoMatch::NoFilter),
        Source::Workspace => Ok(()),
        Source::Data => {
            let taken = [(Filter::CompanyName, "company-name"), (Filter::CompanyWebsite, "company-website")];
            let taken = taken.into_iter().find(|(filter, _)| query.value(*filter).is_some());
            taken.map_or(Ok(()), |(_, flag)| Err(NoMatch::FromTheList(flag)))
        }
    }
}

impl Matching {
    /// The latest job.
    pub fn job(&self) -> Option<&Job> {
        self.job.as_ref()
    }

    /// Begins to read what is known already. A job before it is dropped.
    pub fn begin(&mut self, wanted: Wanted, purse: PurseRef, cx: &mut Cx<'_>) {
        self.stop(cx);
        self.job = Some(Job::begin(wanted, purse, cx));
    }

    /// The word to go, once it is [`Stage::Ready`].
    pub fn go(&mut self, cx: &mut Cx<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| *job.stage() == Stage::Ready) {
            job.go(cx);
        }
    }

    pub fn stop(&mut self, cx: &mut Cx<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| !job.is_over()) {
            job.stop(cx);
        }
    }

    /// The result is where it belongs: what was kept of a finished job is not needed any more.
    pub fn forget(&mut self, cx: &mut Cx<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| *job.stage() == Stage::Done) {
            job.forget(cx);
        }
    }

    /// Whether an answer was this job's.
    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> bool {
        let Some(job) = &mut self.job else { return false };
        match heard {
            Heard::Stored(ticket, result) => job.stored(*ticket, result, cx),
            Heard::Reply(..) => job.replied(heard, cx),
            Heard::Progress(..) | Heard::Filed(..) => return false,
        }
        true
    }

    pub fn deadline(&self) -> Option<Mono> {
        self.job.as_ref().and_then(Job::held)
    }

    pub fn wake(&mut self, cx: &mut Cx<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| job.held().is_some_and(|held| held <= cx.now.mono)) {
            job.go_on(cx);
        }
    }
}
