//! One match: what was answered before is taken up, what is missing is asked for, every answer is kept.

mod plan;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::effect::Ticket;
use crate::effect::call::{Call, Reply};
use crate::effect::failure::StoreFailure;
use crate::effect::store::{MatchStep, StoreCall, StoreReply};
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::limiter::Priority;
use crate::flow::search::walk::{End, Leg};
use lode_core::contact::Source;
use lode_core::purse::PurseRef;
use lode_core::row::Row;
use lode_core::time::{Mono, Now};

use super::asking::{Asking, Step};
use super::index::Index;
use super::judge::{Firms, Verdict};
use super::kept;
use super::pace::Pace;
use super::{MatchFailure, Stage, Wanted};

#[derive(Clone, Debug)]
enum Reader {
    Asking(Box<Asking>),
    Walking { walk: Box<Leg>, index: Index },
}

#[derive(Clone, Debug)]
pub struct Job {
    wanted: Wanted,
    purse: PurseRef,
    key: String,
    stage: Stage,
    /// What each account came to, once all is read.
    verdicts: Vec<Verdict>,
    /// What was seen of each account.
    firms: Vec<Firms>,
    reader: Reader,
    made: u64,
    reused: u64,
    /// Answers on their way into the journal.
    unkept: Vec<Ticket>,
    forgetting: Option<Ticket>,
    pace: Pace,
    began: Option<Mono>,
    held: Option<Mono>,
}

impl Job {
    pub(super) fn begin(wanted: Wanted, purse: PurseRef, cx: &mut Cx<'_>) -> Job {
        let key = format!("{} {}", wanted.accounts.digest, wanted.query.canonical());
        let reader = match wanted.query.side.source {
            Source::Data => Reader::Asking(Box::new(Asking::new(&wanted.accounts))),
            Source::Workspace => {
                let mut walk = Leg::new(Owner::Matching, wanted.query.clone(), u64::MAX, Priority::Person);
                walk.hold();
                Reader::Walking { walk: Box::new(walk), index: Index::of(&wanted.accounts.lines) }
            }
        };
        let call = StoreCall::MatchSteps { purse: purse.clone(), job: key.clone() };
        let stage = Stage::Reading(cx.store(Owner::Matching, call));
        let firms = vec![Firms::default(); wanted.accounts.lines.len()];
        Job {
            wanted,
            purse,
            key,
            stage,
            verdicts: Vec::new(),
            firms,
            reader,
            made: 0,
            reused: 0,
            unkept: Vec::new(),
            forgetting: None,
            pace: Pace::default(),
            began: None,
            held: None,
        }
    }

    /// The word to go.
    pub(super) fn go(&mut self, cx: &mut Cx<'_>) {
        self.stage = Stage::Running;
        self.began = Some(cx.now.mono);
        self.go_on(cx);
    }

    pub(super) fn stop(&mut self, cx: &mut Cx<'_>) {
        self.quiet(cx);
        self.stage = Stage::Stopped;
    }

    fn quiet(&mut self, cx: &mut Cx<'_>) {
        match &mut self.reader {
            Reader::Asking(asking) => asking.stop(cx),
            Reader::Walking { walk, .. } => walk.stop(cx),
        }
    }

    pub(super) fn forget(&mut self, cx: &mut Cx<'_>) {
        let call = StoreCall::MatchDone { purse: self.purse.clone(), job: self.key.clone() };
        self.forgetting = Some(cx.store(Owner::Matching, call));
    }

    /// When the pace lets the next request go.
    pub(super) fn held(&self) -> Option<Mono> {
        self.held.filter(|_| self.stage == Stage::Running)
    }

    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    pub(super) fn purse(&self) -> &PurseRef {
        &self.purse
    }

