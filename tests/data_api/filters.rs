//! Every filter of every search, set from the screen and from the shell: it arrives named exactly as the documents name it.

use clap::Parser;
use lode::cli::args::filters::flag;
use lode::cli::args::{Command, Lode};
use lode::domain::contact::{Corpus, Side, Source};
use lode::domain::filter::{Filter, Match};
use lode::domain::query::Query;
use lode::effect::call::{Call, SearchCall};
use lode::ui::dialogs::Dialog;
use lode::wire;

use crate::brain;
use crate::world::World;

/// A value that a person may choose.
fn value(filter: Filter) -> &'static str {
    match (filter.matching(), filter) {
        (Match::OneOf(values), _) => values[0],
        (_, Filter::State) => "TX",
        (_, Filter::SicCode) => "8062",
        (_, Filter::NaicsCode) => "622110",
        (Match::AnyOf, _) => "hospital,clinic",
        _ => "7 b",
    }
}

fn sent(query: &Query) -> Vec<(String, String)> {
    let call = SearchCall { query: query.clone(), offset: 0, limit: 100, mark_pulled: false };
    let request = wire::request(&Call::Search(call));
    let paging = ["limit", "offset", "corpus"];
    request.query.into_iter().filter(|(name, _)| !paging.contains(&name.as_str())).collect()
}

#[test]
fn every_filter_can_be_set_from_the_screen_and_arrives_under_its_name() {
    for side in Side::ALL {
        for (at, filter) in Filter::of(side).iter().enumerate() {
            let mut world = World::sized(brain::small(|_| ()), 120, 36, true);
            if side.source == Source::Data {
                world.key("W").settle();
            }
            if side.corpus == Corpus::Linkedin {
                world.key("w").settle();
            }
            assert_eq!(world.model.search.side, side);
            world.key("f");
            for _ in 0..at {
                world.key("Down");
            }
            world.key("Enter").typed(value(*filter)).key("Enter");
            // A search that scans a whole corpus is announced first.
            if matches!(world.model.nav.top(), Some(Dialog::Ask(_))) {
                world.key("Enter");
            }
            world.settle();
            let mut searches = world.sent.iter().filter_map(|call| match call {
                Call::Search(search) if search.query.value(*filter).is_some() => Some(&search.query),
                _ => None,
            });
            let query =
                searches.next_back().unwrap_or_else(|| panic!("{side} {filter:?} was not sent:\n{}", world.screen()));
            let name = filter.name().to_owned();
            assert!(sent(query).contains(&(name, value(*filter).to_owned())), "{side} {filter:?}: {:?}", sent(query));
        }
    }
}

#[test]
fn every_filter_can_be_set_in_the_shell_and_arrives_under_its_name() {
    for side in Side::ALL {
        for filter in Filter::of(side) {
            let (source, corpus) = (side.source.name(), side.corpus.name());
            let option = format!("--{}", flag(*filter));
            let line = ["lode", "search", "--source", source, "--corpus", corpus, &option, value(*filter)];
            let parsed = Lode::try_parse_from(line).unwrap_or_else(|error| panic!("{option}: {error}"));
            let Some(Command::Search(args)) = parsed.command else { panic!("{option} is no search") };
            let Ok(query) = args.filters.query(side) else { panic!("{side} refuses {option}") };
            assert_eq!(sent(&query), [(filter.name().to_owned(), value(*filter).to_owned())], "{side} {option}");
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
    world.says("company Harbor waits");
    world.says("query nurse waits");
    assert!(world.sent.iter().all(|call| match call {
        Call::Search(search) => search.query.side.source == Source::Data || search.query.value(Filter::Query).is_none(),
        _ => true,
    }));
    world.key("W").settle();
    assert_eq!(world.model.search.seat().wish.value(Filter::CompanyName), Some("Harbor"), "still there");
    world.key("w").settle();
    assert_eq!(world.model.search.side.corpus, Corpus::Linkedin);
    assert_eq!(world.model.search.seat().wish.value(Filter::CompanyName), Some("Harbor"), "carried over");
}
