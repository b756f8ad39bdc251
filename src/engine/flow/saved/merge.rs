//! One list of the searches kept here and those the service keeps. Pure: the two lists go in, one comes out, and where each
//! search lives is decided each time, because either side may have changed meanwhile.

use std::collections::BTreeSet;

use lode_core::{Home, Query, RemoteSaved, SavedSearch, Unreadable, Wall};

use super::Refused;

/// A saved search as it is listed.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedEntry {
    pub name: String,
    /// Or why it cannot be read: then it is shown, and cannot run.
    pub query: Result<Query, String>,
    pub home: Home,
    /// Under which the service keeps it.
    pub id: Option<String>,
    pub total: Option<u64>,
    pub last_run: Option<Wall>,
    /// The named view that it was saved with here.
    pub view: Option<String>,
    /// The service's own entry, where its list was read and has one.
    pub remote: Option<RemoteSaved>,
}

impl SavedEntry {
    fn new(name: String, query: Result<Query, String>, home: Home) -> SavedEntry {
        SavedEntry { name, query, home, id: None, total: None, last_run: None, view: None, remote: None }
    }

    /// Why it cannot run.
    pub fn unreadable(&self) -> Refused {
        let why = self.query.as_ref().err().cloned().unwrap_or_default();
        Refused::Unreadable { name: self.name.clone(), why }
    }

    /// The part of it that is kept here.
    pub(super) fn saved(&self) -> Option<SavedSearch> {
        let (query, id, view) = (self.query.clone().ok()?, self.id.clone(), self.view.clone());
        Some(SavedSearch { name: self.name.clone(), query, id, total: self.total, last_run: self.last_run, view })
    }
}

pub(super) fn merge(
    local: &[SavedSearch],
    unreadable: &[Unreadable],
    remote: Option<&[RemoteSaved]>,
    hidden: &BTreeSet<String>,
) -> Vec<SavedEntry> {
    let mut left: Vec<&RemoteSaved> =
        remote.unwrap_or_default().iter().filter(|entry| !hidden.contains(&entry.key())).collect();
    let mut entries: Vec<SavedEntry> = Vec::new();
    for saved in local {
        let theirs = find(saved, &left).map(|at| left.remove(at));
        let id = match theirs {
            Some(theirs) => theirs.id.clone(),
            // Where the list was not read, the file's word stands.
            None => saved.id.clone().filter(|_| remote.is_none()),
        };
        let home = if theirs.is_some() || id.is_some() { Home::Both } else { Home::Local };
        let (total, last_run) = (saved.total, saved.last_run);
        let entry = SavedEntry::new(saved.name.clone(), Ok(saved.query.clone()), home);
        let view = saved.view.clone();
        entries.push(SavedEntry { id, total, last_run, view, remote: theirs.cloned(), ..entry });
    }
    entries.extend(unreadable.iter().map(|one| SavedEntry::new(one.file.clone(), Err(one.why.clone()), Home::Local)));
    // A file that cannot be read keeps its name: the service's copy may ask something else.
    let is_free = |name: &str, entries: &[SavedEntry]| {
        entries.iter().all(|entry| entry.name != name) && !unreadable.iter().any(|one| one.is_of(name))
    };
    for theirs in left {
        let query = theirs.query.clone().ok_or_else(|| "its filters cannot be read here".to_owned());
        let entry = SavedEntry::new(unused(&theirs.name, |name| is_free(name, &entries)), query, Home::Service);
        entries.push(SavedEntry { id: theirs.id.clone(), remote: Some(theirs.clone()), ..entry });
    }
    entries.sort_by(|one, two| one.name.cmp(&two.name));
    entries
}

