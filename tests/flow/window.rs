//! The window onto a result, driven as the screen drives it: through a session.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use common::rng::Rng;
use common::sandbox_engine::Said;
use lode_core::Page;
use lode_core::contact::{RowId, Side};
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::row::{CellKind as Value, ColumnNames, Known, Row};
use lode_engine::effect::Effect;
use lode_engine::effect::call::{Call, Reply, SearchCall};
use lode_engine::effect::failure::{Failure, Unclear};
use lode_engine::effect::store::{StoreCall, StoreReply};
use lode_engine::flow::search::pages::MOST_ROWS;
use lode_engine::flow::search::window::{Slot, Status, WindowNews};
use lode_engine::flow::session::Event;
use lode_sandbox::corpus::CorpusKind;
use lode_sandbox::variants::Variant;

use crate::desktop::{Desktop, US};
use common::sandbox_engine;

pub fn titled(side: Side, title: &str) -> Query {
    let mut query = Query::new(side);
    query.set(Filter::Title, title).unwrap();
    query
}

/// A service of `total` rows that carry their number and the title they were searched by.
pub fn numbered(total: u64) -> impl FnMut(&Call, u64) -> Said {
    let columns = Arc::new(ColumnNames::new(["id", "title", "email_address", "unlocked"]));
    move |call, _| {
        let Call::Search(search) = call else {
            return Said::Reply(Err(Failure::Unclear { why: Unclear::Unreadable, words: "only searches here".into() }));
        };
        let title = search.query.value(Filter::Title).unwrap_or("");
        let rows = (search.offset..(search.offset + search.limit.min(100)).min(total)).map(|at| {
            let id = at.to_string();
            let values = [
                (Value::Json, id.as_str()),
                (Value::Text, title),
                (Value::Text, "d•••@lakeside.example"),
                (Value::Json, "false"),
            ];
            Row::new(Some(RowId(at as i64)), false, columns.clone(), values)
        });
        let page = Page {
            total,
            limit: search.limit.min(100),
            offset: search.offset,
            took_ms: Some(12),
            rows: rows.collect(),
            ..Page::default()
        };
        Said::Reply(Ok(Reply::Page(page)))
    }
}

fn counted<'a>(
    requests: &'a RefCell<Vec<(u64, u64)>>,
    mut service: impl FnMut(&Call, u64) -> Said + 'a,
) -> impl FnMut(&Call, u64) -> Said + 'a {
    move |call, now| {
        if let Call::Search(search) = call {
            requests.borrow_mut().push((search.offset, search.limit));
        }
        service(call, now)
    }
}

#[test]
fn a_jump_to_the_far_end_of_eighty_million_rows_costs_one_request() {
    let requests = RefCell::new(Vec::new());
    let mut desktop = Desktop::new(1, counted(&requests, numbered(80_000_000)));
    desktop.search(&Query::new(US));
    desktop.look(US, 0, 30, 0);
    desktop.for_ms(2_000);
    assert_eq!(desktop.total(US), Some(80_000_000));
    let before = requests.borrow().len();
    desktop.look(US, 79_999_870, 30, 79_999_899);
    assert_eq!(desktop.slot(US, 79_999_899), Slot::Waiting);
    desktop.until_quiet();
    assert!(matches!(desktop.slot(US, 79_999_899), Slot::Row(row) if row.id() == Some(RowId(79_999_899))));
    let far: Vec<(u64, u64)> = requests.borrow()[before..].to_vec();
    assert_eq!(far[0], (79_999_800, 100), "the page of the cursor first");
    assert!(
        far.len() <= 2 && far[1..].iter().all(|(offset, _)| *offset == 79_999_900),
        "and the next one ahead: {far:?}"
    );
}

