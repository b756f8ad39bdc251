//! Every tool in every variant of the service, with faults and canceled calls, and what an answer may hold.

use std::time::Duration;

use lode::ops::assist::tools::TOOLS;
use lode::ops::problem::Code;
use lode_sandbox::corpus::CheckOutcome;
use lode_sandbox::variants::Variant;
use serde_json::{Value, json};

use crate::assistant::client::{Client, Person, another_minute, charged, named};
use common::gate::Gate;
use common::test_app::TestApp;

/// A client sends the list with every conversation.
const LARGEST_LIST: usize = 24_000;

#[tokio::test]
async fn the_list_is_small_and_says_what_spends() {
    let app = TestApp::new();
    let client = Client::of(&app).await;
    let tools = client.service.list_all_tools().await.unwrap();
    let text = serde_json::to_string(&tools).unwrap();
    println!("tools/list has {} bytes", text.len());
    assert!(text.len() <= LARGEST_LIST, "tools/list has {} bytes", text.len());
    assert_eq!(tools.len(), TOOLS.len());
    for tool in &tools {
        let annotations = tool.annotations.as_ref().unwrap();
        assert_eq!(annotations.destructive_hint, Some(tool.name == "unlock"), "{}", tool.name);
        let output = tool.output_schema.as_ref().unwrap_or_else(|| panic!("{} has no output schema", tool.name));
        assert!(output["type"] == "object" && output["properties"]["error"].is_object(), "{output:?}");
        assert!(annotations.read_only_hint.is_some() && annotations.idempotent_hint.is_some());
    }
    client.end().await;
}

#[tokio::test]
async fn calls_share_their_connections() {
    let mut app = TestApp::new();
    let gate = Gate::before(&app.sandbox.workspace_url);
    app.workspace_url = format!("http://127.0.0.1:{}/api/v1", gate.port);
    let client = Client::of(&app).await;
    for offset in 0..6 {
        client.good("search", json!({"limit": 5, "offset": offset})).await;
    }
    // Each call has at most two requests at once.
    assert!(gate.connections() <= 2, "{} connections for six calls", gate.connections());
    client.end().await;
}

#[tokio::test]
async fn every_tool_answers_in_every_variant() {
    for variant in Variant::ALL {
        let app = TestApp::of(variant);
        std::fs::create_dir(app.path("exports")).unwrap();
        let client = Client::with(&app, &["--export-to", "exports"], named("Robot")).await;
        let id = app.people(CheckOutcome::Valid, 1)[0];
        let page = client.good("search", json!({"limit": 5, "filters": {"state": "TX"}})).await;
        let rows = page["rows"].as_array().unwrap();
        assert!(!rows.is_empty() && rows.len() <= 5 && page["total"].as_u64().unwrap() > 5, "{variant:?} {page}");
        assert!(rows.iter().all(|row| row["email"].as_str().is_none_or(|email| email.contains('•'))), "{page}");
        let next = client.good("search", json!({"limit": 5, "offset": page["next"], "filters": {"state": "TX"}})).await;
        assert_ne!(next["rows"], page["rows"], "{variant:?}");
        let seen = rows[0]["id"].clone();
        client.good("search", json!({"source": "data", "limit": 2, "filters": {"query": "nurse"}})).await;
        let counts = client.good("counts", json!({"kind": "state", "limit": 3})).await;
        assert_eq!(counts["rows"].as_array().unwrap().len(), 3);
        let masked = client.good("contact", json!({"id": seen})).await;
        assert!(masked["email_address"].as_str().is_none_or(|email| email.contains('•')), "{masked}");
        assert_eq!(client.bad("contact", json!({"id": 999_999_999})).await, "not_found");
        client.good("basket", json!({"action": "add", "ids": [seen]})).await;
        let basket = client.good("basket", json!({"action": "list"})).await;
        assert_eq!(basket["total"], 1, "{basket}");
        client.good("basket", json!({"action": "remove", "ids": [seen]})).await;
        client.good("suppress", json!({"action": "add", "name": "crm", "entries": ["x.example"]})).await;
        assert_eq!(client.good("suppress", json!({"action": "list"})).await["rows"][0]["name"], "crm");
        client.good("suppress", json!({"action": "check", "ids": [seen]})).await;
        let company = rows[0]["company"].clone();
        let matched = client.good("match", json!({"companies": [company, "No Such Company Anywhere"]})).await;
        assert_eq!(matched["rows"].as_array().unwrap().len(), 2, "{matched}");
        client.good("saved", json!({"action": "add", "name": "tx", "filters": {"state": "TX"}})).await;
        assert_eq!(client.good("saved", json!({"action": "list"})).await["total"], 1);
        client.good("saved", json!({"action": "run", "name": "tx", "limit": 3})).await;
        // The list above knows no address of a bare id: the search shows it first.
        client.good("search", json!({"limit": 50})).await;
        let quote = client.good("quote", json!({"ids": [id], "max_credits": 1})).await;
        let handle = quote["handle"].as_str().unwrap_or_else(|| panic!("{variant:?} {quote}")).to_owned();
        assert_eq!(client.good("status", json!({"handle": handle})).await["proposal"]["state"], "waiting");
        assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted");
        assert_eq!(charged(&app), 0);
        Person::of(&app).accepts(&handle, 1);
        let unlocked = client.good("unlock", json!({"handle": handle})).await;
        assert_eq!(unlocked["summary"]["charged"], 1, "{variant:?} {unlocked}");
        let owned = client.good("owned", json!({"fields": ["id", "email"]})).await;
        assert_eq!(owned["rows"][0]["id"], id);
        assert!(owned["rows"][0]["email"].as_str().unwrap().contains('@'));
        let receipts = client.good("receipts", json!({})).await;
        assert_eq!(receipts["rows"][0]["assistant"], "Robot", "{receipts}");
        client.good("export", json!({"from": "owned", "file": "owned.csv"})).await;
        assert!(app.path("exports/owned.csv").exists());
        for form in ["raw", "xlsx", "jsonl", "hubspot", "salesforce", "instantly", "smartlead"] {
            client.good("export", json!({"from": "owned", "form": form, "file": form})).await;
            assert!(app.path(&format!("exports/{form}")).exists(), "{form}");
        }
        assert_eq!(client.bad("export", json!({"from": "owned", "form": "nonsense", "file": "n.csv"})).await, "file");
        for file in ["../owned.csv", "/tmp/x.csv", ".hidden", "a/b.csv", ""] {
            assert_eq!(client.bad("export", json!({"from": "owned", "file": file})).await, "usage");
        }
        assert!(client.good("status", json!({})).await["credits"].is_number());
        client.end().await;
    }
}

