//! The store through its one door, on real folders and in memory: what is kept, what is refused, and who frees whom.

use bytes::Bytes;
use lode::domain::account::Account;
use lode::domain::contact::{Contact, Corpus, Owned, RowId, Side, Source, Verification};
use lode::domain::credits::Credits;
use lode::domain::money::{BatchId, Caps, Clue, OrderId, Outcome, Purse, Staged};
use lode::domain::time::{Mono, Now, Wall};
use lode::effect::profile::{Allowance, KeyHash, WindowId};
use lode::effect::store::*;
use lode::shell::store::Store;

fn at(ms: u64) -> Now {
    Now { wall: Wall(1_800_000_000_000 + ms as i64), mono: Mono(5_000_000 + ms) }
}

fn window(name: &str) -> WindowId {
    WindowId(name.to_owned())
}

fn key() -> KeyHash {
    KeyHash("00112233aabbccdd".to_owned())
}

fn purse() -> Purse {
    Purse { origin: "http://127.0.0.1:4000".to_owned(), org: "org_1".to_owned() }
}

fn us() -> Side {
    Side { source: Source::Workspace, corpus: Corpus::Us }
}

fn staged(id: i64) -> Staged {
    Staged {
        id: RowId(id),
        ours: false,
        email: format!("p{id}•••@lakeside.example"),
        phone: "512•••01".to_owned(),
        name: format!("Person {id}"),
        company: "Lakeside".to_owned(),
        email_status: "valid".to_owned(),
        clue: Clue {
            title: "Director".to_owned(),
            search: Some("workspace/us&title=director".to_owned()),
            ..Clue::default()
        },
        row: format!("{{\"id\":{id}}}"),
    }
}

fn ids(numbers: impl IntoIterator<Item = i64>) -> Vec<RowId> {
    numbers.into_iter().map(RowId).collect()
}

fn intent(store: &Store, numbers: impl IntoIterator<Item = i64>) -> Intent {
    let ids = ids(numbers);
    Intent {
        order: None,
        purse: purse(),
        key: key(),
        profile: "acme".to_owned(),
        window: store.window().clone(),
        corpus: Corpus::Us,
        asked: ids.len() as u64,
        verify: true,
        ceiling: Credits::for_contacts(ids.len()),
        caps: Caps::default(),
        basket: None,
        balance_before: Some(Credits(1_000)),
        clues: Vec::new(),
        again: None,
        ids,
    }
}

fn know(store: &mut Store) {
    let account = Account { org_id: "org_1".to_owned(), scopes: vec!["search".to_owned()], ..Account::default() };
    let call = StoreCall::Know { key: key(), purse: purse(), account };
    assert_eq!(store.perform(call, at(0)), Ok(StoreReply::Done));
}

fn intend(store: &mut Store, intent: Intent, now: Now) -> Result<(OrderId, BatchId), IntentRefused> {
    match store.perform(StoreCall::Intend(Box::new(intent)), now).unwrap() {
        StoreReply::Intended { order, batch } => Ok((order, batch)),
        StoreReply::IntentRefused(refused) => Err(refused),
        other => panic!("{other:?}"),
    }
}

fn settled(id: i64, outcome: Outcome) -> Settled {
    let contact = outcome.is_ours().then(|| Contact {
        email: format!("p{id}@lakeside.example"),
        phone: "5125550101".to_owned(),
        verification: Some(Verification::Valid),
        refunded: Some(outcome == Outcome::Refunded),
        ..Contact::default()
    });
    Settled { id: RowId(id), outcome, contact, evidence: None }
}

fn settle(store: &mut Store, batch: BatchId, contacts: Vec<Settled>, now: Now) {
    let settlement =
        Settlement { batch, how: How::Answer, contacts, said: Said::default(), stopped_for_credits: false };
    assert_eq!(store.perform(StoreCall::Settle(Box::new(settlement)), now), Ok(StoreReply::Done));
}

fn open_batches(store: &mut Store, now: Now) -> Vec<OpenBatch> {
    match store.perform(StoreCall::OpenBatches { purse: purse() }, now).unwrap() {
        StoreReply::OpenBatches(open) => open,
        other => panic!("{other:?}"),
    }
}

fn spent(store: &mut Store, now: Now) -> Spent {
    let window = store.window().clone();
    match store.perform(StoreCall::Spent { purse: purse(), window }, now).unwrap() {
        StoreReply::Spent(spent) => spent,
        other => panic!("{other:?}"),
    }
}

fn owned(store: &mut Store) -> Vec<Owned> {
    match store.perform(StoreCall::Owned { purse: purse(), corpus: None }, at(0)).unwrap() {
        StoreReply::Owned(owned) => owned,
        other => panic!("{other:?}"),
    }
}

fn basket(store: &mut Store) -> BasketState {
    match store.perform(StoreCall::Basket { profile: "acme".to_owned(), side: us() }, at(0)).unwrap() {
        StoreReply::Basket(basket) => basket,
        other => panic!("{other:?}"),
    }
}

fn stage(store: &mut Store, numbers: impl IntoIterator<Item = i64>) -> BasketState {
    let rows = numbers.into_iter().map(staged).collect();
    match store.perform(StoreCall::Stage { profile: "acme".to_owned(), side: us(), rows }, at(0)).unwrap() {
        StoreReply::Basket(basket) => basket,
        other => panic!("{other:?}"),
    }
}

/// The same story in a folder and in memory.
fn in_both(story: impl Fn(Store)) {
    let dir = tempfile::tempdir().unwrap();
    story(Store::open(dir.path(), window("first")));
    story(Store::open_in_memory(window("first")));
}

