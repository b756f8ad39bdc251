//! Several values of a filter in a shell: against what plain HTTP says of each combination, asked one by one.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use common::test_app::{Ran, TestApp};

const STATES: [&str; 3] = ["TX", "FL", "CA"];
const TITLES: [&str; 2] = ["nurse", "director"];

/// One answer over plain HTTP.
fn get(address: &str, key: &str, path: &str, query: &str) -> Value {
    let host = address.trim_start_matches("http://").split('/').next().unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let key = if path.contains("/v1/") { format!("Authorization: Bearer {key}") } else { format!("X-Api-Key: {key}") };
    write!(stream, "GET {path}?{query} HTTP/1.1\r\nHost: {host}\r\n{key}\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (from, to) = (text.find('{').unwrap(), text.rfind('}').unwrap());
    serde_json::from_str(&text[from..=to]).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The rows of an answer, wherever it has them.
fn rows(answer: &Value) -> Vec<u64> {
    match answer {
        Value::Array(rows) if rows.first().is_some_and(|row| row["id"].is_u64()) => {
            rows.iter().map(|row| row["id"].as_u64().unwrap()).collect()
        }
        Value::Object(fields) => fields.values().map(rows).find(|rows| !rows.is_empty()).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// All ids of one combination, page by page.
fn one_leg(app: &TestApp, source: &str, corpus: &str, query: &str) -> Vec<u64> {
    let (address, key) = match source {
        "workspace" => (&app.workspace_url, &app.workspace_key),
        _ => (&app.sandbox.data_url, &app.data_key),
    };
    app.run(&["search", "--source", source, "--corpus", corpus, "--title", "nurse", "--limit", "1"]).ended(0);
    let log = app.sandbox.service().log();
    let asked = log.iter().rfind(|request| request.query.contains("title=")).unwrap();
    let rest: String =
        asked.query.split('&').filter(|pair| pair.starts_with("source=") || pair.starts_with("corpus=")).collect();
    let (mut ids, mut offset) = (Vec::new(), 0);
    loop {
        let page = rows(&get(address, key, &asked.path, &format!("{query}&{rest}&limit=100&offset={offset}")));
        if page.is_empty() {
            return ids;
        }
        offset += page.len();
        ids.extend(page);
    }
}

fn flags<'a>(name: &'a str, values: &[&'a str]) -> Vec<&'a str> {
    values.iter().flat_map(|value| [name, *value]).collect()
}

fn requests(ran: &Ran) -> usize {
    let at = ran.err.find(" request").unwrap_or_else(|| panic!("{}", ran.err));
    ran.err[..at].rsplit(' ').next().unwrap().replace(',', "").parse().unwrap()
}

#[test]
fn three_states_and_two_titles_are_what_each_of_them_is_alone() {
    let app = TestApp::new();
    for (source, corpus) in [("workspace", "us"), ("workspace", "linkedin"), ("data", "us"), ("data", "linkedin")] {
        let mut expected = Vec::new();
        for title in TITLES {
            for state in STATES {
                expected.extend(one_leg(&app, source, corpus, &format!("title={title}&state={state}")));
            }
        }
        let mut seen = BTreeSet::new();
        expected.retain(|id| seen.insert(*id));
        assert!(!expected.is_empty());
        let before = app.sandbox.service().log().len();
        let mut line = vec!["search", "--all", "--source", source, "--corpus", corpus];
        line.extend(flags("--title", &TITLES));
        line.extend(flags("--state", &STATES));
        let ran = app.run(&line).ended(0);
        assert_eq!(ran.ids(), expected, "{source} {corpus}: in the order of the legs, none twice");
        let searched = |path: &str| path.contains("search");
        let sent = app.sandbox.service().log()[before..].iter().filter(|one| searched(&one.path)).count();
        assert_eq!(sent, requests(&ran), "{source} {corpus}: {}", ran.err);
        // A few of them: the first legs only.
        let few = app.run(&[&line[..1], &["--limit", "5"], &line[2..]].concat()).ended(0);
        assert_eq!(few.ids(), expected[..5.min(expected.len())]);
        // The number alone needs no rows.
        let none = app.run(&[&line[..1], &["--limit", "0"], &line[2..]].concat()).ended(0);
        assert_eq!(none.out, "");
    }
}

#[test]
fn more_than_ten_searches_run_only_when_they_are_wanted() {
    let app = TestApp::new();
    let states = ["TX", "FL", "CA", "NY", "OH", "GA", "NM", "OK", "IL", "PA", "WA"];
    let mut line = vec!["search"];
    line.extend(flags("--state", &states));
    let refused = app.run(&line).failed(2);
    for words in ["11 searches", "11 requests", "less than 1 min", "scan the whole corpus", "--yes"] {
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    assert!(app.sandbox.service().log().is_empty(), "nothing was sent");
    line.extend(["--title", "nurse", "--yes", "--all"]);
    let ran = app.run(&line).ended(0);
    assert!(!ran.ids().is_empty());
    let titles: Vec<String> = (0..8).map(|at| format!("title {at}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut over = vec!["search", "--yes"];
    over.extend(flags("--title", &titles));
    over.extend(flags("--state", &states[..8]));
    let refused = app.run(&over).failed(2);
    assert!(refused.err.contains("64 searches; at most 60"), "{}", refused.err);
}

#[test]
fn a_comma_is_part_of_a_value_and_a_match_takes_one_of_each() {
    let app = TestApp::new();
    app.run(&["search", "--title", "director, nursing"]).ended(0);
    let log = app.sandbox.service().log();
    let asked: Vec<&str> = log.iter().map(|one| one.query.as_str()).filter(|query| query.contains("title")).collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(asked[0].contains("director") && asked[0].contains("nursing"), "{asked:?}");
    let refused = app.fed(&["match", "-", "--state", "TX", "--state", "FL"], "domain\nx.example\n").failed(2);
    assert!(refused.err.contains("one value of each filter"), "{}", refused.err);
}

#[test]
fn a_saved_search_with_legs_stays_here_and_an_added_state_makes_no_old_row_new() {
    let app = TestApp::new();
    let of = |states: &[&str]| {
        let mut line = vec!["search", "--all", "--title", "nurse"];
        line.extend(flags("--state", states));
        app.run(&line).ended(0).ids()
    };
    let (two, three) = (of(&["TX", "FL"]), of(&["CA", "TX", "FL"]));
    app.run(&["saved", "add", "nurses", "--title", "nurse", "--state", "TX", "--state", "FL"]).ended(0);
    let shown = app.run(&["saved", "show", "nurses"]).ended(0).lines();
    assert_eq!(shown[0]["filters"], json!({"title": "nurse", "state": ["TX", "FL"]}));
    assert_eq!(shown[0]["where"], "local");
    let written = |one: &lode_sandbox::service::Received| one.method == "POST" && one.path.contains("saved");
    assert!(!app.sandbox.service().log().iter().any(written), "the service never heard of it");
    assert_eq!(app.run(&["saved", "run", "nurses"]).ended(0).ids(), two);
    assert_eq!(app.run(&["saved", "run", "nurses", "--new"]).ended(0).out, "");
    // The file is the user's: a state is written in front of the others.
    let file = std::fs::read_dir(app.path("config/saved"))
        .unwrap()
        .flat_map(|profile| std::fs::read_dir(profile.unwrap().path()).unwrap())
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(r#"state = ["TX", "FL"]"#), "{text}");
    std::fs::write(&file, text.replace(r#"["TX""#, r#"["CA", "TX""#)).unwrap();
    let new = app.run(&["saved", "run", "nurses", "--new"]).ended(0);
    let old: BTreeSet<u64> = two.iter().copied().collect();
    let expected: Vec<u64> = three.iter().copied().filter(|id| !old.contains(id)).collect();
    assert!(!expected.is_empty());
    assert_eq!(new.ids(), expected, "only the rows of the added state");
    assert!(new.err.contains("not in the last run: CA"), "{}", new.err);
    assert_eq!(app.run(&["saved", "run", "nurses", "--new"]).ended(0).out, "");
    // One value again: a leg keeps what it had.
    std::fs::write(&file, text.replace(r#"["TX", "FL"]"#, r#""FL""#)).unwrap();
    assert_eq!(app.run(&["saved", "run", "nurses", "--new"]).ended(0).out, "");
}

#[test]
fn pages_of_all_legs_are_one_file() {
    let app = TestApp::new();
    let mut line = vec!["--title", "nurse", "--title", "director"];
    line.extend(flags("--state", &STATES));
    let mut search = vec!["search", "--source", "data", "--all"];
    search.extend(&line);
    let expected = app.run(&search).ended(0).ids();
    let mut export = vec!["export", "--paged", "-o", "all.csv"];
    export.extend(&line);
    app.run(&export).ended(0);
    let text = std::fs::read_to_string(app.path("all.csv")).unwrap();
    assert_eq!(text.lines().count() - 1, expected.len());
}

#[test]
fn the_exports_of_all_legs_are_one_file_with_each_id_once() {
    let app = TestApp::new();
    let mut line = vec!["--title", "nurse", "--title", "director"];
    line.extend(flags("--state", &STATES));
    let mut search = vec!["search", "--source", "data", "--all"];
    search.extend(&line);
    let mut expected = app.run(&search).ended(0).ids();
    expected.sort_unstable();
    for (form, file) in [("raw", "raw.csv"), ("contacts", "contacts.csv"), ("xlsx", "book.xlsx"), ("jsonl", "x.jsonl")]
    {
        let before = app.sandbox.service().log().len();
        let mut export = vec!["export", "--format", form, "-o", file];
        export.extend(&line);
        let ran = app.run(&export).ended(0);
        assert_eq!(ran.lines()[0]["rows"], expected.len(), "{form}: {ran:?}");
        assert!(ran.err.contains("6 searches, one request each"), "{}", ran.err);
        let sent = app.sandbox.service().log().len() - before;
        assert_eq!(sent, 6, "{form}: one request for each");
    }
    let text = std::fs::read_to_string(app.path("raw.csv")).unwrap();
    let at = text.lines().next().unwrap().split(',').position(|name| name == "id").unwrap();
    let mut ids: Vec<u64> =
        text.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, expected);
    let hidden = |name: &str| name.starts_with('.') && name.contains("leg");
    let left = std::fs::read_dir(app.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| hidden(name)).count(), 0, "the parts are gone");
    // A name that is taken is refused before anything is sent.
    let before = app.sandbox.service().log().len();
    let mut export = vec!["export", "-o", "raw.csv"];
    export.extend(&line);
    app.run(&export).failed(1);
    assert_eq!(app.sandbox.service().log().len(), before);
}

/// A limit of rows does not hide the rest: the total is that of every search, or none.
#[test]
fn a_total_is_of_all_searches_and_a_cut_choice_says_what_it_did_not_read() {
    let app = TestApp::new();
    let total = |words: &[&str]| {
        let line = [&["search", "--limit", "0", "--summary"], words].concat();
        app.run(&line).ended(0).lines().pop().unwrap()["summary"]["total"].as_u64().unwrap()
    };
    let both = flags("--title", &TITLES);
    let all = total(&both);
    assert_eq!(all, total(&["--title", "nurse"]) + total(&["--title", "director"]));
    let run = |words: &[&str]| {
        let ran = app.run(&[&["search", "--summary"], words, &both].concat()).ended(0);
        (ran.lines().pop().unwrap()["summary"].clone(), ran.err)
    };
    let (told, _) = run(&["--limit", "5"]);
    assert_eq!((&told["total"], &told["complete"]), (&Value::Null, &json!(false)), "only one was asked: {told}");
    let (told, said) = run(&["--best", "--among", "5"]);
    assert_eq!((&told["total"], &told["read"]), (&json!(all), &json!(5)), "{told}");
    let cut = format!("only the first 5 of {} rows were read, 1 of 2 searches read", lode_core::credits::grouped(all));
    assert!(said.contains(&cut), "{said}");
    let (told, said) = run(&["--limit", "9", "--among", "5", "--not-title", "nurse"]);
    assert!(said.contains("1 of 2 searches read; `--among N` reads more"), "{told} {said}");

    app.run(&[&["saved", "add", "both"], &both[..]].concat()).ended(0);
    let ran = app.run(&["saved", "run", "both", "--limit", "5", "--summary"]).ended(0);
    let told = ran.lines().pop().unwrap()["summary"].clone();
    assert_eq!((&told["total"], &told["read"]), (&json!(all), &json!(5)), "{told}");
    let listed = app.run(&["saved", "show", "both"]).ended(0).lines().pop().unwrap();
    assert_eq!(listed["total"], all, "{listed}");
}
