//! The facts that decide which keys mean something now, and why one does not.

use crate::domain::contact::Source;

/// Where a key is looked up. A chain of contexts is asked from the narrowest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    Always,
    App,
    List,
    Results,
    Filters,
    Columns,
    Basket,
    Owned,
    Saved,
    Counts,
    Jobs,
    Match,
    Money,
    Recovery,
    Summary,
    Ask,
    /// What every question that is not a text field shares.
    Dialog,
    Text,
}

impl Context {
    pub const ALL: [Context; 18] = [
        Context::Always,
        Context::App,
        Context::List,
        Context::Results,
        Context::Filters,
        Context::Columns,
        Context::Basket,
        Context::Owned,
        Context::Saved,
        Context::Counts,
        Context::Jobs,
        Context::Match,
        Context::Money,
        Context::Recovery,
        Context::Summary,
        Context::Ask,
        Context::Dialog,
        Context::Text,
    ];

    /// As in `[keys.NAME]` of the config.
    pub fn name(self) -> &'static str {
        match self {
            Context::Always => "always",
            Context::App => "everywhere",
            Context::List => "lists",
            Context::Results => "results",
            Context::Filters => "filters",
            Context::Columns => "columns",
            Context::Basket => "basket",
            Context::Owned => "owned",
            Context::Saved => "saved",
            Context::Counts => "counts",
            Context::Jobs => "jobs",
            Context::Match => "match",
            Context::Money => "money",
            Context::Recovery => "recovery",
            Context::Summary => "summary",
            Context::Ask => "question",
            Context::Dialog => "dialogs",
            Context::Text => "text",
        }
    }

    /// As a heading of the help.
    pub fn title(self) -> &'static str {
        match self {
            Context::Always => "Always",
            Context::App => "Everywhere",
            Context::List => "Lists",
            Context::Results => "Results",
            Context::Filters => "Filter pane",
            Context::Columns => "Columns",
            Context::Basket => "Basket",
            Context::Owned => "Owned",
            Context::Saved => "Saved",
            Context::Counts => "Counts",
            Context::Jobs => "Jobs",
            Context::Match => "Match",
            Context::Money => "Money",
            Context::Recovery => "Recovery",
            Context::Summary => "Summary of an unlock",
            Context::Ask => "Question",
            Context::Dialog => "Dialogs",
            Context::Text => "Text field",
        }
    }
}

/// The chains that occur: narrowest first. Every layer of the screen is in exactly one of them.
pub mod chain {
    use super::Context::{self, *};

    pub const RESULTS: &[Context] = &[Results, List, App, Always];
    pub const FILTERS: &[Context] = &[Filters, List, App, Always];
    pub const COLUMNS: &[Context] = &[Columns, List, App, Always];
    pub const BASKET: &[Context] = &[Basket, List, App, Always];
    pub const OWNED: &[Context] = &[Owned, List, App, Always];
    pub const SAVED: &[Context] = &[Saved, List, App, Always];
    pub const COUNTS: &[Context] = &[Counts, List, App, Always];
    pub const JOBS: &[Context] = &[Jobs, List, App, Always];
    pub const MATCH: &[Context] = &[Match, List, App, Always];
    /// Panes and overlays that are only read: they scroll.
    pub const READING: &[Context] = &[List, App, Always];
    pub const MONEY: &[Context] = &[Money, Dialog, Always];
    pub const RECOVERY: &[Context] = &[Recovery, Dialog, Always];
    pub const SUMMARY: &[Context] = &[Summary, List, App, Always];
    pub const ASK: &[Context] = &[Ask, Dialog, Always];
    pub const TEXT: &[Context] = &[Text, Always];

    pub const EVERY: &[&[Context]] = &[
        RESULTS, FILTERS, COLUMNS, BASKET, OWNED, SAVED, COUNTS, JOBS, MATCH, READING, MONEY, RECOVERY, SUMMARY, ASK,
        TEXT,
    ];
}

/// Why a command does nothing now: one sentence, shown instead of the deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason(pub &'static str);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Narrowest first.
    pub chain: &'static [Context],
    pub source: Source,
    /// The scopes that `/me` told, `None` until it answered.
    pub may_search: Option<bool>,
    pub may_unlock: Option<bool>,
    pub has_workspace: bool,
    pub has_data: bool,
    /// The cursor stands on a row that is here.
    pub has_row: bool,
    /// That row carries an id.
    pub row_has_id: bool,
    pub has_results: bool,
    pub staged: u64,
    pub can_undo: bool,
    pub can_redo: bool,
    pub has_error: bool,
    pub has_request: bool,
    /// The row under the cursor carries a link.
    pub has_link: bool,
    /// A sandbox of this very process: nothing is lost by trying.
    pub demo: bool,
    /// Something lies over the screen.
    pub dialog_open: bool,
    /// A contact in full lies over the grid.
    pub contact_open: bool,
    /// The field that is open has lines to choose from.
    pub has_suggestions: bool,
    /// The review that is open counts rows with a risky status, or duplicates; and its choices can be changed.
    pub has_risky: bool,
    pub has_duplicates: bool,
    pub has_choice: bool,
    /// Some of its rows are suppressed, or could not be checked.
    pub has_suppressed: bool,
}

impl Default for Situation {
    fn default() -> Situation {
        Situation {
            chain: chain::RESULTS,
            source: Source::Workspace,
            may_search: None,
            may_unlock: None,
            has_workspace: true,
            has_data: true,
            has_row: true,
            row_has_id: true,
            has_results: true,
            staged: 1,
            can_undo: true,
            can_redo: true,
            has_error: true,
            has_request: true,
            has_link: true,
            demo: true,
            dialog_open: false,
            contact_open: false,
            has_suggestions: true,
            has_risky: true,
            has_duplicates: true,
            has_choice: true,
            has_suppressed: true,
        }
    }
}
