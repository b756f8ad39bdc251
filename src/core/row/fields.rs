//! The fields of one row, found in one pass, for code that looks up many of them.

use super::block::Head;
use super::{Kind, Known, Row, utf8};

/// A row with an index of its fields. [`Row::known`] reads the heads of the row each time; this reads them once.
pub struct Fields<'a> {
    row: &'a Row,
    /// For each column: its head, and where its own text begins.
    heads: Vec<(Head, usize)>,
    text: &'a [u8],
}

impl<'a> Fields<'a> {
    pub fn of(row: &'a Row) -> Fields<'a> {
        let mut found = row.block.heads(row.start);
        let mut heads = Vec::with_capacity(row.columns().names().len());
        let mut end = 0;
        for head in found.by_ref() {
            heads.push((head, end));
            end += head.length();
        }
        Fields { row, heads, text: &found.bytes[..end] }
    }

    fn at(&self, column: usize) -> Option<(Kind, &'a str)> {
        Some(match *self.heads.get(column)? {
            (Head::Common(number), _) => self.row.common_value(number),
            (Head::Own(kind, length), start) => (kind, utf8(&self.text[start..start + length])),
        })
    }

    /// The same as [`Row::known`].
    pub fn known(&self, column: Known) -> &'a str {
        self.row.columns().known[column as usize].and_then(|at| self.at(at.into())).map_or("", |(_, text)| text)
    }

    /// The same as [`Row::named`].
    pub fn named(&self, name: &str) -> Option<&'a str> {
        self.row.columns().position(name).and_then(|at| self.at(at)).map(|(_, text)| text)
    }
}
