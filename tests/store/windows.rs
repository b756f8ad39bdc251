//! Several windows on one folder: who is alive, whose batches are whose, and that the union of what they do survives.

use std::os::unix::fs::PermissionsExt;

use lode_core::credits::Credits;
use lode_core::money::*;
use lode_engine::effect::profile::*;
use lode_engine::effect::store::*;
use lode_host::store::check::inspect;
use lode_host::store::{OF_LEDGER, OF_PROPOSALS, OF_SLOTS, Store, fresh_window};

use crate::bench::*;

#[test]
fn what_a_living_window_has_in_flight_is_not_an_orphan() {
    in_both(|mut store| {
        know(&mut store);
        let mut other = store.beside(window("other"));
        let theirs = intent(&other, 1..=2);
        let (_, batch) = intend(&mut other, theirs.clone(), at(0)).unwrap();
        assert_eq!(open_batches(&mut store, at(10)), [], "it is on its way in a window that lives");
        assert!(open_batches(&mut other, at(10))[0].in_flight);
        let finish = BatchIntent { again: Some(batch), sent: 1, window: store.window().clone(), ..theirs };
        assert_eq!(intend(&mut store, finish.clone(), at(10)), Err(IntentRefused::Open(ids([1, 2]))));
        drop(other);
        let open = open_batches(&mut store, at(20));
        assert_eq!(
            (open.len(), open[0].in_flight, open[0].broke_at),
            (1, false, Some(at(20).wall)),
            "from now on it is"
        );
        let open = open_batches(&mut store, at(30));
        assert_eq!(open[0].broke_at, Some(at(20).wall), "found once");
        assert!(intend(&mut store, finish, at(40)).is_ok());
    });
}

#[test]
fn a_lost_batch_is_everybodys() {
    in_both(|mut store| {
        know(&mut store);
        let mut other = store.beside(window("other"));
        let theirs = intent(&other, 1..=2);
        let (_, batch) = intend(&mut other, theirs, at(0)).unwrap();
        other.perform(StoreCall::Lost { batch, words: String::new() }, at(5)).unwrap();
        assert_eq!(open_batches(&mut store, at(10)).len(), 1);
        assert_eq!(open_batches(&mut other, at(10)).len(), 1);
    });
}

/// Money rule 5, *holds*.
#[test]
fn the_session_cap_is_a_windows_and_the_day_cap_everybodys() {
    in_both(|mut store| {
        know(&mut store);
        let caps = Caps { call: Some(Credits(3)), session: Some(Credits(4)), day: Some(Credits(6)) };
        let asked = |name: &str, range| BatchIntent { caps, ..intent_of(name, range) };
        let refused = intend(&mut store, asked("first", 1..=4), at(0)).unwrap_err();
        assert!(matches!(refused, IntentRefused::Cap { which: CapKind::Call, .. }));
        let (_, batch) = intend(&mut store, asked("first", 1..=3), at(0)).unwrap();
        settle(&mut store, batch, vec![settled(1, Outcome::Unlocked), settled(2, Outcome::Refunded)], at(1));
        let (which, cap) = (CapKind::Session, Credits(4));
        let refused = intend(&mut store, asked("first", 5..=6), at(2)).unwrap_err();
        assert_eq!(refused, IntentRefused::Cap { which, cap, used: Credits(2), held: Credits(1) });
        let mut other = store.beside(window("other"));
        assert!(intend(&mut other, asked("other", 5..=7), at(3)).is_ok(), "its session is its own");
        let refused = intend(&mut other, asked("other", 8..=8), at(4)).unwrap_err();
        assert_eq!(
            refused,
            IntentRefused::Cap { which: CapKind::Day, cap: Credits(6), used: Credits(2), held: Credits(4) }
        );
        drop(other);
        let mut third = store.beside(window("third"));
        assert!(
            matches!(intend(&mut third, asked("third", 8..=8), at(5)), Err(IntentRefused::Cap { .. })),
            "holds outlive"
        );
    });
}

