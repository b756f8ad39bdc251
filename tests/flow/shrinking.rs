//! Results that shrink by our own doing: contacts that were bought while owned ones are hidden, rows that were marked as pulled.

use common::asking::Askable;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use common::rng::Rng;
use common::sandbox_engine::Said;
use lode_core::contact::{Corpus, RowId, Side};
use lode_core::query::Query;
use lode_core::row::Row;
use lode_engine::effect::call::Call;
use lode_engine::effect::failure::{Failure, Unclear};
use lode_engine::flow::search::window::{MarkResult, Slot, WindowNews};
use lode_engine::flow::session::{Event, UnlockSubject};
use lode_engine::flow::unlock::quote::ReviewChoice;
use lode_sandbox::corpus::CorpusKind;

use crate::desktop::{DATA, Desktop, US};
use crate::window::{numbered, titled};
use common::sandbox_engine;

/// Every contact that can be seen by going through the whole window, page by page.
fn seen_through(desktop: &mut Desktop, side: Side) -> BTreeMap<RowId, Vec<u64>> {
    let mut seen: BTreeMap<RowId, Vec<u64>> = BTreeMap::new();
    let mut index = 0;
    while index < desktop.total(side).unwrap() {
        desktop.look(side, index, 50, index);
        desktop.for_ms(1_500);
        for at in index..(index + 50).min(desktop.total(side).unwrap()) {
            match desktop.slot(side, at) {
                Slot::Row(row) => seen.entry(row.id().unwrap()).or_default().push(at),
                Slot::Elsewhere(_) | Slot::Vanished => {}
                other => panic!("row {at}: {other:?}"),
            }
        }
        index += 50;
    }
    seen
}

/// Stages what the screen shows and unlocks it through the review with the typed amount.
fn unlock_page(desktop: &mut Desktop, top: u64) -> usize {
    desktop.act(|session, now, fx| {
        let (side, desk) = session.side_mut(US);
        let rows: Vec<Row> = (top..top + 40)
            .filter_map(|index| match side.window.slot(index) {
                Slot::Row(row) if !row.unlocked() => Some(row.clone()),
                _ => None,
            })
            .collect();
        let query = side.window.query().clone();
        side.basket.stage(0, &rows, &query, &mut desk.at(now, fx));
    });
    desktop.for_ms(200);
    desktop.act(|session, now, fx| {
        session.review(UnlockSubject::Basket(Corpus::Us, None), ReviewChoice::default(), now, fx)
    });
    desktop.for_ms(3_000);
    let quote = desktop.screen.events.drain(..).find_map(|event| match event {
        Event::Review(review) => Some(review.expect("a review")),
        _ => None,
    });
    let quote = quote.expect("the review comes");
    if quote.to_unlock.is_empty() {
        return 0;
    }
    desktop.act(|session, now, fx| assert_eq!(session.accept(&quote, quote.most, now, fx), Ok(())));
    quote.to_unlock.len()
}

#[test]
fn with_owned_rows_hidden_unlocking_and_going_on_shows_every_remaining_contact_exactly_once() {
    for seed in 0..6u64 {
        let service = sandbox_engine::small(|setup| {
            setup.us_rows = 900;
            setup.credits = 100_000;
        });
        service.state().max_page = Some([100, 25, 50][seed as usize % 3]);
        let mut rng = Rng::new(seed);
        let mut moods = Rng::new(seed + 77);
        let slow = Rc::clone(&service);
        let mut desktop = Desktop::new(seed, move |call: &Call, now| match sandbox_engine::ask(&slow, call, now) {
            Said::After(_, result) => Said::After(moods.below(900), result),
            said => said,
        });
        let mut query = Query::new(US);
        query.hide_owned = true;
        desktop.search(&query);
        desktop.look(US, 0, 50, 0);
        desktop.for_ms(3_000);
        let mut bought = 0;
        for round in 0..5 {
            let top = round * 100 + rng.below(40);
            desktop.look(US, top, 50, top);
            desktop.for_ms(5_000);
            bought += unlock_page(&mut desktop, top);
            // The reader does not wait for the order: he scrolls on while the set shrinks under him.
            for _ in 0..rng.below(8) {
                let top = rng.below(600);
                desktop.look(US, top, 50, top);
                desktop.for_ms(rng.below(1_200));
            }
            let mut patience = 200;
            while desktop.screen.session.unlock().is_running() {
                desktop.for_ms(500);
                patience -= 1;
                assert!(patience > 0, "the order ends");
            }
            desktop.for_ms(5_000);
        }
        assert!(bought > 100, "seed {seed}: {bought} bought");
        let owned = service.owned(&service.org(), CorpusKind::Us, desktop.sim.now);
        assert_eq!(owned.len(), bought, "what was asked for is what was bought");
        let owned: BTreeSet<RowId> = owned.into_iter().map(|id| RowId(id as i64)).collect();
        let seen = seen_through(&mut desktop, US);
        for (id, places) in &seen {
            assert_eq!(places.len(), 1, "seed {seed}: {id} is shown at {places:?}");
        }
        let all: BTreeSet<RowId> = (1..=5_000u64)
            .filter(|id| service.person(CorpusKind::Us, *id).is_some() && !service.suppressed(CorpusKind::Us, *id))
            .map(|id| RowId(id as i64))
            .collect();
        let missing: Vec<&RowId> = all.iter().filter(|id| !owned.contains(id) && !seen.contains_key(id)).collect();
        assert!(missing.is_empty(), "seed {seed}: never shown: {missing:?}");
        assert_eq!(desktop.screen.session.side(US).window.moved(), None, "our own doing is no news");
        assert!(desktop.screen.session.side(US).basket.is_empty());
        assert_eq!(desktop.screen.session.ledger.owned_count(), bought);
        for row in owned.iter().filter_map(|id| {
            let window = &desktop.screen.session.side(US).window;
            match window.slot(window.place(*id)?) {
                Slot::Row(row) => Some(row),
                _ => None,
            }
        }) {
            assert!(row.unlocked() && !row.email().contains('•'), "what was bought is whole where it stands");
        }
    }
}

