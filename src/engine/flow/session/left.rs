//! What was not taken of rows that were chosen from.

use lode_core::credits::{counted, grouped};

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
            (self.excluded, format!("{} excluded", grouped(self.excluded))),
            (self.there, format!("{} owned or in the basket", grouped(self.there))),
            (self.duplicates, counted(self.duplicates, "duplicate")),
            (self.beyond, format!("{} {limit}", grouped(self.beyond))),
        ];
        let said = counts.into_iter().filter(|(count, _)| *count > 0);
        said.map(|(_, words)| words).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_said_as_one() {
        let left = Left { duplicates: 1, beyond: 2, ..Left::default() };
        assert_eq!(left.words(Some(3)), "1 duplicate, 2 over 3 a company");
        let more = Left { there: 4, duplicates: 2, ..left };
        assert_eq!(more.words(Some(3)), "4 owned or in the basket, 2 duplicates, 2 over 3 a company");
    }
}
