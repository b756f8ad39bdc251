//! `--csv`, `--fields` and the best of many rows, against a service whose rows do not all have the same fields.

use serde_json::{Value, json};

use crate::cli::crooked::{Asked, Crooked, State, done};

/// A page of plain rows, with fields of the test's own.
fn page(asked: &Asked, state: &State, more: impl Fn(u64) -> Value) -> Vec<u8> {
    let (limit, offset) = (asked.number("limit").unwrap_or(25).min(100), asked.number("offset").unwrap_or(0));
    let rows: Vec<Value> = (offset + 1..=state.rows.min(offset + limit))
        .map(|id| {
            let mut row = json!({"id": id, "title": "Nurse", "first_name": format!("Tom {id}"), "unlocked": false,
                "company_name": format!("Company {id}"), "email_address": format!("p•••@c{id}.example")});
            row.as_object_mut().unwrap().extend(more(id).as_object().unwrap().clone());
            row
        })
        .collect();
    done(&json!({"corpus": "us", "total": state.rows, "limit": limit, "offset": offset, "took_ms": 1, "rows": rows}))
}

/// A service with this number of rows.
fn service(rows: u64, more: impl Fn(u64) -> Value + Send + 'static) -> Crooked {
    let crooked = Crooked::start(move |asked, state| asked.is("/search").then(|| page(asked, state, &more)));
    crooked.state().rows = rows;
    crooked
}

/// The cells of a CSV by their column.
fn cells(csv: &str, column: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let at = reader.headers().unwrap().iter().position(|name| name == column).unwrap_or_else(|| panic!("{csv}"));
    reader.records().map(|record| record.unwrap()[at].to_owned()).collect()
}

/// Row 150 alone has a LinkedIn address, every row from 120 on an object.
fn late(id: u64) -> Value {
    match id {
        150 => json!({"linkedin_url": "https://linkedin.example/150", "more": {"a": id}}),
        120.. => json!({"more": {"b": id}}),
        _ => json!({}),
    }
}

#[test]
fn a_field_that_a_later_row_has_is_a_column_of_the_csv() {
    let service = service(230, late);
    let csv = service.run(&["search", "--title", "nurse", "--limit", "200", "--csv"]).ended(0).out;
    assert_eq!(csv.lines().count(), 201);
    let urls = cells(&csv, "linkedin_url");
    assert_eq!((urls[149].as_str(), urls[148].as_str()), ("https://linkedin.example/150", ""));
    assert_eq!((cells(&csv, "more.a")[149].as_str(), cells(&csv, "more.b")[199].as_str()), ("150", "200"));
    let ids: Vec<String> = (1..=200u64).map(|id| id.to_string()).collect();
    assert_eq!(cells(&csv, "id"), ids);
}

#[test]
fn rows_that_were_read_before_a_failure_are_in_the_csv() {
    let service = Crooked::start(|asked, state| {
        let broken = asked.number("offset").is_some_and(|offset| offset >= 100);
        asked
            .is("/search")
            .then(|| if broken { crate::cli::crooked::refused(400, "no") } else { page(asked, state, late) })
    });
    service.state().rows = 230;
    let ran = service.run(&["search", "--title", "nurse", "--limit", "200", "--csv"]).failed(1);
    assert_eq!(ran.out.lines().count(), 101, "{ran:?}");
}

#[test]
fn a_field_is_unknown_only_if_no_row_has_it() {
    let service = service(230, late);
    let search = ["search", "--title", "nurse", "--limit", "200", "--fields"];
    let ran = service.run(&[&search[..], &["id,linkedin_url"]].concat()).ended(0);
    assert_eq!(ran.said, "", "row 150 has it");
    assert_eq!(ran.lines()[149]["linkedin_url"], "https://linkedin.example/150");
    let ran = service.run(&[&search[..], &["id,linkedin_urn"]].concat()).ended(0);
    assert!(ran.err.contains("no field linkedin_urn; there are id, title"), "{}", ran.err);
}

#[test]
fn the_csv_of_an_unlock_has_its_columns_from_the_first_row_on() {
    let service = service(40, |_| json!({}));
    let csv = service.run(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2", "--csv"]).ended(0).out;
    assert!(csv.starts_with("id,corpus,outcome,email,phone,contact_name,company_name,title,verification"), "{csv}");
    assert_eq!(cells(&csv, "unreachable"), ["", ""]);
}

#[test]
fn all_and_best_read_all() {
    let service = service(5_250, |id| json!({"title": if id == 5_250 { "Director" } else { "Nurse" }}));
    std::fs::create_dir_all(service.path("config")).unwrap();
    std::fs::write(service.path("config/score.toml"), "[title]\ndirector = 20\n").unwrap();
    let ran = service.run(&["search", "--title", "nurse", "--all", "--best", "--json"]).ended(0);
    assert_eq!((ran.ids().len(), ran.ids()[0]), (5_250, 5_250), "{}", ran.err);
}

#[test]
fn rows_that_were_not_chosen_from_are_told() {
    let service = service(450, |_| json!({}));
    let search = ["search", "--title", "nurse", "--among", "200", "--json"];
    for how in [&["--best", "--all"][..], &["--per-company", "1"], &["--not-title", "nurse"]] {
        let ran = service.run(&[&search[..], how].concat()).ended(0);
        let said = "only the first 200 of 450 rows were read; `--among N` reads more";
        assert!(ran.err.contains(said), "{how:?}: {}", ran.err);
    }
    let ran = service.run(&["search", "--title", "nurse", "--among", "450", "--per-company", "1"]).ended(0);
    assert!(!ran.err.contains("--among"), "{}", ran.err);
}
