//! Reading a result from its beginning, against the sandbox without its server and against services that misbehave.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use common::rng::Rng;
use common::sandbox_engine::Said;
use lode_core::Page;
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::row::Row;
use lode_core::time::{Mono, Now};
use lode_engine::effect::call::{Call, Reply, SearchCall};
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::desk::{Arrival, Desk, Owner};
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::search::walk::{Walk, WalkEnd};
use lode_sandbox::corpus::CorpusKind;
use lode_sandbox::service::Service;
use lode_sandbox::variants::{Habit, Variant};

use common::flow_simulation::{FlowSimulation, Machine};
use common::flow_simulation::{profile, stores};
use common::sandbox_engine;

/// A shell program that does nothing but walk.
struct Walker {
    desk: Desk,
    walk: Walk,
    rows: Vec<Row>,
}

impl Walker {
    fn new(query: Query, wanted: u64) -> Walker {
        let desk = Desk::new(&profile("w0"), RetryPolicy::Shell, 3);
        Walker { desk, walk: Walk::new(Owner::Caller, query, wanted), rows: Vec::new() }
    }

    fn ids(&self) -> Vec<RowId> {
        self.rows.iter().filter_map(|row| row.id()).collect()
    }

    fn take(&mut self, arrival: Arrival, now: Now, fx: &mut Vec<Effect>) {
        for step in self.walk.handle(&arrival, &mut self.desk.at(now, fx)) {
            self.rows.extend(step.rows);
        }
    }
}

impl Machine for Walker {
    fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) {
        if let Some((_, arrival)) = self.desk.handle(answer, now, fx) {
            self.take(arrival, now, fx);
        }
    }

    fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) {
        for (_, arrival) in self.desk.wake(now, fx) {
            self.take(arrival, now, fx);
        }
    }

    fn deadline(&self) -> Option<Mono> {
        self.desk.deadline()
    }
}

fn walk<'a>(query: Query, wanted: u64, service: impl FnMut(&Call, u64) -> Said + 'a) -> (Walker, u64) {
    let mut walker = Walker::new(query, wanted);
    let mut sim = FlowSimulation::new(1, stores(1), service);
    let mut fx = Vec::new();
    walker.walk.start(&mut walker.desk.at(sim.moment(), &mut fx));
    sim.perform(0, &mut fx);
    sim.run(&mut [&mut walker], u64::MAX);
    let took = sim.now;
    (walker, took)
}

fn us() -> Query {
    Query::new(Side { source: Source::Workspace, corpus: Corpus::Us })
}

/// All ids of a query in the service's order, read ten at a time past the flows.
fn all(service: &Service, query: &Query) -> Vec<RowId> {
    let mut ids = Vec::new();
    loop {
        let call = SearchCall { query: query.clone(), offset: ids.len() as u64, limit: 10, mark_pulled: false };
        let page = sandbox_engine::page(service, &Call::Search(call), 0);
        ids.extend(page.rows.iter().filter_map(|row| row.id()));
        if ids.len() as u64 >= page.total {
            return ids;
        }
    }
}

fn unlimited() -> Rc<Service> {
    sandbox_engine::small(|setup| {
        setup.allowance.requests = 0;
        setup.us_rows = 1_100;
    })
}

#[test]
fn a_thousand_rows_in_the_service_s_order_whatever_its_largest_page() {
    for variant in Variant::ALL {
        for largest in [25, 50, 100, 200] {
            let service = unlimited();
            service.state().variant = variant;
            service.state().max_page = Some(largest);
            let (walker, _) = walk(us(), 1_000, |call, now| sandbox_engine::ask(&service, call, now));
            let why = format!("variant {variant:?}, pages of {largest}");
            if variant.habits().has(Habit::Wavers) {
                let distinct: BTreeSet<RowId> = walker.ids().into_iter().collect();
                assert_eq!((walker.ids().len(), distinct.len()), (1_000, 1_000), "{why}");
            } else {
                assert_eq!(walker.ids(), all(&service, &us())[..1_000], "{why}");
            }
            assert_eq!(walker.walk.end(), Some(&WalkEnd::Enough));
            assert_eq!(walker.walk.moved(), None);
        }
    }
}

