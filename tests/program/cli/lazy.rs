//! A command asks only for what it needs: the requests of each, as the service received them.

use common::test_app::TestApp;

/// The last parts of the addresses that a command asked for, in their order.
fn asked(app: &TestApp, arguments: &[&str]) -> Vec<String> {
    let before = app.sandbox.service().log().len();
    app.run(arguments).ended(0);
    let log = app.sandbox.service().log();
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    log.iter().skip(before).map(|request| last(&request.path)).collect()
}

#[test]
fn a_search_asks_for_its_pages_only() {
    let app = TestApp::new();
    assert_eq!(asked(&app, &["search", "--limit", "3"]), ["search"]);
}

#[test]
fn an_unlock_asks_whose_key_it_is_and_what_is_left_and_nothing_else() {
    let app = TestApp::new();
    let people = app.people(lode_sandbox::corpus::CheckOutcome::Valid, 2);
    let ids: Vec<String> = people.iter().map(u64::to_string).collect();
    let unlock = ["unlock", "--corpus", "us", "--max-credits", "2", &ids[0], &ids[1]];
    assert_eq!(asked(&app, &unlock), ["me", "unlock", "me"]);
    assert_eq!(asked(&app, &unlock), ["me"], "owned already: nothing is sent and nothing has changed");
    assert_eq!(asked(&app, &["recover"]), ["me"], "no unknown results");
    assert_eq!(asked(&app, &["owned"]), Vec::<String>::new());
}

#[test]
fn saved_searches_ask_the_service_for_its_list_and_the_spec_says_so() {
    let app = TestApp::new();
    assert!(!asked(&app, &["saved", "add", "nurses", "--title", "nurse"]).is_empty());
    assert!(!asked(&app, &["saved", "rename", "nurses", "texas"]).is_empty());
    let spec = &app.run(&["spec", "--json"]).ended(0).lines()[0];
    for name in ["saved add", "saved rename"] {
        let command = spec["commands"].as_array().unwrap().iter().find(|command| command["name"] == name).unwrap();
        let exits: Vec<u64> = command["exits"].as_array().unwrap().iter().filter_map(|exit| exit.as_u64()).collect();
        assert_eq!(exits, [0, 1, 2, 4, 5, 7, 8, 130], "{name}");
    }
}
