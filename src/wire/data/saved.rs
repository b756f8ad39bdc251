//! Saved searches of the Data API, whose payloads nobody shows (D3).
//!
//! One plausible shape is written and every plausible shape is read. An entry is kept as it came beside its reading, so that
//! one that vanished can be put back whole; an entry whose filters cannot be read has no query and is shown as unreadable.

use serde_json::{Map, Value, json};

use crate::domain::contact::{Corpus, Side, Source};
use crate::domain::filter::Filter;
use crate::domain::query::Query;
use crate::domain::saved::RemoteSaved;
use crate::effect::failure::{Failure, Refusal};

use super::super::json as loose;
use super::super::scrub::scrub;
use super::super::{Head, Method, Request, refusal, unreadable};

const PATH: &str = "/api/saved";

#[must_use]
pub fn list_request() -> Request {
    super::get(PATH, Vec::new())
}

#[must_use]
pub fn add_request(name: &str, query: &Query) -> Request {
    let filters: Map<String, Value> =
        query.params().into_iter().map(|(name, value)| (name.to_owned(), Value::String(value))).collect();
    let body = json!({ "name": name, "corpus": query.side.corpus.name(), "filters": filters });
    post(body.to_string().into_bytes())
}

#[must_use]
pub fn restore_request(raw: &str) -> Request {
    post(raw.as_bytes().to_vec())
}

/// Names its id in the query *and* in the body: a service that looks in one place only must not take it for "all".
#[must_use]
pub fn remove_request(id: &str) -> Request {
    let number = loose::row_id(id).map(Value::from);
    let body = json!({ "id": number.unwrap_or_else(|| Value::String(id.to_owned())) });
    Request {
        source: Source::Data,
        method: Method::Delete,
        path: PATH,
        query: vec![("id".to_owned(), id.to_owned())],
        body: Some(body.to_string().into_bytes()),
    }
}

fn post(body: Vec<u8>) -> Request {
    Request { source: Source::Data, method: Method::Post, path: PATH, query: Vec::new(), body: Some(body) }
}

/// Whether a write took is found by reading back; here only an outright no inside a 2xx is heard.
pub fn read_written(head: &Head, body: &[u8]) -> Result<(), Failure> {
    let Ok(value) = loose::value(body) else { return Ok(()) };
    let refused = ["ok", "success"].iter().any(|field| value.get(*field) == Some(&Value::Bool(false)));
    if !refused {
        return Ok(());
    }
    let words = refusal::words_of(&value).unwrap_or_else(|| "the service did not take it".to_owned());
    Err(Failure::Refused { status: head.status, why: Refusal::Request, words })
}

pub fn read_list(head: &Head, body: &[u8]) -> Result<Vec<RemoteSaved>, Failure> {
    let value = loose::value(body).map_err(|error| unreadable(head, body, &loose::sentence(&error)))?;
    let entries = entries(&value, 0).ok_or_else(|| unreadable(head, body, "it holds no list of saved searches"))?;
    Ok(entries.into_iter().map(|(key, entry)| read_entry(key, entry)).collect())
}

const LISTS: &[&str] = &["saved", "data", "searches", "saved_searches", "items", "results", "list", "rows"];

fn entries(value: &Value, depth: usize) -> Option<Vec<(Option<&str>, &Value)>> {
    match value {
        Value::Array(all) => Some(all.iter().map(|entry| (None, entry)).collect()),
        Value::Null if depth > 0 => Some(Vec::new()),
        Value::Object(fields) if depth < 3 => {
            if let Some(found) = LISTS.iter().filter_map(|name| fields.get(*name)).find_map(|v| entries(v, depth + 1)) {
                return Some(found);
            }
            // Entries keyed by their id; an empty map is an empty list.
            let keyed = depth > 0 || fields.is_empty() || fields.values().any(Value::is_object);
            let all = fields.iter().filter(|(_, entry)| entry.is_object());
            keyed.then(|| all.map(|(key, entry)| (Some(key.as_str()), entry)).collect())
        }
        _ => None,
    }
}

fn read_entry(key: Option<&str>, entry: &Value) -> RemoteSaved {
    let text = |names: &[&str]| names.iter().filter_map(|name| entry.get(*name)).find_map(loose::words);
    let id = text(&["id", "_id", "uuid", "saved_id", "search_id"]).or_else(|| key.map(|key| scrub(key).into_owned()));
    let name = text(&["name", "title", "label"]).unwrap_or_default();
    RemoteSaved { id: id.filter(|id| !id.is_empty()), name, query: read_query(entry), raw: entry.to_string() }
}

