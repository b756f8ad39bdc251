//! The export: what is asked for, and the answer whose body is written while it is sent (`sheet`).

use std::sync::Arc;

use super::answer::{Answer, Body};
use super::arrival::Refusal;
use super::data::asked;
use super::params::Params;
use super::sheet::Export;
use super::workspace::corpus;
use super::{Service, Ticket};
use crate::faults::Fault;

impl Service {
    pub(super) fn export(&self, ticket: &Ticket<'_>, user: &str) -> Result<Answer, Refusal> {
        let habits = ticket.habits;
        let invalid = |words: String| Refusal::new(400, words);
        let params = Params::read(&ticket.request.query).map_err(invalid)?;
        let kind = corpus(&params, true).map_err(invalid)?;
        let asked = asked(&params, kind, habits).map_err(invalid)?;
        if habits.export_needs_filter && !asked.narrows() {
            return Err(invalid("Export needs a query or at least one filter".into()));
        }
        let mut wanted = asked.wanted;
        if habits.export_ignores_keyword {
            wanted.query = None;
        }
        let export = Export {
            engine: self.data.of(kind).clone(),
            kind,
            wanted,
            hidden: self.hidden_from(user, kind, asked.exclude_pulled),
            sheet: habits.sheet,
            masked: habits.data_masked,
            hostile: ticket.drawn.has(Fault::Hostile),
            threads: self.setup.threads.max(1),
        };
        Ok(Answer { body: Body::Export(Arc::new(export)), ..Answer::text(200, "text/csv; charset=utf-8", "") }
            .with_header("content-disposition", "attachment; filename=\"export.csv\""))
    }
}
