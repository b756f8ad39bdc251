//! A saved search at work: its rows, which of them are new since it last ran, and what is kept for the next time.

use crate::cli::args::filters::not_ready;
use crate::cli::exit::Exit;
use crate::cli::output::{Lines, json};
use crate::cli::program::Run;
use crate::cli::say::Problem;
use crate::cli::scripts::search::{cells, columns, has_key, keep, slow, warnings};
use crate::domain::credits::{counted, grouped};
use crate::effect::store::{StoreCall, StoreReply};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::{Heard, Owner};
use crate::flow::limiter::Priority;
use crate::flow::saved::Refused;
use crate::flow::saved::merge::Entry;
use crate::flow::saved::watch::Watch;
use crate::flow::search::walk::{End, Step, Walk};

use super::{Act, Saved};

/// The rows of a saved search on their way.
pub(super) struct Reading {
    /// What the last run had, while the store is asked for it.
    before: Option<Ticket>,
    watch: Watch,
    walk: Walk,
    lines: Lines,
    writing: Vec<Ticket>,
    end: Option<End>,
}

impl Saved {
    pub(super) fn begin_reading(&mut self, entry: Entry, limit: u64, run: &mut Run<'_>) {
        let Some(query) = entry.query else {
            return self.refuse(&Refused::Unreadable(entry.name), run.fx);
        };
        if let Err(problem) = query.ready() {
            return self.fail(&not_ready(&problem), run.fx);
        }
        let profile = &run.session.profile;
        if !has_key(profile, query.side.source) {
            return self.fail(&Problem::no_key(query.side.source), run.fx);
        }
        let Some(purse) = run.session.purse_of(query.side.source) else { return };
        let (profile, name) = (profile.name.clone(), entry.name);
        let call = StoreCall::SnapshotOf { purse, profile, name: name.clone(), query: query.canonical() };
        self.reading = Some(Reading {
            before: Some(run.store(call)),
            walk: Walk::new(Owner::Caller, query.clone(), limit, Priority::Person),
            watch: Watch::new(name, query, None),
            lines: Lines::new(self.format, columns()),
            writing: Vec::new(),
            end: None,
        });
    }

    pub(super) fn hear_reading(&mut self, heard: &Heard, run: &mut Run<'_>) {
        let Some(reading) = &mut self.reading else { return };
        match heard {
            Heard::Stored(ticket, result) if reading.before == Some(*ticket) => {
                reading.before = None;
                match result {
                    Ok(StoreReply::Snapshot(before)) => reading.watch.since(before.clone()),
                    Ok(_) => {}
                    Err(failure) => {
                        run.fx.push(Effect::Warn(format!("the previous run cannot be read: {failure}")));
                    }
                }
                if let Some(warning) = slow(reading.walk.query()) {
                    run.fx.push(Effect::Warn(warning));
                }
                reading.walk.start(&mut run.cx());
                if let Some(end) = reading.walk.end().cloned() {
                    reading.end = Some(end);
                    self.end_reading(run);
                }
            }
            Heard::Stored(ticket, result) => {
                let known = reading.writing.len();
                reading.writing.retain(|writing| writing != ticket);
                if let (true, Err(failure)) = (reading.writing.len() < known, result) {
                    run.fx.push(Effect::Warn(format!("this run could not be recorded: {failure}")));
                }
                self.leave_reading(run.fx);
            }
            heard => {
                let Some(step) = reading.walk.hear(heard, &mut run.cx()) else { return };
                let only_new = matches!(self.act, Act::Run { only_new: true, .. });
                reading.print(&step, only_new, run.fx);
                if !step.rows.is_empty() {
                    reading.writing.extend(keep(reading.walk.query(), &step, run));
                }
                if step.end.is_some() {
                    reading.end = step.end;
                    self.end_reading(run);
                }
            }
        }
    }

    /// The rows are read: what they were is kept for the next time, unless reading failed in the middle.
    fn end_reading(&mut self, run: &mut Run<'_>) {
        let Some(reading) = &mut self.reading else { return };
        // Where nothing was asked, the last run stays the last.
        if reading.walk.total().is_some()
            && !matches!(reading.end, Some(End::Failed(_)))
            && let Some(snapshot) = reading.watch.remember(run.now.wall)
        {
            let (name, total) = (reading.watch.name().to_owned(), reading.watch.total());
            let source = reading.watch.query().side.source;
            let purse = run.session.purse_of(source).unwrap_or_else(|| run.session.profile.earlier());
            let (profile, query) = (run.session.profile.name.clone(), reading.watch.query().canonical());
            reading.writing.push(run.store(StoreCall::Snapshot {
                purse,
                profile,
                name: name.clone(),
                query,
                snapshot,
            }));
            run.session.shelf.ran(&name, total, &mut run.session.desk.at(run.now, run.fx));
        }
        self.leave_reading(run.fx);
    }

    fn leave_reading(&mut self, fx: &mut Vec<Effect>) {
        let Some(reading) = self.reading.as_ref().filter(|reading| reading.writing.is_empty()) else { return };
        let Some(end) = &reading.end else { return };
        fx.push(Effect::Status(String::new()));
        fx.extend(warnings(&reading.walk, end).into_iter().map(Effect::Warn));
        if let End::Failed(failure) = end {
            let problem = Problem::of_call(reading.walk.query().side.source, failure);
            return self.fail(&problem, fx);
        }
        fx.push(Effect::Warn(match reading.walk.total() {
            Some(_) => reading.watch.sentence(),
            None => "no rows were requested; the previous run is kept".to_owned(),
        }));
        self.reading = None;
        self.leaving = Some(Exit::Done);
    }
}

impl Reading {
    fn print(&mut self, step: &Step, only_new: bool, fx: &mut Vec<Effect>) {
        let watch = &mut self.watch;
        let rows: Vec<_> = step.rows.iter().filter(|row| watch.row(row.id, step.total) || !only_new).cloned().collect();
        fx.push(Effect::Status(String::new()));
        self.lines.print(&rows, json::row, cells, fx);
        let wanted = step.total.min(self.walk.wanted());
        fx.push(Effect::Status(format!("{} of {} read", grouped(self.walk.given()), counted(wanted, "row"))));
    }
}