#[test]
fn memory_is_bounded_and_what_is_looked_at_is_always_here() {
    let mut desktop = Desktop::new(2, numbered(2_000_000));
    desktop.search(&Query::new(US));
    let mut most = 0;
    for page in 0..1_300u64 {
        desktop.look(US, page * 100, 50, page * 100);
        desktop.for_ms(700);
        most = most.max(desktop.screen.session.side(US).window.held());
        assert!(matches!(desktop.slot(US, page * 100 + 20), Slot::Row(_)), "page {page}");
    }
    assert!(most > 99_000 && most <= MOST_ROWS, "{most}");
    assert_eq!(desktop.slot(US, 5), Slot::Waiting, "the farthest pages are forgotten");
    assert!(matches!(desktop.slot(US, 1_299 * 100 - 50_000), Slot::Row(_)), "the nearer ones are not");
    // What a person wants to have read is kept, or it would be read for ever.
    desktop.act(|session, now, fx| {
        let (side, desk) = session.side_mut(US);
        assert!(side.read_first(5_000, &mut desk.at(now, fx)));
    });
    desktop.for_ms(120_000);
    let side = desktop.screen.session.side(US);
    assert!(side.reading().is_none() && side.window.held() <= MOST_ROWS);
    assert!((0..5_000).all(|at| matches!(desktop.slot(US, at), Slot::Row(_))));
    let ended = |event: &&Event| matches!(event, Event::Read { rows: 5_000, wanted: 5_000, .. });
    assert_eq!(desktop.screen.events.iter().filter(ended).count(), 1);
}

/// A slow service is asked for no pages but those in view, unless a person wants them.
#[test]
fn the_first_rows_are_read_of_a_slow_service_too_and_over_all_legs() {
    let mut service = numbered(700);
    let mut desktop = Desktop::new(7, move |call: &Call, now| match service(call, now) {
        Said::Reply(Ok(Reply::Page(page))) => {
            Said::After(3_000, Ok(Reply::Page(Page { took_ms: Some(3_000), ..page })))
        }
        said => said,
    });
    let mut query = titled(US, "nurse");
    query.set(Filter::Industry, "hospital").unwrap();
    query.add(Filter::Title, "director").unwrap();
    for (query, rows) in [(titled(US, "nurse"), 700), (query, 1_000)] {
        desktop.search(&query);
        desktop.look(US, 0, 50, 0);
        desktop.for_ms(20_000);
        assert!(desktop.screen.session.side(US).window.held() <= 200);
        desktop.act(|session, now, fx| {
            let (side, desk) = session.side_mut(US);
            assert!(side.read_first(1_000, &mut desk.at(now, fx)));
        });
        desktop.for_ms(60_000);
        assert!(desktop.screen.session.side(US).reading().is_none());
        let held = desktop.screen.session.side(US).window.held();
        assert_eq!(held, rows);
    }
}

#[test]
fn late_and_reordered_answers_never_paint_over_the_newest_query() {
    for seed in 0..30 {
        let mut rng = Rng::new(seed);
        let mut service = numbered(5_000);
        let mut moods = Rng::new(seed + 1_000);
        let mut desktop = Desktop::new(seed, move |call: &Call, now| match (moods.below(12), service(call, now)) {
            (0, _) => Said::After(
                moods.below(3_000),
                Err(Failure::Unclear { why: Unclear::Upstream(502), words: "bad".into() }),
            ),
            (_, Said::Reply(result)) => Said::After(moods.below(4_000), result),
            (_, said) => said,
        });
        for round in 0..40u64 {
            let title = format!("title {round}");
            desktop.search(&titled(US, &title));
            for _ in 0..rng.below(4) {
                let top = rng.below(4_900);
                desktop.look(US, top, 40, top + rng.below(40));
                desktop.for_ms(rng.below(2_500));
                let window = &desktop.screen.session.side(US).window;
                assert_eq!(window.query().value(Filter::Title), Some(title.as_str()));
                for (index, row) in window.loaded() {
                    assert_eq!(row.known(Known::Title), title, "seed {seed}, row {index}");
                    assert_eq!(row.id(), Some(RowId(index as i64)), "seed {seed}");
                }
            }
        }
        desktop.until_quiet();
        assert!(matches!(desktop.screen.session.side(US).window.status(), Status::Loaded | Status::Failed(_)));
    }
}

