//! Whose money it is: what is kept for one service and organization is not seen, bought or counted at another, however the
//! address is spelled and whatever the profile is called.

use std::process::Command;

use lode_sandbox::corpus::CheckOutcome;
use lode_sandbox::service::ServiceSetup;

use crate::cli::me_server::MeServer;
use common::test_app::{Ran, TestApp, words};

/// A command with the folders of one app, at the service of another.
fn at(folders: &TestApp, service: &TestApp, arguments: &[&str]) -> Command {
    let mut command = folders.command(arguments);
    command
        .env("LODE_WORKSPACE_URL", &service.sandbox.workspace_url)
        .env("LODE_WORKSPACE_KEY", &service.workspace_key)
        .env("LODE_DATA_URL", &service.sandbox.data_url)
        .env("LODE_DATA_KEY", &service.data_key);
    command
}

fn ran(mut command: Command) -> Ran {
    Ran::of(command.spawn().unwrap())
}

fn stage(app: &TestApp, ids: &[u64]) {
    let mut arguments = vec!["basket".to_owned(), "add".to_owned(), "--corpus".to_owned(), "us".to_owned()];
    arguments.extend(words(ids));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    app.run(&arguments).ended(0);
}

/// Money rule 10, *one purse*.
#[test]
fn another_service_sees_nothing_of_this_one() {
    let here = TestApp::new();
    let there = TestApp::with(ServiceSetup { seed: 4_711, ..TestApp::setup() });
    let ids = here.people(CheckOutcome::Valid, 4);
    here.run(&["search", "--limit", "3", "--json"]).ended(0);
    stage(&here, &ids);
    here.run(&["unlock", "--corpus", "us", "--max-credits", "1", &ids[0].to_string()]).ended(0);
    let kept: [&[&str]; 3] = [&["basket", "list", "--json"], &["owned", "--json"], &["receipts", "--json"]];
    let known = kept.map(|arguments| here.run(arguments).ended(0).out);
    assert_eq!(known.each_ref().map(|out| out.lines().count()), [3, 1, 1]);
    for arguments in kept {
        let other = ran(at(&here, &there, arguments)).ended(0);
        assert_eq!(other.out, "", "{arguments:?}");
    }
    assert_eq!(kept.map(|arguments| here.run(arguments).ended(0).out), known, "back again it is all there");
}

#[test]
fn every_spelling_of_an_address_is_the_same_purse() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 3);
    stage(&app, &ids);
    app.run(&["unlock", "--corpus", "us", "--max-credits", "1", &ids[0].to_string()]).ended(0);
    let url = &app.sandbox.workspace_url;
    let port = url.rsplit_once(':').unwrap().1.split('/').next().unwrap();
    for spelling in [
        format!("http://localhost:{port}/api/v1"),
        format!("http://LOCALHOST:{port}/api/v1/"),
        format!("HTTP://127.0.0.1:0{port}/api/v1"),
        format!("http://[::1]:{port}/api/v1/"),
        format!("http://127.0.0.1:{port}"),
    ] {
        let count = |arguments: &[&str]| {
            let mut command = app.command(arguments);
            command.env("LODE_WORKSPACE_URL", &spelling);
            ran(command).ended(0).out.lines().count()
        };
        assert_eq!(count(&["basket", "list", "--json"]), 2, "{spelling}");
        assert_eq!(count(&["owned", "--json"]), 1, "{spelling}");
        assert_eq!(count(&["receipts", "--json"]), 1, "{spelling}");
    }
}

