//! Key and scope problems that a service reports with a status of its own: `/me` tells them apart.

use crate::invented::{Invented, me, refused};

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
