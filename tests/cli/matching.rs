//! `lode match`: accounts in, contacts out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use lode::sandbox::corpus::{Kind, Person};
use serde_json::Value;

use crate::schemas::fits;
use common::house::{House, Ran};

fn people(house: &House) -> Vec<Person> {
    let service = house.sandbox.service();
    let ids = (1..=service.setup().us_rows).filter(|id| !service.suppressed(Kind::Us, *id));
    ids.filter_map(|id| service.person(Kind::Us, id)).collect()
}

/// So many companies, each with its website, none a part of another.
fn firms(house: &House, count: usize) -> Vec<(String, String)> {
    let firms: BTreeMap<String, String> = people(house)
        .into_iter()
        .map(|person| (person.company_website.to_string(), person.company_name.to_string()))
        .collect();
    firms.into_iter().map(|(website, name)| (name, website)).take(count).collect()
}

/// The same at the Data API, whose corpus is another one.
fn data_firms(house: &House, count: usize) -> Vec<(String, String)> {
    let rows = house.run(&["search", "--source", "data", "--title", "e", "--limit", "300"]).ended(0).lines();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    let firms: BTreeMap<String, String> =
        rows.iter().map(|row| (text(row, "company_website"), text(row, "company_name"))).collect();
    firms.into_iter().map(|(website, name)| (name, website)).take(count).collect()
}

fn by_line(ran: &Ran) -> BTreeMap<u64, Vec<Value>> {
    let mut lines: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for line in ran.lines() {
        if let Some(number) = line["line"].as_u64() {
            lines.entry(number).or_default().push(line);
        }
    }
    lines
}

/// The requests of matches, in their order.
fn asked(house: &House) -> Vec<String> {
    let log = house.sandbox.service().log().into_iter().filter(|entry| entry.path.contains("/search"));
    let of_a_match = log.filter(|entry| entry.service != "data" || entry.query.contains("company_"));
    of_a_match.map(|entry| entry.query).collect()
}

fn list(firms: &[(String, String)]) -> String {
    let mut text = "\u{feff}Account Name;Website;Owner\r\n".to_owned();
    for (at, (name, website)) in firms.iter().enumerate() {
        match at % 3 {
            0 => write!(text, "\"{}, LLC\";https://www.{website}/;Ann\r\n", name.to_uppercase()).unwrap(),
            1 => write!(text, ";{website};Bob\r\n").unwrap(),
            // A slip in the name, and no domain to go by.
            _ => write!(text, "\"{}x\";;Cid\r\n", name.replacen('e', "", 1)).unwrap(),
        }
    }
    text.push_str("Zzyzx Mining;zzyzx.example;Dan\r\n");
    text
}

#[test]
fn each_line_ends_as_matched_ambiguous_or_none_at_the_data_api() {
    let house = House::new();
    let firms = data_firms(&house, 30);
    std::fs::write(house.path("accounts.csv"), list(&firms)).unwrap();
    let dry = house.run(&["match", "accounts.csv", "--dry-run"]).ended(0);
    assert!(dry.err.contains("31 accounts by `Account Name`, `Website` at Data › us"), "{dry:?}");
    assert!(dry.err.contains("company_website, then company_name; 31 to 42 requests, less than 1 min"), "{dry:?}");
    assert!(asked(&house).is_empty(), "nothing is sent before it starts");

    let ran = house.run(&["match", "accounts.csv", "--per-company", "2"]).ended(0);
    fits(&ran, &["match", "match_summary"]);
    let lines = by_line(&ran);
    assert_eq!(lines.len(), 31);
    for (at, (name, website)) in firms.iter().enumerate() {
        let of = &lines[&(at as u64 + 2)];
        assert!(of.len() <= 2, "{of:?}");
        for line in of {
            match at % 3 {
                0 | 1 => {
                    assert_eq!((&line["result"], &line["by"]), (&"matched".into(), &"domain".into()), "{line}");
                    assert_eq!(line["contact"]["company_website"], website.as_str(), "{line}");
                    assert_eq!(line["company"], name.as_str(), "{line}");
                }
                _ => assert_ne!(line["result"], "matched", "{line}"),
            }
            assert_eq!(line["input"]["Owner"], ["Ann", "Bob", "Cid"][at % 3], "the columns of the list come along");
        }
    }
    assert_eq!(lines[&32][0]["result"], "none");
    let summary = ran.summary();
    assert_eq!((&summary["accounts"], &summary["matched"]), (&31.into(), &20.into()), "{summary}");
    assert_eq!(summary["requests"], asked(&house).len());
    assert!(asked(&house).iter().all(|query| !query.contains("mark_pulled=1")));
}

