//! A search with several values as its *legs*: one search for each combination, one shown after the other.
//!
//! The services take one value of each filter but `industry`. Whether two legs can have a contact in common is known from how
//! their filters match; how legs are read and shown is the business of `flow::search`.

use crate::filter::{Filter, Match};

use super::Query;

/// Legs that one search has at most.
pub const MOST_LEGS: usize = 60;

/// With more legs than this, a person is asked first.
pub const ASKED_ABOVE: usize = 10;

impl Query {
    /// The filters that are sent once for each of their values.
    fn split(&self) -> impl Iterator<Item = (Filter, &[String])> {
        self.filters().filter(|(filter, values)| values.len() > 1 && filter.matching() != Match::AnyOf)
    }

    /// How many searches this is.
    pub fn leg_count(&self) -> usize {
        self.split().fold(1, |count, (_, values)| count.saturating_mul(values.len()))
    }

    pub fn has_legs(&self) -> bool {
        self.split().next().is_some()
    }

    /// Each combination of values as a search of its own, in the order of the filters and of their values. A search with one
    /// value of each is its only leg.
    pub fn legs(&self) -> Vec<Query> {
        let mut legs = vec![self.clone()];
        for (filter, values) in self.split() {
            let with = |leg: &Query, value: &String| {
                let mut leg = leg.clone();
                leg.filters.insert(filter, vec![value.clone()]);
                leg
            };
            legs = legs.iter().flat_map(|leg| values.iter().map(|value| with(leg, value))).take(MOST_LEGS).collect();
        }
        legs
    }

    /// Whether two legs can have a contact in common: a text may hold both of two values, a field that matches exactly has one.
    pub fn overlaps(&self) -> bool {
        self.split().any(|(filter, _)| filter.matching() == Match::Text)
    }

    /// What tells one of the legs from the others: `nurse TX`. Empty where there is only one.
    pub fn leg_name(&self, leg: &Query) -> String {
        let values: Vec<&str> = self.split().filter_map(|(filter, _)| leg.value(filter)).collect();
        values.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Corpus, Side, Source};
    use crate::query::{QueryProblem, Speed};

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
        assert_eq!(whole.words(), r"state=TX OR OK  city=Austin, TX OR A&B \\ C");
        assert!(!whole.overlaps(), "both match exactly");
        assert_eq!(whole.speed(), Speed::Slow, "and so does each leg");
    }

    #[test]
    fn the_same_value_in_other_letters_is_no_second_leg() {
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
}
