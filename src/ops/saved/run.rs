//! A saved search at work: its rows, which of them are new since it last ran, and what is kept for the next time.

use crate::ops::filters::not_ready;
use crate::ops::legs::may_run;
use crate::ops::output::summaries::{SavedSummaryLine, SavedSummaryShape};
use crate::ops::output::{Format, json};
use crate::ops::program::Run;
use crate::ops::reading::Pages;
use crate::ops::say::Problem;
use crate::ops::search::slow;
use crate::ops::sifting::Sifting;
use lode_core::credits::{counted, grouped};
use lode_core::row::Row;
use lode_engine::effect::Effect;
use lode_engine::flow::desk::Owner;
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::saved::merge::Entry;
use lode_engine::flow::saved::watch::Watch;
use lode_engine::flow::search::walk::{End, Step, Walk};
use lode_engine::flow::session::Event;

use super::refusal;

/// The rows of a saved search on their way.
pub(super) struct Reading {
    watch: Watch,
    pages: Pages,
    only_new: bool,
    /// A line that counts the result is printed at the end.
    summary: bool,
}

impl Reading {
    pub(super) fn new(
        entry: Entry,
        (limit, yes): (u64, bool),
        (only_new, summary): (bool, bool),
        format: Format,
        run: &mut Run<'_>,
    ) -> Result<Reading, Problem> {
        let query = entry.query.clone().map_err(|_| refusal(&entry.unreadable()))?;
        let name = entry.name;
        query.ready().map_err(|problem| not_ready(&problem))?;
        may_run(&query, yes)?;
        if !run.session.has(query.side.source) {
            return Err(Problem::no_key(query.side.source));
        }
        let profile = run.session.profile();
        let walk = Walk::new(Owner::Caller, query.clone(), limit, Priority::Person);
        let pages = Pages::new(profile, Sifting::new(profile, &query), walk, format);
        let watch = run.session.watch_saved(name, query, Owner::Caller, run.now, run.fx);
        Ok(Reading { watch, pages, only_new, summary })
    }

    /// First what the last run had, then what is left out, then the rows. Answers whether it is done.
    pub(super) fn hear(&mut self, event: Event, run: &mut Run<'_>) -> Result<bool, Problem> {
        if !self.watch.is_ready() {
            let Event::Answered(heard) = event else { return Ok(false) };
            if let Err(failure) = self.watch.hear(&heard) {
                run.fx.push(Effect::Warn(format!("the previous run cannot be read: {failure}")));
            }
            if self.watch.is_ready() {
                self.pages.sifting.start(run);
            }
            return self.go_on(run);
        }
        let Some(Event::Answered(heard)) = self.pages.sifting.hear(event, run)? else { return Ok(false) };
        if let Err(failure) = self.pages.written(&heard) {
            run.fx.push(Effect::Warn(format!("this run could not be recorded: {failure}")));
        }
        for step in self.pages.walk.hear(&heard, &mut run.cx()) {
            self.step(&step, run);
        }
        self.end(run)
    }

    /// Asks for the rows, once the last run and what is left out are known.
    pub(super) fn go_on(&mut self, run: &mut Run<'_>) -> Result<bool, Problem> {
        if !self.watch.is_ready() || !self.pages.begin(run) {
            return Ok(false);
        }
        run.fx.extend(slow(self.watch.query()).map(Effect::Warn));
        self.end(run)
    }

    /// It is done once all is read and written down.
    fn end(&mut self, run: &mut Run<'_>) -> Result<bool, Problem> {
        self.remember(run);
        let Some(end) = self.pages.ended() else { return Ok(false) };
        let left_out = self.pages.sifting.words(self.pages.walk.given());
        let problem = self.pages.close(end, left_out, run.fx);
        if self.summary {
            let summary = self.summary(run.session.desk().sent());
            run.fx.push(Effect::Print(json::line(&SavedSummaryLine { summary })));
        }
        if let Some(problem) = problem {
            return Err(problem);
        }
        run.fx.push(Effect::Warn(match self.pages.walk.total() {
            Some(_) => self.watch.sentence(),
            None => "no rows were requested; the previous run is kept".to_owned(),
        }));
        Ok(true)
    }

    fn summary(&self, requests: u64) -> SavedSummaryShape {
        let (walk, then) = (&self.pages.walk, self.watch.then());
        SavedSummaryShape {
            name: self.watch.name().to_owned(),
            total: walk.total(),
            read: walk.given(),
            shown: self.pages.printed,
            excluded: self.pages.sifting.excluded(),
            new: self.watch.news().0,
            last_total: then.map(|then| then.total),
            last_read: then.map(|then| then.read),
            requests,
            complete: self.pages.is_complete(),
        }
    }

    fn step(&mut self, step: &Step, run: &mut Run<'_>) {
        let Reading { watch, pages, only_new, .. } = self;
        pages.keep(step, run);
        watch.met(step.leg, &step.met);
        let is_shown = |row: &&Row| watch.row(step.leg, row.id(), step.total) || !*only_new;
        let rows: Vec<_> = step.rows.iter().filter(is_shown).cloned().collect();
        // An empty page says how many there are as well.
        watch.page(step.leg, &[], step.total);
        let rows = pages.sifting.keep(rows);
        pages.print(&rows, run);
        let wanted = pages.walk.total().unwrap_or(0).min(pages.walk.wanted());
        run.fx.push(Effect::Status(format!("{} of {} read", grouped(pages.walk.given()), counted(wanted, "row"))));
        pages.end.clone_from(&step.end);
    }

    /// What the rows were is kept for the next time once they are read, unless reading failed in the middle. Where nothing was
    /// asked, the last run stays the last.
    fn remember(&mut self, run: &mut Run<'_>) {
        let Reading { watch, pages, .. } = self;
        if pages.walk.total().is_none() || matches!(pages.end, None | Some(End::Failed(_))) {
            return;
        }
        let profile = run.session.profile();
        let purse = run.session.purse_of(watch.query().side.source).unwrap_or_else(|| profile.earlier());
        let Some(calls) = watch.remember(run.now.wall, &purse, &profile.name) else { return };
        pages.writing.extend(calls.into_iter().map(|call| run.store(call)));
        run.session.note_run(watch.name(), watch.total(), run.now, run.fx);
    }
}
