//! What the store costs. Printed on request.

use bytes::Bytes;
use lode_core::money::*;
use lode_engine::effect::profile::*;
use lode_engine::effect::store::*;
use lode_host::store::Store;

use crate::bench::*;

/// What the allowance and a new memory cost. Run with `--ignored --nocapture`.
#[test]
#[ignore = "prints timings"]
fn timings() {
    let times = |name: &str, count: u32, mut work: Box<dyn FnMut(u32)>| {
        let start = std::time::Instant::now();
        for round in 0..count {
            work(round);
        }
        println!("{name}: {:.1} µs each", start.elapsed().as_secs_f64() * 1e6 / f64::from(count));
    };
    times(
        "memory store with its first two calls",
        200,
        Box::new(|round| {
            let mut store = common::memory::store(window(&format!("w{round}")));
            know(&mut store);
            let two = intent(&store, 1..=2);
            intend(&mut store, two, at(1)).unwrap();
        }),
    );
    let dir = common::folder();
    let mut store = Store::open(dir.path(), window("first"));
    let allowance = Allowance { requests: Some(120), window_ms: 60_000, in_flight: 8 };
    know(&mut store);
    times(
        "reserve and release, full window",
        2_000,
        Box::new(move |round| {
            let now = at(u64::from(round) * 510);
            let window = store.window().clone();
            let reserve = StoreCall::Reserve { key: key(), allowance, window };
            let StoreReply::Reserved { slot, .. } = store.perform(reserve, now).unwrap() else {
                panic!("round {round}")
            };
            store.perform(StoreCall::Release { slot, allowance }, now).unwrap();
        }),
    );
    let dir = common::folder();
    let mut store = Store::open(dir.path(), window("first"));
    know(&mut store);
    times(
        "intend, hear, settle 25 contacts",
        100,
        Box::new(move |round| {
            let range = i64::from(round) * 25..i64::from(round) * 25 + 25;
            let next = intent(&store, range.clone());
            let (_, batch) = intend(&mut store, next, at(1)).unwrap();
            let body = Bytes::from(vec![b'x'; 6_000]);
            store.perform(StoreCall::KeepAnswer { batch, status: 200, body }, at(2)).unwrap();
            settle(&mut store, batch, range.map(|id| settled(id, Outcome::Unlocked)).collect(), at(3));
        }),
    );
}
