//! Answers other than a success, classed by what the caller must do.
//!
//! The Workspace API does not say which status means a bad key, a missing scope or an empty purse, so the class of the
//! status decides first and the service's own words second. The Data API says one thing: a bad key is a 404 with words.

use std::time::Duration;

use super::*;

/// Characters of the service's words that are shown and stored.
const MOST_WORDS: usize = 300;
/// Bytes of a body in which words are looked for.
const MOST_BODY: usize = 64 * 1024;

pub fn classify(source: Source, head: &Head, body: &[u8]) -> Failure {
    let said = said(head, body);
    let words = said.clone().or_else(|| foreign_body(head, body));
    let words = words.unwrap_or_else(|| format!("the service answered {} without a reason", head.status));
    let said = plain(&said.unwrap_or_default());
    let mentions = |any| mentions(&said, any);
    let refused = |why| Failure::Refused { status: head.status, why, words: words.clone() };

    match head.status {
        429 => Failure::Later { wait: retry_after(head), words },
        300..400 => refused(Refusal::Redirect),
        // Credits first: "API key has insufficient credits" is about the purse.
        402 => refused(Refusal::Credits),
        400 | 401 | 403 | 409 | 422 if source == Source::Workspace && mentions(CREDITS) => refused(Refusal::Credits),
        401 | 403 if mentions(SCOPE) => refused(Refusal::Scope),
        401 | 403 => refused(Refusal::Key),
        404 if mentions(KEY) => refused(Refusal::Key),
        404 | 410 => refused(Refusal::Address),
        // The server gave up waiting for a request that may have been cut on the way: the result is unknown.
        408 => Failure::Unclear { why: Unclear::Line, words },
        400..500 => refused(of_words(source, &said)),
        status => Failure::Unclear { why: Unclear::Upstream(status), words },
    }
}

/// What words alone are about. On the Workspace API `/me` has the last word (`flow::desk`).
fn of_words(source: Source, said: &str) -> Refusal {
    match source {
        _ if mentions(said, BAD_KEY) => Refusal::Key,
        Source::Workspace if mentions(said, PERMISSION) => Refusal::Scope,
        _ => Refusal::Request,
    }
}

fn mentions(said: &str, any: &[&str]) -> bool {
    any.iter().any(|word| said.contains(word))
}

/// Words as they are compared: `Wrong API-key` and `wrong api_key` are the same.
fn plain(words: &str) -> String {
    words.to_lowercase().replace(['_', '-'], " ")
}

/// Only the documented envelope refuses an unlock: after anything else it may have been carried out.
pub fn of_unlock(failure: Failure, body: &[u8]) -> Failure {
    let documented = json::value(body).is_ok_and(|value| value.get("ok") == Some(&Value::Bool(false)));
    match failure {
        failure if documented => failure,
        Failure::Later { wait, words } => Failure::Unclear { why: Unclear::Undocumented { status: 429, wait }, words },
        Failure::Refused { status, why, words } if why != Refusal::Redirect => {
            Failure::Unclear { why: Unclear::Undocumented { status, wait: None }, words }
        }
        failure => failure,
    }
}

const CREDITS: &[&str] = &["credit", "balance", "insufficient fund", "payment required"];
const SCOPE: &[&str] = &["scope", "permission", "not permitted", "not allowed", "read only", "lacks"];
/// Words about a scope, for a status that does not say so itself.
const PERMISSION: &[&str] = &["scope", "permission", "not permitted", "read only key", "key is read only"];
const KEY: &[&str] = &["api key", "apikey", "wrong key", "invalid key", "unknown key", "unauthorized"];
const BAD_KEY: &[&str] = &[
    "wrong api key", "invalid api key", "missing api key", "unknown api key", "invalid key", "api key is",
    "api key not", "api key was", "api key revoked", "api key expired", "no api key",
];
/// Any word for a key. Of a request that carries nothing else, one is enough.
const OF_KEY: &[&str] = &["key", "token", "credential", "unauth", "authoriz", "authentic", "revoked", "expired"];
/// Words about a wrong address.
const OF_ADDRESS: &[&str] =
    &["not found", "no such", "cannot get", "route", "endpoint", "exist", "not allowed", "unknown path", "no page"];

/// Whether a `/me` request that was refused like this has a wrong address rather than a wrong key.
pub(super) fn is_about_address(status: u16, words: &str) -> bool {
    let words = plain(words);
    matches!(status, 404 | 405 | 410) && mentions(&words, OF_ADDRESS) && !mentions(&words, OF_KEY)
}

/// How long the service asks to wait: seconds, or a date by its own clock where it shows one.
pub fn retry_after(head: &Head) -> Option<Duration> {
    let text = head.retry_after.as_deref()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than fit are still a wait; the limiter caps it and says so.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX / 1000)));
    }
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = unix_ms(text)?;
    let from = head.date.as_deref().and_then(|date| unix_ms(date.trim())).unwrap_or(head.at.0);
    Some(Duration::from_millis(u64::try_from(until.saturating_sub(from)).unwrap_or(0)))
}

