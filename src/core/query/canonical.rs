//! A search as one line: as the history knows it, and as a person made it.

use crate::contact::Side;
use crate::exclude::Kind;
use crate::filter::Filter;

use super::Query;

impl Query {
    /// Whether the service is asked the same.
    pub fn asks_as(&self, other: &Query) -> bool {
        self.canonical() == other.canonical()
    }

    /// The [`canonical`](Query::canonical) line with what is left out on this side: the search as a person made it.
    pub fn written(&self) -> String {
        let mut line = self.canonical();
        for (kind, value) in self.not.iter() {
            line.push_str(&format!("&!{}={}", kind.name(), escaped(value)));
        }
        line
    }

    /// One line that says the same for every query that asks the service the same: the key of the history and of snapshots.
    pub fn canonical(&self) -> String {
        let mut line = format!("{}/{}", self.side.source, self.side.corpus);
        for (name, value) in self.params() {
            line.push_str(&format!("&{name}={}", escaped(&value)));
        }
        line
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
                name if name.starts_with('!') => {
                    query.not.add(Kind::named(&name[1..])?, value).ok()?;
                }
                name => match Filter::named(name)? {
                    filter if query.values(filter).is_empty() => query.set(filter, value).ok()?,
                    filter => query.add(filter, value).ok()?,
                },
            }
        }
        Some(query)
    }
}

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
