//! Packed sets of row ids: sorted, each stored as the distance from the one before. A million ids of a corpus of eighty
//! million take less than 2 MB, so that a saved search can keep those of its last run.
//!
//! [`Packed`] is such a set that can be looked into without being unpacked, [`Growing`] one that takes ids in any order.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::contact::RowId;

/// Packs a set of ids; order and repetition do not matter.
pub fn pack(ids: impl IntoIterator<Item = RowId>) -> Vec<u8> {
    write(ids.into_iter().collect::<BTreeSet<RowId>>().into_iter(), Vec::new())
}

/// The ids of a packed set, in rising order. None where the bytes are no such set.
pub fn unpack(bytes: &[u8]) -> Option<Vec<RowId>> {
    Steps { bytes, before: i64::MIN }.map(|id| id.map(RowId)).collect()
}

/// Ids in rising order, none twice.
fn write(ids: impl Iterator<Item = RowId>, mut bytes: Vec<u8>) -> Vec<u8> {
    let mut before = i64::MIN;
    for RowId(id) in ids {
        let mut step = id.abs_diff(before);
        before = id;
        while step >= 0x80 {
            bytes.push(step as u8 | 0x80);
            step >>= 7;
        }
        bytes.push(step as u8);
    }
    bytes
}

#[derive(Clone, Copy, Debug)]
struct Steps<'a> {
    bytes: &'a [u8],
    before: i64,
}

/// The ids, and `None` in the end where the bytes are no steps.
impl Iterator for Steps<'_> {
    type Item = Option<i64>;

    fn next(&mut self) -> Option<Option<i64>> {
        if self.bytes.is_empty() {
            return None;
        }
        let mut step = 0u64;
        for (at, byte) in self.bytes.iter().enumerate() {
            let (part, shift) = (u64::from(byte & 0x7f), 7 * at as u32);
            if shift > 63 || (shift == 63 && part > 1) {
                break;
            }
            step |= part << shift;
            if byte & 0x80 == 0 {
                let Some(id) = self.before.checked_add_unsigned(step) else { break };
                (self.before, self.bytes) = (id, &self.bytes[at + 1..]);
                return Some(Some(id));
            }
        }
        self.bytes = &[];
        Some(None)
    }
}

/// Ids between two places that can be jumped to.
const STRIDE: usize = 128;

/// A packed set as it is: looking one id up reads the few bytes around it.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    pub bytes: Bytes,
    /// At regular distances: the id before, and where the next one is written.
    places: Vec<(i64, usize)>,
    /// How many ids it has.
    pub count: u64,
}

impl Packed {
    /// None where the bytes are no such set.
    pub fn read(bytes: Bytes) -> Option<Packed> {
        let mut steps = Steps { bytes: &bytes, before: i64::MIN };
        let (mut places, mut count) = (Vec::new(), 0);
        loop {
            let place = (steps.before, bytes.len() - steps.bytes.len());
            let Some(id) = steps.next() else { break };
            id?;
            if count % STRIDE == 0 {
                places.push(place);
            }
            count += 1;
        }
        places.shrink_to_fit();
        Some(Packed { bytes, places, count: count as u64 })
    }

    /// Ids in rising order, none twice. `room` is about how many bytes they will take.
    fn of(ids: impl Iterator<Item = RowId>, room: usize) -> Packed {
        let mut bytes = write(ids, Vec::with_capacity(room));
        bytes.shrink_to_fit();
        Packed::read(Bytes::from(bytes)).unwrap_or_default()
    }

    pub fn contains(&self, id: RowId) -> bool {
        // The first id of all may be the smallest there is, so the first place is never jumped over.
        let at = self.places.partition_point(|(before, _)| *before < id.0).saturating_sub(1);
        let Some(&(before, from)) = self.places.get(at) else { return false };
        let mut steps = Steps { bytes: &self.bytes[from..], before }.flatten();
        steps.find(|known| *known >= id.0) == Some(id.0)
    }

    /// In rising order.
    pub fn iter(&self) -> impl Iterator<Item = RowId> {
        Steps { bytes: &self.bytes, before: i64::MIN }.flatten().map(RowId)
    }
}

/// A set that takes ids in any order. Most of them are packed; the latest wait until there are enough of them to be worth
/// packing everything again.
#[derive(Clone, Debug, Default)]
pub struct Growing {
    packed: Packed,
    latest: BTreeSet<RowId>,
}

impl Growing {
    /// True where it was not there yet.
    pub fn insert(&mut self, id: RowId) -> bool {
        let new = !self.packed.contains(id) && self.latest.insert(id);
        if self.latest.len() as u64 > (self.packed.count / 32).max(1_024) {
            self.packed = self.pack();
            self.latest.clear();
        }
        new
    }

    pub fn contains(&self, id: RowId) -> bool {
        self.latest.contains(&id) || self.packed.contains(id)
    }

    /// In rising order.
    pub fn iter(&self) -> impl Iterator<Item = RowId> {
        union(self.packed.iter(), self.latest.iter().copied())
    }

    fn pack(&self) -> Packed {
        Packed::of(self.iter(), self.packed.bytes.len() + self.latest.len() * 3)
    }

    /// These and those of another set, packed.
    pub fn and(&self, other: &Packed) -> Packed {
        if other.count == 0 && self.latest.is_empty() {
            return self.packed.clone();
        }
        let room = self.packed.bytes.len() + self.latest.len() * 3 + other.bytes.len();
        Packed::of(union(self.iter(), other.iter()), room)
    }
}

/// Both in rising order: so is this, with none twice.
fn union(one: impl Iterator<Item = RowId>, other: impl Iterator<Item = RowId>) -> impl Iterator<Item = RowId> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    std::iter::from_fn(move || {
        let next = match (one.peek(), other.peek()) {
            (Some(left), Some(right)) => *left.min(right),
            (Some(only), None) | (None, Some(only)) => *only,
            (None, None) => return None,
        };
        one.next_if_eq(&next);
        other.next_if_eq(&next);
        Some(next)
    })
}