#[test]
fn the_whole_result_is_read_and_no_row_more_than_wanted() {
    let service = unlimited();
    let mut query = us();
    query.set(Filter::Title, "manager").unwrap();
    let expected = all(&service, &query);
    assert!(expected.len() > 30, "the test needs some rows");
    let (walker, _) = walk(query.clone(), u64::MAX, |call, now| sandbox_engine::ask(&service, call, now));
    assert_eq!((walker.ids(), walker.walk.end()), (expected.clone(), Some(&WalkEnd::All)));
    let (walker, _) = walk(query, 7, |call, now| sandbox_engine::ask(&service, call, now));
    assert_eq!((walker.ids(), walker.walk.end()), (expected[..7].to_vec(), Some(&WalkEnd::Enough)));
}

#[test]
fn a_walk_of_many_pages_keeps_the_rate_and_waits_for_it() {
    let service = sandbox_engine::small(|setup| setup.us_rows = 6_500);
    service.state().max_page = Some(25);
    let (walker, took) = walk(us(), 5_000, |call, now| sandbox_engine::ask(&service, call, now));
    assert_eq!(walker.ids().len(), 5_000, "{:?}", walker.walk.end());
    assert!(took > 60_000, "200 requests do not fit into a minute");
    assert!(service.log().iter().all(|received| received.status == 200));
}

#[test]
fn while_the_set_shrinks_no_id_comes_twice_none_is_skipped_and_it_is_said() {
    let mut moved = 0;
    for seed in 0..20 {
        let service = unlimited();
        service.state().max_page = Some([25, 50, 100][seed as usize % 3]);
        let mut query = us();
        query.hide_owned = true;
        let before: BTreeSet<RowId> = all(&service, &query).into_iter().collect();
        let rng = RefCell::new(Rng::new(seed));
        let org = service.org();
        service.set_credits(&org, 1_000_000, 0);
        // Now and then, between two pages, others unlock rows or have them suppressed: anywhere, a few or many.
        let (walker, _) = walk(query.clone(), u64::MAX, |call, now| {
            let mut rng = rng.borrow_mut();
            if rng.one_in(3) {
                let start = 1 + rng.below(1_100);
                let ids: Vec<u64> = (start..start + 1 + rng.below(60)).filter(|_| rng.one_in(2)).collect();
                if rng.one_in(4) {
                    service.suppress(CorpusKind::Us, &ids);
                } else {
                    service.member_unlocks(&org, CorpusKind::Us, &ids, now);
                }
            }
            sandbox_engine::ask(&service, call, now)
        });
        let given = walker.ids();
        let different: BTreeSet<RowId> = given.iter().copied().collect();
        assert_eq!(different.len(), given.len(), "seed {seed}: an id came twice");
        let after: BTreeSet<RowId> = all(&service, &query).into_iter().collect();
        let skipped: Vec<&RowId> = after.difference(&different).collect();
        assert!(skipped.is_empty(), "seed {seed}: there from beginning to end and never given: {skipped:?}");
        assert!(different.is_subset(&before));
        assert_eq!(walker.walk.end(), Some(&WalkEnd::All), "seed {seed}");
        if after.len() < before.len() {
            assert!(walker.walk.moved().is_some(), "seed {seed}: the set moved without a word");
            moved += 1;
        }
    }
    assert!(moved > 10, "the sets moved in {moved} of 20 runs: too few to show anything");
}

fn rows(ids: std::ops::Range<i64>) -> Vec<Row> {
    let columns = std::sync::Arc::new(lode_core::row::ColumnNames::new(["id"]));
    ids.map(|id| Row::new(Some(RowId(id)), false, columns.clone(), [(lode_core::row::CellKind::Json, "0")])).collect()
}

#[test]
fn an_empty_page_before_the_end_is_said_and_not_looped_on() {
    let mut requests = 0;
    let (walker, _) = walk(us(), 10_000, |call, _| {
        requests += 1;
        let Call::Search(search) = call else { panic!("{call:?}") };
        let rows = if search.offset < 200 { rows(search.offset as i64..search.offset as i64 + 100) } else { vec![] };
        Said::Reply(Ok(Reply::Page(Page {
            total: 5_000,
            limit: 100,
            offset: search.offset,
            took_ms: None,
            rows,
            ..Page::default()
        })))
    });
    assert_eq!(walker.walk.end(), Some(&WalkEnd::Hole { offset: 200, total: 5_000 }));
    assert_eq!((walker.rows.len(), requests), (200, 3));
}

