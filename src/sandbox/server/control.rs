//! The control address: JSON over HTTP on a port of its own, every path behind a token that no API key gives.
//!
//! Beside it is another origin: where the fault `redirect` leads. It answers like a service and records everything it
//! is sent, so that a test can look for a key that should never have traveled.

use std::sync::Arc;

use axum::{Router, extract::Request as HttpRequest, http::StatusCode, response::IntoResponse};
use serde::Deserialize;
use serde_json::{Value, json};

use super::serve::{self, Clock};
use crate::corpus::CorpusKind;
use crate::faults::FaultRule;
use crate::rate::{RateLimit, busiest};
use crate::service::{DEFAULT_USER, Service, ServiceRequest};

/// First segment of the paths of the other origin.
pub(super) const ELSEWHERE: &str = "elsewhere";

/// What the other origin was sent: method, target, headers and body as text.
fn text_of(request: &ServiceRequest) -> String {
    let ServiceRequest { method, path, query, headers, body } = request;
    let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    format!("{method} {path}?{query}\n{}\n\n{}", headers.join("\n"), String::from_utf8_lossy(body))
}

pub(super) fn router(service: Arc<Service>, clock: Clock, token: String) -> Router {
    Router::new().fallback(move |request: HttpRequest| {
        let (service, token) = (service.clone(), token.clone());
        async move {
            let request = serve::read(request).await;
            let path = request.path.trim_start_matches('/').to_owned();
            let (first, rest) = path.split_once('/').unwrap_or((&path, ""));
            if first == ELSEWHERE {
                service.state().heard_elsewhere.push(text_of(&request));
                let empty = json!({"ok": true, "data": {"rows": [], "total": 0, "limit": 25, "offset": 0}});
                return answer(StatusCode::OK, &empty);
            }
            if first != token {
                return answer(StatusCode::NOT_FOUND, &json!({"error": "nothing here"}));
            }
            let now_ms = clock.now_ms();
            let result = match request.method.as_str() {
                "GET" => read(&service, rest, now_ms),
                "POST" => call(&request.body, rest).and_then(|call| perform(&service, call, now_ms)),
                method => Err(format!("no {method} of {rest:?} here")),
            };
            match result {
                Ok(value) => answer(StatusCode::OK, &value),
                Err(words) => answer(StatusCode::BAD_REQUEST, &json!({"error": words})),
            }
        }
    })
}

fn answer(status: StatusCode, value: &Value) -> impl IntoResponse + use<> {
    (status, [("content-type", "application/json")], value.to_string())
}

fn read(service: &Service, what: &str, now_ms: u64) -> Result<Value, String> {
    Ok(match what {
        "books" => service.read(now_ms, |records| {
            json!({
                "orgs": records.orgs.values().collect::<Vec<_>>(),
                "keys": records.keys,
                "users": records.users,
                "suppressed": records.suppressed,
                "lines": records.lines(),
            })
        }),
        "log" => json!({"received": service.log()}),
        "elsewhere" => json!({"heard": service.state().heard_elsewhere}),
        "state" => {
            let state = service.state();
            json!({
                "variant": state.variant.name(),
                "faults": state.faults.rules.iter().map(FaultRule::to_string).collect::<Vec<_>>(),
                "unlocks_to_come": state.late.len(),
            })
        }
        _ => return Err(format!("no GET of {what:?} here")),
    })
}

/// What is posted: the name is the path, the fields are the body. A call without `org` means the workspace that exists from the start.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ControlCall {
    Busiest { key: String, window_ms: Option<u64> },
    UseRate { key: String, requests: Option<u32> },
    Orgs { name: String, credits: i64 },
    Keys { org: Option<String>, name: String, scopes: Vec<String> },
    Users { name: String },
    Member { org: Option<String>, spend: Option<i64>, corpus: Option<CorpusKind>, ids: Option<Vec<u64>> },
    Person { corpus: CorpusKind, id: u64 },
    Saved { user: Option<String>, payload: Option<Value> },
    Faults { rules: Vec<String>, add: Option<bool> },
    Variant { variant: String },
    MaxPage { rows: Option<u64> },
    Rate { requests: u32, window_ms: Option<u64> },
    Revoke { name: String },
    Credits { org: Option<String>, credits: i64 },
    Suppress { corpus: CorpusKind, ids: Vec<u64> },
    Release { corpus: CorpusKind, ids: Vec<u64> },
    Reset {},
}

