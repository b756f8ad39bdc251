//! `--summary`: what a command says in a sentence is the last line of its output, as data. Commands that read such lines skip it.

use serde_json::{Value, json};

use crate::cli::crooked::{Asked, Crooked, State, done};
use crate::cli::schemas::fits;
use common::test_app::{Ran, TestApp};

/// The last line of the output, the summary; the others have none.
#[track_caller]
fn summary(ran: &Ran, schema: &str) -> Value {
    fits(ran, &["row", "match", schema]);
    let lines = ran.lines();
    let (last, rest) = lines.split_last().unwrap_or_else(|| panic!("{ran:?}"));
    assert_eq!(crate::cli::schemas::wrong(schema, last), None, "{last}");
    assert!(rest.iter().all(|line| line.get("summary").is_none()), "{ran:?}");
    last["summary"].clone()
}

/// A service that moves: one more row matches from the second page on.
fn moving(asked: &Asked, state: &mut State) -> Option<Vec<u8>> {
    if asked.is("/search") && asked.number("offset").is_some_and(|offset| offset > 0) {
        state.rows = 231;
    }
    None
}

fn requests(service: &Crooked) -> u64 {
    service.state().log.len() as u64
}

#[test]
fn a_search_ends_with_its_summary() {
    let service = Crooked::start(moving);
    service.state().rows = 230;
    let ran = service.run(&["search", "--title", "nurse", "--limit", "150", "--summary"]).ended(0);
    assert_eq!(ran.ids().len(), 150);
    let told = summary(&ran, "search_summary");
    assert_eq!((&told["total"], &told["shown"], &told["read"]), (&json!(231), &json!(150), &json!(150)), "{told}");
    assert_eq!((&told["requests"], &told["complete"]), (&json!(requests(&service)), &json!(false)), "{told}");

    let before = requests(&service);
    let all = service.run(&["search", "--title", "nurse", "--all", "--summary"]).ended(0);
    let told = summary(&all, "search_summary");
    assert_eq!((&told["total"], &told["shown"], &told["complete"]), (&json!(231), &json!(231), &json!(true)), "{told}");
    assert_eq!(told["requests"], requests(&service) - before);

    let best = ["search", "--title", "nurse", "--among", "200", "--per-company", "3", "--not-title", "x", "--summary"];
    let told = summary(&service.run(&best).ended(0), "search_summary");
    assert_eq!((&told["total"], &told["read"], &told["shown"]), (&json!(231), &json!(200), &json!(3)), "{told}");
    assert_eq!((&told["beyond_company"], &told["excluded"]), (&json!(197), &json!(0)), "{told}");
    let none = summary(&service.run(&["search", "--limit", "0", "--summary"]).ended(0), "search_summary");
    assert_eq!((&none["total"], &none["shown"], &none["read"]), (&json!(231), &json!(0), &json!(0)), "{none}");
    // Without the flag there are rows and nothing else.
    let plain = service.run(&["search", "--title", "nurse", "--limit", "3"]).ended(0);
    fits(&plain, &["row"]);
    assert_eq!(plain.lines().len(), 3);
}

#[test]
fn a_search_that_fails_in_the_middle_still_counts_what_it_printed() {
    let service = Crooked::start(|asked, _| {
        let late = asked.number("offset").is_some_and(|offset| offset > 0);
        (asked.is("/search") && late).then(|| crate::cli::crooked::refused(400, "no"))
    });
    service.state().rows = 230;
    let ran = service.run(&["search", "--title", "nurse", "--limit", "150", "--summary"]).failed(1);
    let told = summary(&ran, "search_summary");
    assert_eq!((&told["shown"], &told["complete"]), (&json!(100), &json!(false)), "{told}");
}

#[test]
fn a_csv_keeps_the_summary_out_of_its_rows() {
    let service = Crooked::start(|_, _| None);
    let ran = service.run(&["search", "--title", "nurse", "--limit", "5", "--csv", "--summary"]).ended(0);
    assert_eq!(ran.out.lines().count(), 6, "{ran:?}");
    let last: Value = serde_json::from_str(ran.said.lines().last().unwrap()).unwrap();
    assert_eq!(last["summary"]["shown"], 5, "{last}");
}

#[test]
fn commands_that_read_rows_skip_the_summary() {
    let service = Crooked::start(|_, _| None);
    let rows = service.run(&["search", "--title", "nurse", "--limit", "3", "--summary"]).ended(0).out;
    let fed = |arguments: &[&str]| {
        let mut command = service.command(arguments);
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        drop(std::io::Write::write_all(&mut child.stdin.take().unwrap(), rows.as_bytes()));
        Ran::of(child).ended(0)
    };
    fed(&["basket", "add"]);
    assert_eq!(service.run(&["basket", "list"]).ended(0).ids(), [1, 2, 3]);
    assert_eq!(fed(&["suppress", "check", "-"]).ids(), [1, 2, 3]);
    fed(&["basket", "rm"]);
    assert_eq!(fed(&["unlock", "--max-credits", "3"]).summary()["charged"], 3);
}

