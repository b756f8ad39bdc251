//! Files that are damaged, newer or old: a sentence, and nothing lost.

use std::path::Path;

use lode_engine::effect::failure::StoreFailure;
use lode_engine::effect::profile::*;
use lode_engine::effect::store::*;
use lode_host::store::check::inspect;
use lode_host::store::{LEDGER_FILE, SLOTS, Store};

use crate::bench::*;

/// Why a batch is not written down in a ledger that can still be read. Three contacts are in its basket.
fn lost(dir: &Path) -> String {
    let mut store = Store::open(dir, window("late"));
    assert_eq!(basket(&mut store).rows.len(), 3);
    let wanted = intent(&store, 9..=9);
    match store.perform(StoreCall::Intend(Box::new(wanted)), at(9)) {
        Err(StoreFailure::Lost(words)) => words.replace(&dir.join(LEDGER_FILE).display().to_string(), "FILE"),
        other => panic!("{other:?}"),
    }
}

/// The file of a ledger with three contacts in its basket, after one more batch for each of these contacts.
fn used(dir: &Path, contacts: &[i64]) -> Vec<u8> {
    let mut store = Store::open(dir, window("first"));
    know(&mut store);
    stage(&mut store, 1..=3);
    for id in contacts {
        let wanted = intent(&store, [*id]);
        intend(&mut store, wanted, at(0)).unwrap();
    }
    drop(store);
    std::fs::read(dir.join(LEDGER_FILE)).unwrap()
}

/// Money rule 10, *one purse*: a contact that a ledger forgot could be bought again.
#[test]
fn a_ledger_that_is_older_than_its_mark_is_read_and_spends_nothing() {
    for (contacts, held, sent) in [(vec![], "no batch", 1), (vec![4], "batches up to 1", 2)] {
        let dir = common::folder();
        let earlier = used(dir.path(), &contacts);
        used(dir.path(), &[5]);
        std::fs::write(dir.path().join(LEDGER_FILE), earlier).unwrap();
        let words = format!("the ledger is older than it was: FILE holds {held}, and batch {sent} was sent");
        assert_eq!(lost(dir.path()), words);
    }
}

#[test]
fn a_ledger_in_the_place_of_another_is_read_and_spends_nothing() {
    let (dir, other) = (common::folder(), common::folder());
    used(dir.path(), &[4, 5]);
    std::fs::write(dir.path().join(LEDGER_FILE), used(other.path(), &[4, 5, 6])).unwrap();
    assert_eq!(lost(dir.path()), "FILE is not the expected ledger, which held batches up to 2");
}

#[test]
fn a_ledger_in_the_place_of_one_without_batches_is_used() {
    let (dir, other) = (common::folder(), common::folder());
    used(dir.path(), &[]);
    std::fs::write(dir.path().join(LEDGER_FILE), used(other.path(), &[4])).unwrap();
    used(dir.path(), &[5]);
}

#[test]
fn a_mark_that_cannot_be_opened_is_an_error_and_not_a_lost_ledger() {
    let dir = common::folder();
    std::fs::create_dir(dir.path().join("ledger.mark")).unwrap();
    let mut store = Store::open(dir.path(), window("first"));
    let failure = store.perform(StoreCall::Basket { purse: purse().into(), side: US }, at(0)).unwrap_err();
    assert!(matches!(failure, StoreFailure::Other(_)), "{failure:?}");
}

#[test]
fn a_batch_that_cannot_be_written_tells_why() {
    let dir = common::folder();
    let mut store = Store::open(dir.path(), window("first"));
    know(&mut store);
    let books = rusqlite::Connection::open(dir.path().join(LEDGER_FILE)).unwrap();
    books.execute_batch("CREATE TRIGGER broken BEFORE INSERT ON open_contact BEGIN SELECT json('{'); END").unwrap();
    let wanted = intent(&store, 1..=1);
    let failure = store.perform(StoreCall::Intend(Box::new(wanted)), at(0));
    assert_eq!(failure, Err(StoreFailure::Other("malformed JSON".to_owned())));
}

fn reserve(store: &mut Store) -> bool {
    let allowance = Allowance { requests: Some(120), window_ms: 60_000, in_flight: 8 };
    let reserve = StoreCall::Reserve { key: key(), allowance, window: store.window().clone() };
    matches!(store.perform(reserve, at(0)), Ok(StoreReply::Reserved { .. }))
}

