//! Every filter of every search, set from the screen: it arrives at the service named and written exactly as the documents name
//! it, and nothing else does. The tables are copied from the documents, not from the program.

use lode_core::contact::{Corpus, Side, Source};
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_engine::effect::Answer;
use lode_engine::effect::call::{Call, Reply};
use lode_ui::dialogs::Dialog;
use lode_ui::msg::Msg;

use common::brain;
use common::documents::{DOCUMENTED, Documented, decoded};
use common::world::sandboxed::World;

/// A person on this side, with nothing set.
fn at(side: Side) -> World {
    let mut world = World::sized(brain::small(|_| ()), 120, 36, true);
    if side.source == Source::Data {
        world.key("W").settle();
    }
    if side.corpus == Corpus::Linkedin {
        world.key("w").settle();
    }
    assert_eq!(world.model.search.side, side);
    world
}

/// A search that scans a whole corpus is announced first.
fn agree(world: &mut World) {
    if matches!(world.model.nav.top(), Some(Dialog::Ask(_))) {
        world.key("Enter");
    }
    world.settle();
}

/// What the last request to this address carried, without its window. What only counts asks for one row and is another's.
fn arrived(world: &World, path: &str) -> Vec<(String, String)> {
    let log = world.service.log();
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
                let mut world = at(side);
                world.key("f");
                for _ in 0..place {
                    world.key("Down");
                }
                world.key("Enter").tell(Msg::Paste((*value).to_owned()));
                world.key("Enter");
                agree(&mut world);
                let came = sorted(arrived(&world, documented.search));
                assert_eq!(came, expected(documented, &[(name, value)]), "{side}:\n{}", world.screen());
            }
        }
    }
}

#[test]
fn all_filters_at_once_arrive_at_search_and_export() {
    for documented in &DOCUMENTED {
        let side = documented.side();
        let mut world = at(side);
        let pairs: Vec<(&str, &str)> = documented.filters.iter().map(|(name, values)| (*name, values[0])).collect();
        for (name, value) in &pairs {
            let place = Filter::of(side).iter().position(|filter| filter.name() == *name).unwrap();
            world.key("f");
            for _ in 0..place {
                world.key("Down");
            }
            world.key("Enter").tell(Msg::Paste((*value).to_owned()));
            world.key("Enter");
            agree(&mut world);
        }
        assert_eq!(sorted(arrived(&world, documented.search)), expected(documented, &pairs), "{side}");
        if side.source != Source::Data {
            continue;
        }
        // Hardly a contact is all of that; what matches nothing is not exported, so some rows are said to match.
        world.hold = |call| matches!(call, Call::Search(search) if search.limit > 1);
        world.key("R");
        let (id, mut call) = world.held.pop().expect("asked again");
        if let Call::Search(search) = &mut call {
            search.query = Query::new(side);
            search.query.set(Filter::Query, "nurse").unwrap();
        }
        let page = brain::page(&world.service, &call.record(), 0);
        world.tell(Msg::Answered(Answer::Replied(id, Ok(Reply::Page(page)))));
        world.key("e /").typed("all results").key("Enter /").typed("raw").key("Enter Enter").settle();
        let (_, export) = world.held.iter().find(|(_, call)| matches!(call, Call::Export { .. })).expect("an export");
        let _ = brain::ask(&world.service, &export.record(), 0);
        let mut pairs = pairs;
        pairs.push(("corpus", side.corpus.name()));
        assert_eq!(
            sorted(arrived(&world, "/api/export")),
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
            let mut world = at(side);
            world.key("/").typed(filter.1).key("Enter").settle();
            world
        };
        let keys: &[(&str, (&str, &str))] = match side.source {
            Source::Workspace => &[("H", ("exclude_unlocked", "1"))],
            Source::Data => &[("p", ("exclude_pulled", "1"))],
        };
        for (key, parameter) in keys {
            let mut world = searched();
            world.key(key).settle();
            assert_eq!(sorted(arrived(&world, documented.search)), expected(documented, &[filter, *parameter]));
            world.key(key).settle();
            assert_eq!(sorted(arrived(&world, documented.search)), expected(documented, &[filter]), "off is not sent");
        }
        if side.source == Source::Data {
            let mut world = searched();
            world.key("Shift-Tab");
            for _ in 0..40 {
                world.key("Down");
            }
            // The last two lines are decided on this side.
            world.key("Up Up Space").settle();
            assert_eq!(sorted(arrived(&world, documented.search)), expected(documented, &[filter, ("dedup", "0")]));
        }
    }
}

#[test]
fn filters_wait_visibly_on_a_side_that_does_not_know_them_and_come_back() {
    let mut world = World::sized(brain::small(|_| ()), 120, 36, true);
    world.key("W").settle();
    world.key("f").typed("company").key("Enter").typed("Harbor").key("Enter").settle();
    world.key("/").typed("nurse").key("Enter").settle();
    world.key("W").settle();
    assert_eq!(world.model.search.side.source, Source::Workspace);
    world.says("company Harbor (unused)");
    world.says("query nurse (unused)");
    assert!(world.sent.iter().all(|call| match call {
        Call::Search(search) => search.query.side.source == Source::Data || search.query.value(Filter::Query).is_none(),
        _ => true,
    }));
    world.key("W").settle();
    assert_eq!(world.model.search.seat().draft.value(Filter::CompanyName), Some("Harbor"), "still there");
    world.key("w").settle();
    assert_eq!(world.model.search.side.corpus, Corpus::Linkedin);
    assert_eq!(world.model.search.seat().draft.value(Filter::CompanyName), Some("Harbor"), "carried over");
}
