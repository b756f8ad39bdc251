//! The keepers' address: what it can do, and that no API key reaches it.

use crate::asking::{Askable, Small};
use lode_sandbox::corpus::{CheckOutcome, CorpusKind};
use lode_sandbox::server::{Sandbox, SandboxSettings};
use lode_sandbox::service::ServiceSetup;
use lode_sandbox::variants::Variant;
use reqwest::Method;
use serde_json::{Value, json};

use crate::service::Service;

#[test]
fn the_keepers_address_is_on_another_port_and_opens_to_its_token_only() {
    let service = Service::of(Variant::A);
    let (control, _token) = service.sandbox.control_url.rsplit_once('/').unwrap();
    assert_ne!(control, service.sandbox.data_url);
    for url in [format!("{control}/books"), format!("{control}/0000/books"), control.to_owned()] {
        let request = service.request(Method::GET, &url).bearer_auth(&service.sandbox.workspace_key);
        assert_eq!(service.send(request.header("x-api-key", &service.sandbox.data_key)).unwrap().status, 404);
    }
    let path = service.sandbox.control_url.replace(control, &service.sandbox.data_url);
    let request = service.request(Method::GET, &format!("{path}/books")).bearer_auth(&service.sandbox.workspace_key);
    assert_eq!(service.send(request).unwrap().status, 404, "not on the port of the services");
    assert_eq!(service.workspace("/books").status, 404);
}

#[test]
fn the_line_of_a_sandbox_has_four_fields_and_the_keepers_address_only_when_asked() {
    let names = |settings| {
        let sandbox = Sandbox::start(settings).unwrap();
        let line: Value = serde_json::from_str(&sandbox.line()).unwrap();
        line.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    let four = ["workspace_url", "workspace_key", "data_url", "data_key"];
    assert_eq!(names(SandboxSettings::small()), four);
    let five = names(SandboxSettings { control: true, ..SandboxSettings::small() });
    assert_eq!(five, [&four[..], &["control_url"]].concat());
}

#[test]
fn a_sandbox_listens_on_loopback_only_and_stops_when_dropped() {
    let sandbox = Sandbox::start(SandboxSettings::small()).unwrap();
    let address = sandbox.data_url.strip_prefix("http://").unwrap().to_owned();
    assert!(address.starts_with("127.0.0.1:"));
    assert!(std::net::TcpStream::connect(&address).is_ok());
    drop(sandbox);
    assert!(std::net::TcpStream::connect(&address).is_err());
}

#[test]
fn two_sandboxes_with_one_seed_have_the_same_rows_and_keys() {
    let (one, other) = (Service::of(Variant::A), Service::of(Variant::A));
    assert_eq!(one.sandbox.workspace_key, other.sandbox.workspace_key);
    let target = "/search?corpus=us&limit=100&offset=500";
    assert_eq!(one.workspace(target).rows(), other.workspace(target).rows());
}

#[test]
fn books_that_are_kept_in_a_file_go_on_where_they_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let settings = || SandboxSettings { journal: Some(folder.path().join("books.jsonl")), ..SandboxSettings::small() };
    let (balance, owned, keys) = {
        let sandbox = Sandbox::start(settings()).unwrap();
        let (engine, org) = (sandbox.service(), sandbox.service().org());
        engine.member_unlocks(&org, CorpusKind::Us, &[1, 2, 3, 4, 5], 10);
        engine.state().member_spends(&org, 100, 20);
        engine.suppress(CorpusKind::Us, &[77]);
        let keys = (sandbox.workspace_key.clone(), sandbox.data_key.clone());
        (engine.balance(&org, 30), engine.owned(&org, CorpusKind::Us, 30), keys)
    };
    // What a kill in the middle of a line leaves behind.
    use std::io::Write;
    let mut file = std::fs::File::options().append(true).open(folder.path().join("books.jsonl")).unwrap();
    file.write_all(b"{\"event\":\"spent\",\"at_ms\":1").unwrap();
    for identity in [2, 3] {
        // Whatever it is started with: the keys are those of the service that goes on.
        let again = SandboxSettings { setup: ServiceSetup { identity, ..ServiceSetup::small() }, ..settings() };
        let again = Sandbox::start(again).unwrap();
        let (engine, org) = (again.service(), again.service().org());
        assert_eq!((engine.balance(&org, 30), engine.owned(&org, CorpusKind::Us, 30)), (balance, owned.clone()));
        assert!(engine.suppressed(CorpusKind::Us, 77));
        assert_eq!((&again.workspace_key, &again.data_key), (&keys.0, &keys.1));
    }
}

