//! A search as a formula over sets of slots. Everything that concerns the same axis is merged into one set when the formula is
//! built, and what can no longer match (or always does) disappears; so a keyword that only titles contain costs one look-up a row.

use crate::corpus::draw::Axis;
use crate::corpus::duplicates::REACH;

use super::bits::Bits;
use super::reach::{Mask, ROWS, Reach};

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
        let inner = parts.into_iter().flat_map(|part| if let Plan::And(inner) = part { inner } else { vec![part] });
        let mut kept = merged(inner, Bits::and);
        if kept.contains(&Plan::Nothing) {
            return Plan::Nothing;
        }
        kept.retain(|part| *part != Plan::All);
        // What is cheap and excludes much comes first; what follows only looks at the rows that are left.
        kept.sort_by(|a, b| (a.cost() / (1.0 - a.share())).total_cmp(&(b.cost() / (1.0 - b.share()))));
        match kept.len() {
            0 => Plan::All,
            1 => kept.remove(0),
            _ => Plan::And(kept),
        }
    }

    pub(super) fn any(parts: impl IntoIterator<Item = Plan>) -> Plan {
        let inner = parts.into_iter().flat_map(|part| if let Plan::Or(inner) = part { inner } else { vec![part] });
        let mut kept = merged(inner, Bits::or);
        if kept.contains(&Plan::All) {
            return Plan::All;
        }
        kept.retain(|part| *part != Plan::Nothing);
        kept.sort_by(|a, b| (a.cost() / a.share()).total_cmp(&(b.cost() / b.share())));
        match kept.len() {
            0 => Plan::Nothing,
            1 => kept.remove(0),
            _ => Plan::Or(kept),
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
    pub(super) fn wants(&self, reach: &mut Reach, row: u64) -> bool {
        reach.move_to(row - row % REACH);
        let mut live = [0; ROWS / 64];
        live[(row % REACH) as usize / 64] = 1 << (row % 64);
        self.mask(reach, &live) == live
    }

    /// The rows that are wanted of the reach that begins at row `start` (from 0); without suppressed rows, and without
    /// repetitions if `dedup`.
    pub(super) fn wanted(&self, reach: &mut Reach, start: u64, dedup: bool) -> Mask {
        let live = reach.move_to(start);
        let found = self.mask(reach, &live);
        if matches!(self, Plan::Nothing) { found } else { reach.shown(found, &live, dedup) }
    }

    /// Which of the `live` rows of a reach are wanted.
    fn mask(&self, reach: &mut Reach, live: &Mask) -> Mask {
        match self {
            Plan::All => *live,
            Plan::Nothing => [0; ROWS / 64],
            Plan::In(axis, bits) if reach.costs_more_whole(*axis, live) => {
                let mut found = [0; ROWS / 64];
                for (at, (word, mut live)) in found.iter_mut().zip(live.iter().copied()).enumerate() {
                    while live != 0 {
                        let row = at * 64 + live.trailing_zeros() as usize;
                        *word |= u64::from(bits.has(reach.slot(*axis, row))) << (row % 64);
                        live &= live - 1;
                    }
                }
                found
            }
            Plan::In(axis, bits) => {
                let slots = reach.slots(*axis);
                let mut found = [0; ROWS / 64];
                for ((word, slots), live) in found.iter_mut().zip(slots).zip(live) {
                    *word = bits.test(slots, *live);
                }
                found
            }
            Plan::And(parts) => {
                let mut left = *live;
                for part in parts {
                    if left.iter().all(|word| *word == 0) {
                        break;
                    }
                    left = part.mask(reach, &left);
                }
                left
            }
            Plan::Or(parts) => {
                let mut found = [0; ROWS / 64];
                let mut left = *live;
                for part in parts {
                    let more = part.mask(reach, &left);
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

/// One set for each axis, joined with `join`; formulas with more than one axis stay as they are.
fn merged(parts: impl Iterator<Item = Plan>, join: fn(Bits, &Bits) -> Bits) -> Vec<Plan> {
    let mut sets: Vec<(Axis, Bits)> = Vec::new();
    let mut rest = Vec::new();
    for part in parts {
        let Plan::In(axis, bits) = part else {
            rest.push(part);
            continue;
        };
        match sets.iter_mut().find(|(known, _)| *known == axis) {
            Some((_, known)) => *known = join(known.clone(), &bits),
            None => sets.push((axis, bits)),
        }
    }
    sets.into_iter().map(|(axis, bits)| Plan::within(axis, bits)).chain(rest).collect()
}
