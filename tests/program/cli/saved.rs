//! Saved searches against every way the service may treat them, and against none.

use lode_sandbox::service::DEFAULT_USER;
use lode_sandbox::variants::Variant;
use serde_json::{Value, json};

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Barrier, Mutex};

use crate::cli::crooked::{Asked, Crooked, framed};
use common::test_app::{Ran, TestApp};

#[test]
fn local_truth_works_whatever_the_service_does() {
    for variant in Variant::ALL {
        let app = TestApp::of(variant);
        let other = app.run(&["saved", "list"]).ended(0).lines().len();
        app.run(&["saved", "add", "nurses", "--title", "nurse", "--state", "TX"]).ended(0);
        let listed = app.run(&["saved", "list"]).ended(0);
        let lines = listed.lines();
        assert_eq!(lines.len(), other + 1, "{variant:?} {listed:?}");
        let nurses = lines.iter().find(|line| line["name"] == "nurses").unwrap();
        assert_eq!(nurses["filters"], json!({"title": "nurse", "state": "TX"}), "{variant:?}");
        assert!(["local", "both"].contains(&nurses["where"].as_str().unwrap()), "{variant:?}");
        app.run(&["saved", "add", "nurses", "--title", "x"]).failed(1);
        let first = app.run(&["saved", "run", "nurses"]).ended(0);
        let again = app.run(&["saved", "run", "nurses", "--new", "--json"]).ended(0);
        assert_eq!(again.out, "", "nothing is new");
        let shown = app.run(&["saved", "show", "nurses"]).ended(0);
        assert_eq!(shown.lines()[0]["total"], first.lines().len());
        assert!(shown.lines()[0]["last_run"].is_string());
        app.run(&["saved", "rename", "nurses", "nurses in Texas"]).ended(0);
        app.run(&["saved", "show", "nurses"]).failed(1);
        assert_eq!(app.run(&["saved", "run", "nurses in Texas"]).ended(0).ids(), first.ids());
        app.run(&["saved", "rm", "nurses in Texas"]).ended(0);
        let left = app.run(&["saved", "list"]).ended(0);
        assert_eq!(left.lines().len(), other, "{variant:?} {left:?}");
        app.run(&["saved", "rm", "nurses in Texas"]).failed(1);
    }
}

#[test]
fn searches_made_elsewhere_are_listed_run_and_never_lost() {
    for variant in Variant::ALL {
        let app = TestApp::of(variant);
        let payload = json!({"name": "made elsewhere", "corpus": "us", "filters": {"title": "nurse"}});
        app.sandbox.service().save_for(DEFAULT_USER, payload);
        let listed = app.run(&["saved", "list"]).ended(0);
        let elsewhere = listed.lines().into_iter().find(|line| line["where"] == "service");
        let elsewhere = elsewhere.unwrap_or_else(|| panic!("{variant:?} {listed:?}"));
        let name = elsewhere["name"].as_str().unwrap().to_owned();
        assert_eq!(elsewhere["filters"], json!({"title": "nurse"}), "{variant:?}");
        assert!(!app.run(&["saved", "run", &name]).ended(0).ids().is_empty(), "{variant:?}");
        // Changing something else leaves it where it is.
        app.run(&["saved", "add", "mine", "--title", "engineer"]).ended(0);
        app.run(&["saved", "rm", "mine"]).ended(0);
        let after = app.run(&["saved", "list"]).ended(0);
        assert!(after.lines().iter().any(|line| line["name"] == name.as_str()), "{variant:?} {after:?}");
    }
}

#[test]
fn without_a_data_key_searches_live_here() {
    let app = TestApp::new();
    let alone = |arguments: &[&str]| {
        Ran::of(app.command(arguments).env_remove("LODE_DATA_URL").env_remove("LODE_DATA_KEY").spawn().unwrap())
    };
    assert_eq!(alone(&["saved", "add", "a", "--title", "nurse"]).ended(0).err, "");
    assert_eq!(alone(&["saved", "list"]).ended(0).lines()[0]["where"], "local");
    alone(&["saved", "run", "a"]).ended(0);
    alone(&["saved", "rm", "a"]).ended(0);
    assert_eq!(alone(&["saved", "list"]).ended(0).out, "");
    assert!(app.sandbox.service().log().iter().all(|request| !request.path.contains("saved")));
}

