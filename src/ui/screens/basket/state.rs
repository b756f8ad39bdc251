//! Which of the staged rows is looked at.

use lode_core::contact::Side;
use lode_engine::flow::basket::Entry;
use lode_engine::flow::session::Session;

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
}

impl State {
    /// The row that is looked at.
    pub fn entry<'a>(&self, session: &'a Session, side: Side) -> Option<&'a Entry> {
        let rows = session.side(side).basket.rows();
        rows.get(self.at.min(rows.len().saturating_sub(1)))
    }
}
