//! workspace-api.md, POST /unlock: the table of lock states, its request and its answer, and what a retry costs.

use lode_sandbox::corpus::{CheckOutcome, CorpusKind};
use lode_sandbox::service::ServiceSetup;
use lode_sandbox::variants::{Habit, Variant};
use reqwest::Method;
use serde_json::{Value, json};

use crate::service::{Service, ids_of, setup};

fn charges(lines: &[Value], what: &str) -> Vec<u64> {
    let of = lines.iter().filter(|line| line["what"] == what);
    of.map(|line| line["contact"].as_u64().unwrap()).collect()
}

/// Charged and refunded by this answer, whichever way `credits_charged` counts.
fn gross(service: &Service, data: &Value) -> (i64, i64) {
    let (charged, refunded) = (data["credits_charged"].as_i64().unwrap(), data["credits_refunded"].as_i64().unwrap());
    (if service.variant.habits().has(Habit::ChargedNet) { charged + refunded } else { charged }, refunded)
}

// States and transitions

#[test]
fn unlock_reveals_the_full_email_and_phone_and_costs_one_credit_per_newly_unlocked_contact() {
    for service in Service::all() {
        for (corpus, kind) in [("us", CorpusKind::Us), ("linkedin", CorpusKind::Linkedin)] {
            let ids = service.contacts(kind, CheckOutcome::Valid, 3);
            let before = service.credits();
            let answer = service.unlock(&json!({"corpus": corpus, "ids": ids}));
            assert_eq!(answer.status, 200);
            for (contact, id) in answer.body["data"]["unlocked"].as_array().unwrap().iter().zip(&ids) {
                let person = service.sandbox.service().person(kind, *id).unwrap();
                assert_eq!(contact["id"], *id);
                assert_eq!(contact["email"], person.email.as_ref());
                assert_eq!(contact["phone"], person.phone.as_ref());
                assert_eq!(contact["contact_name"], person.contact_name());
                assert_eq!(contact["company_name"], person.company_name.as_ref());
                assert_eq!(contact["title"], person.title.as_ref());
                assert_eq!((&contact["verification"], &contact["refunded"]), (&json!("valid"), &json!(false)));
            }
            assert_eq!(gross(&service, &answer.body["data"]), (3, 0));
            assert_eq!(answer.body["data"]["balance"], before - 3);
            assert_eq!(service.credits(), before - 3);
        }
        assert_eq!(charges(&service.lines(), "charge").len(), 6, "every charge is a line");
    }
}

#[test]
fn invalid_and_disposable_are_unlocked_and_refunded_in_the_same_request() {
    for service in Service::all() {
        let mut ids = service.contacts(CorpusKind::Us, CheckOutcome::Invalid, 2);
        ids.extend(service.contacts(CorpusKind::Us, CheckOutcome::Disposable, 1));
        let before = service.credits();
        let answer = service.unlock(&json!({"corpus": "us", "ids": ids}));
        let data = &answer.body["data"];
        for contact in data["unlocked"].as_array().unwrap() {
            assert_eq!(contact["refunded"], true);
            assert!(["invalid", "disposable"].contains(&contact["verification"].as_str().unwrap()));
            assert!(contact["email"].as_str().unwrap().contains('@'));
        }
        assert_eq!(gross(&service, data), (3, 3));
        assert_eq!(service.credits(), before);
        let lines = service.lines();
        assert_eq!(charges(&lines, "charge"), ids);
        assert_eq!(charges(&lines, "refund"), ids);
        let again = service.unlock(&json!({"corpus": "us", "ids": ids}));
        assert_eq!(again.body["data"]["already_unlocked"].as_array().unwrap().len(), 3, "refunded ones are owned");
    }
}

#[test]
fn unknown_is_kept_without_refund() {
    for service in Service::all() {
        let ids = service.contacts(CorpusKind::Us, CheckOutcome::Unknown, 2);
        let data = service.unlock(&json!({"corpus": "us", "ids": ids})).body["data"].clone();
        assert_eq!(gross(&service, &data), (2, 0));
        for contact in data["unlocked"].as_array().unwrap() {
            assert_eq!((&contact["verification"], &contact["refunded"]), (&json!("unknown"), &json!(false)));
        }
        assert!(charges(&service.lines(), "refund").is_empty());
    }
}

