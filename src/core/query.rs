//! A search as a value: a side, its filters, and what it hides. It gives the request, the canonical form for the history,
//! the words on the screen, and the *speed class*: whether the service answers at once or scans.
//!
//! A filter may hold several values. The services take one of each but `industry`: such a search runs as its `legs`.

use std::collections::BTreeMap;

use crate::codes;
use crate::contact::{Side, Source};
use crate::credits::counted;
use crate::exclude::{ExclusionKind, Exclusions};
use crate::filter::{Filter, MatchKind};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Query {
    pub side: Side,
    /// Never an empty list, never an empty value. Filters of another side that this one does not document wait visibly and are
    /// not sent.
    all: BTreeMap<Filter, Vec<String>>,
    /// `exclude_unlocked=1` (Workspace).
    pub hide_owned: bool,
    /// `exclude_pulled=1` (Data).
    pub hide_pulled: bool,
    /// `dedup` (Data); the service's default is on.
    pub dedup: bool,
    /// What is left out on this side. Not sent, and so no part of [`canonical`](Query::canonical).
    pub not: Exclusions,
}

/// How long the service will take, known before asking (S5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    Fast,
    /// Only location or email type: the whole corpus is scanned.
    Slow,
    Unknown,
}

/// Why a query is not sent, or a value not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryProblem {
    #[error("the Data API needs a query or at least one filter")]
    Empty,
    #[error("`{0}` is not available for this search")]
    NotHere(&'static str),
    #[error("an industry cannot contain a comma: the service reads it as two values")]
    Comma,
    #[error("`{typed}` is not a value of {name}: it takes {list}", name = filter.label(), list = list.join(", "))]
    NotListed { filter: Filter, typed: String, list: &'static [&'static str], nearest: Option<&'static str> },
    #[error("these values make {}; at most {} run as one: remove some values", counted(*.0 as u64, "search"), MOST_LEGS)]
    TooManyLegs(usize),
    #[error("the value of {name} is longer than 500 characters", name = .0.label())]
    TooLong(Filter),
}

/// The most characters of one value of a filter. The error above spells it.
pub const LONGEST_VALUE: usize = 500;

impl Default for Query {
    fn default() -> Query {
        Query::new(Side::default())
    }
}

impl Query {
    pub fn new(side: Side) -> Query {
        let (all, not) = (BTreeMap::new(), Exclusions::default());
        Query { side, all, hide_owned: false, hide_pulled: false, dedup: true, not }
    }

    /// Whether the search of this side documents a filter.
    fn documents(&self, filter: Filter) -> bool {
        Filter::of(self.side).contains(&filter)
    }

    pub fn values(&self, filter: Filter) -> &[String] {
        self.all.get(&filter).filter(|_| self.documents(filter)).map_or(&[], Vec::as_slice)
    }

    pub fn value(&self, filter: Filter) -> Option<&str> {
        self.values(filter).first().map(String::as_str)
    }

    pub fn filters(&self) -> impl Iterator<Item = (Filter, &[String])> {
        self.every().filter(|(filter, _)| self.documents(*filter))
    }

    pub fn waiting(&self) -> impl Iterator<Item = (Filter, &[String])> {
        self.every().filter(|(filter, _)| !self.documents(*filter))
    }

    fn every(&self) -> impl Iterator<Item = (Filter, &[String])> {
        self.all.iter().map(|(filter, values)| (*filter, values.as_slice()))
    }

    pub fn is_unfiltered(&self) -> bool {
        self.filters().next().is_none()
    }

    /// Sets a filter to one value; an empty one clears it. For [`MatchKind::AnyOf`] the commas of `text` separate values, in any other
    /// filter a comma is part of the value.
    pub fn set(&mut self, filter: Filter, text: &str) -> Result<(), QueryProblem> {
        if !self.documents(filter) {
            return Err(QueryProblem::NotHere(filter.name()));
        }
        let parts = if filter.matching() == MatchKind::AnyOf { text.split(',').collect() } else { vec![text] };
        let parts = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
        let values: Vec<String> = parts.map(str::to_owned).collect();
        self.clear(filter);
        self.all.extend((!values.is_empty()).then_some((filter, values)));
        Ok(())
    }

