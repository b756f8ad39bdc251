//! A search as the line that asks the same in a shell: what `y c` copies, what `lode saved show` prints.
//!
//! The names of the flags are decided here, because screen and shell both name them; they are read in
//! `ops::filters`.

use super::contact::Source;
use super::filter::{Filter, MatchKind};
use super::query::Query;

/// `email_domain_type` → `email-domain-type`
pub fn flag(filter: Filter) -> String {
    filter.name().replace('_', "-")
}

/// `lode search` with the same filters.
pub fn search(query: &Query) -> String {
    filtered(format!("lode search --source {} --corpus {}", query.side.source, query.side.corpus), query)
}

/// `lode match` of a list with the same filters.
pub fn matching(list: &str, query: &Query) -> String {
    let list = quoted(list);
    filtered(format!("lode match {list} --source {} --corpus {}", query.side.source, query.side.corpus), query)
}

/// `lode export` of everything that the search matches, in the same form.
pub fn export(query: &Query, form: &str) -> String {
    filtered(format!("lode export --corpus {} --format {}", query.side.corpus, quoted(form)), query)
}

fn filtered(mut line: String, query: &Query) -> String {
    for (filter, values) in query.filters() {
        let written = if filter.matching() == MatchKind::AnyOf { vec![values.join(",")] } else { values.to_vec() };
        written.iter().for_each(|value| line.push_str(&format!(" --{} {}", flag(filter), quoted(value))));
    }
    let switches = match query.side.source {
        Source::Workspace => [(query.hide_owned, " --exclude-unlocked"), (false, "")],
        Source::Data => [(query.hide_pulled, " --exclude-pulled"), (!query.dedup, " --no-dedup")],
    };
    for (kind, value) in query.not.iter() {
        line.push_str(&format!(" --{} {}", kind.flag(), quoted(value)));
    }
    switches.iter().filter(|(set, _)| *set).for_each(|(_, flag)| line.push_str(flag));
    line
}

/// A word that a shell reads as one.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-,/@:+".contains(c);
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('-') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
