//! The search of a saved entry, in whatever shape it was kept: filters nested or flat, as a map, as a list of fields with
//! values, as an address, as JSON inside a text.
//!
//! All that an entry says is honored, or none of it: a field that is neither known to be about the entry nor a part of a
//! search, a condition other than equality, two answers to one question make it unreadable. A search run without one of its
//! filters would silently be another search.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::{Map, Value};

use lode_core::contact::{Corpus, Side, Source};
use lode_core::filter::{Filter, Match};
use lode_core::query::Query;

use crate::wire::json as loose;

use super::super::guesses::SAVED;

pub(super) fn read(entry: &Value) -> Option<Query> {
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
            let about = SAVED.about.contains(&name.as_str()) || name.ends_with("_at") || name == "title" && !has_name;
            let place = SAVED.place.contains(&name.as_str());
            if about || is_empty(value) {
                continue;
            }
            if let Some(inner) = map_of(value).filter(|_| place) {
                let whole = SAVED.filters.iter().any(|name| inner.contains_key(*name));
                if whole { self.entry(&inner)? } else { self.fields(&inner)? }
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

    fn fields(&mut self, fields: &Map<String, Value>) -> Option<()> {
        fields.iter().filter(|(_, value)| !is_empty(value)).try_for_each(|(name, value)| self.field(name, value))
    }

    fn address(&mut self, address: &str, pairs: Vec<(String, String)>) -> Option<()> {
        if !address.is_empty() {
            self.at_address(address)?;
        }
        pairs.into_iter().try_for_each(|(name, value)| self.field(&name, &Value::String(value)))
    }

    fn field(&mut self, name: &str, value: &Value) -> Option<()> {
        match name {
            "limit" | "offset" => {}
            "corpus" => self.on_corpus(named(value.as_str()?)?)?,
            "source" => match (named(value.as_str()?), named(value.as_str()?)) {
                (Some(corpus), _) => self.on_corpus(corpus)?,
                (None, source) => self.on_source(source?)?,
            },
            // A page on which one may look at it is no search.
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
            let name = SAVED.field.iter().find(|at| fields.contains_key(**at))?;
            let value = SAVED.value.iter().find(|at| fields.contains_key(**at))?;
            let named = fields[*name].as_str()?;
            for (other, said) in fields.iter().filter(|(at, _)| at != name && at != value) {
                match other.as_str() {
                    "id" | "label" => {}
                    operator if SAVED.operator.contains(&operator) => {
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

    fn at_address(&mut self, address: &str) -> Option<()> {
        let (source, corpus) = search_at(address)?;
        corpus.map_or(Some(()), |corpus| self.on_corpus(corpus))?;
        self.on_source(source)
    }

    fn on_corpus(&mut self, corpus: Corpus) -> Option<()> {
        (*self.corpus.get_or_insert(corpus) == corpus).then_some(())
    }

    fn on_source(&mut self, source: Source) -> Option<()> {
        (*self.source.get_or_insert(source) == source).then_some(())
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
        // An entry that names no source and no filter is no search of everything.
        let said = !self.fields.is_empty() || self.source == Some(Source::Workspace);
        (known && said && query.ready().is_ok()).then_some(query)
    }
}

/// One filter more: only the industry takes several values, any other must be said the same each time.
fn add(query: &mut Query, filter: Filter, texts: &[String]) -> Option<()> {
    for text in texts.iter().filter(|text| !text.trim().is_empty()) {
        if filter.matching() == Match::AnyOf {
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
    is(SAVED.equals) || is(SAVED.any_of) || is(SAVED.contains) && matches!(matching, Some(Match::Text | Match::AnyOf))
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
        Value::String(text) if is_json(text) => serde_json::from_str(text).ok().map(Cow::Owned),
        _ => None,
    }
}

/// A search kept whole in one field: as an address.
fn link_of(value: &Value) -> Option<(&str, Vec<(String, String)>)> {
    let text = value.as_str().filter(|text| text.contains('=') && !is_json(text))?;
    let (address, pairs) = text.split_once('?').unwrap_or(("", text));
    Some((address, pairs_of(pairs)?))
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

fn pairs_of(text: &str) -> Option<Vec<(String, String)>> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=')?;
            Some((decoded(name)?, decoded(value)?))
        })
        .collect()
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
