use std::collections::BTreeSet;
use std::sync::Arc;

use lode_core::contact::RowId;
use lode_core::contact::Side;
use lode_core::exclude::*;
use lode_core::row::Row;
use lode_core::row::{CellKind as Json, ColumnNames};
use lode_core::suppress::SuppressEntry;
use lode_core::suppress::Suppression;

#[test]
fn what_excludes_nothing_is_not_taken() {
    let mut not = Exclusions::default();
    assert_eq!(not.add(ExclusionKind::Title, " - "), Err(InvalidExclusion::NoWord("-".to_owned())));
    assert_eq!(not.add(ExclusionKind::Domain, "acme"), Err(InvalidExclusion::NoDomain("acme".to_owned())));
    assert_eq!(not.add(ExclusionKind::Company, "  "), Err(InvalidExclusion::NoWord(String::new())));
    assert!(not.is_empty());
    assert_eq!(not.add(ExclusionKind::Domain, "https://www.Acme.example/x"), Ok(true));
    assert_eq!(not.add(ExclusionKind::Domain, "acme.example"), Ok(false), "the same once");
    assert_eq!(not.values(ExclusionKind::Domain).collect::<Vec<_>>(), ["acme.example"]);
    assert!(not.remove(ExclusionKind::Domain, "acme.example") && not.is_empty());
}

#[test]
fn every_kind_has_a_name_a_flag_and_a_letter_of_its_own() {
    let letters: BTreeSet<char> = ExclusionKind::ALL.into_iter().map(ExclusionKind::letter).collect();
    assert_eq!(letters.len(), ExclusionKind::ALL.len());
    for kind in ExclusionKind::ALL {
        assert_eq!(ExclusionKind::named(kind.name()), Some(kind));
        assert_eq!(kind.flag(), format!("not-{}", kind.name().replace('_', "-")));
    }
}

#[test]
fn a_row_is_left_out_by_each_kind_and_says_why() {
    let lists = vec![
        Suppression { list: "dnc".to_owned(), entries: vec![SuppressEntry::Domain("harbor.example".to_owned())] },
        Suppression { list: "other".to_owned(), entries: vec![SuppressEntry::Domain("quail.example".to_owned())] },
    ];
    let mut not = Exclusions::default();
    for (kind, value) in [
        (ExclusionKind::Title, "intern"),
        (ExclusionKind::Word, "staffing"),
        (ExclusionKind::Company, "The Lakeside Inc."),
        (ExclusionKind::Domain, "acme.example"),
        (ExclusionKind::Domain, "bücher.example"),
        (ExclusionKind::List, "dnc"),
    ] {
        not.add(kind, value).unwrap();
    }
    let exclusion_filter = ExclusionFilter::new(&not, &lists);
    let columns = Arc::new(ColumnNames::new(["title", "company_name", "email_address", "company_website"]));
    for (values, expected) in [
        (["Nurse Intern", "Elm", "", ""], Some("excluded: title has intern")),
        (["Nurse", "Apex Staffing, LLC", "", ""], Some("excluded: company has staffing")),
        (["Nurse", "LAKESIDE", "", ""], Some("excluded: company The Lakeside Inc.")),
        (["Nurse", "Lakeside Regional", "", ""], None),
        (["Nurse", "Elm", "d•••@mail.acme.example", ""], Some("excluded: domain acme.example")),
        (["Nurse", "Elm", "d•••@notacme.example", ""], None),
        (["Nurse", "Elm", "", "https://www.acme.example/x"], Some("excluded: domain acme.example")),
        (["Nurse", "Elm", "d•••@xn--bcher-kva.example", ""], Some("excluded: domain bücher.example")),
        (["Nurse", "Elm", "d•••@harbor.example", ""], Some("excluded: list dnc")),
        (["Nurse", "Elm", "d•••@quail.example", ""], None),
    ] {
        let row = Row::new(Some(RowId(1)), false, Arc::clone(&columns), values.map(|value| (Json::Text, value)));
        let why = exclusion_filter.why(Side::default(), &row).map(|why| why.to_string());
        assert_eq!(why.as_deref(), expected, "{values:?}");
    }
}
