//! Every exit code of the product, each reached for its own reason.

use lode_sandbox::corpus::{CheckOutcome, CorpusKind};
use lode_sandbox::variants::Variant;

use common::CLOSED;
use common::test_app::{TestApp, words};

#[test]
fn wrong_usage_is_2() {
    let app = TestApp::new();
    app.run(&["unlock", "1"]).ended(2);
    app.run(&["search", "--no-such-flag"]).ended(2);
    app.run(&["search", "--corpus", "mars"]).ended(2);
    app.run(&["search", "--query", "x"]).failed(2);
    app.run(&["search", "--source", "data"]).failed(2);
    app.run(&["search", "--source", "data", "--query", "x", "--exclude-unlocked"]).failed(2);
    app.run(&["unlock", "--corpus", "us", "--max-credits", "1", "someone"]).failed(2);
    app.run(&["unlock", "--corpus", "us", "--max-credits", "-1", "1"]).ended(2);
    app.run(&["receipts", "--month", "2026-13"]).ended(2);
    app.run(&["receipts", "--csv", "--json"]).ended(2);
    app.run(&["recover", "--finish"]).ended(2);
    app.run(&["export", "--from", "owned", "--title", "x"]).failed(2);
    app.run(&["nonsense"]).ended(2);
    assert!(app.sandbox.service().log().is_empty(), "nothing of this is the service's business");
}

#[test]
fn a_ceiling_or_a_cap_is_3() {
    let app = TestApp::new();
    let ran = app.run(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2", "3", "4"]).failed(3);
    assert_eq!(ran.summary()["locked"], 2);
    assert_eq!(app.owned(), [1, 2]);
    app.run(&["unlock", "--corpus", "us", "--max-credits", "0", "3"]).failed(3);
    std::fs::create_dir_all(app.path("config")).unwrap();
    let caps = format!(
        "[profiles.capped.workspace]\nurl = \"{}\"\n[profiles.capped.caps]\nday = 4\n",
        app.sandbox.workspace_url
    );
    std::fs::write(app.path("config/config.toml"), caps).unwrap();
    let ran = app.run(&["unlock", "--corpus", "us", "--max-credits", "9", "3", "4", "5", "6"]).failed(3);
    assert!(ran.err.contains("a limit of this profile allows only 2 credits"), "{}", ran.err);
    assert_eq!(app.owned(), [1, 2, 3, 4]);
}

#[test]
fn a_key_that_is_missing_or_refused_is_4() {
    let mut app = TestApp::new();
    for (variable, command) in [
        ("LODE_WORKSPACE_KEY", &["me"][..]),
        ("LODE_WORKSPACE_KEY", &["search"]),
        ("LODE_WORKSPACE_KEY", &["unlock", "--corpus", "us", "--max-credits", "1", "1"]),
        ("LODE_WORKSPACE_KEY", &["owned"]),
        ("LODE_DATA_KEY", &["counts"]),
        ("LODE_DATA_KEY", &["export", "--query", "x"]),
        ("LODE_DATA_KEY", &["search", "--source", "data", "--query", "x"]),
    ] {
        let child = app.command(command).env_remove(variable).spawn().unwrap();
        common::test_app::Ran::of(child).failed(4);
    }
    let (workspace, data) = (std::mem::take(&mut app.workspace_key), std::mem::take(&mut app.data_key));
    (app.workspace_key, app.data_key) = (format!("{workspace}x"), format!("{data}x"));
    app.run(&["me"]).failed(4);
    app.run(&["search", "--limit", "1"]).failed(4);
    app.run(&["counts"]).failed(4);
    app.run(&["export", "--query", "nurse"]).failed(4);
}

#[test]
fn a_key_without_the_scope_is_5() {
    let mut app = TestApp::new();
    let org = app.org();
    app.workspace_key = app.sandbox.service().make_key(&org, "reader", &["search"]);
    app.run(&["search", "--limit", "1"]).ended(0);
    app.run(&["unlock", "--corpus", "us", "--max-credits", "1", "1"]).failed(5);
    app.workspace_key = app.sandbox.service().make_key(&org, "buyer", &["unlock"]);
    app.run(&["search", "--limit", "1"]).failed(5);
    assert!(app.owned().is_empty());
}

#[test]
fn credits_that_run_out_are_6() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 5);
    app.set_credits(3);
    let mut arguments = vec!["unlock", "--corpus", "us", "--max-credits", "5"];
    let ids = words(&ids);
    arguments.extend(ids.iter().map(String::as_str));
    let ran = app.run(&arguments).failed(6);
    let summary = ran.summary();
    assert_eq!((&summary["charged"], &summary["locked"]), (&3.into(), &2.into()));
    assert_eq!((&summary["balance"], &summary["stopped_for_credits"]), (&0.into(), &true.into()));
    assert_eq!(app.owned().len(), 3);
}

