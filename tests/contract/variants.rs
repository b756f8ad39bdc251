//! What the documents leave open, as each variant reads it.

use crate::asking::{Askable, Asking};
use std::collections::BTreeSet;
use std::time::Duration;

use lode_sandbox::corpus::{CheckOutcome, CorpusKind};
use lode_sandbox::service::{Delivery, ServiceRequest, ServiceSetup};
use lode_sandbox::variants::{Habit, Variant};
use reqwest::Method;
use serde_json::{Value, json};

use crate::service::{Service, ids_of, setup};

fn data(service: &Service, body: Value) -> Value {
    let answer = service.unlock(&body);
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["data"].clone()
}

#[test]
fn already_unlocked_and_missing_come_in_four_shapes() {
    for service in Service::all() {
        let id = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1)[0];
        data(&service, json!({"corpus": "us", "ids": [id]}));
        let answer = data(&service, json!({"corpus": "us", "ids": [id, 555_555]}));
        let (already, missing) = (&answer["already_unlocked"][0], &answer["missing"][0]);
        match service.variant {
            Variant::A => assert_eq!((already, missing), (&json!(id), &json!(555_555))),
            Variant::B => {
                assert!(already["email"].is_string() && already["contact_name"].is_string());
                assert_eq!(missing, &json!({"id": 555_555, "reason": "not_found"}));
            }
            Variant::C => assert_eq!((already, missing), (&json!(id.to_string()), &json!("555555"))),
            Variant::D => assert_eq!(already, &json!({"id": id})),
        }
    }
}

#[test]
fn no_credits_at_all_is_an_error_or_a_200_that_says_so() {
    for variant in Variant::ALL {
        let service = Service::with(ServiceSetup { credits: 0, ..setup(variant) });
        let ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 2);
        let answer = service.unlock(&json!({"corpus": "us", "ids": ids}));
        match variant.habits().out_of_credits {
            Some(status) => {
                assert_eq!(answer.status, status);
                assert!(answer.is_refused().contains("redits"));
            }
            None => {
                assert_eq!(answer.body["data"]["stopped_for_credits"], true);
                assert_eq!(answer.body["data"]["unlocked"], json!([]));
            }
        }
        assert_eq!(service.lines(), Vec::<Value>::new());
    }
}

#[test]
fn the_rest_of_a_stopped_batch_may_be_listed_as_missing_too() {
    for variant in Variant::ALL {
        let service = Service::with(ServiceSetup { credits: 1, ..setup(variant) });
        let ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 4);
        let answer = data(&service, json!({"corpus": "us", "ids": ids}));
        let expected = if variant.habits().has(Habit::RestInMissing) { 3 } else { 0 };
        assert_eq!(answer["missing"].as_array().unwrap().len(), expected, "{variant:?}");
    }
}

#[test]
fn after_stopping_a_variant_looks_on_for_owned_contacts_or_does_not() {
    for variant in Variant::ALL {
        let service = Service::with(ServiceSetup { credits: 2, ..setup(variant) });
        let ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 3);
        data(&service, json!({"corpus": "us", "ids": [ids[2]]}));
        let answer = data(&service, json!({"corpus": "us", "ids": [ids[0], ids[1], ids[2]]}));
        assert_eq!(answer["stopped_for_credits"], true);
        let listed = ids_of(&answer["already_unlocked"]).len();
        assert_eq!(listed, usize::from(variant.habits().has(Habit::LooksOn)), "{variant:?}");
    }
}

#[test]
fn refunds_come_at_once_or_after_the_batch() {
    for variant in Variant::ALL {
        let service = Service::with(ServiceSetup { credits: 1, ..setup(variant) });
        let mut ids = service.contacts(CorpusKind::Us, CheckOutcome::Invalid, 2);
        ids.extend(service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1));
        let answer = data(&service, json!({"corpus": "us", "ids": ids}));
        let (unlocked, balance) = if variant.habits().has(Habit::RefundsLast) { (1, 1) } else { (3, 0) };
        assert_eq!(answer["unlocked"].as_array().unwrap().len(), unlocked, "{variant:?}");
        assert_eq!(answer["balance"], balance);
        assert_eq!(answer["stopped_for_credits"], variant.habits().has(Habit::RefundsLast));
    }
}

