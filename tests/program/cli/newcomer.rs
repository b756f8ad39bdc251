//! What a person stumbles over who tries the shell commands for the first time.

use serde_json::{Value, json};

use crate::cli::terminal::{at_a_terminal, without_sgr};
use common::test_app::{TestApp, words};

#[test]
fn a_dry_run_under_a_cap_says_how_many_stay_locked() {
    let app = TestApp::new();
    let ids = app.run(&["search", "--limit", "9"]).ended(0).ids();
    let given = words(&ids);
    let mut arguments = vec!["unlock", "--corpus", "us", "--max-credits", "4", "--dry-run"];
    arguments.extend(given.iter().map(String::as_str));
    let quote = app.run(&arguments).ended(0).lines()[0]["quote"].clone();
    assert_eq!((&quote["most"], &quote["locked"], &quote["to_unlock"]), (&4.into(), &5.into(), &9.into()));
    let text = at_a_terminal(&app, 80, &arguments);
    assert!(text.contains("to unlock          4 of 9") && text.contains("stay locked        5"), "{text}");
}

#[test]
fn a_bare_id_in_the_basket_says_why_it_has_no_name() {
    let app = TestApp::new();
    let found = app.run(&["search", "--limit", "2"]).ended(0);
    let bare = found.ids()[0].to_string();
    let added = app.run(&["basket", "add", "--corpus", "us", &bare]).ended(0);
    assert!(added.err.contains("1 id has no name: the service cannot look a contact up by id"), "{}", added.err);
    // Its row brings the name.
    let added = app.fed(&["basket", "add"], &found.out).ended(0);
    assert!(!added.err.contains("no name"), "{}", added.err);
}

#[test]
fn the_sandbox_takes_every_fault_as_its_help_writes_it() {
    let app = TestApp::new();
    let mut child = app
        .command(&["sandbox", "--us-rows", "1000", "--linkedin-rows", "1000", "--fault", "latency@search=1:2500"])
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains("workspace_url"), "{line}");
}

/// A name is worth more than a phone.
#[test]
fn a_table_of_80_columns_shows_names_whole() {
    let app = TestApp::new();
    let found = app.run(&["search", "--limit", "40"]).ended(0);
    let text = without_sgr(&at_a_terminal(&app, 80, &["search", "--limit", "40"]));
    let names: Vec<String> = found
        .lines()
        .iter()
        .map(|row| format!("{} {}", row["first_name"].as_str().unwrap_or(""), row["last_name"].as_str().unwrap_or("")))
        .filter(|name| name.len() <= 17)
        .collect();
    let whole = names.iter().filter(|name| text.contains(name.trim())).count();
    assert!(names.len() > 20 && whole == names.len(), "{whole} of {}:\n{text}", names.len());
    assert!(text.lines().all(|line| line.trim_end().chars().count() <= 80), "{text}");
}

/// It was not interrupted: its lines had nowhere to go.
#[test]
#[cfg(target_os = "linux")]
fn an_output_that_cannot_be_written_ends_with_1() {
    let app = TestApp::new();
    for line in [
        "lode search --limit 3 > /dev/full",
        "lode unlock --corpus us --max-credits 1 2 > /dev/full",
        "lode unlock --corpus us --max-credits 1 --dry-run 3 > /dev/full",
        "lode owned > /dev/full",
        "lode me > /dev/full",
    ] {
        let output = app.shell(line).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {said}");
        assert!(said.contains("the disk is full: the output cannot be written"), "{line}: {said}");
    }
}

/// Charged all the same: the failure of the output says what was spent.
#[test]
#[cfg(target_os = "linux")]
fn an_unlock_whose_output_cannot_be_written_says_what_it_spent() {
    let app = TestApp::new();
    let output = app.shell("lode unlock --corpus us --max-credits 2 2 3 > /dev/full").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let errors = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let spent: Vec<Value> = errors.filter_map(|line| line.pointer("/error/spent").cloned()).collect();
    assert_eq!(spent, [json!({"charged": 2, "unknown": 0})], "{said}");
}

/// No row is wanted, only how many there are.
#[test]
fn a_search_for_no_rows_says_how_many_there_are() {
    let app = TestApp::new();
    let ran = app.run(&["search", "--limit", "0"]).ended(0);
    assert_eq!(ran.out, "");
    let text = at_a_terminal(&app, 80, &["search", "--limit", "0", "--title", "nurse"]);
    let total = app.run(&["search", "--limit", "100000", "--title", "nurse"]).ended(0).lines().len();
    assert!(text.contains(&lode_core::credits::grouped(total as u64)), "{total}: {text}");
    let asked: Vec<String> = app.sandbox.service().log().into_iter().map(|request| request.path).collect();
    assert!(!asked.is_empty());
}
