//! A search worth coming back to. The local copy is the truth; the service's copy is a convenience that may fail.

use super::query::Query;
use super::time::Wall;

/// A search that is saved here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    pub name: String,
    pub query: Query,
    /// Under which the service keeps it, as far as was known last.
    pub id: Option<String>,
    /// Total at the last run.
    pub total: Option<u64>,
    pub last_run: Option<Wall>,
}

impl Saved {
    /// One that never ran and that only lives here.
    pub fn new(name: String, query: Query) -> Saved {
        Saved { name, query, id: None, total: None, last_run: None }
    }
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
        match self {
            Home::Local => "local",
            Home::Service => "service",
            Home::Both => "both",
        }
    }
}

/// An entry of the service's list, read as far as it could be.
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