#[test]
fn a_short_page_is_not_the_end() {
    // Duplicates are collapsed within the page: each has fewer rows than places.
    let (walker, _) = walk(us(), 10_000, |call, _| {
        let Call::Search(search) = call else { panic!("{call:?}") };
        let start = search.offset as i64;
        let rows = rows(start..(start + 93).min(450));
        Said::Reply(Ok(Reply::Page(Page {
            total: 450,
            limit: 100,
            offset: search.offset,
            took_ms: None,
            rows,
            ..Page::default()
        })))
    });
    assert_eq!((walker.rows.len(), walker.walk.end()), (4 * 93 + 50, Some(&WalkEnd::All)));
    assert_eq!(walker.walk.unseen(), 4 * 7, "and what was passed over is told");
}

#[test]
fn a_service_that_refuses_large_pages_is_asked_for_small_ones() {
    let refusing = |call: &Call, _: u64| {
        let Call::Search(search) = call else {
            // What the key may do is asked once; here there is no answer.
            let words = "nothing here".to_owned();
            return Said::Reply(Err(Failure::Refused { status: 404, why: Refusal::Address, words }));
        };
        if search.limit > 25 {
            let words = "limit must be at most 25".to_owned();
            return Said::Reply(Err(Failure::Refused { status: 422, why: Refusal::Request, words }));
        }
        let start = search.offset as i64;
        let rows = rows(start..(start + search.limit as i64).min(130));
        let limit = search.limit;
        Said::Reply(Ok(Reply::Page(Page {
            total: 130,
            limit,
            offset: search.offset,
            took_ms: None,
            rows,
            ..Page::default()
        })))
    };
    let (walker, _) = walk(us(), 1_000, refusing);
    assert_eq!((walker.rows.len(), walker.walk.end()), (130, Some(&WalkEnd::All)));
}

#[test]
fn a_failure_ends_the_walk_with_what_was_read() {
    let (walker, _) = walk(us(), 1_000, |call, _| {
        let refused = || Failure::Refused { status: 401, why: Refusal::Key, words: "revoked".to_owned() };
        // `/me` is asked about a refused search.
        let Call::Search(search) = call else { return Said::Reply(Err(refused())) };
        let start = search.offset as i64;
        if start > 0 {
            return Said::Reply(Err(refused()));
        }
        let rows = rows(start..start + 100);
        Said::Reply(Ok(Reply::Page(Page { total: 450, limit: 100, offset: 0, took_ms: None, rows, ..Page::default() })))
    });
    assert_eq!(walker.rows.len(), 100);
    assert!(matches!(walker.walk.end(), Some(WalkEnd::Failed(Failure::Refused { why: Refusal::Key, .. }))));
}

/// A service that answers from where it likes: asked for an offset it sends the rows of another one.
fn from_elsewhere(told: impl Fn(u64) -> u64, rows_at: impl Fn(u64) -> i64) -> (Walker, usize) {
    let mut requests = 0;
    let (walker, _) = walk(us(), 1_000_000, |call, _| {
        requests += 1;
        let Call::Search(search) = call else { panic!("{call:?}") };
        let start = rows_at(search.offset);
        let offset = told(search.offset);
        let rows = rows(start..start + 100);
        Said::Reply(Ok(Reply::Page(Page {
            total: 80_000_000,
            limit: 100,
            offset,
            took_ms: None,
            rows,
            ..Page::default()
        })))
    });
    (walker, requests)
}

#[test]
fn a_page_from_another_place_ends_the_walk_with_a_sentence() {
    let capped = |offset: u64| offset.min(300);
    let (walker, requests) = from_elsewhere(capped, |offset| capped(offset) as i64);
    assert_eq!(walker.walk.end(), Some(&WalkEnd::Elsewhere { asked: 400, sent: 300 }));
    assert_eq!((walker.rows.len(), requests), (400, 5));
    assert!(
        walker.walk.end().unwrap().cut_short().unwrap().contains("row 401 was requested, but the service sent row 301")
    );
}

#[test]
fn the_same_rows_again_end_the_walk_and_one_page_of_them_does_not() {
    let (walker, requests) = from_elsewhere(|offset| offset, |_| 0);
    assert_eq!(walker.walk.end(), Some(&WalkEnd::Repeats { offset: 200 }));
    assert_eq!((walker.rows.len(), requests), (100, 3));
    assert!(walker.walk.end().unwrap().cut_short().is_some());
    // A hundred rows were put in front meanwhile: one page comes again, then it goes on.
    let (walker, _) = from_elsewhere(
        |offset| offset,
        |offset| match offset {
            0 => 0,
            100..400 => offset as i64 - 100,
            _ => 200,
        },
    );
    assert_eq!(walker.rows.len(), 300);
    assert_eq!(walker.walk.end(), Some(&WalkEnd::Repeats { offset: 500 }));
}
