//! Contacts that a search shows as owned, no matter which member bought them: they are in the books from then on, whole and for free. And what
//! a row said of a contact stays with it when it is bought.

use std::collections::BTreeMap;

use lode_sandbox::corpus::CorpusKind;

use common::test_app::{TestApp, words};

fn colleague_buys(app: &TestApp, kind: CorpusKind, ids: &[u64]) {
    let bought = app.sandbox.service().member_unlocks(&app.org(), kind, ids, app.sandbox.now_ms());
    assert_eq!(bought.len(), ids.len());
}

/// The first ids of a corpus, as a search lists them.
fn first(app: &TestApp, corpus: &str, count: usize) -> Vec<u64> {
    let ids = app.run(&["search", "--corpus", corpus, "--limit", &count.to_string(), "--json"]).ended(0).ids();
    assert_eq!(ids.len(), count);
    ids
}

#[test]
fn what_a_colleague_bought_is_owned_after_one_search_and_never_quoted() {
    let app = TestApp::new();
    let ids = first(&app, "us", 50);
    colleague_buys(&app, CorpusKind::Us, &ids);
    assert_eq!(app.run(&["owned", "--json"]).ended(0).lines().len(), 0, "no search has shown them yet");
    let balance = app.balance();
    let shown = app.run(&["search", "--limit", "50", "--json"]).ended(0);
    let owned = app.run(&["owned", "--json"]).ended(0);
    assert_eq!(owned.sorted_ids(), app.owned());
    for line in shown.lines() {
        let kept = owned.lines().into_iter().find(|kept| kept["id"] == line["id"]).unwrap();
        assert_eq!((&kept["email"], &kept["phone"]), (&line["email_address"], &line["phone"]));
        assert_eq!((&kept["title"], &kept["verification"]), (&line["title"], &line["verification"]));
    }
    assert_eq!(app.run(&["receipts", "--json"]).ended(0).lines().len(), 0, "nothing was bought");
    let mut arguments: Vec<String> =
        ["unlock", "--corpus", "us", "--max-credits", "60", "--json"].map(str::to_owned).to_vec();
    arguments.extend(words(&ids));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let unlocked = app.run(&arguments).ended(0);
    assert_eq!(unlocked.summary()["charged"], 0, "{unlocked:?}");
    assert_eq!(unlocked.summary()["already"], 50, "{unlocked:?}");
    assert_eq!(app.balance(), balance);
    let named = shown.lines()[0]["last_name"].as_str().unwrap().to_owned();
    let found = app.run(&["owned", "--find", &named.to_uppercase(), "--json"]).ended(0);
    assert!(found.ids().contains(&ids[0]) && found.ids().len() < 50, "{found:?}");
    app.run(&["export", "--from", "owned", "-o", "owned.csv"]).ended(0);
    let file = std::fs::read_to_string(app.path("owned.csv")).unwrap();
    assert_eq!(file.lines().count(), 51);
}

type Table = BTreeMap<String, BTreeMap<String, String>>;

/// A CSV by the person's name and company.
fn table(app: &TestApp, from: &str, corpus: &str, form: &str) -> Table {
    let name = format!("{from}-{corpus}-{form}.csv");
    app.run(&["export", "--from", from, "--corpus", corpus, "--format", form, "-o", &name]).ended(0);
    let mut reader = csv::Reader::from_path(app.path(&name)).unwrap();
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        let row: BTreeMap<String, String> = head.iter().cloned().zip(record.iter().map(str::to_owned)).collect();
        let company = row.get("Company").or(row.get("Company Name")).unwrap();
        (format!("{} {} {company}", row["First Name"], row["Last Name"]), row)
    });
    rows.collect()
}

fn assert_same(staged: &Table, owned: &Table, why: &str) {
    assert_eq!(staged.keys().collect::<Vec<_>>(), owned.keys().collect::<Vec<_>>(), "{why}");
    let mut filled = 0;
    for (who, staged) in staged {
        for (column, value) in staged {
            let bought = &owned[who][column];
            if value.contains('•') {
                // What was masked before is what was paid for.
                assert!(!bought.is_empty() && !bought.contains('•'), "{why}: {who}: {column}");
            } else {
                assert_eq!(bought, value, "{why}: {who}: {column}");
                filled += usize::from(!value.is_empty());
            }
        }
    }
    assert!(filled > staged.len() * 5, "{why}: {filled}");
}

#[test]
fn a_crm_form_from_owned_is_that_from_the_basket_for_both_corpora() {
    for corpus in ["us", "linkedin"] {
        let app = TestApp::new();
        let rows = app.run(&["search", "--corpus", corpus, "--limit", "8", "--json"]).ended(0);
        app.fed(&["basket", "add", "--corpus", corpus], &rows.out).ended(0);
        let forms = ["hubspot", "salesforce"];
        let staged = forms.map(|form| table(&app, "basket", corpus, form));
        // By their ids alone: what is known of them is in the basket.
        let ids = rows.ids().iter().map(|id| format!("{id}\n")).collect::<String>();
        app.fed(&["unlock", "--corpus", corpus, "--max-credits", "8"], &ids).ended(0);
        for (form, staged) in forms.iter().zip(&staged) {
            assert_same(staged, &table(&app, "owned", corpus, form), &format!("{corpus} {form}"));
        }
    }
}

#[test]
fn rows_that_come_through_a_pipe_stay_with_the_contact_as_well() {
    let app = TestApp::new();
    let rows = app.run(&["search", "--limit", "3", "--json"]).ended(0);
    app.fed(&["unlock", "--max-credits", "3"], &rows.out).ended(0);
    app.run(&["export", "--from", "owned", "--format", "jsonl", "-o", "owned.jsonl"]).ended(0);
    let file = std::fs::read_to_string(app.path("owned.jsonl")).unwrap();
    let owned: Vec<serde_json::Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in rows.lines() {
        let kept = owned.iter().find(|kept| kept["id"] == line["id"]).unwrap();
        for field in ["first_name", "last_name", "city", "state", "industry", "naics_code", "email_domain_type"] {
            assert_eq!(kept[field], line[field], "{field}");
        }
        assert!(!kept["email"].as_str().unwrap().contains('•'));
    }
}
