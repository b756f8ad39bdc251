//! Accounts in, contacts out: a list of companies is held against a service, line by line.
//!
//! A job reads what an earlier run of the same list was answered, says what it will take, waits for the word to go, and asks. Each
//! answer is kept before the next is needed, so a run that was cut off repeats none. Nothing is staged and nothing is spent here.

pub mod accounts;
mod job;
pub mod judge;
pub mod likely;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::effect::{Failure, FileCall, FileReply, StoreFailure, Ticket};
use crate::flow::desk::{Arrival, FlowContext, Owner};
use lode_core::{Corpus, Mono, PurseRef, Query, Row, Source, counted, grouped};

use accounts::Accounts;
pub use job::MatchJob;
use likely::LikelyMatches;

/// What is to be matched, and where.
#[derive(Clone, Debug)]
pub struct MatchRequest {
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
        "the Workspace cannot be searched by company: at least one filter is needed to say which contacts are read"
    )]
    NoFilter,
    #[error("a match takes one value of each filter, except of --industry: run it once for each value")]
    Several,
}

#[derive(Clone, Debug, PartialEq)]
pub enum MatchStage {
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
pub struct MatchPlan {
    pub fields: &'static str,
    /// Requests still to make, at least and at most.
    pub requests: (u64, u64),
    /// Requests that an earlier run made.
    pub reused: u64,
    pub time: Duration,
}

impl MatchPlan {
    /// `company_website, then company_name; 32 (all found) to 291 requests or more, up to 3 min`
    pub fn words(&self) -> String {
        let (least, most) = self.requests;
        let requests = match (least, most) {
            (least, most) if least == most => counted(most, "request"),
            (least, most) => {
                let (least, most) = (grouped(least), counted(most, "request"));
                format!("{least} (all found) to {most} or more")
            }
        };
        let time = match (self.time.as_secs().div_ceil(60), self.requests.0 == self.requests.1) {
            (0, _) => "less than 1 min".to_owned(),
            (minutes, true) => format!("about {} min", grouped(minutes)),
            (minutes, false) => format!("up to {} min", grouped(minutes)),
        };
        let reused = match self.reused {
            0 => String::new(),
            reused => format!("; {} answered before", grouped(reused)),
        };
        format!("{}; {requests}, {time}{reused}", self.fields)
    }
}

/// `6 min left`
pub fn time_left(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..60 => format!("{} s left", seconds.max(1)),
        seconds => format!("{} min left", grouped(seconds.div_ceil(60))),
    }
}

#[derive(Clone, Debug, Default)]
pub struct Matching {
    job: Option<MatchJob>,
    /// A list on its way from the disk.
    opening: Option<Opening>,
    /// Where the list of the job came from.
    list: Option<PathBuf>,
    /// Why the last named file is not a list.
    refused: Option<String>,
    likely: LikelyMatches,
}

#[derive(Clone, Debug)]
struct Opening {
    ticket: Ticket,
    path: PathBuf,
    query: Query,
    per: usize,
    purse: PurseRef,
}

/// The bare minimum for a match on this side.
pub fn check(query: &Query) -> Result<(), NoMatch> {
    match query.side.source {
        _ if query.has_legs() => Err(NoMatch::Several),
        Source::Workspace if query.is_unfiltered() => Err(NoMatch::NoFilter),
        _ => Ok(()),
    }
}

impl Matching {
    /// The latest job.
    pub fn job(&self) -> Option<&MatchJob> {
        self.job.as_ref()
    }

    /// The file that the latest job was read from, where it came from one.
    pub fn list(&self) -> Option<&Path> {
        self.list.as_deref()
    }