#[test]
fn credits_charged_counts_before_or_after_refunds() {
    for service in Service::all() {
        let mut ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 2);
        ids.extend(service.contacts(CorpusKind::Us, CheckOutcome::Invalid, 1));
        let answer = data(&service, json!({"corpus": "us", "ids": ids}));
        let charged = if service.variant.habits().has(Habit::ChargedNet) { 2 } else { 3 };
        assert_eq!((&answer["credits_charged"], &answer["credits_refunded"]), (&json!(charged), &json!(1)));
    }
}

#[test]
fn an_id_that_repeats_is_merged_listed_or_refused() {
    for service in Service::all() {
        let id = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1)[0];
        let answer = service.unlock(&json!({"corpus": "us", "ids": [id, id]}));
        match service.variant {
            Variant::A => assert_eq!(ids_of(&answer.body["data"]["already_unlocked"]), [id as i64]),
            Variant::B | Variant::D => assert_eq!(answer.body["data"]["already_unlocked"], json!([])),
            Variant::C => drop(answer.is_refused().to_owned()),
        }
    }
}

#[test]
fn the_largest_page_is_100_25_or_50_and_can_be_set_and_one_variant_refuses_more_than_20() {
    let largest = |setup| Service::with(setup).workspace("/search?corpus=us&limit=1000").rows().len();
    let pages = [Variant::A, Variant::B, Variant::C].map(|variant| largest(setup(variant)));
    assert_eq!(pages, [100, 25, 50]);
    assert_eq!(largest(ServiceSetup { max_page: Some(33), ..setup(Variant::A) }), 33);
    let refuses = Service::of(Variant::D);
    assert!(refuses.workspace("/search?corpus=us&limit=21").is_refused().contains("limit must be 1 to 20"));
    assert_eq!(refuses.workspace("/search?corpus=us&limit=20").rows().len(), 20);
    assert_eq!(refuses.workspace("/search?corpus=us").rows().len(), 20);
}

#[test]
fn the_order_of_one_variant_wavers_and_every_row_can_be_had() {
    let steady = Service::of(Variant::A);
    let wavers = Service::of(Variant::D);
    let page = |service: &Service, offset: u64| {
        service.workspace(&format!("/search?corpus=us&limit=20&offset={offset}")).ids()
    };
    let read = |service: &Service| (0..10).flat_map(|at| page(service, at * 20)).collect::<Vec<_>>();
    let all: BTreeSet<u64> = read(&steady).into_iter().collect();
    assert_eq!(all.len(), 200);
    let mut seen = BTreeSet::new();
    let mut orders = BTreeSet::new();
    for _ in 0..6 {
        let once = read(&wavers);
        assert_eq!(once.len(), 200);
        seen.extend(once.iter().copied().filter(|id| all.contains(id)));
        orders.insert(once);
    }
    assert!(orders.len() > 1, "another order each time");
    assert!(orders.iter().any(|once| once.iter().collect::<BTreeSet<_>>().len() < 200), "some came twice");
    assert_eq!(seen, all);
}

#[test]
fn one_search_of_one_variant_never_answers() {
    for service in Service::all() {
        let habits = service.variant.habits();
        let asked =
            ServiceRequest::get("/api/v1/search?corpus=us&industry=government").bearer(&service.sandbox.workspace_key);
        let answer = service.sandbox.service().answer(&asked, service.sandbox.now_ms());
        assert_eq!(answer.line == Delivery::Silent, habits.never_answers.is_some(), "{:?}", service.variant);
        // With anything beside it, it does.
        assert_eq!(service.workspace("/search?corpus=us&industry=government&title=nurse").status, 200);
    }
    let service = Service::of(Variant::D);
    let url = format!("{}/search?corpus=us&industry=government", service.sandbox.workspace_url);
    let request = service.request(Method::GET, &url).bearer_auth(&service.sandbox.workspace_key);
    let Err(error) = service.send(request.timeout(Duration::from_millis(300))) else { panic!("it was answered") };
    assert!(error.is_timeout(), "{error}");
}

#[test]
fn where_several_filters_are_set_one_variant_has_a_total_that_cannot_be() {
    for service in Service::all() {
        let one = service.workspace("/search?corpus=us&title=manager&limit=5");
        assert!(one.total() >= 5);
        let two = service.workspace("/search?corpus=us&title=manager&state=TX&limit=5");
        assert!(!two.rows().is_empty());
        let senseless = two.body["data"]["total"] == json!(-1);
        assert_eq!(senseless, service.variant.habits().has(Habit::SenselessTotals), "{:?}", service.variant);
    }
}