#[test]
fn email_is_verified_unless_verify_is_false() {
    for service in Service::all() {
        let mut ids = service.contacts(CorpusKind::Us, CheckOutcome::Invalid, 2);
        ids.extend(service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1));
        let data = service.unlock(&json!({"corpus": "us", "ids": ids, "verify": false})).body["data"].clone();
        assert_eq!(gross(&service, &data), (3, 0), "no check, no refund");
        for contact in data["unlocked"].as_array().unwrap() {
            assert_eq!(contact["refunded"], false);
            assert!(contact["verification"].is_null() || contact["verification"] == "unknown");
        }
        let other = service.contacts(CorpusKind::Linkedin, CheckOutcome::Disposable, 1);
        let data = service.unlock(&json!({"corpus": "linkedin", "ids": other, "verify": true})).body["data"].clone();
        assert_eq!(gross(&service, &data), (1, 1));
    }
}

#[test]
fn when_the_balance_runs_out_mid_batch_the_remaining_contacts_stay_masked() {
    for variant in Variant::ALL {
        let service = Service::with(ServiceSetup { credits: 3, ..setup(variant) });
        let ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 8);
        let answer = service.unlock(&json!({"corpus": "us", "ids": ids}));
        assert_eq!(answer.status, 200);
        let data = &answer.body["data"];
        assert_eq!(data["stopped_for_credits"], true);
        assert_eq!((data["unlocked"].as_array().unwrap().len(), &data["balance"]), (3, &json!(0)));
        assert_eq!(charges(&service.lines(), "charge"), ids[..3]);
        let rows = service.workspace("/search?corpus=us&limit=20");
        for row in rows.rows() {
            let owned = ids[..3].contains(&row["id"].as_u64().unwrap());
            assert_eq!(row["unlocked"], owned);
        }
    }
}

#[test]
fn an_unlocked_contact_is_listed_in_already_unlocked_without_charge() {
    for service in Service::all() {
        let ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 4);
        service.unlock(&json!({"corpus": "us", "ids": ids[..2]}));
        let before = service.credits();
        let data = service.unlock(&json!({"corpus": "us", "ids": ids})).body["data"].clone();
        assert_eq!(ids_of(&data["already_unlocked"]), [ids[0] as i64, ids[1] as i64]);
        assert_eq!(ids_of(&data["unlocked"]), [ids[2] as i64, ids[3] as i64]);
        assert_eq!((gross(&service, &data).0, service.credits()), (2, before - 2));
        let data = service.unlock(&json!({"corpus": "us", "ids": ids})).body["data"].clone();
        assert_eq!(data["already_unlocked"].as_array().unwrap().len(), 4);
        assert_eq!((&data["credits_charged"], &data["stopped_for_credits"]), (&json!(0), &json!(false)));
        assert_eq!(service.credits(), before - 2);
    }
}

#[test]
fn the_lock_state_is_per_workspace_and_contact() {
    for service in Service::all() {
        let engine = service.sandbox.service();
        let other = engine.make_key(&engine.found_org("Other Inc", 9, 0), "other", &["search", "unlock"]);
        let ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1);
        service.unlock(&json!({"corpus": "us", "ids": ids}));
        let data = service.unlock_as(&other, &json!({"corpus": "us", "ids": ids})).body["data"].clone();
        assert_eq!((ids_of(&data["unlocked"]).len(), &data["balance"]), (1, &json!(8)));
        // The same number in the other corpus is another contact.
        let data = service.unlock(&json!({"corpus": "linkedin", "ids": ids})).body["data"].clone();
        assert_eq!(ids_of(&data["already_unlocked"]).len(), 0);
    }
}

// Request

#[test]
fn content_type_is_application_json() {
    for service in Service::all() {
        let body = json!({"corpus": "us", "ids": service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1)}).to_string();
        let url = format!("{}/unlock", service.sandbox.workspace_url);
        let request =
            || service.request(Method::POST, &url).bearer_auth(&service.sandbox.workspace_key).body(body.clone());
        let lines = service.lines();
        service.send(request()).unwrap().is_refused();
        service.send(request().header("content-type", "text/plain")).unwrap().is_refused();
        assert_eq!(service.lines(), lines);
        let answer = service.send(request().header("content-type", "Application/JSON; charset=utf-8")).unwrap();
        assert_eq!(answer.status, 200);
    }
}

#[test]
fn corpus_and_ids_are_required_and_verify_is_optional() {
    for service in Service::all() {
        let invalid = service.variant.habits().invalid;
        let lines = service.lines();
        for body in [json!({"ids": [1]}), json!({"corpus": "us"}), json!({}), json!({"corpus": "moon", "ids": [1]})] {
            let answer = service.unlock(&body);
            assert_eq!(answer.status, invalid, "{body}");
            answer.is_refused();
        }
        assert_eq!(service.lines(), lines);
    }
}

