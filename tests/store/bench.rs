//! What every test of the store needs: moments, purses, intents, and the calls as functions.

pub use common::flow_simulation::staged;
use lode_core::Account;
use lode_core::Owned;
use lode_core::contact::{Contact, Corpus, RowId, Side, Source, Verification};
use lode_core::credits::Credits;
use lode_core::money::{BatchId, OrderId, Outcome};
use lode_core::purse::{Origin, Purse};
use lode_core::time::{Mono, Now, Wall};
use lode_engine::effect::profile::{KeyHash, WindowId};
use lode_engine::effect::store::*;
use lode_host::store::Store;

pub const US: Side = Side { source: Source::Workspace, corpus: Corpus::Us };

pub fn at(ms: u64) -> Now {
    Now { wall: Wall(1_800_000_000_000 + ms as i64), mono: Mono(5_000_000 + ms) }
}

pub fn window(name: &str) -> WindowId {
    WindowId(name.to_owned())
}

pub fn key() -> KeyHash {
    KeyHash("00112233aabbccdd".to_owned())
}

pub fn purse() -> Purse {
    Purse::of_org(Origin::of("http://127.0.0.1:4000"), "org_1")
}

pub fn ids(numbers: impl IntoIterator<Item = i64>) -> Vec<RowId> {
    numbers.into_iter().map(RowId).collect()
}

pub fn intent(store: &Store, numbers: impl IntoIterator<Item = i64>) -> BatchIntent {
    intent_of(&store.window().0, numbers)
}

/// What a window wants to unlock.
pub fn intent_of(name: &str, numbers: impl IntoIterator<Item = i64>) -> BatchIntent {
    let ids: Vec<i64> = numbers.into_iter().collect();
    BatchIntent {
        balance_before: Some(Credits(1_000)),
        ..common::flow_simulation::intent(purse(), key(), window(name), &ids)
    }
}

pub fn know(store: &mut Store) {
    let account = Account { org_id: "org_1".to_owned(), scopes: vec!["search".to_owned()], ..Account::default() };
    let call = StoreCall::KeepAccount { key: key(), purse: purse(), account };
    assert_eq!(store.perform(call, at(0)), Ok(StoreReply::Done(())));
}

pub fn intend(store: &mut Store, intent: BatchIntent, now: Now) -> Result<(OrderId, BatchId), IntentRefused> {
    match store.perform(StoreCall::Intend(Box::new(intent)), now).unwrap() {
        StoreReply::Intended(written) => Ok((written.order, written.batch)),
        StoreReply::IntentRefused(refused) => Err(refused),
        other => panic!("{other:?}"),
    }
}

pub fn settled(id: i64, outcome: Outcome) -> Settled {
    let contact = outcome.is_owned().then(|| Contact {
        email: format!("p{id}@lakeside.example"),
        phone: "5125550101".to_owned(),
        verification: Some(Verification::Valid),
        refunded: Some(outcome == Outcome::Refunded),
        ..Contact::default()
    });
    Settled { id: RowId(id), outcome, contact: contact.map(Box::new), evidence: None }
}

pub fn settlement(batch: BatchId, contacts: Vec<Settled>) -> Settlement {
    Settlement {
        batch,
        sent: 1,
        how: SettledBy::Answer,
        contacts,
        said: StatedSums::default(),
        stopped_for_credits: false,
    }
}

pub fn settle(store: &mut Store, batch: BatchId, contacts: Vec<Settled>, now: Now) {
    let settlement = settlement(batch, contacts);
    assert_eq!(store.perform(StoreCall::Settle(Box::new(settlement)), now), Ok(StoreReply::Done(())));
}

pub fn open_batches(store: &mut Store, now: Now) -> Vec<OpenBatch> {
    match store.perform(StoreCall::OpenBatches { purse: purse() }, now).unwrap() {
        StoreReply::OpenBatches(open) => open,
        other => panic!("{other:?}"),
    }
}

pub fn spent(store: &mut Store, now: Now) -> Spent {
    let window = store.window().clone();
    match store.perform(StoreCall::Spent { purse: purse(), window }, now).unwrap() {
        StoreReply::Spent(spent) => spent,
        other => panic!("{other:?}"),
    }
}

pub fn owned(store: &mut Store) -> Vec<Owned> {
    match store.perform(StoreCall::Owned { purse: purse(), corpus: None }, at(0)).unwrap() {
        StoreReply::Owned(owned) => owned,
        other => panic!("{other:?}"),
    }
}

pub fn basket(store: &mut Store) -> BasketState {
    match store.perform(StoreCall::Basket { purse: purse().into(), side: US }, at(0)).unwrap() {
        StoreReply::Basket(basket) => basket,
        other => panic!("{other:?}"),
    }
}

pub fn stage(store: &mut Store, numbers: impl IntoIterator<Item = i64>) -> BasketState {
    let rows = numbers.into_iter().map(staged).collect();
    let call = StoreCall::Stage { purse: purse().into(), side: US, rows };
    let StoreReply::Number(version) = store.perform(call, at(0)).unwrap() else { panic!("a version is told") };
    let basket = basket(store);
    // Another window may have changed it meanwhile.
    assert!(basket.version >= version);
    basket
}

/// The same story in a folder and in memory.
pub fn in_both(story: impl Fn(Store)) {
    let dir = common::folder();
    story(Store::open(dir.path(), window("first")));
    story(common::memory::store(window("first")));
}
