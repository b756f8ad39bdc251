//! The habits of the sandbox's variant d, met by commands: totals that cannot be, and contacts that are withdrawn.

use lode_sandbox::service::ServiceSetup;
use lode_sandbox::variants::Variant;

use common::test_app::TestApp;

fn app() -> TestApp {
    TestApp::with(ServiceSetup { us_rows: 3_000, variant: Variant::D, ..TestApp::setup() })
}

#[test]
fn a_result_without_a_total_is_read_to_its_end() {
    let search = ["search", "--title", "manager", "--state", "TX", "--limit", "500", "--json"];
    let all = TestApp::new().run(&search).ended(0).sorted_ids();
    assert!(all.len() > 20, "more than a page: {all:?}");
    let ran = app().run(&search).ended(0);
    assert!(ran.err.contains("impossible total"), "{ran:?}");
    assert_eq!(ran.sorted_ids(), all);
}

/// The answer was lost, and the contact is withdrawn: no search shows it any more, and the books say so in the end.
#[test]
fn a_contact_that_is_withdrawn_is_settled_with_evidence() {
    let app = app();
    let before = app.balance();
    let rows = app.run(&["search", "--title", "manager", "--limit", "200", "--json"]).ended(0);
    let gone = |line: &&str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["id"].as_u64().unwrap().is_multiple_of(17)
    };
    let line = format!("{}\n", rows.out.lines().find(gone).expect("one that is withdrawn"));
    app.fault("unlock-lost=1");
    app.fed(&["unlock", "--corpus", "us", "--max-credits", "1"], &line).failed(9);
    assert_eq!(before - app.balance(), 1, "bought once, and only once");
    app.calms_down();
    // Two minutes pass, by the wall clock of a machine that was started again meanwhile.
    let books = rusqlite::Connection::open(app.path("state/lode.sqlite3")).unwrap();
    books.execute("UPDATE attempt_end SET boot = 'before', at = at - 120000", []).unwrap();
    drop(books);
    let ran = app.run(&["recover"]).ended(0);
    assert!(ran.err.contains("UNREACHABLE"), "{ran:?}");
    assert_eq!(ran.summary()["unreachable"], 1, "{ran:?}");
    assert_eq!(before - app.balance(), 1);
}
