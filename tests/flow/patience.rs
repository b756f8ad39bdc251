//! A search on screen that gets no answer ends with a sentence; what one search learned of a service serves the next.

use common::sandbox_engine::Said;
use lode_core::Page;
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, Refusal, Unclear};
use lode_engine::flow::search::window::Status;

use crate::desktop::{DATA, Desktop, US};

const NEVER: u64 = 100_000_000;

fn by(side: lode_core::contact::Side, filter: Filter, value: &str) -> Query {
    let mut query = Query::new(side);
    query.set(filter, value).unwrap();
    query
}

fn status<'a>(desktop: &'a Desktop<'_>, query: &Query) -> &'a Status {
    desktop.screen.session.side(query.side).window.status()
}

#[test]
fn a_search_without_any_answer_ends_after_two_minutes_and_says_so() {
    for query in [Query::new(US), by(US, Filter::Title, "nurse"), by(DATA, Filter::Query, "nurse")] {
        let lost = || Err(Failure::Unclear { why: Unclear::Line, words: "too late".into() });
        let mut desktop = Desktop::new(1, move |_: &Call, _| Said::After(NEVER, lost()));
        desktop.search(&query);
        desktop.for_ms(119_000);
        assert!(matches!(status(&desktop, &query), Status::Running { .. }), "it is waited for: {query:?}");
        desktop.for_ms(3_000);
        let Status::Failed(failure) = status(&desktop, &query) else { panic!("{:?}", status(&desktop, &query)) };
        assert!(failure.words().contains("120 s"), "{failure:?}");
    }
}

#[test]
fn a_search_whose_answers_break_one_after_the_other_ends_as_well() {
    let mut desktop = Desktop::new(1, |_: &Call, _| {
        Said::After(50_000, Err(Failure::Unclear { why: Unclear::Line, words: "the line broke".into() }))
    });
    desktop.search(&Query::new(US));
    desktop.for_ms(123_000);
    assert!(matches!(status(&desktop, &Query::new(US)), Status::Failed(_)));
}

#[test]
fn a_slow_search_is_waited_for_longer() {
    let slow = by(DATA, Filter::State, "TX");
    let mut desktop = Desktop::new(1, |_: &Call, _| {
        Said::After(400_000, Ok(Reply::Page(Page { total: 0, limit: 100, ..Page::default() })))
    });
    desktop.search(&slow);
    desktop.for_ms(300_000);
    assert!(matches!(status(&desktop, &slow), Status::Running { .. }));
    desktop.for_ms(200_000);
    assert_eq!(status(&desktop, &slow), &Status::Loaded);
}

#[test]
fn the_page_size_that_a_service_takes_is_known_to_the_next_search() {
    let asked = std::cell::RefCell::new(Vec::new());
    let mut desktop = Desktop::new(1, |call: &Call, _| {
        let Call::Search(search) = call else {
            return Said::Reply(Err(Failure::Unclear { why: Unclear::Line, words: String::new() }));
        };
        asked.borrow_mut().push(search.limit);
        if search.limit > 20 {
            let words = "no".to_owned();
            return Said::Reply(Err(Failure::Refused { status: 422, why: Refusal::Request, words }));
        }
        Said::Reply(Ok(Reply::Page(Page { total: 0, limit: search.limit, ..Page::default() })))
    });
    desktop.search(&by(DATA, Filter::Query, "nurse"));
    desktop.for_ms(5_000);
    assert_eq!(*asked.borrow(), [100, 1, 50, 25, 12]);
    desktop.search(&by(DATA, Filter::Query, "doctor"));
    desktop.for_ms(5_000);
    assert_eq!(asked.borrow()[5..], [12]);
}
