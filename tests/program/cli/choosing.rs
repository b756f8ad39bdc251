//! Choosing contacts, in a shell: exclusions, scores and limits per company, held against brute force.

use std::collections::{BTreeMap, BTreeSet};

use lode_sandbox::service::ServiceSetup;
use serde_json::Value;

use common::test_app::TestApp;

const CARD: &str =
    "[title]\ndirector = 20\n\"nurse practitioner\" = 7\n[email_type]\npersonal = -15\n[email_status]\nvalid = 3\n";

fn app() -> TestApp {
    let app = TestApp::with(ServiceSetup { us_rows: 40_000, linkedin_rows: 40_000, ..TestApp::setup() });
    std::fs::create_dir_all(app.path("config")).unwrap();
    app
}

fn text<'a>(row: &'a Value, names: &[&str]) -> &'a str {
    names.iter().find_map(|name| row[*name].as_str()).unwrap_or_default()
}

fn has(text: &str, word: &str) -> bool {
    text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|known| known == word)
}

fn points(row: &Value) -> i64 {
    let title = text(row, &["title"]).to_lowercase();
    let mut points = if has(&title, "director") { 20 } else { 0 };
    points += if title.contains("nurse practitioner") { 7 } else { 0 };
    points -= if text(row, &["email_domain_type"]) == "personal" { 15 } else { 0 };
    points + if text(row, &["email_status"]) == "valid" { 3 } else { 0 }
}

fn firm(row: &Value) -> String {
    let email = text(row, &["email_address", "email"]);
    match email.rsplit_once('@') {
        Some((_, domain)) if text(row, &["email_domain_type"]) != "personal" => domain.to_lowercase(),
        _ => lode_core::firm::normal(text(row, &["company_name"])),
    }
}

fn person(row: &Value) -> [String; 3] {
    let name = match text(row, &["contact_name"]) {
        "" => format!("{} {}", text(row, &["first_name"]), text(row, &["last_name"])),
        whole => whole.to_owned(),
    };
    [name.as_str(), text(row, &["company_name"]), text(row, &["email_address", "email"])].map(str::to_lowercase)
}

/// The first rows of a service, as they come.
fn raw(app: &TestApp, side: &[&str], limit: &str) -> Vec<Value> {
    let run = |more: &[&str]| app.run(&[&["search"], side, more].concat()).ended(0).lines();
    run(&["--limit", limit, "--json"])
}

const SIDES: [[&str; 6]; 4] = [
    ["--source", "workspace", "--corpus", "us", "--title", "nurse"],
    ["--source", "workspace", "--corpus", "linkedin", "--title", "nurse"],
    ["--source", "data", "--corpus", "us", "--query", "nurse"],
    ["--source", "data", "--corpus", "linkedin", "--query", "nurse"],
];

#[test]
fn the_best_of_a_search_are_those_that_brute_force_finds_on_every_side() {
    let app = app();
    for side in SIDES {
        let mut left = raw(&app, &side, "300");
        std::fs::write(app.path("config/score.toml"), CARD).unwrap();
        let before = app.sandbox.service().log().len();
        let choose = ["--not-title", "manager", "--per-company", "2", "--among", "300", "--limit", "40", "--json"];
        let ran = app.run(&[&["search"], side.as_slice(), &choose].concat()).ended(0);
        assert_eq!(app.sandbox.service().log().len() - before, 3, "{side:?}: three pages");
        std::fs::remove_file(app.path("config/score.toml")).unwrap();

        let read = left.len();
        left.retain(|row| !has(text(row, &["title"]), "manager"));
        let out = read - left.len();
        assert!(out > 0, "{side:?}: vacuous");
        let (mut ids, mut people, mut firms) = (Vec::new(), BTreeSet::new(), BTreeMap::<String, u32>::new());
        left.sort_by_key(|row| -points(row));
        for row in &left {
            let count = firms.get(&firm(row)).copied().unwrap_or(0);
            if ids.len() < 40 && count < 2 && people.insert(person(row)) {
                *firms.entry(firm(row)).or_default() += 1;
                ids.push(row["id"].as_u64().unwrap());
            }
        }
        assert_eq!(ran.ids(), ids, "{side:?}");
        let said = format!("{out} of the {read} rows read excluded; the total counts them");
        assert!(ran.err.contains(&said), "{side:?}: {}", ran.err);
        for row in ran.lines() {
            let parts = row["lode"]["parts"].as_object().unwrap();
            let sum: i64 = parts.values().map(|points| points.as_i64().unwrap()).sum();
            assert_eq!(row["lode"]["score"], sum, "{row}");
            assert_eq!(sum, points(&row), "{row}");
        }
    }
}

