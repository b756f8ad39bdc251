//! A server that runs for days goes by the settings, the key and the profile of each call, not by those it began with.

use lode_sandbox::corpus::CheckOutcome;
use serde_json::json;

use crate::assistant::client::{Client, charged};
use crate::assistant::money::quoted;
use common::test_app::TestApp;

const ALLOWED: &str = "[assistant]\nper_day = 50\nper_call = 50\n";

fn save(app: &TestApp, settings: &str) {
    std::fs::create_dir_all(app.path("config")).unwrap();
    std::fs::write(app.path("config/config.toml"), format!("{ALLOWED}{settings}")).unwrap();
}

fn save_key(app: &TestApp, key: &str) {
    use std::os::unix::fs::OpenOptionsExt;
    let path = app.path("config/work.key");
    drop(std::fs::remove_file(&path));
    let file = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(path).unwrap();
    std::io::Write::write_all(&mut &file, key.as_bytes()).unwrap();
}

/// A test app whose profile is in its settings, with the key in a file.
fn kept() -> (TestApp, String) {
    let mut app = TestApp::new();
    let (url, key) = (std::mem::take(&mut app.workspace_url), std::mem::take(&mut app.workspace_key));
    let profile = format!("[profiles.work.workspace]\nurl = \"{url}\"\nkey = {{ file = \"work.key\" }}\n");
    save(&app, &profile);
    save_key(&app, &key);
    (app, profile)
}

#[tokio::test]
async fn a_cap_that_was_saved_holds_for_the_next_call() {
    let (app, profile) = kept();
    let ids = app.people(CheckOutcome::Valid, 5);
    let client = Client::of(&app).await;
    let handle = quoted(&client, &ids).await;
    save(&app, &format!("{profile}[profiles.work.caps]\nday = 2\n"));
    let answer = client.call("unlock", json!({"handle": handle})).await;
    assert_eq!(charged(&app), 2, "{answer}");
    client.end().await;
}

#[tokio::test]
async fn a_profile_that_was_removed_spends_nothing() {
    let (app, _) = kept();
    let ids = app.people(CheckOutcome::Valid, 3);
    let client = Client::of(&app).await;
    let handle = quoted(&client, &ids).await;
    save(&app, "");
    let answer = client.call("unlock", json!({"handle": handle})).await;
    assert_eq!((charged(&app), answer.get("error").is_some()), (0, true), "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("profile work"), "{answer}");
    client.end().await;
}

#[tokio::test]
async fn a_key_of_another_workspace_spends_nothing_of_the_old_one() {
    let (app, _) = kept();
    let ids = app.people(CheckOutcome::Valid, 3);
    let client = Client::of(&app).await;
    let handle = quoted(&client, &ids).await;
    let service = app.sandbox.service();
    let other = service.found_org("Other Inc", 50, app.sandbox.now_ms());
    save_key(&app, &service.make_key(&other, "stranger", &["search", "unlock"]));
    assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted");
    assert_eq!(charged(&app), 0);
    // From here on the server works for the new one.
    let status = client.good("status", json!({})).await;
    assert!(status.to_string().contains("Other Inc"), "{status}");
    client.end().await;
}
