//! Key and scope problems that a service reports with a status of its own: `/me` tells them apart.

use serde_json::json;

use crate::cli::crooked::{self, Asked, Crooked, State};
use crate::cli::invented::{self, Invented, me, page, refused, row};

#[test]
fn a_me_that_is_refused_is_about_the_key_whatever_the_status() {
    for status in [400, 404, 405, 409, 422, 451] {
        let service = Invented::start(move |_| refused(status, "the request cannot be processed"));
        let ran = service.run(&["me"]).failed(4);
        assert!(ran.err.contains("refused the key"), "{status}: {ran:?}");
    }
}

#[test]
fn a_page_of_a_stranger_at_me_is_about_the_address() {
    let service = Invented::start(|_| (404, "not here".into()));
    service.run(&["me"]).failed(8);
}

#[test]
fn a_refused_search_is_about_the_scope_where_me_shows_none() {
    for status in [400, 401, 403, 404, 422] {
        let service = Invented::start(move |asked| match asked.is("/me") {
            true => me(&["unlock"]),
            false => refused(status, "the request cannot be processed"),
        });
        let ran = service.run(&["search", "--title", "nurse"]).failed(5);
        assert!(ran.err.contains("scope"), "{status}: {ran:?}");
    }
}

#[test]
fn a_refused_search_is_about_the_key_where_me_is_refused_too() {
    let service = Invented::start(|_| refused(400, "the request cannot be processed"));
    service.run(&["search", "--title", "nurse"]).failed(4);
}

#[test]
fn a_refused_search_is_about_the_request_where_the_key_may_search() {
    let service = Invented::start(|asked| match asked.is("/me") {
        true => me(&["search"]),
        false => refused(400, "the request cannot be processed"),
    });
    service.run(&["search", "--title", "nurse"]).failed(1);
}

/// The first page is answered, and then the key is revoked, loses its scope, or the request is refused for another reason.
fn second_page_refused(status: u16, words: &'static str, then: fn() -> invented::Said) -> Invented {
    let mut worked = false;
    Invented::start(move |asked| match (asked.is("/me"), worked) {
        (true, false) => me(&["search", "unlock"]),
        (true, true) => then(),
        (false, false) => {
            worked = true;
            page(json!(200), 100, 0, (1..=100).map(row).collect())
        }
        (false, true) => refused(status, words),
    })
}

#[test]
fn me_settles_a_refusal_of_a_key_that_worked_before() {
    let search = ["search", "--title", "nurse", "--limit", "200"];
    for status in [400, 404, 409, 422] {
        for words in ["API key revoked", "This key has no permission", "the request cannot be processed"] {
            let service = second_page_refused(status, words, || refused(400, "the key was revoked"));
            let ran = service.run(&search).failed(4);
            assert!(ran.err.contains("refused the key"), "{status} {words}: {ran:?}");

            let service = second_page_refused(status, words, || me(&["unlock"]));
            let ran = service.run(&search).failed(5);
            assert!(ran.err.contains("scope"), "{status} {words}: {ran:?}");
        }
    }
    for words in ["industry: not a key of the list", "Invalid key in filter", "search scope too wide", "no permission"]
    {
        let service = second_page_refused(400, words, || me(&["search", "unlock"]));
        let ran = service.run(&search).failed(1);
        assert!(ran.err.contains("refused the request"), "{words}: {ran:?}");
    }
    // Where `/me` cannot tell, the words decide.
    for (words, exit) in [("Invalid API key", 4), ("This key lacks the scope search", 5)] {
        second_page_refused(400, words, || refused(302, "moved")).run(&search).failed(exit);
    }
}

#[test]
fn me_settles_a_refused_unlock_too() {
    for status in [400, 404, 409, 422] {
        for words in ["This key has no permission to unlock", "Missing scope: unlock", "Bad request"] {
            let crooked = Crooked::start(move |asked: &Asked, state: &mut State| {
                if !asked.is("/unlock") {
                    return None;
                }
                state.scopes = vec!["search"];
                Some(crooked::refused(status, words))
            });
            let ran = crooked.unlock(3).failed(5);
            assert!(ran.err.contains("scope"), "{status} {words}: {ran:?}");
            assert_eq!(ran.summary()["locked"], 3, "{ran:?}");
        }
    }
    // The key may unlock: the words are about the request.
    let crooked = Crooked::start(|asked: &Asked, _: &mut State| {
        asked.is("/unlock").then(|| crooked::refused(400, "key: required"))
    });
    crooked.unlock(3).failed(1);
}

#[test]
fn a_wrong_address_is_not_called_a_refused_key() {
    for (status, words) in [
        (404, "Not found"),
        (404, "Not Found: /api/v2/me"),
        (404, "Cannot GET /api/v1/me"),
        (404, "No such endpoint"),
        (405, "Method not allowed"),
        (410, "This endpoint does not exist any more"),
    ] {
        let service = Invented::start(move |_| refused(status, words));
        for arguments in [&["me"][..], &["search", "--title", "nurse"], &UNLOCK_ONE] {
            let ran = service.run(arguments).failed(8);
            assert!(ran.err.contains("address") && !ran.err.contains("refused the key"), "{words}: {ran:?}");
        }
        let ran = service.run(&["doctor"]).ended(1);
        assert!(!ran.out.contains("store a new key"), "{words}: {ran:?}");
    }
    for words in ["API key not found", "Key does not exist", "Unknown token", "Unauthorized"] {
        let service = Invented::start(move |_| refused(404, words));
        for arguments in [&["me"][..], &["search", "--title", "nurse"], &UNLOCK_ONE] {
            let ran = service.run(arguments).failed(4);
            assert!(ran.err.contains("refused the key"), "{words}: {ran:?}");
        }
    }
}

/// The documents promise an error status; a service may forget it.
#[test]
fn a_refusal_with_the_status_of_a_success_is_settled_too() {
    let service = Invented::start(|_| refused(200, "Invalid API key"));
    service.run(&["me"]).failed(4);
    service.run(&["search", "--title", "nurse"]).failed(4);
    let service = Invented::start(|asked| match asked.is("/me") {
        true => me(&["unlock"]),
        false => refused(200, "not with this key"),
    });
    service.run(&["search", "--title", "nurse"]).failed(5);
}

const UNLOCK_ONE: [&str; 6] = ["unlock", "--corpus", "us", "--max-credits", "1", "1"];
