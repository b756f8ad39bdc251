//! Saved searches of the Data API, with undocumented payloads (D3).
//!
//! One plausible shape is written and every plausible shape is read. An entry is kept as it came beside its reading, so that
//! one that vanished can be put back whole; an entry whose filters cannot be read has no query and is shown as unreadable.

use std::str::FromStr;

use super::json as loose;
use super::*;

// No document shows which names `/api/saved` uses (D3 of the reading notes). Delete a name once real responses were
// seen and none uses it.

/// Where the list is, if the answer is not the list itself.
const LIST: &[&str] = &["saved", "data", "searches", "saved_searches", "items", "results", "list", "rows"];
const ID: &[&str] = &["id", "_id", "uuid", "saved_id", "search_id"];
const NAME: &[&str] = &["name", "title", "label"];
/// Says what an entry is, not what it searches. So does every name that ends in `_at`.
const ABOUT: &[&str] = &[
    "id", "_id", "uuid", "saved_id", "search_id", "user_id", "name", "label", "description", "user", "owner",
    "created", "updated", "modified", "last_run", "last_used", "run_count", "total", "count", "took_ms",
];
/// Holds the whole search.
const PLACE: &[&str] = &["filters", "params", "parameters", "search", "criteria", "query", "payload"];
/// Holds the filters, beside the source and corpus.
const FILTERS: &[&str] = &["filters", "params", "parameters"];
/// The parts of a condition: `{"field": "state", "value": "TX"}`.
const FIELD: &[&str] = &["field", "name", "key", "param"];
const VALUE: &[&str] = &["value", "values"];
const OPERATOR: &[&str] = &["op", "operator", "comparison", "condition", "match"];
const EQUALS: &[&str] = &["", "=", "==", "eq", "is", "equal", "equals"];
const CONTAINS: &[&str] = &["contains", "like", "match", "matches", "text"];
const ANY_OF: &[&str] = &["in", "any", "any_of", "or"];