#[test]
fn an_unlock_from_intent_to_receipt() {
    in_both(|mut store| {
        know(&mut store);
        let version = stage(&mut store, 1..=4).version;
        let mut first = intent(&store, 1..=4);
        first.basket = Some(BasketGuard { version: Some(version) });
        first.clues = vec![(RowId(1), staged(1).clue)];
        let (order, batch) = intend(&mut store, first, at(10)).unwrap();
        assert_eq!(spent(&mut store, at(10)).held, Credits(4));
        assert!(open_batches(&mut store, at(10))[0].in_flight);

        let body = Bytes::from_static(b"{\"ok\":true}");
        let heard = StoreCall::Heard { batch, status: 200, body: body.clone() };
        assert_eq!(store.perform(heard, at(20)), Ok(StoreReply::Done));
        assert_eq!(open_batches(&mut store, at(20))[0].heard, [(200, body)]);
        let contacts = vec![
            settled(1, Outcome::Unlocked),
            settled(2, Outcome::Refunded),
            settled(3, Outcome::Missing),
            settled(4, Outcome::Locked),
        ];
        settle(&mut store, batch, contacts, at(30));

        assert_eq!(open_batches(&mut store, at(30)), []);
        assert_eq!(basket(&mut store).rows, [staged(4)], "what is ours or missing leaves, what is locked stays");
        let now = spent(&mut store, at(30));
        assert_eq!((now.session, now.session_net, now.day, now.held), (Credits(2), Credits(1), Credits(2), Credits(0)));
        assert_eq!((now.charged_ever, now.refunded_ever), (2, 1));
        let ours = owned(&mut store);
        assert_eq!(ours.iter().map(|owned| owned.id.0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(ours[0].order, Some(order));
        assert_eq!(ours[0].search.as_deref(), Some("workspace/us&title=director"));
        let receipts = store.perform(StoreCall::Receipts { purse: purse(), month: None }, at(40)).unwrap();
        let StoreReply::Receipts(receipts) = receipts else { panic!("{receipts:?}") };
        let tally = receipts[0].tally;
        assert_eq!((tally.asked, tally.charged, tally.refunded, tally.missing, tally.locked), (4, 2, 1, 1, 1));
        assert_eq!(receipts[0].calls, 1);
    });
}

#[test]
fn slots_free_one_window_after_the_answer() {
    in_both(|mut store| {
        let allowance = Allowance { requests: Some(2), window_ms: 60_000, in_flight: 8 };
        let reserve = |store: &mut Store, now| {
            let window = store.window().clone();
            store.perform(StoreCall::Reserve { key: key(), allowance, window }, now).unwrap()
        };
        let StoreReply::Reserved { slot, .. } = reserve(&mut store, at(0)) else { panic!() };
        let StoreReply::Reserved { gauge, .. } = reserve(&mut store, at(0)) else { panic!() };
        assert_eq!(gauge.in_flight, 2);
        let StoreReply::Wait { until, .. } = reserve(&mut store, at(0)) else { panic!() };
        assert_eq!(until, Mono(at(0).mono.0 + 60_001), "none can be free before one was answered and a window passed");
        store.perform(StoreCall::Release { slot, key: key(), allowance }, at(500)).unwrap();
        let StoreReply::Wait { until, gauge } = reserve(&mut store, at(600)) else { panic!() };
        assert_eq!((until, gauge.in_flight), (Mono(at(500).mono.0 + 60_001), 1));
        let StoreReply::Wait { .. } = reserve(&mut store, at(60_500)) else { panic!("a millisecond early") };
        let StoreReply::Reserved { .. } = reserve(&mut store, at(60_501)) else { panic!() };
    });
}

/// What the allowance and a new memory cost. Run with `--ignored --nocapture`.
#[test]
#[ignore = "prints timings"]
fn timings() {
    let times = |name: &str, count: u32, mut work: Box<dyn FnMut(u32)>| {
        let start = std::time::Instant::now();
        for turn in 0..count {
            work(turn);
        }
        println!("{name}: {:.1} µs each", start.elapsed().as_secs_f64() * 1e6 / f64::from(count));
    };
    times(
        "memory store with its first two calls",
        200,
        Box::new(|turn| {
            let mut store = Store::open_in_memory(window(&format!("w{turn}")));
            know(&mut store);
            let two = intent(&store, 1..=2);
            intend(&mut store, two, at(1)).unwrap();
        }),
    );
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), window("first"));
    let allowance = Allowance { requests: Some(120), window_ms: 60_000, in_flight: 8 };
    know(&mut store);
    times(
        "reserve and release, full window",
        2_000,
        Box::new(move |turn| {
            let now = at(u64::from(turn) * 510);
            let window = store.window().clone();
            let reserve = StoreCall::Reserve { key: key(), allowance, window };
            let StoreReply::Reserved { slot, .. } = store.perform(reserve, now).unwrap() else { panic!("turn {turn}") };
            store.perform(StoreCall::Release { slot, key: key(), allowance }, now).unwrap();
        }),
    );
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(dir.path(), window("first"));
    know(&mut store);
    times(
        "intend, hear, settle 25 contacts",
        100,
        Box::new(move |turn| {
            let range = i64::from(turn) * 25..i64::from(turn) * 25 + 25;
            let next = intent(&store, range.clone());
            let (_, batch) = intend(&mut store, next, at(1)).unwrap();
            let body = Bytes::from(vec![b'x'; 6_000]);
            store.perform(StoreCall::Heard { batch, status: 200, body }, at(2)).unwrap();
            settle(&mut store, batch, range.map(|id| settled(id, Outcome::Unlocked)).collect(), at(3));
        }),
    );
}
