//! Searches with several values: their legs as one list and as one walk, against a small corpus that can be gone through by hand.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use common::sandbox_engine::Said;
use lode_core::Page;
use lode_core::contact::RowId;
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::row::{CellKind as Value, ColumnNames, Row};
use lode_engine::effect::call::{Call, Reply, SearchCall};
use lode_engine::effect::failure::{Failure, Refusal, Unclear};
use lode_engine::flow::search::pages::MOST_ROWS;
use lode_engine::flow::search::window::{Slot, Status, WindowNews};
use lode_engine::flow::session::Event;

use crate::desktop::{Desktop, US};

const STATES: [&str; 3] = ["TX", "OK", "NM"];

/// Whether a contact is in a leg: a third is in each state; every second one is a nurse, every third a director.
fn fits(id: u64, query: &Query) -> bool {
    let state = query.value(Filter::State).is_none_or(|state| state == STATES[(id / 7 % 3) as usize]);
    let title = match query.value(Filter::Title) {
        Some("nurse") => id.is_multiple_of(2),
        Some("director") => id.is_multiple_of(3),
        _ => true,
    };
    state && title
}

fn page_of(search: &SearchCall, corpus: u64) -> Page {
    let columns = Arc::new(ColumnNames::new(["id", "title", "unlocked"]));
    let all: Vec<u64> = (0..corpus).filter(|id| fits(*id, &search.query)).collect();
    let row = |id: &u64| {
        let text = id.to_string();
        let values = [(Value::Json, text.as_str()), (Value::Text, "x"), (Value::Json, "false")];
        Row::new(Some(RowId(*id as i64)), false, columns.clone(), values)
    };
    let limit = search.limit.min(100);
    let rows = all.iter().skip(search.offset as usize).take(limit as usize).map(row).collect();
    let total = all.len() as u64;
    Page { total, limit, offset: search.offset, took_ms: Some(12), rows, ..Page::default() }
}

fn service(corpus: u64) -> impl FnMut(&Call, u64) -> Said {
    move |call, _| match call {
        Call::Search(search) => Said::Reply(Ok(Reply::Page(page_of(search, corpus)))),
        _ => Said::Reply(Err(Failure::Unclear { why: Unclear::Unreadable, words: "only searches here".into() })),
    }
}

/// Notes which leg was asked for, and where.
fn noted<'a>(
    asked: &'a RefCell<Vec<(String, u64, u64)>>,
    mut service: impl FnMut(&Call, u64) -> Said + 'a,
) -> impl FnMut(&Call, u64) -> Said + 'a {
    move |call, now| {
        if let Call::Search(search) = call
            && search.limit > 1
        {
            asked.borrow_mut().push((search.query.canonical(), search.offset, search.limit));
        }
        service(call, now)
    }
}

fn query(values: &[(Filter, &[&str])]) -> Query {
    let mut query = Query::new(US);
    for (filter, values) in values {
        values.iter().for_each(|value| query.add(*filter, value).unwrap());
    }
    query
}

fn six() -> Query {
    query(&[(Filter::Title, &["nurse", "director"]), (Filter::State, &STATES)])
}

/// The ids in the order of the legs, each once: gone through by hand.
fn by_hand(query: &Query, corpus: u64) -> Vec<i64> {
    let mut seen = BTreeSet::new();
    let legs = query.legs();
    let all = legs.iter().flat_map(|leg| (0..corpus).filter(move |id| fits(*id, leg)));
    all.filter(|id| seen.insert(*id)).map(|id| id as i64).collect()
}

#[test]
fn six_legs_are_one_list_and_cost_one_request_each() {
    let asked = RefCell::new(Vec::new());
    let mut desktop = Desktop::new(1, noted(&asked, service(240)));
    desktop.search(&six());
    desktop.look(US, 0, 30, 0);
    desktop.until_quiet();
    assert_eq!(asked.borrow().len(), 6, "{:?}", asked.borrow());
    let window = &desktop.screen.session.side(US).window;
    let sizes: Vec<Option<u64>> = window.parts().map(|(_, total)| total).collect();
    let sum: u64 = sizes.iter().flatten().sum();
    assert_eq!((window.read(), window.total()), ((6, 6), Some(sum)));
    let (mut rows, mut again) = (Vec::new(), Vec::new());
    let mut place = 0;
    for leg in six().legs() {
        for id in (0..240).filter(|id| fits(*id, &leg)) {
            match window.slot(place) {
                Slot::Row(row) => rows.push(row.id().unwrap().0),
                Slot::Again(row) => again.push(row.id().unwrap().0),
                other => panic!("row {place}: {other:?}"),
            }
            let shown = rows.last().into_iter().chain(again.last()).any(|shown| *shown == id as i64);
            assert!(shown, "row {place} is {id}");
            place += 1;
        }
    }
    assert_eq!(place, sum);
    assert_eq!(rows, by_hand(&six(), 240), "each once, in the order of the legs");
    assert!(again.iter().all(|id| id % 6 == 0), "and only who is both is met again: {again:?}");
    let loaded: Vec<i64> = window.loaded().map(|(_, row)| row.id().unwrap().0).collect();
    assert_eq!(loaded, rows);
    assert!(window.loaded().all(|(index, row)| window.place(row.id().unwrap()) == Some(index)));
}

