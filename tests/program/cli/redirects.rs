//! Redirects are never followed: a read says where it was sent and which address to set, an unlock is UNKNOWN.

use crate::cli::crooked::{Asked, Crooked, State, framed};

fn moved(status: u16, to: &str) -> Vec<u8> {
    framed(&format!("{status} x"), &format!("location: {to}\r\n"), b"")
}

#[test]
fn a_read_names_the_target_and_the_address_to_set_and_asks_once() {
    for (status, to, target, set) in [
        (301, "/api/v2/me?api_key=hidden", "{origin}/api/v2/me", "{origin}/api/v2"),
        (
            307,
            "https://www.other.example/api/v1/me#x",
            "https://www.other.example/api/v1/me",
            "https://www.other.example/api/v1",
        ),
        (302, "//user:word@other.example/login?next=me", "http://other.example/login", ""),
        (308, "javascript:alert(1)", "", ""),
        (300, "", "", ""),
    ] {
        let crooked = Crooked::start(move |_: &Asked, _: &mut State| Some(moved(status, to)));
        let ran = crooked.run(&["me"]).failed(8);
        let (target, set) = (target.replace("{origin}", &crooked.origin), set.replace("{origin}", &crooked.origin));
        assert!(ran.err.contains(&target) && ran.err.contains("redirect"), "{ran:?}");
        assert_eq!(ran.err.contains("set the address to"), !set.is_empty(), "{ran:?}");
        assert!(set.is_empty() || ran.err.contains(&format!("set the address to {set}\n")), "{ran:?}");
        for hidden in ["hidden", "word@", "next=", "alert"] {
            assert!(!ran.err.contains(hidden), "{ran:?}");
        }
        assert_eq!(crooked.state().log.len(), 1, "it was asked once: {ran:?}");
    }
}

#[test]
fn a_key_in_the_path_of_the_target_is_not_repeated() {
    for key in [
        crate::cli::crooked::KEY.to_owned(),
        crate::cli::crooked::KEY.replace("lk_", "%6Ck%5F"),
        crate::cli::crooked::KEY.to_uppercase(),
    ] {
        let to = format!("https://other.example/{key}/api/v1/me");
        let crooked = Crooked::start(move |_: &Asked, _: &mut State| Some(moved(307, &to)));
        let ran = crooked.run(&["me"]).failed(8);
        assert!(!ran.err.to_lowercase().contains("crooked_0123"), "{ran:?}");
        assert!(ran.err.contains("https://other.example"), "{ran:?}");
    }
}

#[test]
fn doctor_shows_the_address_to_set() {
    let crooked = Crooked::start(|asked: &Asked, _: &mut State| {
        asked.is("/me").then(|| moved(301, "https://www.other.example/api/v1/me"))
    });
    let ran = crooked.run(&["doctor"]).ended(1);
    assert!(ran.out.contains("set the address to https://www.other.example/api/v1"), "{ran:?}");
}

/// A service may point elsewhere after it has carried the call out, also within its own origin.
#[test]
fn an_unlock_that_was_redirected_is_unknown_until_it_was_looked_for() {
    for (status, applied, searches) in [(307, true, false), (302, true, false), (307, false, true), (308, true, true)] {
        let crooked = Crooked::start(move |asked: &Asked, state: &mut State| {
            if asked.is("/search") && !searches {
                return Some(crate::cli::crooked::refused(403, "Not now"));
            }
            if !asked.is("/unlock") {
                return None;
            }
            if applied {
                state.apply(asked);
            }
            Some(moved(status, "/api/v1/moved/unlock"))
        });
        let ran = crooked.unlock(3);
        let state = crooked.state();
        assert_eq!(state.unlocks().len(), 1, "nothing was sent on: {ran:?}");
        if applied && searches {
            let ran = ran.ended(0);
            assert_eq!((&ran.summary()["charged"], &ran.summary()["unknown"]), (&3.into(), &0.into()), "{ran:?}");
        } else {
            let ran = ran.failed(9);
            assert_eq!(ran.summary()["unknown"], 3, "{ran:?}");
            assert!(ran.err.contains("redirect"), "the reason is said: {ran:?}");
        }
    }
}
