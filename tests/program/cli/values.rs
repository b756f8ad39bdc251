//! Values of filters: documented lists are held to, elsewhere the likely value is named.

use crate::cli::invented::{Invented, data_page, me, page};
use common::test_app::TestApp;

#[test]
fn a_value_outside_a_documented_list_is_wrong_usage_and_the_nearest_is_named() {
    let app = TestApp::new();
    for (corpus, flag, value, nearest) in [
        ("us", "--email-domain-type", "corporat", "corporate"),
        ("us", "--email-domain-type", "Business", "corporate, edu, personal, gov"),
        ("us", "--email-status", "catch-all", "catch_all"),
        ("us", "--email-status", "Valid", "valid"),
        ("linkedin", "--title-level", "c-level", "C-Level"),
        ("linkedin", "--title-level", "Directors", "Director"),
    ] {
        for command in ["search", "export"] {
            let mut arguments = vec![command, "--corpus", corpus, flag, value];
            arguments.extend((command == "search").then_some(["--source", "data"]).into_iter().flatten());
            let ran = app.run(&arguments).failed(2);
            assert!(ran.err.contains(value) && ran.err.contains(nearest), "{ran:?}");
        }
    }
    assert!(app.sandbox.service().log().is_empty(), "nothing of this was sent");
}

#[test]
fn a_value_of_more_than_500_characters_is_wrong_usage() {
    let app = TestApp::new();
    let (fits, long) = ("é".repeat(500), "é".repeat(501));
    app.run(&["search", "--title", &fits]).ended(0);
    let sent = app.sandbox.service().log().len();
    for arguments in [
        &["search", "--title", &long][..],
        &["search", "--source", "data", "--query", &long],
        &["search", "--industry", &format!("a,{long}")],
        &["export", "--city", &long],
        &["saved", "add", "x", "--title", &long],
    ] {
        let ran = app.run(arguments).failed(2);
        assert!(ran.err.contains("500 characters"), "{ran:?}");
    }
    assert_eq!(app.sandbox.service().log().len(), sent);
}

fn nothing() -> Invented {
    Invented::start(|asked| match (asked.is("/me"), asked.is("/search")) {
        (true, _) => me(&["search"]),
        (_, true) if !asked.path.starts_with("/api/search") => page(0.into(), 25, 0, Vec::new()),
        _ => data_page(0.into(), 25, 0, Vec::new()),
    })
}

#[test]
fn where_nothing_matches_the_likely_value_is_named() {
    for (arguments, likely) in [
        (&["--state", "Texas"][..], "--state TX"),
        (&["--state", "tx"], "--state TX"),
        (&["--state", "new  york"], "--state NY"),
        (&["--state", "Calfornia"], "--state CA"),
        (&["--email-domain-type", "corporat"], "--email-domain-type corporate"),
        (&["--corpus", "linkedin", "--title-level", "c level"], "--title-level C-Level"),
        (&["--source", "data", "--state", "Ohio"], "--state OH"),
    ] {
        let service = nothing();
        let all: Vec<&str> = ["search"].into_iter().chain(arguments.iter().copied()).collect();
        let ran = service.run(&all).ended(0);
        assert!(ran.out.is_empty() && ran.err.contains(likely), "{ran:?}");
        let sent = service.heard();
        assert!(sent.iter().any(|asked| !asked.is("/me")), "it is sent as typed: {sent:?}");
    }
    let ran = nothing().run(&["search", "--state", "TX"]).ended(0);
    assert!(!ran.err.contains("did you mean"), "a value that is right is not doubted: {ran:?}");
}

/// clap took it for an unknown flag, and advised to put `--` before it, which would make it an id.
#[test]
fn a_negative_number_is_a_wrong_value_and_never_an_id() {
    let app = TestApp::new();
    for (arguments, problem) in [
        (&["unlock", "--corpus", "us", "--max-credits", "-1", "31"][..], "invalid value '-1' for '--max-credits <N>'"),
        (&["search", "--limit", "-1"], "invalid value '-1' for '--limit <N>'"),
        (&["unlock", "--corpus", "us", "--max-credits", "5", "-3"], "unexpected argument '-3' found"),
    ] {
        let ran = app.run(arguments).failed(2);
        assert!(ran.err.contains(problem), "{ran:?}");
    }
    assert!(app.sandbox.service().log().is_empty(), "nothing of this was sent");
}

/// `T=; lode search --title "$T" | lode unlock` would buy the first rows of the whole corpus.
#[test]
fn an_empty_name_and_a_missing_list_are_wrong_usage_of_every_command() {
    let app = TestApp::new();
    app.run(&["saved", "add", "", "--title", "nurse"]).failed(2);
    app.fed(&["suppress", "add", "", "-"], "a@b.example\n").failed(2);
    for arguments in [&["suppress", "add", "crm", "missing.csv"][..], &["match", "missing.csv", "--title", "nurse"]] {
        let ran = app.run(arguments).failed(2);
        assert!(ran.err.contains("missing.csv"), "{ran:?}");
    }
}

/// The lines of an unlock are known before it spends.
#[test]
fn a_field_that_an_unlock_does_not_have_is_refused_before_it_spends() {
    let app = TestApp::new();
    let ran = app.run(&["unlock", "--corpus", "us", "--max-credits", "2", "--fields", "id,emial", "2"]).failed(2);
    assert!(ran.err.contains("no field `emial`; there are id, corpus, outcome, email"), "{ran:?}");
    app.run(&["unlock", "--corpus", "us", "--max-credits", "2", "--fields", "quote", "--dry-run", "2"]).ended(0);
    assert!(app.sandbox.service().log().iter().all(|request| !request.path.contains("unlock")));
}

#[test]
fn an_empty_value_is_wrong_usage_and_widens_no_search() {
    let app = TestApp::new();
    for arguments in [
        &["search", "--title", ""][..],
        &["search", "--title", "  ", "--state", "TX"],
        &["search", "--industry", "", "--limit", "1"],
        &["export", "--city", ""],
        &["saved", "add", "all", "--title", ""],
    ] {
        let ran = app.run(arguments).failed(2);
        assert!(ran.err.contains("has an empty value"), "{ran:?}");
    }
    assert!(app.sandbox.service().log().is_empty(), "nothing of this was sent");
}
