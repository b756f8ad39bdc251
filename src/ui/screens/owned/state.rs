//! Which of the owned contacts are shown, and which one is looked at.

use std::cmp::Reverse;

use crate::domain::owned::Owned;
use crate::domain::row::Row;
use crate::flow::session::Session;

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
    /// Only contacts in which this occurs.
    pub find: String,
}

impl State {
    /// What is shown, the newest first.
    pub fn shown<'a>(&self, session: &'a Session) -> Vec<&'a Owned> {
        let find = self.find.to_lowercase();
        let mut all: Vec<&Owned> =
            session.ledger.owned().filter(|owned| find.is_empty() || names(owned, &find)).collect();
        all.sort_by_key(|owned| (Reverse(owned.unlocked_at), owned.corpus, owned.id));
        all
    }

    /// Shows what has these words in it.
    pub fn find_by(&mut self, words: &str) {
        words.clone_into(&mut self.find);
        self.at = 0;
    }

    pub fn contact<'a>(&self, session: &'a Session) -> Option<&'a Owned> {
        let shown = self.shown(session);
        shown.get(self.at.min(shown.len().saturating_sub(1))).copied()
    }
}

fn names(owned: &Owned, find: &str) -> bool {
    let contact = &owned.contact;
    [&contact.contact_name, &contact.company_name, &contact.title, &contact.email, &contact.phone, &owned.note]
        .into_iter()
        .chain(&owned.tags)
        .any(|text| text.to_lowercase().contains(find))
        || owned.row.iter().flat_map(Row::fields).any(|(_, _, text)| text.to_lowercase().contains(find))
        || owned.id.to_string() == find
}
