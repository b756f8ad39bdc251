//! Commands that read.

use calamine::Reader;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};

use lode_sandbox::corpus::CorpusKind;
use lode_sandbox::service::ServiceSetup;
use lode_sandbox::variants::{Habit, Variant};
use serde_json::json;

use common::test_app::{Ran, TestApp};

#[test]
fn me_tells_workspace_key_and_credits() {
    for variant in Variant::ALL {
        let app = TestApp::of(variant);
        let ran = app.run(&["me", "--json"]).ended(0);
        let me = &ran.lines()[0];
        assert_eq!(me["org"]["id"], app.org());
        assert_eq!(me["credits"], app.balance());
        assert_eq!(me["key"]["scopes"], json!(["search", "unlock"]));
        let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(me), ["org", "key", "credits"]);
        assert_eq!(keys(&me["key"]), ["name", "prefix", "scopes"]);
        assert_eq!(ran.err, "");
    }
}

/// Ids of all engineers that a search may show, in the service's order.
fn engineers(app: &TestApp) -> Vec<u64> {
    let service = app.sandbox.service();
    let is_engineer = |id: &u64| {
        let person = service.person(CorpusKind::Us, *id);
        person.is_some_and(|person| person.title.to_lowercase().contains("engineer"))
    };
    (1..=service.setup.us_rows).filter(|id| !service.suppressed(CorpusKind::Us, *id)).filter(is_engineer).collect()
}

#[test]
fn a_thousand_rows_come_whole_and_in_order_whatever_the_largest_page() {
    for variant in Variant::ALL {
        for largest in [25, 50, 100, 200] {
            let setup = ServiceSetup { variant, us_rows: 25_000, max_page: Some(largest), ..TestApp::setup() };
            let app = TestApp::with(setup);
            let ran = app.run(&["search", "--title", "engineer", "--limit", "1000", "--json"]).ended(0);
            let found: BTreeSet<u64> = ran.ids().into_iter().collect();
            if variant.habits().has(Habit::Wavers) {
                assert_eq!((ran.ids().len(), found.len()), (1000, 1000), "{variant:?} {largest}");
            } else {
                assert_eq!(ran.ids(), engineers(&app)[..1000], "{variant:?} {largest}");
            }
            assert_eq!(ran.err, "");
        }
    }
}

#[test]
fn a_set_that_moves_is_said_and_no_contact_comes_twice() {
    let app = TestApp::with(ServiceSetup { us_rows: 25_000, ..TestApp::setup() });
    app.fault("members@search=0.7");
    app.fault("suppress@search=0.5");
    let ran = app.run(&["search", "--title", "engineer", "--limit", "1000", "--exclude-unlocked", "--json"]).ended(0);
    let ids = ran.ids();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    assert!(ran.err.contains("the result changed while it was read"), "{}", ran.err);
    assert!(ran.lines().iter().all(|row| row["unlocked"] == false));
}

#[test]
fn rows_carry_the_fields_of_the_service_in_its_order() {
    let app = TestApp::new();
    let us = app.run(&["search", "--limit", "3"]).ended(0);
    let names = |ran: &Ran| ran.lines()[0].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&us)[..4], ["id", "company_name", "first_name", "last_name"]);
    assert_eq!(us.lines().len(), 3);
    let linkedin = app.run(&["search", "--corpus", "linkedin", "--title-level", "VP", "--limit", "2"]).ended(0);
    assert!(linkedin.lines().iter().all(|row| row["title_level"] == "VP" && row.get("email").is_some()));
    let data = app.run(&["search", "--source", "data", "--query", "nurse", "--limit", "2"]).ended(0);
    assert!(data.lines()[0].get("email_address").is_some());
}

