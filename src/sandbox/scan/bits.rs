//! A set of slots of one axis: the answer of a dictionary to a filter, asked once and then looked up for every row.

use std::ops::Range;

use crate::corpus::lists::SLOTS;

/// 65,536 bits: 8 KB, which stays in the nearest cache while millions of rows are tested.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Bits(Box<[u64; SLOTS / 64]>);

impl Bits {
    /// The slots for which `holds` is true.
    pub(super) fn of(mut holds: impl FnMut(u16) -> bool) -> Bits {
        let mut words = Box::new([0; SLOTS / 64]);
        for (at, word) in words.iter_mut().enumerate() {
            for bit in 0..64 {
                *word |= u64::from(holds((at * 64 + bit) as u16)) << bit;
            }
        }
        Bits(words)
    }

    /// The slots in these ranges.
    pub(super) fn ranges(ranges: impl Iterator<Item = Range<usize>>) -> Bits {
        let mut words = Box::new([0u64; SLOTS / 64]);
        for range in ranges.filter(|range| !range.is_empty()) {
            let (first, last) = (range.start / 64, (range.end - 1) / 64);
            let (from, until) = (u64::MAX << (range.start % 64), u64::MAX >> (63 - (range.end - 1) % 64));
            if first == last {
                words[first] |= from & until;
            } else {
                words[first] |= from;
                words[first + 1..last].fill(u64::MAX);
                words[last] |= until;
            }
        }
        Bits(words)
    }

    /// The slots of which the answers say so; after the last answer they begin again.
    pub(super) fn repeating(answers: &[bool]) -> Bits {
        debug_assert!(SLOTS.is_multiple_of(answers.len()));
        let starts = (0..SLOTS).step_by(answers.len());
        let places = answers.iter().enumerate().filter_map(|(at, answer)| answer.then_some(at));
        let places: Vec<usize> = places.collect();
        Bits::ranges(starts.flat_map(|start| places.iter().map(move |at| start + at..start + at + 1)))
    }

    pub(super) fn has(&self, slot: u16) -> bool {
        self.0[usize::from(slot >> 6)] >> (slot & 63) & 1 != 0
    }

    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn and(mut self, other: &Bits) -> Bits {
        self.0.iter_mut().zip(other.0.iter()).for_each(|(word, other)| *word &= other);
        self
    }

    pub(super) fn or(mut self, other: &Bits) -> Bits {
        self.0.iter_mut().zip(other.0.iter()).for_each(|(word, other)| *word |= other);
        self
    }

    /// Which of these 64 slots are in the set. Rows that are not `live` need no answer.
    pub(super) fn test(&self, slots: &[u16; 64], mut live: u64) -> u64 {
        let mut found = 0;
        if live.count_ones() <= 12 {
            while live != 0 {
                let at = live.trailing_zeros();
                found |= u64::from(self.has(slots[at as usize])) << at;
                live &= live - 1;
            }
            return found;
        }
        for (at, slot) in slots.iter().enumerate() {
            found |= (self.0[usize::from(slot >> 6)] >> (slot & 63) & 1) << at;
        }
        found & live
    }
}