#[tokio::test]
async fn wrong_arguments_are_wrong_usage_and_ask_nothing() {
    let app = TestApp::new();
    let client = Client::of(&app).await;
    for (tool, arguments) in [
        ("search", json!({"limit": 5_000})),
        ("search", json!({"filters": {"nonsense": "x"}})),
        ("search", json!({"color": "red"})),
        ("contact", json!({})),
        ("basket", json!({"action": "add"})),
        ("quote", json!({})),
        ("quote", json!({"ids": [1], "basket": true})),
        ("quote", json!({"ids": ["one"]})),
        ("unlock", json!({})),
        ("export", json!({"from": "owned", "file": "x.csv"})),
        ("nonsense", json!({})),
        ("accept", json!({"handle": "q_1"})),
    ] {
        assert_eq!(client.bad(tool, arguments.clone()).await, "usage", "{tool} {arguments}");
    }
    assert!(app.sandbox.service().log().is_empty());
    client.end().await;
}

/// Text of a row is data: it stays a text inside an object, scrubbed and short.
#[tokio::test]
async fn hostile_rows_reach_a_model_as_short_clean_text() {
    let app = TestApp::new();
    app.fault("hostile=1");
    let client = Client::of(&app).await;
    let page = client.good("search", json!({"limit": 50})).await;
    fn texts(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) => out.push(text.clone()),
            Value::Array(values) => values.iter().for_each(|value| texts(value, out)),
            Value::Object(fields) => fields.values().for_each(|value| texts(value, out)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    texts(&page, &mut all);
    assert!(all.len() > 20, "{page}");
    for text in all {
        assert!(text.chars().count() <= 200, "{text}");
        assert!(text.chars().all(|c| !c.is_control() && !('\u{202a}'..='\u{202e}').contains(&c)), "{text:?}");
    }
    client.end().await;
}

/// One call of each tool.
fn one_of_each(handle: &Value) -> Vec<(&'static str, Value)> {
    vec![
        ("search", json!({"limit": 5, "filters": {"state": "TX"}})),
        ("counts", json!({"kind": "sic", "limit": 2})),
        ("contact", json!({"id": 1})),
        ("basket", json!({"action": "add", "ids": [1, 2]})),
        ("suppress", json!({"action": "check"})),
        ("match", json!({"companies": ["Acme", "Quail"]})),
        ("quote", json!({"ids": [3, 4]})),
        ("unlock", json!({"handle": handle})),
        ("owned", json!({})),
        ("receipts", json!({})),
        ("saved", json!({"action": "list"})),
        ("export", json!({"from": "basket", "file": "basket.csv"})),
        ("status", json!({"handle": handle})),
    ]
}

/// Every failure has a code of the closed list, and says what it cost.
fn is_told(tool: &str, answer: &Value) {
    let Some(error) = answer.get("error") else { return };
    let known = |code: &&Code| serde_json::to_value(code).unwrap() == error["code"];
    assert!(Code::ALL.iter().any(|code| known(&code)), "{tool}: {answer}");
    assert!(
        error["message"].is_string() && error["hint"].is_string() && error["safe_to_retry"].is_boolean(),
        "{answer}"
    );
    assert!(error["spent"]["charged"].is_u64() && error["spent"]["unknown"].is_u64(), "{tool}: {answer}");
}

/// Every tool, once to its end and once canceled, while the service does what a service can do.
async fn storm(variant: Variant) {
    let app = TestApp::of(variant);
    std::fs::create_dir(app.path("exports")).unwrap();
    let client = Client::with(&app, &["--export-to", "exports"], named("Robot")).await;
    let server = client.service.peer_info().expect("it is initialized");
    assert_eq!(server.server_info.as_ref().unwrap().name, "lode");
    assert!(server.capabilities.tools.is_some() && server.instructions.is_some());
    client.good("search", json!({"limit": 50})).await;
    for fault in ["500=0.4", "reset=0.4", "truncated=0.4", "html=0.4", "lost=0.4", "429=0.2:0"] {
        let handle = client.good("quote", json!({"ids": [5, 6, 7]})).await["handle"].clone();
        app.fault(fault);
        let mut tools = Vec::new();
        for (tool, arguments) in one_of_each(&handle) {
            is_told(tool, &client.call(tool, arguments.clone()).await);
            client.begin(tool, arguments).await.cancel(None).await.unwrap();
            tools.push(tool);
        }
        assert_eq!(tools, TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>());
        app.calms_down();
        another_minute(&app);
        client.good("status", json!({})).await;
    }
    assert_eq!(charged(&app), 0, "nothing was accepted");
    client.end().await;
}

#[tokio::test]
async fn every_tool_answers_in_every_variant_with_faults_and_canceled_calls() {
    tokio::join!(storm(Variant::A), storm(Variant::B), storm(Variant::C), storm(Variant::D));
}

#[tokio::test]
async fn a_canceled_call_leaves_the_server_well() {
    let app = TestApp::new();
    app.fault("latency@search=2000");
    let client = Client::of(&app).await;
    for _ in 0..3 {
        let running = client.begin("search", json!({})).await;
        running.cancel(Some("changed my mind".to_owned())).await.unwrap();
    }
    app.calms_down();
    client.good("search", json!({"limit": 1})).await;
    client.end().await;
}

/// The requests of a minute are used up: that is an answer, not a wait that outlasts the client's patience.
#[tokio::test]
async fn a_call_that_gets_no_slot_says_when_to_come_back() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 1);
    let client = Client::of(&app).await;
    let handle = client.good("quote", json!({"ids": ids})).await["handle"].clone();
    Person::of(&app).accepts(handle.as_str().unwrap(), 1);
    let refused = loop {
        let search = client.call("search", json!({"limit": 1}));
        let answer =
            tokio::time::timeout(Duration::from_secs(40), search).await.expect("it does not wait for the next minute");
        if answer.get("error").is_some() {
            break answer;
        }
    };
    assert_eq!(refused["error"]["code"], "rate_limit", "{refused}");
    assert!((21..=62).contains(&refused["error"]["retry_after_s"].as_u64().unwrap()), "{refused}");
    assert_eq!(refused["error"]["safe_to_retry"], true);
    // The person's own requests still go.
    app.run(&["search", "--title", "nurse", "--limit", "1", "--json"]).ended(0);
    // The handle is not used up by a call that could not begin.
    let answer = client.call("unlock", json!({"handle": handle})).await;
    assert_eq!(answer["error"]["code"], "rate_limit", "{answer}");
    assert_eq!(client.call("status", json!({})).await["error"]["code"], "rate_limit");
    assert_eq!(charged(&app), 0);
    another_minute(&app);
    assert_eq!(client.good("unlock", json!({"handle": handle})).await["summary"]["charged"], 1);
    client.end().await;
}

/// The exit code and the code of the line say the same as for every other command.
#[test]
fn settings_that_cannot_be_read_end_the_server_as_wrong_usage() {
    let app = TestApp::new();
    std::fs::create_dir_all(app.path("config")).unwrap();
    std::fs::write(app.path("config/config.toml"), "[caps").unwrap();
    let error = app.run(&["mcp"]).ended(2).error();
    assert_eq!((error["code"].as_str(), error["exit"].as_u64()), (Some("settings"), Some(2)), "{error}");
}