/// Fields of an entry that say what it is, not what it searches. A field of any other name that is no filter makes the
/// entry unreadable: running it without that filter would be another search.
const ABOUT: &[&str] = &[
    "id",
    "_id",
    "uuid",
    "saved_id",
    "search_id",
    "name",
    "title",
    "label",
    "corpus",
    "source",
    "user",
    "user_id",
    "created",
    "created_at",
    "updated",
    "updated_at",
    "last_run",
    "last_run_at",
    "total",
    "count",
    "limit",
    "offset",
    "description",
    "type",
];

fn read_query(entry: &Value) -> Option<Query> {
    let fields = entry.as_object()?;
    let nested = ["filters", "params", "parameters", "search", "criteria", "query", "payload"]
        .into_iter()
        .filter_map(|place| fields.get(place))
        .find_map(filters_of);
    let filters = match nested {
        // The whole search was kept in one field, as it was sent.
        Some(whole) if whole.contains_key("filters") => return read_query(&Value::Object(whole)),
        Some(filters) => filters,
        None => {
            // Flat: the filters are fields of the entry. `title` is its name there as often as a filter, so an entry with
            // `name` decides.
            let named = fields.contains_key("name");
            let about = |name: &str| ABOUT.contains(&name) && !(named && name == "title");
            fields.iter().filter(|(name, _)| !about(name)).map(|(n, v)| (n.clone(), v.clone())).collect()
        }
    };
    let mut query = Query::new(Side { source: Source::Data, corpus: corpus_of(fields, &filters)? });
    for (name, value) in &filters {
        set(&mut query, name, value)?;
    }
    query.ready().is_ok().then_some(query)
}

/// The corpus named by the entry or its filters; `us` where nobody names one but the search itself is readable.
fn corpus_of(entry: &Map<String, Value>, filters: &Map<String, Value>) -> Option<Corpus> {
    let named = [entry, filters].into_iter().find_map(|fields| fields.get("corpus").and_then(Value::as_str));
    if let Some(name) = named {
        return name.to_ascii_lowercase().parse().ok();
    }
    let endpoint = ["endpoint", "path", "url"].into_iter().find_map(|name| entry.get(name).and_then(Value::as_str));
    Some(if endpoint.is_some_and(|path| path.contains("linkedin")) { Corpus::Linkedin } else { Corpus::Us })
}

/// Filters as an object, as JSON inside a string, or as the query string of an address.
fn filters_of(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(fields) => Some(fields.clone()),
        Value::String(text) if text.trim_start().starts_with('{') => match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => Some(fields),
            _ => None,
        },
        Value::String(text) if text.contains('=') => {
            let pairs = text.rsplit_once('?').map_or(text.as_str(), |(_, query)| query);
            let mut fields = Map::new();
            for pair in pairs.split('&').filter(|pair| !pair.is_empty()) {
                let (name, value) = pair.split_once('=')?;
                fields.insert(decoded(name)?, Value::String(decoded(value)?));
            }
            Some(fields)
        }
        Value::Array(pairs) => {
            let mut fields = Map::new();
            for pair in pairs {
                let name = ["field", "name", "key", "param"].into_iter().find_map(|at| pair.get(at)?.as_str())?;
                fields.insert(name.to_owned(), ["value", "values"].into_iter().find_map(|at| pair.get(at))?.clone());
            }
            Some(fields).filter(|fields| !fields.is_empty())
        }
        _ => None,
    }
}

