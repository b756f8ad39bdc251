//! workspace-api.md, all but unlock.

use crate::asking::{Askable, Asking, Readable, Small};
use lode_sandbox::corpus::{CheckOutcome, CorpusKind};
use lode_sandbox::rate::RateLimit;
use lode_sandbox::service::ServiceSetup;
use lode_sandbox::variants::{Habit, Variant};
use reqwest::Method;
use serde_json::{Value, json};

use crate::service::{Service, setup};

// What the service does

#[test]
fn search_returns_contact_rows_with_email_and_phone_masked() {
    for service in Service::all() {
        let rows = service.workspace("/search?corpus=us&limit=20");
        assert_eq!(rows.rows().len(), 20);
        for row in rows.rows() {
            let person = service.sandbox.service().person(CorpusKind::Us, row["id"].as_u64().unwrap()).unwrap();
            assert_ne!(row["email_address"], person.email.as_ref());
            assert_ne!(row["phone"], person.phone.as_ref());
            assert_eq!(row["unlocked"], false);
        }
    }
}

#[test]
fn searching_is_free_and_consumes_no_credits() {
    for service in Service::all() {
        let (credits, lines) = (service.credits(), service.lines());
        service.workspace("/search?corpus=us&title=engineer");
        service.workspace("/search?corpus=linkedin&limit=3&offset=10");
        assert_eq!((service.credits(), service.lines()), (credits, lines));
    }
}

#[test]
fn me_returns_the_workspace_the_keys_name_prefix_and_scopes_and_the_live_credit_balance() {
    for service in Service::all() {
        let account = &service.workspace("/me").body["data"];
        assert!(account["org"]["id"].is_string() && account["org"]["name"].is_string());
        assert!(account["org"]["plan"].is_string() && account["key"]["name"].is_string());
        let prefix = account["key"]["prefix"].as_str().unwrap();
        assert!(service.sandbox.workspace_key.starts_with(prefix) && prefix.len() < 16);
        assert_eq!(account["key"]["scopes"], json!(["search", "unlock"]));
        assert_eq!(account["credits"], 1_204);
        service.keeper(Method::POST, "/credits", &json!({"credits": 77}));
        assert_eq!(service.credits(), 77);
    }
}

#[test]
fn requests_and_responses_are_json() {
    for service in Service::all() {
        for target in ["/me", "/search?corpus=us", "/search?corpus=moon", "/nowhere"] {
            let answer = service.workspace(target);
            assert_eq!(answer.headers["content-type"], "application/json");
            assert!(answer.body.is_object(), "{target}");
        }
    }
}

#[test]
fn a_key_authenticates_a_workspace_not_a_person() {
    for service in Service::all() {
        let engine = service.sandbox.service();
        let colleague = engine.make_key(&engine.org(), "colleague", &["search"]);
        let bought = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1);
        service.unlock(&json!({"corpus": "us", "ids": bought}));
        let seen = service.workspace_as(&colleague, "/search?corpus=us&limit=20");
        let row = seen.rows().iter().find(|row| row["id"] == bought[0]).unwrap();
        assert_eq!(row["unlocked"], true);
        let (mine, theirs) = (service.workspace("/me"), service.workspace_as(&colleague, "/me"));
        assert_eq!(mine.body["data"]["org"], theirs.body["data"]["org"]);

        let stranger = engine.make_key(&engine.found_org("Other Inc", 5, 0), "stranger", &["search", "unlock"]);
        let seen = service.workspace_as(&stranger, "/search?corpus=us&limit=20");
        assert!(seen.rows().iter().all(|row| row["unlocked"] == false));
        assert_eq!(service.workspace_as(&stranger, "/me").body["data"]["credits"], 5);
    }
}

