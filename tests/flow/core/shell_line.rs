use lode_core::contact::Source;
use lode_core::contact::{Corpus, Side};
use lode_core::exclude::ExclusionKind;
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::shell_line::*;

#[test]
fn the_line_survives_the_shell() {
    let mut query = Query::new(Side::default());
    query.set(Filter::Title, "director's aide; rm -rf").unwrap();
    query.set(Filter::Industry, "hospital, clinic").unwrap();
    query.hide_owned = true;
    query.not.add(ExclusionKind::Company, "Smith & Co").unwrap();
    assert_eq!(
        search(&query),
        r"lode search --source workspace --corpus us --title 'director'\''s aide; rm -rf' --industry hospital,clinic --not-company 'Smith & Co' --exclude-unlocked"
    );
}

#[test]
fn several_values_are_a_flag_each_and_keep_their_commas() {
    let mut query = Query::new(Side::default());
    for title in ["nurse", "director, nursing"] {
        query.add(Filter::Title, title).unwrap();
    }
    assert_eq!(search(&query), "lode search --source workspace --corpus us --title nurse --title 'director, nursing'");
}

#[test]
fn a_switch_of_another_service_is_not_in_it() {
    let mut query = Query::new(Side { source: Source::Data, corpus: Corpus::Us });
    query.set(Filter::EmailDomainType, "edu").unwrap();
    (query.dedup, query.hide_owned) = (false, true);
    assert_eq!(search(&query), "lode search --source data --corpus us --email-domain-type edu --no-dedup");
}
