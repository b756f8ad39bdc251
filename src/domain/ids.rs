//! Sets of row ids, packed: sorted, and each written as its distance from the one before. A million ids of a corpus of eighty
//! million take under 2 MB, so that what a saved search had last time can simply be kept.

use super::contact::RowId;

/// Packs a set of ids; order and repetition do not matter.
#[must_use]
pub fn pack(ids: impl IntoIterator<Item = RowId>) -> Vec<u8> {
    let mut sorted: Vec<i64> = ids.into_iter().map(|id| id.0).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let mut bytes = Vec::with_capacity(sorted.len() * 2);
    let mut before = i64::MIN;
    for id in sorted {
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

/// The ids of a packed set, in rising order. None where the bytes are no such set.
#[must_use]
pub fn unpack(bytes: &[u8]) -> Option<Vec<RowId>> {
    let mut ids = Vec::with_capacity(bytes.len());
    let (mut before, mut step, mut shift) = (i64::MIN, 0u64, 0u32);
    for byte in bytes {
        let part = u64::from(byte & 0x7f);
        if shift > 63 || (shift == 63 && part > 1) {
            return None;
        }
        step |= part << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            before = before.checked_add_unsigned(step)?;
            ids.push(RowId(before));
            (step, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_comes_back_sorted_and_without_repetition() {
        let ids = [5, i64::MAX, -3, 5, 0, i64::MIN, 80_000_000].map(RowId);
        let packed = pack(ids);
        assert_eq!(unpack(&packed).unwrap(), [i64::MIN, -3, 0, 5, 80_000_000, i64::MAX].map(RowId));
        assert_eq!(unpack(&[]), Some(Vec::new()));
    }

    #[test]
    fn broken_bytes_are_no_set() {
        assert_eq!(unpack(&[0x80]), None);
        assert_eq!(unpack(&[0xff; 11]), None);
        let beyond = [pack([RowId(i64::MAX)]), vec![1]].concat();
        assert_eq!(unpack(&beyond), None);
    }

    #[test]
    fn a_million_ids_are_small() {
        let packed = pack((0..1_000_000).map(|at| RowId(at * 80)));
        assert!(packed.len() < 2_000_000, "{}", packed.len());
    }
}
