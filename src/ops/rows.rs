//! Rows of a service as lines of a table.

use super::output::{OutputColumn, number, text};
use lode_core::{Known, Row};
use lode_engine::effect::Profile;
use lode_engine::flow::choose::ChoiceRules;

/// The columns of rows, for people.
pub(super) fn columns() -> Vec<OutputColumn> {
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
pub(super) fn cells(row: &Row) -> Vec<String> {
    let known = |column| row.known(column).to_owned();
    vec![
        row.id().map_or_else(|| "?".to_owned(), |id| id.to_string()),
        row.name(),
        known(Known::Title),
        known(Known::Company),
        known(Known::State),
        known(Known::Email),
        known(Known::Phone),
    ]
}

/// The columns of rows with their score, where there are rules for one.
pub(super) fn scored_columns(profile: &Profile) -> Vec<OutputColumn> {
    let mut columns = columns();
    if !profile.choosing.card.is_empty() {
        columns.insert(1, number("SCORE"));
    }
    columns
}

/// A row as cells of [`scored_columns`].
pub(super) fn scored_cells(choice_rules: &ChoiceRules, row: &Row) -> Vec<String> {
    let mut cells = cells(row);
    if choice_rules.has_score() {
        cells.insert(1, choice_rules.total(row).to_string());
    }
    cells
}