#[test]
fn only_what_is_new_since_the_last_run_is_told() {
    let app = TestApp::new();
    app.run(&["saved", "add", "nurses", "--title", "nurse"]).ended(0);
    let all = app.run(&["search", "--title", "nurse", "--limit", "1000"]).ended(0).ids();
    let hidden = [all[1], all[4]];
    app.sandbox.service().suppress(lode_sandbox::corpus::CorpusKind::Us, &hidden);
    let first = app.run(&["saved", "run", "nurses"]).ended(0);
    assert_eq!(first.ids().len(), all.len() - 2);
    app.sandbox.service().release(lode_sandbox::corpus::CorpusKind::Us, &hidden);
    let news = app.run(&["saved", "run", "nurses", "--new", "--json"]).ended(0);
    assert_eq!(news.ids(), hidden);
    let read = format!("{} of {} rows read, 2 new", all.len(), all.len());
    assert!(news.err.contains(&read), "{}", news.err);
}

#[test]
fn a_service_that_is_down_hinders_nothing_local() {
    let app = TestApp::new();
    app.fault("html@saved");
    let ran = app.run(&["saved", "add", "a", "--title", "nurse"]).ended(0);
    assert!(ran.err.contains("saved on this computer only"), "{}", ran.err);
    let listed = app.run(&["saved", "list"]).ended(0);
    assert_eq!(listed.lines()[0]["name"], "a");
    assert!(listed.err.contains("the service's list cannot be read"), "{}", listed.err);
}

#[test]
fn a_new_name_keeps_what_the_last_run_had() {
    let app = TestApp::new();
    app.run(&["saved", "add", "a", "--title", "nurse"]).ended(0);
    assert!(!app.run(&["saved", "run", "a"]).ended(0).ids().is_empty());
    app.run(&["saved", "rename", "a", "b"]).ended(0);
    assert_eq!(app.run(&["saved", "run", "b", "--new", "--json"]).ended(0).out, "");
    // Another search under the old name begins with nothing, and a removed one takes what it had along.
    let texas = ["saved", "add", "a", "--title", "nurse", "--state", "TX"];
    app.run(&texas).ended(0);
    let first = app.run(&["saved", "run", "a", "--new", "--json"]).ended(0);
    assert!(first.err.contains("first run"), "{}", first.err);
    app.run(&["saved", "rm", "a"]).ended(0);
    app.run(&texas).ended(0);
    assert_eq!(app.run(&["saved", "run", "a", "--new", "--json"]).ended(0).ids(), first.ids());
}

#[test]
fn a_search_that_leaves_out_a_list_runs_to_its_end() {
    let app = TestApp::new();
    let all = app.run(&["search", "--title", "nurse"]).ended(0).lines();
    let domain = all[0]["email_address"].as_str().unwrap().split('@').nth(1).unwrap().to_owned();
    app.fed(&["suppress", "add", "dnc"], &format!("domain\n{domain}\n")).ended(0);
    app.run(&["saved", "add", "a", "--title", "nurse", "--not-list", "dnc"]).ended(0);
    let ran = app.run(&["saved", "run", "a"]).ended(0);
    assert!(ran.err.contains("excluded; the total counts them"), "{}", ran.err);
    assert!(!ran.out.contains(&format!("@{domain}")), "{}", ran.out);
}

#[test]
fn a_run_of_no_rows_forgets_nothing() {
    let app = TestApp::new();
    app.run(&["saved", "add", "a", "--title", "nurse"]).ended(0);
    app.run(&["saved", "run", "a"]).ended(0);
    let none = app.run(&["saved", "run", "a", "--limit", "0"]).ended(0);
    assert!(none.out.is_empty() && none.err.contains("no rows were requested"), "{none:?}");
    assert_eq!(app.run(&["saved", "run", "a", "--new", "--json"]).ended(0).out, "");
}

