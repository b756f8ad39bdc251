//! What is unknown, from the shell: ceilings hold while it is cleared up, and books that cannot be read are not called clear.

use lode_sandbox::corpus::CheckOutcome;

use common::house::{House, words};

/// An unlock of these with an unknown outcome; nothing of it was applied.
fn unknown(house: &House, ids: &[u64]) {
    house.fault("html@unlock=next");
    let most = ids.len().to_string();
    let ids = words(ids);
    let mut arguments = vec!["unlock", "--corpus", "us", "--max-credits", &most];
    arguments.extend(ids.iter().map(String::as_str));
    house.run(&arguments).failed(9);
}

#[test]
fn a_finish_that_stays_unknown_is_the_last_one() {
    let house = House::new();
    let ids = house.people(CheckOutcome::Valid, 6);
    unknown(&house, &ids[..3]);
    unknown(&house, &ids[3..]);
    let before = house.balance();
    // Every call is applied, and no answer ever comes back.
    house.fault("unlock-lost=1");
    let ran = house.run(&["recover", "--finish", "--max-credits", "3"]).ended(9);
    assert_eq!(before - house.balance(), 3, "the ceiling holds whatever was answered: {ran:?}");
    assert_eq!(house.owned(), ids[..3], "{ran:?}");
    house.calms_down();
    house.run(&["recover", "--finish", "--max-credits", "3"]).ended(0);
    assert_eq!(house.owned(), ids);
    house.agrees(before, "after the second finish");
}

#[test]
fn books_that_cannot_be_read_are_not_called_clear() {
    let house = House::new();
    unknown(&house, &house.people(CheckOutcome::Valid, 2));
    std::fs::rename(house.path("state"), house.path("aside")).unwrap();
    std::fs::write(house.path("state"), "not a folder").unwrap();
    let ran = house.run(&["recover"]).failed(1);
    assert!(!ran.err.contains("no unknown results") && ran.out.is_empty(), "{ran:?}");
}

#[test]
fn without_the_service_the_books_still_say_what_is_unknown() {
    let house = House::new();
    unknown(&house, &house.people(CheckOutcome::Valid, 2));
    house.sandbox.service().revoke("default");
    let ran = house.run(&["recover"]).failed(9);
    assert!(ran.err.contains("refused the key") && ran.err.contains("2 contacts is still unknown"), "{ran:?}");
    assert_eq!(ran.summary()["unknown"], 2);
    let calm = House::new();
    calm.run(&["recover"]).ended(0);
    calm.sandbox.service().revoke("default");
    calm.run(&["recover"]).failed(4);
}

#[test]
fn what_another_workspace_left_open_is_said_under_the_new_key() {
    let mut house = House::new();
    unknown(&house, &house.people(CheckOutcome::Valid, 2));
    let other = house.sandbox.service().found_org("Other Inc", 50, house.sandbox.now_ms());
    let old = std::mem::take(&mut house.workspace_key);
    house.workspace_key = house.sandbox.service().make_key(&other, "stranger", &["search", "unlock"]);
    let ran = house.run(&["recover"]).failed(9);
    assert!(ran.err.contains("2 contacts of this profile have an unknown result in another workspace"), "{ran:?}");
    house.workspace_key = old;
    let ran = house.run(&["recover", "--finish", "--max-credits", "2"]).ended(0);
    assert!(!ran.err.contains("another workspace"), "{ran:?}");
}