#[test]
fn credits_unlocked_contacts_and_rate_limits_are_shared_with_the_web_application() {
    for variant in Variant::ALL {
        let service =
            Service::with(ServiceSetup { allowance: RateLimit { requests: 10, window_ms: 60_000 }, ..setup(variant) });
        let contact = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1)[0];
        let done = service.keeper(Method::POST, "/member", &json!({"spend": 4, "corpus": "us", "ids": [contact]}));
        assert_eq!(done, json!({"spent": 4, "unlocked": [contact]}));
        assert_eq!(service.credits(), 1_204 - 5);
        let answer = service.unlock(&json!({"corpus": "us", "ids": [contact]}));
        assert_eq!(answer.body["data"]["credits_charged"], 0);
        let fitted = service.keeper(Method::POST, "/use-rate", &json!({"key": "default", "requests": 100}));
        assert_eq!(fitted, json!({"fitted": 8}));
        assert_eq!(service.workspace("/me").status, 429);
    }
}

#[test]
fn two_corpora_exist_us_and_linkedin() {
    for service in Service::all() {
        for (corpus, rows) in [("us", 3_000), ("linkedin", 2_000)] {
            let answer = service.workspace(&format!("/search?corpus={corpus}"));
            assert_eq!(answer.body["data"]["corpus"], corpus);
            assert_eq!(answer.total(), rows, "{corpus}");
        }
        service.workspace("/search?corpus=moon").is_refused();
    }
}

#[test]
fn contacts_suppressed_through_a_do_not_sell_request_are_removed_from_search_results_entirely() {
    for service in Service::all() {
        let from_the_start = service.suppressed(CorpusKind::Us);
        assert!(!from_the_start.is_empty());
        let before = service.workspace("/search?corpus=us");
        assert_eq!(before.total(), 3_000, "the list comes on top of the rows that were asked for");
        assert!(before.ids().iter().all(|id| !from_the_start.contains(id)));
        let gone = before.ids()[3];
        service.keeper(Method::POST, "/suppress", &json!({"corpus": "us", "ids": [gone]}));
        let after = service.workspace("/search?corpus=us");
        assert_eq!(after.total(), before.total() - 1);
        assert!(!after.ids().contains(&gone));
    }
}

#[test]
fn suppressed_contacts_are_never_returned_even_when_owned() {
    for service in Service::all() {
        let from_the_start = service.suppressed(CorpusKind::Us)[0];
        let contact = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1)[0];
        service.unlock(&json!({"corpus": "us", "ids": [contact]}));
        service.keeper(Method::POST, "/suppress", &json!({"corpus": "us", "ids": [contact]}));
        assert!(!service.workspace("/search?corpus=us").ids().contains(&contact));
        let answer = service.unlock(&json!({"corpus": "us", "ids": [contact, from_the_start]}));
        let data = &answer.body["data"];
        assert_eq!((&data["unlocked"], &data["already_unlocked"]), (&json!([]), &json!([])));
        assert_eq!(data["missing"].as_array().unwrap().len(), 2);
        assert_eq!(data["credits_charged"], 0);
    }
}

// Response envelope

#[test]
fn ok_is_true_with_data_on_success_and_nothing_is_a_bare_array() {
    for service in Service::all() {
        let contact = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1);
        for answer in [
            service.workspace("/me"),
            service.workspace("/search?corpus=linkedin"),
            service.unlock(&json!({"corpus": "us", "ids": contact})),
        ] {
            assert!(answer.status.is_success());
            assert_eq!(answer.body["ok"], true);
            assert!(answer.body["data"].is_object() && answer.body.get("error").is_none());
        }
    }
}

#[test]
fn a_non_2xx_status_always_comes_with_ok_false_and_a_message() {
    for service in Service::all() {
        service.workspace_as("lk_live_unknown", "/me").is_refused();
        service.workspace("/search?corpus=us&limit=0").is_refused();
        service.workspace("/nowhere").is_refused();
        service.workspace("").is_refused();
        service.unlock(&json!([])).is_refused();
        let wrong_method = service.request(Method::DELETE, &format!("{}/me", service.sandbox.workspace_url));
        service.send(wrong_method.bearer_auth(&service.sandbox.workspace_key)).unwrap().is_refused();
    }
}

// Search row