#[test]
fn legs_that_match_exactly_are_disjoint_and_their_share_is_a_sum() {
    let states = query(&[(Filter::State, &STATES)]);
    let mut desktop = Desktop::new(2, service(210));
    desktop.search(&states);
    desktop.look(US, 0, 30, 0);
    desktop.until_quiet();
    let side = desktop.screen.session.side(US);
    assert_eq!(side.window.total(), Some(210));
    assert_eq!(side.coverage.share().map(|share| share.left), Some(210), "one small request each, added up");
    assert!((0..210).all(|index| matches!(side.window.slot(index), Slot::Row(_))));
}

#[test]
fn the_list_ends_where_the_first_total_is_not_known_yet() {
    let states = query(&[(Filter::State, &STATES)]);
    let mut inner = service(3_000);
    let mut desktop = Desktop::new(3, move |call: &Call, now| match call {
        Call::Search(search) if search.query.value(Filter::State) == Some("OK") => match inner(call, now) {
            Said::Reply(reply) => Said::After(30_000, reply),
            other => other,
        },
        _ => inner(call, now),
    });
    desktop.search(&states);
    desktop.look(US, 0, 30, 0);
    desktop.for_ms(10_000);
    let window = &desktop.screen.session.side(US).window;
    let first = window.parts().next().unwrap().1.unwrap();
    assert_eq!((window.read(), window.total()), ((2, 3), Some(first)), "TX and NM are open, OK is not");
    assert_eq!(desktop.slot(US, first), Slot::Vanished);
    let before: Vec<i64> =
        desktop.screen.session.side(US).window.loaded().map(|(_, row)| row.id().unwrap().0).collect();
    desktop.until_quiet();
    let window = &desktop.screen.session.side(US).window;
    assert_eq!((window.read(), window.total()), ((3, 3), Some(3_000)));
    let after: Vec<i64> = window.loaded().take(before.len()).map(|(_, row)| row.id().unwrap().0).collect();
    assert_eq!(after, before, "nothing moved");
}

#[test]
fn reading_crosses_into_the_next_leg_ahead_of_the_reader() {
    let asked = RefCell::new(Vec::new());
    let states = query(&[(Filter::State, &STATES)]);
    let mut desktop = Desktop::new(4, noted(&asked, service(3_000)));
    desktop.search(&states);
    let total = |desktop: &Desktop<'_>| desktop.total(US).unwrap_or(0);
    desktop.look(US, 0, 40, 0);
    desktop.for_ms(5_000);
    for top in (0..2_960).step_by(40) {
        desktop.look(US, top, 40, top);
        assert!(matches!(desktop.slot(US, top), Slot::Row(_)), "row {top} was asked for in advance");
        desktop.for_ms(900);
    }
    assert_eq!(total(&desktop), 3_000);
    let pages: BTreeSet<(String, u64, u64)> = asked.borrow().iter().cloned().collect();
    assert_eq!(pages.len(), asked.borrow().len(), "no page was asked for twice");
    // Back again from the end: the last page of the leg before comes first.
    desktop.look(US, 2_960, 40, 2_999);
    desktop.for_ms(900);
    assert!(matches!(desktop.slot(US, 2_999), Slot::Row(_)));
    let page = desktop.screen.session.side(US).window.page_around(2_010);
    assert!(page.start >= 1_995 && page.end <= 3_000, "a page belongs to one leg: {page:?}");
}

#[test]
fn a_total_that_changes_shifts_nothing_and_is_told() {
    let grown = Cell::new(false);
    let states = query(&[(Filter::State, &STATES)]);
    let mut desktop = Desktop::new(5, |call: &Call, _| match call {
        Call::Search(search) => {
            let mut page = page_of(search, 3_000);
            if grown.get() && search.query.value(Filter::State) == Some("TX") {
                page.total += 50;
            }
            Said::Reply(Ok(Reply::Page(page)))
        }
        _ => Said::Reply(Err(Failure::Unclear { why: Unclear::Unreadable, words: "no".into() })),
    });
    desktop.search(&states);
    desktop.look(US, 0, 30, 0);
    desktop.until_quiet();
    let ok = desktop.screen.session.side(US).window.parts().next().unwrap().1.unwrap();
    let first_of_ok = |desktop: &Desktop<'_>| match desktop.slot(US, ok) {
        Slot::Row(row) => row.id(),
        other => panic!("{other:?}"),
    };
    let before = first_of_ok(&desktop);
    grown.set(true);
    desktop.look(US, 400, 30, 400);
    desktop.until_quiet();
    assert_eq!((desktop.total(US), first_of_ok(&desktop)), (Some(3_000), before));
    let moved = desktop.screen.session.side(US).window.moved().map(|moved| (moved.was, moved.is));
    assert_eq!(moved, Some((3_000, 3_050)));
    assert!(
        desktop.screen.events.iter().any(|event| matches!(event, Event::Window { news: WindowNews::Moved(_), .. }))
    );
}

