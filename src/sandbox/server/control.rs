//! The control address: JSON over HTTP on a port of its own, every path behind a token that no API key gives.
//!
//! Beside it is another origin: where the fault `redirect` leads. It answers like a service and records everything it
//! is sent, so that a test can look for a key that should never have traveled.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request as HttpRequest;
use axum::response::Response;
use serde_json::{Value, json};

use super::serve::{self, Clock};
use crate::corpus::CorpusKind;
use crate::faults::FaultRule;
use crate::rate::{RateLimit, busiest};
use crate::records::Records;
use crate::service::request::ServiceRequest;
use crate::service::{DEFAULT_USER, Service};

/// First segment of the paths of the other origin.
pub(super) const ELSEWHERE: &str = "elsewhere";

/// What the other origin was sent: method, target, headers and body as text.
pub(super) type OtherOrigin = Arc<Mutex<Vec<String>>>;

fn text_of(request: &ServiceRequest) -> String {
    let ServiceRequest { method, path, query, headers, body } = request;
    let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    format!("{method} {path}?{query}\n{}\n\n{}", headers.join("\n"), String::from_utf8_lossy(body))
}

/// All that the other origin was sent so far.
pub(super) fn received(other_origin: &OtherOrigin) -> Vec<String> {
    other_origin.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
}

pub(super) fn router(service: Arc<Service>, clock: Clock, token: String, other_origin: OtherOrigin) -> Router {
    Router::new().fallback(move |request: HttpRequest| {
        let (service, token, other_origin) = (service.clone(), token.clone(), other_origin.clone());
        async move {
            let request = serve::read(request).await;
            let path = request.path.trim_start_matches('/').to_owned();
            let (first, rest) = path.split_once('/').unwrap_or((&path, ""));
            if first == ELSEWHERE {
                other_origin.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(text_of(&request));
                return said(200, &json!({"ok": true, "data": {"rows": [], "total": 0, "limit": 25, "offset": 0}}));
            }
            if first != token {
                return said(404, &json!({"error": "nothing here"}));
            }
            match control(&service, &other_origin, &request, rest, clock.now_ms()) {
                Ok(value) => said(200, &value),
                Err(words) => said(400, &json!({"error": words})),
            }
        }
    })
}

fn said(status: u16, value: &Value) -> Response {
    let mut response = Response::new(value.to_string().into());
    *response.status_mut() = axum::http::StatusCode::from_u16(status).unwrap_or_default();
    response.headers_mut().insert("content-type", axum::http::HeaderValue::from_static("application/json"));
    response
}

/// One control request.
fn control(
    service: &Service,
    other_origin: &OtherOrigin,
    request: &ServiceRequest,
    what: &str,
    now_ms: u64,
) -> Result<Value, String> {
    let body: Value = match &request.body[..] {
        [] => Value::Null,
        bytes => serde_json::from_slice(bytes).map_err(|error| format!("the body is not JSON: {error}"))?,
    };
    let asked = Arguments { service, body: &body };
    Ok(match (request.method.as_str(), what) {
        ("GET", "books") => service.read(now_ms, records),
        ("GET", "log") => json!({"received": service.log()}),
        ("GET", "elsewhere") => json!({"heard": received(other_origin)}),
        ("GET", "state") => json!({
            "variant": service.variant().name(),
            "faults": service.faults().iter().map(FaultRule::to_string).collect::<Vec<_>>(),
            "unlocks_to_come": service.put_off_count(),
        }),
        ("POST", "busiest") => {
            let window_ms = asked.number("window_ms").unwrap_or(60_000);
            json!({"requests": busiest(&service.receipts(asked.text("key")?), window_ms)})
        }
        ("POST", "use-rate") => {
            let requests = asked.number("requests").and_then(|requests| u32::try_from(requests).ok()).unwrap_or(1);
            json!({"fitted": service.use_allowance(asked.text("key")?, requests, now_ms)})
        }
        ("POST", "orgs") => {
            let credits = asked.integer("credits")?;
            json!({"org": service.found_org(asked.text("name")?, credits, now_ms)})
        }
        ("POST", "keys") => {
            let scopes = asked.texts("scopes")?;
            json!({"key": service.make_key(&asked.org()?, asked.text("name")?, &scopes)})
        }
        ("POST", "users") => json!({"key": service.make_user(asked.text("name")?)}),
        ("POST", "member") => {
            let org = asked.org()?;
            let spent = service.member_spends(&org, body["spend"].as_i64().unwrap_or(0), now_ms);
            let unlocked = match body.get("ids") {
                Some(_) => service.member_unlocks(&org, asked.corpus()?, &asked.ids()?, now_ms),
                None => Vec::new(),
            };
            json!({"spent": spent, "unlocked": unlocked})
        }
        ("POST", "person") => {
            let id = asked.number("id").ok_or("id is missing")?;
            let person = service.person(asked.corpus()?, id).ok_or("there is no such person")?;
            json!({"email": person.email, "phone": person.phone, "contact_name": person.contact_name()})
        }
        ("POST", "saved") => {
            let user = body["user"].as_str().unwrap_or(DEFAULT_USER);
            json!({"id": service.save_for(user, body["payload"].clone())})
        }
        (method, what) => {
            change(&asked, method, what, now_ms)?;
            json!({})
        }
    })
}

