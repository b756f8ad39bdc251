//! What each fault looks like from outside.

use crate::asking::{Askable, Asking, Small};
use std::time::{Duration, Instant};

use lode_sandbox::corpus::{CheckOutcome, CorpusKind};
use lode_sandbox::service::{Service as Brain, ServiceRequest, ServiceSetup};
use lode_sandbox::variants::Variant;
use reqwest::Method;
use serde_json::{Value, json};

use crate::service::Service;

fn with(rule: &str) -> Service {
    let service = Service::of(Variant::A);
    service.sandbox.service().state().faults.rules.push(rule.parse().unwrap());
    service
}

fn get(service: &Service, target: &str) -> Result<crate::service::Answer, reqwest::Error> {
    let url = format!("{}{target}", service.sandbox.workspace_url);
    service.send(service.request(Method::GET, &url).bearer_auth(&service.sandbox.workspace_key))
}

#[test]
fn latency_holds_the_answer_back() {
    let service = with("latency=120+30");
    let asked = Instant::now();
    assert_eq!(service.workspace("/me").status, 200);
    assert!(asked.elapsed() >= Duration::from_millis(120));
}

#[test]
fn a_429_says_when_in_seconds_as_a_date_or_not_at_all() {
    let after = |rule: &str| {
        let answer = with(rule).workspace("/me");
        assert_eq!(answer.status, 429);
        answer.is_refused();
        answer.headers.get("retry-after").map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(after("429").as_deref(), Some("2"));
    assert_eq!(after("429=1:1000000000").as_deref(), Some("1000000000"));
    assert_eq!(after("429=1:0").as_deref(), Some("0"));
    assert_eq!(after("429-bare"), None);
    let date = after("429-date=1:30").unwrap();
    let at = httpdate::parse_http_date(&date).unwrap();
    let wait = at.duration_since(std::time::SystemTime::now()).unwrap();
    assert!(wait <= Duration::from_secs(30) && wait > Duration::from_secs(20), "{date}");
}

#[test]
fn errors_of_a_gateway_have_a_page_of_html() {
    for (rule, status) in [("500", 500), ("502", 502), ("503", 503), ("html", 200)] {
        let answer = with(rule).workspace("/me");
        assert_eq!(answer.status, status);
        assert!(answer.headers["content-type"].to_str().unwrap().starts_with("text/html"));
        assert!(answer.bytes.starts_with(b"<html>"));
    }
}

#[test]
fn a_reset_comes_before_any_byte_and_before_any_effect() {
    let service = with("reset=next3");
    let error = get(&service, "/me").err().unwrap();
    assert!(error.is_request(), "{error:?}");
    let ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 1);
    let url = format!("{}/unlock", service.sandbox.workspace_url);
    let unlock = service.request(Method::POST, &url).bearer_auth(&service.sandbox.workspace_key);
    let body = json!({"corpus": "us", "ids": ids}).to_string();
    assert!(service.send(unlock.header("content-type", "application/json").body(body)).is_err());
    assert_eq!(service.lines().len(), 1, "the grant alone");
}

#[test]
fn a_reset_in_the_middle_delivers_the_first_half() {
    let service = with("reset-mid=next");
    let url = format!("{}/search?corpus=us", service.sandbox.workspace_url);
    let request = service.request(Method::GET, &url).bearer_auth(&service.sandbox.workspace_key);
    let error = service.send(request).err().unwrap();
    assert!(error.is_body() || error.is_decode(), "{error:?}");
}

#[test]
fn a_truncated_body_is_properly_framed_and_no_json() {
    let answer = with("truncated").workspace("/search?corpus=us");
    assert_eq!((answer.status.as_u16(), &answer.body), (200, &Value::Null));
    assert!(answer.bytes.starts_with(b"{\"ok\":true"));
}

#[test]
fn an_unlock_may_be_applied_in_part_and_its_answer_lost() {
    let service = with("unlock-part=next");
    let ids = service.contacts(CorpusKind::Us, CheckOutcome::Valid, 20);
    let url = format!("{}/unlock", service.sandbox.workspace_url);
    let unlock = service.request(Method::POST, &url).bearer_auth(&service.sandbox.workspace_key);
    let body = json!({"corpus": "us", "ids": ids}).to_string();
    assert!(service.send(unlock.header("content-type", "application/json").body(body)).is_err());
    let charged = service.lines().len() - 1;
    assert!((1..20).contains(&charged), "{charged}");
}

#[test]
fn an_unlock_may_take_effect_after_its_line_broke() {
    let engine =
        Brain::new(ServiceSetup { faults: vec!["unlock-late=next:5000".parse().unwrap()], ..ServiceSetup::small() });
    let (key, org) = (engine.workspace_key(), engine.org());
    let unlock = ServiceRequest::post("/api/v1/unlock", &json!({"corpus": "us", "ids": [1, 2]})).bearer(&key);
    let answer = engine.answer(&unlock, 1_000);
    assert_eq!(answer.line, lode_sandbox::service::Delivery::Lost);
    assert_eq!(engine.owned(&org, CorpusKind::Us, 5_999), Vec::<u64>::new());
    assert_eq!(engine.state().late.len(), 1);
    assert_eq!(engine.owned(&org, CorpusKind::Us, 6_000), [1, 2]);
    let lines = engine.read(9_000, |books| books.lines().to_vec());
    assert!(lines.iter().filter(|line| line.contact.is_some()).all(|line| line.at_ms == 6_000));
}

