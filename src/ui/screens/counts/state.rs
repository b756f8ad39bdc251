//! Which view of the counts is shown, what is looked at in it, and what is marked.

use std::collections::BTreeSet;

use crate::keys::command::List;
use crate::widgets::{map, table};
use lode_core::filter::Filter;

use super::facts::Sheet;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    #[default]
    Map,
    Bars,
    Sic,
}

impl View {
    pub fn next(self) -> View {
        match self {
            View::Map => View::Bars,
            View::Bars => View::Sic,
            View::Sic => View::Map,
        }
    }
}

#[derive(Clone, Debug)]
pub struct State {
    pub view: View,
    /// Code of the state that is looked at, on the map and among the bars.
    pub state: String,
    /// Line of the SIC table.
    pub sic: usize,
    pub states: BTreeSet<String>,
    pub sics: BTreeSet<String>,
}

impl Default for State {
    fn default() -> State {
        State { view: View::default(), state: "TX".to_owned(), sic: 0, states: BTreeSet::new(), sics: BTreeSet::new() }
    }
}

impl State {
    /// Moves. `narrow` where the map has no room and the bars stand in for it.
    pub fn travel(&mut self, list: List, times: Option<u64>, sheet: &Sheet, narrow: bool) {
        match self.view {
            View::Map if !narrow && matches!(list, List::Left | List::Right | List::Up | List::Down) => {
                for _ in 0..times.unwrap_or(1).min(50) {
                    let Some(next) = map::neighbor(&self.state, list) else { break };
                    self.state = next.to_owned();
                }
            }
            View::Map | View::Bars => {
                let at = sheet.states.iter().position(|line| line.code == self.state).unwrap_or(0);
                if let Some(line) = sheet.states.get(table::moved(at, list, times, sheet.states.len())) {
                    self.state.clone_from(&line.code);
                }
            }
            View::Sic => self.sic = table::moved(self.sic, list, times, sheet.sics.len()),
        }
    }

    /// The line of a list was found: states first, then codes.
    pub fn pick(&mut self, at: usize, sheet: &Sheet) {
        if let Some(line) = sheet.states.get(at) {
            self.state.clone_from(&line.code);
            if self.view == View::Sic {
                self.view = View::Map;
            }
        } else if at - sheet.states.len() < sheet.sics.len() {
            self.sic = at - sheet.states.len();
            self.view = View::Sic;
        }
    }

    /// A line of the view that is shown was clicked.
    pub fn click(&mut self, at: usize, sheet: &Sheet) {
        self.pick(if self.view == View::Sic { sheet.states.len() + at } else { at }, sheet);
    }

    /// What is looked at: a code and its filter.
    fn here(&self, sheet: &Sheet) -> Option<(Filter, String)> {
        match self.view {
            View::Map | View::Bars => Some((Filter::State, self.state.clone())),
            View::Sic => sheet.sics.get(self.sic).map(|line| (Filter::SicCode, line.code.clone())),
        }
    }

    /// Marks what is looked at, or takes the mark away.
    pub fn mark(&mut self, sheet: &Sheet) {
        let Some((filter, code)) = self.here(sheet) else { return };
        let marks = if filter == Filter::State { &mut self.states } else { &mut self.sics };
        if !marks.remove(&code) {
            marks.insert(code);
        }
    }

    /// All marks as values of their filters, and none is left; without marks, what is looked at.
    pub fn take(&mut self, sheet: &Sheet) -> Vec<(Filter, String)> {
        if self.states.is_empty() && self.sics.is_empty() {
            return self.here(sheet).into_iter().collect();
        }
        let states = std::mem::take(&mut self.states).into_iter().map(|code| (Filter::State, code));
        let sics = std::mem::take(&mut self.sics).into_iter().map(|code| (Filter::SicCode, code));
        states.chain(sics).collect()
    }

    /// The codes that are marked, for a sentence.
    pub fn marked(&self) -> Vec<String> {
        self.states.iter().chain(&self.sics).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_marks_go_into_one_search() {
        let mut state = State::default();
        let sheet = Sheet::default();
        let value = |filter, code: &str| (filter, code.to_owned());
        assert_eq!(state.take(&sheet), [value(Filter::State, "TX")]);
        for code in ["NM", "CA"] {
            state.states.insert(code.to_owned());
        }
        state.sics.insert("8062".to_owned());
        let all = [value(Filter::State, "CA"), value(Filter::State, "NM"), value(Filter::SicCode, "8062")];
        assert_eq!(state.take(&sheet), all);
        assert_eq!(state.take(&sheet), [value(Filter::State, "TX")], "none is left");
    }
}
