//! Every exit code with `--json`: what stands on both streams fits the schemas, and the failure is one line of data.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};

use lode::ops::problem::Exit;
use lode_sandbox::corpus::CheckOutcome;
use serde_json::Value;

use crate::cli::schemas::{fits, wrong};
use common::CLOSED;
use common::test_app::{Ran, TestApp, words};

#[test]
fn every_exit_is_told_as_data() {
    let mut seen = BTreeSet::new();
    let mut app = TestApp::new();
    let ids = words(&app.people(CheckOutcome::Valid, 8));
    let unlock = |most: &'static str, ids: &[String]| {
        let mut arguments = vec!["--json".to_owned(), "unlock".into(), "--corpus".into(), "us".into()];
        arguments.extend(["--max-credits".to_owned(), most.to_owned()]);
        arguments.extend(ids.iter().cloned());
        arguments
    };
    let mut see = |ran: Ran, schemas: &[&str], code: Option<&str>| -> Value {
        fits(&ran, schemas);
        seen.insert(u8::try_from(ran.code).unwrap());
        if ran.code == 0 {
            return Value::Null;
        }
        let errors = ran.said.lines().filter(|line| line.starts_with("{\"error\"")).count();
        assert_eq!(errors, 1, "{ran:?}");
        let error = ran.error();
        assert_eq!(error["code"].as_str(), code, "{ran:?}");
        error
    };
    let run = |app: &TestApp, arguments: &[String]| app.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let bought = ["unlock", "summary"];

    see(app.run(&["me", "--json"]).ended(0), &["me"], None);
    for unknown in [
        ["saved", "show", "x"].as_slice(),
        &["saved", "rm", "x"],
        &["saved", "rename", "x", "y"],
        &["suppress", "show", "x"],
    ] {
        let ran = app.run(&[unknown, &["--json"]].concat()).ended(1);
        see(ran, &[], Some("not_found"));
    }
    let usage = see(app.run(&["search", "--json", "--titel", "x"]).ended(2), &[], Some("usage"));
    assert!(usage["message"].as_str().unwrap().contains("--titel"), "{usage}");
    assert!(usage["hint"].as_str().unwrap().contains("--title"), "{usage}");
    let capped = see(run(&app, &unlock("1", &ids[..2])).ended(3), &bought, Some("capped"));
    assert_eq!((&capped["spent"]["charged"], &capped["safe_to_retry"]), (&1.into(), &false.into()));

    let key = std::mem::replace(&mut app.workspace_key, "wrong".to_owned());
    see(app.run(&["me", "--json"]).ended(4), &[], Some("key_refused"));
    let child = app.command(&["me", "--json"]).env_remove("LODE_WORKSPACE_KEY").spawn().unwrap();
    see(Ran::of(child).ended(4), &[], Some("no_key"));
    app.workspace_key = app.sandbox.service().make_key(&app.org(), "reader", &["search"]);
    see(run(&app, &unlock("1", &ids[2..3])).ended(5), &bought, Some("scope"));
    app.workspace_key = key;

    let balance = app.balance();
    app.set_credits(1);
    let spent = see(run(&app, &unlock("2", &ids[2..4])).ended(6), &bought, Some("no_credits"));
    assert_eq!(spent["spent"]["charged"], 1);
    app.set_credits(balance);

    // The wait is kept: each of these has an app of its own.
    let waits = TestApp::new();
    waits.fault("429@search=1:120");
    let rate = see(waits.run(&["search", "--limit", "1", "--json"]).ended(7), &["row"], Some("rate_limit"));
    assert_eq!((&rate["retry_after_s"], &rate["safe_to_retry"]), (&120.into(), &true.into()));

    let nowhere = format!("http://{CLOSED}/api/v1");
    let child = app.command(&["me", "--json"]).env("LODE_WORKSPACE_URL", nowhere).spawn().unwrap();
    see(Ran::of(child).ended(8), &[], Some("unavailable"));

    app.fault("unlock-lost=next");
    app.fault("html@search=next5");
    let unknown = see(run(&app, &unlock("2", &ids[5..7])).ended(9), &bought, Some("unknown_result"));
    assert_eq!((&unknown["spent"]["unknown"], &unknown["safe_to_retry"]), (&2.into(), &false.into()));
    app.calms_down();

    seen.insert(interrupted(&TestApp::new()));
    assert_eq!(seen, Exit::ALL.iter().map(|exit| exit.code()).collect());
}

/// A search that waits is stopped by Ctrl-C.
fn interrupted(app: &TestApp) -> u8 {
    app.fault("429@search=1:20");
    let mut child = app.command(&["search", "--limit", "1", "--json"]).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("waiting"), "{line}");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    let code = child.wait().unwrap().code().unwrap();
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    let error: Value = serde_json::from_str(rest.lines().last().unwrap()).unwrap();
    assert_eq!(wrong("error", &error), None);
    assert_eq!(error["error"]["code"], "interrupted");
    u8::try_from(code).unwrap()
}