/// The entry that is written for a search.
pub(crate) fn entry_of(name: &str, query: &Query) -> Value {
    let mut filters: Map<String, Value> =
        query.params().into_iter().map(|(name, value)| (name.to_owned(), Value::String(value))).collect();
    let Side { source, corpus } = query.side;
    // A service may drop a field that it does not know, and keep the filters as they are.
    if source != Source::Data {
        filters.insert("source".to_owned(), Value::from(source.name()));
    }
    json!({ "name": name, "source": source.name(), "corpus": corpus.name(), "filters": filters })
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
            if let Some(found) = LIST.iter().filter_map(|name| fields.get(*name)).find_map(|v| entries(v, depth + 1)) {
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
    let id = text(ID).or_else(|| key.map(|key| scrub(key).into_owned()));
    let name = text(NAME).map(|text| scrub::name(&text)).unwrap_or_default();
    RemoteSaved { id: id.filter(|id| !id.is_empty()), name, query: read(entry), raw: entry.to_string() }
}

// The search of a saved entry, in whatever shape it was kept: filters nested or flat, as a map, as a list of fields with
// values, as an address, as JSON inside a text.
//
// All that an entry says is honored, or none of it: a field that is neither known to be about the entry nor a part of a
// search, a condition other than equality, two answers to one question make it unreadable. A search run without one of its
// filters would silently be another search.

fn read(entry: &Value) -> Option<Query> {
    let mut parts = Parts::default();
    parts.entry(entry.as_object()?)?;
    parts.query()
}

#[derive(Default)]
struct Parts {
    source: Option<Source>,
    corpus: Option<Corpus>,
    /// In the order they came, several of one name as often as they came.
    fields: Vec<(String, Value)>,
}

impl Parts {
    /// Nothing comes back where something cannot be honored.
    fn entry(&mut self, fields: &Map<String, Value>) -> Option<()> {
        // `title` is the name of an entry as often as a filter: one with a `name` besides has it as a filter.
        let has_name = fields.contains_key("name");
        for (name, value) in fields {
            let about = ABOUT.contains(&name.as_str()) || name.ends_with("_at") || name == "title" && !has_name;
            let place = PLACE.contains(&name.as_str());
            if about || is_empty(value) {
                continue;
            }
            if let Some(inner) = map_of(value).filter(|_| place) {
                if FILTERS.iter().any(|name| inner.contains_key(*name)) {
                    self.entry(&inner)?;
                } else {
                    let mut said = inner.iter().filter(|(_, value)| !is_empty(value));
                    said.try_for_each(|(name, of)| self.field(name, of))?;
                }
            } else if let Some((address, pairs)) = link_of(value).filter(|_| place) {
                self.address(address, pairs)?;
            } else if name == "source" || name == "type" {
                // What an entry is of and where it was made: said of its search only in our words.
                let said = value.as_str().unwrap_or_default();
                if named::<Corpus>(said).is_some() || named::<Source>(said).is_some() {
                    self.field("source", value)?;
                }
            } else if let Some(all) = value.as_array().filter(|_| place && name != "query") {
                self.conditions(all)?;
            } else {
                self.field(name, value)?;
            }
        }
        Some(())
    }

    fn address(&mut self, address: &str, pairs: Vec<(String, String)>) -> Option<()> {
        if !address.is_empty() {
            let (source, corpus) = search_at(address)?;
            corpus.map_or(Some(()), |corpus| take_once(&mut self.corpus, corpus))?;
            take_once(&mut self.source, source)?;
        }
        pairs.into_iter().try_for_each(|(name, value)| self.field(&name, &Value::String(value)))
    }

    fn field(&mut self, name: &str, value: &Value) -> Option<()> {
        match name {
            "limit" | "offset" => {}
            "corpus" => take_once(&mut self.corpus, named(value.as_str()?)?)?,
            "source" => match (named(value.as_str()?), named(value.as_str()?)) {
                (Some(corpus), _) => take_once(&mut self.corpus, corpus)?,
                (None, source) => take_once(&mut self.source, source?)?,
            },
            // A page that shows it is not a search.
            "url" if !value.as_str()?.contains('?') && search_at(value.as_str()?).is_none() => {}
            "endpoint" | "path" | "url" => {
                let (address, pairs) = value.as_str()?.split_once('?').unwrap_or((value.as_str()?, ""));
                self.address(address, pairs_of(pairs)?)?;
            }
            name => self.fields.push((name.to_owned(), value.clone())),
        }
        Some(())
    }

    /// `[{"field": "state", "value": "TX"}]`
    fn conditions(&mut self, all: &[Value]) -> Option<()> {
        for condition in all {
            let fields = condition.as_object()?;
            let name = FIELD.iter().find(|at| fields.contains_key(**at))?;
            let value = VALUE.iter().find(|at| fields.contains_key(**at))?;
            let named = fields[*name].as_str()?;
            for (other, said) in fields.iter().filter(|(at, _)| at != name && at != value) {
                match other.as_str() {
                    "id" | "label" => {}
                    operator if OPERATOR.contains(&operator) => {
                        means_our_matching(named, said.as_str()?).then_some(())?;
                    }
                    _ if is_empty(said) || *said == Value::Bool(false) => {}
                    _ => return None,
                }
            }
            self.field(named, &fields[*value])?;
        }
        Some(())
    }

    /// The Data API's own `us` where nothing else is said: it is their list.
    fn query(self) -> Option<Query> {
        let side = Side { source: self.source.unwrap_or(Source::Data), corpus: self.corpus.unwrap_or(Corpus::Us) };
        let mut query = Query::new(side);
        let mut switches: BTreeMap<&str, bool> = BTreeMap::new();
        for (name, value) in &self.fields {
            let texts = texts(value)?;
            if ["dedup", "exclude_pulled", "exclude_unlocked"].contains(&name.as_str()) {
                let [text] = texts.as_slice() else { return None };
                let truth = loose::truth(&Value::String(text.clone()))?;
                (*switches.entry(name).or_insert(truth) == truth).then_some(())?;
            } else {
                add(&mut query, Filter::named(name)?, &texts)?;
            }
        }
        let data = side.source == Source::Data;
        let switch = |name, usual| switches.get(name).copied().unwrap_or(usual);
        query.dedup = switch("dedup", true);
        query.hide_pulled = switch("exclude_pulled", false);
        query.hide_owned = switch("exclude_unlocked", false);
        // A switch of the other source cannot be honored here.
        let known = if data { !query.hide_owned } else { query.dedup && !query.hide_pulled };
        // An entry that names neither source nor filter is not a search for everything.
        let said = !self.fields.is_empty() || self.source == Some(Source::Workspace);
        (known && said && query.ready().is_ok()).then_some(query)
    }
}

/// Takes what is said of something. Two answers to one question are none.
fn take_once<T: Copy + PartialEq>(known: &mut Option<T>, said: T) -> Option<()> {
    (*known.get_or_insert(said) == said).then_some(())
}

/// One filter more: only the industry takes several values, any other must be said the same each time.
fn add(query: &mut Query, filter: Filter, texts: &[String]) -> Option<()> {
    for text in texts.iter().filter(|text| !text.trim().is_empty()) {
        if filter.matching() == MatchKind::AnyOf {
            for value in text.split(',') {
                query.add(filter, value).ok()?;
            }
        } else if query.value(filter).is_none_or(|known| known == text.trim()) {
            query.set(filter, text).ok()?;
        } else {
            return None;
        }
    }
    Some(())
}

/// Whether a condition of this kind asks what the filter of that name asks.
fn means_our_matching(name: &str, said: &str) -> bool {
    let matching = Filter::named(name).map(Filter::matching);
    let said = said.trim().to_ascii_lowercase();
    let is = |words: &[&str]| words.contains(&said.as_str());
    // Any of one value is equality; of several only the industry can take it: see `add`.
    is(EQUALS) || is(ANY_OF) || is(CONTAINS) && matches!(matching, Some(MatchKind::Text | MatchKind::AnyOf))
}

fn named<T: FromStr>(name: &str) -> Option<T> {
    name.to_ascii_lowercase().parse().ok()
}

/// What a link into the service searches for.
fn search_at(address: &str) -> Option<(Source, Option<Corpus>)> {
    let address = address.trim().trim_end_matches('/');
    match address.rsplit('/').next()? {
        "search" if address.ends_with("/v1/search") => Some((Source::Workspace, None)),
        "search" => Some((Source::Data, Some(Corpus::Us))),
        "search-linkedin" => Some((Source::Data, Some(Corpus::Linkedin))),
        "export" => Some((Source::Data, None)),
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(all) => all.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(values) => values.iter().map(loose::words).collect(),
        scalar => loose::words(scalar).map(|text| vec![text]),
    }
}

/// A search kept whole in one field: as an object, or as JSON inside a text.
fn map_of(value: &Value) -> Option<Cow<'_, Map<String, Value>>> {
    match value {
        Value::Object(fields) => Some(Cow::Borrowed(fields)),
        Value::String(text) if loose::is_object(text) => serde_json::from_str(text).ok().map(Cow::Owned),
        _ => None,
    }
}

/// A search kept whole in one field: as an address.
fn link_of(value: &Value) -> Option<(&str, Vec<(String, String)>)> {
    let text = value.as_str().filter(|text| text.contains('=') && !loose::is_object(text))?;
    let (address, pairs) = text.split_once('?').unwrap_or(("", text));
    Some((address, pairs_of(pairs)?))
}

fn pairs_of(text: &str) -> Option<Vec<(String, String)>> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        Some((decoded(name)?, decoded(value)?))
    };
    text.split('&').filter(|pair| !pair.is_empty()).map(pair).collect()
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
    use crate::effect::Call;
    use crate::wire::request;
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
        let mut body = entry_of("Texas", &wanted());
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
                let body = entry_of("x", &query).to_string();
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
        let remove_request = |id: &str| request(&Call::SavedRemove { id: id.to_owned() });
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
