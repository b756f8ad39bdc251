//! The Workspace API: `me`, `search` and `unlock` in the envelope `ok` / `data` / `error`.
//!
//! The answer of an unlock is read apart from the others ([`unlock::read_unlock`]): it is stored as it came before
//! anybody interprets it.

pub mod unlock;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::effect::{Failure, Refusal, SearchCall, UnlockCall};
use lode_core::{Account, Credits, Page, Source};

use super::json::{self as loose, JsonField};
use super::refusal;
use super::rows;
use super::{Head, Method, Request, unreadable};

pub use unlock::{UnlockAnswer, Unread, read_unlock};

pub fn me_request() -> Request {
    Request { source: Source::Workspace, method: Method::Get, path: "/me", query: Vec::new(), body: None }
}

pub fn search_request(call: &SearchCall) -> Request {
    let mut query = vec![("corpus".to_owned(), call.query.side.corpus.name().to_owned())];
    query.extend(call.query.params().into_iter().map(|(name, value)| (name.to_owned(), value)));
    query.push(("limit".to_owned(), call.limit.to_string()));
    query.push(("offset".to_owned(), call.offset.to_string()));
    Request { source: Source::Workspace, method: Method::Get, path: "/search", query, body: None }
}

pub fn unlock_request(call: &UnlockCall) -> Request {
    let ids: Vec<i64> = call.ids.iter().map(|id| id.0).collect();
    let mut body = json!({ "corpus": call.corpus.name(), "ids": ids });
    // Verification runs by default: only its absence is said.
    if !call.verify {
        body["verify"] = Value::Bool(false);
    }
    let body = Some(body.to_string().into_bytes());
    Request { source: Source::Workspace, method: Method::Post, path: "/unlock", query: Vec::new(), body }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    ok: JsonField<'a>,
    #[serde(borrow, default)]
    data: JsonField<'a>,
}

/// The text of `data`; the body itself where there is no envelope around it.
fn open<T>(text: &str, read: impl FnOnce(&str) -> Result<T, serde_json::Error>) -> Result<T, serde_json::Error> {
    use serde::de::Error;
    if !loose::is_object(text) {
        return Err(serde_json::Error::custom("not an object"));
    }
    let envelope: Envelope<'_> = serde_json::from_str(text)?;
    if loose::truth(&loose::field(envelope.ok)) == Some(false) {
        return Err(serde_json::Error::custom("ok is false"));
    }
    let data = envelope.data.map_or(text, |data| data.get());
    if !loose::is_object(data) {
        return Err(serde_json::Error::custom("data is not an object"));
    }
    read(data)
}

fn failed(head: &Head, body: &[u8], error: &serde_json::Error) -> Failure {
    refusal::anyway(Source::Workspace, head, body).unwrap_or_else(|| unreadable(head, body, &loose::sentence(error)))
}

#[derive(Deserialize)]
struct SearchData<'a> {
    #[serde(borrow, default)]
    total: JsonField<'a>,
    #[serde(borrow, default)]
    limit: JsonField<'a>,
    #[serde(borrow, default)]
    offset: JsonField<'a>,
    #[serde(borrow, default)]
    took_ms: JsonField<'a>,
    #[serde(borrow, default)]
    rows: JsonField<'a>,
}

pub fn read_search(call: &SearchCall, head: &Head, body: &[u8]) -> Result<Page, Failure> {
    loose::lenient(body, |text| open(text, |data| read_page(call, data))).map_err(|error| failed(head, body, &error))
}

fn read_page(call: &SearchCall, data: &str) -> Result<Page, serde_json::Error> {
    use serde::de::Error;
    let data: SearchData<'_> = serde_json::from_str(data)?;
    let array = data.rows.ok_or_else(|| serde_json::Error::custom("it has no rows"))?;
    let rows = rows::read(Source::Workspace, array.get())?;
    super::rows::page(
        call,
        &loose::field(data.total),
        &loose::field(data.limit),
        &loose::field(data.offset),
        &loose::field(data.took_ms),
        rows,
    )
}

/// `/me` takes no parameters and needs no scope: a refusal in the documented envelope can only be about the key, whatever its
/// number, unless it says that the address is wrong. A 429 is about the rate.
pub fn of_me(failure: Failure, body: &[u8]) -> Failure {
    let in_envelope = || {
        let body = loose::value(body).ok()?;
        Some(loose::truth(body.get("ok")?) == Some(false) && body.get("error")?.is_string())
    };
    match failure {
        Failure::Refused { why: why @ (Refusal::Redirect | Refusal::Credits), status, words } => {
            Failure::Refused { why, status, words }
        }
        Failure::Refused { status, words, .. } if in_envelope() == Some(true) => {
            let why = if refusal::is_about_address(status, &words) { Refusal::Address } else { Refusal::Key };
            Failure::Refused { status, why, words }
        }
        other => other,
    }
}

pub fn read_me(head: &Head, body: &[u8]) -> Result<Account, Failure> {
    let read = loose::lenient(body, |text| open(text, loose::loosely));
    let data = read.map_err(|error| failed(head, body, &error))?;
    let text = |pointer: &str| data.pointer(pointer).and_then(loose::words).unwrap_or_default();
    let org_id = text("/org/id");
    if org_id.is_empty() {
        // Without it the owner of the credits is unknown, and no record of money could be kept.
        return Err(unreadable(head, body, "it does not name the workspace"));
    }
    Ok(Account {
        org_id,
        org_name: text("/org/name"),
        plan: text("/org/plan"),
        key_name: text("/key/name"),
        key_prefix: text("/key/prefix"),
        scopes: scopes(data.pointer("/key/scopes").unwrap_or(&Value::Null)),
        credits: data.get("credits").and_then(loose::credits).map(Credits),
    })
}

fn scopes(value: &Value) -> Vec<String> {
    match value {
        Value::Array(all) => all.iter().filter_map(loose::words).filter(|scope| !scope.is_empty()).collect(),
        Value::String(all) => {
            let words = lode_core::scrub::scrub(all);
            words.split([',', ' ']).filter(|scope| !scope.is_empty()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
