//! Typing a filter's value: the field, and what it could become.
//!
//! Suggestions are values typed before and values seen in the rows that are here; nothing is asked of a service for them.

use std::collections::HashMap;

use tui_input::Input;

use crate::domain::filter::Filter;
use crate::flow::search::window::Window;

use super::columns::Column;

#[derive(Clone, Debug)]
pub struct Edit {
    pub filter: Filter,
    /// The value joins those that are there (industry) instead of taking their place.
    pub add: bool,
    pub input: Input,
    pub suggestions: Vec<String>,
    /// The marked suggestion; none while what is typed counts.
    pub marked: Option<usize>,
}

/// As many as fit under a field without hiding what one searches for.
const MOST: usize = 6;
/// Rows that are looked at for values: enough to know the common ones, few enough for a key press.
const LOOKED_AT: usize = 3_000;

impl Edit {
    pub fn refresh(&mut self, typed: &[(Filter, String)], window: &Window) {
        self.marked = None;
        let wanted = self.input.value().trim().to_lowercase();
        let fits =
            |value: &str| !value.is_empty() && value.to_lowercase().contains(&wanted) && value.to_lowercase() != wanted;
        let mut found: Vec<String> = Vec::new();
        for (filter, value) in typed {
            if *filter == self.filter && fits(value) && !found.contains(value) {
                found.push(value.clone());
            }
        }
        if let (Some(key), false) = (column_of(self.filter), wanted.is_empty()) {
            let column = Column::new(key, true);
            let mut seen: HashMap<&str, usize> = HashMap::new();
            for (_, row) in window.loaded().take(LOOKED_AT) {
                let value = column.value(row);
                if fits(value) {
                    *seen.entry(value).or_default() += 1;
                }
            }
            let mut seen: Vec<(&str, usize)> = seen.into_iter().collect();
            seen.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
            for (value, _) in seen {
                if found.len() >= MOST {
                    break;
                }
                if !found.iter().any(|known| known == value) {
                    found.push(value.to_owned());
                }
            }
        }
        found.truncate(MOST);
        self.suggestions = found;
    }

    pub fn next(&mut self) {
        if !self.suggestions.is_empty() {
            self.marked = Some(self.marked.map_or(0, |at| (at + 1) % self.suggestions.len()));
        }
    }

    pub fn previous(&mut self) {
        let last = self.suggestions.len().checked_sub(1);
        self.marked = match self.marked {
            Some(0) => None,
            Some(at) => Some(at - 1),
            None => last,
        };
    }

    /// Takes the marked suggestion into the field, the first where none is marked.
    pub fn complete(&mut self) {
        if let Some(value) = self.suggestions.get(self.marked.unwrap_or(0)) {
            self.input = Input::new(value.clone());
        }
    }

    /// What Enter runs.
    #[must_use]
    pub fn value(&self) -> String {
        match self.marked.and_then(|at| self.suggestions.get(at)) {
            Some(value) => value.clone(),
            None => self.input.value().trim().to_owned(),
        }
    }
}

/// The field of a row whose values a filter compares, where masking does not make it useless.
fn column_of(filter: Filter) -> Option<&'static str> {
    match filter {
        Filter::Query | Filter::EmailAddress | Filter::Phone => None,
        Filter::ContactName => Some("contact_name"),
        other => Some(other.name()),
    }
}
