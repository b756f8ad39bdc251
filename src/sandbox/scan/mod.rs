//! Searches a corpus: the ids that match, their number, and the counts of the whole corpus by state and SIC code.
//!
//! A search is put to the dictionaries once and becomes a `plan` over sets of slots (`reading`); rows are then tested 4,096 at a time
//! (`row_group`) on all threads. How many rows each block of 65,536 holds is remembered, so that any page of a known search costs one block.
//! Who may see what is not decided here: the caller says which ids are hidden.

mod plan;
mod reading;
mod row_group;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::corpus::{Axis, BLOCK, LISTS, ROW_GROUP, SLOTS, SPAN, STRIDE, SandboxCorpus};

use plan::{Plan, ones};
use reading::matches_within;
use row_group::RowGroup;

pub use reading::ScanField;

/// A search: the query and all clauses must hold; inside a clause one value is enough.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ScanQuery {
    /// Every word must occur in the company, name, title, industry, city or county, or be the state's code.
    pub query: Option<String>,
    /// AND over clauses, OR inside one (only industry ever has several values).
    pub clauses: Vec<(ScanField, Vec<String>)>,
    /// Leaves out rows that repeat an earlier one.
    pub dedup: bool,
}

impl ScanQuery {
    /// Whether there is a query or at least one filter.
    pub fn narrows(&self) -> bool {
        self.query.is_some() || !self.clauses.is_empty()
    }

    /// The same search always in the same words, however it was written.
    fn canonical(&self) -> ScanQuery {
        let words = sorted(self.query.iter().flat_map(|query| query.split_whitespace()).map(str::to_lowercase));
        let clauses = sorted(self.clauses.iter().map(|(field, values)| {
            let same = |value: &String| if matches_within(field) { value.to_lowercase() } else { value.clone() };
            (*field, sorted(values.iter().map(same)))
        }));
        ScanQuery { query: (!words.is_empty()).then(|| words.join(" ")), clauses, dedup: self.dedup }
    }
}

/// In order, each once.
fn sorted<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.collect::<BTreeSet<T>>().into_iter().collect()
}

/// A window of a result: the size of the whole and the ids of the window in the service's order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub total: u64,
    pub ids: Vec<u64>,
}

/// Searches remembered. At full size one takes 5 KB, and 8 KB for each axis that each of its words concerns.
const MOST_RECENT: usize = 64;

/// A search once it was made, and how many rows of each block it wants.
type Known = (Plan, Vec<u32>);

/// Searches one corpus.
pub struct Engine {
    corpus: SandboxCorpus,
    threads: usize,
    /// The latest searches, the last used one at the end: a deep page of one of them neither asks the dictionaries nor scans again.
    recent: Mutex<Vec<(ScanQuery, Arc<Known>)>>,
    counts: OnceLock<ScanCounts>,
}

impl Engine {
    /// `threads` is how many threads one search may use while it scans; they live as long as the scan.
    pub fn new(corpus: SandboxCorpus, threads: usize) -> Engine {
        Engine { corpus, threads: threads.max(1), recent: Mutex::default(), counts: OnceLock::new() }
    }

    pub fn corpus(&self) -> &SandboxCorpus {
        &self.corpus
    }

    /// The window `offset..offset + limit` of what is wanted. `hidden` are ids to leave out, ascending; rows suppressed from the
    /// start are always left out. `canceled` is asked once per block of rows; once it says so, the answer is `None`.
    pub fn find(
        &self,
        wanted: &ScanQuery,
        hidden: &[u64],
        offset: u64,
        limit: u64,
        canceled: &dyn Fn() -> bool,
    ) -> Option<Found> {
        let wanted = wanted.canonical();
        let known = self.known(&wanted, canceled)?;
        let (plan, counts) = &*known;
        let mut group = RowGroup::new(self.corpus(), wanted.dedup);
        let hidden = self.hidden_matches(&mut group, plan, hidden);
        let total = counts.iter().map(|rows| u64::from(*rows)).sum::<u64>() - hidden.len() as u64;
        let mut ids = Vec::new();
        let mut before = 0;
        for (block, rows) in (0..).zip(counts) {
            if before >= offset.saturating_add(limit) {
                break;
            }
            let shown = u64::from(*rows) - in_block(&hidden, block).len() as u64;
            if before + shown > offset {
                if canceled() {
                    return None;
                }
                let skip = offset.saturating_sub(before) as usize;
                let room = (limit as usize).saturating_sub(ids.len());
                ids.extend(self.block_ids(&mut group, block, plan, &hidden).skip(skip).take(room));
            }
            before += shown;
        }
        Some(Found { total, ids })
    }

    /// Every wanted id in order, a block at a time, until `each` returns false.
    pub fn walk(&self, wanted: &ScanQuery, hidden: &[u64], each: &mut dyn FnMut(&[u64]) -> bool) {
        let wanted = wanted.canonical();
        let plan = Plan::read(&wanted);
        let mut group = RowGroup::new(self.corpus(), wanted.dedup);
        let hidden = self.hidden_matches(&mut group, &plan, hidden);
        for block in 0..self.blocks() {
            let ids: Vec<u64> = self.block_ids(&mut group, block, &plan, &hidden).collect();
            if !ids.is_empty() && !each(&ids) {
                return;
            }
        }
    }

    /// Totals of the whole corpus, worked out at the first call.
    pub fn counts(&self) -> ScanCounts {
        self.counts.get_or_init(|| ScanCounts::of(self.corpus(), self.threads)).clone()
    }

