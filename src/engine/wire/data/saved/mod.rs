//! Saved searches of the Data API, with undocumented payloads (D3).
//!
//! One plausible shape is written and every plausible shape is read. An entry is kept as it came beside its reading, so that
//! one that vanished can be put back whole; an entry whose filters cannot be read has no query and is shown as unreadable.

mod search;

use serde_json::{Map, Value, json};

use crate::effect::failure::{Failure, Refusal};
use lode_core::contact::{Side, Source};
use lode_core::query::Query;
use lode_core::saved::RemoteSaved;

use crate::wire::json as loose;
use crate::wire::{Head, Method, Request, refusal, unreadable};
use lode_core::scrub::{self, scrub};

use super::guesses::SAVED;

const PATH: &str = "/api/saved";

pub fn list_request() -> Request {
    super::get(PATH, Vec::new())
}

pub fn add_request(name: &str, query: &Query) -> Request {
    let mut filters: Map<String, Value> =
        query.params().into_iter().map(|(name, value)| (name.to_owned(), Value::String(value))).collect();
    let Side { source, corpus } = query.side;
    // A service may drop a field that it does not know, and keep the filters as they are.
    if source != Source::Data {
        filters.insert("source".to_owned(), Value::from(source.name()));
    }
    let body = json!({ "name": name, "source": source.name(), "corpus": corpus.name(), "filters": filters });
    post(body.to_string().into_bytes())
}

pub fn restore_request(raw: &str) -> Request {
    post(raw.as_bytes().to_vec())
}

/// Names its id in the query *and* in the body: a service that looks in one place only must not take it for "all".
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
    refused(head, &value).map_or(Ok(()), Err)
}

pub fn read_list(head: &Head, body: &[u8]) -> Result<Vec<RemoteSaved>, Failure> {
    let value = loose::value(body).map_err(|error| unreadable(head, body, &loose::sentence(&error)))?;
    if let Some(failure) = refused(head, &value) {
        return Err(failure);
    }
    let entries = entries(&value, 0).ok_or_else(|| unreadable(head, body, "it holds no list of saved searches"))?;
    Ok(entries.into_iter().map(|(key, entry)| read_entry(key, entry)).collect())
}

/// A no inside a 2xx: it says that it is none, or speaks of an error.
fn refused(head: &Head, value: &Value) -> Option<Failure> {
    let said_no = ["ok", "success"].iter().any(|field| value.get(*field) == Some(&Value::Bool(false)));
    let named = |field: &str| value.get(field).filter(|said| !said.is_null() && **said != Value::Bool(false));
    let error = ["error", "errors"].into_iter().find_map(|field| refusal::words_of(&json!({ "error": named(field)? })));
    if !said_no && error.is_none() {
        return None;
    }
    let words = error.or_else(|| refusal::words_of(value));
    let words = words.unwrap_or_else(|| "the service refused without a reason".to_owned());
    Some(Failure::Refused { status: head.status, why: Refusal::Request, words })
}

