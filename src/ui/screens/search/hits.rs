//! Which of the loaded rows have the words of a find.

use crate::domain::needle::Needle;
use crate::domain::query::Query;
use crate::flow::search::legs::Legs;

/// All hits of the last find, and the rows among which they were found.
#[derive(Clone, Debug)]
pub struct Found {
    pub words: String,
    pub held: usize,
    pub query: Query,
    pub hits: Hits,
}

/// The loaded rows that have the words.
#[derive(Clone, Debug)]
pub struct Hits {
    /// Ascending.
    pub indices: Vec<u64>,
    /// A bit for the lowest part of each index: most rows are told from the hits without looking for them.
    marks: Vec<u64>,
}

const MARKS: u64 = 1 << 17;

impl Hits {
    pub fn of(window: &Legs, needle: &Needle) -> Hits {
        let indices: Vec<u64> = window.fitting(0..u64::MAX, |row| needle.is_in(row)).map(|(index, _)| index).collect();
        let mut marks = vec![0; (MARKS / 64) as usize];
        for index in &indices {
            marks[(index % MARKS / 64) as usize] |= 1 << (index % 64);
        }
        Hits { indices, marks }
    }

    pub fn has(&self, index: u64) -> bool {
        self.marks[(index % MARKS / 64) as usize] >> (index % 64) & 1 == 1 && self.indices.binary_search(&index).is_ok()
    }
}
