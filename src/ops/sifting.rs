//! What a script has to know before it can leave rows out and score them: the suppression lists that are named, and of which
//! companies a contact is owned. What was left out is counted here and said at the end.

use super::console::Console;
use super::problem::{CommandProblem, Exit};
use lode_core::{ExclusionKind, Query, Row, Side, counted, grouped};
use lode_engine::flow::choose::ExclusionFilter;

pub(super) struct Sifting {
    side: Side,
    exclusion_filter: ExclusionFilter,
    /// Rows that were left out.
    pub(super) excluded: u64,
}

impl Sifting {
    /// Reads what has to be known first.
    pub(super) async fn read(console: &Console, query: &Query) -> Result<Sifting, CommandProblem> {
        let mut exclusion_filter = ExclusionFilter::new(&query.not, &[]);
        let (asks_owned, has_workspace) = console
            .with(|run| {
                let profile = run.session.profile();
                (profile.choosing.card.asks_owned(), profile.workspace.is_some())
            })
            .await;
        if query.not.values(ExclusionKind::List).next().is_some() {
            let lists = console.lists().await?;
            let mut named = query.not.values(ExclusionKind::List);
            if let Some(name) = named.find(|name| lists.iter().all(|list| list.list != *name)) {
                let words = format!("there is no suppression list `{name}`");
                let hint = if has_workspace {
                    "`lode suppress list` shows them"
                } else {
                    "the lists belong to the Workspace: `lode doctor` checks its key"
                };
                return Err(CommandProblem::new(Exit::Usage, words, hint));
            }
            exclusion_filter = ExclusionFilter::new(&query.not, &lists);
        }
        if asks_owned && has_workspace {
            let owned = console.owned(None).await?;
            console.with(move |run| run.session.choice_rules.set_owned(1, owned.iter())).await;
        } else if asks_owned {
            console.warn("the score leaves out `owned`: without a Workspace key it is not known what is owned");
        }
        Ok(Sifting { side: query.side, exclusion_filter, excluded: 0 })
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

    /// What was left out, as a warning: totals count it.
    pub(super) fn words(&self, excluded: u64, read: u64) -> Option<String> {
        (!self.is_empty()).then(|| {
            format!("{} of the {} read excluded; the total counts them", grouped(excluded), counted(read, "row"))
        })
    }
}
