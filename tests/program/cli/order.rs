//! A service whose rows come in another order each time: no page follows the one before.

use std::collections::BTreeSet;

use serde_json::json;

use crate::cli::invented::{Invented, data_page, me, page, row};

/// Rows `0..total`, begun some places further with each request.
fn drifting(total: usize) -> Invented {
    let mut requests = 0;
    Invented::start(move |asked| {
        if asked.is("/me") {
            return me(&["search"]);
        }
        requests += 1;
        let (limit, offset) = (asked.number("limit").min(25), asked.number("offset"));
        let shift = requests * 7 % 20;
        let rows = (offset..(offset + limit).min(total)).map(|at| row((at + shift) % total)).collect();
        page(json!(total), limit, offset, rows)
    })
}

#[test]
fn what_an_unstable_order_skipped_is_fetched() {
    let service = drifting(130);
    let ran = service.run(&["search", "--limit", "1000"]).ended(0);
    let ids = ran.ids();
    let different: BTreeSet<u64> = ids.iter().copied().collect();
    assert_eq!(different.len(), ids.len(), "no row comes twice: {ran:?}");
    assert_eq!(different.len(), 130, "{ran:?}");
}

#[test]
fn rows_that_never_come_are_reported() {
    for source in ["workspace", "data"] {
        let service = Invented::start(|asked| {
            if asked.is("/me") {
                return me(&["search"]);
            }
            // Three contacts never show: others stand twice in their places.
            let (limit, offset) = (asked.number("limit").min(25), asked.number("offset"));
            let rows = (offset..(offset + limit).min(60)).map(|at| row(if at < 57 { at } else { at - 40 })).collect();
            if asked.is("/api/search") {
                data_page(json!(60), limit, offset, rows)
            } else {
                page(json!(60), limit, offset, rows)
            }
        });
        let ran = service.run(&["search", "--source", source, "--title", "nurse", "--limit", "1000"]).ended(0);
        assert_eq!(ran.ids().len(), 57, "{ran:?}");
        assert!(ran.err.contains("57 of 60"), "{ran:?}");
        assert!(service.heard().len() < 20, "reading again ends: {}", service.heard().len());
    }
}
