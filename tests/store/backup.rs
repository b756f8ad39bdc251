//! Backup and restore of a ledger: a backup that forgets something is refused, and a batch number is never given out twice.

use std::path::{Path, PathBuf};

use lode_core::money::{BatchId, Outcome};
use lode_engine::effect::failure::StoreFailure;
use lode_engine::effect::store::{BatchIntent, StoreCall};
use lode_host::store::backup::{back_up, restore};
use lode_host::store::{LEDGER_FILE, Store};

use crate::bench::*;

/// A ledger in a folder, and backups beside it.
fn opened(dir: &Path) -> Store {
    let mut store = Store::open(&dir.join("state"), window("first"));
    know(&mut store);
    store
}

fn backup(dir: &Path, name: &str) -> PathBuf {
    let to = dir.join(name);
    back_up(&dir.join("state"), &to).unwrap();
    to
}

fn refused(dir: &Path, backup: &Path) -> String {
    match restore(&dir.join("state"), backup, false) {
        Err(StoreFailure::Lost(words)) => words,
        other => panic!("{other:?}"),
    }
}

/// A batch of two contacts.
fn bought(store: &mut Store, first: i64, ms: u64) -> BatchId {
    let wanted = intent(store, first..=first + 1);
    let (_, batch) = intend(store, wanted, at(ms)).unwrap();
    settle(store, batch, vec![settled(first, Outcome::Unlocked), settled(first + 1, Outcome::Missing)], at(ms + 1));
    batch
}

#[test]
fn a_backup_that_forgets_something_needs_a_yes() {
    let dir = common::folder();
    let (dir, mut store) = (dir.path(), opened(dir.path()));
    let state = dir.join("state");
    let wanted = intent(&store, 1..=2);
    let (_, batch) = intend(&mut store, wanted, at(0)).unwrap();
    let open = backup(dir, "open");
    settle(&mut store, batch, vec![settled(1, Outcome::Unlocked), settled(2, Outcome::Missing)], at(1));
    let whole = backup(dir, "settled");
    drop(store);
    assert_eq!(refused(dir, &open), "the backup is older: results that are known here are not in it");
    let aside = restore(&state, &whole, false).unwrap();
    assert_eq!(aside, Some(state.join("lode.sqlite3.replaced-1")), "a backup of all there is forgets nothing");

    let mut store = opened(dir);
    assert_eq!(bought(&mut store, 3, 10), BatchId(2));
    drop(store);
    assert_eq!(refused(dir, &whole), "the backup is older: it ends at batch 1, and batch 2 was sent");
    // The mark beside the ledger knows of the second batch, also after the ledger itself is gone.
    std::fs::rename(state.join(LEDGER_FILE), dir.join("gone")).unwrap();
    assert_eq!(refused(dir, &whole), "the backup is older: it ends at batch 1, and batch 2 was sent");
    assert_eq!(restore(&state, &whole, true).unwrap(), None);
    let mut store = opened(dir);
    assert_eq!(owned(&mut store).len(), 1, "what the second batch bought is not in the backup");
    assert_eq!(bought(&mut store, 5, 20), BatchId(3), "the number of the forgotten batch is not used again");
}

#[test]
fn a_backup_from_before_a_second_sending_is_older() {
    let dir = common::folder();
    let mut store = opened(dir.path());
    let wanted = intent(&store, 1..=2);
    let (order, batch) = intend(&mut store, wanted.clone(), at(0)).unwrap();
    store.perform(StoreCall::Lost { batch, words: String::new() }, at(1)).unwrap();
    let once = backup(dir.path(), "once");
    let again = BatchIntent { again: Some(batch), sent: 1, order: Some(order), ..wanted };
    intend(&mut store, again, at(2)).unwrap();
    drop(store);
    assert_eq!(refused(dir.path(), &once), "the backup is older: results that are known here are not in it");
}

#[test]
fn a_backup_of_another_ledger_needs_a_yes_where_something_was_bought() {
    let (here, there) = (common::folder(), common::folder());
    let mut store = opened(there.path());
    bought(&mut store, 1, 0);
    let foreign = backup(there.path(), "foreign");
    let mut store = opened(here.path());
    drop(store.beside(window("other")));
    bought(&mut store, 1, 0);
    drop(store);
    let words = "the backup belongs to another ledger; the current one holds batches up to 1";
    assert_eq!(refused(here.path(), &foreign), words);
    // Without a batch, nothing is forgotten.
    let empty = common::folder();
    drop(opened(empty.path()));
    assert!(restore(&empty.path().join("state"), &foreign, false).unwrap().is_some());
}

/// Both ledgers number their batches from one: an answer must not be read for a batch of the other.
#[test]
fn answers_that_wait_go_with_their_own_ledger() {
    let (here, there) = (common::folder(), common::folder());
    bought(&mut opened(there.path()), 1, 0);
    let foreign = backup(there.path(), "foreign");
    let (mut store, state) = (opened(here.path()), here.path().join("state"));
    let wanted = intent(&store, 1..=2);
    let (_, batch) = intend(&mut store, wanted, at(0)).unwrap();
    let body = bytes::Bytes::from_static(b"{}");
    store.perform(StoreCall::KeepAnswer { batch, status: 200, body }, at(1)).unwrap();
    let own = backup(here.path(), "own");
    drop(store);
    let kept = |folder: &str| std::fs::read_dir(state.join(folder)).map_or(0, Iterator::count);
    let waiting = kept("answers");
    assert!(waiting > 0);
    restore(&state, &own, false).unwrap();
    assert_eq!(kept("answers"), waiting);
    restore(&state, &foreign, true).unwrap();
    assert_eq!((kept("answers"), kept("answers.replaced-1")), (0, waiting));
}

#[test]
fn no_ledger_is_restored_while_windows_use_it() {
    let dir = common::folder();
    let mut store = opened(dir.path());
    let whole = backup(dir.path(), "whole");
    let words = || match restore(&dir.path().join("state"), &whole, true) {
        Err(StoreFailure::Other(words)) => words,
        other => panic!("{other:?}"),
    };
    assert_eq!(words(), "a lode window is using this ledger: close it first");
    let mut other = store.beside(window("other"));
    assert_eq!(owned(&mut other), []);
    assert_eq!(words(), "2 lode windows are using this ledger: close them first");
    assert_eq!(owned(&mut store), []);
}

/// A link that leads nowhere looks like a free name until something is written there.
#[test]
fn a_backup_never_takes_the_place_of_anything() {
    let dir = common::folder();
    bought(&mut opened(dir.path()), 1, 0);
    let (state, link) = (dir.path().join("state"), dir.path().join("link"));
    std::os::unix::fs::symlink(dir.path().join("nowhere"), &link).unwrap();
    assert!(back_up(&state, &link).is_err());
    assert!(link.is_symlink() && !link.exists());
    let whole = backup(dir.path(), "whole");
    assert_eq!(back_up(&state, &whole), Err(StoreFailure::Other(format!("{} already exists", whole.display()))));
}
