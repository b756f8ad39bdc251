//! Totals that cannot be: the rows of the page count, whatever is written beside them.

use serde_json::{Value, json};

use crate::cli::invented::{Invented, data_page, me, page, row};

fn counting(total: Value, rows: usize) -> Invented {
    Invented::start(move |asked| {
        if asked.is("/me") {
            return me(&["search"]);
        }
        let (limit, offset) = (asked.number("limit").min(25), asked.number("offset"));
        let rows = (offset..(offset + limit).min(rows)).map(row).collect();
        if asked.is("/api/search") {
            data_page(total.clone(), limit, offset, rows)
        } else {
            page(total.clone(), limit, offset, rows)
        }
    })
}

#[test]
fn rows_with_a_senseless_total_are_printed_to_the_last() {
    for total in [json!(0), json!(-1), json!(null), json!("many"), json!({"value": 3}), json!(2)] {
        for rows in [3, 25, 60] {
            for source in ["workspace", "data"] {
                let service = counting(total.clone(), rows);
                let ran = service.run(&["search", "--source", source, "--title", "nurse", "--limit", "500"]).ended(0);
                assert_eq!(ran.ids(), (0..rows as u64).collect::<Vec<_>>(), "{source}, total {total}: {ran:?}");
                assert!(!ran.err.contains("nothing matched"), "{ran:?}");
            }
        }
    }
}

#[test]
fn a_page_without_rows_and_without_a_total_is_an_empty_result() {
    let ran = counting(json!(-1), 0).run(&["search", "--title", "nurse"]).ended(0);
    assert_eq!(ran.out, "");
}
