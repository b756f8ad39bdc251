//! How a saved search is written:
//!
//! ```toml
//! name = "Directors of nursing in Texas"
//! source = "workspace"
//! corpus = "us"
//! exclude_unlocked = true
//!
//! [filters]
//! title = "director of nursing"
//! industry = ["hospital", "clinic"]
//! state = ["TX", "OK"]
//!
//! [exclude]
//! title = ["intern"]
//! ```
//!
//! Everything else in a file is its owner's and stays.

use toml_edit::{Array, Document, DocumentMut, Item, Table, Value};

use crate::config::edit::set;
use lode_core::{ExclusionKind, Filter, Query, SavedSearch, Side, Source, scrub};

/// Reads a file; the error is a sentence with its line.
pub fn read(text: &str) -> Result<SavedSearch, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = Document::parse(text).map_err(|error| {
        let words = error.message().lines().next().unwrap_or("this cannot be read");
        on_line(text, error.span(), words)
    })?;
    // The files travel by git and by mail: what they say is shown and sent, so it is scrubbed like anything from outside.
    let string = |name: &str| {
        let text = document.get(name).and_then(Item::as_str).map(|text| scrub(text).trim().to_owned());
        text.filter(|text| !text.is_empty())
    };
    let name = string("name").ok_or("it has no name")?;
    let word = |name: &'static str| string(name).ok_or_else(|| format!("it has no {name}: write {name} = \"…\""));
    let side = Side {
        source: word("source")?.parse().map_err(|wrong| format!("source: {wrong}"))?,
        corpus: word("corpus")?.parse().map_err(|wrong| format!("corpus: {wrong}"))?,
    };
    let mut query = Query::new(side);
    let flag = |name: &str, usual: bool| match document.get(name) {
        None => Ok(usual),
        Some(item) => item.as_bool().ok_or_else(|| on_line(text, item.span(), &format!("`{name}` is true or false"))),
    };
    query.hide_owned = flag("exclude_unlocked", false)?;
    query.hide_pulled = flag("exclude_pulled", false)?;
    query.dedup = flag("dedup", true)?;
    let entries = |name: &str| match document.get(name) {
        None => Ok(Vec::new()),
        Some(item) => match item.as_table_like() {
            Some(table) => Ok(table.iter().collect()),
            None => Err(on_line(text, item.span(), &format!("`{name}` is a table"))),
        },
    };
    for (name, item) in entries("filters")? {
        let wrong = |words: &str| on_line(text, item.span(), &format!("{name}: {words}"));
        let filter = Filter::named(name).ok_or_else(|| wrong("there is no such filter"))?;
        match (item.as_str(), item.as_array()) {
            (Some(one), _) => query.set(filter, &scrub(one)).map_err(|problem| wrong(&problem.to_string()))?,
            (None, Some(several)) => {
                for one in several {
                    let one = one.as_str().ok_or_else(|| wrong("a value is a text in quotes"))?;
                    query.add(filter, &scrub(one)).map_err(|problem| wrong(&problem.to_string()))?;
                }
            }
            _ => return Err(wrong("a value is a text in quotes")),
        }
    }
    for (name, item) in entries("exclude")? {
        let wrong = |words: &str| on_line(text, item.span(), &format!("{name}: {words}"));
        let kind = ExclusionKind::named(name)
            .ok_or_else(|| wrong("exclusions are title, company_word, company, domain or list"))?;
        let several = item.as_array().ok_or_else(|| wrong("write a list of texts: [\"intern\"]"))?;
        for one in several {
            let one = one.as_str().ok_or_else(|| wrong("a value is a text in quotes"))?;
            query.not.add(kind, &scrub(one)).map_err(|problem| wrong(&problem.to_string()))?;
        }
    }
    Ok(SavedSearch::new(name, query))
}

/// The name of the search in a file that cannot be read otherwise.
pub fn name(text: &str) -> Option<String> {
    let named = |line: &str| -> Option<String> {
        let line = Document::parse(line).ok()?;
        Some(scrub(line.get("name")?.as_str()?).trim().to_owned()).filter(|name| !name.is_empty())
    };
    // Below the first heading a name is a filter.
    text.lines().take_while(|line| !line.trim_start().starts_with('[')).find_map(named)
}

fn on_line(text: &str, span: Option<std::ops::Range<usize>>, words: &str) -> String {
    let before = span.and_then(|span| text.get(..span.start)).unwrap_or("");
    format!("line {}: {}", before.matches('\n').count() + 1, scrub(words))
}

/// The text of a file with this search in it. What it says already is kept as it is written.
pub fn changed(text: &str, saved: &SavedSearch) -> String {
    // Asking the same and hiding the same, whatever waits.
    let same = |there: SavedSearch| there.name == saved.name && there.query.written() == saved.query.written();
    if read(text).is_ok_and(same) {
        return text.to_owned();
    }
    let mut document: DocumentMut = text.parse().unwrap_or_default();
    let Query { side, hide_owned, hide_pulled, dedup, .. } = saved.query;
    set(&mut document, "name", saved.name.as_str());
    set(&mut document, "source", side.source.name());
    set(&mut document, "corpus", side.corpus.name());
    let flags = [
        ("exclude_unlocked", hide_owned, hide_owned && side.source == Source::Workspace),
        ("exclude_pulled", hide_pulled, hide_pulled && side.source == Source::Data),
        ("dedup", dedup, !dedup && side.source == Source::Data),
    ];
    for (name, flag, said) in flags {
        if said {
            set(&mut document, name, flag);
        } else {
            document.remove(name);
        }
    }
    let mut left_out = Table::new();
    for kind in ExclusionKind::ALL {
        let values: Array = saved.query.not.values(kind).collect();
        if !values.is_empty() {
            left_out.insert(kind.name(), Item::Value(values.into()));
        }
    }
    if left_out.is_empty() {
        document.remove("exclude");
    } else {
        document.insert("exclude", Item::Table(left_out));
    }
    if !document.get("filters").is_some_and(Item::is_table) {
        document.insert("filters", Item::Table(Table::new()));
    }
    if let Some(table) = document.get_mut("filters").and_then(Item::as_table_mut) {
        table.retain(|name, _| saved.query.filters().any(|(filter, _)| filter.name() == name));
        for (filter, values) in saved.query.filters() {
            let value = match values {
                [one] => Value::from(one.as_str()),
                several => several.iter().map(String::as_str).collect::<Array>().into(),
            };
            set(table, filter.name(), value);
        }
    }
    document.to_string()
}
