//! An assistant asks, a person at a terminal answers: yes, no, less, too late, or not at all.

use lode_sandbox::corpus::CheckOutcome;
use serde_json::json;

use crate::assistant::client::{Client, charged, half_an_hour_later};
use crate::assistant::money::quoted;
use common::terminal::{Terminal, lode};
use common::test_app::TestApp;

const REVIEW: &str = "Robot wants to unlock 3 contacts";
const ASKS: &str = "Robot asks for up to 3 credits";

/// A window on the ledger of a test app.
fn window(app: &TestApp) -> Terminal {
    let mut command = lode(&app.path(""), &[]);
    for (name, value) in app.command(&[]).get_envs() {
        command.env(name, value.expect("the app sets its variables"));
    }
    let mut terminal = Terminal::start(command, 160, 48);
    terminal.wait_for("page 1/");
    terminal.send("gb");
    terminal.wait_for("The basket is empty");
    terminal
}

/// A window, a client that asks for these contacts, and the handle of what it asks for.
async fn asks(app: &TestApp, ids: &[u64]) -> (Terminal, Client, String) {
    let terminal = window(app);
    let client = Client::of(app).await;
    let handle = quoted(&client, ids).await;
    (terminal, client, handle)
}

/// Opens the review of what is asked for.
fn review(terminal: &mut Terminal) {
    terminal.wait_for(ASKS);
    terminal.send("Q");
    terminal.wait_for("Robot asks to unlock 3 contacts");
    terminal.send("j\r");
    terminal.wait_for(REVIEW);
    terminal.wait_for("to unlock   ▏");
}

/// Types a number as a hand does, and confirms it.
fn types(terminal: &mut Terminal, digit: &str, then: &str) {
    terminal.press_until(digit, |screen| screen.contains(&format!("▏ {digit}")));
    terminal.press_until("\r", |screen| screen.contains(then));
}

fn leaves(mut terminal: Terminal) {
    terminal.send("gs");
    terminal.wait_for("page 1/");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_person_says_yes() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 3);
    let (mut terminal, client, handle) = asks(&app, &ids).await;
    review(&mut terminal);
    assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted", "a review is no yes");
    types(&mut terminal, "3", "Accepted.");
    terminal.wait_gone(ASKS);
    assert_eq!(charged(&app), 0, "the window sends nothing");
    let unlocked = client.good("unlock", json!({"handle": handle})).await;
    assert_eq!(unlocked["summary"]["charged"], 3, "{unlocked}");
    // The window learns what was bought in its name.
    terminal.wait_for("Owned 3");
    terminal.send("gr");
    terminal.wait_for("ordered by Robot");
    terminal.send("\x1b");
    terminal.wait_gone("Receipts");
    assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted", "once");
    assert_eq!(charged(&app), 3);
    client.end().await;
    leaves(terminal);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_person_says_no() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 3);
    let (mut terminal, client, handle) = asks(&app, &ids).await;
    terminal.wait_for(ASKS);
    terminal.send("Q");
    terminal.wait_for("Robot asks to unlock 3 contacts");
    terminal.send("jj\r");
    terminal.wait_for("Declined. Nothing spent.");
    terminal.wait_gone(ASKS);
    let answer = client.call("unlock", json!({"handle": handle})).await;
    assert_eq!(answer["error"]["message"], "the user declined this quote", "{answer}");
    assert_eq!(charged(&app), 0);
    client.end().await;
    leaves(terminal);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_person_types_less() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 3);
    let (mut terminal, client, handle) = asks(&app, &ids).await;
    review(&mut terminal);
    // A larger number is refused, a smaller one is reviewed once more.
    types(&mut terminal, "9", "Nothing sent.");
    assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted");
    types(&mut terminal, "1", "Unlock the first 1?");
    assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted");
    types(&mut terminal, "1", "Accepted.");
    let unlocked = client.good("unlock", json!({"handle": handle})).await;
    assert_eq!(unlocked["summary"]["charged"], 1, "{unlocked}");
    assert_eq!(app.owned(), ids[..1]);
    client.end().await;
    leaves(terminal);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_request_times_out_under_the_persons_hands() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 3);
    let (mut terminal, client, handle) = asks(&app, &ids).await;
    review(&mut terminal);
    half_an_hour_later(&app);
    types(&mut terminal, "3", "the request expired. Nothing spent.");
    let answer = client.call("unlock", json!({"handle": handle})).await;
    assert_eq!(answer["error"]["message"], "this quote expired", "{answer}");
    assert_eq!(charged(&app), 0);
    client.end().await;
    leaves(terminal);
}

/// What waits does so in the ledger: no window has to be open, and one that closes answers nothing.
#[tokio::test(flavor = "multi_thread")]
async fn the_window_is_closed() {
    let app = TestApp::new();
    let ids = app.people(CheckOutcome::Valid, 3);
    let client = Client::of(&app).await;
    let handle = quoted(&client, &ids).await;
    assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted");
    let mut terminal = window(&app);
    review(&mut terminal);
    terminal.press_until("3", |screen| screen.contains("▏ 3"));
    drop(terminal);
    assert_eq!(client.bad("unlock", json!({"handle": handle})).await, "not_accepted");
    assert_eq!(client.good("status", json!({"handle": handle})).await["proposal"]["state"], "waiting");
    let mut terminal = window(&app);
    review(&mut terminal);
    terminal.send("\x1b");
    terminal.wait_for("The request waits until it expires.");
    review(&mut terminal);
    types(&mut terminal, "3", "Accepted.");
    leaves(terminal);
    client.good("unlock", json!({"handle": handle})).await;
    assert_eq!(charged(&app), 3);
    client.end().await;
}
