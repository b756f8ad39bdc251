//! What belongs to a purse stays with it: through new keys, other spellings of the address, and the migration of ledgers that
//! kept it under profiles.

use std::path::Path;

use lode_core::Account;
use lode_core::credits::Credits;
use lode_core::money::*;
use lode_core::purse::{KeyHash, Origin, Purse, PurseRef};
use lode_core::suppress::SuppressEntry;
use lode_engine::effect::store::*;
use lode_host::store::{LEDGER_FILE, Store, fresh_window};

use crate::bench::*;

fn rows(store: &mut Store, purse: &PurseRef) -> Vec<i64> {
    match store.perform(StoreCall::Basket { purse: purse.clone(), side: US }, at(0)).unwrap() {
        StoreReply::Basket(basket) => basket.rows.iter().map(|row| row.id.0).collect(),
        other => panic!("{other:?}"),
    }
}

fn put(store: &mut Store, purse: &PurseRef, numbers: impl IntoIterator<Item = i64>) {
    let rows = numbers.into_iter().map(staged).collect();
    store.perform(StoreCall::Stage { purse: purse.clone(), side: US, rows }, at(0)).unwrap();
}

fn suppress(store: &mut Store, purse: &PurseRef, domain: &str) {
    let entries = vec![SuppressEntry::Domain(domain.to_owned())];
    store.perform(StoreCall::Suppress { purse: purse.clone(), list: domain.to_owned(), entries }, at(0)).unwrap();
}

fn lists(store: &mut Store, purses: Vec<PurseRef>) -> Vec<String> {
    match store.perform(StoreCall::Suppressions { purses }, at(0)).unwrap() {
        StoreReply::Suppressions(lists) => lists.into_iter().map(|list| list.list).collect(),
        other => panic!("{other:?}"),
    }
}

fn name(store: &mut Store, key: &KeyHash, org: &str) {
    let purse = Purse::of_org(purse().origin, org);
    let account = Account { org_id: org.to_owned(), ..Account::default() };
    store.perform(StoreCall::KeepAccount { key: key.clone(), purse, account }, at(0)).unwrap();
}

#[test]
fn what_stands_under_a_new_key_is_merged_and_another_organization_takes_nothing() {
    let mut store = common::memory::store(window("one"));
    let new = KeyHash("ffffffffffffffff".to_owned());
    let behind = PurseRef::Behind { origin: purse().origin, key: new.clone() };
    stage(&mut store, 1..=2);
    put(&mut store, &behind, 2..=4);
    suppress(&mut store, &behind, "quit.example");
    assert_eq!(rows(&mut store, &behind), [2, 3, 4]);
    assert_eq!(rows(&mut store, &purse().into()), [1, 2]);
    let quoted = basket(&mut store).version;
    name(&mut store, &new, "org_1");
    assert_eq!(rows(&mut store, &purse().into()), [1, 2, 3, 4]);
    assert_eq!(rows(&mut store, &behind), [1, 2, 3, 4], "the key means that purse from now on");
    assert!(basket(&mut store).version > quoted, "a quote from before is not of this basket");
    assert_eq!(lists(&mut store, vec![purse().into()]), ["quit.example"]);
    name(&mut store, &new, "org_2");
    assert!(rows(&mut store, &behind).is_empty());
    assert!(lists(&mut store, vec![behind]).is_empty());
    assert_eq!(rows(&mut store, &purse().into()), [1, 2, 3, 4], "and nothing was moved");
}

/// What was checked against the lists is checked again after they changed, and only then.
#[test]
fn a_merge_changes_the_lists_only_where_it_moves_one() {
    let mut store = common::memory::store(window("one"));
    let merged = |store: &mut Store, name: &str, suppressed: bool| {
        let key = KeyHash(name.to_owned());
        let behind = PurseRef::Behind { origin: purse().origin, key: key.clone() };
        put(store, &behind, 1..=2);
        if suppressed {
            suppress(store, &behind, "quit.example");
        }
        let [before, after] = [false, true].map(|named| {
            if named {
                self::name(store, &key, "org_1");
            }
            let call = StoreCall::ListsSince { purses: Vec::new(), known: None };
            let Ok(StoreReply::ListsSince((revision, _))) = store.perform(call, at(0)) else { panic!("no lists") };
            revision
        });
        after - before
    };
    assert_eq!(merged(&mut store, "aa", false), 0);
    assert_eq!(merged(&mut store, "bb", true), 1);
}

#[test]
fn the_same_key_at_two_services_means_two_purses() {
    let mut store = common::memory::store(window("one"));
    know(&mut store);
    let there = Purse::of_org(Origin::of("https://other.example"), "org_1");
    let call = StoreCall::KeepAccount { key: key(), purse: there.clone(), account: Account::default() };
    store.perform(call, at(0)).unwrap();
    // Each of them may spend, and neither from the other's basket.
    stage(&mut store, 1..=2);
    let guard = Some(BasketGuard { version: None });
    let elsewhere = BatchIntent { purse: there, basket: guard.clone(), ..intent(&store, 1..=1) };
    assert_eq!(intend(&mut store, elsewhere, at(0)), Err(IntentRefused::BasketChanged));
    let here = BatchIntent { basket: guard, ..intent(&store, 1..=1) };
    assert!(intend(&mut store, here, at(0)).is_ok());
}

