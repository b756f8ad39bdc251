//! Suppression lists that name exact addresses, names or companies, held against masked rows of the very same people.

use std::collections::{BTreeMap, BTreeSet};

use lode_sandbox::corpus::CorpusKind;
use lode_sandbox::service::ServiceSetup;

use common::rng::Rng;
use common::test_app::{Ran, TestApp};

/// First and last names, each equally likely.
struct Names {
    first: Vec<String>,
    last: Vec<String>,
    rng: Rng,
}

#[derive(Clone, Debug, PartialEq)]
struct Name {
    first: String,
    last: String,
}

impl Names {
    fn new() -> Names {
        let read = |name: &str| {
            let text = std::fs::read_to_string(common::root().join("assets/sandbox").join(name)).unwrap();
            text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect()
        };
        Names { first: read("first_names.txt"), last: read("last_names.txt"), rng: Rng::new(38) }
    }

    fn next(&mut self) -> Name {
        let mut one = |of: &[String]| of[self.rng.below(of.len() as u64) as usize].clone();
        Name { first: one(&self.first), last: one(&self.last) }
    }
}

/// A way to write an address.
type Shape = (&'static str, fn(&str, &str, u64) -> String);

fn begin(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// Ten ways, of a first name, the last name that the address was made with, and a number.
const SHAPES: [Shape; 10] = [
    ("first.last", |first, last, _| format!("{first}.{last}")),
    ("last_first", |first, last, _| format!("{last}_{first}")),
    ("f.last", |first, last, _| format!("{}.{last}", begin(first, 1))),
    ("firstl", |first, last, _| format!("{first}{}", begin(last, 1))),
    ("initials", |first, last, _| format!("{}{}", begin(first, 1), begin(last, 1))),
    ("number", |first, _, number| format!("{}{}", begin(first, 1), 60_000 + number)),
    ("eight letters", |first, last, _| begin(&format!("{}{last}", begin(first, 1)), 8)),
    ("cut words", |first, last, _| format!("{}.{}", begin(first, 3), begin(last, 3))),
    ("role", |_, _, number| {
        let roles =
            ["info", "front.desk", "sales-team", "customer.service", "office", "human_resources", "billing", "hr"];
        roles[(number / 10) as usize % roles.len()].to_owned()
    }),
    // The row shows another last name.
    ("maiden name", |first, last, number| match number / 10 % 3 {
        0 => format!("{first}.{last}"),
        1 => format!("{}{last}", begin(first, 1)),
        _ => format!("{last}{number}"),
    }),
];

fn row(id: u64, name: &Name, company: &str, local: &str, domain: &str) -> String {
    let (first, last, letter) = (&name.first, &name.last, begin(local, 1));
    format!(
        r#"{{"id":{id},"corpus":"us","first_name":"{first}","last_name":"{last}","company_name":"{company}","email_address":"{letter}•••@{domain}","unlocked":false}}"#
    )
}

/// The address of a person in one of the shapes.
fn address((_, write): Shape, name: &Name, number: u64) -> String {
    let written = |name: &str| name.to_lowercase().replace([' ', '.'], "");
    write(&written(&name.first), &written(&name.last), number)
}

#[test]
fn of_a_thousand_contacts_whose_exact_addresses_are_listed_none_is_bought() {
    let app = TestApp::new();
    let mut names = Names::new();
    let (mut list, mut rows, mut shapes) = (String::new(), String::new(), BTreeMap::new());
    for id in 1..=1_000 {
        let shape = SHAPES[id as usize % SHAPES.len()];
        let (mut name, domain) = (names.next(), format!("firm{}.example", id / 10));
        let local = address(shape, &name, id);
        if shape.0 == "maiden name" {
            name.last = names.next().last;
        }
        list.push_str(&format!("{local}@{domain}\n"));
        rows.push_str(&(row(id, &name, "", &local, &domain) + "\n"));
        shapes.insert(id, shape.0);
    }
    app.fed(&["suppress", "add", "dnc", "-"], &list).ended(0);
    let ran = app.fed(&["unlock", "--max-credits", "1000", "-"], &rows);
    let mut bought: BTreeMap<&str, usize> = BTreeMap::new();
    app.owned().iter().for_each(|id| *bought.entry(shapes[id]).or_default() += 1);
    assert!(bought.is_empty(), "bought although listed: {bought:?}");
    assert_eq!((&ran.summary()["charged"], &ran.summary()["locked"]), (&0.into(), &1_000.into()), "{}", ran.err);
    // Each row says which entry holds it back.
    let checked = app.fed(&["suppress", "check", "-"], &rows).ended(0).lines();
    for (line, address) in checked.iter().zip(list.lines()) {
        let by = line["by"].as_array().unwrap();
        assert!(by.iter().any(|by| by["list"] == "dnc" && by["entry"] == address), "{address}: {line}");
    }
}

/// Of rows that no list names, at the domains of listed addresses and with the same first letter: how many are not clear.
fn held_back(app: &TestApp, shape: Shape, names: &mut Names) -> (usize, usize) {
    let (mut list, mut rows, mut id) = (String::new(), String::new(), 0);
    for number in 0..250 {
        let (listed, domain) = (names.next(), format!("firm{number}.example"));
        let local = address(shape, &listed, number);
        list.push_str(&format!("{local}@{domain}\n"));
        for name in std::iter::repeat_with(|| names.next()).take(200).filter(|name| *name != listed) {
            let other = address(shape, &name, number);
            if begin(&other, 1) == begin(&local, 1) {
                id += 1;
                rows.push_str(&(row(id, &name, "", &other, &domain) + "\n"));
            }
        }
    }
    app.fed(&["suppress", "add", "dnc", "-"], &list).ended(0);
    let checked = app.fed(&["suppress", "check", "-"], &rows).ended(0).lines();
    app.run(&["suppress", "rm", "dnc"]).ended(0);
    let held = checked.iter().filter(|line| line["check"] != "clear").count();
    println!("held back for `{}`: {held} of {}", shape.0, checked.len());
    (held, checked.len())
}

#[test]
fn at_most_one_in_twenty_is_held_back_for_an_address_of_two_words_of_another() {
    let app = TestApp::new();
    let mut names = Names::new();
    let two_words: [Shape; 3] = [SHAPES[0], ("first_last", |first, last, _| format!("{first}_{last}")), SHAPES[1]];
    for shape in two_words {
        let (held, of) = held_back(&app, shape, &mut names);
        assert!(of >= 1_000 && held * 20 <= of, "{}: {held} of {of}", shape.0);
    }
    // One word contradicts no name: all rows with its first letter are held back.
    for shape in [SHAPES[2], SHAPES[3], SHAPES[5]] {
        let (held, of) = held_back(&app, shape, &mut names);
        assert_eq!(held, of, "{}", shape.0);
    }
}

#[test]
fn an_entry_of_name_and_company_holds_whatever_the_legal_form() {
    let app = TestApp::new();
    let forms = ["", " Inc", ", Inc.", " LLC", " L.L.C.", " Corp.", " Co., Ltd.", " Limited", " GmbH", " Holdings"];
    let mut names = Names::new();
    let (mut list, mut rows) = ("Name,Company\n".to_owned(), String::new());
    for id in 1..=40 {
        let name = names.next();
        let (listed, shown) = (forms[id as usize % forms.len()], forms[(id as usize / 3) % forms.len()]);
        let the = if id % 4 == 0 { "The " } else { "" };
        list.push_str(&format!("{} {},\"Magnolia Networks{listed}\"\n", name.first, name.last));
        rows.push_str(&(row(id, &name, &format!("{the}MAGNOLIA NETWORKS{shown}"), "x", "magnolia.example") + "\n"));
    }
    app.fed(&["suppress", "add", "crm", "-"], &list).ended(0);
    let ran = app.fed(&["unlock", "--max-credits", "40", "-"], &rows);
    assert_eq!(app.owned(), Vec::<u64>::new(), "{}", ran.err);
    let checked = app.fed(&["suppress", "check", "-"], &rows).ended(0).lines();
    assert!(checked.iter().all(|line| line["check"] == "suppressed"), "{checked:?}");
    // A middle initial, and the last name first, are the same person.
    let same = |name: &str| {
        format!(
            r#"{{"id":1,"corpus":"us","contact_name":"{name}","company_name":"Elm, Inc.","email_address":"x•••@elm.example","unlocked":false}}"#
        )
    };
    app.fed(&["suppress", "add", "crm", "-"], "Name,Company\nSylvia Bennett,Elm\n").ended(0);
    for (name, check) in [
        ("Sylvia M. Bennett", "suppressed"),
        ("Bennett, Sylvia", "suppressed"),
        ("Sylvia Moore", "unchecked"),
        ("Otto Klein", "clear"),
    ] {
        let line = app.fed(&["suppress", "check", "-"], &same(name)).ended(0).lines()[0].clone();
        assert_eq!(line["check"], check, "{line}");
    }
}

#[test]
fn a_phone_is_cleared_by_a_contradiction_alone() {
    let app = TestApp::new();
    let list = "Name,Phone\nSylvia Bennett,(512) 555-0142\nOlga Petrov,555-0119\n";
    app.fed(&["suppress", "add", "crm", "-"], list).ended(0);
    for (name, phone, check) in [
        ("Sylvia Moore", "512•••42", "unchecked"),
        ("Sylvia Bennett", "+1•••42", "unchecked"),
        ("Olga Klein", "832•••19", "unchecked"),
        ("Sylvia Bennett", "512•••43", "clear"),
        ("Otto Klein", "512•••42", "clear"),
    ] {
        let row = format!(
            r#"{{"id":1,"corpus":"us","contact_name":"{name}","phone":"{phone}","email_address":"x•••@elm.example","unlocked":false}}"#
        );
        let line = app.fed(&["suppress", "check", "-"], &row).ended(0).lines()[0].clone();
        assert_eq!(line["check"], check, "{name} {phone}: {line}");
    }
}

#[test]
fn a_row_that_cannot_be_checked_is_bought_only_where_the_script_allows_it() {
    let app = TestApp::new();
    app.fed(&["suppress", "add", "dnc", "-"], "r61041@elm.example\nruth.abara@elm.example\n").ended(0);
    let name = |first: &str, last: &str| Name { first: first.to_owned(), last: last.to_owned() };
    let rows = [
        row(1, &name("Rita", "Stone"), "", "r", "elm.example"),
        row(2, &name("Ruth", "Abara"), "", "r", "elm.example"),
    ];
    let unlock = ["unlock", "--max-credits", "2", "-"];
    app.fed(&unlock, &rows.join("\n")).failed(3);
    assert_eq!(app.owned(), Vec::<u64>::new());
    app.fed(&[&unlock[..], &["--allow-unchecked"]].concat(), &rows.join("\n")).ended(0);
    assert_eq!(app.owned(), [1], "what an entry names is never bought");
}

#[test]
fn the_lists_of_the_workspace_hold_at_the_data_api() {
    let app = TestApp::new();
    let search = ["search", "--source", "data", "--query", "nurse", "--limit", "300", "--json"];
    let all = app.run(&search).ended(0).lines();
    let domain = all[0]["email_address"].as_str().unwrap().rsplit_once('@').unwrap().1.to_owned();
    let is_listed = |line: &serde_json::Value| line["email_address"].as_str().unwrap().ends_with(&format!("@{domain}"));
    let listed = all.iter().filter(|line| is_listed(line)).count();
    app.fed(&["suppress", "add", "dnc", "-"], &format!("{domain}\n")).ended(0);
    let left = app.run(&[&search[..], &["--not-list", "dnc"]].concat()).ended(0).lines();
    assert!(!left.iter().any(is_listed) && left.len() + listed >= all.len() && !left.is_empty());
    let export = ["export", "--query", "nurse", "--not-list", "dnc", "--paged", "--format", "jsonl", "-o", "out.jsonl"];
    app.run(&export).ended(0);
    let written = std::fs::read_to_string(app.path("out.jsonl")).unwrap();
    assert!(!written.contains(&format!("@{domain}\"")) && written.lines().count() > 1);
    app.run(&["saved", "add", "nurses", "--source", "data", "--query", "nurse", "--not-list", "dnc"]).ended(0);
    let ran = app.run(&["saved", "run", "nurses", "--json"]).ended(0);
    assert!(!ran.lines().iter().any(is_listed), "{}", ran.err);
    let wrong = app.run(&[&search[..], &["--not-list", "absent"]].concat()).failed(2);
    assert!(wrong.err.contains("`lode suppress list` shows them"), "{wrong:?}");
}

#[test]
fn the_rule_for_owned_companies_counts_at_the_data_api() {
    let app = TestApp::with(ServiceSetup { us_rows: 40_000, ..TestApp::setup() });
    let search = ["search", "--source", "data", "--query", "nurse", "--limit", "300", "--json"];
    let rows = app.run(&search).ended(0).lines();
    let domains: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row["email_domain_type"] != "personal")
        .map(|row| row["email_address"].as_str().unwrap().rsplit_once('@').unwrap().1)
        .collect();
    let service = app.sandbox.service();
    let at_one = |id: &u64| {
        let person = service.person(CorpusKind::Us, *id).filter(|_| !service.suppressed(CorpusKind::Us, *id));
        person.is_some_and(|person| domains.contains(person.email.rsplit_once('@').unwrap().1))
    };
    let id = (1..=40_000).find(at_one).expect("a company of both corpora").to_string();
    app.run(&["unlock", "--corpus", "us", "--max-credits", "1", &id]).ended(0);
    std::fs::create_dir_all(app.path("config")).unwrap();
    std::fs::write(app.path("config/score.toml"), "[owned]\ncompany = -25\n").unwrap();
    let ran = app.run(&search).ended(0);
    assert!(ran.lines().iter().any(|row| row["lode"]["score"] == -25), "{}", ran.err);
    assert!(!ran.err.contains("it is not known what is owned"), "{}", ran.err);
}

#[test]
fn a_key_of_the_workspace_is_fetched_only_where_its_lists_are_asked() {
    let app = TestApp::new();
    let service = |name: &str, url: &str, command: String| {
        format!("[profiles.main.{name}]\nurl = \"{url}\"\nkey = {{ command = \"{command}\" }}\n")
    };
    let fetch = format!("touch {}; echo {}", app.path("fetched").display(), app.workspace_key);
    let data = format!("echo {}", app.data_key);
    let config = service("workspace", &app.workspace_url, fetch) + &service("data", &app.sandbox.data_url, data);
    std::fs::create_dir_all(app.path("config")).unwrap();
    std::fs::write(app.path("config/config.toml"), config).unwrap();
    let run = |more: &[&str]| {
        let search = ["search", "--source", "data", "--query", "nurse", "--limit", "3"];
        let mut command = app.command(&[&search[..], more].concat());
        for name in ["LODE_WORKSPACE_URL", "LODE_WORKSPACE_KEY", "LODE_DATA_URL", "LODE_DATA_KEY"] {
            command.env_remove(name);
        }
        Ran::of(command.spawn().unwrap())
    };
    run(&[]).ended(0);
    assert!(!app.path("fetched").exists());
    run(&["--not-list", "dnc"]).failed(2);
    assert!(app.path("fetched").exists());
}
