//! No credit without a person: handles, amounts, the standing allowance, two servers, a person in the client.

use lode_core::credits::Credits;
use lode_engine::effect::store::{Decision, NotGranted, StoreReply};
use lode_sandbox::corpus::CheckOutcome;
use rmcp::ErrorData;
use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, Implementation,
};
use rmcp::service::{RequestContext, RoleClient};
use serde_json::{Value, json};

use crate::assistant::client::{Client, Person, charged};
use common::test_app::TestApp;

/// A quote of contacts that a search has shown.
pub async fn quoted<H: ClientHandler>(client: &Client<H>, ids: &[u64]) -> String {
    let quote = client.good("quote", json!({"ids": ids})).await;
    quote["handle"].as_str().unwrap_or_else(|| panic!("{quote}")).to_owned()
}

#[tokio::test]
async fn a_handle_works_once_for_what_was_accepted() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 6);
    let (one, two) = (Client::of(&app).await, Client::of(&app).await);
    let mut person = Person::of(&app);
    assert_eq!(one.bad("unlock", json!({"handle": "q_invented"})).await, "not_accepted");
    // No.
    let handle = quoted(&one, &ids[..2]).await;
    assert_eq!(person.answer(&handle, Decision::Decline), StoreReply::Granted(Ok(())));
    assert_eq!(one.bad("unlock", json!({"handle": handle})).await, "not_accepted");
    let yes = Decision::Accept { amount: Credits(2), ids: Vec::new(), verify: true };
    assert_eq!(person.answer(&handle, yes), StoreReply::Granted(Err(NotGranted::Declined)));
    // More than was asked for.
    let handle = quoted(&one, &ids[..2]).await;
    let more = Decision::Accept { amount: Credits(3), ids: Vec::new(), verify: true };
    assert_eq!(person.answer(&handle, more), StoreReply::Granted(Err(NotGranted::TooMuch)));
    assert_eq!(charged(&app), 0);
    // Yes, in both servers at once.
    assert_eq!(person.accepts(&handle, 2), StoreReply::Granted(Ok(())));
    let arguments = json!({"handle": handle});
    let both = tokio::join!(one.call("unlock", arguments.clone()), two.call("unlock", arguments.clone()));
    // The later one is refused, or sees the first at work, waits for it and finds the contacts owned.
    let cost = |answer: &Value| answer["summary"]["charged"].as_i64();
    let mut costs = [cost(&both.0), cost(&both.1)];
    costs.sort_unstable();
    assert!(matches!(costs, [None | Some(0), Some(2)]), "{both:?}");
    assert_eq!(charged(&app), 2);
    assert_eq!(one.bad("unlock", arguments.clone()).await, "not_accepted");
    // A smaller amount: the first of them only.
    let handle = quoted(&two, &ids[2..5]).await;
    person.accepts(&handle, 1);
    let unlocked = two.good("unlock", json!({"handle": handle})).await;
    assert_eq!(unlocked["summary"]["charged"], 1, "{unlocked}");
    assert_eq!(charged(&app), 3);
    let mut owned = app.owned();
    owned.sort_unstable();
    assert_eq!(owned, ids[..3]);
    one.end().await;
    two.end().await;
}

/// A proposal outlives its server, and means nothing in another purse.
#[tokio::test]
async fn a_handle_survives_a_restart_and_belongs_to_its_purse() {
    let mut app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 2);
    let client = Client::of(&app).await;
    let handle = quoted(&client, &ids[..1]).await;
    client.kill();
    Person::of(&app).accepts(&handle, 1);
    // The same state files, with the key and the service of another workspace.
    let other = TestApp::new();
    let home = std::mem::replace(&mut app.workspace_url, other.workspace_url.clone());
    let client = Client::of(&app).await;
    assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted");
    client.end().await;
    app.workspace_url = home;
    let client = Client::of(&app).await;
    assert_eq!(client.good("unlock", json!({"handle": handle})).await["summary"]["charged"], 1);
    client.end().await;
    assert_eq!((charged(&app), charged(&other)), (1, 0));
}

/// Money rule 10, *one purse*: a ledger that is restored honors no approval of the earlier one. The approval may have been used since.
#[tokio::test]
async fn a_handle_does_not_survive_a_restored_ledger() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 3);
    let client = Client::of(&app).await;
    let [used, unused, waiting] =
        [quoted(&client, &ids[..1]).await, quoted(&client, &ids[1..2]).await, quoted(&client, &ids[2..]).await];
    let mut person = Person::of(&app);
    assert_eq!(
        [&used, &unused].map(|handle| person.accepts(handle, 1)),
        [StoreReply::Granted(Ok(())), StoreReply::Granted(Ok(()))]
    );
    app.run(&["ledger", "backup", "before.backup"]).ended(0);
    assert_eq!(client.good("unlock", json!({"handle": used})).await["summary"]["charged"], 1);
    client.end().await;
    drop(person);
    app.run(&["ledger", "restore", "--force", "before.backup"]).ended(0);
    let client = Client::of(&app).await;
    for handle in [&used, &unused, &waiting] {
        assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted");
    }
    client.end().await;
    assert!(Person::of(&app).asked().is_empty());
    assert_eq!(charged(&app), 1);
}

fn allow(app: &TestApp, text: &str) {
    std::fs::create_dir_all(app.path("config")).unwrap();
    std::fs::write(app.path("config/config.toml"), format!("[assistant]\n{text}\n")).unwrap();
}

