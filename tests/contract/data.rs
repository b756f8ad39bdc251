//! data-api.md.

use std::collections::BTreeSet;

use lode_sandbox::variants::{Habit, Variant};
use reqwest::Method;
use serde_json::{Value, json};

use crate::service::{Answer, Service, setup};

const US: &str = "/api/search";
const LINKEDIN: &str = "/api/search-linkedin";

/// The whole corpus as the export tells it: columns by name, one map per record.
fn exported(service: &Service, target: &str) -> Vec<Value> {
    let answer = service.data(target);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let text = answer.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&answer.bytes);
    let mut reader = csv::Reader::from_reader(text);
    let heads: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    reader
        .records()
        .map(|record| {
            heads.iter().cloned().zip(record.unwrap().iter().map(Value::from)).collect::<serde_json::Map<_, _>>()
        })
        .map(Value::Object)
        .collect()
}

fn all_pages(service: &Service, target: &str) -> Vec<u64> {
    let mut all: Vec<u64> = Vec::new();
    for page in 0.. {
        let answer = service.data(&format!("{target}&limit=100&offset={}", page * 100));
        all.extend(answer.ids());
        if (page + 1) * 100 >= answer.total() {
            break;
        }
    }
    all
}

fn is_refused(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{}", answer.body);
    assert!(answer.body.is_object());
}

// What the service does

#[test]
fn the_corpora_hold_about_80_million_and_46_8_million_rows() {
    let setup = crate::asking::full();
    assert_eq!((setup.us_rows, setup.linkedin_rows), (80_000_000, 46_800_000));
}

#[test]
fn responses_are_json_except_export_which_streams_csv() {
    for service in Service::all() {
        for target in ["/api/search?query=engineer", "/api/counts?corpus=us", "/api/saved", "/api/search"] {
            assert_eq!(service.data(target).headers["content-type"], "application/json", "{target}");
        }
        let export = service.data("/api/export?corpus=us&state=TX");
        assert!(export.headers["content-type"].to_str().unwrap().starts_with("text/csv"));
        assert_eq!(export.headers["transfer-encoding"], "chunked");
        assert!(export.headers.get("content-length").is_none());
    }
}

#[test]
fn search_needs_a_query_or_at_least_one_filter_else_400() {
    for service in Service::all() {
        for target in [US, LINKEDIN] {
            for blank in ["", "?limit=10&offset=0&dedup=0", "?query=&state=", "?query=%20", "?exclude_pulled=1"] {
                is_refused(&service.data(&format!("{target}{blank}")), 400);
            }
            assert_eq!(service.data(&format!("{target}?query=engineer")).status, 200);
            assert_eq!(service.data(&format!("{target}?state=TX")).status, 200);
            assert_eq!(service.data(&format!("{target}?industry=construction")).status, 200);
        }
    }
}

// Search response

#[test]
fn the_answer_has_data_pagination_and_took_ms() {
    for service in Service::all() {
        for target in [US, LINKEDIN] {
            let answer = service.data(&format!("{target}?query=engineer&limit=5&offset=2"));
            assert_eq!(answer.rows().len(), 5);
            for row in answer.rows() {
                assert!(row["id"].is_u64() && row["email_address"].is_string() && row["company_name"].is_string());
            }
            let page = &answer.body["pagination"];
            assert_eq!((&page["limit"], &page["offset"]), (&json!(5), &json!(2)));
            assert!(page["total"].as_u64().unwrap() > 5);
            assert!(answer.body["took_ms"].is_u64());
        }
    }
}

#[test]
fn total_is_the_size_of_the_full_result_set() {
    for service in Service::all() {
        for target in [US, LINKEDIN] {
            let all = all_pages(&service, &format!("{target}?query=manager"));
            let distinct: BTreeSet<u64> = all.iter().copied().collect();
            let total = service.data(&format!("{target}?query=manager&limit=1")).total();
            assert_eq!((all.len() as u64, distinct.len() as u64), (total, total));
        }
    }
}

