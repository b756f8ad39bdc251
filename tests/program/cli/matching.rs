//! `lode match`: accounts in, contacts out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::Write as _;
use std::process::Stdio;

use lode_sandbox::corpus::{CorpusKind, Person};
use serde_json::{Value, json};

use crate::cli::invented::{Invented, data_page, me, page, row};
use crate::cli::schemas::fits;
use common::test_app::{Ran, TestApp};

fn people(app: &TestApp) -> Vec<Person> {
    let service = app.sandbox.service();
    let ids = (1..=service.setup.us_rows).filter(|id| !service.suppressed(CorpusKind::Us, *id));
    ids.filter_map(|id| service.person(CorpusKind::Us, id)).collect()
}

/// `count` companies, each with its website, none a part of another.
fn firms(app: &TestApp, count: usize) -> Vec<(String, String)> {
    let firms: BTreeMap<String, String> = people(app)
        .into_iter()
        .map(|person| (person.company_website.to_string(), person.company_name.to_string()))
        .collect();
    firms.into_iter().map(|(website, name)| (name, website)).take(count).collect()
}

/// The same at the Data API, whose corpus is another one.
fn data_firms(app: &TestApp, count: usize) -> Vec<(String, String)> {
    let rows = app.run(&["search", "--source", "data", "--title", "e", "--limit", "300"]).ended(0).lines();
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
fn asked(app: &TestApp) -> Vec<String> {
    let log = app.sandbox.service().log().into_iter().filter(|entry| entry.path.contains("/search"));
    let of_a_match = log.filter(|entry| {
        entry.service != "data" || ["company_", "query=inc"].iter().any(|part| entry.query.contains(part))
    });
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
    let app = TestApp::new();
    let firms = data_firms(&app, 30);
    std::fs::write(app.path("accounts.csv"), list(&firms)).unwrap();
    let dry = app.run(&["match", "accounts.csv", "--dry-run"]).ended(0);
    assert!(dry.err.contains("31 accounts by `Account Name`, `Website` at Data · US"), "{dry:?}");
    assert!(
        dry.err.contains("company_website, then company_name; 32 (all found) to 291 requests or more, up to 3 min"),
        "{dry:?}"
    );
    assert!(asked(&app).is_empty(), "nothing is sent before it starts");

    let ran = app.run(&["match", "accounts.csv", "--per-company", "2"]).ended(0);
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
    assert_eq!(summary["requests"], asked(&app).len());
    assert!(asked(&app).iter().all(|query| !query.contains("mark_pulled=1")));
}

#[test]
fn the_workspace_is_read_by_its_filters_and_compared_here() {
    let app = TestApp::new();
    let firms = firms(&app, 30);
    std::fs::write(app.path("accounts.csv"), list(&firms)).unwrap();
    let words = ["match", "accounts.csv", "--source", "workspace"];
    let ran = app.run(&words).failed(2);
    assert!(ran.err.contains("at least one filter"), "{ran:?}");
    assert!(asked(&app).is_empty());
    let state = people(&app).iter().find(|person| person.company_website == *firms[0].1).unwrap().state.to_string();
    let ran = app.run(&[&words[..], &["--state", &state, "--basket"]].concat()).ended(0);
    let mut staged = BTreeSet::new();
    for (number, of) in by_line(&ran) {
        for line in of.iter().filter(|line| line["result"] == "matched") {
            let (_, website) = &firms[number as usize - 2];
            let contact =
                app.sandbox.service().person(CorpusKind::Us, line["contact"]["id"].as_u64().unwrap()).unwrap();
            assert_eq!((&*contact.company_website, &*contact.state), (website.as_str(), state.as_str()), "{line}");
            staged.insert(contact.id);
        }
    }
    assert!(!staged.is_empty());
    let basket: BTreeSet<u64> = app.run(&["basket", "list"]).ended(0).ids().into_iter().collect();
    assert_eq!(basket, staged, "matched contacts are in the basket, and nothing else");
    let mut queries = asked(&app);
    let all = queries.len();
    queries.sort();
    queries.dedup();
    assert_eq!(queries.len(), all, "no page is read twice");
}

#[test]
fn after_a_kill_the_same_command_goes_on_where_it_was() {
    for source in ["data", "workspace"] {
        let app = TestApp::new();
        std::fs::write(
            app.path("accounts.csv"),
            list(&if source == "data" { data_firms(&app, 30) } else { firms(&app, 30) }),
        )
        .unwrap();
        app.fault("latency=1:20");
        let words = ["match", "accounts.csv", "--source", source, "--title", "e", "--csv"];
        let mut run = app.command(&words).spawn().unwrap();
        while asked(&app).len() < 10 {
            assert!(run.try_wait().unwrap().is_none(), "it ended before it was killed");
            std::thread::yield_now();
        }
        run.kill().unwrap();
        run.wait().unwrap();
        let before = asked(&app);
        app.calms_down();
        let again = app.run(&words).ended(0);
        assert!(again.err.contains("answered before"), "{again:?}");
        let after = asked(&app).split_off(before.len());
        let repeated = after.iter().filter(|query| before.contains(query)).count();
        assert!(repeated <= 2, "{source}: {repeated} of {} were asked again", before.len());
        // What was kept of a finished match is gone: the next one asks again, with the same result.
        let fresh = app.run(&words).ended(0);
        assert_eq!(fresh.out, again.out, "{source}");
        assert!(!fresh.err.contains("answered before"), "{fresh:?}");
    }
}

#[test]
fn a_csv_carries_the_columns_of_the_list_before_the_contact() {
    let app = TestApp::new();
    let firms = data_firms(&app, 3);
    let ran = app.fed(&["match", "-", "--csv", "--per-company", "1"], &list(&firms)).ended(0);
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
    let app = TestApp::new();
    let huge = std::fs::File::create(app.path("huge.csv")).unwrap();
    huge.set_len(1 << 30).unwrap();
    for (name, text, words) in [
        ("empty.csv", "", "it is empty"),
        ("mark.csv", "\u{feff}\r\n", "it is empty"),
        ("titles.csv", "Title;City\nCEO;Austin\n", "no usable column: its columns are `Title`, `City`"),
        ("blank.csv", "Company,Website\n,\n", "it names no company"),
    ] {
        std::fs::write(app.path(name), text).unwrap();
        let ran = app.run(&["match", name]).failed(2);
        assert!(ran.err.contains(words), "{ran:?}");
    }
    let ran = app.run(&["match", "huge.csv"]).failed(2);
    assert!(ran.err.contains("64 MB"), "{ran:?}");
    app.run(&["match", "absent.csv"]).failed(2);
    app.run(&["match", "empty.csv", "--per-company", "0"]).ended(2);
    app.run(&["match", "empty.csv", "--company-name", "x"]).failed(2);
    assert!(asked(&app).is_empty());
}

/// A percent-encoded parameter as it was meant.
fn plain(value: &str) -> String {
    let mut parts = value.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

/// A row of the Data API.
fn data_row(id: usize, name: &str, company: &str, website: &str, email: &str) -> Value {
    json!({"id": id, "contact_name": name, "company_name": company, "company_website": website, "email_address": email})
}

/// How a service compares the name of a company with what it is asked for.
type Engine = fn(stored: &str, asked: &str) -> bool;

/// The text as it is typed occurs in the name.
fn substring(stored: &str, asked: &str) -> bool {
    stored.to_lowercase().contains(&asked.to_lowercase())
}

/// Each word occurs in the name, as in a full-text index.
fn words_of(stored: &str, asked: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let text = text.to_lowercase().replace('\'', "");
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    words(asked).is_subset(&words(stored))
}

/// A Data API of these rows, which sends at most `most` rows a page.
fn service(rows: Vec<Value>, most: usize, engine: Engine) -> Invented {
    Invented::start(move |asked| {
        if !asked.is("/api/search") {
            return (404, json!({"message": "Not found"}));
        }
        let param = |name: &str| asked.params.get(name).map(|value| plain(value));
        let (website, company) = (param("company_website"), param("company_name").or_else(|| param("query")));
        let fits = |row: &&Value| {
            website.as_ref().is_none_or(|website| row["company_website"] == website.as_str())
                && company.as_ref().is_none_or(|company| engine(row["company_name"].as_str().unwrap(), company))
        };
        let fitting: Vec<Value> = rows.iter().filter(fits).cloned().collect();
        let (limit, offset) = (asked.number("limit").min(most), asked.number("offset"));
        let page = fitting.iter().skip(offset).take(limit).cloned().collect();
        data_page(json!(fitting.len()), limit, offset, page)
    })
}

/// The result of each line of the list.
fn results(ran: &Ran) -> Vec<String> {
    by_line(ran).values().map(|lines| lines[0]["result"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_domain_is_found_however_the_service_writes_its_websites() {
    let spelled = |at: usize, domain: &str| {
        let (scheme, www) =
            ([("", ""), ("https://", "/"), ("http://", "/"), ("https://", "")][at % 4], at / 4 % 2 == 1);
        format!("{}{}{domain}{}", scheme.0, if www { "www." } else { "" }, scheme.1)
    };
    let domains: Vec<String> = (0..8).map(|at| format!("firm{at}.example")).collect();
    let row = |at: usize| {
        let (name, website) = (format!("Firm {at}"), spelled(at, &domains[at]));
        data_row(at, &format!("Person {at}"), &name, &website, &format!("p{at}@gmail.com"))
    };
    let service = service((0..8).map(row).collect(), 100, substring);
    let ran = service.fed(&["match", "-"], &format!("Website\n{}\nzzyzx.example\n", domains.join("\n"))).ended(0);
    assert_eq!(results(&ran), [vec!["matched"; 8], vec!["none"]].concat(), "{ran:?}");
    assert_eq!(ran.summary()["requests"], service.heard().len());
}

#[test]
fn where_all_websites_are_written_alike_no_other_way_is_asked_for() {
    let website = |at: usize| format!("https://www.firm{at}.example/");
    let row = |at: usize| data_row(at, &format!("Person {at}"), &format!("Firm {at} Inc"), &website(at), "");
    let service = service((0..40).map(row).collect(), 100, substring);
    let mut list = "Website\n".to_owned();
    (20..60).for_each(|at| writeln!(list, "firm{at}.example").unwrap());
    let ran = service.fed(&["match", "-"], &list).ended(0);
    assert_eq!(results(&ran), [vec!["matched"; 20], vec!["none"; 20]].concat(), "{ran:?}");
    assert_eq!(service.heard().len(), 1 + 40, "one page shows how they are written");
}

#[test]
fn a_name_is_asked_for_loosely_and_judged_strictly() {
    let stored = [
        ("Pipe & Drain, LLC", "pipe.example"),
        ("Pipe Drainage Masters", "masters.example"),
        ("Atlas Builders", "atlas.example"),
        ("Atlas Building Supply", "supply.example"),
        ("St Brendans Clinic", "brendan.example"),
        ("Blue-Sky Dental P.C.", "bluesky.example"),
        ("Quail Run", "quail.example"),
        ("Harbor and Elm", "harbor.example"),
        ("Harbor & Elm Inc", "elm.example"),
    ];
    let listed = [
        ("Pipe and Drain", "matched"),
        ("The Atlas Builders Inc", "matched"),
        ("St. Brendan's Clinic", "matched"),
        ("Blue Sky Dental", "matched"),
        ("QUAIL-RUN, L.L.C.", "matched"),
        // Two companies have this name: a person decides.
        ("Harbor and Elm", "ambiguous"),
        ("Pipe Drainage", "ambiguous"),
        ("Atlas Dental", "none"),
    ];
    for (engine, name) in [(substring as Engine, "substring"), (words_of, "words")] {
        let rows = stored.iter().enumerate().map(|(at, (company, website))| {
            data_row(at, &format!("Person {at}"), company, website, &format!("p{at}@{website}"))
        });
        let service = service(rows.collect(), 100, engine);
        let list: String = listed.iter().map(|(company, _)| format!("\"{company}\"\n")).collect();
        let ran = service.fed(&["match", "-"], &format!("Company\n{list}")).ended(0);
        assert_eq!(results(&ran), listed.map(|(_, result)| result), "{name}: {ran:?}");
    }
}

#[test]
fn a_word_that_many_companies_share_changes_no_other_account() {
    let mut names: Vec<String> = (0..60).map(|at| format!("Atlas Number {at}")).collect();
    names.push("Atlas Builders".to_owned());
    let row = |(at, name): (usize, &String)| {
        data_row(at, &format!("Person {at}"), name, &format!("atlas{at}.example"), &format!("p{at}@atlas{at}.example"))
    };
    let service = service(names.iter().enumerate().map(row).collect(), 4, substring);
    let list = "Company\nAtlas Dental\nAtlas Builders\nThe Atlas-Builders\n";
    let ran = service.fed(&["match", "-"], list).ended(0);
    assert_eq!(results(&ran), ["none", "matched", "matched"], "{ran:?}");
    assert!(service.heard().len() < 8, "it is not read in part: {:?}", service.heard());
}

#[test]
fn the_requests_that_are_announced_follow_the_limit_that_the_service_applies() {
    let service = Invented::start(|asked| {
        if asked.is("/me") {
            return me(&["search"]);
        }
        let (limit, offset) = (asked.number("limit").min(4), asked.number("offset"));
        page(json!(104), limit, offset, (offset..(offset + limit).min(104)).map(row).collect())
    });
    let ran = service.fed(&["match", "-", "--source", "workspace", "--state", "TX"], "Company\nLakeside\n").ended(0);
    assert!(ran.err.contains("; 25 requests, "), "{ran:?}");
    let searches = service.heard().iter().filter(|asked| asked.is("/search")).count();
    assert_eq!((searches, &ran.summary()["requests"]), (26, &26.into()), "the first page told how many there are");
}

#[test]
fn a_contact_is_counted_once_whatever_its_id() {
    let website = "lakeside.example";
    let row = |id: usize, name: &str, email: &str| data_row(id, name, "Lakeside Inc", website, email);
    let rows = vec![
        row(1, "Dana Whitfield", "dana@lakeside.example"),
        row(2, "DANA WHITFIELD", "Dana@lakeside.example"),
        row(3, "Tom Beckett", "tom@lakeside.example"),
        row(4, "", "info@lakeside.example"),
        row(5, "", "info@lakeside.example"),
    ];
    let service = service(rows, 100, substring);
    let list = "Company,Website\nLakeside,\nLakeside LLC,www.lakeside.example\n";
    let ran = service.fed(&["match", "-"], list).ended(0);
    let ids: Vec<Vec<u64>> = by_line(&ran)
        .values()
        .map(|lines| lines.iter().map(|line| line["contact"]["id"].as_u64().unwrap()).collect())
        .collect();
    // Of rows without a name it is not known whether they are one person.
    assert_eq!(ids, [[1, 3, 4, 5], [1, 3, 4, 5]], "{ran:?}");
    assert_eq!(ran.summary()["contacts"], 4);
    let ran = service.fed(&["match", "-", "--per-company", "2"], list).ended(0);
    assert_eq!(ran.summary()["contacts"], 2, "{ran:?}");
}

#[test]
fn a_contact_with_a_private_email_is_matched_by_its_company_alone() {
    let row = |id, name: &str, website: &str, email: &str, kind: &str| {
        let mut row = data_row(id, name, "Lakeside Inc", website, email);
        row["email_domain_type"] = kind.into();
        row
    };
    let rows = vec![
        row(1, "Dana Whitfield", "", "dana@whitfieldfamily.example", "personal"),
        row(2, "Tom Beckett", "", "tom@lakeside.example", "corporate"),
    ];
    let service = service(rows, 100, substring);
    let ran = service.fed(&["match", "-"], "Company,Website\nLakeside,lakeside.example\n").ended(0);
    let by: BTreeMap<u64, String> = ran
        .lines()
        .iter()
        .filter_map(|line| Some((line["contact"]["id"].as_u64()?, line["by"].as_str()?.to_owned())))
        .collect();
    assert_eq!(by, BTreeMap::from([(1, "company".to_owned()), (2, "domain".to_owned())]), "{ran:?}");
    let help = service.run(&["match", "--help"]).ended(0).out;
    assert!(!help.contains("agrees in name and domain"), "{help}");
}

/// A flag that the help lists is taken by the command, on a side that it names.
#[test]
fn the_help_of_a_command_lists_no_flag_that_it_refuses() {
    let app = TestApp::new();
    std::fs::write(app.path("accounts.csv"), "Company\nZzyzx Mining\n").unwrap();
    app.fed(&["suppress", "add", "crm", "-"], "elm.example\n").ended(0);
    let spec: Value = serde_json::from_str(app.run(&["spec", "--json"]).ended(0).out.trim()).unwrap();
    for (line, passed_over) in [
        ("match accounts.csv --title zzyzx --dry-run", &[][..]),
        // `--not-list` needs a list of the same profile, which is not what is tested here.
        ("export --title zzyzx --output out.csv --force --paged", &["--from", "--format", "--not-list"]),
        ("search --title zzyzx --limit 1", &["--all", "--not-list"]),
    ] {
        let base: Vec<&str> = line.split(' ').collect();
        let shape = spec["commands"].as_array().unwrap().iter().find(|shape| shape["name"] == base[0]).unwrap();
        for flag in shape["flags"].as_array().unwrap() {
            let (name, about) = (flag["name"].as_str().unwrap(), flag["about"].as_str().unwrap());
            if base.contains(&name) || passed_over.contains(&name) || ["--source", "--corpus"].contains(&name) {
                continue;
            }
            let has = |word: &str| about.split_once('[').is_some_and(|(_, sides)| sides.contains(word));
            let source = if has("workspace") && !has("data") { "workspace" } else { "data" };
            let corpus = if has("linkedin") && !has("us") { "linkedin" } else { "us" };
            let mut words = [&base[..], &["--corpus", corpus]].concat();
            if base[0] != "export" {
                words.extend(["--source", source]);
            }
            words.push(name);
            if !flag["type"].is_null() {
                let first = about.split([',', ';']).next().unwrap();
                let is_listed = ["C-Level", "corporate", "cross_verified"].contains(&first);
                let is_number = ["--per-company", "--among"].contains(&name);
                words.push(if is_listed {
                    first
                } else if is_number {
                    "3"
                } else {
                    "elm.example"
                });
            }
            let ran = app.run(&words);
            assert_ne!(ran.code, 2, "{words:?}: {ran:?}");
        }
    }
    let help = app.run(&["match", "--help"]).ended(0).out;
    let twice = app.run(&["match", "accounts.csv", "--title", "a", "--title", "b", "--dry-run"]);
    assert_eq!(twice.code == 2, !help.contains("contains; may be repeated"), "{twice:?}");
}

/// What a command took in of a pipe of `size` bytes, and the most memory it had, in MB.
#[cfg(target_os = "linux")]
fn flooded(app: &TestApp, arguments: &[&str], size: usize) -> (Ran, usize, u64) {
    let mut child = app.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut pipe = child.stdin.take().unwrap();
    let text = "Zzyzx Mining,zzyzx.example,a line of a list of accounts\n".repeat(1_000);
    let (mut written, mut peak) = (pipe.write(b"Company,Website,Note\n").unwrap(), 0);
    while written < size && pipe.write_all(text.as_bytes()).is_ok() {
        written += text.len();
        let told = std::fs::read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = peak.max(line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0));
    }
    drop(pipe);
    (Ran::of(child), written, peak >> 10)
}

#[cfg(target_os = "linux")]
#[test]
fn a_huge_pipe_is_refused_early_and_in_bounded_memory() {
    let app = TestApp::new();
    for arguments in [&["match", "-"][..], &["suppress", "add", "crm", "-"]] {
        let (ran, written, peak) = flooded(&app, arguments, 200 << 20);
        let ran = ran.failed(2);
        assert!(ran.err.contains("it has more than 64 MB"), "{ran:?}");
        println!("{arguments:?}: {} MB written, {peak} MB", written >> 20);
        assert!(written < 70 << 20, "{arguments:?}: {} MB were taken in", written >> 20);
        assert!((1..100).contains(&peak), "{arguments:?}: {peak} MB");
    }
}
