use std::collections::BTreeSet;

use bytes::Bytes;
use lode_core::contact::RowId;
use lode_core::ids::*;
use proptest::prelude::*;

#[test]
fn a_set_comes_back_sorted_and_without_repetition() {
    let ids = [5, i64::MAX, -3, 5, 0, i64::MIN, 80_000_000].map(RowId);
    let packed = pack(ids);
    assert_eq!(unpack(&packed).unwrap(), [i64::MIN, -3, 0, 5, 80_000_000, i64::MAX].map(RowId));
    assert_eq!(unpack(&[]), Some(Vec::new()));
}

#[test]
fn broken_bytes_are_no_set() {
    for bytes in [vec![0x80], vec![0xff; 11], [pack([RowId(i64::MAX)]), vec![1]].concat()] {
        assert_eq!(unpack(&bytes), None);
        assert!(Packed::read(Bytes::from(bytes)).is_none());
    }
}

proptest! {
    #[test]
    fn a_packed_set_knows_its_own(
        ids in proptest::collection::btree_set(prop_oneof![any::<i64>(), 0..2_000i64], 0..600),
        others in proptest::collection::vec(prop_oneof![any::<i64>(), 0..2_000i64], 0..100),
    ) {
        let packed = Packed::read(Bytes::from(pack(ids.iter().copied().map(RowId)))).unwrap();
        prop_assert_eq!(packed.count, ids.len() as u64);
        prop_assert!(packed.iter().map(|id| id.0).eq(ids.iter().copied()));
        for id in ids.iter().chain(&others) {
            prop_assert_eq!(packed.contains(RowId(*id)), ids.contains(id));
        }
    }

    #[test]
    fn a_growing_set_is_a_set(
        inserted in proptest::collection::vec(0..6_000i64, 0..5_000),
        other in proptest::collection::btree_set(0..9_000i64, 0..600),
    ) {
        let (mut growing, mut known) = (Growing::default(), BTreeSet::new());
        for id in &inserted {
            prop_assert_eq!(growing.insert(RowId(*id)), known.insert(*id));
        }
        prop_assert_eq!(growing.iter().count(), known.len());
        prop_assert!(growing.iter().map(|id| id.0).eq(known.iter().copied()));
        let other_packed = Packed::read(Bytes::from(pack(other.iter().copied().map(RowId)))).unwrap();
        let both = growing.and(&other_packed);
        prop_assert!(both.iter().map(|id| id.0).eq(known.union(&other).copied()));
    }
}
