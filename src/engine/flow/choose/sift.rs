//! How many of the rows that were read are left out: counted page by page, as they come.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sift {
    /// Rows and how many of them are left out, by the leg and where the page begins in it. A page that is read again counts once.
    pages: BTreeMap<(usize, u64), (u64, u64)>,
}

impl Sift {
    pub fn page(&mut self, page: (usize, u64), rows: u64, excluded: u64) {
        self.pages.insert(page, (rows, excluded));
    }

    pub fn read(&self) -> u64 {
        self.pages.values().map(|(rows, _)| rows).sum()
    }

    pub fn excluded(&self) -> u64 {
        self.pages.values().map(|(_, excluded)| excluded).sum()
    }
}