#[test]
fn a_leg_that_fails_is_told_and_the_others_are_shown() {
    let states = query(&[(Filter::State, &STATES)]);
    let mut inner = service(300);
    let mut desktop = Desktop::new(6, move |call: &Call, now| match call {
        Call::Search(search) if search.query.value(Filter::State) == Some("TX") => {
            Said::Reply(Err(Failure::Refused { status: 422, why: Refusal::Request, words: "no".into() }))
        }
        _ => inner(call, now),
    });
    desktop.search(&states);
    desktop.look(US, 0, 30, 0);
    desktop.until_quiet();
    let window = &desktop.screen.session.side(US).window;
    assert_eq!((window.read(), window.failed_legs(), window.status()), ((2, 3), 1, &Status::Loaded));
    let left = (0..300).filter(|id| !fits(*id, &query(&[(Filter::State, &["TX"])]))).count() as u64;
    assert_eq!(window.total(), Some(left));
}

#[test]
fn all_of_them_go_into_the_basket_once_with_the_requests_that_were_announced() {
    let asked = RefCell::new(Vec::new());
    let mut desktop = Desktop::new(7, noted(&asked, service(2_400)));
    desktop.search(&six());
    desktop.look(US, 0, 30, 0);
    desktop.for_ms(60_000);
    let total = desktop.total(US).unwrap();
    let announced = desktop.screen.session.side(US).window.requests_for(total);
    let before = asked.borrow().len();
    desktop.act(|session, now, fx| {
        let (state, desk) = session.side_mut(US);
        assert_eq!(state.gather(total, None, &mut desk.at(now, fx)), None);
    });
    desktop.until_quiet();
    let basket = &desktop.screen.session.side(US).basket;
    let staged: BTreeSet<i64> = basket.rows().iter().map(|entry| entry.row.id().unwrap().0).collect();
    let expected: BTreeSet<i64> = by_hand(&six(), 2_400).into_iter().collect();
    assert_eq!(staged, expected);
    assert_eq!((asked.borrow().len() - before) as u64, announced);
}

#[test]
fn ten_legs_share_one_bound_on_memory() {
    let names: Vec<String> = (0..10).map(|at| format!("title {at}")).collect();
    let words: Vec<&str> = names.iter().map(String::as_str).collect();
    let legs = query(&[(Filter::Title, &words)]);
    let columns = Arc::new(ColumnNames::new(["id", "unlocked"]));
    let mut desktop = Desktop::new(8, move |call: &Call, _| {
        let Call::Search(search) = call else {
            return Said::Reply(Err(Failure::Unclear { why: Unclear::Unreadable, words: "no".into() }));
        };
        let leg: i64 = search.query.value(Filter::Title).and_then(|title| title[6..].parse().ok()).unwrap_or(0);
        let row = |at: u64| {
            let id = leg * 1_000_000 + at as i64;
            let text = id.to_string();
            let values = [(Value::Json, text.as_str()), (Value::Json, "false")];
            Row::new(Some(RowId(id)), false, columns.clone(), values)
        };
        let rows = (search.offset..(search.offset + 100).min(20_000)).map(row).collect();
        let page = Page { total: 20_000, limit: 100, offset: search.offset, took_ms: Some(5), rows, ..Page::default() };
        Said::Reply(Ok(Reply::Page(page)))
    });
    desktop.search(&legs);
    desktop.look(US, 0, 50, 0);
    desktop.for_ms(20_000);
    assert_eq!(desktop.total(US), Some(200_000));
    let mut most = 0;
    for page in 0..1_200u64 {
        desktop.look(US, page * 100, 50, page * 100);
        desktop.for_ms(700);
        most = most.max(desktop.screen.session.side(US).window.held());
        assert!(matches!(desktop.slot(US, page * 100 + 20), Slot::Row(_)), "page {page}");
    }
    assert!(most > 99_000 && most <= MOST_ROWS, "{most}");
    assert_eq!(desktop.slot(US, 105), Slot::Waiting, "the farthest pages are forgotten");
}

#[test]
fn the_history_knows_the_whole_search_and_each_leg_by_itself() {
    let states = query(&[(Filter::State, &STATES)]);
    let mut desktop = Desktop::new(9, service(300));
    desktop.search(&states);
    desktop.look(US, 0, 30, 0);
    desktop.until_quiet();
    let listed: Vec<String> = desktop.screen.session.history.recent.iter().map(|past| past.canonical.clone()).collect();
    assert_eq!(listed, [states.canonical()], "the legs are not listed");
}
