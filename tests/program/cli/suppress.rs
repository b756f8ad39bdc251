//! `lode suppress`: lists from the CSV of a CRM, and what they keep from being bought.

use std::collections::BTreeSet;
use std::fmt::Write;

use lode_sandbox::corpus::CorpusKind;

use common::test_app::{TestApp, words};

/// What a CRM exports of these contacts.
fn crm_export(app: &TestApp, ids: &[u64]) -> String {
    let mut csv = "\u{feff}Record ID;First Name;Last Name;E-mail;Phone Number;Company Name;Lead Status\r\n".to_owned();
    for id in ids {
        let person = app.sandbox.service().person(CorpusKind::Us, *id).unwrap();
        let (first, last, email, phone, company) =
            (&person.first_name, &person.last_name, &person.email, &person.phone, &person.company_name);
        write!(csv, "{id}0;{first};{last};{email};+1 {phone};\"{company}\";Customer\r\n").unwrap();
    }
    csv
}

#[test]
fn sixty_customers_of_a_hundred_staged_are_left_aside_and_forty_are_bought() {
    let app = TestApp::new();
    // A corpus holds some people twice: a list that names one of the two names the other as well.
    let found = app.run(&["search", "--limit", "200"]).ended(0);
    let mut seen = BTreeSet::new();
    let person = |id: u64| app.sandbox.service().person(CorpusKind::Us, id).unwrap().email.to_string();
    let rows: Vec<&str> = found
        .out
        .lines()
        .zip(found.ids())
        .filter(|(_, id)| seen.insert(person(*id)))
        .map(|(row, _)| row)
        .take(100)
        .collect();
    app.fed(&["basket", "add"], &rows.join("\n")).ended(0);
    let ids = app.run(&["basket", "list"]).ended(0).ids();
    assert_eq!(ids.len(), 100);
    // Not the first sixty: every line of the export has to find its own row.
    let (customers, others): (Vec<u64>, Vec<u64>) =
        ids.iter().partition(|id| ids.iter().position(|one| one == *id).unwrap() % 5 < 3);
    let added = app.fed(&["suppress", "add", "crm", "-"], &crm_export(&app, &customers)).ended(0);
    assert!(added.err.starts_with("added to crm: 60 emails, 60 phones, 60 people"), "{added:?}");
    let check = app.run(&["suppress", "check"]).ended(0);
    for line in check.lines() {
        let id = line["id"].as_u64().unwrap();
        let expected = if customers.contains(&id) { "suppressed" } else { "clear" };
        assert_eq!(line["check"], expected, "{line}");
    }
    let staged = app.run(&["basket", "list"]).ended(0);
    let quote =
        app.fed(&["unlock", "--max-credits", "100", "--dry-run"], &staged.out).ended(0).lines()[0]["quote"].clone();
    assert_eq!((&quote["suppressed"], &quote["unchecked"], &quote["to_unlock"]), (&60.into(), &0.into(), &40.into()));
    let ran = app.fed(&["unlock", "--corpus", "us", "--max-credits", "100"], &words(&ids).join("\n")).ended(0);
    assert_eq!((&ran.summary()["charged"], &ran.summary()["locked"]), (&40.into(), &60.into()), "{}", ran.err);
    let mut bought = others;
    bought.sort_unstable();
    assert_eq!(app.owned(), bought);
}

#[test]
fn a_list_is_added_to_shown_and_removed() {
    let app = TestApp::new();
    std::fs::write(app.path("a.csv"), "Account Name,Website\nAcme,https://www.acme.example/\n").unwrap();
    app.run(&["suppress", "add", "accounts", "a.csv"]).ended(0);
    app.fed(&["suppress", "add", "accounts", "-", "--subdomains"], "elm.example\n").ended(0);
    let lists = app.run(&["suppress", "list"]).ended(0).lines();
    assert_eq!((&lists[0]["name"], &lists[0]["domains"]), (&"accounts".into(), &2.into()));
    let shown = app.run(&["suppress", "show", "accounts"]).ended(0).lines();
    let told: Vec<_> = shown.iter().map(|line| (line["value"].as_str().unwrap(), &line["subdomains"])).collect();
    assert_eq!(told, [("elm.example", &true.into()), ("acme.example", &false.into())]);
    let rows =
        [("1", "d•••@acme.example"), ("2", "d•••@mail.acme.example"), ("3", "d•••@mail.elm.example"), ("4", "d•••")];
    let row = |(id, email): (&str, &str)| format!(r#"{{"id":{id},"email_address":"{email}","unlocked":false}}"#);
    let checked = app.fed(&["suppress", "check", "-"], &rows.map(row).join("\n")).ended(0).lines();
    let checks: Vec<&str> = checked.iter().map(|line| line["check"].as_str().unwrap()).collect();
    assert_eq!(checks, ["suppressed", "clear", "suppressed", "unchecked"]);
    assert_eq!(checked[3]["why"], "the row shows no domain");
    app.run(&["suppress", "rm", "accounts"]).ended(0);
    assert_eq!(app.run(&["suppress", "list"]).ended(0).out, "");
    for act in ["show", "rm"] {
        assert!(
            app.run(&["suppress", act, "accounts"]).failed(1).err.contains("no suppression list is named `accounts`")
        );
    }
}

#[test]
fn single_entries_are_taken_out_of_a_list() {
    let app = TestApp::new();
    let crm = "Email,Website,Phone\ndana@lakeside.example,elm.example,(512) 555-0142\ntom@quail.example,,\n";
    app.fed(&["suppress", "add", "crm", "-", "--subdomains"], crm).ended(0);
    let ran = app.fed(&["suppress", "rm", "crm", "-"], "Email\nDANA@lakeside.example\nnew@acme.example\n").ended(0);
    assert!(ran.err.contains("removed from crm: 1 email; 1 entry not on it"), "{ran:?}");
    std::fs::write(app.path("gone.csv"), "domain\nelm.example\n").unwrap();
    app.run(&["suppress", "rm", "crm", "gone.csv"]).ended(0);
    let shown = app.run(&["suppress", "show", "crm"]).ended(0).lines();
    let left: Vec<_> = shown.iter().map(|line| line["value"].as_str().unwrap()).collect();
    assert_eq!(left, ["tom@quail.example", "5125550142"]);
    let ran = app.fed(&["suppress", "rm", "crm", "-"], "missing@acme.example\n").failed(1);
    assert!(ran.err.contains("none of these entries is on the list"), "{ran:?}");
    app.fed(&["suppress", "rm", "absent", "-"], "a@b.example\n").failed(1);
    app.fed(&["suppress", "rm", "crm", "-"], "").failed(2);
    assert_eq!(app.run(&["suppress", "show", "crm"]).ended(0).lines().len(), 2, "a refusal changes nothing");
}

#[test]
fn what_makes_no_list_says_why() {
    let app = TestApp::new();
    for (input, why) in [
        ("", "standard input cannot be used as a list: it is empty"),
        ("\u{feff}\r\n", "it is empty"),
        ("Title,State\nNurse,TX\n", "it has no usable column, only `Title`, `State`"),
        ("Email\n-\n", "it has no usable line"),
    ] {
        let ran = app.fed(&["suppress", "add", "crm", "-"], input).failed(2);
        assert!(ran.err.contains(why), "{input:?} {ran:?}");
    }
    app.run(&["suppress", "add", "crm", "nowhere.csv"]).failed(2);
    assert_eq!(app.run(&["suppress", "list"]).ended(0).out, "");
}
