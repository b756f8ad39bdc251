//! What the store knows of a basket and of what must not be bought. Nothing here is spent.

use crate::domain::contact::{RowId, Side};
use crate::domain::money::Staged;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BasketState {
    /// Grows with every change by any window.
    pub version: u64,
    pub rows: Vec<Staged>,
}

/// An e-mail address, a whole domain, or one contact.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuppressEntry {
    Email(String),
    Domain(String),
    Contact(Side, RowId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    pub list: String,
    pub entries: Vec<SuppressEntry>,
}
