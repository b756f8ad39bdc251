//! Totals of a whole corpus per state and per SIC code: exact, and nearly without looking at rows.
//!
//! Every whole block holds each slot once, so its totals are those of the dictionary. What differs are the rows that repeat another
//! one (they count for what they repeat, not for what they drew) and the suppressed ones; only these are drawn one by one.

use super::in_parallel;
use crate::corpus::{Axis, BLOCK, LISTS, SLOTS, SPAN, STRIDE, SandboxCorpus};

/// Totals over the whole corpus, suppressed rows left out, duplicates counted: what a search with `dedup` off would find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanCounts {
    pub total: u64,
    /// Code, name, rows; by code. States without a row are listed with 0.
    pub states: Vec<(String, String, u64)>,
    /// Code, name, rows; by code.
    pub sic: Vec<(String, String, u64)>,
}

/// Rows per site and per trade.
struct Tally {
    sites: Vec<i64>,
    trades: Vec<i64>,
}

impl Tally {
    fn new() -> Tally {
        Tally { sites: vec![0; LISTS.places.sites.entries.len()], trades: vec![0; LISTS.work.trades.entries.len()] }
    }

    fn count(&mut self, place: u16, work: u16, times: i64) {
        self.sites[usize::from(LISTS.places.sites.place(place))] += times;
        self.trades[usize::from(LISTS.work.trades.place(work))] += times;
    }

    fn add(&mut self, other: &Tally) {
        self.sites.iter_mut().zip(&other.sites).for_each(|(sum, more)| *sum += more);
        self.trades.iter_mut().zip(&other.trades).for_each(|(sum, more)| *sum += more);
    }

    fn block(&mut self, corpus: &SandboxCorpus, block: u64) {
        let start = block * BLOCK;
        let end = corpus.rows().min(start + BLOCK);
        let place = corpus.seeds.shuffle(Axis::Place, block);
        let work = corpus.seeds.shuffle(Axis::Work, block);
        let mut count = |row: u64, times| self.count(place.slot(row as u16), work.slot(row as u16), times);
        if end - start < BLOCK {
            (start..end).for_each(|row| count(row, 1));
        }
        for stride in start / STRIDE..end.div_ceil(STRIDE) {
            let (duplicate, original) = corpus.duplicates.in_stride(stride);
            if duplicate < end {
                count(duplicate, -1);
                count(original, 1);
            }
        }
        let suppressed = (start / SPAN..end.div_ceil(SPAN)).map(|span| corpus.duplicates.in_span(span));
        suppressed.filter(|row| *row < end).for_each(|row| count(row, -1));
    }
}

impl ScanCounts {
    pub(super) fn of(corpus: &SandboxCorpus, threads: usize) -> ScanCounts {
        let mut tally = Tally::new();
        let whole = (corpus.rows() / BLOCK) as i64;
        for slot in 0..SLOTS {
            tally.count(slot as u16, slot as u16, whole);
        }
        let tallies = in_parallel(threads, corpus.rows().div_ceil(BLOCK), &|| false, |blocks| {
            let mut tally = Tally::new();
            blocks.for_each(|block| tally.block(corpus, block));
            tally
        });
        tallies.into_iter().flatten().for_each(|other| tally.add(&other));
        let mut states: Vec<(String, String, u64)> =
            LISTS.places.states.iter().map(|state| (state.code.to_owned(), state.name.to_owned(), 0)).collect();
        for (site, rows) in LISTS.places.sites.entries.iter().zip(&tally.sites) {
            states[LISTS.places.cities[site.city].state].2 += *rows as u64;
        }
        let trades = LISTS.work.trades.entries.iter().zip(&tally.trades);
        let mut sic: Vec<(String, String, u64)> =
            trades.map(|(trade, rows)| (trade.sic.to_owned(), trade.sic_title.to_owned(), *rows as u64)).collect();
        states.sort();
        sic.sort();
        ScanCounts { total: corpus.duplicates.shown_before(corpus.rows(), false), states, sic }
    }
}