fn unix_ms(date: &str) -> Option<i64> {
    let moment = httpdate::parse_http_date(date).ok()?;
    let since = moment.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

/// The service's own words, scrubbed and of bounded length.
fn said(head: &Head, body: &[u8]) -> Option<String> {
    if foreign_body(head, body).is_some() {
        return None;
    }
    let body = &body[..body.len().min(MOST_BODY)];
    let Ok(value) = json::value(body) else {
        // A proxy's plain sentence. Broken JSON is none.
        let words = scrub_to(&json::text(body), MOST_WORDS);
        return Some(words).filter(|words| !words.is_empty() && !words.starts_with(['{', '[']));
    };
    words_of(&value).filter(|words| !words.is_empty())
}

fn words_in(value: &Value, depth: usize) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Array(all) if depth < 4 => all.first().and_then(|first| words_in(first, depth + 1)),
        Value::Object(fields) if depth < 4 => {
            let places =
                ["error", "message", "error_description", "detail", "details", "errors", "reason", "title", "msg"];
            let inner = |value: &Value| words_in(value, depth + 1);
            let found = places.into_iter().filter_map(|place| fields.get(place)).find_map(inner);
            // Inside a place of words, each field may say what is wrong with the parameter of its name.
            found.or_else(|| {
                let each = fields.iter().filter(|_| depth > 0);
                let said = each.filter_map(|(name, said)| Some(format!("{name}: {}", inner(said)?)));
                Some(said.collect::<Vec<_>>().join("; ")).filter(|said| !said.is_empty())
            })
        }
        _ => None,
    }
}

/// What a body that was read as JSON says in words.
pub fn words_of(value: &Value) -> Option<String> {
    words_in(value, 0).map(|words| scrub_to(&words, MOST_WORDS))
}

/// A no in spite of a 2xx, which the documents do not foresee: `ok: false`, or (on the Data API, which has no such field) an
/// object that could not be read as what was asked for and says why in words. Asking again would hear the same.
pub fn anyway(source: Source, head: &Head, body: &[u8]) -> Option<Failure> {
    let value = json::value(body).ok()?;
    let says_no = value.get("ok").and_then(json::truth) == Some(false);
    let words = words_of(&value);
    let speaks = || ["error", "message"].iter().any(|place| value.get(place).is_some_and(Value::is_string));
    let refuses = says_no || source == Source::Data && words.is_some() && speaks();
    if !refuses {
        return None;
    }
    let words = words.unwrap_or_else(|| "the service refused without a reason".to_owned());
    Some(Failure::Refused { status: head.status, why: of_words(source, &plain(&words)), words })
}

