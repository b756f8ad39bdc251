//! The facts that decide which keys mean something now, and why one does not.

use strum::IntoStaticStr;

use lode_core::Source;

/// Where a key is looked up. A chain of contexts is asked from the narrowest to the widest. Named as in `[keys.NAME]` of the config.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Context {
    Always,
    #[strum(serialize = "everywhere")]
    App,
    #[strum(serialize = "lists")]
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
    #[strum(serialize = "question")]
    Ask,
    /// What every question that is not a text field shares.
    #[strum(serialize = "dialogs")]
    Dialog,
    Text,
}

impl Context {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The contexts in which a key is looked up, the narrowest first.
pub type Chain = &'static [Context];

/// The chains that occur: narrowest first. Every layer of the screen is in exactly one of them.
pub mod chain {
    use super::Context::{self, *};

    pub const RESULTS: &[Context] = &[Results, List, App, Always];
    pub const FILTERS: &[Context] = &[Filters, List, App, Always];
    pub const COLUMNS: &[Context] = &[Columns, Text, Always];
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

    /// Those of the screens first, in their order.
    pub const EVERY: &[&[Context]] = &[
        RESULTS, BASKET, OWNED, SAVED, COUNTS, JOBS, MATCH, FILTERS, COLUMNS, READING, MONEY, RECOVERY, SUMMARY, ASK,
        TEXT,
    ];
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Narrowest first.
    pub chain: Chain,
    pub source: Source,
    /// As `/me` told, `None` until it answered.
    pub may_unlock: Option<bool>,
    pub has_workspace: bool,
    pub has_data: bool,
    /// The cursor stands on a row that is here.
    pub has_row: bool,
    /// It is under way.
    pub row_runs: bool,
    /// That row carries an id.
    pub row_has_id: bool,
    /// It is owned.
    pub row_owned: bool,
    /// It leads to a website or profile, to an email, to a phone.
    pub leads: [bool; 3],
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
    /// What Enter does with what is typed or marked, in a word.
    pub enter: &'static str,
    /// Something lies over the screen.
    pub dialog_open: bool,
    /// A contact in full lies over the grid.
    pub contact_open: bool,
    /// The field that is open has lines to choose from.
    pub has_suggestions: bool,
    /// The list that is open has lines that can be marked.
    pub has_marks: bool,
    /// The review that is open counts rows with a risky status, or duplicates; and its choices can be changed.
    pub has_risky: bool,
    pub has_duplicates: bool,
    pub has_choice: bool,
    /// Some of its rows are suppressed, or could not be checked.
    pub has_suppressed: bool,
    /// The result of an order that is open has contacts.
    pub has_bought: bool,
    /// The review that is open has something to unlock.
    pub can_pay: bool,
    /// A batch with an unknown result may be sent again. Known while their panel is open.
    pub can_finish: bool,
}