#[test]
fn a_row_of_us_carries_these_fields() {
    for service in Service::all() {
        for row in service.workspace("/search?corpus=us").rows() {
            assert!(row["id"].is_u64());
            for field in [
                "company_name", "first_name", "last_name", "title", "city", "state", "industry", "email_address",
                "phone", "email_domain_type", "email_status", "naics_code",
            ] {
                assert!(row[field].is_string(), "{field}: {row}");
            }
            assert_eq!((&row["unlocked"], &row["verification"]), (&json!(false), &Value::Null));
        }
    }
}

#[test]
fn a_row_of_linkedin_carries_email_title_level_and_linkedin_url_instead() {
    for service in Service::all() {
        for row in service.workspace("/search?corpus=linkedin").rows() {
            assert!(row["id"].is_u64() && row.get("email_address").is_none() && row.get("naics_code").is_none());
            for field in ["email", "title_level", "linkedin_url", "title", "state"] {
                assert!(row[field].is_string(), "{field}: {row}");
            }
        }
    }
}

#[test]
fn the_email_is_reduced_to_its_first_character_bullets_and_the_full_domain() {
    for service in Service::all() {
        for (corpus, kind, field) in
            [("us", CorpusKind::Us, "email_address"), ("linkedin", CorpusKind::Linkedin, "email")]
        {
            for row in service.workspace(&format!("/search?corpus={corpus}")).rows() {
                let person = service.sandbox.service().person(kind, row["id"].as_u64().unwrap()).unwrap();
                let (local, domain) = person.email.split_once('@').unwrap();
                let masked = format!("{}•••@{domain}", local.chars().next().unwrap());
                assert_eq!(row[field], masked);
            }
        }
    }
}

#[test]
fn the_phone_is_reduced_to_its_area_code_bullets_and_the_last_two_digits() {
    for service in Service::all() {
        for row in service.workspace("/search?corpus=us").rows() {
            let phone = service.sandbox.service().person(CorpusKind::Us, row["id"].as_u64().unwrap()).unwrap().phone;
            assert_eq!(row["phone"], format!("{}•••{}", &phone[..3], &phone[8..]));
        }
    }
}

#[test]
fn a_row_the_workspace_has_already_unlocked_comes_back_complete_with_unlocked_true() {
    for service in Service::all() {
        for (corpus, kind, field) in
            [("us", CorpusKind::Us, "email_address"), ("linkedin", CorpusKind::Linkedin, "email")]
        {
            let contact = service.contacts(kind, CheckOutcome::Valid, 1)[0];
            service.unlock(&json!({"corpus": corpus, "ids": [contact]}));
            let person = service.sandbox.service().person(kind, contact).unwrap();
            let answer = service.workspace(&format!("/search?corpus={corpus}&limit=20"));
            let row = answer.rows().iter().find(|row| row["id"] == contact).unwrap();
            assert_eq!(row["unlocked"], true);
            assert_eq!(row[field], person.email.as_ref());
            assert_eq!(row["phone"], person.phone.as_ref());
            assert_eq!(row["verification"], "valid");
        }
    }
}

// GET /search

#[test]
fn title_is_a_text_filter_that_matches_within_the_field() {
    for service in Service::all() {
        let answer = service.workspace("/search?corpus=us&title=eNgInEeR");
        let titles: Vec<String> =
            answer.rows().iter().map(|row| row["title"].as_str().unwrap().to_lowercase()).collect();
        assert!(!titles.is_empty() && titles.iter().all(|title| title.contains("engineer")));
        assert!(titles.iter().any(|title| title != "engineer"), "not an exact whole string");
    }
}

#[test]
fn comma_separated_industries_combine_with_or_and_match_within_the_field() {
    for service in Service::all() {
        let total = |industry: &str| service.workspace(&format!("/search?corpus=us&industry={industry}")).total();
        let (hospitals, construction) = (total("hospital"), total("constr"));
        assert!(hospitals > 0 && construction > 0);
        assert_eq!(total("hospital,constr"), hospitals + construction);
        assert_eq!(total("hospital%2C%20constr,hospital"), hospitals + construction);
        let both = service.workspace("/search?corpus=us&industry=hospital,constr");
        for row in both.rows() {
            let industry = row["industry"].as_str().unwrap().to_lowercase();
            assert!(industry.contains("hospital") || industry.contains("constr"));
        }
    }
}

