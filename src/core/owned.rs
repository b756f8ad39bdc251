//! An owned contact: how it was bought, and the tags and notes of its owner.

use super::contact::{Contact, Corpus, RowId};
use super::money::OrderId;
use super::row::{Known, Row};
use super::time::Wall;

/// An owned contact as the ledger keeps it: one line of `lode owned`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owned {
    pub corpus: Corpus,
    pub id: RowId,
    pub contact: Contact,
    /// When the unlock answered, or when we first saw that it is owned.
    pub unlocked_at: Wall,
    pub tags: Vec<String>,
    pub note: String,
    /// The order that bought it through lode; none when the workspace owned it already.
    pub order: Option<OrderId>,
    /// The search it was found by, in the form that can be run again.
    pub search: Option<String>,
    /// The row that a search showed, with everything the service says of the contact. Its address may still be masked.
    pub row: Option<Row>,
}

impl Owned {
    /// Takes over a row of the contact: it says what the answer of the unlock left out.
    pub fn learn(&mut self, row: Option<Row>) {
        let Some(row) = row else { return };
        self.contact.complete_with(&Contact {
            contact_name: row.name(),
            company_name: row.known(Known::Company).to_owned(),
            title: row.known(Known::Title).to_owned(),
            ..Contact::default()
        });
        self.row = Some(row);
    }

    /// Whether these words occur in it, in its tags or in its note, in any case. Every contact mentions nothing at all.
    pub fn mentions(&self, words: &str) -> bool {
        let (words, contact) = (words.to_lowercase(), &self.contact);
        [&contact.contact_name, &contact.company_name, &contact.title, &contact.email, &contact.phone, &self.note]
            .into_iter()
            .map(String::as_str)
            .chain(self.tags.iter().map(String::as_str))
            .chain(self.row.iter().flat_map(Row::fields).map(|(_, _, text)| text))
            .any(|text| text.to_lowercase().contains(&words))
            || self.id.to_string() == words
    }
}

/// A contact that a search showed as owned: nothing was bought for it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenOwned {
    pub id: RowId,
    pub contact: Contact,
    /// The search that showed it.
    pub search: Option<String>,
    /// The whole row as JSON; empty where only the contact is known.
    pub row: String,
}