    /// Adds one value to those that a filter has.
    pub fn add(&mut self, filter: Filter, value: &str) -> Result<(), QueryProblem> {
        if !self.documents(filter) {
            return Err(QueryProblem::NotHere(filter.name()));
        }
        let value = value.trim();
        let several = filter.matching() == MatchKind::AnyOf;
        if several && value.contains(',') {
            return Err(QueryProblem::Comma);
        }
        // The services compare without regard to case: the same value twice would be one search twice.
        let same = |known: &String| known == value || !several && known.to_lowercase() == value.to_lowercase();
        if !value.is_empty() && !self.all.get(&filter).is_some_and(|values| values.iter().any(same)) {
            self.all.entry(filter).or_default().push(value.to_owned());
        }
        Ok(())
    }

    /// Puts another value in the place of one of several; an empty one takes it out.
    pub fn replace(&mut self, filter: Filter, at: usize, value: &str) -> Result<(), QueryProblem> {
        let value = value.trim();
        if filter.matching() == MatchKind::AnyOf && value.contains(',') {
            return Err(QueryProblem::Comma);
        }
        let Some(values) = self.all.get_mut(&filter).filter(|values| at < values.len()) else { return Ok(()) };
        if value.is_empty() || values.iter().enumerate().any(|(place, known)| place != at && known == value) {
            values.remove(at);
        } else {
            value.clone_into(&mut values[at]);
        }
        self.all.retain(|_, values| !values.is_empty());
        Ok(())
    }

    pub fn clear(&mut self, filter: Filter) {
        self.all.remove(&filter);
    }

    /// No filter any more; what is hidden stays hidden.
    pub fn clear_all(&mut self) {
        self.all.clear();
    }

    /// The same search on another side: filters that exist there carry over, the others wait.
    pub fn on(&self, side: Side) -> Query {
        Query { side, ..self.clone() }
    }

    /// Whether it can be sent as it stands (S4): it says something, each value is of a reasonable length, and on the Data API
    /// one of its documented list.
    pub fn ready(&self) -> Result<(), QueryProblem> {
        let is_data = self.side.source == Source::Data;
        if is_data && self.is_unfiltered() {
            return Err(QueryProblem::Empty);
        }
        if self.leg_count() > MOST_LEGS {
            return Err(QueryProblem::TooManyLegs(self.leg_count()));
        }
        for (filter, value) in self.each_value() {
            if value.chars().count() > LONGEST_VALUE {
                return Err(QueryProblem::TooLong(filter));
            }
            if let MatchKind::OneOf(list) = filter.matching()
                && is_data
                && !list.contains(&value)
            {
                let (typed, nearest) = (value.to_owned(), codes::nearest(value, list));
                return Err(QueryProblem::NotListed { filter, typed, list, nearest });
            }
        }
        Ok(())
    }

    /// For each filter whose value is not one that the service will know: the value that was probably meant.
    pub fn likely(&self) -> Vec<(Filter, &'static str)> {
        self.each_value().filter_map(|(filter, value)| Some((filter, codes::value(filter, value)?))).collect()
    }

    fn each_value(&self) -> impl Iterator<Item = (Filter, &str)> {
        self.filters().flat_map(|(filter, values)| values.iter().map(move |value| (filter, value.as_str())))
    }

    pub fn speed(&self) -> Speed {
        use Filter::*;
        if self.filters().any(|(filter, _)| matches!(filter, Query | Industry)) {
            return Speed::Fast;
        }
        let scans = [State, City, County, Zip, Address, EmailDomainType, EmailStatus];
        let scans_only = !self.is_unfiltered() && self.filters().all(|(filter, _)| scans.contains(&filter));
        if scans_only { Speed::Slow } else { Speed::Unknown }
    }