#[test]
fn state_is_a_code_filter_with_an_exact_match() {
    for service in Service::all() {
        let answer = service.workspace("/search?corpus=us&state=TX");
        assert!(answer.total() > 0 && answer.rows().iter().all(|row| row["state"] == "TX"));
        assert_eq!(service.workspace("/search?corpus=us&state=T").total(), 0);
        assert_eq!(service.workspace("/search?corpus=us&state=Texas").total(), 0);
    }
}

#[test]
fn email_domain_type_filters_by_its_stored_value() {
    for service in Service::all() {
        let answer = service.workspace("/search?corpus=us&email_domain_type=corporate");
        assert!(answer.total() > 0 && answer.rows().iter().all(|row| row["email_domain_type"] == "corporate"));
        assert!(answer.total() < service.workspace("/search?corpus=us").total());
        assert_eq!(service.workspace("/search?corpus=us&email_domain_type=corp").total(), 0);
    }
}

#[test]
fn title_level_filters_the_linkedin_corpus() {
    for service in Service::all() {
        let answer = service.workspace("/search?corpus=linkedin&title_level=C-Level");
        assert!(answer.total() > 0 && answer.rows().iter().all(|row| row["title_level"] == "C-Level"));
    }
}

#[test]
fn filters_combine_with_and() {
    for service in Service::all() {
        let answer =
            service.workspace("/search?corpus=us&title=director&state=TX&email_domain_type=corporate&limit=20");
        let alone = service.workspace("/search?corpus=us&state=TX").total();
        if !service.variant.habits().has(Habit::SenselessTotals) {
            assert!(answer.total() > 0 && answer.total() < alone);
        }
        assert!(!answer.rows().is_empty());
        for row in answer.rows() {
            assert!(row["title"].as_str().unwrap().to_lowercase().contains("director"), "{row}");
            assert_eq!((&row["state"], &row["email_domain_type"]), (&json!("TX"), &json!("corporate")));
        }
    }
}

#[test]
fn exclude_unlocked_1_hides_rows_the_workspace_already_owns() {
    for service in Service::steady() {
        let before = service.workspace("/search?corpus=us&limit=10");
        let bought = &before.ids()[..4];
        service.unlock(&json!({"corpus": "us", "ids": bought}));
        let hidden = service.workspace("/search?corpus=us&limit=10&exclude_unlocked=1");
        assert_eq!(hidden.total(), before.total() - 4);
        assert!(hidden.ids().iter().all(|id| !bought.contains(id)));
        assert_eq!(hidden.ids()[..6], before.ids()[4..]);
        for shown in ["", "&exclude_unlocked=0"] {
            assert_eq!(service.workspace(&format!("/search?corpus=us&limit=10{shown}")).ids(), before.ids());
        }
    }
}

#[test]
fn limit_and_offset_in_the_answer_are_those_applied() {
    for service in Service::all() {
        let largest = service.variant.habits().max_page;
        let answer = service.workspace("/search?corpus=us&limit=7&offset=11");
        assert_eq!((&answer.body["data"]["limit"], &answer.body["data"]["offset"]), (&json!(7), &json!(11)));
        assert_eq!(answer.rows().len(), 7);
        let answer = service.workspace("/search?corpus=us&limit=100000");
        if service.variant.habits().has(Habit::RefusesLargeSearch) {
            answer.is_refused();
        } else {
            assert_eq!(answer.body["data"]["limit"], largest);
            assert_eq!(answer.rows().len() as u64, largest);
        }
        let answer = service.workspace("/search?corpus=us");
        assert_eq!(answer.rows().len() as u64, answer.body["data"]["limit"].as_u64().unwrap());
        assert_eq!(answer.body["data"]["offset"], 0);
    }
}

