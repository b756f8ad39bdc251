//! What is looked for, and what was seen of it.

use crate::effect::store::ShownIn;
use lode_core::contact::Contact;
use lode_core::money::Clue;

/// A contact that is looked for, with what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    pub clue: Clue,
    /// Where a search showed it, newest first.
    pub shown: Vec<ShownIn>,
    /// How often it was sighted before, and whether the last check found it nowhere.
    pub sighted: usize,
    pub was_absent: bool,
    /// Requests that earlier checks made for it.
    pub spent: u32,
}

/// What shows that a contact is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub words: String,
    /// The service returned the rows in another order while they were read: a row can be missed.
    pub wavers: bool,
}

/// What the look found of a contact.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    Owned(Contact),
    /// A search returned it, still masked.
    Locked,
    /// No search that would have to return it does.
    Absent(Evidence),
    /// The look could not be brought to an end: nothing is known.
    Unseen,
}