    fn blocks(&self) -> u64 {
        self.corpus().rows().div_ceil(BLOCK)
    }

    /// What is known of a search, or will be after a scan.
    fn known(&self, wanted: &ScanQuery, canceled: &dyn Fn() -> bool) -> Option<Arc<Known>> {
        // A lock that a panic poisoned: the list is whole, and the panic was reported.
        let recent = || self.recent.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        {
            let mut recent = recent();
            if let Some(at) = recent.iter().position(|(search, _)| search == wanted) {
                let used = recent.remove(at);
                recent.push(used.clone());
                return Some(used.1);
            }
        }
        let plan = Plan::read(wanted);
        let rows = self.corpus().rows();
        let shown = |block: u64| self.corpus().duplicates.shown_before((block * BLOCK).min(rows), wanted.dedup);
        let counts = match plan {
            Plan::Nothing => vec![0; self.blocks() as usize],
            Plan::All => (0..self.blocks()).map(|block| (shown(block + 1) - shown(block)) as u32).collect(),
            _ => self.scan(&plan, wanted.dedup, canceled)?,
        };
        let known = Arc::new((plan, counts));
        let mut recent = recent();
        recent.push((wanted.clone(), known.clone()));
        if recent.len() > MOST_RECENT {
            recent.remove(0);
        }
        Some(known)
    }

    /// How many rows of each block are wanted.
    fn scan(&self, plan: &Plan, dedup: bool, canceled: &dyn Fn() -> bool) -> Option<Vec<u32>> {
        let shares = in_parallel(self.threads, self.blocks(), canceled, |blocks| {
            let mut group = RowGroup::new(self.corpus(), dedup);
            let mut count = |block| {
                let found = self.groups(block).map(|start| plan.wanted(&mut group, start));
                found.flatten().map(u64::count_ones).sum::<u32>()
            };
            blocks.map(|block| (block, count(block))).collect::<Vec<_>>()
        })?;
        let mut counts = vec![0; self.blocks() as usize];
        for (block, rows) in shares.into_iter().flatten() {
            counts[block as usize] = rows;
        }
        Some(counts)
    }

    /// Where the groups of a block begin.
    fn groups(&self, block: u64) -> impl Iterator<Item = u64> + use<> {
        (block * BLOCK..((block + 1) * BLOCK).min(self.corpus().rows())).step_by(ROW_GROUP as usize)
    }

    /// The wanted ids of a block without those that are `hidden`, in order.
    fn block_ids(&self, group: &mut RowGroup, block: u64, plan: &Plan, hidden: &[u64]) -> impl Iterator<Item = u64> {
        let hidden = in_block(hidden, block);
        let found = self.groups(block).flat_map(move |start| {
            let words = plan.wanted(group, start).into_iter().zip((start..).step_by(64));
            words.flat_map(|(word, first)| ones(word).map(move |bit| first + bit as u64 + 1))
        });
        found.filter(|id| hidden.binary_search(id).is_err())
    }

    /// The hidden ids that the search would have shown: only these make its total smaller.
    fn hidden_matches(&self, group: &mut RowGroup, plan: &Plan, hidden: &[u64]) -> Vec<u64> {
        let corpus = self.corpus();
        let mut matches = hidden.to_vec();
        matches.retain(|id| {
            let Some(row) = corpus.row(*id) else { return false };
            let original = corpus.duplicates.original(row);
            !(corpus.duplicates.suppressed(row) || group.dedup && original.is_some())
                && plan.wants(group, original.unwrap_or(row))
        });
        matches.dedup();
        matches
    }
}

/// The ids of a block; `ids` ascend.
fn in_block(ids: &[u64], block: u64) -> &[u64] {
    let until = |block| ids.partition_point(|id| *id <= block * BLOCK);
    &ids[until(block)..until(block + 1)]
}

/// Deals blocks out to threads: what each of them made of its share. The calling thread works too, and it alone asks whether to
/// stop: then the result is `None`.
fn in_parallel<T: Send>(
    threads: usize,
    blocks: u64,
    canceled: &dyn Fn() -> bool,
    work: impl Fn(&mut dyn Iterator<Item = u64>) -> T + Sync,
) -> Option<Vec<T>> {
    let (next, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let share = |stop: &dyn Fn() -> bool| {
        work(&mut std::iter::from_fn(|| {
            let block = next.fetch_add(1, Ordering::Relaxed);
            (block < blocks && !stop()).then_some(block)
        }))
    };
    let results = std::thread::scope(|scope| {
        let spawn = |_| scope.spawn(|| share(&|| stopped.load(Ordering::Relaxed)));
        let others: Vec<_> = (1..threads.min(blocks as usize)).map(spawn).collect();
        let own = share(&|| {
            let stop = canceled();
            stopped.fetch_or(stop, Ordering::Relaxed);
            stop
        });
        let others =
            others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        others.chain([own]).collect()
    });
    (!stopped.load(Ordering::Relaxed)).then_some(results)
}

/// Totals over the whole corpus: exact, and nearly without looking at rows. Every whole block holds each slot once, so its totals are
/// those of the dictionary. What differs are the rows that repeat another one (they count for what they repeat, not for what they
/// drew) and the suppressed ones; only these are drawn one by one. Suppressed rows are left out, duplicates counted: what a search with `dedup` off would find.
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
    fn of(corpus: &SandboxCorpus, threads: usize) -> ScanCounts {
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
