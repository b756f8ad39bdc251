//! Which of the saved searches is looked at.

use lode_engine::flow::saved::merge::Entry;
use lode_engine::flow::session::Session;

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
}

impl State {
    /// The search that is looked at.
    pub fn entry(&self, session: &Session) -> Option<Entry> {
        let mut entries = session.shelf().entries();
        let at = self.at.min(entries.len().checked_sub(1)?);
        Some(entries.swap_remove(at))
    }
}
