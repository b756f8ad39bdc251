//! What is looked for, and what was seen of it.

use crate::domain::contact::Contact;
use crate::domain::money::Clue;
use crate::effect::store::ShownIn;

/// A contact that is looked for, with what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    pub clue: Clue,
    /// Where a search showed it, newest first.
    pub shown: Vec<ShownIn>,
    /// How often it was sighted before.
    pub sighted: usize,
}

/// What the look found of a contact.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    Owned(Contact),
    /// A search returned it, still masked.
    Locked,
    /// No search that would have to return it does; with the evidence in words.
    Absent(String),
    /// The look could not be brought to an end: nothing is known.
    Unseen,
}
