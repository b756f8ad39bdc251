//! After a lost answer lode looks first; what is owned is never sent again, also not to a service that would charge it again.

use crate::cli::crooked::{Asked, Crooked, State, done, framed, refused};

/// The first unlock is carried out for the first of its ids, and its line breaks.
fn lost_after(applied: usize) -> Crooked {
    let mut lost = false;
    let crooked = Crooked::start(move |asked: &Asked, state: &mut State| {
        if !asked.is("/unlock") || lost {
            return None;
        }
        lost = true;
        let ids: Vec<i64> = asked.ids().into_iter().take(applied).collect();
        let part = Asked { body: serde_json::json!({"ids": ids}).to_string(), ..asked.clone() };
        state.apply(&part);
        Some(Vec::new())
    });
    crooked.state().charges_again = true;
    crooked
}

#[test]
fn a_bought_batch_whose_answer_was_lost_is_found_and_not_sent_again() {
    let crooked = lost_after(10);
    let ran = crooked.unlock(10).ended(0);
    assert_eq!(crooked.state().charges.len(), 10, "--max-credits 10 costs 10: {ran:?}");
    assert_eq!(crooked.state().unlocks().len(), 1);
    assert_eq!((&ran.summary()["charged"], &ran.summary()["balance"]), (&10.into(), &90.into()), "{ran:?}");
    assert!(ran.err.contains("no response to batch 1: checking for free"), "{ran:?}");
}

/// Money rule 3, *same batch, same ids*.
#[test]
fn a_batch_that_a_look_shows_locked_is_sent_again_as_it_was() {
    let crooked = lost_after(0);
    let ran = crooked.unlock(10).ended(0);
    assert_eq!(ran.summary()["charged"], 10, "{ran:?}");
    let state = crooked.state();
    assert_eq!(state.charges.len(), 10);
    assert_eq!(state.unlocks()[0], state.unlocks()[1]);
    let order: Vec<&str> =
        state.log.iter().filter(|asked| !asked.is("/me")).map(|asked| &asked.target[8..14]).collect();
    assert_eq!(order, ["unlock", "search", "unlock"], "looked first");
}

/// Money rule 3, *same batch, same ids*.
#[test]
fn a_batch_is_sent_again_three_times_at_most() {
    let crooked = Crooked::start(|asked: &Asked, _: &mut State| asked.is("/unlock").then(Vec::new));
    let ran = crooked.unlock(3).failed(9);
    let state = crooked.state();
    assert_eq!(state.unlocks().len(), 4, "{ran:?}");
    assert!(state.unlocks().iter().all(|sent| *sent == state.unlocks()[0]), "{ran:?}");
}

/// Money rule 3, *same batch, same ids*.
#[test]
fn a_batch_of_which_a_part_is_owned_is_never_sent_again() {
    let crooked = lost_after(4);
    let ran = crooked.unlock(10).failed(9);
    assert_eq!((&ran.summary()["charged"], &ran.summary()["unknown"]), (&4.into(), &6.into()), "{ran:?}");
    let ran = crooked.run(&["recover", "--finish", "--max-credits", "10"]).failed(9);
    assert_eq!(ran.error()["spent"], serde_json::json!({"charged": 0, "unknown": 6}), "{ran:?}");
    assert!(ran.err.contains("some contacts of this batch are owned now"), "{ran:?}");
    assert_eq!(crooked.state().unlocks().len(), 1, "{ran:?}");
    assert_eq!(crooked.state().charges.len(), 4);
}

#[test]
fn a_balance_that_fell_by_more_than_the_order_explains_is_said() {
    let crooked = Crooked::start(|asked: &Asked, state: &mut State| {
        asked.is("/unlock").then(|| {
            let data = state.apply(asked);
            state.balance -= 8;
            done(&data)
        })
    });
    let ran = crooked.unlock(10).ended(0);
    assert!(ran.err.contains("the balance fell by 18, but this order explains only 10"), "{ran:?}");
    let crooked = Crooked::start(|_: &Asked, _: &mut State| None);
    assert_eq!(crooked.unlock(10).ended(0).err, "");
}

