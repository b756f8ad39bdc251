//! What the store knows of a basket and of what must not be bought. Nothing here is spent.

use crate::domain::contact::{RowId, Side};
use crate::domain::money::Staged;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct BasketState {
    /// Grows with every change by any window.
    pub version: u64,
    pub rows: Vec<Staged>,
}

/// What one entry of a suppression list names. A `name` is that of the person, as far as the list says it; empty otherwise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuppressEntry {
    Email {
        email: String,
        name: String,
    },
    /// The domain and its subdomains.
    Domain(String),
    /// The domain alone.
    ExactDomain(String),
    Phone {
        /// Digits alone, without the country code 1.
        digits: String,
        name: String,
    },
    Person {
        name: String,
        company: String,
    },
    Contact(Side, RowId),
}

impl SuppressEntry {
    /// An address of which the list says no more.
    pub fn email(email: impl Into<String>) -> SuppressEntry {
        SuppressEntry::Email { email: email.into(), name: String::new() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    pub list: String,
    pub entries: Vec<SuppressEntry>,
}
