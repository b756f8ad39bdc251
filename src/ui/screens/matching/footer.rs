//! The account that is looked at in full, below the list: its contacts, or the companies that it may mean.

use crate::theme::Role;
use lode_core::contact::Source;
use lode_engine::flow::matching::judge::Verdict;
use lode_engine::flow::session::Session;

use super::facts::{candidate, contact, likely};
use super::state::State;

pub(super) fn footer(state: &State, session: &Session) -> Vec<(String, Role)> {
    let (Some(job), Some(verdict)) = (session.matching().job(), state.verdict(session)) else { return Vec::new() };
    let side = job.wanted().query.side;
    match verdict {
        Verdict::None => vec![("No company fits in name or domain.".to_owned(), Role::Dim)],
        Verdict::Ambiguous { candidates, why } => {
            let head = (format!("Not picked: {why}."), Role::Warning);
            let each = candidates.iter().map(|one| {
                let words = format!("  {} · {} seen · {}", candidate(one), one.contacts, one.why);
                (words, Role::Text)
            });
            std::iter::once(head).chain(each).collect()
        }
        Verdict::Matched { rows, .. } => {
            let mut lines = Vec::new();
            for row in rows {
                lines.push((format!("  {}", contact(row)), Role::Text));
                let found = row.id().filter(|_| side.source == Source::Data);
                if let Some((_, found)) = found.and_then(|id| session.matching().likely().of(side.corpus, id)) {
                    let (words, role) = likely(found);
                    lines.push((format!("      {words}"), role));
                }
            }
            lines
        }
    }
}