#[test]
fn total_is_the_size_of_the_whole_result_set_not_of_the_page() {
    for service in Service::steady() {
        let mut all = Vec::new();
        let total = loop {
            let target = format!("/search?corpus=us&title=manager&state=CA&limit=9&offset={}", all.len());
            let page = service.workspace(&target);
            all.extend(page.ids());
            if page.rows().len() < 9 {
                break page.total();
            }
        };
        assert!(total > 9);
        assert_eq!(all.len() as u64, total);
        let mut distinct = all.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct, all, "no id twice, in the service's order");
        let beyond = service.workspace("/search?corpus=us&title=manager&state=CA&offset=100000");
        assert_eq!((beyond.rows().len(), beyond.total()), (0, total));
    }
}

#[test]
fn took_ms_is_an_integer() {
    for service in Service::all() {
        assert!(service.workspace("/search?corpus=us").body["data"]["took_ms"].is_u64());
    }
}

// Authentication

#[test]
fn every_request_carries_the_bearer_header() {
    for service in Service::all() {
        let url = format!("{}/me", service.sandbox.workspace_url);
        let key = &service.sandbox.workspace_key;
        let bad = service.variant.habits().bad_key;
        for request in [
            service.request(Method::GET, &url),
            service.request(Method::GET, &url).header("authorization", format!("Basic {key}")),
            service.request(Method::GET, &url).header("authorization", key),
            service.request(Method::GET, &url).header("x-api-key", key),
            service.request(Method::GET, &format!("{url}?api_key={key}")),
            service.request(Method::GET, &url).bearer_auth(&service.sandbox.data_key),
        ] {
            let answer = service.send(request).unwrap();
            assert_eq!(answer.status, bad);
            answer.is_refused();
        }
    }
}

#[test]
fn a_key_begins_with_a_fixed_live_prefix_followed_by_secret_characters() {
    for service in Service::all() {
        let engine = service.sandbox.service();
        let other = engine.make_key(&engine.org(), "other", &["search"]);
        for key in [&service.sandbox.workspace_key, &other] {
            assert!(key.starts_with("lk_live_") && key.len() > 30);
        }
        assert_ne!(other, service.sandbox.workspace_key);
    }
}

#[test]
fn a_key_is_stored_only_as_a_hash_and_can_be_replaced_and_revoked() {
    for service in Service::all() {
        let made = service.keeper(Method::POST, "/keys", &json!({"name": "second", "scopes": ["search"]}));
        let second = made["key"].as_str().unwrap();
        assert_eq!(service.workspace_as(second, "/me").body["data"]["key"]["name"], "second");
        assert!(!service.books().to_string().contains(&second[12..]), "the books hold no key");
        service.keeper(Method::POST, "/revoke", &json!({"name": "default"}));
        service.workspace("/me").is_refused();
        assert_eq!(service.workspace_as(second, "/me").status, 200);
    }
}

#[test]
fn a_key_without_search_cannot_call_search() {
    for service in Service::all() {
        let engine = service.sandbox.service();
        let key = engine.make_key(&engine.org(), "spender", &["unlock"]);
        let answer = service.workspace_as(&key, "/search?corpus=us");
        assert_eq!(answer.status, service.variant.habits().no_scope);
        answer.is_refused();
        let contact = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1);
        assert_eq!(service.unlock_as(&key, &json!({"corpus": "us", "ids": contact})).status, 200);
    }
}

#[test]
fn a_key_with_search_alone_is_read_only_and_cannot_spend_credits() {
    for service in Service::all() {
        let engine = service.sandbox.service();
        let key = engine.make_key(&engine.org(), "reader", &["search"]);
        let lines = service.lines();
        assert_eq!(service.workspace_as(&key, "/search?corpus=us").status, 200);
        let contact = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1);
        let answer = service.unlock_as(&key, &json!({"corpus": "us", "ids": contact}));
        assert_eq!(answer.status, service.variant.habits().no_scope);
        answer.is_refused();
        assert_eq!(service.lines(), lines);
    }
}