fn entries(value: &Value, depth: usize) -> Option<Vec<(Option<&str>, &Value)>> {
    match value {
        Value::Array(all) => Some(all.iter().map(|entry| (None, entry)).collect()),
        Value::Null if depth > 0 => Some(Vec::new()),
        Value::Object(fields) if depth < 3 => {
            if let Some(found) =
                SAVED.list.iter().filter_map(|name| fields.get(*name)).find_map(|v| entries(v, depth + 1))
            {
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
    let id = text(SAVED.id).or_else(|| key.map(|key| scrub(key).into_owned()));
    let name = text(SAVED.name).map(|text| scrub::name(&text)).unwrap_or_default();
    RemoteSaved { id: id.filter(|id| !id.is_empty()), name, query: search::read(entry), raw: entry.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::Corpus;
    use lode_core::filter::Filter;

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
    fn a_search_of_the_workspace_comes_back_as_one() {
        for corpus in Corpus::ALL {
            let mut query = Query::new(Side { source: Source::Workspace, corpus });
            query.hide_owned = true;
            for title in ["", "nurse"] {
                query.set(Filter::Title, title).unwrap();
                let body = String::from_utf8(add_request("x", &query).body.unwrap()).unwrap();
                let read = read_list(&Head::of(200), format!("[{body}]").as_bytes()).unwrap();
                assert_eq!(read[0].query.as_ref(), Some(&query), "{body}");
                let mut cut: Map<String, Value> = serde_json::from_str(&body).unwrap();
                cut.retain(|name, _| ["name", "corpus", "filters"].contains(&name.as_str()));
                let read = read_list(&Head::of(200), json!([cut]).to_string().as_bytes()).unwrap();
                assert_eq!(read[0].query.as_ref(), Some(&query), "{body}");
            }
        }
    }

    fn search_of(entry: &str) -> Option<String> {
        let read = read_list(&Head::of(200), format!("[{entry}]").as_bytes()).unwrap();
        read[0].query.as_ref().map(Query::canonical)
    }

    #[test]
    fn all_that_an_entry_says_is_honored() {
        for (entry, asks) in [
            (r#"{"name":"x","query":"nurse","filters":{"state":"TX"}}"#, "data/us&query=nurse&state=TX"),
            (
                r#"{"name":"x","filters":{"state":"TX"},"industry":"a","dedup":0}"#,
                "data/us&industry=a&state=TX&dedup=0",
            ),
            (r#"{"name":"x","query":"/api/search-linkedin?title=vp&state=TX"}"#, "data/linkedin&title=vp&state=TX"),
            (r#"{"name":"x","url":"https://d.example/api/search-linkedin?title=vp"}"#, "data/linkedin&title=vp"),
            (r#"{"name":"x","url":"https://d.example/saved/7","filters":{"title":"vp"}}"#, "data/us&title=vp"),
            (r#"{"name":"x","filters":{"endpoint":"/api/search-linkedin","title":"vp"}}"#, "data/linkedin&title=vp"),
            (r#"{"name":"x","type":"linkedin","source":"web","filters":{"title":"vp"}}"#, "data/linkedin&title=vp"),
            (r#"{"name":"x","query":"industry=a&industry=b"}"#, "data/us&industry=a,b"),
            (
                r#"{"name":"x","filters":[{"field":"industry","op":"in","value":["a","b"]},{"field":"industry","value":"c"}]}"#,
                "data/us&industry=a,b,c",
            ),
            (r#"{"name":"x","filters":[{"field":"state","op":"eq","value":"TX","negate":false}]}"#, "data/us&state=TX"),
            (r#"{"name":"x","last_used":9,"used_at":"y","filters":{"state":["TX"]},"state":"TX"}"#, "data/us&state=TX"),
        ] {
            assert_eq!(search_of(entry).as_deref(), Some(asks), "{entry}");
        }
    }

    #[test]
    fn what_cannot_be_honored_makes_an_entry_unreadable() {
        for entry in [
            r#"{"name":"x","filters":[{"field":"state","op":"not","value":"TX"}]}"#,
            r#"{"name":"x","filters":[{"field":"state","exclude":true,"value":"TX"}]}"#,
            r#"{"name":"x","filters":[{"field":"state","op":"contains","value":"T"}]}"#,
            r#"{"name":"x","filters":{"state":["TX","CA"]}}"#,
            r#"{"name":"x","filters":{"state":"TX"},"state":"CA"}"#,
            r#"{"name":"x","filters":{"state":"TX"},"keyword":"nurse"}"#,
            r#"{"name":"x","filters":{"state":"TX"},"exclude":{"title":"vp"}}"#,
            r#"{"name":"x","filters":{"title":"vp","type":"corporate"}}"#,
            r#"{"name":"x","filters":{"title":"vp","corpus":"us"},"endpoint":"/api/search-linkedin"}"#,
            r#"{"name":"x","query":"state=TX&state=CA"}"#,
            r#"{"name":"x","query":"/leads?state=TX"}"#,
            r#"{"name":"x","filters":{"title":"vp","exclude_unlocked":1}}"#,
            r#"{"name":"x","source":"workspace","filters":{"title":"vp","dedup":0}}"#,
            r#"{"name":"x","filters":{"state":"TX","dedup":"sometimes"}}"#,
        ] {
            assert_eq!(search_of(entry), None, "{entry}");
        }
    }

    #[test]
    fn a_refusal_in_the_place_of_a_list_is_one() {
        for (body, words) in [
            (r#"{"error":{"message":"plan too small"}}"#, "plan too small"),
            (r#"{"errors":{"limit":["max 50"]}}"#, "limit: max 50"),
            (r#"{"success":false,"message":"not now"}"#, "not now"),
        ] {
            for failure in [
                read_list(&Head::of(200), body.as_bytes()).unwrap_err(),
                read_written(&Head::of(200), body.as_bytes()).unwrap_err(),
            ] {
                assert!(matches!(&failure, Failure::Refused { words: said, .. } if said == words), "{failure:?}");
            }
        }
        assert_eq!(read_list(&Head::of(200), br#"{"error":null,"data":[]}"#).unwrap(), []);
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
