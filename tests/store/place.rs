//! Where the ledger is, and the stop that keeps lode from spending from it.

use lode_engine::effect::failure::StoreFailure;
use lode_engine::effect::store::*;
use lode_host::store::{Store, place, stop};

use crate::bench::*;

#[test]
fn a_ledger_that_was_moved_is_told_and_has_its_basket() {
    let dir = common::folder();
    let (old, new) = (dir.path().join("old"), dir.path().join("new"));
    stage(&mut Store::open(&old, window("first")), 1..=3);
    let words = format!("The ledger moved from {} to {}.", old.display(), new.display());
    let moved = place::LedgerLocation { dir: new.clone(), told: vec![words], refused: None };
    assert_eq!(place::settle(&old, &new), moved);
    assert_eq!(place::settle(&old, &new), place::LedgerLocation { told: Vec::new(), ..moved }, "it moves once");
    assert_eq!(basket(&mut Store::open(&new, window("second"))).rows.len(), 3);
}

#[test]
fn a_ledger_stays_while_a_window_is_open_at_its_old_place() {
    let dir = common::folder();
    let (old, new) = (dir.path().join("old"), dir.path().join("new"));
    let mut store = Store::open(&old, window("first"));
    stage(&mut store, 1..=3);
    let words = format!("The ledger stays in {}: a window of an earlier version is open.", old.display());
    let stays = place::LedgerLocation { dir: old.clone(), told: vec![words], refused: None };
    assert_eq!(place::settle(&old, &new), stays);
    assert_eq!(basket(&mut store).rows.len(), 3);
}

/// Money rule 12, *impossible stops*.
#[test]
fn nothing_is_spent_after_a_stop_until_it_is_lifted() {
    let dir = common::folder();
    let (state, data) = (dir.path().join("state"), dir.path().join("data"));
    let refused = || place::locate(&state, &data).refused;
    assert_eq!((stop::reason(&state), refused()), (None, None));
    stop::record(&state, "a batch without ids").unwrap();
    let words = "lode stopped because its money code found an impossible state: a batch without ids";
    assert_eq!(stop::reason(&state).as_deref(), Some(words));
    let failure = StoreFailure::Lost(words.to_owned());
    assert_eq!(refused().as_ref(), Some(&failure));
    let mut store = Store::open(&data, window("first")).refusing(refused());
    let wanted = StoreCall::Intend(Box::new(intent(&store, 1..=1)));
    assert_eq!(store.perform(wanted, at(0)), Err(failure));
    for _ in 0..2 {
        stop::lift(&state).unwrap();
        assert_eq!((stop::reason(&state), refused()), (None, None));
    }
}

#[test]
fn money_code_is_known_by_its_path_with_either_slash() {
    for file in ["src/core/credits.rs", "src/host/store/intend.rs", r"src\host\store\intend.rs"] {
        assert!(stop::is_money_code(file), "{file}");
    }
    assert!(!stop::is_money_code("src/ui/view.rs"));
}
