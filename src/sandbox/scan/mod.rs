//! Searching a corpus: which ids a search finds, how many there are, and what the whole corpus holds per state and SIC code.
//!
//! A search is put to the dictionaries once and becomes a `plan` over sets of slots (`reading`); rows are then tested 4,096 at a time
//! (`reach`) on all threads. How many rows each block of 65,536 holds is `kept`, so that any page of a known search costs one block.
//! Who may see what is not decided here: the caller says which ids are hidden.

mod bits;
mod counts;
mod kept;
mod plainly;
mod plan;
mod reach;
mod reading;
#[cfg(test)]
mod tests;
mod wanted;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::corpus::Corpus;
use crate::corpus::draw::BLOCK;
use crate::corpus::duplicates::REACH;

use kept::{Kept, Known, canonical};
use plan::Plan;
use reach::Reach;

pub use counts::Counts;
pub use wanted::{Field, Wanted};

/// A window of a result: the size of the whole and the ids of the window in the service's order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub total: u64,
    pub ids: Vec<u64>,
}

/// Which rows of a result, and whether equal rows come the other way round this time.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub offset: u64,
    pub limit: u64,
    pub wavers: bool,
}

/// Searches one corpus. Cheap to clone; clones share what was already counted.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

struct Shared {
    corpus: Corpus,
    threads: usize,
    kept: Kept,
    counts: OnceLock<Counts>,
}

impl Engine {
    /// `threads` is how many threads one search may use while it scans; they live as long as the scan.
    pub fn new(corpus: Corpus, threads: usize) -> Engine {
        let shared = Shared { corpus, threads: threads.max(1), kept: Kept::default(), counts: OnceLock::new() };
        Engine { shared: Arc::new(shared) }
    }

    pub fn corpus(&self) -> &Corpus {
        &self.shared.corpus
    }

    /// The window `offset..offset + limit` of what is wanted. `hidden` are ids to leave out, ascending; rows suppressed from the
    /// start are always left out. `canceled` is asked once per block of rows; once it says so, the answer is `None`.
    pub fn find(
        &self,
        wanted: &Wanted,
        hidden: &[u64],
        offset: u64,
        limit: u64,
        canceled: &dyn Fn() -> bool,
    ) -> Option<Found> {
        let wanted = canonical(wanted);
        let known = self.known(&wanted, canceled)?;
        let (plan, counts) = (&known.plan, &known.counts);
        let hidden = self.hidden_matches(&wanted, plan, hidden);
        let total = counts.iter().map(|rows| u64::from(*rows)).sum::<u64>() - hidden.len() as u64;
        let mut ids = Vec::new();
        let mut before = 0;
        let mut hidden = hidden.as_slice();
        let mut reach = None;
        for (block, rows) in counts.iter().enumerate() {
            if before >= offset.saturating_add(limit) {
                break;
            }
            let (here, later) = hidden.split_at(hidden.partition_point(|id| *id <= (block as u64 + 1) * BLOCK));
            hidden = later;
            let shown = u64::from(*rows) - here.len() as u64;
            if before + shown > offset {
                if canceled() {
                    return None;
                }
                let reach = reach.get_or_insert_with(|| Reach::new(self.corpus()));
                let skip = offset.saturating_sub(before) as usize;
                let room = (limit as usize).saturating_sub(ids.len());
                let all = self.block_ids(reach, block as u64, plan, wanted.dedup);
                ids.extend(without(all, here).skip(skip).take(room));
            }
            before += shown;
        }
        Some(Found { total, ids })
    }

    /// The same where the order may waver: then the second and third row stand in each other's place, the fourth and fifth, and so
    /// on, across the borders of pages too.
    pub fn page(&self, wanted: &Wanted, hidden: &[u64], window: Window, canceled: &dyn Fn() -> bool) -> Option<Found> {
        let Window { offset, limit, wavers } = window;
        if !wavers {
            return self.find(wanted, hidden, offset, limit, canceled);
        }
        let start = offset.saturating_sub(1);
        let around = self.find(wanted, hidden, start, limit.saturating_add(2), canceled)?;
        let at = |place: u64| around.ids.get((place - start) as usize).copied();
        let swapped = |place: u64| match place {
            0 => at(0),
            odd if odd % 2 == 1 => at(odd + 1).or_else(|| at(odd)),
            even => at(even - 1).filter(|_| at(even).is_some()),
        };
        Some(Found { ids: (offset..offset.saturating_add(limit)).map_while(swapped).collect(), ..around })
    }

    /// Every wanted id in order, a block at a time, until `each` returns false.
    pub fn walk(&self, wanted: &Wanted, hidden: &[u64], each: &mut dyn FnMut(&[u64]) -> bool) {
        let wanted = canonical(wanted);
        let plan = Plan::read(&wanted);
        let hidden = self.hidden_matches(&wanted, &plan, hidden);
        let mut hidden = hidden.as_slice();
        let mut reach = Reach::new(self.corpus());
        for block in 0..self.blocks() {
            let (here, later) = hidden.split_at(hidden.partition_point(|id| *id <= (block + 1) * BLOCK));
            hidden = later;
            let ids: Vec<u64> = without(self.block_ids(&mut reach, block, &plan, wanted.dedup), here).collect();
            if !ids.is_empty() && !each(&ids) {
                return;
            }
        }
    }