#[test]
fn excluded_rows_are_passed_over_until_there_are_enough() {
    let app = app();
    let side = SIDES[0];
    let all = raw(&app, &side, "1000");
    let domain = all.iter().map(firm).find(|firm| firm.contains('.')).unwrap();
    let kept = all.iter().filter(|row| {
        !has(text(row, &["title"]), "manager") && firm(row) != domain && !has(text(row, &["company_name"]), "group")
    });
    let expected: Vec<u64> = kept.filter_map(|row| row["id"].as_u64()).take(150).collect();
    let not = ["--not-title", "manager", "--not-domain", &domain, "--not-company-word", "Group"];
    let ran = app.run(&[&["search"], side.as_slice(), &not, &["--limit", "150", "--json"]].concat()).ended(0);
    assert_eq!(ran.ids(), expected);
    assert!(ran.lines().iter().all(|row| row.get("lode").is_none()), "no rules, no score");
    // A company by its name, however it is written.
    let company = text(&all[0], &["company_name"]);
    let shouted = format!("the {}", company.to_uppercase());
    let ran = app.run(&[&["search"], side.as_slice(), &["--not-company", &shouted, "--limit", "5", "--json"]].concat());
    assert!(ran.ended(0).lines().iter().all(|row| text(row, &["company_name"]) != company));
}

#[test]
fn a_suppression_list_can_be_left_out_and_one_that_is_not_there_is_wrong_usage() {
    let app = app();
    let side = SIDES[0];
    let all = raw(&app, &side, "60");
    let domain = all.iter().map(firm).find(|firm| firm.contains('.')).unwrap();
    app.fed(&["suppress", "add", "known"], &format!("domain\n{domain}\n")).ended(0);
    let ran = app.run(&[&["search"], side.as_slice(), &["--not-list", "known", "--limit", "20", "--json"]].concat());
    let expected: Vec<u64> =
        all.iter().filter(|row| firm(row) != domain).filter_map(|row| row["id"].as_u64()).collect();
    assert_eq!(ran.ended(0).ids(), expected[..20]);
    let before = app.sandbox.service().log().len();
    let ran = app.run(&[&["search"], side.as_slice(), &["--not-list", "missing"]].concat()).failed(2);
    assert!(ran.err.contains("no suppression list is named `missing`"), "{}", ran.err);
    assert_eq!(app.sandbox.service().log().len(), before, "nothing is asked");
    app.run(&["search", "--not-domain", "nowhere"]).failed(2);
    app.run(&["search", "--not-title", "-"]).failed(2);
}

#[test]
fn exclusions_are_saved_shown_and_run() {
    let app = app();
    let not = ["--title", "nurse", "--not-title", "manager", "--not-company", "Smith & Co"];
    app.run(&[&["saved", "add", "nurses"], not.as_slice()].concat()).ended(0);
    let file = std::fs::read_to_string(app.path("config/saved/env/nurses.toml")).unwrap();
    assert!(file.contains("[exclude]\ntitle = [\"manager\"]\ncompany = [\"Smith & Co\"]\n"), "{file}");
    let saved = app.run(&["saved", "show", "nurses", "--json"]).ended(0).lines();
    assert_eq!(saved[0]["exclude"]["title"][0], "manager");
    let run = app.run(&["saved", "run", "nurses", "--limit", "300", "--json"]).ended(0);
    let direct = raw(&app, &["--title", "nurse"], "300");
    let expected: Vec<u64> = direct
        .iter()
        .filter(|row| !has(text(row, &["title"]), "manager"))
        .filter_map(|row| row["id"].as_u64())
        .collect();
    assert!(expected.len() < 300);
    assert_eq!(run.ids(), expected);
    assert!(run.err.contains("of the 300 rows read excluded"), "{}", run.err);
}