#[test]
fn stopping_drops_the_running_query_at_once() {
    let mut desktop = Desktop::new(4, |call: &Call, now| match numbered(500)(call, now) {
        Said::Reply(result) => Said::After(60_000, result),
        said => said,
    });
    desktop.search(&Query::new(US));
    desktop.for_ms(500);
    assert!(matches!(desktop.screen.session.side(US).window.status(), Status::Running { .. }));
    desktop.act(|session, now, fx| {
        let (side, desk) = session.side_mut(US);
        assert!(side.window.stop(&mut desk.at(now, fx)));
        assert!(fx.iter().any(|effect| matches!(effect, Effect::Cancel(_))));
        assert_eq!(*side.window.status(), Status::Stopped);
        assert!(!side.window.stop(&mut desk.at(now, fx)), "there is nothing left to stop");
    });
    desktop.until_quiet();
    assert_eq!(*desktop.screen.session.side(US).window.status(), Status::Stopped);
    assert_eq!(desktop.screen.session.side(US).window.held(), 0);
}

#[test]
fn walking_forward_a_page_a_second_never_meets_a_placeholder() {
    for stride in [100, 25] {
        let requests = RefCell::new(Vec::new());
        let mut service = numbered(1_000_000);
        let slow = move |call: &Call, now| {
            let mut call = call.clone();
            if let Call::Search(search) = &mut call {
                search.limit = search.limit.min(stride);
            }
            match service(&call, now) {
                Said::Reply(result) => Said::After(270, result),
                said => said,
            }
        };
        let mut desktop = Desktop::new(5, counted(&requests, slow));
        desktop.search(&Query::new(US));
        desktop.look(US, 0, 20, 0);
        desktop.for_ms(3_000);
        for page in 0..150u64 {
            let top = page * stride;
            desktop.look(US, top, 20, top);
            for index in top..top + 20 {
                assert!(matches!(desktop.slot(US, index), Slot::Row(_)), "row {index} at stride {stride}");
            }
            desktop.for_ms(1_000);
        }
        assert!(requests.borrow().len() < 160, "one request a page: {}", requests.borrow().len());
    }
}

#[test]
fn a_page_that_failed_is_shown_as_failed_and_asked_again_when_looked_at_again() {
    let broken = RefCell::new(true);
    let mut service = numbered(5_000);
    let mut desktop = Desktop::new(6, |call: &Call, now| match call {
        Call::Search(search) if search.offset >= 1_000 && *broken.borrow() => {
            Said::Reply(Err(Failure::Unclear { why: Unclear::Upstream(503), words: "down".into() }))
        }
        call => service(call, now),
    });
    desktop.search(&Query::new(US));
    desktop.look(US, 0, 30, 0);
    desktop.for_ms(2_000);
    desktop.look(US, 1_000, 30, 1_000);
    desktop.for_ms(60_000);
    assert!(matches!(desktop.slot(US, 1_000), Slot::Failed(Failure::Unclear { .. })));
    assert!(
        desktop
            .screen
            .events
            .iter()
            .any(|event| matches!(event, Event::Window { news: WindowNews::PageFailed { index: 1_000, .. }, .. }))
    );
    *broken.borrow_mut() = false;
    desktop.look(US, 1_001, 30, 1_001);
    desktop.for_ms(2_000);
    assert!(matches!(desktop.slot(US, 1_001), Slot::Row(_)));
}