/// What changes the service and has nothing to tell.
fn change(asked: &Arguments<'_>, method: &str, what: &str, now_ms: u64) -> Result<(), String> {
    let service = asked.service;
    match (method, what) {
        ("POST", "faults") => {
            let rules = asked.texts("rules")?.iter().map(|rule| rule.parse()).collect::<Result<Vec<FaultRule>, _>>()?;
            if asked.body["add"] == true {
                rules.into_iter().for_each(|rule| service.add_fault(rule));
            } else {
                service.set_faults(rules);
            }
        }
        ("POST", "variant") => service.set_variant(asked.text("variant")?.parse()?),
        ("POST", "max-page") => service.set_max_page(asked.number("rows")),
        ("POST", "rate") => {
            let requests = asked.number("requests").ok_or("requests is missing")?;
            let requests = u32::try_from(requests).map_err(|_| "requests is too large")?;
            let window_ms = asked.number("window_ms").unwrap_or(60_000);
            service.set_allowance(RateLimit { requests, window_ms });
        }
        ("POST", "revoke") => service.revoke(asked.text("name")?),
        ("POST", "credits") => {
            let credits = asked.integer("credits")?;
            if credits < 0 {
                return Err("credits must not be negative".into());
            }
            service.set_credits(&asked.org()?, credits, now_ms);
        }
        ("POST", "suppress") => service.suppress(asked.corpus()?, &asked.ids()?),
        ("POST", "release") => service.release(asked.corpus()?, &asked.ids()?),
        ("POST", "reset") => service.reset(),
        (method, what) => return Err(format!("no {method} of {what:?} here")),
    }
    Ok(())
}

fn records(records: &Records) -> Value {
    json!({
        "orgs": records.orgs.values().collect::<Vec<_>>(),
        "keys": records.keys,
        "users": records.users,
        "suppressed": records.suppressed,
        "lines": records.lines(),
    })
}

/// The body of a control request, read by name.
struct Arguments<'a> {
    service: &'a Service,
    body: &'a Value,
}

impl<'a> Arguments<'a> {
    fn text(&self, name: &str) -> Result<&'a str, String> {
        self.body[name].as_str().ok_or_else(|| format!("{name} must be a text"))
    }

    fn texts(&self, name: &str) -> Result<Vec<&'a str>, String> {
        let list = self.body[name].as_array().ok_or_else(|| format!("{name} must be a list"))?;
        list.iter().map(|item| item.as_str().ok_or_else(|| format!("{name} must be a list of texts"))).collect()
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.body[name].as_u64()
    }

    fn integer(&self, name: &str) -> Result<i64, String> {
        self.body[name].as_i64().ok_or_else(|| format!("{name} must be a whole number"))
    }

    fn ids(&self) -> Result<Vec<u64>, String> {
        let list = self.body["ids"].as_array().ok_or("ids must be a list")?;
        list.iter().map(|id| id.as_u64().ok_or_else(|| "ids must be whole numbers".to_owned())).collect()
    }

    fn corpus(&self) -> Result<CorpusKind, String> {
        CorpusKind::named(self.text("corpus")?).ok_or_else(|| "corpus must be us or linkedin".to_owned())
    }

    /// The workspace that is named, else the one that exists from the start.
    fn org(&self) -> Result<String, String> {
        match &self.body["org"] {
            Value::Null => Ok(self.service.org()),
            Value::String(org) if self.service.read(0, |records| records.org(org).is_some()) => Ok(org.clone()),
            other => Err(format!("there is no workspace {other}")),
        }
    }
}
