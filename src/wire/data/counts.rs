//! Totals of the whole corpus, in whatever shape they come (D1): maps from code to number, arrays of objects, arrays of
//! pairs, one flat list with a kind, any of these under `data` or a word like it.
//!
//! A shape is recognised by what it holds, not by its exact names: a group is of states when its name or its codes say so.

use serde_json::{Map, Value};

use crate::domain::counts::{Count, CountKind, Counts};
use crate::effect::failure::Failure;

use super::super::json as loose;
use super::super::{Head, unreadable};

pub fn read(head: &Head, body: &[u8]) -> Result<Counts, Failure> {
    let value = loose::value(body).map_err(|error| unreadable(head, body, &loose::sentence(&error)))?;
    let mut counts = Counts::default();
    gather(&value, None, &mut counts, 0);
    if counts.counts.is_empty() && counts.total.is_none() {
        return Err(unreadable(head, body, "it holds no counts"));
    }
    Ok(counts)
}

const TOTALS: &[&str] = &["total", "total_rows", "total_count", "grand_total", "rows"];
const NUMBERS: &[&str] = &["count", "total", "rows", "n", "value", "records", "num", "doc_count", "cnt"];
const NAMES: &[&str] =
    &["name", "label", "title", "description", "sic_name", "state_name", "sic_description", "industry"];
const STATE_CODES: &[&str] = &["state", "state_code"];
const SIC_CODES: &[&str] = &["sic_code", "sic", "siccode"];
const ANY_CODES: &[&str] = &["code", "key", "id", "bucket"];

fn gather(value: &Value, kind: Option<CountKind>, counts: &mut Counts, depth: usize) {
    if depth > 5 {
        return;
    }
    match value {
        Value::Array(entries) => {
            for entry in entries {
                match entry {
                    Value::Array(pair) => push_pair(pair, kind, counts),
                    Value::Object(fields) if !push_object(fields, kind, counts) => {
                        gather(entry, kind, counts, depth + 1)
                    }
                    _ => {}
                }
            }
        }
        Value::Object(fields) => {
            for (name, inner) in fields {
                let group = kind_named(name).or(kind);
                match inner {
                    Value::Array(_) => gather(inner, group, counts, depth + 1),
                    // `{"TX": {"count": 1, "name": "Texas"}}`, or a group with groups in it.
                    Value::Object(entry) => {
                        let number = first(entry, NUMBERS).and_then(loose::count);
                        match (number, kind.filter(|kind| is_code(*kind, name))) {
                            (Some(count), Some(kind)) => {
                                push(counts, kind, name, &first_words(entry, NAMES), count);
                            }
                            _ => gather(inner, group, counts, depth + 1),
                        }
                    }
                    scalar => {
                        let Some(count) = loose::count(scalar) else { continue };
                        if TOTALS.contains(&name.as_str()) {
                            if kind.is_none() {
                                counts.total.get_or_insert(count);
                            }
                        } else if let Some(kind) = kind.or_else(|| kind_of_code(name)) {
                            push(counts, kind, name, "", count);
                        }
                    }
                }
            }
        }
        _ => {}
    }
}

/// What a group's name says about its codes: `states`, `by_state`, `per_sic`, `sic_codes` …
fn kind_named(name: &str) -> Option<CountKind> {
    let name = name.to_ascii_lowercase();
    if name.contains("sic") {
        Some(CountKind::Sic)
    } else if name.contains("state") && name != "status" {
        Some(CountKind::State)
    } else {
        None
    }
}

fn is_code(kind: CountKind, code: &str) -> bool {
    match kind {
        CountKind::State => !code.is_empty(),
        CountKind::Sic => code.bytes().any(|byte| byte.is_ascii_digit()),
    }
}

fn kind_of_code(code: &str) -> Option<CountKind> {
    if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Some(CountKind::State);
    }
    let digits = (2..=8).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_digit());
    digits.then_some(CountKind::Sic)
}

/// One entry of a list; false where it is none but may hold some.
fn push_object(fields: &Map<String, Value>, kind: Option<CountKind>, counts: &mut Counts) -> bool {
    let said = first_words(fields, &["kind", "type", "group", "facet", "dimension", "field"]);
    let kind = kind_named(&said).or(kind);
    let sic = first_words(fields, SIC_CODES);
    let state = first_words(fields, STATE_CODES);
    let any = first_words(fields, ANY_CODES);
    let (kind, code) = match kind {
        Some(CountKind::State) if !state.is_empty() => (CountKind::State, state),
        Some(CountKind::Sic) if !sic.is_empty() => (CountKind::Sic, sic),
        Some(kind) if !any.is_empty() => (kind, any),
        Some(_) => return false,
        None if !state.is_empty() => (CountKind::State, state),
        None if !sic.is_empty() => (CountKind::Sic, sic),
        None => match kind_of_code(&any) {
            Some(kind) => (kind, any),
            None => return false,
        },
    };
    let Some(count) = first(fields, NUMBERS).and_then(loose::count) else { return false };
    push(counts, kind, &code, &first_words(fields, NAMES), count);
    true
}

