//! A search worth coming back to. The local copy is the truth; the service's copy is a convenience that may fail.

use super::query::Query;
use super::time::Wall;

/// A search that is saved here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedSearch {
    pub name: String,
    pub query: Query,
    /// The id under which the service keeps it, as last known.
    pub id: Option<String>,
    /// Total at the last run.
    pub total: Option<u64>,
    pub last_run: Option<Wall>,
    /// The named view that it was saved with.
    pub view: Option<String>,
}

impl SavedSearch {
    /// One that never ran and that only lives here.
    pub fn new(name: String, query: Query) -> SavedSearch {
        SavedSearch { name, query, id: None, total: None, last_run: None, view: None }
    }
}

/// A file of the folder that holds no search that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Its file name.
    pub file: String,
    pub why: String,
    /// The name of its search, where that much can be read.
    pub name: Option<String>,
}

impl Unreadable {
    /// Whether this file is the one of the search with that name. Without a readable name its file name tells.
    pub fn is_of(&self, name: &str) -> bool {
        let by_file = || self.file.strip_suffix(".toml").is_some_and(|stem| stem == slug(name));
        self.name.as_ref().map_or_else(by_file, |own| own == name)
    }
}

/// A file name for a search, whatever its name has in it.
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
        if slug.len() > 60 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "search".to_owned() } else { slug.to_owned() }
}

/// Where a saved search lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Local,
    Service,
    Both,
}

impl Home {
    pub fn name(self) -> &'static str {
        ["local", "service", "both"][self as usize]
    }
}

/// An entry of the service's list, with the parts that could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteSaved {
    /// Absent where no field looked like an id: such an entry is never deleted.
    pub id: Option<String>,
    pub name: String,
    /// Absent where the filters could not be read: shown as unreadable.
    pub query: Option<Query>,
    /// The entry as it came, so that one that vanished by accident can be put back whole.
    pub raw: String,
}

impl RemoteSaved {
    /// By what it is recognised when it is no longer to be listed: its id, or its name where it has none.
    pub fn key(&self) -> String {
        self.id.as_ref().map_or_else(|| format!("name {}", self.name), |id| RemoteSaved::key_of(id))
    }

    /// The key of the one with this id.
    pub fn key_of(id: &str) -> String {
        format!("id {id}")
    }
}

// A named view: how the grid of the results looks.

/// The columns of the grid in order, and what sorts it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridView {
    /// Each with its width, if a person set one.
    pub columns: Vec<(String, Option<u16>)>,
    /// A column, and whether it sorts descending.
    pub sort: Option<(String, bool)>,
}

impl GridView {
    /// Reads what [`GridView::written`] returns. `None` without a column, or if a width is not a number.
    pub fn read(columns: &[String], sort: Option<&str>) -> Option<GridView> {
        let column = |text: &String| match text.split_once(':') {
            Some((key, width)) => Some((key.to_owned(), Some(width.trim().parse().ok()?))),
            None => Some((text.clone(), None)),
        };
        let columns: Vec<_> = columns.iter().map(column).collect::<Option<_>>()?;
        let sort = sort.map(|text| (text.trim_start_matches('-').to_owned(), text.starts_with('-')));
        (!columns.is_empty()).then_some(GridView { columns, sort })
    }

    /// `title:30` is a column with a width; `-title` sorts descending.
    pub fn written(&self) -> (Vec<String>, Option<String>) {
        let column = |(key, width): &(String, Option<u16>)| width.map_or(key.clone(), |width| format!("{key}:{width}"));
        let sort = self.sort.as_ref().map(|(key, back)| if *back { format!("-{key}") } else { key.clone() });
        (self.columns.iter().map(column).collect(), sort)
    }
}