#[test]
fn an_edited_address_of_a_profile_is_another_purse_and_two_profiles_can_have_one() {
    let here = TestApp::new();
    let there = TestApp::with(ServiceSetup { seed: 4_711, ..TestApp::setup() });
    let ids = here.people(CheckOutcome::Valid, 2);
    std::fs::create_dir_all(here.path("config")).unwrap();
    let settings = |url: &str, key: &str| {
        let service = |name: &str| {
            format!("[profiles.{name}.workspace]\nurl = \"{url}\"\nkey = {{ command = \"echo {key}\" }}\n")
        };
        std::fs::write(here.path("config").join("config.toml"), service("one") + &service("two")).unwrap();
    };
    let run = |profile: &str, arguments: &[&str]| {
        let mut command = here.command(arguments);
        for name in ["LODE_WORKSPACE_URL", "LODE_WORKSPACE_KEY", "LODE_DATA_URL", "LODE_DATA_KEY"] {
            command.env_remove(name);
        }
        command.env("LODE_PROFILE", profile);
        ran(command).ended(0)
    };
    let rows = |profile: &str| run(profile, &["basket", "list", "--json"]).out.lines().count();
    settings(&here.sandbox.workspace_url, &here.workspace_key);
    run("one", &["me"]);
    run("one", &["basket", "add", "--corpus", "us", &ids[0].to_string()]);
    run("two", &["basket", "add", "--corpus", "us", &ids[1].to_string()]);
    assert_eq!((rows("one"), rows("two")), (2, 2), "two profiles with one purse share its basket");
    settings(&there.sandbox.workspace_url, &there.workspace_key);
    assert_eq!((rows("one"), rows("two")), (0, 0), "the edited address is another service");
    settings(&here.sandbox.workspace_url.replace("127.0.0.1", "localhost"), &here.workspace_key);
    assert_eq!((rows("one"), rows("two")), (2, 2));
}

#[test]
fn what_a_new_key_stages_is_merged_when_the_service_names_its_organization() {
    let mut app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 4);
    app.run(&["me"]).ended(0);
    stage(&app, &ids[..2]);
    let list = |app: &TestApp| app.run(&["basket", "list", "--json"]).ended(0).sorted_ids();
    let org = app.org();
    app.workspace_key = app.sandbox.service().make_key(&org, "rotated", &["search", "unlock"]);
    stage(&app, &ids[2..]);
    assert_eq!(list(&app), ids[2..], "before the service answers, the new key has only what it staged");
    app.run(&["me"]).ended(0);
    assert_eq!(list(&app), ids, "then both are the basket of one organization");
    let other = app.sandbox.service().found_org("Other Inc", 50, app.sandbox.now_ms());
    app.workspace_key = app.sandbox.service().make_key(&other, "stranger", &["search", "unlock"]);
    app.run(&["me"]).ended(0);
    assert_eq!(list(&app), ids[..0], "another organization has another basket");
}

#[test]
fn a_data_key_has_a_basket_of_its_own() {
    let mut app = TestApp::new();
    let rows = app.run(&["search", "--source", "data", "--query", "nurse", "--limit", "2", "--json"]).ended(0).out;
    app.fed(&["basket", "add", "--source", "data", "--corpus", "us"], &rows).ended(0);
    let count = |app: &TestApp| {
        app.run(&["basket", "list", "--source", "data", "--corpus", "us", "--json"]).ended(0).out.lines().count()
    };
    assert_eq!(count(&app), 2);
    let key = std::mem::replace(&mut app.data_key, app.sandbox.service().make_user("second"));
    assert_eq!(count(&app), 0);
    app.data_key = key;
    assert_eq!(count(&app), 2);
}

#[test]
fn a_key_that_names_another_organization_switches_the_purse_and_moves_nothing() {
    let app = TestApp::new();
    let server = MeServer::start("org_1", "Acme Inc");
    let run = |arguments: &[&str]| {
        let mut command = app.command(arguments);
        command.env("LODE_WORKSPACE_URL", server.url()).env("LODE_WORKSPACE_KEY", "lk_live_0123456789abcdef");
        ran(command)
    };
    let rows = || run(&["basket", "list", "--json"]).ended(0).sorted_ids();
    run(&["me"]).ended(0);
    run(&["basket", "add", "--corpus", "us", "7"]).ended(0);
    server.names("org_2", "Other Inc");
    assert_eq!(rows(), [7], "until the service answers, the remembered one");
    let quote = run(&["unlock", "--corpus", "us", "--dry-run", "--max-credits", "1", "9"]);
    assert!(quote.err.contains("This key now belongs to Other Inc") && quote.err.contains("Acme Inc"), "{quote:?}");
    assert_eq!(rows().len(), 0);
    run(&["basket", "add", "--corpus", "us", "8"]).ended(0);
    server.names("org_1", "Acme Inc");
    run(&["me"]).ended(0);
    assert_eq!(rows(), [7], "nothing was moved");
}

