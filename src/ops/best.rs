//! Of how many rows `lode search` chooses the best, and which they are.

use crate::ops::output::pick::MOST_HELD;
use crate::ops::search::SearchArgs;
use lode_core::row::Row;
use lode_engine::effect::profile::Profile;
use lode_engine::flow::choose::Taste;
use lode_engine::flow::session::Left;

/// Whether and of how many rows the best are chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Best {
    per_company: Option<u32>,
    best: bool,
    /// Rows that are read at most, where not all of them are printed.
    pub among: u64,
}

impl Best {
    pub fn of(args: &SearchArgs, profile: &Profile) -> Best {
        let all = args.all.then_some(MOST_HELD as u64);
        let among = args.among.or(all).unwrap_or(profile.choosing.among);
        Best { per_company: args.per_company, best: args.best, among }
    }

    /// Rows are kept back until all are here.
    pub fn chooses(self) -> bool {
        self.best || self.per_company.is_some()
    }

    /// The best of all that were read, and what was not taken.
    pub fn of_rows(self, rows: &[Row], limit: u64, taste: &Taste) -> (Vec<Row>, Left) {
        let mut taste = taste.clone();
        taste.per_company = self.per_company;
        let chosen = taste.choose(rows, usize::try_from(limit).unwrap_or(usize::MAX), []);
        let left = Left { duplicates: chosen.duplicates as u64, beyond: chosen.beyond as u64, ..Left::default() };
        (chosen.items.into_iter().cloned().collect(), left)
    }

    /// What was not taken, in words; empty where all were.
    pub fn left_out(self, left: &Left) -> String {
        let words = left.words(self.per_company);
        if words.is_empty() { words } else { format!("; left out: {words}") }
    }
}
