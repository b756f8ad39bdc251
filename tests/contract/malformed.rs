//! Requests that make no sense get a clear error in the words of their side and change nothing in the books.

use std::io::{Read, Write};
use std::net::TcpStream;

use reqwest::Method;
use serde_json::{Value, json};

use crate::service::Service;

#[test]
fn malformed_requests_to_the_workspace_get_a_clear_error_and_change_nothing() {
    for service in Service::all() {
        let before = service.books();
        for target in [
            "/search?corpus=moon",
            "/search?corpus=us&limit=-5",
            "/search?corpus=us&limit=0",
            "/search?corpus=us&limit=ten",
            "/search?corpus=us&limit=1e3",
            "/search?corpus=us&limit=99999999999999999999999",
            "/search?corpus=us&offset=-1",
            "/search?corpus=us&offset=1.5",
            "/search?corpus=us&title=%zz",
            "/search?corpus=us&title=%ff%fe",
            "/search?corpus=us&exclude_unlocked=maybe",
        ] {
            let answer = service.workspace(target);
            assert_eq!(answer.status, service.variant.habits().invalid, "{target}");
            answer.is_refused();
        }
        for body in [
            json!({"corpus": "us", "ids": []}),
            json!({"corpus": "us", "ids": (1..=101).collect::<Vec<_>>()}),
            json!({"corpus": "us", "ids": ["1", "2"]}),
            json!({"corpus": "us", "ids": [1.5]}),
            json!({"corpus": "us", "ids": [1, null]}),
            json!({"corpus": "us", "ids": {"1": 2}}),
            json!({"corpus": "us", "ids": 7}),
            json!({"corpus": 7, "ids": [1]}),
            json!({"corpus": "moon", "ids": [1]}),
            json!({"corpus": "us", "ids": [1], "verify": "yes"}),
            json!(["us", 1]),
            json!("unlock"),
            Value::Null,
        ] {
            service.unlock(&body).is_refused();
        }
        let url = format!("{}/unlock", service.sandbox.workspace_url);
        let post = |body: Vec<u8>| {
            let request = service.request(Method::POST, &url).bearer_auth(&service.sandbox.workspace_key);
            service.send(request.header("content-type", "application/json").body(body)).unwrap()
        };
        for body in [&b""[..], b"{", b"{\"corpus\":\"us\",\"ids\":[1", b"\xff\xfe", b"ids=1"] {
            post(body.to_vec()).is_refused();
        }
        assert_eq!(post(vec![b' '; 10 << 20]).status, 413);
        assert_eq!(post(vec![b'['; 100_000]).status, service.variant.habits().invalid, "nested beyond reason");
        for (method, path) in [
            (Method::GET, "/unlock"),
            (Method::PUT, "/unlock"),
            (Method::POST, "/search"),
            (Method::DELETE, "/me"),
            (Method::PATCH, "/me"),
            (Method::OPTIONS, "/search"),
        ] {
            let url = format!("{}{path}", service.sandbox.workspace_url);
            let answer =
                service.send(service.request(method, &url).bearer_auth(&service.sandbox.workspace_key)).unwrap();
            assert_eq!(answer.status, 405);
            answer.is_refused();
            assert!(answer.headers.contains_key("allow"));
        }
        assert_eq!(service.books(), before);
    }
}

#[test]
fn malformed_requests_to_the_data_api_get_a_clear_error_and_change_nothing() {
    for service in Service::all() {
        let before = service.books();
        for target in [
            "/api/search?state=TX&limit=-1",
            "/api/search?state=TX&limit=many",
            "/api/search?state=TX&offset=-1",
            "/api/search?state=TX&dedup=2",
            "/api/search?state=TX&mark_pulled=yes",
            "/api/search?state=%zz",
            "/api/counts?corpus=moon",
            "/api/export?corpus=moon&state=TX",
        ] {
            let answer = service.data(target);
            assert_eq!(answer.status, 400, "{target}");
            assert!(answer.body.is_object());
        }
        let url = format!("{}/api/saved", service.sandbox.data_url);
        for body in ["", "{", "[]", "7"] {
            let request = service.request(Method::POST, &url).header("x-api-key", &service.sandbox.data_key);
            assert_eq!(service.send(request.body(body)).unwrap().status, 400);
        }
        let request = service.request(Method::PUT, &url).header("x-api-key", &service.sandbox.data_key);
        assert_eq!(service.send(request).unwrap().status, 405);
        assert_eq!(service.books(), before);
    }
}

/// Sends raw bytes and reads until the server closes.
fn raw(service: &Service, request: &[u8]) -> (String, Value) {
    let address = service.sandbox.data_url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let text = String::from_utf8(answer).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), serde_json::from_str(body).unwrap_or_else(|_| panic!("{head}\n\n{body}")))
}

#[test]
fn a_query_of_a_megabyte_gets_a_clear_error_in_the_envelope() {
    for service in Service::all() {
        let before = service.books();
        let key = service.sandbox.workspace_key.clone();
        for length in [70_000, 1 << 20] {
            let long = "x".repeat(length);
            let request = format!(
                "GET /api/v1/search?corpus=us&title={long} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\n\r\n"
            );
            let (head, body) = raw(&service, request.as_bytes());
            assert!(head.starts_with("HTTP/1.1 414") || head.starts_with("HTTP/1.1 431"), "{head}");
            assert_eq!(body["ok"], false);
            assert!(body["error"].is_string());
            let request = format!("GET /api/search?query={long} HTTP/1.1\r\nhost: x\r\n\r\n");
            let (_, body) = raw(&service, request.as_bytes());
            assert!(body["message"].is_string());
        }
        assert_eq!(service.books(), before);
        assert_eq!(service.workspace("/me").status, 200);
    }
}

#[test]
fn what_is_not_http_gets_a_clear_error() {
    let service = Service::of(Default::default());
    let (head, body) = raw(&service, b"GET /api/v1/me HTTP/9.9\r\nbroken\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
    assert_eq!(body["ok"], false);
}
