//! Every filter of every search, typed as a flag: it arrives at the service named and written exactly as the documents name it,
//! and nothing else does. The tables are copied from the documents, not from the program.

use lode_core::contact::{Corpus, Side, Source};

use common::documents::{DOCUMENTED, Documented, decoded};
use common::test_app::TestApp;

/// What every request to this address carried since the log was so long, without its window.
fn arrived(app: &TestApp, path: &str, since: usize) -> Vec<Vec<(String, String)>> {
    let log = app.sandbox.service().log();
    let came = log.iter().skip(since).filter(|request| request.path == path).map(|request| decoded(&request.query));
    let windowless =
        came.map(|pairs| pairs.into_iter().filter(|(name, _)| !["limit", "offset"].contains(&name.as_str())));
    windowless
        .map(|pairs| {
            let mut pairs: Vec<_> = pairs.collect();
            pairs.sort();
            pairs
        })
        .collect()
}

fn pairs(corpus: Option<Corpus>, pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let corpus = corpus.map(|corpus| ("corpus", corpus.name()));
    let mut pairs: Vec<_> =
        corpus.iter().chain(pairs).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    pairs.sort();
    pairs
}

fn flag(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

/// Runs `lode WORDS --source … --corpus … FLAGS` and holds what arrived at `path` against the document.
fn sends(app: &TestApp, words: &[&str], flags: &[String], path: &str, expected: &[(String, String)]) {
    let since = app.sandbox.service().log().len();
    let mut arguments = words.to_vec();
    arguments.extend(flags.iter().map(String::as_str));
    app.run(&arguments).ended(0);
    let came = arrived(app, path, since);
    assert!(!came.is_empty(), "{arguments:?} asked for nothing");
    assert!(came.iter().all(|pairs| pairs == expected), "{arguments:?} sent {came:?}, the document says {expected:?}");
}

fn typed(pairs: &[(&str, &str)]) -> Vec<String> {
    pairs.iter().flat_map(|(name, value)| [flag(name), (*value).to_owned()]).collect()
}

fn search(documented: &Documented) -> [&'static str; 7] {
    let Side { source, corpus } = documented.side();
    ["search", "--source", source.name(), "--corpus", corpus.name(), "--limit", "5"]
}

/// The corpus, where a search names it.
fn named(documented: &Documented) -> Option<Corpus> {
    documented.corpus_named.then_some(documented.corpus)
}

#[test]
fn every_filter_of_every_search_arrives_under_its_name() {
    for documented in &DOCUMENTED {
        let app = TestApp::new();
        for (name, values) in documented.filters {
            for value in *values {
                let pair = [(*name, *value)];
                let expected = pairs(named(documented), &pair);
                sends(&app, &search(documented), &typed(&pair), documented.search, &expected);
            }
        }
    }
}

#[test]
fn every_filter_of_every_export_arrives_under_its_name() {
    for documented in DOCUMENTED.iter().filter(|documented| documented.source == Source::Data) {
        let app = TestApp::new();
        let words = ["export", "--corpus", documented.corpus.name(), "-o", "leads.csv", "--force"];
        for (name, values) in documented.filters {
            for value in *values {
                let pair = [(*name, *value)];
                let expected = pairs(Some(documented.corpus), &pair);
                sends(&app, &words, &typed(&pair), "/api/export", &expected);
            }
        }
    }
}

#[test]
fn all_filters_at_once_arrive_at_search_export_and_from_a_saved_search() {
    for documented in &DOCUMENTED {
        let app = TestApp::new();
        let all: Vec<(&str, &str)> = documented.filters.iter().map(|(name, values)| (*name, values[0])).collect();
        let expected = pairs(named(documented), &all);
        sends(&app, &search(documented), &typed(&all), documented.search, &expected);
        let (source, corpus) = (documented.source.name(), documented.corpus.name());
        let add = ["saved", "add", "all", "--source", source, "--corpus", corpus];
        let flags = typed(&all);
        let arguments: Vec<&str> = add.into_iter().chain(flags.iter().map(String::as_str)).collect();
        app.run(&arguments).ended(0);
        sends(&app, &["saved", "run", "all"], &[], documented.search, &expected);
        if documented.source == Source::Data {
            let words = ["export", "--corpus", corpus, "-o", "leads.csv", "--force"];
            sends(&app, &words, &flags, "/api/export", &pairs(Some(documented.corpus), &all));
        }
    }
}

#[test]
fn what_hides_rows_arrives_under_its_name() {
    for documented in &DOCUMENTED {
        let (filter, hiding) = match documented.source {
            Source::Workspace => (("title", "nurse"), &[("--exclude-unlocked", ("exclude_unlocked", "1"))][..]),
            Source::Data => (
                ("query", "nurse"),
                &[("--exclude-pulled", ("exclude_pulled", "1")), ("--no-dedup", ("dedup", "0"))][..],
            ),
        };
        for (word, pair) in hiding {
            // An export asks for the total beside it and does not wait for that: what comes late finds another sandbox.
            let app = TestApp::new();
            let mut flags = typed(&[filter]);
            flags.push((*word).to_owned());
            let expected = pairs(named(documented), &[filter, *pair]);
            sends(&app, &search(documented), &flags, documented.search, &expected);
            if documented.source == Source::Data {
                let words = ["export", "--corpus", documented.corpus.name(), "-o", "leads.csv", "--force"];
                let expected = pairs(Some(documented.corpus), &[filter, *pair]);
                sends(&app, &words, &flags, "/api/export", &expected);
            }
        }
    }
}

/// Found in review: an export was sent to the search of another service.
#[test]
fn a_filter_of_elsewhere_names_the_nearest_place_that_takes_it() {
    let app = TestApp::new();
    let ran = app.run(&["export", "--corpus", "us", "--title-level", "VP", "-o", "x.csv"]).failed(2);
    assert!(ran.err.contains("--source data --corpus linkedin"), "{ran:?}");
    let ran = app.run(&["search", "--zip", "78701"]).failed(2);
    assert!(ran.err.contains("--source data --corpus us"), "{ran:?}");
}

/// Found in review: the request went out first, and a typing error was called a failure.
#[test]
fn an_export_form_that_does_not_exist_is_wrong_usage_and_asks_nothing() {
    let app = TestApp::new();
    for arguments in [
        &["export", "--corpus", "us", "--state", "TX", "--format", "hubpsot", "-o", "x.csv"][..],
        &["export", "--from", "owned", "--format", "nope", "-o", "x.csv"],
    ] {
        let ran = app.run(arguments).failed(2);
        assert!(
            ran.err.contains("use raw, contacts, xlsx, jsonl, hubspot, salesforce, instantly, smartlead"),
            "{ran:?}"
        );
        assert!(!app.path("x.csv").exists() && app.sandbox.service().log().is_empty(), "{ran:?}");
    }
}