#[test]
fn a_saved_run_says_what_is_new_as_data() {
    let service = Crooked::start(|_, _| None);
    service.state().rows = 130;
    service.run(&["saved", "add", "nurses", "--title", "nurse"]).ended(0);
    let first = summary(&service.run(&["saved", "run", "nurses", "--summary"]).ended(0), "saved_summary");
    assert_eq!(
        (&first["total"], &first["new"], &first["last_total"]),
        (&json!(130), &json!(130), &Value::Null),
        "{first}"
    );
    service.state().rows = 133;
    let ran = service.run(&["saved", "run", "nurses", "--new", "--summary"]).ended(0);
    assert_eq!(ran.ids(), [131, 132, 133]);
    let told = summary(&ran, "saved_summary");
    let wanted =
        json!({"name": "nurses", "total": 133, "read": 133, "shown": 3, "new": 3, "last_total": 130, "last_read": 130});
    for (name, value) in wanted.as_object().unwrap() {
        assert_eq!(told[name], *value, "{name}: {told}");
    }
    let before = requests(&service);
    let cut =
        summary(&service.run(&["saved", "run", "nurses", "--limit", "20", "--summary"]).ended(0), "saved_summary");
    assert_eq!((&cut["read"], &cut["complete"], &cut["new"]), (&json!(20), &json!(false), &json!(0)), "{cut}");
    assert_eq!(cut["requests"], requests(&service) - before);
    let none =
        summary(&service.run(&["saved", "run", "nurses", "--limit", "0", "--summary"]).ended(0), "saved_summary");
    assert_eq!((&none["total"], &none["read"]), (&Value::Null, &json!(0)), "nothing was asked: {none}");
}

#[test]
fn a_match_ends_with_its_summary_and_says_what_it_would_take() {
    let service = Crooked::start(|asked, state| {
        let rows: Vec<Value> =
            (1..=2).map(|id| json!({"id": id, "company_name": "Quail Run Hospital", "unlocked": false})).collect();
        asked.is("/search").then(|| {
            state.rows = 2;
            done(&json!({"corpus": "us", "total": 2, "limit": 100, "offset": 0, "took_ms": 1, "rows": rows}))
        })
    });
    std::fs::write(service.path("accounts.csv"), "company\nQuail Run Hospital\nNobody Ltd\n").unwrap();
    let arguments = ["match", "accounts.csv", "--source", "workspace", "--title", "nurse", "--summary"];
    let planned = service.run(&[&arguments[..], &["--dry-run"]].concat()).ended(0);
    let told = summary(&planned, "match_plan");
    assert_eq!((&told["accounts"], &told["by"]), (&json!(2), &json!(["company"])), "{told}");
    assert!(told["requests_most"].is_number() && told["seconds"].is_number(), "{told}");
    let ran = service.run(&[&arguments[..], &["--basket"]].concat()).ended(0);
    let told = summary(&ran, "match_summary");
    assert_eq!((&told["accounts"], &told["contacts"], &told["staged"]), (&json!(2), &json!(2), &json!(2)), "{told}");
}

#[test]
fn a_change_of_a_list_is_told_as_data() {
    let app = TestApp::new();
    let list = "email,domain\nDana@x.example,\n,y.example\n,\n-,\n";
    let told = summary(&app.fed(&["suppress", "add", "crm", "--summary"], list).ended(0), "suppress_summary");
    let wanted = json!({"list": "crm", "added": 2, "removed": 0, "emails": 1, "domains": 1});
    for (name, value) in wanted.as_object().unwrap() {
        assert_eq!(told[name], *value, "{name}: {told}");
    }
    assert!(told["skipped"].as_u64().unwrap() >= 1, "{told}");
    let more = "email\ndana@x.example\nerin@x.example\n";
    let told = summary(&app.fed(&["suppress", "add", "crm", "--summary"], more).ended(0), "suppress_summary");
    assert_eq!((&told["added"], &told["unchanged"]), (&json!(1), &json!(1)), "{told}");
    let told = summary(
        &app.fed(&["suppress", "rm", "crm", "-", "--summary"], "email\nerin@x.example\nz@z.example\n").ended(0),
        "suppress_summary",
    );
    assert_eq!((&told["removed"], &told["unchanged"], &told["emails"]), (&json!(1), &json!(1), &json!(1)), "{told}");
    let told = summary(&app.run(&["suppress", "rm", "crm", "--summary"]).ended(0), "suppress_summary");
    assert_eq!((&told["removed"], &told["emails"], &told["domains"]), (&json!(2), &json!(1), &json!(1)), "{told}");
}

#[test]
fn a_backup_and_its_return_are_told_as_data() {
    let app = TestApp::new();
    app.fed(&["basket", "add"], "1\n2\n").ended(0);
    let made = app.run(&["ledger", "backup", "copy.backup", "--json"]).ended(0);
    let told = summary(&made, "ledger_summary");
    let bytes = std::fs::metadata(app.path("copy.backup")).unwrap().len();
    assert_eq!(
        (&told["act"], &told["file"], &told["bytes"]),
        (&json!("backup"), &json!("copy.backup"), &json!(bytes)),
        "{told}"
    );
    let back = app.run(&["ledger", "restore", "copy.backup", "--summary"]).ended(0);
    let told = summary(&back, "ledger_summary");
    assert_eq!((&told["act"], &told["file"]), (&json!("restore"), &json!("copy.backup")), "{told}");
    assert!(std::path::Path::new(told["replaced"].as_str().unwrap()).exists(), "{told}");
    let aside = app.run(&["ledger", "backup", "other.backup", "--csv"]).ended(0);
    assert_eq!(aside.out, "", "a summary is not a row: {aside:?}");
    assert!(aside.said.contains("\"summary\""), "{aside:?}");
}