#[test]
fn the_log_shows_each_request_as_it_was_received_without_its_key() {
    let service = Service::of(Variant::A);
    service.workspace("/search?corpus=us&title=director%20of%20nursing&limit=3");
    service.workspace_as("lk_live_wrong", "/me");
    let log = service.keeper(Method::GET, "/log", &Value::Null);
    let entries = log["received"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0]["query"], "corpus=us&title=director%20of%20nursing&limit=3");
    assert_eq!((&entries[0]["key"], &entries[0]["status"]), (&json!("default"), &json!(200)));
    assert_eq!((&entries[1]["key"], &entries[1]["status"]), (&Value::Null, &json!(401)));
    assert!(!log.to_string().contains(&service.sandbox.workspace_key));
    let busiest = service.keeper(Method::POST, "/busiest", &json!({"key": "default"}));
    assert_eq!(busiest, json!({"requests": 1}));
}

#[test]
fn keepers_change_habits_faults_and_limits_while_it_runs() {
    let service = Service::of(Variant::A);
    service.keeper(Method::POST, "/variant", &json!({"variant": "b"}));
    assert_eq!(service.workspace("/search?corpus=us&limit=100").rows().len(), 25);
    service.keeper(Method::POST, "/max-page", &json!({"rows": 200}));
    assert_eq!(service.workspace("/search?corpus=us&limit=500").rows().len(), 200);
    service.keeper(Method::POST, "/rate", &json!({"requests": 1}));
    assert_eq!([service.workspace("/me").status, service.workspace("/me").status], [200, 429]);
    service.keeper(Method::POST, "/rate", &json!({"requests": 0}));
    service.keeper(Method::POST, "/faults", &json!({"rules": ["503@me=next"]}));
    assert_eq!([service.workspace("/me").status, service.workspace("/me").status], [503, 200]);
    let state = service.keeper(Method::GET, "/state", &Value::Null);
    assert_eq!((&state["variant"], &state["faults"]), (&json!("b"), &json!([])));
}

#[test]
fn a_reset_brings_back_the_books_of_the_start() {
    let service = Service::of(Variant::C);
    let start = service.books();
    service.unlock(&json!({"corpus": "us", "ids": service.contacts(CorpusKind::Us, CheckOutcome::Valid, 3)}));
    service.sandbox.service().make_user("other");
    service.keeper(Method::POST, "/variant", &json!({"variant": "a"}));
    assert_ne!(service.books(), start);
    service.keeper(Method::POST, "/reset", &Value::Null);
    assert_eq!(service.books(), start);
    assert_eq!(service.sandbox.service().state().variant, Variant::C);
    assert_eq!(service.credits(), 1_204);
}

#[test]
fn rows_can_be_put_on_the_do_not_sell_list_and_taken_off_again() {
    let service = Service::of(Variant::A);
    let before = service.workspace("/search?corpus=linkedin").ids();
    let ids = json!({"corpus": "linkedin", "ids": before[..2]});
    service.keeper(Method::POST, "/suppress", &ids);
    assert_eq!(service.workspace("/search?corpus=linkedin").ids()[..3], before[2..5]);
    service.keeper(Method::POST, "/release", &ids);
    assert_eq!(service.workspace("/search?corpus=linkedin").ids(), before);
}

#[test]
fn what_a_keeper_asks_wrongly_is_refused_with_words() {
    let service = Service::of(Variant::A);
    for (what, body) in [
        ("/faults", json!({"rules": ["nonsense"]})),
        ("/variant", json!({"variant": "z"})),
        ("/credits", json!({"credits": -1})),
        ("/credits", json!({"org": "org_unknown", "credits": 1})),
        ("/suppress", json!({"corpus": "moon", "ids": [1]})),
        ("/nothing", json!({})),
    ] {
        let url = format!("{}{what}", service.sandbox.control_url);
        let answer = service.send(service.request(Method::POST, &url).body(body.to_string())).unwrap();
        assert_eq!(answer.status, 400, "{what}");
        assert!(answer.body["error"].is_string());
    }
}
