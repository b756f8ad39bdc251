//! Pages that a script read, on their way into the history.

use crate::cli::program::Run;
use crate::domain::contact::Source;
use crate::domain::owned::SeenOwned;
use crate::effect::Ticket;
use crate::effect::store::StoreCall;
use crate::flow::ledger::reading::seen_owned;
use crate::flow::search::walk::{Step, Walk};

/// Writes the ids of a page to the history, and the contacts that it shows as owned to the books.
pub fn keep(walk: &Walk, step: &Step, run: &mut Run<'_>) -> Vec<Ticket> {
    let (query, leg) = (walk.leg(step.leg), walk.query().has_legs());
    let side = query.side;
    let Some(purse) = run.session.purse_of(side.source) else { return Vec::new() };
    let contacts: Vec<SeenOwned> = match side.source {
        Source::Workspace => step.rows.iter().filter_map(|row| seen_owned(row, query)).collect(),
        Source::Data => Vec::new(),
    };
    let searched = StoreCall::Searched {
        purse: purse.clone(),
        canonical: query.canonical(),
        total: step.total,
        offset: step.offset,
        ids: step.rows.iter().filter_map(|row| row.id()).chain(step.met.iter().copied()).collect(),
        leg,
    };
    let own = (!contacts.is_empty()).then(|| StoreCall::Own { purse, corpus: side.corpus, contacts });
    [Some(searched), own].into_iter().flatten().map(|call| run.store(call)).collect()
}
