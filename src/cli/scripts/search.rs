//! `lode search`: pages of a search until there are as many rows as were asked for.
//!
//! Rows are printed as they come, unless the best are chosen: then once all are read that they are chosen from. Each page is
//! written to the history with the ids it showed, so that a free look later knows where an id was seen (`lode recover`).

use crate::cli::exit::Exit;
use crate::cli::output::{Format, Lines};
use crate::cli::program::{Run, Script};
use crate::cli::say::{self, Problem};
use crate::domain::contact::Source;
use crate::domain::credits::{counted, grouped};
use crate::domain::query::{Query, Speed};
use crate::domain::row::Row;
use crate::domain::shell_line::flag;
use crate::domain::time::Mono;
use crate::effect::profile::Profile;
use crate::effect::{Effect, Ticket};
use crate::flow::desk::{Heard, Owner};
use crate::flow::limiter::Priority;
use crate::flow::search::walk::{End, Step, Walk};
use crate::flow::session::Event;

use super::best::Best;
use super::clock::Clock;
use super::history::keep;
use super::legs;
use super::rows::{scored_cells, scored_columns};
use super::sifting::{Sifting, row_line};

pub struct Search {
    walk: Walk,
    lines: Lines,
    clock: Clock,
    sifting: Sifting,
    best: Best,
    /// What the best are chosen from.
    rows: Vec<Row>,
    /// How many rows are printed at most, and how many were.
    limit: u64,
    printed: u64,
    begun: bool,
    /// Pages on their way into the history.
    kept: Vec<Ticket>,
    end: Option<End>,
    /// What it takes was told.
    announced: bool,
    history_failed: bool,
    /// No row is wanted, only how many there are: a page of one says it.
    counts: bool,
}

impl Search {
    pub fn new(profile: &Profile, query: Query, limit: u64, best: Best, format: Format) -> Search {
        let sifting = Sifting::new(profile, &query);
        let wanted = match limit {
            0 => 1,
            _ if best.chooses() => best.among,
            limit if !sifting.is_empty() => best.among.max(limit),
            limit => limit,
        };
        let walk = Walk::new(Owner::Caller, query.clone(), wanted, Priority::Person);
        Search {
            sifting,
            best,
            rows: Vec::new(),
            limit,
            printed: 0,
            begun: false,
            walk: if limit == 0 || wanted == u64::MAX { walk.opening_first() } else { walk },
            lines: Lines::new(format, scored_columns(profile)),
            clock: Clock::default(),
            kept: Vec::new(),
            end: None,
            announced: false,
            history_failed: false,
            counts: limit == 0,
        }
    }

    fn step(&mut self, step: Step, run: &mut Run<'_>) {
        if let Some(words) = legs::plan(&self.walk).filter(|_| !self.announced && !self.counts) {
            self.announced = true;
            run.fx.push(Effect::Status(String::new()));
            run.fx.push(Effect::Warn(words));
        }
        self.end.clone_from(&step.end);
        if self.counts {
            return;
        }
        if !step.rows.is_empty() {
            self.kept.extend(keep(&self.walk, &step, run));
        }
        let rows = self.sifting.keep(step.rows);
        if !self.best.chooses() {
            return self.print(rows, run);
        }
        self.rows.extend(rows);
        if self.end.as_ref().is_some_and(|end| !matches!(end, End::Failed(_))) {
            let (rows, words) = self.best.of_rows(&self.rows, self.limit, run.session.taste());
            self.rows.clear();
            run.fx.push(Effect::Warn(format!(
                "the best {} of {} read{words}",
                grouped(rows.len() as u64),
                counted(self.walk.given(), "row")
            )));
            self.print(rows, run);
        }
    }

    fn print(&mut self, mut rows: Vec<Row>, run: &mut Run<'_>) {
        let left = self.limit - self.printed;
        rows.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        if rows.is_empty() {
            return;
        }
        self.printed += rows.len() as u64;
        run.fx.push(Effect::Status(String::new()));
        let taste = run.session.taste();
        self.lines.print(&rows, |row| row_line(taste, row), |row| scored_cells(taste, row), run.fx);
        if self.printed == self.limit && self.end.is_none() {
            self.walk.stop(&mut run.cx());
            self.end = Some(End::Enough);
        }
    }

    /// Begins to read, once it is known what is left out.
    fn begin(&mut self, run: &mut Run<'_>) {
        if self.begun || !self.sifting.is_ready() {
            return;
        }
        self.begun = true;
        self.walk.start(&mut run.cx());
        if self.stops_early() {
            self.walk.hold();
        }
        self.end = self.walk.end().cloned();
        self.leave(run.fx);
    }

    /// How many pages it takes is known page by page: none is asked for in advance.
    fn stops_early(&self) -> bool {
        !self.sifting.is_empty() && !self.best.chooses() && !self.counts
    }