#[test]
fn a_page_size_that_shrinks_on_the_way_loses_and_repeats_nothing() {
    let largest = RefCell::new(100);
    let mut service = numbered(3_000);
    let mut desktop = Desktop::new(7, |call: &Call, now| {
        let mut call = call.clone();
        if let Call::Search(search) = &mut call {
            search.limit = search.limit.min(*largest.borrow());
        }
        service(&call, now)
    });
    desktop.search(&Query::new(US));
    for (page, limit) in (0..60).map(|page| (page, [100, 100, 50, 40, 30][page / 12])) {
        *largest.borrow_mut() = limit;
        desktop.look(US, page as u64 * 50, 50, page as u64 * 50);
        desktop.for_ms(1_500);
        for index in page as u64 * 50..page as u64 * 50 + 50 {
            assert!(
                matches!(desktop.slot(US, index), Slot::Row(row) if row.id() == Some(RowId(index as i64))),
                "{index}"
            );
        }
    }
}

#[test]
fn a_contact_that_moved_to_another_place_is_shown_once() {
    // Another user inserts a row in front between the first and the second page.
    let mut calls = 0;
    let mut desktop = Desktop::new(8, move |call: &Call, now| {
        let mut call = call.clone();
        if let Call::Search(search) = &mut call {
            calls += 1;
            search.offset = search.offset.saturating_sub(1);
        }
        match numbered(1_000)(&call, now) {
            Said::Reply(Ok(Reply::Page(mut page))) if calls > 1 => {
                page.total += 1;
                page.offset += 1;
                Said::Reply(Ok(Reply::Page(page)))
            }
            said => said,
        }
    });
    desktop.search(&Query::new(US));
    desktop.look(US, 0, 50, 0);
    desktop.for_ms(1_000);
    desktop.look(US, 80, 50, 80);
    desktop.for_ms(1_000);
    assert!(matches!(desktop.slot(US, 99), Slot::Row(row) if row.id() == Some(RowId(99))));
    assert_eq!(desktop.slot(US, 100), Slot::Elsewhere(99));
    assert!(matches!(desktop.slot(US, 101), Slot::Row(row) if row.id() == Some(RowId(100))));
    let moved = desktop.screen.session.side(US).window.moved();
    assert_eq!(moved.map(|moved| (moved.was, moved.is)), Some((1_000, 1_001)));
    assert!(
        desktop.screen.events.iter().any(|event| matches!(event, Event::Window { news: WindowNews::Moved(_), .. }))
    );
}

/// A service whose order wavers between two pages: what was skipped is fetched, and every contact has its place.
#[test]
fn what_an_order_that_wavers_skipped_is_fetched() {
    let service = sandbox_engine::small(|setup| {
        (setup.variant, setup.us_rows, setup.allowance.requests) = (Variant::D, 400, 0);
    });
    let service = service.clone();
    let mut desktop = Desktop::new(11, move |call: &Call, now| sandbox_engine::ask(&service, call, now));
    desktop.search(&Query::new(US));
    desktop.for_ms(3_000);
    for top in (0..400).step_by(40) {
        desktop.look(US, top, 40, top);
        desktop.for_ms(5_000);
    }
    let mut seen = BTreeMap::new();
    for index in 0..400 {
        let Slot::Row(row) = desktop.slot(US, index) else { panic!("row {index}: {:?}", desktop.slot(US, index)) };
        assert_eq!(seen.insert(row.id().unwrap(), index), None, "once");
    }
    assert_eq!(desktop.screen.session.side(US).window.skipped(), 0);
    assert!(
        !desktop
            .screen
            .events
            .iter()
            .any(|event| matches!(event, Event::Window { news: WindowNews::Repeated { .. }, .. }))
    );
}

