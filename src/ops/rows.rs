//! Rows of a service as lines of a table.

use super::output::{OutputColumn, detail, json, number, text};
use lode_core::{Known, Row};
use lode_engine::flow::choose::ChoiceRules;

/// A row with its score, where there are rules for one.
pub(super) struct ScoredRow<'a> {
    pub(super) row: &'a Row,
    pub(super) rules: &'a ChoiceRules,
}

impl ScoredRow<'_> {
    /// The row as JSON, with its score.
    pub(super) fn line(&self) -> String {
        if self.rules.has_score() { json::scored(self.row, &self.rules.score(self.row)) } else { json::row(self.row) }
    }
}

/// The columns of rows, for people.
pub(super) fn columns<'a>(scored: bool) -> Vec<OutputColumn<ScoredRow<'a>>> {
    let mut columns: Vec<OutputColumn<ScoredRow<'a>>> = vec![
        text("ID", 4, 20, |line| line.row.id().map_or_else(|| "?".to_owned(), |id| id.to_string())),
        text("NAME", 18, 28, |line| line.row.name()),
        text("TITLE", 12, 36, |line| line.row.known(Known::Title).to_owned()),
        text("COMPANY", 12, 32, |line| line.row.known(Known::Company).to_owned()),
        text("STATE", 2, 14, |line| line.row.known(Known::State).to_owned()),
        text("EMAIL", 16, 40, |line| line.row.known(Known::Email).to_owned()),
        detail(text("PHONE", 10, 18, |line| line.row.known(Known::Phone).to_owned())),
    ];
    if scored {
        columns.insert(1, number("SCORE", |line| line.rules.total(line.row).to_string()));
    }
    columns
}
