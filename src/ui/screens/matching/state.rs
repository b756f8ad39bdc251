//! Which account is looked at.

use lode_core::row::Row;
use lode_engine::flow::matching::judge::Verdict;
use lode_engine::flow::session::Session;

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
    /// What was said of it last, so that it is said once.
    pub told: Option<String>,
}

impl State {
    /// What the account under the cursor came to, once the job is done.
    pub(super) fn verdict<'s>(&self, session: &'s Session) -> Option<&'s Verdict> {
        session.matching().job()?.verdicts().get(self.at)
    }

    /// The contacts of the account under the cursor.
    pub(super) fn rows<'s>(&self, session: &'s Session) -> &'s [Row] {
        self.verdict(session).map_or(&[], Verdict::rows)
    }
}