/// None where the field is neither a filter of this side, nor a switch, nor part of the window.
fn set(query: &mut Query, name: &str, value: &Value) -> Option<()> {
    let text = match value {
        Value::Array(values) => values.iter().map(loose::words).collect::<Option<Vec<_>>>()?.join(","),
        Value::Null => String::new(),
        scalar => loose::words(scalar)?,
    };
    match name {
        "corpus" | "limit" | "offset" | "endpoint" | "path" => {}
        "dedup" => query.dedup = loose::truth(&Value::String(text)) != Some(false),
        "exclude_pulled" => query.hide_pulled = loose::truth(&Value::String(text)) == Some(true),
        _ if text.trim().is_empty() => {}
        name => query.set(Filter::named(name)?, &text).ok()?,
    }
    Some(())
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> Query {
        let mut query = Query::new(Side { source: Source::Data, corpus: Corpus::Linkedin });
        query.set(Filter::State, "TX").unwrap();
        query.set(Filter::Industry, "hospital,clinic").unwrap();
        query.dedup = false;
        query
    }

    #[test]
    fn what_we_write_is_read_back() {
        let mut body: Value = serde_json::from_slice(&add_request("Texas", &wanted()).body.unwrap()).unwrap();
        body["id"] = json!(7);
        let read = read_list(&Head::of(200), json!([body]).to_string().as_bytes()).unwrap();
        assert_eq!(read[0].query, Some(wanted()));
        assert_eq!((read[0].id.as_deref(), read[0].name.as_str()), (Some("7"), "Texas"));
        assert_eq!(serde_json::from_str::<Value>(&read[0].raw).unwrap(), body);
    }

    #[test]
    fn every_plausible_shape_is_read() {
        let entry = r#"{"id":"s1","name":"Texas","corpus":"linkedin","filters":{"state":"TX","industry":["hospital","clinic"],"dedup":0}}"#;
        for list in [
            format!("[{entry}]"),
            format!(r#"{{"saved":[{entry}]}}"#),
            format!(r#"{{"data":[{entry}],"total":1}}"#),
            format!(r#"{{"ok":true,"data":{{"searches":[{entry}]}}}}"#),
            r#"{"s1":{"name":"Texas","corpus":"linkedin","params":{"state":"TX","industry":"hospital,clinic","dedup":"0"}}}"#.to_owned(),
            r#"[{"_id":"s1","title":"Texas","query":"corpus=linkedin&state=TX&industry=hospital%2Cclinic&dedup=0"}]"#.to_owned(),
            r#"[{"id":"s1","name":"Texas","endpoint":"/api/search-linkedin","search":"{\"state\":\"TX\",\"industry\":\"hospital,clinic\",\"dedup\":false}"}]"#.to_owned(),
            r#"[{"id":"s1","name":"Texas","corpus":"linkedin","state":"TX","industry":"hospital,clinic","dedup":0,"created_at":"x"}]"#.to_owned(),
            r#"[{"id":"s1","name":"Texas","corpus":"linkedin","filters":[{"field":"state","value":"TX"},{"field":"industry","values":["hospital","clinic"]},{"field":"dedup","value":0}]}]"#.to_owned(),
        ] {
            let read = read_list(&Head::of(200), list.as_bytes()).unwrap();
            assert_eq!(read.len(), 1, "{list}");
            assert_eq!(read[0].id.as_deref(), Some("s1"), "{list}");
            assert_eq!(read[0].name, "Texas", "{list}");
            assert_eq!(read[0].query, Some(wanted()), "{list}");
        }
    }

    #[test]
    fn a_search_that_we_cannot_run_as_it_is_stays_unreadable() {
        for entry in [
            r#"{"id":1,"name":"x","filters":{"state":"TX","shoe_size":"43"}}"#,
            r#"{"id":1,"name":"x","corpus":"mars","filters":{"state":"TX"}}"#,
            r#"{"id":1,"name":"x","filters":{}}"#,
            r#"{"id":1,"name":"x"}"#,
            r#"{"id":1,"name":"x","blob":"AAAA"}"#,
            "7",
        ] {
            let read = read_list(&Head::of(200), format!("[{entry}]").as_bytes()).unwrap();
            assert_eq!(read[0].query, None, "{entry}");
        }
        assert_eq!(read_list(&Head::of(200), b"[7]").unwrap()[0].id, None);
    }

    #[test]
    fn an_empty_list_is_not_a_broken_one() {
        for body in ["[]", "{}", r#"{"data":[]}"#, r#"{"saved":null}"#, r#"{"ok":true,"data":{"saved":[]}}"#] {
            assert_eq!(read_list(&Head::of(200), body.as_bytes()).unwrap(), [], "{body}");
        }
        for body in ["", "<html>", "7", r#""x""#, r#"{"ok":true}"#, r#"[{"id":1"#] {
            assert!(read_list(&Head::of(200), body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn a_removal_names_its_id_twice() {
        let request = remove_request("12");
        assert_eq!(request.query, [("id".to_owned(), "12".to_owned())]);
        assert_eq!(request.body.unwrap(), br#"{"id":12}"#);
        assert_eq!(remove_request("a-1").body.unwrap(), br#"{"id":"a-1"}"#);
    }

    #[test]
    fn a_no_inside_a_success_is_heard() {
        assert!(read_written(&Head::of(200), br#"{"ok":false,"message":"quota"}"#).is_err());
        for body in [&b""[..], b"OK", br#"{"id":3}"#, br#"{"ok":true}"#] {
            assert!(read_written(&Head::of(200), body).is_ok());
        }
    }
}