    /// Why the last named file is not a list of accounts.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    pub fn is_opening(&self) -> bool {
        self.opening.is_some()
    }

    /// Requests are made now, or will be without another key. A list that is compared with what the ledger keeps is not running yet.
    pub fn is_running(&self) -> bool {
        self.job.as_ref().is_some_and(|job| matches!(job.stage, MatchStage::Sizing | MatchStage::Running))
    }

    /// Reads a list of accounts from a file; its job is [`Stage::Ready`] in time. What was kept of a finished job before it goes.
    pub fn open(&mut self, path: PathBuf, query: Query, per: usize, purse: PurseRef, cx: &mut FlowContext<'_>) {
        self.refused = None;
        let ticket = cx.file(Owner::Matching, FileCall::ReadList(path.clone()));
        self.opening = Some(Opening { ticket, path, query, per, purse });
    }

    /// The same job once more: what was answered is not asked again.
    pub fn again(&mut self, cx: &mut FlowContext<'_>) {
        if let Some(job) = self.job.take_if(|job| job.is_over()) {
            self.job = Some(MatchJob::begin(job.wanted, job.purse, cx));
        }
    }

    /// Rows of the Workspace that are likely the same as contacts of the Data API.
    pub fn likely(&self) -> &LikelyMatches {
        &self.likely
    }

    /// Looks for a contact of the Data API at the Workspace, free. False where too little is known of it.
    pub fn check_row(&mut self, corpus: Corpus, row: &Row, cx: &mut FlowContext<'_>) -> bool {
        self.likely.check_row(corpus, row, cx)
    }

    fn opened(&mut self, opening: Opening, text: Result<&str, &str>, cx: &mut FlowContext<'_>) {
        let accounts = text.map_err(str::to_owned).and_then(|text| {
            let read = Accounts::read(text);
            read.map_err(|unusable| format!("{} is not a list of accounts: {unusable}", opening.path.display()))
        });
        match accounts {
            Ok(accounts) => {
                let Opening { path, query, per, purse, .. } = opening;
                self.forget(cx);
                self.begin(MatchRequest { accounts: Arc::new(accounts), query, per }, purse, cx);
                self.list = Some(path);
            }
            Err(words) => self.refused = Some(words),
        }
    }

    /// Begins to read what is known already. A job before it is dropped.
    pub fn begin(&mut self, wanted: MatchRequest, purse: PurseRef, cx: &mut FlowContext<'_>) {
        self.stop(cx);
        self.list = None;
        self.job = Some(MatchJob::begin(wanted, purse, cx));
    }

    /// The word to go, once it is [`Stage::Ready`].
    pub fn go(&mut self, cx: &mut FlowContext<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| job.stage == MatchStage::Ready) {
            job.go(cx);
        }
    }

    pub fn stop(&mut self, cx: &mut FlowContext<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| !job.is_over()) {
            job.stop(cx);
        }
    }

    /// The result is where it belongs: what was kept of a finished job is not needed any more.
    pub fn forget(&mut self, cx: &mut FlowContext<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| job.stage == MatchStage::Done) {
            job.forget(cx);
        }
    }

    /// Whether an answer was this job's.
    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) -> bool {
        if self.likely.handle(arrival) {
            return true;
        }
        if let Arrival::Filed(ticket, result) = arrival
            && let Some(opening) = self.opening.take_if(|opening| opening.ticket == *ticket)
        {
            match result {
                Ok(FileReply::Text(text)) => self.opened(opening, Ok(text), cx),
                Ok(_) => return false,
                Err(failure) => self.opened(opening, Err(&failure.words), cx),
            }
            return true;
        }
        let Some(job) = &mut self.job else { return false };
        match arrival {
            Arrival::Stored(ticket, result) => job.stored(*ticket, result, cx),
            Arrival::Reply(..) => job.replied(arrival, cx),
            Arrival::Unsent(..) | Arrival::Progress(..) | Arrival::Filed(..) => return false,
        }
        true
    }

    pub fn deadline(&self) -> Option<Mono> {
        self.job.as_ref().and_then(MatchJob::held)
    }

    pub fn wake(&mut self, cx: &mut FlowContext<'_>) {
        if let Some(job) = self.job.as_mut().filter(|job| job.held().is_some_and(|held| held <= cx.now.mono)) {
            job.go_on(cx);
        }
    }
}
