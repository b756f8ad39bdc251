//! Saved searches against every way the service may treat them, and against none.

use lode::sandbox::service::DEFAULT_USER;
use lode::sandbox::variants::Variant;
use serde_json::json;

use common::house::{House, Ran};

#[test]
fn local_truth_works_whatever_the_service_does() {
    for variant in Variant::ALL {
        let house = House::of(variant);
        let other = house.run(&["saved", "list"]).ended(0).lines().len();
        house.run(&["saved", "add", "nurses", "--title", "nurse", "--state", "TX"]).ended(0);
        let listed = house.run(&["saved", "list"]).ended(0);
        let lines = listed.lines();
        assert_eq!(lines.len(), other + 1, "{variant:?} {listed:?}");
        let nurses = lines.iter().find(|line| line["name"] == "nurses").unwrap();
        assert_eq!(nurses["filters"], json!({"title": "nurse", "state": "TX"}), "{variant:?}");
        assert!(["local", "both"].contains(&nurses["where"].as_str().unwrap()), "{variant:?}");
        house.run(&["saved", "add", "nurses", "--title", "x"]).failed(1);
        let first = house.run(&["saved", "run", "nurses"]).ended(0);
        let again = house.run(&["saved", "run", "nurses", "--new", "--json"]).ended(0);
        assert_eq!(again.out, "", "nothing is new");
        let shown = house.run(&["saved", "show", "nurses"]).ended(0);
        assert_eq!(shown.lines()[0]["total"], first.lines().len());
        assert!(shown.lines()[0]["last_run"].is_string());
        house.run(&["saved", "rename", "nurses", "nurses in Texas"]).ended(0);
        house.run(&["saved", "show", "nurses"]).failed(1);
        assert_eq!(house.run(&["saved", "run", "nurses in Texas"]).ended(0).ids(), first.ids());
        house.run(&["saved", "rm", "nurses in Texas"]).ended(0);
        let left = house.run(&["saved", "list"]).ended(0);
        assert_eq!(left.lines().len(), other, "{variant:?} {left:?}");
        house.run(&["saved", "rm", "nurses in Texas"]).failed(1);
    }
}

#[test]
fn searches_made_elsewhere_are_listed_run_and_never_lost() {
    for variant in Variant::ALL {
        let house = House::of(variant);
        let payload = json!({"name": "made elsewhere", "corpus": "us", "filters": {"title": "nurse"}});
        house.sandbox.service().save_for(DEFAULT_USER, payload);
        let listed = house.run(&["saved", "list"]).ended(0);
        let elsewhere = listed.lines().into_iter().find(|line| line["where"] == "service");
        let elsewhere = elsewhere.unwrap_or_else(|| panic!("{variant:?} {listed:?}"));
        let name = elsewhere["name"].as_str().unwrap().to_owned();
        assert_eq!(elsewhere["filters"], json!({"title": "nurse"}), "{variant:?}");
        assert!(!house.run(&["saved", "run", &name]).ended(0).ids().is_empty(), "{variant:?}");
        // Changing something else leaves it where it is.
        house.run(&["saved", "add", "mine", "--title", "engineer"]).ended(0);
        house.run(&["saved", "rm", "mine"]).ended(0);
        let after = house.run(&["saved", "list"]).ended(0);
        assert!(after.lines().iter().any(|line| line["name"] == name.as_str()), "{variant:?} {after:?}");
    }
}

#[test]
fn without_a_data_key_searches_live_here() {
    let house = House::new();
    let alone = |arguments: &[&str]| {
        Ran::of(house.command(arguments).env_remove("LODE_DATA_URL").env_remove("LODE_DATA_KEY").spawn().unwrap())
    };
    assert_eq!(alone(&["saved", "add", "a", "--title", "nurse"]).ended(0).err, "");
    assert_eq!(alone(&["saved", "list"]).ended(0).lines()[0]["where"], "local");
    alone(&["saved", "run", "a"]).ended(0);
    alone(&["saved", "rm", "a"]).ended(0);
    assert_eq!(alone(&["saved", "list"]).ended(0).out, "");
    assert!(house.sandbox.service().log().iter().all(|request| !request.path.contains("saved")));
}

#[test]
fn only_what_is_new_since_the_last_run_is_told() {
    let house = House::new();
    house.run(&["saved", "add", "nurses", "--title", "nurse"]).ended(0);
    let all = house.run(&["search", "--title", "nurse", "--limit", "1000"]).ended(0).ids();
    let hidden = [all[1], all[4]];
    house.sandbox.service().suppress(lode::sandbox::corpus::Kind::Us, &hidden);
    let first = house.run(&["saved", "run", "nurses"]).ended(0);
    assert_eq!(first.ids().len(), all.len() - 2);
    house.sandbox.service().release(lode::sandbox::corpus::Kind::Us, &hidden);
    let news = house.run(&["saved", "run", "nurses", "--new", "--json"]).ended(0);
    assert_eq!(news.ids(), hidden);
    let read = format!("{} of {} rows read, 2 new", all.len(), all.len());
    assert!(news.err.contains(&read), "{}", news.err);
}

