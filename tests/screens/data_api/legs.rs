//! Several values of a filter on the screen, on both services and both corpora, against each combination asked by itself.

use std::collections::BTreeSet;

use lode_core::contact::{Corpus, Side, Source};
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_engine::effect::call::{Call, Reply, SearchCall};
use lode_sandbox::variants::Variant;

use lode_ui::dialogs::Dialog;

use common::sandbox_engine::{self, Said};
use common::screen::sandboxed::TestScreen;

fn screen() -> TestScreen {
    TestScreen::sized(sandbox_engine::small(|setup| setup.variant = Variant::A), 160, 48, true)
}

fn six(side: Side) -> Query {
    let mut query = Query::new(side);
    for (filter, values) in [(Filter::Title, &["nurse", "director"][..]), (Filter::State, &["TX", "FL", "CA"])] {
        values.iter().for_each(|value| query.add(filter, value).unwrap());
    }
    query
}

/// The ids of all legs in their order, each once, as the service has them page by page.
fn one_by_one(screen: &TestScreen, query: &Query) -> Vec<i64> {
    let mut seen = BTreeSet::new();
    let mut ids = Vec::new();
    for leg in query.legs() {
        let mut offset = 0;
        loop {
            let call = Call::Search(SearchCall { query: leg.clone(), offset, limit: 100, mark_pulled: false });
            let (Said::Reply(Ok(Reply::Page(page))) | Said::After(_, Ok(Reply::Page(page)))) =
                sandbox_engine::ask(&screen.service, &call, 0)
            else {
                panic!("no page")
            };
            if page.rows.is_empty() {
                break;
            }
            offset += page.rows.len() as u64;
            ids.extend(page.rows.iter().filter_map(|row| row.id()).map(|id| id.0).filter(|id| seen.insert(*id)));
        }
    }
    ids
}

fn show(screen: &mut TestScreen, query: &Query) {
    screen.model.search.side = query.side;
    screen.model.search.grid_mut().draft = query.clone();
    screen.key("g s R").settle();
}

fn searches(screen: &TestScreen) -> usize {
    let is_page = |call: &&Call| matches!(call, Call::Search(search) if search.limit > 1);
    screen.sent.iter().filter(is_page).count()
}

#[test]
fn all_of_six_legs_go_into_the_basket_once_with_the_requests_that_were_announced() {
    for side in Side::ALL {
        let mut screen = screen();
        let query = six(side);
        let expected: BTreeSet<i64> = one_by_one(&screen, &query).into_iter().collect();
        assert!(!expected.is_empty());
        let before = searches(&screen);
        show(&mut screen, &query);
        assert_eq!(searches(&screen) - before, 6, "{side}: one request opens a leg");
        let window = &screen.model.session.side(side).window;
        let (total, announced) = (window.total().unwrap(), window.requests_for(window.total().unwrap()));
        screen.key("A");
        let Some(Dialog::Ask(form)) = screen.model.nav.top() else { panic!("{}", screen.text()) };
        let words = format!(
            "Up to {total} match. How many to add, from the first? At most {total}; all take {announced} requests"
        );
        assert!(form.above[0].0.starts_with(&words), "{}", form.above[0].0);
        let before = searches(&screen);
        screen.typed(&total.to_string()).key("Enter").settle();
        assert_eq!((searches(&screen) - before) as u64, announced, "{side}");
        let basket = &screen.model.session.side(side).basket;
        let staged: Vec<i64> = basket.rows().iter().map(|entry| entry.id().0).collect();
        assert_eq!(staged.len(), expected.len(), "{side}: none twice");
        assert_eq!(staged.into_iter().collect::<BTreeSet<_>>(), expected, "{side}");
    }
}

#[test]
fn a_saved_search_recalls_its_legs_and_stays_here() {
    let side = Side { source: Source::Workspace, corpus: Corpus::Us };
    let mut screen = screen();
    let query = six(side);
    show(&mut screen, &query);
    screen.key("s").instead("six").key("Enter").settle();
    screen.says("Saved `six` here. Saved on this computer only: the service can't store searches with several values.  r recall");
    assert!(!screen.sent.iter().any(|call| matches!(call, Call::SavedAdd { .. })), "the service never heard of it");
    let totals = |screen: &TestScreen| -> Vec<Option<u64>> {
        screen.model.session.side(side).window.parts().map(|(_, total)| total).collect()
    };
    let before = totals(&screen);
    show(&mut screen, &Query::new(side));
    screen.key("g v").settle();
    screen.key("/").typed("six").key("Enter Enter").settle();
    assert_eq!(*screen.model.session.side(side).window.query(), query);
    assert_eq!(totals(&screen), before);
}

#[test]
fn more_than_ten_searches_are_asked_about_with_what_they_take() {
    let side = Side { source: Source::Workspace, corpus: Corpus::Us };
    let mut screen = screen();
    let mut query = Query::new(side);
    let states = ["TX", "FL", "CA", "NY", "OH", "GA", "NM", "OK", "IL", "PA", "WA"];
    states.iter().for_each(|state| query.add(Filter::State, state).unwrap());
    let (before, sent) = (searches(&screen), screen.sent.len());
    show(&mut screen, &query);
    for words in ["Many searches", "11 searches: 11 requests to open them, less than 1 min. All 11 scan the"] {
        screen.says(words);
    }
    assert_eq!(searches(&screen), before, "nothing was sent");
    screen.key("Enter").settle();
    let opened = screen.sent[sent..].iter().filter(|call| matches!(call, Call::Search(search) if search.offset == 0));
    assert_eq!(opened.count(), 11, "nothing but what was announced, and the next page of the first leg");
    assert!(searches(&screen) - before <= 12);
    assert_eq!(screen.model.session.side(side).window.read(), (11, 11));
    // Sixty is the most.
    for zip in 0..8 {
        query.add(Filter::Title, &format!("title {zip}")).unwrap();
    }
    show(&mut screen, &query);
    screen.says("hese values make 88 searches; at most 60 run as one");
}

#[test]
fn a_row_that_was_met_before_is_marked_and_counts_once() {
    let side = Side { source: Source::Workspace, corpus: Corpus::Us };
    let mut screen = screen();
    let mut query = Query::new(side);
    ["nurse", "registered"].iter().for_each(|title| query.add(Filter::Title, title).unwrap());
    show(&mut screen, &query);
    let expected = one_by_one(&screen, &query);
    let total = screen.model.session.side(side).window.total().unwrap();
    assert!(total > expected.len() as u64, "some are both");
    screen.key("G").settle();
    let frame = screen.text();
    assert!(frame.lines().any(|line| line.contains("│ =  ")), "{frame}");
    // A registered nurse is a nurse: the whole second leg was there before.
    assert_eq!(total - expected.len() as u64, one_by_one(&screen, &query.legs()[1]).len() as u64);
    screen.key("a").settle();
    screen.says("each counts once");
    screen.key("Space").settle();
    screen.says("already; it counts once");
    assert!(screen.model.session.side(side).basket.is_empty());
}
