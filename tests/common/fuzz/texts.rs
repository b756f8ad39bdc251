//! The scrubber, and the one line by which a search is known.

use std::borrow::Cow;

use lode_core::contact::Side;
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::scrub::{scrub as scrubbed, scrub_to};

use super::choices::Choices;
use super::is_clean;

pub fn scrub(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let once = scrubbed(&text);
    assert!(is_clean(&once), "{once:?}");
    assert_eq!(scrubbed(&once), once, "scrubbed twice is something else");
    assert!(matches!(once, Cow::Owned(_)) || once == text);
    assert!(once.len() <= text.len(), "nothing is added");
    for most in [0, 1, 7, 300] {
        let cut = scrub_to(&text, most);
        assert!(cut.chars().count() <= most && is_clean(&cut), "{most}: {cut:?}");
    }
}

pub fn query(input: &[u8]) {
    let mut choices = Choices::of(input);
    if choices.below(2) == 1 {
        // A line from the disk: whatever it says, what is understood of it is understood again.
        let line = String::from_utf8_lossy(choices.rest()).into_owned();
        if let Some(query) = Query::from_canonical(&line) {
            let canonical = query.canonical();
            let again = Query::from_canonical(&canonical).unwrap_or_else(|| panic!("{canonical:?}"));
            assert_eq!(again.canonical(), canonical);
        }
        return;
    }
    let mut query = Query::new(*choices.pick(&Side::ALL));
    while !choices.is_over() {
        match choices.below(8) {
            0 => query.hide_owned ^= true,
            1 => query.hide_pulled ^= true,
            2 => query.dedup ^= true,
            3 => query = query.on(*choices.pick(&Side::ALL)),
            4 => query.clear(*choices.pick(&Filter::ALL)),
            5 => {
                let (filter, value) = (*choices.pick(&Filter::ALL), choices.line());
                let _ = query.add(filter, &value);
            }
            _ => {
                let (filter, value) = (*choices.pick(&Filter::ALL), choices.line());
                let _ = query.set(filter, &value);
            }
        }
        check(&query);
    }
}

fn check(query: &Query) {
    let canonical = query.canonical();
    let again = Query::from_canonical(&canonical).unwrap_or_else(|| panic!("unreadable: {canonical:?}"));
    assert_eq!(again.canonical(), canonical);
    assert_eq!(again.params(), query.params(), "asks for something else: {canonical:?}");
    assert_eq!(again.speed(), query.speed());
    for (_, values) in query.filters() {
        assert!(!values.is_empty() && values.iter().all(|value| !value.is_empty()), "{query:?}");
    }
    for (name, _) in query.params() {
        let known = Filter::of(query.side).iter().any(|filter| filter.name() == name);
        assert!(known || ["exclude_unlocked", "exclude_pulled", "dedup"].contains(&name), "no document names {name}");
    }
    for side in Side::ALL {
        assert_eq!(query.on(side).on(query.side).canonical(), canonical, "there and back again");
    }
    assert!(!query.words().is_empty());
}
