//! An owned contact: how it was bought, and the tags and notes of its owner.

use std::collections::HashMap;

use super::contact::{Contact, Corpus, RowId};
use super::money::{OrderId, person};
use super::row::{Known, Row};
use super::same_person::is_mask;
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
        let words = words.to_lowercase();
        let Contact { contact_name, company_name, title, email, phone, .. } = &self.contact;
        let own = [contact_name, company_name, title, email, phone, &self.note].into_iter().chain(&self.tags);
        let of_row = self.row.iter().flat_map(Row::fields).map(|(_, _, text)| text);
        let mut texts = own.map(String::as_str).chain(of_row);
        texts.any(|text| text.to_lowercase().contains(&words)) || self.id.to_string() == words
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

/// The people whose contacts are owned: the services list one person under several ids, and each of them costs a credit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedPeople {
    /// Companies and emails of each name.
    named: HashMap<String, Vec<[String; 2]>>,
}

impl OwnedPeople {
    pub fn of<'a>(owned: impl Iterator<Item = &'a Owned>) -> OwnedPeople {
        let mut named: HashMap<_, Vec<[String; 2]>> = HashMap::new();
        for Contact { contact_name, company_name, email, .. } in owned.map(|owned| &owned.contact) {
            if let Some([name, company, email]) = person(contact_name, company_name, email) {
                named.entry(name).or_default().push([company, email]);
            }
        }
        OwnedPeople { named }
    }

    /// Whether the person of a row is owned: the name and the company are the same, and the email is one that its mask allows.
    pub fn holds(&self, [name, company, email]: &[String; 3]) -> bool {
        let is_same = |[at, owned]: &[String; 2]| at == company && allows(email, owned);
        self.named.get(name).is_some_and(|owned| owned.iter().any(is_same))
    }
}

/// Whether a text contains the visible parts of a masked one, in their order.
fn allows(masked: &str, text: &str) -> bool {
    let mut shown = masked.split(is_mask);
    let Some(mut rest) = shown.next().and_then(|start| text.strip_prefix(start)) else { return false };
    let mut shown: Vec<&str> = shown.collect();
    let Some(end) = shown.pop() else { return rest.is_empty() };
    for part in shown {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(end)
}