    pub fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Done | Stage::Stopped | Stage::Failed(_))
    }

    /// Whether everything that was answered is kept, and a finished job forgotten where that was asked for.
    pub fn is_settled(&self) -> bool {
        self.unkept.is_empty() && self.forgetting.is_none()
    }

    /// Requests made by this run, and those that an earlier one made.
    pub fn requests(&self) -> (u64, u64) {
        (self.made, self.reused)
    }

    /// What each account came to: nothing before the job is [`Stage::Done`].
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// The contacts of all matched accounts, each once.
    pub fn contacts(&self) -> Vec<&Row> {
        let mut seen = BTreeSet::new();
        let rows = self.verdicts.iter().flat_map(Verdict::rows);
        rows.filter(|row| row.id().is_none_or(|id| seen.insert(id))).collect()
    }

    fn done(&mut self) {
        self.stage = Stage::Done;
        self.verdicts = (0..self.firms.len()).map(|at| self.verdict(at)).collect();
    }

    pub fn verdict(&self, at: usize) -> Verdict {
        let account = &self.wanted.accounts.lines[at];
        let (firms, per) = (&self.firms[at], self.wanted.per);
        match &self.reader {
            Reader::Asking(asking) => asking.verdict(at, account, firms, per),
            Reader::Walking { walk, .. } => {
                let whole = walk.end().is_some_and(|end| matches!(end, End::All | End::Enough));
                firms.judge(account, per, whole)
            }
        }
    }

    /// What has to be said about how the result was read, where it was not read as it should be.
    pub fn warning(&self) -> Option<String> {
        match &self.reader {
            Reader::Walking { walk, .. } => walk.end().and_then(End::cut_short),
            Reader::Asking(_) => None,
        }
    }

    fn fail(&mut self, failure: MatchFailure, cx: &mut Cx<'_>) {
        self.quiet(cx);
        self.stage = Stage::Failed(failure);
    }

    pub(super) fn stored(&mut self, ticket: Ticket, result: &Result<StoreReply, StoreFailure>, cx: &mut Cx<'_>) {
        self.unkept.retain(|unkept| *unkept != ticket);
        self.forgetting = self.forgetting.filter(|forgetting| *forgetting != ticket);
        match result {
            Err(failure) if !self.is_over() => self.fail(MatchFailure::Store(failure.clone()), cx),
            Ok(StoreReply::MatchSteps(steps)) if self.stage == Stage::Reading(ticket) => {
                for step in steps {
                    self.replay(step, cx.now);
                }
                if let Reader::Walking { walk, .. } = &mut self.reader
                    && walk.page_size().is_none()
                {
                    self.stage = Stage::Sizing;
                    walk.start(cx);
                    return;
                }
                self.stage = Stage::Ready;
            }
            _ => {}
        }
    }

    /// Takes what an earlier run was answered.
    fn replay(&mut self, step: &MatchStep, now: Now) {
        let Some((limit, page)) = kept::read(self.wanted.query.side.source, &step.answer) else { return };
        self.pace.remember(Duration::from_millis(now.wall.0.saturating_sub(step.at.0).max(0).unsigned_abs()), now.mono);
        match &mut self.reader {
            Reader::Asking(asking) => {
                let Some(asked) = Step::named(&step.step) else { return };
                let wanted = &self.wanted;
                asking.take(&wanted.accounts, (&asked, limit, &page), &mut self.firms, wanted.per);
            }
            Reader::Walking { walk, index } => {
                for row in walk.replay(limit, page.offset, &page) {
                    for at in index.accounts(&row) {
                        self.firms[at].add(&row, self.wanted.per);
                    }
                }
            }
        }
        self.reused += 1;
    }

    pub(super) fn replied(&mut self, heard: &Heard, cx: &mut Cx<'_>) {
        let Heard::Reply(id, call, result) = heard else { return };
        match &mut self.reader {
            Reader::Asking(asking) => {
                let Some(step) = asking.answered(*id) else { return };
                let page = match result {
                    Ok(Reply::Page(page)) => page,
                    Ok(_) => return,
                    Err(failure) => return self.fail(MatchFailure::Call(failure.clone()), cx),
                };
                let limit = limit_of(call);
                let wanted = &self.wanted;
                asking.take(&wanted.accounts, (&step, limit, page), &mut self.firms, wanted.per);
                self.made += 1;
                self.keep(step.name(), kept::write(limit, page, |_| true), cx);
                self.go_on(cx);
            }
            Reader::Walking { walk, index } => {
                let Some(step) = walk.hear(heard, cx) else { return };
                if let (Ok(Reply::Page(page)), Some(_)) = (result, walk.page_size()) {
                    for row in &step.rows {
                        for at in index.accounts(row) {
                            self.firms[at].add(row, self.wanted.per);
                        }
                    }
                    let text = kept::write(limit_of(call), page, |row| !index.accounts(row).is_empty());
                    self.made += 1;
                    // In the order in which they were read: that is how they are read again.
                    let name = format!("{:09}", self.made + self.reused);
                    self.keep(name, text, cx);
                }
                self.go_on(cx);
            }
        }
    }

    fn keep(&mut self, step: String, answer: String, cx: &mut Cx<'_>) {
        let (purse, job) = (self.purse.clone(), self.key.clone());
        self.unkept.push(cx.store(Owner::Matching, StoreCall::MatchStep { purse, job, step, answer }));
    }

    /// As far as it may go now.
    pub(super) fn go_on(&mut self, cx: &mut Cx<'_>) {
        self.held = None;
        match &mut self.reader {
            Reader::Asking(asking) => {
                if self.stage != Stage::Running {
                    return;
                }
                let (pace, now) = (&mut self.pace, cx.now.mono);
                let mut held = None;
                let wanted = &self.wanted;
                asking.pump((&wanted.accounts, &wanted.query), (&self.firms, wanted.per), cx, || {
                    held = pace.take(now);
                    held.is_none()
                });
                self.held = held;
                if asking.is_over() {
                    self.done();
                }
            }
            Reader::Walking { walk, .. } => match (walk.end(), &self.stage) {
                (Some(End::Failed(failure)), _) => self.stage = Stage::Failed(MatchFailure::Call(failure.clone())),
                (Some(_), Stage::Running) => self.done(),
                (None, Stage::Running) => walk.go_on(cx),
                (_, Stage::Sizing) if walk.page_size().is_some() => {
                    walk.hold();
                    self.stage = Stage::Ready;
                }
                _ => {}
            },
        }
    }
}

fn limit_of(call: &Call) -> u64 {
    match call {
        Call::Search(call) => call.limit,
        _ => 0,
    }
}
