//! One list of the searches kept here and those the service keeps. Pure: the two lists go in, one comes out, and where each
//! search lives is decided each time, because either side may have changed meanwhile.

use std::collections::BTreeSet;

use crate::domain::query::Query;
use crate::domain::saved::{Home, RemoteSaved, Saved};
use crate::domain::time::Wall;

/// A saved search as it is listed.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub name: String,
    /// None where its filters cannot be read: it is shown, and cannot run.
    pub query: Option<Query>,
    pub home: Home,
    pub total: Option<u64>,
    pub last_run: Option<Wall>,
    /// Why it cannot be read.
    pub trouble: Option<String>,
    /// The service's own entry, where its list was read and has one.
    pub remote: Option<RemoteSaved>,
}

pub(super) fn merge(
    local: &[Saved],
    unreadable: &[(String, String)],
    remote: Option<&[RemoteSaved]>,
    hidden: &BTreeSet<String>,
) -> Vec<Entry> {
    let mut left: Vec<&RemoteSaved> =
        remote.unwrap_or_default().iter().filter(|entry| !hidden.contains(&entry.key())).collect();
    let mut entries: Vec<Entry> = Vec::new();
    for saved in local {
        let theirs = find(saved, &left).map(|at| left.remove(at));
        let home = match (&saved.home, theirs, remote) {
            (_, Some(RemoteSaved { id: Some(id), .. }), _) => Home::Both { id: id.clone() },
            (_, Some(_), _) => Home::Both { id: String::new() },
            // The list was not read: the file's word stands.
            (home, None, None) => home.clone(),
            (_, None, Some(_)) => Home::Local,
        };
        entries.push(Entry {
            name: saved.name.clone(),
            query: Some(saved.query.clone()),
            home,
            total: saved.total,
            last_run: saved.last_run,
            trouble: None,
            remote: theirs.cloned(),
        });
    }
    for (name, reason) in unreadable {
        entries.push(Entry {
            name: name.clone(),
            query: None,
            home: Home::Local,
            total: None,
            last_run: None,
            trouble: Some(reason.clone()),
            remote: None,
        });
    }
    for theirs in left {
        let trouble = theirs.query.is_none().then(|| "its filters cannot be read here".to_owned());
        entries.push(Entry {
            name: unused(&theirs.name, &entries),
            query: theirs.query.clone(),
            home: Home::Service { id: theirs.id.clone().unwrap_or_default() },
            total: None,
            last_run: None,
            trouble,
            remote: Some(theirs.clone()),
        });
    }
    entries.sort_by(|one, two| one.name.cmp(&two.name));
    entries
}

/// The service's copy of a local search: the one with the id it was kept under, if it has the name or asks the same (an id may
/// have been given to another search since), else one of the same name that asks the same.
fn find(saved: &Saved, left: &[&RemoteSaved]) -> Option<usize> {
    let known = match &saved.home {
        Home::Both { id } | Home::Service { id } => Some(id),
        Home::Local => None,
    };
    let named = |entry: &RemoteSaved| entry.name == saved.name;
    let asks = |entry: &RemoteSaved| entry.query.as_ref().is_some_and(|query| same_there(query, &saved.query));
    let by_id = known
        .and_then(|id| left.iter().position(|entry| entry.id.as_ref() == Some(id) && (named(entry) || asks(entry))));
    by_id.or_else(|| left.iter().position(|entry| named(entry) && asks(entry)))
}

/// Whether the service keeps both as the same: it has no word for whose search it is.
pub(super) fn same_there(one: &Query, other: &Query) -> bool {
    one.side.corpus == other.side.corpus && one.params() == other.params()
}

/// Whether both are the same entry, read at two times: fields like the moment of its last use may have changed meanwhile.
pub(super) fn same_entry(one: &RemoteSaved, other: &RemoteSaved) -> bool {
    let asks = match (&one.query, &other.query) {
        (Some(one), Some(other)) => same_there(one, other),
        // What neither a name nor a readable search tells apart, only its text does.
        (None, None) => !one.name.is_empty() || one.raw == other.raw,
        _ => false,
    };
    one.name == other.name && asks
}