/// The service's copy of a local search: the one with the id it was kept under, if it has the name or asks the same (an id may
/// have been given to another search since), else one of the same name that asks the same.
pub(super) fn find(saved: &SavedSearch, left: &[&RemoteSaved]) -> Option<usize> {
    let named = |entry: &RemoteSaved| entry.name == saved.name;
    let asks = |entry: &RemoteSaved| entry.query.as_ref().is_some_and(|query| same_there(query, &saved.query));
    let known = |entry: &RemoteSaved| saved.id.is_some() && entry.id == saved.id;
    let by_id = left.iter().position(|entry| known(entry) && (named(entry) || asks(entry)));
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
fn unused(name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let name = if name.trim().is_empty() { "unnamed" } else { name };
    let numbered = (1..).map(|number| match number {
        1 => format!("{name} (service)"),
        number => format!("{name} (service {number})"),
    });
    std::iter::once(name.to_owned()).chain(numbered).find(|name| is_free(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::{Side, Source};
    use lode_core::filter::Filter;

    fn query(title: &str) -> Query {
        let mut query = Query::new(Side::default());
        query.set(Filter::Title, title).unwrap();
        query
    }

    fn local(name: &str, title: &str, id: Option<&str>) -> SavedSearch {
        SavedSearch { id: id.map(str::to_owned), total: Some(7), ..SavedSearch::new(name.into(), query(title)) }
    }

    fn theirs(id: Option<&str>, name: &str, title: Option<&str>) -> RemoteSaved {
        RemoteSaved { id: id.map(str::to_owned), name: name.into(), query: title.map(query), raw: String::new() }
    }

    fn broken(file: &str, name: Option<&str>) -> Unreadable {
        Unreadable { file: file.into(), why: "line 3".into(), name: name.map(str::to_owned) }
    }

    fn listed(entries: &[SavedEntry]) -> Vec<(&str, &str)> {
        entries.iter().map(|entry| (entry.name.as_str(), entry.home.name())).collect()
    }

    #[test]
    fn a_search_on_both_sides_is_listed_once() {
        let here = [local("a", "x", Some("9")), local("b", "y", None), local("c", "z", Some("9"))];
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
        let here = [local("a", "x", Some("1"))];
        let there = [theirs(Some("1"), "b", Some("y")), theirs(Some("2"), "a", Some("x"))];
        let entries = merge(&here, &[], Some(&there), &BTreeSet::new());
        assert_eq!(listed(&entries), [("a", "both"), ("b", "service")]);
        assert_eq!(entries[0].id.as_deref(), Some("2"));
        let entries = merge(&here, &[], Some(&there[..1]), &BTreeSet::new());
        assert_eq!(listed(&entries), [("a", "local"), ("b", "service")]);
    }

    #[test]
    fn the_copy_of_a_file_that_cannot_be_read_is_not_taken_for_it() {
        let there = [theirs(Some("1"), "A b", Some("x")), theirs(Some("2"), "c", Some("x"))];
        let names = [("A b (service)", "service"), ("a-b.toml", "local"), ("c", "service")];
        for file in [broken("a-b.toml", None), broken("a-b.toml", Some("A b"))] {
            assert_eq!(listed(&merge(&[], &[file], Some(&there), &BTreeSet::new())), names);
        }
        let other = merge(&[], &[broken("a-b.toml", Some("other"))], Some(&there), &BTreeSet::new());
        assert_eq!(other[0].name, "A b");
    }

    #[test]
    fn searches_made_elsewhere_are_listed_under_names_of_their_own() {
        let here = [local("a", "x", None)];
        let there = [
            theirs(Some("1"), "a", Some("other")),
            theirs(Some("2"), "a", None),
            theirs(None, "", Some("q")),
            theirs(Some("3"), "gone", Some("q")),
        ];
        let hidden = BTreeSet::from(["id 3".to_owned()]);
        let entries = merge(&here, &[broken("broken", None)], Some(&there), &hidden);
        let names = [
            ("a", "local"),
            ("a (service 2)", "service"),
            ("a (service)", "service"),
            ("broken", "local"),
            ("unnamed", "service"),
        ];
        assert_eq!(listed(&entries), names);
        assert_eq!(entries.iter().filter(|entry| entry.query.is_err()).count(), 2);
    }
}
