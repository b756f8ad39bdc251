//! What the store knows of a basket and of what must not be bought. Nothing here is spent.

use std::fmt;

use lode_core::contact::{RowId, Side};
use lode_core::money::Staged;

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

/// As a person reads it: `tom.beckett@quailrun.example`, `*.acme.example`.
impl fmt::Display for SuppressEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SuppressEntry::Email { email, name } | SuppressEntry::Phone { digits: email, name } => {
                f.write_str(email)?;
                if name.is_empty() { Ok(()) } else { write!(f, " ({name})") }
            }
            SuppressEntry::Domain(domain) => write!(f, "*.{domain}"),
            SuppressEntry::ExactDomain(domain) => f.write_str(domain),
            SuppressEntry::Person { name, company } => write!(f, "{name}, {company}"),
            SuppressEntry::Contact(_, id) => write!(f, "contact {id}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    pub list: String,
    pub entries: Vec<SuppressEntry>,
}
