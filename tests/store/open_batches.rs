//! A ledger with open batches, as the program of version 8 of the state file left it: every later program must find them with their
//! holds, and `lode recover` must resolve them.

use std::path::PathBuf;

use common::test_app::{TestApp, words};
use lode_core::contact::RowId;
use lode_core::credits::Credits;
use lode_core::purse::{Origin, Purse};
use lode_engine::effect::store::*;
use lode_host::store::{LEDGER_FILE, Store};
use lode_sandbox::corpus::{CheckOutcome, CorpusKind};

use crate::bench::{at, window};

/// By how the batch was left open.
struct Story {
    settled: Vec<u64>,
    unreadable: Vec<u64>,
    refused: Vec<u64>,
    unanswered: Vec<u64>,
}

fn story(app: &TestApp) -> Story {
    let ids = app.people(CheckOutcome::Valid, 11);
    let part = |from: usize, to: usize| ids[from..to].to_vec();
    Story { settled: part(0, 2), unreadable: part(2, 5), refused: part(5, 7), unanswered: part(7, 11) }
}

fn file() -> PathBuf {
    common::root().join("tests/data/open-batches.sqlite3")
}

fn arguments(ids: &[u64]) -> Vec<String> {
    let amount = ids.len().to_string();
    let mut arguments: Vec<String> =
        ["unlock", "--corpus", "us", "--max-wait", "0", "--max-credits", &amount].map(str::to_owned).into();
    arguments.extend(words(ids));
    arguments
}

fn unlock(app: &TestApp, ids: &[u64], code: i32) {
    let arguments = arguments(ids);
    app.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).ended(code);
}

/// Writes the file with the program that Cargo built: `cargo test --test store -- --ignored write_the_ledger_with_open_batches`. Run
/// once, never to make a test pass.
#[test]
#[ignore = "writes into tests/data"]
fn write_the_ledger_with_open_batches() {
    assert!(!file().exists(), "a file that was written once stays");
    let mut app = TestApp::new();
    let story = story(&app);
    unlock(&app, &story.settled, 0);
    app.fault("html@unlock=next");
    unlock(&app, &story.unreadable, 9);
    // A key that cannot search: nothing can check the refusal for free.
    let blind = app.sandbox.service().make_key(&app.org(), "blind", &["unlock"]);
    let key = std::mem::replace(&mut app.workspace_key, blind);
    app.fault("429@unlock=next:1");
    unlock(&app, &story.refused, 9);
    app.workspace_key = key;
    // Carried out, and the program dies before its response is whole.
    app.fault("stall@unlock=next:0");
    let arguments = arguments(&story.unanswered);
    let mut child = app.command(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).spawn().unwrap();
    while !app.owned().contains(&story.unanswered[0]) {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let books = rusqlite::Connection::open(app.path("state").join(LEDGER_FILE)).unwrap();
    // Years back and on another start of the machine, so that no clock of a test is within the minute after the break.
    books
        .execute_batch(
            "UPDATE attempt SET sent_at = sent_at - 200000000000; UPDATE orders SET opened_at = opened_at - 200000000000;
             UPDATE attempt_end SET at = at - 200000000000, boot = 'an earlier one';
             PRAGMA journal_mode = DELETE; PRAGMA page_size = 1024; VACUUM;",
        )
        .unwrap();
    drop(books);
    std::fs::copy(app.path("state").join(LEDGER_FILE), file()).unwrap();
}

/// The ledger in the folder of a test app whose address is not the one that the ledger was written at.
fn moved_into(app: &TestApp) -> Purse {
    let dir = app.path("state");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::copy(file(), dir.join(LEDGER_FILE)).unwrap();
    let purse = Purse::of_org(Origin::of(&app.workspace_url), &app.org());
    let books = rusqlite::Connection::open(dir.join(LEDGER_FILE)).unwrap();
    let moved =
        books.execute("UPDATE purse SET origin = ?1 WHERE owner = ?2", (purse.origin.as_str(), app.org())).unwrap();
    assert_eq!(moved, 1);
    purse
}

#[test]
fn open_batches_of_an_earlier_program_are_open_with_their_holds() {
    let app = TestApp::new();
    let (purse, story) = (moved_into(&app), story(&app));
    let mut store = Store::open(&app.path("state"), window("reader"));
    let call = StoreCall::OpenBatches { purse: purse.clone() };
    let Ok(StoreReply::OpenBatches(batches)) = store.perform(call, at(0)) else { panic!("no batches") };
    let open: Vec<(Vec<RowId>, bool)> =
        batches.iter().map(|batch| (batch.ids.clone(), batch.open.len() == batch.ids.len())).collect();
    let rows = |ids: &[u64]| (ids.iter().map(|id| RowId(*id as i64)).collect::<Vec<_>>(), true);
    assert_eq!(open, [rows(&story.unreadable), rows(&story.refused), rows(&story.unanswered)]);
    assert!(batches[1].words.contains("the service refused it"), "{:?}", batches[1].words);
    let call = StoreCall::Spent { purse, window: window("reader") };
    let Ok(StoreReply::Spent(spent)) = store.perform(call, at(0)) else { panic!("no sums") };
    assert_eq!((spent.held, spent.charged_ever), (Credits(9), 2));
}

#[test]
fn open_batches_of_an_earlier_program_are_resolved_by_recover() {
    let app = TestApp::new();
    let story = story(&app);
    moved_into(&app);
    let bought: Vec<u64> = [&story.settled[..], &story.unanswered].concat();
    app.sandbox.service().member_unlocks(&app.org(), CorpusKind::Us, &bought, app.sandbox.now_ms());
    let ran = app.run(&["recover"]).ended(0);
    assert_eq!(ran.summary()["unknown"], 0, "{ran:?}");
    let owned = app.run(&["owned", "--json"]).ended(0).sorted_ids();
    assert_eq!(owned, bought, "{ran:?}");
    assert_eq!(app.owned(), bought, "nothing else was bought");
}
