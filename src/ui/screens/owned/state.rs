//! Which of the owned contacts are shown, and which one is looked at.

use std::cmp::Reverse;

use lode_core::contact::{Corpus, RowId};
use lode_core::owned::Owned;
use lode_engine::flow::session::Session;

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
    /// Only contacts in which this occurs.
    pub find: String,
    /// What is shown, the newest first.
    shown: Vec<(Corpus, RowId)>,
    /// Of which state of the ledger that is true, and of which words.
    known: Option<(u64, String)>,
}

impl State {
    /// Looks again at what is owned where that or the words changed: hundreds of thousands of contacts are not put in order for
    /// each key.
    pub fn settle(&mut self, session: &Session) {
        let changes = session.ledger().changes();
        if self.known.as_ref().is_some_and(|(known, words)| *known == changes && *words == self.find) {
            return;
        }
        let mentioned = session.ledger().owned().filter(|owned| owned.mentions(&self.find));
        let mut all: Vec<_> = mentioned.map(|owned| (Reverse(owned.unlocked_at), owned.corpus, owned.id)).collect();
        all.sort_unstable();
        self.shown = all.into_iter().map(|(_, corpus, id)| (corpus, id)).collect();
        self.known = Some((changes, self.find.clone()));
    }

    /// How many are shown.
    pub fn count(&self) -> usize {
        self.shown.len()
    }

    /// One of those that are shown.
    pub fn shown_at<'a>(&self, at: usize, session: &'a Session) -> Option<&'a Owned> {
        let (corpus, id) = self.shown.get(at)?;
        session.ledger().contact(*corpus, *id)
    }

    pub fn shown<'a>(&self, session: &'a Session) -> impl Iterator<Item = &'a Owned> {
        self.shown.iter().filter_map(|(corpus, id)| session.ledger().contact(*corpus, *id))
    }

    /// Shows what has these words in it.
    pub fn find_by(&mut self, words: &str) {
        words.clone_into(&mut self.find);
        self.at = 0;
    }

    pub fn contact<'a>(&self, session: &'a Session) -> Option<&'a Owned> {
        self.shown_at(self.at.min(self.count().saturating_sub(1)), session)
    }
}