/// `["TX", 12]` or `["8062", "Hospitals", 12]`
fn push_pair(pair: &[Value], kind: Option<CountKind>, counts: &mut Counts) {
    let (Some(code), Some(count)) = (pair.first().and_then(loose::words), pair.last().and_then(loose::count)) else {
        return;
    };
    let Some(kind) = kind.or_else(|| kind_of_code(&code)).filter(|_| pair.len() > 1) else { return };
    let name = if pair.len() > 2 { loose::words(&pair[1]).unwrap_or_default() } else { String::new() };
    push(counts, kind, &code, &name, count);
}

fn push(counts: &mut Counts, kind: CountKind, code: &str, name: &str, count: u64) {
    let code = super::super::scrub::scrub(code).trim().to_owned();
    if !code.is_empty() {
        counts.counts.push(Count { kind, code, name: name.trim().to_owned(), count });
    }
}

fn first<'v>(fields: &'v Map<String, Value>, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|name| fields.get(*name))
}

fn first_words(fields: &Map<String, Value>, names: &[&str]) -> String {
    first(fields, names).and_then(loose::words).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(kind: CountKind, code: &str, name: &str, count: u64) -> Count {
        Count { kind, code: code.to_owned(), name: name.to_owned(), count }
    }

    #[test]
    fn every_plausible_shape_is_read() {
        use CountKind::{Sic, State};
        let plain = [count(State, "TX", "", 5), count(Sic, "8062", "", 3)];
        let named = [count(State, "TX", "Texas", 5), count(Sic, "8062", "Hospitals", 3)];
        for (body, expected) in [
            (r#"{"states":{"TX":5},"sic":{"8062":3},"total":9}"#, &plain),
            (r#"{"data":{"by_state":{"TX":"5"},"by_sic":{"8062":3}},"total":9}"#, &plain),
            (r#"{"total":9,"data":{"TX":5,"8062":3}}"#, &plain),
            (r#"{"total":9,"state_counts":[["TX",5]],"sic_counts":[["8062",3]]}"#, &plain),
            (r#"{"total":9,"state":[{"state":"TX","count":5}],"sic_code":[{"sic_code":8062,"count":3}]}"#, &plain),
            (r#"{"total":9,"states":[{"code":"TX","name":"Texas","count":5}],"sic":[["8062","Hospitals",3]]}"#, &named),
            (
                r#"{"ok":true,"data":{"total":9,"counts":[{"kind":"state","code":"TX","name":"Texas","count":5},{"kind":"sic","code":"8062","name":"Hospitals","count":3}]}}"#,
                &named,
            ),
            (
                r#"{"total":9,"states":{"TX":{"name":"Texas","count":5}},"sic":{"8062":{"description":"Hospitals","n":3}}}"#,
                &named,
            ),
            (
                r#"{"total":9,"data":[{"state":"TX","label":"Texas","total":5},{"sic":"8062","label":"Hospitals","total":3}]}"#,
                &named,
            ),
        ] {
            let counts = read(&Head::of(200), body.as_bytes()).unwrap();
            assert_eq!(counts.counts, expected, "{body}");
            assert_eq!(counts.total, Some(9), "{body}");
        }
        let bare = read(&Head::of(200), br#"[{"state":"TX","count":5},{"sic_code":"8062","count":3}]"#).unwrap();
        assert_eq!(bare.counts, plain);
        assert_eq!(bare.total, None);
    }

    #[test]
    fn what_holds_no_counts_is_unreadable() {
        for body in ["", "[]", "{}", r#"{"states":"none"}"#, "<html>", r#"{"states":{"TX":5"#, "3"] {
            assert!(read(&Head::of(200), body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn texts_are_scrubbed_and_absurd_numbers_held() {
        let body = r#"{"states":[{"state":"T\u001bX","name":"Te\u202exas","count":-4}]}"#;
        let counts = read(&Head::of(200), body.as_bytes()).unwrap();
        assert_eq!(counts.counts, [count(CountKind::State, "TX", "Texas", 0)]);
    }
}