#[test]
fn a_damaged_file_is_told_and_left_as_it_is() {
    let dir = common::folder();
    let garbage = b"not a database at all, but bytes of another program that must not be lost".repeat(100);
    std::fs::write(dir.path().join(LEDGER_FILE), &garbage).unwrap();
    let mut store = Store::open(dir.path(), window("first"));
    let basket = StoreCall::Basket { purse: purse().into(), side: US };
    let asked = intent(&store, 1..=1);
    for call in [basket, StoreCall::OpenBatches { purse: purse() }, StoreCall::Intend(Box::new(asked))] {
        let failure = store.perform(call, at(0)).unwrap_err();
        assert!(matches!(failure, StoreFailure::Corrupt(_)), "{failure}");
    }
    assert!(reserve(&mut store), "searching needs no state file");
    assert_eq!(std::fs::read(dir.path().join(LEDGER_FILE)).unwrap(), garbage);
    assert!(matches!(inspect(dir.path(), 0), Err(StoreFailure::Corrupt(_))));
}

#[test]
fn a_page_damaged_in_the_middle_is_told() {
    let dir = common::folder();
    let mut store = Store::open(dir.path(), window("first"));
    know(&mut store);
    stage(&mut store, 1..=400);
    drop(store);
    let path = dir.path().join(LEDGER_FILE);
    let mut bytes = std::fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    assert!(matches!(inspect(dir.path(), 0), Err(StoreFailure::Corrupt(_))));
    let mut store = Store::open(dir.path(), window("second"));
    let basket = StoreCall::Basket { purse: purse().into(), side: US };
    assert!(matches!(store.perform(basket, at(0)), Err(StoreFailure::Corrupt(_))));
}

#[test]
fn a_damaged_allowance_starts_again() {
    let dir = common::folder();
    std::fs::write(dir.path().join(SLOTS), b"half a page".repeat(1_000)).unwrap();
    let mut store = Store::open(dir.path(), window("first"));
    assert!(reserve(&mut store));
    know(&mut store);
}

/// Two windows that each count for themselves would send twice what the key may.
#[test]
fn an_allowance_that_fails_without_being_damaged_is_not_replaced() {
    let dir = common::folder();
    let counts = rusqlite::Connection::open(dir.path().join(SLOTS)).unwrap();
    counts
        .execute_batch(
            "CREATE TABLE boot (one INTEGER PRIMARY KEY, id TEXT NOT NULL);
             CREATE TRIGGER broken BEFORE INSERT ON boot BEGIN SELECT json('{'); END",
        )
        .unwrap();
    let mut store = Store::open(dir.path(), window("first"));
    assert!(!reserve(&mut store));
    counts.execute_batch("DROP TRIGGER broken").unwrap();
    assert!(reserve(&mut store));
    assert_eq!(counts.query_row("SELECT count(*) FROM slot", [], |row| row.get(0)), Ok(1), "in the same file");
}

#[test]
fn a_ledger_without_a_column_or_a_table_is_damaged() {
    for (sql, words) in [
        ("ALTER TABLE basket RENAME COLUMN email TO other", "no such column: email"),
        ("ALTER TABLE basket RENAME TO other", "no such table: basket"),
    ] {
        let dir = common::folder();
        know(&mut Store::open(dir.path(), window("first")));
        rusqlite::Connection::open(dir.path().join(LEDGER_FILE)).unwrap().execute_batch(sql).unwrap();
        let mut store = Store::open(dir.path(), window("second"));
        let found = store.perform(StoreCall::Basket { purse: purse().into(), side: US }, at(0));
        assert_eq!(found, Err(StoreFailure::Corrupt(words.to_owned())));
    }
}

/// The store's thread would wait for the lock that it holds itself: every later call of the window with it.
#[test]
fn an_allowance_that_cannot_be_opened_is_tried_again_and_does_not_wait_for_its_own_lock() {
    let (dir, counters) = (common::folder(), common::folder());
    let in_the_way = counters.path().join(SLOTS);
    std::fs::create_dir(&in_the_way).unwrap();
    let mut store = Store::open(dir.path(), window("first")).counting_for_the_machine(Some(counters.path()));
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let tries = [reserve(&mut store), reserve(&mut store)];
        std::fs::remove_dir(in_the_way).unwrap();
        tell.send((tries, reserve(&mut store))).unwrap();
    });
    assert_eq!(told.recv_timeout(std::time::Duration::from_secs(30)), Ok(([false, false], true)));
}

#[test]
fn a_newer_file_is_not_touched() {
    let dir = common::folder();
    know(&mut Store::open(dir.path(), window("first")));
    let books = rusqlite::Connection::open(dir.path().join(LEDGER_FILE)).unwrap();
    books.execute_batch("PRAGMA user_version = 9999").unwrap();
    let mut store = Store::open(dir.path(), window("second"));
    let failure = store.perform(StoreCall::AccountOf { origin: purse().origin, key: key() }, at(0)).unwrap_err();
    assert_eq!(failure, StoreFailure::Newer);
    assert_eq!(inspect(dir.path(), 0), Err(StoreFailure::Newer));
    assert!(reserve(&mut store));
}
