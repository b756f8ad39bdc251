//! `lode search`: pages of a search until there are as many rows as were asked for.
//!
//! Rows are printed as they come. Each page is written to the history with the ids it showed, so that a free look later knows
//! where an id was seen (`lode recover`).

use std::time::Duration;

use crate::cli::exit::Exit;
use crate::cli::output::table::{Column, text};
use crate::cli::output::{Format, Lines, json};
use crate::cli::program::{Run, Script};
use crate::cli::say::{self, Problem};
use crate::domain::contact::Source;
use crate::domain::credits::{counted, grouped};
use crate::domain::owned::SeenOwned;
use crate::domain::query::{Query, Speed};
use crate::domain::row::{Known, Row};
use crate::domain::shell_line::flag;
use crate::domain::time::{Mono, Now};
use crate::effect::profile::Profile;
use crate::effect::store::StoreCall;
use crate::effect::{Effect, Ticket};
use crate::flow::desk::{Heard, Owner};
use crate::flow::ledger::reading::seen_owned;
use crate::flow::limiter::Priority;
use crate::flow::search::walk::{End, Step, Walk};
use crate::flow::session::Event;

use super::legs;

pub struct Search {
    has_key: bool,
    walk: Walk,
    lines: Lines,
    clock: Clock,
    /// Pages on their way into the history.
    kept: Vec<Ticket>,
    end: Option<End>,
    /// What it takes was told.
    announced: bool,
    history_failed: bool,
    /// No row is wanted, only how many there are: a page of one says it.
    counts: bool,
}

/// The columns of rows, for people.
pub fn columns() -> Vec<Column> {
    vec![
        text("ID", 4, 20),
        text("NAME", 18, 28),
        text("TITLE", 12, 36),
        text("COMPANY", 12, 32),
        text("STATE", 2, 14),
        text("EMAIL", 16, 40),
        text("PHONE", 10, 18).detail(),
    ]
}

/// A row as cells of [`columns`].
pub fn cells(row: &Row) -> Vec<String> {
    let known = |column| row.known(column).to_owned();
    vec![
        row.id.map_or_else(|| "?".to_owned(), |id| id.to_string()),
        row.name(),
        known(Known::Title),
        known(Known::Company),
        known(Known::State),
        known(Known::Email),
        known(Known::Phone),
    ]
}

impl Search {
    pub fn new(profile: &Profile, query: Query, limit: u64, format: Format) -> Search {
        let walk = Walk::new(Owner::Caller, query.clone(), limit.max(1), Priority::Person);
        Search {
            has_key: has_key(profile, query.side.source),
            walk: if limit == 0 || limit == u64::MAX { walk.opening_first() } else { walk },
            lines: Lines::new(format, columns()),
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
        if !step.rows.is_empty() && !self.counts {
            run.fx.push(Effect::Status(String::new()));
            self.lines.print(&step.rows, json::row, cells, run.fx);
            self.kept.extend(keep(&self.walk, &step, run));
        }
        self.end = step.end;
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
        let exit = if let End::Failed(failure) = end {
            let problem = Problem::of_call(self.walk.query().side.source, failure);
            problem.say(fx);
            problem.exit
        } else {
            if self.lines.is_table() {
                fx.push(Effect::Warn(summary(&self.walk, self.counts)));
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
        if !self.has_key {
            return Problem::no_key(self.walk.query().side.source).end(run.fx);
        }
        if let Some(warning) = slow(self.walk.query()) {
            run.fx.push(Effect::Warn(warning));
        }
        self.clock.start(run.now);
        self.walk.start(&mut run.cx());
        self.end = self.walk.end().cloned();
        self.leave(run.fx);
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Answered(heard) = event else { return };
        for step in self.walk.hear(&heard, &mut run.cx()) {
            self.step(step, run);
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
        self.end.is_none().then_some(self.clock.next).flatten()
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

pub fn has_key(profile: &Profile, source: Source) -> bool {
    match source {
        Source::Workspace => profile.workspace.is_some(),
        Source::Data => profile.data.is_some(),
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

/// Writes the ids of a page to the history, and the contacts that it shows as owned to the books.
pub fn keep(walk: &Walk, step: &Step, run: &mut Run<'_>) -> Vec<Ticket> {
    let (query, leg) = (walk.leg(step.leg), walk.query().has_legs());
    let side = query.side;
    let Some(purse) = run.session.purse_of(side.source) else { return Vec::new() };
    let contacts: Vec<SeenOwned> = match side.source {
        Source::Workspace => step.rows.iter().filter_map(|row| seen_owned(row, query)).collect(),
        Source::Data => Vec::new(),
    };
    let searched = StoreCall::Searched {
        purse: purse.clone(),
        canonical: query.canonical(),
        total: step.total,
        offset: step.offset,
        ids: step.rows.iter().filter_map(|row| row.id).chain(step.met.iter().copied()).collect(),
        leg,
    };
    let own = (!contacts.is_empty()).then(|| StoreCall::Own { purse, corpus: side.corpus, contacts });
    [Some(searched), own].into_iter().flatten().map(|call| run.store(call)).collect()
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

fn summary(walk: &Walk, counts: bool) -> String {
    let total = walk.total().unwrap_or(0);
    if total == 0 {
        return format!("no matches for {}", walk.query().words());
    }
    let took = walk.took_ms().map(|ms| format!(", took {ms} ms")).unwrap_or_default();
    let given = if counts { 0 } else { walk.given() };
    let left = if counts { String::new() } else { legs::left(walk) };
    format!("{} of {}{took}{left}", grouped(given), counted(total, "row"))
}

/// Seconds that pass while a person waits, told once each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    began: Mono,
    next: Option<Mono>,
}

impl Clock {
    pub fn start(&mut self, now: Now) {
        self.began = now.mono;
        self.next = Some(now.mono.after(Duration::from_secs(1)));
    }

    pub fn next(&self) -> Option<Mono> {
        self.next
    }

    /// How long it has been, and the next second.
    pub fn tick(&mut self, now: Now) -> Duration {
        self.next = Some(now.mono.after(Duration::from_secs(1)));
        now.mono.since(self.began)
    }
}