/// Names are how a person says which one, so two entries never share one.
fn unused(name: &str, entries: &[Entry]) -> String {
    let name = if name.trim().is_empty() { "unnamed" } else { name };
    let taken = |name: &str| entries.iter().any(|entry| entry.name == name);
    if !taken(name) {
        return name.to_owned();
    }
    let mut number = 1;
    loop {
        let candidate = if number == 1 { format!("{name} (service)") } else { format!("{name} (service {number})") };
        if !taken(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contact::{Side, Source};
    use crate::domain::filter::Filter;

    fn query(title: &str) -> Query {
        let mut query = Query::new(Side::default());
        query.set(Filter::Title, title).unwrap();
        query
    }

    fn local(name: &str, title: &str, home: Home) -> Saved {
        Saved { name: name.into(), query: query(title), home, total: Some(7), last_run: None }
    }

    fn theirs(id: Option<&str>, name: &str, title: Option<&str>) -> RemoteSaved {
        RemoteSaved { id: id.map(str::to_owned), name: name.into(), query: title.map(query), raw: String::new() }
    }

    fn listed(entries: &[Entry]) -> Vec<(&str, &str)> {
        entries.iter().map(|entry| (entry.name.as_str(), entry.home.name())).collect()
    }

    #[test]
    fn a_search_on_both_sides_is_listed_once() {
        let both = Home::Both { id: "9".into() };
        let here = [local("a", "x", both.clone()), local("b", "y", Home::Local), local("c", "z", both)];
        let mut theirs_of_b = theirs(Some("4"), "b", Some("y"));
        theirs_of_b.query.as_mut().unwrap().side.source = Source::Data;
        let there = [theirs(Some("9"), "renamed there", Some("x")), theirs_of_b];
        let entries = merge(&here, &[], Some(&there), &BTreeSet::new());
        assert_eq!(listed(&entries), [("a", "both"), ("b", "both"), ("c", "local")]);
        let unread = merge(&here, &[], None, &BTreeSet::new());
        assert_eq!(listed(&unread), [("a", "both"), ("b", "local"), ("c", "both")]);
    }

    #[test]
    fn an_id_that_another_search_has_by_now_is_not_taken() {
        let here = [local("a", "x", Home::Both { id: "1".into() })];
        let there = [theirs(Some("1"), "b", Some("y")), theirs(Some("2"), "a", Some("x"))];
        let entries = merge(&here, &[], Some(&there), &BTreeSet::new());
        assert_eq!(listed(&entries), [("a", "both"), ("b", "service")]);
        assert_eq!(entries[0].home, Home::Both { id: "2".into() });
        let entries = merge(&here, &[], Some(&there[..1]), &BTreeSet::new());
        assert_eq!(listed(&entries), [("a", "local"), ("b", "service")]);
    }

    #[test]
    fn searches_made_elsewhere_are_listed_under_names_of_their_own() {
        let here = [local("a", "x", Home::Local)];
        let there = [
            theirs(Some("1"), "a", Some("other")),
            theirs(Some("2"), "a", None),
            theirs(None, "", Some("q")),
            theirs(Some("3"), "gone", Some("q")),
        ];
        let hidden = BTreeSet::from(["id 3".to_owned()]);
        let entries = merge(&here, &[("broken".into(), "line 3".into())], Some(&there), &hidden);
        let names = [
            ("a", "local"),
            ("a (service 2)", "service"),
            ("a (service)", "service"),
            ("broken", "local"),
            ("unnamed", "service"),
        ];
        assert_eq!(listed(&entries), names);
        assert_eq!(entries.iter().filter(|entry| entry.query.is_none() && entry.trouble.is_some()).count(), 2);
    }
}
