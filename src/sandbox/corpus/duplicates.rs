//! Which rows repeat an earlier one, and which are on the Do-Not-Sell list from the start.
//!
//! One repetition in each stride of 32 rows, at a place that depends on the seed, and one suppressed row in each span of 2,048: so
//! "how many before this row" is arithmetic, and a page at the far end of 80 million rows costs no counting.
//! Inside a stride, originals stand before the repetition and suppressed rows behind it; so neither a repetition nor the row
//! it repeats is ever suppressed.

use super::lists::mix;

pub(crate) const STRIDE: u64 = 32;
pub(crate) const SPAN: u64 = 2_048;
/// A repetition and its original lie in the same group of rows.
pub(crate) const ROW_GROUP: u64 = 4_096;

/// Rows are counted from 0 here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duplicates {
    seed: u64,
}

impl Duplicates {
    pub(super) fn new(seed: u64) -> Duplicates {
        Duplicates { seed: mix(seed ^ 0x7717) }
    }

    /// The hash of a stride, and where in the stride its repetition stands: 1 to 30.
    fn stride(&self, stride: u64) -> (u64, u64) {
        let hash = mix(self.seed ^ stride);
        (hash, 1 + part(hash, 30))
    }

    /// The row that repeats another one in this stride, and the row that it repeats.
    pub(crate) fn in_stride(&self, stride: u64) -> (u64, u64) {
        let (hash, place) = self.stride(stride);
        let back = part(hash >> 16, stride % (ROW_GROUP / STRIDE) + 1);
        let of = stride - back;
        let before = if back == 0 { place } else { self.stride(of).1 };
        (stride * STRIDE + place, of * STRIDE + part(hash >> 32, before))
    }

    /// The row that this one repeats.
    pub(crate) fn original(&self, row: u64) -> Option<u64> {
        let (duplicate, original) = self.in_stride(row / STRIDE);
        (row == duplicate).then_some(original)
    }

    /// The suppressed row of a span.
    pub(crate) fn in_span(&self, span: u64) -> u64 {
        let hash = mix(!self.seed ^ span);
        let stride = span * (SPAN / STRIDE) + part(hash, SPAN / STRIDE);
        let (_, place) = self.stride(stride);
        stride * STRIDE + place + 1 + part(hash >> 16, STRIDE - 1 - place)
    }

    pub(crate) fn suppressed(&self, row: u64) -> bool {
        self.in_span(row / SPAN) == row
    }

    /// How many of the first `rows` rows repeat another one.
    pub(crate) fn duplicates_before(&self, rows: u64) -> u64 {
        let whole = rows / STRIDE;
        whole + u64::from(rows % STRIDE > self.stride(whole).1)
    }

    /// How many of the first `rows` rows are suppressed.
    pub(crate) fn suppressed_before(&self, rows: u64) -> u64 {
        let whole = rows / SPAN;
        whole + u64::from(rows > self.in_span(whole))
    }

    /// How many of the first `rows` rows a search without any filter shows.
    pub(crate) fn shown_before(&self, rows: u64, dedup: bool) -> u64 {
        rows - self.suppressed_before(rows) - if dedup { self.duplicates_before(rows) } else { 0 }
    }

    /// How many rows it takes to show this many when nothing is filtered and repetitions stay.
    pub(crate) fn rows_that_show(&self, shown: u64) -> u64 {
        let mut rows = shown;
        while self.shown_before(rows, false) < shown {
            rows += shown - self.shown_before(rows, false);
        }
        rows
    }
}

/// A number below `below` from the low 16 bits of a hash.
fn part(hash: u64, below: u64) -> u64 {
    ((hash & 0xffff) * below) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_agrees_with_counting() {
        let duplicates = Duplicates::new(11);
        let (mut repeated, mut suppressed) = (0, 0);
        for row in 0..5 * SPAN {
            assert_eq!(duplicates.duplicates_before(row), repeated, "before row {row}");
            assert_eq!(duplicates.suppressed_before(row), suppressed, "before row {row}");
            repeated += u64::from(duplicates.original(row).is_some());
            suppressed += u64::from(duplicates.suppressed(row));
        }
        assert_eq!(repeated, 5 * SPAN / STRIDE);
        assert_eq!(suppressed, 5);
    }

    #[test]
    fn a_corpus_shows_as_many_rows_as_were_asked_for() {
        let duplicates = Duplicates::new(2);
        for shown in (0..10_000).step_by(37).chain([46_800_000, 80_000_000]) {
            let rows = duplicates.rows_that_show(shown);
            assert_eq!(duplicates.shown_before(rows, false), shown);
            assert!(shown == 0 || !duplicates.suppressed(rows - 1), "the last of {rows} rows is shown");
        }
    }

    #[test]
    fn originals_are_earlier_never_repetitions_and_neither_is_suppressed() {
        let duplicates = Duplicates::new(5);
        for stride in 0..50_000 {
            let (duplicate, original) = duplicates.in_stride(stride);
            assert!(original < duplicate && duplicate / ROW_GROUP == original / ROW_GROUP);
            assert!(duplicates.original(original).is_none());
            assert!(!duplicates.suppressed(original) && !duplicates.suppressed(duplicate));
        }
    }
}