#[test]
fn a_name_is_the_same_however_it_is_typed() {
    let app = TestApp::new();
    app.run(&["saved", "add", " sp\tx ", "--title", "nurse"]).ended(0);
    let listed = app.run(&["saved", "list"]).ended(0);
    assert_eq!(listed.lines()[0]["name"], "sp x", "{listed:?}");
    assert_eq!(listed.lines()[0]["where"], "both");
    for name in [" sp\tx ", "sp x", "\u{1b}sp x\n"] {
        app.run(&["saved", "run", name]).ended(0);
        app.run(&["saved", "show", name]).ended(0);
        app.run(&["saved", "add", name, "--title", "other"]).failed(1);
    }
    app.run(&["saved", "add", " \t", "--title", "nurse"]).failed(2);
    app.run(&["saved", "rename", "sp x ", "\tother "]).ended(0);
    app.run(&["saved", "rm", " other"]).ended(0);
    assert_eq!(app.run(&["saved", "list"]).ended(0).out, "");
}

#[test]
fn a_search_of_the_workspace_is_one_on_a_fresh_machine() {
    let app = TestApp::of(Variant::A);
    app.run(&["saved", "add", "mine", "--title", "nurse", "--exclude-unlocked"]).ended(0);
    let elsewhere = common::folder();
    let mut fresh = app.command(&["saved", "list"]);
    fresh.env("LODE_CONFIG_DIR", elsewhere.path()).env("LODE_STATE_DIR", elsewhere.path());
    let listed = Ran::of(fresh.spawn().unwrap()).ended(0);
    let mine = &listed.lines()[0];
    assert_eq!((&mine["source"], &mine["where"]), (&json!("workspace"), &json!("service")), "{mine}");
}

/// A Data API whose list of saved searches keeps the named fields of an entry and drops the others.
fn keeper(fields: &'static [&'static str]) -> (Crooked, Arc<Mutex<Vec<Value>>>) {
    let list: Arc<Mutex<Vec<Value>>> = Arc::default();
    let kept = Arc::clone(&list);
    let crooked = Crooked::start(move |asked, _| {
        asked.is("/api/saved").then(|| answer_saved(asked, &mut kept.lock().unwrap(), fields))
    });
    (crooked, list)
}

fn answer_saved(asked: &Asked, list: &mut Vec<Value>, fields: &[&str]) -> Vec<u8> {
    if let Some(id) = asked.number("id") {
        list.retain(|entry| entry["id"] != id);
    } else if let Ok(Value::Object(mut entry)) = serde_json::from_str(&asked.body) {
        entry.retain(|name, _| fields.contains(&name.as_str()));
        // The filters that the documents name, and no other.
        if fields.contains(&"only_filters") {
            entry["filters"].as_object_mut().unwrap().retain(|name, _| ["title", "state"].contains(&name.as_str()));
        }
        let id = list.iter().filter_map(|entry| entry["id"].as_u64()).max().unwrap_or(0) + 1;
        entry.insert("id".to_owned(), json!(id));
        list.push(Value::Object(entry));
    }
    framed("200 OK", "content-type: application/json\r\n", json!({"data": list}).to_string().as_bytes())
}

/// The same command where lode never ran before.
fn on_a_fresh_machine(service: &Crooked, arguments: &[&str]) -> Ran {
    let folder = common::folder();
    let mut command = service.command(arguments);
    command.env("LODE_CONFIG_DIR", folder.path()).env("LODE_STATE_DIR", folder.path());
    Ran::of(command.spawn().unwrap())
}

#[test]
fn a_search_of_the_workspace_is_one_where_the_service_keeps_the_filters_only() {
    let (service, _) = keeper(&["name", "corpus", "filters"]);
    for (name, state) in [("all of it", None), ("texas", Some("TX"))] {
        let flags: &[&str] =
            if state.is_some() { &["--title", "nurse", "--state", "TX"] } else { &["--exclude-unlocked"] };
        let added = service.run(&[&["saved", "add", name], flags].concat()).ended(0);
        assert_eq!(added.said, "", "the service keeps it");
    }
    let listed = on_a_fresh_machine(&service, &["saved", "list"]).ended(0).lines();
    assert_eq!(listed.len(), 2);
    for line in listed {
        assert_eq!((&line["source"], &line["where"]), (&json!("workspace"), &json!("service")), "{line}");
    }
}