const MINUTE_MS: u64 = 60_000;

fn call(body: &[u8], name: &str) -> Result<ControlCall, String> {
    let body = if body.is_empty() { b"{}" } else { body };
    let fields: Value = serde_json::from_slice(body).map_err(|error| format!("the body is not JSON: {error}"))?;
    serde_json::from_value(json!({name: fields})).map_err(|error| format!("{name}: {error}"))
}

fn perform(service: &Service, call: ControlCall, now_ms: u64) -> Result<Value, String> {
    let org = |named: Option<String>| match named {
        None => Ok(service.org()),
        Some(org) if service.read(0, |records| records.org(&org).is_some()) => Ok(org),
        Some(org) => Err(format!("unknown workspace {org:?}")),
    };
    match call {
        ControlCall::Busiest { key, window_ms } => {
            let receipts = service.state().log.receipts(&key);
            return Ok(json!({"requests": busiest(&receipts, window_ms.unwrap_or(MINUTE_MS))}));
        }
        ControlCall::UseRate { key, requests } => {
            return Ok(json!({"fitted": service.use_allowance(&key, requests.unwrap_or(1), now_ms)}));
        }
        ControlCall::Orgs { name, credits } => return Ok(json!({"org": service.found_org(&name, credits, now_ms)})),
        ControlCall::Keys { org: named, name, scopes } => {
            let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
            return Ok(json!({"key": service.make_key(&org(named)?, &name, &scopes)}));
        }
        ControlCall::Users { name } => return Ok(json!({"key": service.make_user(&name)})),
        ControlCall::Member { org: named, spend, corpus, ids } => {
            let org = org(named)?;
            let spent = service.state().member_spends(&org, spend.unwrap_or(0), now_ms);
            let unlocked = match ids {
                Some(ids) => service.member_unlocks(&org, corpus.ok_or("corpus is missing")?, &ids, now_ms),
                None => Vec::new(),
            };
            return Ok(json!({"spent": spent, "unlocked": unlocked}));
        }
        ControlCall::Person { corpus, id } => {
            let person = service.person(corpus, id).ok_or("unknown person")?;
            return Ok(json!({"email": person.email, "phone": person.phone, "contact_name": person.contact_name()}));
        }
        ControlCall::Saved { user, payload } => {
            let user = user.as_deref().unwrap_or(DEFAULT_USER);
            return Ok(json!({"id": service.save_for(user, payload.unwrap_or_default())}));
        }
        // The calls below have no answer.
        ControlCall::Faults { rules, add } => {
            let rules = rules.iter().map(|rule| rule.parse()).collect::<Result<Vec<FaultRule>, _>>()?;
            let mut state = service.state();
            if add != Some(true) {
                state.faults.rules.clear();
            }
            state.faults.rules.extend(rules);
        }
        ControlCall::Variant { variant } => service.state().variant = variant.parse()?,
        ControlCall::MaxPage { rows } => service.state().max_page = rows,
        ControlCall::Rate { requests, window_ms } => {
            service.state().allowance = RateLimit { requests, window_ms: window_ms.unwrap_or(MINUTE_MS) };
        }
        ControlCall::Revoke { name } => service.revoke(&name),
        ControlCall::Credits { credits, .. } if credits < 0 => return Err("credits must not be negative".into()),
        ControlCall::Credits { org: named, credits } => service.set_credits(&org(named)?, credits, now_ms),
        ControlCall::Suppress { corpus, ids } => service.suppress(corpus, &ids),
        ControlCall::Release { corpus, ids } => service.release(corpus, &ids),
        ControlCall::Reset {} => service.reset(),
    }
    Ok(json!({}))
}