/// One that never sends some of them: that is said, and stays said.
#[test]
fn what_never_comes_is_reported() {
    let mut desktop = Desktop::new(12, |call: &Call, now| {
        let mut said = numbered(1_000)(call, now);
        if let (Call::Search(search), Said::Reply(Ok(Reply::Page(page)))) = (call, &mut said)
            && let Some(row) = page.rows.iter_mut().find(|row| row.id() == Some(RowId(100)))
            && let Said::Reply(Ok(Reply::Page(first))) =
                numbered(1)(&Call::Search(SearchCall { offset: 0, ..search.clone() }), now)
        {
            *row = first.rows[0].clone();
        }
        said
    });
    desktop.search(&Query::new(US));
    desktop.look(US, 80, 50, 80);
    desktop.for_ms(20_000);
    assert_eq!(desktop.slot(US, 100), Slot::Elsewhere(0));
    assert_eq!(desktop.screen.session.side(US).window.skipped(), 1);
    let told = |event: &&Event| {
        matches!(event, Event::Window { news: WindowNews::Repeated { index: 100, twice: 1, rows: 100 }, .. })
    };
    assert_eq!(desktop.screen.events.iter().filter(told).count(), 1);
}

#[test]
fn the_history_knows_which_search_showed_which_contact() {
    let mut desktop = Desktop::new(9, numbered(1_000));
    desktop.search(&titled(US, "nurse"));
    desktop.look(US, 0, 50, 0);
    desktop.for_ms(1_000);
    desktop.look(US, 700, 50, 700);
    desktop.until_quiet();
    assert_eq!(desktop.screen.session.history.recent[0].canonical, titled(US, "nurse").canonical());
    let (purses, ids) = (desktop.screen.session.purses(), vec![RowId(3), RowId(705), RowId(420)]);
    let call = StoreCall::Shown { purses, side: US, ids };
    let now = desktop.sim.moment();
    let StoreReply::Shown(shown) = desktop.sim.stores[0].perform(call, now).unwrap() else {
        panic!("what was shown is answered")
    };
    let places: BTreeMap<RowId, Vec<u64>> =
        shown.into_iter().map(|(id, shown)| (id, shown.into_iter().map(|shown| shown.offset).collect())).collect();
    assert_eq!(places.get(&RowId(3)), Some(&vec![0]));
    assert_eq!(places.get(&RowId(705)), Some(&vec![700]));
    assert!(places.get(&RowId(420)).is_none_or(Vec::is_empty), "never read, never shown");
}

#[test]
fn coverage_says_what_the_workspace_owns_of_a_result() {
    let service = sandbox_engine::small(|setup| setup.us_rows = 800);
    let org = service.org();
    let owned = service.member_unlocks(&org, CorpusKind::Us, &(1..=60).collect::<Vec<u64>>(), 0);
    let mut desktop = Desktop::new(10, |call: &Call, now| sandbox_engine::ask(&service, call, now));
    for hide_owned in [false, true] {
        let mut query = Query::new(US);
        query.hide_owned = hide_owned;
        desktop.search(&query);
        desktop.look(US, 0, 30, 0);
        assert!(desktop.screen.session.side(US).coverage.share().is_none());
        desktop.until_quiet();
        let share = desktop.screen.session.side(US).coverage.share().expect("asked once it is quiet");
        assert_eq!(share.owned as usize, owned.len());
        assert_eq!(share.owned + share.left, 800);
    }
}

#[test]
fn rows_of_another_place_are_not_shown_as_those_of_this_one() {
    // It counts five thousand and goes no deeper than row 300.
    let mut service = numbered(5_000);
    let capped = move |call: &Call, now| match call {
        Call::Search(search) if search.offset > 300 => {
            let shallow = Call::Search(lode_engine::effect::call::SearchCall { offset: 300, ..search.clone() });
            service(&shallow, now)
        }
        call => service(call, now),
    };
    let mut desktop = Desktop::new(31, capped);
    desktop.search(&titled(US, "nurse"));
    desktop.look(US, 300, 40, 300);
    desktop.until_quiet();
    assert!(matches!(desktop.slot(US, 310), Slot::Row(_)));
    desktop.look(US, 800, 40, 800);
    desktop.for_ms(900);
    let Slot::Failed(failure) = desktop.slot(US, 810) else { panic!("{:?}", desktop.slot(US, 810)) };
    assert!(failure.words().contains("row 801 was requested, but the service sent row 301"), "{failure:?}");
}