/// A ledger of the first version, whose profile `acme` unlocked from as many purses as named.
fn first_version(app: &TestApp, purses: &[i64]) {
    std::fs::create_dir_all(app.path("state")).unwrap();
    let path = app.path("state").join("lode.sqlite3");
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/v2.sqlite"), &path).unwrap();
    let ledger = rusqlite::Connection::open(path).unwrap();
    ledger
        .execute_batch(
            "DELETE FROM profile_purse; UPDATE basket SET profile = 'env'; UPDATE suppressed SET profile = 'env'",
        )
        .unwrap();
    for purse in purses {
        ledger.execute("INSERT OR IGNORE INTO purse VALUES (?1, 'http://127.0.0.1:' || ?1, 'org')", [purse]).unwrap();
        ledger.execute("INSERT INTO profile_purse VALUES ('env', ?1)", [purse]).unwrap();
    }
}

#[test]
fn rows_of_the_first_version_wait_until_they_are_assigned_where_their_purse_is_not_certain() {
    let app = TestApp::new();
    for purses in [&[][..], &[1, 4_001]] {
        drop(std::fs::remove_dir_all(app.path("state")));
        first_version(&app, purses);
        let list = app.run(&["basket", "list", "--json"]).ended(0);
        assert!(list.out.is_empty() && list.err.contains("from an earlier version"), "{list:?}");
        let waiting = app.run(&["basket", "earlier", "--json"]).ended(0).sorted_ids();
        assert_eq!(waiting.len(), 3, "visible");
        app.run(&["basket", "earlier", "--assign"]).ended(0);
        let list = app.run(&["basket", "list", "--json"]).ended(0);
        assert_eq!(list.sorted_ids(), waiting);
        assert!(!list.err.contains("earlier"), "{list:?}");
        assert!(app.run(&["basket", "earlier", "--json"]).ended(0).out.is_empty());
    }
}

#[test]
fn caps_and_suppression_lists_belong_to_one_service() {
    let here = TestApp::new();
    let there = TestApp::with(ServiceSetup { seed: 4_711, ..TestApp::setup() });
    let ids = here.people(CheckOutcome::Valid, 3);
    std::fs::create_dir_all(here.path("config")).unwrap();
    let aim = |service: &TestApp| {
        let (url, key) = (&service.sandbox.workspace_url, &service.workspace_key);
        let workspace = format!("[profiles.one.workspace]\nurl = \"{url}\"\nkey = {{ command = \"echo {key}\" }}\n");
        std::fs::write(here.path("config/config.toml"), workspace + "[profiles.one.caps]\nday = 1\n").unwrap();
    };
    let run = |arguments: &[&str]| {
        let mut command = here.command(arguments);
        for name in ["LODE_WORKSPACE_URL", "LODE_WORKSPACE_KEY", "LODE_DATA_URL", "LODE_DATA_KEY"] {
            command.env_remove(name);
        }
        command.env("LODE_PROFILE", "one");
        ran(command)
    };
    let unlock =
        |id: u64| run(&["unlock", "--corpus", "us", "--max-credits", "1", "--allow-unchecked", &id.to_string()]);
    aim(&here);
    run(&["me"]).ended(0);
    std::fs::write(here.path("mine.csv"), "email\nsomeone@here.example\n").unwrap();
    run(&["suppress", "add", "mine", "mine.csv"]).ended(0);
    unlock(ids[0]).ended(0);
    let capped = unlock(ids[1]).failed(3);
    assert!(capped.err.contains("a limit of this profile"), "{capped:?}");
    aim(&there);
    run(&["me"]).ended(0);
    assert_eq!(run(&["suppress", "list", "--json"]).ended(0).out, "", "lists are kept for one service");
    unlock(1).ended(0);
    aim(&here);
    assert_eq!(run(&["suppress", "list", "--json"]).ended(0).lines().len(), 1);
    unlock(ids[1]).failed(3);
    assert_eq!(here.owned(), [ids[0]]);
}