    /// Leaves once the history is written as well: `lode recover` may need it after a crash of the next command.
    fn leave(&mut self, fx: &mut Vec<Effect>) {
        let Some(end) = &self.end else { return };
        if !self.kept.is_empty() {
            return;
        }
        fx.push(Effect::Status(String::new()));
        for warning in warnings(&self.walk, end) {
            fx.push(Effect::Warn(warning));
        }
        if !self.counts {
            fx.extend(self.sifting.words(self.walk.given()).map(Effect::Warn));
        } else if !self.sifting.is_empty() {
            fx.push(Effect::Warn("the total counts excluded contacts".to_owned()));
        }
        let exit = if let End::Failed(failure) = end {
            let problem = Problem::of_call(self.walk.query().side.source, failure);
            problem.say(fx);
            problem.exit
        } else {
            if self.lines.is_table() {
                fx.push(Effect::Warn(summary(&self.walk, self.counts, self.printed)));
            }
            Exit::Done
        };
        fx.push(Effect::Quit(exit.code()));
    }
}

impl Script for Search {
    fn reads_pages(&self) -> bool {
        true
    }

    fn start(&mut self, run: &mut Run<'_>) {
        let source = self.walk.query().side.source;
        if !run.session.has(source) {
            return Problem::no_key(source).end(run.fx);
        }
        if let Some(warning) = slow(self.walk.query()) {
            run.fx.push(Effect::Warn(warning));
        }
        self.clock.start(run.now);
        self.sifting.start(run);
        self.begin(run);
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        if !self.begun {
            self.sifting.advance(run);
            self.begin(run);
        }
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        let event = match self.sifting.hear(event, run) {
            Ok(event) => event,
            Err(problem) => return problem.end(run.fx),
        };
        let Some(Event::Answered(heard)) = event else { return };
        let steps = self.walk.hear(&heard, &mut run.cx());
        for step in steps {
            if !matches!(self.end, Some(End::Enough)) {
                self.step(step, run);
            }
        }
        if self.stops_early() && self.end.is_none() && self.begun {
            self.walk.go_on(&mut run.cx());
            self.walk.hold();
        }
        if let Heard::Stored(ticket, result) = heard {
            self.kept.retain(|kept| *kept != ticket);
            if let (Err(failure), false) = (result, self.history_failed) {
                self.history_failed = true;
                run.fx.push(Effect::Warn(format!("not saved in the history: {failure}")));
            }
        }
        self.leave(run.fx);
    }

    fn deadline(&self) -> Option<Mono> {
        self.end.is_none().then_some(self.clock.next()).flatten()
    }

    fn wake(&mut self, run: &mut Run<'_>) {
        let waited = say::seconds(self.clock.tick(run.now));
        run.fx.push(Effect::Status(match self.walk.total() {
            Some(total) => {
                let wanted = total.min(self.walk.wanted());
                format!("{} of {}, {waited}", grouped(self.walk.given()), counted(wanted, "row"))
            }
            None => format!("searching, {waited}"),
        }));
    }
}

/// Said before a search that will take long (S5). The shell warns and never refuses.
pub fn slow(query: &Query) -> Option<String> {
    (query.speed() == Speed::Slow).then(|| {
        let faster = match query.side.source {
            Source::Workspace => "--industry",
            Source::Data => "--query or --industry",
        };
        format!(
            "only location or email type is set, so the service scans the whole corpus, which is slow; add {faster}"
        )
    })
}

/// What is not as one would expect of the rows that were printed.
pub fn warnings(walk: &Walk, end: &End) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(moved) = walk.moved() {
        warnings.push(format!(
            "the result changed while it was read: {} matched at first, then {}; no contact is shown twice",
            grouped(moved.was),
            grouped(moved.is)
        ));
    }
    warnings.extend(end.cut_short());
    if walk.is_uncounted() {
        warnings.push("the service sent an impossible total, so its rows were read to the end".to_owned());
    }
    if walk.total() == Some(0) {
        warnings.extend(walk.query().likely().into_iter().map(|(filter, likely)| {
            format!("no matches for {}; did you mean --{} {likely}?", walk.query().words(), flag(filter))
        }));
    }
    if walk.unseen() > 0 {
        warnings.push(format!(
            "{} of {} read; {} skipped, because the service sent short pages",
            grouped(walk.given()),
            counted(walk.total().unwrap_or(0), "row"),
            grouped(walk.unseen())
        ));
    }
    if matches!(end, End::Failed(_)) && walk.given() > 0 {
        warnings.push(format!("{} printed before it failed", counted(walk.given(), "row")));
    }
    warnings
}

fn summary(walk: &Walk, counts: bool, printed: u64) -> String {
    let total = walk.total().unwrap_or(0);
    if total == 0 {
        return format!("no matches for {}", walk.query().words());
    }
    let took = walk.took_ms().map(|ms| format!(", took {ms} ms")).unwrap_or_default();
    let left = if counts { String::new() } else { legs::left(walk) };
    format!("{} of {}{took}{left}", grouped(printed), counted(total, "row"))
}