#[test]
fn jobs_of_other_windows_are_told_while_they_run_and_for_a_time_after() {
    in_both(|mut store| {
        let mut other = store.beside(window("other"));
        for (number, stage) in [(1, JobStage::Running), (2, JobStage::Done), (3, JobStage::Done)] {
            let [profile, kind, what] = ["acme", "export", "nurses"].map(str::to_owned);
            let note = JobNote { profile, kind, number, what, done: 5, of: None, stage, words: String::new() };
            other.perform(StoreCall::NoteJob(Box::new(note)), at(number)).unwrap();
        }
        let told = |store: &mut Store, since| {
            let StoreReply::Jobs(jobs) = store.perform(StoreCall::Jobs(at(since).wall), at(9)).unwrap() else {
                panic!()
            };
            jobs.into_iter().map(|job| (job.note.number, job.lives)).collect::<Vec<_>>()
        };
        assert_eq!(told(&mut store, 3), [(3, true), (1, true)]);
        drop(other);
        assert_eq!(told(&mut store, 3), [(3, false)]);
        assert_eq!(told(&mut store, 1), [(3, false), (2, false), (1, false)], "the first one was interrupted");
    });
}

/// Money rule 5, *holds*.
#[test]
fn a_batch_that_is_sent_again_counts_once_for_the_session() {
    in_both(|mut store| {
        know(&mut store);
        let caps = Caps { session: Some(Credits(2)), ..Caps::default() };
        let first = BatchIntent { caps, ..intent(&store, 1..=2) };
        let (order, batch) = intend(&mut store, first.clone(), at(0)).unwrap();
        store.perform(StoreCall::Lost { batch, words: String::new() }, at(1)).unwrap();
        let again = BatchIntent { again: Some(batch), sent: 1, order: Some(order), ..first };
        assert_eq!(intend(&mut store, again, at(70_000)), Ok((order, batch)));
    });
}

#[test]
fn two_windows_edit_one_basket_and_the_union_survives() {
    let dir = common::folder();
    std::thread::scope(|scope| {
        for thread in 0..4i64 {
            let dir = dir.path();
            scope.spawn(move || {
                let mut store = Store::open(dir, fresh_window());
                for round in 0..25 {
                    let id = thread * 1_000 + round;
                    stage(&mut store, [id, id + 500]);
                    let unstage = StoreCall::Unstage { purse: purse().into(), side: US, ids: ids([id + 500]) };
                    store.perform(unstage, at(0)).unwrap();
                }
            });
        }
    });
    let mut store = Store::open(dir.path(), window("after"));
    let kept = basket(&mut store);
    assert_eq!((kept.rows.len(), kept.version), (100, 200));
    assert!(kept.rows.iter().all(|row| row.id.0 % 1_000 < 25));
}