#[test]
fn an_unlock_buys_the_best_of_each_company_and_leaves_the_rest_locked() {
    let app = app();
    std::fs::write(app.path("config/score.toml"), CARD).unwrap();
    let rows = app.run(&["search", "--title", "nurse", "--limit", "200", "--json"]).ended(0);
    let lines = rows.lines();
    let mut firms: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for row in lines.iter().filter(|row| row["unlocked"] == false) {
        firms.entry(firm(row)).or_default().push(row);
    }
    // One of each, the best, of duplicates the first: what is bought may not be more.
    let mut expected = BTreeSet::new();
    for rows in firms.values() {
        let best = rows.iter().map(|row| points(row)).max().unwrap();
        let first = rows.iter().find(|row| points(row) == best).unwrap();
        expected.insert(first["id"].as_u64().unwrap());
    }
    let over = firms.values().map(|rows| rows.len() - 1).sum::<usize>();
    assert!(over > 0, "vacuous");
    let unlock = ["unlock", "--corpus", "us", "--max-credits", "500", "--per-company", "1"];
    let dry = app.fed(&[&unlock[..], &["--dry-run", "--json"]].concat(), &rows.out).ended(0);
    assert_eq!(dry.lines()[0]["quote"]["beyond_company"], over);
    let ran = app.fed(&[&unlock[..], &["--json"]].concat(), &rows.out).failed(3);
    let bought = |line: &&Value| ["unlocked", "refunded"].contains(&text(line, &["outcome"]));
    let bought: BTreeSet<u64> = ran.lines().iter().filter(bought).filter_map(|line| line["id"].as_u64()).collect();
    assert_eq!(bought, expected);
    assert!(ran.err.contains("the limit per company leaves out"), "{}", ran.err);
    assert_eq!(ran.summary()["locked"], over);
}

#[test]
fn a_mistake_in_the_score_is_said_with_its_line() {
    let app = app();
    std::fs::write(app.path("config/score.toml"), "[title]\ndirector = 20\n[stat]\nTX = 5\n").unwrap();
    let ran = app.run(&["search", "--title", "nurse"]).failed(2);
    assert!(ran.err.contains("score.toml, line 3, column 2: unknown setting `stat`"), "{}", ran.err);
    let doctor = app.run(&["doctor"]);
    assert!(doctor.out.contains("score.toml, line 3"), "{doctor:?}");
}

#[test]
fn what_was_scored_is_kept_as_the_service_sent_it() {
    let app = app();
    std::fs::write(app.path("config/score.toml"), CARD).unwrap();
    let rows = app.run(&["search", "--title", "director", "--limit", "3", "--json"]).ended(0);
    assert!(rows.lines().iter().all(|row| row["lode"]["score"].is_i64()));
    app.fed(&["basket", "add"], &rows.out).ended(0);
    app.run(&["export", "--from", "basket", "--format", "jsonl", "-o", "kept.jsonl"]).ended(0);
    let kept = std::fs::read_to_string(app.path("kept.jsonl")).unwrap();
    assert!(!kept.contains("lode"), "{kept}");
    let picked = app.run(&["search", "--title", "director", "--limit", "2", "--fields", "id,lode.score"]).ended(0);
    assert!(picked.lines().iter().all(|row| row["lode.score"].as_i64().unwrap() >= 20), "{picked:?}");
}

