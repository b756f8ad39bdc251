//! How a row draws its slots. Rows come in blocks of 65,536; inside a block each drawn axis is a shuffle of all its slots, so a
//! whole block holds every slot of every axis exactly once and totals of a whole corpus are arithmetic, not a guess.
//!
//! The shuffles are a few 16-bit multiplications, which a processor does for many rows at a time.

use super::dictionaries::{Firm, LISTS};
use super::lists::mix;

/// Rows of a block.
pub(crate) const BLOCK: u64 = 1 << 16;

/// What a filter can look at. Each has at most 65,536 slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Axis {
    // Drawn: a shuffle of the slots of a dictionary.
    Place,
    Work,
    First,
    Last,
    Mail,
    /// Small things: which firm of a site, digits of the phone, host of a personal address.
    Detail,
    // Following from the firm, which follows from place, work and detail.
    Name,
    Tail,
    House,
    Street,
}

impl Axis {
    pub(crate) const COUNT: usize = 10;
    pub(crate) const DRAWN: [Axis; 6] = [Axis::Place, Axis::Work, Axis::First, Axis::Last, Axis::Mail, Axis::Detail];

    pub(crate) fn drawn(self) -> bool {
        self <= Axis::Detail
    }
}

/// A bijection of 16 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shuffle {
    add: u16,
    times: [u16; 3],
}

impl Shuffle {
    pub(crate) fn new(seed: u64, axis: Axis, block: u64) -> Shuffle {
        let key = mix(seed ^ mix(block << 4 | axis as u64));
        // Odd factors can be undone, so no two rows of a block draw the same slot.
        Shuffle { add: key as u16, times: [16, 32, 48].map(|bits| (key >> bits) as u16 | 1) }
    }

    pub(crate) fn slot(self, row: u16) -> u16 {
        let mut x = row.wrapping_add(self.add).wrapping_mul(self.times[0]);
        x = (x ^ (x >> 8)).wrapping_mul(self.times[1]);
        x = (x ^ (x >> 7)).wrapping_mul(self.times[2]);
        x ^ (x >> 9)
    }
}

impl Firm {
    /// The slot of an axis that follows from the firm, which is of this trade.
    pub(crate) fn slot(self, axis: Axis, trade: u8) -> u16 {
        match axis {
            Axis::Name => self.name(),
            Axis::Tail => LISTS.firms.tail_of(trade, self.name()),
            Axis::House => self.house(),
            Axis::Street => self.street(),
            drawn => unreachable!("{drawn:?} is drawn, it follows from nothing"),
        }
    }
}

/// The seeds of one corpus.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeds {
    /// Of the shuffles: different in each corpus.
    pub(super) rows: u64,
    /// Of the firms: shared, so that both corpora know the same companies.
    pub(super) firms: u32,
}

impl Seeds {
    pub(super) fn new(seed: u64, corpus: u64) -> Seeds {
        Seeds { rows: mix(mix(seed) ^ corpus), firms: mix(!seed) as u32 }
    }

    pub(crate) fn shuffle(&self, axis: Axis, block: u64) -> Shuffle {
        Shuffle::new(self.rows, axis, block)
    }

    #[inline]
    pub(crate) fn firm(&self, place: u16, work: u16, detail: u16) -> Firm {
        Firm::at(self.firms, LISTS.places.sites.place(place), LISTS.work.trades.place(work) as u8, detail)
    }

    /// What the row at this place (from 0) draws on each of `Axis::DRAWN`.
    pub(crate) fn draw(&self, row: u64) -> [u16; Axis::DRAWN.len()] {
        Axis::DRAWN.map(|axis| self.shuffle(axis, row / BLOCK).slot(row as u16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_holds_every_slot_once() {
        for block in [0, 1, 1220] {
            let shuffle = Shuffle::new(7, Axis::Work, block);
            let mut seen = vec![false; BLOCK as usize];
            for row in 0..=u16::MAX {
                assert!(!std::mem::replace(&mut seen[usize::from(shuffle.slot(row))], true));
            }
        }
    }

    /// Two axes of one block must not know of each other: cut both into 16 parts, and each pair of parts meets about as often.
    #[test]
    fn axes_are_independent() {
        for block in 0..40 {
            let a = Shuffle::new(3, Axis::Place, block);
            let b = Shuffle::new(3, Axis::Work, block);
            let mut met = [[0u32; 16]; 16];
            for row in 0..=u16::MAX {
                met[usize::from(a.slot(row) >> 12)][usize::from(b.slot(row) >> 12)] += 1;
            }
            let worst = met.iter().flatten().map(|times| (f64::from(*times) - 256.0).abs()).fold(0.0, f64::max);
            assert!(worst < 128.0, "block {block}: parts meet {worst} times off the expected 256");
        }
    }
}
