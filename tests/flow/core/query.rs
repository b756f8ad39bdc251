use lode_core::contact::{Corpus, Side, Source};
use lode_core::exclude::ExclusionKind;
use lode_core::filter::Filter;
use lode_core::query::*;

fn side(source: Source, corpus: Corpus) -> Side {
    Side { source, corpus }
}

#[test]
fn canonical_form_reads_back_and_ignores_the_order_of_typing() {
    let mut one = Query::new(side(Source::Data, Corpus::Us));
    one.set(Filter::State, "TX").unwrap();
    one.set(Filter::CompanyName, r"Smith & Sons \ Co").unwrap();
    one.set(Filter::Industry, "hospital, clinic").unwrap();
    one.dedup = false;
    let mut two = Query::new(side(Source::Data, Corpus::Us));
    two.dedup = false;
    two.add(Filter::Industry, "hospital").unwrap();
    two.add(Filter::Industry, "clinic").unwrap();
    two.set(Filter::CompanyName, r"Smith & Sons \ Co").unwrap();
    two.set(Filter::State, "TX").unwrap();
    assert_eq!(one.canonical(), two.canonical());
    assert_eq!(Query::from_canonical(&one.canonical()), Some(one));
}

#[test]
fn what_is_left_out_is_written_and_never_sent() {
    let plain = Query::new(Side::default());
    let mut query = plain.clone();
    query.not.add(ExclusionKind::Company, r"Smith & Sons \ Co").unwrap();
    query.not.add(ExclusionKind::Title, "intern").unwrap();
    assert!(query.asks_as(&plain) && query != plain && query.params().is_empty());
    assert_eq!(Query::from_canonical(&query.written()), Some(query.clone()));
    assert_eq!(Query::from_canonical(&query.canonical()), Some(plain));
    assert_eq!(query.on(side(Source::Data, Corpus::Us)).not, query.not, "carried to another side");
}

#[test]
fn filters_wait_on_a_side_that_does_not_document_them() {
    let mut query = Query::new(side(Source::Data, Corpus::Us));
    query.set(Filter::City, "Austin").unwrap();
    query.set(Filter::State, "TX").unwrap();
    let there = query.on(side(Source::Workspace, Corpus::Us));
    assert_eq!(there.params(), [("state", "TX".to_owned())]);
    assert_eq!(there.waiting().count(), 1);
    assert_eq!(there.on(query.side), query, "and come back");
}

#[test]
fn speed_is_known_before_sending() {
    let mut query = Query::new(side(Source::Data, Corpus::Us));
    assert_eq!(query.speed(), Speed::Unknown);
    query.set(Filter::State, "TX").unwrap();
    query.set(Filter::EmailDomainType, "corporate").unwrap();
    assert_eq!(query.speed(), Speed::Slow);
    query.set(Filter::Title, "nurse").unwrap();
    assert_eq!(query.speed(), Speed::Unknown);
    query.set(Filter::Industry, "hospital").unwrap();
    assert_eq!(query.speed(), Speed::Fast);
}

#[test]
fn an_industry_with_a_comma_is_said_to_be_two() {
    let mut query = Query::new(Side::default());
    assert_eq!(query.add(Filter::Industry, "hospital, private"), Err(QueryProblem::Comma));
    assert_eq!(query.set(Filter::City, "Austin"), Err(QueryProblem::NotHere("city")));
    assert!(query.is_unfiltered());
}

#[test]
fn the_data_api_is_never_asked_for_everything() {
    assert_eq!(Query::new(side(Source::Data, Corpus::Us)).ready(), Err(QueryProblem::Empty));
    assert_eq!(Query::new(side(Source::Workspace, Corpus::Us)).ready(), Ok(()));
}

fn query(values: &[(Filter, &[&str])]) -> Query {
    let mut query = Query::new(Side { source: Source::Data, corpus: Corpus::Us });
    for (filter, values) in values {
        values.iter().for_each(|value| query.add(*filter, value).unwrap());
    }
    query
}

#[test]
fn legs_are_the_combinations_in_order_and_industry_stays_one_list() {
    let values: &[(Filter, &[&str])] = &[
        (Filter::State, &["TX", "OK", "NM"]),
        (Filter::Title, &["nurse", "director"]),
        (Filter::Industry, &["hospital", "clinic"]),
    ];
    let whole = query(values);
    let legs = whole.legs();
    let names: Vec<String> = legs.iter().map(|leg| whole.leg_name(leg)).collect();
    assert_eq!(names, ["nurse TX", "nurse OK", "nurse NM", "director TX", "director OK", "director NM"]);
    assert_eq!((whole.leg_count(), whole.has_legs(), whole.overlaps()), (6, true, true));
    for leg in &legs {
        assert_eq!(leg.legs(), std::slice::from_ref(leg), "a leg is its own only leg");
        assert_eq!(leg.values(Filter::Industry), ["hospital", "clinic"]);
    }
    assert_eq!(legs[1].canonical(), "data/us&title=nurse&industry=hospital,clinic&state=OK");
}

#[test]
fn a_search_with_one_value_of_each_is_as_it_always_was() {
    let one = query(&[(Filter::State, &["TX"]), (Filter::City, &["Austin, TX"])]);
    assert_eq!((one.legs(), one.leg_count(), one.has_legs()), (vec![one.clone()], 1, false));
    assert_eq!(one.canonical(), "data/us&state=TX&city=Austin, TX");
    assert_eq!(one.leg_name(&one), "");
}

#[test]
fn several_values_read_back_in_their_order() {
    let whole = query(&[(Filter::State, &["TX", "OK"]), (Filter::City, &["Austin, TX", r"A&B \\ C"])]);
    assert_eq!(Query::from_canonical(&whole.canonical()), Some(whole.clone()));
    assert_eq!(whole.words(), r"state: TX or OK · city: Austin, TX or A&B \\ C");
    assert!(!whole.overlaps(), "both match exactly");
    assert_eq!(whole.speed(), Speed::Slow, "and so does each leg");
}

#[test]
fn the_same_value_in_other_letters_is_not_a_second_leg() {
    let whole = query(&[(Filter::State, &["TX", "tx", " TX ", ""])]);
    assert_eq!(whole.values(Filter::State), ["TX"]);
}

#[test]
fn more_than_sixty_legs_are_refused() {
    let numbers: Vec<String> = (0..8).map(|number| number.to_string()).collect();
    let words: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let most = query(&[(Filter::Zip, &words[..6]), (Filter::City, &words[..5]), (Filter::State, &words[..2])]);
    assert_eq!((most.leg_count(), most.ready()), (60, Ok(())));
    let over = query(&[(Filter::Zip, &words), (Filter::City, &words)]);
    assert_eq!(over.ready(), Err(QueryProblem::TooManyLegs(64)));
    assert!(QueryProblem::TooManyLegs(64).to_string().contains("64 searches; at most 60"));
    assert_eq!(over.legs().len(), MOST_LEGS);
}