#[test]
fn a_service_that_is_down_hinders_nothing_local() {
    let house = House::new();
    house.fault("html@saved");
    let ran = house.run(&["saved", "add", "a", "--title", "nurse"]).ended(0);
    assert!(ran.err.contains("saved here only"), "{}", ran.err);
    let listed = house.run(&["saved", "list"]).ended(0);
    assert_eq!(listed.lines()[0]["name"], "a");
    assert!(listed.err.contains("the service's list cannot be read"), "{}", listed.err);
}

#[test]
fn a_new_name_keeps_what_the_last_run_had() {
    let house = House::new();
    house.run(&["saved", "add", "a", "--title", "nurse"]).ended(0);
    assert!(!house.run(&["saved", "run", "a"]).ended(0).ids().is_empty());
    house.run(&["saved", "rename", "a", "b"]).ended(0);
    assert_eq!(house.run(&["saved", "run", "b", "--new", "--json"]).ended(0).out, "");
    // Another search under the old name begins with nothing, and a removed one takes what it had along.
    let texas = ["saved", "add", "a", "--title", "nurse", "--state", "TX"];
    house.run(&texas).ended(0);
    let first = house.run(&["saved", "run", "a", "--new", "--json"]).ended(0);
    assert!(first.err.contains("first run"), "{}", first.err);
    house.run(&["saved", "rm", "a"]).ended(0);
    house.run(&texas).ended(0);
    assert_eq!(house.run(&["saved", "run", "a", "--new", "--json"]).ended(0).ids(), first.ids());
}

#[test]
fn a_search_that_leaves_out_a_list_runs_to_its_end() {
    let house = House::new();
    let all = house.run(&["search", "--title", "nurse"]).ended(0).lines();
    let domain = all[0]["email_address"].as_str().unwrap().split('@').nth(1).unwrap().to_owned();
    house.fed(&["suppress", "add", "dnc"], &format!("domain\n{domain}\n")).ended(0);
    house.run(&["saved", "add", "a", "--title", "nurse", "--not-list", "dnc"]).ended(0);
    let ran = house.run(&["saved", "run", "a"]).ended(0);
    assert!(ran.err.contains("excluded; the total counts them"), "{}", ran.err);
    assert!(!ran.out.contains(&format!("@{domain}")), "{}", ran.out);
}

#[test]
fn a_run_of_no_rows_forgets_nothing() {
    let house = House::new();
    house.run(&["saved", "add", "a", "--title", "nurse"]).ended(0);
    house.run(&["saved", "run", "a"]).ended(0);
    let none = house.run(&["saved", "run", "a", "--limit", "0"]).ended(0);
    assert!(none.out.is_empty() && none.err.contains("no rows were requested"), "{none:?}");
    assert_eq!(house.run(&["saved", "run", "a", "--new", "--json"]).ended(0).out, "");
}

#[test]
fn a_name_is_the_same_however_it_is_typed() {
    let house = House::new();
    house.run(&["saved", "add", " sp\tx ", "--title", "nurse"]).ended(0);
    let listed = house.run(&["saved", "list"]).ended(0);
    assert_eq!(listed.lines()[0]["name"], "sp x", "{listed:?}");
    assert_eq!(listed.lines()[0]["where"], "both");
    for name in [" sp\tx ", "sp x", "\u{1b}sp x\n"] {
        house.run(&["saved", "run", name]).ended(0);
        house.run(&["saved", "show", name]).ended(0);
        house.run(&["saved", "add", name, "--title", "other"]).failed(1);
    }
    house.run(&["saved", "add", " \t", "--title", "nurse"]).failed(1);
    house.run(&["saved", "rename", "sp x ", "\tother "]).ended(0);
    house.run(&["saved", "rm", " other"]).ended(0);
    assert_eq!(house.run(&["saved", "list"]).ended(0).out, "");
}

#[test]
fn a_search_of_the_workspace_is_one_on_a_fresh_machine() {
    let house = House::of(Variant::A);
    house.run(&["saved", "add", "mine", "--title", "nurse", "--exclude-unlocked"]).ended(0);
    let elsewhere = tempfile::tempdir().unwrap();
    let mut fresh = house.command(&["saved", "list"]);
    fresh.env("LODE_CONFIG_DIR", elsewhere.path()).env("LODE_STATE_DIR", elsewhere.path());
    let listed = Ran::of(fresh.spawn().unwrap()).ended(0);
    let mine = &listed.lines()[0];
    assert_eq!((&mine["source"], &mine["where"]), (&json!("workspace"), &json!("service")), "{mine}");
}
