//! A service whose largest page is small and which refuses a larger one instead of cutting it.

use serde_json::json;

use crate::cli::invented::{Invented, me, page, refused, row};

#[test]
fn the_largest_page_is_found_by_halving_and_remembered() {
    let service = Invented::start(|asked| {
        if asked.is("/me") {
            return me(&["search"]);
        }
        let (limit, offset) = (asked.number("limit"), asked.number("offset"));
        if limit > 12 {
            return refused(422, "validation failed");
        }
        page(json!(60), limit, offset, (offset..(offset + limit).min(60)).map(row).collect())
    });
    let ran = service.run(&["search", "--limit", "60"]).ended(0);
    assert_eq!(ran.ids(), (0..60).collect::<Vec<u64>>(), "{ran:?}");
    let searches: Vec<usize> =
        service.heard().iter().filter(|asked| !asked.is("/me")).map(|asked| asked.number("limit")).collect();
    assert_eq!(searches[..5], [60, 1, 30, 15, 7], "halved from what is wanted");
    assert!(searches[5..].iter().all(|limit| *limit == 7), "and remembered: {searches:?}");
    // Also by the next run.
    let before = service.heard().len();
    service.run(&["search", "--limit", "60"]).ended(0);
    let again: Vec<usize> =
        service.heard()[before..].iter().filter(|asked| !asked.is("/me")).map(|asked| asked.number("limit")).collect();
    assert!(!again.is_empty() && again.iter().all(|limit| *limit <= 7), "{again:?}");
}

#[test]
fn a_request_that_is_wrong_whatever_its_size_is_told_after_few_requests() {
    let service = Invented::start(|asked| match asked.is("/me") {
        true => me(&["search"]),
        false => refused(422, "state is not a code"),
    });
    let ran = service.run(&["search", "--state", "Texas"]).failed(1);
    assert!(ran.err.contains("state is not a code"), "{ran:?}");
    assert!(service.heard().len() <= 3, "{:?}", service.heard());
}
