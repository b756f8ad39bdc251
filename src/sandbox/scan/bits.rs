//! A set of slots of one axis: the answer of a dictionary to a filter, asked once and then looked up for every row.

use crate::corpus::lists::SLOTS;

/// 65,536 bits: 8 KB, which stays in the nearest cache while millions of rows are tested.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Bits(Box<[u64; SLOTS / 64]>);

impl Bits {
    /// The slots for which `holds` is true.
    pub(super) fn of(mut holds: impl FnMut(u16) -> bool) -> Bits {
        Bits::slots((0..SLOTS).filter(|slot| holds(*slot as u16)))
    }

    /// These slots.
    pub(super) fn slots(slots: impl Iterator<Item = usize>) -> Bits {
        let mut words = Box::new([0; SLOTS / 64]);
        slots.for_each(|slot| words[slot / 64] |= 1 << (slot % 64));
        Bits(words)
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