/// A sentence about a body that is plainly not the service's: a web page or nothing at all.
pub fn foreign_body(head: &Head, body: &[u8]) -> Option<String> {
    let start = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    if start.is_empty() {
        return Some(format!("the service answered {} with an empty body", head.status));
    }
    let says_html = head.content_type.as_deref().is_some_and(|kind| kind.to_ascii_lowercase().contains("html"));
    let is_json = matches!(start[0], b'{' | b'[');
    (start[0] == b'<' || says_html && !is_json)
        .then(|| format!("the service answered with a web page ({})", head.status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::time::Wall;

    fn classed(source: Source, status: u16, body: &str) -> Failure {
        classify(source, &Head::of(status), body.as_bytes())
    }

    fn why(source: Source, status: u16, body: &str) -> Refusal {
        match classed(source, status, body) {
            Failure::Refused { why, .. } => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn refusals_are_told_apart_by_status_and_words() {
        use Source::{Data, Workspace};
        for (source, status, body, expected) in [
            (Workspace, 401, r#"{"ok":false,"error":"Invalid API key"}"#, Refusal::Key),
            (Workspace, 401, "", Refusal::Key),
            (Workspace, 403, r#"{"ok":false,"error":"This key lacks the unlock scope"}"#, Refusal::Scope),
            (Workspace, 403, r#"{"ok":false,"error":"Key revoked"}"#, Refusal::Key),
            (Workspace, 403, r#"{"ok":false,"error":"Insufficient credits"}"#, Refusal::Credits),
            (Workspace, 402, "<html>", Refusal::Credits),
            (Workspace, 400, r#"{"ok":false,"error":"balance too low"}"#, Refusal::Credits),
            (Workspace, 404, r#"{"ok":false,"error":"Unknown API key"}"#, Refusal::Key),
            (Workspace, 404, r#"{"ok":false,"error":"Not found"}"#, Refusal::Address),
            (Workspace, 422, r#"{"ok":false,"error":"ids: 1 to 100"}"#, Refusal::Request),
            (Data, 404, r#"{"message":"Wrong API key"}"#, Refusal::Key),
            (Data, 404, "<html>not found</html>", Refusal::Address),
            (Data, 404, r#"{"message":"no such page"}"#, Refusal::Address),
            (Data, 400, r#"{"message":"query or filter required"}"#, Refusal::Request),
            (Data, 405, "", Refusal::Request),
            (Data, 400, r#"{"message":"Wrong API-Key"}"#, Refusal::Key),
            (Workspace, 400, r#"{"ok":false,"error":"Missing permission: search"}"#, Refusal::Scope),
            (Workspace, 409, r#"{"ok":false,"error":"invalid_key"}"#, Refusal::Key),
        ] {
            assert_eq!(why(source, status, body), expected, "{source} {status} {body}");
        }
    }

    #[test]
    fn only_the_documented_envelope_refuses_an_unlock() {
        let refused = |status, body: &str| of_unlock(classed(Source::Workspace, status, body), body.as_bytes());
        for status in [400, 401, 402, 403, 404, 409, 422] {
            assert!(matches!(refused(status, r#"{"ok":false,"error":"No"}"#), Failure::Refused { .. }), "{status}");
            for body in
                ["<html>", "", r#"{"error":"No"}"#, r#"{"ok":true}"#, r#"{"ok":false,"err"#, r#"[{"ok":false}]"#]
            {
                let Failure::Unclear { why: Unclear::Undocumented { status: said, .. }, .. } = refused(status, body)
                else {
                    panic!("{status} {body}");
                };
                assert_eq!(said, status);
            }
        }
        assert!(matches!(refused(429, r#"{"ok":false,"error":"No"}"#), Failure::Later { .. }));
        assert!(matches!(
            refused(429, "slow"),
            Failure::Unclear { why: Unclear::Undocumented { status: 429, .. }, .. }
        ));
        assert!(matches!(refused(502, r#"{"ok":false}"#), Failure::Unclear { why: Unclear::Upstream(502), .. }));
    }

    #[test]
    fn the_result_is_unknown_after_5xx_and_408() {
        assert_eq!(
            classed(Source::Workspace, 502, "<html><body>Bad gateway"),
            Failure::Unclear {
                why: Unclear::Upstream(502),
                words: "the service answered with a web page (502)".to_owned()
            }
        );
        assert!(matches!(classed(Source::Workspace, 408, ""), Failure::Unclear { why: Unclear::Line, .. }));
    }

    #[test]
    fn words_come_from_wherever_they_are_and_are_scrubbed() {
        for (body, words) in [
            (r#"{"ok":false,"error":"no\u001b[31m"}"#, "no[31m"),
            (r#"{"error":{"code":7,"message":"deep"}}"#, "deep"),
            (r#"{"errors":[{"detail":"first"},{"detail":"second"}]}"#, "first"),
            (r#"{"detail":"only"}"#, "only"),
            (r#"{"errors":{"limit":["max 50"],"offset":"whole numbers"}}"#, "limit: max 50; offset: whole numbers"),
            ("upstream\r\nis\u{202e} gone", "upstream is gone"),
            (r#"{"ok":false,"err"#, "the service answered 400 without a reason"),
            (r#"{"error":null}"#, "the service answered 400 without a reason"),
            ("  ", "the service answered 400 with an empty body"),
            ("<!doctype html><p>hi", "the service answered with a web page (400)"),
        ] {
            assert_eq!(classed(Source::Data, 400, body).words(), words);
        }
        let long = format!(r#"{{"error":"{}"}}"#, "x".repeat(5_000));
        assert_eq!(classed(Source::Data, 400, &long).words().chars().count(), MOST_WORDS);
    }

    #[test]
    fn the_wait_is_read_in_every_spelling() {
        let wait = |retry_after: &str, date: Option<&str>| {
            let head = Head {
                status: 429,
                retry_after: Some(retry_after.to_owned()),
                date: date.map(str::to_owned),
                at: Wall(784_111_700_000),
                ..Head::default()
            };
            retry_after_of(&head)
        };
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(wait("23", None), Some(Duration::from_secs(23)));
        assert_eq!(wait("0", None), Some(Duration::ZERO));
        assert_eq!(wait("1000000000", None), Some(Duration::from_secs(1_000_000_000)));
        assert!(wait("99999999999999999999999999", None).unwrap() > Duration::from_secs(1_000_000_000));
        assert_eq!(wait("1.5", None), Some(Duration::from_millis(1500)));
        assert_eq!(wait("-5", None), None);
        assert_eq!(wait("soon", None), None);
        assert_eq!(wait(date, Some("Sun, 06 Nov 1994 08:49:07 GMT")), Some(Duration::from_secs(30)));
        assert_eq!(wait(date, None), Some(Duration::from_secs(77)));
        assert_eq!(wait(date, Some("Sun, 06 Nov 1994 09:00:00 GMT")), Some(Duration::ZERO), "a date that has passed");
        assert_eq!(retry_after(&Head::of(429)), None);
    }

    fn retry_after_of(head: &Head) -> Option<Duration> {
        match classify(Source::Workspace, head, b"") {
            Failure::Later { wait, .. } => wait,
            other => panic!("{other:?}"),
        }
    }
}