#[tokio::test]
async fn a_standing_allowance_is_never_passed_by_two_servers() {
    let app = TestApp::new();
    allow(&app, "per_day = 5\nper_call = 2");
    let ids = app.people(CheckOutcome::Valid, 12);
    let (one, two) = (Client::of(&app).await, Client::of(&app).await);
    // More than one call may cost waits for the person.
    let handle = quoted(&one, &ids[..3]).await;
    assert_eq!(one.bad("unlock", json!({"handle": handle})).await, "not_accepted");
    assert_eq!(charged(&app), 0);
    let mut refused = 0;
    for pair in ids.chunks(4) {
        let (a, b) = (quoted(&one, &pair[..2]).await, quoted(&two, &pair[2..]).await);
        let (a, b) = (json!({"handle": a}), json!({"handle": b}));
        let answers = tokio::join!(one.call("unlock", a), two.call("unlock", b));
        refused += [answers.0, answers.1].iter().filter(|answer| answer["error"]["code"] == "not_accepted").count();
    }
    assert_eq!(charged(&app), 4, "5 a day, in calls of 2");
    assert_eq!(refused, 4);
    let handle = quoted(&one, &ids[11..]).await;
    one.good("unlock", json!({"handle": handle})).await;
    assert_eq!(charged(&app), 5);
    one.end().await;
    two.end().await;
}

/// What is uncertain counts as spent, also in another server and after a restart. What the person takes back counts at once.
#[tokio::test]
async fn an_uncertain_charge_counts_as_spent() {
    let app = TestApp::new();
    allow(&app, "per_day = 5\nper_call = 3");
    let ids = app.people(CheckOutcome::Valid, 8);
    let client = Client::of(&app).await;
    let handle = quoted(&client, &ids[..3]).await;
    app.fault("unlock-lost=next");
    app.fault("html@search=1");
    let lost = client.call("unlock", json!({"handle": handle})).await;
    assert_eq!(lost["error"]["code"], "unknown_result", "{lost}");
    assert_eq!((&lost["error"]["spent"]["unknown"], charged(&app)), (&json!(3), 3));
    client.kill();
    app.calms_down();
    let client = Client::of(&app).await;
    let three = quoted(&client, &ids[3..6]).await;
    assert_eq!(client.bad("unlock", json!({"handle": three})).await, "not_accepted", "2 are left");
    let two = quoted(&client, &ids[3..5]).await;
    allow(&app, "per_day = 0\nper_call = 0");
    assert_eq!(client.bad("unlock", json!({"handle": two})).await, "not_accepted", "it was taken back");
    allow(&app, "per_day = 5\nper_call = 3");
    assert_eq!(client.good("unlock", json!({"handle": two})).await["summary"]["charged"], 2);
    let one = quoted(&client, &ids[5..6]).await;
    assert_eq!(client.bad("unlock", json!({"handle": one})).await, "not_accepted", "the day is spent");
    assert_eq!(charged(&app), 5);
    client.end().await;
}

/// A client with a person who types an amount.
#[derive(Clone)]
struct Typing(i64);

impl ClientHandler for Typing {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("Typing", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        assert!(format!("{request:?}").contains("credits"));
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({"credits": self.0})))
    }
}

#[tokio::test]
async fn a_client_may_ask_its_person_only_if_the_settings_allow_it() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 3);
    let client = Client::with(&app, &[], Typing(2)).await;
    let handle = quoted(&client, &ids).await;
    assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted");
    client.end().await;
    allow(&app, "elicitation = true");
    let client = Client::with(&app, &[], Typing(99)).await;
    assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted", "more than was asked for");
    client.end().await;
    assert_eq!(charged(&app), 0);
    let client = Client::with(&app, &[], Typing(2)).await;
    let unlocked: Value = client.good("unlock", json!({"handle": handle})).await;
    assert_eq!(unlocked["summary"]["charged"], 2, "{unlocked}");
    client.end().await;
    assert_eq!(charged(&app), 2);
}

/// The place to store responses goes while one is on its way: the answer is the last place where its contacts are.
#[tokio::test]
async fn contacts_that_cannot_be_stored_are_in_the_answer_whole() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 3);
    let client = Client::of(&app).await;
    let handle = quoted(&client, &ids).await;
    Person::of(&app).accepts(&handle, 3);
    app.fault("latency@unlock=1000+0");
    let goes = async {
        while !app.sandbox.service().log().iter().any(|request| request.path.ends_with("unlock")) {
            tokio::task::yield_now().await;
        }
        std::fs::rename(app.path("state/answers"), app.path("gone")).unwrap();
        std::fs::write(app.path("state/answers"), "not a folder").unwrap();
    };
    let (answer, ()) = tokio::join!(client.call("unlock", json!({"handle": handle})), goes);
    assert_eq!(answer["error"]["exit"], 9, "{answer}");
    let lists = [&answer["rows"], &answer["unstored"]];
    let all: Vec<&Value> = lists.iter().filter_map(|list| list.as_array()).flatten().collect();
    for id in &ids {
        let of_it: Vec<&&Value> = all.iter().filter(|line| line["id"] == *id).collect();
        assert_eq!(of_it.len(), 1, "{answer}");
        assert!(of_it[0]["email"].as_str().is_some_and(|email| email.contains('@')), "{answer}");
    }
    client.end().await;
}