#[test]
fn limit_is_1_to_100_and_30_by_default() {
    for service in Service::all() {
        let answer = service.data("/api/search?email_domain_type=corporate");
        assert_eq!((answer.rows().len(), &answer.body["pagination"]["limit"]), (30, &json!(30)));
        assert_eq!(service.data("/api/search?email_domain_type=corporate&limit=100").rows().len(), 100);
        assert_eq!(service.data("/api/search?email_domain_type=corporate&limit=1").rows().len(), 1);
        is_refused(&service.data("/api/search?state=TX&limit=0"), 400);
        is_refused(&service.data("/api/search?state=TX&limit=-1"), 400);
        let large = service.data("/api/search?email_domain_type=corporate&limit=101");
        if large.status.is_success() {
            assert_eq!(large.rows().len(), 100);
        } else {
            is_refused(&large, 400);
        }
    }
}

#[test]
fn dedup_collapses_duplicates_by_default_and_0_disables_it() {
    for service in Service::all() {
        for target in [US, LINKEDIN] {
            let total = |more: &str| service.data(&format!("{target}?email_domain_type=corporate{more}")).total();
            assert_eq!(total(""), total("&dedup=1"));
            assert!(total("&dedup=0") > total("&dedup=1"));
        }
    }
}

#[test]
fn industry_takes_several_values_separated_by_commas() {
    for service in Service::all() {
        for target in [US, LINKEDIN] {
            let total = |industry: &str| service.data(&format!("{target}?industry={industry}")).total();
            assert!(total("hospital") > 0);
            assert_eq!(total("hospital,construction"), total("hospital") + total("construction"));
        }
    }
}

#[test]
fn query_is_a_keyword_over_company_name_title_and_industry() {
    let service = Service::of(Variant::A);
    let rows = exported(&service, "/api/export?corpus=us&dedup=0");
    let row = &rows[7];
    for field in ["company_name", "last_name", "title", "industry"] {
        let word = row[field].as_str().unwrap().split(' ').next().unwrap().to_lowercase();
        let expected = rows.iter().filter(|row| {
            ["company_name", "first_name", "last_name", "title", "industry", "city", "county"]
                .iter()
                .any(|field| row[*field].as_str().unwrap().to_lowercase().contains(&word))
                || row["state"].as_str().unwrap().to_lowercase() == word
        });
        let total = service.data(&format!("/api/search?query={word}&dedup=0")).total();
        assert_eq!(total, expected.count() as u64, "{field}: {word}");
        assert!(total > 0);
    }
}

// Filters

/// Every filter of an endpoint: its name, the column it looks at, and whether it matches within the field.
const SHARED: &[(&str, &str, bool)] = &[
    ("industry", "industry", true),
    ("title", "title", true),
    ("company_name", "company_name", true),
    ("first_name", "first_name", true),
    ("last_name", "last_name", true),
    ("address", "address", true),
    ("city", "city", false),
    ("county", "county", false),
    ("state", "state", false),
    ("zip", "zip", false),
    ("phone", "phone", false),
    ("company_website", "company_website", false),
    ("sic_code", "sic_code", false),
    ("email_domain_type", "email_domain_type", false),
    ("email_status", "email_status", false),
];
const US_ONLY: &[(&str, &str, bool)] =
    &[("email_address", "email_address", false), ("naics_code", "naics_code", false)];
const LINKEDIN_ONLY: &[(&str, &str, bool)] = &[
    ("title_level", "title_level", false),
    ("industry_group", "industry_group", false),
    ("revenue", "revenue", false),
    ("employees", "employees", false),
];