#[test]
fn one_to_one_hundred_ids_per_call() {
    for service in Service::all() {
        let lines = service.lines();
        service.unlock(&json!({"corpus": "us", "ids": []})).is_refused();
        service.unlock(&json!({"corpus": "us", "ids": (1..=101).collect::<Vec<_>>()})).is_refused();
        assert_eq!(service.lines(), lines);
        assert_eq!(service.unlock(&json!({"corpus": "us", "ids": (1..=100).collect::<Vec<_>>()})).status, 200);
    }
}

// Response

#[test]
fn the_answer_carries_all_its_fields() {
    for service in Service::all() {
        let data = service.unlock(&json!({"corpus": "us", "ids": [1, 2, 999_999]})).body["data"].clone();
        for field in ["unlocked", "already_unlocked", "missing"] {
            assert!(data[field].is_array(), "{field}");
        }
        for field in ["credits_charged", "credits_refunded", "balance"] {
            assert!(data[field].is_i64(), "{field}");
        }
        assert!(data["stopped_for_credits"].is_boolean());
    }
}

#[test]
fn ids_not_processed_as_found_are_missing() {
    for service in Service::all() {
        let ids = json!([30_001, -1, 0, 9_007_199_254_740_993u64, u64::MAX]);
        let lines = service.lines();
        let data = service.unlock(&json!({"corpus": "us", "ids": ids})).body["data"].clone();
        assert_eq!(data["missing"].as_array().unwrap().len(), 5);
        assert_eq!((&data["unlocked"], &data["credits_charged"]), (&json!([]), &json!(0)));
        assert_eq!(service.lines(), lines);
    }
}

#[test]
fn a_contact_is_never_charged_twice_for_an_id_that_repeats_in_a_call() {
    for service in Service::all() {
        let id = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1)[0];
        service.unlock(&json!({"corpus": "us", "ids": [id, id, id]}));
        service.unlock(&json!({"corpus": "us", "ids": [id]}));
        assert_eq!(charges(&service.lines(), "charge"), [id]);
    }
}

// Retry rules

#[test]
fn retrying_with_the_same_ids_costs_at_most_the_contacts_that_did_not_go_through() {
    for fault in
        ["unlock-lost=next", "unlock-part=next", "reset@unlock=next", "reset-mid@unlock=next", "502@unlock=next"]
    {
        for service in Service::all() {
            let ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 10);
            service.sandbox.service().state().faults.rules.push(fault.parse().unwrap());
            let url = format!("{}/unlock", service.sandbox.workspace_url);
            let body = json!({"corpus": "us", "ids": ids});
            let first = service.request(Method::POST, &url).bearer_auth(&service.sandbox.workspace_key);
            let first = service.send(first.header("content-type", "application/json").body(body.to_string()));
            assert!(first.is_err() || fault.starts_with("502"), "{fault} breaks the line");
            let went_through = charges(&service.lines(), "charge");
            let again = service.unlock(&body);
            assert_eq!(gross(&service, &again.body["data"]).0, 10 - went_through.len() as i64, "{fault}");
            assert_eq!(ids_of(&again.body["data"]["already_unlocked"]).len(), went_through.len());
            let mut charged = charges(&service.lines(), "charge");
            charged.sort_unstable();
            assert_eq!(charged, ids, "{fault}: each once");
            assert_eq!(service.credits(), 1_204 - 10);
        }
    }
}

// Books

#[test]
fn the_books_balance_and_name_the_call_that_moved_each_credit() {
    for service in Service::all() {
        let mut ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 3);
        ids.extend(service.contacts(CorpusKind::Us, CheckOutcome::Invalid, 2));
        service.unlock(&json!({"corpus": "us", "ids": ids}));
        let lines = service.lines();
        let moved = |to: &str| -> i64 {
            let sum = |side: &str| -> i64 {
                lines.iter().filter(|line| line[side] == to).map(|line| line["amount"].as_i64().unwrap()).sum()
            };
            sum("to") - sum("from")
        };
        let credits = format!("credits:{}", service.sandbox.service().org());
        assert_eq!(moved(&credits), service.credits());
        assert_eq!(moved(&credits) + moved("sales") + moved("issued"), 0);
        let log = service.keeper(Method::GET, "/log", &Value::Null);
        let call = log["received"].as_array().unwrap().iter().find(|entry| entry["path"] == "/api/v1/unlock").unwrap();
        assert!(lines.iter().filter(|line| !line["contact"].is_null()).all(|line| line["call"] == call["n"]));
    }
}