#[test]
fn a_key_that_cannot_search_is_warned_about_before_the_first_credit() {
    let crooked = lost_after(0);
    crooked.state().scopes = vec!["unlock"];
    let ran = crooked.run(&["unlock", "--corpus", "us", "--max-credits", "1", "--dry-run", "1"]).ended(0);
    assert!(ran.err.contains("this key cannot search"), "{ran:?}");
    let ran = crooked.unlock(10).ended(0);
    assert!(ran.err.starts_with("this key cannot search"), "{ran:?}");
    assert_eq!(crooked.state().unlocks().len(), 2, "without a look the document's way is left: {ran:?}");
    let crooked = lost_after(0);
    assert!(!crooked.unlock(1).ended(0).err.contains("cannot search"));
}

#[test]
fn a_finish_waits_for_a_429_only_as_long_as_it_was_told() {
    let crooked = Crooked::start(|asked: &Asked, state: &mut State| match state.unlocks().len() {
        _ if !asked.is("/unlock") => (state.unlocks().len() == 1).then(|| refused(403, "not now")),
        1 => Some(Vec::new()),
        _ => Some(framed("429 x", "retry-after: 5\r\ncontent-type: application/json\r\n", b"{}")),
    });
    crooked.unlock(2).failed(9);
    let finish = ["recover", "--finish", "--max-credits", "2", "--max-wait", "0"];
    crooked.state().log.push(Asked { target: "/unlock".to_owned(), body: String::new() });
    let ran = crooked.run(&finish).failed(9);
    assert_eq!(ran.error()["retry_after_s"], 5, "{ran:?}");
    assert_eq!(crooked.state().unlocks().len(), 3, "sent once: {ran:?}");
    crooked.run(&["recover", "--max-wait", "0"]).failed(2);
}

/// A service that answers 429 to the first unlock, and says when to come back.
fn busy_for(seconds: u64) -> Crooked {
    let head = format!("retry-after: {seconds}\r\ncontent-type: application/json\r\n");
    Crooked::start(move |asked: &Asked, state: &mut State| {
        (asked.is("/unlock") && state.unlocks().len() == 1).then(|| framed("429 x", &head, b"{}"))
    })
}

/// Money rule 3, *same batch, same ids*: a 429 does not prove that nothing was charged.
#[test]
fn a_429_to_an_unlock_is_waited_for_then_checked_for_free_then_sent_again_as_it_was() {
    let crooked = busy_for(1);
    let ran = crooked.unlock(3).ended(0);
    assert_eq!(ran.summary()["charged"], 3, "{ran:?}");
    let state = crooked.state();
    assert_eq!(state.unlocks()[0], state.unlocks()[1]);
    let order: Vec<&str> =
        state.log.iter().filter(|asked| !asked.is("/me")).map(|asked| &asked.target[8..14]).collect();
    assert_eq!(order, ["unlock", "search", "unlock"], "checked for free first");
}

#[test]
fn a_429_beyond_the_longest_wait_ends_as_unknown_and_says_when_to_come_back() {
    let crooked = busy_for(600);
    let ran = crooked.unlock(3).failed(9);
    assert_eq!((&ran.error()["exit"], &ran.error()["retry_after_s"]), (&9.into(), &600.into()), "{ran:?}");
    assert_eq!(ran.error()["spent"], serde_json::json!({"charged": 0, "unknown": 3}), "{ran:?}");
    assert_eq!(crooked.state().unlocks().len(), 1, "{ran:?}");
}

#[test]
fn a_recover_that_leaves_something_unknown_says_it_in_one_error_line() {
    let crooked = Crooked::start(|asked: &Asked, _: &mut State| match asked.is("/unlock") {
        true => Some(Vec::new()),
        false => asked.is("/search").then(|| framed("500 x", "content-type: application/json\r\n", b"{}")),
    });
    crooked.unlock(3).failed(9);
    let ran = crooked.run(&["recover", "--json"]).failed(9);
    let errors = ran.said.lines().filter(|line| line.contains("\"error\"")).count();
    assert_eq!(errors, 1, "{ran:?}");
    assert_eq!(ran.error()["spent"], serde_json::json!({"charged": 0, "unknown": 3}), "{ran:?}");
}
