//! Unlocks that overlap: the second one waits for what becomes of the contacts, and reports that.

use std::process::Command;

use lode_sandbox::corpus::CheckOutcome;

use common::test_app::{Ran, TestApp, words};

fn unlock(app: &TestApp, ids: &[u64]) -> Command {
    let mut arguments = vec!["unlock".to_owned(), "--corpus".to_owned(), "us".to_owned()];
    arguments.extend(["--max-credits", "8", "--json"].map(str::to_owned));
    arguments.extend(words(ids));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    app.command(&arguments)
}

/// Both lower the balance, and the ledger has both: neither warns that others may have spent.
#[test]
fn two_unlocks_of_one_ledger_do_not_warn_about_each_other() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 6);
    app.fault("latency@unlock=600");
    let both = [&ids[..3], &ids[3..]].map(|ids| unlock(&app, ids).spawn().unwrap());
    for ran in both.map(|one| Ran::of(one).ended(0)) {
        assert_eq!(ran.summary()["charged"], 3, "{ran:?}");
        assert!(!ran.said.contains("the balance fell"), "{ran:?}");
    }
}

#[test]
fn a_second_unlock_of_the_same_contacts_waits_for_the_first() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 8);
    let before = app.balance();
    app.fault("latency@unlock=1200");
    let command = |ids: &[u64]| unlock(&app, ids);
    let first = command(&ids[..6]).spawn().unwrap();
    while app.run(&["receipts", "--json"]).ended(0).lines().is_empty() {}
    let second = Ran::of(command(&ids[2..]).spawn().unwrap()).ended(0);
    let first = Ran::of(first).ended(0);
    assert_eq!(first.summary()["charged"], 6, "{first:?}");
    let summary = second.summary();
    assert_eq!((&summary["charged"], &summary["already"], &summary["unknown"]), (&2.into(), &4.into(), &0.into()));
    for line in second.lines().iter().filter(|line| line["outcome"] == "already") {
        assert!(line["email"].as_str().is_some_and(|email| !email.contains('•')), "{line}");
    }
    assert_eq!(before - app.balance(), 8, "no contact was paid twice");
    app.agrees(before, "overlapping");
}