#[test]
fn nothing_found_is_not_a_failure() {
    let ran = TestApp::new().run(&["search", "--title", "no such title anywhere"]).ended(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
}

#[test]
fn a_slow_search_is_warned_about_and_done() {
    let ran = TestApp::new().run(&["search", "--source", "data", "--state", "TX", "--limit", "1"]).ended(0);
    assert_eq!(ran.lines().len(), 1);
    assert!(ran.err.contains("add --query or --industry"), "{}", ran.err);
}

#[test]
fn a_reader_that_leaves_ends_the_search_quietly() {
    let app = TestApp::with(ServiceSetup { us_rows: 25_000, ..TestApp::setup() });
    let mut child = app.command(&["search", "--limit", "10000"]).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let ran = Ran::of(child);
    assert!(first.starts_with("{\"id\":1,"), "{first}");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn counts_are_one_line_a_state_and_a_code_in_every_shape() {
    for variant in Variant::ALL {
        let ran = TestApp::of(variant).run(&["counts", "--corpus", "us"]).ended(0);
        let lines = ran.lines();
        for kind in ["state", "sic"] {
            assert!(lines.iter().any(|line| line["kind"] == kind), "{variant:?} {kind}");
        }
        assert!(
            lines.iter().all(|line| line["count"].is_u64() && line["code"].is_string() && line["name"].is_string())
        );
        let texas = lines.iter().find(|line| line["kind"] == "state" && line["code"] == "TX");
        assert_eq!(texas.unwrap()["name"].as_str().unwrap().to_lowercase(), "texas", "{variant:?}");
    }
}

#[test]
fn every_form_of_an_export_is_written_whole_under_its_name() {
    let app = TestApp::new();
    for form in ["raw", "contacts", "hubspot", "salesforce", "instantly", "smartlead", "jsonl"] {
        let ran = app.run(&["export", "--query", "nurse", "--form", form, "-o", form]).ended(0);
        let told = &ran.lines()[0];
        assert_eq!(told["path"], app.path(form).to_str().unwrap());
        let text = std::fs::read_to_string(app.path(form)).unwrap();
        let header = u64::from(form != "jsonl");
        assert_eq!(text.lines().count() as u64, told["rows"].as_u64().unwrap() + header, "{form}");
        assert_eq!(text.len() as u64, told["bytes"].as_u64().unwrap(), "{form}");
    }
    let made = app.run(&["export", "--query", "nurse"]).ended(0);
    assert!(std::path::Path::new(made.lines()[0]["path"].as_str().unwrap()).exists());
}

/// Read back by another library: the same cells as the CSV, digit by digit, all of them text.
#[test]
fn a_workbook_holds_the_cells_of_the_csv_as_text() {
    let app = TestApp::new();
    let told = app.run(&["export", "--query", "nurse", "--form", "xlsx", "-o", "leads.xlsx"]).ended(0);
    app.run(&["export", "--query", "nurse", "--form", "raw", "-o", "leads.csv"]).ended(0);
    let mut workbook: calamine::Xlsx<_> = calamine::open_workbook(app.path("leads.xlsx")).unwrap();
    let sheet = workbook.worksheet_range("Sheet1").unwrap();
    let mut csv = csv::ReaderBuilder::new().has_headers(false).from_path(app.path("leads.csv")).unwrap();
    let mut rows = 0;
    for (record, row) in csv.records().map(Result::unwrap).zip(sheet.rows()) {
        let cells: Vec<&str> =
            row.iter().map(|cell| calamine::DataType::get_string(cell).unwrap_or_default()).collect();
        assert_eq!(record.iter().collect::<Vec<_>>(), cells);
        assert!(row.iter().all(|cell| matches!(cell, calamine::Data::String(_) | calamine::Data::Empty)), "{row:?}");
        rows += 1;
    }
    assert!(rows > 10 && rows == sheet.height() && rows as u64 == told.lines()[0]["rows"].as_u64().unwrap() + 1);
    app.run(&["basket", "add", "--corpus", "us", "11", "12"]).ended(0);
    let made = app.run(&["export", "--from", "basket", "--form", "xlsx"]).ended(0);
    let path = made.lines()[0]["path"].as_str().unwrap().to_owned();
    assert!(path.ends_with(".xlsx"), "{path}");
    let mut workbook: calamine::Xlsx<_> = calamine::open_workbook(path).unwrap();
    assert_eq!(workbook.worksheet_range("Sheet1").unwrap().height(), 3);
}

#[test]
fn an_export_that_breaks_leaves_nothing_under_its_name() {
    let app = TestApp::new();
    for fault in ["reset-mid@export=next", "502@export=next", "truncated@export=next"] {
        app.fault(fault);
        app.run(&["export", "--query", "nurse", "-o", "list.csv"]).failed(8);
        assert!(!app.path("list.csv").exists(), "{fault}");
    }
    app.run(&["export", "--query", "nurse", "--form", "nothing-like-it", "-o", "list.csv"]).failed(2);
    app.run(&["export", "--query", "nurse", "-o", "no/such/folder/list.csv"]).failed(1);
}

#[test]
fn a_wait_that_the_service_asks_for_is_said_and_waited() {
    let app = TestApp::new();
    app.fault("429@search=next:1");
    let ran = app.run(&["search", "--limit", "1"]).ended(0);
    assert_eq!(ran.lines().len(), 1);
    assert!(ran.err.starts_with("waiting 1 s (requested by the service), 1 queued"), "{}", ran.err);
}
