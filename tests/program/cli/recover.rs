//! What is unknown, from the shell: ceilings hold while it is cleared up, and books that cannot be read are not called clear.

use lode_sandbox::corpus::CheckOutcome;

use common::test_app::{TestApp, words};

/// An unlock of these with an unknown outcome; nothing of it was applied.
fn unknown(app: &TestApp, ids: &[u64]) {
    app.fault("html@unlock=next");
    let most = ids.len().to_string();
    let ids = words(ids);
    let mut arguments = vec!["unlock", "--corpus", "us", "--max-credits", &most];
    arguments.extend(ids.iter().map(String::as_str));
    app.run(&arguments).failed(9);
}

#[test]
fn a_finish_that_stays_unknown_is_the_last_one() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 6);
    unknown(&app, &ids[..3]);
    unknown(&app, &ids[3..]);
    let before = app.balance();
    // Every call is applied, and no answer ever comes back.
    app.fault("unlock-lost=1");
    let ran = app.run(&["recover", "--finish", "--max-credits", "3"]).ended(9);
    assert_eq!(before - app.balance(), 3, "the ceiling holds whatever was answered: {ran:?}");
    assert_eq!(app.owned(), ids[..3], "{ran:?}");
    app.calms_down();
    app.run(&["recover", "--finish", "--max-credits", "3"]).ended(0);
    assert_eq!(app.owned(), ids);
    app.agrees(before, "after the second finish");
}

#[test]
fn books_that_cannot_be_read_are_not_called_clear() {
    let app = TestApp::new();
    unknown(&app, &app.people(CheckOutcome::Valid, 2));
    std::fs::rename(app.path("state"), app.path("aside")).unwrap();
    std::fs::write(app.path("state"), "not a folder").unwrap();
    let ran = app.run(&["recover"]).failed(1);
    assert!(!ran.err.contains("no unknown results") && ran.out.is_empty(), "{ran:?}");
}

#[test]
fn without_the_service_the_books_still_say_what_is_unknown() {
    let app = TestApp::new();
    unknown(&app, &app.people(CheckOutcome::Valid, 2));
    app.sandbox.service().revoke("default");
    let ran = app.run(&["recover"]).failed(9);
    assert!(ran.err.contains("refused the key") && ran.err.contains("2 contacts is still unknown"), "{ran:?}");
    assert_eq!(ran.summary()["unknown"], 2);
    let calm = TestApp::new();
    calm.run(&["recover"]).ended(0);
    calm.sandbox.service().revoke("default");
    calm.run(&["recover"]).failed(4);
}

#[test]
fn what_another_workspace_left_open_is_said_under_the_new_key() {
    let mut app = TestApp::new();
    unknown(&app, &app.people(CheckOutcome::Valid, 2));
    let other = app.sandbox.service().found_org("Other Inc", 50, app.sandbox.now_ms());
    let old = std::mem::take(&mut app.workspace_key);
    app.workspace_key = app.sandbox.service().make_key(&other, "stranger", &["search", "unlock"]);
    let ran = app.run(&["recover"]).failed(9);
    assert!(ran.err.contains("2 contacts of this profile have an unknown result in another workspace"), "{ran:?}");
    app.workspace_key = old;
    let ran = app.run(&["recover", "--finish", "--max-credits", "2"]).ended(0);
    assert!(!ran.err.contains("another workspace"), "{ran:?}");
}