/// Three can be paid: one comes back, what was owned and what is not there cost nothing.
#[test]
fn credits_that_run_out_in_the_middle_are_told_alike_in_every_shape() {
    let mut told = String::new();
    for variant in Variant::ALL {
        let app = TestApp::of(variant);
        let (valid, bad) = (app.people(CheckOutcome::Valid, 6), app.people(CheckOutcome::Invalid, 1));
        app.sandbox.service().member_unlocks(&app.org(), CorpusKind::Us, &valid[..1], app.sandbox.now_ms());
        app.set_credits(3);
        let before = app.balance();
        let ids = [valid[0], valid[1], bad[0], 99_999_999, valid[2], valid[3], valid[4], valid[5]];
        let ran = app.fed(&["unlock", "--corpus", "us", "--max-credits", "8"], &words(&ids).join("\n")).failed(6);
        let outcomes: Vec<String> =
            ran.lines().iter().filter_map(|line| line["outcome"].as_str()).map(str::to_owned).collect();
        let summary = ran.summary();
        assert_eq!(summary["stopped_for_credits"], true, "{variant:?}");
        assert_eq!(
            summary["charged"].as_i64().unwrap() - summary["refunded"].as_i64().unwrap(),
            before - app.balance()
        );
        assert_eq!(app.run(&["owned"]).ended(0).sorted_ids(), app.owned(), "{variant:?}");
        let said = ran.err.replace('\n', "\n   ");
        told += &format!("{}: {}\n   {summary}\n   {}\n", variant.name(), outcomes.join(" "), said.trim_end());
        // With nothing left at all some of them refuse the call instead.
        app.set_credits(0);
        let ran = app.run(&["unlock", "--corpus", "us", "--max-credits", "1", &valid[5].to_string()]).failed(6);
        assert_eq!((&ran.summary()["charged"], &ran.summary()["locked"]), (&0.into(), &1.into()), "{variant:?}");
        told += &format!("   {}", ran.err.replace('\n', "\n   ").trim_end());
        told.push('\n');
    }
    let kept = include_str!("credits-out.txt");
    assert!(told == kept, "the shapes are told differently now:\n{told}");
}

#[test]
fn a_wait_longer_than_a_command_waits_is_7() {
    let app = TestApp::new();
    app.fault("429@search=1:120");
    let ran = app.run(&["search", "--limit", "1"]).failed(7);
    assert!(ran.err.contains("asked to wait"), "{}", ran.err);
}

#[test]
fn a_service_that_is_not_there_is_8() {
    let app = TestApp::new();
    let nowhere = format!("http://{CLOSED}/api/v1");
    let child = app.command(&["me"]).env("LODE_WORKSPACE_URL", nowhere).spawn().unwrap();
    common::test_app::Ran::of(child).failed(8);
    let wrong = format!("{}/elsewhere/api/v1", app.sandbox.data_url);
    let child = app.command(&["search"]).env("LODE_WORKSPACE_URL", wrong).spawn().unwrap();
    common::test_app::Ran::of(child).failed(8);
}

#[test]
fn an_unlock_without_any_answer_is_9_and_recover_clears_it_up_for_free() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 3);
    let (first, all) = (ids[0].to_string(), words(&ids));
    app.fault("unlock-lost=next");
    app.fault("html@search=next5");
    let ran = app.run(&["unlock", "--corpus", "us", "--max-credits", "3", &all[0], &all[1], &all[2]]).failed(9);
    assert!(ran.lines()[..3].iter().all(|line| line["outcome"] == "unknown"), "{ran:?}");
    assert_eq!(ran.summary()["unknown"], 3);
    // No run may buy the same ids again before that is resolved.
    let again = app.run(&["unlock", "--corpus", "us", "--max-credits", "1", &first]).failed(9);
    assert_eq!(again.summary()["charged"], 0);
    let spent = app.balance();
    let recovered = app.run(&["recover", "--json"]).ended(0);
    assert_eq!(recovered.ids(), ids);
    assert_eq!(recovered.summary()["balance"], spent);
    assert!(recovered.lines()[..3].iter().all(|line| line["outcome"] == "unlocked" && line["email"].is_string()));
    let owned = app.run(&["owned"]).ended(0);
    assert_eq!(owned.sorted_ids(), app.owned());
    assert!(owned.lines().iter().all(|line| line["phone"].as_str().is_some_and(|phone| !phone.contains('•'))));
    assert_eq!(app.balance(), spent, "looking is free");
}

#[test]
fn the_graver_of_two_is_told() {
    let app = TestApp::new();
    let ids = words(&app.people(CheckOutcome::Valid, 4));
    app.fault("unlock-lost=next");
    app.fault("html@search=next5");
    // A ceiling is reached as well, but the unknown outcome comes first.
    let ran =
        app.run(&["unlock", "--corpus", "us", "--max-credits", "2", &ids[0], &ids[1], &ids[2], &ids[3]]).failed(9);
    assert_eq!((&ran.summary()["unknown"], &ran.summary()["locked"]), (&2.into(), &2.into()));
}
