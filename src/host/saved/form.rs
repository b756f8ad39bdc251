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

use super::*;

/// Reads a file; the error is a sentence with its line.
pub fn read(text: &str) -> Result<SavedSearch, String> {
    parse(Path::new(""), text, search).map_err(|problem| match problem.place {
        Some(place) => format!("line {}: {}", place.line, problem.words),
        None => problem.words,
    })
}

fn search(file: &Setting<'_>) -> Read<SavedSearch> {
    const NOT_A_TEXT: &str = "a value is a text in quotes";
    let settings = file.entries()?;
    let find = |name: &str| settings.iter().find(|setting| setting.name == name);
    // The files travel by git and by mail: what they say is shown and sent, so it is scrubbed like anything from outside.
    let word = |name: &str, missing: &str| {
        let text = find(name).and_then(|setting| setting.item.as_str()).map(|text| scrub(text).trim().to_owned());
        text.filter(|text| !text.is_empty()).ok_or_else(|| ConfigProblem::new(missing, ""))
    };
    let name = word("name", "it has no name")?;
    let source = word("source", "it has no source: write source = \"…\"")?;
    let corpus = word("corpus", "it has no corpus: write corpus = \"…\"")?;
    let mut query = Query::new(Side {
        source: source.parse().map_err(|wrong| ConfigProblem::new(format!("source: {wrong}"), ""))?,
        corpus: corpus.parse().map_err(|wrong| ConfigProblem::new(format!("corpus: {wrong}"), ""))?,
    });
    let flag = |name: &str, usual: bool| find(name).map_or(Ok(usual), Setting::flag);
    query.hide_owned = flag("exclude_unlocked", false)?;
    query.hide_pulled = flag("exclude_pulled", false)?;
    query.dedup = flag("dedup", true)?;
    let entries = |name: &str| find(name).map_or(Ok(Vec::new()), Setting::entries);
    let wrong = |entry: &Setting<'_>, words: &str| entry.wrong(format!("{}: {words}", entry.name));
    for entry in entries("filters")? {
        let filter = Filter::named(entry.name).ok_or_else(|| wrong(&entry, "unknown filter"))?;
        if let Some(one) = entry.item.as_str() {
            query.set(filter, &scrub(one)).map_err(|problem| wrong(&entry, &problem.to_string()))?;
            continue;
        }
        for one in entry.strings().ok_or_else(|| wrong(&entry, NOT_A_TEXT))? {
            query.add(filter, &scrub(&one)).map_err(|problem| wrong(&entry, &problem.to_string()))?;
        }
    }
    for entry in entries("exclude")? {
        let kind = ExclusionKind::named(entry.name)
            .ok_or_else(|| wrong(&entry, "exclusions are title, company_word, company, domain or list"))?;
        if !entry.item.is_array() {
            return Err(wrong(&entry, "write a list of texts: [\"intern\"]"));
        }
        for one in entry.strings().ok_or_else(|| wrong(&entry, NOT_A_TEXT))? {
            query.not.add(kind, &scrub(&one)).map_err(|problem| wrong(&entry, &problem.to_string()))?;
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
    let left_out = ExclusionKind::ALL.map(|kind| (kind.name(), saved.query.not.values(kind).collect::<Array>()));
    let left_out: Table = left_out.into_iter().filter(|(_, values)| !values.is_empty()).collect();
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