#[test]
fn me_needs_only_a_valid_key_and_no_particular_scope() {
    for service in Service::all() {
        let engine = service.sandbox.service();
        let key = engine.make_key(&engine.org(), "health", &[]);
        let answer = service.workspace_as(&key, "/me");
        assert_eq!((answer.status.as_u16(), &answer.body["data"]["key"]["scopes"]), (200, &json!([])));
    }
}

// Errors and limits

#[test]
fn rate_limit_exceeded_is_429_with_a_retry_after_header_giving_seconds_to_wait() {
    for variant in Variant::ALL {
        let service =
            Service::with(ServiceSetup { allowance: RateLimit { requests: 3, window_ms: 60_000 }, ..setup(variant) });
        (0..3).for_each(|_| assert_eq!(service.workspace("/me").status, 200));
        let answer = service.workspace("/search?corpus=us");
        assert_eq!(answer.status, 429);
        answer.is_refused();
        let seconds: u64 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
        assert!((55..=60).contains(&seconds), "{seconds}");
    }
}

#[test]
fn after_retry_after_the_key_may_call_again() {
    // Virtual time: the sandbox is asked without its server, the window is the real one.
    use lode_sandbox::service::{Service as Brain, ServiceRequest};
    let engine = Brain::new(ServiceSetup::small());
    let key = engine.workspace_key();
    let me = |now_ms| engine.answer(&ServiceRequest::get("/api/v1/me").bearer(&key), now_ms);
    (0..120).for_each(|n| assert_eq!(me(n * 100).status, 200));
    let refused = me(12_000);
    assert_eq!(refused.status, 429);
    let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert_eq!(seconds, 48);
    assert_eq!(me(12_000 + seconds * 1_000 - 1).status, 429);
    assert_eq!(me(12_000 + seconds * 1_000).status, 200);
}

#[test]
fn the_request_rate_is_120_per_minute_on_all_endpoints() {
    for variant in Variant::ALL {
        let service = Service::with(ServiceSetup { variant, ..ServiceSetup::small() });
        let statuses: Vec<u16> = (0..121)
            .map(|n| match n % 3 {
                0 => service.workspace("/me").status.as_u16(),
                1 => service.workspace("/search?corpus=us&limit=1").status.as_u16(),
                _ => service.unlock(&json!({"corpus": "us", "ids": [9_999_999]})).status.as_u16(),
            })
            .collect();
        assert!(statuses[..120].iter().all(|status| *status == 200));
        assert_eq!(statuses[120], 429);
    }
}

#[test]
fn requests_are_counted_per_key_not_per_workspace() {
    for variant in Variant::ALL {
        let service =
            Service::with(ServiceSetup { allowance: RateLimit { requests: 2, window_ms: 60_000 }, ..setup(variant) });
        let engine = service.sandbox.service();
        let job = engine.make_key(&engine.org(), "job", &["search"]);
        (0..5).for_each(|_| drop(service.workspace_as(&job, "/me")));
        assert_eq!(service.workspace_as(&job, "/me").status, 429);
        assert_eq!(
            service.workspace("/me").status,
            200,
            "a job on its own key does not consume another key's allowance"
        );
    }
}

#[test]
fn an_upstream_failure_is_status_502_and_search_is_always_safe_to_retry() {
    for service in Service::steady() {
        let before = service.workspace("/search?corpus=us&title=nurse");
        service.sandbox.service().state().faults.rules.push("502@search=next".parse().unwrap());
        assert_eq!(service.workspace("/search?corpus=us&title=nurse").status, 502);
        let again = service.workspace("/search?corpus=us&title=nurse");
        assert_eq!((again.rows(), again.total()), (before.rows(), before.total()));
    }
}

// Versioning

#[test]
fn the_version_is_the_path_segment_v1_in_the_base_address() {
    for service in Service::all() {
        assert!(service.sandbox.workspace_url.ends_with("/api/v1"));
        let other = service.sandbox.workspace_url.replace("/v1", "/v2");
        let request = service.request(Method::GET, &format!("{other}/me"));
        assert_eq!(service.send(request.bearer_auth(&service.sandbox.workspace_key)).unwrap().status, 404);
    }
}
