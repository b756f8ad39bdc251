//! What a script has to know before it can leave rows out and score them: the suppression lists that are named, and of which
//! companies a contact is owned. What was left out is counted here and said at the end.

use super::output::json;
use super::problem::{CommandProblem, Exit};
use super::program::Run;
use super::purse_lookup::Books;
use lode_core::{ExclusionKind, Query, Row, Side, counted, grouped};
use lode_engine::effect::{Effect, Profile, StoreCall, StoreReply};
use lode_engine::flow::choose::{ChoiceRules, ExclusionFilter};
use lode_engine::flow::session::Event;

pub(super) struct Sifting {
    side: Side,
    exclusion_filter: ExclusionFilter,
    books: Option<Books>,
    /// The suppression lists are named, and not here yet.
    lists: bool,
    owned: bool,
    excluded: u64,
}

impl Sifting {
    pub(super) fn new(profile: &Profile, query: &Query) -> Sifting {
        let asks = profile.choosing.card.asks_owned() && profile.workspace.is_some();
        Sifting {
            side: query.side,
            exclusion_filter: ExclusionFilter::new(&query.not, &[]),
            books: asks.then(|| Books::new(profile, |purse| StoreCall::Owned { purse, corpus: None })),
            lists: query.not.values(ExclusionKind::List).next().is_some(),
            owned: !asks,
            excluded: 0,
        }
    }

    pub(super) fn start(&mut self, run: &mut Run<'_>) {
        if self.lists {
            run.session.read_lists(run.now, run.fx);
        }
        if run.session.profile().choosing.card.asks_owned() && self.books.is_none() {
            let words = "the score leaves out `owned`: without a Workspace key it is not known what is owned";
            run.fx.push(Effect::Warn(words.to_owned()));
        }
        if let Some(books) = &mut self.books {
            books.start(run);
        }
    }

    /// Whether all is known.
    pub(super) fn is_ready(&self) -> bool {
        !self.lists && self.owned
    }

    /// Hears what was asked; gives the event back where it is another's.
    pub(super) fn handle(&mut self, event: Event, run: &mut Run<'_>) -> Result<Option<Event>, CommandProblem> {
        if let Event::Lists(read) = &event {
            read.as_ref().map_err(CommandProblem::of_store)?;
            self.lists = false;
            let lists = run.session.lists().all();
            if let Some(name) = self
                .exclusion_filter
                .of()
                .values(ExclusionKind::List)
                .find(|name| lists.iter().all(|l| l.list != *name))
            {
                let words = format!("there is no suppression list `{name}`");
                let hint = match run.session.profile().workspace {
                    Some(_) => "`lode suppress list` shows them",
                    None => "the lists belong to the Workspace: `lode doctor` checks its key",
                };
                return Err(CommandProblem::new(Exit::Usage, words, hint));
            }
            self.exclusion_filter = ExclusionFilter::new(&self.exclusion_filter.of().clone(), lists);
            return Ok(None);
        }
        match &mut self.books {
            Some(books) if !self.owned => {
                if let Some(StoreReply::Owned(owned)) = books.handle(event, run) {
                    run.session.choice_rules.set_owned(1, owned.iter());
                    self.owned = true;
                }
                Ok(None)
            }
            _ => Ok(Some(event)),
        }
    }

    pub(super) fn advance(&mut self, run: &mut Run<'_>) {
        if let Some(books) = &mut self.books {
            books.advance(run);
        }
    }

    /// The rows that are not left out.
    pub(super) fn keep(&mut self, rows: Vec<Row>) -> Vec<Row> {
        let before = rows.len();
        let kept: Vec<Row> =
            rows.into_iter().filter(|row| self.exclusion_filter.why(self.side, row).is_none()).collect();
        self.excluded += (before - kept.len()) as u64;
        kept
    }

    pub(super) fn is_empty(&self) -> bool {
        self.exclusion_filter.is_empty()
    }

    /// Rows that were left out.
    pub(super) fn excluded(&self) -> u64 {
        self.excluded
    }

    /// What was left out, as a warning: totals count it.
    pub(super) fn words(&self, read: u64) -> Option<String> {
        self.summary(self.excluded, read)
    }

    /// The same where another counted.
    pub(super) fn summary(&self, excluded: u64, read: u64) -> Option<String> {
        (!self.is_empty()).then(|| {
            format!("{} of the {} read excluded; the total counts them", grouped(excluded), counted(read, "row"))
        })
    }
}

/// A row as JSON, with its score where there are rules for one.
pub(super) fn row_line(choice_rules: &ChoiceRules, row: &Row) -> String {
    if choice_rules.has_score() { json::scored(row, &choice_rules.score(row)) } else { json::row(row) }
}
