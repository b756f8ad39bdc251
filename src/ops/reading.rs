//! Pages of a search as a script reads them: asked for once it is known what is left out, written to the history, printed. At
//! the end it is said what is not as one would expect.

use super::console::Ending;
use super::output::{Format, OutputLines};
use super::problem::{CommandProblem, Exit};
use super::program::Run;
use super::rows::{ScoredRow, columns};
use super::sifting::Sifting;
use lode_core::{Row, SeenOwned, Source, counted, grouped, shell_line::flag};
use lode_engine::effect::{Effect, StoreCall, StoreFailure, Ticket};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::ledger::reading::seen_owned;
use lode_engine::flow::search::walk::{Walk, WalkEnd, WalkPage};

pub(super) struct Pages {
    pub walk: Walk,
    pub sifting: Sifting,
    pub lines: OutputLines,
    pub end: Option<WalkEnd>,
    /// Rows that were printed.
    pub printed: u64,
    /// On its way into the store: pages for the history, and what the script writes down besides.
    pub writing: Vec<Ticket>,
    is_scored: bool,
}

impl Pages {
    pub(super) fn new(sifting: Sifting, walk: Walk, format: Format, run: &Run<'_>) -> Pages {
        let is_scored = !run.session.profile().choosing.card.is_empty();
        let lines = OutputLines::new(format, &columns(is_scored));
        Pages { walk, sifting, lines, end: None, printed: 0, writing: Vec::new(), is_scored }
    }

    /// Asks for the rows.
    pub(super) fn start(&mut self, run: &mut Run<'_>) {
        self.walk.start(&mut run.cx());
        self.end = self.walk.end().cloned();
    }

    /// Writes the ids of a page to the history, and the contacts that it shows as owned to the books.
    pub(super) fn keep(&mut self, step: &WalkPage, run: &mut Run<'_>) {
        let (query, leg) = (self.walk.leg(step.leg), self.walk.query().has_legs());
        let side = query.side;
        let Some(purse) = run.session.purse_of(side.source).filter(|_| !step.rows.is_empty()) else { return };
        let contacts: Vec<SeenOwned> = match side.source {
            Source::Workspace => step.rows.iter().filter_map(|row| seen_owned(row, query)).collect(),
            Source::Data => Vec::new(),
        };
        self.writing.push(run.store(StoreCall::Searched {
            purse: purse.clone(),
            canonical: query.canonical(),
            total: step.total,
            offset: step.offset,
            ids: step.rows.iter().filter_map(|row| row.id()).chain(step.met.iter().copied()).collect(),
            leg,
        }));
        if !contacts.is_empty() {
            self.writing.push(run.store(StoreCall::Own { purse, corpus: side.corpus, contacts }));
        }
    }

    /// Hears what was written down; a failure is for the script to tell.
    pub(super) fn written(&mut self, arrival: &Arrival) -> Result<(), StoreFailure> {
        let Arrival::Stored(ticket, result) = arrival else { return Ok(()) };
        let writing = self.writing.len();
        self.writing.retain(|writing| writing != ticket);
        if self.writing.len() < writing { result.as_ref().map(drop).map_err(Clone::clone) } else { Ok(()) }
    }

    pub(super) fn print(&mut self, rows: &[Row], run: &mut Run<'_>) {
        run.fx.push(Effect::Status(String::new()));
        self.printed += rows.len() as u64;
        let rules = &run.session.choice_rules;
        let rows: Vec<ScoredRow<'_>> = rows.iter().map(|row| ScoredRow { row, rules }).collect();
        self.lines.print(&columns(self.is_scored), &rows, ScoredRow::line, run.fx);
    }

    /// Whether every row that matches was read.
    pub(super) fn is_complete(&self) -> bool {
        let all = || self.walk.total().is_some_and(|total| self.walk.given() + self.walk.met() >= total);
        match &self.end {
            Some(WalkEnd::All) => true,
            Some(WalkEnd::Enough) => all(),
            _ => false,
        }
    }

    /// The end, once all is written as well: `lode recover` may need it after a crash of the next command.
    pub(super) fn ended(&self) -> Option<&WalkEnd> {
        self.end.as_ref().filter(|_| self.writing.is_empty())
    }

    /// Says how it ended; `left_out` is what there is to say of rows that were not printed. A failure is the script's to tell.
    pub(super) fn close(
        &self,
        end: &WalkEnd,
        left_out: impl IntoIterator<Item = String>,
        fx: &mut Vec<Effect>,
    ) -> Ending {
        fx.push(Effect::Status(String::new()));
        fx.extend(warnings(&self.walk, end).into_iter().chain(left_out).map(Effect::Warn));
        match end {
            WalkEnd::Failed(failure) => Err(CommandProblem::of_call(self.walk.query().side.source, failure)),
            _ => Ok(Exit::Done),
        }
    }
}

/// What is not as one would expect of the rows that were printed.
pub(super) fn warnings(walk: &Walk, end: &WalkEnd) -> Vec<String> {
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
    if matches!(end, WalkEnd::Failed(_)) && walk.given() > 0 {
        warnings.push(format!("{} printed before it failed", counted(walk.given(), "row")));
    }
    warnings
}