#[test]
fn a_session_is_a_run_whatever_it_opens() {
    let (first, second) = (fresh_window(), fresh_window());
    assert_ne!(first, second);
    assert_eq!(first.run(), second.run());
    let mut store = common::memory::store(first.clone());
    know(&mut store);
    let caps = Caps { session: Some(Credits(3)), ..Caps::default() };
    let bought = BatchIntent { caps, ..intent_of(&first.0, 1..=2) };
    let (_, batch) = intend(&mut store, bought, at(0)).unwrap();
    settle(&mut store, batch, (1..=2).map(|id| settled(id, Outcome::Unlocked)).collect(), at(1));
    let mut again = store.beside(second.clone());
    assert_eq!(spent(&mut again, at(2)).session, Credits(2));
    let held = BatchIntent { caps, ..intent_of(&second.0, 3..=3) };
    intend(&mut again, held, at(2)).unwrap();
    let more = BatchIntent { caps, ..intent_of(&first.0, 4..=4) };
    let (which, cap, used, held) = (CapKind::Session, Credits(3), Credits(2), Credits(1));
    assert_eq!(intend(&mut store, more, at(3)), Err(IntentRefused::Cap { which, cap, used, held }));
    let mut other = store.beside(window("another run"));
    assert_eq!(spent(&mut other, at(4)).session, Credits(0));
}

/// A ledger of the version before purses, changed by a statement.
fn earlier(dir: &Path, sql: &str) -> Store {
    let file = dir.join(LEDGER_FILE);
    std::fs::copy(common::root().join("tests/data/v2.sqlite"), &file).unwrap();
    rusqlite::Connection::open(&file).unwrap().execute_batch(sql).unwrap();
    Store::open(dir, window("reader"))
}

fn acme() -> PurseRef {
    PurseRef::Earlier { profile: "acme".to_owned() }
}

#[test]
fn rows_of_an_earlier_version_whose_purse_is_not_certain_wait_for_their_owner() {
    for sql in [
        "DELETE FROM profile_purse",
        "INSERT INTO purse VALUES (9, 'https://other.example', 'org_9'); INSERT INTO profile_purse VALUES ('acme', 9)",
    ] {
        let dir = common::folder();
        let mut store = earlier(dir.path(), sql);
        assert!(rows(&mut store, &purse().into()).is_empty(), "{sql}");
        assert_eq!(rows(&mut store, &acme()), [4, 5, 6]);
        let guard = Some(BasketGuard { version: None });
        let bought = BatchIntent { basket: guard, ..intent(&store, 6..=6) };
        assert_eq!(intend(&mut store, bought.clone(), at(90_000)), Err(IntentRefused::BasketChanged));
        // Its lists apply to every purse of the profile, before and after.
        let all = || vec![purse().into(), acme()];
        assert_eq!(lists(&mut store, all()), ["dnc.csv"]);
        let assign = StoreCall::Assign { profile: "acme".to_owned(), purse: purse() };
        assert_eq!(store.perform(assign, at(90_000)), Ok(StoreReply::Number(3)));
        assert_eq!(rows(&mut store, &purse().into()), [4, 5, 6]);
        assert!(rows(&mut store, &acme()).is_empty());
        assert_eq!(lists(&mut store, all()), ["dnc.csv"]);
        assert!(intend(&mut store, bought, at(90_000)).is_ok());
    }
}

#[test]
fn purses_that_differed_by_spelling_only_become_one() {
    let dir = common::folder();
    // The same service under its other name, with a contact of its own and one that both know.
    let sql = "INSERT INTO purse VALUES (9, 'http://localhost:4000', 'org_1');
        INSERT INTO owned SELECT 9, corpus, id + 100, email, phone, contact_name, company_name, title, verification, refunded,
            unlocked_at, NULL, NULL FROM owned WHERE id = 1;
        INSERT INTO owned SELECT 9, corpus, id, email, phone, contact_name, company_name, title, verification, refunded,
            unlocked_at, NULL, NULL FROM owned WHERE id = 2;
        INSERT INTO profile_purse VALUES ('acme', 9)";
    let mut store = earlier(dir.path(), sql);
    let all: Vec<i64> = owned(&mut store).iter().map(|owned| owned.id.0).collect();
    let mut sorted = all.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 2, 101]);
    assert_eq!(rows(&mut store, &purse().into()), [4, 5, 6], "and the profile has exactly one");
    let ledger = rusqlite::Connection::open(dir.path().join(LEDGER_FILE)).unwrap();
    let change = ledger.execute("UPDATE batch SET corpus = 1", []);
    assert!(change.unwrap_err().to_string().contains("never changed"));
}
