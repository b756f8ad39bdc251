//! Files that are damaged, newer or old: a sentence, and nothing lost.

use lode_engine::effect::failure::StoreFailure;
use lode_engine::effect::profile::*;
use lode_engine::effect::store::*;
use lode_host::store::check::inspect;
use lode_host::store::{LEDGER_FILE, SLOTS, Store};

use crate::bench::*;

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
