//! Which of the owned contacts are shown, and which one is looked at.

use std::cmp::Reverse;

use crate::domain::owned::Owned;
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
        let mut all: Vec<&Owned> = session.ledger.owned().filter(|owned| owned.mentions(&self.find)).collect();
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
