//! Which requests are repeated, and how long the pauses are.

use std::time::Duration;

use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_engine::effect::call::{Call, SearchCall};
use lode_engine::effect::failure::{Failure, Unclear};
use lode_engine::effect::files::{ExportTarget, Form};
use lode_engine::flow::retry::{Jitter, LONGEST_PAUSE, worth_repeating};

use crate::desktop::DATA;

fn search(filter: Filter, value: &str) -> Call {
    let mut query = Query::new(DATA);
    query.set(filter, value).unwrap();
    Call::Search(SearchCall { query, offset: 0, limit: 100, mark_pulled: false })
}

/// A scan of all contacts would take its minutes again.
#[test]
fn a_search_that_ran_into_its_deadline_is_repeated_unless_it_scans_all_contacts() {
    let late = Failure::Unclear { why: Unclear::Deadline, words: "no answer".to_owned() };
    assert!(worth_repeating(&search(Filter::Query, "nurse"), &late));
    assert!(!worth_repeating(&search(Filter::State, "TX"), &late));
}

/// Nothing was done for a request that was put off.
#[test]
fn an_export_is_repeated_only_where_it_was_put_off() {
    let target = ExportTarget { path: None, form: Form::Raw, keep_incomplete: false, replace: false };
    let export = Call::Export { query: Query::new(DATA), target };
    let words = || "no".to_owned();
    assert!(worth_repeating(&export, &Failure::Later { wait: None, words: words() }));
    assert!(!worth_repeating(&export, &Failure::Unclear { why: Unclear::Line, words: words() }));
}

#[test]
fn a_pause_is_cut_only_above_the_longest() {
    let mut jitter = Jitter(1);
    assert_eq!(jitter.pause(Some(LONGEST_PAUSE), 1), (LONGEST_PAUSE, false));
    assert_eq!(jitter.pause(Some(LONGEST_PAUSE + Duration::from_millis(1)), 1), (LONGEST_PAUSE, true));
}

#[test]
fn a_pause_lies_between_half_and_one_and_a_half_of_its_middle_with_both_ends() {
    let mut jitter = Jitter(7);
    let pauses: Vec<u128> = (0..20_000).map(|_| jitter.backoff(1).as_millis()).collect();
    assert_eq!((pauses.iter().min(), pauses.iter().max()), (Some(&200), Some(&600)));
}

#[test]
fn a_pause_that_the_service_does_not_name_is_guessed_one_step_longer_with_each_refusal() {
    for refusals in 1..=4 {
        let guessed = Jitter(7).pause(None, refusals);
        assert_eq!(guessed, (Jitter(7).backoff(refusals + 1).max(Duration::from_secs(1)), false), "{refusals}");
    }
}