#[test]
fn one_variant_withdraws_some_contacts_as_soon_as_they_are_bought() {
    for service in Service::all() {
        let ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 60);
        let [stays, goes] = [1, 0].map(|rest| *ids.iter().find(|id| (*id % 17 == 0) == (rest == 0)).unwrap());
        let bought = data(&service, json!({"corpus": "us", "ids": [stays, goes]}));
        assert_eq!(ids_of(&bought["unlocked"]).len(), 2, "it is sold all the same");
        let again = data(&service, json!({"corpus": "us", "ids": [stays, goes]}));
        let withdrawn = service.variant.habits().withdraws.is_some();
        assert_eq!(ids_of(&again["already_unlocked"]).len(), if withdrawn { 1 } else { 2 }, "{:?}", service.variant);
        assert_eq!(ids_of(&again["missing"]) == [goes as i64], withdrawn);
    }
}

#[test]
fn one_export_hears_no_keyword() {
    for service in Service::all() {
        let rows = |target: &str| service.data(target).bytes.split(|byte| *byte == b'\n').count();
        let (all, some) = (rows("/api/export?corpus=us&state=TX"), rows("/api/export?corpus=us&state=TX&query=nurse"));
        assert_eq!(all == some, service.variant.habits().has(Habit::ExportIgnoresKeyword), "{:?}", service.variant);
    }
}

#[test]
fn a_strict_variant_refuses_parameters_that_no_document_names() {
    for service in Service::all() {
        let strict = service.variant.habits().has(Habit::StrictParameters);
        assert_eq!(service.workspace("/search?corpus=us&query=engineer").status.is_success(), !strict);
        assert_eq!(service.data("/api/search?state=TX&sort=name").status.is_success(), !strict);
        assert_eq!(service.data("/api/search?state=TX&email_status=fine").status.is_success(), !strict);
    }
}

#[test]
fn data_rows_come_masked_or_not() {
    for service in Service::all() {
        let answer = service.data("/api/search?state=TX&limit=5");
        let masked = answer.rows().iter().all(|row| row["email_address"].as_str().unwrap().contains('•'));
        assert_eq!(masked, service.variant.habits().has(Habit::DataMasked));
    }
}

#[test]
fn ids_of_the_two_services_are_not_the_same_people() {
    let service = Service::of(Variant::A);
    let rows = service.data("/api/search?email_domain_type=corporate&limit=50");
    let same = rows.rows().iter().filter(|row| {
        let person = service.sandbox.service().person(CorpusKind::Us, row["id"].as_u64().unwrap()).unwrap();
        row["email_address"] == person.email.as_ref()
    });
    assert!(same.count() < 3);
}

#[test]
fn sheets_differ_in_heads_quotes_marks_and_line_ends() {
    for service in Service::all() {
        let sheet = service.variant.habits();
        let bytes = service.data("/api/export?corpus=us&email_domain_type=corporate").bytes;
        assert_eq!(bytes.starts_with("\u{feff}".as_bytes()), sheet.has(Habit::Bom));
        let text = String::from_utf8(bytes).unwrap();
        let head = text.trim_start_matches('\u{feff}').lines().next().unwrap();
        assert_eq!(head.contains("Company Name"), sheet.has(Habit::SpokenHeads), "{head}");
        assert_eq!(head.starts_with('"'), sheet.has(Habit::QuoteAll));
        assert_eq!(text.contains("\r\n"), sheet.has(Habit::Crlf));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let two_lines =
            reader.records().filter(|record| record.as_ref().unwrap().iter().any(|cell| cell.contains('\n')));
        assert_eq!(two_lines.count() > 0, sheet.has(Habit::TwoLineCells));
    }
}

#[test]
fn data_errors_come_in_four_shapes() {
    for service in Service::all() {
        let body = service.data("/api/search").body;
        let shape = match service.variant {
            Variant::A => &body["message"],
            Variant::B => &body["error"]["message"],
            Variant::C => &body["message"][0],
            Variant::D => &body["detail"],
        };
        assert!(shape.as_str().unwrap().contains("query"), "{body}");
    }
}

#[test]
fn a_corpus_may_be_required_on_search() {
    for service in Service::all() {
        let answer = service.send(
            service
                .request(Method::GET, &format!("{}/search", service.sandbox.workspace_url))
                .bearer_auth(&service.sandbox.workspace_key),
        );
        let required = service.variant.habits().has(Habit::CorpusRequired);
        assert_eq!(answer.unwrap().status.is_success(), !required);
    }
}
