//! A saved search at work: its rows, which of them are new since it last ran, and what is kept for the next time.

use crate::cli::args::filters::not_ready;
use crate::cli::exit::Exit;
use crate::cli::output::Lines;
use crate::cli::program::Run;
use crate::cli::say::Problem;
use crate::cli::scripts::history::keep;
use crate::cli::scripts::legs::may_run;
use crate::cli::scripts::rows::{scored_cells, scored_columns};
use crate::cli::scripts::search::{slow, warnings};
use crate::cli::scripts::sifting::{Sifting, row_line};
use crate::domain::credits::{counted, grouped};
use crate::domain::query::Query;
use crate::domain::row::Row;
use crate::effect::store::{Snapshot, StoreCall, StoreReply};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::{Heard, Owner};
use crate::flow::limiter::Priority;
use crate::flow::saved::Refused;
use crate::flow::saved::merge::Entry;
use crate::flow::saved::watch::Watch;
use crate::flow::search::walk::{End, Step, Walk};
use crate::flow::session::Event;

use super::{Act, Saved};

/// The rows of a saved search on their way.
pub(super) struct Reading {
    /// What the last run had, while the store is asked for it.
    before: Vec<Ticket>,
    /// Of each leg.
    snapshots: Vec<Option<Snapshot>>,
    watch: Watch,
    walk: Walk,
    lines: Lines,
    writing: Vec<Ticket>,
    sifting: Sifting,
    /// What the last run had is known.
    known: bool,
    /// The rows are asked for.
    begun: bool,
    end: Option<End>,
}

impl Saved {
    pub(super) fn begin_reading(&mut self, entry: Entry, (limit, yes): (u64, bool), run: &mut Run<'_>) {
        let Some(query) = entry.query else {
            return self.refuse(&Refused::Unreadable(entry.name), run.fx);
        };
        if let Err(problem) = query.ready() {
            return self.fail(&not_ready(&problem), run.fx);
        }
        if let Err(problem) = may_run(&query, yes) {
            return self.fail(&problem, run.fx);
        }
        if !run.session.has(query.side.source) {
            return self.fail(&Problem::no_key(query.side.source), run.fx);
        }
        let Some(purse) = run.session.purse_of(query.side.source) else { return };
        let (profile, name) = (run.session.profile().name.clone(), entry.name);
        let asking = |leg: &Query| {
            let (purse, profile, name) = (purse.clone(), profile.clone(), name.clone());
            run.store(StoreCall::SnapshotOf { purse, profile, name, query: leg.canonical() })
        };
        let before: Vec<Ticket> = query.legs().iter().map(asking).collect();
        let sifting = Sifting::new(run.session.profile(), &query);
        self.reading = Some(Reading {
            sifting,
            begun: false,
            known: false,
            snapshots: vec![None; before.len()],
            before,
            walk: Walk::new(Owner::Caller, query.clone(), limit, Priority::Person),
            watch: Watch::new(name, query, Vec::new()),
            lines: Lines::new(self.format, scored_columns(run.session.profile())),
            writing: Vec::new(),
            end: None,
        });
    }

    /// First what the last run had, then what is left out, then the rows.
    pub(super) fn hear_answer(&mut self, event: Event, run: &mut Run<'_>) {
        let Some(reading) = &mut self.reading else { return };
        let event = if reading.known { reading.sifting.hear(event, run) } else { Ok(Some(event)) };
        match event {
            Ok(Some(Event::Answered(heard))) => self.hear_reading(&heard, run),
            Ok(_) => {}
            Err(problem) => self.fail(&problem, run.fx),
        }
    }

