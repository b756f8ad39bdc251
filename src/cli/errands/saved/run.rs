//! A saved search at work: its rows, which of them are new since it last ran, and what is kept for the next time.

use crate::cli::errands::search::{cells, columns, has_key, keep, slow, warnings};
use crate::cli::exit::Exit;
use crate::cli::output::{Lines, json};
use crate::cli::say::Problem;
use crate::domain::credits::grouped;
use crate::domain::query::Query;
use crate::effect::store::{StoreCall, StoreReply};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::limiter::Priority;
use crate::flow::saved::Refused;
use crate::flow::saved::merge::Entry;
use crate::flow::saved::news::News;
use crate::flow::search::walk::{End, Step, Walk};

use super::{Act, Saved};

/// A saved search at work.
pub(super) struct Run {
    entry: Entry,
    query: Query,
    snapshot: Option<Ticket>,
    walk: Walk,
    news: News,
    lines: Lines,
    writing: Vec<Ticket>,
    end: Option<End>,
}

impl Saved {
    pub(super) fn begin_run(&mut self, entry: Entry, limit: u64, cx: &mut Cx<'_>) {
        let Some(query) = entry.query.clone() else {
            return self.refuse(&Refused::Unreadable(entry.name), cx.fx);
        };
        if !has_key(&self.profile, query.side.source) {
            return self.fail(&Problem::no_key(query.side.source), cx.fx);
        }
        let (profile, name) = (self.profile.name.clone(), entry.name.clone());
        let call = StoreCall::SnapshotOf { profile, name, query: query.canonical() };
        self.run = Some(Run {
            snapshot: Some(cx.store(Owner::Caller, call)),
            walk: Walk::new(Owner::Caller, query.clone(), limit, Priority::Person),
            news: News::default(),
            lines: Lines::new(self.format, columns()),
            writing: Vec::new(),
            end: None,
            entry,
            query,
        });
    }

    pub(super) fn hear_run(&mut self, heard: &Heard, cx: &mut Cx<'_>) {
        let Some(run) = &mut self.run else { return };
        match heard {
            Heard::Stored(ticket, result) if run.snapshot == Some(*ticket) => {
                run.snapshot = None;
                match result {
                    Ok(StoreReply::Snapshot(snapshot)) => run.news = News::since(snapshot.as_ref()),
                    Ok(_) => {}
                    Err(failure) => {
                        cx.fx.push(Effect::Warn(format!("what the last run had cannot be read: {failure}")));
                    }
                }
                if let Some(warning) = slow(&run.query) {
                    cx.fx.push(Effect::Warn(warning));
                }
                run.walk.start(cx);
                if let Some(end) = run.walk.end().cloned() {
                    run.end = Some(end);
                    self.end_run(cx);
                }
            }
            Heard::Stored(ticket, result) => {
                let known = run.writing.len();
                run.writing.retain(|writing| writing != ticket);
                if let (true, Err(failure)) = (run.writing.len() < known, result) {
                    cx.fx.push(Effect::Warn(format!("this run is not remembered: {failure}")));
                }
                self.leave_run(cx.fx);
            }
            heard => {
                if let Some(step) = run.walk.hear(heard, cx) {
                    let only_new = matches!(self.act, Act::Run { only_new: true, .. });
                    run.print(&step, only_new, cx.fx);
                    if !step.rows.is_empty() {
                        run.writing.push(keep(&self.profile.name, &run.query, &step, cx));
                    }
                    if step.end.is_some() {
                        run.end = step.end;
                        self.end_run(cx);
                    }
                }
            }
        }
    }

    /// The rows are read: what they were is kept for the next time, unless reading failed in the middle.
    fn end_run(&mut self, cx: &mut Cx<'_>) {
        let Some(run) = &mut self.run else { return };
        // Where nothing was asked, the last run stays the last.
        if let Some(total) = run.walk.total().filter(|_| !matches!(run.end, Some(End::Failed(_)))) {
            let call = StoreCall::Snapshot {
                profile: self.profile.name.clone(),
                name: run.entry.name.clone(),
                query: run.query.canonical(),
                snapshot: run.news.snapshot(total, cx.now.wall),
            };
            run.writing.push(cx.store(Owner::Caller, call));
            let name = run.entry.name.clone();
            self.shelf.ran(&name, total, cx);
        }
        self.leave_run(cx.fx);
    }

    fn leave_run(&mut self, fx: &mut Vec<Effect>) {
        let Some(run) = self.run.as_ref().filter(|run| run.writing.is_empty()) else { return };
        let Some(end) = &run.end else { return };
        fx.push(Effect::Status(String::new()));
        fx.extend(warnings(&run.walk, end).into_iter().map(Effect::Warn));
        if let End::Failed(failure) = end {
            let problem = Problem::of_call(run.query.side.source, failure);
            return self.fail(&problem, fx);
        }
        fx.push(Effect::Warn(match run.walk.total() {
            Some(total) => run.news.sentence(total),
            None => "no row was asked for; what the last run had is still remembered".to_owned(),
        }));
        self.run = None;
        self.leaving = Some(Exit::Done);
    }
}

impl Run {
    fn print(&mut self, step: &Step, only_new: bool, fx: &mut Vec<Effect>) {
        let rows: Vec<_> = step.rows.iter().filter(|row| self.news.read(row.id) || !only_new).cloned().collect();
        fx.push(Effect::Status(String::new()));
        self.lines.print(&rows, json::row, cells, fx);
        let wanted = step.total.min(self.walk.wanted());
        fx.push(Effect::Status(format!("{} of {} rows read", grouped(self.walk.given()), grouped(wanted))));
    }
}
