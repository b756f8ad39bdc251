//! The Workspace API: `me`, `search` and `unlock` in the envelope `ok` / `data` / `error`.
//!
//! The answer of an unlock is read apart from the others ([`unlock::read_unlock`]): it is stored as it came before
//! anybody interprets it.

pub mod unlock;

use serde::de::Error;
use serde_json::Value;

use crate::effect::{Failure, Refusal, SearchCall};
use lode_core::{Account, Credits, Page, Source, scrub};

use super::{Head, failed, json as loose, refusal, rows, unreadable};

pub use unlock::{UnlockAnswer, read_unlock};

/// The text of `data`; the body itself where there is no envelope around it.
fn open<T>(text: &str, read: impl FnOnce(&str) -> Result<T, serde_json::Error>) -> Result<T, serde_json::Error> {
    let [ok, data] = loose::fields(text, ["ok", "data"])?;
    if loose::truth(&loose::field(ok)) == Some(false) {
        return Err(serde_json::Error::custom("ok is false"));
    }
    let data = data.map_or(text, |data| data.get());
    if !loose::is_object(data) {
        return Err(serde_json::Error::custom("data is not an object"));
    }
    read(data)
}

pub fn read_search(call: &SearchCall, head: &Head, body: &[u8]) -> Result<Page, Failure> {
    let read = loose::lenient(body, |text| open(text, |data| read_page(call, data)));
    read.map_err(|error| failed(Source::Workspace, head, body, &loose::sentence(&error)))
}

fn read_page(call: &SearchCall, data: &str) -> Result<Page, serde_json::Error> {
    let [total, limit, offset, took_ms, rows] = loose::fields(data, ["total", "limit", "offset", "took_ms", "rows"])?;
    let array = rows.ok_or_else(|| serde_json::Error::custom("it has no rows"))?;
    let rows = rows::read(Source::Workspace, array.get())?;
    rows::page(call, [total, limit, offset, took_ms].map(loose::field), rows)
}

/// `/me` takes no parameters and needs no scope: a refusal in the documented envelope can only be about the key, whatever its
/// number, unless it says that the address is wrong. A 429 is about the rate.
pub fn of_me(failure: Failure, body: &[u8]) -> Failure {
    let in_envelope = || {
        let body = loose::value(body).ok()?;
        Some(loose::truth(body.get("ok")?) == Some(false) && body.get("error")?.is_string())
    };
    match failure {
        Failure::Refused { status, words, why }
            if !matches!(why, Refusal::Redirect | Refusal::Credits) && in_envelope() == Some(true) =>
        {
            let why = if refusal::is_about_address(status, &words) { Refusal::Address } else { Refusal::Key };
            Failure::Refused { status, why, words }
        }
        other => other,
    }
}

pub fn read_me(head: &Head, body: &[u8]) -> Result<Account, Failure> {
    let read = loose::lenient(body, |text| open(text, loose::loosely));
    let data = read.map_err(|error| failed(Source::Workspace, head, body, &loose::sentence(&error)))?;
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
            let words = scrub(all);
            words.split([',', ' ']).filter(|scope| !scope.is_empty()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
