//! Every filter of every search, set from the screen: it arrives at the service named and written exactly as the documents name
//! it, and nothing else does. The tables are copied from the documents, not from the program.

use lode_core::contact::{Corpus, Side, Source};
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_engine::effect::Answer;
use lode_engine::effect::call::{Call, Reply};
use lode_ui::dialogs::Dialog;
use lode_ui::msg::Msg;

use common::documents::{DOCUMENTED, Documented, decoded};
use common::sandbox_engine;
use common::screen::sandboxed::TestScreen;

/// A person on this side, with nothing set.
fn at(side: Side) -> TestScreen {
    let mut screen = TestScreen::sized(sandbox_engine::small(|_| ()), 120, 36, true);
    if side.source == Source::Data {
        screen.key("W").settle();
    }
    if side.corpus == Corpus::Linkedin {
        screen.key("w").settle();
    }
    assert_eq!(screen.model.search.side, side);
    screen
}

/// A search that scans a whole corpus is announced first.
fn agree(screen: &mut TestScreen) {
    if matches!(screen.model.nav.top(), Some(Dialog::Ask(_))) {
        screen.key("Enter");
    }
    screen.settle();
}

/// What the last request to this address carried, without its window. What only counts asks for one row and is another's.
fn arrived(screen: &TestScreen, path: &str) -> Vec<(String, String)> {
    let log = screen.service.log();
    let last = log.iter().rfind(|request| request.path == path && !request.query.contains("limit=1&"));
    let query = last.map(|request| request.query.clone()).unwrap_or_default();
    decoded(&query).into_iter().filter(|(name, _)| !["limit", "offset"].contains(&name.as_str())).collect()
}

fn expected(documented: &Documented, pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let corpus = documented.corpus_named.then(|| ("corpus", documented.side().corpus.name()));
    let mut pairs: Vec<(String, String)> =
        corpus.iter().chain(pairs).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    pairs.sort();
    pairs
}

fn sorted(mut pairs: Vec<(String, String)>) -> Vec<(String, String)> {
    pairs.sort();
    pairs
}

#[test]
fn the_catalog_is_that_of_the_documents() {
    for documented in &DOCUMENTED {
        let mut known: Vec<&str> = Filter::of(documented.side()).iter().map(|filter| filter.name()).collect();
        known.sort_unstable();
        let mut named: Vec<&str> = documented.filters.iter().map(|(name, _)| *name).collect();
        named.sort_unstable();
        assert_eq!(known, named, "{}", documented.side());
    }
}

#[test]
fn every_filter_can_be_set_from_the_screen_and_arrives_under_its_name() {
    for documented in &DOCUMENTED {
        let side = documented.side();
        for (name, values) in documented.filters {
            let place = Filter::of(side).iter().position(|filter| filter.name() == *name).unwrap();
            for value in *values {
                let mut screen = at(side);
                screen.key("f");
                for _ in 0..place {
                    screen.key("Down");
                }
                screen.key("Enter").handle(Msg::Paste((*value).to_owned()));
                screen.key("Enter");
                agree(&mut screen);
                let came = sorted(arrived(&screen, documented.search));
                assert_eq!(came, expected(documented, &[(name, value)]), "{side}:\n{}", screen.text());
            }
        }
    }
}

