//! How a window learns what other windows and commands did to the records they share.

use lode_core::contact::{Contact, RowId};
use lode_core::credits::Credits;
use lode_core::time::Wall;

/// A few numbers that differ from the earlier ones after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// A new one after every change by another window.
    pub stamp: i64,
    pub owned: u64,
    pub money: u64,
    pub lists: u64,
    pub jobs: u64,
    /// The balance as an unlock of any window last heard it, and when.
    pub balance: Option<(Credits, Wall)>,
}

/// What became of a contact that another unlock had under way.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// A living window works on it.
    Pending,
    /// No window works on it, and its result is unknown.
    Unknown,
    Owned(Contact),
    /// It is locked, and can be bought.
    Free,
}

/// What became of several.
pub type Fates = Vec<(RowId, Fate)>;