    fn hear_reading(&mut self, heard: &Heard, run: &mut Run<'_>) {
        let Some(reading) = &mut self.reading else { return };
        match heard {
            Heard::Stored(ticket, result) if reading.before.contains(ticket) => {
                let at = reading.before.iter().position(|asked| asked == ticket).unwrap_or(0);
                match result {
                    Ok(StoreReply::Snapshot(before)) => reading.snapshots[at].clone_from(before),
                    Ok(_) => {}
                    Err(failure) => {
                        run.fx.push(Effect::Warn(format!("the previous run cannot be read: {failure}")));
                    }
                }
                // The store answers in the order in which it was asked.
                if at + 1 < reading.before.len() {
                    return;
                }
                let (name, query) = (reading.watch.name().to_owned(), reading.watch.query().clone());
                reading.watch = Watch::new(name, query, std::mem::take(&mut reading.snapshots));
                reading.known = true;
                reading.sifting.start(run);
                self.go_on_reading(run);
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
                let only_new = matches!(self.act, Act::Run { only_new: true, .. });
                for step in reading.walk.hear(heard, &mut run.cx()) {
                    if !step.rows.is_empty() {
                        reading.writing.extend(keep(&reading.walk, &step, run));
                    }
                    reading.print(&step, only_new, run);
                    reading.end = step.end;
                }
                if reading.end.is_some() {
                    self.end_reading(run);
                }
            }
        }
    }

    /// Asks for the rows, once the last run and what is left out are known.
    pub(super) fn go_on_reading(&mut self, run: &mut Run<'_>) {
        let Some(reading) = &mut self.reading else { return };
        reading.sifting.advance(run);
        if reading.begun || !reading.known || !reading.sifting.is_ready() {
            return;
        }
        reading.begun = true;
        if let Some(warning) = slow(reading.walk.query()) {
            run.fx.push(Effect::Warn(warning));
        }
        reading.walk.start(&mut run.cx());
        if let Some(end) = reading.walk.end().cloned() {
            reading.end = Some(end);
            self.end_reading(run);
        }
    }

    /// The rows are read: what they were is kept for the next time, unless reading failed in the middle.
    fn end_reading(&mut self, run: &mut Run<'_>) {
        let Some(reading) = &mut self.reading else { return };
        // Where nothing was asked, the last run stays the last.
        if reading.walk.total().is_some()
            && !matches!(reading.end, Some(End::Failed(_)))
            && let Some(legs) = reading.watch.remember(run.now.wall)
        {
            let (name, total) = (reading.watch.name().to_owned(), reading.watch.total());
            let source = reading.watch.query().side.source;
            let purse = run.session.purse_of(source).unwrap_or_else(|| run.session.profile().earlier());
            for (query, snapshot) in legs {
                let (purse, profile, name) = (purse.clone(), run.session.profile().name.clone(), name.clone());
                reading.writing.push(run.store(StoreCall::Snapshot { purse, profile, name, query, snapshot }));
            }
            run.session.note_run(&name, total, run.now, run.fx);
        }
        self.leave_reading(run.fx);
    }

    fn leave_reading(&mut self, fx: &mut Vec<Effect>) {
        let Some(reading) = self.reading.as_ref().filter(|reading| reading.writing.is_empty()) else { return };
        let Some(end) = &reading.end else { return };
        fx.push(Effect::Status(String::new()));
        fx.extend(warnings(&reading.walk, end).into_iter().map(Effect::Warn));
        fx.extend(reading.sifting.words(reading.walk.given()).map(Effect::Warn));
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
    fn print(&mut self, step: &Step, only_new: bool, run: &mut Run<'_>) {
        let watch = &mut self.watch;
        watch.met(step.leg, &step.met);
        let is_shown = |row: &&Row| watch.row(step.leg, row.id(), step.total) || !only_new;
        let rows: Vec<_> = step.rows.iter().filter(is_shown).cloned().collect();
        // An empty page says how many there are as well.
        watch.page(step.leg, &[], step.total);
        let rows = self.sifting.keep(rows);
        let fx = &mut *run.fx;
        fx.push(Effect::Status(String::new()));
        let taste = run.session.taste();
        self.lines.print(&rows, |row| row_line(taste, row), |row| scored_cells(taste, row), fx);
        let wanted = self.walk.total().unwrap_or(0).min(self.walk.wanted());
        fx.push(Effect::Status(format!("{} of {} read", grouped(self.walk.given()), counted(wanted, "row"))));
    }
}
