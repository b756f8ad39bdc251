//! A refusal is believed only in the documented form, and only after `/me` and a free look agree with it.

use std::collections::BTreeSet;

use crate::cli::crooked::{Asked, Crooked, State, framed, page, refused};
use common::test_app::Ran;

type Answer = fn() -> Vec<u8>;

/// How a service behaves around one refused unlock.
#[derive(Clone, Copy)]
struct Around {
    answer: Answer,
    /// It was carried out all the same.
    applied: bool,
    me_fails: bool,
    searches_fail: bool,
    /// The search index does not show yet what was bought.
    lags: bool,
    topped_up: i64,
}

const AROUND: Around = Around {
    answer: || refused(404, "Not found"),
    applied: true,
    me_fails: false,
    searches_fail: false,
    lags: false,
    topped_up: 0,
};

fn gateway(status: u16) -> Vec<u8> {
    page(status)
}

fn slow_down() -> Vec<u8> {
    let body = br#"{"ok":false,"error":"Too many requests"}"#;
    framed("429 x", "retry-after: 0\r\ncontent-type: application/json\r\n", body)
}

/// The first unlock is answered so; all later ones honestly.
fn service(around: Around) -> Crooked {
    let mut refused_once = false;
    let crooked = Crooked::start(move |asked: &Asked, state: &mut State| {
        if refused_once && (asked.is("/me") && around.me_fails || asked.is("/search") && around.searches_fail) {
            return Some(refused(403, "Not now"));
        }
        if !asked.is("/unlock") || refused_once {
            return None;
        }
        refused_once = true;
        if around.applied {
            state.apply(asked);
        }
        state.balance += around.topped_up;
        Some((around.answer)())
    });
    if around.lags {
        crooked.state().index = Some(BTreeSet::new());
    }
    crooked
}

#[track_caller]
fn bought(crooked: &Crooked, ran: Ran) {
    assert_eq!(crooked.state().unlocks().len(), 1, "it was not sent again: {ran:?}");
    assert_eq!((&ran.summary()["charged"], &ran.summary()["unknown"]), (&3.into(), &0.into()), "{ran:?}");
    let spent = crooked.run(&["receipts"]).ended(0).lines().remove(0);
    assert_eq!(spent["charged"], 3, "the caps count it: {spent}");
}

#[track_caller]
fn unknown(crooked: &Crooked, ran: Ran) {
    let ran = ran.failed(9);
    assert_eq!(crooked.state().unlocks().len(), 1, "it was not sent again: {ran:?}");
    assert_eq!((&ran.summary()["unknown"], &ran.summary()["locked"]), (&3.into(), &0.into()), "{ran:?}");
    assert!(ran.err.contains("unknown: "), "with its reason: {ran:?}");
}

#[test]
fn the_page_of_a_gateway_refuses_nothing() {
    for answer in [|| gateway(401), || gateway(403), || gateway(404), || gateway(422), || gateway(429)] as [Answer; 5] {
        let around = Around { answer, ..AROUND };
        let crooked = service(around);
        bought(&crooked, crooked.unlock(3));
        let crooked = service(Around { searches_fail: true, ..around });
        unknown(&crooked, crooked.unlock(3));
    }
}

#[test]
fn a_documented_refusal_of_what_was_bought_is_found_out() {
    for answer in
        [|| refused(404, "Not found"), || refused(403, "Forbidden"), || refused(400, "Bad"), slow_down] as [Answer; 4]
    {
        let around = Around { answer, ..AROUND };
        for around in [around, Around { topped_up: 50, ..around }, Around { me_fails: true, ..around }] {
            let crooked = service(around);
            bought(&crooked, crooked.unlock(3));
        }
    }
}

#[test]
fn a_refusal_that_cannot_be_checked_is_unknown() {
    for answer in [|| refused(404, "Not found"), || refused(422, "No"), slow_down] as [Answer; 3] {
        let around = Around { answer, ..AROUND };
        for around in [
            Around { lags: true, ..around },
            Around { searches_fail: true, ..around },
            Around { lags: true, me_fails: true, ..around },
            Around { searches_fail: true, topped_up: 50, ..around },
            Around { applied: false, me_fails: true, ..around },
            Around { applied: false, searches_fail: true, ..around },
        ] {
            let crooked = service(around);
            unknown(&crooked, crooked.unlock(3));
        }
    }
}

#[test]
fn a_refusal_that_holds_leaves_everything_locked_and_free() {
    for (answer, exit) in [
        ((|| refused(404, "Not found")) as Answer, 1),
        (|| refused(403, "The key lacks the scope unlock"), 5),
        (|| refused(402, "No credits"), 6),
        (|| refused(422, "ids: not today"), 1),
    ] {
        let crooked = service(Around { answer, applied: false, ..AROUND });
        let ran = crooked.unlock(3).failed(exit);
        assert_eq!(ran.summary()["locked"], 3, "{ran:?}");
        let ran = crooked.unlock(3).ended(0);
        assert_eq!(ran.summary()["charged"], 3, "{ran:?}");
    }
    let crooked = service(Around { answer: slow_down, applied: false, ..AROUND });
    let ran = crooked.unlock(3).ended(0);
    assert_eq!(ran.summary()["charged"], 3, "{ran:?}");
    assert_eq!(crooked.state().unlocks(), [[1, 2, 3], [1, 2, 3]], "the very same call again");
}

/// The look saw them locked because the index lags, and the balance was topped up: then the same call again says that they
/// are owned. They were locked when this order sent them.
#[test]
fn what_a_resent_call_finds_owned_counts_as_bought_by_this_order() {
    let crooked = service(Around { answer: slow_down, lags: true, topped_up: 50, ..AROUND });
    let ran = crooked.unlock(3);
    assert_eq!(ran.summary()["already"], 0, "{ran:?}");
    assert_eq!(crooked.state().charges.len(), 3);
}

#[test]
fn a_key_that_is_refused_from_the_unlock_on_leaves_it_unknown() {
    let mut revoked = false;
    let crooked = Crooked::start(move |asked: &Asked, state: &mut State| {
        if asked.is("/unlock") {
            revoked = true;
            state.apply(asked);
        }
        revoked.then(|| refused(401, "Invalid API key"))
    });
    let ran = crooked.unlock(3);
    assert!(ran.err.contains("Invalid API key"), "{ran:?}");
    unknown(&crooked, ran);
}

/// Another program holds the ledger when the answer comes: it cannot be kept, and that is the reason that is told.
#[test]
fn an_answer_that_cannot_be_written_is_unknown_with_the_reason() {
    let state = std::sync::Arc::new(std::sync::Mutex::new(std::path::PathBuf::new()));
    let place = std::sync::Arc::clone(&state);
    let mut held = Vec::new();
    let crooked = Crooked::start(move |asked: &Asked, _: &mut State| {
        if asked.is("/unlock") {
            let ledger = rusqlite::Connection::open(place.lock().unwrap().join("lode.sqlite3")).unwrap();
            ledger.execute_batch("BEGIN EXCLUSIVE").unwrap();
            held.push(ledger);
        }
        None
    });
    *state.lock().unwrap() = crooked.path("state");
    let ran = crooked.unlock(3).failed(9);
    assert!(ran.err.contains("unknown: another program is using the state file"), "{ran:?}");
    assert_eq!(crooked.state().charges.len(), 3);
}