    /// The filter parameters as the documents spell them, in the catalog's order, without paging. One name comes more than once
    /// where the search has legs: only a leg is sent.
    pub fn params(&self) -> Vec<(&'static str, String)> {
        let mut params: Vec<(&'static str, String)> = Vec::new();
        for (filter, values) in self.filters() {
            match filter.matching() {
                MatchKind::AnyOf => params.push((filter.name(), values.join(","))),
                _ => params.extend(values.iter().map(|value| (filter.name(), value.clone()))),
            }
        }
        let switches = match self.side.source {
            Source::Workspace => [(self.hide_owned, "exclude_unlocked", "1"), (false, "", "")],
            Source::Data => [(!self.dedup, "dedup", "0"), (self.hide_pulled, "exclude_pulled", "1")],
        };
        let set = switches.into_iter().filter(|(is_set, ..)| *is_set);
        params.extend(set.map(|(_, name, value)| (name, value.to_owned())));
        params
    }

    /// As said on the screen: `title: director of nursing · industry: hospital or clinic · state: TX`.
    pub fn words(&self) -> String {
        let filters = self.filters().map(|(filter, values)| format!("{}: {}", filter.label(), values.join(" or ")));
        let mut words: Vec<String> = filters.collect();
        if words.is_empty() {
            words.push("all contacts".to_owned());
        }
        words.extend(self.not.iter().map(|(_, value)| format!("not {value}")));
        words.join(" · ")
    }

    /// Whether the service is asked the same.
    pub fn asks_as(&self, other: &Query) -> bool {
        self.canonical() == other.canonical()
    }

    /// The [`canonical`](Query::canonical) line with what is left out on this side: the search as a person made it.
    pub fn written(&self) -> String {
        let add = |line, (kind, value): (ExclusionKind, &str)| format!("{line}&!{}={}", kind.name(), escaped(value));
        self.not.iter().fold(self.canonical(), add)
    }

    /// One line that says the same for every query that asks the service the same: the key of the history and of snapshots.
    pub fn canonical(&self) -> String {
        let side = format!("{}/{}", self.side.source, self.side.corpus);
        self.params().iter().fold(side, |line, (name, value)| format!("{line}&{name}={}", escaped(value)))
    }

    /// Reads a [`canonical`](Query::canonical) or a [`written`](Query::written) line back.
    pub fn from_canonical(line: &str) -> Option<Query> {
        let mut parts = split_unescaped(line).into_iter();
        let (source, corpus) = parts.next()?.split_once('/').map(|(s, c)| (s.to_owned(), c.to_owned()))?;
        let mut query = Query::new(Side { source: source.parse().ok()?, corpus: corpus.parse().ok()? });
        for part in parts {
            let (name, value) = part.split_once('=')?;
            match name {
                "exclude_unlocked" => query.hide_owned = true,
                "exclude_pulled" => query.hide_pulled = true,
                "dedup" => query.dedup = value != "0",
                name if name.starts_with('!') => _ = query.not.add(ExclusionKind::named(&name[1..])?, value).ok()?,
                name => match Filter::named(name)? {
                    filter if query.values(filter).is_empty() => query.set(filter, value).ok()?,
                    filter => query.add(filter, value).ok()?,
                },
            }
        }
        Some(query)
    }

    /// The filters that are sent once for each of their values.
    fn split(&self) -> impl Iterator<Item = (Filter, &[String])> {
        self.filters().filter(|(filter, values)| values.len() > 1 && filter.matching() != MatchKind::AnyOf)
    }

    /// How many searches this is.
    pub fn leg_count(&self) -> usize {
        self.split().fold(1, |count, (_, values)| count.saturating_mul(values.len()))
    }

    pub fn has_legs(&self) -> bool {
        self.split().next().is_some()
    }

    /// Each combination of values as a search of its own, in the order of the filters and of their values. A search with one
    /// value of each is its only leg.
    pub fn legs(&self) -> Vec<Query> {
        let mut legs = vec![self.clone()];
        for (filter, values) in self.split() {
            let with = |leg: &Query, value: &String| {
                let mut leg = leg.clone();
                leg.all.insert(filter, vec![value.clone()]);
                leg
            };
            legs = legs.iter().flat_map(|leg| values.iter().map(|value| with(leg, value))).take(MOST_LEGS).collect();
        }
        legs
    }

    /// Whether two legs can have a contact in common: a text may hold both of two values, a field that matches exactly has one.
    pub fn overlaps(&self) -> bool {
        self.split().any(|(filter, _)| filter.matching() == MatchKind::Text)
    }

    /// What tells one of the legs from the others: `nurse TX`. Empty where there is only one.
    pub fn leg_name(&self, leg: &Query) -> String {
        let values: Vec<&str> = self.split().filter_map(|(filter, _)| leg.value(filter)).collect();
        values.join(" ")
    }
}

// A search as one line: as the history knows it, and as a person made it.

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('&', "\\&")
}

fn split_unescaped(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => parts.last_mut().unwrap().extend(chars.next()),
            '&' => parts.push(String::new()),
            c => parts.last_mut().unwrap().push(c),
        }
    }
    parts
}

// A search with several values as its *legs*: one search for each combination, one shown after the other.
//
// The services take one value of each filter but `industry`. Whether two legs can have a contact in common is known from how
// their filters match; how legs are read and shown is the business of `flow::search`.

/// Legs that one search has at most.
pub const MOST_LEGS: usize = 60;

/// With more legs than this, a person is asked first.
pub const ASKED_ABOVE: usize = 10;