/// Money rule 4, *never twice*.
#[test]
fn no_id_is_in_two_calls_whatever_the_windows_do() {
    let dir = common::folder();
    know(&mut Store::open(dir.path(), window("first")));
    let won: Vec<i64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let dir = dir.path();
                scope.spawn(move || {
                    let mut store = Store::open(dir, fresh_window());
                    let mut won = Vec::new();
                    for id in 0..40 {
                        let asked = intent(&store, id..=id);
                        match intend(&mut store, asked, at(0)) {
                            Ok((_, batch)) => {
                                won.push(id);
                                store.perform(StoreCall::Lost { batch, words: String::new() }, at(1)).unwrap();
                            }
                            Err(refused) => assert_eq!(refused, IntentRefused::Open(ids([id]))),
                        }
                    }
                    won
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut sorted = won;
    sorted.sort_unstable();
    assert_eq!(sorted, (0..40).collect::<Vec<_>>(), "each id exactly once");
}

#[test]
fn the_folder_is_its_owners_alone() {
    let dir = common::folder();
    let state = dir.path().join("deep/state");
    let mut store = Store::open(&state, window("first"));
    assert!(!state.exists(), "nothing is touched before the first call");
    know(&mut store);
    let asked = intent(&store, 1..=1);
    intend(&mut store, asked, at(0)).unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let mut seen = 0;
    let mut folders = vec![state];
    while let Some(folder) = folders.pop() {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(mode(&path), 0o600, "{}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 5, "state, its side files, the lock of the window, the room of the answer: {seen}");
}

#[test]
fn an_inspection_counts_windows_and_open_contacts() {
    let dir = common::folder();
    let look = || inspect(dir.path(), at(0).wall.0).unwrap();
    assert_eq!((look().windows, look().ledger), (0, None));
    let mut store = Store::open(dir.path(), window("first"));
    know(&mut store);
    assert_eq!(look().windows, 1);
    let mut other = store.beside(window("other"));
    let wanted = intent(&other, 1..=3);
    let (_, batch) = intend(&mut other, wanted, at(0)).unwrap();
    let found = look();
    assert_eq!((found.windows, found.ledger.map(|ledger| (ledger.open, ledger.ahead_ms))), (2, Some((3, 0))));
    settle(&mut other, batch, (1..=3).map(|id| settled(id, Outcome::Unlocked)).collect(), at(5_000));
    assert_eq!(look().ledger.map(|ledger| (ledger.open, ledger.ahead_ms)), Some((0, 5_000)), "the clock was set back");
    drop(other);
    assert_eq!(look().windows, 1);
    drop(store);
    assert_eq!((look().windows, look().backups), (0, Vec::new()));
}

fn changes(store: &mut Store) -> Changes {
    match store.perform(StoreCall::Changes { purse: None }, at(0)).unwrap() {
        StoreReply::Changes(changes) => changes,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_window_notices_what_others_changed_and_not_what_it_changed_itself() {
    let dir = common::folder();
    let (mut one, mut two) = (Store::open(dir.path(), window("one")), Store::open(dir.path(), window("two")));
    know(&mut one);
    know(&mut two);
    let (ones, twos) = (changes(&mut one), changes(&mut two));
    stage(&mut one, [1]);
    assert_eq!(changes(&mut one).stamp, ones.stamp);
    assert_ne!(changes(&mut two).stamp, twos.stamp);
    let asked = intent(&one, 1..=2);
    let (_, batch) = intend(&mut one, asked, at(0)).unwrap();
    let written = changes(&mut two);
    assert_eq!((written.owned, written.lists), (twos.owned, twos.lists));
    assert!(written.money > twos.money);
    settle(&mut one, batch, vec![settled(1, Outcome::Unlocked), settled(2, Outcome::Unlocked)], at(5));
    assert!(changes(&mut two).owned > written.owned);
}

#[test]
fn the_file_that_others_watch_is_written_only_for_its_kind_of_change() {
    let dir = common::folder();
    let mut store = Store::open(dir.path(), window("first"));
    let written = || [OF_LEDGER, OF_SLOTS, OF_PROPOSALS].map(|name| dir.path().join(name).exists());
    changes(&mut store);
    let before = written();
    know(&mut store);
    assert_eq!((before, written()), ([false; 3], [true, false, false]));
    let allowance = Allowance { requests: Some(120), window_ms: 60_000, in_flight: 8 };
    let reserve = StoreCall::Reserve { key: key(), allowance, window: store.window().clone() };
    store.perform(reserve, at(0)).unwrap();
    assert_eq!(written(), [true, true, false]);
}

#[test]
fn a_window_that_ended_leaves_nothing_and_one_that_was_killed_is_swept_up() {
    let dir = common::folder();
    let locks = || {
        let mut names: Vec<_> = std::fs::read_dir(dir.path().join("windows"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let mut first = Store::open(dir.path(), window("first"));
    know(&mut first);
    std::fs::write(dir.path().join("windows/killed.lock"), "").unwrap();
    let mut second = Store::open(dir.path(), window("second"));
    know(&mut second);
    assert_eq!(locks(), ["first.lock", "second.lock"], "only those that run");
    drop(second);
    assert_eq!(locks(), ["first.lock"]);
}

/// The name of a window that is gone comes from the ledger, which may be a copy from elsewhere.
#[test]
fn the_lock_of_a_window_is_in_the_folder_whatever_its_name() {
    assert_ne!(fresh_window(), fresh_window());
    let dir = common::folder();
    let mut odd = Store::open(&dir.path().join("state"), window("../../a-1"));
    know(&mut odd);
    let mut other = odd.beside(window("../../b-1"));
    let theirs = intent(&other, 1..=1);
    intend(&mut other, theirs, at(0)).unwrap();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(dir.path().join("state/windows")).unwrap().count(), 2);
    assert_eq!(open_batches(&mut odd, at(10)), [], "it lives");
}