fn encoded(value: &str) -> String {
    value.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn every_filter_matches(corpus: &str, target: &str, own: &[(&str, &str, bool)]) {
    let rows = exported(&Service::of(Variant::A), &format!("/api/export?corpus={corpus}&dedup=0"));
    for service in Service::all() {
        for (filter, column, within) in SHARED.iter().chain(own) {
            // An industry with a comma could not be asked for as one.
            let row = rows.iter().skip(11).find(|row| !row[*column].as_str().unwrap().contains(',')).unwrap();
            let stored = row[*column].as_str().unwrap();
            assert!(!stored.is_empty(), "{filter}");
            let value = if *within { stored[1..].to_uppercase() } else { stored.to_owned() };
            let fits = |row: &&Value| {
                let cell = row[*column].as_str().unwrap();
                if *within { cell.to_uppercase().contains(&value) } else { cell == value }
            };
            let expected: Vec<u64> =
                rows.iter().filter(fits).map(|row| row["id"].as_str().unwrap().parse().unwrap()).collect();
            let answer = service.data(&format!("{target}?{filter}={}&dedup=0&limit=100", encoded(&value)));
            assert_eq!(answer.total() as usize, expected.len(), "{filter}={value}");
            assert_eq!(answer.ids(), expected[..expected.len().min(100)], "{filter}={value}");
            if !within && !["email_domain_type", "email_status", "title_level"].contains(filter) {
                let part = &value[..value.len() - 1];
                let exact = rows.iter().filter(|row| row[*column] == part).count();
                let answer = service.data(&format!("{target}?{filter}={}&dedup=0", encoded(part)));
                assert_eq!(answer.total() as usize, exact, "{filter} matches exactly");
            }
        }
    }
}

#[test]
fn every_filter_of_search_matches_as_the_table_says() {
    every_filter_matches("us", US, US_ONLY);
}

#[test]
fn every_filter_of_search_linkedin_matches_as_the_table_says() {
    every_filter_matches("linkedin", LINKEDIN, LINKEDIN_ONLY);
}

#[test]
fn contact_name_is_full_text_over_first_and_last_name() {
    for service in Service::all() {
        let row = service.data("/api/search?query=engineer&limit=1").rows()[0].clone();
        let name = format!("{} {}", row["first_name"].as_str().unwrap(), row["last_name"].as_str().unwrap());
        let answer = service.data(&format!("/api/search?contact_name={}", encoded(&name[1..])));
        assert!(answer.total() > 0);
        assert!(answer.rows().iter().all(|found| found["last_name"] == row["last_name"]));
    }
}

#[test]
fn email_domain_type_email_status_and_title_level_are_enumerations() {
    for service in Service::all() {
        for (target, corpus) in [(US, "us"), (LINKEDIN, "linkedin")] {
            let sum = |filter: &str, values: &[&str]| -> u64 {
                values.iter().map(|value| service.data(&format!("{target}?{filter}={value}")).total()).sum()
            };
            let types = sum("email_domain_type", &["corporate", "edu", "personal", "gov"]);
            let statuses = ["cross_verified", "valid", "catch_all", "unknown", "invalid", "disposable", "bounced"];
            assert_eq!(types, sum("email_status", &statuses), "{corpus}");
            if corpus == "linkedin" {
                assert_eq!(types, sum("title_level", &["C-Level", "VP", "Director", "Manager", "Other"]));
            }
        }
    }
}

#[test]
fn filters_combine_with_and() {
    for service in Service::all() {
        let answer = service.data("/api/search?query=engineer&state=CA&email_domain_type=corporate");
        let wider = service.data("/api/search?query=engineer&state=CA");
        assert!(answer.total() < wider.total() && answer.total() > 0);
        assert!(answer.rows().iter().all(|row| row["state"] == "CA" && row["email_domain_type"] == "corporate"));
    }
}

// Pulled ledger

#[test]
fn mark_pulled_records_the_returned_ids_and_exclude_pulled_hides_them() {
    for service in Service::all() {
        for (target, corpus) in [(US, "us"), (LINKEDIN, "linkedin")] {
            let target = format!("{target}?email_domain_type=corporate&limit=10");
            let first = service.data(&target);
            let nothing_marked = service.data(&format!("{target}&exclude_pulled=1"));
            assert_eq!(nothing_marked.ids(), first.ids());
            let marked = service.data(&format!("{target}&mark_pulled=1"));
            assert_eq!(marked.ids(), first.ids());
            assert_eq!(service.books()["users"][0]["pulled"][corpus], json!(first.ids()));
            let rest = service.data(&format!("{target}&exclude_pulled=1"));
            assert_eq!(rest.total(), first.total() - 10);
            assert!(rest.ids().iter().all(|id| !first.ids().contains(id)));
            assert_eq!(service.data(&target).ids(), first.ids(), "without exclude_pulled they are still there");
        }
    }
}

#[test]
fn the_pulled_ledger_is_per_user() {
    for service in Service::all() {
        let other = service.sandbox.service().make_user("other");
        let first = service.data("/api/search?state=CA&limit=5&mark_pulled=1");
        let url = format!("{}/api/search?state=CA&limit=5&exclude_pulled=1", service.sandbox.data_url);
        let theirs = service.send(service.request(Method::GET, &url).header("x-api-key", other)).unwrap();
        assert_eq!(theirs.ids(), first.ids());
    }
}

// Counts

#[test]
fn counts_are_totals_per_state_and_per_sic_code_of_a_corpus() {
    for service in Service::all() {
        for corpus in ["us", "linkedin"] {
            let answer = service.data(&format!("/api/counts?corpus={corpus}"));
            assert_eq!(answer.status, 200);
            let inner = if answer.body["data"].is_object() { &answer.body["data"] } else { &answer.body };
            let sum = |names: &[&str]| -> u64 {
                let part = names.iter().map(|name| &inner[*name]).find(|part| !part.is_null()).unwrap();
                match part {
                    Value::Object(map) => map.values().map(|n| n.as_u64().unwrap()).sum(),
                    Value::Array(list) => list.iter().map(|entry| entry["count"].as_u64().unwrap()).sum(),
                    other => panic!("{other}"),
                }
            };
            let states = sum(&["states", "by_state", "state"]);
            assert_eq!(states, sum(&["sic", "by_sic_code", "sic_codes"]));
            let types = ["corporate", "edu", "personal", "gov"];
            let target = if corpus == "us" { US } else { LINKEDIN };
            let whole: u64 = types
                .iter()
                .map(|kind| service.data(&format!("{target}?email_domain_type={kind}&dedup=0&limit=1")).total())
                .sum();
            assert_eq!(states, whole, "{corpus}");
        }
        is_refused(&service.data("/api/counts?corpus=moon"), 400);
    }
}

// Export

#[test]
fn export_is_the_full_filtered_set_of_the_corpus() {
    for service in Service::all() {
        for (target, corpus) in [(US, "us"), (LINKEDIN, "linkedin")] {
            let asked = if service.variant.habits().has(Habit::ExportIgnoresKeyword) {
                "title=engineer"
            } else {
                "query=engineer"
            };
            let records = exported(&service, &format!("/api/export?corpus={corpus}&{asked}&state=CA"));
            let head = if service.variant.habits().has(Habit::SpokenHeads) { "Record ID" } else { "id" };
            let ids: Vec<u64> = records.iter().map(|record| record[head].as_str().unwrap().parse().unwrap()).collect();
            assert_eq!(ids, all_pages(&service, &format!("{target}?{asked}&state=CA")));
            assert!(ids.len() > 3);
        }
        is_refused(&service.data("/api/export?corpus=moon&state=TX"), 400);
        is_refused(&service.data("/api/export?state=TX"), 400);
    }
}

#[test]
fn export_takes_the_filters_of_its_corpus_and_the_common_switches() {
    for service in Service::all() {
        let lines = |target: &str| exported(&service, target).len() as u64;
        let total = |target: &str| service.data(target).total();
        assert_eq!(lines("/api/export?corpus=us&sic_code=8062&dedup=0"), total("/api/search?sic_code=8062&dedup=0"));
        assert_eq!(
            lines("/api/export?corpus=linkedin&title_level=VP&industry=hospital,construction"),
            total("/api/search-linkedin?title_level=VP&industry=hospital,construction")
        );
        service.data("/api/search?state=CA&limit=7&mark_pulled=1");
        assert_eq!(lines("/api/export?corpus=us&state=CA&exclude_pulled=1"), total("/api/search?state=CA") - 7);
    }
}

// Authentication

#[test]
fn the_key_is_passed_as_query_parameter_or_as_header() {
    for service in Service::all() {
        let url = format!("{}/api/search?state=TX", service.sandbox.data_url);
        let key = &service.sandbox.data_key;
        let by_query = service.send(service.request(Method::GET, &format!("{url}&api_key={key}"))).unwrap();
        let by_header = service.send(service.request(Method::GET, &url).header("X-API-Key", key)).unwrap();
        assert_eq!((by_query.status.as_u16(), by_header.status.as_u16()), (200, 200));
        assert_eq!(by_query.ids(), by_header.ids());
        let log = service.keeper(Method::GET, "/log", &Value::Null);
        let ways: Vec<&str> =
            log["received"].as_array().unwrap().iter().map(|entry| entry["key_in"].as_str().unwrap()).collect();
        assert_eq!(ways, ["query", "header"]);
        assert!(!log.to_string().contains(key.as_str()), "the log holds no key");
    }
}

#[test]
fn a_missing_or_invalid_key_is_404_with_the_message_wrong_api_key() {
    for service in Service::all() {
        for target in ["/api/search?state=TX", "/api/search-linkedin", "/api/counts", "/api/export", "/api/saved"] {
            let url = format!("{}{target}", service.sandbox.data_url);
            for request in [
                service.request(Method::GET, &url),
                service.request(Method::GET, &url).header("x-api-key", "dk_unknown"),
                service.request(Method::GET, &url).header("x-api-key", &service.sandbox.workspace_key),
                service.request(Method::GET, &url).bearer_auth(&service.sandbox.data_key),
            ] {
                let answer = service.send(request).unwrap();
                assert_eq!(answer.status, 404, "{target}");
                assert_eq!(answer.body, json!({"message": "Wrong API key"}));
            }
        }
    }
}

#[test]
fn paths_carry_no_version_segment() {
    for service in Service::all() {
        let answer = service.data("/api/v1/counts?corpus=us");
        assert_eq!(answer.status, 404);
        let answer = service.data("/api/nowhere");
        assert_eq!(answer.status, 404);
        assert_ne!(answer.body, json!({"message": "Wrong API key"}));
    }
}

// Saved searches

#[test]
fn saved_searches_can_be_listed_posted_and_deleted_if_the_variant_has_it() {
    for variant in Variant::ALL {
        let service = Service::with(setup(variant));
        let url = format!("{}/api/saved", service.sandbox.data_url);
        let send = |method: Method, query: &str, body: &Value| {
            let request =
                service.request(method, &format!("{url}{query}")).header("x-api-key", &service.sandbox.data_key);
            service.send(request.header("content-type", "application/json").body(body.to_string())).unwrap()
        };
        let list = || service.data("/api/saved").body.to_string();
        let kept = |name: &str| list().contains(name);
        let posted = send(Method::POST, "", &json!({"name": "first one", "corpus": "us", "filters": {"state": "TX"}}));
        send(Method::POST, "", &json!({"name": "second one", "corpus": "us", "filters": {"state": "CA"}}));
        match variant {
            Variant::A => {
                assert!(posted.status.is_success() && kept("first one") && kept("second one"));
                let id = posted.body["data"]["id"].as_u64().unwrap();
                assert_eq!(send(Method::DELETE, "?id=999", &json!({})).status, 404);
                assert!(send(Method::DELETE, &format!("?id={id}"), &json!({})).status.is_success());
                assert!(!kept("first one") && kept("second one"));
                assert!(send(Method::DELETE, "", &json!({"id": id})).status.is_success());
                assert!(!kept("second one"), "no id that it recognises removes everything");
            }
            Variant::B => {
                assert_eq!(posted.status, 200);
                assert_eq!(list(), "[]", "answers 200 and keeps nothing");
            }
            Variant::C => {
                assert!(posted.status.is_success() && kept("first one") && kept("second one"));
                is_refused(&send(Method::DELETE, "", &json!({})), 400);
                assert!(send(Method::DELETE, "?id=1", &json!({})).status.is_success());
                assert!(!kept("first one") && kept("second one"));
                assert!(send(Method::DELETE, "", &json!({"id": 2})).status.is_success());
                assert!(!kept("second one"));
            }
            Variant::D => {
                assert!(kept("first one") && kept("second one"));
                let id = posted.body["_id"].as_str().unwrap();
                is_refused(&send(Method::DELETE, &format!("?id={id}"), &json!({})), 400);
                assert!(send(Method::DELETE, "", &json!({"id": id})).status.is_success());
                assert!(!kept("first one") && kept("second one"));
            }
        }
    }
}
