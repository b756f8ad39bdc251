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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Corpus, Side};
    use crate::exclude::ExclusionKind;

    #[test]
    fn the_line_survives_the_shell() {
        let mut query = Query::new(Side::default());
        query.set(Filter::Title, "director's aide; rm -rf").unwrap();
        query.set(Filter::Industry, "hospital, clinic").unwrap();
        query.hide_owned = true;
        query.not.add(ExclusionKind::Company, "Smith & Co").unwrap();
        assert_eq!(
            search(&query),
            r"lode search --source workspace --corpus us --title 'director'\''s aide; rm -rf' --industry hospital,clinic --not-company 'Smith & Co' --exclude-unlocked"
        );
    }

    #[test]
    fn several_values_are_a_flag_each_and_keep_their_commas() {
        let mut query = Query::new(Side::default());
        for title in ["nurse", "director, nursing"] {
            query.add(Filter::Title, title).unwrap();
        }
        assert_eq!(
            search(&query),
            "lode search --source workspace --corpus us --title nurse --title 'director, nursing'"
        );
    }

    #[test]
    fn a_switch_of_another_service_is_not_in_it() {
        let mut query = Query::new(Side { source: Source::Data, corpus: Corpus::Us });
        query.set(Filter::EmailDomainType, "edu").unwrap();
        (query.dedup, query.hide_owned) = (false, true);
        assert_eq!(search(&query), "lode search --source data --corpus us --email-domain-type edu --no-dedup");
    }
}
