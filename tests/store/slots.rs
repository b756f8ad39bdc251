//! The allowance of a key, over windows, restarts and boots.

use std::time::Duration;

use lode_core::time::*;
use lode_engine::effect::profile::*;
use lode_engine::effect::store::*;
use lode_host::store::Store;

use crate::bench::*;

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
        store.perform(StoreCall::Release { slot, allowance }, at(500)).unwrap();
        let StoreReply::Wait { until, gauge } = reserve(&mut store, at(600)) else { panic!() };
        assert_eq!((until, gauge.in_flight), (Mono(at(500).mono.0 + 60_001), 1));
        let StoreReply::Wait { .. } = reserve(&mut store, at(60_500)) else { panic!("a millisecond early") };
        let StoreReply::Reserved { .. } = reserve(&mut store, at(60_501)) else { panic!() };
    });
}

const TWO: Allowance = Allowance { requests: Some(2), window_ms: 60_000, in_flight: 8 };

fn reserve(store: &mut Store, allowance: Allowance, now: Now) -> StoreReply {
    let window = store.window().clone();
    store.perform(StoreCall::Reserve { key: key(), allowance, window }, now).unwrap()
}

fn slot(store: &mut Store, allowance: Allowance, now: Now) -> SlotId {
    match reserve(store, allowance, now) {
        StoreReply::Reserved { slot, .. } => slot,
        other => panic!("{other:?}"),
    }
}

fn wait(store: &mut Store, allowance: Allowance, now: Now) -> (u64, Gauge) {
    match reserve(store, allowance, now) {
        StoreReply::Wait { until, gauge } => (until.0 - at(0).mono.0, gauge),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_slots_of_a_dead_window_free_one_window_after_that_is_noticed() {
    in_both(|mut store| {
        let mut other = store.beside(window("other"));
        slot(&mut other, TWO, at(0));
        slot(&mut other, TWO, at(0));
        let (_, gauge) = wait(&mut store, TWO, at(100));
        assert_eq!((gauge.in_flight, gauge.frees.len()), (2, 0), "it lives: its requests are on their way");
        drop(other);
        let (until, gauge) = wait(&mut store, TWO, at(200));
        assert_eq!((until, gauge.in_flight, gauge.frees.len()), (60_201, 0, 2));
        assert!(matches!(reserve(&mut store, TWO, at(60_201)), StoreReply::Reserved { .. }));
    });
}

#[test]
fn a_pause_keeps_every_window_waiting_and_never_shrinks() {
    in_both(|mut store| {
        let mut other = store.beside(window("other"));
        store.perform(StoreCall::Pause { key: key(), wait: Duration::from_secs(23) }, at(0)).unwrap();
        store.perform(StoreCall::Pause { key: key(), wait: Duration::from_secs(5) }, at(10)).unwrap();
        let (until, gauge) = wait(&mut other, TWO, at(20));
        assert_eq!((until, gauge.paused_until), (23_000, Some(Mono(at(23_000).mono.0))));
        let other_key = StoreCall::Reserve { key: KeyHash("ffff".to_owned()), allowance: TWO, window: window("other") };
        assert!(matches!(other.perform(other_key, at(20)), Ok(StoreReply::Reserved { .. })), "a pause is one key's");
        assert!(matches!(reserve(&mut other, TWO, at(23_000)), StoreReply::Reserved { .. }));
    });
}

#[test]
fn few_at_a_time_where_no_limit_is_stated() {
    let unstated = Allowance { requests: None, window_ms: 60_000, in_flight: 2 };
    in_both(|mut store| {
        let first = slot(&mut store, unstated, at(0));
        slot(&mut store, unstated, at(0));
        assert_eq!(wait(&mut store, unstated, at(1)).0, 101, "it looks again a tenth of a second later");
        store.perform(StoreCall::Release { slot: first, allowance: unstated }, at(2)).unwrap();
        for round in 0..300 {
            let slot = slot(&mut store, unstated, at(3 + round));
            store.perform(StoreCall::Release { slot, allowance: unstated }, at(3 + round)).unwrap();
        }
    });
}

#[test]
fn a_slot_is_released_once() {
    in_both(|mut store| {
        let held = slot(&mut store, TWO, at(0));
        for later in [10, 50_000] {
            store.perform(StoreCall::Release { slot: held, allowance: TWO }, at(later)).unwrap();
        }
        slot(&mut store, TWO, at(60));
        assert_eq!(wait(&mut store, TWO, at(70)).0, 60_011, "the first release stands");
    });
}

#[test]
fn the_allowance_survives_a_restart() {
    let dir = common::folder();
    let mut store = Store::open(dir.path(), window("first"));
    for _ in 0..2 {
        let slot = slot(&mut store, TWO, at(0));
        store.perform(StoreCall::Release { slot, allowance: TWO }, at(1_000)).unwrap();
    }
    drop(store);
    let mut next = Store::open(dir.path(), window("second"));
    assert_eq!(wait(&mut next, TWO, at(2_000)).0, 61_001);
}

#[test]
fn a_window_beside_another_counts_for_the_machine_too() {
    let [first, second, counters] = [(); 3].map(|()| common::folder());
    let counting = |store: Store| store.counting_for_the_machine(Some(counters.path()));
    let mut beside = counting(Store::open(first.path(), window("first"))).beside(window("beside"));
    slot(&mut beside, TWO, at(0));
    slot(&mut beside, TWO, at(0));
    let mut elsewhere = counting(Store::open(second.path(), window("elsewhere")));
    assert_eq!(wait(&mut elsewhere, TWO, at(100)).1.in_flight, 2, "another ledger, the same machine");
}