#[test]
fn hiding_pulled_rows_and_marking_page_after_page_shows_every_row_exactly_once() {
    let service = sandbox_engine::small(|setup| setup.us_rows = 700);
    let marks = RefCell::new(0);
    let mut desktop = Desktop::new(12, |call: &Call, now| {
        if let Call::Search(search) = call {
            *marks.borrow_mut() += usize::from(search.mark_pulled);
        }
        sandbox_engine::ask(&service, call, now)
    });
    let mut query = titled(DATA, "a");
    query.hide_pulled = true;
    query.dedup = false;
    desktop.search(&query);
    desktop.look(DATA, 0, 50, 0);
    desktop.for_ms(2_000);
    let total = desktop.total(DATA).unwrap();
    assert!(total > 250, "{total}");
    let mut seen = BTreeSet::new();
    for page in 0..total.div_ceil(100) {
        desktop.look(DATA, page * 100, 50, page * 100);
        desktop.for_ms(3_000);
        let ids = desktop.screen.session.side(DATA).window.page_ids(page * 100);
        for id in &ids {
            assert!(seen.insert(*id), "{id} came twice");
        }
        desktop.act(|session, now, fx| {
            let (side, desk) = session.side_mut(DATA);
            assert!(side.window.mark_pulled(page * 100, &mut desk.at(now, fx)));
            assert!(!side.window.mark_pulled(page * 100, &mut desk.at(now, fx)), "one at a time");
        });
        desktop.for_ms(3_000);
        let marked = desktop.screen.events.drain(..).any(|event| match event {
            Event::Window {
                news: WindowNews::Marked(MarkResult::Recorded { ids: recorded, shown, unseen }), ..
            } => recorded.len() == ids.len() && shown.is_empty() && unseen.is_empty(),
            _ => false,
        });
        assert!(marked, "page {page}: exactly what was on the screen is recorded");
    }
    assert_eq!(seen.len() as u64, total);
    assert_eq!(*marks.borrow() as u64, total.div_ceil(100));
}

#[test]
fn a_mark_whose_answer_is_lost_is_not_sent_again() {
    let marks = RefCell::new(0);
    let mut service = numbered(500);
    let mut desktop = Desktop::new(13, |call: &Call, now| match call {
        Call::Search(search) if search.mark_pulled => {
            *marks.borrow_mut() += 1;
            Said::Reply(Err(Failure::Unclear { why: Unclear::Line, words: "reset".into() }))
        }
        call => service(call, now),
    });
    desktop.search(&titled(DATA, "a"));
    desktop.for_ms(2_000);
    desktop.act(|session, now, fx| {
        let (side, desk) = session.side_mut(DATA);
        assert!(side.window.mark_pulled(0, &mut desk.at(now, fx)));
    });
    desktop.until_quiet();
    assert_eq!(*marks.borrow(), 1);
    let unclear = |event: &Event| matches!(event, Event::Window { news: WindowNews::Marked(MarkResult::Unclear { ids, .. }), .. } if ids.len() == 100);
    assert!(desktop.screen.events.iter().any(unclear), "it is said which ids are in question");
}