#[test]
fn all_filters_at_once_arrive_at_search_and_export() {
    for documented in &DOCUMENTED {
        let side = documented.side();
        let mut screen = at(side);
        let pairs: Vec<(&str, &str)> = documented.filters.iter().map(|(name, values)| (*name, values[0])).collect();
        for (name, value) in &pairs {
            let place = Filter::of(side).iter().position(|filter| filter.name() == *name).unwrap();
            screen.key("f");
            for _ in 0..place {
                screen.key("Down");
            }
            screen.key("Enter").handle(Msg::Paste((*value).to_owned()));
            screen.key("Enter");
            agree(&mut screen);
        }
        assert_eq!(sorted(arrived(&screen, documented.search)), expected(documented, &pairs), "{side}");
        if side.source != Source::Data {
            continue;
        }
        // Hardly a contact is all of that; what matches nothing is not exported, so some rows are said to match.
        screen.hold = |call| matches!(call, Call::Search(search) if search.limit > 1);
        screen.key("R");
        let (id, mut call) = screen.held.pop().expect("asked again");
        if let Call::Search(search) = &mut call {
            search.query = Query::new(side);
            search.query.set(Filter::Query, "nurse").unwrap();
        }
        let page = sandbox_engine::page(&screen.service, &call.record(), 0);
        screen.handle(Msg::Answered(Answer::Replied(id, Ok(Reply::Page(page)))));
        screen.key("e /").typed("all results").key("Enter /").typed("raw").key("Enter Enter").settle();
        let (_, export) = screen.held.iter().find(|(_, call)| matches!(call, Call::Export { .. })).expect("an export");
        let _ = sandbox_engine::ask(&screen.service, &export.record(), 0);
        let mut pairs = pairs;
        pairs.push(("corpus", side.corpus.name()));
        assert_eq!(
            sorted(arrived(&screen, "/api/export")),
            expected(&Documented { corpus_named: false, ..*documented }, &pairs)
        );
    }
}

/// Moves to the last line of the filter pane, which is a box, and switches it.
#[test]
fn what_hides_rows_arrives_under_its_name() {
    for documented in &DOCUMENTED {
        let side = documented.side();
        let filter = if side.source == Source::Workspace { ("title", "nurse") } else { ("query", "nurse") };
        let searched = || {
            let mut screen = at(side);
            screen.key("/").typed(filter.1).key("Enter").settle();
            screen
        };
        let keys: &[(&str, (&str, &str))] = match side.source {
            Source::Workspace => &[("H", ("exclude_unlocked", "1"))],
            Source::Data => &[("p", ("exclude_pulled", "1"))],
        };
        for (key, parameter) in keys {
            let mut screen = searched();
            screen.key(key).settle();
            assert_eq!(sorted(arrived(&screen, documented.search)), expected(documented, &[filter, *parameter]));
            screen.key(key).settle();
            assert_eq!(sorted(arrived(&screen, documented.search)), expected(documented, &[filter]), "off is not sent");
        }
        if side.source == Source::Data {
            let mut screen = searched();
            screen.key("Shift-Tab");
            for _ in 0..40 {
                screen.key("Down");
            }
            // The last two lines are decided on this side.
            screen.key("Up Up Space").settle();
            assert_eq!(sorted(arrived(&screen, documented.search)), expected(documented, &[filter, ("dedup", "0")]));
        }
    }
}

#[test]
fn filters_wait_visibly_on_a_side_that_does_not_know_them_and_come_back() {
    let mut screen = TestScreen::sized(sandbox_engine::small(|_| ()), 120, 36, true);
    screen.key("W").settle();
    screen.key("f").typed("company").key("Enter").typed("Harbor").key("Enter").settle();
    screen.key("/").typed("nurse").key("Enter").settle();
    screen.key("W").settle();
    assert_eq!(screen.model.search.side.source, Source::Workspace);
    screen.says("company Harbor (unused)");
    screen.says("query nurse (unused)");
    assert!(screen.sent.iter().all(|call| match call {
        Call::Search(search) => search.query.side.source == Source::Data || search.query.value(Filter::Query).is_none(),
        _ => true,
    }));
    screen.key("W").settle();
    assert_eq!(screen.model.search.grid().draft.value(Filter::CompanyName), Some("Harbor"), "still there");
    screen.key("w").settle();
    assert_eq!(screen.model.search.side.corpus, Corpus::Linkedin);
    assert_eq!(screen.model.search.grid().draft.value(Filter::CompanyName), Some("Harbor"), "carried over");
}