#[test]
fn other_members_spend_and_unlock_what_was_just_shown() {
    let service = with("members");
    let shown = service.workspace("/search?corpus=us").ids();
    let before = service.lines().len();
    (0..5).for_each(|_| drop(service.workspace("/search?corpus=us")));
    let lines = service.lines();
    assert!(lines.iter().skip(before).any(|line| line["what"] == "spend"));
    let bought: Vec<u64> = lines.iter().filter_map(|line| line["contact"].as_u64()).collect();
    assert!(!bought.is_empty() && bought.iter().all(|id| shown.contains(id)));
}

#[test]
fn rows_are_suppressed_between_pages() {
    let service = with("suppress");
    let first = service.workspace("/search?corpus=us");
    let totals: Vec<u64> = (0..4).map(|_| service.workspace("/search?corpus=us").total()).collect();
    assert!(totals.iter().all(|total| *total < first.total()), "{totals:?}");
}

#[test]
fn hostile_rows_are_still_json() {
    let service = with("hostile");
    let answer = service.workspace("/search?corpus=us&limit=100");
    let text = String::from_utf8(answer.bytes).unwrap();
    assert!(text.contains("\\u001b") && text.contains("\\ud800"));
    let rows = service.data("/api/search?state=CA&limit=100");
    assert_eq!(rows.status, 200);
}

#[test]
fn ids_may_come_as_strings_and_rows_in_another_order() {
    let plain = Service::of(Variant::A).workspace("/search?corpus=us&limit=5").ids();
    let strings = with("string-ids").workspace("/search?corpus=us&limit=5");
    assert!(strings.rows().iter().all(|row| row["id"].is_string()));
    let mut turned = with("reorder").workspace("/search?corpus=us&limit=5").ids();
    turned.reverse();
    assert_eq!(turned, plain);
}

#[test]
fn a_huge_body_is_as_long_as_asked() {
    let answer = with("huge@me=1:3000000").workspace("/me");
    assert_eq!((answer.bytes.len(), &answer.body), (3_000_000, &Value::Null));
}

#[test]
fn an_endless_body_goes_on_until_it_is_no_longer_read() {
    use std::io::{Read, Write};
    let service = with("endless");
    let mut stream = std::net::TcpStream::connect(service.sandbox.data_url.strip_prefix("http://").unwrap()).unwrap();
    stream.write_all(b"GET /api/v1/me HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    let mut read = vec![0; 5_000_000];
    stream.read_exact(&mut read).unwrap();
    assert!(read.ends_with(b"aaaa") || read[4_900_000..].iter().filter(|byte| **byte == b'a').count() > 90_000);
}

#[test]
fn a_gzip_bomb_unpacks_to_what_was_asked() {
    let service = with("gzip-bomb=1:20000000");
    let url = format!("{}/me", service.sandbox.workspace_url);
    let unpacked = service.unpacked(service.request(Method::GET, &url));
    assert!(unpacked > 19_000_000, "{unpacked}");
}

#[test]
fn a_drip_takes_its_time() {
    let service = with("drip@me=1:400");
    let asked = Instant::now();
    let answer = service.workspace("/me");
    let least = Duration::from_millis(answer.bytes.len() as u64 * 1_000 / 400 - 200);
    assert!(asked.elapsed() >= least, "{:?}", asked.elapsed());
}

#[test]
fn a_redirect_leads_to_another_origin_that_writes_down_what_it_hears() {
    let service = with("redirect");
    let answer = service.workspace("/me");
    assert_eq!(answer.status, 307);
    let location = answer.headers["location"].to_str().unwrap();
    assert!(!location.starts_with(&service.sandbox.data_url) && location.starts_with("http://127.0.0.1:"));
    let followed = service.request(Method::GET, location).header("x-api-key", "marked");
    assert_eq!(service.send(followed).unwrap().status, 200);
    let heard = service.sandbox.service().state().heard_elsewhere.clone();
    assert!(heard.len() == 1 && heard[0].contains("x-api-key: marked"), "{heard:?}");
}

#[test]
fn a_redirect_within_the_origin_arrives() {
    let service = with("redirect-here");
    let answer = service.workspace("/search?corpus=us&limit=3");
    assert_eq!(answer.status, 307);
    let location = answer.headers["location"].to_str().unwrap();
    let url = format!("{}{location}", service.sandbox.data_url);
    let followed = service.request(Method::GET, &url).bearer_auth(&service.sandbox.workspace_key);
    assert_eq!(service.send(followed).unwrap().rows().len(), 3);
}

#[test]
fn an_error_text_may_repeat_the_headers_of_the_request() {
    let service = with("echo");
    let answer = service.workspace("/me");
    assert!(answer.is_refused().contains(&service.sandbox.workspace_key));
    let answer = service.data("/api/counts?corpus=us");
    assert!(answer.body["message"].as_str().unwrap().contains(&service.sandbox.data_key));
}

#[test]
fn a_200_may_be_empty_or_no_text() {
    assert!(with("empty").workspace("/me").bytes.is_empty());
    assert!(String::from_utf8(with("binary").workspace("/me").bytes).is_err());
}

#[test]
fn an_export_can_be_cut_in_the_middle() {
    let service = with("reset-mid@export=next");
    let url = format!("{}/api/export?corpus=us&dedup=0", service.sandbox.data_url);
    let request = || service.request(Method::GET, &url).header("x-api-key", &service.sandbox.data_key);
    assert!(service.send(request()).is_err());
    assert!(service.send(request()).unwrap().bytes.len() > 200_000);
}

#[test]
fn a_fault_can_be_aimed_at_one_call_and_is_named_in_the_log() {
    let service = with("502@search");
    assert_eq!(service.workspace("/me").status, 200);
    assert_eq!(service.workspace("/search?corpus=us").status, 502);
    let log = service.sandbox.service().log();
    assert_eq!(log[0].fault, None);
    assert_eq!(log[1].fault.as_deref(), Some("Html(502)"));
}