    /// Totals of the whole corpus, worked out at the first call.
    pub fn counts(&self) -> Counts {
        self.shared.counts.get_or_init(|| Counts::of(self.corpus(), self.shared.threads)).clone()
    }

    fn blocks(&self) -> u64 {
        self.corpus().rows().div_ceil(BLOCK)
    }

    /// What is known of a search, or will be after a scan.
    fn known(&self, wanted: &Wanted, canceled: &dyn Fn() -> bool) -> Option<Arc<Known>> {
        if let Some(known) = self.shared.kept.get(wanted) {
            return Some(known);
        }
        let plan = Plan::read(wanted);
        let rows = self.corpus().rows();
        let shown = |block: u64| self.corpus().duplicates.shown_before((block * BLOCK).min(rows), wanted.dedup);
        let counts = match plan {
            Plan::Nothing => vec![0; self.blocks() as usize],
            Plan::All => (0..self.blocks()).map(|block| (shown(block + 1) - shown(block)) as u32).collect(),
            _ => self.scan(&plan, wanted.dedup, canceled)?,
        };
        let known = Arc::new(Known { plan, counts });
        self.shared.kept.keep(wanted.clone(), known.clone());
        Some(known)
    }

    /// Goes through all rows. The calling thread scans too, and it alone asks whether to stop.
    fn scan(&self, plan: &Plan, dedup: bool, canceled: &dyn Fn() -> bool) -> Option<Vec<u32>> {
        let blocks = self.blocks();
        let next = AtomicU64::new(0);
        let stopped = AtomicBool::new(false);
        let work = |stop: &dyn Fn() -> bool| {
            let mut reach = Reach::new(self.corpus());
            let mut counted = Vec::new();
            loop {
                let block = next.fetch_add(1, Ordering::Relaxed);
                if block >= blocks || stop() {
                    return counted;
                }
                let starts = (block * BLOCK..((block + 1) * BLOCK).min(self.corpus().rows())).step_by(REACH as usize);
                let rows = starts.map(|start| {
                    let found = plan.wanted(&mut reach, start, dedup);
                    found.iter().map(|word| word.count_ones()).sum::<u32>()
                });
                counted.push((block as usize, rows.sum()));
            }
        };
        let mut counts = vec![0; blocks as usize];
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.shared.threads.min(blocks as usize))
                .map(|_| scope.spawn(|| work(&|| stopped.load(Ordering::Relaxed))))
                .collect();
            let own = work(&|| {
                let stop = canceled();
                stopped.fetch_or(stop, Ordering::Relaxed);
                stop
            });
            let others =
                others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            for (block, rows) in others.flatten().chain(own) {
                counts[block] = rows;
            }
        });
        (!stopped.load(Ordering::Relaxed)).then_some(counts)
    }

    /// The wanted ids of a block, in order.
    fn block_ids(&self, reach: &mut Reach, block: u64, plan: &Plan, dedup: bool) -> impl Iterator<Item = u64> {
        let starts = (block * BLOCK..((block + 1) * BLOCK).min(self.corpus().rows())).step_by(REACH as usize);
        starts.flat_map(move |start| {
            let found = plan.wanted(reach, start, dedup);
            found.into_iter().enumerate().flat_map(move |(word, mut bits)| {
                std::iter::from_fn(move || {
                    (bits != 0).then(|| {
                        let bit = bits.trailing_zeros();
                        bits &= bits - 1;
                        start + word as u64 * 64 + u64::from(bit) + 1
                    })
                })
            })
        })
    }

    /// The hidden ids that the search would have shown: only these make its total smaller.
    fn hidden_matches(&self, wanted: &Wanted, plan: &Plan, hidden: &[u64]) -> Vec<u64> {
        let corpus = self.corpus();
        let shown = |id: &u64| {
            let Some(row) = corpus.row(*id) else { return false };
            let original = corpus.duplicates.original(row);
            !(corpus.duplicates.suppressed(row) || wanted.dedup && original.is_some())
                && plan.wants(&corpus.seeds.draw(original.unwrap_or(row)))
        };
        let mut matches: Vec<u64> = hidden.iter().copied().filter(shown).collect();
        matches.dedup();
        matches
    }
}

/// `ids` without those in `hidden`; both ascend.
fn without<'a>(ids: impl Iterator<Item = u64> + 'a, hidden: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
    let mut hidden = hidden.iter().peekable();
    ids.filter(move |id| {
        while hidden.next_if(|other| **other < *id).is_some() {}
        hidden.peek() != Some(&id)
    })
}
