//! Blocks of 4,096 rows: their slots on the axes that a search asks about, and their rows as bits.

use crate::corpus::{Axis, BLOCK, LISTS, ROW_GROUP, SPAN, STRIDE, SandboxCorpus, Shuffle};

pub(super) const ROWS: usize = ROW_GROUP as usize;

/// One bit a row.
pub(super) type Mask = [u64; ROWS / 64];

pub(super) const NONE: Mask = [0; ROWS / 64];

/// Fewer live rows than this are drawn one by one.
const FEW: u32 = 1_000;

type Slots = [[u16; 64]; ROWS / 64];

/// The memory in which a thread works; made once, filled for one group after the other.
pub(super) struct RowGroup {
    corpus: SandboxCorpus,
    /// Rows that repeat another one are left out.
    pub(super) dedup: bool,
    /// The first row, from 0.
    start: u64,
    /// How the drawn axes are shuffled there.
    shuffles: [Shuffle; Axis::DRAWN.len()],
    slots: Box<[Slots; Axis::COUNT]>,
    /// Which axes are filled for this group.
    filled: [bool; Axis::COUNT],
}

impl RowGroup {
    pub(super) fn new(corpus: &SandboxCorpus, dedup: bool) -> RowGroup {
        let slots = vec![[[0; 64]; ROWS / 64]; Axis::COUNT].into_boxed_slice();
        let slots = slots.try_into().unwrap_or_else(|_| unreachable!("one for each axis"));
        let shuffles = Axis::DRAWN.map(|axis| corpus.seeds.shuffle(axis, 0));
        RowGroup { corpus: corpus.clone(), dedup, start: 0, shuffles, slots, filled: [false; Axis::COUNT] }
    }

    /// Moves to the group that begins at row `start` (from 0): the rows that are there.
    pub(super) fn move_to(&mut self, start: u64) -> Mask {
        debug_assert_eq!(start % ROW_GROUP, 0);
        self.start = start;
        self.shuffles = Axis::DRAWN.map(|axis| self.corpus.seeds.shuffle(axis, start / BLOCK));
        self.filled = [false; Axis::COUNT];
        let there = self.there();
        std::array::from_fn(|at| match there.saturating_sub(at as u64 * 64) {
            0 => 0,
            rows @ 1..64 => (1 << rows) - 1,
            _ => u64::MAX,
        })
    }

    fn there(&self) -> u64 {
        self.corpus.rows().saturating_sub(self.start).min(ROW_GROUP)
    }

    /// Those of the `found` that a search shows: no suppressed rows, and no repetitions where they are left out.
    pub(super) fn shown(&self, mut found: Mask, live: &Mask) -> Mask {
        let (start, there) = (self.start, self.there());
        for stride in start / STRIDE..(start + there).div_ceil(STRIDE) {
            let (duplicate, original) = self.corpus.duplicates.in_stride(stride);
            let (duplicate, original) = ((duplicate - start) as usize, (original - start) as usize);
            let repeats = !self.dedup && found[original / 64] >> (original % 64) & 1 != 0;
            let bit = 1 << (duplicate % 64);
            found[duplicate / 64] = found[duplicate / 64] & !bit | if repeats { bit & live[duplicate / 64] } else { 0 };
        }
        for span in start / SPAN..(start + there).div_ceil(SPAN) {
            let row = (self.corpus.duplicates.in_span(span) - start) as usize;
            found[row / 64] &= !(1 << (row % 64));
        }
        found
    }

    /// The slots of all rows on one axis.
    pub(super) fn slots(&mut self, axis: Axis) -> &Slots {
        if !self.filled[axis as usize] {
            if axis.drawn() { self.draw(axis) } else { self.follow() }
        }
        &self.slots[axis as usize]
    }

    fn draw(&mut self, axis: Axis) {
        let shuffle = self.shuffles[axis as usize];
        let start = self.start as u16;
        for (row, slot) in self.slots[axis as usize].as_flattened_mut().iter_mut().enumerate() {
            *slot = shuffle.slot(start.wrapping_add(row as u16));
        }
        self.filled[axis as usize] = true;
    }

    /// Whether only few rows are live, so that drawing these costs less than filling the axis for all.
    pub(super) fn costs_more_whole(&self, axis: Axis, live: &Mask) -> bool {
        !self.filled[axis as usize] && live.iter().map(|word| word.count_ones()).sum::<u32>() < FEW
    }

    /// The slot of one row of this group.
    pub(super) fn slot(&self, axis: Axis, row: usize) -> u16 {
        let drawn = |axis: Axis| self.shuffles[axis as usize].slot(self.start as u16 + row as u16);
        if axis.drawn() {
            return drawn(axis);
        }
        let work = drawn(Axis::Work);
        let firm = self.corpus.seeds.firm(drawn(Axis::Place), work, drawn(Axis::Detail));
        firm.slot(axis, LISTS.work.trades.place(work) as u8)
    }

    /// Fills all axes that follow from the firm: its key is what costs.
    fn follow(&mut self) {
        for axis in [Axis::Place, Axis::Work, Axis::Detail] {
            self.slots(axis);
        }
        let [place, work, _, _, _, detail, name, tail, house, street] =
            self.slots.each_mut().map(|slots| slots.as_flattened_mut());
        let (trades, firms, seeds) = (&LISTS.work.trades, &LISTS.firms, self.corpus.seeds);
        let drawn = place.iter().zip(work).zip(detail);
        let following = name.iter_mut().zip(tail).zip(house.iter_mut().zip(street));
        for (((place, work), detail), ((name, tail), (house, street))) in drawn.zip(following) {
            let firm = seeds.firm(*place, *work, *detail);
            *name = firm.name();
            *tail = firms.tail_of(trades.place(*work) as u8, firm.name());
            *house = firm.house();
            *street = firm.street();
        }
        self.filled[Axis::Name as usize..].fill(true);
    }
}
