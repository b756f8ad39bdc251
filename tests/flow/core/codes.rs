use lode_core::codes::*;
use lode_core::filter::Filter;

#[test]
fn every_line_is_a_code_and_a_name() {
    for (text, codes, length) in [
        (lode_assets::STATES, states().collect::<Vec<_>>(), 2),
        (lode_assets::SIC, sic().collect(), 4),
        (lode_assets::NAICS, naics().collect(), 6),
    ] {
        assert_eq!(codes.len() + 1, text.lines().count());
        assert!(codes.iter().all(|(code, name)| code.len() == length && !name.is_empty()));
    }
}

#[test]
fn states_are_found_by_name_case_and_slip() {
    for (typed, likely) in [
        ("Texas", Some("TX")),
        ("tx", Some("TX")),
        ("new  york", Some("NY")),
        ("Calfornia", Some("CA")),
        ("Massachusets", Some("MA")),
        ("TX", None),
        ("Bavaria", None),
        ("", None),
    ] {
        assert_eq!(value(Filter::State, typed), likely, "{typed}");
    }
}

#[test]
fn codes_are_found_by_their_names_and_left_alone_otherwise() {
    assert!(value(Filter::SicCode, "hospital").is_some());
    assert_eq!(value(Filter::SicCode, "8062"), None);
    assert_eq!(value(Filter::NaicsCode, "12"), None);
    assert_eq!(value(Filter::City, "Asutin"), None, "cities are not listed");
}
