//! A search worth coming back to. The local copy is the truth; the service's copy is a convenience that may fail.

use super::query::Query;
use super::time::Wall;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    pub name: String,
    pub query: Query,
    pub home: Home,
    /// Total at the last run.
    pub total: Option<u64>,
    pub last_run: Option<Wall>,
}

/// Where a saved search lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Home {
    Local,
    /// Only at the service, under this id of its own.
    Service {
        id: String,
    },
    Both {
        id: String,
    },
}

impl Home {
    pub fn name(&self) -> &'static str {
        match self {
            Home::Local => "local",
            Home::Service { .. } => "service",
            Home::Both { .. } => "both",
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
        match &self.id {
            Some(id) => format!("id {id}"),
            None => format!("name {}", self.name),
        }
    }
}
