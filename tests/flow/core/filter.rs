use lode_core::contact::Side;
use lode_core::filter::*;

#[test]
fn names_are_unique_and_read_back() {
    for (at, filter) in Filter::ALL.into_iter().enumerate() {
        assert_eq!(filter as usize, at, "the catalog is in the order of the enum");
        assert_eq!(Filter::named(filter.name()), Some(filter));
        assert_eq!(serde_json::from_value::<Filter>(filter.name().into()).unwrap(), filter);
    }
}

#[test]
fn every_filter_belongs_to_a_side_and_none_twice() {
    for filter in Filter::ALL {
        assert!(Side::ALL.into_iter().any(|side| Filter::of(side).contains(&filter)), "{}", filter.name());
    }
    for (at, side) in Side::ALL.into_iter().enumerate() {
        assert_eq!(side.source as usize * 2 + side.corpus as usize, at);
        let mut seen: Vec<_> = Filter::of(side).to_vec();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), Filter::of(side).len());
    }
}

#[test]
fn every_filter_has_a_letter_of_its_own() {
    let letters: std::collections::BTreeSet<char> = Filter::ALL.into_iter().map(Filter::letter).collect();
    assert_eq!(letters.len(), Filter::ALL.len());
    assert!(letters.iter().all(char::is_ascii_lowercase));
}
