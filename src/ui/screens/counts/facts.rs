//! The counts in the order in which they are shown: states and SIC codes, the largest first, with their names.

use std::collections::BTreeMap;

use ratatui::layout::Rect;

use crate::widgets::map;
use lode_core::codes;
use lode_core::counts::{CountKind, Counts};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub code: String,
    pub name: String,
    pub count: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    pub states: Vec<Line>,
    pub sics: Vec<Line>,
    /// Of the corpus: as the service says it, else what the states come to.
    pub total: u64,
}

impl Sheet {
    pub fn of(counts: &Counts) -> Sheet {
        let states = lines(counts, CountKind::State);
        let sics = lines(counts, CountKind::Sic);
        let sum = |lines: &[Line]| lines.iter().map(|line| line.count).fold(0, u64::saturating_add);
        let total = counts.total.unwrap_or_else(|| sum(&states).max(sum(&sics)));
        Sheet { states, sics, total }
    }

    pub fn state(&self, code: &str) -> Option<&Line> {
        self.states.iter().find(|line| line.code == code)
    }

    /// The step of the ramp, against the largest state: six even steps from 0.
    pub fn level(&self, count: u64) -> u8 {
        let largest = self.states.first().map_or(0, |line| line.count).max(1);
        (u128::from(count) * 6 / u128::from(largest)).min(5) as u8
    }
}

/// A code may come in any case, a state even by its name; the same one twice is one.
fn lines(counts: &Counts, kind: CountKind) -> Vec<Line> {
    let mut found: BTreeMap<String, Line> = BTreeMap::new();
    for count in counts.counts.iter().filter(|count| count.kind == kind) {
        let sent = count.code.trim();
        let (code, known) = match kind {
            CountKind::State => {
                let code = sent.to_uppercase();
                let by_code = codes::states().find(|(known, _)| *known == code);
                let by_name = || codes::states().find(|(_, name)| name.eq_ignore_ascii_case(sent));
                by_code.or_else(by_name).map_or((sent.to_owned(), ""), |(code, name)| (code.to_owned(), name))
            }
            CountKind::Sic => {
                (sent.to_owned(), codes::sic().find(|(code, _)| *code == sent).map_or("", |(_, name)| name))
            }
        };
        let name = if count.name.is_empty() { known } else { &count.name };
        let line = found.entry(code.clone()).or_insert(Line { code, name: name.to_owned(), count: 0 });
        line.count = line.count.saturating_add(count.count);
    }
    let mut lines: Vec<Line> = found.into_values().collect();
    lines.sort_by(|one, two| two.count.cmp(&one.count).then_with(|| one.code.cmp(&two.code)));
    lines
}

/// Whether there is room for the map inside a body of this size.
pub(super) fn has_room_for_map(body: Rect) -> bool {
    body.width >= map::SIZE.0 + 4 && body.height >= map::SIZE.1 + 3
}

pub(super) fn share(count: u64, sheet: &Sheet) -> String {
    let total = u128::from(sheet.total.max(1));
    let tenths = (u128::from(count) * 1000 + total / 2) / total;
    format!("{}.{}%", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::counts::Count;

    fn count(kind: CountKind, code: &str, count: u64) -> Count {
        Count { kind, code: code.to_owned(), name: String::new(), count }
    }

    #[test]
    fn codes_in_any_spelling_come_to_one_line_with_a_name() {
        let counts = Counts {
            total: None,
            counts: vec![
                count(CountKind::State, "tx", 50),
                count(CountKind::State, "Texas", 25),
                count(CountKind::State, "CA", 100),
                count(CountKind::State, "??", 1),
                count(CountKind::Sic, "0111", 7),
            ],
        };
        let sheet = Sheet::of(&counts);
        let states: Vec<(&str, &str, u64)> =
            sheet.states.iter().map(|line| (line.code.as_str(), line.name.as_str(), line.count)).collect();
        assert_eq!(states, [("CA", "California", 100), ("TX", "Texas", 75), ("??", "", 1)]);
        assert_eq!((sheet.total, sheet.sics[0].name.as_str()), (176, "Wheat"));
        assert_eq!((sheet.level(100), sheet.level(75), sheet.level(1)), (5, 4, 0));
    }
}
