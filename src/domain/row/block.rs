//! Rows side by side in memory: a window of 100,000 of them is a thousand stretches of bytes, and a find goes through it
//! from the first byte to the last. What a value means is not known here.
//!
//! A block lives as long as one of its rows does. Code that keeps single rows of a page for long copies them into a block of
//! their own, or he keeps the page.

use std::sync::Arc;

use super::super::contact::RowId;
use super::{Columns, Kind, Row};

/// Of rows that carry the same columns. A row is a head for each of its values and then their texts, one after the other.
///
/// A head is one byte: the kind in the two highest bits, the length of the text below. A text that is too long for that has
/// its length in the four bytes behind.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) columns: Arc<Columns>,
    pub(super) bytes: Box<[u8]>,
}

const LONG: u8 = 0x3f;
/// Where the kind would be: the row has no value for this column and those behind it.
const END: u8 = 0xc0;
/// A longer text does not come into a row: no page that large is read.
const LONGEST: usize = 1 << 30;
/// A block that is this large is not added to, so that one that is kept for the sake of a few rows is never a large one.
const FULL: usize = 1 << 16;

impl Block {
    pub(super) fn heads(&self, start: u32) -> Heads<'_> {
        Heads { bytes: &self.bytes[start as usize..], left: self.columns.names().len() }
    }
}

/// The heads of a row; what is left of the bytes when they are over begins with its text.
pub(super) struct Heads<'a> {
    pub(super) bytes: &'a [u8],
    left: usize,
}

impl Iterator for Heads<'_> {
    type Item = (Kind, usize);

    #[inline]
    fn next(&mut self) -> Option<(Kind, usize)> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let (head, mut rest) = self.bytes.split_first()?;
        let mut length = usize::from(head & LONG);
        if head & END == END {
            self.left = 0;
            self.bytes = rest;
            return None;
        }
        if length == usize::from(LONG) {
            let (long, behind) = rest.split_first_chunk()?;
            length = u32::from_le_bytes(*long) as usize;
            rest = behind;
        }
        self.bytes = rest;
        let kind = match head >> 6 {
            0 => Kind::Text,
            1 => Kind::Json,
            _ => Kind::Null,
        };
        Some((kind, length))
    }
}

/// Writes rows into blocks.
pub struct Rows {
    columns: Arc<Columns>,
    bytes: Vec<u8>,
    text: String,
    /// The rows of the block that is being written, by where they start.
    open: Vec<(Option<RowId>, bool, u32)>,
    done: Vec<Row>,
}

impl Rows {
    /// Rows that carry columns with the names of `columns` share them.
    pub fn new(columns: Arc<Columns>) -> Rows {
        Rows { columns, bytes: Vec::new(), text: String::new(), open: Vec::new(), done: Vec::new() }
    }

