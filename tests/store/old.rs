//! State files that earlier versions wrote must open for ever. Each version leaves one in `tests/data`, made by the story here.

use std::path::PathBuf;

use bytes::Bytes;
use lode_core::Owned;
use lode_core::contact::*;
use lode_core::credits::Credits;
use lode_core::money::*;
use lode_core::suppress::SuppressEntry;
use lode_engine::effect::store::*;
use lode_host::store::{LEDGER_FILE, Store};

use crate::bench::*;

fn data() -> PathBuf {
    common::root().join("tests/data")
}

/// Every kind of record there is.
fn story(store: &mut Store) {
    know(store);
    stage(store, 1..=6);
    let caps = Caps { session: Some(Credits(50)), ..Caps::default() };
    let first = BatchIntent { caps, clues: vec![(RowId(1), staged(1).clue.clone())], ..intent(store, 1..=3) };
    let (order, batch) = intend(store, first, at(0)).unwrap();
    store
        .perform(StoreCall::KeepAnswer { batch, status: 200, body: Bytes::from_static(b"{\"ok\":true}") }, at(1))
        .unwrap();
    let said = StatedSums { charged: Some(Credits(2)), refunded: Some(Credits(1)), balance: Some(Credits(998)) };
    let became = [Outcome::Unlocked, Outcome::Refunded, Outcome::Missing];
    let contacts = (1..=3).zip(became).map(|(id, outcome)| settled(id, outcome)).collect();
    store.perform(StoreCall::Settle(Box::new(Settlement { said, ..settlement(batch, contacts) })), at(2)).unwrap();
    let second = BatchIntent { order: Some(order), ceiling: Credits(5), ..intent(store, 4..=5) };
    let (_, lost) = intend(store, second, at(3)).unwrap();
    store.perform(StoreCall::Lost { batch: lost, words: "the line broke".to_owned() }, at(4)).unwrap();
    store
        .perform(
            StoreCall::KeepCheckResults { batch: lost, sent: 1, sightings: vec![(RowId(4), CheckResult::Locked)] },
            at(70_000),
        )
        .unwrap();
    let corpus = Corpus::Us;
    let tags = vec!["q4".to_owned()];
    store.perform(StoreCall::Tag { purse: purse(), corpus, ids: ids([1]), tags }, at(5)).unwrap();
    store.perform(StoreCall::Note { purse: purse(), corpus, id: RowId(1), note: "call".to_owned() }, at(5)).unwrap();
    let (profile, list) = ("acme".to_owned(), "dnc.csv".to_owned());
    let entries = vec![SuppressEntry::Domain("quit.example".to_owned()), SuppressEntry::Contact(US, RowId(9))];
    store.perform(StoreCall::Suppress { purse: purse().into(), list, entries }, at(6)).unwrap();
    let canonical = "workspace/us&title=director".to_owned();
    let shown = ids(1..=100);
    let searched = StoreCall::Searched {
        purse: purse().into(),
        canonical,
        total: 4_870,
        offset: 0,
        ids: shown.clone(),
        leg: false,
    };
    store.perform(searched, at(7)).unwrap();
    let packed = Bytes::from(lode_core::ids::pack(shown));
    let snapshot = Snapshot { total: 4_870, at: at(8).wall, read: 100, ids: packed };
    let name = "nurses".to_owned();
    let query = "workspace/us&title=nurse".to_owned();
    store
        .perform(StoreCall::Snapshot { purse: purse().into(), profile: profile.clone(), name, query, snapshot }, at(8))
        .unwrap();
    store.perform(StoreCall::Place { profile, text: "row 7".to_owned() }, at(9)).unwrap();
}

/// Everything that can be read, as one text.
fn told(store: &mut Store) -> String {
    let profile = || "acme".to_owned();
    let calls = [
        StoreCall::AccountOf { origin: purse().origin, key: key() },
        StoreCall::Basket { purse: purse().into(), side: US },
        StoreCall::Suppressions { purses: vec![purse().into()] },
        StoreCall::OpenBatches { purse: purse() },
        StoreCall::Spent { purse: purse(), window: window("writer") },
        StoreCall::Receipts { purse: purse(), month: None },
        StoreCall::Owned { purse: purse(), corpus: None },
        StoreCall::Recent { purses: vec![purse().into()], most: 9 },
        StoreCall::Shown { purses: vec![purse().into()], side: US, ids: ids([7, 700]) },
        StoreCall::SnapshotOf {
            purse: purse().into(),
            profile: profile(),
            name: "nurses".to_owned(),
            query: "workspace/us&title=nurse".to_owned(),
        },
        StoreCall::PlaceOf { profile: profile() },
    ];
    // How long ago by the machine's clock is not part of the file: another boot counts by the wall's, which is the same here.
    let told = calls.map(|call| match store.perform(call, at(80_000)).unwrap() {
        // Rows are kept since version 4.
        StoreReply::Owned(owned) => {
            let without_rows = owned.into_iter().map(|owned| Owned { row: None, ..owned });
            format!("{:#?}\n", without_rows.collect::<Vec<_>>())
        }
        StoreReply::OpenBatches(mut batches) => {
            batches.iter_mut().flat_map(|batch| &mut batch.open).for_each(|open| open.row = None);
            format!("{:#?}\n", StoreReply::OpenBatches(batches))
        }
        reply => format!("{reply:#?}\n"),
    });
    told.concat()
}

/// Writes the file of this version. Run once when a version is settled, never to make a test pass.
#[test]
#[ignore = "writes into tests/data"]
fn write_the_file_of_this_version() {
    let dir = common::folder();
    let mut store = Store::open(dir.path(), window("writer"));
    story(&mut store);
    drop(store);
    let books = rusqlite::Connection::open(dir.path().join(LEDGER_FILE)).unwrap();
    let version: i64 = books.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    let path = data().join(format!("v{version}.sqlite"));
    assert!(!path.exists(), "a file that was written once stays");
    books.execute_batch("UPDATE attempt_end SET boot = 'an earlier one'; PRAGMA journal_mode = DELETE; PRAGMA page_size = 1024; VACUUM;").unwrap();
    drop(books);
    std::fs::copy(dir.path().join(LEDGER_FILE), path).unwrap();
}

#[test]
fn every_file_that_was_ever_written_opens_and_says_the_same() {
    let mut here = common::memory::store(window("writer"));
    story(&mut here);
    let wanted = told(&mut here);
    let mut tried = 0;
    for entry in std::fs::read_dir(data()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "sqlite") {
            continue;
        }
        tried += 1;
        let dir = common::folder();
        std::fs::copy(&path, dir.path().join(LEDGER_FILE)).unwrap();
        let mut store = Store::open(dir.path(), window("reader"));
        let said = told(&mut store);
        let differs = said.lines().zip(wanted.lines()).find(|(said, wanted)| said != wanted);
        assert_eq!(differs, None, "{}", path.display());
        assert_eq!(said.len(), wanted.len());
        // And it goes on being written to.
        let lists = StoreCall::ListsSince { purses: Vec::new(), known: None };
        let Ok(StoreReply::ListsSince((revision, _))) = store.perform(lists, at(90_000)) else { panic!("no lists") };
        let next = BatchIntent { lists: revision, ..intent(&store, 50..=52) };
        assert!(intend(&mut store, next, at(90_000)).is_ok());
    }
    assert!(tried > 0);
}