#[test]
fn a_service_that_forgets_whose_search_it_is_keeps_no_copy_of_it() {
    let (service, list) = keeper(&["name", "corpus", "filters", "only_filters"]);
    service.run(&["saved", "add", "data", "--source", "data", "--title", "nurse"]).ended(0);
    let added = service.run(&["saved", "add", "mine", "--title", "engineer"]).ended(0);
    let said = "saved on this computer only: the service would keep it as a search of the Data API";
    assert!(added.err.contains(said), "{}", added.err);
    assert_eq!(list.lock().unwrap().len(), 1, "the copy that says something else is removed again");
    let listed = on_a_fresh_machine(&service, &["saved", "list"]).ended(0).lines();
    assert_eq!(listed.iter().map(|line| line["name"].clone()).collect::<Vec<_>>(), ["data"]);
    let here = service.run(&["saved", "list"]).ended(0).lines();
    assert_eq!(
        (&here[1]["name"], &here[1]["where"], &here[1]["source"]),
        (&json!("mine"), &json!("local"), &json!("workspace"))
    );
}

#[test]
fn a_broken_file_is_never_stood_in_for_by_the_copy_of_the_service() {
    let (service, list) = keeper(&["name", "source", "corpus", "filters"]);
    service.run(&["saved", "add", "nurses", "--title", "nurse", "--state", "TX"]).ended(0);
    let file = service.path("config/saved/env/nurses.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    for broken in [text.replace("state = \"TX\"", "state = TX"), "\u{0}".to_owned(), text.replace("state", "shoe_size")]
    {
        std::fs::write(&file, &broken).unwrap();
        for act in [&["run", "nurses"][..], &["run", "nurses", "--new"], &["rm", "nurses"], &["rename", "nurses", "x"]]
        {
            let ran = service.run(&[&["saved"], act].concat()).failed(1);
            assert_eq!(ran.out, "", "{act:?}");
            assert!(ran.err.contains("nurses.toml cannot be read: "), "{act:?} {}", ran.err);
        }
        assert_eq!((list.lock().unwrap().len(), std::fs::read_to_string(&file).unwrap()), (1, broken));
        let listed = service.run(&["saved", "list"]).ended(0).lines();
        let names: Vec<&str> = listed.iter().map(|line| line["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["nurses (service)", "nurses.toml"]);
        assert!(!service.run(&["saved", "run", "nurses (service)"]).ended(0).ids().is_empty(), "asked for by its name");
    }
    std::fs::write(&file, text).unwrap();
    service.run(&["saved", "run", "nurses"]).ended(0);
}

/// Both commands have read that the name is free before either of them writes.
#[test]
fn of_two_that_save_one_name_in_the_same_instant_one_is_refused() {
    let (service, _) = keeper(&["name", "source", "corpus", "filters"]);
    let both = Arc::new(Barrier::new(2));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let held = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (at, line) in listener.incoming().enumerate() {
            let (mut line, both) = (line.unwrap(), Arc::clone(&both));
            std::thread::spawn(move || {
                drop(line.read(&mut [0; 4_096]));
                // The first request of each; those that follow are answered at once.
                if at < 2 {
                    both.wait();
                }
                drop(line.write_all(&framed("200 OK", "content-type: application/json\r\n", b"[]")));
            });
        }
    });
    let [one, two] = ["nurse", "engineer"].map(|title| {
        let mut command = service.command(&["saved", "add", "same", "--title", title]);
        command.env("LODE_DATA_URL", &held).spawn().unwrap()
    });
    let ran = [Ran::of(one), Ran::of(two)];
    let mut codes = ran.each_ref().map(|ran| ran.code);
    codes.sort_unstable();
    assert_eq!(codes, [0, 1], "{ran:?}");
    let [won, lost] = if ran[0].code == 0 { [&ran[0], &ran[1]] } else { [&ran[1], &ran[0]] };
    assert!(lost.err.contains("a search named `same` is saved already"), "{}", lost.err);
    let title = if won.code == ran[0].code { "nurse" } else { "engineer" };
    let shown = service.run(&["saved", "show", "same"]).ended(0).lines();
    assert_eq!(shown[0]["filters"], json!({ "title": title }), "the search of the one that was told so");
}
