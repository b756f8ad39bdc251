//! A search as a formula over sets of slots. Everything that concerns the same axis is merged into one set when the formula is
//! built, and what can no longer match (or always does) disappears; so a keyword that only titles contain costs one look-up a row.

use std::mem::discriminant;
use std::ops::{BitAnd, BitOr};

use super::row_group::{Mask, NONE, ROWS, RowGroup};
use crate::corpus::{Axis, ROW_GROUP, SLOTS};

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Plan {
    All,
    Nothing,
    /// The row's slot on this axis is in the set.
    In(Axis, Bits),
    And(Vec<Plan>),
    Or(Vec<Plan>),
}

impl Plan {
    pub(super) fn within(axis: Axis, bits: Bits) -> Plan {
        match bits.count() {
            0 => Plan::Nothing,
            0x1_0000 => Plan::All,
            _ => Plan::In(axis, bits),
        }
    }

    pub(super) fn all(parts: impl IntoIterator<Item = Plan>) -> Plan {
        // What is cheap and excludes much comes first; what follows only looks at the rows that are left.
        let rank = |part: &Plan| part.cost() / (1.0 - part.share());
        Plan::join(parts, Plan::And, u64::bitand, [Plan::Nothing, Plan::All], rank)
    }

    pub(super) fn any(parts: impl IntoIterator<Item = Plan>) -> Plan {
        let rank = |part: &Plan| part.cost() / part.share();
        Plan::join(parts, Plan::Or, u64::bitor, [Plan::All, Plan::Nothing], rank)
    }

    /// One formula of several: one set for each axis, and what concerns more than one axis as it is. A part that is `decisive`
    /// decides alone, a `neutral` one changes nothing.
    fn join(
        parts: impl IntoIterator<Item = Plan>,
        formula: fn(Vec<Plan>) -> Plan,
        merge: fn(u64, u64) -> u64,
        [decisive, neutral]: [Plan; 2],
        rank: fn(&Plan) -> f64,
    ) -> Plan {
        let kind = discriminant(&formula(Vec::new()));
        let inner = parts.into_iter().flat_map(|part| match (discriminant(&part) == kind, part) {
            (true, Plan::And(inner) | Plan::Or(inner)) => inner,
            (_, part) => vec![part],
        });
        let mut sets: Vec<(Axis, Bits)> = Vec::new();
        let mut rest = Vec::new();
        for part in inner {
            let Plan::In(axis, bits) = part else {
                rest.push(part);
                continue;
            };
            match sets.iter_mut().find(|(known, _)| *known == axis) {
                Some((_, known)) => {
                    known.0.iter_mut().zip(*bits.0).for_each(|(word, other)| *word = merge(*word, other))
                }
                None => sets.push((axis, bits)),
            }
        }
        let mut kept: Vec<Plan> = sets.into_iter().map(|(axis, bits)| Plan::within(axis, bits)).chain(rest).collect();
        if kept.contains(&decisive) {
            return decisive;
        }
        kept.retain(|part| *part != neutral);
        kept.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        match kept.len() {
            0 => neutral,
            1 => kept.remove(0),
            _ => formula(kept),
        }
    }

    /// The share of rows expected to match, as if axes knew nothing of each other.
    fn share(&self) -> f64 {
        match self {
            Plan::All => 1.0,
            Plan::Nothing => 0.0,
            Plan::In(Axis::Tail | Axis::Street, bits) => (f64::from(bits.count()) / 500.0).min(0.99),
            Plan::In(_, bits) => f64::from(bits.count()) / 65_536.0,
            Plan::And(parts) => parts.iter().map(Plan::share).product(),
            Plan::Or(parts) => 1.0 - parts.iter().map(|part| 1.0 - part.share()).product::<f64>(),
        }
    }

    fn cost(&self) -> f64 {
        match self {
            Plan::All | Plan::Nothing => 0.0,
            Plan::In(axis, _) if axis.drawn() => 1.0,
            Plan::In(..) => 5.0,
            Plan::And(parts) | Plan::Or(parts) => parts.iter().map(Plan::cost).sum(),
        }
    }

    /// Whether this row (from 0) is wanted. It is drawn alone.
    pub(super) fn wants(&self, group: &mut RowGroup, row: u64) -> bool {
        group.move_to(row - row % ROW_GROUP);
        let mut live = NONE;
        live[(row % ROW_GROUP) as usize / 64] = 1 << (row % 64);
        self.mask(group, &live) == live
    }

    /// The rows that are wanted of the group that begins at row `start` (from 0), of those that a search shows.
    pub(super) fn wanted(&self, group: &mut RowGroup, start: u64) -> Mask {
        let live = group.move_to(start);
        let found = self.mask(group, &live);
        if matches!(self, Plan::Nothing) { found } else { group.shown(found, &live) }
    }

    /// Which of the `live` rows of a group are wanted.
    fn mask(&self, group: &mut RowGroup, live: &Mask) -> Mask {
        match self {
            Plan::All => *live,
            Plan::Nothing => NONE,
            Plan::In(axis, bits) if group.costs_more_whole(*axis, live) => std::array::from_fn(|at| {
                let has = |bit: usize| bits.has(group.slot(*axis, at * 64 + bit));
                ones(live[at]).map(|bit| u64::from(has(bit)) << bit).sum()
            }),
            Plan::In(axis, bits) => {
                let slots = group.slots(*axis);
                std::array::from_fn(|at| bits.test(&slots[at], live[at]))
            }
            Plan::And(parts) => {
                let narrow = |left: Mask, part: &Plan| if left == NONE { left } else { part.mask(group, &left) };
                parts.iter().fold(*live, narrow)
            }
            Plan::Or(parts) => {
                let mut found = NONE;
                let mut left = *live;
                for part in parts {
                    let more = part.mask(group, &left);
                    for at in 0..ROWS / 64 {
                        found[at] |= more[at];
                        left[at] &= !more[at];
                    }
                }
                found
            }
        }
    }
}

/// The places of the bits of a word that are set.
pub(super) fn ones(word: u64) -> impl Iterator<Item = usize> {
    let rest = |word: &u64| Some(word & (word - 1)).filter(|rest| *rest != 0);
    std::iter::successors(Some(word).filter(|word| *word != 0), rest).map(|word| word.trailing_zeros() as usize)
}

/// A set of slots of one axis: the answer of a dictionary to a filter, asked once and then looked up for every row.
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

    /// Which of these 64 slots are in the set. Rows that are not `live` need no answer.
    pub(super) fn test(&self, slots: &[u16; 64], live: u64) -> u64 {
        if live.count_ones() <= 12 {
            return ones(live).map(|at| u64::from(self.has(slots[at])) << at).sum();
        }
        let mut found = 0;
        for (at, slot) in slots.iter().enumerate() {
            found |= (self.0[usize::from(slot >> 6)] >> (slot & 63) & 1) << at;
        }
        found & live
    }
}