#[test]
fn the_workspace_is_read_by_its_filters_and_compared_here() {
    let house = House::new();
    let firms = firms(&house, 30);
    std::fs::write(house.path("accounts.csv"), list(&firms)).unwrap();
    let words = ["match", "accounts.csv", "--source", "workspace"];
    let ran = house.run(&words).failed(2);
    assert!(ran.err.contains("at least one filter"), "{ran:?}");
    assert!(asked(&house).is_empty());
    let state = people(&house).iter().find(|person| person.company_website == *firms[0].1).unwrap().state.to_string();
    let ran = house.run(&[&words[..], &["--state", &state, "--basket"]].concat()).ended(0);
    let mut staged = BTreeSet::new();
    for (number, of) in by_line(&ran) {
        for line in of.iter().filter(|line| line["result"] == "matched") {
            let (_, website) = &firms[number as usize - 2];
            let contact = house.sandbox.service().person(Kind::Us, line["contact"]["id"].as_u64().unwrap()).unwrap();
            assert_eq!((&*contact.company_website, &*contact.state), (website.as_str(), state.as_str()), "{line}");
            staged.insert(contact.id);
        }
    }
    assert!(!staged.is_empty());
    let basket: BTreeSet<u64> = house.run(&["basket", "list"]).ended(0).ids().into_iter().collect();
    assert_eq!(basket, staged, "matched contacts are in the basket, and nothing else");
    let mut queries = asked(&house);
    let all = queries.len();
    queries.sort();
    queries.dedup();
    assert_eq!(queries.len(), all, "no page is read twice");
}

#[test]
fn after_a_kill_the_same_command_goes_on_where_it_was() {
    for source in ["data", "workspace"] {
        let house = House::new();
        std::fs::write(
            house.path("accounts.csv"),
            list(&if source == "data" { data_firms(&house, 30) } else { firms(&house, 30) }),
        )
        .unwrap();
        house.fault("latency=1:20");
        let words = ["match", "accounts.csv", "--source", source, "--title", "e", "--csv"];
        let mut run = house.command(&words).spawn().unwrap();
        while asked(&house).len() < 10 {
            assert!(run.try_wait().unwrap().is_none(), "it ended before it was killed");
            std::thread::yield_now();
        }
        run.kill().unwrap();
        run.wait().unwrap();
        let before = asked(&house);
        house.calms_down();
        let again = house.run(&words).ended(0);
        assert!(again.err.contains("answered before"), "{again:?}");
        let after = asked(&house).split_off(before.len());
        let repeated = after.iter().filter(|query| before.contains(query)).count();
        assert!(repeated <= 2, "{source}: {repeated} of {} were asked again", before.len());
        // What was kept of a finished match is gone: the next one asks again, with the same result.
        let fresh = house.run(&words).ended(0);
        assert_eq!(fresh.out, again.out, "{source}");
        assert!(!fresh.err.contains("answered before"), "{fresh:?}");
    }
}

#[test]
fn a_csv_carries_the_columns_of_the_list_before_the_contact() {
    let house = House::new();
    let firms = data_firms(&house, 3);
    let ran = house.fed(&["match", "-", "--csv", "--per-company", "1"], &list(&firms)).ended(0);
    let mut reader = csv::Reader::from_reader(ran.out.as_bytes());
    let heads: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let own =
        ["line", "result", "by", "company", "domain", "why", "input.Account Name", "input.Website", "input.Owner"];
    assert_eq!(heads[..9], own);
    assert!(heads.contains(&"contact.email_address".to_owned()), "{ran:?}");
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 4);
    assert_eq!((&records[0][8], &records[0][1], &records[0][4]), ("Ann", "matched", firms[0].1.as_str()));
    assert_eq!(&records[3][1], "none");
}

#[test]
fn a_list_that_cannot_be_used_is_refused_before_anything_is_sent() {
    let house = House::new();
    let huge = std::fs::File::create(house.path("huge.csv")).unwrap();
    huge.set_len(1 << 30).unwrap();
    for (name, text, words) in [
        ("empty.csv", "", "it is empty"),
        ("mark.csv", "\u{feff}\r\n", "it is empty"),
        ("titles.csv", "Title;City\nCEO;Austin\n", "no usable column: its columns are `Title`, `City`"),
        ("blank.csv", "Company,Website\n,\n", "it names no company"),
    ] {
        std::fs::write(house.path(name), text).unwrap();
        let ran = house.run(&["match", name]).failed(2);
        assert!(ran.err.contains(words), "{ran:?}");
    }
    let ran = house.run(&["match", "huge.csv"]).failed(2);
    assert!(ran.err.contains("64 MB"), "{ran:?}");
    house.run(&["match", "absent.csv"]).failed(2);
    house.run(&["match", "empty.csv", "--per-company", "0"]).ended(2);
    house.run(&["match", "empty.csv", "--company-name", "x"]).failed(2);
    assert!(asked(&house).is_empty());
}