    /// Copies that stand side by side, and beside nothing else. Those with the columns of `like` share them.
    pub fn copies<'a>(rows: impl IntoIterator<Item = &'a Row>, like: Option<&Row>) -> Vec<Row> {
        let mut copies = like.map(|like| Rows::new(Arc::clone(like.columns())));
        for row in rows {
            copies.get_or_insert_with(|| Rows::new(Arc::clone(row.columns()))).copy(row);
        }
        copies.map(Rows::finish).unwrap_or_default()
    }

    /// `values` in the order of `columns`; there are not more of them.
    pub fn push<'a>(
        &mut self,
        id: Option<RowId>,
        unlocked: bool,
        columns: &Arc<Columns>,
        values: impl IntoIterator<Item = (Kind, &'a str)>,
    ) {
        self.begin(id, unlocked, columns);
        let mut left = columns.names().len();
        for (kind, value) in values.into_iter().take(left) {
            let value = if self.text.len() + value.len() < LONGEST { value } else { "" };
            let kind = (kind as u8) << 6;
            match u8::try_from(value.len()) {
                Ok(length) if length < LONG => self.bytes.push(kind | length),
                _ => {
                    self.bytes.push(kind | LONG);
                    self.bytes.extend((value.len() as u32).to_le_bytes());
                }
            }
            self.text.push_str(value);
            left -= 1;
        }
        if left > 0 {
            self.bytes.push(END);
        }
        self.bytes.extend(self.text.as_bytes());
        self.text.clear();
    }

    fn copy(&mut self, row: &Row) {
        self.begin(row.id, row.unlocked, row.columns());
        self.bytes.extend(row.body());
    }

    fn begin(&mut self, id: Option<RowId>, unlocked: bool, columns: &Arc<Columns>) {
        // Columns that are one in memory are equal without a look at their names.
        if self.columns != *columns {
            self.close();
            self.columns = Arc::clone(columns);
        } else if self.bytes.len() >= FULL {
            self.close();
        }
        self.open.push((id, unlocked, self.bytes.len() as u32));
    }

    fn close(&mut self) {
        if self.open.is_empty() {
            return;
        }
        // A copy of just this size, as it is kept; the room that it was written in is used again.
        let bytes = self.bytes.as_slice().into();
        self.bytes.clear();
        let block = Arc::new(Block { columns: Arc::clone(&self.columns), bytes });
        let rows =
            self.open.drain(..).map(|(id, unlocked, start)| Row { id, unlocked, block: Arc::clone(&block), start });
        self.done.extend(rows);
    }

    /// In the order in which they were written.
    pub fn finish(mut self) -> Vec<Row> {
        self.close();
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of three kinds of columns, of any length, pushed and copied alternately.
    #[test]
    fn rows_read_as_they_were_written_however_they_were_packed() {
        let columns: Vec<Arc<Columns>> = [vec![], vec!["one"], vec!["a", "b", "c", "d", "e"]]
            .into_iter()
            .map(|names| Arc::new(Columns::new(names)))
            .collect();
        let mut dice = 11_u64;
        let mut roll = |below: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) as usize % below
        };
        let kinds = [Kind::Text, Kind::Json, Kind::Null];
        let lengths = [0, 1, 20, 31, 32, 62, 63, 64, 255, 256, 300, 20_000, 70_000];
        let mut plain = Vec::new();
        let mut rows = Rows::new(Arc::clone(&columns[2]));
        let mut copies = Rows::new(Arc::new(Columns::new(["a", "b", "c", "d", "e"])));
        for at in 0..600_i64 {
            let columns = &columns[if roll(8) == 0 { roll(3) } else { 2 }];
            let count = roll(columns.names().len() + 1);
            let values: Vec<(Kind, String)> = (0..count)
                .map(|_| {
                    let length = if roll(20) == 0 { lengths[roll(lengths.len())] } else { roll(30) };
                    (kinds[roll(3)], "é1ab".chars().cycle().skip(roll(4)).take(length).collect())
                })
                .collect();
            let id = (roll(9) > 0).then_some(RowId(at));
            let borrowed = values.iter().map(|(kind, text)| (*kind, text.as_str()));
            let alone = Row::new(id, at % 2 == 0, Arc::clone(columns), borrowed.clone());
            rows.push(id, at % 2 == 0, columns, borrowed);
            copies.copy(&alone);
            plain.push((id, columns, values, alone));
        }
        let (rows, copies) = (rows.finish(), copies.finish());
        assert_eq!((rows.len(), copies.len()), (600, 600));
        for (((id, columns, values, alone), row), copy) in plain.iter().zip(&rows).zip(&copies) {
            for row in [alone, row, copy] {
                assert_eq!((row.id, row.columns()), (*id, *columns));
                let read: Vec<(Kind, String)> = row.fields().map(|(_, kind, text)| (kind, text.to_owned())).collect();
                assert_eq!(read, *values);
                for at in 0..6 {
                    assert_eq!(row.at(at), values.get(at).map(|(kind, text)| (*kind, text.as_str())));
                }
                assert_eq!(row.text(), values.iter().map(|(_, text)| text.as_str()).collect::<String>().as_bytes());
                assert_eq!((row, row == alone), (alone, true));
            }
        }
        assert!(rows.windows(2).any(|two| two[0].shares_block(&two[1])), "rows that follow each other are neighbors");
        assert!(!rows[0].shares_block(&rows[599]), "a block is not endless");
        assert!(rows.iter().all(|row| !row.shares_block(&plain[0].3)));
    }
}
