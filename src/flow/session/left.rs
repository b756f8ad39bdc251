//! What was not taken of rows that were chosen from.

use crate::domain::credits::grouped;

/// What was not taken of the rows that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    pub read: u64,
    pub excluded: u64,
    /// Owned or in the basket already.
    pub there: u64,
    pub duplicates: u64,
    /// More of their company than wanted.
    pub beyond: u64,
}

impl Left {
    /// `12 excluded, 3 owned or in the basket`: empty where all were taken.
    pub fn words(&self, per_company: Option<u32>) -> String {
        let limit = per_company.map(|limit| format!("over {limit} a company")).unwrap_or_default();
        let counts = [
            (self.excluded, "excluded"),
            (self.there, "owned or in the basket"),
            (self.duplicates, "duplicates"),
            (self.beyond, limit.as_str()),
        ];
        let said = counts.into_iter().filter(|(count, _)| *count > 0);
        said.map(|(count, words)| format!("{} {words}", grouped(count))).collect::<Vec<_>>().join(", ")
    }
}