#[test]
fn legs_are_chosen_from_as_one_result() {
    let app = app();
    let legs = ["--state", "TX", "--state", "OK", "--state", "FL", "--title", "nurse", "--title", "director"];
    for side in [["--source", "workspace", "--corpus", "us"], ["--source", "data", "--corpus", "linkedin"]] {
        let mut left =
            app.run(&[&["search"], &side[..], &legs, &["--limit", "5000", "--json"]].concat()).ended(0).lines();
        let read = left.len();
        assert!(read < 5_000);
        std::fs::write(app.path("config/score.toml"), CARD).unwrap();
        let choose = ["--not-title", "manager", "--per-company", "2", "--limit", "60", "--json"];
        let ran = app.run(&[&["search"], &side[..], &legs, &choose].concat()).ended(0);
        std::fs::remove_file(app.path("config/score.toml")).unwrap();
        left.retain(|row| !has(text(row, &["title"]), "manager"));
        left.sort_by_key(|row| -points(row));
        let (mut ids, mut people, mut firms) = (Vec::new(), BTreeSet::new(), BTreeMap::<String, u32>::new());
        for row in &left {
            let count = firms.get(&firm(row)).copied().unwrap_or(0);
            if ids.len() < 60 && count < 2 && people.insert(person(row)) {
                *firms.entry(firm(row)).or_default() += 1;
                ids.push(row["id"].as_u64().unwrap());
            }
        }
        assert_eq!(ran.ids(), ids, "{side:?}");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        assert!(ran.err.replace(',', "").contains(&format!("of the {read} rows read excluded")), "{}", ran.err);
    }
}

#[test]
fn an_export_leaves_out_what_is_excluded() {
    let app = app();
    let side = ["--source", "data", "--corpus", "us", "--title", "nurse"];
    let all = raw(&app, &side, "5000");
    let kept = all.iter().filter(|row| !has(text(row, &["title"]), "manager")).count();
    assert!(kept < all.len(), "vacuous");
    let export = ["export", "--corpus", "us", "--title", "nurse", "--not-title", "manager"];
    let more = |more: &[&str]| app.run(&[&export[..], more].concat());
    for (form, file) in
        [(["--format", "contacts"], "a.csv"), (["--format", "jsonl"], "b.jsonl"), (["--format", "xlsx"], "c.xlsx")]
    {
        let ran = more(&[form[0], form[1], "-o", file, "--json"]).ended(0);
        assert_eq!(ran.lines()[0]["rows"], kept, "{form:?} {ran:?}");
        assert_eq!(ran.lines()[0]["excluded"], all.len() - kept, "{form:?}");
        assert!(!ran.err.contains("but the search counts"), "{}", ran.err);
    }
    let csv = std::fs::read_to_string(app.path("a.csv")).unwrap();
    assert_eq!(csv.lines().count(), kept + 1);
    let refused = more(&["-o", "raw.csv"]).failed(2);
    assert!(refused.err.contains("raw form"), "{}", refused.err);
    let paged = more(&["--paged", "-o", "paged.csv", "--json"]).ended(0);
    assert_eq!(paged.lines()[0]["rows"], kept);
    assert!(
        paged.err.replace(',', "").contains(&format!("{} of the {} rows read excluded", all.len() - kept, all.len())),
        "{}",
        paged.err
    );
    let legs = more(&["--title", "director", "--format", "contacts", "-o", "legs.csv", "--json"]).ended(0);
    let both = raw(&app, &[&side[..], &["--title", "director"]].concat(), "9000");
    let kept = both.iter().filter(|row| !has(text(row, &["title"]), "manager")).count();
    assert_eq!(legs.lines()[0]["rows"], kept, "{legs:?}");
    more(&["--format", "contacts", "--not-list", "none", "-o", "x.csv"]).failed(2);
}

#[test]
fn a_company_that_is_owned_already_counts_where_a_rule_says_so() {
    let app = app();
    let rows = raw(&app, &SIDES[0], "300");
    let company = |row: &&Value| row["unlocked"] == false && firm(row).contains('.');
    let mut firms: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    rows.iter().filter(company).for_each(|row| firms.entry(firm(row)).or_default().push(row));
    let (owned, fellows) = firms.iter().find(|(_, rows)| rows.len() > 1).unwrap();
    app.run(&["unlock", "--corpus", "us", "--max-credits", "1", &fellows[0]["id"].to_string()]).ended(0);
    std::fs::write(app.path("config/score.toml"), "[owned]\ncompany = -25\n").unwrap();
    let ran = app.run(&[&["search"], SIDES[0].as_slice(), &["--limit", "300", "--json"]].concat()).ended(0);
    let is_owned = |row: &&Value| firm(row) == *owned;
    assert!(ran.lines().iter().filter(is_owned).all(|row| row["lode"]["score"] == -25), "{owned}");
    assert!(ran.lines().iter().any(|row| row["lode"]["score"] == 0), "not all are");
}
