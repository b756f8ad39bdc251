//! Saved searches as lines: the list, and one of them.

use serde_json::{Map, Value};

use crate::ops::output::shapes::SavedLine;
use crate::ops::output::table::{number, text};
use crate::ops::output::{Format, Lines, json, moment};
use lode_core::credits::grouped;
use lode_core::exclude::Kind;
use lode_core::query::Query;
use lode_core::shell_line;
use lode_engine::effect::Effect;
use lode_engine::flow::saved::Change;
use lode_engine::flow::saved::merge::Entry;

pub(super) fn list(entries: &[Entry], format: Format, fx: &mut Vec<Effect>) {
    let columns = vec![
        text("NAME", 6, 32),
        text("SEARCH", 10, 18),
        text("FILTERS", 10, 60),
        text("WHERE", 7, 7),
        number("TOTAL"),
        text("LAST RUN", 10, 20),
    ];
    let mut lines = Lines::new(format, columns);
    lines.print(entries, line, entry_cells, fx);
    if lines.is_table() && entries.is_empty() {
        fx.push(Effect::Warn("no saved searches yet; see `lode saved add --help`".to_owned()));
    }
}

pub(super) fn show(entry: &Entry, format: Format, fx: &mut Vec<Effect>) {
    if let Format::Json = format {
        return fx.push(Effect::Print(line(entry)));
    }
    let mut say = |title: &str, what: String| fx.push(Effect::Print(format!("{title:<10} {what}")));
    say("name", entry.name.clone());
    say("lives", entry.home.name().to_owned());
    match &entry.query {
        Ok(query) => {
            say("search", query.side.to_string());
            say("filters", query.words());
            say("command", shell_line::search(query));
        }
        Err(trouble) => say("unreadable", trouble.clone()),
    }
    if let Some(total) = entry.total {
        say("total", grouped(total));
    }
    if let Some(at) = entry.last_run {
        say("last run", moment(at));
    }
}

pub(super) fn done(change: &Change) -> String {
    match change {
        Change::Add { name, .. } => format!("saved `{name}`; `lode saved run {name}` runs it"),
        Change::Rename { old, new } => format!("renamed `{old}` to `{new}`"),
        Change::Remove { name } => format!("removed `{name}`"),
    }
}

fn filters(query: &Query) -> Map<String, Value> {
    let mut filters = Map::new();
    for (name, value) in query.params() {
        // A name that comes again has several values.
        match filters.get_mut(name) {
            None => drop(filters.insert(name.to_owned(), Value::from(value))),
            Some(Value::Array(values)) => values.push(Value::from(value)),
            Some(one) => *one = Value::Array(vec![one.take(), Value::from(value)]),
        }
    }
    filters
}

fn exclude(query: &Query) -> Option<Map<String, Value>> {
    let kinds = Kind::ALL.into_iter().filter_map(|kind| {
        let values: Vec<&str> = query.not.values(kind).collect();
        (!values.is_empty()).then(|| (kind.name().to_owned(), Value::from(values)))
    });
    let map: Map<String, Value> = kinds.collect();
    (!map.is_empty()).then_some(map)
}

fn line(entry: &Entry) -> String {
    let query = entry.query.as_ref().ok();
    let side = query.map(|query| query.side);
    json::line(&SavedLine {
        name: entry.name.clone(),
        source: side.map(|side| side.source.name()),
        corpus: side.map(|side| side.corpus.name()),
        filters: query.map(filters),
        exclude: query.and_then(exclude),
        home: entry.home.name(),
        total: entry.total,
        last_run: entry.last_run.map(moment),
        unreadable: entry.query.as_ref().err().cloned(),
    })
}

fn entry_cells(entry: &Entry) -> Vec<String> {
    let (search, filters) = match &entry.query {
        Ok(query) => (query.side.to_string(), query.words()),
        Err(trouble) => (String::new(), format!("unreadable: {trouble}")),
    };
    vec![
        entry.name.clone(),
        search,
        filters,
        entry.home.name().to_owned(),
        entry.total.map_or_else(String::new, grouped),
        entry.last_run.map_or_else(String::new, moment),
    ]
}
